//! Pictures of patterns.

use featherline_sparse::Sparsity;
use std::fmt::Write;
use svg::Document;
use svg::node::element::{Group, Path, Rectangle, Text};

/// A pattern with an order of its rows and columns, and a title.
#[derive(Clone, Debug)]
pub struct SpyPanel<'a> {
    /// What stands above it.
    pub title: String,
    /// The pattern.
    pub pattern: &'a Sparsity,
    /// Which row stands at each height; rows that are not named are left out.
    pub rows: Vec<usize>,
    /// Which column stands at each width.
    pub columns: Vec<usize>,
}

/// Patterns next to each other as an SVG: one square for each entry.
///
/// ```
/// use featherline_system::{SpyPanel, Sparsity, spy_plot};
///
/// let pattern = Sparsity::new(2, 2, [(0, 0), (1, 0), (1, 1)])?;
/// let panel = SpyPanel { title: "as it is".to_owned(), pattern: &pattern, rows: vec![0, 1], columns: vec![0, 1] };
/// let picture = spy_plot(&[panel]);
/// assert!(picture.starts_with("<svg") && picture.contains("as it is"));
/// # Ok::<(), featherline_system::SparsityError>(())
/// ```
pub fn spy_plot(panels: &[SpyPanel<'_>]) -> String {
    const SIDE: f64 = 600.0;
    const MARGIN: f64 = 20.0;
    const TITLE: f64 = 30.0;
    let width = panels.len() as f64 * (SIDE + 2.0 * MARGIN);
    let height = SIDE + 2.0 * MARGIN + TITLE;
    let background = Rectangle::new()
        .set("width", "100%")
        .set("height", "100%")
        .set("fill", "#ffffff");
    let mut document = Document::new()
        .set("viewBox", (0, 0, width, height))
        .set("width", width)
        .set("height", height)
        .add(background);
    for (k, panel) in panels.iter().enumerate() {
        let longest = panel.rows.len().max(panel.columns.len()).max(1);
        let scale = SIDE / longest as f64;
        let mut row_at = vec![None; panel.pattern.rows()];
        for (at, &row) in panel.rows.iter().enumerate() {
            row_at[row] = Some(at);
        }
        let mut column_at = vec![None; panel.pattern.columns()];
        for (at, &column) in panel.columns.iter().enumerate() {
            column_at[column] = Some(at);
        }
        let mut squares = String::new();
        for (row, column) in panel.pattern.iter() {
            if let (Some(y), Some(x)) = (row_at[row], column_at[column]) {
                // Writing to a string cannot fail.
                let _ = write!(squares, "M{x} {y}h1v1h-1z");
            }
        }
        let frame = Rectangle::new()
            .set("width", panel.columns.len())
            .set("height", panel.rows.len())
            .set("fill", "#ffffff")
            .set("stroke", "#888888")
            .set("stroke-width", 1.0 / scale);
        let entries = Path::new().set("d", squares).set("fill", "#1f4e79");
        let left = MARGIN + k as f64 * (SIDE + 2.0 * MARGIN);
        let place = format!("translate({left} {}) scale({scale})", MARGIN + TITLE);
        let title = Text::new(panel.title.as_str())
            .set("x", left)
            .set("y", MARGIN + TITLE / 2.0)
            .set("font-family", "sans-serif")
            .set("font-size", 16)
            .set("fill", "#333333");
        document = document
            .add(title)
            .add(Group::new().set("transform", place).add(frame).add(entries));
    }
    document.to_string()
}
