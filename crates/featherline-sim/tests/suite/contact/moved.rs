//! Bodies of the world whose motion is given: conveyors, pushers, and hands that pull.

use super::G;
use featherline::spatial::{Se3, Vec3, exp3};
use featherline_formats::load_str;
use featherline_sim::contact::MovedBodyError;
use featherline_sim::setup::Setup;
use featherline_sim::simulation::Simulation;

type TestResult = Result<(), Box<dyn std::error::Error>>;

/// A free box of 1 kg and half sides of 0.1 m beside a moved box.
fn scene(belt: &str, cube: &str, more: &str) -> String {
    format!(
        "<mujoco><option timestep='0.001'/><worldbody>
        <body name='belt' mocap='true' {belt}</body>
        <body name='cube' {cube}><freejoint/>
        <geom type='box' size='.1 .1 .1' mass='1' friction='.5'/></body></worldbody>{more}</mujoco>"
    )
}

fn at(x: f64, y: f64, z: f64) -> Se3<f64> {
    Se3::from_translation(Vec3::new(x, y, z))
}

fn move_to(
    simulation: &mut Simulation<'_>,
    name: &str,
    placement: Se3<f64>,
    seconds: f64,
) -> TestResult {
    let moved = simulation.moved_mut().ok_or("time stepping")?;
    Ok(moved.move_to(name, placement, seconds)?)
}

#[test]
fn a_belt_carries_a_box_with_its_speed() -> TestResult {
    let belt = "pos='0 0 -.1'><geom type='box' size='4 1 .1' friction='.5'/>";
    let robot = load_str(&scene(belt, "pos='0 0 .1'", ""))?;
    let mut simulation = Setup::default().simulation(&robot)?;
    let speed = 0.8;
    move_to(&mut simulation, "belt", at(2.0 * speed, 0.0, -0.1), 2.0)?;
    // Until v/(μ g) the box slides, and friction is μ m g.
    let slides = speed / (0.5 * G);
    simulation.run(0.1, 0.1, &mut ())?;
    assert!((simulation.velocity()[0] - 0.5 * G * 0.1).abs() < 1e-9);
    simulation.run(0.4, 0.4, &mut ())?;
    // To the solver's tolerance, relative to the speed.
    assert!((simulation.velocity()[0] - speed).abs() < 1e-6 * speed);
    // It lags by what it slid, v²/(2 μ g), but for the steps' error of the order h v.
    let lag = speed * 0.5 - simulation.configuration()[0];
    assert!((lag - 0.5 * speed * slides).abs() < 1e-3 * speed, "{lag}");
    // It neither sinks nor turns.
    assert!((simulation.configuration()[2] - 0.1).abs() < 1e-8);
    // The belt gave the kinetic energy and what friction took: F · v · t with F = μ m g.
    let sample = simulation.sample()?;
    let account = sample.contact.ok_or("time stepping has contacts")?.account;
    let given = 0.5 * G * speed * slides;
    assert!(
        (account.force_work - given).abs() < 1e-6,
        "{}",
        account.force_work
    );
    assert!((account.friction_loss - 0.5 * given).abs() < 1e-6);
    assert!(account.energy_gain < 1e-9 && simulation.warnings().is_empty());
    Ok(())
}

#[test]
fn a_turning_table_carries_a_box_around() -> TestResult {
    // Slowly enough: ω² r = 0.8 m/s² is less than μ g.
    let belt = "pos='0 0 -.1'><geom type='cylinder' size='2 .1' friction='.5'/>";
    let robot = load_str(&scene(belt, "pos='.8 0 .1'", ""))?;
    let mut simulation = Setup::default().simulation(&robot)?;
    for k in 1..=4_u8 {
        let turned = Se3::new(
            exp3(Vec3::unit(2) * (0.5 * f64::from(k))),
            Vec3::new(0.0, 0.0, -0.1),
        );
        move_to(&mut simulation, "belt", turned, 0.5)?;
        simulation.run(0.5, 0.5, &mut ())?;
    }
    // It turns with the table, at 1 rad/s, at the radius to which it slid at first.
    let (q, v) = (simulation.configuration(), simulation.velocity());
    let radius = q[0].hypot(q[1]);
    assert!((v[5] - 1.0).abs() < 1e-3, "{v:?}");
    assert!((v[0].hypot(v[1]) - radius).abs() < 2e-3 && radius < 1.0);
    Ok(())
}

