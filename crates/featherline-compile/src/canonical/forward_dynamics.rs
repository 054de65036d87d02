//! Forward dynamics in canonical frames with base parameters: by the mass matrix, or by articulated
//! bodies.
//!
//! **By the mass matrix**: q̈ = M⁻¹ (τ − C), M factorised along branches. Cheaper for short
//! branches, O(nd²).
//!
//! **By articulated bodies** (Featherstone 2008, table 7.1), O(n), with three savings.
//! Accelerations are counted from those that all bodies would have with q̈ = 0, so that neither
//! velocities of origins nor bias accelerations appear: what is left of gravity and velocities are
//! the forces that inverse dynamics gives, and the acceleration of the base is zero. The projected
//! inertia of a revolute joint without armature lacks the row and column of the moment about z, of
//! a prismatic one those of the force along z, which makes its transformation cheaper.
//! Transformations are by screws (McMillan and Orin 1995).

use super::CanonicalModel;
use super::elementary::Mobility;
use super::kinematics::{Pose, into, poses, to_parent, up_in_free_body};
use super::transformation::{Articulated, PLACE, Wrench, constants, cross, sum};
use featherline::Error;
use featherline::dynamics::ltdl::factorize_ltdl;
use featherline::scalar::Scalar;

/// The quantities that the elimination of one joint leaves for the way back.
struct Eliminated<S> {
    /// Projected on the joint's axis and divided by the joint's inertia, U/D, without the component
    /// along the axis.
    force: [S; 3],
    moment: [S; 3],
    /// u/D, the acceleration of the joint if its parent had none.
    alone: S,
    /// Inertia of the joint that counts with its own acceleration only, divided by D.
    own: S,
}

/// An acceleration of the origin and an angular one, beyond those with q̈ = 0.
#[derive(Clone, Copy)]
struct Excess<S> {
    linear: [S; 3],
    angular: [S; 3],
}

impl CanonicalModel {
    /// The accelerations that joint forces cause, by the mass matrix: `q` has nq entries, the
    /// others and the result nv.
    ///
    /// # Errors
    /// [`Error::Size`] unless the slices have these lengths, [`Error::NotFinite`] where there is no
    /// finite result.
    pub fn forward_dynamics_by_mass_matrix<S: Scalar>(
        &self,
        q: &[S],
        v: &[S],
        tau: &[S],
    ) -> Result<Vec<S>, Error> {
        let poses = poses(&self.bodies, q);
        let moving = self.motions(&poses, q, v, None, true);
        let bias = self.joint_forces(&poses, &moving);
        let matrix = self.mass_matrix_at(&poses);
        let mut packed = self.elimination_tree.pack(&matrix)?;
        let factor = factorize_ltdl(&self.elimination_tree, &mut packed)?;
        let mut result: Vec<S> = tau.iter().zip(&bias).map(|(t, c)| *t - *c).collect();
        factor.solve(&mut result)?;
        Ok(result)
    }

    /// Whether articulated bodies serve: no coordinate drives several joints, no free-flyer has
    /// armature.
    fn has_articulated_form(&self) -> bool {
        let mut driven = vec![false; self.nv];
        self.bodies.iter().all(|body| match &body.mobility {
            Mobility::None => true,
            Mobility::Free { v, .. } => self.reflected_inertia[*v..v + 6].iter().all(|j| *j == 0.0),
            Mobility::Revolute(c, _) | Mobility::Prismatic(c, _) => {
                !std::mem::replace(&mut driven[c.rate], true) && c.ratio == 1.0
            }
        })
    }

