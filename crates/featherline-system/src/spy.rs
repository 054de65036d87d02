//! Pictures of the equations' pattern.

use crate::requested::describe_column;
use crate::system::{Equation, System};
use featherline::model::JointId;
use featherline_sparse::DulmageMendelsohn;
use svg::Document;
use svg::node::element::{Group, Rectangle, Text, Title};

/// The side of a panel, in pixels.
const SIDE: u32 = 600;

/// An order of rows and columns, and a title.
struct Panel {
    title: String,
    rows: Vec<usize>,
    columns: Vec<usize>,
}

impl System {
    /// The entries of the equations as an SVG: as they are, with the names of rows and columns
    /// beside them, and permuted to block triangular form. One square for each entry, whose name
    /// shows where the pointer rests on it.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{Problem, System};
    ///
    /// let system = System::new(Problem::inverse_dynamics(samples::double_pendulum()))?;
    /// let picture = system.spy_plot();
    /// assert!(picture.starts_with("<svg") && picture.contains("forces on elbow"));
    /// # Ok::<(), featherline_system::SystemError>(())
    /// ```
    pub fn spy_plot(&self) -> String {
        const NAMES: f64 = 260.0;
        const MARGIN: f64 = 20.0;
        const TITLE: f64 = 30.0;
        let pattern = self.sparsity();
        let parts = DulmageMendelsohn::new(pattern);
        let panels = [
            Panel {
                title: format!("{}: {} entries", self.model().name(), pattern.entries()),
                rows: (0..pattern.rows()).collect(),
                columns: (0..pattern.columns()).collect(),
            },
            Panel {
                title: format!(
                    "block triangular: {} blocks, the largest of {}",
                    parts.blocks().len(),
                    parts.largest_block()
                ),
                rows: parts.row_order(),
                columns: parts.column_order(),
            },
        ];
        let rows: Vec<String> = (0..pattern.rows())
            .map(|row| name_of_row(self, row))
            .collect();
        let columns: Vec<String> = (0..pattern.columns())
            .map(|column| describe_column(self, column))
            .collect();
        let width = NAMES + panels.len() as f64 * (f64::from(SIDE) + 2.0 * MARGIN);
        let height = f64::from(SIDE) + NAMES + 2.0 * MARGIN + TITLE;
        let background = Rectangle::new()
            .set("width", "100%")
            .set("height", "100%")
            .set("fill", "#ffffff");
        let mut document = Document::new()
            .set("viewBox", (0, 0, width, height))
            .set("width", width)
            .set("height", height)
            .set("font-family", "sans-serif")
            .add(background);
        for (k, panel) in panels.iter().enumerate() {
            let left = NAMES + MARGIN + k as f64 * (f64::from(SIDE) + 2.0 * MARGIN);
            let top = NAMES + MARGIN + TITLE;
            let title = Text::new(panel.title.as_str())
                .set("x", left)
                .set("y", MARGIN + TITLE / 2.0)
                .set("font-size", 16)
                .set("fill", "#333333");
            let place = format!("translate({left} {top})");
            let mut group = panel.entries(self, [&rows, &columns]);
            if k == 0 {
                group = panel.names(group, [&rows, &columns]);
            }
            document = document.add(title).add(group.set("transform", place));
        }
        document.to_string()
    }
}

impl Panel {
    /// Pixels for each row and column.
    fn scale(&self) -> f64 {
        f64::from(SIDE) / self.rows.len().max(self.columns.len()).max(1) as f64
    }

    /// A square for each entry, with its name.
    fn entries(&self, system: &System, [rows, columns]: [&[String]; 2]) -> Group {
        let scale = self.scale();
        let mut column_at = vec![0; columns.len()];
        for (at, &column) in self.columns.iter().enumerate() {
            column_at[column] = at;
        }
        let frame = Rectangle::new()
            .set("width", scale * self.columns.len() as f64)
            .set("height", scale * self.rows.len() as f64)
            .set("fill", "#ffffff")
            .set("stroke", "#888888");
        let mut group = Group::new().add(frame);
        for (y, &row) in self.rows.iter().enumerate() {
            for &column in system.sparsity().row(row) {
                let name = format!("{} · {}", rows[row], columns[column]);
                let entry = Rectangle::new()
                    .set("x", scale * column_at[column] as f64)
                    .set("y", scale * y as f64)
                    .set("width", scale)
                    .set("height", scale)
                    .set("fill", "#1f4e79");
                group = group.add(entry.add(Title::new(name)));
            }
        }
        group
    }

    /// The names of rows on the left and of columns above, one for each run of equal ones, where
    /// there is room for it.
    fn names(&self, mut group: Group, [rows, columns]: [&[String]; 2]) -> Group {
        let scale = self.scale();
        for (names, turn) in [(rows, ""), (columns, "rotate(-90) ")] {
            let mut first = 0;
            for run in names.chunk_by(|a, b| of_component(a) == of_component(b)) {
                let size = (0.8 * scale * run.len() as f64).min(11.0);
                let middle = scale * (first as f64 + 0.5 * run.len() as f64);
                first += run.len();
                if size < 3.0 {
                    continue;
                }
                let (place, anchor) = match turn {
                    "" => (format!("translate(-6 {})", middle + 0.35 * size), "end"),
                    _ => (
                        format!("translate({} -6) {turn}", middle + 0.35 * size),
                        "start",
                    ),
                };
                let name = Text::new(of_component(&run[0]))
                    .set("transform", place)
                    .set("text-anchor", anchor)
                    .set("font-size", size)
                    .set("fill", "#333333");
                group = group.add(name);
            }
        }
        group
    }
}

/// A row in words, with its component.
fn name_of_row(system: &System, row: usize) -> String {
    let axes = [
        "along x", "along y", "along z", "about x", "about y", "about z",
    ];
    let of = |what: &str, joint: JointId, component: usize| {
        let body = &system.model().joint(joint).name;
        format!("{what} {body} {}", axes[component])
    };
    match system.equations().at(row) {
        Some(Equation::Motion { joint, component }) => of("acceleration of", joint, component),
        Some(Equation::Force { joint, component }) => of("forces on", joint, component),
        _ => system.describe_row(row).unwrap_or_default(),
    }
}

/// A name without the component that follows it.
fn of_component(name: &str) -> &str {
    let ends = [", ", " along ", " about "].map(|word| name.find(word));
    &name[..ends.into_iter().flatten().min().unwrap_or(name.len())]
}
