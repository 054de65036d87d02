//! The table of formats: all that the readers, the writers, the command and Python know of each.

use featherline::words::Words;
use std::fmt;
use std::path::Path;

/// A format of files that robots, or parts of them, are in.
///
/// A new one is a line of the table in this file, an arm where [`load`](crate::load) reads it, and
/// one where [`to_files`](crate::Robot::to_files) writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// URDF, and an SRDF beside it.
    Urdf,
    /// MJCF, of MuJoCo.
    Mjcf,
    /// A [model file](crate::model_file).
    ModelFile,
    /// A program that expands to a URDF.
    Xacro,
    /// Groups, states and pairs beside a URDF.
    Srdf,
    /// A scene of robots, free bodies and a ground, in TOML.
    Scene,
    /// USD, Universal Scene Description: as text, binary or packed.
    Usd,
    /// SDF, the format of Gazebo.
    Sdf,
}

/// A format's row of the table.
struct Entry {
    /// Its name in messages, of several files where it has none of its own.
    title: &'static str,
    /// Words for it, which are also the endings of its files; the first one is its name.
    words: &'static [&'static str],
    /// The root elements of its texts in XML.
    roots: &'static [&'static str],
    /// How its texts begin, if they are not XML.
    beginnings: &'static [&'static str],
    /// How one of their lines begins.
    lines: &'static [&'static str],
    is_read: bool,
    is_written: bool,
    says_floating_base: bool,
    /// Whether a file has what a description states beside the model.
    has_description: bool,
    /// Whether a file has the settings of its own format.
    has_settings: bool,
    /// Its use, in one line.
    summary: &'static str,
    /// The remedy for a file that is not read.
    remedy: &'static str,
}

/// A format without any of this.
const NONE: Entry = Entry {
    title: "",
    words: &[],
    roots: &[],
    beginnings: &[],
    lines: &[],
    is_read: false,
    is_written: false,
    says_floating_base: true,
    has_description: true,
    has_settings: false,
    summary: "",
    remedy: "",
};

/// The formats, in their order.
static TABLE: [Entry; 8] = [
    Entry {
        title: "URDF",
        words: &["urdf"],
        roots: &["robot"],
        is_read: true,
        is_written: true,
        says_floating_base: false,
        summary: "links and joints of one robot, the Unified Robot Description Format of ROS",
        ..NONE
    },
    Entry {
        title: "MJCF",
        words: &["mjcf", "xml"],
        roots: &["mujoco"],
        is_read: true,
        is_written: true,
        has_settings: true,
        summary: "robots and their surroundings, the format of MuJoCo",
        ..NONE
    },
    Entry {
        title: "model files",
        words: &["json"],
        beginnings: &["{"],
        is_read: true,
        is_written: true,
        has_description: false,
        summary: "a model as JSON, to the last bit",
        ..NONE
    },
    Entry {
        title: "xacro",
        words: &["xacro"],
        is_read: cfg!(feature = "xacro"),
        says_floating_base: false,
        summary: "programs that expand to a URDF, with arguments",
        ..NONE
    },
    Entry {
        title: "SRDF",
        words: &["srdf"],
        says_floating_base: false,
        summary: "groups, states and pairs that do not collide, beside a URDF",
        remedy: "read its URDF, and add this by `with_srdf` (`--srdf FILE`)",
        ..NONE
    },
    Entry {
        title: "scenes in TOML",
        words: &["toml"],
        lines: &["[contact]", "[ground]", "[[robot]]", "[[body]]", "[[pair]]"],
        is_read: cfg!(feature = "scene"),
        summary: "robots, free bodies and a ground",
        remedy: "build with the feature `scene`",
        ..NONE
    },
    Entry {
        title: "USD",
        words: &["usd", "usda", "usdc", "usdz"],
        beginnings: &["#usda", "PXR-USDC"],
        summary: "Universal Scene Description, of Isaac Sim",
        remedy: "convert it to URDF by `usd_to_urdf` (`pip install nvidia-srl-usd-to-urdf`) or by the \
                 URDF exporter of Isaac Sim",
        ..NONE
    },
    Entry {
        title: "SDF, Gazebo's format",
        words: &["sdf"],
        roots: &["sdf", "gazebo", "world"],
        summary: "models and worlds of Gazebo",
        remedy: "convert it to MJCF by `sdf2mjcf` (`pip install sdformat-mjcf`), or load the URDF that it \
                 was made from",
        ..NONE
    },
];

/// The words of formats that robots are written in; each is also the extension of a file.
impl Words for FileFormat {
    const WHAT: &'static str = "format of robot files";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("urdf", Self::Urdf),
        ("mjcf", Self::Mjcf),
        ("xml", Self::Mjcf),
        ("json", Self::ModelFile),
    ];
}

impl FileFormat {
    /// All formats.
    pub const ALL: [Self; 8] = [
        Self::Urdf,
        Self::Mjcf,
        Self::ModelFile,
        Self::Xacro,
        Self::Srdf,
        Self::Scene,
        Self::Usd,
        Self::Sdf,
    ];

