//! Writing MJCF.

mod actuator;
mod asset;
mod body;
mod contact;
mod converted;
mod equality;
mod geom;
mod inertial;
mod joint;
mod kept;
mod keyframe;
mod moves;
mod names;
mod plan;
mod refusals;
mod sensor;
mod tendon;

use crate::description::{Description, KeptElement, Setting, Source};
use crate::error::Error;
use crate::file::folder_of;
use crate::mjcf::schema;
use crate::report::{Outcome, Report};
use crate::resolve::full;
use crate::warning::WarningCause;
use crate::written::{Written, WrittenFile};
use crate::xml::{Text, numbers};
use asset::Assets;
use featherline::spatial::{Quaternion, Se3, Vec3};
use names::Names;
use plan::Plan;
use std::path::{Path, PathBuf};

/// Writes a description as MJCF, for MuJoCo 4.0.
///
/// Bodies, joints and all other parts keep their names and their order. Poses are those of the
/// reference configuration, `qpos0`; angles are in radians; no value has a default. Numbers are
/// read back to the last bit; rotations are quaternions, which rounds them. Every inertia is
/// stated, so that shapes have no mass. Files have absolute paths: [`to_string_beside`] makes them
/// relative. Meshes in files that MuJoCo does not read, such as COLLADA, are in the text, with all
/// of their vertices: [`to_files`] makes files of them. The module says [what becomes of each
/// part](crate::mjcf#writing). Cost: linear in the size of the description and of its mesh files,
/// which are read to name those that MuJoCo refuses.
///
/// ```
/// use featherline_formats::{load_str, mjcf};
///
/// let text = "<robot name='lamp'><link name='base'/><link name='arm'><inertial><mass value='1'/>
///     <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>
///     <joint name='hinge' type='continuous'><parent link='base'/><child link='arm'/></joint></robot>";
/// let robot = load_str(text)?;
/// let written = mjcf::to_string(&robot.description)?;
/// assert!(written.warnings.is_empty());
/// let again = load_str(&written.text)?.model;
/// assert_eq!((again.nv(), again.total_mass()), (1, 1.0));
/// # Ok::<(), featherline_formats::Error>(())
/// ```
///
/// # Errors
/// [`NotExpressible`](crate::ErrorCause::NotExpressible) for a joint that is no chain of hinges,
/// slides and balls, which is the one on an ellipsoid; other errors if links and joints are no
/// tree.
pub fn to_string(description: &Description) -> Result<Written, Error> {
    write(description, None, None)
}

/// [`to_string`], for a file in a folder: files are named relative to it.
///
/// ```
/// use featherline_formats::{load_str, mjcf};
///
/// let robot = load_str("<robot name='stone'><link name='stone'/></robot>")?;
/// let written = mjcf::to_string_beside(&robot.description, "robots")?;
/// assert!(written.warnings.is_empty());
/// # Ok::<(), featherline_formats::Error>(())
/// ```
///
/// # Errors
/// As [`to_string`].
pub fn to_string_beside(
    description: &Description,
    folder: impl AsRef<Path>,
) -> Result<Written, Error> {
    write(description, Some(folder.as_ref()), None)
}

/// [`to_string_beside`], for a file of a name: meshes in files that MuJoCo does not read are OBJ
/// files in a folder beside it, `arm_meshes` for `arm.xml`, which the text names. Each mesh file is
/// one of them, however many shapes have it. Nothing is written to disk:
/// [`Written::write_files`] does that.
///
/// ```
/// use featherline_formats::{load_str, mjcf};
///
/// let robot = load_str("<robot name='stone'><link name='stone'/></robot>")?;
/// let written = mjcf::to_files(&robot.description, "robots/stone.xml")?;
/// assert!(written.files.is_empty());
/// # Ok::<(), featherline_formats::Error>(())
/// ```
///
/// # Errors
/// As [`to_string`].
pub fn to_files(description: &Description, file: impl AsRef<Path>) -> Result<Written, Error> {
    let file = file.as_ref();
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let meshes = format!("{stem}_meshes");
    write(description, Some(folder_of(file)), Some(&meshes))
}

/// Writes a description for a file in a folder, with a folder of that for its own meshes.
fn write(
    description: &Description,
    folder: Option<&Path>,
    meshes: Option<&str>,
) -> Result<Written, Error> {
    let mut report = Report::new(&description.sources);
    let written = robot(description, folder, meshes, &mut report);
    let (text, files) = written.map_err(|fault| report.error(*fault))?;
    Ok(Written::new(text, files, report))
}

