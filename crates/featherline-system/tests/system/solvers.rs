//! The compiled, the guarded and the general solver give what the recursive algorithms give.

use crate::common::{State, assemble, close, robots, trees};
use featherline::Workspace;
use featherline::samples::tapered_chain;
use featherline_compile::Interpreter;
use featherline_system::{
    CompiledSolve, GeneralLu, GuardedSolver, Problem, System, Template, order,
};

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
fn the_guard_accepts_the_order_where_it_is_accurate_and_agrees_with_the_general_solver() {
    for (model, seed) in trees().chain(robots().zip(100..)) {
        let state = State::random(&model, seed);
        let mut ws = Workspace::new(&model);
        let Ok(expected) = model.aba(&mut ws, &state.q, &state.v, &state.tau) else {
            continue;
        };
        let expected = expected.to_vec();
        let system = System::new(Problem::forward_dynamics(model)).expect("a system");
        let template = system.template().expect("square");
        let order = order::minimum_degree(&template).expect("regular");
        let mut guarded = GuardedSolver::new(&template, &order).expect("pivots were tried");
        let (values, right) = assemble(&system, &state.q, &state.v, &state.tau);
        let mut unknowns = vec![f64::NAN; right.len()];
        let outcome = guarded
            .solve(&values, &right, &mut unknowns)
            .expect("regular");
        assert!(outcome.backward_error < GuardedSolver::LIMIT);
        let found = system.solution(&unknowns).expect("sizes agree");
        close("guarded", found.joint_accelerations(), &expected, TOLERANCE);

        let mut general = GeneralLu::new(system.sparsity().clone()).expect("memory");
        unknowns.fill(f64::NAN);
        general
            .solve(&values, &right, &mut unknowns)
            .expect("regular");
        let found = system.solution(&unknowns).expect("sizes agree");
        close("general", found.joint_accelerations(), &expected, TOLERANCE);
    }
}

#[test]
fn the_guard_falls_back_where_a_pivot_all_but_vanishes() {
    let system = System::new(Problem::forward_dynamics(tapered_chain(6))).expect("a system");
    let template = system.template().expect("square");
    // Markowitz takes sines for pivots, which the samples have and this state has not.
    let order = order::markowitz(&template).expect("regular");
    let mut guarded = GuardedSolver::new(&template, &order).expect("pivots were tried");
    let mut ws = Workspace::new(system.model());
    let mut falls = 0;
    for tiny in [0.0, 1e-17, 1e-14, 1e-11, 1e-3, 0.3] {
        for turn in [0.0, std::f64::consts::FRAC_PI_2] {
            let (q, v, tau) = ([tiny + turn; 6], [0.3; 6], [1.0; 6]);
            let expected = system
                .model()
                .aba(&mut ws, &q, &v, &tau)
                .expect("regular")
                .to_vec();
            let (values, right) = assemble(&system, &q, &v, &tau);
            let mut unknowns = vec![f64::NAN; right.len()];
            let outcome = guarded
                .solve(&values, &right, &mut unknowns)
                .expect("regular");
            assert!(outcome.fell_back || outcome.backward_error <= GuardedSolver::LIMIT);
            falls += usize::from(outcome.fell_back);
            let found = system.solution(&unknowns).expect("sizes agree");
            close(
                "q̈",
                found.joint_accelerations(),
                &expected,
                100.0 * TOLERANCE,
            );
        }
    }
    assert!(
        falls > 0,
        "some pivot of the order vanishes in one of these states"
    );
}
