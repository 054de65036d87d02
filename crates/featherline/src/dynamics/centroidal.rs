//! Centroidal momentum: the momentum of the whole robot about its centre of mass.
//!
//! D. Orin, A. Goswami and S.-H. Lee, *Centroidal dynamics of a humanoid robot*, Autonomous Robots
//! 35, 2013. The linear part comes first; the angular part is about the centre of mass; both have
//! the world's axes. Armature and reflected rotor inertia do not enter: a rotor's momentum about
//! its own shaft is not modelled, only its effect on the joint.

use super::aligned::composites_in_motion;
use super::crba::{composite_inertias, unit_momentum};
use super::momentum_columns::momentum_columns;
use crate::error::Error;
use crate::kinematics::center_of_mass::carry_first_moment;
use crate::kinematics::joint_pass::{joint_motion, move_link, place_in_world, place_links};
use crate::kinematics::reference_frame::at_origin;
use crate::model::{JointId, Model};
use crate::scalar::{InstructionSet, Kernel, Scalar, all_finite, dispatch, kernel};
use crate::spatial::{DynamicParameters, Force, Motion, Se3, Vec3};
use crate::workspace::{Matrices, Scratch, Workspace};
use nalgebra::DMatrix;

/// The name of the matrix in errors.
const MATRIX: &str = "the centroidal momentum matrix";

kernel!(
    /// The momentum, or its rate if accelerations are given.
    fn centroidal_momentum<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        q: &[S],
        v: &[S],
        a: Option<&[S]>,
    ) -> Force<S> {
        ws.velocity[0] = Motion::zero();
        ws.acceleration[0] = Motion::zero();
        place_links(model, q, &mut ws.placement, &mut ws.subspaces.column);
        for (i, link) in model.links.iter().enumerate().skip(1) {
            let parameters = ws.parameters_of(i, link);
            ws.composite[i].mass = parameters.mass;
            ws.composite[i].first_moment = parameters.first_moment;
            ws.force[i] = match a {
                None => {
                    let carried = ws.placement[i].inverse_act_motion(&ws.velocity[link.parent]);
                    ws.velocity[i] = carried + joint_motion(link, &ws.subspaces.column, v);
                    parameters.mul_motion(&ws.velocity[i])
                }
                Some(a) => {
                    let carried = ws.placement[i].inverse_act_motion(&ws.velocity[link.parent]);
                    let (velocity, bias) =
                        move_link(model, i, link, (q, v), carried, &mut ws.subspaces);
                    let carried = ws.placement[i].inverse_act_motion(&ws.acceleration[link.parent]);
                    ws.velocity[i] = velocity;
                    ws.acceleration[i] =
                        carried + bias + joint_motion(link, &ws.subspaces.column, a);
                    parameters.newton_euler(&velocity, &ws.acceleration[i])
                }
            };
        }
        ws.composite[0] = DynamicParameters::zero();
        ws.force[0] = Force::zero();
        // About the first joint instead of the world's origin, for the accuracy of a robot that
        // stands far away.
        let origin = ws.placement.get(1).map_or(Vec3::zero(), |p| p.translation);
        for (i, link) in model.links.iter().enumerate().skip(1).rev() {
            let mut placement = ws.placement[i];
            if link.parent == 0 {
                placement.translation -= origin;
            }
            let (own, force) = (ws.composite[i], placement.act_force(&ws.force[i]));
            carry_first_moment(&placement, &own, &mut ws.composite[link.parent]);
            ws.force[link.parent] += force;
        }
        about_com(&ws.force[0], &ws.composite[0])
    }
);

/// A v: the momentum of the columns of the matrix, each at its rate.
#[inline(always)]
pub(crate) fn map_velocity<S: Scalar>(map: &[S], v: &[S]) -> Force<S> {
    let mut momentum = Force::zero();
    for (column, rate) in map.as_chunks().0.iter().zip(v) {
        momentum = Force::from_array(*column).mul_add(*rate, &momentum);
    }
    momentum
}

/// A force or momentum of the whole robot, moved to the centre of mass.
#[inline(always)]
fn about_com<S: Scalar>(force: &Force<S>, total: &DynamicParameters<S>) -> Force<S> {
    let com = total.first_moment * total.mass.recip();
    Force::new(force.linear, force.linear.cross_add(com, force.angular))
}

kernel!(
    fn centroidal_map<S: Scalar>(model: &Model, ws: &mut Scratch<S>, map: &mut [S], q: &[S]) {
        if !model.has_mimic_joints() {
            momentum_columns(model, ws, q, map);
            return;
        }
        place_in_world(model, ws, q);
        composite_inertias(model, &ws.placement, &ws.parameters, &mut ws.composite);
        let com = center_of_mass(model, ws);
        let column = &ws.subspaces.column;
        write_map(model, &ws.world, &ws.composite, column, com, map);
    }
);