/// The state of writing an MJCF file.
struct Writer<'d, 'w, 'r> {
    description: &'d Description,
    plan: Plan,
    names: Names,
    assets: Assets,
    /// The shapes and the frames of each link.
    geometry: Vec<Vec<usize>>,
    frames: Vec<Vec<usize>>,
    /// The folder of the file.
    folder: Option<PathBuf>,
    report: &'w mut Report<'r>,
    out: Text,
}

fn robot(
    description: &Description,
    folder: Option<&Path>,
    meshes: Option<&str>,
    report: &mut Report<'_>,
) -> Outcome<(String, Vec<WrittenFile>)> {
    let plan = plan::plan(description, report)?;
    let names = names::names(description, &plan, report);
    let folder = folder.map(full);
    let mut writer = Writer {
        description,
        plan,
        names,
        assets: Assets::new(description, (folder.as_deref(), meshes), report),
        geometry: by_link(description, description.geometry.iter().map(|it| it.link)),
        frames: by_link(description, description.frames.iter().map(|it| it.link)),
        folder,
        report,
        out: Text::default(),
    };
    let name = description.name.clone();
    writer.out.open("mujoco", &[("model", name)]);
    writer.compiler();
    writer.kept_sections();
    writer.assets();
    writer.worldbody();
    writer.contact();
    writer.equality();
    writer.tendons();
    writer.actuators();
    writer.sensors();
    writer.keyframes();
    writer.out.close("mujoco");
    writer.kept_of_others();
    writer.without_names();
    Ok((writer.out.text, writer.assets.made))
}

/// The indices of parts by the links that they are on.
fn by_link(description: &Description, links: impl Iterator<Item = usize>) -> Vec<Vec<usize>> {
    let mut parts = vec![Vec::new(); description.links.len()];
    for (i, link) in links.enumerate() {
        if let Some(own) = parts.get_mut(link) {
            own.push(i);
        }
    }
    parts
}

