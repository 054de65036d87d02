//! The calls that featherline also offers for all states at once.

use crate::calls::Robot;
use anyhow::{Result, ensure};
use featherline::batch::{Batch, BatchStatus, Precision, TermRows};
use featherline::kernel;
use featherline::regressor::BODY_PARAMETERS;
use featherline::{Error, Model};
use featherline_bench_protocol::server::Call;
use featherline_bench_protocol::states::State;
use std::hint::black_box;
use std::time::Instant;

/// The most results of a call.
const RESULTS: usize = 9;

/// A batch on one thread, with its states in flat arrays and room for results.
pub struct Many<T: Precision> {
    batch: Batch<T>,
    q: Vec<T>,
    v: Vec<T>,
    a: Vec<T>,
    tau: Vec<T>,
    out: [Vec<T>; RESULTS],
    status: Vec<BatchStatus>,
}

impl<T: Precision> Many<T> {
    pub(crate) fn new(model: &Model, states: &[State]) -> Result<Self> {
        let flat = |values: fn(&State) -> &[f64]| -> Vec<T> {
            let numbers = states.iter().flat_map(values);
            numbers.map(|x| T::constant(*x)).collect()
        };
        Ok(Self {
            batch: Batch::new(model, 1)?,
            q: flat(|s| &s.q),
            v: flat(|s| &s.v),
            a: flat(|s| &s.a),
            tau: flat(|s| &s.tau),
            out: Default::default(),
            status: vec![BatchStatus::default(); states.len()],
        })
    }

    fn time(&mut self, run: fn(&mut Self) -> Result<usize, Error>) -> Result<f64> {
        let begin = Instant::now();
        let failed = black_box(run(self)?);
        let elapsed = begin.elapsed();
        ensure!(failed == 0, "{failed} states have no result");
        Ok(elapsed.as_secs_f64() * 1e9 / self.status.len() as f64)
    }

    /// A state's rows of all results.
    fn rows(
        &mut self,
        run: fn(&mut Self) -> Result<usize, Error>,
        index: usize,
    ) -> Result<[Vec<f64>; RESULTS]>
    where
        T: Into<f64>,
    {
        run(self)?;
        let states = self.status.len();
        Ok(self.out.each_ref().map(|values| {
            let length = values.len() / states;
            let own = &values[index * length..(index + 1) * length];
            own.iter().map(|x| (*x).into()).collect()
        }))
    }

    /// Makes room for results of so many numbers a state.
    fn make_room<const N: usize>(&mut self, lengths: [usize; N]) {
        for (out, length) in self.out.iter_mut().zip(lengths) {
            out.resize(length * self.status.len(), T::zero());
        }
    }

    fn forward_kinematics(&mut self) -> Result<usize, Error> {
        self.make_room([12 * (self.batch.model().joints().len() - 1)]);
        self.batch
            .joint_placements(&self.q, &mut self.out[0], &mut self.status)
    }

    fn joint_jacobians(&mut self) -> Result<usize, Error> {
        self.make_room([6 * self.batch.model().nv()]);
        self.batch
            .joint_jacobians(&self.q, &mut self.out[0], &mut self.status)
    }

    fn center_of_mass(&mut self) -> Result<usize, Error> {
        self.make_room([3]);
        self.batch
            .center_of_mass(&self.q, &mut self.out[0], &mut self.status)
    }

    fn rnea(&mut self) -> Result<usize, Error> {
        self.make_room([self.batch.model().nv()]);
        let Self {
            q,
            v,
            a,
            out: [out, ..],
            ..
        } = self;
        self.batch.rnea(q, v, a, out, &mut self.status)
    }

    fn bias(&mut self) -> Result<usize, Error> {
        self.make_room([self.batch.model().nv()]);
        let Self {
            q,
            v,
            out: [out, ..],
            ..
        } = self;
        self.batch.bias(q, v, out, &mut self.status)
    }

    fn aba(&mut self) -> Result<usize, Error> {
        self.make_room([self.batch.model().nv()]);
        let Self {
            q,
            v,
            tau,
            out: [out, ..],
            ..
        } = self;
        self.batch.aba(q, v, tau, out, &mut self.status)
    }

    fn crba(&mut self) -> Result<usize, Error> {
        let nv = self.batch.model().nv();
        self.make_room([nv * nv]);
        self.batch.crba(&self.q, &mut self.out[0], &mut self.status)
    }

    fn crba_packed(&mut self) -> Result<usize, Error> {
        self.make_room([kernel::elimination_tree(self.batch.model()).tight_len()]);
        self.batch
            .crba_packed(&self.q, &mut self.out[0], &mut self.status)
    }

    fn mass_matrix_solve(&mut self) -> Result<usize, Error> {
        self.make_room([self.batch.model().nv()]);
        let Self {
            q,
            tau,
            out: [out, ..],
            ..
        } = self;
        self.batch.mass_matrix_solve(q, tau, out, &mut self.status)
    }

    fn mass_matrix_inverse(&mut self) -> Result<usize, Error> {
        let nv = self.batch.model().nv();
        self.make_room([nv * nv]);
        self.batch
            .mass_matrix_inverse(&self.q, &mut self.out[0], &mut self.status)
    }

    /// The map, and from it the momentum.
    fn centroidal_map(&mut self) -> Result<usize, Error> {
        let nv = self.batch.model().nv();
        self.make_room([6 * nv, 6]);
        let Self { q, v, out, .. } = self;
        let [map, momentum, ..] = out;
        self.batch
            .centroidal_momentum(q, v, map, momentum, &mut self.status)
    }

