//! What an estimate costs.

use super::error::EstimateError;
use super::normal::NormalMatrix;
use super::options::EstimatorOptions;
use super::prior_scale::prior_informations;
use super::weights::Weights;
use crate::error::SystemError;
use crate::program::assembled;
use crate::system::{AssemblyMemory, System};
use crate::template::SampleState;
use featherline::scalar::{OpCount, Operations, Scalar};
use featherline_compile::{Graph, Options, Program};

/// The variance of equations that have none, in normal equations.
const EQUATION: f64 = 1e-6;

/// The operations of the maximum a posteriori estimate of all unknowns in one state, all sensors
/// on, by [normal equations](EstimatorOptions::normal_equations): what an
/// [`Estimator`](crate::Estimator) computes for these without a refinement, counted by the rules of
/// [`OpCount`]. Orthogonal transformations choose their rows by the numbers, and have no program.
/// The robot's parameters and all variances are constants; equations without one have 10⁻⁶.
///
/// ```
/// use featherline::samples;
/// use featherline_system::{EstimateCount, EstimatorOptions, Given, Problem, System};
///
/// // q̈ and τ are both unknown: the prior decides.
/// let problem = Problem::new(samples::double_pendulum()).external_forces(Given::Zero);
/// let count = EstimateCount::of(&System::new(problem)?, &EstimatorOptions::default())?;
/// assert_eq!(count.all.total(), count.equations.total() + count.solving.total());
/// assert!(count.program.total() <= count.all.total());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EstimateCount {
    /// Sines, placements, velocities, and the numbers of A and r: X, v and b.
    pub equations: Operations,
    /// Σ⁻¹ + Aᵀ W A.
    pub normal_matrix: Operations,
    /// Its factorisation L D Lᵀ.
    pub factorisation: Operations,
    /// Aᵀ W r, and the substitutions.
    pub solution: Operations,
    /// The last three together: the estimate where A and r are given.
    pub solving: Operations,
    /// Everything.
    pub all: Operations,
    /// The real instructions of everything as a compiled program, once it is simplified.
    pub program: Operations,
}

impl EstimateCount {
    /// Counts. Cost: compiling takes some microseconds an operation, seconds for a humanoid.
    ///
    /// # Errors
    /// [`EstimateError::Variance`], [`EstimateError::Ordering`], and [`EstimateError::System`] for
    /// a sampled state that can't be assembled.
    pub fn of(system: &System, options: &EstimatorOptions) -> Result<Self, EstimateError> {
        let options = options.normal_equations(options.equation.unwrap_or(EQUATION));
        let normal = NormalMatrix::new(system, &[])?;
        let (weights, prior) = (
            Weights::new(system, &options)?,
            prior_informations(system, &options)?,
        );
        let problem = Normal {
            system,
            matrix: &normal,
            weights: &weights,
            prior: &prior,
        };
        let state = SampleState::new(system, 0)?;
        let variables = |values: &[f64]| -> Vec<OpCount> {
            values.iter().copied().map(OpCount::variable).collect()
        };
        let (q, v, inputs) = (
            variables(&state.q),
            variables(&state.v),
            variables(&state.inputs),
        );
        let mut values = vec![OpCount::zero(); system.sparsity().entries()];
        let mut right = vec![OpCount::zero(); system.sparsity().rows()];
        let mut memory = AssemblyMemory::new(system);
        let (assembled, equations) = OpCount::measure(|| {
            system.assemble_closed(&mut memory, &q, &v, &inputs, &mut values, &mut right)
        });
        assembled?;
        let mut parts = [Operations::default(); 3];
        let (_, solving) = OpCount::measure(|| problem.solve(&values, &right, &mut parts));
        // The two counts belong to one thread: one more measurement of both is their sum.
        let (_, all) = OpCount::measure(|| {
            let done =
                system.assemble_closed(&mut memory, &q, &v, &inputs, &mut values, &mut right);
            done.map(|()| problem.solve(&values, &right, &mut parts))
        });
        let [normal_matrix, factorisation, solution] = parts;
        Ok(Self {
            equations,
            normal_matrix,
            factorisation,
            solution,
            solving,
            all,
            program: problem.program()?.count(),
        })
    }
}

/// A system's normal equations with fixed variances.
struct Normal<'a> {
    system: &'a System,
    matrix: &'a NormalMatrix,
    weights: &'a Weights,
    prior: &'a [f64],
}

