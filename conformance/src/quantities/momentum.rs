//! Centre of mass, momentum, energy.

use super::Case;
use crate::agreement::{Family, Sensitivity};
use featherline::model::JointId;
use featherline::spatial::Vec3;
use featherline::{Error, Model};
use nalgebra::DMatrix;

pub(super) fn centre_of_mass(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let family = Family::CentreOfMass;
    let motion = model.forward_kinematics_accelerations(case.ws, &x.q, &x.v, &x.a)?;
    let (com, vcom) = (motion.center_of_mass()?, motion.center_of_mass_velocity()?);
    let acom = motion.center_of_mass_acceleration()?;
    case.compare("com", family, com.to_array().to_vec());
    case.compare("vcom", family, vcom.to_array().to_vec());
    case.compare("acom", family, acom.to_array().to_vec());

    let centers = model.centers_of_mass(case.ws, &x.q)?;
    let mut jacobian = DMatrix::zeros(3, model.nv());
    centers.center_of_mass_jacobian_into(&mut jacobian)?;
    let (mut masses, mut moments) = (Vec::new(), Vec::new());
    for &joint in &layout.joints {
        let mass = subtree_mass(model, joint);
        let center = if mass == 0.0 {
            Vec3::zero()
        } else {
            centers.subtree_center_of_mass(joint)?
        };
        masses.push(mass);
        moments.extend((center * mass).to_array());
    }
    case.compare("jacobian_com", family, layout.their_columns(&jacobian));
    case.compare("subtree_mass", Family::SubtreeMass, masses);
    case.compare("subtree_mass_moment", Family::SubtreeMoment, moments);
    Ok(())
}

/// Mass times velocity, acceleration and Jacobian of the centre of mass of everything that a joint
/// carries: it exists for what has no mass, too.
pub(super) fn subtrees(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let (mut momenta, mut rates) = (Vec::new(), Vec::new());
    let motion = model.forward_kinematics_accelerations(case.ws, &x.q, &x.v, &x.a)?;
    for &joint in &layout.joints {
        let mass = subtree_mass(model, joint);
        let (velocity, acceleration) = if mass == 0.0 {
            (Vec3::zero(), Vec3::zero())
        } else {
            (
                motion.subtree_center_of_mass_velocity(joint)?,
                motion.subtree_center_of_mass_acceleration(joint)?,
            )
        };
        momenta.extend((velocity * mass).to_array());
        rates.extend((acceleration * mass).to_array());
    }
    let centers = model.centers_of_mass(case.ws, &x.q)?;
    let mut jacobian = DMatrix::zeros(3, model.nv());
    let mut jacobians = Vec::new();
    for &joint in &layout.joints {
        let mass = subtree_mass(model, joint);
        if mass == 0.0 {
            jacobian.fill(0.0);
        } else {
            centers.subtree_center_of_mass_jacobian_into(joint, &mut jacobian)?;
            jacobian *= mass;
        }
        jacobians.extend(layout.their_columns(&jacobian));
    }
    let family = Family::SubtreeMoment;
    case.compare("subtree_momentum", family, momenta);
    case.compare("subtree_momentum_rate", family, rates);
    case.compare("subtree_mass_jacobian", family, jacobians);
    Ok(())
}

fn subtree_mass(model: &Model, root: JointId) -> f64 {
    model
        .subtree(root)
        .map(|id| model.joint(id).inertia.mass)
        .sum()
}

pub(super) fn centroidal(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let family = Family::Centroidal;
    let momentum = model.centroidal_momentum(case.ws, &x.q, &x.v)?.to_array();
    case.compare("centroidal_momentum", family, momentum.to_vec());
    let rate = model.centroidal_momentum_rate(case.ws, &x.q, &x.v, &x.a)?;
    case.compare("centroidal_momentum_rate", family, rate.to_array().to_vec());
    let map = layout.their_columns(model.centroidal_map(case.ws, &x.q)?);
    case.compare("centroidal_matrix", family, map);
    let moving = model.centroidal_map_rate(case.ws, &x.q, &x.v)?;
    let (map, rate) = (
        layout.their_columns(moving.matrix),
        layout.their_columns(moving.rate),
    );
    let quantity = "centroidal_matrix (with its rate)";
    case.pair(
        quantity,
        "centroidal_matrix",
        family,
        Sensitivity::Rounding,
        map,
    );
    case.compare("centroidal_matrix_rate", family, rate);
    Ok(())
}

pub(super) fn energy(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, x) = (case.model, case.input);
    let kinetic = model.kinetic_energy(case.ws, &x.q, &x.v)?;
    let potential = model.potential_energy(case.ws, &x.q)?;
    let mechanical = model.mechanical_energy(case.ws, &x.q, &x.v)?;
    let state = case.state;
    let theirs = (
        state.values("kinetic_energy"),
        state.values("potential_energy"),
    );
    if let (Some(&[k]), Some(&[p])) = theirs {
        case.derived(
            "mechanical energy",
            Family::Energy,
            vec![mechanical],
            vec![k + p],
        );
    }
    case.compare("kinetic_energy", Family::Energy, vec![kinetic]);
    case.compare("potential_energy", Family::Energy, vec![potential]);
    Ok(())
}