#[test]
fn a_pusher_pushes_a_box_that_stays_ahead_of_it() -> TestResult {
    let pusher = "pos='-.3 0 0'><geom type='box' size='.1 .1 .1' friction='0'/>";
    let ground = "<option gravity='0 0 0'/>";
    let robot = load_str(&scene(pusher, "", ground))?;
    let mut simulation = Setup::default().simulation(&robot)?;
    // The faces are 0.1 m apart: they meet after 0.2 s, and the box leaves with the pusher.
    move_to(&mut simulation, "belt", at(0.2, 0.0, 0.0), 1.0)?;
    simulation.run(0.15, 0.15, &mut ())?;
    assert_eq!(simulation.velocity()[0], 0.0);
    simulation.run(0.85, 0.85, &mut ())?;
    assert!((simulation.velocity()[0] - 0.5).abs() < 1e-9);
    assert!((simulation.configuration()[0] - 0.4).abs() < 1e-6);
    // A pusher that stands does not hold it back.
    simulation.run(1.0, 1.0, &mut ())?;
    assert!((simulation.configuration()[0] - 0.9).abs() < 1e-6);
    Ok(())
}

#[test]
fn a_body_that_is_placed_throws_nothing_away() -> TestResult {
    let pusher = "pos='-.3 0 0'><geom type='box' size='.1 .1 .1'/>";
    let robot = load_str(&scene(pusher, "", "<option gravity='0 0 0'/>"))?;
    let mut simulation = Setup::default().simulation(&robot)?;
    simulation.run(0.01, 0.01, &mut ())?;
    // 5 cm into the box, in no time: the box is put beside it, at rest.
    let moved = simulation.moved_mut().ok_or("time stepping")?;
    moved.place("belt", at(-0.15, 0.0, 0.0))?;
    simulation.run(0.01, 0.01, &mut ())?;
    assert!((simulation.configuration()[0] - 0.05).abs() < 1e-6);
    assert!(simulation.velocity()[0].abs() < 1e-9);
    Ok(())
}

/// The part of a distance that is left after the time t, of r̈ = −γ (2 ṙ/T + r/T²) from rest:
/// critically damped for γ = 1, and below it a damped oscillation.
fn left(gamma: f64, time_constant: f64, t: f64) -> f64 {
    let (decay, rate) = (
        gamma / time_constant,
        (gamma - gamma * gamma).sqrt() / time_constant,
    );
    let sine = if rate > 0.0 {
        (rate * t).sin() / rate
    } else {
        t
    };
    (-decay * t).exp() * ((rate * t).cos() + decay * sine)
}

#[test]
fn a_weld_draws_a_free_body_to_the_hand() -> TestResult {
    // With R = A (1 − d)/d the acceleration is d times the reference: r̈ = −d (b ṙ + k r), with
    // d b = 2/T and d k = 1/(T ζ)².
    let time_constant = 0.1;
    let weld = format!(
        "<option gravity='0 0 0' timestep='1e-5'/>
         <equality><weld body1='belt' body2='cube' solref='{time_constant} 1'/></equality>"
    );
    let robot = load_str(&scene("pos='0 0 0'>", "", &weld))?;
    assert!(robot.warnings.is_empty(), "{:?}", robot.warnings);
    let mut simulation = Setup::default().simulation(&robot)?;
    let moved = simulation.moved_mut().ok_or("time stepping")?;
    let turn = 0.3;
    moved.place(
        "belt",
        Se3::new(exp3(Vec3::unit(1) * turn), Vec3::new(0.2, 0.0, 0.1)),
    )?;
    let t = 0.15;
    simulation.run(t, t, &mut ())?;
    let q = simulation.configuration();
    let linear = left(1.0, time_constant, t);
    // R counts four times: of the reference the part 1/(1 + 4 (1 − d)/d) is left, and not d.
    let d = 0.95;
    let angular = left(1.0 / (d + 4.0 * (1.0 - d)), time_constant, t);
    // The step's error is of the order h/T = 1e-4.
    assert!(
        (0.2 - q[0] - 0.2 * linear).abs() < 2e-4 * 0.2,
        "{q:?} {linear}"
    );
    assert!((0.1 - q[2] - 0.1 * linear).abs() < 2e-4 * 0.2);
    let angle = 2.0 * q[4].atan2(q[6]);
    assert!(
        (turn - angle - turn * angular).abs() < 2e-4 * turn,
        "{angle}"
    );
    Ok(())
}

