//! Who leaves the limits, by how much and when.

use featherline::samples;
use featherline::spatial::Force;
use featherline_constraint::LoopGap;
use featherline_sim::simulation::{LimitMonitor, Recorder, Sample, SimulationWarning};

fn sample(t: f64, q: &[f64]) -> Sample<'_> {
    Sample {
        t,
        q,
        v: &[],
        tau: &[],
        kinetic_energy: 0.0,
        potential_energy: 0.0,
        inner_energy: None,
        momentum: Force::zero(),
        loop_gap: LoopGap::default(),
        contact: None,
    }
}

#[test]
fn the_furthest_joint_and_the_first_time_are_told() {
    let model = samples::stewart();
    let sliders: Vec<_> = model
        .joints()
        .iter()
        .filter(|joint| joint.name.starts_with("slider"))
        .collect();
    let [first, second] = [sliders[0], sliders[3]];
    let q = model.neutral_configuration();
    let at = |a: f64, b: f64| {
        let mut q = q.clone();
        q[first.idx_q] = a;
        q[second.idx_q] = b;
        q
    };
    let (upper, lower) = (first.limits.upper[0], second.limits.lower[0]);
    let mut account = LimitMonitor::new(&model);
    // At the limits is inside.
    let _ = account.record(&sample(2.0, &at(upper, lower))).unwrap();
    assert_eq!(
        (account.greatest_excess(), account.warning(0.0)),
        (0.0, None)
    );
    for (t, a, b) in [(2.5, 0.25, 0.0), (3.0, 0.0, -0.5), (4.0, 0.5, 0.0)] {
        let _ = account
            .record(&sample(t, &at(upper + a, lower + b)))
            .unwrap();
    }
    let _ = account
        .record(&sample(5.0, &at(upper, lower - 0.75)))
        .unwrap();
    let Some(SimulationWarning::BeyondLimits {
        coordinates,
        from_start,
        t,
        joint,
        excess,
        is_length,
    }) = account.warning(0.1)
    else {
        panic!("{:?}", account.warning(0.1));
    };
    assert_eq!((coordinates, from_start, t), (2, 0, 2.5));
    assert_eq!((joint.as_str(), is_length), (&*second.name, true));
    assert!((excess - 0.75).abs() < 1e-12);
    assert_eq!(account.warning(0.8), None);
}

#[test]
fn a_start_outside_is_told_from_what_comes_later() {
    let model = featherline_robots::quadruped();
    let q = model.neutral_configuration();
    let mut account = LimitMonitor::new(&model);
    let _ = account.record(&sample(0.0, &q)).unwrap();
    // By the limits themselves: joints of one coordinate, without mimic joints.
    let excess = |joint: &featherline::model::Joint| {
        let x = q[joint.idx_q];
        (joint.limits.lower[0] - x).max(x - joint.limits.upper[0])
    };
    let outside: Vec<f64> = model
        .joints()
        .iter()
        .skip(1)
        .filter(|joint| joint.nv == 1)
        .map(excess)
        .filter(|x| *x > 0.0)
        .collect();
    let warning = account.warning(1e-9);
    assert!(
        matches!(&warning, Some(SimulationWarning::BeyondLimits { from_start, t, .. }) if *from_start == outside.len() && *t == 0.0),
        "{warning:?}"
    );
    // Legs that are stretched out, by an angle; one coordinate alone is no plural.
    let told = warning.map(|warning| warning.to_string());
    let ends = |told: &String| told.ends_with(" rad") && told.starts_with("4 joint coordinates");
    assert!(told.as_ref().is_some_and(ends), "{told:?}");
    let most = outside.iter().copied().fold(0.0, f64::max);
    assert!(most > 0.5 && account.greatest_excess() == most);
}

#[test]
fn each_joint_is_reported_once_in_parts_of_a_motion() {
    let model = featherline_robots::panda();
    let mut q = model.neutral_configuration();
    let mut account = LimitMonitor::new(&model);
    // Its fourth joint can not be straight, and is so at the start.
    account.observe(0.0, &q);
    let first = account.new_warning(1e-9);
    assert!(
        matches!(&first, Some(SimulationWarning::BeyondLimits { coordinates: 1, from_start: 1, joint, .. }) if joint == "panda_joint4"),
        "{first:?}"
    );
    account.observe(1.0, &q);
    assert_eq!(account.new_warning(1e-9), None);
    q[0] = 3.0;
    account.observe(2.0, &q);
    let second = account.new_warning(1e-9);
    assert!(
        matches!(&second, Some(SimulationWarning::BeyondLimits { coordinates: 1, from_start: 0, t, joint, .. }) if *t == 2.0 && joint == "panda_joint1"),
        "{second:?}"
    );
    // All of them, of the whole motion.
    let whole = account.warning(1e-9);
    assert!(
        matches!(
            &whole,
            Some(SimulationWarning::BeyondLimits { coordinates: 2, .. })
        ),
        "{whole:?}"
    );
}
