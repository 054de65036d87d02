//! One iteration of a step, and its initial guess.

use crate::integrator::variational::cayley::{Displacement, momentum_at_begin};
use crate::integrator::variational::displacements::{Moving, displacement_of};
use crate::integrator::variational::node::solve_impulses;
use featherline::kernel::Scratch;
use featherline::kernel::links;
use featherline::kernel::{Form, Kernel, seen_as, seen_mut_as};
use featherline::scalar::{InstructionSet, Scalar};
use featherline::spatial::{Force, Motion};

/// How a step stands: displacements of joints and bodies, and the momenta and loads that these must
/// answer.
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
    fn seen_as<F: Form>(self, numbers: &[S; 2], form: F) -> Balance<'a, F::Of<S>> {
        let numbers = seen_as(numbers, form);
        Balance {
            moving: self.moving.seen_as(form),
            ws: self.ws.seen_as(form),
            xi: seen_mut_as(self.xi, form),
            rate: numbers[0],
            momentum: seen_as(self.momentum, form),
            load: seen_as(self.load, form),
            time: numbers[1],
        }
    }

    #[inline(always)]
    fn numbers(&self) -> [S; 2] {
        [self.rate, self.time]
    }
}

/// Displaces the bodies as the joints are displaced, so that all joints are closed.
pub(super) struct Close<'a, S: Scalar> {
    pub balance: Balance<'a, S>,
    /// By how much the bodies had left their joints when the step began.
    pub open: &'a [Motion<S>],
}

impl<S: Scalar> Kernel for Close<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run_as<F: Form>(self, form: F) {
        let numbers = self.balance.numbers();
        Close {
            balance: self.balance.seen_as(&numbers, form),
            open: seen_as(self.open, form),
        }
        .run();
    }

    #[inline(always)]
    fn run(self) {
        let Balance {
            mut moving, ws, xi, ..
        } = self.balance;
        let model = moving.model;
        for (i, link) in links(model).iter().enumerate().skip(1) {
            let column = &ws.subspaces.column;
            let wanted = moving.displacement_of_link(i, link, &ws.placement[i], column);
            let moved = wanted.then(&Displacement::small(&-self.open[i]));
            moving.keep(i, &moved);
            xi[i] = moved.cayley();
        }
    }
}

/// Corrects the displacements of bodies; leaves velocities that correct those of joints in
/// `ws.vector`.
pub(super) struct Multipliers<'a, S: Scalar> {
    pub balance: Balance<'a, S>,
    /// By how much the bodies had left their joints when the step began.
    pub open: &'a [Motion<S>],
    /// What the coordinates themselves have too little.
    pub on_coordinates: &'a [S],
    /// Receives twice the kinetic energy of the correction and of the motion that it corrects,
    /// those of drives apart.
    pub doubled_energies: &'a mut [S],
}

impl<S: Scalar> Kernel for Multipliers<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run_as<F: Form>(self, form: F) {
        let numbers = self.balance.numbers();
        Multipliers {
            balance: self.balance.seen_as(&numbers, form),
            open: seen_as(self.open, form),
            on_coordinates: seen_as(self.on_coordinates, form),
            doubled_energies: seen_mut_as(self.doubled_energies, form),
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
        let mut motion = S::zero();
        for (i, link) in links(model).iter().enumerate().skip(1) {
            let column = &ws.subspaces.column;
            let wanted = moving.displacement_of_link(i, link, &ws.placement[i], column);
            let reached = displacement_of(i, moving.displacement, moving.cosine);
            let apart = reached.beyond(&wanted) + self.open[i];
            ws.bias_acceleration[i] = apart * -rate;
            let parameters = ws.parameters_of(i, link);
            let leaving = momentum_at_begin(&parameters, &xi[i], rate);
            motion += leaving.dot(&xi[i]);
            ws.force[i] = leaving - load[i].mul_add(time, &momentum[i]);
        }
        solve_impulses(model, self.on_coordinates, ws);
        let (step, mut correction) = (rate.recip(), S::zero());
        for (i, link) in links(model).iter().enumerate().skip(1) {
            let velocity = ws.acceleration[i];
            let parameters = ws.parameters_of(i, link);
            correction += parameters.mul_motion(&velocity).dot(&velocity);
            xi[i] = velocity.mul_add(step, &xi[i]);
            let moved = Displacement::cay(&xi[i]);
            moving.keep(i, &moved);
        }
        self.doubled_energies[0] = correction;
        self.doubled_energies[1] = motion * rate;
    }
}
