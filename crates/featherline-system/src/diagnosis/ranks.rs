//! The undetermined directions in one configuration, by whichever method suits the size of the
//! problem.

use super::reduction::{Rank, Reduction, echelon, open_columns};
use crate::requested::components_of;
use crate::system::System;
use crate::unknown::Unknown;
use featherline_sparse::{DulmageMendelsohn, Equilibration, SparseRank};
use nalgebra::DMatrix;
use std::ops::Range;

/// As many q̈ and components of fˣ may be open for a dense decomposition. It works on what
/// elimination leaves of them, whose condition is that of the mass matrix: along a chain of
/// hundreds of links no digit would be right.
const DENSE: usize = 100;

/// The part of the largest entry that is more than rounding after a sparse solve.
const DEPENDS: f64 = 1e-6;

/// The rows of a system in one configuration, factorised.
pub(crate) enum Ranks<'a> {
    /// Reduced to the few quantities that the dynamics leave free.
    Dense {
        reduction: Reduction,
        rank: Rank,
        /// Which rows of the system count.
        counts: Vec<bool>,
    },
    /// As they are.
    Sparse {
        system: &'a System,
        values: &'a [f64],
        factors: Box<SparseRank>,
        /// Of all unknowns, in scaled and in own units.
        null: DMatrix<f64>,
        unscaled: DMatrix<f64>,
    },
}

impl<'a> Ranks<'a> {
    /// Looks at the rows for which `counts` holds of a system whose matrix has the given values;
    /// nothing if more directions than `most` are open in a system too large to be dense.
    pub fn new(
        system: &'a System,
        values: &'a [f64],
        counts: impl Fn(usize) -> bool,
        most: usize,
    ) -> Option<Self> {
        Self::beyond(DENSE, system, values, counts, most)
    }

    /// The same with another bound on what is dense.
    fn beyond(
        dense: usize,
        system: &'a System,
        values: &'a [f64],
        counts: impl Fn(usize) -> bool,
        most: usize,
    ) -> Option<Self> {
        let pattern = system.sparsity();
        if open_columns(system, &counts).0.len() <= dense {
            // Rows that do not count may be asked for on the directions that the others leave open.
            let reduction = Reduction::new(system, values, &counts);
            return Some(Self::Dense {
                rank: reduction.rank(&counts),
                reduction,
                counts: (0..pattern.rows()).map(counts).collect(),
            });
        }
        let structural = DulmageMendelsohn::of_rows(pattern, &counts).rank();
        let open = pattern.columns() - structural;
        if open > most {
            return None;
        }
        let look = |scaling| {
            // Regular by construction: only memory can be requesting.
            let factors = SparseRank::new(pattern, values, &counts, scaling).ok()?;
            let null = factors.null_space(open, most)?;
            Some((factors, null))
        };
        let first = look(Equilibration::Greatest);
        let (factors, null) = match first {
            Some((_, ref null)) if null.ncols() == open => first,
            // An open direction is open in any scaling; one that only seems open in one scaling is
            // not open in another.
            _ => match (first, look(Equilibration::Mean)) {
                (Some(first), Some(second)) if first.1.ncols() <= second.1.ncols() => Some(first),
                (first, second) => second.or(first),
            },
        }?;
        Some(Self::Sparse {
            unscaled: factors.unscaled(&null),
            system,
            values,
            factors: Box::new(factors),
            null,
        })
    }

    /// How many independent directions no row sees.
    pub fn open(&self) -> usize {
        match self {
            Self::Dense { rank, .. } => rank.null.ncols(),
            Self::Sparse { null, .. } => null.ncols(),
        }
    }

    /// A basis of what no row sees, in the unknowns' own units: a row for each unknown, a column
    /// for each direction.
    pub fn null_space(&self) -> DMatrix<f64> {
        match self {
            Self::Dense {
                reduction, rank, ..
            } => reduction.transfer.tr_mul(&rank.null),
            Self::Sparse { unscaled, .. } => unscaled.clone(),
        }
    }

    /// The columns of the system that are not determined.
    pub fn undetermined(&self) -> Vec<usize> {
        match self {
            Self::Dense {
                reduction, rank, ..
            } => {
                let columns = 0..reduction.transfer.ncols();
                let is_open = |column: &usize| reduction.depends(&[(*column, 1.0)], &rank.null);
                columns.filter(is_open).collect()
            }
            Self::Sparse { null, .. } => (0..null.nrows())
                .filter(|&column| null.row(column).amax() > DEPENDS)
                .collect(),
        }
    }

