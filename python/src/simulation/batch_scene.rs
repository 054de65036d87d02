//! One simulation of a batch, and all of them on threads.

use super::controls::LastControls;
use super::stepping::Stepping;
use featherline_sim::contact::StepReport;
use featherline_sim::simulation::SimulationWarning;

/// One of the simulations.
pub(super) struct Scene {
    pub stepping: Stepping,
    pub t: f64,
    /// When it began, and its steps since then: its times have one rounding.
    pub ticks: (f64, u64),
    /// Where its targets were when it began, of drives that make way for joint forces.
    pub first_targets: Option<Vec<f64>>,
    /// The controls of the last call, where they are others than the first.
    pub controls: LastControls,
    /// The state with which its last step ended.
    pub last: Option<(Vec<f64>, Vec<f64>)>,
    /// The worst of the steps of the last call.
    pub report: Option<StepReport>,
    /// Why it stopped.
    pub failure: Option<String>,
}

impl Scene {
    pub fn steps(&mut self, (q, v): (&mut [f64], &mut [f64]), steps: u32, dt: f64) {
        if self.failure.is_some() {
            return;
        }
        let is_last = |(last_q, last_v): &(Vec<f64>, Vec<f64>)| *last_q == *q && *last_v == *v;
        if !self.last.as_ref().is_some_and(is_last) {
            self.stepping.forget();
        }
        for _ in 0..steps {
            if let Err(why) = self.step((&mut *q, &mut *v), dt) {
                self.failure = Some(why);
                if let Some((before_q, before_v)) = self.stepping.before() {
                    q.copy_from_slice(before_q);
                    v.copy_from_slice(before_v);
                }
                break;
            }
        }
        let last = self.last.get_or_insert_with(|| (q.to_vec(), v.to_vec()));
        last.0.copy_from_slice(q);
        last.1.copy_from_slice(v);
    }

    /// Makes a step; why the motion is lost.
    fn step(&mut self, (q, v): (&mut [f64], &mut [f64]), dt: f64) -> Result<(), String> {
        let made = self.stepping.step(self.t, (&mut *q, &mut *v), dt);
        let report = made.map_err(|error| error.to_string())?;
        let end = self.ticks.0 + dt * (self.ticks.1 + 1) as f64;
        if !q.iter().chain(&*v).all(|it| it.is_finite()) {
            return Err(format!("the state is not finite at t = {end} s"));
        }
        let account = self.stepping.account();
        if account.is_lost() {
            return Err(SimulationWarning::of_gain(end, account).to_string());
        }
        self.report = Some(self.report.map_or(report, |worst| worst.or_worse(report)));
        self.ticks.1 += 1;
        self.t = end;
        Ok(())
    }
}

/// Goes on with all simulations, each by itself.
pub fn in_threads(
    scenes: &mut [Scene],
    (q, nq): (&mut [f64], usize),
    (v, nv): (&mut [f64], usize),
    steps: u32,
    dt: f64,
    threads: usize,
) {
    let work = |scenes: &mut [Scene], q: &mut [f64], v: &mut [f64]| {
        for (row, scene) in scenes.iter_mut().enumerate() {
            let own = (&mut q[row * nq..][..nq], &mut v[row * nv..][..nv]);
            scene.steps(own, steps, dt);
        }
    };
    let share = scenes.len().div_ceil(threads).max(1);
    if share >= scenes.len() {
        return work(scenes, q, v);
    }
    std::thread::scope(|scope| {
        let parts = scenes.chunks_mut(share);
        let parts = parts.zip(q.chunks_mut((share * nq).max(1)));
        for ((scenes, q), v) in parts.zip(v.chunks_mut((share * nv).max(1))) {
            scope.spawn(move || work(scenes, q, v));
        }
    });
}
