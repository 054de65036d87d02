//! Displacements and gaps of the bodies: the nonlinear part of a step.

use super::constraint::{Constraint, gap_slopes, read_displacement};
use crate::integrator::variational::cayley::{
    Displacement, force_on_coordinates, momentum_at_begin,
};
use crate::maximal::Pose;
use crate::maximal::system::{ConstraintRows, Orders, System};
use featherline::kernel;
use featherline::spatial::{DynamicParameters, Force, Motion, Se3, Vec3};
use nalgebra::Matrix6;

/// A step as it stands.
pub(super) struct GraphStep<'a> {
    pub poses: &'a [Pose],
    /// Cayley's coordinates of the bodies' displacements, six a body.
    pub xi: &'a mut [f64],
    /// Where these lead.
    pub world: &'a mut [Se3<f64>],
    pub constraints: &'a mut [Constraint],
    /// One over the step.
    pub rate: f64,
}

impl GraphStep<'_> {
    /// Displaces bodies and joints. Fails with a joint whose motions depend on each other.
    #[inline(always)]
    fn displace(&mut self) -> Result<(), usize> {
        for i in 1..self.poses.len() {
            let moved = Displacement::cay(&body_motion(self.xi, i));
            self.world[i] = moved.displace(&self.poses[i]).placement();
        }
        for (k, constraint) in self.constraints.iter_mut().enumerate() {
            read_displacement(constraint, self.world).ok_or(k)?;
        }
        Ok(())
    }
}

/// A body's entries of what all bodies have.
#[inline(always)]
pub(super) fn body_motion(xi: &[f64], body: usize) -> Motion<f64> {
    let mut own = [0.0; 6];
    own.copy_from_slice(&xi[6 * body..6 * body + 6]);
    Motion::from_array(own)
}

/// How large a correction of a step was.
pub(super) struct Size {
    /// Twice the kinetic energies of the correction and of the motion.
    pub doubled_energies: [f64; 2],
    /// The largest gap that a joint had before, in m and rad.
    pub gap: f64,
}

kernel!(
    /// One iteration: corrects displacements and impulses. Fails with the joint whose motions
    /// depend on each other.
    pub(super) fn correct_step(
        step: GraphStep<'_>,
        parameters: &[DynamicParameters<f64>],
        // The momenta with which the bodies leave, the joints' impulses apart.
        leaving: &[Force<f64>],
        system: &mut System,
    ) -> Result<Size, usize> {
        let mut step = step;
        step.displace()?;
        let mut motion = 0.0;
        for i in 1..step.poses.len() {
            let xi = body_motion(step.xi, i);
            let own = momentum_at_begin(&parameters[i], &xi, step.rate);
            motion += own.dot(&xi);
            system.set_force(i, &(leaving[i] - own));
        }
        motion *= step.rate;
        let mut gap = 0.0_f64;
        for constraint in step.constraints.iter() {
            gap = gap.max(constraint.held_gap_length());
            for k in 0..constraint.kind.nv() {
                let moved = constraint.weights[k] * constraint.displacement[k] * step.rate;
                motion = moved.mul_add(moved, motion);
            }
        }
        for (k, constraint) in step.constraints.iter().enumerate() {
            // That gaps close and drives move as their momenta want.
            let mut targets = [0.0; 8];
            for row in 0..6_usize {
                let moved = match row.checked_sub(constraint.rigid()) {
                    None => constraint.gap[row],
                    Some(degree) => constraint.displacement[degree],
                };
                targets[row] = -step.rate * constraint.weight(row) * moved;
            }
            system.set_targets(k, &targets);
        }
        let correction = system.correct();
        for i in 1..step.poses.len() {
            let velocity = system.found(i);
            for k in 0..6 {
                step.xi[6 * i + k] += velocity[k] / step.rate;
            }
        }
        Ok(Size {
            doubled_energies: [correction, motion],
            gap,
        })
    }
);

/// Why the system could not be factorised anew.
pub(super) enum NotRenewed {
    /// The motions of a constraint depend on each other.
    Dependent(usize),
    /// A pivot is singular, of a body or of what holds it.
    Singular(usize),
}

