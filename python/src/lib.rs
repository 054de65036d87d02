//! featherline for Python: the module `featherline._native`. It holds no mathematics.

// Arguments of a method are those of its Python signature.
#![allow(clippy::too_many_arguments)]

// Layers, bottom to top: error, pool, array, model, evaluate, algorithms, forces, dynamics,
// kinematics, command.
mod algorithms;
mod array;
mod command;
mod dynamics;
mod error;
mod evaluate;
mod forces;
mod kinematics;
mod model;
mod pool;

use pyo3::prelude::*;

/// The native part of featherline.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::command::run_command;
    #[pymodule_export]
    use crate::model::{Frame, Joint, Model, load};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let robots: Vec<&str> = featherline_robots::names().collect();
        module.add("ROBOTS", robots)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
