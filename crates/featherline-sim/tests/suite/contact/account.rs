//! The account of a simulation with contact: forces, work and losses.

use super::{G, at_height, bodies, on_plane};
use featherline::Workspace;
use featherline::model::{JointId, Model};
use featherline::samples;
use featherline::spatial::{Inertia, Se3, Vec3};
use featherline_constraint::nonsmooth::Contact;
use featherline_sim::contact::{ContactAccount, Drives};
use featherline_sim::simulation::{
    Books, Event, Method, Occurrence, Simulation, SimulationWarning, Simulator,
};
use std::ops::ControlFlow;

const RADIUS: f64 = 0.1;

/// A ball of 2 kg over the plane z = 0.
fn ball(model: &Model, restitution: f64) -> impl FnMut(&[Se3<f64>], f64, &mut Vec<Contact>) {
    let body = model.joint_id("root_0").unwrap();
    move |placements, range, out| {
        let centre = placements[body.index()].translation;
        let lowest = centre - Vec3::unit(2) * RADIUS;
        if lowest.z <= range {
            out.push(Contact {
                anisotropy: None,
                restitution,
                ..on_plane(body, lowest, 0.5, 0)
            });
        }
    }
}

fn started<'m>(
    model: &'m Model,
    (height, step, restitution): (f64, f64, f64),
    v: &[f64; 6],
) -> Simulation<'m> {
    let simulator = Simulator::new(model, Method::time_stepping(step).unwrap());
    let simulator = simulator.with_contacts(ball(model, restitution));
    simulator.start(0.0, &at_height(height), v).unwrap()
}

fn account(simulation: &mut Simulation<'_>) -> (ContactAccount, f64) {
    let contact = simulation.sample().unwrap().contact.unwrap();
    (contact.account, contact.other_loss)
}

#[test]
fn a_ball_that_slides_until_it_rolls_loses_two_sevenths_to_friction() {
    let model = bodies(&[Inertia::sphere(2.0, RADIUS)], 0.0);
    let speed = 1.5;
    let v = [speed, 0.0, 0.0, 0.0, 0.0, 0.0];
    let mut simulation = started(&model, (RADIUS, 1e-3, 0.0), &v);
    simulation.run(0.5, 0.1, &mut ()).unwrap();
    let (account, other) = account(&mut simulation);
    // It rolls at 5/7 of its speed: the energy of 5/7 is left.
    let expected = 2.0 / 7.0 * 0.5 * 2.0 * speed * speed;
    // The last step of sliding ends within the step: h μ g of the speed.
    assert!((account.friction_loss - expected).abs() < 1e-5 * expected);
    // A step that is new is solved to a millionth of the speed.
    let unseen = 1e-6 * expected;
    assert!(account.impact_loss.abs() < unseen && other.abs() < unseen);
    assert_eq!((account.steps, account.inexact_steps), (500, 0));
    assert_eq!((account.drive_work, account.force_work), (0.0, 0.0));
}

#[test]
fn a_ball_that_falls_and_stays_loses_its_height_to_the_impact() {
    let model = bodies(&[Inertia::sphere(2.0, RADIUS)], 0.0);
    for step in [1e-3, 1e-4] {
        let mut simulation = started(&model, (RADIUS + 0.3, step, 0.0), &[0.0; 6]);
        simulation.run(0.5, 0.1, &mut ()).unwrap();
        let (account, other) = account(&mut simulation);
        let height = 2.0 * G * 0.3;
        assert!((account.impact_loss + other - height).abs() < 1e-9 * height);
        // The fall is exact. In the step in which it lands it moves by its gap alone, and gravity
        // has the whole step: m g h v.
        let speed = f64::sqrt(2.0 * G * 0.3);
        assert!(other.abs() < 1.1 * 2.0 * G * step * speed, "{other}");
    }
}

#[test]
fn a_ball_that_rebounds_loses_what_its_restitution_says() {
    let model = bodies(&[Inertia::sphere(2.0, RADIUS)], 0.0);
    let (step, restitution) = (1e-4, 0.6);
    let mut simulation = started(&model, (RADIUS + 0.3, step, restitution), &[0.0; 6]);
    // One bounce: it falls for 0.247 s, and is up again after 0.395 s.
    simulation.run(0.395, 0.1, &mut ()).unwrap();
    let (account, other) = account(&mut simulation);
    let expected = (1.0 - restitution * restitution) * 2.0 * G * 0.3;
    let error = (account.impact_loss - expected).abs();
    assert!(
        error < 3e-3 * expected,
        "{} {expected}",
        account.impact_loss
    );
    assert!(other.abs() < 3e-3 * expected, "{other}");
}

