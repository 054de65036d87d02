//! Results of forward kinematics: views that compute what is read from them.

use super::reference_frame::{ReferenceFrame, at_origin};
use super::target::Target;
use crate::model::{Model, require};
use crate::scalar::{Form, InForm, Scalar, kernel};
use crate::spatial::{Motion, Se3};
use crate::workspace::Scratch;
use std::ops::Deref;

/// Where joints and frames are: the result of [`Model::forward_kinematics`].
///
/// A view borrows the workspace, so that it cannot outlive the state that it shows. Of its methods,
/// those that return no `Result` panic where the model has no such joint or frame, because the id
/// belongs to a larger one.
///
/// ```
/// use featherline::{Workspace, samples};
///
/// let model = samples::double_pendulum();
/// let mut ws = Workspace::new(&model);
/// let positions = model.forward_kinematics(&mut ws, &[0.0, 0.0])?;
/// for frame in model.frame_ids() {
///     println!("{}: {:?}", model.frame(frame).name, positions.placement(frame).translation);
/// }
/// assert_eq!(positions.center_of_mass()?.z, -1.0);
/// # Ok::<(), featherline::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Positions<'w, S: Scalar> {
    pub(crate) model: &'w Model,
    pub(crate) ws: &'w Scratch<S>,
}

/// How fast joints and frames move: the result of [`Model::forward_kinematics_velocities`]. It
/// shows [positions](Positions), too.
///
/// ```
/// use featherline::kinematics::ReferenceFrame;
/// use featherline::{Workspace, samples};
///
/// let model = samples::double_pendulum();
/// let mut ws = Workspace::new(&model);
/// let velocities = model.forward_kinematics_velocities(&mut ws, &[0.0, 0.0], &[1.0, 0.0])?;
/// let lower = model.frame_id("lower_rod")?;
/// assert_eq!(velocities.placement(lower).translation.z, -1.0);
/// assert_eq!(velocities.velocity(lower, ReferenceFrame::Local).linear.x, -1.0);
/// # Ok::<(), featherline::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Velocities<'w, S: Scalar> {
    positions: Positions<'w, S>,
}

/// How joints and frames accelerate: the result of [`Model::forward_kinematics_accelerations`]. It
/// shows [velocities](Velocities) and [positions](Positions), too.
///
/// ```
/// use featherline::kinematics::ReferenceFrame;
/// use featherline::{Workspace, samples};
///
/// let model = samples::double_pendulum();
/// let mut ws = Workspace::new(&model);
/// let (q, v, a) = ([0.0, 0.0], [0.0, 0.0], [1.0, 0.0]);
/// let accelerations = model.forward_kinematics_accelerations(&mut ws, &q, &v, &a)?;
/// let lower = model.frame_id("lower_rod")?;
/// assert_eq!(accelerations.acceleration(lower, ReferenceFrame::Local).linear.x, -1.0);
/// assert_eq!(accelerations.center_of_mass_acceleration()?.x, -1.0);
/// # Ok::<(), featherline::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Accelerations<'w, S: Scalar> {
    velocities: Velocities<'w, S>,
}

impl<'w, S: Scalar> InForm for Positions<'w, S> {
    type As<F: Form> = Positions<'w, F::Of<S>>;

    #[inline(always)]
    fn in_form<F: Form>(self, form: F) -> Self::As<F> {
        Positions {
            model: self.model,
            ws: self.ws.read_as(form),
        }
    }
}

/// A view that shows positions, too.
macro_rules! shows_positions {
    ($view:ident) => {
        impl<'w, S: Scalar> $view<'w, S> {
            #[inline(always)]
            pub(crate) fn of(model: &'w Model, ws: &'w Scratch<S>) -> Self {
                let positions = Positions::of(model, ws);
                Self { positions }
            }
        }

        impl<'w, S: Scalar> InForm for $view<'w, S> {
            type As<F: Form> = $view<'w, F::Of<S>>;

            #[inline(always)]
            fn in_form<F: Form>(self, form: F) -> Self::As<F> {
                let positions = self.positions.in_form(form);
                $view { positions }
            }
        }

        impl<'w, S: Scalar> Deref for $view<'w, S> {
            type Target = Positions<'w, S>;

            #[inline(always)]
            fn deref(&self) -> &Self::Target {
                &self.positions
            }
        }
    };
}

pub(super) use shows_positions;

shows_positions!(Velocities);

impl<'w, S: Scalar> Deref for Accelerations<'w, S> {
    type Target = Velocities<'w, S>;

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.velocities
    }
}

kernel!(
    fn place<S: Scalar>(view: Positions<'_, S>, #[plain] target: Target) -> Se3<S> {
        let Positions { model, ws } = view;
        let (i, in_link) = target.in_link(model);
        ws.world[i].compose(&in_link)
    }
);

/// A quantity of a target's motion: its velocity or one of its accelerations.
#[derive(Clone, Copy)]
enum LinkQuantity {
    Velocity,
    Acceleration,
    ClassicalAcceleration,
    BiasAcceleration,
    ClassicalBiasAcceleration,
}

