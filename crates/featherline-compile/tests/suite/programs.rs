//! Programs against the kernels.

use crate::common::{assert_close, inputs, kernel, models, of, quantities, tolerance};
use crate::folding::expression;
use crate::soak::cases;
use featherline::scalar::{InstructionSet, OpCount, Operations, Scalar};
use featherline_compile::{Graph, Interpreter, Options, Program, ProgramError, Trace};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const BOTH: [Options; 2] = [Options { fuse: false }, Options { fuse: true }];

#[test]
fn a_program_computes_what_the_kernel_computes() -> Result<(), Box<dyn std::error::Error>> {
    for (seed, model) in models(cases(10, 24)).iter().enumerate() {
        for quantity in quantities(model) {
            let function = quantity.trace(model)?;
            for options in BOTH {
                let program = Program::new(&function, &options);
                // A block and a remainder.
                let states = 19;
                let x: Vec<f64> = (0..states)
                    .flat_map(|s| inputs(&quantity, model, 100 * seed as u64 + s))
                    .collect();
                let mut y = vec![0.0; states as usize * program.output_count()];
                Interpreter::new(&program).run(&x, &mut y)?;
                let what = format!("{quantity:?} of {}, {options:?}", model.name());
                let width = program.input_count();
                for (state, found) in y.chunks_exact(program.output_count()).enumerate() {
                    let expected = kernel(&quantity, model, &x[state * width..][..width])?;
                    assert_close(found, &expected, tolerance(&quantity), &what);
                }
            }
        }
    }
    Ok(())
}

#[test]
fn every_instruction_computes_what_the_scalar_computes() -> Result<(), ProgramError> {
    for seed in 0..64 {
        let graph = Graph::record(4, |x: &[Trace]| {
            expression(x, &mut ChaCha8Rng::seed_from_u64(seed))
        });
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let x: Vec<f64> = (0..4 * 37).map(|_| rng.random_range(-2.0..2.0)).collect();
        for options in BOTH {
            let program = Program::of_graph(&graph, &options);
            let n = program.output_count();
            let mut y = vec![0.0; 37 * n];
            Interpreter::new(&program).run(&x, &mut y)?;
            for (x, y) in x.chunks_exact(4).zip(y.chunks_exact(n)) {
                let expected = expression(x, &mut ChaCha8Rng::seed_from_u64(seed));
                // Ten roundings deep; a fused one may decide a comparison of equal numbers
                // otherwise, which these expressions have only between numbers that come from the
                // same operations.
                assert_close(y, &expected, 1e-12, &format!("{seed}, {options:?}"));
            }
        }
    }
    Ok(())
}

#[test]
fn a_state_alone_and_in_a_block_give_the_same_digits_on_every_instruction_set()
-> Result<(), Box<dyn std::error::Error>> {
    let model = featherline_robots::panda();
    for options in BOTH {
        let program = Program::new(&of("aba").trace(&model)?, &options);
        // One block of many, and one of those that are left.
        let states = 53;
        let x: Vec<f64> = (0..states as u64)
            .flat_map(|s| inputs(&of("aba"), &model, s))
            .collect();
        let n = model.nv();
        let mut interpreter = Interpreter::new(&program);
        let mut by_set = Vec::new();
        for set in [
            InstructionSet::Baseline,
            InstructionSet::Avx2,
            InstructionSet::Avx512,
        ] {
            set.limit();
            let mut together = vec![0.0; states * n];
            interpreter.run(&x, &mut together)?;
            for count in [1, 5, 8, 9, 33] {
                for first in (0..states - count).step_by(count) {
                    let mut few = vec![0.0; count * n];
                    let given = &x[first * 3 * n..][..count * 3 * n];
                    interpreter.run(given, &mut few)?;
                    assert_eq!(few, together[first * n..][..count * n], "{set:?} {count}");
                }
            }
            by_set.push(together);
        }
        // The baseline may have no fused operations, nor the processor any set that has.
        assert_eq!(by_set[1], by_set[2]);
        for (found, expected) in by_set[0].iter().zip(&by_set[1]) {
            // A thousand roundings each way.
            assert!((found - expected).abs() <= 1e-10 * expected.abs().max(1.0));
        }
        InstructionSet::Avx512.limit();
    }
    Ok(())
}

#[test]
fn a_program_counts_what_its_graph_counts() -> Result<(), featherline::Error> {
    for model in models(cases(6, 12)) {
        for quantity in quantities(&model) {
            let function = quantity.trace(&model)?;
            let by_graph = function.graph.count();
            for options in BOTH {
                assert_eq!(
                    Program::new(&function, &options).count(),
                    by_graph,
                    "{quantity:?}"
                );
            }
            // An evaluation computes sine and cosine apart.
            let x = inputs(&quantity, &model, 1);
            let x: Vec<OpCount> = x.iter().map(|&x| OpCount::variable(x)).collect();
            let evaluate = || function.graph.evaluate(&x).expect("sizes agree");
            let (_, evaluated) = OpCount::measure(evaluate);
            let apart = Operations {
                sin_cos: evaluated.sin_cos,
                ..by_graph
            };
            assert_eq!(evaluated, apart, "{quantity:?}");
        }
    }
    Ok(())
}