    /// The accelerations that joint forces cause, by articulated bodies; nothing where a coordinate
    /// drives several joints, or a free-flyer has armature. `q` has nq entries, the others and the
    /// result nv.
    ///
    /// # Panics
    /// If a slice is shorter than that.
    pub fn forward_dynamics_by_articulated_bodies<S: Scalar>(
        &self,
        q: &[S],
        v: &[S],
        tau: &[S],
    ) -> Option<Vec<S>> {
        if !self.has_articulated_form() {
            return None;
        }
        let n = self.bodies.len();
        let poses = poses(&self.bodies, q);
        let moving = self.motions(&poses, q, v, None, false);
        let mut inertia: Vec<Articulated<S>> = (0..n).map(|i| self.rigid(i)).collect();
        let mut bias: Vec<Wrench<S>> = Vec::with_capacity(n);
        for (body, moving) in self.bodies.iter().zip(&moving) {
            bias.push(moving.wrench(body));
        }
        let mut excess = vec![
            Excess {
                linear: [S::zero(); 3],
                angular: [S::zero(); 3],
            };
            n
        ];
        let mut result = vec![S::zero(); self.nv];
        let mut eliminated = Vec::with_capacity(n);
        for i in (1..n).rev() {
            let body = &self.bodies[i];
            let (k, is_revolute) = match &body.mobility {
                Mobility::Revolute(c, _) => (c.rate, true),
                Mobility::Prismatic(c, _) => (c.rate, false),
                Mobility::None | Mobility::Free { .. } => continue,
            };
            let own = self.reflected_inertia[k];
            let (step, left, pushed) = eliminate(&inertia[i], &bias[i], tau[k], own, is_revolute);
            eliminated.push((i, k, is_revolute, step));
            if body.parent != 0 {
                let carried = to_parent(&body.edge, &poses[i], &left);
                inertia[body.parent] = inertia[body.parent].plus(&carried);
                let carried = to_parent(&body.edge, &poses[i], &pushed);
                bias[body.parent] = bias[body.parent].plus(&carried);
            }
        }
        for (i, body) in self.bodies.iter().enumerate() {
            if let Mobility::Free { q: at, v: rate } = body.mobility {
                let forces = std::array::from_fn(|k| tau[rate + k]);
                let solution = accelerate_free(&inertia[i], &bias[i], forces);
                let [x, y, z, a, b, c] = solution;
                excess[i] = Excess {
                    linear: [x, y, z],
                    angular: [a, b, c],
                };
                let carried = cross(moving[i].turning, [v[rate], v[rate + 1], v[rate + 2]]);
                let up = up_in_free_body(body.edge.base_acceleration, &q[at + 3..]);
                for k in 0..3 {
                    result[rate + k] = solution[k] - carried[k] - up[k];
                    result[rate + 3 + k] = solution[3 + k];
                }
            }
        }
        for (i, k, is_revolute, step) in eliminated.into_iter().rev() {
            let body = &self.bodies[i];
            let before = self.carried_excess(i, &poses[i], &excess[body.parent]);
            let (here, acceleration) = step.accelerate(&before, is_revolute);
            result[k] = acceleration;
            excess[i] = here;
        }
        Some(result)
    }

    /// A rigid body's inertia.
    fn rigid<S: Scalar>(&self, i: usize) -> Articulated<S> {
        let parameters = &self.bodies[i].parameters;
        let (m, [x, y, z]) = (parameters.mass, parameters.first);
        let [xx, xy, xz, yy, yz, zz] = parameters.second;
        Articulated {
            linear: constants([m, 0.0, 0.0, m, 0.0, m]),
            // α × h = −h× α.
            coupling: [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]].map(constants),
            angular: constants([yy + zz, -xy, -xz, xx + zz, -yz, xx + yy]),
        }
    }

    /// The parent's excess of acceleration, in the frame of body i.
    fn carried_excess<S: Scalar>(&self, i: usize, pose: &Pose<S>, parent: &Excess<S>) -> Excess<S> {
        let edge = &self.bodies[i].edge;
        let linear = sum(parent.linear, cross(parent.angular, constants(edge.p)));
        let angular = into(edge, pose, parent.angular);
        let linear = into(edge, pose, linear);
        let way = [S::zero(), S::zero(), pose.along];
        Excess {
            linear: sum(linear, cross(angular, way)),
            angular,
        }
    }
}

