//! Tables that stand between marks of a page of the book, and their numbers.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// Replaces the table of a name on a page: what is between `<!-- NAME -->` and
/// `<!-- end of NAME -->`, each on a line of its own.
///
/// # Errors
/// If the page cannot be read or written, or does not have the marks.
pub fn replace_table(page: &Path, name: &str, table: &str) -> Result<()> {
    change_table(page, name, |_| table.to_owned())
}

/// Replaces the table of a name on a page by what `change` makes of it.
///
/// # Errors
/// If the page cannot be read or written, or does not have the marks.
pub fn change_table(page: &Path, name: &str, change: impl FnOnce(&str) -> String) -> Result<()> {
    let marks = [
        format!("<!-- {name} -->\n"),
        format!("<!-- end of {name} -->"),
    ];
    let text =
        fs::read_to_string(page).with_context(|| format!("cannot read {}", page.display()))?;
    let parts = text.split_once(&marks[0]).and_then(|(before, rest)| {
        let (table, after) = rest.split_once(&marks[1])?;
        Some((before, table, after))
    });
    let (before, table, after) =
        parts.with_context(|| format!("{} has no marks of `{name}`", page.display()))?;
    let text = [before, &marks[0], &change(table), &marks[1], after].concat();
    fs::write(page, text).with_context(|| format!("cannot write {}", page.display()))
}

/// A number with commas between thousands.
pub fn grouped(number: u64) -> String {
    if number < 1000 {
        return number.to_string();
    }
    format!("{},{:03}", grouped(number / 1000), number % 1000)
}
