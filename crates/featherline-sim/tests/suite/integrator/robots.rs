//! Robots and motions that methods are tried on.

use featherline::Model;
use featherline::joint::JointKind;
use featherline::kernel;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::samples::{RandomTree, double_pendulum, random_tree};
use featherline::spatial::{Inertia, Se3, Sym3, Vec3};
use featherline_sim::integrator::{
    DenseOutput, DormandPrince, ForwardDynamics, Stepper, Tolerance, VectorField,
    forces::ForceModel,
};
use std::ops::ControlFlow;

/// A rod of 1 kg and 1 m that hangs from a hinge.
pub fn pendulum() -> Model {
    let mut builder = ModelBuilder::new("pendulum");
    let hinge = JointSpec::new("hinge", ModelBuilder::UNIVERSE, JointKind::revolute_y());
    let hinge = builder.add_joint(hinge);
    let moment = Sym3::diagonal(Vec3::new(1.0 / 12.0, 1.0 / 12.0, 1e-4));
    let rod = Inertia::new(1.0, Vec3::new(0.0, 0.0, -0.5), moment);
    builder.add_body(hinge, "rod", Se3::identity(), rod);
    builder.build().unwrap().model
}

/// A body that floats and tumbles, with one joint of each kind on it.
pub fn every_kind(floating: bool) -> Model {
    let kinds = [
        JointKind::FreeFlyer,
        JointKind::revolute(Vec3::new(0.3, -0.5, 0.8)),
        JointKind::revolute_unbounded(Vec3::new(0.1, 0.9, 0.2)),
        JointKind::prismatic(Vec3::new(0.5, 0.5, -0.7)),
        JointKind::helical(Vec3::new(0.0, 0.6, 0.8), 0.2),
        JointKind::cylindrical(Vec3::new(0.6, 0.0, 0.8)),
        JointKind::universal(Vec3::unit(0), Vec3::new(0.0, 0.6, 0.8)),
        JointKind::Planar,
        JointKind::Translation,
        JointKind::Spherical,
        JointKind::SphericalZyx,
        JointKind::ellipsoid(Vec3::new(0.3, 0.4, 0.5)),
        JointKind::composite([
            (Se3::identity(), JointKind::revolute_unbounded_x()),
            (
                Se3::from_translation(Vec3::new(0.1, 0.0, 0.2)),
                JointKind::Spherical,
            ),
        ])
        .unwrap(),
        JointKind::composite([
            (Se3::identity(), JointKind::revolute_z()),
            (
                Se3::from_translation(Vec3::new(0.1, 0.3, 0.0)),
                JointKind::prismatic_y(),
            ),
        ])
        .unwrap(),
    ];
    let mut builder = ModelBuilder::new("every_kind");
    let base = if floating {
        JointKind::FreeFlyer
    } else {
        JointKind::Spherical
    };
    let trunk = builder.add_joint(JointSpec::new("trunk", ModelBuilder::UNIVERSE, base));
    let body = |mass: f64| {
        let moment = Sym3::diagonal(Vec3::new(0.1, 0.12, 0.15) * mass);
        Inertia::new(mass, Vec3::new(0.1, -0.05, -0.2), moment)
    };
    builder.add_body(trunk, "trunk_body", Se3::identity(), body(10.0));
    let mut source = None;
    for (i, kind) in kinds.into_iter().enumerate() {
        let turn = featherline::spatial::exp3(Vec3::new(0.3, 0.2, -0.1) * i as f64);
        let at = Vec3::new((i as f64).cos(), (i as f64).sin(), 0.1 * i as f64) * 0.3;
        let mut spec =
            JointSpec::new(format!("joint_{i}"), trunk, kind).placement(Se3::new(turn, at));
        if i % 3 == 0 {
            spec = spec.armature(0.05);
        }
        let joint = builder.add_joint(spec);
        builder.add_body(
            joint,
            format!("body_{i}"),
            Se3::identity(),
            body(1.0 + 0.1 * i as f64),
        );
        if i == 1 {
            source = Some(joint);
        }
    }
    // a mimic joint on a branch of its own.
    let spec = JointSpec::new("mimic_joint", trunk, JointKind::helical(Vec3::unit(0), 0.1));
    let mimic_joint = builder.add_joint(spec);
    builder.add_body(mimic_joint, "mimic_joint_body", Se3::identity(), body(1.0));
    builder.mimic(mimic_joint, source.unwrap(), -1.5, 0.2);
    builder.build().unwrap().model
}

