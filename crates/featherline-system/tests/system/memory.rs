//! Assembling allocates nothing.

use crate::common::State;
use featherline_system::{AssemblyMemory, Problem, System};

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
