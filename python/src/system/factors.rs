//! The factors of an order of elimination, and the matrices that make forward dynamics triangular.

use super::matrix::{Indices, Pattern, dense, indices};
use super::problem::{System, failure};
use super::text::no_such;
use crate::array::{Answer, Value};
use crate::properties::properties;
use featherline_system::order::{self, Reformulation as Matrices};
use featherline_system::{AssemblyMemory, Factorisation, SparseMatrix as Sparse};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

type Doubles = Py<PyArray1<f64>>;

fn value_error(reason: impl ToString) -> PyErr {
    PyValueError::new_err(reason.to_string())
}

/// A sparse matrix in compressed rows.
///
/// `scipy.sparse.csr_array((values, indices, indptr), shape)` makes a matrix of it, `dense()` a
/// numpy array.
#[pyclass(frozen, module = "featherline.results", name = "SparseMatrix", get_all)]
pub struct SparseMatrix {
    /// Rows and columns.
    shape: (usize, usize),
    /// Where each row's entries begin (rows + 1,).
    indptr: Indices,
    /// The column of each entry (entries,).
    indices: Indices,
    /// The entries (entries,).
    values: Doubles,
}

impl SparseMatrix {
    fn new(py: Python<'_>, matrix: &Sparse<f64>) -> PyResult<Py<Self>> {
        let rows = Pattern::new(py, matrix.sparsity());
        let new = Self {
            shape: rows.shape,
            indptr: rows.indptr,
            indices: rows.indices,
            values: PyArray1::from_slice(py, matrix.values()).unbind(),
        };
        Py::new(py, new)
    }

    /// Of entries in any order.
    fn of_entries(py: Python<'_>, n: usize, entries: &[(usize, usize, f64)]) -> PyResult<Py<Self>> {
        let matrix = Sparse::from_entries(n, n, entries.iter().copied()).map_err(value_error)?;
        Self::new(py, &matrix)
    }
}

#[pymethods]
impl SparseMatrix {
    /// The matrix as an array (rows, columns).
    fn dense<'py>(&self, py: Python<'py>) -> Answer<'py> {
        dense(
            self.values.bind(py),
            self.shape,
            &self.indptr,
            &self.indices,
        )
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let ((rows, columns), entries) = (self.shape, self.indices.bind(py).len());
        format!(
            "SparseMatrix({rows} × {columns}, {} entries)",
            entries.unwrap_or(0)
        )
    }
}

/// The factors of D in an order of elimination: P D Q = L U + R, where P and Q put the rows and
/// columns of the pivots in order.
///
/// L and U are block diagonal, for each diagonal block is eliminated by itself. R holds the
/// entries of D that join two blocks, all of them below the diagonal.
#[pyclass(frozen, module = "featherline.results", name = "SystemFactors")]
pub struct SystemFactors {
    order: &'static str,
    found: Factorisation,
}

properties! { SystemFactors:
    /// The name of the order.
    order: &'static str = |self| self.order;
    /// The equation of each pivot, in the order of elimination.
    rows: Indices = |self, py: 'py| indices(py, self.found.factors.pivots.iter().map(|at| at.0));
    /// The unknown of each pivot.
    columns: Indices = |self, py: 'py| indices(py, self.found.factors.pivots.iter().map(|at| at.1));
    /// The diagonal block of each pivot.
    blocks: Indices = |self, py: 'py| indices(py, self.found.factors.blocks.iter().copied());
    /// The pivots: the numbers that the elimination divides by.
    pivots: Doubles = |self, py: 'py| PyArray1::from_vec(py, self.found.pivots()).unbind();
    /// L, lower triangular, in the order of the pivots.
    lower: PyResult<Py<SparseMatrix>> = |self, py: 'py|
        SparseMatrix::of_entries(py, self.found.y.len(), &self.found.factors.lower);
    /// U, upper triangular; for each pivot, the diagonal of L or that of U is 1.
    upper: PyResult<Py<SparseMatrix>> = |self, py: 'py|
        SparseMatrix::of_entries(py, self.found.y.len(), &self.found.factors.upper);
    /// R.
    coupling: PyResult<Py<SparseMatrix>> = |self, py: 'py|
        SparseMatrix::of_entries(py, self.found.y.len(), &self.found.factors.coupling);
    /// How many entries become nonzero that were zero.
    fill_in: usize = |self| self.found.fill_in;
    /// The unknowns y of D y = b, in their own order.
    y: Doubles = |self, py: 'py| PyArray1::from_slice(py, &self.found.y).unbind();
    /// The largest number of |D y − b|.
    residual: f64 = |self| self.found.residual;
}

#[pymethods]
impl SystemFactors {
    fn __repr__(&self) -> String {
        format!(
            "SystemFactors({}: {} pivots in {} blocks, fill-in {})",
            self.order,
            self.found.y.len(),
            self.found.factors.blocks.last().map_or(0, |last| last + 1),
            self.found.fill_in
        )
    }
}

/// The matrix reformulation of the articulated-body algorithm (Nori 2017, section V-C and appendix
/// B): Wᴸ D Wᴿ is lower triangular with `rows` and `columns` in order.
#[pyclass(frozen, module = "featherline.results", name = "Reformulation")]
pub struct Reformulation {
    matrices: Matrices,
    right: Vec<f64>,
}

