//! The derivatives of inverse and forward dynamics beside the same matrices by dual numbers:
//! nanoseconds a state in double precision on one core.
//!
//! `cargo bench --bench dual_derivatives -- [ROBOT...]`, where a robot is an embedded one or a URDF
//! on a floating base, prints a table. All matrices are compared before anything is timed. Fails
//! where dual numbers take less than [`LEAST`] times as long.
//!
//! By q and v one calls the algorithm with dual numbers of N directions, as often as 2 nv
//! directions need, and takes N that is quickest; M is found by `crba`, M⁻¹ by
//! `mass_matrix_inverse`, which is quicker than by dual numbers.

use anyhow::{Result, ensure};
use featherline::configuration::integrate_into;
use featherline::scalar::Dual;
use featherline::{Model, Workspace};
use featherline_bench::{affinity, machine, robots, states, statistics};
use featherline_bench_protocol::states::State;
use featherline_formats::{LoadOptions, load_with};
use nalgebra::DMatrix;
use std::hint::black_box;
use std::time::Instant;

const ROBOTS: [&str; 5] = ["ur5", "panda", "hand", "quadruped", "humanoid"];
const STATES: usize = 32;
const SAMPLES: usize = 60;
/// How many times as long dual numbers are to take at least.
const LEAST: f64 = 3.0;
/// How far matrices may be apart, relative to the largest entry; accelerations' more, see
/// [`tolerance`].
const AGREEMENT: f64 = 1e-10;

/// The algorithm that is differentiated.
#[derive(Clone, Copy, PartialEq)]
enum Algorithm {
    Rnea,
    Aba,
}

/// One way to the derivatives by q, by v and by the last input.
trait Way {
    /// Computes them.
    fn run(&mut self, algorithm: Algorithm, state: &State) -> Result<()>;
    /// Computes them and gives copies.
    fn answer(&mut self, algorithm: Algorithm, state: &State) -> Result<[DMatrix<f64>; 3]>;
}

/// The library's own.
struct Analytical<'m> {
    model: &'m Model,
    workspace: Workspace<f64>,
}

impl Way for Analytical<'_> {
    fn run(&mut self, algorithm: Algorithm, state: &State) -> Result<()> {
        let (model, ws, State { q, v, a, tau }) = (self.model, &mut self.workspace, state);
        match algorithm {
            Algorithm::Rnea => drop(black_box(model.rnea_derivatives(ws, q, v, a)?)),
            Algorithm::Aba => drop(black_box(model.aba_derivatives(ws, q, v, tau)?)),
        }
        Ok(())
    }

    fn answer(&mut self, algorithm: Algorithm, state: &State) -> Result<[DMatrix<f64>; 3]> {
        let (model, ws, State { q, v, a, tau }) = (self.model, &mut self.workspace, state);
        Ok(match algorithm {
            Algorithm::Rnea => {
                let found = model.rnea_derivatives(ws, q, v, a)?;
                [found.dq, found.dv, found.da].map(DMatrix::clone)
            }
            Algorithm::Aba => {
                let found = model.aba_derivatives(ws, q, v, tau)?;
                [found.dq, found.dv, found.dtau].map(DMatrix::clone)
            }
        })
    }
}

/// By dual numbers of `N` directions.
struct ByDuals<'m, const N: usize> {
    model: &'m Model,
    workspace: Workspace<Dual<f64, N>>,
    plain: Workspace<f64>,
    q: Vec<Dual<f64, N>>,
    step: Vec<Dual<f64, N>>,
    moved: Vec<Dual<f64, N>>,
    v: Vec<Dual<f64, N>>,
    last: Vec<Dual<f64, N>>,
    /// By q, then by v.
    columns: DMatrix<f64>,
}

impl<'m, const N: usize> ByDuals<'m, N> {
    fn new(model: &'m Model) -> Self {
        let zeros = |count| vec![Dual::fixed(0.0); count];
        let (nq, nv) = (model.nq(), model.nv());
        Self {
            model,
            workspace: Workspace::new(model),
            plain: Workspace::new(model),
            q: zeros(nq),
            step: zeros(nv),
            moved: zeros(nq),
            v: zeros(nv),
            last: zeros(nv),
            columns: DMatrix::zeros(nv, 2 * nv),
        }
    }
}

