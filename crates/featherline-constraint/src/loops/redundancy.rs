//! The generic redundancy of a robot's loops, and how regular they are in one configuration.

use super::assembly::assemble_with_rounded_axes;
use super::dynamics::{constrain, correct, hold};
use super::rows::transmitted;
use super::workspace::Loop;
use super::{LoopDynamics, LoopWorkspace, Result};
use crate::delassus::{LARGEST_CONDITION, factorise_delassus};
use featherline::kernel;
use featherline::model::Model;
use std::fmt;

/// From this condition on loops are nearly singular, see [`LoopDynamics`].
const SINGULAR: f64 = 1e6;

/// How far, in rad and m, the other closed configuration is: bars in line are not in line there.
const WAY: f64 = 0.1;

/// Its multiples' fractional parts fill [0, 1] evenly: directions of no robot's symmetry.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// A velocity has no continuation if no accelerations satisfy this part of K q̈ = k. Rounded joint
/// axes violate it by less (about a thousandth in Bennett's linkage), bars in line by nearly all.
const CONTRADICTED: f64 = 1e-2;

/// The rounding allowed of it at 1 rad/s (m/s), in rad/s² and m/s².
const ROUNDING: f64 = 1e-9;

/// How regular loops are in a configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Regularity {
    /// The [condition](LoopDynamics::condition) of the independent constraints.
    pub condition: f64,
    /// How many constraints are redundant in this configuration beyond the generic redundancy.
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

    /// Whether the loops are singular or nearly so.
    pub fn is_singular(&self) -> bool {
        self.whole_condition() >= SINGULAR
    }

    /// The condition, with a lower bound of it where constraints are redundant here only.
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

/// The generic redundancy: how many constraints are redundant in regular configurations with closed
/// loops near `q`; none if there are no dynamics.
///
/// The number is a property of the linkage. Fewer constraints are redundant where loops are open,
/// and more in a singularity. So two closed configurations are examined, the nearest one and
/// another some way from it, and the smaller count is returned. Bars stretched between two walls
/// have no other closed configuration; an open one is examined there. Cost of a step of assembly
/// O(n m + m³) if bodies move few loops; the mass matrix is not needed.
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
pub fn regularity(model: &Model, ws: &mut LoopWorkspace, q: &[f64]) -> Result<Regularity> {
    let redundant = redundant(model, ws, q)?;
    Ok(Regularity {
        condition: ws.independence.condition(),
        rank_lost: redundant.saturating_sub(ws.generic_redundancy),
    })
}

/// Removes from a velocity the part that opens loops, by impulses of the loop joints for a unit
/// mass matrix, and returns the largest entry of the impulse of each loop joint.
pub fn remove_opening_velocity(
    model: &Model,
    ws: &mut LoopWorkspace,
    q: &[f64],
    v: &mut [f64],
) -> Result<Vec<f64>> {
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
fn redundant(model: &Model, ws: &mut LoopWorkspace, q: &[f64]) -> Result<usize> {
    model.forward_kinematics(&mut ws.tree, q)?;
    constrain(model, ws, None, false)?;
    hold(model, ws);
    Ok(ws.independence.redundant())
}

/// Whether no accelerations continue a velocity.
fn contradicts(model: &Model, ws: &mut LoopWorkspace, q: &[f64], v: &[f64]) -> Result<bool> {
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

/// Factorises K Kᵀ: redundancy is geometry, and K M⁻¹ Kᵀ would cost a mass matrix, O(n³).
fn factorise_geometry(model: &Model, ws: &mut LoopWorkspace) {
    hold(model, ws);
    let independent = ws.independence.independent();
    factorise_delassus(
        &ws.jacobian,
        &ws.response[..model.nv() * independent.len()],
        ws.multipliers.len(),
        independent,
        &mut ws.delassus,
    );
}
