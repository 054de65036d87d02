//! Which knowns, sensors and loops say the same.

use super::reduction::Reduction;
use crate::problem::Known;
use crate::system::{Equation, System};
use featherline::model::LoopId;

/// As many q̈ and components of fˣ there may be altogether: elimination is dense.
const MOST: usize = 400;

/// What rounding leaves of unit rows that cancel is below this; a part of a row above it is no
/// rounding.
const CANCELLED: f64 = 1e-9;
const PART: f64 = 1e-7;

/// For each row beside the dynamics of the tree that says nothing new in a configuration: itself
/// and those before it that it follows from. Each such set depends on itself, and no part of it
/// does (a fundamental circuit of the matroid of rows: Oxley 2011, *Matroid theory*, section 1.2).
/// None where the robot is too large.
///
/// Rows that tell of few accelerations and external forces come first, so that sets are small: a
/// torque stands with what it follows from.
pub(super) fn dependent_sets(
    system: &System,
    values: &[f64],
    on: impl Fn(usize) -> bool,
) -> Vec<Vec<usize>> {
    let sets = circuits(system, values, on).into_iter();
    let rows = |circuit: Vec<(usize, f64)>| {
        let mut rows: Vec<usize> = circuit.into_iter().map(|(row, _)| row).collect();
        rows.sort_unstable();
        rows
    };
    sets.map(rows).collect()
}

/// The same sets, and in which multiples their rows cancel on everything that moves as it can.
fn circuits(system: &System, values: &[f64], on: impl Fn(usize) -> bool) -> Vec<Vec<(usize, f64)>> {
    // Knowns are rows like the others here.
    let reduction = Reduction::new(system, values, |_| false);
    if reduction.free.len() > MOST {
        return Vec::new();
    }
    let mut kept: Vec<usize> = (0..reduction.rows.len()).collect();
    kept.retain(|&k| on(reduction.rows[k]));
    kept.sort_by_key(|&k| {
        let entries = reduction.matrix.row(k);
        entries.iter().filter(|&&entry| entry != 0.0).count()
    });
    // Forces and accelerations are made alike: each column as long as the others in rows of length
    // one.
    let mut matrix = reduction.matrix.select_rows(&kept);
    let mut norms = vec![1.0; kept.len()];
    for (mut row, kept_norm) in matrix.row_iter_mut().zip(&mut norms) {
        let norm = row.norm();
        if norm > 0.0 {
            row /= norm;
            *kept_norm = norm;
        }
    }
    for mut column in matrix.column_iter_mut() {
        let largest = column.amax();
        if largest > 0.0 {
            column /= largest;
        }
    }
    let mut sets = Vec::new();
    // Independent rows with their pivots, and which multiples of the rows as they were they have
    // become.
    let mut basis: Vec<(usize, Vec<f64>, Vec<f64>)> = Vec::new();
    for k in 0..kept.len() {
        let mut row: Vec<f64> = matrix.row(k).iter().copied().collect();
        let mut parts = vec![0.0; kept.len()];
        parts[k] = 1.0;
        for (pivot, other, other_parts) in &basis {
            let factor = row[*pivot] / other[*pivot];
            if factor != 0.0 {
                subtract(&mut row, factor, other);
                subtract(&mut parts, factor, other_parts);
                row[*pivot] = 0.0;
            }
        }
        let largest_part = largest(&parts).map_or(0.0, |part| parts[part].abs());
        match largest(&row) {
            Some(pivot) if row[pivot].abs() > CANCELLED * largest_part => {
                basis.push((pivot, row, parts));
            }
            _ => {
                let counts = |&k: &usize| parts[k].abs() > PART * largest_part;
                let set = (0..kept.len()).filter(counts);
                let set = set.map(|k| (reduction.rows[kept[k]], parts[k] / norms[k]));
                sets.push(set.collect());
            }
        }
    }
    sets
}