kernel!(
    fn moved<S: Scalar>(
        view: Positions<'_, S>,
        #[plain] target: Target,
        #[plain] reference: ReferenceFrame,
        #[plain] quantity: LinkQuantity,
    ) -> Motion<S> {
        let Positions { model, ws } = view;
        let (i, in_link) = target.in_link(model);
        let (world, reference) = (&ws.world[i], reference);
        let velocity = reference.express(&ws.velocity[i], world, &in_link);
        let acceleration = match quantity {
            LinkQuantity::Velocity => return velocity,
            LinkQuantity::Acceleration | LinkQuantity::ClassicalAcceleration => ws.acceleration[i],
            LinkQuantity::BiasAcceleration | LinkQuantity::ClassicalBiasAcceleration => {
                bias_acceleration(model, ws, i)
            }
        };
        let mut acceleration = reference.express(&acceleration, world, &in_link);
        if let LinkQuantity::ClassicalAcceleration | LinkQuantity::ClassicalBiasAcceleration =
            quantity
        {
            acceleration.linear = velocity
                .angular
                .cross_add(velocity.linear, acceleration.linear);
        }
        acceleration
    }
);

/// A link's acceleration while no joint accelerates: Ṡ q̇ + ν × S q̇ summed along its path.
#[inline(always)]
fn bias_acceleration<S: Scalar>(model: &Model, ws: &Scratch<S>, i: usize) -> Motion<S> {
    // Summed in the world's axes at the link's origin: far from the world's origin nothing is lost
    // to cancellation.
    let world = &ws.world[i];
    let mut sum = Motion::zero();
    let mut here = at_origin(world, world.translation);
    let mut velocity = here.act_motion(&ws.velocity[i]);
    let mut j = i;
    while j != 0 {
        let link = &model.links[j];
        if link.is_varying {
            sum += here.act_motion(&ws.subspaces.bias[j]);
        }
        let there = at_origin(&ws.world[link.parent], world.translation);
        let above = there.act_motion(&ws.velocity[link.parent]);
        // ν × S q̇ = ν × (ν − ν_λ) = ν_λ × ν.
        sum += above.cross(&velocity);
        (j, here, velocity) = (link.parent, there, above);
    }
    Motion::new(
        world.rotation.tr_mul_vec(sum.linear),
        world.rotation.tr_mul_vec(sum.angular),
    )
}

impl<'w, S: Scalar> Positions<'w, S> {
    #[inline(always)]
    pub(crate) fn of(model: &'w Model, ws: &'w Scratch<S>) -> Self {
        Self { model, ws }
    }

    /// The placement of a joint's output frame, or of a frame, in the world. Cost O(1).
    ///
    /// # Panics
    /// If the model has no such joint or frame.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let positions = model.forward_kinematics(&mut ws, &[0.0, 0.0])?;
    /// let lower = positions.placement(model.frame_id("lower_rod")?);
    /// assert_eq!(lower.translation.to_array(), [0.0, 0.0, -1.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    #[track_caller]
    pub fn placement(&self, target: impl Into<Target>) -> Se3<S> {
        let target = target.into();
        require(target.check(self.model));
        place(*self, target)
    }

    #[inline(always)]
    #[track_caller]
    fn motion(
        &self,
        target: Target,
        reference: ReferenceFrame,
        quantity: LinkQuantity,
    ) -> Motion<S> {
        require(target.check(self.model));
        moved(*self, target, reference, quantity)
    }
}

impl<'w, S: Scalar> Velocities<'w, S> {
    /// The spatial velocity of a joint's output frame, or of a frame, relative to the world, in m/s
    /// and rad/s. Cost O(1).
    ///
    /// # Panics
    /// If the model has no such joint or frame.
    ///
    /// ```
    /// use featherline::kinematics::ReferenceFrame;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let velocities = model.forward_kinematics_velocities(&mut ws, &[0.0, 0.0], &[1.0, 0.0])?;
    /// let lower = model.frame_id("lower_rod")?;
    /// // The rod's own end moves; its point at the world's origin, the hinge, does not.
    /// let aligned = velocities.velocity(lower, ReferenceFrame::LocalWorldAligned);
    /// let world = velocities.velocity(lower, ReferenceFrame::World);
    /// assert_eq!((aligned.linear.x, world.linear.x), (-1.0, 0.0));
    /// # Ok::<(), featherline::Error>(())
    /// ```
    #[track_caller]
    pub fn velocity(&self, target: impl Into<Target>, reference: ReferenceFrame) -> Motion<S> {
        self.motion(target.into(), reference, LinkQuantity::Velocity)
    }

