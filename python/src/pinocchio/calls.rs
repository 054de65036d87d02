//! The table of Pinocchio's functions: which quantity of the catalogue each one computes, and what
//! it leaves in data.

use super::data::{DataBase, for_writing};
use super::fields::{self as runs, Field, Run};
use super::joints::given_or_last;
use super::late::State;
use super::model::ModelBase;
use super::world_columns::CountedForces;
use super::{D, M, Value, configuration, tangent};
use crate::model::Model;
use crate::spatial::Force;
use crate::states::Outcome;
use numpy::PyUntypedArray;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use std::ops::Range;
use std::sync::Arc;

/// A function with Pinocchio's name.
pub struct Call {
    pub run: &'static Run,
    /// The results of the quantity that it returns.
    pub returns: Range<usize>,
    /// The fields beside, which are computed when they are read.
    pub leaves: &'static [Field],
    pub counted: CountedForces,
}

impl Call {
    /// A function that returns the first result of a quantity.
    pub const fn new(run: &'static Run, leaves: &'static [Field]) -> Self {
        Self {
            run,
            returns: 0..1,
            leaves,
            counted: CountedForces::Forces,
        }
    }

    /// A function that returns other results.
    const fn returning(self, returns: Range<usize>) -> Self {
        Self { returns, ..self }
    }
}

/// The arguments of a function.
#[derive(Default)]
pub struct Arguments<'a, 'py> {
    pub q: Option<Value<'a, 'py>>,
    pub v: Option<Value<'a, 'py>>,
    pub a: Option<Value<'a, 'py>>,
    pub tau: Option<Value<'a, 'py>>,
    pub fext: Option<Value<'a, 'py>>,
}

/// Those of forward dynamics: q, v and tau, and external forces.
fn of<'a, 'py>(
    [q, v, tau]: [Option<Value<'a, 'py>>; 3],
    fext: Option<Value<'a, 'py>>,
) -> Arguments<'a, 'py> {
    let a = None;
    Arguments { q, v, a, tau, fext }
}

impl Arguments<'_, '_> {
    fn read(self, native: &Bound<'_, Model>, last_q: Option<&[f64]>) -> PyResult<State> {
        let model = native.get();
        let tangent = |name, value: Option<Value<'_, '_>>| {
            let numbers = value.map(|value| tangent(model, name, value)).transpose()?;
            PyResult::Ok(numbers.map_or_else(Vec::new, |numbers| numbers.to_vec()))
        };
        let q = match (self.q, last_q) {
            (Some(q), _) => configuration(model, q)?.to_vec(),
            (None, q) => q.unwrap_or_default().to_vec(),
        };
        let (v, a) = (tangent("v", self.v)?, tangent("a", self.a)?);
        let mut state = State::new(native, &q, &v, &a);
        state.tau = tangent("tau", self.tau)?;
        if let Some(forces) = self.fext {
            state.forces = external(model, forces)?;
        }
        Ok(state)
    }
}

/// External forces on all joints' bodies, the universe's first: six numbers for each of the others.
fn external(model: &Model, forces: Value<'_, '_>) -> PyResult<Vec<f64>> {
    let n = model.model.joints().len();
    let one = |force: Bound<'_, PyAny>| match force.cast::<Force>() {
        Ok(force) => Ok(force.get().value().to_array()),
        Err(_) => crate::array::fixed::<6>("fext", &force, &[6]),
    };
    let all: Vec<[f64; 6]> = match forces.cast::<PyList>() {
        Ok(list) => list.iter().map(one).collect::<PyResult<_>>()?,
        Err(_) => {
            let items = forces
                .try_iter()
                .map_err(|_| PyTypeError::new_err("fext must be a list of forces, one a joint"))?;
            items.map(|f| one(f?)).collect::<PyResult<_>>()?
        }
    };
    if all.len() != n {
        return Err(PyValueError::new_err(format!(
            "fext has {} forces, where {n} are expected",
            all.len()
        )));
    }
    Ok(all[1..].as_flattened().to_vec())
}

/// Carries a function out on what a caller passed.
pub fn call<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    given: Arguments<'_, 'py>,
    call: &Call,
) -> Outcome<Bound<'py, PyAny>> {
    let native = ModelBase::native(model)?;
    let state = given.read(&native, None)?;
    for_writing(data)?.carry_out(model.py(), call, state)
}

