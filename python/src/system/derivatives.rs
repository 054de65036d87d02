//! Derivatives of solutions by the state and the inputs.

use super::problem::{Parts, RequestedOutput, System};
use super::share::share;
use super::solution::{Reason, StateSolution, columns, report_failures};
use super::states::States;
use super::with_owner::WithOwner;
use crate::array::{Shape, Value, filled};
use crate::pool::Pool;
use crate::states::named;
use featherline_system::{DerivativeSolver, DerivativesError, OutputDerivatives};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::Range;

/// Memory to differentiate the solutions of a system.
pub type Solvers = Pool<WithOwner<DerivativeSolver<'static>, Parts>>;

impl From<DerivativesError> for Reason {
    fn from(error: DerivativesError) -> Self {
        if let DerivativesError::System(error) = error {
            Self::System(error)
        } else if error == DerivativesError::Singular {
            Self::Singular
        } else {
            Self::Derivatives(error)
        }
    }
}

/// The numbers of one output: its values, and behind them the derivatives, column by column.
fn numbers(value: Vec<f64>, derivatives: &OutputDerivatives) -> impl Iterator<Item = f64> {
    let OutputDerivatives { dq, dv, dinputs } = derivatives;
    let all = [dq, dv, dinputs].map(|matrix| matrix.as_slice());
    value.into_iter().chain(all.concat())
}

impl System {
    /// The values and derivatives of outputs in one state.
    fn differentiate(
        &self,
        solver: &mut DerivativeSolver<'static>,
        wants: &[RequestedOutput],
        state: &[f64],
    ) -> Result<Vec<f64>, Reason> {
        let system = &self.parts.system;
        let [q, v, inputs] = system.split(state);
        let found = solver.solve(q, v, inputs)?;
        let mut row = Vec::new();
        for want in wants {
            let value = want.requested.values(system, found.unknowns())?;
            row.extend(numbers(value, &found.of(&want.requested)?));
        }
        Ok(row)
    }

    fn derivative_rows(
        &self,
        states: &States,
        first: usize,
        wants: &[RequestedOutput],
        rows: &mut [StateSolution],
    ) {
        let width = 1 + 2 * self.parts.system.model().nv() + self.parts.system.input_count();
        let count = width * wants.iter().map(|want| want.count).sum::<usize>();
        let make = |own: &'static Parts| DerivativeSolver::new(&own.system);
        let solver = self
            .derivative_solvers
            .try_take(|| WithOwner::new(&self.parts, make));
        let mut solver = match solver {
            Ok(solver) => solver,
            Err(error) => {
                let reason = Reason::from(error);
                return rows.fill(StateSolution::failed(count, reason));
            }
        };
        for (k, row) in rows.iter_mut().enumerate() {
            let found = self.differentiate(&mut solver, wants, states.row(first + k));
            *row = found.map_or_else(
                |reason| StateSolution::failed(count, reason),
                |values| StateSolution::solved(values, "factorised", f64::NAN, f64::NAN),
            );
        }
        self.derivative_solvers.give_back(solver);
    }
}

#[pymethods]
impl System {
    /// The requested outputs and their derivatives by q, v and the inputs, in one state or many
    /// (rows): for systems with as many equations as unknowns, whatever is known.
    ///
    /// want: the outputs, by default those of the system. Returns for each by its name: value (m,);
    /// dq (m, nv), by changes of q in the tangent space, as `rnea_derivatives`; dv (m, nv);
    /// dinputs, by the name of each input (m, k).
    ///
    /// Raises ValueError where the system is singular; of many states, its rows are NaN.
    ///
    /// >>> system = fl.System(panda, known=["qdd", "no-external-forces"], want=["tau"])
    /// >>> found = system.solve_derivatives(q, v, {"qdd": np.ones(7)})["tau"]
    /// >>> expected = panda.rnea_derivatives(q, v, np.ones(7))
    /// >>> np.allclose(found.dq, expected.dq), np.allclose(found.dinputs["qdd"], expected.da)
    /// (True, True)
    #[pyo3(signature = (q, v, inputs=None, *, want=None))]
    fn solve_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        inputs: Option<Value<'_, 'py>>,
        want: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let states = self.states(q, v, inputs, false)?;
        let system = &self.parts.system;
        let chosen = want.map(|words| Parts::wants(system, Some(&words)));
        let chosen = chosen.transpose()?;
        let wants = chosen.as_ref().unwrap_or(&self.parts.wants);
        let mut rows = vec![StateSolution::default(); states.rows()];
        share(py, &mut rows, false, |first, rows| {
            self.derivative_rows(&states, first, wants, rows);
        })?;
        report_failures(py, states.count, &mut rows)?;
        let nv = system.model().nv();
        let found = PyDict::new(py);
        let mut first = 0;
        for want in wants {
            let height = want.count;
            let matrix = |own: Range<usize>| {
                let shape = Shape::Matrix(height, own.len());
                let first = first + (1 + own.start) * height;
                let own = rows
                    .iter()
                    .flat_map(|row| &row.values[first..][..shape.count()]);
                filled(py, shape, states.count, &own.copied().collect::<Vec<_>>())
            };
            let value = rows.iter().map(|row| &row.values[first..first + height]);
            let by_inputs = PyDict::new(py);
            for (name, own) in self.parts.inputs.ranges() {
                by_inputs.set_item(name, matrix(2 * nv + own.start..2 * nv + own.end)?)?;
            }
            let value = columns(py, states.count, height, value)?;
            let fields = (value, matrix(0..nv)?, matrix(nv..2 * nv)?, by_inputs);
            found.set_item(&want.name, named(py, "SolutionDerivatives", fields)?)?;
            first += height * (1 + 2 * nv + system.input_count());
        }
        Ok(found)
    }
}
