//! From a scene to its simulation: nothing that the scene says of contact is lost.

use featherline_constraint::nonsmooth::FrictionLaw;
use featherline_formats::{Robot, load_str};
use featherline_sim::contact::{ContactSource, Drives, ImpactLaw};
use featherline_sim::simulation::{SceneStart, SceneStartError};

/// Gravity in m/s².
const G: f64 = 9.81;

fn scene(text: &str) -> Robot {
    load_str(text).unwrap_or_else(|error| panic!("{error}"))
}

/// A ball of 2 kg sinks into a soft ground by m g/k.
#[test]
fn soft_surfaces_are_soft() {
    let scene = scene(
        "[ground]\nstiffness = 5000\ndamping = 100\n[[body]]\nname = 'ball'\nsphere = 0.1\nmass = 2\n\
         position = [0, 0, 0.1]\n",
    );
    let start = SceneStart::new(&scene).unwrap();
    let mut simulation = start
        .simulator(1e-3)
        .unwrap()
        .start(0.0, &start.q, &start.v)
        .unwrap();
    simulation.run(4.0, 4.0, &mut ()).unwrap();
    let sunk = 0.1 - simulation.configuration()[2];
    // Implicit springs take the force at the end of a step, and come to rest exactly.
    assert!((sunk - 2.0 * G / 5000.0).abs() < 1e-9, "{sunk}");
    let contact = &simulation.contacts()[0].contact;
    assert_eq!(
        start.contacts.softness(contact).map(|it| it.stiffness),
        Some(5000.0)
    );
}

/// A ball with restitution 1 rises to where it fell from, by the law of impacts that is named.
#[test]
fn restitution_and_laws_are_those_of_the_scene() {
    let scene = scene(
        "[contact]\nfriction_law = 'convex'\nimpact_law = 'reflections'\nrestitution = 1\n[ground]\n\
         [[body]]\nname = 'ball'\nsphere = 0.1\nposition = [0, 0, 0.6]\n",
    );
    let mut start = SceneStart::new(&scene).unwrap();
    assert_eq!(start.laws.cone, FrictionLaw::Convex);
    assert_eq!(start.laws.impact, ImpactLaw::Reflections);
    start.laws.cone = FrictionLaw::Exact;
    let mut stepping = start.time_stepping().unwrap();
    let (mut q, mut v) = (start.q, start.v);
    let (mut top, mut has_hit) = (0.0_f64, false);
    // It falls for √(2 · 0.5 / g) = 0.32 s, and rises for as long.
    for _ in 0..6500 {
        stepping.step(0.0, &mut q, &mut v, 1e-4).unwrap();
        has_hit |= v[2] > 0.0;
        top = if has_hit { top.max(q[2]) } else { top };
    }
    // As high as it began, to the way of a step at the impact's 3.1 m/s.
    assert!((top - 0.6).abs() < 3.2e-4, "{top}");
}

#[test]
fn what_overlaps_at_the_start_is_named_and_does_not_touch() {
    let scene = scene(
        "gravity = [0, 0, 0]\n[[body]]\nname = 'a'\nsphere = 0.1\n\
         [[body]]\nname = 'b'\nsphere = 0.1\nposition = [0.15, 0, 0]\n\
         [[body]]\nname = 'c'\nsphere = 0.1\nposition = [0.5, 0, 0]\nvelocity = [-1, 0, 0, 0, 0, 0]\n",
    );
    let start = SceneStart::new(&scene).unwrap();
    let [pair] = &start.left_out[..] else {
        panic!("{:?}", start.left_out);
    };
    assert!(
        pair[0].starts_with('a') && pair[1].starts_with('b'),
        "{pair:?}"
    );
    let mut stepping = start.time_stepping().unwrap();
    let (mut q, mut v) = (start.q, start.v);
    for _ in 0..100 {
        stepping.step(0.0, &mut q, &mut v, 1e-3).unwrap();
    }
    // `a` and `b` rest in each other; `c` has not reached `b`.
    assert!(v[..12].iter().all(|v| *v == 0.0), "{v:?}");
    for _ in 0..100 {
        stepping.step(0.0, &mut q, &mut v, 1e-3).unwrap();
    }
    // Pairs are counted anew without the one that is left out: `c` pushes `b`.
    assert!(v[6] < -0.1 && v[0] == 0.0, "{v:?}");
}

/// Actuators with the controls of a keyframe, and the keyframe's state.
#[test]
fn a_simulation_begins_in_a_keyframe_with_its_controls() {
    let robot = scene(
        "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide' axis='1 0 0'/>\
         <geom size='0.1' mass='1'/></body></worldbody>\
         <actuator><position joint='j' kp='100' kv='20'/></actuator>\
         <keyframe><key name='out' qpos='0.3' qvel='0.1' ctrl='0.5'/></keyframe></mujoco>",
    );
    let start = SceneStart::in_configuration(&robot, "out").unwrap();
    assert_eq!((&start.q[..], &start.v[..]), (&[0.3][..], &[0.1][..]));
    let simulator = start.simulator(1e-3).unwrap();
    let mut simulation = simulator.start(0.0, &start.q, &start.v).unwrap();
    simulation.run(3.0, 1.0, &mut ()).unwrap();
    // Critically damped with 10 /s: what is left after 3 s is e⁻³⁰.
    assert!((simulation.configuration()[0] - 0.5).abs() < 1e-9);
    let unknown = SceneStart::in_configuration(&robot, "in");
    let Err(SceneStartError::UnknownConfiguration { known, .. }) = unknown else {
        panic!("there is no such keyframe");
    };
    assert!(known.contains(&"out".to_owned()), "{known:?}");
    let free = start.with_drives(Drives::none());
    assert!(free.drives.is_empty());
}