    /// The components in the joints' output frames that depend on an undetermined direction, of the
    /// columns that are not determined.
    pub fn undetermined_components(&self, system: &System) -> Vec<Unknown> {
        let read = components_of(system, &self.undetermined());
        let is_open = |terms: &[(usize, f64)]| match self {
            Self::Dense {
                reduction, rank, ..
            } => reduction.depends(terms, &rank.null),
            Self::Sparse {
                factors, unscaled, ..
            } => {
                let scale =
                    |&(column, factor): &(usize, f64)| factor.abs() * factors.scale()[column];
                let size = terms.iter().map(scale).fold(0.0, f64::max);
                (0..unscaled.ncols()).any(|k| {
                    let parts = terms.iter().map(|&(column, a)| a * unscaled[(column, k)]);
                    parts.sum::<f64>().abs() > DEPENDS * size
                })
            }
        };
        let open = read.iter().filter(|component| is_open(&component.terms));
        open.map(|component| component.unknown).collect()
    }

    /// For each independent direction, columns of q̈ and fˣ with how much they change together.
    pub fn directions(&self) -> Vec<Vec<(usize, f64)>> {
        let (columns, null, least) = match self {
            Self::Dense {
                reduction, rank, ..
            } => (reduction.free.clone(), rank.null.clone(), 1e-7),
            Self::Sparse {
                system, unscaled, ..
            } => {
                let free = open_columns(system, |_| false).0;
                let null = echelon(unscaled.select_rows(&free));
                (free, null, DEPENDS)
            }
        };
        let directions = null.column_iter();
        directions
            .map(|direction| {
                let largest = direction.amax();
                let entries = columns.iter().zip(direction.iter());
                entries
                    .filter(|(_, value)| value.abs() > least * largest)
                    .map(|(&column, &value)| (column, value))
                    .collect()
            })
            .collect()
    }

    /// How many multiplications it takes to ask for each of so many rows whether the others do
    /// without, roughly.
    pub fn work(&self, rows: usize) -> f64 {
        let one = match self {
            Self::Dense {
                reduction, counts, ..
            } => counts.len() * reduction.free.len().pow(2),
            // A solve of some entries a row and column.
            Self::Sparse { null, factors, .. } => 100 * (factors.scale().len() + null.nrows()),
        };
        rows as f64 * one as f64
    }

    /// Whether nothing more is open without some rows.
    pub fn is_redundant(&self, rows: &Range<usize>) -> bool {
        match self {
            Self::Dense {
                reduction,
                rank,
                counts,
            } => {
                let others = |row: usize| counts[row] && !rows.contains(&row);
                reduction.rank(others).rank == rank.rank
            }
            Self::Sparse { factors, .. } => factors.is_redundant(rows),
        }
    }