/// Eliminates a joint: what is needed to find its acceleration later, and the inertia and bias that
/// are left for the parent.
///
/// `own` is inertia that counts with the joint's own acceleration only: with U = Y S and D = Sᵀ U +
/// `own`, the parent feels Y − U Uᵀ/D, of which the rows of S are U · `own`/D, and nothing without
/// armature.
fn eliminate<S: Scalar>(
    inertia: &Articulated<S>,
    bias: &Wrench<S>,
    tau: S,
    own: f64,
    is_revolute: bool,
) -> (Eliminated<S>, Articulated<S>, Wrench<S>) {
    let row = |m: &[S; 6], i: usize| [m[PLACE[i][0]], m[PLACE[i][1]], m[PLACE[i][2]]];
    let column = |k: usize| inertia.coupling.map(|row| row[k]);
    let (force, moment) = if is_revolute {
        (column(2), row(&inertia.angular, 2))
    } else {
        (row(&inertia.linear, 2), inertia.coupling[2])
    };
    let (axial, axial_bias) = if is_revolute {
        (moment[2], bias.moment[2])
    } else {
        (force[2], bias.force[2])
    };
    let own = S::constant(own);
    let inverse = (axial + own).recip();
    let alone = (tau - axial_bias) * inverse;
    let mut step = Eliminated {
        force: force.map(|x| x * inverse),
        moment: moment.map(|x| x * inverse),
        alone,
        own: own * inverse,
    };
    let mut left = *inertia;
    for i in 0..3 {
        for j in i..3 {
            left.linear[PLACE[i][j]] -= force[i] * step.force[j];
            left.angular[PLACE[i][j]] -= moment[i] * step.moment[j];
        }
        for j in 0..3 {
            left.coupling[i][j] -= force[i] * step.moment[j];
        }
    }
    let mut pushed = Wrench {
        force: std::array::from_fn(|k| bias.force[k] + force[k] * alone),
        moment: std::array::from_fn(|k| bias.moment[k] + moment[k] * alone),
    };
    // The exact result of the difference.
    for k in 0..3 {
        if is_revolute {
            left.coupling[k][2] = force[k] * step.own;
            left.angular[PLACE[2][k]] = moment[k] * step.own;
        } else {
            left.linear[PLACE[2][k]] = force[k] * step.own;
            left.coupling[2][k] = moment[k] * step.own;
        }
    }
    // The parent feels the joint force, but for what accelerates the joint's own inertia.
    if is_revolute {
        pushed.moment[2] = tau - own * alone;
        step.moment[2] = S::one() - step.own;
    } else {
        pushed.force[2] = tau - own * alone;
        step.force[2] = S::one() - step.own;
    }
    (step, left, pushed)
}

impl<S: Scalar> Eliminated<S> {
    /// The body's excess of acceleration and the joint's acceleration, from the parent's.
    fn accelerate(&self, before: &Excess<S>, is_revolute: bool) -> (Excess<S>, S) {
        let mut here = *before;
        let across = |u: &[S; 3], a: &[S; 3], upto: usize| {
            (0..upto).fold(S::zero(), |sum, k| sum + u[k] * a[k])
        };
        if is_revolute {
            let rest = self.alone
                - (across(&self.force, &before.linear, 3)
                    + across(&self.moment, &before.angular, 2));
            // q̈ = rest − (1 − own/D) α_z, so that the sum with α_z takes no product without
            // armature.
            here.angular[2] = rest + self.own * before.angular[2];
            (here, here.angular[2] - before.angular[2])
        } else {
            let rest = self.alone
                - (across(&self.force, &before.linear, 2)
                    + across(&self.moment, &before.angular, 3));
            here.linear[2] = rest + self.own * before.linear[2];
            (here, here.linear[2] - before.linear[2])
        }
    }
}

/// Solves Y a = τ − bias for a free body, by LᵀDL.
fn accelerate_free<S: Scalar>(inertia: &Articulated<S>, bias: &Wrench<S>, tau: [S; 6]) -> [S; 6] {
    let entry = |i: usize, j: usize| match (i / 3, j / 3) {
        (0, 0) => inertia.linear[PLACE[i][j]],
        (1, 1) => inertia.angular[PLACE[i - 3][j - 3]],
        (0, _) => inertia.coupling[i][j - 3],
        _ => inertia.coupling[j][i - 3],
    };
    let mut m: [[S; 6]; 6] = std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)));
    let mut x: [S; 6] = std::array::from_fn(|k| {
        tau[k]
            - if k < 3 {
                bias.force[k]
            } else {
                bias.moment[k - 3]
            }
    });
    let mut inverse = [S::zero(); 6];
    for k in (0..6).rev() {
        inverse[k] = m[k][k].recip();
        let scaled = m[k].map(|x| x * inverse[k]);
        for i in 0..k {
            for j in 0..=i {
                let update = scaled[i] * m[k][j];
                m[i][j] -= update;
            }
            let update = scaled[i] * x[k];
            x[i] -= update;
        }
        m[k] = scaled;
    }
    for k in 0..6 {
        let mut value = x[k] * inverse[k];
        for i in 0..k {
            value -= m[k][i] * x[i];
        }
        x[k] = value;
    }
    x
}
