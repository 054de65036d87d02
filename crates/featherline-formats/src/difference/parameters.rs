//! Parameters of joints and bodies.

use super::QuantityDifference;
use super::greatest::Greatest;
use super::states::configuration;
use featherline::model::JointId;
use featherline::spatial::Se3;
use featherline::{Model, Workspace};

/// The greatest difference of each parameter of the joints that both models have.
pub(super) fn parameters(
    first: &Model,
    second: &Model,
    pairs: &[(JointId, JointId)],
) -> Vec<QuantityDifference> {
    let mut gravity = Greatest::new("gravity");
    let [one, other] = [first, second].map(|it| it.gravity().to_array());
    gravity.compare(&one, &other, None);
    let mut total = Greatest::new("total mass");
    total.compare(&[first.total_mass()], &[second.total_mass()], None);
    let mut mass = Greatest::new("mass");
    let mut moment = Greatest::new("first moment of mass");
    let mut inertia = Greatest::new("inertia");
    let mut position = Greatest::new("position limits");
    let mut velocity = Greatest::new("velocity limits");
    let mut effort = Greatest::new("effort limits");
    let mut damping = Greatest::new("damping");
    let mut friction = Greatest::new("friction");
    let mut armature = Greatest::new("armature");
    let mut stiffness = Greatest::new("stiffness");
    // The second where the first is neutral: the coordinate of a free joint may have another
    // origin.
    let neutral = first.neutral_configuration();
    let there = configuration(first, second, pairs, &neutral);
    let frames = [(first, neutral), (second, there)].map(|(model, q)| joint_placements(model, &q));
    for &(a, b) in pairs {
        // The second inertia in the first joint's frame: a format may choose the joint's axes.
        let between = frames[0][a.index()].inverse_compose(&frames[1][b.index()]);
        let (a, b) = (first.joint(a), second.joint(b));
        let at = Some(a.name.as_str());
        let p = a.inertia.to_parameters().to_array();
        let q = between.act_inertia(&b.inertia).to_parameters().to_array();
        mass.compare(&p[..1], &q[..1], at);
        moment.compare(&p[1..4], &q[1..4], at);
        inertia.compare(&p[4..], &q[4..], at);
        position.compare(&a.limits.lower, &b.limits.lower, at);
        position.compare(&a.limits.upper, &b.limits.upper, at);
        velocity.compare(&a.limits.velocity, &b.limits.velocity, at);
        effort.compare(&a.limits.effort, &b.limits.effort, at);
        damping.compare(&a.drive.damping, &b.drive.damping, at);
        friction.compare(&a.drive.friction, &b.drive.friction, at);
        let reflected = |joint: &featherline::model::Joint| -> Vec<f64> {
            let degrees = 0..joint.drive.armature.len();
            degrees.map(|k| joint.drive.reflected_inertia(k)).collect()
        };
        armature.compare(&reflected(a), &reflected(b), at);
        stiffness.compare(&a.drive.stiffness, &b.drive.stiffness, at);
    }
    let all = [
        gravity, total, mass, moment, inertia, position, velocity, effort, damping, friction,
        armature, stiffness,
    ];
    all.into_iter().map(Greatest::relative).collect()
}

/// The placement of each joint in the world at a configuration.
fn joint_placements(model: &Model, q: &[f64]) -> Vec<Se3<f64>> {
    let mut ws = Workspace::new(model);
    match model.forward_kinematics(&mut ws, q) {
        Ok(placed) => std::iter::once(JointId::UNIVERSE)
            .chain(model.joint_ids())
            .map(|id| placed.placement(id))
            .collect(),
        // Inertias are compared as they are, where placements overflow.
        Err(_) => vec![Se3::identity(); model.joints().len()],
    }
}
