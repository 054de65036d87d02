//! Mass matrices so close to singular that two right programs cannot agree on their inverse: who is
//! how far from an exact one.
//!
//! Each side's inverse is compared with the exact inverses of both sides' mass matrices, and these
//! with each other.
//!
//! The condition number κ is large where bodies of very different inertia move. That costs an
//! algorithm no digits that eliminates one joint after the other: what does is the condition number
//! κₛ of the matrix scaled to a diagonal of ones (J. Demmel, *On floating point errors in
//! Cholesky*, LAPACK Working Note 14, 1989; Higham 2002, section 10.1). So our inverse has to be
//! within κₛ · 2⁻⁴⁸ of the exact inverse of the reference's mass matrix: some roundings of each
//! entry of the two mass matrices, and those of the inversion.

use crate::agreement::{BEYOND_COMPARISON, Family, INVERSE_TOLERANCE, Judged, TOLERANCE};
use crate::refined;
use nalgebra::DMatrix;
use std::fmt::{self, Write};

/// The error of our inverse that is accepted, as a multiple of the condition number of the scaled
/// mass matrix.
const AMPLIFIED: f64 = 16.0 * f64::EPSILON;

/// The data of one side.
#[derive(Clone, Debug)]
pub struct Side {
    /// Its mass matrix.
    pub mass: DMatrix<f64>,
    /// The inverse that it found.
    pub inverse: DMatrix<f64>,
}

/// Inverses of the mass matrix of one state. All numbers are largest differences relative to the
/// largest entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Inverses {
    /// The condition number of the reference's mass matrix scaled to a diagonal of ones.
    pub scaled_condition: f64,
    /// Between the two sides' mass matrices.
    pub masses: f64,
    /// Between the two sides' inverses.
    pub found: f64,
    /// Between the exact inverses of the two mass matrices.
    pub exact: f64,
    /// Between the reference's inverse and the exact one of its own mass matrix.
    pub theirs: f64,
    /// Between our inverse and the exact one of our own mass matrix.
    pub ours: f64,
    /// Between our inverse and the exact one of the reference's mass matrix.
    pub ours_of_theirs: f64,
    /// Between the reference's inverse and the exact one of our mass matrix.
    pub theirs_of_ours: f64,
}

impl Inverses {
    /// Compares all inverses. Where no exact one was found, the numbers that need it are infinite.
    pub fn new(ours: &Side, theirs: &Side) -> Self {
        let (our_exact, their_exact) =
            (refined::inverse(&ours.mass), refined::inverse(&theirs.mass));
        let from = |exact: &Option<DMatrix<f64>>, found| {
            let exact = exact.as_ref();
            exact.map_or(f64::INFINITY, |exact| apart(found, exact))
        };
        let exact = our_exact.as_ref();
        Self {
            scaled_condition: scaled_condition(&theirs.mass),
            masses: apart(&ours.mass, &theirs.mass),
            found: apart(&ours.inverse, &theirs.inverse),
            exact: exact.map_or(f64::INFINITY, |exact| from(&their_exact, exact)),
            theirs: from(&their_exact, &theirs.inverse),
            ours: from(&our_exact, &ours.inverse),
            ours_of_theirs: from(&their_exact, &ours.inverse),
            theirs_of_ours: from(&our_exact, &theirs.inverse),
        }
    }

    /// How far our inverse may be from the exact one of the reference's mass matrix.
    pub fn accepted(&self) -> f64 {
        self.scaled_condition * AMPLIFIED
    }
}

fn apart(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    (a - b).amax() / b.amax()
}

/// The condition number of D⁻¹ᐟ² M D⁻¹ᐟ², with D the diagonal of M.
fn scaled_condition(mass: &DMatrix<f64>) -> f64 {
    let scale = mass.diagonal().map(|d| d.sqrt().recip());
    let scaled = DMatrix::from_fn(mass.nrows(), mass.ncols(), |i, k| {
        mass[(i, k)] * scale[i] * scale[k]
    });
    let values = scaled.symmetric_eigenvalues();
    values.max() / values.min()
}

