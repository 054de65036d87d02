//! Settings of the compiler and of the physics: `<compiler>`, `<option>`.

use super::attributes::Attributes;
use super::include::Texts;
use crate::description::{Description, Disabled};
use crate::error::ErrorCause;
use crate::report::{Outcome, Report, fault, not_allowed};
use crate::xml::{Element, shortened};
use featherline::spatial::Vec3;
use std::path::{Path, PathBuf};

/// Whether bodies have the inertia of their geoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InertiaFromGeom {
    Never,
    Always,
    /// Where there is no `<inertial>`.
    Auto,
}

/// The settings of `<compiler>`.
#[derive(Clone, Debug)]
pub(super) struct Compiler {
    /// Radians for each unit of an angle.
    pub(super) angle: f64,
    pub(super) euler_sequence: [u8; 3],
    pub(super) auto_limits: bool,
    pub(super) inertia_from_geom: InertiaFromGeom,
    pub(super) inertia_groups: [f64; 2],
    pub(super) bound_mass: f64,
    pub(super) bound_inertia: f64,
    pub(super) balance_inertia: bool,
    pub(super) total_mass: Option<f64>,
    pub(super) align_free: bool,
    pub(super) strip_path: bool,
    pub(super) mesh_folder: PathBuf,
    pub(super) texture_folder: PathBuf,
    /// How the names of an attached model begin.
    pub(super) prefix: String,
}

