//! Answers and descriptions of a program as text.

use super::state::{Answer, NO_RESULT, exists};
use crate::message::name;
use crate::operations;
use crate::states::BadLine;
use crate::table::{align_numbers, plain};
use featherline_compile::{Port, Program};
use featherline_record::number::short_among;
use std::io::{self, Write};

/// Writes the outputs of one state, or what is wrong with its line.
pub fn write(
    out: &mut impl Write,
    title: &str,
    answer: Result<&Answer<'_>, &BadLine>,
) -> io::Result<()> {
    writeln!(out, "{}\n", console::style(name(title)).bold())?;
    let answer = match answer {
        Ok(answer) => answer,
        Err(bad) => return writeln!(out, "no answer: {bad}\n"),
    };
    for (port, numbers) in answer.outputs.iter() {
        let port_name = name(&port.name);
        if !exists(numbers) {
            writeln!(out, "{port_name}: none; {NO_RESULT}\n")?;
            continue;
        }
        let mut table = plain([""; 0]);
        // A vector is a row.
        let columns = if port.is_matrix {
            port.columns
        } else {
            port.rows
        };
        for row in numbers.chunks(columns.max(1)) {
            table.add_row(row.iter().map(|&x| short_among(x, numbers)));
        }
        align_numbers(&mut table, 0..usize::MAX);
        writeln!(out, "{}", console::style(port_name).bold())?;
        writeln!(out, "{}\n", table.trim_fmt())?;
    }
    Ok(())
}

/// Writes the inputs, outputs and operations of a program.
pub fn describe(program: &Program, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}\n", console::style(name(program.name())).bold())?;
    writeln!(
        out,
        "{} instructions, {} numbers a state of which {} are constants; model {:032x}\n",
        program.instruction_count(),
        program.slot_count(),
        program.constant_count(),
        program.model_hash()
    )?;
    let mut ports = plain(["", "name", "size"]);
    let row = |what: &str, port: &Port| {
        let size = if port.is_matrix {
            format!("{} × {}", port.rows, port.columns)
        } else {
            port.rows.to_string()
        };
        [what.to_owned(), name(&port.name), size]
    };
    ports.add_rows(program.inputs().iter().map(|port| row("input", port)));
    ports.add_rows(program.outputs().iter().map(|port| row("output", port)));
    writeln!(out, "{}\n", ports.trim_fmt())?;
    let rows = [
        ("kernel, traced", Some(program.traced())),
        ("program", Some(program.count())),
    ];
    writeln!(out, "{}", operations::table(rows).trim_fmt())
}
