//! Forces of velocities in the middle of a step: trees that spin keep their energy.

use featherline::Workspace;
use featherline::joint::JointKind;
use featherline::model::{JointSpec, Model, ModelBuilder};
use featherline::random::{RandomSource, SplitMix64};
use featherline::spatial::{Inertia, Quaternion, Se3, Sym3, Vec3};
use featherline_sim::contact::TimeStepping;
use nalgebra::DVector;

/// Bodies at their joints, one after another; every fourth begins a branch.
pub fn tree(kinds: &[JointKind], gravity: Vec3<f64>) -> Model {
    let mut builder = ModelBuilder::new("tree");
    builder.gravity(gravity);
    let mut joints = vec![ModelBuilder::UNIVERSE];
    for (k, kind) in kinds.iter().enumerate() {
        let parent = if k % 4 == 3 { k - 1 } else { k };
        let spec = JointSpec::new(format!("joint_{k}"), joints[parent], kind.clone());
        let joint =
            builder.add_joint(spec.placement(Se3::from_translation(Vec3::new(0.1, 0.2, -0.1))));
        let size = 1.0 + 0.3 * k as f64;
        let moments = Sym3::diagonal(Vec3::new(0.02, 0.05, 0.06) * size);
        let inertia = Inertia::new(size, Vec3::new(0.05, -0.1, 0.08), moments);
        builder.add_body(joint, format!("body_{k}"), Se3::identity(), inertia);
        joints.push(joint);
    }
    builder.build().unwrap().model
}

/// The linear and the angular velocity of joints whose frame moves.
fn moving(model: &Model, v: &[f64]) -> Vec<(usize, usize, Vec3<f64>, Vec3<f64>)> {
    let mut frames = Vec::new();
    for joint in model.joints().iter().skip(1) {
        let v = &v[joint.idx_v..joint.idx_v + joint.nv];
        if joint.kind == JointKind::Planar {
            let (linear, angular) = (Vec3::new(v[0], v[1], 0.0), Vec3::new(0.0, 0.0, v[2]));
            frames.push((joint.idx_v, 2, linear, angular));
        } else if joint.kind == JointKind::FreeFlyer {
            let (linear, angular) = (Vec3::new(v[0], v[1], v[2]), Vec3::new(v[3], v[4], v[5]));
            frames.push((joint.idx_v, 3, linear, angular));
        }
    }
    frames
}

/// c(v), the forces at which the linear velocities of moving frames stay in the world.
fn velocity_forces(model: &Model, q: &[f64], v: &[f64]) -> DVector<f64> {
    let mut a = vec![0.0; model.nv()];
    for (first, count, linear, angular) in moving(model, v) {
        let seen = linear.cross(angular).to_array();
        a[first..first + count].copy_from_slice(&seen[..count]);
    }
    let mut ws = Workspace::new(model);
    DVector::from_column_slice(model.rnea(&mut ws, q, v, &a).unwrap())
}

/// The velocity after a step, in the moving frames before it.
fn seen_before(model: &Model, before: &[f64], after: &[f64], v: &[f64]) -> Vec<f64> {
    let mut own = v.to_vec();
    let frames = model.joints().iter().skip(1);
    let frames = frames.filter(|it| matches!(it.kind, JointKind::Planar | JointKind::FreeFlyer));
    for (joint, (first, count, linear, _)) in frames.zip(moving(model, v)) {
        let [from, to] = [before, after].map(|q| match q[joint.idx_q..joint.idx_q + joint.nq] {
            [_, _, cos, sin] => {
                let half = 0.5 * sin.atan2(cos);
                Quaternion::from_parts(Vec3::new(0.0, 0.0, half.sin()), half.cos())
            }
            [_, _, _, x, y, z, w] => Quaternion::new(x, y, z, w),
            _ => panic!("planar joints and free-flyers have four and seven entries"),
        });
        let seen = from.conjugate().rotate(to.rotate(linear)).to_array();
        own[first..first + count].copy_from_slice(&seen[..count]);
    }
    own
}

