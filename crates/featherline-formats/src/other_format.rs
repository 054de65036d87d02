//! Formats of robots that are not read, and what converts them.

use std::fmt;
use std::path::Path;

/// The format of a robot's file that is not read, as text the program that converts it.
///
/// ```
/// use featherline_formats::{ErrorCause, OtherFormat, load_str};
///
/// let error = load_str("#usda 1.0").unwrap_err();
/// assert!(matches!(error.cause(), ErrorCause::OtherFormat(OtherFormat::Usd)));
/// assert!(error.to_string().contains("usd_to_urdf"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherFormat {
    /// USD, Universal Scene Description: as text, binary or packed.
    Usd,
    /// SDF, the format of Gazebo.
    Sdf,
}

impl OtherFormat {
    /// The format of what an element of XML is the root of.
    pub(crate) fn of_root(tag: &str) -> Option<Self> {
        ["sdf", "gazebo", "world"]
            .contains(&tag)
            .then_some(Self::Sdf)
    }

    /// The format of what is no XML, by its beginning and the name of its file.
    pub(crate) fn of(beginning: &str, path: Option<&Path>) -> Option<Self> {
        let beginning = beginning.trim_start_matches('\u{feff}').trim_start();
        if ["#usda", "PXR-USDC"]
            .iter()
            .any(|it| beginning.starts_with(it))
        {
            return Some(Self::Usd);
        }
        let extension = path?.extension()?.to_str()?.to_ascii_lowercase();
        let is_named = ["usd", "usda", "usdc", "usdz"].contains(&extension.as_str());
        (is_named && !beginning.starts_with(['<', '{'])).then_some(Self::Usd)
    }
}

impl fmt::Display for OtherFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Usd => {
                "this is USD, and URDF, xacro, MJCF and model files are read; convert it to URDF by `usd_to_urdf` \
                 (`pip install nvidia-srl-usd-to-urdf`) or by the URDF exporter of Isaac Sim"
            }
            Self::Sdf => {
                "this is SDF, Gazebo's format, and URDF, xacro, MJCF and model files are read; convert it to MJCF by \
                 `sdf2mjcf` (`pip install sdformat-mjcf`), or load the URDF that it was made from"
            }
        })
    }
}
