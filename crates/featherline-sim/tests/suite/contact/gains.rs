//! The balance of energy of each step where inertia differs by direction: bricks, rods, a humanoid.

use featherline::model::Model;
use featherline_constraint::nonsmooth::clamp_to_limits;
use featherline_formats::{LoadOptions, load_str_with};
use featherline_geometry::CollisionModel;
use featherline_sim::contact::{CollisionContacts, ContactLaws, ImpactLaw, Surface};
use featherline_sim::setup::Setup;
use featherline_sim::simulation::{Bookkeeper, Method, Sample, Simulator};

/// Long and flat bodies that fall on each other and tumble.
const HEAP: &str = "
    [ground]
    [[body]]
    name = 'brick'
    box = [0.3, 0.2, 0.1]
    density = 300
    position = [0, 0, 0.3]
    rpy = [0.4, 0.3, 0.2]
    velocity = [1, 0.5, 0, 3, -2, 1]
    [[body]]
    name = 'plank'
    box = [0.6, 0.1, 0.03]
    density = 500
    position = [0.1, 0.05, 0.65]
    rpy = [0.1, -0.3, 0.5]
    [[body]]
    name = 'rod'
    capsule = [0.02, 0.6]
    density = 2000
    position = [0.0, 0.1, 1.0]
    rpy = [0.3, 1.2, 0.5]
    velocity = [0, 0, -3, 0, 5, 0]
    [[body]]
    name = 'drum'
    cylinder = [0.1, 0.1]
    density = 500
    position = [0.4, 0.1, 0.2]
    rpy = [1.3, 0.2, 0.5]
    velocity = [-2, 0, 1, 0, 0, 10]";

const STEP: f64 = 1e-3;
/// Overlaps in m that are rounding.
const NONE: f64 = 1e-9;
/// The largest overlap in m whose correction may not lift the bodies.
const SMALL: f64 = 1e-5;

/// The most that a step gains, in parts of the energy at the start.
struct Gains {
    /// Where nothing overlaps at the beginning of the step.
    clear: f64,
    /// Of the other steps: all, and what is more than the work of pushing and putting apart.
    overlapping: f64,
    unexplained: f64,
    /// How many steps of each kind push.
    steps: [usize; 2],
}

fn gains(
    (model, collision): (&Model, &CollisionModel),
    (q, v): (&[f64], &[f64]),
    (surface, impact): (Surface, ImpactLaw),
    seconds: f64,
) -> Gains {
    let contacts = CollisionContacts::uniform(collision.clone(), surface);
    let simulator = Simulator::new(model, Method::time_stepping(STEP).unwrap());
    let laws = ContactLaws::default().with_impact(impact);
    let simulator = simulator.with_contacts(contacts).with_contact_laws(laws);
    let mut simulation = simulator.start(0.0, q, v).unwrap();
    let weight = super::G * model.total_mass();
    let (mut last, mut first) = (None, None);
    let mut found = Gains {
        clear: f64::NEG_INFINITY,
        overlapping: f64::NEG_INFINITY,
        unexplained: f64::NEG_INFINITY,
        steps: [0; 2],
    };
    let mut watch = |sample: &Sample<'_>| {
        let energy = sample.energy();
        let first = *first.get_or_insert(energy);
        let Some(before) = last.replace(energy) else {
            return;
        };
        let gain = (energy - before) / first;
        let contact = sample.contact.unwrap();
        // Contact impulses that separate overlapping bodies do work at their separating speed, λ_n
        // u_n; correcting an overlap at once lifts no more than all bodies by as much.
        let (mut pushed, mut is_pushing) = (0.0, false);
        for it in contact.contacts {
            pushed += it.normal_impulse() * it.velocity.dot(it.contact.normal).max(0.0);
            is_pushing |= it.normal_impulse() > 0.0;
        }
        let overlap = contact.penetration();
        found.steps[usize::from(overlap > NONE)] += usize::from(is_pushing);
        if overlap <= NONE {
            found.clear = found.clear.max(gain);
            return;
        }
        let lifted = if overlap > SMALL {
            weight * overlap
        } else {
            0.0
        };
        found.overlapping = found.overlapping.max(gain);
        found.unexplained = found.unexplained.max(gain - (pushed + lifted) / first);
    };
    simulation.run(seconds, STEP, &mut watch).unwrap();
    found
}

