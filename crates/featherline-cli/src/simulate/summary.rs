//! How a simulation went, in one line.

use super::contact_summary::ContactSummary;
use super::loop_table::LoopGap;
use featherline_record::number::short;
use featherline_sim::setup::{Decision, Start};
use featherline_sim::simulation::{Conservation, MethodName, Simulation};
use serde::Serialize;
use std::time::Duration;

/// How a simulation went.
#[derive(Serialize)]
pub struct Summary {
    robot: String,
    integrator: &'static str,
    seconds: f64,
    samples: u64,
    /// In J.
    energy: [f64; 2],
    /// Whether nothing but gravity acted, so that a change of the energy is an error.
    energy_should_stay: bool,
    /// The energy that energy errors are relative to, in J.
    energy_scale: f64,
    /// Whether that is the greatest kinetic energy about the centre of mass, and not of all.
    energy_scale_is_inner: bool,
    peak_relative_energy_error: f64,
    /// In 1/s.
    energy_drift: f64,
    energy_drift_error: f64,
    /// Of robots that float freely, relative to the greatest kinetic energy of the centre of mass.
    center_energy_error: Option<f64>,
    /// Of robots that float freely, in N·s and N·m·s.
    linear_momentum_error: Option<f64>,
    /// The greatest linear momentum.
    linear_momentum_scale: Option<f64>,
    angular_momentum_error: Option<f64>,
    /// Of robots with loops, in m and rad, and per second.
    loop_gap: Option<f64>,
    loop_gap_rate: Option<f64>,
    loop_condition: Option<f64>,
    /// Of time stepping.
    pub contact: Option<ContactSummary>,
    /// How it began.
    decision: Decision,
    #[serde(skip)]
    touches: bool,
    /// Each loop, where that was asked for.
    pub loops: Option<Vec<LoopGap>>,
    /// Why the motion may not be the robot's.
    warnings: Vec<String>,
}

impl Summary {
    pub fn new(
        seconds: f64,
        integrator: &'static str,
        start: &Start<'_>,
        account: &Conservation,
        simulation: &Simulation<'_>,
        warnings: Vec<String>,
    ) -> Self {
        let (model, energy) = (start.model, account.energies());
        let drift = account.energy_drift();
        // A robot that touches the ground keeps neither energy nor momentum.
        let touches = start.method == MethodName::TimeStepping;
        let floats = account.floats_freely() && !touches;
        let has_loops = !model.loop_joints().is_empty();
        let (gap, rate) = account.loop_error();
        Self {
            robot: model.name().to_owned(),
            integrator,
            seconds,
            samples: account.samples(),
            energy: energy.into(),
            energy_should_stay: start.only_gravity_acts(),
            energy_scale: account.energy_scale(),
            energy_scale_is_inner: account.scale_is_inner(),
            peak_relative_energy_error: account.peak_energy_error(),
            energy_drift: drift.slope,
            energy_drift_error: drift.error,
            center_energy_error: floats.then(|| account.center_energy_error()),
            linear_momentum_error: floats.then(|| account.linear_momentum_error()),
            linear_momentum_scale: floats.then(|| account.linear_momentum_scale()),
            angular_momentum_error: floats.then(|| account.angular_momentum_error()),
            loop_gap: has_loops.then_some(gap),
            loop_gap_rate: has_loops.then_some(rate),
            loop_condition: simulation.worst_loop_condition(),
            loops: None,
            contact: None,
            decision: start.decision(),
            touches,
            warnings,
        }
    }

    /// The summary as text.
    pub fn sentence(&self, elapsed: Duration) -> String {
        let mut parts = vec![format!(
            "{}: {} s by {} in {:.3} s",
            self.robot,
            short(self.seconds),
            self.integrator,
            elapsed.as_secs_f64()
        )];
        parts.push(self.energy_in_words());
        match (
            self.linear_momentum_error,
            self.linear_momentum_scale,
            self.angular_momentum_error,
        ) {
            // One sample has no drift.
            _ if self.samples < 2 => {}
            (Some(linear), Some(greatest), Some(angular)) => parts.push(format!(
                "momentum drift {linear:.1e} N·s of at most {greatest:.1e}, {angular:.1e} N·m·s"
            )),
            _ if self.touches => {}
            _ => parts.push("momentum is not conserved, because the base is fixed".to_owned()),
        }
        if let Some(gap) = self.loop_gap {
            parts.push(format!("loop error {gap:.1e} (m, rad)"));
        }
        if let Some(condition) = self.loop_condition {
            let condition = if condition < 1e3 {
                format!("{condition:.1}")
            } else {
                format!("{condition:.1e}")
            };
            parts.push(format!("condition of the loops up to {condition}"));
        }
        parts.join("; ")
    }

    /// The energy: its errors where it should stay, else its change.
    fn energy_in_words(&self) -> String {
        let [start, end] = self.energy.map(short);
        if self.samples < 2 {
            return format!("only the start was sampled, with an energy of {start} J");
        }
        if self.energy_should_stay && self.energy_scale == 0.0 {
            return "nothing moved".to_owned();
        }
        let own = self.center_energy_error;
        let own = own.map_or_else(String::new, |error| {
            format!(", energy error of the centre of mass {error:.1e}")
        });
        if !self.energy_should_stay {
            return format!("energy from {start} J to {end} J{own}");
        }
        format!(
            "peak energy error {:.2e} of the greatest kinetic energy{}, drift ({:.1e} ± {:.1e})/s{own}",
            self.peak_relative_energy_error,
            if self.energy_scale_is_inner {
                " about the centre of mass"
            } else {
                ""
            },
            self.energy_drift,
            self.energy_drift_error
        )
    }
}