impl DataBase {
    /// Computes the results of a function, and leaves the other fields of the state.
    pub fn carry_out<'py>(
        &mut self,
        py: Python<'py>,
        call: &Call,
        mut state: State,
    ) -> Outcome<Bound<'py, PyAny>> {
        let results = self.run(py, call.run, &state)?;
        if !state.tau.is_empty() {
            // Forward dynamics: the motion has the accelerations that the joint forces cause.
            state.a = results[0].extract()?;
        }
        state.counted = call.counted;
        self.set_all(call.run, &results);
        self.leave(py, call.leaves, &Arc::new(state))?;
        match &results[call.returns.clone()] {
            [one] => Ok(one.clone()),
            several => Ok(PyTuple::new(py, several)?.into_any()),
        }
    }
}

/// Functions: their arguments, of which those after `;` may be missing, the quantity, and the
/// fields that they leave beside its results.
macro_rules! calls {
    ($($(#[doc = $doc:literal])+ $function:ident $name:literal
        ($($argument:ident),* $(; $optional:ident)?): $call:expr;)*) => {$(
        $(#[doc = $doc])+
        #[pyfunction]
        #[pyo3(name = $name, signature = (model, data, $($argument),* $(, $optional = None)?))]
        pub fn $function<'py>(
            model: M<'_, 'py>,
            data: D<'_, 'py>,
            $($argument: Value<'_, 'py>,)*
            $($optional: Option<Value<'_, 'py>>,)?
        ) -> Outcome<Bound<'py, PyAny>> {
            static CALL: Call = $call;
            let given = Arguments {
                $($argument: Some($argument),)*
                $($optional,)?
                ..Arguments::default()
            };
            call(model, data, given, &CALL)
        }
    )*};
}

use Field::{
    Accelerations, DAdq, DAdv, DFda, DFdq, DFdv, DJ, Derived, DtauDq, DtauDv, Forward, Inertia, J,
    Motion, MotionDerived, Placements, Relative, Velocities,
};

/// The fields that derivatives of dynamics leave.
const DERIVED: &[Field] = &[
    Placements,
    Velocities,
    Accelerations,
    Motion,
    J,
    DJ,
    Inertia,
    DAdq,
    DAdv,
    DFdq,
    DFdv,
    DFda,
    MotionDerived,
    Derived,
];

/// The fields that derivatives at rest leave.
const DERIVED_AT_REST: &[Field] = &[Placements, Motion, J, Inertia, DAdq, DFdq];

/// The derivative along q of a quantity at rest.
const fn at_rest(run: &'static Run) -> Call {
    Call {
        run,
        returns: 1..2,
        leaves: DERIVED_AT_REST,
        counted: CountedForces::ForcesAtRest,
    }
}

calls! {
    /// Inverse dynamics (nv,), in data.tau too.
    rnea "rnea" (q, v, a; fext): Call::new(&runs::RNEA, &[Relative, Motion, Velocities]);
    /// The bias force (nv,), in data.nle too.
    non_linear_effects "nonLinearEffects" (q, v):
        Call::new(&runs::BIAS, &[Relative, Motion, Velocities]);
    /// The joint forces of gravity (nv,), in data.g too.
    compute_generalized_gravity "computeGeneralizedGravity" (q):
        Call::new(&runs::GRAVITY_TORQUE, &[Relative, Motion]);
    /// The joint forces (nv,) that hold the robot against gravity and external forces, in data.tau
    /// too.
    compute_static_torque "computeStaticTorque" (q, fext):
        Call::new(&runs::STATIC_TORQUE, &[Relative, Motion]);
    /// A Coriolis matrix (nv, nv), in data.C too.
    compute_coriolis_matrix "computeCoriolisMatrix" (q, v):
        Call::new(&runs::CORIOLIS_MATRIX, &[Placements, Velocities, J, DJ, Inertia]);
    /// The matrix (nv, 10 joints) whose product with the parameters of all bodies is rnea's result.
    compute_joint_torque_regressor "computeJointTorqueRegressor" (q, v, a):
        Call::new(&runs::JOINT_TORQUE_REGRESSOR, &[Placements, Velocities, Accelerations, Motion]);
    /// The vector (10 joints,) whose product with the parameters of all bodies is the kinetic
    /// energy.
    compute_kinetic_energy_regressor "computeKineticEnergyRegressor" (q, v):
        Call::new(&runs::KINETIC_ENERGY_REGRESSOR, &[Placements, Velocities]);
    /// The vector (10 joints,) whose product with the parameters of all bodies is the potential
    /// energy.
    compute_potential_energy_regressor "computePotentialEnergyRegressor" (q):
        Call::new(&runs::POTENTIAL_ENERGY_REGRESSOR, &[Placements]);
    /// The derivatives of inverse dynamics along q, v and a, each (nv, nv), in data.dtau_dq,
    /// data.dtau_dv and data.M too.
    compute_rnea_derivatives "computeRNEADerivatives" (q, v, a; fext):
        Call::new(&runs::RNEA_DERIVATIVES, DERIVED).returning(1..4);
    /// The derivative (nv, nv) of the joint forces of gravity along q.
    compute_generalized_gravity_derivatives "computeGeneralizedGravityDerivatives" (q):
        at_rest(&runs::GRAVITY_DERIVATIVES);
    /// The derivative (nv, nv) along q of the joint forces that hold the robot against gravity and
    /// external forces.
    compute_static_torque_derivatives "computeStaticTorqueDerivatives" (q, fext):
        at_rest(&runs::STATIC_DERIVATIVES);
}