/// The centre of mass in the world. Needs world placements, and composite inertias in link frames;
/// leaves mass and first moment of the whole robot in the world under index 0.
#[inline(always)]
pub(super) fn center_of_mass<S: Scalar>(model: &Model, ws: &mut Scratch<S>) -> Vec3<S> {
    // Not about the world's origin, for the accuracy of a robot that stands far away.
    let origin = ws.world.get(1).map_or(Vec3::zero(), |w| w.translation);
    let mut total = DynamicParameters::zero();
    for (i, link) in model.links.iter().enumerate().skip(1) {
        if link.parent == 0 {
            let placement = at_origin(&ws.world[i], origin);
            carry_first_moment(&placement, &ws.composite[i], &mut total);
        }
    }
    set_center(ws, origin, &total)
}

/// The centre of mass from mass and first moment about a point; leaves the world's under 0.
#[inline(always)]
pub(super) fn set_center<S: Scalar>(
    ws: &mut Scratch<S>,
    origin: Vec3<S>,
    total: &DynamicParameters<S>,
) -> Vec3<S> {
    // A robot without mass has no centre of mass; its first joint stands for it until that is
    // reported.
    let massive = S::zero().less(total.mass);
    let divisor = S::select(massive, total.mass, S::one());
    let com = total.first_moment.mul_add(divisor.recip(), origin);
    ws.composite[0].mass = total.mass;
    ws.composite[0].first_moment = com * total.mass;
    com
}

/// Writes the centroidal momentum matrix: each composite body's momentum for a unit rate.
#[inline(always)]
pub(super) fn write_map<S: Scalar>(
    model: &Model,
    world: &[Se3<S>],
    composite: &[DynamicParameters<S>],
    column: &[Motion<S>],
    com: Vec3<S>,
    map: &mut [S],
) {
    map.fill(S::zero());
    for (i, link) in model.links.iter().enumerate().skip(1) {
        let placement = at_origin(&world[i], com);
        for k in 0..link.columns {
            let momentum = unit_momentum(link, &composite[i], &column[link.column + k]);
            add_column(map, link.idx_v + k, &placement.act_force(&momentum));
        }
    }
}

struct MapInMotion<'a, S: Scalar> {
    model: &'a Model,
    ws: &'a mut Scratch<S>,
    matrices: &'a mut Matrices<S>,
    q: &'a [S],
    v: &'a [S],
}

impl<S: Scalar> Kernel for MapInMotion<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) {
        let Self {
            model,
            ws,
            matrices,
            q,
            v,
        } = self;
        let (jacobian, jacobian_rate) = (&mut matrices.jacobian, &mut matrices.jacobian_rate);
        composites_in_motion(model, ws, q, v, jacobian, jacobian_rate);
        let total = ws.composite[0];
        let com_velocity = ws.force[0].linear * total.mass.recip();
        let map = matrices.wide.as_mut_slice();
        let map_rate = matrices.wide_rate.as_mut_slice();
        map.fill(S::zero());
        map_rate.fill(S::zero());
        for (i, link) in model.links.iter().enumerate().skip(1) {
            let (inertia, inertia_rate) = (&ws.composite[i], &ws.composite_rate[i]);
            for k in 0..link.columns {
                let column = &jacobian[link.column + k];
                let momentum = inertia.mul_motion(column);
                let force = inertia.mul_motion(&jacobian_rate[link.column + k])
                    + inertia_rate.mul_motion(column);
                let mut force = about_com(&force, &total);
                // The centre of mass, about which moments are taken, moves.
                force.angular = momentum.linear.cross_add(com_velocity, force.angular);
                add_column(map, link.idx_v + k, &about_com(&momentum, &total));
                add_column(map_rate, link.idx_v + k, &force);
            }
        }
    }
}

#[inline(always)]
pub(crate) fn add_column<S: Scalar>(map: &mut [S], k: usize, column: &Force<S>) {
    let entries = column.to_array();
    for r in 0..6 {
        map[6 * k + r] += entries[r];
    }
}

/// The centroidal momentum matrix and its time derivative.
#[derive(Clone, Copy, Debug)]
pub struct CentroidalMap<'w, S: Scalar> {
    /// A(q), 6 × nv: the momentum is A v.
    pub matrix: &'w DMatrix<S>,
    /// Ȧ(q, v), 6 × nv: the momentum's rate is A a + Ȧ v.
    pub rate: &'w DMatrix<S>,
}

