//! The calls as programs that were made for the robot, in machine code.

use crate::calls::Robot;
use anyhow::{Context, Result, ensure};
use featherline::Model;
use featherline::batch::{BatchStatus, Precision};
use featherline::quantity::Parameters;
use featherline::scalar::Operations;
use featherline_bench_protocol::server::Call;
use featherline_bench_protocol::states::State;
use featherline_compile::{MachineCode, Options, Port, Program, Quantity};
use std::time::Instant;

/// The outputs of `all_terms`; no other call that is compared has more.
const MOST_OUTPUTS: usize = 9;

/// A program with its states in flat arrays and room for results.
pub struct Compiled<T: Precision> {
    code: MachineCode<T>,
    /// Whether states are handed over one after the other.
    is_single: bool,
    inputs: Vec<Array<T>>,
    outputs: Vec<Array<T>>,
    status: Vec<BatchStatus>,
}

/// Rows, one a state.
struct Array<T> {
    length: usize,
    rows: Vec<T>,
}

impl<T: Precision + Into<f64>> Compiled<T> {
    pub(crate) fn new(
        quantity: &str,
        is_single: bool,
        model: &Model,
        states: &[State],
    ) -> Result<Self> {
        let program = program(quantity, T::EPSILON > f64::EPSILON, model)?;
        let code = if is_single {
            MachineCode::for_one_state(&program)?
        } else {
            MachineCode::new(&program)?
        };
        let length = |port: &Port| port.rows * port.columns;
        let input = |port: &Port| {
            let values: fn(&State) -> &[f64] = match port.name.as_str() {
                "q" => |s| &s.q,
                "v" => |s| &s.v,
                "a" => |s| &s.a,
                _ => |s| &s.tau,
            };
            let numbers = states.iter().flat_map(values);
            Array {
                length: length(port),
                rows: numbers.map(|x| T::constant(*x)).collect(),
            }
        };
        let output = |port: &Port| Array {
            length: length(port),
            rows: vec![T::zero(); length(port) * states.len()],
        };
        Ok(Self {
            code,
            is_single,
            inputs: program.inputs().iter().map(input).collect(),
            outputs: program.outputs().iter().map(output).collect(),
            status: vec![BatchStatus::default(); states.len()],
        })
    }

    /// Runs all states; gives the nanoseconds a state.
    fn time(&mut self) -> Result<f64> {
        let states = self.status.len();
        let begin = Instant::now();
        let failed = if self.is_single {
            let mut failed = 0;
            for state in 0..states {
                failed += self.run(state, 1)?;
            }
            failed
        } else {
            self.run(0, states)?
        };
        let elapsed = begin.elapsed();
        ensure!(failed == 0, "{failed} states have no result");
        Ok(elapsed.as_secs_f64() * 1e9 / states as f64)
    }

    fn run(&mut self, first: usize, count: usize) -> Result<usize> {
        let counts = (self.inputs.len(), self.outputs.len());
        ensure!(counts.1 <= MOST_OUTPUTS, "{} outputs", counts.1);
        let mut inputs: [&[T]; 3] = [&[]; 3];
        for (slice, array) in inputs.iter_mut().zip(&self.inputs) {
            *slice = &array.rows[first * array.length..][..count * array.length];
        }
        let mut outputs: [&mut [T]; MOST_OUTPUTS] = Default::default();
        for (slice, array) in outputs.iter_mut().zip(&mut self.outputs) {
            *slice = &mut array.rows[first * array.length..][..count * array.length];
        }
        let (inputs, outputs) = (&inputs[..counts.0], &mut outputs[..counts.1]);
        let status = &mut self.status[first..first + count];
        Ok(self.code.run(inputs, outputs, status)?)
    }

    /// A state's rows of all results.
    fn rows(&mut self, index: usize) -> Result<Vec<Vec<f64>>> {
        self.time()?;
        let own = |array: &Array<T>| {
            let own = &array.rows[index * array.length..(index + 1) * array.length];
            own.iter().map(|x| (*x).into()).collect()
        };
        Ok(self.outputs.iter().map(own).collect())
    }
}

/// The program that is compiled for a robot.
fn program(quantity: &str, single_precision: bool, model: &Model) -> Result<Program> {
    let quantity = Quantity::named(quantity, &Parameters::NONE).context("a quantity")??;
    // The frames that take fewest operations may leave no digit in single precision.
    let function = if single_precision {
        quantity.trace(model)?
    } else {
        quantity.trace_lean(model)?
    };
    Ok(Program::new(&function, &Options { fuse: true }))
}

/// The arithmetic of a call's program for one state, in each precision.
#[derive(Clone, Debug, Default)]
pub struct Arithmetic {
    /// Of the one for `f64`.
    pub double: Operations,
    /// Of the one for `f32`.
    pub single: Operations,
}

