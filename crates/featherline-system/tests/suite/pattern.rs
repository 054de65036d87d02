//! The pattern holds every entry that can differ from zero, and no other.

use crate::common::{State, dense, robots, trees};
use featherline::Model;
use featherline_compile::{Graph, Trace};
use featherline_system::{AssemblyMemory, Problem, System};

/// The greatest magnitude of each entry of the pattern over some states.
fn greatest(model: Model) -> (System, Vec<f64>) {
    let system = System::new(Problem::forward_dynamics(model)).expect("a system");
    let mut greatest = vec![0.0_f64; system.sparsity().entries()];
    for seed in 0..6 {
        let state = State::random(system.model(), seed);
        let (matrix, _) = dense(&system, &state.q, &state.v, &state.tau);
        for (entry, (row, column)) in system.sparsity().iter().enumerate() {
            greatest[entry] = greatest[entry].max(matrix[(row, column)].abs());
        }
    }
    (system, greatest)
}

#[test]
fn every_entry_of_the_pattern_differs_from_zero_in_some_state() {
    for model in trees().map(|(model, _)| model).chain(robots()) {
        let (system, greatest) = greatest(model);
        for ((row, column), value) in system.sparsity().iter().zip(greatest) {
            assert!(
                value > 1e-12,
                "{}: {:?} in {:?} is {value:e}",
                system.model().name(),
                system
                    .unknowns()
                    .at(column)
                    .map(|u| u.describe(system.model())),
                system.equations().at(row),
            );
        }
    }
}

#[test]
fn tracing_finds_the_same_zeros() {
    for model in trees().map(|(model, _)| model).take(12).chain(robots()) {
        let system = System::new(Problem::forward_dynamics(model)).expect("a system");
        let (nq, nv) = (system.model().nq(), system.model().nv());
        let entries = system.sparsity().entries();
        let mut zeros = 0;
        Graph::record(nq + 2 * nv, |inputs| {
            let mut memory = AssemblyMemory::<Trace>::new(&system);
            let mut values = vec![Trace::default(); entries];
            let mut rhs = vec![Trace::default(); system.sparsity().rows()];
            let (q, rest) = inputs.split_at(nq);
            let (v, tau) = rest.split_at(nv);
            system
                .assemble(&mut memory, q, v, tau, &mut values, &mut rhs)
                .expect("tracing takes every check to hold");
            zeros = values.iter().filter(|value| value.is_zero()).count();
            values
        });
        assert_eq!(zeros, 0, "{}", system.model().name());
    }
}
