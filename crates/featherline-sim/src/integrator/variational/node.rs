//! The quantities of one instant: poses, articulated inertias and loads of the bodies.

use featherline::kernel;
use featherline::kernel::articulated::{
    accelerate, cross_bias, cross_inertia, eliminate_base, empty_fronts, solve_base,
};
use featherline::kernel::{Scratch, coordinates, joint_motion, links, place_links};
use featherline::model::Model;
use featherline::scalar::Scalar;
use featherline::spatial::{Force, Motion, Se3, Vec3};

kernel!(
    /// Places the links, eliminates their articulated-body inertias, and finds their weights.
    pub(super) fn prepare_instant<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        q: &[S],
        // In m/s².
        #[plain] gravity: Vec3<f64>,
        // Receives the weight of each link, in its frame.
        load: &mut [Force<S>],
    ) {
        empty_fronts(model, ws);
        place_links(model, q, &mut ws.placement, &mut ws.subspaces.column);
        // The free fall of each link's frame, as if a body at rest were accelerated by gravity.
        ws.acceleration[0] = Motion::new(Vec3::<S>::constant(gravity), Vec3::zero());
        for (i, link) in links(model).iter().enumerate().skip(1) {
            let above = ws.acceleration[link.parent].linear;
            let fall = ws.placement[i].rotation.tr_mul_vec(above);
            ws.acceleration[i] = Motion::new(fall, Vec3::zero());
            let parameters = ws.parameters_of(i, link);
            ws.articulated[i] = parameters.to_articulated();
            load[i] = Force::new(fall * parameters.mass, parameters.first_moment.cross(fall));
            // No velocities take part in the solution for impulses.
            ws.bias_acceleration[i] = Motion::zero();
        }
        ws.acceleration[0] = Motion::zero();
        for (i, link) in links(model).iter().enumerate().skip(1).rev() {
            cross_inertia(model, i, link, None, ws);
        }
        eliminate_base(model, None, ws);
    }
);

/// The velocities that impulses on bodies (minus `ws.force`) and coordinates cause in the robot at
/// rest: M⁻¹ times their sum in the coordinates. The recursion of the articulated-body algorithm
/// without velocities, for inertias that [`prepare_instant`] has eliminated. Writes to `ws.vector`,
/// changes `ws.force`.
#[inline(always)]
pub(super) fn solve_impulses<S: Scalar>(model: &Model, on_coordinates: &[S], ws: &mut Scratch<S>) {
    if model.has_mimic_joints() {
        ws.fronts.side.fill(S::zero());
    }
    for (i, link) in links(model).iter().enumerate().skip(1).rev() {
        cross_bias(model, i, link, None, on_coordinates, ws);
    }
    let base = Motion::zero();
    // The results can't be borrowed from the workspace while its other parts are being written.
    let mut velocities = std::mem::take(&mut ws.vector);
    let mut unused = std::mem::take(&mut ws.second);
    solve_base(
        model,
        None,
        on_coordinates,
        &base,
        &mut velocities,
        &mut unused,
        ws,
    );
    for (i, link) in links(model).iter().enumerate().skip(1) {
        accelerate(model, i, link, None, &mut velocities, &mut unused, ws);
    }
    ws.vector = velocities;
    ws.second = unused;
}

/// Twice the kinetic energy of the velocities that [`solve_impulses`] found last, in the sum over
/// the eliminated coordinates: rᵀ M⁻¹ r for the impulses r. Writes them to `weighted`, nv entries,
/// in coordinates in which that is the sum of squares.
#[inline(always)]
pub(super) fn doubled_energy<S: Scalar>(model: &Model, ws: &Scratch<S>, weighted: &mut [S]) -> S {
    let (mut sum, mut entries) = (S::zero(), weighted.iter_mut());
    for front in &coordinates(model).fronts {
        let size = front.coordinates.len();
        for k in 0..front.eliminated {
            let side = ws.fronts.side[front.offset + k];
            let inverse = ws.fronts.square[front.square + k * (size + 1)];
            sum = (side * side).mul_add(inverse, sum);
            if let Some(entry) = entries.next() {
                *entry = side * inverse.sqrt();
            }
        }
    }
    sum
}

kernel!(
    /// The velocity that goes with momenta: the discrete Legendre transform, by impulses from rest.
    pub(super) fn velocity_from_momenta<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        momentum: &[Force<S>],
        load: &[Force<S>],
        // For how long the loads have acted since the momenta were taken.
        time: S,
        // Momenta and loads of the coordinates together.
        on_coordinates: &[S],
    ) {
        for i in 1..links(model).len() {
            let total = load[i].mul_add(time, &momentum[i]);
            ws.force[i] = Force::new(-total.linear, -total.angular);
        }
        solve_impulses(model, on_coordinates, ws);
    }
);

kernel!(
    /// The momenta of links that move with the joints' velocities: the continuous Legendre
    /// transform. Returns twice their kinetic energy.
    pub(super) fn body_momenta<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        v: &[S],
        momentum: &mut [Force<S>],
    ) -> S {
        let mut energy = S::zero();
        ws.velocity[0] = Motion::zero();
        for (i, link) in links(model).iter().enumerate().skip(1) {
            let carried = ws.placement[i].inverse_act_motion(&ws.velocity[link.parent]);
            ws.velocity[i] = carried + joint_motion(link, &ws.subspaces.column, v);
            momentum[i] = ws.parameters_of(i, link).mul_motion(&ws.velocity[i]);
            energy += momentum[i].dot(&ws.velocity[i]);
        }
        energy
    }
);

kernel!(
    /// Takes the velocity of a frame off the momenta of links that have been placed.
    pub(super) fn slow_links<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        // Along the world's axes.
        #[plain] velocity: Vec3<f64>,
        momentum: &mut [Force<S>],
    ) {
        ws.velocity[0] = Motion::new(Vec3::<S>::constant(velocity), Vec3::zero());
        for (i, link) in links(model).iter().enumerate().skip(1) {
            let own = carried_by_frame(&ws.velocity[link.parent], &ws.placement[i]);
            let parameters = ws.parameters_of(i, link);
            momentum[i] = momentum[i] - parameters.mul_motion(&own);
            ws.velocity[i] = own;
        }
    }
);

/// The velocity of a body that a frame carries without rotation, from that of its parent.
#[inline(always)]
pub(super) fn carried_by_frame<S: Scalar>(parent: &Motion<S>, placement: &Se3<S>) -> Motion<S> {
    let linear = placement.rotation.tr_mul_vec(parent.linear);
    Motion::new(linear, Vec3::zero())
}
