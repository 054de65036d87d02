//! Compares URDF files as we read them with Pinocchio's numbers, which `formats/urdf.py` writes.

use anyhow::{Context, Result, bail};
use featherline::model::FrameKind;
use featherline::{Workspace, spatial::Se3};
use featherline_conformance::robot_files::{Record, Tally, apart, load_seconds};
use featherline_formats::description::{Form, Geometry};
use featherline_formats::{LoadOptions, Robot};
use serde::Deserialize;
use std::collections::HashMap;
use std::io::BufRead;
use std::process::ExitCode;

/// The greatest difference that is accepted, relative to the largest entry of the quantity in the
/// state: recursions over some thirty bodies round to about 1e-14.
const TOLERANCE: f64 = 1e-12;

#[derive(Deserialize)]
struct Numbers {
    nq: usize,
    nv: usize,
    load_seconds: f64,
    links: Vec<String>,
    visual: Shapes,
    collision: Shapes,
    states: Vec<State>,
}

/// The shapes that are seen, or that touch.
#[derive(Deserialize)]
struct Shapes {
    refused: Option<String>,
    names: Vec<String>,
    scales: Vec<[f64; 3]>,
}

#[derive(Deserialize)]
struct State {
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    tau: Vec<f64>,
    mass_matrix: Vec<f64>,
    links: Vec<Vec<f64>>,
    visual: Vec<Vec<f64>>,
    collision: Vec<Vec<f64>>,
}

/// The worst difference of each quantity, and how many shapes were compared.
#[derive(Default)]
struct Worst {
    tau: f64,
    mass_matrix: f64,
    links: f64,
    shapes: f64,
    compared: usize,
}

impl Worst {
    fn agrees(&self) -> bool {
        let all = [self.tau, self.mass_matrix, self.links, self.shapes];
        all.iter().all(|it| *it <= TOLERANCE)
    }
}

fn main() -> Result<ExitCode> {
    let mut tally = Tally::default();
    println!(
        "| file | nv | joint forces | mass matrix | links | shapes | placements of shapes | load | warnings |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for line in std::io::stdin().lock().lines() {
        let record: Record<Numbers> =
            serde_json::from_str(&line?).context("a line is no record")?;
        let name = &record.name;
        let options = LoadOptions::pinocchio();
        let ours = featherline_formats::load_with(&record.file, &options);
        match (ours, record.numbers) {
            (Ok(robot), Some(numbers)) => match compare(&robot, &numbers) {
                Ok(worst) => {
                    let verdict = tally.verdict(&robot, worst.agrees());
                    println!(
                        "| {name} | {} | {:.1e} | {:.1e} | {:.1e} | {} | {:.1e} | {:.2} | {verdict} |",
                        numbers.nv,
                        worst.tau,
                        worst.mass_matrix,
                        worst.links,
                        worst.compared,
                        worst.shapes,
                        load_seconds(&record.file, &options) / numbers.load_seconds,
                    );
                }
                Err(error) => {
                    tally.failed += 1;
                    println!("| {name} | {} | **{error:#}** |", numbers.nv);
                }
            },
            (Ok(_), None) => {
                tally.refused += 1;
                println!(
                    "| {name} | | opened; Pinocchio: {} |",
                    short(&record.refused.unwrap_or_default())
                );
            }
            (Err(error), _) => {
                tally.refused += 1;
                let theirs = record.refused.as_deref().map_or("it opens", short);
                println!(
                    "| {name} | | **refused**: {}; Pinocchio: {theirs} |",
                    short(&error.to_string())
                );
            }
        }
    }
    Ok(tally.finish())
}

/// A message without the folder of the file.
fn short(message: &str) -> &str {
    message.rsplit_once('/').map_or(message, |(_, rest)| rest)
}

fn compare(robot: &Robot, theirs: &Numbers) -> Result<Worst> {
    let model = &robot.model;
    if (model.nq(), model.nv()) != (theirs.nq, theirs.nv) {
        bail!(
            "nq, nv are {}, {}, not {}, {}",
            model.nq(),
            model.nv(),
            theirs.nq,
            theirs.nv
        );
    }
    let links = theirs
        .links
        .iter()
        .map(|name| model.frame_id_of_kind(name, FrameKind::Body));
    let links = links.collect::<Result<Vec<_>, _>>()?;
    let visual = shapes(robot, &theirs.visual, |it| it.is_visual)?;
    let collision = shapes(robot, &theirs.collision, |it| it.is_collision)?;
    let mut worst = Worst {
        compared: visual.len() + collision.len(),
        ..Worst::default()
    };
    let mut ws = Workspace::new(model);
    for state in &theirs.states {
        let tau = model.rnea(&mut ws, &state.q, &state.v, &state.a)?;
        worst.tau = worst.tau.max(apart(tau.iter().copied(), &state.tau, 1.0));
        let mut mass = model.crba(&mut ws, &state.q)?.clone();
        mass.fill_lower_triangle_with_upper_triangle();
        worst.mass_matrix =
            worst
                .mass_matrix
                .max(apart(mass.iter().copied(), &state.mass_matrix, 1.0));
        let placed = model.forward_kinematics(&mut ws, &state.q)?;
        for (&link, theirs) in links.iter().zip(&state.links) {
            let ours = matrix(&placed.placement(link));
            worst.links = worst.links.max(apart(ours, theirs, 1.0));
        }
        let pairs = visual.iter().zip(&state.visual);
        for (shape, theirs) in pairs.chain(collision.iter().zip(&state.collision)) {
            let name = &robot.description.links[shape.link].name;
            let link = model.frame_id_of_kind(name, FrameKind::Body)?;
            let ours = matrix(&placed.placement(link).compose(&shape.placement));
            worst.shapes = worst.shapes.max(apart(ours, theirs, 1.0));
        }
    }
    Ok(worst)
}

/// Our shapes in the order of Pinocchio's, which it names `LINK_NUMBER`.
fn shapes<'r>(
    robot: &'r Robot,
    theirs: &Shapes,
    is_meant: impl Fn(&Geometry) -> bool,
) -> Result<Vec<&'r Geometry>> {
    if theirs.refused.is_some() {
        return Ok(Vec::new());
    }
    let mut named = HashMap::new();
    let mut counts = vec![0; robot.description.links.len()];
    let ours = robot.description.geometry.iter();
    for shape in ours.filter(|it| is_meant(it)) {
        let count = &mut counts[shape.link];
        named.insert(
            format!("{}_{count}", robot.description.links[shape.link].name),
            shape,
        );
        *count += 1;
    }
    if named.len() != theirs.names.len() {
        bail!(
            "there are {} shapes, not {}",
            named.len(),
            theirs.names.len()
        );
    }
    let pairs = theirs.names.iter().zip(&theirs.scales);
    pairs
        .map(|(name, scale)| {
            let shape = *named
                .get(name)
                .with_context(|| format!("there is no shape {name}"))?;
            if let Form::Mesh(mesh) = &shape.form
                && mesh.scale.to_array() != *scale
            {
                bail!("the scale of {name} is {:?}, not {scale:?}", mesh.scale);
            }
            Ok(shape)
        })
        .collect()
}

fn matrix(placement: &Se3<f64>) -> Vec<f64> {
    let rows = placement.rotation.to_rows().into_iter();
    let rows = rows.zip(placement.translation.to_array());
    let rows = rows.flat_map(|([x, y, z], t)| [x, y, z, t]);
    rows.chain([0.0, 0.0, 0.0, 1.0]).collect()
}
