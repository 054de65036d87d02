//! The end of a step: momenta and velocities once the iteration has converged.

use crate::integrator::variational::cayley::{momentum_at_begin, momentum_at_end};
use crate::integrator::variational::displacements::displacement_of;
use crate::integrator::variational::node::solve_impulses;
use crate::maximal::Pose;
use featherline::kernel::Scratch;
use featherline::kernel::links;
use featherline::kernel::{Form, Kernel, seen_as, seen_mut_as};
use featherline::model::Model;
use featherline::scalar::{InstructionSet, Scalar};
use featherline::spatial::{Force, Motion, Quaternion, Vec3};

/// The momenta with which bodies come to the end of the step: what they lack where it begins, which
/// is found here, stays with each of them where it is in space. Leaves the velocities of
/// coordinates that are lacking in `ws.vector`.
pub(super) struct Finish<'a, S: Scalar> {
    pub model: &'a Model,
    pub ws: &'a mut Scratch<S>,
    pub xi: &'a [Motion<S>],
    /// One over the step, and for which time the loads pull.
    pub numbers: &'a [S; 2],
    pub load: &'a [Force<S>],
    /// The momenta with which bodies come; receives those with which they come to the end.
    pub momentum: &'a mut [Force<S>],
    pub displacement: &'a [Motion<S>],
    pub cosine: &'a [S],
    /// What the coordinates themselves have too little.
    pub on_coordinates: &'a [S],
    /// Receives the lack of the linear momentum, along the world's axes.
    pub lack: &'a mut [S],
}

impl<S: Scalar> Kernel for Finish<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run_as<F: Form>(self, form: F) {
        let numbers = seen_as(self.numbers, form);
        Finish {
            model: self.model,
            ws: self.ws.seen_as(form),
            xi: seen_as(self.xi, form),
            numbers: &[numbers[0], numbers[1]],
            load: seen_as(self.load, form),
            momentum: seen_mut_as(self.momentum, form),
            displacement: seen_as(self.displacement, form),
            cosine: seen_as(self.cosine, form),
            on_coordinates: seen_as(self.on_coordinates, form),
            lack: seen_mut_as(self.lack, form),
        }
        .run();
    }

    #[inline(always)]
    fn run(self) {
        let Self {
            model,
            ws,
            xi,
            numbers: &[rate, time],
            load,
            momentum,
            displacement,
            cosine,
            on_coordinates,
            lack: total_lack,
        } = self;
        for (i, link) in links(model).iter().enumerate().skip(1) {
            let parameters = ws.parameters_of(i, link);
            let leaving = momentum_at_begin(&parameters, &xi[i], rate);
            ws.force[i] = leaving - load[i].mul_add(time, &momentum[i]);
            momentum[i] = momentum_at_end(&parameters, &xi[i], rate);
        }
        ws.bias_acceleration.fill(Motion::zero());
        solve_impulses(model, on_coordinates, ws);
        let mut total = Vec3::zero();
        for (i, link) in links(model).iter().enumerate().skip(1) {
            let lack = (ws.parameters_of(i, link)).mul_motion(&ws.acceleration[i]);
            total += ws.world[i].rotation.mul_vec(lack.linear);
            let moved = displacement_of(i, displacement, cosine);
            momentum[i] += moved.placement().inverse_act_force(&lack);
        }
        total_lack.copy_from_slice(&total.to_array());
    }
}

/// Brings the bodies to where their displacements lead.
pub(super) struct Displace<'a> {
    pub displacement: &'a [Motion<f64>],
    pub cosine: &'a [f64],
    /// The rotations of link frames in joint frames.
    pub turns: &'a [Quaternion<f64>],
    /// The poses of link frames, which are displaced, and those of joint frames, which follow.
    pub poses: &'a mut [Pose],
    pub bodies: &'a mut [Pose],
}

impl Kernel for Displace<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for i in 1..self.poses.len() {
            let moved = displacement_of(i, self.displacement, self.cosine);
            let pose = moved.displace(&self.poses[i]);
            self.poses[i] = pose;
            self.bodies[i] = Pose {
                position: pose.position,
                orientation: pose.orientation * self.turns[i].conjugate(),
            };
        }
    }
}
