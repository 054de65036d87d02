//! Joint forces, momenta, energies and forces on bodies by the bodies' dynamic parameters.

use super::Case;
use crate::agreement::Family;
use crate::layout::Anchor;
use featherline::kinematics::ReferenceFrame;
use featherline::regressor::{BODY_PARAMETERS, body_regressor};
use featherline::spatial::{Motion, Vec3};
use featherline::{Error, Model};
use nalgebra::DMatrix;

pub(super) fn regressors(case: &mut Case<'_>) -> Result<(), Error> {
    joints(case)?;
    energies(case)?;
    center_of_mass(case)?;
    bodies(case)
}

fn joints(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let parameters = model.dynamic_parameters();
    let mut regressor = DMatrix::zeros(model.nv(), parameters.len());
    let parameters = layout.their_parameters(&parameters, BODY_PARAMETERS);
    case.compare("dynamic_parameters", Family::Parameters, parameters);

    model.joint_torque_regressor_into(case.ws, &x.q, &x.v, &x.a, &mut regressor)?;
    let ours = layout.their_regressor(&regressor);
    case.compare("torque_regressor", Family::TorqueRegressor, ours);
    model.gravity_torque_regressor_into(case.ws, &x.q, &mut regressor)?;
    let ours = layout.their_regressor(&regressor);
    case.compare("gravity_regressor", Family::TorqueRegressor, ours);
    model.joint_momentum_regressor_into(case.ws, &x.q, &x.v, &mut regressor)?;
    let ours = layout.their_regressor(&regressor);
    case.compare("momentum_regressor", Family::MomentumRegressor, ours);
    Ok(())
}

fn energies(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let mut regressor = vec![0.0; BODY_PARAMETERS * layout.joints.len()];
    model.kinetic_energy_regressor_into(case.ws, &x.q, &x.v, &mut regressor)?;
    let ours = layout.their_parameters(&regressor, BODY_PARAMETERS);
    case.compare("kinetic_energy_regressor", Family::EnergyRegressor, ours);
    model.potential_energy_regressor_into(case.ws, &x.q, &mut regressor)?;
    let ours = layout.their_parameters(&regressor, BODY_PARAMETERS);
    case.compare("potential_energy_regressor", Family::EnergyRegressor, ours);
    Ok(())
}

/// The centre of mass by masses and first moments (Pinocchio's static regressor): the potential
/// energies in unit gravity against each axis, over the mass.
fn center_of_mass(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    if !case.has("static_regressor") {
        return Ok(());
    }
    let mut regressor = vec![0.0; BODY_PARAMETERS * layout.joints.len()];
    let mut rows = Vec::new();
    for axis in 0..3 {
        let model = falling(model, -Vec3::unit(axis));
        model.potential_energy_regressor_into(case.ws, &x.q, &mut regressor)?;
        let bodies = layout.their_parameters(&regressor, BODY_PARAMETERS);
        let linear = bodies
            .chunks_exact(BODY_PARAMETERS)
            .flat_map(|body| &body[..4]);
        rows.extend(linear.map(|entry| entry / model.total_mass()));
    }
    case.compare("static_regressor", Family::StaticRegressor, rows);
    Ok(())
}

fn falling(model: &Model, gravity: Vec3<f64>) -> Model {
    // Only a gravity that is not finite is refused.
    model.clone().with_gravity(gravity).expect("a unit vector")
}

fn bodies(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let mut ours = Vec::new();
    for &joint in &layout.joints {
        let regressor = model.joint_body_regressor(case.ws, &x.q, &x.v, &x.a, joint)?;
        ours.extend(regressor.transpose().iter());
    }
    case.compare("joint_body_regressor", Family::BodyRegressor, ours);

    let moved = model.forward_kinematics_accelerations(case.ws, &x.q, &x.v, &x.a)?;
    let local = ReferenceFrame::Local;
    let mut ours = Vec::new();
    for &target in &layout.targets {
        let (placement, velocity, acceleration) = match target {
            Anchor::Joint(id) => (
                moved.placement(id),
                moved.velocity(id, local),
                moved.acceleration(id, local),
            ),
            Anchor::Frame(id) => (
                moved.placement(id),
                moved.velocity(id, local),
                moved.acceleration(id, local),
            ),
        };
        let gravity = placement.rotation.tr_mul_vec(model.gravity());
        let acceleration = acceleration - Motion::new(gravity, Vec3::zero());
        let regressor = body_regressor(&velocity, &acceleration);
        ours.extend(regressor.transpose().iter());
    }
    case.compare("frame_body_regressor", Family::BodyRegressor, ours);
    Ok(())
}