/// Whether a member of `Convention` is WORLD: it changes no result, but what else is left.
fn in_world(value: Option<Value<'_, '_>>) -> PyResult<bool> {
    value.map_or(Ok(false), |value| {
        let number: i64 = value
            .extract()
            .map_err(|_| PyTypeError::new_err("convention must be LOCAL or WORLD"))?;
        Ok(number == 0)
    })
}

/// The mass matrix (nv, nv), in data.M too; by Convention.WORLD also what computeCentroidalMap
/// leaves.
#[pyfunction]
#[pyo3(signature = (model, data, q, convention=None))]
pub fn crba<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    convention: Option<Value<'_, 'py>>,
) -> Outcome<Bound<'py, PyAny>> {
    static CALL: Call = Call::new(&runs::CRBA, &[Relative, Inertia]);
    if in_world(convention)? {
        super::momenta::compute_centroidal_map(model, data, q)?;
    }
    call(model, data, of([Some(q), None, None], None), &CALL)
}

/// Forward dynamics (nv,), in data.ddq too: (model, data, q, v, tau[, fext[, convention]]).
#[pyfunction]
#[pyo3(signature = (model, data, q, v, tau, fext=None, convention=None))]
pub fn aba<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    v: Value<'_, 'py>,
    tau: Value<'_, 'py>,
    fext: Option<Value<'_, 'py>>,
    convention: Option<Value<'_, 'py>>,
) -> Outcome<Bound<'py, PyAny>> {
    static CALL: Call = Call::new(
        &runs::ABA,
        &[Placements, Velocities, Accelerations, Motion, Forward],
    );
    // A convention may take the forces' place.
    let (fext, convention) = match fext {
        Some(value) if value.extract::<i64>().is_ok() => (None, Some(value)),
        fext => (fext, convention),
    };
    let in_world = in_world(convention)?;
    let given = of([Some(q), Some(v), Some(tau)], fext);
    let acceleration = call(model, data, given, &CALL)?;
    if in_world {
        for_writing(data)?.fields.leave_with(Forward, &[J]);
    }
    Ok(acceleration)
}

/// The inverse of the mass matrix (nv, nv), in data.Minv too: (model, data[, q]); without, after
/// aba.
#[pyfunction]
#[pyo3(name = "computeMinverse", signature = (model, data, q=None))]
pub fn compute_minverse<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Option<Value<'_, 'py>>,
) -> Outcome<Bound<'py, PyAny>> {
    static CALL: Call = Call::new(&runs::MASS_MATRIX_INVERSE, &[Placements, J]);
    let native = ModelBase::native(model)?;
    let mut data = for_writing(data)?;
    let last = data.fields.late(Forward).filter(|_| q.is_none());
    let q = match last {
        Some(state) => state.q.clone(),
        None => given_or_last(&data, native.get(), q, "aba")?,
    };
    data.carry_out(model.py(), &CALL, State::new(&native, &q, &[], &[]))
}