/// A state, and its inverses.
#[derive(Clone, Debug, PartialEq)]
pub struct Worst {
    /// The condition number of the mass matrix.
    pub condition: f64,
    /// The error that is accepted.
    pub accepted: f64,
    /// The inverses.
    pub inverses: Inverses,
}

/// The summary of the states of a robot whose mass matrix is close to singular.
#[derive(Clone, Debug, Default)]
pub struct CloseToSingular {
    /// How many there are.
    pub states: usize,
    /// In how many of them M⁻¹ differs by more than [`INVERSE_TOLERANCE`].
    pub inverses_apart: usize,
    /// In how many of them accelerations do.
    pub accelerations_apart: usize,
    /// In how many of them our inverse is nearer than the reference's to the exact one of the
    /// reference's mass matrix.
    pub nearer_to_theirs: usize,
    /// In how many of them our inverse is nearer than the reference's to the exact one of our mass
    /// matrix.
    pub nearer_to_ours: usize,
    /// The largest distance of our inverse from the exact one of our mass matrix, and of the
    /// reference's.
    pub ours: [f64; 2],
    /// The largest distance of the reference's inverse from the exact one of its own mass matrix.
    pub theirs: f64,
    /// The worst error of accelerations.
    pub accelerations: f64,
    /// The worst residual.
    pub residual: f64,
    /// The state in which the inverses differ most.
    pub worst: Option<Worst>,
}

impl CloseToSingular {
    /// Adds a state.
    pub fn add(&mut self, condition: f64, inverses: Inverses, judged: &[Judged]) {
        let worst = |families: &[Family]| {
            let members = judged.iter().filter(|j| families.contains(&j.family));
            members.map(|j| j.error).fold(0.0, f64::max)
        };
        let accelerations = worst(&[Family::JointAcceleration, Family::HybridAcceleration]);
        self.states += 1;
        self.inverses_apart += usize::from(worst(&[Family::Inverse]) > INVERSE_TOLERANCE);
        self.accelerations_apart += usize::from(accelerations > INVERSE_TOLERANCE);
        self.nearer_to_theirs += usize::from(inverses.ours_of_theirs < inverses.theirs);
        self.nearer_to_ours += usize::from(inverses.ours < inverses.theirs_of_ours);
        let [own, other] = self.ours;
        self.ours = [own.max(inverses.ours), other.max(inverses.ours_of_theirs)];
        self.theirs = self.theirs.max(inverses.theirs);
        self.accelerations = self.accelerations.max(accelerations);
        self.residual = self.residual.max(worst(&[Family::Residual]));
        let inverse = judged.iter().find(|j| j.family == Family::Inverse);
        if let Some(inverse) = inverse
            && self
                .worst
                .as_ref()
                .is_none_or(|worst| worst.inverses.found < inverses.found)
        {
            self.worst = Some(Worst {
                condition,
                accepted: inverse.tolerance,
                inverses,
            });
        }
    }
}

