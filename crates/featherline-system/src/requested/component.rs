//! Components of unknowns as they are named to people.
//!
//! Unknowns are written in link frames, or in those of contacts, which are chosen for sparsity.
//! Requests, assumptions and messages are in the joints' output frames ([`Requested`]).

use crate::names::shortest;
use crate::problem::WrenchBasis;
use crate::requested::Requested;
use crate::system::System;
use crate::unknown::Unknown;
use std::ops::Range;

/// A part of a number that is rounding of a rotation by right angles.
const ROUNDING: f64 = 1e-12;

/// A number read of unknowns: a component in the joint's output frame, or a coordinate's own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Component {
    /// Its name.
    pub unknown: Unknown,
    /// The columns that it is read from, with their factors.
    pub terms: Vec<(usize, f64)>,
}

/// The components that are read of some columns, ascending ones; of a six-vector all of it, once.
pub(crate) fn components_of(system: &System, columns: &[usize]) -> Vec<Component> {
    let mut read: Vec<Component> = Vec::new();
    let mut done = 0;
    for &column in columns {
        if column < done {
            continue;
        }
        let Some(of) = six(system, column) else {
            let unknown = system.unknowns().at(column);
            read.extend(unknown.map(|unknown| Component {
                unknown,
                terms: vec![(column, 1.0)],
            }));
            continue;
        };
        let own = of.columns(system);
        done = own.end;
        // The sizes agree.
        let Ok(map) = of.map(system) else {
            continue;
        };
        for (row, column) in map.row_iter().zip(own.clone()) {
            let terms = terms_of(own.clone(), row.iter().copied());
            let unknown = system.unknowns().at(column);
            read.extend(unknown.map(|unknown| Component { unknown, terms }));
        }
    }
    read
}

/// The columns that a number is read from, with their factors.
pub(crate) fn terms_of(
    columns: Range<usize>,
    factors: impl Iterator<Item = f64> + Clone,
) -> Vec<(usize, f64)> {
    let largest = factors
        .clone()
        .fold(0.0_f64, |m, factor| m.max(factor.abs()));
    let terms = columns.zip(factors);
    terms
        .filter(|(_, factor)| factor.abs() > ROUNDING * largest)
        .collect()
}

/// The six-vector that a column belongs to.
fn six(system: &System, column: usize) -> Option<Requested> {
    match system.unknowns().at(column)? {
        Unknown::Acceleration { joint, .. } => Some(Requested::Acceleration(joint)),
        Unknown::Force { joint, .. } => Some(Requested::TransmittedForce(joint)),
        Unknown::ExternalForce { joint, .. } => Some(Requested::ExternalForce(joint)),
        // Those of loop joints are in their output frames.
        Unknown::JointForce { .. }
        | Unknown::JointAcceleration { .. }
        | Unknown::LoopForce { .. }
        | Unknown::LoopAcceleration { .. } => None,
    }
}

/// The component that is read of a column, of several the one with the largest part of it: a force
/// along an axis has moments, too, where origins differ.
pub(crate) fn component(system: &System, column: usize) -> Option<Unknown> {
    let Some(first) = six(system, column).map(|of| of.columns(system).start) else {
        return system.unknowns().at(column);
    };
    let is_alike = |own: usize| (own < 3) == (column - first < 3);
    let part = |component: &Component| {
        let terms = component.terms.iter().filter(|term| term.0 == column);
        terms.map(|term| term.1.abs()).sum::<f64>()
    };
    let read = components_of(system, &[column]).into_iter().enumerate();
    let alike = read.filter(|(own, _)| is_alike(*own));
    let largest = alike.max_by(|(_, a), (_, b)| part(a).total_cmp(&part(b)))?;
    Some(largest.1.unknown)
}

/// A component in the joint's output frame, in words.
pub(crate) fn describe_component(system: &System, unknown: Unknown) -> String {
    let words = unknown.describe(system.model());
    if let Unknown::ExternalForce { joint, .. } = unknown
        && system.wrench_basis(joint) == WrenchBasis::World
    {
        format!("{words} of the world")
    } else {
        words
    }
}

/// A column in words: its [`component`], or the direction that it has in the joint's output frame
/// where that is along no axis, with three digits.
pub(crate) fn describe_column(system: &System, column: usize) -> String {
    let Some(unknown) = component(system, column) else {
        return format!("column {column}");
    };
    match oblique(system, column) {
        None => describe_component(system, unknown),
        Some(direction) => {
            let numbers = direction.map(|part| shortest((part * 1e3).round() / 1e3));
            unknown.describe_along(system.model(), |_| format!("({})", numbers.join(", ")))
        }
    }
}

/// The direction of a unit component in the output frame, if it is along none of its axes.
fn oblique(system: &System, column: usize) -> Option<[f64; 3]> {
    let of = six(system, column)?;
    let own = column - of.columns(system).start;
    let map = of.map(system).ok()?;
    let direction = [0, 1, 2].map(|axis| map[(own / 3 * 3 + axis, own)]);
    let parts = direction.iter().filter(|part| part.abs() > ROUNDING);
    (parts.count() > 1).then_some(direction)
}