impl Compiler {
    /// Reads all `<compiler>` elements: of an attribute that is set twice, the last one counts.
    pub(super) fn read(sections: &[Element<'_>]) -> Outcome<Self> {
        let all: Vec<Element<'_>> = sections.iter().rev().copied().collect();
        let mut all = all.into_iter().filter(|it| it.tag() == "compiler");
        let mut compiler = Self::default();
        let Some(last) = all.next() else {
            return Ok(compiler);
        };
        let it = Attributes::new(last, all);
        if it.word("angle", &["degree", "radian"])? == Some("radian") {
            compiler.angle = 1.0;
        }
        if it.word("coordinate", &["local", "global"])? == Some("global") {
            let what = "global coordinates are no longer part of MJCF";
            let remedy = "save the model in local ones with MuJoCo 2.1.4 or older";
            return Err(not_allowed(it.source("coordinate"), what, remedy));
        }
        if let Some(sequence) = it.get("eulerseq") {
            let letters = <[u8; 3]>::try_from(sequence.value.as_bytes()).ok();
            let letters = letters.filter(|it| it.iter().all(|c| b"xyzXYZ".contains(c)));
            let Some(letters) = letters else {
                let cause = ErrorCause::UnknownWord {
                    attribute: "eulerseq",
                    found: shortened(sequence.value),
                    expected: "three letters of `xyzXYZ`".to_owned(),
                };
                return Err(fault(sequence.source, cause));
            };
            compiler.euler_sequence = letters;
        }
        compiler.auto_limits = it.flag("autolimits")?.unwrap_or(true);
        compiler.inertia_from_geom = match it.word("inertiafromgeom", &["true", "false", "auto"])? {
            Some("true") => InertiaFromGeom::Always,
            Some("false") => InertiaFromGeom::Never,
            _ => InertiaFromGeom::Auto,
        };
        if let Some(groups) = it.numbers("inertiagrouprange")? {
            compiler.inertia_groups = groups;
        }
        compiler.bound_mass = it.number("boundmass")?.unwrap_or(0.0);
        compiler.bound_inertia = it.number("boundinertia")?.unwrap_or(0.0);
        compiler.balance_inertia = it.flag("balanceinertia")?.unwrap_or(false);
        compiler.total_mass = it.number("settotalmass")?.filter(|&mass| mass > 0.0);
        compiler.align_free = it.flag("alignfree")?.unwrap_or(false);
        compiler.strip_path = it.flag("strippath")?.unwrap_or(false);
        let folder = |own| PathBuf::from(it.text(own).or(it.text("assetdir")).unwrap_or(""));
        compiler.mesh_folder = folder("meshdir");
        compiler.texture_folder = folder("texturedir");
        Ok(compiler)
    }

    /// The path of a name in a folder, from the folder of the description's file.
    pub(super) fn path(&self, folder: &Path, name: &str) -> PathBuf {
        let name = Path::new(name);
        let name = match self.strip_path {
            true => name.file_name().map_or(name, Path::new),
            false => name,
        };
        folder.join(name)
    }
}

/// The settings of `<compiler>` that still count for what is written: it states the result of all
/// others.
pub(super) const KEPT: [&str; 6] = [
    "autolimits",
    "discardvisual",
    "fusestatic",
    "alignfree",
    "fitaabb",
    "conflict",
];

impl Default for Compiler {
    fn default() -> Self {
        Self {
            angle: std::f64::consts::PI / 180.0,
            euler_sequence: *b"xyz",
            auto_limits: true,
            inertia_from_geom: InertiaFromGeom::Auto,
            inertia_groups: [0.0, 5.0],
            bound_mass: 0.0,
            bound_inertia: 0.0,
            balance_inertia: false,
            total_mass: None,
            align_free: false,
            strip_path: false,
            mesh_folder: PathBuf::new(),
            texture_folder: PathBuf::new(),
            prefix: String::new(),
        }
    }
}

/// Reads `<option>`: gravity, which MJCF has by default, the step, what is disabled, and the
/// medium, whose forces are not modelled.
pub(super) fn option<'a>(
    sections: &[Element<'a>],
    texts: Texts<'a>,
    description: &mut Description,
    report: &mut Report<'_>,
) -> Outcome<()> {
    let mut gravity = Vec3::new(0.0, 0.0, -9.81);
    let mut disabled = Disabled::default();
    let (mut gravity_is_disabled, mut constraints_are_disabled) = (false, false);
    for &section in sections.iter().filter(|it| it.tag() == "option") {
        if let Some(stated) = crate::value::vector(section, "gravity")? {
            gravity = stated;
        }
        if let Some(step) = crate::value::number(section, "timestep")? {
            if step <= 0.0 {
                let what = format!("`timestep` is {step}");
                let remedy = "give it a positive number of seconds";
                return Err(not_allowed(section.source(), what, remedy));
            }
            description.time_step = Some(step);
        }
        for medium in ["density", "viscosity"] {
            if crate::value::number(section, medium)?.is_some_and(|it| it != 0.0) {
                let what = format!("the {medium} of a medium");
                report.simplified(section.source(), what, "the model does not have its forces");
            }
        }
        let children = texts.children(section).into_iter();
        for flag in children.filter(|it| it.tag() == "flag") {
            let flag = Attributes::alone(flag);
            let own = [
                ("gravity", &mut gravity_is_disabled),
                ("constraint", &mut constraints_are_disabled),
            ];
            for (name, is_disabled) in disabled.flags().into_iter().chain(own) {
                if let Some(word) = flag.word(name, &["enable", "disable"])? {
                    *is_disabled = word == "disable";
                }
            }
        }
    }
    if constraints_are_disabled {
        disabled.contacts = true;
        disabled.equalities = true;
        disabled.friction_losses = true;
        disabled.limits = true;
    }
    description.disabled = disabled;
    if gravity_is_disabled {
        gravity = Vec3::zero();
    }
    description.gravity = Some(gravity);
    Ok(())
}

/// The greatest group of actuators that may be disabled.
const LAST_GROUP: f64 = 30.0;

/// The groups of actuators that do nothing: `actuatorgroupdisable` of the last `<option>` that has
/// it.
pub(super) fn disabled_groups(sections: &[Element<'_>]) -> Outcome<Vec<f64>> {
    let mut options = sections.iter().rev().filter(|it| it.tag() == "option");
    let Some(groups) = options.find_map(|it| it.attribute("actuatorgroupdisable")) else {
        return Ok(Vec::new());
    };
    let read = groups.value.split_whitespace().map(|word| {
        let group = word.parse::<f64>().ok();
        let is_group = |it: &f64| it.fract() == 0.0 && (0.0..=LAST_GROUP).contains(it);
        group.filter(is_group).ok_or_else(|| {
            let what = format!("`actuatorgroupdisable` has `{}`", shortened(word));
            let remedy = "name groups of actuators by whole numbers from 0 to 30";
            not_allowed(groups.source, what, remedy)
        })
    });
    read.collect()
}
