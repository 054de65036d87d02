//! Pictures of models, drawn in Python.

use crate::model::Model;
use pyo3::prelude::*;

#[pymethods]
impl Model {
    /// Draws the tree of joints with matplotlib; a matplotlib figure.
    fn plot_tree<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let pictures = slf.py().import("featherline.pictures")?;
        pictures.getattr("plot_tree")?.call1((slf,))
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        let pictures = slf.py().import("featherline.pictures")?;
        let html = pictures.getattr("model_html")?.call1((slf,))?;
        html.extract()
    }
}
