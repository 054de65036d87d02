//! Both sides' estimates of the same quantities, in the reference's frames and order.

use super::dense_qr;
use super::description::State;
use super::posed::{Posed, centripetal};
use crate::agreement::{largest, relative};
use anyhow::Result;
use featherline::kernel;
use featherline::spatial::{Force, Motion};

/// The values of all quantities, under the reference's names.
pub type Quantities = Vec<(&'static str, Vec<f64>)>;

/// Estimates a state: what the quantities are.
///
/// # Errors
/// If the estimator refuses the state.
pub fn ours(posed: &mut Posed, state: &State) -> Result<Quantities> {
    let x = posed.update(state)?.mean().to_vec();
    quantities(posed, &x)
}

/// The same for a state that was estimated, by [`dense_qr`].
///
/// # Errors
/// If the state does not determine the unknowns.
pub fn by_dense_qr(posed: &mut Posed) -> Result<Quantities> {
    let x = dense_qr::estimate(posed)?;
    quantities(posed, &x)
}

/// The reference's estimates of the same quantities.
///
/// # Errors
/// If it lacks one.
pub fn theirs(state: &State, of: &Quantities) -> Result<Quantities> {
    of.iter()
        .map(|(name, _)| Ok((*name, state.estimate.values(name)?.to_vec())))
        .collect()
}

/// The largest difference of each quantity over the largest entry of the second one's.
pub fn errors(found: &Quantities, expected: &Quantities) -> Vec<(&'static str, f64)> {
    let both = found.iter().zip(expected);
    both.map(|((name, found), (_, expected))| {
        if found.len() != expected.len() {
            return (*name, f64::INFINITY);
        }
        let differences = found.iter().zip(expected).map(|(x, y)| x - y);
        let difference = largest(&differences.collect::<Vec<_>>());
        (*name, relative(difference, largest(expected)))
    })
    .collect()
}

/// All quantities that the reference has, in its frames and order, from the values of our unknowns
/// in the last state.
fn quantities(posed: &mut Posed, x: &[f64]) -> Result<Quantities> {
    let velocities = posed.velocities()?;
    let residuals = match &posed.net {
        Some(_) => posed.residuals(x)?,
        None => Vec::new(),
    };
    let (model, system) = (&posed.model, posed.estimator().system());
    let solution = system.solution(x)?;
    let coordinates = posed.dofs.iter().map(|&joint| model.joint(joint).idx_v);
    let coordinates: Vec<usize> = coordinates.collect();
    let of_coordinates = |values: &[f64]| coordinates.iter().map(|&k| values[k]).collect();

    let links = posed.links.iter();
    let spatial: Vec<Motion<f64>> = links.map(|&j| solution.acceleration(j)).collect();
    let accelerations = spatial.iter().zip(&velocities).map(|(&a, velocity)| {
        let mut reported = a;
        if posed.description.floating {
            reported.linear += centripetal(velocity);
        }
        reported.to_array()
    });
    let external = posed.links.iter();
    let external = external.map(|&j| solution.external_force(j).to_array());
    let transmitted = posed.joints.iter();
    let transmitted = transmitted.map(|&j| solution.transmitted_force(j).to_array());
    let mut quantities: Quantities = vec![
        ("acceleration", accelerations.flatten().collect()),
        ("external_wrench", external.flatten().collect()),
        ("joint_wrench", transmitted.flatten().collect()),
        (
            "joint_acceleration",
            of_coordinates(solution.joint_accelerations()),
        ),
        ("joint_torque", of_coordinates(solution.joint_forces())),
    ];
    if let Some(net) = &posed.net {
        let mut wrenches = Vec::new();
        for (k, &joint) in posed.links.iter().enumerate() {
            let inertia = &model.joint(joint).inertia;
            let needed = inertia.newton_euler(&velocities[k], &spatial[k]);
            let [own, sum] = net[k];
            let mut residual = [0.0; 6];
            for (c, row) in system.equations().force(joint).enumerate() {
                residual[c] = residuals[row] * own[c / 3] / sum[c / 3];
            }
            let residual = Force::from_array(residual);
            wrenches.extend(
                (needed + kernel::link_frame(model, joint).act_force(&residual)).to_array(),
            );
        }
        quantities.push(("net_wrench", wrenches));
    }
    Ok(quantities)
}
