//! Repairs of robot files, as edits of what has to change in their text: comments, order and layout
//! stay.
//!
//! [`propose`] reads a robot, proposes a repair of what is wrong or doubtful, applies it in memory
//! and reads again, until nothing more is proposed. It also works on a file that
//! [`load`](crate::load) refuses. Nothing is written.
//!
//! | code | repair |
//! |---|---|
//! | `duplicate-name` | the second of two parts of one name gets a suffix, references keep the first; a copy, word for word, is removed |
//! | `axis-length`, `quaternion-length` | divided by their length |
//! | `inertia-not-positive`, `triangle-inequality` | the nearest moments that a body can have |
//! | `massless-inertia` | the inertia of the link's shapes, or no `<inertial>` |
//! | `zero-mass` | the inertia of the link's shapes |
//! | `no-inertia`, `moves-nothing`, `missing-element` | the inertia of the link's shapes, at a density, unless an element is misspelt |
//! | `empty-range` | the two limits change places |
//! | `no-limit` | a revolute joint without limits is continuous |
//! | `unknown-joint-type` | the type that a misspelt one can only mean |
//! | `unknown-mimicked` | the name of the joint that differs by a prefix alone, or that is clearly the most similar |
//! | `unknown-name` | a constraint in `<equality>` of a part that does not exist is removed, if no name is similar |
//! | `misspelt-attribute`, `misspelt-element` | renamed to the one that it can only mean |
//! | `mesh-folder` | relative names of files, if the text is written to [another folder](RepairOptions::folder) |
//! | `not-a-number` | commas become decimal points, or blanks |
//!
//! Of a text in xacro, repairs are those of its expansion. Problems whose repair needs a choice are
//! only reported: an axis of zero length, a limit of zero, a limit that is not stated, joints that
//! mimic each other in a circle. A repair that makes something else wrong is not proposed, apart
//! from warnings of what is read once it is spelt right.
//!
//! ```
//! use featherline_formats::repair::{RepairOptions, propose_str};
//!
//! let text = "<robot name='door'>
//!   <link name='frame'/> <link name='leaf'/> <!-- oak -->
//!   <joint name='hinge' type='revolute'>
//!     <parent link='frame'/> <child link='leaf'/> <axis xyz='0 0 2'/>
//!     <limit lower='1.5' upper='0' effort='10' velocity='1'/>
//!   </joint>
//! </robot>";
//! let repairs = propose_str(text, &RepairOptions::new())?;
//! let codes: Vec<_> = repairs.repairs.iter().map(|it| it.code).collect();
//! assert_eq!(codes, ["empty-range", "axis-length"]);
//! let repaired = repairs.apply();
//! assert!(repaired.contains("<axis xyz='0 0 1'/>") && repaired.contains("lower='0' upper='1.5'"));
//! assert!(repaired.contains("<!-- oak -->"));
//! # Ok::<(), featherline_formats::Error>(())
//! ```

mod directions;
mod folder;
mod inertia;
mod joints;
mod ledger;
mod names;
mod proposal;
mod round;
mod rounds;
mod shapes;
mod spelling;

pub use inertia::possible_moments;

use crate::description::{Robot, SourceText};
use crate::document::read_file;
use crate::error::Error;
use crate::location::{Location, Position};
use crate::options::LoadOptions;
use crate::warning::Severity;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// How to repair a robot.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RepairOptions {
    /// How to read it.
    pub load: LoadOptions,
    /// The density of shapes where an inertia follows from them, in kg/m³.
    pub density: f64,
    /// The folder that the repaired text is written to, if it is not the file's own: relative names
    /// of meshes and textures are named from there.
    pub folder: Option<PathBuf>,
}

impl Default for RepairOptions {
    fn default() -> Self {
        Self {
            load: LoadOptions::default(),
            density: 1000.0,
            folder: None,
        }
    }
}

impl RepairOptions {
    /// The default options of reading, and the density of water.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how to read the robot.
    pub fn load(mut self, options: LoadOptions) -> Self {
        self.load = options;
        self
    }

    /// Sets the density of shapes where an inertia follows from them, in kg/m³.
    pub fn density(mut self, density: f64) -> Self {
        self.density = density;
        self
    }

