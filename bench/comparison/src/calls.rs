//! The calls that are compared, as a program that uses featherline makes them.

use crate::batches::Many;
use crate::held;
use crate::programs::{Compiled, Programs};
use anyhow::{Context, Result};
use featherline::kernel;
use featherline::regressor::BODY_PARAMETERS;
use featherline::scalar::{OpCount, Operations, Scalar};
use featherline::spatial::{Motion, Se3};
use featherline::{Error, Model, Workspace};
use featherline_bench_protocol::server::{self, Call};
use featherline_bench_protocol::states::{self, State};
use featherline_constraint::ConstraintWorkspace;
use nalgebra::DMatrix;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// A robot with the states at which it is timed.
pub struct Robot {
    model: Model,
    workspace: Workspace<f64>,
    states: Vec<State>,
    results: Results<f64>,
    // Made when first asked for: most robots' batches are large.
    doubles: Option<Many<f64>>,
    singles: Option<Many<f32>>,
    double_programs: Vec<(&'static str, bool, Compiled<f64>)>,
    single_programs: Vec<(&'static str, bool, Compiled<f32>)>,
    held: Option<ConstraintWorkspace>,
}

/// The results that calls write to and the caller owns.
struct Results<S: Scalar> {
    solution: Vec<S>,
    placements: Vec<Se3<S>>,
    regressor: DMatrix<S>,
}

impl<S: Scalar> Results<S> {
    fn new(model: &Model) -> Self {
        let parameters = BODY_PARAMETERS * model.joint_ids().count();
        Self {
            solution: vec![S::zero(); model.nv()],
            placements: vec![Se3::identity(); model.joints().len()],
            regressor: DMatrix::from_element(model.nv(), parameters, S::zero()),
        }
    }
}

impl Robot {
    /// The model and the states.
    pub(crate) fn parts(&self) -> (&Model, &[State]) {
        (&self.model, &self.states)
    }

    /// The model, the states, and the frames that are held, if any are.
    pub(crate) fn held_parts(&mut self) -> (&Model, &[State], Option<&mut ConstraintWorkspace>) {
        (&self.model, &self.states, self.held.as_mut())
    }

    /// The batch in double precision.
    pub(crate) fn doubles(&mut self) -> Result<&mut Many<f64>> {
        if self.doubles.is_none() {
            self.doubles = Some(Many::new(&self.model, &self.states)?);
        }
        self.doubles.as_mut().context("just made")
    }

    /// The programs in double precision.
    pub(crate) fn double_programs(&mut self) -> Programs<'_, f64> {
        Programs {
            model: &self.model,
            states: &self.states,
            made: &mut self.double_programs,
        }
    }

    /// The programs in single precision.
    pub(crate) fn single_programs(&mut self) -> Programs<'_, f32> {
        Programs {
            model: &self.model,
            states: &self.states,
            made: &mut self.single_programs,
        }
    }

    /// The batch in single precision.
    pub(crate) fn singles(&mut self) -> Result<&mut Many<f32>> {
        if self.singles.is_none() {
            self.singles = Some(Many::new(&self.model, &self.states)?);
        }
        self.singles.as_mut().context("just made")
    }
}

impl server::Robot for Robot {
    /// Reads a featherline model as JSON.
    fn load(model: &Path, states: &Path) -> Result<Self> {
        let text = fs::read_to_string(model)
            .with_context(|| format!("cannot read {}", model.display()))?;
        // Beside NAME.featherline.json.
        let held = model.with_extension("").with_extension("held");
        let model: Model = serde_json::from_str(&text)
            .with_context(|| format!("{} is no model", model.display()))?;
        let states = states::read(states, model.nq(), model.nv())?;
        Ok(Self {
            workspace: Workspace::new(&model),
            results: Results::new(&model),
            doubles: None,
            singles: None,
            double_programs: Vec::new(),
            single_programs: Vec::new(),
            held: held::read(&held, &model)?,
            model,
            states,
        })
    }

    fn sizes(&self) -> [usize; 3] {
        [self.model.nq(), self.model.nv(), self.states.len()]
    }
}

/// The operations that a call does at a state.
pub type CountAt = fn(&Model, &State) -> Result<Operations, Error>;

/// The arithmetic of one call.
pub struct Count {
    /// The call's name in the protocol.
    pub name: &'static str,
    /// The operations that it does at a state; none for calls that are made for doubles alone.
    pub count: Option<CountAt>,
}

/// Makes two tables of the calls, one to time them and one to count, because no program needs both
/// and each is slow to compile: the first expression is what is timed, the second puts the numbers
/// of its result into a list.
macro_rules! calls {
    ($($name:literal:
        ($model:ident, $workspace:ident, $state:ident, $results:ident) $run:expr =>
        ($result:ident, $out:ident) $read:expr;
    )*) => {
        /// All calls.
        pub const CALLS: &[Call<Robot>] = &[$(Call {
            name: $name,
            time_pass: |robot| {
                let Robot { model, workspace, states, results, .. } = robot;
                let begin = Instant::now();
                for $state in states.iter() {
                    let ($model, $workspace, $results) = (black_box(&*model), &mut *workspace, &mut *results);
                    black_box($run?);
                    let _ = $results;
                }
                Ok(begin.elapsed().as_secs_f64() * 1e9 / states.len() as f64)
            },
            answer: |robot, index| {
                let Robot { model, workspace, states, results, .. } = robot;
                let ($model, $workspace, $state, $results) = (&*model, workspace, &states[index], results);
                let $result = $run?;
                let _ = $results;
                let mut $out = Vec::new();
                $read;
                Ok($out)
            },
        }),*];

        /// The arithmetic of all calls.
        pub const COUNTS: &[Count] = &[$(Count {
            name: $name,
            count: Some(|$model, state| {
                let $state = &state.map(OpCount::variable);
                let ($workspace, $results) = (&mut Workspace::new($model), &mut Results::<OpCount>::new($model));
                let (done, operations) = OpCount::measure(|| $run.map(|_| ()));
                let _ = $results;
                done.map(|()| operations)
            }),
        }),*];
    };
}

