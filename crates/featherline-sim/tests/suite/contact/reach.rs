//! Fast bodies stop at thin ones: no pair passes through each other.

use super::{at_height, bodies_under, contacts_of, exact};
use featherline::model::JointId;
use featherline::random::{RandomSource, SplitMix64};
use featherline::spatial::{Inertia, Quaternion, Se3, Sym3, Vec3};
use featherline_formats::{LoadOptions, load_str_with};
use featherline_geometry::{CollisionShape, Cuboid, Shape, Sphere};
use featherline_sim::contact::{CollisionContacts, Surface, TimeStepping};
use featherline_sim::setup::Setup;

const STEP: f64 = 1e-3;

/// Two small balls head-on, each at up to 20 m/s, in 40 phases of the step: they stop each other,
/// and do not overlap by more than a step leaves over of what it rounds.
#[test]
fn balls_that_meet_head_on_do_not_pass_through_each_other() {
    for (speed, radius) in [(2.0, 3e-3), (8.0, 5e-3), (20.0, 3e-3), (20.0, 5e-3)] {
        let ball = Inertia::sphere(0.1, radius);
        let model = bodies_under(&[ball, ball], Vec3::zero());
        let shape = |k: usize| {
            let body = model.joint_id(&format!("root_{k}")).unwrap();
            CollisionShape::new(
                format!("ball_{k}"),
                body,
                Se3::identity(),
                Sphere::new(radius),
            )
        };
        for phase in 0..40 {
            let contacts = contacts_of(&model, vec![shape(0), shape(1)], 0.5);
            let stepping = TimeStepping::with(&model, (), contacts).unwrap();
            let mut stepping = stepping.with_options(exact());
            let way = 0.1 + f64::from(phase) * speed * STEP / 20.0;
            let (mut q, mut v) = ([at_height(0.0); 2].concat(), vec![0.0; 12]);
            (q[0], q[7], v[0], v[6]) = (-way, way, speed, -speed);
            let mut deepest: f64 = 0.0;
            for _ in 0..(1.5 * way / speed / STEP) as usize + 5 {
                let report = stepping.step(0.0, &mut q, &mut v, STEP).unwrap();
                deepest = deepest.max(report.penetration);
            }
            assert!(q[0] < q[7], "{speed} m/s, phase {phase}");
            assert!(deepest < 1e-9, "{speed} m/s, phase {phase}: {deepest}");
            // Where rounding limits the solver, a residual of 1e-8 of the closing speed counts as
            // exact.
            let slow = 3e-9 * speed;
            assert!(v[0].abs() < slow && v[6].abs() < slow, "{v:?}");
        }
    }
}

/// A bar on a hinge, up to 3 m long, sweeps at a thin post, and stops at it.
#[test]
fn long_bars_do_not_sweep_through_posts() {
    for (half, post) in [(1.0, 0.8), (2.0, 1.8), (3.0, 2.8)] {
        let text = format!(
            "<mujoco><option gravity='0 0 0'/><worldbody>\
             <body pos='{post} 0 0'><geom type='cylinder' size='.003 .5'/></body>\
             <body><joint name='hinge' axis='0 0 1'/><geom type='box' size='{half} .003 .01'/></body>\
             </worldbody></mujoco>"
        );
        let scene = load_str_with(&text, &LoadOptions::new()).unwrap();
        let collision = scene.contact_model(None).unwrap().collision;
        let surface = Surface {
            friction: 0.5,
            restitution: 0.0,
        };
        let contacts = CollisionContacts::uniform(collision, surface);
        for speed in 2..22 {
            let mut stepping = TimeStepping::with(&scene.model, (), contacts.clone()).unwrap();
            let (mut q, mut v) = ([0.3], [-f64::from(speed)]);
            for _ in 0..(0.5 / f64::from(speed) / STEP) as usize {
                stepping.step(0.0, &mut q, &mut v, STEP).unwrap();
            }
            let stands = q[0] > 0.0 && v[0].abs() < 1e-3;
            assert!(stands, "{half} m, {speed} rad/s: {q:?} {v:?}");
        }
    }
}

