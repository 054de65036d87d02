//! Bodies that differ from state to state.

use super::every::{Rows, alone, row, states, together};
use crate::common::{State, close, models};
use featherline::Model;
use featherline::batch::{Batch, BatchStatus, Precision};
use featherline::joint::JointKind;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::samples::{double_pendulum, humanoid};
use featherline::spatial::{Inertia, Se3, Sym3, Vec3};

/// The same robot with other bodies.
fn with_other_bodies(model: &Model, factor: f64) -> Model {
    let mut description = serde_json::to_value(model).unwrap();
    for (i, joint) in description["joints"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .enumerate()
        .skip(1)
    {
        let inertia = &mut joint["inertia"];
        // Masses change by more than rotational inertias, and differently for each body.
        let share = 1.0 + factor * (i as f64).sin().abs();
        let mass = inertia["mass"].as_f64().unwrap();
        inertia["mass"] = (mass * share).into();
        for x in inertia["com"].as_array_mut().unwrap() {
            *x = (x.as_f64().unwrap() + 0.1 * factor).into();
        }
        for (_, x) in inertia["rotational"].as_object_mut().unwrap() {
            *x = (x.as_f64().unwrap() * (1.0 + 0.5 * factor)).into();
        }
    }
    serde_json::from_value(description).unwrap()
}

fn row_of(model: &Model) -> Vec<f64> {
    Batch::new(model, 1).unwrap().parameters()
}

#[test]
fn each_state_has_its_own_bodies() {
    const COUNT: usize = 19;
    for (model, seed) in models().into_iter().step_by(3) {
        let states: Vec<State> = states(&model, COUNT as u64);
        let robots: Vec<Model> = (0..COUNT)
            .map(|k| with_other_bodies(&model, 0.1 * k as f64))
            .collect();
        let parameters: Vec<f64> = robots.iter().flat_map(row_of).collect();
        for threads in [1, 2] {
            let mut batch = Batch::new(&model, threads).unwrap();
            batch.set_parameters(&parameters).unwrap();
            let (results, statuses) = together(&mut batch, &Rows::<f64>::of(&states));
            assert!(statuses.iter().flatten().all(|&s| s == BatchStatus::Solved));
            for (k, (robot, state)) in robots.iter().zip(&states).enumerate() {
                for ((name, found), (_, expected)) in results.iter().zip(alone(robot, state)) {
                    let label = format!("{name} of robot {seed}, state {k}");
                    close(&label, row(found, COUNT, k), &expected, 1e-10);
                }
            }
        }
    }
}

/// Two hinges about one line, the first of which carries nothing but the second.
fn one_line() -> Model {
    let mut builder = ModelBuilder::new("one line");
    let kind = JointKind::revolute(Vec3::new(1.0, 2.0, 3.0));
    let first = JointSpec::new("first", ModelBuilder::UNIVERSE, kind.clone());
    let first = builder.add_joint(first);
    let place = Se3::from_translation(Vec3::new(0.3, 0.6, 0.9));
    let second = builder.add_joint(JointSpec::new("second", first, kind).placement(place));
    let moments = Sym3::new(0.03, 0.002, -0.001, 0.02, 0.003, 0.025);
    let body = Inertia::new(1.7, Vec3::new(0.13, -0.21, 0.34), moments);
    builder.add_body(second, "body", Se3::identity(), body);
    builder.build().unwrap().model
}

/// Bodies in another unit of mass have the same accelerations under forces in that unit, and the
/// same statuses: by powers of two to the last bit.
fn check_units<T: Precision>(model: &Model, exponents: &[i32], is_singular: bool) {
    const COUNT: usize = 20;
    let mut batch = Batch::<T>::new(model, 1).unwrap();
    let nominal = batch.parameters();
    let rows = Rows::<T>::of(&states(model, COUNT as u64));
    let calls = [
        "aba",
        "forward_dynamics_crba",
        "mass_matrix_solve",
        "mass_matrix_inverse",
    ];
    let mut of_unit = |exponent: i32| {
        let unit = T::constant(2.0_f64.powi(exponent));
        let own: Vec<T> = nominal.iter().map(|&p| p * unit).collect();
        batch.set_parameters(&own.repeat(COUNT)).unwrap();
        let w = rows.w.iter().map(|&w| w * unit).collect();
        let (q, v) = (rows.q.clone(), rows.v.clone());
        let count = COUNT;
        let (results, statuses) = together(&mut batch, &Rows { q, v, w, count });
        let pairs = results.into_iter().zip(statuses);
        let mut found: Vec<_> = pairs
            .filter(|((name, _), _)| calls.contains(name))
            .collect();
        // The inverse has the inverse unit.
        let ((_, inverse), _) = &mut found[3];
        inverse.iter_mut().for_each(|x| *x = *x * unit);
        found
    };
    let expected = of_unit(0);
    let status = match is_singular {
        true => BatchStatus::SingularInertia,
        false => BatchStatus::Solved,
    };
    for (_, statuses) in &expected {
        assert!(statuses.iter().all(|&s| s == status), "{statuses:?}");
    }
    for &exponent in exponents {
        for (((name, found), status), ((_, rows), expected)) in
            of_unit(exponent).iter().zip(&expected)
        {
            assert_eq!(status, expected, "{name} in units of 2^{exponent} kg");
            assert!(
                is_singular || found == rows,
                "{name} in units of 2^{exponent} kg"
            );
        }
    }
}

#[test]
fn light_and_heavy_bodies_are_judged_by_themselves() {
    // The square of the inertia of all must be a number: in singles, from 2⁻⁶³ to 2⁶³.
    for model in [double_pendulum(), humanoid()] {
        check_units::<f64>(&model, &[-200, -60, -40, 40, 200], false);
    }
    check_units::<f32>(&double_pendulum(), &[-40, -20, 20, 40], false);
}

#[test]
fn singular_masses_are_found_whatever_the_bodies_weigh() {
    check_units::<f64>(&one_line(), &[-200, -60, 60, 200], true);
    check_units::<f32>(&one_line(), &[-40, -20, 20, 40], true);
}

#[test]
fn without_mass_there_is_no_center() {
    let model = double_pendulum();
    let mut batch = Batch::<f64>::new(&model, 1).unwrap();
    let nominal = batch.parameters();
    let rows = [nominal.clone(), vec![0.0; 20], nominal].concat();
    batch.set_parameters(&rows).unwrap();
    let (results, statuses) = together(&mut batch, &Rows::<f64>::of(&states(&model, 3)));
    let expected = [
        BatchStatus::Solved,
        BatchStatus::NoMass,
        BatchStatus::Solved,
    ];
    for ((name, _), statuses) in results.iter().zip(&statuses) {
        if name.starts_with("center_of_mass") || name.starts_with("centroidal") {
            assert_eq!(statuses[..], expected, "{name}");
        }
    }
}