impl<const N: usize> Way for ByDuals<'_, N> {
    fn run(&mut self, algorithm: Algorithm, state: &State) -> Result<()> {
        let (model, nv) = (self.model, self.model.nv());
        let last = match algorithm {
            Algorithm::Rnea => &state.a,
            Algorithm::Aba => &state.tau,
        };
        for (to, &x) in self.q.iter_mut().zip(&state.q) {
            *to = Dual::fixed(x);
        }
        for (to, &x) in self.last.iter_mut().zip(last) {
            *to = Dual::fixed(x);
        }
        for first in (0..2 * nv).step_by(N) {
            // Direction k is along q for k < nv, else along v. One before the first is no direction
            // of this pass, nor is one past the last.
            let seed = |x, k: usize| match k.checked_sub(first) {
                Some(direction) => Dual::variable(x, direction),
                None => Dual::fixed(x),
            };
            for k in 0..nv {
                self.step[k] = seed(0.0, k);
                self.v[k] = seed(state.v[k], nv + k);
            }
            integrate_into(model, &self.q, &self.step, &mut self.moved)?;
            let (ws, q, v) = (&mut self.workspace, &self.moved, &self.v);
            let found = match algorithm {
                Algorithm::Rnea => model.rnea(ws, q, v, &self.last)?,
                Algorithm::Aba => model.aba(ws, q, v, &self.last)?,
            };
            for k in first..(first + N).min(2 * nv) {
                for (entry, x) in self.columns.column_mut(k).iter_mut().zip(found) {
                    *entry = x.tangent[k - first];
                }
            }
        }
        black_box(match algorithm {
            Algorithm::Rnea => model.crba(&mut self.plain, &state.q)?,
            Algorithm::Aba => model.mass_matrix_inverse(&mut self.plain, &state.q)?,
        });
        Ok(())
    }

    fn answer(&mut self, algorithm: Algorithm, state: &State) -> Result<[DMatrix<f64>; 3]> {
        self.run(algorithm, state)?;
        let (model, nv, q) = (self.model, self.model.nv(), &state.q);
        let by_last = match algorithm {
            Algorithm::Rnea => model.crba(&mut self.plain, q)?.clone(),
            Algorithm::Aba => model.mass_matrix_inverse(&mut self.plain, q)?.clone(),
        };
        let by = |first| self.columns.columns(first, nv).into_owned();
        Ok([by(0), by(nv), by_last])
    }
}

/// The difference that rounding accounts for: accelerations lose digits with the condition number
/// of M.
fn tolerance(algorithm: Algorithm, model: &Model, q: &[f64]) -> Result<f64> {
    if algorithm == Algorithm::Rnea {
        return Ok(AGREEMENT);
    }
    let mut ws = Workspace::new(model);
    let condition = model.crba(&mut ws, q)?.norm() * model.mass_matrix_inverse(&mut ws, q)?.norm();
    Ok(AGREEMENT.max(model.nv() as f64 * condition * f64::EPSILON))
}

fn check(
    ways: &mut [Box<dyn Way + '_>],
    algorithm: Algorithm,
    model: &Model,
    states: &[State],
) -> Result<()> {
    for state in states {
        let accepted = tolerance(algorithm, model, &state.q)?;
        let mut found = Vec::new();
        for way in ways.iter_mut() {
            found.push(way.answer(algorithm, state)?);
        }
        for other in &found[1..] {
            for (one, two) in found[0].iter().zip(other) {
                let error = (one - two).amax() / one.amax();
                ensure!(error <= accepted, "matrices differ by {error:.1e}");
            }
        }
    }
    Ok(())
}

/// The median time of each way, in ns a state.
fn times(
    ways: &mut [Box<dyn Way + '_>],
    algorithm: Algorithm,
    states: &[State],
) -> Result<Vec<f64>> {
    let mut samples = vec![Vec::new(); ways.len()];
    for _ in 0..SAMPLES {
        for (way, samples) in ways.iter_mut().zip(&mut samples) {
            let start = Instant::now();
            for state in states {
                way.run(algorithm, black_box(state))?;
            }
            samples.push(start.elapsed().as_nanos() as f64 / states.len() as f64);
        }
    }
    Ok(samples.iter().map(|s| statistics::median(s)).collect())
}

fn robot(name: &str) -> Result<Model> {
    if !name.ends_with(".urdf") {
        return Ok(robots::embedded(name)?);
    }
    Ok(load_with(name, &LoadOptions::default().floating_base(true))?.model)
}

fn main() -> Result<()> {
    let arguments = std::env::args().skip(1);
    // Cargo says `--bench` to every benchmark.
    let mut names: Vec<String> = arguments.filter(|name| name != "--bench").collect();
    if names.is_empty() {
        names = ROBOTS.map(str::to_owned).to_vec();
    }
    affinity::pin(None)?;
    println!("On one core of {}:\n", machine::description());
    println!(
        "| robot | nv | of | analytical | N = 8 | N = 16 | quickest dual / analytical |\n\
         |---|--:|---|--:|--:|--:|--:|"
    );
    let mut least = f64::INFINITY;
    for name in &names {
        let model = robot(name)?;
        let states = states::draw(&model, STATES, 1);
        for algorithm in [Algorithm::Rnea, Algorithm::Aba] {
            let workspace = Workspace::new(&model);
            let analytical = Analytical {
                model: &model,
                workspace,
            };
            let mut ways: Vec<Box<dyn Way>> = vec![
                Box::new(analytical),
                Box::new(ByDuals::<8>::new(&model)),
                Box::new(ByDuals::<16>::new(&model)),
            ];
            check(&mut ways, algorithm, &model, &states)?;
            let times = times(&mut ways, algorithm, &states)?;
            let quickest = times[1..].iter().copied().fold(f64::INFINITY, f64::min);
            let ratio = quickest / times[0];
            least = least.min(ratio);
            let cells: Vec<String> = times.iter().map(|time| format!("{time:.0} ns")).collect();
            let of = match algorithm {
                Algorithm::Rnea => "τ",
                Algorithm::Aba => "q̈",
            };
            let (name, nv, cells) = (model.name(), model.nv(), cells.join(" | "));
            println!("| {name} | {nv} | {of} | {cells} | {ratio:.1} |");
        }
    }
    ensure!(
        least >= LEAST,
        "dual numbers take {least:.2} times as long; {LEAST} is asked"
    );
    Ok(())
}
