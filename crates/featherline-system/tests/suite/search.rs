//! The offline search for an order.

use crate::common::{State, close};
use featherline::Workspace;
use featherline::samples::tapered_chain;
use featherline_system::{
    CompiledSolve, EliminationOrder, Known, OrderError, Problem, SearchOptions, System, Template,
    order, search,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Orders and sums differ, and a searched order's pivots may be a hundredth of their column's
/// greatest entry.
const TOLERANCE: f64 = 1e-7;

/// A problem, and a template that wants what it asks for.
fn question(
    problem: Problem,
    requested: fn(&System) -> std::ops::Range<usize>,
) -> (System, Template) {
    let system = System::new(problem).expect("a system");
    let columns = requested(&system);
    let requested = (0..system.unknowns().count()).map(|column| columns.contains(&column));
    let template = system.template().expect("square");
    let template = template
        .requesting(requested.collect())
        .expect("sizes agree");
    (system, template)
}

/// The operations of the program of every order that has a name.
fn programs_of_classical_orders(system: &System, template: &Template) -> Vec<u64> {
    let orders: [Result<EliminationOrder, OrderError>; 9] = [
        order::rnea(system),
        order::aba(system),
        order::crba(system),
        order::markowitz(template),
        order::minimum_degree(template),
        order::amd(template),
        order::colamd(template),
        order::nested_dissection(template),
        order::reverse_cuthill_mckee(template),
    ];
    let compiled = orders
        .into_iter()
        .flatten()
        .filter_map(|order| CompiledSolve::new(system, template, &order).ok());
    compiled
        .map(|compiled| compiled.program().count().total())
        .collect()
}

/// Some accelerations known, some joint forces: no recursive order's home ground but hybrid
/// dynamics'.
fn hybrid() -> Problem {
    let model = featherline_robots::panda();
    let joints: Vec<_> = model.joint_ids().collect();
    let mut problem = Problem::new(model.clone())
        .external_forces_except(&[], featherline_system::KnownValue::Zero);
    for (k, &joint) in joints.iter().enumerate() {
        for degree in 0..model.joint(joint).nv {
            let known = match k % 2 {
                0 => Known::JointAcceleration { joint, degree },
                _ => Known::JointForce { joint, degree },
            };
            problem
                .know(known, featherline_system::KnownValue::Input)
                .expect("known once");
        }
    }
    problem
}

#[test]
fn no_order_that_a_search_begins_with_has_a_better_program() {
    let only_candidates = SearchOptions {
        restarts: 0,
        exchanges: 0,
        time: Duration::ZERO,
        ..SearchOptions::default()
    };
    let accelerations = |system: &System| system.unknowns().joint_accelerations();
    let forces = |system: &System| system.unknowns().joint_forces();
    let questions = [
        question(Problem::forward_dynamics(tapered_chain(5)), accelerations),
        question(
            Problem::forward_dynamics(featherline_robots::panda()),
            accelerations,
        ),
        question(
            Problem::inverse_dynamics(featherline_robots::panda()),
            forces,
        ),
        question(hybrid(), |system| 0..system.unknowns().count()),
    ];
    for (system, template) in questions {
        let programs = programs_of_classical_orders(&system, &template);
        assert!(programs.len() > 5);
        let begun = search(&system, &template, &only_candidates, |_| {}).expect("an order");
        assert_eq!(Some(&begun.operations), programs.iter().min());
        let compiled = CompiledSolve::new(&system, &template, &begun.order).expect("an order");
        assert_eq!(compiled.program().count().total(), begun.operations);
    }
}

#[test]
fn a_search_that_is_stopped_gives_the_best_order_until_then() {
    let (system, template) = question(Problem::forward_dynamics(tapered_chain(3)), |system| {
        system.unknowns().joint_accelerations()
    });
    let stop = Arc::new(AtomicBool::new(false));
    let options = SearchOptions {
        restarts: usize::MAX,
        exchanges: usize::MAX,
        time: Duration::from_secs(3600),
        stop: Some(Arc::clone(&stop)),
        ..SearchOptions::default()
    };
    let mut best = u64::MAX;
    let found = search(&system, &template, &options, |progress| {
        best = progress.best;
        stop.store(best < u64::MAX, Ordering::Relaxed);
    });
    assert_eq!(found.expect("an order").operations, best);
}

#[test]
fn the_search_finds_a_program_that_no_order_with_a_name_has() {
    let model = tapered_chain(6);
    let state = State::random(&model, 5);
    let mut ws = Workspace::new(&model);
    let expected = model
        .aba(&mut ws, &state.q, &state.v, &state.tau)
        .expect("regular")
        .to_vec();
    let (system, template) = question(Problem::forward_dynamics(model), |system| {
        system.unknowns().joint_accelerations()
    });
    let options = SearchOptions {
        seed: 1,
        restarts: 10,
        exchanges: 600,
        ..SearchOptions::default()
    };
    let mut reports = Vec::new();
    let found = search(&system, &template, &options, |progress| {
        reports.push(progress);
    });
    let found = found.expect("an order");
    assert!(
        reports
            .windows(2)
            .all(|two| two[0].done <= two[1].done && two[0].best >= two[1].best)
    );
    let named = programs_of_classical_orders(&system, &template);
    assert!(
        named.iter().all(|&named| found.operations < named),
        "{} < {named:?}",
        found.operations
    );
    let again = search(&system, &template, &options, |_| {}).expect("an order");
    assert_eq!(found.order, again.order, "one seed gives one order");

    let compiled = CompiledSolve::new(&system, &template, &found.order).expect("an order");
    assert_eq!(compiled.program().count().total(), found.operations);
    let mut accelerations = vec![0.0; expected.len()];
    let state = [&state.q[..], &state.v, &state.tau].concat();
    compiled
        .run(&system, &state, &mut accelerations)
        .expect("a regular state");
    close("q̈", &accelerations, &expected, TOLERANCE);
}

#[test]
fn a_search_gets_away_from_the_articulated_bodies_order_of_a_long_chain() {
    // Its pivots are not those of the equations that a general order would take, so that few
    // changes at one place keep it an order; what is better is found where all links change
    // together.
    let model = tapered_chain(16);
    let (system, template) = question(Problem::forward_dynamics(model), |system| {
        system.unknowns().joint_accelerations()
    });
    let options = SearchOptions {
        restarts: 0,
        exchanges: 1200,
        ..SearchOptions::default()
    };
    let found = search(&system, &template, &options, |_| {}).expect("an order");
    let named = programs_of_classical_orders(&system, &template);
    assert!(
        named.iter().all(|&named| found.operations < named),
        "{} < {named:?}",
        found.operations
    );
}
