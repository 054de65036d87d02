//! The generic redundancy of a robot's loops, and how regular they are in one configuration.

use super::assembly::assemble_with_rounded_axes;
use super::dynamics::{constrain, correct, hold};
use super::rows::transmitted;
use super::workspace::Loop;
use super::{LoopDynamics, LoopError, LoopWorkspace};
use crate::delassus::DelassusMatrix;
use crate::delassus::LARGEST_CONDITION;
use featherline::kernel;
use featherline::kernel::dispatch;
use featherline::model::Model;
use std::fmt;

/// From this condition on loops are nearly singular, see [`LoopDynamics`].
const SINGULAR: f64 = 1e6;

/// How far another closed configuration is sought, in rad and m: far enough that bars which were in
/// line are not.
const WAY: f64 = 0.1;

/// The fractional parts of its multiples fill the unit interval evenly: directions that no symmetry
/// of a robot knows of.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// What velocities ask of accelerations contradicts itself if no accelerations meet this part of
/// it. Axes of five digits, as files have them, contradict each other by less, some thousandth in
/// Bennett's linkage; bars in line by about all of it.
const CONTRADICTED: f64 = 1e-2;

/// What rounding may leave of it at 1 rad/s (m/s), in rad/s² and m/s².
const ROUNDING: f64 = 1e-9;

/// How regular loops are in a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Regularity {
    /// One over the least pivot of K Kᵀ, redundant constraints apart, see [`LoopDynamics`].
    pub condition: f64,
    /// How many constraints are redundant here and not wherever the loops are closed.
    pub rank_lost: usize,
}

impl Regularity {
    /// The loops of a linkage of which so many constraints
    /// [usually](crate::kernel::generic_redundancy) are redundant.
    pub fn of(loops: &LoopDynamics<'_>, generic_redundancy: usize) -> Self {
        Self {
            condition: loops.condition,
            rank_lost: loops.redundant.saturating_sub(generic_redundancy),
        }
    }

    /// Where loops have no constraints that could be compared.
    pub fn none() -> Self {
        Self {
            condition: f64::INFINITY,
            rank_lost: 0,
        }
    }

    /// Whether the loops are singular, or as good as.
    pub fn is_singular(&self) -> bool {
        self.whole_condition() >= SINGULAR
    }

    /// The condition with the constraints that are redundant here only: the least that it may be if
    /// there are any.
    pub fn whole_condition(&self) -> f64 {
        if self.rank_lost > 0 {
            LARGEST_CONDITION
        } else {
            self.condition
        }
    }
}

impl fmt::Display for Regularity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rank_lost {
            0 => {}
            1 => write!(f, "1 constraint is redundant that is not elsewhere, ")?,
            lost => write!(
                f,
                "{lost} constraints are redundant that are not elsewhere, "
            )?,
        }
        write!(f, "condition {:.1e}", self.condition)?;
        if self.rank_lost > 0 {
            f.write_str(" of the rest")?;
        }
        Ok(())
    }
}

/// How many constraints are redundant where the loops are closed, near `q`: the least of those
/// where they close nearest to it and some way from there, should that be a singularity; none where
/// there are no dynamics there.
///
/// The number belongs to the linkage. Off the loops fewer are redundant, and near singularities
/// more are. Where constraints let the robot move and the loops do not close along any such way, as
/// those of bars stretched between two walls, off the loops is all that there is to compare with.
/// Cost of a step of assembly O(n m + m³), as long as bodies move few loops; nothing is of the mass
/// matrix.
pub fn generic_redundancy(model: &Model, ws: &mut LoopWorkspace, q: &[f64]) -> usize {
    ws.set_generic_redundancy(0);
    let mut own = q.to_vec();
    let closed_at = |ws: &mut LoopWorkspace, q: &mut [f64]| {
        assemble_with_rounded_axes(model, ws, q, usize::MAX).ok()?;
        redundant(model, ws, q).ok()
    };
    let here = closed_at(ws, &mut own);
    if here.is_some_and(|redundant| ws.multipliers.len() - redundant >= model.nv()) {
        return here.unwrap_or(0);
    }
    let mut way: Vec<f64> = (1..=model.nv())
        .map(|k| 2.0 * (k as f64 * GOLDEN).fract() - 1.0)
        .collect();
    let Ok(_) = remove_opening_velocity(model, ws, &own, &mut way) else {
        return here.unwrap_or(0);
    };
    let longest = way.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
    way.iter_mut().for_each(|x| *x /= longest);
    let contradicted = contradicts(model, ws, &own, &way).unwrap_or(false);
    way.iter_mut().for_each(|x| *x *= WAY);
    let Ok(open) = model.integrate(&own, &way) else {
        return here.unwrap_or(0);
    };
    let there = closed_at(ws, &mut open.clone());
    let least = here.into_iter().chain(there).min();
    let off = if contradicted && least == here {
        redundant(model, ws, &open).ok()
    } else {
        None
    };
    least.into_iter().chain(off).min().unwrap_or(0)
}

