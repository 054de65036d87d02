//! Robot description files, read into [`featherline::Model`]s.
//!
//! * [`urdf`]: URDF, the Unified Robot Description Format.
//! * [`model_file`]: models saved as JSON, with everything that a model has.
//!
//! Every error and every warning has its position in the file. Nothing is dropped silently: what a
//! file states and a model has no use for is a warning. Meshes are never opened.
//!
//! ```
//! use featherline_formats::urdf;
//!
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
//! let robot = urdf::read_str(text)?;
//! assert_eq!(robot.model.nv(), 1);
//! assert!(robot.warnings.is_empty());
//! # Ok::<(), urdf::UrdfError>(())
//! ```

mod file;
mod location;
pub mod model_file;
pub mod urdf;
mod xml;

pub use file::Unreadable;
pub use location::{Location, Position};
pub use xml::XmlRefusal;
