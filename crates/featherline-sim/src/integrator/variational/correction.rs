//! One iteration of the quasi-Newton method, and what is left when it has converged.

use super::cayley::{momentum_at_begin, momentum_at_end};
use super::displacements::{LinkDisplacements, displacement_of};
use super::node::{carried_by_frame, doubled_energy, solve_impulses};
use featherline::kernel;
use featherline::kernel::{Form, InForm, Scratch, links};
use featherline::model::Model;
use featherline::scalar::Scalar;
use featherline::spatial::{Force, Motion, Vec3};

/// How a step stands: the joints' displacements, and the momenta and loads that they must answer.
pub(super) struct Balance<'a, S: Scalar> {
    pub moving: LinkDisplacements<'a, S>,
    pub ws: &'a mut Scratch<S>,
    /// One over the step.
    pub rate: S,
    /// The momenta with which the links come, and what pulls at them for which time.
    pub momentum: &'a [Force<S>],
    pub load: &'a [Force<S>],
    pub time: S,
}

impl<'a, S: Scalar> InForm for Balance<'a, S> {
    type As<F: Form> = Balance<'a, F::Of<S>>;

    #[inline(always)]
    fn in_form<F: Form>(self, form: F) -> Self::As<F> {
        Balance {
            moving: self.moving.in_form(form),
            ws: self.ws.in_form(form),
            rate: self.rate.in_form(form),
            momentum: self.momentum.in_form(form),
            load: self.load.in_form(form),
            time: self.time.in_form(form),
        }
    }
}

impl<S: Scalar> Balance<'_, S> {
    /// Displaces the links, and writes the excess of their momenta to `ws.force`. Returns twice T.
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

kernel!(
    /// The velocities that correct the displacement, in `ws.vector`: M(q)⁻¹ times the residual,
    /// with the inertias that have been eliminated at q.
    pub(super) fn correct_velocities<S: Scalar>(
        balance: Balance<'_, S>,
        // The momentum that the coordinates themselves lack.
        on_coordinates: &[S],
        // Receives twice the kinetic energy of the correction, and of the motion that it corrects.
        doubled_energies: &mut [S],
        // Receives the correction in coordinates in which its energy is a sum of squares.
        weighted: &mut [S],
    ) {
        let mut balance = balance;
        doubled_energies[1] = balance.open();
        let (model, ws) = (balance.moving.model, balance.ws);
        solve_impulses(model, on_coordinates, ws);
        doubled_energies[0] = doubled_energy(model, ws, weighted);
    }
);

kernel!(
    /// The momenta with which the links come to the end of the step, when [`correct_velocities`]
    /// has found what they lack where it begins: that stays with each link where it is in space.
    /// Returns the lack of the linear momentum.
    pub(super) fn find_arriving_momenta<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        displacement: &[Motion<S>],
        cosine: &[S],
        // One over the step.
        rate: S,
        momentum: &mut [Force<S>],
    ) -> Vec3<S> {
        for (i, link) in links(model).iter().enumerate().skip(1) {
            let moved = displacement_of(i, displacement, cosine);
            let parameters = ws.parameters_of(i, link);
            let lack = parameters.mul_motion(&ws.acceleration[i]);
            ws.force[i] = lack;
            let there = moved.placement().inverse_act_force(&lack);
            momentum[i] = momentum_at_end(&parameters, &moved.cayley(), rate) + there;
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
);

kernel!(
    /// The momentum of the whole robot about the origin of its frame, from those of its links.
    pub(super) fn total_momentum<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        momentum: &[Force<S>],
        load: &[Force<S>],
        time: S,
        // That of the frame, to be added to those of the links.
        #[plain] velocity: Vec3<f64>,
    ) -> Force<S> {
        ws.velocity[0] = Motion::new(Vec3::<S>::constant(velocity), Vec3::zero());
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
);