/// How regular the loops are at `q`, beyond the
/// [generic redundancy](crate::kernel::generic_redundancy), which the workspace knows.
pub fn regularity(
    model: &Model,
    ws: &mut LoopWorkspace,
    q: &[f64],
) -> Result<Regularity, LoopError> {
    let redundant = redundant(model, ws, q)?;
    Ok(Regularity {
        condition: ws.independence.condition(),
        rank_lost: redundant.saturating_sub(ws.generic_redundancy),
    })
}

/// Takes from a velocity what opens loops, by impulses of the loop joints to which all coordinates
/// answer alike, and returns the largest entry of each loop joint's.
pub fn remove_opening_velocity(
    model: &Model,
    ws: &mut LoopWorkspace,
    q: &[f64],
    v: &mut [f64],
) -> Result<Vec<f64>, LoopError> {
    kernel::link_kinematics(model, &mut ws.tree, q, v)?;
    constrain(model, ws, None, false)?;
    factorise_geometry(model, ws);
    ws.tangent.copy_from_slice(v);
    ws.residual.target.fill(0.0);
    correct(ws);
    v.copy_from_slice(&ws.tangent);
    let impulse = |closing: &Loop| {
        let force = transmitted(&closing.basis, &ws.multipliers[closing.rows()]);
        force.linear.norm().max(force.angular.norm())
    };
    Ok(ws.loops.iter().map(impulse).collect())
}

/// How many constraints are redundant.
fn redundant(model: &Model, ws: &mut LoopWorkspace, q: &[f64]) -> Result<usize, LoopError> {
    model.forward_kinematics(&mut ws.tree, q)?;
    constrain(model, ws, None, false)?;
    hold(model, ws);
    Ok(ws.independence.redundant())
}

/// Whether what a velocity asks of accelerations contradicts itself.
fn contradicts(
    model: &Model,
    ws: &mut LoopWorkspace,
    q: &[f64],
    v: &[f64],
) -> Result<bool, LoopError> {
    kernel::link_kinematics(model, &mut ws.tree, q, v)?;
    constrain(model, ws, Some(v), false)?;
    factorise_geometry(model, ws);
    let mut asked = 0.0_f64;
    for closing in &ws.loops {
        for (k, row) in closing.rows().enumerate() {
            ws.residual.target[row] = closing.acceleration[k];
            asked = asked.max(closing.acceleration[k].abs());
        }
    }
    ws.tangent.fill(0.0);
    Ok(correct(ws) > (CONTRADICTED * asked).max(ROUNDING))
}

/// Factorises K Kᵀ in place of K M⁻¹ Kᵀ: what loops hold is a question of geometry, and the mass
/// matrix costs O(n³).
fn factorise_geometry(model: &Model, ws: &mut LoopWorkspace) {
    hold(model, ws);
    let independent = ws.independence.independent();
    dispatch(DelassusMatrix {
        jacobian: &ws.jacobian,
        response: &ws.response[..model.nv() * independent.len()],
        constraints: ws.multipliers.len(),
        independent,
        delassus: &mut ws.delassus,
    });
}