kernel!(
    /// Factorises the system where the step leads.
    pub(super) fn renew_system(
        step: GraphStep<'_>,
        slopes: &mut [Matrix6<f64>],
        orders: &mut Orders,
    ) -> Result<(), NotRenewed> {
        let mut step = step;
        step.displace().map_err(NotRenewed::Dependent)?;
        for (k, constraint) in step.constraints.iter().enumerate() {
            slopes[k] = gap_slopes(constraint, step.world).ok_or(NotRenewed::Dependent(k))?;
        }
        let renewed = orders.renew(|rows| {
            for ((rows, constraint), slopes) in
                rows.iter_mut().zip(&*step.constraints).zip(&*slopes)
            {
                let seen = |force: &Force<f64>, body: usize| match body {
                    0 => Force::zero(),
                    _ => force_on_coordinates(force, &body_motion(step.xi, body)),
                };
                write_rows(constraint, step.world, rows, slopes, seen);
            }
        });
        renewed.map_err(NotRenewed::Singular)
    }
);

kernel!(
    /// Comes to the end of the step: where bodies and joints are, and the momenta with which bodies
    /// come there. Fails with the joint whose motions depend on each other; returns by how much
    /// linear momentum the bodies moved too little.
    pub(super) fn finish_step(
        step: GraphStep<'_>,
        parameters: &[DynamicParameters<f64>],
        here: &[Se3<f64>],
        // The momenta with which the bodies leave, the joints' impulses apart.
        leaving: &[Force<f64>],
        system: &mut System,
        // Receives poses and momenta.
        next: &mut [Pose],
        momentum: &mut [Force<f64>],
    ) -> Result<Vec3<f64>, usize> {
        let mut step = step;
        step.displace()?;
        for i in 1..leaving.len() {
            system.set_force(i, &leaving[i]);
        }
        system.take_off_impulses();
        let mut total = Vec3::zero();
        for i in 1..leaving.len() {
            let xi = body_motion(step.xi, i);
            let moved = Displacement::cay(&xi);
            next[i] = moved.displace(&step.poses[i]);
            // A body's momentum stays where it is in space.
            let left = Force::from_array(system.found(i));
            momentum[i] = moved.placement().inverse_act_force(&left);
            let lack = left - momentum_at_begin(&parameters[i], &xi, step.rate);
            total += here[i].rotation.mul_vec(lack.linear);
        }
        Ok(total)
    }
);

/// Writes the forces of a constraint, by `columns` in its output frame, as its bodies `see` them.
#[inline(always)]
fn write_rows(
    constraint: &Constraint,
    world: &[Se3<f64>],
    rows: &mut ConstraintRows,
    columns: &Matrix6<f64>,
    see: impl Fn(&Force<f64>, usize) -> Force<f64>,
) {
    let (predecessor, successor) = (constraint.predecessor, constraint.successor);
    // Action and reaction at the same place, wherever the joint would have the bodies.
    let across = world[predecessor].inverse_compose(&world[successor]);
    for row in 0..6 {
        let column: Force<f64> = columns.column(row).into_owned().into();
        let own = constraint.output.act_force(&column) * constraint.weight(row);
        let other = -across.act_force(&own);
        let seen = [see(&other, predecessor), see(&own, successor)];
        for (end, force) in seen.iter().enumerate() {
            let [a, b, c, d, e, f] = force.to_array();
            rows.forces[end].0[row] = [a, b, c, d, e, f, 0.0, 0.0];
        }
    }
}

kernel!(
    /// Factorises the system of an instant. Fails with the body at a singular pivot.
    pub(super) fn factorise_instant(
        poses: &[Pose],
        world: &mut [Se3<f64>],
        constraints: &[Constraint],
        orders: &mut Orders,
    ) -> Result<(), usize> {
        for i in 1..poses.len() {
            world[i] = poses[i].placement();
        }
        for (rows, constraint) in orders.rows.iter_mut().zip(constraints) {
            let columns = &constraint.basis.columns;
            write_rows(constraint, world, rows, columns, |force, _| *force);
        }
        orders.factorise()
    }
);

kernel!(
    /// Finds the velocities that go with momenta: impulses of the joints see to it that nothing
    /// opens. Whether there are any; fails with the body at a singular pivot.
    pub(super) fn solve_for_velocities(
        momentum: &[Force<f64>],
        orders: &mut Orders,
    ) -> Result<bool, usize> {
        let found = find_velocities(momentum, orders);
        if found || !orders.switch_to_stable()? {
            return Ok(found);
        }
        Ok(find_velocities(momentum, orders))
    }
);

#[inline(always)]
fn find_velocities(momentum: &[Force<f64>], orders: &mut Orders) -> bool {
    let constraints = orders.rows.len();
    let system = orders.present_mut();
    for i in 1..momentum.len() {
        system.set_force(i, &momentum[i]);
    }
    for k in 0..constraints {
        system.set_targets(k, &[0.0; 8]);
    }
    system.solve()
}