impl Normal<'_> {
    /// The estimate about a prior mean of zero. What counts is left in `parts`: the matrix, its
    /// factorisation, the solution.
    fn solve<S: Scalar>(&self, values: &[S], right: &[S], parts: &mut [Operations; 3]) -> Vec<S> {
        let (pattern, sparsity) = (&self.matrix.pattern, self.system.sparsity());
        let mut factor = vec![S::zero(); pattern.len()];
        let mut x = vec![S::zero(); pattern.size()];
        (_, parts[0]) = OpCount::measure(|| {
            for row in 0..self.weights.len() {
                let entries = &values[sparsity.row_range(row)];
                let weight = S::constant(self.weights.of(row));
                self.matrix.add_row(row, entries, weight, &mut factor);
            }
            let diagonal = factor[pattern.entries()..].iter_mut();
            for (value, &unknown) in diagonal.zip(&pattern.order) {
                *value += S::constant(self.prior[unknown]);
            }
        });
        (_, parts[1]) = OpCount::measure(|| {
            let mut work = vec![S::zero(); pattern.size()];
            pattern.eliminate(&mut factor, &mut work, |_, _, _| true);
        });
        let (unknowns, solution) = OpCount::measure(|| {
            for row in 0..self.weights.len() {
                let scaled = S::constant(self.weights.of(row)) * right[row];
                let entries = values[sparsity.row_range(row)].iter();
                for (&a, &column) in entries.zip(sparsity.row(row)) {
                    x[pattern.position[column]] += a * scaled;
                }
            }
            pattern.solve(&factor, &mut x);
            pattern.position.iter().map(|&at| x[at]).collect()
        });
        parts[2] = solution;
        unknowns
    }

    /// q, v and the inputs → all unknowns.
    fn program(&self) -> Result<Program, SystemError> {
        let model = self.system.model();
        let width = model.nq() + model.nv() + self.system.input_count();
        let graph = Graph::try_record(width, |state| {
            let (values, right) = assembled(self.system, state)?;
            let mut parts = [Operations::default(); 3];
            Ok::<_, SystemError>(self.solve(&values, &right, &mut parts))
        })?;
        Ok(Program::of_graph(&graph.simplified(), &Options::default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Estimator;
    use crate::problem::{Given, Noise, Problem, Sensor, SensorKind};
    use featherline::samples::tapered_chain;
    use featherline_compile::Interpreter;

    /// Torques and accelerations of all joints: redundant.
    fn redundant(links: usize) -> System {
        let mut problem = Problem::new(tapered_chain(links)).external_forces(Given::Zero);
        let joints: Vec<_> = problem.model().joint_ids().collect();
        for (k, joint) in joints.into_iter().enumerate() {
            for (name, kind) in [
                ("torque", SensorKind::JointForce { joint }),
                ("encoder", SensorKind::JointAcceleration { joint }),
            ] {
                let sensor = Sensor::new(format!("{name} {k}"), kind, Noise::Deviation(0.1));
                problem.add_sensor(sensor).expect("named once");
            }
        }
        System::new(problem).expect("a system")
    }

    #[test]
    fn what_is_counted_is_the_estimate() {
        let system = redundant(4);
        let options = EstimatorOptions::default()
            .normal_equations(1e-6)
            .refinements(0);
        let normal = NormalMatrix::new(&system, &[]).expect("memory");
        let weights = Weights::new(&system, &options).expect("variances");
        let prior = prior_informations(&system, &options).expect("variances");
        let problem = Normal {
            system: &system,
            matrix: &normal,
            weights: &weights,
            prior: &prior,
        };
        let program = problem.program().expect("a chain");
        let state = SampleState::new(&system, 7).expect("a tree");
        let input = [&state.q[..], &state.v, &state.inputs].concat();
        let mut found = vec![0.0; system.unknowns().count()];
        Interpreter::new(&program)
            .run(&input, &mut found)
            .expect("finite");
        let mut estimator = Estimator::new(system.clone(), &options).expect("variances");
        let estimate = estimator.update(&state.q, &state.v, &state.inputs);
        let expected = estimate.expect("observable");
        // Variances of 10⁴ and 10⁻⁶ leave six digits of sixteen to normal equations without a
        // refinement.
        for (found, expected) in found.iter().zip(expected.mean()) {
            assert!((found - expected).abs() < 1e-4 * (1.0 + expected.abs()));
        }
        let count = EstimateCount::of(&system, &options).expect("variances");
        assert_eq!(count.program, program.count());
    }

    #[test]
    fn counts_bound_each_other() {
        let system = redundant(6);
        let count = EstimateCount::of(&system, &EstimatorOptions::default()).expect("variances");
        let normal = NormalMatrix::new(&system, &[]).expect("memory");
        // A factorisation of the pattern, of which constants and structural zeros of the matrix
        // save some products.
        let all = normal.pattern.multiplications() as u64;
        let (found, n) = (count.factorisation, normal.pattern.size() as u64);
        let entries = normal.pattern.entries() as u64;
        assert!(found.multiplications + found.divisions <= all);
        assert!(found.multiplications > all / 4);
        // Two substitutions: an entry costs a product and a sum in each.
        assert!(count.solution.divisions <= n);
        assert!(count.solution.multiplications >= entries);
        let parts = [count.normal_matrix, count.factorisation, count.solution];
        let sum: u64 = parts.iter().map(Operations::total).sum();
        assert_eq!(sum, count.solving.total());
        assert_eq!(count.all.total(), sum + count.equations.total());
        assert!(count.equations.sin_cos == 6);
    }
}
