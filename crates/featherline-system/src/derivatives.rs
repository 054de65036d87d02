//! Derivatives of a solution by the state and the inputs, through the factors that solve it.

use crate::diagnosis::is_singular;
use crate::error::SystemError;
use crate::requested::Requested;
use crate::system::{AssemblyMemory, System};
use featherline::Error;
use featherline_compile::Graph;
use featherline_sparse::{GeneralError, GeneralLu};
use nalgebra::DMatrix;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use thiserror::Error;

/// The lower bound of ‖D‖ ‖D⁻¹‖ beyond which the rank is looked at.
const SUSPECT: f64 = 1e9;

/// Why a solution has no derivatives.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum DerivativesError {
    /// The state can't be assembled, or a result is too large.
    #[error(transparent)]
    System(#[from] SystemError),
    /// There are more or fewer equations than unknowns.
    #[error(
        "derivatives are those of a square system, and this one has {rows} equations for {columns} unknowns. Say as much \
         as is needed and no more; a diagnosis tells what is open or redundant"
    )]
    NotSquare {
        /// How many equations there are.
        rows: usize,
        /// How many unknowns there are.
        columns: usize,
    },
    /// The equations depend on each other in this state.
    #[error("the system is singular in this state; a diagnosis tells what is not determined")]
    Singular,
    /// There is no factorisation.
    #[error(transparent)]
    General(#[from] GeneralError),
}

/// Differentiates the solution y of a square system D(q) y = b(q, v, inputs) by q, v and the
/// inputs: of inverse, forward and hybrid dynamics, and of every other set of knowns and sensors.
///
/// D ∂y = ∂(b − D y) for each direction, with y held on the right, and with the factors of D (Golub
/// and Van Loan 2013, *Matrix computations*, section 2.6.1). The rest b − D y is traced once and
/// differentiated along the tangent space of q as in [`derivatives`](featherline::derivatives).
/// Where loops are closed, they are the derivatives along all motions that keep them so. Allocates.
/// Cost O((2 nv + inputs) n), and a factorisation; where that is nearly singular, one for the rank.
///
/// ```
/// use featherline::{Workspace, samples};
/// use featherline_system::{DerivativeSolver, Problem, Requested, System};
///
/// let model = samples::double_pendulum();
/// let system = System::new(Problem::inverse_dynamics(model.clone()))?;
/// let (q, v, qdd) = ([0.3, -0.2], [1.0, 0.5], [0.0, 2.0]);
/// let found = DerivativeSolver::new(&system)?.solve(&q, &v, &qdd)?;
/// let torques = found.of(&Requested::JointForces)?;
///
/// let mut ws = Workspace::new(&model);
/// let expected = model.rnea_derivatives(&mut ws, &q, &v, &qdd)?;
/// assert!((&torques.dq - expected.dq).amax() < 1e-12);
/// assert!((&torques.dinputs - expected.da).amax() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DerivativeSolver<'s> {
    system: &'s System,
    memory: AssemblyMemory<f64>,
    /// q, ε, v, inputs and y → b − D y, with D and b at q ⊕ ε.
    rest: Graph,
    general: GeneralLu,
}

/// The solution of one state with its derivatives.
#[derive(Clone, Debug)]
pub struct SolutionDerivatives<'s> {
    system: &'s System,
    unknowns: Vec<f64>,
    all: DMatrix<f64>,
}

/// The derivatives of some unknowns, one row each, as [`Requested::values`] reads them.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputDerivatives {
    /// By changes of q in the tangent space: nv columns.
    pub dq: DMatrix<f64>,
    /// By v: nv columns.
    pub dv: DMatrix<f64>,
    /// By the inputs, what is known and the readings: [`System::input_count`] columns, in the order
    /// of [`System::input_groups`].
    pub dinputs: DMatrix<f64>,
}

