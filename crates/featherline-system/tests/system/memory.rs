//! Assembling and eliminating allocate nothing.

use crate::common::{State, assemble};
use featherline_system::{
    AssemblyMemory, Elimination, GuardedSolver, Problem, System, Template, order,
};

#[test]
fn assembling_does_not_allocate() {
    let problem = Problem::inverse_dynamics(featherline_robots::humanoid()).with_passive_forces();
    let system = System::new(problem).expect("a system");
    let state = State::random(system.model(), 1);
    let mut memory = AssemblyMemory::<f64>::new(&system);
    let mut values = vec![0.0; system.sparsity().entries()];
    let mut rhs = vec![0.0; system.sparsity().rows()];
    let counted = allocation_counter::measure(|| {
        system
            .assemble(
                &mut memory,
                &state.q,
                &state.v,
                &state.a,
                &mut values,
                &mut rhs,
            )
            .expect("a valid state");
    });
    assert_eq!(counted.count_total, 0);
}

#[test]
fn eliminating_in_a_fixed_order_does_not_allocate() {
    let system = System::new(Problem::forward_dynamics(featherline_robots::humanoid()));
    let system = system.expect("a system");
    let template = Template::of_system(&system).expect("square");
    let order = order::aba(&system).expect("forward dynamics");
    let elimination = Elimination::new(&template, &order).expect("no pivot vanishes");
    let state = State::random(system.model(), 2);
    let (values, right) = assemble(&system, &state.q, &state.v, &state.tau);
    let mut factors = elimination.factors();
    let mut unknowns = vec![0.0; right.len()];
    let mut guarded = GuardedSolver::new(&template, &order).expect("no pivot vanishes");
    let counted = allocation_counter::measure(|| {
        factors
            .factorize(&elimination, &values)
            .expect("sizes agree");
        factors
            .solve(&elimination, &right, &mut unknowns)
            .expect("sizes agree");
        let outcome = guarded
            .solve(&values, &right, &mut unknowns)
            .expect("regular");
        assert!(!outcome.fell_back);
    });
    assert_eq!(counted.count_total, 0);
}
