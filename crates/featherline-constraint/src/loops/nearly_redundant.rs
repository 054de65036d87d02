//! Constraints that would be redundant if joint axes were not rounded.
//!
//! The hinge that closes a planar linkage has three redundant constraints if its axis is parallel
//! to the others. With axes rounded to six digits they constrain another millionth of a motion, and
//! lock the linkage.

use super::dynamics::{constrain, hold};
use super::redundancy::generic_redundancy;
use super::workspace::Loop;
use super::{LoopWorkspace, rounded_axes};
use featherline::model::Model;

/// A constraint that holds less of a motion beyond others repeats them: thousands of roundings.
const EXACT: f64 = 1e-11;

/// Open loops hold a larger part: their gap in units of their length, times the effect of a
/// position on the directions of axes.
const BY_GAPS: f64 = 10.0;

/// The redundant constraints at `q`, where the loops are closed, if one of them holds a part of a
/// motion that is more than rounding; none if they all repeat them exactly, or elsewhere hold more.
/// Returns for each loop joint which forces of its basis.
///
/// Cost O(n m²), and that of assembling the loops where there are such constraints.
pub fn nearly_redundant_constraints(model: &Model, q: &[f64]) -> Option<Vec<[bool; 6]>> {
    if model.nv() == 0 {
        return None;
    }
    let mut ws = LoopWorkspace::recursive(model).ok()?;
    if ws.multipliers.is_empty() {
        return None;
    }
    model.forward_kinematics(&mut ws.tree, q).ok()?;
    constrain(model, &mut ws, None, true).ok()?;
    hold(model, &mut ws);
    let independent = ws.independence.independent();
    let redundant_rows: Vec<usize> = (0..ws.multipliers.len())
        .filter(|row| !independent.contains(row))
        .collect();
    if redundant_rows.is_empty() {
        return None;
    }
    let measured = |closing: &Loop| {
        let mut gap = rounded_axes::gap(closing);
        for (gap, square) in gap.iter_mut().zip(closing.squared_measures()) {
            *gap /= square.sqrt();
        }
        gap
    };
    // The gaps of nearly redundant constraints do not count.
    if most_held(&ws, &redundant_rows) <= EXACT.max(BY_GAPS * ws.held(measured)) {
        return None;
    }
    // In a singularity constraints are redundant that hold elsewhere.
    let mut elsewhere = LoopWorkspace::recursive(model).ok()?;
    if redundant_rows.len() > generic_redundancy(model, &mut elsewhere, q) {
        return None;
    }
    let own = |closing: &Loop| {
        let mut repeats = [false; 6];
        for (repeats, row) in repeats.iter_mut().zip(closing.rows()) {
            *repeats = redundant_rows.contains(&row);
        }
        repeats
    };
    Some(ws.loops.iter().map(own).collect())
}

/// The largest part of a motion that a redundant constraint holds beyond the independent ones.
fn most_held(ws: &LoopWorkspace, redundant_rows: &[usize]) -> f64 {
    let moved = &ws.independence.moved;
    let mut measures = Vec::new();
    for closing in &ws.loops {
        measures.extend_from_slice(&closing.squared_measures()[..closing.basis.rigid()]);
    }
    let measured = |row: usize| -> Vec<f64> {
        let entries = ws.jacobian.chunks_exact(measures.len()).zip(moved);
        entries
            .map(|(entries, moved)| match *moved > 0.0 {
                true => entries[row] / (moved * measures[row]).sqrt(),
                false => 0.0,
            })
            .collect()
    };
    // Gram and Schmidt, twice is enough.
    let mut directions: Vec<Vec<f64>> = Vec::new();
    let beside = |directions: &[Vec<f64>], mut own: Vec<f64>| {
        for direction in directions.iter().chain(directions) {
            let part = dot(direction, &own);
            for (own, direction) in own.iter_mut().zip(direction) {
                *own -= part * direction;
            }
        }
        let length = dot(&own, &own).sqrt();
        (own, length)
    };
    for &row in ws.independence.independent() {
        let (mut own, length) = beside(&directions, measured(row));
        own.iter_mut().for_each(|x| *x /= length);
        directions.push(own);
    }
    let lengths = redundant_rows
        .iter()
        .map(|&row| beside(&directions, measured(row)).1);
    lengths.fold(0.0, f64::max)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