impl Arithmetic {
    /// Counted; none for calls that have no program.
    ///
    /// # Errors
    /// If the robot can't be traced.
    pub fn of(call: &str, model: &Model) -> Result<Option<Self>> {
        let Some((_, quantity)) = QUANTITIES.iter().find(|(name, _)| *name == call) else {
            return Ok(None);
        };
        Ok(Some(Self {
            double: program(quantity, false, model)?.count(),
            single: program(quantity, true, model)?.count(),
        }))
    }
}

/// The rows of each placement's rotation, and its translation, from rows of both.
fn placements(numbers: &[f64]) -> Vec<f64> {
    let one = |p: &[f64]| {
        [
            p[0], p[1], p[2], p[4], p[5], p[6], p[8], p[9], p[10], p[3], p[7], p[11],
        ]
    };
    numbers.chunks_exact(12).flat_map(one).collect()
}

/// The results that all libraries give, without the centroidal drift.
fn without_drift(rows: &[Vec<f64>]) -> Vec<f64> {
    let compared = rows.iter().enumerate().filter(|(k, _)| *k != 5);
    compared.flat_map(|(_, row)| row.clone()).collect()
}

/// The matrices of derivatives, without what is differentiated.
fn derivatives(rows: &[Vec<f64>]) -> Vec<f64> {
    rows[1..].concat()
}

macro_rules! programs {
    ($($name:literal: $quantity:literal, |$rows:ident| $read:expr;)*) => {
        /// The quantity of each call's program.
        const QUANTITIES: &[(&str, &str)] = &[$(($name, $quantity)),*];

        /// All calls, in all forms.
        pub const PROGRAMS: &[Call<Robot>] = &[$(
            Call {
                name: concat!($name, ":program"),
                time_pass: |robot| robot.double_programs().of($quantity, true)?.time(),
                answer: |robot, index| {
                    let $rows = robot.double_programs().of($quantity, true)?.rows(index)?;
                    Ok($read)
                },
            },
            Call {
                name: concat!($name, ":program_f64"),
                time_pass: |robot| robot.double_programs().of($quantity, false)?.time(),
                answer: |robot, index| {
                    let $rows = robot.double_programs().of($quantity, false)?.rows(index)?;
                    Ok($read)
                },
            },
            Call {
                name: concat!($name, ":program_f32"),
                time_pass: |robot| robot.single_programs().of($quantity, false)?.time(),
                answer: |robot, index| {
                    let $rows = robot.single_programs().of($quantity, false)?.rows(index)?;
                    Ok($read)
                },
            },
        )*];
    };
}

programs! {
    "forward_kinematics": "joint_placements", |rows| placements(&rows[0]);
    "joint_jacobians": "joint_jacobians", |rows| rows[0].clone();
    "com": "center_of_mass", |rows| rows[0].clone();
    "rnea": "rnea", |rows| rows[0].clone();
    "bias": "bias", |rows| rows[0].clone();
    "crba": "crba", |rows| rows[0].clone();
    "crba_packed": "crba_packed", |rows| rows[0].clone();
    "crba_factor_solve": "mass_matrix_solve", |rows| rows[0].clone();
    "aba": "aba", |rows| rows[0].clone();
    "minverse": "mass_matrix_inverse", |rows| rows[0].clone();
    "ccrba": "centroidal_map_and_momentum", |rows| rows.concat();
    "all_terms": "all_terms", |rows| without_drift(&rows);
    "rnea_derivatives": "rnea_derivatives", |rows| derivatives(&rows);
    "aba_derivatives": "aba_derivatives", |rows| derivatives(&rows);
    "regressor": "joint_torque_regressor", |rows| rows[0].clone();
}

/// The programs of a robot that have been asked for.
pub struct Programs<'a, T: Precision> {
    pub(crate) model: &'a Model,
    pub(crate) states: &'a [State],
    pub(crate) made: &'a mut Vec<(&'static str, bool, Compiled<T>)>,
}

impl<'a, T: Precision + Into<f64>> Programs<'a, T> {
    /// The program for a quantity, made when it is first asked for.
    fn of(self, quantity: &'static str, is_single: bool) -> Result<&'a mut Compiled<T>> {
        let is_it = |made: &(&str, bool, _)| (made.0, made.1) == (quantity, is_single);
        let place = match self.made.iter().position(is_it) {
            Some(place) => place,
            None => {
                let compiled = Compiled::new(quantity, is_single, self.model, self.states)?;
                self.made.push((quantity, is_single, compiled));
                self.made.len() - 1
            }
        };
        let made = self.made.get_mut(place);
        made.map(|(.., compiled)| compiled).context("just made")
    }
}
