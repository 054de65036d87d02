//! Linkages that are driven: closed loops by their gaps, limits, and the geometry of four bars.

use featherline::random::SplitMix64;
use featherline::{Model, samples};
use featherline_constraint::{LoopWorkspace, loop_gap};
use featherline_control::Linkage;

fn gap(model: &Model, q: &[f64]) -> f64 {
    let mut ws = LoopWorkspace::new(model).expect("its loops are valid");
    let gap = loop_gap(model, &mut ws, q, &vec![0.0; model.nv()]);
    gap.expect("the configuration is valid").position
}

/// How far the coordinate that is farthest beyond limits is.
fn beyond(model: &Model, q: &[f64]) -> f64 {
    let joints = model.joints().iter().filter(|it| it.nq == it.nv);
    let entries = joints.flat_map(|it| {
        let limits = it.limits.lower.iter().zip(&it.limits.upper);
        limits
            .zip(&q[it.idx_q..])
            .map(|((lower, upper), q)| (lower - q).max(q - upper))
    });
    entries.fold(0.0, f64::max)
}

#[test]
fn the_coordinate_that_leads_is_where_it_was_sent() {
    for (model, name) in [(samples::four_bar(), "crank"), (samples::delta(), "arm_0")] {
        let joint = model.joint(model.joint_id(name).expect("it has that joint"));
        for wanted in [0.9, -0.4] {
            let mut q = model.neutral_configuration();
            let mut motion = vec![0.0; model.nv()];
            motion[joint.idx_v] = wanted;
            let mut linkage = Linkage::new(&model).expect("its loops are valid");
            let share = linkage.drive(&mut q, &motion).expect("it is closed");
            assert_eq!(share, 1.0, "{name}");
            assert!((q[joint.idx_q] - wanted).abs() < 1e-12, "{name}");
            assert!(gap(&model, &q) < 1e-10, "{name}");
        }
    }
}

#[test]
fn a_motion_ends_at_a_limit_and_where_loops_let_it_go_no_further() {
    let model = samples::delta();
    let arm = model.joint(model.joint_id("arm_0").expect("it has arms"));
    let mut q = model.neutral_configuration();
    let mut motion = vec![0.0; model.nv()];
    motion[arm.idx_v] = 3.0;
    let mut linkage = Linkage::new(&model).expect("its loops are valid");
    let share = linkage.drive(&mut q, &motion).expect("it is closed");
    assert!(share < 1.0 && beyond(&model, &q) <= 0.0 && gap(&model, &q) < 1e-10);
    // Arms turn as far as 1.2 rad.
    assert!(
        q[arm.idx_q] > 1.0 && q[arm.idx_q] <= 1.2,
        "{}",
        q[arm.idx_q]
    );
}

#[test]
fn random_linkages_are_closed_within_limits_and_differ() {
    for model in [
        samples::four_bar(),
        samples::stewart(),
        samples::delta(),
        samples::bennett(),
    ] {
        // Bennett's linkage closes where it says, and not at its neutral configuration.
        let named = model.reference_configurations().values().next();
        let neutral = named.map_or_else(|| model.neutral_configuration(), Clone::clone);
        let mut linkage = Linkage::new(&model).expect("its loops are valid");
        let mut moved = 0.0_f64;
        for seed in 0..4 {
            let mut q = neutral.clone();
            let mut source = SplitMix64::new(seed);
            linkage.wander(&mut q, &mut source).expect("it is closed");
            assert!(gap(&model, &q) < 1e-10, "{} {seed}", model.name());
            assert!(beyond(&model, &q) <= 0.0, "{} {seed}", model.name());
            let way = model.difference(&neutral, &q).expect("both are valid");
            moved = way.iter().fold(moved, |most, x| most.max(x.abs()));
        }
        assert!(moved > 0.3, "{}: {moved}", model.name());
    }
}
