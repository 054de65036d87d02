//! Linkages of any size and weight, alone and side by side: the same motion in other units.

use super::robots::{Closed, linkages, moved};
use featherline::Model;
use featherline::joint::JointKind;
use featherline::model::{JointHandle, JointSpec, ModelBuilder};
use featherline::spatial::{Inertia, Motion, Se3, Sym3, Vec3};
use featherline_constraint::{LoopWorkspace, Stabilisation};
use featherline_constraint::{loop_dynamics, project_velocity};

/// Condition numbers of some thousand times rounding.
const TOLERANCE: f64 = 1e-10;

/// Lengths and masses are so many times what they were, and time is what it was.
#[derive(Clone, Copy)]
struct Scale {
    length: f64,
    mass: f64,
}

impl Scale {
    fn placement(&self, placement: &Se3<f64>) -> Se3<f64> {
        Se3::new(placement.rotation, placement.translation * self.length)
    }

    fn inertia(&self, inertia: &Inertia<f64>) -> Inertia<f64> {
        let moment = self.mass * self.length * self.length;
        Inertia::new(
            inertia.mass * self.mass,
            inertia.com * self.length,
            inertia.rotational * moment,
        )
    }

    /// The scaled unit of each coordinate: angles keep their unit.
    fn units(&self, model: &Model) -> Vec<f64> {
        let mut units = vec![1.0; model.nv()];
        for joint in model.joints().iter().skip(1) {
            let mut q = vec![0.0; joint.kind.nq()];
            let mut columns = vec![Motion::zero(); joint.kind.nv()];
            joint.kind.neutral(&mut q);
            joint.kind.evaluate(&q, &mut columns);
            for (k, column) in columns.iter().enumerate() {
                if column.angular.norm() == 0.0 {
                    units[joint.idx_v + k] = self.length;
                }
            }
        }
        units
    }
}

/// Adds a linkage to what is built.
fn add(builder: &mut ModelBuilder, model: &Model, name: &str, scale: Scale) {
    let mut handles: Vec<JointHandle> = vec![ModelBuilder::UNIVERSE];
    for joint in model.joints().iter().skip(1) {
        let own = format!("{name}_{}", joint.name);
        let spec = JointSpec::new(own, handles[joint.parent.index()], joint.kind.clone())
            .placement(scale.placement(&joint.placement));
        let handle = builder.add_joint(spec);
        let body = format!("{name}_{}_body", joint.name);
        builder.add_body(handle, body, Se3::identity(), scale.inertia(&joint.inertia));
        handles.push(handle);
    }
    for closing in model.loop_joints() {
        let end = |body: featherline::model::JointId, placement: &Se3<f64>| {
            (handles[body.index()], scale.placement(placement))
        };
        builder.close_loop(
            format!("{name}_{}", closing.name),
            closing.kind.clone(),
            end(closing.predecessor, &closing.predecessor_placement),
            end(closing.successor, &closing.successor_placement),
        );
    }
}

/// Linkages side by side, in a gravity that is theirs.
fn built(parts: &[(&Model, Scale)], gravity: f64) -> Model {
    let mut builder = ModelBuilder::new("scaled");
    builder.gravity(parts[0].0.gravity() * gravity);
    for (index, (model, scale)) in parts.iter().enumerate() {
        add(&mut builder, model, &format!("part_{index}"), *scale);
    }
    builder.build().unwrap().model
}

/// A state of one part.
fn scaled_state(closed: &Closed, scale: Scale) -> [Vec<f64>; 3] {
    let Closed {
        model, q, v, tau, ..
    } = closed;
    let units = scale.units(model);
    let neutral = model.neutral_configuration();
    let mut way = model.difference(&neutral, q).unwrap();
    for (x, unit) in way.iter_mut().zip(&units) {
        *x *= unit;
    }
    let times = |x: &[f64], factor: &dyn Fn(f64) -> f64| -> Vec<f64> {
        x.iter()
            .zip(&units)
            .map(|(x, unit)| x * factor(*unit))
            .collect()
    };
    let energy = scale.mass * scale.length * scale.length;
    [
        model.integrate(&neutral, &way).unwrap(),
        times(v, &|unit| unit),
        times(tau, &|unit| energy / unit),
    ]
}

/// Accelerations in the units of the linkage, how many constraints are redundant, and the
/// condition.
fn solved(model: &Model, state: &[Vec<f64>; 3], units: &[f64]) -> (Vec<f64>, usize, f64) {
    let mut ws = LoopWorkspace::new(model).unwrap();
    let [q, v, tau] = state;
    let (free, mut held) = (v.clone(), v.clone());
    project_velocity(model, &mut ws, q, &mut held).unwrap();
    for k in 0..model.nv() {
        assert!((held[k] - free[k]).abs() <= TOLERANCE * units[k], "v[{k}]");
    }
    let result = loop_dynamics(model, &mut ws, q, v, tau, &[], &Stabilisation::NONE).unwrap();
    let a = result.accelerations.iter().zip(units);
    (
        a.map(|(a, unit)| a / unit).collect(),
        result.redundant,
        result.condition,
    )
}

