//! One iteration of the quasi-Newton method, and what is left when it has converged.

use super::cayley::{momentum_at_begin, momentum_at_end};
use super::displacements::{Moving, displacement_of};
use super::node::{carried_by_frame, doubled_energy, solve_impulses};
use featherline::kernel::Scratch;
use featherline::kernel::links;
use featherline::kernel::{Form, Kernel, seen_as, seen_back, seen_mut_as};
use featherline::model::Model;
use featherline::scalar::{InstructionSet, Scalar};
use featherline::spatial::{Force, Motion, Vec3};

/// How a step stands: the joints' displacements, and the momenta and loads that they must answer.
pub(super) struct Balance<'a, S: Scalar> {
    pub moving: Moving<'a, S>,
    pub ws: &'a mut Scratch<S>,
    /// One over the step.
    pub rate: S,
    /// The momenta with which the links come, and what pulls at them for which time.
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
            rate: numbers[0],
            momentum: seen_as(self.momentum, form),
            load: seen_as(self.load, form),
            time: numbers[1],
        }
    }

    /// Displaces the links and writes what the momenta at the beginning of the step are too large
    /// by to `ws.force`. Returns twice the kinetic energy.
    #[inline(always)]
    fn open(&mut self) -> S {
        let (model, ws) = (self.moving.model, &mut *self.ws);
        let mut motion = S::zero();
        for (i, link) in links(model).iter().enumerate().skip(1) {
            let column = &ws.subspaces.column;
            let moved = self.moving.displace_link(i, link, &ws.placement[i], column);
            let parameters = ws.parameters_of(i, link);
            let xi = moved.cayley();
            let leaving = momentum_at_begin(&parameters, &xi, self.rate);
            motion += leaving.dot(&xi);
            ws.force[i] = leaving - self.load[i].mul_add(self.time, &self.momentum[i]);
        }
        motion * self.rate
    }
}

/// The velocities that correct the displacement, in `ws.vector`: M(q)⁻¹ times the residual, with
/// the inertias that have been eliminated at q.
pub(super) struct Correction<'a, S: Scalar> {
    pub balance: Balance<'a, S>,
    /// What the coordinates themselves have too little.
    pub on_coordinates: &'a [S],
    /// Receives twice the kinetic energy of the correction, and of the motion that it corrects.
    pub doubled_energies: &'a mut [S],
    /// Receives the correction in coordinates in which its energy is a sum of squares.
    pub weighted: &'a mut [S],
}

impl<S: Scalar> Kernel for Correction<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run_as<F: Form>(self, form: F) {
        let numbers = [self.balance.rate, self.balance.time];
        Correction {
            balance: self.balance.seen_as(&numbers, form),
            on_coordinates: seen_as(self.on_coordinates, form),
            doubled_energies: seen_mut_as(self.doubled_energies, form),
            weighted: seen_mut_as(self.weighted, form),
        }
        .run();
    }

    #[inline(always)]
    fn run(mut self) {
        self.doubled_energies[1] = self.balance.open();
        let (model, ws) = (self.balance.moving.model, self.balance.ws);
        solve_impulses(model, self.on_coordinates, ws);
        self.doubled_energies[0] = doubled_energy(model, ws, self.weighted);
    }
}

/// The momenta with which the links come to the end of the step, when [`Correction`] has found what
/// they lack where it begins: that stays with each link where it is in space. Returns the lack of
/// the linear momentum.
pub(super) struct Arrival<'a, S: Scalar> {
    pub model: &'a Model,
    pub ws: &'a mut Scratch<S>,
    pub displacement: &'a [Motion<S>],
    pub cosine: &'a [S],
    /// One over the step.
    pub rate: S,
    pub momentum: &'a mut [Force<S>],
}

impl<'a, S: Scalar> Arrival<'a, S> {
    #[inline(always)]
    fn seen_as<F: Form>(self, form: F) -> Arrival<'a, F::Of<S>> {
        Arrival {
            model: self.model,
            ws: self.ws.seen_as(form),
            displacement: seen_as(self.displacement, form),
            cosine: seen_as(self.cosine, form),
            rate: seen_as(std::slice::from_ref(&self.rate), form)[0],
            momentum: seen_mut_as(self.momentum, form),
        }
    }
}

impl<S: Scalar> Kernel for Arrival<'_, S> {
    type Output = Vec3<S>;
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run_as<F: Form>(self, form: F) -> Self::Output {
        seen_back(self.seen_as(form).run(), form)
    }

    #[inline(always)]
    fn run(self) -> Vec3<S> {
        let (model, ws) = (self.model, self.ws);
        for (i, link) in links(model).iter().enumerate().skip(1) {
            let moved = displacement_of(i, self.displacement, self.cosine);
            let parameters = ws.parameters_of(i, link);
            let lack = parameters.mul_motion(&ws.acceleration[i]);
            ws.force[i] = lack;
            let there = moved.placement().inverse_act_force(&lack);
            self.momentum[i] = momentum_at_end(&parameters, &moved.cayley(), self.rate) + there;
        }
        let mut total = Vec3::zero();
        for (i, link) in links(model).iter().enumerate().skip(1).rev() {
            let linear = ws.placement[i].rotation.mul_vec(ws.force[i].linear);
            match link.parent {
                0 => total += linear,
                parent => ws.force[parent].linear += linear,
            }
        }
        total
    }
}

/// The momentum of the whole robot about the origin of its frame, from those of its links.
pub(super) struct Total<'a, S: Scalar> {
    pub model: &'a Model,
    pub ws: &'a mut Scratch<S>,
    pub momentum: &'a [Force<S>],
    pub load: &'a [Force<S>],
    pub time: S,
    /// That of the frame, to be added to those of the links.
    pub velocity: Vec3<S>,
}

impl<S: Scalar> Kernel for Total<'_, S> {
    type Output = Force<S>;
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) -> Force<S> {
        let Self {
            model,
            ws,
            momentum,
            load,
            time,
            velocity,
        } = self;
        ws.velocity[0] = Motion::new(velocity, Vec3::zero());
        for (i, link) in links(model).iter().enumerate().skip(1) {
            let carried = carried_by_frame(&ws.velocity[link.parent], &ws.placement[i]);
            let of_frame = ws.parameters_of(i, link).mul_motion(&carried);
            ws.velocity[i] = carried;
            ws.force[i] = load[i].mul_add(time, &momentum[i]) + of_frame;
        }
        ws.force[0] = Force::new(Vec3::zero(), Vec3::zero());
        for (i, link) in links(model).iter().enumerate().skip(1).rev() {
            let carried = ws.placement[i].act_force(&ws.force[i]);
            ws.force[link.parent] += carried;
        }
        ws.force[0]
    }
}
