//! Programs written and read; files that are none, or hostile.

use crate::common::{inputs, models, of};
use featherline_compile::{FileError, Interpreter, MachineCode, Options, Program};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use twox_hash::XxHash3_128;

const HEADER: usize = 32;

fn program() -> Program {
    let function = of("aba").trace(&models(4)[3]).expect("the robot is sound");
    Program::new(&function, &Options { fuse: true })
}

/// The bytes with a checksum that is right for them.
fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = XxHash3_128::oneshot(&bytes[HEADER..]);
    bytes[16..HEADER].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

#[test]
fn a_program_survives_being_stored() -> Result<(), Box<dyn std::error::Error>> {
    let robots = [
        featherline_robots::double_pendulum(),
        featherline_robots::hand(),
    ];
    for model in models(6).into_iter().chain(robots) {
        for quantity in [of("rnea"), of("forward_kinematics")] {
            let function = quantity.trace(&model)?;
            let program = Program::new(&function, &Options::default());
            let read = Program::from_bytes(&program.to_bytes())?;
            assert_eq!(read, program);
            assert_eq!(read.model_hash(), model.content_hash());
            assert_eq!(read.inputs(), quantity.inputs(&model));
            assert_eq!(read.outputs(), quantity.outputs(&model));
            assert!(read.name().starts_with(quantity.entry().name));
            let x = inputs(&quantity, &model, 1);
            let (mut y, mut z) = (
                vec![0.0; read.output_count()],
                vec![1.0; read.output_count()],
            );
            Interpreter::new(&program).run(&x, &mut y)?;
            Interpreter::new(&read).run(&x, &mut z)?;
            assert_eq!(y, z);
        }
    }
    Ok(())
}

#[test]
fn what_is_no_program_is_said_to_be_none() {
    let bytes = program().to_bytes();
    assert_eq!(Program::from_bytes(b""), Err(FileError::NoProgram));
    assert_eq!(
        Program::from_bytes(b"<robot name=\"x\"/>"),
        Err(FileError::NoProgram)
    );
    let mut newer = bytes.clone();
    newer[12] = 7;
    assert_eq!(
        Program::from_bytes(&newer),
        Err(FileError::Version {
            found: 7,
            expected: 3
        })
    );
    for len in 12..bytes.len() {
        assert_eq!(
            Program::from_bytes(&bytes[..len]),
            Err(FileError::Damaged),
            "{len}"
        );
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert_eq!(Program::from_bytes(&longer), Err(FileError::Damaged));
    let longer = Program::from_bytes(&signed(longer)).expect_err("a byte too many");
    assert_eq!(
        longer.to_string(),
        "the contents are no program (1 bytes too many); compile it again"
    );
}

#[test]
fn every_changed_byte_is_noticed() {
    let bytes = program().to_bytes();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        assert!(Program::from_bytes(&changed).is_err(), "byte {at}");
    }
}

#[test]
fn a_forged_program_is_refused_or_runs_within_its_memory() {
    let bytes = program().to_bytes();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let (mut refused, mut unsound, mut ran) = (0, 0, 0);
    for _ in 0..6000 {
        let mut forged = bytes.clone();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(HEADER..forged.len());
            match rng.random_range(0..4) {
                0 => forged[at] = rng.random(),
                1 => forged[at] = forged[at].wrapping_add(1),
                2 => forged.truncate(at.max(HEADER + 1)),
                _ => forged.insert(at, rng.random()),
            }
        }
        match Program::from_bytes(&signed(forged)) {
            Ok(program) => {
                let mut y = vec![0.0; 3 * program.output_count()];
                let x = vec![0.5; 3 * program.input_count()];
                // A result that is not finite is no crime; anything else would be a panic.
                let _finite = Interpreter::new(&program).run(&x, &mut y).is_ok();
                let _made = MachineCode::<f64>::new(&program).is_ok();
                ran += 1;
            }
            Err(FileError::Invalid(_)) => unsound += 1,
            Err(_) => refused += 1,
        }
    }
    // All three happen: the checks behind the checksum are reached, and so is the interpreter.
    assert!(
        refused > 100 && unsound > 100 && ran > 100,
        "{refused} {unsound} {ran}"
    );
}
