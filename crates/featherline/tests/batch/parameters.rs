//! Bodies that differ from state to state.

use crate::common::{State, close, models};
use crate::every::{Rows, alone, row, states, together};
use featherline::Model;
use featherline::batch::{Batch, Status};

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
            assert!(statuses.iter().flatten().all(|&s| s == Status::Solved));
            for (k, (robot, state)) in robots.iter().zip(&states).enumerate() {
                for ((name, found), (_, expected)) in results.iter().zip(alone(robot, state)) {
                    let label = format!("{name} of robot {seed}, state {k}");
                    close(&label, row(found, COUNT, k), &expected, 1e-10);
                }
            }
        }
    }
}