/// Friction, restitution and the law of impacts. Newton's law with friction and a restitution near
/// one may gain energy, by the law itself.
const LAWS: [(f64, f64, ImpactLaw); 6] = [
    (0.5, 0.0, ImpactLaw::Newton),
    (0.0, 0.0, ImpactLaw::Newton),
    (0.8, 0.5, ImpactLaw::Newton),
    (0.8, 0.5, ImpactLaw::Reflections),
    (0.5, 1.0, ImpactLaw::Reflections),
    (0.0, 1.0, ImpactLaw::Reflections),
];

/// A step from a state without overlap gains nothing but rounding. Where bodies overlap, because
/// they rotate while they touch, a step gains no more than pushing them apart takes, and little.
#[test]
fn long_and_flat_bodies_gain_no_energy() {
    let scene = load_str_with(HEAP, &LoadOptions::new()).unwrap();
    let collision = scene.contact_model(None).unwrap().collision;
    let start = &scene.model.reference_configurations()["start"];
    let v = scene.velocity("start").unwrap();
    let mut pushing = [0; 2];
    for (friction, restitution, impact) in LAWS {
        let surface = Surface {
            friction,
            restitution,
        };
        let robot = (&scene.model, &collision);
        let found = gains(robot, (start, &v), (surface, impact), 1.5);
        println!(
            "{friction}, {restitution}, {impact:?}: {:?} steps gain {:.1e} and {:.1e}, {:.1e}",
            found.steps, found.clear, found.overlapping, found.unexplained
        );
        let law = (friction, restitution, impact);
        pushing = [0, 1].map(|kind| pushing[kind] + found.steps[kind]);
        assert!(found.clear < 1e-9, "{law:?}: {}", found.clear);
        assert!(found.unexplained < 1e-9, "{law:?}: {}", found.unexplained);
        assert!(found.overlapping < 5e-5, "{law:?}: {}", found.overlapping);
    }
    assert!(pushing[0] > 1000, "{pushing:?}");
}

/// A limp humanoid that falls and lies down gains nothing in any step, whatever overlaps.
#[test]
fn a_humanoid_that_falls_limp_gains_no_energy() {
    let options = LoadOptions::new().floating_base(true);
    let robot = featherline_robots::load("humanoid", &options).unwrap();
    let model = &robot.model;
    let collision = robot.contact_model(Some(0.0)).unwrap().collision;
    let (mut q, mut v) = (model.neutral_configuration(), vec![0.0; model.nv()]);
    clamp_to_limits(model, &mut q);
    q[2] = 1.3;
    (v[3], v[4]) = (1.0, 2.0);
    for k in [0, 2, 4] {
        let (friction, restitution, impact) = LAWS[k];
        let surface = Surface {
            friction,
            restitution,
        };
        let found = gains((model, &collision), (&q, &v), (surface, impact), 0.9);
        println!(
            "{friction}, {restitution}, {impact:?}: {:?} steps gain {:.1e} and {:.1e}",
            found.steps, found.clear, found.overlapping
        );
        let pushing: usize = found.steps.iter().sum();
        assert!(pushing > 50, "{:?}", found.steps);
        let most = found.clear.max(found.overlapping);
        assert!(most < 1e-9, "{friction} {restitution}: {most}");
    }
}

/// A top that leans and slides on its tip, 0.1 rad a step, gains no thousandth of its energy in two
/// seconds: impulses push it in every step, and the gain of each one adds up.
#[test]
fn a_top_gains_no_energy() {
    let text = "<mujoco><worldbody><geom type='plane' size='9 9 1' friction='.5 0 0'/>
        <body><freejoint/><geom type='cylinder' size='.03 .005' pos='0 0 .03' friction='.5 0 0'/>
        <geom type='capsule' size='.003 .02' pos='0 0 .023' friction='.5 0 0'/></body>
        </worldbody></mujoco>";
    let scene = load_str_with(text, &LoadOptions::new()).unwrap();
    let start = Setup::default().decide(&scene).unwrap();
    for lean in [0.05_f64, 0.15, 0.25] {
        let mut stepping = start.time_stepping().unwrap();
        let mut books = Bookkeeper::new(&scene.model);
        let (sin, cos) = (0.5 * lean).sin_cos();
        let mut q = [0.0, 0.0, 0.004, sin, 0.0, 0.0, cos];
        let mut v = [0.0, 0.0, 0.0, 0.0, 0.0, 100.0];
        for k in 0..2000 {
            let t = STEP * f64::from(k);
            let state = (&mut q[..], &mut v[..]);
            books
                .step(&mut stepping, |_| (&[], &[]), t, state, STEP)
                .unwrap();
        }
        let account = books.account();
        let gain = account.energy_gain / account.kinetic_energy;
        assert!(gain < 1e-3, "{lean}: {gain:.1e} {account:?}");
    }
}