#[test]
fn a_few_slots_serve_a_long_program() -> Result<(), featherline::Error> {
    let model = featherline_robots::panda();
    let function = of("rnea").trace(&model)?;
    let program = Program::new(&function, &Options::default());
    let variables = program.slot_count() - program.constant_count();
    // The recursion carries velocity and acceleration of a link and keeps for the way back what the
    // outward pass left: a force, sine and cosine, for each of seven joints.
    assert!(variables < 7 * (6 + 2 + 3) + 24, "{variables} slots");
    assert!(program.instruction_count() > 600);
    Ok(())
}

#[test]
fn signs_cost_nothing_where_a_sum_can_take_them() {
    let graph = Graph::record(3, |x| {
        let (a, b, c) = (x[0], x[1], x[2]);
        vec![
            -(a - b),
            -(a * Trace::constant(3.0)),
            -a * b - c,
            -(a * b) + c,
        ]
    });
    let program = Program::of_graph(&graph, &Options::default());
    // Three loads, four stores; a difference, a product with a constant, a product, a sum and a
    // difference; and one negation, of the sum.
    assert_eq!(program.instruction_count(), 3 + 4 + 5 + 1);
    let mut y = [0.0; 4];
    let mut interpreter = Interpreter::new(&program);
    assert_eq!(interpreter.run(&[2.0, 5.0, 7.0], &mut y), Ok(()));
    assert_eq!(y, [3.0, -6.0, -17.0, -3.0]);
}

#[test]
fn outputs_may_be_inputs_constants_and_each_other() {
    let graph = Graph::record(1, |x| {
        vec![x[0], Trace::constant(2.5), x[0], -x[0], Trace::zero()]
    });
    let program = Program::of_graph(&graph, &Options::default());
    let mut y = [0.0; 10];
    assert_eq!(Interpreter::new(&program).run(&[3.0, 4.0], &mut y), Ok(()));
    assert_eq!(y, [3.0, 2.5, 3.0, -3.0, 0.0, 4.0, 2.5, 4.0, -4.0, 0.0]);
}

#[test]
fn a_program_without_inputs_fills_its_outputs() {
    let graph = Graph::record(0, |_| vec![Trace::constant(1.0), Trace::constant(2.0)]);
    let program = Program::of_graph(&graph, &Options::default());
    let mut y = [0.0; 4];
    assert_eq!(Interpreter::new(&program).run(&[], &mut y), Ok(()));
    assert_eq!(y, [1.0, 2.0, 1.0, 2.0]);
}

#[test]
fn wrong_sizes_are_errors() {
    let graph = Graph::record(2, |x| vec![x[0] + x[1]]);
    let program = Program::of_graph(&graph, &Options::default());
    let mut interpreter = Interpreter::new(&program);
    let size = |what, expected, found| {
        Err(ProgramError::Size {
            what,
            expected,
            found,
        })
    };
    assert_eq!(
        interpreter.run(&[1.0; 3], &mut [0.0]),
        size("the inputs", 2, 3)
    );
    assert_eq!(
        interpreter.run(&[1.0; 4], &mut [0.0]),
        size("the outputs", 2, 1)
    );
    assert_eq!(interpreter.run(&[], &mut []), Ok(()));
}

#[test]
fn what_overflows_is_told_from_what_has_no_result() {
    let graph = Graph::record(2, |x| vec![x[0] * x[0] - x[0] / x[1], x[1].sqrt() * x[1]]);
    let program = Program::of_graph(&graph, &Options::default());
    let mut interpreter = Interpreter::new(&program);
    let mut outcome = |states: &[[f64; 2]]| {
        let mut y = vec![0.0; 2 * states.len()];
        interpreter.run(states.as_flattened(), &mut y)
    };
    let output = |port: &str| port.to_owned();
    let overflow = |state, port| {
        let output = output(port);
        Err(ProgramError::Overflow { state, output })
    };
    let nothing = |state, port| {
        let output = output(port);
        Err(ProgramError::NotFinite { state, output })
    };
    assert_eq!(outcome(&[[1.0, 1.0], [1e200, 1.0]]), overflow(1, "y[0]"));
    assert_eq!(outcome(&[[1.0, 0.0], [1e200, 1.0]]), nothing(0, "y[0]"));
    assert_eq!(outcome(&[[1.0, -1.0]]), nothing(0, "y[1]"));
    assert_eq!(outcome(&[[1.0, 1e300]]), overflow(0, "y[1]"));
    assert_eq!(outcome(&[[f64::INFINITY, 1.0]]), nothing(0, "y[0]"));
    // A quotient may overflow although nothing is divided by zero.
    assert_eq!(outcome(&[[1e10, 1e-300]]), overflow(0, "y[0]"));
    assert_eq!(outcome(&[[1.0, 1.0]]), Ok(()));
}

#[test]
fn running_allocates_nothing() -> Result<(), featherline::Error> {
    let model = featherline_robots::ur5();
    let program = Program::new(&of("aba").trace(&model)?, &Options { fuse: true });
    let x: Vec<f64> = (0..50)
        .flat_map(|s| inputs(&of("aba"), &model, s))
        .collect();
    let mut y = vec![0.0; 50 * model.nv()];
    let mut interpreter = Interpreter::new(&program);
    let mut result = Ok(());
    let info = allocation_counter::measure(|| result = interpreter.run(&x, &mut y));
    assert_eq!((result, info.count_total), (Ok(()), 0));
    Ok(())
}