    /// The spatial acceleration that a frame has while all q̈ are zero, in m/s² and rad/s². Cost
    /// O(d), d the depth.
    ///
    /// In `World` and `Local` this is J̇ v, the product of the [rate of the
    /// Jacobian](Self::jacobian_rate_into) with v, without forming J̇. In `LocalWorldAligned`
    /// J̇ v is the [classical bias acceleration](Self::classical_bias_acceleration).
    ///
    /// # Panics
    /// If the model has no such joint or frame.
    ///
    /// ```
    /// use featherline::kinematics::ReferenceFrame;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let kinematics = model.forward_kinematics_velocities(&mut ws, &[0.0, 0.0], &[2.0, 0.0])?;
    /// let elbow = model.frame_id("elbow")?;
    /// // The elbow moves on a circle, but the field of velocities is steady.
    /// let bias = kinematics.bias_acceleration(elbow, ReferenceFrame::Local);
    /// assert_eq!(bias.linear.to_array(), [0.0; 3]);
    /// let bias = kinematics.classical_bias_acceleration(elbow, ReferenceFrame::Local);
    /// assert_eq!(bias.linear.to_array(), [0.0, 0.0, 4.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    #[track_caller]
    pub fn bias_acceleration(
        &self,
        target: impl Into<Target>,
        reference: ReferenceFrame,
    ) -> Motion<S> {
        self.motion(target.into(), reference, LinkQuantity::BiasAcceleration)
    }

    /// The classical acceleration that a frame has while all q̈ are zero, in m/s² and rad/s²: what
    /// a controller subtracts from the acceleration that it wants of a foot or a hand. Cost O(d), d
    /// the depth.
    ///
    /// In `LocalWorldAligned` this is J̇ v, without forming J̇.
    ///
    /// # Panics
    /// If the model has no such joint or frame.
    ///
    /// ```
    /// use featherline::kinematics::ReferenceFrame;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let kinematics = model.forward_kinematics_velocities(&mut ws, &[0.0, 0.0], &[2.0, 0.0])?;
    /// let elbow = model.frame_id("elbow")?;
    /// let reference = ReferenceFrame::LocalWorldAligned;
    /// let bias = kinematics.classical_bias_acceleration(elbow, reference);
    /// assert_eq!(bias.linear.z, 4.0);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    #[track_caller]
    pub fn classical_bias_acceleration(
        &self,
        target: impl Into<Target>,
        reference: ReferenceFrame,
    ) -> Motion<S> {
        self.motion(
            target.into(),
            reference,
            LinkQuantity::ClassicalBiasAcceleration,
        )
    }
}

impl<'w, S: Scalar> Accelerations<'w, S> {
    #[inline(always)]
    pub(crate) fn of(model: &'w Model, ws: &'w Scratch<S>) -> Self {
        Self {
            velocities: Velocities::of(model, ws),
        }
    }

    /// The spatial acceleration of a joint's output frame, or of a frame, relative to the world, in
    /// m/s² and rad/s². Cost O(1).
    ///
    /// The linear part of a *spatial* acceleration is not that of a point: it is the change of the
    /// velocity seen at a fixed place through which the body's points stream (Featherstone 2008,
    /// section 2.11). For that of a point see
    /// [`classical_acceleration`](Self::classical_acceleration).
    ///
    /// # Panics
    /// If the model has no such joint or frame.
    ///
    /// ```
    /// use featherline::kinematics::ReferenceFrame;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v, a) = ([0.0, 0.0], [2.0, 0.0], [0.0, 0.0]);
    /// let kinematics = model.forward_kinematics_accelerations(&mut ws, &q, &v, &a)?;
    /// let elbow = model.frame_id("elbow")?;
    /// // The elbow's point is pulled round its circle, but the field of velocities stands still.
    /// assert_eq!(kinematics.acceleration(elbow, ReferenceFrame::Local).linear.z, 0.0);
    /// assert_eq!(kinematics.classical_acceleration(elbow, ReferenceFrame::Local).linear.z, 4.0);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    #[track_caller]
    pub fn acceleration(&self, target: impl Into<Target>, reference: ReferenceFrame) -> Motion<S> {
        self.motion(target.into(), reference, LinkQuantity::Acceleration)
    }

    /// The classical acceleration of a frame, in m/s² and rad/s²: the linear part is the
    /// acceleration of the point of the body to which the reference's linear part belongs. It is
    /// the spatial acceleration with ω × v added to its linear part (Featherstone 2008, section
    /// 2.11). Cost O(1).
    ///
    /// In `LocalWorldAligned` the linear part is the second time derivative of the frame's position
    /// in the world; in `Local` the same in the frame's axes, which an accelerometer there measures
    /// but for gravity.
    ///
    /// # Panics
    /// If the model has no such joint or frame.
    ///
    /// ```
    /// use featherline::kinematics::ReferenceFrame;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v, a) = ([0.0, 0.0], [2.0, 0.0], [1.0, 0.0]);
    /// let kinematics = model.forward_kinematics_accelerations(&mut ws, &q, &v, &a)?;
    /// let elbow = model.frame_id("elbow")?;
    /// let reference = ReferenceFrame::LocalWorldAligned;
    /// let acceleration = kinematics.classical_acceleration(elbow, reference);
    /// assert_eq!(acceleration.linear.to_array(), [-1.0, 0.0, 4.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    #[track_caller]
    pub fn classical_acceleration(
        &self,
        target: impl Into<Target>,
        reference: ReferenceFrame,
    ) -> Motion<S> {
        self.motion(
            target.into(),
            reference,
            LinkQuantity::ClassicalAcceleration,
        )
    }
}
