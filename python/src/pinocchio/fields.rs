//! The table of what algorithms leave in data: Pinocchio's field, and the quantity that it is.
//!
//! An algorithm computes its results at once. The other fields of its state are computed when they
//! are read.

use super::data::DataBase;
use super::late::State;
use crate::states::Outcome;
use featherline::quantity::{
    Aba, AbaDerivatives, AllTerms, AnyAlgorithm, Bias, CenterOfMassJacobian, CentroidalMap,
    CentroidalMapRate, CoriolisMatrix, Crba, Dimension, Entry, GravityTorque, JointTorqueRegressor,
    KineticEnergy, KineticEnergyRegressor, MassMatrixInverse, MechanicalEnergy, PotentialEnergy,
    PotentialEnergyRegressor, Quantity, Rnea, RneaDerivatives, StaticTorque,
};
use featherline::regressor::BODY_PARAMETERS;
use numpy::{PyArray, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::sync::Arc;

/// A quantity of the catalogue, and the fields of its outputs.
pub struct Run {
    pub entry: &'static Entry,
    algorithm: &'static dyn AnyAlgorithm,
    to: &'static [Option<Field>],
}

const fn run<Q: Quantity>(quantity: &'static Q, to: &'static [Option<Field>]) -> Run {
    Run {
        entry: &Q::ENTRY,
        algorithm: quantity,
        to,
    }
}

/// Quantities by name: each output goes to a field, or to `_`, nowhere.
macro_rules! runs {
    ($($run:ident: $quantity:ident => $($to:tt),+;)*) => {
        $(pub static $run: Run = run(&$quantity, &[$(runs!(@to $to)),+]);)*
    };
    (@to _) => { None };
    (@to $field:ident) => { Some(Field::$field) };
}

runs! {
    RNEA: Rnea => Tau;
    ABA: Aba => Ddq;
    BIAS: Bias => Nle;
    GRAVITY_TORQUE: GravityTorque => G;
    STATIC_TORQUE: StaticTorque => Tau;
    CRBA: Crba => M;
    MASS_MATRIX_INVERSE: MassMatrixInverse => Minv;
    CORIOLIS_MATRIX: CoriolisMatrix => C;
    CENTROIDAL_MAP: CentroidalMap => Ag;
    CENTROIDAL_MAP_RATE: CentroidalMapRate => DAg;
    CENTER_OF_MASS_JACOBIAN: CenterOfMassJacobian => Jcom;
    KINETIC_ENERGY: KineticEnergy => KineticEnergy;
    POTENTIAL_ENERGY: PotentialEnergy => PotentialEnergy;
    MECHANICAL_ENERGY: MechanicalEnergy => MechanicalEnergy;
    JOINT_TORQUE_REGRESSOR: JointTorqueRegressor => JointTorqueRegressor;
    KINETIC_ENERGY_REGRESSOR: KineticEnergyRegressor => KineticEnergyRegressor;
    POTENTIAL_ENERGY_REGRESSOR: PotentialEnergyRegressor => PotentialEnergyRegressor;
    RNEA_DERIVATIVES: RneaDerivatives => Tau, DtauDq, DtauDv, M;
    GRAVITY_DERIVATIVES: RneaDerivatives => G, _, _, _;
    STATIC_DERIVATIVES: RneaDerivatives => Tau, _, _, _;
    ABA_DERIVATIVES: AbaDerivatives => Ddq, DdqDq, DdqDv, Minv;
    ALL_TERMS: AllTerms => M, Nle, G, Ag, _, _, _, KineticEnergy, PotentialEnergy;
}

/// How a field is computed.
pub enum Source {
    /// As an output of a quantity.
    Quantity(&'static Run),
    /// All columns of all joints' Jacobians, or their rates.
    Jacobians,
    JacobianRates,
    /// With the others of `world_columns.rs`.
    Columns,
}

impl Source {
    /// The shape of the field.
    fn dimensions(&self, field: Field) -> &'static [Dimension] {
        match self {
            Self::Quantity(run) => {
                let outputs = run.to.iter().zip(run.entry.outputs);
                let mut own = outputs.filter(|(to, _)| **to == Some(field));
                own.next().map_or(&[], |(_, output)| output.dimensions)
            }
            Self::Jacobians | Self::JacobianRates | Self::Columns => {
                &[Dimension::Fixed(6), Dimension::Nv]
            }
        }
    }
}

/// Fields without getters; then those with getters and setters, and how they are computed.
macro_rules! fields {
    ([$($other:ident),*] $($(#[$doc:meta])* $field:ident $name:ident $write:ident: $source:expr;)*) => {
        /// A field of data, or several, that an algorithm leaves.
        #[derive(Clone, Copy, PartialEq)]
        pub enum Field { $($field,)* $($other,)* }

        /// How many there are.
        const COUNT: usize = [$(Field::$field,)* $(Field::$other,)*].len();

        impl Field {
            fn source(self) -> Option<Source> {
                match self {
                    $(Self::$field => Some($source),)*
                    $(Self::$other => None,)*
                }
            }
        }

        #[expect(non_snake_case, reason = "Pinocchio's names")]
        #[pymethods]
        impl DataBase {
            $(
                $(#[$doc])*
                #[getter]
                fn $name(&mut self, py: Python<'_>) -> PyResult<Py<PyAny>> {
                    Ok(self.read(py, Field::$field)?.unbind())
                }

                #[setter($name)]
                fn $write(&mut self, value: Bound<'_, PyAny>) {
                    self.set(Field::$field, value);
                }
            )*
        }
    };
}

use Source::{Columns, JacobianRates, Jacobians, Quantity as Of};

fields! {
    // Lists: `oMi`, `v`, `a`; `liMi`; `a_gf`, `f` and `h`; `Ig`, `oYcrb` and `Ycrb`. States that
    // functions without a state go on from: of forward dynamics, of derivatives of dynamics, of
    // motions, and of the velocity of the centre of mass.
    [Placements, Velocities, Accelerations, Relative, Motion, Inertia, Forward, Derived,
        MotionDerived, CenterMotion]
    Tau tau write_tau: Of(&RNEA);
    Ddq ddq write_ddq: Of(&ABA);
    Nle nle write_nle: Of(&BIAS);
    G g write_g: Of(&GRAVITY_TORQUE);
    M M write_M: Of(&CRBA);
    Minv Minv write_Minv: Of(&MASS_MATRIX_INVERSE);
    C C write_C: Of(&CORIOLIS_MATRIX);
    J J write_J: Jacobians;
    DJ dJ write_dJ: JacobianRates;
    Ag Ag write_Ag: Of(&CENTROIDAL_MAP);
    DAg dAg write_dAg: Of(&CENTROIDAL_MAP_RATE);
    Jcom Jcom write_Jcom: Of(&CENTER_OF_MASS_JACOBIAN);
    DtauDq dtau_dq write_dtau_dq: Of(&RNEA_DERIVATIVES);
    DtauDv dtau_dv write_dtau_dv: Of(&RNEA_DERIVATIVES);
    DdqDq ddq_dq write_ddq_dq: Of(&ABA_DERIVATIVES);
    DdqDv ddq_dv write_ddq_dv: Of(&ABA_DERIVATIVES);
    KineticEnergy kinetic_energy write_kinetic_energy: Of(&KINETIC_ENERGY);
    PotentialEnergy potential_energy write_potential_energy: Of(&POTENTIAL_ENERGY);
    MechanicalEnergy mechanical_energy write_mechanical_energy: Of(&MECHANICAL_ENERGY);
    JointTorqueRegressor jointTorqueRegressor write_joint_torque_regressor:
        Of(&JOINT_TORQUE_REGRESSOR);
    KineticEnergyRegressor kineticEnergyRegressor write_kinetic_energy_regressor:
        Of(&KINETIC_ENERGY_REGRESSOR);
    PotentialEnergyRegressor potentialEnergyRegressor write_potential_energy_regressor:
        Of(&POTENTIAL_ENERGY_REGRESSOR);
    /// The change along q of the accelerations of the bodies that a coordinate carries, seen from
    /// them: a column a coordinate, in the world's coordinates.
    DAdq dAdq write_dAdq: Columns;
    /// That along v.
    DAdv dAdv write_dAdv: Columns;
    /// The change along q of the force on these bodies.
    DFdq dFdq write_dFdq: Columns;
    /// Its change along v.
    DFdv dFdv write_dFdv: Columns;
    /// Its change along a.
    DFda dFda write_dFda: Columns;
    /// The change along q of their momentum.
    DHdq dHdq write_dHdq: Columns;
}

/// The values of fields, and the states of those that are to be computed.
pub struct Fields {
    values: [Option<Py<PyAny>>; COUNT],
    late: [Option<Arc<State>>; COUNT],
}

impl Default for Fields {
    fn default() -> Self {
        Self {
            values: [const { None }; COUNT],
            late: [const { None }; COUNT],
        }
    }
}

impl Fields {
    /// Takes over what other data have yet to compute.
    pub fn share(&mut self, other: &Self) {
        self.late.clone_from(&other.late);
    }

    /// The state that a field is of, if it has not been computed.
    pub fn late(&self, field: Field) -> Option<Arc<State>> {
        self.late[field as usize].clone()
    }

    /// Lets fields be computed of a state when they are read.
    pub fn leave(&mut self, fields: &[Field], state: &Arc<State>) {
        for &field in fields {
            self.late[field as usize] = Some(state.clone());
        }
    }

    /// Leaves more fields of the state that one is of.
    pub fn leave_with(&mut self, field: Field, others: &[Field]) {
        if let Some(state) = self.late(field) {
            self.leave(others, &state);
        }
    }

    /// Forgets a state, for a field that has its value.
    pub fn done(&mut self, field: Field) -> Option<Arc<State>> {
        self.late[field as usize].take()
    }
}

impl DataBase {
    /// Runs a quantity on a state.
    #[expect(unsafe_code)]
    pub fn run<'py>(
        &mut self,
        py: Python<'py>,
        run: &Run,
        state: &State,
    ) -> Outcome<Vec<Bound<'py, PyAny>>> {
        let native = state.model.bind(py).get();
        let m = &native.model;
        let (ws, _) = self.parts(native)?;
        let mut inputs: Vec<&[f64]> = Vec::with_capacity(run.entry.inputs.len());
        for input in run.entry.inputs {
            let numbers = state.numbers(input.name);
            if !(input.is_optional && numbers.is_empty()) {
                inputs.push(numbers);
            }
        }
        let arrays: Vec<_> = (run.entry.outputs.iter())
            .map(|output| PyArray::<f64, _>::zeros(py, output.shape(m), true))
            .collect();
        let mut results = Vec::with_capacity(arrays.len());
        for array in &arrays {
            // SAFETY: the array is new and contiguous, and nobody else has it; the slices end here.
            results.push(unsafe { array.as_slice_mut() }.map_err(PyErr::from)?);
        }
        run.algorithm.run(m, ws, &inputs, &mut results)?;
        let one = |array: Bound<'py, PyArray<f64, _>>| match array.ndim() {
            0 => array.call_method0("item"),
            _ => Ok(array.into_any()),
        };
        Ok(arrays.into_iter().map(one).collect::<PyResult<_>>()?)
    }

    /// Writes the results of a quantity to their fields.
    pub fn set_all(&mut self, run: &Run, results: &[Bound<'_, PyAny>]) {
        for (to, result) in run.to.iter().zip(results) {
            if let Some(field) = *to {
                self.set(field, result.clone());
            }
        }
    }

    /// Writes a field.
    pub fn set(&mut self, field: Field, value: Bound<'_, PyAny>) {
        self.fields.late[field as usize] = None;
        self.fields.values[field as usize] = Some(value.unbind());
    }

    /// The value of a field, which is zero before an algorithm that leaves it.
    pub fn read<'py>(&mut self, py: Python<'py>, field: Field) -> Outcome<Bound<'py, PyAny>> {
        self.compute(py, field)?;
        if let Some(value) = &self.fields.values[field as usize] {
            return Ok(value.bind(py).clone());
        }
        let dimensions = field.source().map_or(&[][..], |it| it.dimensions(field));
        let zero = match dimensions {
            [] => 0.0_f64.into_pyobject(py).map_err(PyErr::from)?.into_any(),
            _ => {
                let shape: Vec<usize> = dimensions.iter().map(|it| self.size(*it)).collect();
                PyArray::<f64, _>::zeros(py, shape, true).into_any()
            }
        };
        self.set(field, zero.clone());
        Ok(zero)
    }

    fn size(&self, dimension: Dimension) -> usize {
        if let Dimension::Fixed(n) = dimension {
            n
        } else if dimension == Dimension::Parameters {
            BODY_PARAMETERS * (self.joints.len() - 1)
        } else {
            self.nv
        }
    }

    /// Computes a field that was left to its reader, and what comes with it of the same state.
    fn compute(&mut self, py: Python<'_>, field: Field) -> Outcome<()> {
        let (Some(state), Some(source)) = (self.fields.late(field), field.source()) else {
            return Ok(());
        };
        let found: Vec<(Field, Bound<'_, PyAny>)> = match source {
            Of(run) => {
                let results = self.run(py, run, &state)?;
                let fields = run.to.iter().zip(results);
                fields.filter_map(|(to, it)| Some(((*to)?, it))).collect()
            }
            Jacobians => vec![(field, self.jacobians(py, &state)?)],
            JacobianRates => vec![(field, self.jacobian_rates(py, &state)?)],
            Columns => self.world_columns(py, &state)?,
        };
        for (field, value) in found {
            let late = &self.fields.late[field as usize];
            if late.as_ref().is_some_and(|it| Arc::ptr_eq(it, &state)) {
                self.set(field, value);
            }
        }
        Ok(())
    }
}
