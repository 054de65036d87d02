//! Pictures of patterns: of the equations, the mass matrix, its factor, and of maximal coordinates.

use crate::names::coordinate_name;
use crate::requested::Label;
use crate::system::System;
use featherline::Model;
use featherline::kernel::elimination_tree;
use featherline::model::JointId;
use featherline_sparse::{DulmageMendelsohn, Sparsity};
use std::sync::Arc;
use svg::Document;
use svg::node::element::{Group, Rectangle, Text, Title};

/// The side of a panel, in pixels.
const SIDE: u32 = 600;

/// The pattern of a matrix, as a picture in SVG or in text.
///
/// | matrix | of | source |
/// |---|---|---|
/// | [`system`](Self::system) | D of D y = b, and its block triangular form | Nori 2017 |
/// | [`mass_matrix`](Self::mass_matrix) | the joint-space mass matrix H: zero between branches | Featherstone 2008, section 6.4 |
/// | [`ltdl`](Self::ltdl) | L of H = LᵀDL, which fills in nowhere on a tree | Featherstone 2008, section 6.5 |
/// | [`kkt`](Self::kkt) | masses and constraints of maximal coordinates, from the leaves to the root | Baraff 1996 |
///
/// All but the first follow from the robot alone.
///
/// ```
/// use featherline::samples;
/// use featherline_system::SparsityPicture;
///
/// let picture = SparsityPicture::mass_matrix(&samples::double_pendulum());
/// assert_eq!(picture.text(), "■ ■\n■ ■\n");
/// assert!(picture.svg().starts_with("<svg") && picture.svg().contains("elbow"));
/// assert_eq!(picture.summary(), "2 coordinates: 3 of 3 elements of the lower triangle");
/// ```
#[derive(Clone, Debug)]
pub struct SparsityPicture {
    summary: String,
    pattern: Arc<Sparsity>,
    rows: Vec<Name>,
    columns: Vec<Name>,
    panels: Vec<Panel>,
}

/// The name of a row or column, and the part of it that neighbours share.
#[derive(Clone, Debug)]
struct Name {
    group: String,
    full: String,
}

impl Name {
    fn of(label: Label) -> Self {
        Self {
            group: format!("{} {}", label.what, label.name),
            full: label.to_string(),
        }
    }

    fn plain(name: String) -> Self {
        Self {
            group: name.clone(),
            full: name,
        }
    }
}

/// An order of rows and columns, and a title.
#[derive(Clone, Debug)]
struct Panel {
    title: String,
    rows: Vec<usize>,
    columns: Vec<usize>,
}

impl SparsityPicture {
    /// The entries of the equations as they are, and permuted to block triangular form.
    pub fn system(system: &System) -> Self {
        let pattern = system.sparsity();
        let parts = DulmageMendelsohn::new(pattern);
        let blocks = Panel {
            title: format!(
                "block triangular: {} blocks, the largest of {}",
                parts.blocks().len(),
                parts.largest_block()
            ),
            rows: parts.row_order(),
            columns: parts.column_order(),
        };
        let mut picture = Self::new(
            system.model().name(),
            format!(
                "{} rows, {} columns: {} entries",
                pattern.rows(),
                pattern.columns(),
                pattern.entries()
            ),
            pattern.clone(),
            (0..).map_while(|row| system.row_label(row).map(Name::of)),
        );
        let columns = (0..).map_while(|column| system.column_label(column).map(Name::of));
        picture.columns = columns.collect();
        picture.panels.push(blocks);
        picture
    }

    /// The mass matrix H: two coordinates couple where some body moves with both.
    pub fn mass_matrix(model: &Model) -> Self {
        let (n, dense) = (model.nv(), triangle(model.nv()));
        let pattern = square(n, couplings(model));
        let below = pattern.iter().filter(|(i, j)| j <= i).count();
        let summary = format!("{n} coordinates: {below} of {dense} elements of the lower triangle");
        Self::of_coordinates(model, summary, pattern)
    }

