//! Robot description files, read into [`featherline::Model`]s.
//!
//! ```toml
//! [dependencies] # from a clone beside your crate; once published: featherline-formats = "0.2"
//! featherline-formats = { path = "../featherline/crates/featherline-formats" }
//! ```
//!
//! [`load`] reads a robot of any format, which it recognises by the content:
//!
//! * [`urdf`]: URDF, the Unified Robot Description Format.
//! * [`mjcf`]: MJCF, the format of MuJoCo, with the files that it includes.
//! * [`srdf`]: SRDF, groups, states and pairs that do not collide, added to a robot of a URDF.
//! * [`model_file`]: models saved as JSON, with everything that a model has.
//! * `scene`: scenes in TOML, of robots, free bodies and a ground (the feature `scene`, which is on
//!   by default).
//!
//! [`urdf::to_string`], [`mjcf::to_string`] and [`srdf::to_string`] write a description, and name
//! what the format can't express; [`Robot::to_files`] writes a robot for a file of a
//! [`FileFormat`]; [`Difference`] says what two robots do not have in common.
//! [`check`] lists all that is found about a robot; [`repair`] proposes edits that mend a file.
//! A text written in xacro is expanded first, with the [arguments](LoadOptions::xacro_argument)
//! that it takes. Positions are then those of the expanded text.
//!
//! A robot has its model, the [`description`] that the file states, and warnings. Every error and
//! every warning has its position in the file. Nothing is dropped silently: what a file states and
//! a model has no use for is a warning.
//!
//! ```
//! let text = r#"
//!     <robot name="pendulum">
//!       <link name="base"/>
//!       <link name="rod">
//!         <inertial>
//!           <origin xyz="0 0 -0.5"/>
//!           <mass value="1"/>
//!           <inertia ixx="0.08" ixy="0" ixz="0" iyy="0.08" iyz="0" izz="0.001"/>
//!         </inertial>
//!       </link>
//!       <joint name="hinge" type="continuous">
//!         <parent link="base"/> <child link="rod"/> <axis xyz="0 1 0"/>
//!       </joint>
//!     </robot>"#;
//! let robot = featherline_formats::load_str(text)?;
//! assert_eq!(robot.model.nv(), 1);
//! assert!(robot.warnings.is_empty());
//! # Ok::<(), featherline_formats::Error>(())
//! ```

pub mod check;
mod conversion;
pub mod description;
mod diagnostic;
mod difference;
mod digits;
mod document;
mod error;
mod file;
mod file_format;
mod load;
mod location;
pub mod mjcf;
pub mod model_file;
mod options;
pub mod plausibility;
mod principal;
pub mod repair;
mod report;
mod resolve;
#[cfg(feature = "scene")]
pub mod scene;
mod sources;
pub mod srdf;
mod suggestion;
pub mod urdf;
mod value;
mod warning;
mod written;
mod xacro;
mod xml;

pub use description::{Description, Robot};
pub use difference::{Difference, Missing, QuantityDifference};
pub use error::{Error, ErrorCause};
pub use file_format::FileFormat;
pub use load::{load, load_str, load_str_with, load_with};
pub use location::{Location, Position, Span};
pub use options::{
    Continuous, LoadOptions, MimicJoints, MissingInertia, NamedRobot, RobotLibrary, SiblingOrder,
};
pub use warning::{Severity, Warning, WarningCause};
pub use written::{Written, WrittenFile};
pub use xml::XmlRefusal;