impl<'s> DerivativeSolver<'s> {
    /// Memory for a system, whose equations are traced.
    ///
    /// # Errors
    /// [`DerivativesError::NotSquare`], [`DerivativesError::General`] for want of memory.
    pub fn new(system: &'s System) -> Result<Self, DerivativesError> {
        let pattern = system.sparsity();
        let (rows, columns) = (pattern.rows(), pattern.columns());
        if rows != columns {
            return Err(DerivativesError::NotSquare { rows, columns });
        }
        let (nq, nv) = (system.model().nq(), system.model().nv());
        let count = nq + 2 * nv + system.input_count();
        let rest = Graph::try_record(count + columns, |numbers| {
            let (state, y) = numbers.split_at(count);
            let [q, step, rest] = system.split(state);
            let moved = system.model().integrate(q, step)?;
            let (v, inputs) = rest.split_at(nv);
            let (values, right) = system.traced([&moved, v, inputs])?;
            let rows = right.into_iter().zip(pattern.times(&values, y));
            Ok::<_, SystemError>(rows.map(|(right, left)| right - left).collect())
        })?;
        Ok(Self {
            memory: AssemblyMemory::new(system),
            rest,
            general: GeneralLu::new(pattern.clone())?,
            system,
        })
    }

    /// The solution of a state and its derivatives: `q` has nq entries, `v` nv, `inputs`
    /// [`System::input_count`].
    ///
    /// # Errors
    /// [`DerivativesError::Singular`]; [`DerivativesError::System`] as [`System::assemble`], and
    /// for a result that is not finite.
    pub fn solve(
        &mut self,
        q: &[f64],
        v: &[f64],
        inputs: &[f64],
    ) -> Result<SolutionDerivatives<'s>, DerivativesError> {
        let system = self.system;
        let (values, right) = system.assembled(&mut self.memory, [q, v, inputs])?;
        let factors = self.general.factorise(&values);
        let factors = factors.map_err(|error| {
            let is_singular = matches!(
                error,
                GeneralError::Structure { .. } | GeneralError::Singular
            );
            if is_singular {
                DerivativesError::Singular
            } else {
                error.into()
            }
        })?;
        // A singular D shows in a second column: random numbers have a part along each of its
        // singular vectors (Dixon 1983).
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let random = (0..right.len()).map(|_| rng.random_range(-1.0..1.0));
        let n = right.len();
        let mut y = DMatrix::from_iterator(n, 2, right.into_iter().chain(random));
        factors.solve_in_place(&mut y);
        let largest = values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let condition = largest * y.column(1).amax();
        if (condition.is_nan() || condition > SUSPECT) && is_singular(system, q)? {
            return Err(DerivativesError::Singular);
        }
        let y = y.column(0);
        let state = [q, &vec![0.0; v.len()], v, inputs, y.as_slice()].concat();
        let varied = q.len()..state.len() - n;
        let found = self.rest.jacobian(&state, varied);
        let mut all = found.map_err(SystemError::from)?;
        factors.solve_in_place(&mut all);
        if !y.iter().chain(&all).all(|number| number.is_finite()) {
            let what = "a derivative";
            return Err(SystemError::from(Error::Overflow { what }).into());
        }
        Ok(SolutionDerivatives {
            system,
            unknowns: y.as_slice().to_vec(),
            all,
        })
    }
}

impl SolutionDerivatives<'_> {
    /// All unknowns, by column of the system.
    pub fn unknowns(&self) -> &[f64] {
        &self.unknowns
    }

    /// The derivatives of all unknowns, one row each, by q, v and the inputs: 2 nv +
    /// [`System::input_count`] columns.
    pub fn all(&self) -> &DMatrix<f64> {
        &self.all
    }

    /// The derivatives of some unknowns.
    ///
    /// # Errors
    /// [`SystemError::LoopIsCut`] as [`Requested::values`].
    pub fn of(&self, requested: &Requested) -> Result<OutputDerivatives, SystemError> {
        let (system, all, nv) = (self.system, &self.all, self.system.model().nv());
        let height = requested.columns(system).len();
        let mut numbers = Vec::with_capacity(height * all.ncols());
        for column in all.as_slice().chunks_exact(all.nrows()) {
            numbers.extend(requested.values(system, column)?);
        }
        let of = |first: usize, count: usize| {
            let own = &numbers[first * height..(first + count) * height];
            DMatrix::from_column_slice(height, count, own)
        };
        Ok(OutputDerivatives {
            dq: of(0, nv),
            dv: of(nv, nv),
            dinputs: of(2 * nv, system.input_count()),
        })
    }
}
