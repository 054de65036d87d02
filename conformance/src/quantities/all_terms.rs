//! All terms of the equations of motion in one pass, against the same numbers as one by one.

use super::Case;
use super::dynamics::product;
use crate::agreement::{Family, Frame, Sensitivity};
use crate::layout::Anchor;
use featherline::Error;
use featherline::kinematics::ReferenceFrame;
use nalgebra::DMatrix;

pub(super) fn all_terms(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let rounding = Sensitivity::Rounding;
    let terms = model.all_terms(case.ws, &x.q, &x.v)?;
    let mass = layout.their_matrix(terms.mass_matrix());
    let (bias, gravity) = (
        layout.their_v(terms.bias()),
        layout.their_v(terms.gravity_torque()),
    );
    let energies = [vec![terms.kinetic_energy()], vec![terms.potential_energy()]];
    let reference = ReferenceFrame::LocalWorldAligned;
    let mut jacobian = DMatrix::zeros(6, model.nv());
    let mut jacobians = Vec::new();
    for &target in &layout.targets {
        match target {
            Anchor::Joint(id) => terms.jacobian_into(id, reference, &mut jacobian)?,
            Anchor::Frame(id) => terms.jacobian_into(id, reference, &mut jacobian)?,
        }
        jacobians.extend(layout.their_columns(&jacobian));
    }
    // A robot without mass has none of these.
    let centroidal = if case.state.values("centroidal_matrix").is_some() {
        let mut jacobian = DMatrix::zeros(3, model.nv());
        let centers = terms.centers_of_mass();
        centers.center_of_mass_jacobian_into(&mut jacobian)?;
        Some((
            centers.center_of_mass()?.to_array().to_vec(),
            layout.their_columns(&jacobian),
            layout.their_columns(terms.centroidal_map()?),
            terms.centroidal_momentum()?.to_array().to_vec(),
            terms.centroidal_drift()?.to_array().to_vec(),
        ))
    } else {
        None
    };

    let mut pair = |quantity, name, family, ours| {
        case.pair(quantity, name, family, rounding, ours);
    };
    pair(
        "mass_matrix (all terms)",
        "mass_matrix",
        Family::MassMatrix,
        mass,
    );
    pair("bias (all terms)", "bias", Family::JointForce, bias);
    pair(
        "gravity (all terms)",
        "gravity",
        Family::JointForce,
        gravity,
    );
    let [kinetic, potential] = energies;
    pair(
        "kinetic_energy (all terms)",
        "kinetic_energy",
        Family::Energy,
        kinetic,
    );
    pair(
        "potential_energy (all terms)",
        "potential_energy",
        Family::Energy,
        potential,
    );
    let family = Family::Jacobian(Frame::Aligned);
    pair(
        "jacobian_aligned (all terms)",
        "jacobian_aligned",
        family,
        jacobians,
    );
    if let Some((com, jacobian, map, momentum, drift)) = centroidal {
        let (center, centroidal) = (Family::CentreOfMass, Family::Centroidal);
        pair("com (all terms)", "com", center, com);
        pair("jacobian_com (all terms)", "jacobian_com", center, jacobian);
        pair(
            "centroidal_matrix (all terms)",
            "centroidal_matrix",
            centroidal,
            map,
        );
        pair(
            "centroidal_momentum (all terms)",
            "centroidal_momentum",
            centroidal,
            momentum,
        );
        let state = case.state;
        if let (Some(rate), Some(v)) = (state.values("centroidal_matrix_rate"), state.values("v")) {
            let theirs = if v.is_empty() {
                vec![0.0; 6]
            } else {
                product(rate, v)
            };
            case.derived("Ȧ v (all terms)", centroidal, drift, theirs);
        }
    }
    Ok(())
}