#[test]
fn a_hand_follows_within_reach_and_stretches_beyond_it() -> TestResult {
    let arm = "<mujoco><option timestep='0.002'/><worldbody>
        <body name='target' mocap='true' pos='0.3 0 0.2'><site name='goal'/></body>
        <body name='upper'><joint name='a' axis='0 1 0' damping='1'/>
        <geom type='capsule' fromto='0 0 0 .3 0 0' size='.02' mass='1'/>
        <body name='lower' pos='.3 0 0'><joint name='b' axis='0 1 0' damping='1'/>
        <geom type='capsule' fromto='0 0 0 .3 0 0' size='.02' mass='1'/>
        <site name='hand' pos='.3 0 0'/></body></body></worldbody>
        <contact><exclude body1='upper' body2='lower'/></contact>
        <equality><connect site1='goal' site2='hand' solimp='.99 .999 .001'/></equality></mujoco>";
    let robot = load_str(arm)?;
    let setup = Setup {
        q: Some(vec![-1.0, 1.5]),
        ..Setup::default()
    };
    let mut simulation = setup.simulation(&robot)?;
    let hand = |q: &[f64]| {
        let at = |angle: f64| Vec3::new(angle.cos(), 0.0, -angle.sin()) * 0.3;
        at(q[0]) + at(q[0] + q[1])
    };
    simulation.run(1.0, 1.0, &mut ())?;
    // R f/k is left, micrometres: f < 20 N, k = 2500/s², and R = A/1000 with A < 10/kg.
    let goal = Vec3::new(0.3, 0.0, 0.2);
    assert!((hand(simulation.configuration()) - goal).norm() < 1e-4);
    move_to(&mut simulation, "target", at(0.1, 0.0, 0.4), 0.5)?;
    simulation.run(1.5, 1.5, &mut ())?;
    assert!((hand(simulation.configuration()) - Vec3::new(0.1, 0.0, 0.4)).norm() < 1e-4);
    // Beyond its reach of 0.6 m the arm points there, and stands; with MuJoCo's own impedance, as a
    // stiff pull on a stretched arm needs shorter steps.
    let robot = load_str(&arm.replace("solimp='.99 .999 .001'", ""))?;
    let mut simulation = setup.simulation(&robot)?;
    move_to(&mut simulation, "target", at(0.0, 0.0, 0.8), 0.5)?;
    simulation.run(3.0, 3.0, &mut ())?;
    let stretched = hand(simulation.configuration());
    assert!(
        (stretched - Vec3::new(0.0, 0.0, 0.6)).norm() < 2e-2,
        "{stretched:?}"
    );
    Ok(())
}

#[test]
fn a_keyframe_says_where_it_begins() -> TestResult {
    let key = "<keyframe><key name='there' mpos='1 2 3' mquat='0 1 0 0' qpos='0 0 0 1 0 0 0'/></keyframe>";
    let robot = load_str(&scene(">", "", key))?;
    let setup = Setup {
        configuration: Some("there".to_owned()),
        ..Setup::default()
    };
    let mut simulation = setup.simulation(&robot)?;
    let moved = simulation.moved_mut().ok_or("time stepping")?;
    let placement = moved.placement("belt")?;
    assert_eq!(placement.translation, Vec3::new(1.0, 2.0, 3.0));
    assert!((placement.rotation.z - Vec3::new(0.0, 0.0, -1.0)).norm() < 1e-15);
    Ok(())
}

#[test]
fn what_cannot_be_is_an_error_that_says_what_can() -> TestResult {
    let robot = load_str(&scene(">", "", ""))?;
    let mut simulation = Setup::default().simulation(&robot)?;
    let moved = simulation.moved_mut().ok_or("time stepping")?;
    let error = moved.place("bolt", at(0.0, 0.0, 0.0));
    let text = error.err().map(|it| it.to_string()).unwrap_or_default();
    assert_eq!(text, "`bolt` is no body that is moved: there are `belt`");
    let bad = moved.move_to("belt", at(f64::NAN, 0.0, 0.0), 1.0);
    assert!(matches!(bad, Err(MovedBodyError::BadPlacement { .. })));
    let bad = moved.move_to("belt", at(0.0, 0.0, 0.0), 0.0);
    assert!(matches!(bad, Err(MovedBodyError::BadTime { .. })));
    Ok(())
}