    fn all_terms(&mut self) -> Result<usize, Error> {
        let nv = self.batch.model().nv();
        self.make_room([nv * nv, nv, nv, 6 * nv, 6, 6, 3, 1, 1]);
        let Self { q, v, out, .. } = self;
        let [
            mass_matrix,
            bias,
            gravity_torque,
            centroidal_map,
            centroidal_momentum,
            centroidal_drift,
            center_of_mass,
            kinetic_energy,
            potential_energy,
        ] = out;
        let rows = TermRows {
            mass_matrix,
            bias,
            gravity_torque,
            centroidal_map,
            centroidal_momentum,
            centroidal_drift,
            center_of_mass,
            kinetic_energy,
            potential_energy,
        };
        self.batch.all_terms(q, v, rows, &mut self.status)
    }

    fn rnea_derivatives(&mut self) -> Result<usize, Error> {
        let nv = self.batch.model().nv();
        self.make_room([nv, nv * nv, nv * nv, nv * nv]);
        let Self { q, v, a, out, .. } = self;
        let [tau, dq, dv, da, ..] = out;
        self.batch
            .rnea_derivatives(q, v, a, tau, dq, dv, da, &mut self.status)
    }

    fn aba_derivatives(&mut self) -> Result<usize, Error> {
        let nv = self.batch.model().nv();
        self.make_room([nv, nv * nv, nv * nv, nv * nv]);
        let Self { q, v, tau, out, .. } = self;
        let [a, dq, dv, dtau, ..] = out;
        self.batch
            .aba_derivatives(q, v, tau, a, dq, dv, dtau, &mut self.status)
    }

    fn regressor(&mut self) -> Result<usize, Error> {
        let model = self.batch.model();
        let columns = BODY_PARAMETERS * model.joint_ids().count();
        self.make_room([model.nv() * columns]);
        let Self {
            q,
            v,
            a,
            out: [out, ..],
            ..
        } = self;
        self.batch
            .joint_torque_regressor(q, v, a, out, &mut self.status)
    }
}

/// The rows of each placement's rotation, and its translation, from columns.
fn placements(numbers: &[f64]) -> Vec<f64> {
    let one = |p: &[f64]| {
        [
            p[0], p[3], p[6], p[1], p[4], p[7], p[2], p[5], p[8], p[9], p[10], p[11],
        ]
    };
    numbers.chunks_exact(12).flat_map(one).collect()
}

/// A matrix row by row, from its columns of so many numbers.
fn by_rows(columns: &[f64], rows: usize) -> Vec<f64> {
    let row = |r| columns.chunks_exact(rows).map(move |c: &[f64]| c[r]);
    (0..rows).flat_map(row).collect()
}

/// The matrices of derivatives, without what is differentiated, one number a row.
fn derivatives([value, matrices @ ..]: &[Vec<f64>; RESULTS]) -> Vec<f64> {
    let matrices = matrices[..3].iter();
    matrices.flat_map(|m| by_rows(m, value.len())).collect()
}

macro_rules! batches {
    ($($name:literal: $run:ident, |$model:ident, $rows:ident| $read:expr;)*) => {
        /// All calls, in both precisions.
        pub const BATCHES: &[Call<Robot>] = &[$(
            Call {
                name: concat!($name, ":batch_f64"),
                time_pass: |robot| robot.doubles()?.time(Many::$run),
                answer: |robot, index| {
                    let $rows = robot.doubles()?.rows(Many::$run, index)?;
                    let ($model, _) = robot.parts();
                    Ok($read)
                },
            },
            Call {
                name: concat!($name, ":batch_f32"),
                time_pass: |robot| robot.singles()?.time(Many::$run),
                answer: |robot, index| {
                    let $rows = robot.singles()?.rows(Many::$run, index)?;
                    let ($model, _) = robot.parts();
                    Ok($read)
                },
            },
        )*];
    };
}

batches! {
    "forward_kinematics": forward_kinematics, |_model, rows| placements(&rows[0]);
    "joint_jacobians": joint_jacobians, |_model, rows| by_rows(&rows[0], 6);
    "com": center_of_mass, |_model, rows| rows[0].clone();
    "rnea": rnea, |_model, rows| rows[0].clone();
    "bias": bias, |_model, rows| rows[0].clone();
    "crba": crba, |_model, rows| rows[0].clone();
    "crba_packed": crba_packed, |_model, rows| rows[0].clone();
    "crba_factor_solve": mass_matrix_solve, |_model, rows| rows[0].clone();
    "aba": aba, |_model, rows| rows[0].clone();
    "minverse": mass_matrix_inverse, |_model, rows| rows[0].clone();
    "ccrba": centroidal_map, |_model, rows| [by_rows(&rows[0], 6), rows[1].clone()].concat();
    "all_terms": all_terms, |_model, rows| {
        let [mass, bias, gravity, map, momentum, _drift, center, kinetic, potential] = rows;
        [mass, bias, gravity, by_rows(&map, 6), momentum, center, kinetic, potential].concat()
    };
    "rnea_derivatives": rnea_derivatives, |_model, rows| derivatives(&rows);
    "aba_derivatives": aba_derivatives, |_model, rows| derivatives(&rows);
    "regressor": regressor, |model, rows| by_rows(&rows[0], model.nv());
}