impl<'d> Writer<'d, '_, '_> {
    fn compiler(&mut self) {
        // Every range that is written is said to be in force, but for those in the words of a file:
        // MuJoCo 4.0 does not see `actlimited` of `intvelocity` without its default, `autolimits`.
        let settings = [("angle", "radian"), ("inertiafromgeom", "false")];
        let settings = settings.map(|(name, value)| (name, value.to_owned()));
        self.out.empty("compiler", &settings);
        self.kept_of("compiler");
        let stated = self.kept_of("option");
        let gravity = self.description.gravity;
        let gravity = gravity.unwrap_or(Vec3::new(0.0, 0.0, -9.81));
        let mut disabled = self.description.disabled;
        let says_so = |it: Description| it.gravity == Some(gravity) && it.disabled == disabled;
        if stated.is_empty() || !kept::options(&stated).is_some_and(says_so) {
            // The last one counts.
            let gravity = ("gravity", numbers(&gravity.to_array()));
            self.out.open("option", &[gravity]);
            let mut flags = Vec::new();
            if stated.iter().any(|it| it.text.contains("\"disable\"")) {
                flags = vec![("gravity", "enable"), ("constraint", "enable")];
            }
            let is_again = !flags.is_empty();
            for (flag, is_off) in disabled.flags() {
                match *is_off {
                    true => flags.push((flag, "disable")),
                    false if is_again => flags.push((flag, "enable")),
                    false => {}
                }
            }
            if !flags.is_empty() {
                let flags = flags.into_iter();
                let flags = flags.map(|(flag, word)| (flag, word.to_owned()));
                self.out.empty("flag", &flags.collect::<Attributes<'_>>());
            }
            self.out.close("option");
        }
        let disables_groups = |it: &&KeptElement| it.text.contains("actuatorgroupdisable");
        if !stated.iter().any(disables_groups) {
            let actuators = self.description.actuators.iter();
            for actuator in actuators.filter(|it| it.is_disabled) {
                let what = format!("that the actuator `{}` is disabled", actuator.name);
                self.lacks(actuator.source, what);
            }
        }
    }

    /// Adds a warning that something is not in the file.
    fn lacks(&mut self, source: Source, what: impl Into<String>) {
        self.report.lacks(schema::FORMAT, source, what);
    }

    /// Adds a warning that MuJoCo refuses something.
    fn refused(&mut self, source: Source, what: String, why: &'static str) {
        let program = "MuJoCo";
        let cause = WarningCause::RefusedBy { what, program, why };
        self.report.warn(source, cause);
    }

    /// Settings in the words of the file that an element of MJCF has; a warning for the others.
    fn settings(
        &mut self,
        path: &str,
        settings: &'d [Setting],
        what: &str,
        source: Source,
    ) -> Vec<(&'d str, &'d str)> {
        let mut written = Vec::new();
        for Setting { name, value } in settings {
            match schema::has(path, name) {
                true => written.push((name.as_str(), value.as_str())),
                false => self.lacks(source, format!("`{name}` of {what}")),
            }
        }
        written
    }

    /// Adds the settings of a part to its attributes. The description counts, but where the words
    /// of the file say the same and more: a polynomial begins with its linear part.
    fn fill(
        &mut self,
        attributes: &mut Attributes<'d>,
        path: &str,
        settings: &'d [Setting],
        what: &str,
        source: Source,
    ) {
        for (name, value) in self.settings(path, settings, what, source) {
            match attributes.iter_mut().find(|(known, _)| *known == name) {
                None => attributes.push((name, value.to_owned())),
                Some((_, own)) if begins(value, own) => *own = value.to_owned(),
                Some(_) => {}
            }
        }
    }

    /// Reports the fixed joints, which have no names in MJCF but those that a reader gives them.
    fn without_names(&mut self) {
        let named = self.description.joints.iter().filter(|joint| {
            let link = &self.description.links[joint.child].name;
            plan::is_fixed(joint) && joint.name.trim_end_matches('_') != format!("{link}_fixed")
        });
        let named: Vec<Source> = named.map(|joint| joint.source).collect();
        if let Some(&first) = named.first() {
            let cause = WarningCause::Unnamed {
                what: "fixed joints",
                format: "MJCF",
                count: named.len(),
            };
            self.report.warn(first, cause);
        }
    }
}

/// The names and values of attributes.
type Attributes<'d> = Vec<(&'d str, String)>;

/// Whether the numbers of a text begin with those of another one.
fn begins(text: &str, start: &str) -> bool {
    let numbers = |text: &str| -> Option<Vec<f64>> {
        let words = text.split_ascii_whitespace();
        words.map(|word| word.parse().ok()).collect()
    };
    match (numbers(text), numbers(start)) {
        (Some(all), Some(first)) => all.starts_with(&first),
        _ => false,
    }
}

/// The attributes of a name, if there is one.
fn named(name: &str) -> Vec<(&'static str, String)> {
    match name.is_empty() {
        true => Vec::new(),
        false => vec![("name", name.to_owned())],
    }
}

/// The attributes of a position and a rotation; those of none are left out.
fn pose(placement: &Se3<f64>) -> Vec<(&'static str, String)> {
    let mut attributes = Vec::new();
    if placement.translation != Vec3::zero() {
        attributes.push(("pos", vector(placement.translation)));
    }
    attributes.extend(rotation(placement));
    attributes
}

/// The attribute of a rotation: axes, if they are those of the frame around it, which is exact, and
/// a quaternion otherwise.
fn rotation(placement: &Se3<f64>) -> Option<(&'static str, String)> {
    let [x, y, z] = placement.rotation.to_rows();
    let rows = [x, y, z];
    let mut entries = rows.as_flattened().iter();
    let is_whole = entries.all(|it| [0.0, 1.0, -1.0].contains(it));
    if is_whole && (x[0], y[1], z[2]) == (1.0, 1.0, 1.0) {
        return None;
    }
    if is_whole {
        let axes = [x[0], y[0], z[0], x[1], y[1], z[1]].map(positive_zero);
        return Some(("xyaxes", numbers(&axes)));
    }
    let [x, y, z, w] = Quaternion::from_rotation(&placement.rotation).to_array();
    Some(("quat", numbers(&[w, x, y, z].map(positive_zero))))
}

fn vector(v: Vec3<f64>) -> String {
    numbers(&v.to_array().map(positive_zero))
}

/// A number; −0 as 0.
fn positive_zero(x: f64) -> f64 {
    x + 0.0
}