fn assert_close(place: &str, found: &[f64], expected: &[f64]) {
    let size = expected.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs() / size;
        assert!(error < TOLERANCE, "{place}: {k} {error:e}");
    }
}

#[test]
fn no_linkage_is_too_small_or_too_light() {
    for (model, seed) in linkages().into_iter().zip(40..) {
        let closed = moved(model, seed);
        let model = &closed.model;
        let own = Scale {
            length: 1.0,
            mass: 1.0,
        };
        let state = scaled_state(&closed, own);
        let (expected, redundant, condition) =
            solved(&built(&[(model, own)], 1.0), &state, &own.units(model));
        for (length, mass) in [
            (1e-3, 1.0),
            (1e-3, 1e-9),
            (3e-2, 1e3),
            (1e3, 1e6),
            (1.0, 1e-12),
        ] {
            let scale = Scale { length, mass };
            let other = built(&[(model, scale)], length);
            let state = scaled_state(&closed, scale);
            let found = solved(&other, &state, &scale.units(model));
            let place = format!("{} {length:e} {mass:e}", model.name());
            assert_close(&place, &found.0, &expected);
            assert_eq!(found.1, redundant, "{place}");
            assert!((found.2 / condition - 1.0).abs() < 1e-6, "{place}");
        }
    }
}

#[test]
fn linkages_side_by_side_do_not_feel_each_other() {
    let own = Scale {
        length: 1.0,
        mass: 1.0,
    };
    for (length, mass) in [(1e-2, 1e-6), (1e-3, 1e-9), (1e-3, 1e6), (1.0, 1e-9)] {
        let scale = Scale { length, mass };
        let parts: Vec<Closed> = linkages()
            .into_iter()
            .zip(60..)
            .map(|(model, seed)| moved(model, seed))
            .collect();
        for (large, small) in parts.iter().zip(parts.iter().cycle().skip(1)) {
            let both = built(&[(&large.model, own), (&small.model, scale)], 1.0);
            let states = (scaled_state(large, own), scaled_state(small, scale));
            let units = (own.units(&large.model), scale.units(&small.model));
            let alone = (
                solved(&built(&[(&large.model, own)], 1.0), &states.0, &units.0),
                solved(&built(&[(&small.model, scale)], 1.0), &states.1, &units.1),
            );
            let state = [0, 1, 2].map(|k| [&states.0[k][..], &states.1[k]].concat());
            let (found, redundant, _) = solved(&both, &state, &[&units.0[..], &units.1].concat());
            let place = format!("{} {} {length:e}", large.model.name(), small.model.name());
            let (of_large, of_small) = found.split_at(large.model.nv());
            assert_close(&place, of_large, &alone.0.0);
            assert_close(&place, of_small, &alone.1.0);
            assert_eq!(redundant, alone.0.1 + alone.1.1, "{place}");
        }
    }
}

#[test]
fn short_levers_in_long_loops_hold() {
    // Two cranks and a coupler of 1 m, which moves as they do: m r² of the coupler beside the
    // inertias of the cranks.
    for length in [1e-1, 1e-2, 1e-3, 2e-4] {
        let mut builder = ModelBuilder::new("cranks");
        let at = |x: f64, z: f64| Se3::from_translation(Vec3::new(x, 0.0, z));
        let hinge = |name: &str, parent| JointSpec::new(name, parent, JointKind::revolute_y());
        let bar = Inertia::cuboid(1.0, Vec3::new(1.0, 0.02, 0.02));
        let crank = Inertia::new(10.0, Vec3::zero(), Sym3::diagonal(Vec3::new(1.0, 1.0, 1.0)));
        let first = builder.add_joint(hinge("first", ModelBuilder::UNIVERSE));
        let second = hinge("second", ModelBuilder::UNIVERSE).placement(at(1.0, 0.0));
        let second = builder.add_joint(second);
        let coupler = builder.add_joint(hinge("coupler", first).placement(at(0.0, length)));
        builder.add_body(first, "first", Se3::identity(), crank);
        builder.add_body(second, "second", Se3::identity(), crank);
        builder.add_body(coupler, "coupler", at(0.5, 0.0), bar);
        builder.close_loop(
            "pin",
            JointKind::revolute_y(),
            (coupler, at(1.0, 0.0)),
            (second, at(0.0, length)),
        );
        let model = builder.build().unwrap().model;
        let mut ws = LoopWorkspace::new(&model).unwrap();
        let mut tau = [0.0; 3];
        tau[model.joint(model.joint_id("first").unwrap()).idx_v] = 3.0;
        let (q, v) = (model.neutral_configuration(), [0.0; 3]);
        let result =
            loop_dynamics(&model, &mut ws, &q, &v, &tau, &[], &Stabilisation::NONE).unwrap();
        assert_eq!(result.redundant, 3, "{length}");
        let expected = 3.0 / (2.0 + length * length);
        let found = result.accelerations[model.joint(model.joint_id("second").unwrap()).idx_v];
        // The loop's forces are those of levers, of which so many digits are lost.
        let error = (found / expected - 1.0).abs();
        assert!(error < 1e-14 / (length * length), "{length}: {error:e}");
    }
}