    fn entry(self) -> &'static Entry {
        &TABLE[self as usize]
    }

    /// The format that the extension of a file says, whatever its case.
    ///
    /// ```
    /// use featherline_formats::FileFormat;
    ///
    /// assert_eq!(FileFormat::of_path("robots/arm.xml"), Some(FileFormat::Mjcf));
    /// assert_eq!(FileFormat::of_path("arm.step"), None);
    /// ```
    pub fn of_path(path: impl AsRef<Path>) -> Option<Self> {
        let extension = path.as_ref().extension()?.to_str()?;
        let is_of = |it: &Self| it.words().iter().any(|w| w.eq_ignore_ascii_case(extension));
        Self::ALL.into_iter().find(is_of)
    }

    /// The format of a text that is no XML: by how it or one of its lines begins, or by the
    /// extension of its file.
    ///
    /// ```
    /// use featherline_formats::FileFormat;
    ///
    /// assert_eq!(FileFormat::of_text("#usda 1.0", None), Some(FileFormat::Usd));
    /// assert_eq!(FileFormat::of_text("<robot/>", None), None);
    /// ```
    pub fn of_text(text: &str, path: Option<&Path>) -> Option<Self> {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        let begins = |it: &Self| it.entry().beginnings.iter().any(|by| text.starts_with(by));
        if let Some(found) = Self::ALL.into_iter().find(begins) {
            return Some(found);
        }
        if text.starts_with('<') {
            return None;
        }
        let has_line = |it: &Self| {
            let by = it.entry().lines;
            let mut lines = text.lines().map(str::trim_start);
            !by.is_empty() && lines.any(|line| by.iter().any(|by| line.starts_with(by)))
        };
        let by_name = || Self::of_path(path?).filter(|it| !it.is_xml());
        Self::ALL.into_iter().find(has_line).or_else(by_name)
    }

    /// The format whose root element has a tag.
    ///
    /// ```
    /// use featherline_formats::FileFormat;
    ///
    /// assert_eq!(FileFormat::of_root("mujoco"), Some(FileFormat::Mjcf));
    /// ```
    pub fn of_root(tag: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|it| it.entry().roots.contains(&tag))
    }

    /// Its name in messages, such as `MJCF`.
    pub fn title(self) -> &'static str {
        self.entry().title
    }

    /// Its use, in one line.
    pub fn summary(self) -> &'static str {
        self.entry().summary
    }

    /// Words for it, which are also the endings of its files; the first one is its name.
    pub fn words(self) -> &'static [&'static str] {
        self.entry().words
    }

    /// Whether robots are read from it, in this build.
    pub fn is_read(self) -> bool {
        self.entry().is_read
    }

    /// Whether robots are written in it.
    pub fn is_written(self) -> bool {
        self.entry().is_written
    }

    /// Whether a file says that its base floats; a URDF leaves it to an option of reading.
    pub fn says_floating_base(self) -> bool {
        self.entry().says_floating_base
    }

    /// Whether a file has what a description states beside the model, such as shapes.
    pub fn has_description(self) -> bool {
        self.entry().has_description
    }

    /// Whether a file has [settings](crate::description::Setting) in words of its own.
    pub fn has_settings(self) -> bool {
        self.entry().has_settings
    }

    fn is_xml(self) -> bool {
        let Entry {
            beginnings, lines, ..
        } = self.entry();
        beginnings.is_empty() && lines.is_empty()
    }

    /// The message of a file of a format that is not read.
    pub(crate) fn not_read(self) -> impl fmt::Display {
        let read = Self::ALL.into_iter().filter(|it| it.is_read());
        let mut titles: Vec<&str> = read.map(Self::title).collect();
        let last = titles.pop().unwrap_or_default();
        let (others, Entry { title, remedy, .. }) = (titles.join(", "), self.entry());
        format!("this is {title}, and {others} and {last} are read; {remedy}")
    }

    /// The endings of files that are written, and their formats: `urdf for URDF, …`.
    ///
    /// ```
    /// let endings = featherline_formats::FileFormat::endings();
    /// assert_eq!(endings, "urdf for URDF, mjcf or xml for MJCF, json for model files");
    /// ```
    pub fn endings() -> String {
        let written = Self::ALL.into_iter().filter(|it| it.is_written());
        let each = written.map(|it| format!("{} for {}", it.words().join(" or "), it.title()));
        each.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::{FileFormat, TABLE};
    use featherline::words::Words;

    #[test]
    fn each_format_is_a_line_of_the_table() {
        for (index, format) in FileFormat::ALL.into_iter().enumerate() {
            assert_eq!(format as usize, index);
            assert!(!format.summary().is_empty() && !format.words().is_empty());
        }
        assert_eq!(TABLE.len(), FileFormat::Sdf as usize + 1);
        let written = FileFormat::ALL.into_iter().filter(|it| it.is_written());
        let words = written.flat_map(|it| it.words().iter().map(move |word| (*word, it)));
        assert_eq!(words.collect::<Vec<_>>(), FileFormat::WORDS);
    }
}