    /// Sets the folder that the repaired text is written to.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }
}

/// A repair of one problem.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Repair {
    /// The code of the problem, such as `no-limit`; that of the
    /// [error](crate::ErrorCause::code) or [warning](crate::WarningCause::code), if there is one.
    pub code: &'static str,
    /// How much the problem matters.
    pub severity: Severity,
    /// The problem, the repair, and the reason for it.
    pub reason: String,
    /// Where the problem is, in the text as it was.
    pub location: Location,
    /// The edits, in the order of the text. None if the edits of an earlier repair comprise them.
    pub edits: Vec<Edit>,
}

/// A piece of a text that is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edit {
    /// The index of the file among [`Repairs::files`].
    pub file: usize,
    /// The piece, in bytes of the text as it was; empty where something is inserted.
    pub range: Range<usize>,
    /// The position of its first character.
    pub start: Position,
    /// The position behind its last character.
    pub end: Position,
    /// The text that replaces it.
    pub text: String,
}

/// The repairs of the files of a robot, and their result.
#[derive(Debug)]
#[non_exhaustive]
pub struct Repairs {
    /// The files and their texts as they were: the robot's first, then those that it includes.
    pub files: Vec<SourceText>,
    /// The repairs. Edits of all of them do not overlap, and refer to the texts as they were.
    pub repairs: Vec<Repair>,
    /// The result of reading the files with all repairs: the robot with the warnings that remain,
    /// or the error that no repair is known for.
    pub outcome: Result<Robot, Error>,
    /// Whether the robot's file is written in xacro: then its text here is what it expands to, and
    /// the repairs are made in the file by hand.
    pub is_expanded: bool,
}

impl Repairs {
    /// The text of the robot's file with all repairs.
    pub fn apply(&self) -> String {
        self.text(0, self.repairs.len())
    }

    /// The text of a file with the first `count` repairs.
    ///
    /// # Panics
    /// If `file` is not the index of one of the files.
    pub fn text(&self, file: usize, count: usize) -> String {
        let edits = self.repairs.iter().take(count).flat_map(|it| &it.edits);
        let mut edits: Vec<&Edit> = edits.filter(|it| it.file == file).collect();
        // Of two insertions at one place, the one of the earlier repair comes first.
        edits.sort_by_key(|it| (it.range.start, it.range.end));
        let text = &self.files[file].text;
        let (mut repaired, mut here) = (String::with_capacity(text.len()), 0);
        for edit in edits {
            repaired.push_str(&text[here..edit.range.start]);
            repaired.push_str(&edit.text);
            here = edit.range.end;
        }
        repaired.push_str(&text[here..]);
        repaired
    }

    /// The indices of the files that repairs change.
    pub fn changed(&self) -> Vec<usize> {
        let edits = || self.repairs.iter().flat_map(|it| &it.edits);
        let files = 0..self.files.len();
        files
            .filter(|file| edits().any(|it| it.file == *file))
            .collect()
    }
}

/// Proposes repairs of a robot's file, and of the files that it includes.
///
/// Cost: the file is read twice, and once more for each round in which a repair uncovers another
/// problem. Mesh files are opened where an inertia follows from them.
///
/// ```no_run
/// use featherline_formats::repair::{RepairOptions, propose};
///
/// let repairs = propose("robot.urdf", &RepairOptions::new())?;
/// for repair in &repairs.repairs {
///     println!("{}: {}", repair.location, repair.reason);
/// }
/// std::fs::write("repaired.urdf", repairs.apply())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error`], if the file is no text that can be read. An error in what it says is in
/// [`Repairs::outcome`].
pub fn propose(path: impl AsRef<Path>, options: &RepairOptions) -> Result<Repairs, Error> {
    let path = path.as_ref();
    let main = SourceText::new(read_file(path)?, Some(path));
    Ok(rounds::propose(main, options))
}

/// Proposes repairs of a text.
///
/// # Errors
/// None at present: an error in what the text says is in [`Repairs::outcome`].
pub fn propose_str(text: &str, options: &RepairOptions) -> Result<Repairs, Error> {
    Ok(rounds::propose(SourceText::new(text, None), options))
}
