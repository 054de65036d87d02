//! Formats that robots are written in.

use featherline::words::Words;
use std::path::Path;

/// A format that robots are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// URDF, and an SRDF beside it.
    Urdf,
    /// MJCF, of MuJoCo.
    Mjcf,
    /// A [model file](crate::model_file).
    ModelFile,
}

/// Each word is also the extension of a file.
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
    /// The format that the extension of a file says, whatever its case.
    ///
    /// ```
    /// use featherline_formats::FileFormat;
    ///
    /// assert_eq!(FileFormat::of_path("robots/arm.xml"), Some(FileFormat::Mjcf));
    /// assert_eq!(FileFormat::of_path("arm.step"), None);
    /// ```
    pub fn of_path(path: impl AsRef<Path>) -> Option<Self> {
        Self::from_word(path.as_ref().extension()?.to_str()?).ok()
    }

    /// Whether a file says that its base floats; a URDF leaves it to an option of reading.
    pub fn says_floating_base(self) -> bool {
        self != Self::Urdf
    }
}
