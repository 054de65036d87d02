//! The compiled and the general solver give what the recursive algorithms give.

use crate::common::{State, assemble, close, robots, trees};
use featherline::Workspace;
use featherline_compile::Interpreter;
use featherline_system::{CompiledSolve, GeneralLu, Problem, System, Template, order};

/// Orders and sums differ, and badly conditioned trees amplify it.
const TOLERANCE: f64 = 1e-9;

fn accelerations_only(system: &System) -> Template {
    let requested = system.unknowns().joint_accelerations();
    let requested = (0..system.unknowns().count()).map(|column| requested.contains(&column));
    let template = system.template().expect("square");
    template
        .requesting(requested.collect())
        .expect("sizes agree")
}

#[test]
fn a_compiled_order_is_forward_dynamics() {
    let few = trees().step_by(4).chain(robots().zip(100..).step_by(6));
    for (model, seed) in few {
        let states: Vec<State> = (0..3).map(|k| State::random(&model, seed + k)).collect();
        let mut ws = Workspace::new(&model);
        let mut expected = Vec::new();
        for state in &states {
            if let Ok(a) = model.aba(&mut ws, &state.q, &state.v, &state.tau) {
                expected.push(a.to_vec());
            }
        }
        if expected.len() < states.len() || model.nv() == 0 {
            continue;
        }
        let system = System::new(Problem::forward_dynamics(model)).expect("a system");
        let template = accelerations_only(&system);
        let order = order::aba(&system).expect("forward dynamics");
        let compiled = CompiledSolve::new(&system, &template, &order).expect("no pivot vanishes");
        let inputs: Vec<f64> = states
            .iter()
            .flat_map(|state| [&state.q[..], &state.v, &state.tau].concat())
            .collect();
        let mut found = vec![f64::NAN; expected.concat().len()];
        Interpreter::new(compiled.program())
            .run(&inputs, &mut found)
            .expect("regular");
        close(system.model().name(), &found, &expected.concat(), TOLERANCE);
        let columns: Vec<usize> = system.unknowns().joint_accelerations().collect();
        assert_eq!(compiled.requested(), columns);
    }
}

#[test]
fn the_general_solver_is_forward_dynamics() {
    for (model, seed) in trees().chain(robots().zip(100..)) {
        let state = State::random(&model, seed);
        let mut ws = Workspace::new(&model);
        let Ok(expected) = model.aba(&mut ws, &state.q, &state.v, &state.tau) else {
            continue;
        };
        let expected = expected.to_vec();
        let system = System::new(Problem::forward_dynamics(model)).expect("a system");
        let (values, right) = assemble(&system, &state.q, &state.v, &state.tau);
        let mut unknowns = vec![f64::NAN; right.len()];
        let mut general = GeneralLu::new(system.sparsity().clone()).expect("memory");
        general
            .solve(&values, &right, &mut unknowns)
            .expect("regular");
        let found = system.solution(&unknowns).expect("sizes agree");
        close("general", found.joint_accelerations(), &expected, TOLERANCE);
    }
}
