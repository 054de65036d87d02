//! A program's inputs, outputs and operations as a line of JSON.

use featherline::scalar::Operations;
use featherline_compile::{Port, Program};
use serde::Serialize;

/// The inputs, outputs and cost of a program.
#[derive(Serialize)]
pub struct Description<'a> {
    name: &'a str,
    instructions: usize,
    numbers: usize,
    constants: usize,
    /// The hash of the model, in hexadecimal.
    model: String,
    inputs: Vec<PortDescription<'a>>,
    outputs: Vec<PortDescription<'a>>,
    kernel: Operations,
    program: Operations,
}

#[derive(Serialize)]
struct PortDescription<'a> {
    name: &'a str,
    /// Rows and columns of a matrix, else the number of entries.
    size: Vec<usize>,
}

impl<'a> Description<'a> {
    /// The description of a program.
    pub fn of(program: &'a Program) -> Self {
        Self {
            name: program.name(),
            instructions: program.instruction_count(),
            numbers: program.slot_count(),
            constants: program.constant_count(),
            model: format!("{:032x}", program.model_hash()),
            inputs: program.inputs().iter().map(PortDescription::of).collect(),
            outputs: program.outputs().iter().map(PortDescription::of).collect(),
            kernel: program.traced(),
            program: program.count(),
        }
    }
}

impl<'a> PortDescription<'a> {
    fn of(port: &'a Port) -> Self {
        Self {
            name: &port.name,
            size: match port.is_matrix {
                true => vec![port.rows, port.columns],
                false => vec![port.rows],
            },
        }
    }
}