calls! {
    "forward_kinematics": (model, ws, state, results) {
            model.forward_kinematics(ws, &state.q)
                .and_then(|positions| positions.joint_placements_into(&mut results.placements))
                .map(|()| &results.placements[1..])
        } =>
        (placed, out) for placement in placed {
            let r = placement.rotation.transpose();
            for row in [r.x, r.y, r.z, placement.translation] {
                out.extend(row.to_array());
            }
        };
    "joint_jacobians": (model, ws, state, _results) model.joint_jacobians(ws, &state.q) =>
        (jacobians, out) {
            let columns = model.joint_ids().flat_map(|joint| jacobians.joint_columns(joint));
            push_rows(columns, &mut out);
        };
    "com": (model, ws, state, _results) model.center_of_mass(ws, &state.q) =>
        (center, out) out.extend(center.to_array());
    "rnea": (model, ws, state, _results) model.rnea(ws, &state.q, &state.v, &state.a) =>
        (tau, out) out.extend(tau);
    "bias": (model, ws, state, _results) model.bias(ws, &state.q, &state.v) =>
        (tau, out) out.extend(tau);
    "crba": (model, ws, state, _results) model.crba(ws, &state.q) =>
        (mass, out) push_symmetric(mass, &mut out);
    "crba_packed": (model, ws, state, _results) kernel::crba_packed(model, ws, &state.q) =>
        (mass, out) {
            let tree = kernel::elimination_tree(model);
            for k in 0..tree.len() {
                let ancestors: Vec<_> = tree.ancestors(k).collect();
                let path = ancestors.iter().rev().chain([&k]);
                out.extend(path.map(|&i| mass[tree.place::<f64>(k, i)]));
            }
        };
    "crba_factor_solve": (model, ws, state, results) {
            let x = &mut results.solution;
            x.copy_from_slice(&state.tau);
            model.mass_matrix_solve(ws, &state.q, x).map(|()| &*x)
        } =>
        (x, out) out.extend(x);
    "aba": (model, ws, state, _results) model.aba(ws, &state.q, &state.v, &state.tau) =>
        (acceleration, out) out.extend(acceleration);
    "minverse": (model, ws, state, _results) model.mass_matrix_inverse(ws, &state.q) =>
        (inverse, out) push_symmetric(inverse, &mut out);
    "ccrba": (model, ws, state, _results) model.centroidal_map(ws, &state.q).map(|map| {
            let momentum = product(map, &state.v);
            (map, momentum)
        }) =>
        (result, out) {
            push_matrix(result.0, &mut out);
            out.extend(result.1);
        };
    "all_terms": (model, ws, state, _results) model.all_terms(ws, &state.q, &state.v) =>
        (terms, out) {
            push_symmetric(terms.mass_matrix(), &mut out);
            out.extend(terms.bias());
            out.extend(terms.gravity_torque());
            push_matrix(terms.centroidal_map()?, &mut out);
            let momentum = terms.centroidal_momentum()?;
            out.extend(momentum.linear.to_array());
            out.extend(momentum.angular.to_array());
            out.extend(terms.centers_of_mass().center_of_mass()?.to_array());
            out.extend([terms.kinetic_energy(), terms.potential_energy()]);
        };
    "rnea_derivatives": (model, ws, state, _results)
            model.rnea_derivatives(ws, &state.q, &state.v, &state.a) =>
        (derivatives, out) {
            push_matrix(derivatives.dq, &mut out);
            push_matrix(derivatives.dv, &mut out);
            push_symmetric(derivatives.da, &mut out);
        };
    "aba_derivatives": (model, ws, state, _results)
            model.aba_derivatives(ws, &state.q, &state.v, &state.tau) =>
        (derivatives, out) {
            push_matrix(derivatives.dq, &mut out);
            push_matrix(derivatives.dv, &mut out);
            push_symmetric(derivatives.dtau, &mut out);
        };
    "regressor": (model, ws, state, results) {
            let regressor = &mut results.regressor;
            model.joint_torque_regressor_into(ws, &state.q, &state.v, &state.a, regressor)
                .map(|()| &*regressor)
        } =>
        (regressor, out) push_matrix(regressor, &mut out);
}

/// A 6 × n matrix times a vector.
fn product<S: Scalar>(matrix: &DMatrix<S>, vector: &[S]) -> [S; 6] {
    let mut product = [S::zero(); 6];
    for (column, x) in matrix.as_slice().chunks_exact(6).zip(vector) {
        for (sum, entry) in product.iter_mut().zip(column) {
            *sum += *entry * *x;
        }
    }
    product
}

fn push_symmetric(matrix: &DMatrix<f64>, out: &mut Vec<f64>) {
    // Row by row is column by column.
    out.extend(matrix.iter());
}

fn push_matrix(matrix: &DMatrix<f64>, out: &mut Vec<f64>) {
    for row in matrix.row_iter() {
        out.extend(row.iter());
    }
}

/// Writes a 6 × n matrix, given by its columns, row by row.
fn push_rows<'a>(columns: impl Iterator<Item = &'a Motion<f64>>, out: &mut Vec<f64>) {
    let columns: Vec<[f64; 6]> = columns
        .map(|c| {
            let ([a, b, c], [d, e, f]) = (c.linear.to_array(), c.angular.to_array());
            [a, b, c, d, e, f]
        })
        .collect();
    for row in 0..6 {
        out.extend(columns.iter().map(|column| column[row]));
    }
}