impl Model {
    /// The centroidal momentum: the linear momentum in N·s, and the angular momentum about the
    /// centre of mass in N·m·s, along the world's axes.
    ///
    /// `q` has nq entries, `v` nv. Armature and rotor inertia are no part of it. Cost O(n). Source:
    /// Orin, Goswami and Lee 2013, section 3.
    ///
    /// # Errors
    /// [`Error::NoMass`], [`Error::Size`], [`Error::WorkspaceMismatch`], and [`Error::NotFinite`]
    /// or [`Error::ZeroRotation`] for inputs that have no finite result.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// // The centre of 2 kg is one metre from the hinge.
    /// let momentum = model.centroidal_momentum(&mut ws, &[0.0, 0.0], &[1.0_f64, 0.0])?;
    /// assert!((momentum.linear.norm() - 2.0).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn centroidal_momentum<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        v: &[S],
    ) -> Result<Force<S>, Error> {
        self.run_momentum(ws, q, v, None)
    }

    /// The time derivative of the centroidal momentum: the resultant of all forces on the robot
    /// from outside, weight included, and their moment about the centre of mass.
    ///
    /// `q` has nq entries, `v` and the accelerations `a` nv. Cost O(n).
    ///
    /// # Errors
    /// As [`centroidal_momentum`](Self::centroidal_momentum).
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// // At the lowest point at 1 rad/s, the centre of 2 kg accelerates upwards with 1 m/s².
    /// let (q, v, a) = ([0.0, 0.0], [1.0_f64, 0.0], [0.0, 0.0]);
    /// let rate = model.centroidal_momentum_rate(&mut ws, &q, &v, &a)?;
    /// assert!((rate.linear.z - 2.0).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn centroidal_momentum_rate<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        v: &[S],
        a: &[S],
    ) -> Result<Force<S>, Error> {
        self.check_tangent("a", a)?;
        self.run_momentum(ws, q, v, Some(a))
    }

    /// The centroidal momentum matrix A(q), 6 × nv: the [momentum](Self::centroidal_momentum) is A
    /// v.
    ///
    /// Its linear rows are the total mass times the Jacobian of the centre of mass. Cost O(n): one
    /// pass over composite bodies. Source: Orin, Goswami and Lee 2013; P. Wensing and D. Orin,
    /// *Improved computation of the humanoid centroidal dynamics*, 2016.
    ///
    /// # Errors
    /// As [`centroidal_momentum`](Self::centroidal_momentum), and [`Error::NoMatrices`].
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v) = ([0.3, 0.8], [1.0_f64, -2.0]);
    /// let momentum = model.centroidal_momentum(&mut ws, &q, &v)?;
    /// let map = model.centroidal_map(&mut ws, &q)?;
    /// assert!((map[(0, 0)] * v[0] + map[(0, 1)] * v[1] - momentum.linear.x).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn centroidal_map<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
    ) -> Result<&'w DMatrix<S>, Error> {
        let (scratch, matrices) = ws.parts(self)?;
        self.check_q(q)?;
        centroidal_map(self, scratch, matrices.wide.as_mut_slice(), q);
        check_mass(self, scratch)?;
        let is_finite = all_finite(matrices.wide.as_slice());
        self.check_finite(is_finite, MATRIX, q, &[])?;
        Ok(&matrices.wide)
    }

    /// The centroidal momentum matrix A(q) and its time derivative Ȧ(q, v), so that the momentum's
    /// rate is A a + Ȧ v.
    ///
    /// Ȧ is the derivative of the matrix, rates of motion subspaces included. Cost O(n).
    ///
    /// # Errors
    /// As [`centroidal_map`](Self::centroidal_map).
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v) = ([0.3, 0.8], [1.0_f64, -2.0]);
    /// let rate = model.centroidal_momentum_rate(&mut ws, &q, &v, &[0.0, 0.0])?;
    /// let map = model.centroidal_map_rate(&mut ws, &q, &v)?;
    /// assert!((map.rate[(2, 0)] * v[0] + map.rate[(2, 1)] * v[1] - rate.linear.z).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn centroidal_map_rate<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
    ) -> Result<CentroidalMap<'w, S>, Error> {
        let (ws, matrices) = ws.parts(self)?;
        self.check_state(q, v)?;
        dispatch(MapInMotion {
            model: self,
            ws,
            matrices,
            q,
            v,
        });
        check_mass(self, ws)?;
        let (matrix, rate) = (&matrices.wide, &matrices.wide_rate);
        let is_finite = all_finite(matrix.as_slice()) && all_finite(rate.as_slice());
        self.check_finite(is_finite, MATRIX, q, &[("v", v)])?;
        Ok(CentroidalMap { matrix, rate })
    }

    fn run_momentum<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        v: &[S],
        a: Option<&[S]>,
    ) -> Result<Force<S>, Error> {
        ws.check(self)?;
        self.check_state(q, v)?;
        let force = centroidal_momentum(self, &mut ws.scratch, q, v, a);
        check_mass(self, &ws.scratch)?;
        let tangents = [("v", v), ("a", a.unwrap_or(&[]))];
        self.check_finite(force.is_finite(), "the centroidal momentum", q, &tangents)?;
        Ok(force)
    }
}

/// Fails if the last pass found no mass at all.
#[inline(always)]
pub(crate) fn check_mass<S: Scalar>(model: &Model, ws: &Scratch<S>) -> Result<(), Error> {
    if S::all(S::zero().less(ws.composite[0].mass)) {
        Ok(())
    } else {
        Err(Error::NoMass {
            joint: model.joint(JointId::UNIVERSE).name.clone(),
        })
    }
}
