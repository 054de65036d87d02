//! URDFs that are written as MJCF are the same robots.

use crate::damaged::ROBOTS;
use featherline_formats::{Difference, LoadOptions, MimicJoints, load_str_with, mjcf, urdf};

/// Rotations go through quaternions and angles.
const ROUNDING: f64 = 1e-12;

const DYNAMICS: [&str; 3] = ["joint forces", "mass matrix", "placements of frames"];

/// The greatest difference of joint forces, mass matrix and placements; none if the joints are
/// others.
fn dynamics(difference: &Difference) -> Option<f64> {
    let own = difference.quantities.iter();
    let own: Vec<f64> = own
        .filter(|it| DYNAMICS.contains(&it.quantity))
        .map(|it| it.relative)
        .collect();
    (own.len() == DYNAMICS.len()).then(|| own.into_iter().fold(0.0, f64::max))
}

#[test]
fn the_dynamics_are_the_same_as_mjcf_and_as_urdf_again() {
    let mut compared = 0;
    for text in ROBOTS {
        for mimic in [MimicJoints::Coupled, MimicJoints::Free] {
            let options = LoadOptions::new().mimic(mimic);
            let robot = load_str_with(text, &options).unwrap();
            let name = robot.model.name().to_owned();
            let written = mjcf::to_string(&robot.description).unwrap();
            let again = load_str_with(&written.text, &options).unwrap();
            let difference = Difference::of(&robot.model, &again.model, 10).unwrap();
            // One of them has a planar joint.
            let Some(worst) = dynamics(&difference) else {
                assert!(text.contains("planar"), "{name}: {difference:#?}");
                continue;
            };
            compared += 1;
            assert!(worst < ROUNDING, "{name}: {difference:#?}");
            let lost = written.warnings.iter().map(ToString::to_string);
            let mut lost = lost.filter(|it| !it.contains("fixed joints"));
            assert!(
                lost.all(|it| it.contains("velocity limit")),
                "{name}: {:#?}",
                written.warnings
            );
            let back = urdf::to_string(&again.description).unwrap();
            let back = load_str_with(&back.text, &options).unwrap();
            let difference = Difference::of(&robot.model, &back.model, 10).unwrap();
            let worst = dynamics(&difference);
            assert!(
                worst.is_some_and(|it| it < ROUNDING),
                "{name}: {difference:#?}"
            );
        }
    }
    assert_eq!(compared, 10);
}

#[test]
fn floating_robots_are_the_same() {
    let options = LoadOptions::new().floating_base(true);
    for text in &ROBOTS[..5] {
        let robot = load_str_with(text, &options).unwrap();
        let floating = robot.description.with_floating_base().unwrap();
        let written = mjcf::to_string(&floating).unwrap();
        let again = load_str_with(&written.text, &LoadOptions::new()).unwrap();
        let difference = Difference::of(&robot.model, &again.model, 10).unwrap();
        let worst = dynamics(&difference);
        assert!(
            worst.is_some_and(|it| it < ROUNDING),
            "{}: {difference:#?}",
            robot.model.name()
        );
        assert_eq!(difference.missing, []);
    }
}
