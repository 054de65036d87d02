//! featherline for Python: the module `featherline._native`. It holds no mathematics.

// Arguments of a method are those of its Python signature.
#![allow(clippy::too_many_arguments)]

// Layers, bottom to top: xtask/layers.toml.
mod argument;
mod array;
mod bodies;
mod collision;
mod command;
mod compile;
mod derivatives;
mod dynamics;
mod error;
mod evaluate;
mod forces;
mod held_frames;
mod integrators;
mod inverse_kinematics;
mod kinematics;
mod lookup;
mod loop_joints;
mod loops;
mod maximal;
mod methods;
mod model;
mod overhead;
mod pinocchio;
mod pool;
mod program;
mod properties;
mod quantities;
mod regressors;
mod robot;
mod simulation;
mod spatial;
mod states;
mod surgery;
mod system;
mod tangent_products;
mod terms;
mod torques;
mod tree;
mod variational;
mod viewer;

use pyo3::prelude::*;

/// The native part of featherline. Spatial objects share their numbers with numpy arrays, without a
/// lock but the interpreter's.
#[pymodule(gil_used = true)]
mod _native {
    #[pymodule_export]
    use crate::bodies::_centers;
    #[pymodule_export]
    use crate::collision::Collision;
    #[pymodule_export]
    use crate::command::run_command;
    #[pymodule_export]
    use crate::error::nearest;
    #[pymodule_export]
    use crate::held_frames::FrameConstraint;
    #[pymodule_export]
    use crate::loop_joints::Loop;
    #[pymodule_export]
    use crate::model::{Frame, Joint, Model};
    #[pymodule_export]
    use crate::pinocchio::functions;
    #[pymodule_export]
    use crate::program::{_limit_instructions, Program};
    #[pymodule_export]
    use crate::quantities::quantities;
    #[pymodule_export]
    use crate::robot::{Robot, check, convert, load, load_robot, repair, to_mjcf, to_urdf};
    #[pymodule_export]
    use crate::simulation::{
        Drives, Event, ProportionalDerivative, Recording, Simulation, SimulationBatch, WarmStart,
    };
    #[pymodule_export]
    use crate::spatial::functions::{
        exp3, exp6, jexp3, jexp6, jlog3, jlog6, log3, log6, matrix_to_rpy, rpy_to_matrix, skew,
        swap_linear_angular, unskew,
    };
    #[pymodule_export]
    use crate::spatial::parameters::{
        consistency_fault, log_cholesky_jacobian, log_cholesky_to_parameters,
        parameters_to_log_cholesky, parameters_to_pseudo_inertia, pseudo_inertia_to_parameters,
    };
    #[pymodule_export]
    use crate::spatial::{Force, Inertia, Motion, SE3};
    #[pymodule_export]
    use crate::surgery::Carried;
    #[pymodule_export]
    use crate::system::{
        Advice, Assembly, BlockTriangularForm, ChiSquare, Configuration, Diagnosis, Estimate,
        EstimateProgram, Estimator, Innovations, OperationCount, Outlier, Pattern, Plan, Prior,
        Reformulation, Sensor, SimulatedReadings, Solution, SparseMatrix, Suspect, System,
        SystemFactors,
    };
    #[pymodule_export]
    use crate::variational::VariationalIntegrator;
    #[pymodule_export]
    use crate::viewer::{Viewer, picture, view};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let robots: Vec<&str> = featherline_robots::names().collect();
        crate::pool::watch_forks(module.py())?;
        module.add("ROBOTS", robots)?;
        let class = module.py().get_type::<crate::simulation::SimulationError>();
        module.add("SimulationError", class)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