    /// Some rows of the system on the open directions. What rounding left of terms that cancel is
    /// zero.
    pub fn on_directions(&self, rows: &Range<usize>) -> DMatrix<f64> {
        let (system, values, null) = match self {
            Self::Dense {
                reduction, rank, ..
            } => return reduction.on_directions(rows, &rank.null),
            Self::Sparse {
                system,
                values,
                unscaled,
                ..
            } => (system, values, unscaled),
        };
        let pattern = system.sparsity();
        DMatrix::from_fn(rows.len(), null.ncols(), |k, direction| {
            let slots = pattern.row_range(rows.start + k);
            let (mut sum, mut largest) = (0.0_f64, 0.0_f64);
            for slot in slots {
                let term = values[slot] * null[(pattern.indices()[slot], direction)];
                sum += term;
                largest = largest.max(values[slot].abs());
            }
            let size = largest * null.column(direction).amax();
            if sum.abs() <= DEPENDS * size {
                0.0
            } else {
                sum
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SensorFile;
    use crate::diagnosis::{matrix_values, samples};
    use crate::problem::{Known, KnownValue, Problem, SensorId};
    use crate::soak::cases;
    use featherline::Model;
    use featherline::joint::JointKind;
    use featherline::model::{JointSpec, ModelBuilder};
    use featherline::samples::{RandomTree, random_tree, tapered_chain};
    use featherline::spatial::{Inertia, Se3, Sym3, Vec3};

    /// Trees with joints of every kind, of which this or that is known, and the humanoid on load
    /// cells.
    fn problems() -> Vec<Problem> {
        let mut problems = Vec::new();
        for seed in 0..12_u64 {
            let shape = RandomTree {
                joints: 2 + (seed as usize * 3) % 7,
                branching: (seed % 3) as f64 / 2.0,
                every_kind: true,
                mimic_joints: seed % 2 == 1,
                floating: seed % 3 == 0,
            };
            let model = random_tree(seed, &shape);
            let mut some = Problem::new(model.clone()).external_forces(KnownValue::Zero);
            let joints: Vec<_> = model.joint_ids().collect();
            for &joint in joints.iter().step_by(2) {
                for degree in 0..model.joint(joint).nv {
                    let known = Known::JointForce { joint, degree };
                    some.know(known, KnownValue::Input).expect("known once");
                }
            }
            problems.push(match seed % 4 {
                0 => Problem::forward_dynamics(model),
                1 => Problem::inverse_dynamics(model),
                2 => some,
                _ => Problem::new(model),
            });
        }
        let humanoid = featherline_robots::humanoid();
        let feet = include_str!("../../../../robots/humanoid-feet.toml");
        let file = SensorFile::read(feet, &humanoid).expect("valid sensors");
        problems.push(file.problem(humanoid, &[]).expect("a problem"));
        let panda = featherline_robots::panda();
        let wrist = include_str!("../../../../robots/panda-wrist.toml");
        let file = SensorFile::read(wrist, &panda).expect("valid sensors");
        problems.push(file.problem(panda, &[]).expect("a problem"));
        problems
    }

    #[test]
    fn dense_and_sparse_ranks_agree() {
        let mut open = Vec::new();
        for problem in problems() {
            let system = System::new(problem).expect("a system");
            let name = system.model().name();
            for sample in samples(&system).expect("a tree") {
                let values = matrix_values(&system, &sample.q).expect("kinematics");
                let look = |dense| {
                    Ranks::beyond(dense, &system, &values, |_| true, usize::MAX).expect("memory")
                };
                let (dense, sparse) = (look(usize::MAX), look(0));
                assert_eq!(dense.open(), sparse.open(), "{name} in {}", sample.name);
                assert_eq!(dense.undetermined(), sparse.undetermined(), "{name}");
                assert_eq!(
                    dense.undetermined_components(&system),
                    sparse.undetermined_components(&system),
                    "{name}"
                );
                assert_eq!(dense.directions().len(), sparse.directions().len());
                for sensor in 0..system.problem().sensors().len() {
                    let own = system.equations().sensor(SensorId(sensor));
                    assert_eq!(
                        dense.is_redundant(&own),
                        sparse.is_redundant(&own),
                        "{name}: sensor {sensor}"
                    );
                }
                open.push(dense.open());
            }
        }
        assert!(open.contains(&0) && open.contains(&1) && open.iter().any(|&open| open > 8));
    }

    #[test]
    fn no_row_sees_what_is_open() {
        for problem in problems() {
            let system = System::new(problem).expect("a system");
            let sample = samples(&system).expect("a tree").pop();
            let sample = sample.expect("a random one");
            let values = matrix_values(&system, &sample.q).expect("kinematics");
            let ranks = Ranks::beyond(0, &system, &values, |_| true, usize::MAX);
            let ranks = ranks.expect("memory");
            let all = ranks.on_directions(&(0..system.sparsity().rows()));
            assert!(all.iter().all(|&value| value == 0.0));
        }
    }

    /// Equal rods on hinges with alternating axes.
    fn chain(links: usize, mass: f64, length: f64) -> Model {
        let moment = mass * length * length / 10.0;
        let middle = Vec3::new(length / 2.0, 0.0, 0.0);
        let moments = Vec3::new(moment / 10.0, moment, moment);
        let rod = Inertia::new(mass, middle, Sym3::diagonal(moments));
        let mut builder = ModelBuilder::new("chain");
        let mut parent = ModelBuilder::UNIVERSE;
        for k in 0..links {
            let kind = if k % 2 == 0 {
                JointKind::revolute_y()
            } else {
                JointKind::revolute_z()
            };
            let placement = Se3::from_translation(Vec3::new(length, 0.0, 0.0));
            let joint = JointSpec::new(format!("joint_{k}"), parent, kind).placement(placement);
            parent = builder.add_joint(joint);
            builder.add_body(parent, format!("link_{k}"), Se3::identity(), rod);
        }
        builder.build().expect("a valid model").model
    }

    #[test]
    fn long_chains_of_light_links_are_as_regular_as_short_ones() {
        // The last link of 200 weighs 10⁻²⁷ of the first one.
        let tapered = &[60, 110, 200][..cases(1, 3)];
        let mut models: Vec<_> = tapered.iter().map(|&links| tapered_chain(links)).collect();
        for (mass, length) in [(1.0, 0.01), (1e-6, 0.01), (1e-3, 1e-3), (1e3, 10.0)] {
            models.push(chain(cases(60, 120), mass, length));
        }
        for model in models {
            let name = format!("{}, {} links", model.name(), model.nv());
            let system = System::new(Problem::forward_dynamics(model)).expect("a system");
            for sample in samples(&system).expect("a tree") {
                let values = matrix_values(&system, &sample.q).expect("kinematics");
                let ranks = Ranks::beyond(0, &system, &values, |_| true, usize::MAX);
                assert_eq!(
                    ranks.expect("memory").open(),
                    0,
                    "{name} in {}",
                    sample.name
                );
            }
        }
    }

    #[test]
    fn too_much_is_not_looked_at() {
        let system = System::new(Problem::new(featherline_robots::panda())).expect("a system");
        let q = system.model().neutral_configuration();
        let values = matrix_values(&system, &q).expect("kinematics");
        // Seven accelerations and six components of each of seven external forces are open.
        let look = |most| Ranks::beyond(0, &system, &values, |_| true, most);
        assert!(look(48).is_none());
        assert_eq!(look(49).map(|ranks| ranks.open()), Some(49));
    }
}
