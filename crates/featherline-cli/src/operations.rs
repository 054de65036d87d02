//! Counts of arithmetic operations, and what the textbook says they are.

#[cfg(feature = "compile")]
use crate::table::{align_numbers, plain};
#[cfg(feature = "compile")]
use comfy_table::Table;
use featherline::scalar::Operations;

/// The headings of a table of operations, that of names first.
pub const HEADINGS: [&str; 7] = ["", "×", "+ −", "÷", "√", "sin & cos", "other"];

/// The numbers below these headings.
pub fn columns(count: &Operations) -> [u64; 6] {
    [
        count.multiplications,
        count.additions,
        count.divisions,
        count.square_roots,
        count.sin_cos,
        count.other,
    ]
}

/// A table of operations; what has no count has no row.
#[cfg(feature = "compile")]
pub fn table<'a>(rows: impl IntoIterator<Item = (&'a str, Option<Operations>)>) -> Table {
    let mut table = plain(HEADINGS.into_iter().chain(["all"]));
    for (name, count) in rows {
        let Some(count) = count else { continue };
        let numbers = columns(&count).into_iter().chain([count.total()]);
        let numbers = numbers.map(|it| it.to_string());
        table.add_row([name.to_owned()].into_iter().chain(numbers));
    }
    align_numbers(&mut table, 1..8);
    table
}

/// The operations of inverse dynamics of a chain of n joints of one degree of freedom on a fixed
/// base (R. Featherstone, *Rigid Body Dynamics Algorithms*, 2008, table 10.1), without sines and
/// cosines.
#[cfg(feature = "compile")]
pub fn rnea_of_chain(n: u64) -> Option<Operations> {
    (n >= 2).then(|| operations(93 * n - 108, 81 * n - 100))
}

/// The operations of forward dynamics of such a chain (the same table).
#[cfg(feature = "compile")]
pub fn aba_of_chain(n: u64) -> Option<Operations> {
    (n >= 2).then(|| operations(224 * n - 259, 205 * n - 248))
}

#[cfg(feature = "compile")]
fn operations(multiplications: u64, additions: u64) -> Operations {
    Operations {
        multiplications,
        additions,
        ..Operations::default()
    }
}
