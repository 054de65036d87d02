//! Forces and inertias of single bodies: transmitted forces, and articulated-body inertias.

use super::DynamicsOptions;
use super::articulated::{begin, cross_inertia};
use crate::error::{Error, check_size};
use crate::kinematics::joint_pass::place_links;
use crate::model::{Class, Model};
use crate::scalar::{Scalar, kernel};
use crate::spatial::{ArticulatedInertia, Force, Se3};
use crate::workspace::{Scratch, Workspace};

impl Model {
    /// The forces fᵢ that joints transmit to their bodies when accelerations `a` go with the state
    /// (`q`, `v`): constraint and drive together, gravity and the external forces of `options`
    /// borne.
    ///
    /// Each is a six-vector in the joint's output frame, in N and N·m; the component along the
    /// joint is τ but for what reflected rotor inertias take. `forces` has one for each joint, the
    /// universe's first, which is zero. Passive forces make no difference. Cost O(n). Source:
    /// Featherstone 2008, equation 5.10.
    ///
    /// # Errors
    /// As [`rnea`](Self::rnea), and [`Error::Size`] unless `forces` has one for each joint.
    ///
    /// ```
    /// use featherline::dynamics::DynamicsOptions;
    /// use featherline::spatial::Force;
    /// use featherline::{Workspace, samples};
    ///
    /// // Hanging at rest, the shoulder carries both rods.
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (zero, options) = ([0.0; 2], DynamicsOptions::default());
    /// let mut forces = [Force::<f64>::zero(); 3];
    /// model.transmitted_forces(&mut ws, &zero, &zero, &zero, options, &mut forces)?;
    /// assert!((forces[1].linear.z - 2.0 * 9.81).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn transmitted_forces<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        v: &[S],
        a: &[S],
        options: DynamicsOptions<'_, S>,
        forces: &mut [Force<S>],
    ) -> Result<(), Error> {
        check_size("forces", self.links.len(), forces.len())?;
        self.with_joint_forces(ws, q, options, |ws, options| {
            self.rnea_with_forces(ws, q, v, a, options.external_forces)
                .map(drop)
        })?;
        forces[0] = Force::zero();
        for (i, link) in self.links.iter().enumerate().skip(1) {
            let own = ws.scratch.force[i];
            forces[i] = match link.class {
                Class::General => own,
                Class::Revolute | Class::Unbounded | Class::Prismatic => {
                    Se3::constant(&link.frame).act_force(&own)
                }
            };
        }
        Ok(())
    }

    /// The articulated-body inertias Iᵢᴬ at `q`: the inertia of each body as it is felt with the
    /// bodies that its joints carry, which move freely.
    ///
    /// Each is in the joint's output frame; reflected rotor inertias of the joints that it carries
    /// count. `inertias` has one for each joint, the universe's first, which is zero. Where a mimic
    /// joint and the mimicked joint are on different sides of a body, their coordinate is held.
    /// Cost O(n). Source: Featherstone 2008, equations 7.25 and 7.27.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], [`Error::NotFinite`] or
    /// [`Error::ZeroRotation`] for a `q` that is no configuration, and [`Error::SingularInertia`].
    ///
    /// ```
    /// use featherline::spatial::ArticulatedInertia;
    /// use featherline::{Workspace, samples};
    ///
    /// // Along the upper rod the lower one is carried; across it, it swings aside.
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let mut inertias = [ArticulatedInertia::<f64>::zero(); 3];
    /// model.articulated_inertias(&mut ws, &[0.0, 0.0], &mut inertias)?;
    /// let felt = inertias[1].to_matrix();
    /// assert!((felt[2][2] - 2.0).abs() < 1e-12 && felt[0][0] < 1.3);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn articulated_inertias<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        inertias: &mut [ArticulatedInertia<S>],
    ) -> Result<(), Error> {
        check_size("inertias", self.links.len(), inertias.len())?;
        // Fails where q is no configuration.
        self.forward_kinematics(ws, q)?;
        gather_inertias(self, &mut ws.scratch, q, inertias);
        self.check_pivots(ws, super::singular::ArticulatedElimination::default())
    }
}

kernel!(
    /// Writes the articulated inertia of each link, in its joint's frame, from tips to root.
    fn gather_inertias<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        q: &[S],
        inertias: &mut [ArticulatedInertia<S>],
    ) {
        place_links(model, q, &mut ws.placement, &mut ws.subspaces.column);
        begin(model, ws);
        inertias[0] = ArticulatedInertia::zero();
        for (i, link) in model.links.iter().enumerate().skip(1).rev() {
            let own = ws.articulated[i];
            inertias[i] = match link.class {
                Class::General => own,
                Class::Revolute | Class::Unbounded | Class::Prismatic => {
                    own.transformed_by(&Se3::constant(&link.frame))
                }
            };
            cross_inertia(model, i, link, None, ws);
        }
    }
);