    /// The factor L of H = LᵀDL, its diagonal included: row k has an element for each ancestor of
    /// k. The summary also has the elements that the factorisation reads or writes: in step k, for
    /// the last coordinate first, the triangle of k and its ancestors (Featherstone 2008, table
    /// 6.3).
    ///
    /// ```
    /// use featherline::joint::JointKind;
    /// use featherline::model::{JointSpec, ModelBuilder};
    /// use featherline::spatial::{Inertia, Se3};
    /// use featherline_system::SparsityPicture;
    ///
    /// // Seven bodies: each but the leaves carries two.
    /// let mut builder = ModelBuilder::new("branched");
    /// let mut joints = vec![ModelBuilder::UNIVERSE];
    /// for k in 1..=7 {
    ///     let parent = joints[k / 2];
    ///     let joint = JointSpec::new(format!("joint_{k}"), parent, JointKind::revolute_z());
    ///     joints.push(builder.add_joint(joint));
    ///     builder.add_body(joints[k], format!("body_{k}"), Se3::identity(), Inertia::sphere(1.0, 0.1));
    /// }
    /// let model = builder.build()?.model;
    /// let summary = SparsityPicture::ltdl(&model).summary().to_owned();
    /// assert!(summary.contains("17 of 28 elements"));
    /// assert!(summary.contains("the first step touches 6 of 28"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ltdl(model: &Model) -> Self {
        let n = model.nv();
        let tree = elimination_tree(model);
        let entries = (0..n).flat_map(|k| tree.ancestors(k).chain([k]).map(move |i| (k, i)));
        let pattern = square(n, entries);
        let touched = |k: usize| triangle(tree.level(k) + 1);
        let first = n.checked_sub(1).map_or(0, touched);
        let summary = format!(
            "{n} coordinates: {} of {dense} elements of the lower triangle; the first step touches \
             {first} of {dense}, all steps {} of {}",
            pattern.entries(),
            (0..n).map(touched).sum::<usize>(),
            (1..=n).map(triangle).sum::<usize>(),
            dense = triangle(n),
        );
        Self::of_coordinates(model, summary, pattern)
    }

    /// The matrix \[M Cᵀ; C 0\] of maximal coordinates, in which each body moves by itself: from
    /// the leaves to the root the six rows of a body's mass, then those of the joint that holds it.
    ///
    /// For a chain the matrix is a band. On a tree a body may be far from the one that carries it.
    /// A joint that closes a loop couples bodies of two branches. Source: Baraff, *Linear-time
    /// dynamics using Lagrange multipliers*, 1996.
    pub fn kkt(model: &Model) -> Self {
        let (mut names, mut entries) = (Vec::new(), Vec::new());
        let mut body_at = vec![None; model.joints().len()];
        let mut constraints: Vec<(usize, usize, Vec<JointId>)> = Vec::new();
        let mut open: Vec<_> = model.loop_joints().iter().collect();
        for id in model.joint_ids().rev() {
            let (joint, first) = (model.joint(id), names.len());
            body_at[id.index()] = Some(first);
            names.extend((0..6).map(|_| Name::plain(format!("body of {}", joint.name))));
            entries.extend((0..36).map(|k| (first + k / 6, first + k % 6)));
            let mut held = vec![id, joint.parent];
            if let Some(mimic) = &joint.mimic {
                held.extend([mimic.source, model.joint(mimic.source).parent]);
            }
            let mut hold = |name: &str, freedoms: usize, bodies: Vec<JointId>| {
                let (first, rows) = (names.len(), 6 - freedoms.min(6));
                names.extend((0..rows).map(|_| Name::plain(format!("joint {name}"))));
                constraints.push((first, rows, bodies));
            };
            hold(&joint.name, joint.nv, held);
            // Behind the later of the two bodies that it joins.
            open.retain(|closing| {
                let bodies = [closing.predecessor, closing.successor];
                let is_listed = |body: &JointId| *body >= id || *body == JointId::UNIVERSE;
                let is_due = bodies.iter().all(is_listed);
                if is_due {
                    hold(&closing.name, closing.kind.nv(), bodies.to_vec());
                }
                !is_due
            });
        }
        for (first, rows, bodies) in constraints {
            for start in bodies.iter().filter_map(|body| body_at[body.index()]) {
                for k in 0..6 * rows {
                    let (row, column) = (first + k / 6, start + k % 6);
                    entries.extend([(row, column), (column, row)]);
                }
            }
        }
        let width = entries.iter().map(|&(row, column)| row.abs_diff(column));
        let summary = format!(
            "{} rows: {} entries, all within {} of the diagonal",
            names.len(),
            entries.len(),
            width.max().unwrap_or(0)
        );
        Self::new(model.name(), summary, square(names.len(), entries), names)
    }

    fn of_coordinates(model: &Model, summary: String, pattern: Arc<Sparsity>) -> Self {
        let names = (0..model.nv()).map(|k| Name::plain(coordinate_name(model, k)));
        Self::new(model.name(), summary, pattern, names)
    }

    fn new(
        robot: &str,
        summary: String,
        pattern: Arc<Sparsity>,
        names: impl IntoIterator<Item = Name>,
    ) -> Self {
        let rows: Vec<Name> = names.into_iter().collect();
        let panel = Panel {
            title: format!("{robot}: {summary}"),
            rows: (0..pattern.rows()).collect(),
            columns: (0..pattern.columns()).collect(),
        };
        Self {
            summary,
            columns: rows.clone(),
            rows,
            panels: vec![panel],
            pattern,
        }
    }

    /// How many entries there are.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// Where the matrix may differ from zero.
    pub fn pattern(&self) -> &Sparsity {
        &self.pattern
    }

    /// The matrix in a terminal: ■ for an entry, · for none.
    pub fn text(&self) -> String {
        let line = |row: usize| {
            let entry = |column| match self.pattern.position(row, column) {
                Some(_) => "■",
                None => "·",
            };
            let entries: Vec<_> = (0..self.pattern.columns()).map(entry).collect();
            entries.join(" ") + "\n"
        };
        (0..self.pattern.rows()).map(line).collect()
    }

    /// An SVG, with the names of rows and columns beside the matrix. One square for each entry,
    /// whose name shows where the pointer rests on it.
    pub fn svg(&self) -> String {
        const NAMES: f64 = 260.0;
        const MARGIN: f64 = 20.0;
        const TITLE: f64 = 30.0;
        let width = NAMES + self.panels.len() as f64 * (f64::from(SIDE) + 2.0 * MARGIN);
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
        for (k, panel) in self.panels.iter().enumerate() {
            let left = NAMES + MARGIN + k as f64 * (f64::from(SIDE) + 2.0 * MARGIN);
            let top = NAMES + MARGIN + TITLE;
            // A single panel has room for its title above the names of rows, too.
            let title = Text::new(panel.title.as_str())
                .set("x", if self.panels.len() == 1 { MARGIN } else { left })
                .set("y", MARGIN + TITLE / 2.0)
                .set("font-size", 16)
                .set("fill", "#333333");
            let place = format!("translate({left} {top})");
            let mut group = panel.entries(self);
            if k == 0 {
                group = panel.names(group, [&self.rows, &self.columns]);
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
    fn entries(&self, picture: &SparsityPicture) -> Group {
        let scale = self.scale();
        let mut column_at = vec![0; picture.columns.len()];
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
            for &column in picture.pattern.row(row) {
                let (equation, unknown) = (&picture.rows[row].full, &picture.columns[column].full);
                let name = format!("{equation} · {unknown}");
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

    /// The names of rows on the left and columns above, one a run, where there is room.
    fn names(&self, mut group: Group, [rows, columns]: [&[Name]; 2]) -> Group {
        let scale = self.scale();
        for (names, turn) in [(rows, ""), (columns, "rotate(-90) ")] {
            let mut first = 0;
            for run in names.chunk_by(|a, b| a.group == b.group) {
                let size = (0.8 * scale * run.len() as f64).min(11.0);
                let middle = scale * (first as f64 + 0.5 * run.len() as f64);
                first += run.len();
                if size < 3.0 {
                    continue;
                }
                let baseline = middle + 0.35 * size;
                let (place, anchor) = match turn {
                    "" => (format!("translate(-6 {baseline})"), "end"),
                    _ => (format!("translate({baseline} -6) {turn}"), "start"),
                };
                let name = Text::new(run[0].group.as_str())
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

/// The pairs of coordinates with which some body moves, either way round, some of them several
/// times: H_ij is a sum over the bodies that both move (Featherstone 2008, section 6.2). A mimic
/// joint moves its body with the coordinates of the joint that it mimics.
fn couplings(model: &Model) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for body in model.joint_ids() {
        let joints = model.support(body).map(|id| model.joint(id));
        let moving = joints.flat_map(|joint| joint.idx_v..joint.idx_v + joint.kind.nv());
        let moving: Vec<usize> = moving.collect();
        for &i in &moving {
            pairs.extend(moving.iter().map(|&j| (i, j)));
        }
    }
    pairs
}

/// The elements of the lower triangle of n rows, its diagonal included.
fn triangle(n: usize) -> usize {
    n * (n + 1) / 2
}

fn square(n: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> Arc<Sparsity> {
    // The entries are inside.
    Arc::new(Sparsity::new(n, n, entries).expect("inside"))
}