/// Without other forces v⁺ is where M Δv + h c(v + Δv/2) is the part h/4 c(Δv) that a linear
/// equation leaves out: c is quadratic. To rounding, 1e-11 of h c, with every kind of joint.
#[test]
fn velocity_forces_are_those_of_the_middle() {
    let axis = Vec3::new(0.6, 0.0, 0.8);
    let kinds = [
        JointKind::Planar,
        JointKind::Spherical,
        JointKind::Revolute { axis },
        JointKind::FreeFlyer,
        JointKind::SphericalZyx,
        JointKind::Prismatic { axis },
        JointKind::RevoluteUnbounded { axis },
        JointKind::Helical { axis, pitch: 0.1 },
        JointKind::Translation,
        JointKind::Cylindrical { axis },
    ];
    let model = tree(&kinds, Vec3::zero());
    let mut random = SplitMix64::new(5);
    let q = model.random_configuration(&mut random);
    let v: Vec<f64> = (0..model.nv())
        .map(|_| 16.0 * random.uniform() - 8.0)
        .collect();
    let (h, mut after, mut end) = (2e-3, q.clone(), v.clone());
    let mut stepping = TimeStepping::new(&model).unwrap();
    stepping.step(0.0, &mut after, &mut end, h).unwrap();
    let end = seen_before(&model, &q, &after, &end);

    let change: Vec<f64> = end.iter().zip(&v).map(|(a, b)| a - b).collect();
    let middle: Vec<f64> = end.iter().zip(&v).map(|(a, b)| 0.5 * (a + b)).collect();
    let mut ws = Workspace::new(&model);
    let mass = model.crba(&mut ws, &q).unwrap().clone();
    let forces = velocity_forces(&model, &q, &middle) * h;
    let left_out = velocity_forces(&model, &q, &change) * (0.25 * h);
    let rest = mass * DVector::from_vec(change) + &forces - left_out;
    let error = rest.amax() / forces.amax();
    println!("{error:.1e} of the velocities' forces");
    assert!(error < 1e-11, "{error}");
}

/// The rise of a tree's energy above its first value, in J.
fn gain(model: &Model, v: Vec<f64>, seconds: f64) -> f64 {
    let mut ws = Workspace::new(model);
    let mut energy = |q: &[f64], v: &[f64]| {
        let kinetic = model.kinetic_energy(&mut ws, q, v).unwrap();
        kinetic + model.potential_energy(&mut ws, q).unwrap()
    };
    let (mut q, mut v) = (model.neutral_configuration(), v);
    let first = energy(&q, &v);
    let mut stepping = TimeStepping::new(model).unwrap();
    let mut most = f64::NEG_INFINITY;
    for _ in 0..(seconds * 1e3) as usize {
        stepping.step(0.0, &mut q, &mut v, 1e-3).unwrap();
        most = most.max(energy(&q, &v) - first);
    }
    most
}

/// A disc, 0.1 m from a ball joint, that spins for a second at up to 0.3 rad a step. As its weight
/// swings it, up to 0.2 J go to and fro, of which semi-implicit steps misplace a part of order h:
/// less than 1 mJ. Taken where a step begins, the forces of velocities make 0.24 J within that
/// second at 50 rad/s.
#[test]
fn gyroscopes_keep_their_energy() {
    let mut builder = ModelBuilder::new("gyroscope");
    let spec = JointSpec::new("ball", ModelBuilder::UNIVERSE, JointKind::Spherical);
    let joint = builder.add_joint(spec);
    let disc = Sym3::diagonal(Vec3::new(2.3e-5, 2.3e-5, 4.5e-5));
    let disc = Inertia::new(0.1, Vec3::new(0.0, 0.0, 0.1), disc);
    builder.add_body(joint, "disc", Se3::identity(), disc);
    let model = builder.build().unwrap().model;
    for spin in [50.0, 100.0, 200.0, 300.0] {
        let gain = gain(&model, vec![0.1, 0.0, spin], 1.0);
        println!("{spin} rad/s: {gain:.1e} J");
        assert!(gain < 1e-3, "{spin} rad/s gains {gain} J");
    }
}

/// A chain of 20 ball joints that is thrown gains 0.9 % of its energy, which is what the positions'
/// first order makes of it; with the forces of velocities where a step begins, 46 %.
#[test]
fn a_whipping_chain_keeps_its_energy() {
    let mut builder = ModelBuilder::new("chain");
    let mut parent = ModelBuilder::UNIVERSE;
    let down = Vec3::new(0.0, 0.0, -0.05);
    for k in 0..20 {
        let spec = JointSpec::new(format!("ball_{k}"), parent, JointKind::Spherical);
        let place = if k == 0 { Vec3::zero() } else { down * 2.0 };
        parent = builder.add_joint(spec.placement(Se3::from_translation(place)));
        let rod = Sym3::diagonal(Vec3::new(1.7e-4, 1.7e-4, 4e-6));
        let rod = Inertia::new(0.2, down, rod);
        builder.add_body(parent, format!("rod_{k}"), Se3::identity(), rod);
    }
    let model = builder.build().unwrap().model;
    let mut random = SplitMix64::new(11);
    let v: Vec<f64> = (0..model.nv())
        .map(|_| 12.0 * random.uniform() - 6.0)
        .collect();
    let kinetic = model
        .kinetic_energy(
            &mut Workspace::new(&model),
            &model.neutral_configuration(),
            &v,
        )
        .unwrap();
    let gain = gain(&model, v, 0.6) / kinetic;
    println!("{gain:.1e} of {kinetic:.1} J");
    assert!(gain < 2e-2, "{gain}");
}