#[test]
fn a_resting_ball_is_carried_by_a_force_at_its_lowest_point() {
    let model = bodies(&[Inertia::sphere(2.0, RADIUS)], 0.0);
    let mut simulation = started(&model, (RADIUS, 1e-3, 0.0), &[0.0; 6]);
    let mut forces = Vec::new();
    let before = simulation.sample().unwrap().contact.unwrap();
    before.pair_forces(&mut forces);
    assert!(forces.is_empty() && before.step == 0.0);
    simulation.run(0.05, 0.01, &mut ()).unwrap();
    let sample = simulation.sample().unwrap();
    sample.contact.unwrap().pair_forces(&mut forces);
    let [force] = forces[..] else {
        panic!("one pair: {forces:?}");
    };
    assert_eq!(force.bodies[0], JointId::UNIVERSE);
    // A residual of 1e-10 g h in the velocity is as much of the weight, in this step and the next.
    assert!((force.force - Vec3::unit(2) * (2.0 * G)).norm() < 1e-8);
    assert!(force.point.norm() < 1e-9 && force.contacts == 1);
}

#[test]
fn the_work_of_drives_and_controllers_is_the_energy_that_a_pendulum_gains() {
    let model = samples::double_pendulum();
    let (q, goal) = ([0.2, -0.3], [1.0, 0.4]);
    let step = 1e-4;
    let method = || Method::time_stepping(step).unwrap();
    let drives = Drives::uniform(&model, &goal, 60.0, 15.0);
    let mut driven = Simulator::new(&model, method())
        .with_drives(drives)
        .start(0.0, &q, &[0.0; 2])
        .unwrap();
    let before = driven.sample().unwrap().energy();
    driven.run(1.0, 0.1, &mut ()).unwrap();
    let (account, other) = account(&mut driven);
    let gained = driven.sample().unwrap().energy() - before;
    assert!(gained > 1.0, "{gained}");
    assert!((account.drive_work - other - gained).abs() < 1e-9);
    // The method is of order one.
    assert!(other.abs() < 1e-2 * gained, "{other} {gained}");

    let push = |_: f64, _: &[f64], _: &[f64], tau: &mut [f64]| tau[0] += 30.0;
    let mut pushed = Simulator::new(&model, method())
        .with_controller(push)
        .start(0.0, &q, &[0.0; 2])
        .unwrap();
    let from = pushed.configuration()[0];
    pushed.run(0.3, 0.1, &mut ()).unwrap();
    // W = τ Δq of a constant torque.
    let work = 30.0 * (pushed.configuration()[0] - from);
    let found = self::account(&mut pushed).0.force_work;
    assert!((found - work).abs() < 1e-3 * work, "{found} {work}");
}

#[test]
fn errors_are_the_largest_since_the_sample_before() {
    let model = bodies(&[Inertia::sphere(2.0, RADIUS)], 0.0);
    // It begins 1 mm deep, and comes out.
    let mut simulation = started(&model, (RADIUS - 1e-3, 1e-3, 0.0), &[0.0; 6]);
    let mut depths = Vec::new();
    let mut keep = |sample: &featherline_sim::simulation::Sample<'_>| {
        depths.push(sample.contact.unwrap().penetration());
    };
    simulation.run(1.0, 0.1, &mut keep).unwrap();
    assert_eq!(depths[0], 0.0);
    assert!((depths[1] - 1e-3).abs() < 1e-12, "{depths:?}");
    assert!(depths[10] < 1e-6, "{depths:?}");
    let (account, _) = account(&mut simulation);
    assert!((account.penetration - 1e-3).abs() < 1e-12);
    assert_eq!(
        simulation.sample().unwrap().contact.unwrap().penetration(),
        depths[10]
    );
}

/// Joint forces of a sample are those of controller and drives: at rest they balance gravity.
#[test]
fn a_sample_has_the_torques_of_drives() {
    let model = samples::double_pendulum();
    let q = [0.5, -0.3];
    let drives = Drives::holding(&model, &q).unwrap();
    let lifting = |_: f64, _: &[f64], _: &[f64], tau: &mut [f64]| tau[0] += 1.0;
    let simulator = Simulator::new(&model, Method::time_stepping(1e-3).unwrap());
    let simulator = simulator.with_drives(drives).with_controller(lifting);
    let mut simulation = simulator.start(0.0, &q, &[0.0; 2]).unwrap();
    simulation.run(3.0, 1.0, &mut ()).unwrap();
    let mut ws = Workspace::new(&model);
    let at_rest = model
        .gravity_torque(&mut ws, simulation.configuration())
        .unwrap()
        .to_vec();
    let tau = simulation.sample().unwrap().tau.to_vec();
    for (own, expected) in tau.iter().zip(&at_rest) {
        // Sixty time constants leave this much of the motion.
        assert!((own - expected).abs() < 1e-8, "{tau:?} {at_rest:?}");
    }
    assert!(tau[0].abs() > 1.0);
    // Targets that are moved count from the next step on.
    let drives = simulation.drives_mut().unwrap();
    drives.move_targets(|_| 0.0);
    assert_eq!(simulation.sample().unwrap().tau, tau);
}