/// Writes the section of the report, from (robot, base, its states close to singular).
pub fn write(out: &mut String, rows: &[(&str, &str, &CloseToSingular)]) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    let sum = |count: fn(&CloseToSingular) -> usize| -> usize {
        rows.iter().map(|(_, _, states)| count(states)).sum()
    };
    let models = |count: fn(&CloseToSingular) -> usize| {
        let some = rows.iter().filter(|(_, _, states)| count(states) > 0);
        some.count()
    };
    let most = |number: fn(&CloseToSingular) -> f64| {
        let numbers = rows.iter().map(|(_, _, states)| number(states));
        numbers.fold(0.0, f64::max)
    };
    let states = sum(|states| states.states);
    writeln!(
        out,
        "\n## Mass matrices close to singular\n\n\
         In {states} states of {} models κ exceeds {BEYOND_COMPARISON:.0e}. There M⁻¹ differs by more than \
         {INVERSE_TOLERANCE:.0e} in {} states of {} models,\nq̈ in {} states of {}. Accepted is κ · 2⁻⁵¹, with a residual \
         of {TOLERANCE:.0e} in the reference's equations of motion (the worst\nhere is {:.1e}), and for M⁻¹ besides \
         κₛ · 2⁻⁴⁸ from the exact inverse of Pinocchio's M.\n",
        rows.len(),
        sum(|states| states.inverses_apart),
        models(|states| states.inverses_apart),
        sum(|states| states.accelerations_apart),
        models(|states| states.accelerations_apart),
        most(|states| states.residual),
    )?;
    writeln!(
        out,
        "*Exact* inverses of each side's M were found with residuals in twice the precision (`src/refined.rs`). \
         featherline's M⁻¹ is at most\n{:.1e} from the exact inverse of its own M, and {:.1e} from that of Pinocchio's M; \
         Pinocchio's is up to {:.1e} from the exact inverse of\nits own. Of the {states} states, featherline's is nearer \
         to the exact inverse of Pinocchio's M in {}, and of its own M in {}. κ is large\nwhere bodies of very different \
         inertia move, which by itself costs no digits; κₛ is the condition number of M scaled to a diagonal\nof ones \
         (`src/close_to_singular.rs`).\n\n\
         Each row shows the state in which the inverses differ most; numbers are relative to the largest entry.\n",
        most(|states| states.ours[0]),
        most(|states| states.ours[1]),
        most(|states| states.theirs),
        sum(|states| states.nearer_to_theirs),
        sum(|states| states.nearer_to_ours),
    )?;
    writeln!(
        out,
        "| robot | base | states | M⁻¹ > {INVERSE_TOLERANCE:.0e} | q̈ > {INVERSE_TOLERANCE:.0e} | q̈: worst | κ | κₛ | \
         M: difference | M⁻¹: difference | accepted | exact M⁻¹: difference | Pinocchio from exact | featherline from \
         exact | featherline from Pinocchio's exact | accepted |"
    )?;
    writeln!(
        out,
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    )?;
    for (robot, base, states) in rows {
        let Some(Worst {
            condition,
            accepted,
            inverses,
        }) = &states.worst
        else {
            continue;
        };
        writeln!(
            out,
            "| {robot} | {base} | {} | {} | {} | {:.1e} | {condition:.1e} | {:.1e} | {:.1e} | {:.1e} | {accepted:.1e} | \
             {:.1e} | {:.1e} | {:.1e} | {:.1e} | {:.1e} |",
            states.states,
            states.inverses_apart,
            states.accelerations_apart,
            states.accelerations,
            inverses.scaled_condition,
            inverses.masses,
            inverses.found,
            inverses.exact,
            inverses.theirs,
            inverses.ours,
            inverses.ours_of_theirs,
            inverses.accepted(),
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(mass: &DMatrix<f64>, inverse: &DMatrix<f64>) -> Side {
        Side {
            mass: mass.clone(),
            inverse: inverse.clone(),
        }
    }

    #[test]
    fn scales_cost_nothing_and_a_wrong_digit_is_seen() {
        // κ is 10¹², and 3 once the diagonal is one.
        let mass = DMatrix::from_row_slice(2, 2, &[1.0, 0.5e-6, 0.5e-6, 1e-12]);
        let exact = refined::inverse(&mass).unwrap();
        let compared = Inverses::new(&side(&mass, &exact), &side(&mass, &exact));
        assert!((compared.scaled_condition - 3.0).abs() < 1e-14);
        assert_eq!(compared.ours_of_theirs, 0.0);
        let off = &exact * (1.0 + 1e-13);
        let compared = Inverses::new(&side(&mass, &off), &side(&mass, &exact));
        assert!(compared.ours_of_theirs > compared.accepted());
    }

    #[test]
    fn without_an_exact_inverse_nothing_is_accepted() {
        let mass = DMatrix::from_element(2, 2, 1.0);
        let compared = Inverses::new(&side(&mass, &mass), &side(&mass, &mass));
        let numbers = [compared.ours, compared.ours_of_theirs, compared.exact];
        assert_eq!(numbers, [f64::INFINITY; 3]);
    }
}
