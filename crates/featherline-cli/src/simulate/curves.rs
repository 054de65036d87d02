//! Energy, momentum and loop error over time, and their charts: without the feature `plots` the
//! summary's numbers alone.

use crate::failure::Failure;
use featherline::Model;
#[cfg(feature = "plots")]
use featherline_record::chart::{self, History};
use featherline_sim::simulation::{Conservation, Recorder, RecorderError, Sample};
use std::ops::ControlFlow;
use std::path::Path;

/// The conserved quantities of a simulation, and their course.
#[cfg(feature = "plots")]
pub struct Curves(History);

/// The conserved quantities of a simulation.
#[cfg(not(feature = "plots"))]
pub struct Curves(Conservation);

#[cfg(feature = "plots")]
impl Curves {
    pub fn new(model: &Model) -> Self {
        Self(History::new(model))
    }

    /// How well energy and momentum were conserved.
    pub fn conservation(&self) -> &Conservation {
        self.0.conservation()
    }

    /// Fails unless a chart can be written to the path.
    pub fn check_path(path: &Path) -> Result<(), Failure> {
        Ok(chart::check_path(path)?)
    }

    /// Writes the chart.
    pub fn write_svg(&self, path: &Path, robot: &str) -> Result<(), Failure> {
        Ok(chart::write_svg(path, robot, &self.0.panels())?)
    }

    /// The chart for a terminal.
    pub fn text(&self, robot: &str) -> String {
        chart::terminal(robot, &self.0.panels(), console::Term::stdout().size().1)
    }
}

#[cfg(not(feature = "plots"))]
impl Curves {
    pub fn new(model: &Model) -> Self {
        Self(Conservation::new(model))
    }

    /// How well energy and momentum were conserved.
    pub fn conservation(&self) -> &Conservation {
        &self.0
    }

    /// Fails with how to get charts.
    pub fn check_path(_: &Path) -> Result<(), Failure> {
        Err(Failure::not_built("`--plot`", "plots"))
    }

    /// Fails as [`check_path`](Self::check_path) does.
    pub fn write_svg(&self, path: &Path, _: &str) -> Result<(), Failure> {
        Self::check_path(path)
    }

    /// Nothing.
    pub fn text(&self, _: &str) -> String {
        String::new()
    }
}

impl Recorder for Curves {
    fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        self.0.record(sample)
    }
}
