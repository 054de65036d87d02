//! Rotations that are too large for the steps of a variational method.
//!
//! The method rotates bodies in Cayley's coordinates: by 2 atan s in a step of h, where s =
//! tan(θ/2) for the angle θ, with the kinetic energy ½ J (2 s/h)². A body that rotates freely about
//! a fixed axis at ω has the momentum J ω, and that of the step is J 2 s (1 + s²)/h, so that s + s³
//! = h ω/2. It goes by a third of (h ω)² too little, and neither energy nor momentum shows it.

use super::SimulationWarning;
use featherline::kinematics::ReferenceFrame;
use featherline::model::Model;
use featherline::{Error, Workspace};

/// The angle in rad from which on a rotation within a step is reported: it is a fifth too short.
const FAR: f64 = 1.0;

/// The part by which a free body stays behind that should turn by `angle` rad in a step.
pub(super) fn behind(angle: f64) -> f64 {
    // s + s³ = x has one solution: by Cardano's formula, written as a hyperbolic sine.
    let root = 3.0_f64.sqrt();
    let x = 0.5 * angle;
    let s = 2.0 / root * ((1.5 * root * x).asinh() / 3.0).sinh();
    1.0 - 2.0 * s.atan() / angle
}

/// The body that rotates fastest, if it rotates far in a step of `step` s.
pub(super) fn look(
    model: &Model,
    ws: &mut Workspace<f64>,
    step: f64,
    (t, q, v): (f64, &[f64], &[f64]),
) -> Result<Option<SimulationWarning>, Error> {
    let moving = model.forward_kinematics_velocities(ws, q, v)?;
    let turns = model.joint_ids().map(|joint| {
        let velocity = moving.velocity(joint, ReferenceFrame::Local);
        (step * velocity.angular.norm(), joint)
    });
    let most = turns.max_by(|a, b| a.0.total_cmp(&b.0));
    Ok(most
        .filter(|(angle, _)| *angle > FAR)
        .map(|(angle, joint)| SimulationWarning::FastRotation {
            t,
            joint: model.joint(joint).name.clone(),
            angle,
            step,
            behind: behind(angle),
        }))
}

#[cfg(test)]
mod tests {
    use super::behind;

    #[test]
    fn a_rotor_stays_behind_by_what_its_momentum_says() {
        for angle in [0.01_f64, 0.3, 1.0, 1.8, 6.0] {
            let s = (0.5 * angle * (1.0 - behind(angle))).tan();
            // The angle's own rounding, where its tangent is steepest.
            assert!((s + s.powi(3) - 0.5 * angle).abs() < 1e-13, "{angle}");
        }
        // By a third of the angle's square, with an error of its fourth power.
        assert!((behind(0.01) - 1e-4 / 3.0).abs() < 1e-8);
    }
}
