//! How models and simulations are shown: by a line of text, and by pictures drawn in Python.

use super::Simulation;
use crate::array::Answer;
use crate::methods::MethodName;
use crate::model::Model;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::atomic::Ordering;

#[pymethods]
impl Model {
    /// Draws the tree of joints with matplotlib; a matplotlib figure.
    fn plot_tree<'py>(slf: &Bound<'py, Self>) -> Answer<'py> {
        let pictures = slf.py().import("featherline.pictures")?;
        pictures.getattr("plot_tree")?.call1((slf,))
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        let pictures = slf.py().import("featherline.pictures")?;
        let html = pictures.getattr("model_html")?.call1((slf,))?;
        html.extract()
    }
}

impl Simulation {
    /// The drives of the joints besides the controller, in words.
    fn describe_drives(&self) -> Option<String> {
        if !self.is_time_stepping() {
            return None;
        }
        match self.has_yielded.load(Ordering::Relaxed) {
            true => Some("no drives until reset".to_owned()),
            false => Some(self.drives.describe()),
        }
    }
}

#[pymethods]
impl Simulation {
    /// Draws the recording so far: see `Recording.plot`.
    #[pyo3(signature = (*names))]
    fn plot<'py>(&self, py: Python<'py>, names: &Bound<'py, PyTuple>) -> Answer<'py> {
        Bound::new(py, self.record(py)?)?
            .into_any()
            .call_method1("plot", names)
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        let pictures = slf.py().import("featherline.pictures")?;
        let html = pictures.getattr("simulation_html")?.call1((slf,))?;
        html.extract()
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let mut what = match self.forces() {
            Ok(forces) => forces.control.describe(py),
            Err(_) => "running".to_owned(),
        };
        if let Some(drives) = self.describe_drives() {
            what = format!("{what}, {drives}");
        }
        let name = self.model.get().model.name();
        let steps = if self.options.method == MethodName::DormandPrince {
            format!("to a tolerance of {:e}", self.options.tolerance())
        } else {
            format!("in steps of {} s", self.options.dt)
        };
        let method = self.options.method_name();
        format!(
            "<featherline.Simulation of '{name}': t = {:?} s, {method} {steps}, {what}>",
            self.time()
        )
    }
}
