//! The end of a step.

use crate::integrator::variational::cayley::{momentum_at_begin, momentum_at_end};
use crate::integrator::variational::displacements::displacement_of;
use crate::integrator::variational::residual::along_coordinates;
use crate::maximal::Pose;
use crate::model::Model;
use crate::scalar::{InstructionSet, Kernel, Scalar, WideInstructions, wide, wide_mut};
use crate::spatial::{Force, Motion, Quaternion};
use crate::workspace::Scratch;

/// The momenta with which bodies come to the end of the step, and what is left of the residual.
pub(super) struct Finish<'a, S: Scalar> {
    pub model: &'a Model,
    pub ws: &'a mut Scratch<S>,
    pub xi: &'a [Motion<S>],
    /// One over the step, and for which time the loads pull.
    pub numbers: &'a [S; 2],
    pub load: &'a [Force<S>],
    /// The momenta with which bodies come; receives those with which they come to the end.
    pub momentum: &'a mut [Force<S>],
    /// What the coordinates themselves have too little; receives what they all together have too much.
    pub residual: &'a mut [S],
}

impl<S: Scalar> Kernel for Finish<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run_wide(self, proof: WideInstructions) {
        let numbers = wide(self.numbers, proof);
        Finish {
            model: self.model,
            ws: self.ws.wide(proof),
            xi: wide(self.xi, proof),
            numbers: &[numbers[0], numbers[1]],
            load: wide(self.load, proof),
            momentum: wide_mut(self.momentum, proof),
            residual: wide_mut(self.residual, proof),
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
            residual,
        } = self;
        for (i, link) in model.links.iter().enumerate().skip(1) {
            let parameters = ws.parameters_of(i, link);
            let leaving = momentum_at_begin(&parameters, &xi[i], rate);
            ws.force[i] = leaving - load[i].mul_add(time, &momentum[i]);
            momentum[i] = momentum_at_end(&parameters, &xi[i], rate);
        }
        along_coordinates(model, ws, residual);
    }
}

/// Brings the bodies to where their displacements lead.
pub(super) struct Displace<'a> {
    pub displacement: &'a [Motion<f64>],
    pub cosine: &'a [f64],
    /// How link frames are turned in joint frames.
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