/// The derivatives of forward dynamics along q, v and tau, each (nv, nv), in data.ddq_dq,
/// data.ddq_dv and data.Minv too: (model, data, q, v, tau[, fext]), or (model, data[, fext]) after
/// aba.
#[pyfunction]
#[pyo3(name = "computeABADerivatives", signature = (model, data, q=None, v=None, tau=None, fext=None))]
pub fn compute_aba_derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Option<Value<'_, 'py>>,
    v: Option<Value<'_, 'py>>,
    tau: Option<Value<'_, 'py>>,
    fext: Option<Value<'_, 'py>>,
) -> Outcome<Bound<'py, PyAny>> {
    static CALL: Call = Call::new(&runs::ABA_DERIVATIVES, DERIVED).returning(1..4);
    let py = model.py();
    let native = ModelBase::native(model)?;
    let (state, fext) = match (q, v, tau, fext) {
        (Some(_), Some(_), Some(_), fext) => ([q, v, tau], fext),
        (fext, None, None, None) | (None, None, None, fext)
            if !fext.is_some_and(|fext| fext.is_instance_of::<PyUntypedArray>()) =>
        {
            ([None; 3], fext)
        }
        _ => {
            let text = "computeABADerivatives takes q, v and tau, or none of them after aba";
            return Err(PyTypeError::new_err(text).into());
        }
    };
    let mut data = for_writing(data)?;
    let last = data.fields.late(Forward).filter(|_| state[0].is_none());
    let mut state = of(state, fext).read(&native, last.as_ref().map(|it| &it.q[..]))?;
    if let Some(last) = last {
        // The joint forces that cause these accelerations while the given forces act.
        state.v.clone_from(&last.v);
        state.a.clone_from(&last.a);
        state.tau = data.run(py, &runs::RNEA, &state)?[0].extract()?;
    } else if state.q.is_empty() && native.get().model.nq() > 0 {
        return Err(PyValueError::new_err("aba must be called before").into());
    }
    let derivatives = data.carry_out(py, &CALL, state)?;
    (data.fields).leave_with(Derived, &[DtauDq, DtauDv, Forward]);
    Ok(derivatives)
}

/// The kinetic energy in J: (model, data[, q, v]); without, of data.v and without armature.
#[pyfunction]
#[pyo3(name = "computeKineticEnergy", signature = (model, data, q=None, v=None))]
pub fn compute_kinetic_energy<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Option<Value<'_, 'py>>,
    v: Option<Value<'_, 'py>>,
) -> Outcome<Bound<'py, PyAny>> {
    static CALL: Call = Call::new(&runs::KINETIC_ENERGY, &[Placements, Velocities]);
    match (q, v) {
        (Some(_), Some(_)) => call(model, data, of([q, v, None], None), &CALL),
        (None, None) => of_data(model, data, "kineticEnergy", Field::KineticEnergy),
        _ => {
            let text = "computeKineticEnergy takes q and v, or neither";
            Err(PyTypeError::new_err(text).into())
        }
    }
}

/// The potential energy of gravity in J: (model, data[, q]).
#[pyfunction]
#[pyo3(name = "computePotentialEnergy", signature = (model, data, q=None))]
pub fn compute_potential_energy<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Option<Value<'_, 'py>>,
) -> Outcome<Bound<'py, PyAny>> {
    static CALL: Call = Call::new(&runs::POTENTIAL_ENERGY, &[Placements]);
    match q {
        Some(_) => call(model, data, of([q, None, None], None), &CALL),
        None => of_data(model, data, "potentialEnergy", Field::PotentialEnergy),
    }
}

/// An energy of what data hold.
fn of_data<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    name: &str,
    field: Field,
) -> Outcome<Bound<'py, PyAny>> {
    let energy = super::centers::of_data(model.py(), name, (model, data))?;
    for_writing(data)?.set(field, energy.clone());
    Ok(energy)
}

/// Kinetic and potential energy in J: (model, data[, q, v]).
#[pyfunction]
#[pyo3(name = "computeMechanicalEnergy", signature = (model, data, q=None, v=None))]
pub fn compute_mechanical_energy<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Option<Value<'_, 'py>>,
    v: Option<Value<'_, 'py>>,
) -> Outcome<Bound<'py, PyAny>> {
    let potential = compute_potential_energy(model, data, q)?;
    let energy = compute_kinetic_energy(model, data, q, v)?.add(potential)?;
    for_writing(data)?.set(Field::MechanicalEnergy, energy.clone());
    Ok(energy)
}