properties! { Reformulation:
    /// W¹, W², W³ and W⁴, of which Wᴸ = W⁴ W³ W² W¹.
    factors: PyResult<Vec<Py<SparseMatrix>>> = |self, py: 'py|
        self.matrices.left.iter().map(|weight| SparseMatrix::new(py, weight)).collect();
    /// Wᴸ.
    left: PyResult<Py<SparseMatrix>> = |self, py: 'py| SparseMatrix::new(py, &self.matrices.left());
    /// Wᴿ.
    right: PyResult<Py<SparseMatrix>> = |self, py: 'py| SparseMatrix::new(py, &self.matrices.right);
    /// Wᴸ D Wᴿ.
    triangular: PyResult<Py<SparseMatrix>> = |self, py: 'py|
        SparseMatrix::new(py, &self.matrices.triangular);
    /// The equations in the order in which it is lower triangular: permutation (35).
    rows: Indices = |self, py: 'py|
        indices(py, self.matrices.order.pivots().iter().map(|at| at.0));
    /// The unknowns in that order: permutation (34).
    columns: Indices = |self, py: 'py|
        indices(py, self.matrices.order.pivots().iter().map(|at| at.1));
    /// The unknowns y of D y = b, by forward substitution.
    y: Doubles = |self, py: 'py|
        PyArray1::from_vec(py, self.matrices.solve(&self.right)).unbind();
}

#[pymethods]
impl Reformulation {
    fn __repr__(&self) -> String {
        format!("Reformulation({} unknowns)", self.matrices.order.len())
    }
}

impl System {
    /// D and b in one state.
    fn assembled<'py>(
        &self,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        inputs: Option<Value<'_, 'py>>,
    ) -> PyResult<(Vec<f64>, Vec<f64>)> {
        let states = self.states(q, v, inputs, false)?;
        if states.count.is_some() {
            return Err(value_error(
                "factors are those of one state: give one row of q",
            ));
        }
        let system = &self.parts.system;
        let state = system.split(states.row(0));
        let assembled = system.assembled(&mut AssemblyMemory::new(system), state);
        assembled.map_err(failure)
    }
}

#[pymethods]
impl System {
    /// The factors of D in one state, P D Q = L U + R, by an order of elimination.
    ///
    /// order: "rnea", "aba", "crba_ltdl", "markowitz", "minimum_degree", "amd", "colamd",
    /// "nested_dissection" or "reverse_cuthill_mckee". In "aba" the pivots of q̈ are SᵀIᴬS of
    /// joints of one degree of freedom, in "crba_ltdl" those of the mass matrix LᵀDL.
    ///
    /// >>> system = fl.System(panda, known=["tau", "no-external-forces"])
    /// >>> factors = system.factors(q, v, {"tau": a}, order="crba_ltdl")
    /// >>> names = np.array(system.unknown_names())[factors.columns]
    /// >>> d = factors.pivots[np.char.startswith(names, "joint-acceleration")]
    /// >>> np.allclose(d.prod(), np.linalg.det(panda.crba(q)))
    /// True
    #[pyo3(signature = (q, v, inputs=None, *, order="markowitz"))]
    fn factors<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        inputs: Option<Value<'_, 'py>>,
        order: &str,
    ) -> PyResult<SystemFactors> {
        let (values, right) = self.assembled(q, v, inputs)?;
        let template = py
            .detach(|| self.parts.system.template())
            .map_err(value_error)?;
        let system = &self.parts.system;
        let Some((name, plan)) = order::NAMED.iter().find(|(own, _)| *own == order) else {
            let names = order::NAMED.map(|(name, _)| name);
            return Err(no_such("order", order, &names));
        };
        let pivots = plan(system, &template);
        let pivots = pivots.map_err(|error| value_error(system.describe_order_error(&error)))?;
        let found = Factorisation::new(&template, &pivots, &values, &right);
        let found = found.map_err(|error| value_error(format!("in the order {name}, {error}")))?;
        Ok(SystemFactors { order: name, found })
    }

    /// The matrices Wᴸ and Wᴿ in one state, with which Wᴸ D Wᴿ is lower triangular: of forward
    /// dynamics, `known=["tau", "no-external-forces"]`.
    ///
    /// >>> system = fl.System(panda, known=["tau", "no-external-forces"])
    /// >>> own = system.reformulation(q, v, {"tau": a})
    /// >>> triangular = own.triangular.dense()[own.rows][:, own.columns]
    /// >>> bool(np.triu(triangular, 1).any())
    /// False
    #[pyo3(signature = (q, v, inputs=None))]
    fn reformulation<'py>(
        &self,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        inputs: Option<Value<'_, 'py>>,
    ) -> PyResult<Reformulation> {
        let (values, right) = self.assembled(q, v, inputs)?;
        let system = &self.parts.system;
        let matrices = Matrices::new(system, &values)
            .map_err(|error| value_error(system.describe_order_error(&error)))?;
        Ok(Reformulation { matrices, right })
    }
}
