//! The calls that are compared, as a program that uses featherline makes them.

use featherline::spatial::Motion;
use featherline::{Error, Model, Workspace};
use featherline_bench::states::State;
use nalgebra::DMatrix;
use std::hint::black_box;
use std::time::Instant;

/// A robot with the states at which it is timed.
pub struct Robot {
    model: Model,
    workspace: Workspace<f64>,
    states: Vec<State>,
    solution: Vec<f64>,
}

impl Robot {
    /// A robot that is ready to be timed.
    pub fn new(model: Model, states: Vec<State>) -> Self {
        Self {
            workspace: Workspace::new(&model),
            solution: vec![0.0; model.nv()],
            model,
            states,
        }
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The states.
    pub fn states(&self) -> &[State] {
        &self.states
    }
}

/// One of the calls.
pub struct Call {
    /// Its name in the protocol.
    pub name: &'static str,
    time_pass: fn(&mut Robot) -> Result<f64, Error>,
    answer: fn(&mut Robot, usize) -> Result<Vec<f64>, Error>,
}

impl Call {
    /// The call of that name.
    pub fn find(name: &str) -> Option<&'static Self> {
        CALLS.iter().find(|call| call.name == name)
    }

    /// Nanoseconds a call, averaged over one pass of all states.
    ///
    /// # Errors
    /// Those of the call.
    pub fn time_pass(&self, robot: &mut Robot) -> Result<f64, Error> {
        (self.time_pass)(robot)
    }

    /// The result at one of the states, in the order of the protocol.
    ///
    /// # Errors
    /// Those of the call.
    pub fn answer(&self, robot: &mut Robot, state: usize) -> Result<Vec<f64>, Error> {
        (self.answer)(robot, state)
    }
}

/// Makes a table of calls: the first expression is what is timed, the second puts the numbers of its result into a list.
macro_rules! calls {
    ($($name:literal:
        ($model:ident, $workspace:ident, $state:ident, $solution:ident) $run:expr =>
        ($result:ident, $out:ident) $read:expr;
    )*) => {
        /// All calls.
        pub const CALLS: &[Call] = &[$(Call {
            name: $name,
            time_pass: |robot| {
                let Robot { model, workspace, states, solution } = robot;
                let begin = Instant::now();
                for $state in states.iter() {
                    let ($model, $workspace, $solution) = (black_box(&*model), &mut *workspace, &mut *solution);
                    black_box($run?);
                    let _ = $solution;
                }
                Ok(begin.elapsed().as_secs_f64() * 1e9 / states.len() as f64)
            },
            answer: |robot, index| {
                let Robot { model, workspace, states, solution } = robot;
                let ($model, $workspace, $state, $solution) = (&*model, workspace, &states[index], solution);
                let $result = $run?;
                let _ = $solution;
                let mut $out = Vec::new();
                $read;
                Ok($out)
            },
        }),*];
    };
}

calls! {
    "forward_kinematics": (model, ws, state, _solution) model.forward_kinematics(ws, &state.q) =>
        (positions, out) for joint in model.joint_ids() {
            let placement = positions.joint_placement(joint);
            let r = placement.rotation.transpose();
            for row in [r.x, r.y, r.z, placement.translation] {
                out.extend(row.to_array());
            }
        };
    "joint_jacobians": (model, ws, state, _solution) model.joint_jacobians(ws, &state.q) =>
        (jacobians, out) {
            let columns = model.joint_ids().flat_map(|joint| jacobians.joint_columns(joint));
            push_rows(columns, &mut out);
        };
    "rnea": (model, ws, state, _solution) model.rnea(ws, &state.q, &state.v, &state.a) =>
        (tau, out) out.extend(tau);
    "bias": (model, ws, state, _solution) model.bias(ws, &state.q, &state.v) =>
        (tau, out) out.extend(tau);
    "crba": (model, ws, state, _solution) model.crba(ws, &state.q) =>
        (mass, out) push_symmetric(mass, &mut out);
    "crba_factor_solve": (model, ws, state, solution) {
            solution.copy_from_slice(&state.tau);
            model.ltdl(ws, &state.q).and_then(|factor| factor.solve(solution)).map(|()| &*solution)
        } =>
        (x, out) out.extend(x);
    "aba": (model, ws, state, _solution) model.aba(ws, &state.q, &state.v, &state.tau) =>
        (acceleration, out) out.extend(acceleration);
    "minverse": (model, ws, state, _solution) model.mass_matrix_inverse(ws, &state.q) =>
        (inverse, out) push_symmetric(inverse, &mut out);
    "ccrba": (model, ws, state, _solution) model.centroidal_map(ws, &state.q).map(|map| {
            let momentum = product(map, &state.v);
            (map, momentum)
        }) =>
        (result, out) {
            out.extend(result.0.row_iter().flat_map(|row| row.iter().copied().collect::<Vec<_>>()));
            out.extend(result.1);
        };
    "com": (model, ws, state, _solution) model.centers_of_mass(ws, &state.q).and_then(|c| c.center_of_mass()) =>
        (center, out) out.extend(center.to_array());
}

/// A 6 × n matrix times a vector.
fn product(matrix: &DMatrix<f64>, vector: &[f64]) -> [f64; 6] {
    let mut product = [0.0; 6];
    for (column, x) in matrix.column_iter().zip(vector) {
        for (sum, entry) in product.iter_mut().zip(column.iter()) {
            *sum += entry * x;
        }
    }
    product
}

fn push_symmetric(matrix: &DMatrix<f64>, out: &mut Vec<f64>) {
    // Row by row is column by column.
    out.extend(matrix.iter());
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
