//! Tables without lines, as wide as their cells.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use std::ops::Range;

/// A table with headings, if there are any.
pub fn plain(headings: impl IntoIterator<Item = impl Into<Cell>>) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled);
    let headings: Vec<Cell> = headings.into_iter().map(Into::into).collect();
    if !headings.is_empty() {
        table.set_header(headings);
    }
    table
}

/// Aligns numbers in these columns, of those that there are.
pub fn align_numbers(table: &mut Table, columns: Range<usize>) {
    let width = columns.end - columns.start;
    for column in table.column_iter_mut().skip(columns.start).take(width) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}
