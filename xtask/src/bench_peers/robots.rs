//! The robots of the comparison.

use crate::{paths, python};
use anyhow::{Context, Result, bail};
use featherline_bench_protocol::chain;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where a robot's description is.
enum Source {
    /// In `robots/`.
    Embedded(&'static str),
    /// Among the robots of the Python package example-robot-data.
    Example(&'static str),
    /// A chain of so many links, written on demand.
    Chain(usize),
}

/// A robot.
pub struct Robot {
    /// Its name in the report.
    pub name: &'static str,
    source: Source,
    floating_base: bool,
    /// Whether it takes part without being asked for.
    is_usual: bool,
}

const fn fixed(name: &'static str, source: Source) -> Robot {
    Robot {
        name,
        source,
        floating_base: false,
        is_usual: true,
    }
}

const fn floating(name: &'static str, source: Source) -> Robot {
    Robot {
        floating_base: true,
        ..fixed(name, source)
    }
}

const fn on_demand(robot: Robot) -> Robot {
    Robot {
        is_usual: false,
        ..robot
    }
}

const ROBOTS: &[Robot] = &[
    fixed("ur5", Source::Example("ur_description/urdf/ur5_robot.urdf")),
    fixed(
        "panda",
        Source::Example("panda_description/urdf/panda.urdf"),
    ),
    floating(
        "solo12",
        Source::Example("solo_description/robots/solo12.urdf"),
    ),
    floating(
        "g1",
        Source::Example("g1_description/urdf/g1_29dof_rev_1_0.urdf"),
    ),
    floating(
        "talos_reduced",
        Source::Example("talos_data/robots/talos_reduced.urdf"),
    ),
    floating("icub", Source::Example("icub_description/robots/icub.urdf")),
    fixed("snake_100", Source::Chain(100)),
    on_demand(fixed("ur5-embedded", Source::Embedded("ur5.urdf"))),
    on_demand(fixed("panda-embedded", Source::Embedded("panda.urdf"))),
    on_demand(floating(
        "quadruped-embedded",
        Source::Embedded("quadruped.urdf"),
    )),
    on_demand(floating(
        "humanoid-embedded",
        Source::Embedded("humanoid.urdf"),
    )),
];

/// featherline's samples with closed loops that a peer can close, too.
const LINKAGES: [&str; 5] = ["four_bar", "parallelogram", "six_bar", "stewart", "delta"];

/// The robots and the linkages that are asked for; all usual ones if none is.
pub fn chosen(asked: &[String]) -> Result<(Vec<&'static Robot>, Vec<&'static str>)> {
    let known: Vec<&str> = ROBOTS
        .iter()
        .map(|robot| robot.name)
        .chain(LINKAGES)
        .collect();
    if let Some(unknown) = asked.iter().find(|name| !known.contains(&name.as_str())) {
        bail!(
            "no robot is named `{unknown}`; there are: {}",
            known.join(", ")
        );
    }
    let is_asked = |name: &str| asked.iter().any(|asked| asked == name);
    let robots = ROBOTS.iter().filter(|robot| match asked {
        [] => robot.is_usual,
        _ => is_asked(robot.name),
    });
    let linkages = LINKAGES
        .into_iter()
        .filter(|name| asked.is_empty() || is_asked(name));
    Ok((robots.collect(), linkages.collect()))
}

/// Writes the reference's model of a linkage, and its layout, beside featherline's.
pub fn export_linkage(name: &str, interpreter: &Path, folder: &Path) -> Result<()> {
    let files = ["featherline.json", "bin", "json"];
    python::run(
        Command::new(interpreter)
            .arg(paths::root().join("bench/peers/pinocchio/export_linkage.py"))
            .args(files.map(|ending| folder.join(format!("{name}.{ending}"))))
            .env("PYTHONDONTWRITEBYTECODE", "1"),
    )
}

impl Robot {
    /// The robot's URDF; written to `folder` if it is made on demand.
    pub fn urdf(&self, prefix: &Path, folder: &Path) -> Result<PathBuf> {
        Ok(match self.source {
            Source::Embedded(file) => paths::root().join("robots").join(file),
            Source::Example(file) => prefix.join("share/example-robot-data/robots").join(file),
            Source::Chain(links) => {
                let file = folder.join(format!("{}.urdf", self.name));
                fs::write(&file, chain::urdf(links))
                    .with_context(|| format!("cannot write {}", file.display()))?;
                file
            }
        })
    }

    /// The description of the robot for the comparison.
    pub fn description(&self, urdf: &Path) -> String {
        let base = if self.floating_base {
            "floating"
        } else {
            "fixed"
        };
        format!("{},{},{base}", self.name, urdf.display())
    }

    /// Writes the robot's layout, and its model for each peer that needs one.
    pub fn export(
        &self,
        interpreter: &Path,
        urdf: &Path,
        folder: &Path,
        exporters: &[(&str, &[&str])],
    ) -> Result<()> {
        for (script, endings) in exporters {
            let files = endings
                .iter()
                .map(|ending| folder.join(format!("{}.{ending}", self.name)));
            let mut exporter = Command::new(interpreter);
            exporter
                .arg(paths::root().join("bench/peers").join(script))
                .arg(urdf)
                .args(files)
                .env("PYTHONDONTWRITEBYTECODE", "1");
            if self.floating_base {
                exporter.arg("--floating-base");
            }
            python::run(&mut exporter)?;
        }
        Ok(())
    }
}