/// A robot and the state from which it moves.
pub struct Case {
    pub name: &'static str,
    pub model: Model,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
}

/// Motions that are smooth for half a second.
pub fn cases() -> Vec<Case> {
    let mut cases = vec![
        Case {
            name: "pendulum",
            model: pendulum(),
            q: vec![2.0],
            v: vec![0.5],
        },
        Case {
            name: "double pendulum",
            model: double_pendulum(),
            q: vec![1.5, -0.7],
            v: vec![0.5, 1.0],
        },
    ];
    for (name, floating) in [("every kind, floating", true), ("every kind, fixed", false)] {
        let model = every_kind(floating);
        let q = model.neutral_configuration();
        let push: Vec<f64> = (0..model.nv())
            .map(|k| 0.4 * (1.7 * k as f64).sin())
            .collect();
        let q = model.integrate(&q, &push).unwrap();
        let v = (0..model.nv())
            .map(|k| 1.4 * (2.3 * k as f64).cos())
            .collect();
        cases.push(Case { name, model, q, v });
    }
    for seed in [3, 8] {
        let shape = RandomTree {
            joints: 8,
            floating: true,
            ..RandomTree::default()
        };
        let model = random_tree(seed, &shape);
        let state = crate::common::State::random(&model, seed);
        let v = state.v.iter().map(|x| 2.0 * x).collect();
        cases.push(Case {
            name: "random tree",
            model,
            q: state.q,
            v,
        });
    }
    cases
}

/// A configuration and a velocity.
pub type State = (Vec<f64>, Vec<f64>);

/// How many states along a motion are compared.
pub const STATES: usize = 10;

/// States along a motion of the given time, by steps of the given number.
pub fn run(
    stepper: &mut dyn Stepper,
    field: &mut dyn VectorField,
    case: &Case,
    time: f64,
    steps: usize,
) -> Vec<State> {
    let (mut q, mut v) = (case.q.clone(), case.v.clone());
    let h = time / steps as f64;
    let mut states = Vec::new();
    for k in 0..steps {
        stepper
            .step(field, h * k as f64, &mut q, &mut v, h)
            .unwrap();
        if (k + 1) % (steps / STATES) == 0 {
            states.push((q.clone(), v.clone()));
        }
    }
    states
}

/// The same states by the adaptive method, near the limit of double precision.
pub fn reference<L: ForceModel>(case: &Case, law: L, time: f64) -> Vec<State> {
    let mut field = ForwardDynamics::with_forces(&case.model, law);
    let (mut t, mut q, mut v) = (0.0, case.q.clone(), case.v.clone());
    let mut method = DormandPrince::new(&case.model, Tolerance::of(1e-14)).unwrap();
    let mut states = Vec::new();
    for k in 1..=STATES {
        let end = time * k as f64 / STATES as f64;
        let go_on = |_: &mut DenseOutput<'_>| Ok(ControlFlow::Continue(()));
        method
            .integrate(&mut field, &mut t, &mut q, &mut v, end, go_on)
            .unwrap();
        states.push((q.clone(), v.clone()));
    }
    states
}

/// The differences between two motions, state by state, in rad, m and per second.
pub fn differences(model: &Model, a: &[State], b: &[State]) -> Vec<f64> {
    let mut differences = Vec::new();
    for ((q0, v0), (q1, v1)) in a.iter().zip(b) {
        differences.extend(model.difference(q0, q1).unwrap());
        differences.extend(v0.iter().zip(v1).map(|(x, y)| y - x));
    }
    differences
}

/// The root mean square.
pub fn size(values: &[f64]) -> f64 {
    (values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64).sqrt()
}

/// Robots that float without gravity, and without armature that would hold them to the world.
pub fn floating() -> Vec<Case> {
    let floats = |case: &Case| {
        let is_free = case.model.joints()[1].kind == JointKind::FreeFlyer;
        is_free && kernel::reflected_inertias(&case.model)[..6] == [0.0; 6]
    };
    let mut found: Vec<Case> = cases().into_iter().filter(floats).collect();
    for case in &mut found {
        case.model = case.model.clone().with_gravity(Vec3::zero()).unwrap();
    }
    assert!(found.len() >= 2);
    found
}
