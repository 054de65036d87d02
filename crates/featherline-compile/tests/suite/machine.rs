//! Machine code against the interpreter and the graph.

use crate::common::{inputs, models, of, quantities};
use crate::folding::expression;
use crate::soak::cases;
use featherline::batch::{BatchStatus, Precision};
use featherline::scalar::{InstructionSet, Scalar};
use featherline::{Model, Workspace};
use featherline_compile::{
    Graph, Interpreter, MachineCode, Options, Port, Program, ProgramError, Quantity, Runner, Trace,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Code in all forms that this processor runs; none on others than x86-64 with AVX2.
fn forms<T: Precision>(program: &Program) -> Result<Vec<MachineCode<T>>, ProgramError> {
    let available = InstructionSet::available();
    if available == InstructionSet::Baseline {
        return Ok(Vec::new());
    }
    let registers = [
        (InstructionSet::Baseline, size_of::<T>()),
        (InstructionSet::Avx2, 32),
        (InstructionSet::Avx512, 64),
    ];
    let runs = registers.into_iter().filter(|(set, _)| *set <= available);
    let forms = runs.map(|(set, bytes)| {
        let code = MachineCode::with_lanes_of(set, program)?;
        assert_eq!(code.lanes() * size_of::<T>(), bytes);
        Ok(code)
    });
    forms.collect()
}

/// The rows of each port, from states whose ports lie side by side.
fn by_port<T: Copy>(program: &Program, states: &[T]) -> Vec<Vec<T>> {
    let mut first = 0;
    let ports = program.inputs().iter().map(|port| {
        let range = first..first + port.rows * port.columns;
        first = range.end;
        let rows = states.chunks_exact(program.input_count());
        rows.flat_map(|row| row[range.clone()].to_vec()).collect()
    });
    ports.collect()
}

/// The results of several states side by side.
fn run<T: Precision>(
    code: &mut MachineCode<T>,
    program: &Program,
    states: &[T],
) -> Result<Vec<T>, ProgramError> {
    let count = states.len() / program.input_count();
    let rows = by_port(program, states);
    let rows: Vec<&[T]> = rows.iter().map(Vec::as_slice).collect();
    let mut results: Vec<Vec<T>> = program
        .outputs()
        .iter()
        .map(|port| vec![T::zero(); count * port.rows * port.columns])
        .collect();
    let mut slices: Vec<&mut [T]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    let mut status = vec![BatchStatus::Overflow; count];
    assert_eq!(code.run(&rows, &mut slices, &mut status)?, 0);
    assert!(status.iter().all(|status| status.is_solved()));
    let mut together = Vec::new();
    for state in 0..count {
        for (port, rows) in program.outputs().iter().zip(&results) {
            let len = port.rows * port.columns;
            together.extend(&rows[state * len..(state + 1) * len]);
        }
    }
    Ok(together)
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn every_instruction_gives_the_interpreters_digits() -> Outcome {
    for seed in 0..64 {
        let graph = Graph::record(4, |x: &[Trace]| {
            expression(x, &mut ChaCha8Rng::seed_from_u64(seed))
        });
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // Whole registers, and a part of one.
        let x: Vec<f64> = (0..4 * 21).map(|_| rng.random_range(-2.0..2.0)).collect();
        for fuse in [false, true] {
            let program = Program::of_graph(&graph, &Options { fuse });
            let mut expected = vec![0.0; 21 * program.output_count()];
            Interpreter::new(&program).run(&x, &mut expected)?;
            for mut code in forms::<f64>(&program)? {
                let found = run(&mut code, &program, &x)?;
                assert_eq!(
                    bits(&found),
                    bits(&expected),
                    "{seed}, {} lanes",
                    code.lanes()
                );
            }
        }
    }
    Ok(())
}

#[test]
fn every_quantity_of_every_robot_has_the_interpreters_digits() -> Outcome {
    for (seed, model) in models(cases(10, 24)).iter().enumerate() {
        for quantity in quantities(model) {
            let program = Program::new(&quantity.trace(model)?, &Options { fuse: true });
            let x = states(&quantity, model, seed);
            let mut expected = vec![0.0; 19 * program.output_count()];
            Interpreter::new(&program).run(&x, &mut expected)?;
            for mut code in forms::<f64>(&program)? {
                let found = run(&mut code, &program, &x)?;
                let what = format!("{quantity:?} of {}, {} lanes", model.name(), code.lanes());
                assert_eq!(bits(&found), bits(&expected), "{what}");
            }
        }
    }
    Ok(())
}

/// 19 states side by side: fill no register of any form.
fn states(quantity: &Quantity, model: &Model, seed: usize) -> Vec<f64> {
    (0..19)
        .flat_map(|state| inputs(quantity, model, 100 * seed as u64 + state))
        .collect()
}

#[test]
fn singles_have_the_digits_of_the_graph_in_single_precision() -> Outcome {
    for (seed, model) in models(cases(6, 12)).iter().enumerate() {
        for quantity in quantities(model) {
            let function = quantity.trace(model)?;
            // Unfused, each operation of the graph is rounded once, as it is here.
            let program = Program::new(&function, &Options::default());
            let x: Vec<f32> = states(&quantity, model, seed)
                .iter()
                .map(|&x| x as f32)
                .collect();
            let expected: Vec<f32> = x
                .chunks_exact(program.input_count())
                .flat_map(|x| function.graph.evaluate(x).expect("sizes agree"))
                .collect();
            if !expected.iter().all(|x| x.is_finite()) {
                continue; // a solution that single precision does not reach
            }
            for mut code in forms::<f32>(&program)? {
                let found = run(&mut code, &program, &x)?;
                assert!(found == expected, "{quantity:?} of {}", model.name());
            }
        }
    }
    Ok(())
}

/// Sums over a robot leave all but some hundreds of roundings of the largest entry, and a solution
/// with the mass matrix as many digits fewer as its condition number κ has: nv κ ε.
#[test]
fn singles_are_as_near_to_doubles_as_rounding_lets_them() -> Outcome {
    use featherline_robots::{humanoid, panda, quadruped, ur5};
    for model in [ur5(), panda(), quadruped(), humanoid()] {
        let mut ws = Workspace::new(&model);
        let solves = [of("aba"), of("mass_matrix_inverse")];
        let sums = [of("rnea"), of("crba"), of("joint_placements")];
        for quantity in sums.into_iter().chain(solves) {
            let program = Program::new(&quantity.trace(&model)?, &Options { fuse: true });
            let x = states(&quantity, &model, 3);
            let singles: Vec<f32> = x.iter().map(|&x| x as f32).collect();
            let mut doubles = vec![0.0; 19 * program.output_count()];
            Interpreter::new(&program).run(&x, &mut doubles)?;
            for mut code in forms::<f32>(&program)? {
                let found = run(&mut code, &program, &singles)?;
                let rows = found.chunks_exact(program.output_count());
                let expected = doubles.chunks_exact(program.output_count());
                let inputs = x.chunks_exact(program.input_count());
                for ((row, expected), input) in rows.zip(expected).zip(inputs) {
                    let mut bound = 1e-4;
                    if ["aba", "mass_matrix_inverse"].contains(&quantity.entry().name) {
                        let mass = model.crba(&mut ws, &input[..model.nq()])?;
                        let eigenvalues = mass.clone().symmetric_eigenvalues();
                        let condition = eigenvalues.max() / eigenvalues.min();
                        let roundings = model.nv() as f64 * f64::from(f32::EPSILON);
                        bound = roundings * condition;
                    }
                    let largest = expected.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
                    for (x, expected) in row.iter().zip(expected) {
                        let error = (f64::from(*x) - expected).abs();
                        let what = format!("{quantity:?} of {}", model.name());
                        assert!(error <= bound * largest, "{what}: {error:e}, {bound:e}");
                    }
                }
            }
        }
    }
    Ok(())
}

#[test]
fn values_that_do_not_fit_the_registers_are_kept() -> Outcome {
    // 120 values live at once, none of which is an output.
    let graph = Graph::record(120, |x| {
        let squares: Vec<Trace> = (0..120).map(|k| x[k] * x[(k + 1) % 120]).collect();
        let sum = squares.iter().fold(Trace::zero(), |sum, &y| sum + y);
        let product = |sum: Trace, &y: &Trace| sum * Trace::constant(0.5) + y / sum;
        vec![squares.iter().rev().fold(sum, product), sum]
    });
    let program = Program::of_graph(&graph, &Options { fuse: true });
    let x: Vec<f64> = (0..120 * 9).map(|k| 1.0 + f64::from(k % 17)).collect();
    let mut expected = vec![0.0; 18];
    Interpreter::new(&program).run(&x, &mut expected)?;
    for mut code in forms::<f64>(&program)? {
        assert_eq!(bits(&run(&mut code, &program, &x)?), bits(&expected));
    }
    Ok(())
}

#[test]
fn bad_states_are_told_and_disturb_no_other() -> Outcome {
    let model = featherline_robots::quadruped();
    let program = Program::new(
        &of("gravity_torque").trace(&model)?,
        &Options { fuse: true },
    );
    let good = states(&of("gravity_torque"), &model, 3);
    let mut bad = good.clone();
    let nq = model.nq();
    bad[2 * nq + 9] = f64::NAN;
    bad[5 * nq + 3..5 * nq + 7].fill(0.0);
    bad[17 * nq + 7] = f64::INFINITY;
    for mut code in forms::<f64>(&program)? {
        let expected = run(&mut code, &program, &good)?;
        let (mut found, mut status) = (vec![0.0; expected.len()], vec![BatchStatus::Overflow; 19]);
        let failed = code.run(&[&bad], &mut [&mut found], &mut status)?;
        assert_eq!(failed, 3);
        for (state, row) in found.chunks_exact(model.nv()).enumerate() {
            let wanted = match state {
                2 | 17 => BatchStatus::NotFinite,
                5 => BatchStatus::ZeroRotation,
                _ => BatchStatus::Solved,
            };
            assert_eq!(status[state], wanted, "{state}");
            if wanted.is_solved() {
                assert_eq!(
                    row,
                    &expected[state * model.nv()..][..model.nv()],
                    "{state}"
                );
            } else {
                assert!(row.iter().all(|x| x.is_nan()), "{state}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_bad_input_is_told_where_no_result_depends_on_it() -> Outcome {
    let graph = Graph::record(3, |x: &[Trace]| {
        let smaller = Trace::select(x[0].less(x[1]), x[0], x[1]);
        vec![smaller, x[1]]
    });
    let program = Program::of_graph(&graph, &Options::default());
    for mut code in forms::<f64>(&program)? {
        let states = [f64::NAN, 1.0, 0.0, 1.0, 2.0, f64::INFINITY, 1.0, 2.0, 3.0];
        let (mut y, mut status) = ([0.0; 6], [BatchStatus::Solved; 3]);
        assert_eq!(code.run(&[&states], &mut [&mut y], &mut status)?, 2);
        let bad = BatchStatus::NotFinite;
        assert_eq!(status, [bad, bad, BatchStatus::Solved]);
        assert!(y[..4].iter().all(|x| x.is_nan()) && y[4..] == [1.0, 2.0]);
    }
    Ok(())
}

#[test]
fn rotations_whose_square_is_zero_are_none() -> Outcome {
    let model = featherline_robots::quadruped();
    let program = Program::new(
        &of("gravity_torque").trace(&model)?,
        &Options { fuse: true },
    );
    let mut q = model.neutral_configuration();
    q[3..7].copy_from_slice(&[1e-170, 0.0, 0.0, 0.0]);
    for mut code in forms::<f64>(&program)? {
        let (mut tau, mut status) = (vec![0.0; model.nv()], [BatchStatus::Solved]);
        assert_eq!(code.run(&[&q], &mut [&mut tau], &mut status)?, 1);
        assert_eq!(status, [BatchStatus::ZeroRotation]);
    }
    Ok(())
}

#[test]
fn ports_that_are_not_the_graphs_are_refused() -> Outcome {
    let mut function = of("gravity_torque").trace(&featherline_robots::ur5())?;
    function.inputs = vec![Port::vector("q", 7)];
    let program = Program::new(&function, &Options::default());
    let made = MachineCode::<f64>::with_lanes_of(InstructionSet::Baseline, &program);
    assert!(matches!(made, Err(ProgramError::Invalid(_))), "{made:?}");
    Ok(())
}

#[test]
fn a_long_chain_of_sines_is_compiled_and_right() -> Outcome {
    let graph = Graph::record(1, |x: &[Trace]| {
        vec![(0..2000).fold(x[0], |x, _| x.sin_cos().0 + x)]
    });
    let program = Program::of_graph(&graph, &Options::default());
    let mut expected = [0.0];
    Interpreter::new(&program).run(&[0.3], &mut expected)?;
    for mut code in forms::<f64>(&program)? {
        assert_eq!(run(&mut code, &program, &[0.3])?, expected);
    }
    Ok(())
}

#[test]
fn numbers_that_are_too_large_are_told() -> Outcome {
    let graph = Graph::record(1, |x| vec![x[0] * x[0]]);
    let program = Program::of_graph(&graph, &Options::default());
    for mut code in forms::<f64>(&program)? {
        let (mut y, mut status) = ([0.0; 2], [BatchStatus::Solved; 2]);
        assert_eq!(code.run(&[&[2.0, 1e200]], &mut [&mut y], &mut status)?, 1);
        assert_eq!(
            (y[0], status),
            (4.0, [BatchStatus::Solved, BatchStatus::Overflow])
        );
    }
    Ok(())
}

#[test]
fn wrong_sizes_are_errors() -> Outcome {
    let graph = Graph::record(2, |x| vec![x[0] + x[1]]);
    let program = Program::of_graph(&graph, &Options::default());
    for mut code in forms::<f64>(&program)? {
        let (mut y, mut status) = ([0.0; 2], [BatchStatus::Solved; 2]);
        let mut outcome =
            |inputs: &[&[f64]], len: usize| code.run(inputs, &mut [&mut y[..len]], &mut status);
        let size = |what, expected, found| {
            Err(ProgramError::Size {
                what,
                expected,
                found,
            })
        };
        assert_eq!(outcome(&[&[1.0; 3]], 2), size("the inputs", 4, 3));
        assert_eq!(outcome(&[&[1.0; 4]], 1), size("the outputs", 2, 1));
        assert_eq!(outcome(&[], 2), size("the list of inputs", 1, 0));
        assert_eq!(outcome(&[&[1.0; 4]], 2), Ok(0));
        assert_eq!(
            code.run(&[&[]], &mut [], &mut []),
            size("the list of outputs", 1, 0)
        );
        assert_eq!(code.run(&[&[]], &mut [&mut []], &mut []), Ok(0));
    }
    Ok(())
}

#[test]
fn a_clone_has_memory_of_its_own() -> Outcome {
    let model = featherline_robots::ur5();
    let program = Program::new(&of("crba").trace(&model)?, &Options { fuse: true });
    let x = states(&of("crba"), &model, 1);
    for mut code in forms::<f64>(&program)? {
        let mut other = code.clone();
        let expected = run(&mut code, &program, &x)?;
        let found = std::thread::scope(|scope| {
            let own = scope.spawn(|| run(&mut other, &program, &x));
            let again = run(&mut code, &program, &x);
            (own.join().expect("no panic"), again)
        });
        assert_eq!(found, (Ok(expected.clone()), Ok(expected)));
    }
    Ok(())
}

#[test]
fn running_allocates_nothing() -> Outcome {
    let model = featherline_robots::ur5();
    let program = Program::new(
        &of("gravity_torque").trace(&model)?,
        &Options { fuse: true },
    );
    let q = states(&of("gravity_torque"), &model, 2);
    let (mut tau, mut status) = (vec![0.0; 19 * model.nv()], vec![BatchStatus::Solved; 19]);
    for mut code in forms::<f64>(&program)? {
        let mut result = Ok(1);
        let info =
            allocation_counter::measure(|| result = code.run(&[&q], &mut [&mut tau], &mut status));
        assert_eq!((result, info.count_total), (Ok(0), 0));
    }
    Ok(())
}

#[test]
fn states_side_by_side_have_the_interpreters_digits() -> Outcome {
    for (seed, model) in models(cases(6, 12)).iter().enumerate() {
        for quantity in quantities(model) {
            let program = Program::new(&quantity.trace(model)?, &Options::default());
            let (width, height) = (program.input_count(), program.output_count());
            let mut x = states(&quantity, model, seed);
            let mut expected = vec![0.0; 19 * height];
            let finite = Interpreter::new(&program).evaluate(&x, &mut expected)?;
            let mut runner = Runner::new(&program);
            let forms = forms::<f64>(&program)?;
            assert_eq!(runner.has_machine_code(), !forms.is_empty());
            for count in [1, 2, 8, 19] {
                let mut found = vec![f64::NAN; count * height];
                let (x, expected) = (&x[..count * width], &expected[..count * height]);
                assert_eq!(runner.evaluate(x, &mut found)?, finite);
                assert_eq!(bits(&found), bits(expected), "{quantity:?}, {count}");
            }
            for mut code in forms {
                let mut found = vec![f64::NAN; 19 * height];
                assert_eq!(code.evaluate(&x, &mut found)?, finite);
                assert_eq!(bits(&found), bits(&expected), "{} lanes", code.lanes());
            }
            if width > 0 && height > 0 {
                let short = runner.evaluate(&x[1..], &mut expected);
                assert!(matches!(short, Err(ProgramError::Size { .. })), "{short:?}");
                // One that is infinite harms no other.
                x[7 * width..8 * width].fill(f64::INFINITY);
                let mut found = vec![0.0; 19 * height];
                let finite = Interpreter::new(&program).evaluate(&x, &mut found)?;
                assert_eq!(runner.evaluate(&x, &mut found)?, finite);
                let others = [&found[..7 * height], &found[8 * height..]].concat();
                let own = [&expected[..7 * height], &expected[8 * height..]].concat();
                assert_eq!(bits(&others), bits(&own));
            }
        }
    }
    Ok(())
}
