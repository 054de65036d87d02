//! One iteration, and what it leads to.

use crate::integrator::variational::cayley::{Displacement, momentum_at_begin, momentum_at_end};
use crate::integrator::variational::displacements::{Moving, displacement_of};
use crate::integrator::variational::node::solve_impulses;
use crate::kinematics::joint_pass::add_components;
use crate::model::Model;
use crate::scalar::{InstructionSet, Kernel, Scalar, WideInstructions, wide, wide_mut};
use crate::spatial::{Force, Motion};
use crate::workspace::Scratch;

/// How a step stands: displacements of joints and bodies, and the momenta and loads that these must answer.
pub(super) struct Balance<'a, S: Scalar> {
    /// With the displacements of the bodies as they are, whatever the joints say.
    pub moving: Moving<'a, S>,
    pub ws: &'a mut Scratch<S>,
    /// Cayley's coordinates of the bodies' displacements.
    pub xi: &'a mut [Motion<S>],
    /// One over the step.
    pub rate: S,
    /// The momenta with which bodies come, and what pulls at them for which time.
    pub momentum: &'a [Force<S>],
    pub load: &'a [Force<S>],
    pub time: S,
}

impl<'a, S: Scalar> Balance<'a, S> {
    /// The wide form; `numbers` are the rate and the time.
    #[inline(always)]
    fn wide(self, numbers: &[S; 2], proof: WideInstructions) -> Balance<'a, S::Wide> {
        let numbers = wide(numbers, proof);
        Balance {
            moving: self.moving.wide(proof),
            ws: self.ws.wide(proof),
            xi: wide_mut(self.xi, proof),
            rate: numbers[0],
            momentum: wide(self.momentum, proof),
            load: wide(self.load, proof),
            time: numbers[1],
        }
    }

    #[inline(always)]
    fn numbers(&self) -> [S; 2] {
        [self.rate, self.time]
    }
}

/// Displaces the bodies as the joints are displaced.
pub(super) struct Guess<'a, S: Scalar> {
    pub balance: Balance<'a, S>,
}

impl<S: Scalar> Kernel for Guess<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run_wide(self, proof: WideInstructions) {
        let numbers = self.balance.numbers();
        let balance = self.balance.wide(&numbers, proof);
        Guess { balance }.run();
    }

    #[inline(always)]
    fn run(self) {
        let Balance {
            mut moving, ws, xi, ..
        } = self.balance;
        let model = moving.model;
        for (i, link) in model.links.iter().enumerate().skip(1) {
            let column = &ws.subspaces.column;
            xi[i] = moving
                .displace_link(i, link, &ws.placement[i], column)
                .cayley();
        }
    }
}

/// Corrects the displacements of bodies; leaves velocities that correct those of joints in `ws.vector`.
pub(super) struct Correct<'a, S: Scalar> {
    pub balance: Balance<'a, S>,
    /// By how much the bodies had left their joints when the step began.
    pub open: &'a [Motion<S>],
    /// What the coordinates themselves have too little.
    pub on_coordinates: &'a [S],
    /// Receives twice the kinetic energy of the correction and of the motion that it corrects, those of drives apart; and the
    /// square of the largest gap that it closes.
    pub sizes: &'a mut [S],
}

impl<S: Scalar> Kernel for Correct<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run_wide(self, proof: WideInstructions) {
        let numbers = self.balance.numbers();
        Correct {
            balance: self.balance.wide(&numbers, proof),
            open: wide(self.open, proof),
            on_coordinates: wide(self.on_coordinates, proof),
            sizes: wide_mut(self.sizes, proof),
        }
        .run();
    }

    #[inline(always)]
    fn run(self) {
        let Balance {
            mut moving,
            ws,
            xi,
            rate,
            momentum,
            load,
            time,
        } = self.balance;
        let model = moving.model;
        let (mut motion, mut gap) = (S::zero(), S::zero());
        for (i, link) in model.links.iter().enumerate().skip(1) {
            let column = &ws.subspaces.column;
            let wanted = moving.displacement_of_link(i, link, &ws.placement[i], column);
            let reached = displacement_of(i, moving.displacement, moving.cosine);
            let apart = reached.beyond(&wanted) + self.open[i];
            let squared = apart.linear.norm_squared() + apart.angular.norm_squared();
            gap = S::select(gap.less(squared), squared, gap);
            ws.bias_acceleration[i] = apart * -rate;
            let parameters = ws.parameters_of(i, link);
            let leaving = momentum_at_begin(&parameters, &xi[i], rate);
            motion += leaving.dot(&xi[i]);
            ws.force[i] = leaving - load[i].mul_add(time, &momentum[i]);
        }
        solve_impulses(model, self.on_coordinates, ws);
        let (step, mut correction) = (rate.recip(), S::zero());
        for (i, link) in model.links.iter().enumerate().skip(1) {
            let velocity = ws.acceleration[i];
            let parameters = ws.parameters_of(i, link);
            correction += parameters.mul_motion(&velocity).dot(&velocity);
            xi[i] = velocity.mul_add(step, &xi[i]);
            let moved = Displacement::cay(&xi[i]);
            moving.displacement[i] = Motion::new(moved.way, moved.turn);
            moving.cosine[i] = moved.cosine;
        }
        self.sizes[0] = correction;
        self.sizes[1] = motion * rate;
        self.sizes[2] = gap;
    }
}

/// Comes to the end of the step: the momenta with which bodies come there, and what is left of the residual.
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
        for own in residual.iter_mut() {
            *own = -*own;
        }
        for (i, link) in model.links.iter().enumerate().skip(1).rev() {
            let force = ws.force[i];
            add_components(link, &ws.subspaces.column, &force, residual);
            if link.parent != 0 {
                ws.force[link.parent] += ws.placement[i].act_force(&force);
            }
        }
    }
}