/// A double pendulum that whirls: steps of 1 ms gain less than 0.5 % of its kinetic energy, such of
/// 20 ms much more, which is said once, with the gain so far.
#[test]
fn steps_that_gain_energy_are_a_warning() {
    let model = samples::double_pendulum();
    for (step, is_gained) in [(1e-3, false), (2e-2, true)] {
        let simulator = Simulator::new(&model, Method::time_stepping(step).unwrap());
        let mut simulation = simulator.start(0.0, &[1.0, 0.5], &[4.0, -6.0]).unwrap();
        simulation.run(2.0, 0.1, &mut ()).unwrap();
        let (account, _) = account(&mut simulation);
        assert_eq!(account.gains_energy(), is_gained, "{account:?}");
        let mut gains = Vec::new();
        for warning in simulation.warnings() {
            if let SimulationWarning::EnergyGain { gain, kinetic, .. } = warning {
                gains.push((*gain, *kinetic));
            }
        }
        let expected = [(account.energy_gain, account.kinetic_energy)];
        assert_eq!(gains, expected[..usize::from(is_gained)]);
    }
}

/// Parts of a motion, each with the books of the one before, have the account of the whole.
#[test]
fn books_go_on_in_another_simulation() {
    let model = samples::double_pendulum();
    let simulator = || Simulator::new(&model, Method::time_stepping(2e-2).unwrap());
    let (mut q, mut v) = (vec![1.0, 0.5], vec![4.0, -6.0]);
    let mut whole = simulator().start(0.0, &q, &v).unwrap();
    whole.run(2.0, 0.1, &mut ()).unwrap();
    let (expected, other_loss) = account(&mut whole);
    let (mut books, mut warnings) = (Books::default(), Vec::new());
    for k in 0..20 {
        let mut part = simulator().start(0.1 * f64::from(k), &q, &v).unwrap();
        *part.books_mut().unwrap() = books;
        part.run(0.1, 0.1, &mut ()).unwrap();
        let (found, found_loss) = account(&mut part);
        if k == 19 {
            // The lengths of steps have other roundings.
            let is_near = |a: f64, b: f64| (a - b).abs() < 1e-12 * expected.kinetic_energy;
            assert_eq!(found.steps, expected.steps);
            assert!(
                is_near(found.energy_gain, expected.energy_gain),
                "{found:?}"
            );
            assert!(is_near(found.kinetic_energy, expected.kinetic_energy));
            assert!(is_near(found_loss, other_loss), "{found_loss}");
        }
        for warning in part.warnings() {
            warning.clone().add_to(&mut warnings);
        }
        books = *part.books_mut().unwrap();
        (q, v) = (part.configuration().into(), part.velocity().into());
    }
    let [SimulationWarning::EnergyGain { t, gain, .. }] = warnings[..] else {
        panic!("{warnings:?}");
    };
    let [
        SimulationWarning::EnergyGain {
            t: first,
            gain: all,
            ..
        },
    ] = whole.warnings()
    else {
        panic!("{:?}", whole.warnings());
    };
    assert!(
        (t - first).abs() < 1e-9 && (gain - all).abs() < 1e-10,
        "{t} {first} {gain} {all}"
    );
}

/// A kick multiplies the kinetic energy by 9: that is no gain of the method.
#[test]
fn what_an_event_gives_is_no_gain() {
    let model = samples::double_pendulum();
    let kick = Event::new("kick", |t, _, _| t - 0.0503).then(|at: &mut Occurrence<'_>| {
        at.v.iter_mut().for_each(|v| *v *= 3.0);
        ControlFlow::Continue(())
    });
    let simulator = Simulator::new(&model, Method::time_stepping(1e-3).unwrap());
    let mut simulation = simulator
        .with_event(kick)
        .start(0.0, &[0.1, 0.2], &[1.0, -1.0])
        .unwrap();
    simulation.run(0.2, 0.1, &mut ()).unwrap();
    let (found, other_loss) = account(&mut simulation);
    assert!(
        other_loss < -1.0,
        "the kick is in the balance: {other_loss}"
    );
    assert!(!found.gains_energy(), "{found:?}");
    assert_eq!(simulation.warnings(), []);
}
