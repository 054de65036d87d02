//! MJCF, the format of MuJoCo.
//!
//! The reader follows the format as MuJoCo 4.0 compiles it (Google DeepMind, *MuJoCo XML
//! reference*): mass matrix, bias forces and the order of velocities are MuJoCo's.
//!
//! * The world is the root link, `world`. Each body is a link.
//! * A body without joints hangs on a fixed joint. Of several joints of a body all but the last
//!   lead to links without mass.
//! * The coordinates of a hinge or slide are those of MuJoCo, `ref` included. Quaternions are x, y,
//!   z, w here and w, x, y, z there. A free joint's velocity is given in the moving frame here; in
//!   MuJoCo, its linear part is given in the world.
//! * The configuration at the start is kept under the name `qpos0`, and keyframes under their own.
//! * Parts without a name get one: `body_3`, `joint_5`, `site_2` with MuJoCo's indices; `B_fixed`
//!   for the joint of a body B without joints; `B_before_J` for a link between joints, J being the
//!   next.
//! * `<connect>` and `<weld>` close loops; a linear `<joint>` constraint makes a mimic joint.
//!   MuJoCo's constraints are soft, those of a model are not.
//! * Actuators, tendons, sensors and contact pairs are part of the
//!   [description](crate::description). The rest stays in the words of the file, after defaults:
//!   attributes as [settings](crate::description::Setting) of their part, elements as
//!   [kept](crate::description::KeptElement) ones.
//! * A range is in force as MuJoCo has it: one that is not is a warning where its first number is
//!   not the smaller one, and one that MuJoCo refuses is an error.
//! * `<attach>` reads the model of another file, or one of its bodies, under names with a prefix.
//! * A mesh is opened where the inertia of its body depends on it, and nowhere else.
//!
//! The book's page on MJCF lists every element.
//!
//! # Writing
//!
//! [`to_string`] writes what MuJoCo 4.0 compiles to the same robot.
//!
//! * A root link called `world` or `universe` is the world; any other is a body that is fixed in
//!   it.
//! * Links without mass between joints, which nothing refers to, become joints of one body: MuJoCo
//!   has no moving bodies without mass.
//! * Joints of several degrees of freedom become hinges, slides and balls, one after the other. A
//!   screw is a hinge and a slide that mimics it; a mimic joint is a linear constraint. A floating
//!   joint is free in the world, and three slides and a ball elsewhere.
//! * Shapes that are only visual are in group 2, those that only collide in group 3.
//! * Loops that are points or welds are constraints, named frames sites, and mesh files assets.
//!   Those that MuJoCo does not read, or not all of, become triangles, in the text or in OBJ files:
//!   COLLADA, glTF, STL in ASCII or of more than 200,000 faces, OBJ of several objects or groups.
//! * A property that MJCF can't express is a warning: bounds of velocity and acceleration, ranges
//!   of a single position, cones, textures of other formats, other loops. So is an element that
//!   MuJoCo refuses, which is written anyway.
//! * Settings and elements that were kept are written again, so that MJCF that is read and written
//!   loses nothing. The description counts more than the words of the file: a joint whose stiffness
//!   is changed loses the polynomial that it was read from.
//! * Of `<compiler>`, what still counts is written: `autolimits`, `fusestatic`, `discardvisual`,
//!   `alignfree`, `fitaabb`, `conflict`, `lengthrange`. Inertias are the result of all others.
//! * Files are named by their whole paths, or relative to the new file where they are below its
//!   folder.
//!
//! ```
//! let text = r#"
//!     <mujoco model="pendulum">
//!       <worldbody>
//!         <body name="rod">
//!           <joint name="hinge" axis="0 1 0" range="-90 90"/>
//!           <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.02" mass="1"/>
//!           <site name="tip" pos="0 0 -0.5"/>
//!         </body>
//!       </worldbody>
//!     </mujoco>"#;
//! let robot = featherline_formats::load_str(text)?;
//! assert_eq!(robot.model.nv(), 1);
//! assert_eq!(robot.model.total_mass(), 1.0);
//! assert_eq!(robot.description.frames[0].name, "tip");
//! assert!(robot.warnings.is_empty());
//! # Ok::<(), featherline_formats::Error>(())
//! ```

mod actuator;
mod attach;
mod attributes;
mod body;
mod bounds;
mod compiler;
mod contact;
mod copies;
mod defaults;
mod equality;
mod generated;
mod geom;
mod include;
mod joint;
mod kept;
mod keyframe;
mod mass;
mod mesh;
mod names;
mod orientation;
mod reader;
mod schema;
mod sensor;
mod settings;
mod spring_damper;
mod tendon;
mod write;

pub use write::{to_files, to_string, to_string_beside};

pub(crate) use include::{Texts, documents, gather};
pub(crate) use reader::read;
pub(crate) use schema::{Misspelt, misspelt};
