//! The matrix: its numbers, its pattern, and its block triangular form.

use super::problem::{System, failure};
use super::solution::columns;
use super::text::no_such;
use crate::array::{Answer, Value};
use featherline_system::{
    AssemblyMemory, DulmageMendelsohn, Sparsity, SparsityPicture, SystemError,
};
use numpy::PyArray1;
use pyo3::prelude::*;
use std::fs;
use std::path::PathBuf;

pub type Indices = Py<PyArray1<i64>>;

pub fn indices(py: Python<'_>, numbers: impl IntoIterator<Item = usize>) -> Indices {
    let numbers = numbers.into_iter().map(|index| index as i64).collect();
    PyArray1::from_vec(py, numbers).unbind()
}

/// Values (…, entries) in compressed rows as an array (…, rows, columns).
pub fn dense<'py>(
    values: Value<'_, 'py>,
    shape: (usize, usize),
    indptr: &Indices,
    columns: &Indices,
) -> Answer<'py> {
    let py = values.py();
    let numpy = py.import("numpy")?;
    let mut all: Vec<usize> = values.getattr("shape")?.extract()?;
    all.splice(all.len() - 1.., [shape.0, shape.1]);
    let dense = numpy.call_method1("zeros", (all,))?;
    let entries = numpy.call_method1("diff", (indptr,))?;
    let rows = numpy.call_method1("arange", (shape.0,))?;
    let rows = numpy.call_method1("repeat", (rows, entries))?;
    dense.set_item((py.Ellipsis(), rows, columns), values)?;
    Ok(dense)
}

/// D y = b in one state, or many: D in compressed rows.
///
/// `scipy.sparse.csr_array((values, indices, indptr), shape)` makes a matrix of it, `dense()` a
/// numpy array. `values` has a row for each state where there are many, and so has `right`. The b
/// of Nori 2017, who writes D d + b = 0, has the other sign.
#[pyclass(frozen, module = "featherline.results", name = "Assembly", get_all)]
pub struct Assembly {
    /// Equations and unknowns.
    shape: (usize, usize),
    /// Where each row's entries begin (equations + 1,).
    indptr: Indices,
    /// The column of each entry (entries,).
    indices: Indices,
    /// The entries of D (entries,), or (states, entries).
    values: Py<PyAny>,
    /// The right-hand side b (equations,), or (states, equations).
    right: Py<PyAny>,
}

#[pymethods]
impl Assembly {
    /// D as an array (equations, unknowns), or (states, equations, unknowns).
    fn dense<'py>(&self, py: Python<'py>) -> Answer<'py> {
        dense(
            self.values.bind(py),
            self.shape,
            &self.indptr,
            &self.indices,
        )
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let shape = self.values.bind(py).getattr("shape")?;
        Ok(format!(
            "Assembly({} equations, {} unknowns, values {shape})",
            self.shape.0, self.shape.1
        ))
    }
}

/// Where D may differ from zero in some state: compressed rows.
#[pyclass(frozen, module = "featherline.results", name = "Pattern", get_all)]
pub struct Pattern {
    /// Equations and unknowns.
    pub shape: (usize, usize),
    /// Where each row's entries begin (equations + 1,).
    pub indptr: Indices,
    /// The column of each entry (entries,).
    pub indices: Indices,
}

impl Pattern {
    pub fn new(py: Python<'_>, pattern: &Sparsity) -> Self {
        Self {
            shape: (pattern.rows(), pattern.columns()),
            indptr: indices(py, pattern.starts().iter().copied()),
            indices: indices(py, pattern.indices().iter().copied()),
        }
    }
}

#[pymethods]
impl Pattern {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "Pattern({} equations, {} unknowns, {} entries)",
            self.shape.0,
            self.shape.1,
            self.indices.bind(py).len()?
        ))
    }
}

/// The block triangular form of D, by Dulmage and Mendelsohn: with rows in `row_order` and columns
/// in `column_order`, blocks lie on the diagonal, and what is above them is zero, or below.
///
/// `blocks` are ranges [first, end) among the rows and columns of the part that structure
/// determines. `underdetermined` and `overdetermined` are the unknowns and equations outside of
/// it, in words.
#[pyclass(
    frozen,
    module = "featherline.results",
    name = "BlockTriangularForm",
    get_all
)]
pub struct BlockTriangularForm {
    /// The equations in the order of the form.
    row_order: Indices,
    /// The unknowns in the order of the form.
    column_order: Indices,
    /// The blocks as ranges [first, end) among rows and columns of the part that structure
    /// determines.
    blocks: Vec<(usize, usize)>,
    /// The size of the largest block.
    largest_block: usize,
    /// The structural rank: the greatest that numbers at the places of D's entries can have.
    rank: usize,
    /// Whether everything is determined, by blocks of one row and column.
    is_triangular: bool,
    /// The unknowns that structure does not determine, in words.
    underdetermined: Vec<String>,
    /// The equations of which structure has too many, in words.
    overdetermined: Vec<String>,
}

#[pymethods]
impl BlockTriangularForm {
    fn __repr__(&self) -> String {
        let kind = match self.is_triangular {
            true => "triangular",
            false => "not triangular",
        };
        format!(
            "BlockTriangularForm({} blocks, the largest of {}; {kind}; structural rank {})",
            self.blocks.len(),
            self.largest_block,
            self.rank
        )
    }
}

