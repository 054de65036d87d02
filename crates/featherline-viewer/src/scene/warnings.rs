//! Warnings of a robot, each with the link that it is about where that is known.

use super::document::Warning as Written;
use super::error::file;
use featherline_formats::description::Description;
use featherline_formats::{Location, Robot, Warning, WarningCause};
use featherline_sim::setup::{SetupWarning, Start};

/// The warnings of the reader, but for meshes that were not found: the shapes have these.
pub(super) fn of_robot(robot: &Robot) -> Vec<Written> {
    let is_of_mesh = |it: &&Warning| {
        matches!(
            it.cause,
            WarningCause::MissingMesh { .. } | WarningCause::MissingMeshes { .. }
        )
    };
    let others = robot.warnings.iter().filter(|it| !is_of_mesh(it));
    others
        .map(|it| {
            let link = link(it, &robot.description);
            written(&it.location, &it.cause, link)
        })
        .collect()
}

/// Warnings of a motion in which other forces act than the file says.
pub(super) fn of_start(start: &Start<'_>, description: &Description) -> Vec<Written> {
    let all = start.warnings.iter().map(|it| {
        if let SetupWarning::File(it) = it {
            written(&it.location, &it.cause, link(it, description))
        } else {
            of_motion(it.to_string())
        }
    });
    all.collect()
}

/// A warning of a motion, without a place.
pub(super) fn of_motion(message: String) -> Written {
    Written {
        severity: "warning",
        code: "motion",
        message,
        file: None,
        line: None,
        link: None,
    }
}

/// A warning as the scene has it.
pub(super) fn written(location: &Location, cause: &WarningCause, link: Option<String>) -> Written {
    Written {
        severity: cause.severity().word(),
        code: cause.code(),
        message: cause.to_string(),
        file: file(location),
        line: location.position.map(|at| at.line),
        link,
    }
}

/// The link that a warning is about: the one that it names, or the one around its place; of a
/// joint, the child.
fn link(warning: &Warning, description: &Description) -> Option<String> {
    if let WarningCause::InertiaFromShapes { link, .. }
    | WarningCause::TooDense { link, .. }
    | WarningCause::ZeroMass { link }
    | WarningCause::LargeMoments { link, .. }
    | WarningCause::OutsideShapes { link, .. } = &warning.cause
    {
        return Some(link.clone());
    }
    let path = warning.location.element.as_deref()?;
    let steps = path.rmatch_indices("[@name='");
    steps
        .filter_map(|(at, mark)| named(path, at, mark, description))
        .next()
}

/// The link of a step of a path whose name begins after the mark.
fn named(path: &str, at: usize, mark: &str, description: &Description) -> Option<String> {
    let tag = path[..at].rsplit('/').next()?;
    let name = &path[at + mark.len()..];
    let name = &name[..name.find("']")?];
    match tag {
        "link" | "body" => {
            let mut links = description.links.iter();
            links.find(|it| it.name == name).map(|it| it.name.clone())
        }
        "joint" | "freejoint" => {
            let joint = description.joints.iter().find(|it| it.name == name)?;
            let link = description.links.get(joint.child)?;
            Some(link.name.clone())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_name_their_link() {
        let text = "
            <robot name='r'>
              <link name='base'/>
              <link name='arm'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>
              <joint name='j' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/></joint>
              <link name='tool'><visual><paint/></visual></link>
              <joint name='k' type='fixed'><parent link='arm'/><child link='tool'/></joint>
            </robot>";
        let robot = featherline_formats::load_str(text).expect("it is a robot");
        let warnings = of_robot(&robot);
        let of = |code: &str| {
            let found = warnings.iter().find(|it| it.code == code);
            found.map(|it| (it.link.as_deref(), it.line))
        };
        assert_eq!(of("no-limit"), Some((Some("arm"), Some(5))));
        assert!(
            warnings.iter().any(|it| it.link.as_deref() == Some("tool")),
            "{warnings:?}"
        );
    }
}
