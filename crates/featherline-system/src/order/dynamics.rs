//! The common parts of the orders of recursive algorithms: what each known row fixes, and where
//! coordinates end.

use super::OrderError;
use crate::system::{Equation, System};
use crate::unknown::Unknown;
use featherline::model::JointId;

/// Why a robot with loops has no such order.
const NOT_A_TREE: OrderError = OrderError::NotApplicable {
    row: None,
    reason: "the robot has closed loops, and the recursive algorithms are made for trees. Use \
             Markowitz's order, or the search",
};

/// Why a problem whose knowns mix unknowns has no such order.
fn not_one_unknown(row: usize) -> OrderError {
    OrderError::NotApplicable {
        row: Some(row),
        reason: "the recursive algorithms need knowns that fix one unknown each, and no sensors. \
                 Use Markowitz's order, or the search",
    }
}

/// The roles of rows and coordinates in a problem whose knowns fix one unknown each.
pub(super) struct Layout {
    /// For each column, the known row that fixes it.
    pub fixed_by: Vec<Option<usize>>,
    /// For each joint, the coordinates for which it is the last one on the way from the leaves to
    /// the root: its own, or those of which it is the first mimic joint.
    pub ending: Vec<Vec<usize>>,
}

impl Layout {
    /// # Errors
    /// [`OrderError::NotApplicable`] if a known row has several entries, there are sensors, or the
    /// robot has loops.
    pub fn new(system: &System) -> Result<Self, OrderError> {
        if !system.unknowns().loops().is_empty() {
            return Err(NOT_A_TREE);
        }
        let (pattern, equations) = (system.sparsity(), system.equations());
        let mut fixed_by = vec![None; pattern.columns()];
        for row in equations.dynamics().end..pattern.rows() {
            let is_known = matches!(equations.at(row), Some(Equation::Known { .. }));
            match pattern.row(row) {
                &[column] if is_known && fixed_by[column].is_none() => {
                    fixed_by[column] = Some(row);
                }
                _ => return Err(not_one_unknown(row)),
            }
        }
        let model = system.model();
        let mut ending = vec![Vec::new(); model.joints().len()];
        for coordinate in 0..model.nv() {
            let moved = |id: &JointId| {
                let (joint, columns) = (model.joint(*id), model.joint(*id).kind.nv());
                (joint.idx_v..joint.idx_v + columns).contains(&coordinate)
            };
            if let Some(first) = model.joint_ids().find(moved) {
                ending[first.index()].push(coordinate);
            }
        }
        Ok(Self { fixed_by, ending })
    }

    /// The pivots of what is known, body by body: fˣ, and then q̈ or τ where they are.
    pub fn knowns(&self, system: &System) -> Vec<(usize, usize)> {
        let unknowns = system.unknowns();
        let mut pivots = Vec::new();
        for joint in system.model().joint_ids() {
            let mut columns: Vec<usize> = unknowns.external_force(joint).collect();
            for &coordinate in &self.ending[joint.index()] {
                columns.push(unknowns.column(Unknown::JointAcceleration { coordinate }));
                columns.push(unknowns.column(Unknown::JointForce { coordinate }));
            }
            let fixed = |column: usize| self.fixed_by[column].map(|row| (row, column));
            pivots.extend(columns.into_iter().filter_map(fixed));
        }
        pivots
    }

    /// Whether the acceleration of a coordinate is known.
    pub fn accelerates_as_known(&self, system: &System, coordinate: usize) -> bool {
        let column = system
            .unknowns()
            .column(Unknown::JointAcceleration { coordinate });
        self.fixed_by[column].is_some()
    }
}

/// Row by row, a body's balance of forces for the force that its joint transmits.
pub(super) fn transmitted(system: &System, joint: JointId) -> impl Iterator<Item = (usize, usize)> {
    let rows = system.equations().force(joint);
    rows.zip(system.unknowns().force(joint))
}

/// Row by row, a joint's equation of motion for its body's acceleration.
pub(super) fn acceleration(
    system: &System,
    joint: JointId,
) -> impl Iterator<Item = (usize, usize)> {
    let rows = system.equations().motion(joint);
    rows.zip(system.unknowns().acceleration(joint))
}

/// The equation of τ, for q̈ or for τ.
pub(super) fn coordinate(system: &System, unknown: Unknown) -> Option<(usize, usize)> {
    let (Unknown::JointAcceleration { coordinate } | Unknown::JointForce { coordinate }) = unknown
    else {
        return None;
    };
    let row = system.equations().joint_forces().start + coordinate;
    Some((row, system.unknowns().column(unknown)))
}