/// Of sets of exact rows that depend on themselves, the one whose right-hand sides agree least, in
/// words; none if all agree to the given share of the largest numbers that they are made of. `rhs`
/// comes with these.
///
/// The residuals of the dynamics without accelerations and external forces are the part of each row
/// that its unknowns have to make up for; where the rows cancel there are no such unknowns.
pub(crate) fn contradicting(
    system: &System,
    values: &[f64],
    (rhs, sizes): (&[f64], &[f64]),
    is_exact: impl Fn(usize) -> bool,
    share: f64,
) -> Option<String> {
    let (pattern, unknowns) = (system.sparsity(), system.unknowns());
    let mut x = vec![0.0; unknowns.count()];
    let terms = |row: usize, x: &[f64]| {
        let terms = pattern.row_range(row).zip(pattern.row(row));
        let terms = terms.map(|(slot, &column)| values[slot] * x[column]);
        terms.fold((0.0, 0.0_f64), |(sum, largest), term| {
            (sum + term, largest.max(term.abs()))
        })
    };
    // The pivots, zero so far, have the coefficient −1.
    for (row, pivot) in system.equations().pivots(unknowns) {
        x[pivot] = terms(row, &x).0 - rhs[row];
    }
    let disagreement = |circuit: &[(usize, f64)]| {
        let parts = circuit.iter().map(|&(row, part)| {
            let (sum, largest) = terms(row, &x);
            (
                part * (rhs[row] - sum),
                part.abs() * largest.max(sizes[row]),
            )
        });
        let (sum, largest) = parts.fold((0.0, 0.0_f64), |(sum, largest), (part, size)| {
            (sum + part, largest.max(size))
        });
        if largest > 0.0 {
            sum.abs() / largest
        } else {
            0.0
        }
    };
    let circuits = circuits(system, values, is_exact).into_iter();
    let judged = circuits.map(|circuit| (disagreement(&circuit), circuit));
    let worst = judged.max_by(|a, b| a.0.total_cmp(&b.0));
    let (_, circuit) = worst.filter(|(disagreement, _)| *disagreement > share)?;
    let mut rows: Vec<usize> = circuit.into_iter().map(|(row, _)| row).collect();
    rows.sort_unstable();
    Some(in_words(system, &rows).join(", "))
}

fn subtract(x: &mut [f64], factor: f64, other: &[f64]) {
    for (x, other) in x.iter_mut().zip(other) {
        *x -= factor * other;
    }
}

/// Where the largest number is.
fn largest(x: &[f64]) -> Option<usize> {
    (0..x.len()).max_by(|&a, &b| x[a].abs().total_cmp(&x[b].abs()))
}

/// The knowns, sensors and loop joints of some rows, each with its rows in words.
pub(super) fn in_words(system: &System, rows: &[usize]) -> Vec<String> {
    const MOST: usize = 3;
    let problem = system.problem();
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    // Many connected loops are reported as one.
    let motions = rows
        .iter()
        .filter_map(|&row| match system.equations().at(row) {
            Some(Equation::LoopMotion { joint, .. }) => Some(joint),
            _ => None,
        });
    let mut loops: Vec<LoopId> = motions.collect();
    loops.dedup();
    let is_many = loops.len() > MOST;
    for &row in rows {
        let (name, part) = match system.equations().at(row) {
            Some(Equation::Known { known, .. }) => {
                let mut words = problem.words.iter();
                let word = words.find(|(_, own)| own.contains(&known.index()));
                let name = match (word, problem.knowns()[known.index()].0) {
                    (Some((word, _)), _) => format!("`{word}`"),
                    (None, Known::JointAcceleration { .. }) => "known accelerations".to_owned(),
                    (None, Known::JointForce { .. }) => "known forces of joints".to_owned(),
                    (None, Known::ExternalForce { .. }) => "known external forces".to_owned(),
                };
                (name, described(system, row))
            }
            Some(Equation::LoopMotion { .. } | Equation::LoopFreedom { .. }) if is_many => {
                let row = system.describe_row(row).unwrap_or_default();
                (format!("the closing of {} loop joints", loops.len()), row)
            }
            Some(Equation::LoopMotion { joint, component }) => {
                let joint = &system.model().loop_joint(joint).name;
                let part = crate::requested::ALONG[component].to_owned();
                (format!("the closing of {joint}"), part)
            }
            Some(Equation::LoopFreedom { joint, degree }) => {
                let joint = &system.model().loop_joint(joint).name;
                let part = format!("degree of freedom {degree}");
                (format!("the missing drive of {joint}"), part)
            }
            Some(Equation::Sensor { sensor, component }) => {
                let is_alone = system.equations().sensor(sensor).len() == 1;
                let sensor = &problem.sensors()[sensor.index()];
                let part = sensor.kind.describe_row(component).filter(|_| !is_alone);
                (sensor.name.clone(), part.unwrap_or_default())
            }
            _ => continue,
        };
        match groups.last_mut() {
            Some((before, parts)) if *before == name => parts.push(part),
            _ => groups.push((name, vec![part])),
        }
    }
    let words = groups.into_iter().map(|(name, mut parts)| {
        parts.retain(|part| !part.is_empty());
        match parts.len() {
            0 => name,
            count if count > MOST => format!("{name} ({count} equations)"),
            _ => format!("{name} ({})", parts.join(", ")),
        }
    });
    words.collect()
}

/// The unknown that a row gives as it is.
fn described(system: &System, row: usize) -> String {
    match system.sparsity().row(row) {
        [column] => crate::requested::name_of(system, *column),
        _ => String::new(),
    }
}