#[pymethods]
impl System {
    /// The unknowns by kind, joint, component and frame: the columns of D. No two names
    /// are alike. A revolute joint turns about z of its frame `link`.
    ///
    /// >>> system = fl.System(panda, known=["qdd", "no-external-forces"])
    /// >>> system.unknown_names()[5], system.unknown_names()[126]
    /// ('acceleration panda_joint1 about z (link)', 'joint-force panda_joint1 0')
    fn unknown_names(&self) -> Vec<String> {
        let labels = (0..).map_while(|column| self.parts.system.column_label(column));
        labels.map(|label| label.to_string()).collect()
    }

    /// The equations by kind, joint or sensor, component and frame: the rows of D. No two
    /// names are alike.
    ///
    /// >>> fl.System(panda, known=["qdd", "no-external-forces"]).equation_names()[5]
    /// 'motion panda_joint1 about z (link)'
    fn equation_names(&self) -> Vec<String> {
        let labels = (0..).map_while(|row| self.parts.system.row_label(row));
        labels.map(|label| label.to_string()).collect()
    }

    /// The variance of each equation's error: zero for dynamics and for what is known.
    fn equation_variances<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let system = &self.parts.system;
        let rows = 0..system.equations().count();
        let variances = rows.map(|row| system.variance(row).unwrap_or(0.0));
        PyArray1::from_vec(py, variances.collect())
    }

    /// D and b of D y = b in one state, or many (rows).
    ///
    /// >>> system = fl.System(panda, known=["qdd", "no-external-forces"])
    /// >>> assembly = system.assemble(q, v, {"qdd": a})
    /// >>> y = np.linalg.solve(assembly.dense(), assembly.right)
    /// >>> is_torque = [name.startswith("joint-force ") for name in system.unknown_names()]
    /// >>> np.allclose(y[is_torque], panda.rnea(q, v, a))
    /// True
    #[pyo3(signature = (q, v, inputs=None))]
    fn assemble<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        inputs: Option<Value<'_, 'py>>,
    ) -> PyResult<Assembly> {
        let states = self.states(q, v, inputs, false)?;
        let system = &self.parts.system;
        let pattern = system.sparsity();
        let all = py.detach(|| -> Result<Vec<_>, SystemError> {
            let mut memory = AssemblyMemory::<f64>::new(system);
            let mut all = Vec::with_capacity(states.rows());
            for row in 0..states.rows() {
                all.push(system.assembled(&mut memory, system.split(states.row(row)))?);
            }
            Ok(all)
        });
        let (values, right): (Vec<_>, Vec<_>) = all.map_err(failure)?.into_iter().unzip();
        let rows = Pattern::new(py, pattern);
        Ok(Assembly {
            shape: rows.shape,
            indptr: rows.indptr,
            indices: rows.indices,
            values: columns(py, states.count, pattern.entries(), values.iter())?.unbind(),
            right: columns(py, states.count, pattern.rows(), right.iter())?.unbind(),
        })
    }

    /// Where D may differ from zero in some state.
    fn pattern(&self, py: Python<'_>) -> Pattern {
        Pattern::new(py, self.parts.system.sparsity())
    }

    /// The block triangular form of D, which follows from its pattern.
    ///
    /// >>> fl.System(panda, known=["qdd", "no-external-forces"]).block_triangular().is_triangular
    /// True
    fn block_triangular(&self, py: Python<'_>) -> BlockTriangularForm {
        let system = &self.parts.system;
        let parts = DulmageMendelsohn::new(system.sparsity());
        let under = parts.underdetermined().columns.iter();
        let under = under.filter_map(|&column| system.column_label(column));
        let over = parts.overdetermined().rows.iter();
        let over = over.filter_map(|&row| system.row_label(row));
        BlockTriangularForm {
            row_order: indices(py, parts.row_order()),
            column_order: indices(py, parts.column_order()),
            blocks: parts.blocks().map(|own| (own.start, own.end)).collect(),
            largest_block: parts.largest_block(),
            rank: parts.rank(),
            is_triangular: parts.is_triangular(),
            underdetermined: under.map(|label| label.to_string()).collect(),
            overdetermined: over.map(|label| label.to_string()).collect(),
        }
    }

    /// A picture of a pattern as SVG: the text, which is written to a file if there is a `path`.
    ///
    /// of: "system" draws D as it is, and in block triangular form; "mass-matrix" the joint-space
    /// mass matrix H, which is zero between branches; "ltdl" L of H = LᵀDL; "kkt" masses and
    /// constraints of maximal coordinates, from the leaves to the root. text: ■ for each entry in
    /// place of SVG, and below it how many there are.
    ///
    /// >>> system = fl.System(panda, known=["qdd", "no-external-forces"])
    /// >>> system.draw(of="ltdl", text=True).splitlines()[-1][:54]
    /// '7 coordinates: 28 of 28 elements of the lower triangle'
    #[pyo3(signature = (path=None, *, of="system", text=false))]
    fn draw(&self, path: Option<PathBuf>, of: &str, text: bool) -> PyResult<String> {
        let (system, model) = (&self.parts.system, self.parts.system.model());
        let picture = match of {
            "system" => SparsityPicture::system(system),
            "mass-matrix" => SparsityPicture::mass_matrix(model),
            "ltdl" => SparsityPicture::ltdl(model),
            "kkt" => SparsityPicture::kkt(model),
            _ => {
                let matrices = ["system", "mass-matrix", "ltdl", "kkt"];
                return Err(no_such("matrix", of, &matrices));
            }
        };
        let picture = match text {
            true => format!("{}{}\n", picture.text(), picture.summary()),
            false => picture.svg(),
        };
        if let Some(path) = path {
            fs::write(path, &picture)?;
        }
        Ok(picture)
    }
}