/// A thin rod of 60 mm, turned every way, at a plate of 1 mm: up to a hundred times its thickness
/// a step. In the step of its impact it begins to spin by up to 3 rad.
#[test]
fn fast_rods_do_not_pass_a_plate() {
    let rod = Cuboid::new(Vec3::new(4e-3, 60e-3, 4e-3));
    let moments = Sym3::diagonal(Vec3::new(3.0e-6, 3e-8, 3.0e-6));
    let model = bodies_under(&[Inertia::new(0.01, Vec3::zero(), moments)], Vec3::zero());
    let body = model.joint_id("root_0").unwrap();
    let plate = Shape::from(Cuboid::new(Vec3::new(1.0, 1.0, 1e-3)));
    for speed in [30.0, 50.0, 100.0] {
        let mut random = SplitMix64::new(9);
        let mut steps_in_parts = 0;
        for turn in 0..200 {
            let shapes = vec![
                CollisionShape::new("plate", JointId::UNIVERSE, Se3::identity(), plate.clone()),
                CollisionShape::new("rod", body, Se3::identity(), rod),
            ];
            let contacts = contacts_of(&model, shapes, 0.3);
            let mut stepping = TimeStepping::with(&model, (), contacts).unwrap();
            let mut number = || random.uniform() - 0.5;
            let axis = Vec3::new(number(), number(), number());
            let rotation = Quaternion::from_parts(axis, number()).normalised();
            let mut q = at_height(0.2 + 0.1 * number());
            q[3..].copy_from_slice(&rotation.to_array());
            let down = Vec3::new(0.0, 0.0, -speed);
            let down = rotation.conjugate().rotate(down).to_array();
            let mut v = [down[0], down[1], down[2], 0.0, 0.0, 0.0];
            for _ in 0..(0.5 / speed / STEP) as usize {
                stepping.step(0.0, &mut q, &mut v, STEP).unwrap();
                steps_in_parts += usize::from(stepping.parts() > 1);
            }
            assert!(q[2] > 0.0, "{speed} m/s, turn {turn}: {q:?} {v:?}");
        }
        assert!(steps_in_parts > 50, "{speed} m/s: {steps_in_parts}");
    }
}

/// A ball throws a block, at rest on a slide, at a limit that its own speed did not lead to: the
/// limit holds in that very step, though other gaps stay out of reach.
#[test]
fn what_is_thrown_at_a_limit_stops_at_it() {
    let text = "<mujoco><option gravity='0 0 0'/><worldbody>\
         <body><joint name='slide' type='slide' axis='1 0 0' limited='true' range='-1 .002'/>\
         <geom type='box' size='.02 .02 .02' mass='.1'/></body>\
         <body pos='-.0305 0 0'><freejoint name='free'/><geom type='sphere' size='.01' mass='1'/></body>\
         <body pos='0 .05 0'><geom type='sphere' size='.01'/></body>\
         </worldbody></mujoco>";
    let scene = load_str_with(text, &LoadOptions::new()).unwrap();
    let start = Setup::default().decide(&scene).unwrap();
    let mut stepping = start.time_stepping().unwrap();
    let (mut q, mut v) = (start.q.clone(), vec![0.0; scene.model.nv()]);
    let slide = scene.model.joint(scene.model.joint_id("slide").unwrap());
    v[scene
        .model
        .joint(scene.model.joint_id("free").unwrap())
        .idx_v] = 20.0;
    for _ in 0..3 {
        stepping.step(0.0, &mut q, &mut v, STEP).unwrap();
        assert!(q[slide.idx_q] < 0.002 + 1e-9, "{q:?}");
    }
    assert!(q[slide.idx_q] > 0.002 - 1e-9, "{q:?}");
}
