//! Compares MJCF files as we read them with MuJoCo's numbers, which `formats/mjcf.py` writes.

use anyhow::{Context, Result, bail};
use featherline::joint::JointKind;
use featherline::kinematics::ReferenceFrame;
use featherline::model::{FrameKind, Model};
use featherline::spatial::{Inertia, Quaternion, Vec3};
use featherline::{Workspace, spatial::Se3};
use featherline_conformance::robot_files::{self, Record, Tally, load_seconds};
use featherline_formats::description::{Description, Motion, TendonPath};
use featherline_formats::{LoadOptions, MimicJoints};
use nalgebra::DMatrix;
use serde::Deserialize;
use std::io::BufRead;
use std::process::ExitCode;

/// The greatest difference that is accepted, relative to the largest entry of the quantity in the
/// state: MuJoCo keeps its rotations as unit quaternions and its principal axes to about 1e-12.
const TOLERANCE: f64 = 1e-10;

#[derive(Deserialize)]
struct Numbers {
    nq: usize,
    nv: usize,
    load_seconds: f64,
    bodies: Vec<String>,
    mass: Vec<f64>,
    com: Vec<[f64; 3]>,
    inertia: Vec<[f64; 9]>,
    joints: Vec<[f64; 7]>,
    loops: Vec<Vec<f64>>,
    sites: Vec<String>,
    qpos0: Vec<f64>,
    states: Vec<State>,
}

#[derive(Deserialize)]
struct State {
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    mass_matrix: Vec<f64>,
    bias: Vec<f64>,
    site_position: Vec<f64>,
    site_rotation: Vec<f64>,
    passive: Vec<f64>,
    site_jacobian: Vec<Vec<f64>>,
}

/// The worst difference of each quantity.
#[derive(Default)]
struct Worst {
    bodies: f64,
    inertias: f64,
    joints: f64,
    loops: f64,
    mass_matrix: f64,
    bias: f64,
    passive: f64,
    sites: f64,
    jacobians: f64,
    start: f64,
}

impl Worst {
    /// Whether all is within the tolerance. MuJoCo finds principal axes of meshes to about 1e-8,
    /// and drops the products of inertia that are left; what depends on inertias can't agree
    /// better.
    fn agrees(&self) -> bool {
        let exact = [
            self.bodies,
            self.loops,
            self.passive,
            self.sites,
            self.jacobians,
            self.start,
        ];
        let dynamic = [self.mass_matrix, self.bias, self.joints];
        exact.iter().all(|it| *it <= TOLERANCE)
            && self.inertias <= 1e-7
            && dynamic.iter().all(|it| *it <= TOLERANCE.max(self.inertias))
    }
}

fn main() -> Result<ExitCode> {
    let mut tally = Tally::default();
    println!(
        "| file | nv | bodies | inertias | joints | loops | mass matrix | bias force | passive force | sites | site Jacobians | start | load | warnings |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for line in std::io::stdin().lock().lines() {
        let record: Record<Numbers> =
            serde_json::from_str(&line?).context("a line is no record")?;
        let options = LoadOptions::new().mimic(MimicJoints::Free);
        let ours = featherline_formats::load_with(&record.file, &options);
        let name = &record.name;
        let folder = record.file.strip_suffix(name.as_str()).unwrap_or_default();
        let short = |message: &str| match folder {
            "" => message.to_owned(),
            folder => message.replace(folder, ""),
        };
        match (ours, record.numbers) {
            (Ok(robot), Some(numbers)) => {
                match compare(&robot.model, &robot.description, &numbers) {
                    Ok(worst) => {
                        let verdict = tally.verdict(&robot, worst.agrees());
                        println!(
                            "| {name} | {} | {:.1e} | {:.1e} | {:.1e} | {:.1e} | {:.1e} | {:.1e} | {:.1e} | {:.1e} | {:.1e} | {:.1e} | {:.2} | {verdict} |",
                            numbers.nv,
                            worst.bodies,
                            worst.inertias,
                            worst.joints,
                            worst.loops,
                            worst.mass_matrix,
                            worst.bias,
                            worst.passive,
                            worst.sites,
                            worst.jacobians,
                            worst.start,
                            load_seconds(&record.file, &options) / numbers.load_seconds,
                        );
                    }
                    Err(error) => {
                        tally.failed += 1;
                        println!("| {name} | {} | **{error:#}** |", numbers.nv);
                    }
                }
            }
            (Ok(_), None) => {
                tally.refused += 1;
                let theirs = short(&record.refused.unwrap_or_default());
                println!("| {name} | | opened; MuJoCo: {theirs} |");
            }
            (Err(error), numbers) => {
                tally.refused += 1;
                tally.failed += usize::from(numbers.is_some());
                let theirs = record
                    .refused
                    .as_deref()
                    .map_or_else(|| "it opens".to_owned(), short);
                println!(
                    "| {name} | | **refused**: {}; MuJoCo: {theirs} |",
                    short(&error.to_string())
                );
            }
        }
    }
    Ok(tally.finish())
}

fn compare(model: &Model, description: &Description, theirs: &Numbers) -> Result<Worst> {
    if (model.nq(), model.nv()) != (theirs.nq, theirs.nv) {
        bail!(
            "nq, nv are {}, {}, not {}, {}",
            model.nq(),
            model.nv(),
            theirs.nq,
            theirs.nv
        );
    }
    let (bodies, inertias) = bodies(description, theirs)?;
    let mut worst = Worst {
        bodies,
        inertias,
        joints: joints(model, theirs)?,
        loops: loops(description, theirs)?,
        ..Worst::default()
    };
    if theirs.nq > 0 {
        let start = model.reference_configurations().get("qpos0");
        let start = start.context("there is no configuration qpos0")?;
        worst.start = rotations_apart(model, start, &configuration(model, &theirs.qpos0));
    }
    let sites: Vec<_> = theirs
        .sites
        .iter()
        .map(|name| model.frame_id_of_kind(name, FrameKind::Operational))
        .collect::<Result<_, _>>()?;
    let frictionless = frictionless(description)?;
    let mut ws = Workspace::new(model);
    for state in &theirs.states {
        let q = configuration(model, &state.qpos);
        let map = velocity_map(model, &q);
        let v = &map * nalgebra::DVector::from_column_slice(&state.qvel);
        let mass = map.transpose() * symmetric(model.crba(&mut ws, &q)?) * &map;
        worst.mass_matrix = worst
            .mass_matrix
            .max(apart(mass.as_slice(), &state.mass_matrix));
        let a = apparent_acceleration(model, v.as_slice());
        let tau = model.rnea(&mut ws, &q, v.as_slice(), &a)?;
        let bias = map.transpose() * nalgebra::DVector::from_column_slice(tau);
        worst.bias = worst.bias.max(apart(bias.as_slice(), &state.bias));
        let mut passive = frictionless
            .passive_forces(&mut ws, &q, v.as_slice())?
            .to_vec();
        add_tendons(model, description, &q, v.as_slice(), &mut passive);
        let passive = map.transpose() * nalgebra::DVector::from_vec(passive);
        worst.passive = worst.passive.max(apart(passive.as_slice(), &state.passive));
        let placed = model.forward_kinematics(&mut ws, &q)?;
        for (&site, theirs) in sites.iter().zip(&state.site_jacobian) {
            let mut ours = DMatrix::zeros(6, model.nv());
            placed.jacobian_into(site, ReferenceFrame::LocalWorldAligned, &mut ours)?;
            // Ours by columns, theirs by rows.
            let ours = (ours * &map).transpose();
            worst.jacobians = worst.jacobians.max(apart(ours.as_slice(), theirs));
        }
        let placed: Vec<Se3<f64>> = sites.iter().map(|&site| placed.placement(site)).collect();
        let positions: Vec<f64> = placed
            .iter()
            .flat_map(|it| it.translation.to_array())
            .collect();
        let rotations: Vec<f64> = placed
            .iter()
            .flat_map(|it| it.rotation.to_rows().concat())
            .collect();
        worst.sites = worst.sites.max(apart(&positions, &state.site_position));
        worst.sites = worst.sites.max(apart(&rotations, &state.site_rotation));
    }
    Ok(worst)
}

/// The model without dry friction, which MuJoCo counts among the constraints.
fn frictionless(description: &Description) -> Result<Model> {
    let mut smooth = description.clone();
    for joint in &mut smooth.joints {
        joint.drive.friction.fill(0.0);
    }
    Ok(smooth
        .robot(&LoadOptions::new().mimic(MimicJoints::Free))?
        .model)
}

/// Adds the forces of springs and dampers of tendons whose length is a sum of coordinates.
fn add_tendons(model: &Model, description: &Description, q: &[f64], v: &[f64], forces: &mut [f64]) {
    let start = model.reference_configurations().get("qpos0");
    for tendon in &description.tendons {
        let TendonPath::Fixed(terms) = &tendon.path else {
            continue;
        };
        let terms = terms.iter().filter_map(|&(joint, factor)| {
            let joint = model.joint(model.joint_id(&description.joints[joint].name).ok()?);
            Some((joint.idx_q, joint.idx_v, factor))
        });
        let terms: Vec<_> = terms.collect();
        let length = |q: &[f64]| {
            terms
                .iter()
                .map(|(at, _, factor)| factor * q[*at])
                .sum::<f64>()
        };
        let rate = terms
            .iter()
            .map(|(_, at, factor)| factor * v[*at])
            .sum::<f64>();
        let rest = start.map_or(0.0, |q| length(q));
        let [low, high] = tendon.rest_length.unwrap_or([rest; 2]);
        let stretch = length(q) - length(q).clamp(low, high);
        let force = -tendon.stiffness * stretch - tendon.damping * rate;
        for (_, at, factor) in &terms {
            forces[*at] += factor * force;
        }
    }
}

/// Armature, damping, friction, stiffness, rest and range of joints, in their order.
fn joints(model: &Model, theirs: &Numbers) -> Result<f64> {
    let mut ours = Vec::new();
    for joint in &model.joints()[1..] {
        let drive = &joint.drive;
        ours.extend([
            drive.armature[0],
            drive.damping[0],
            drive.friction[0],
            drive.stiffness[0],
        ]);
        let [lower, upper] = [joint.limits.lower[0], joint.limits.upper[0]];
        ours.push(if joint.nq == 1 {
            drive.spring_reference[0]
        } else {
            0.0
        });
        ours.extend(if joint.nq == 1 && lower.is_finite() {
            [lower, upper]
        } else {
            [0.0; 2]
        });
    }
    if ours.len() != 7 * theirs.joints.len() {
        bail!(
            "there are {} joints, not {}",
            ours.len() / 7,
            theirs.joints.len()
        );
    }
    let columns = (0..7).map(|i| {
        let ours: Vec<f64> = ours.iter().skip(i).step_by(7).copied().collect();
        let theirs: Vec<f64> = theirs.joints.iter().map(|row| row[i]).collect();
        apart(&ours, &theirs)
    });
    Ok(columns.fold(0.0, f64::max))
}

/// The points of loops in both bodies, and the rotation between the bodies of a weld, where MuJoCo
/// has one.
fn loops(description: &Description, theirs: &Numbers) -> Result<f64> {
    if description.loops.len() != theirs.loops.len() {
        bail!(
            "there are {} loops, not {}",
            description.loops.len(),
            theirs.loops.len()
        );
    }
    let mut worst = 0.0_f64;
    for (closing, theirs) in description.loops.iter().zip(&theirs.loops) {
        let (here, there) = (&closing.predecessor.1, &closing.successor.1);
        let points = [here.translation.to_array(), there.translation.to_array()].concat();
        worst = worst.max(apart(&points, &theirs[..6]));
        if theirs[6..].iter().any(|it| *it != 0.0) {
            let between = here.rotation.mul_mat(&there.rotation.transpose());
            worst = worst.max(apart(&between.to_rows().concat(), &theirs[6..]));
        }
    }
    Ok(worst)
}

/// Masses and centres of bodies, by their names; then their inertias.
fn bodies(description: &Description, theirs: &Numbers) -> Result<(f64, f64)> {
    let mut ours = (Vec::new(), Vec::new(), Vec::new());
    for name in &theirs.bodies {
        let links = &description.links;
        let link = links.iter().position(|link| link.name == *name);
        let link = link.with_context(|| format!("there is no link {name}"))?;
        let inertia = fused(description, link, theirs);
        ours.0.push(inertia.mass);
        // A body without mass has its centre anywhere.
        ours.1.extend((inertia.com * inertia.mass).to_array());
        ours.2
            .extend(inertia.rotational.to_mat().to_rows().concat());
    }
    let centers = theirs.com.iter().zip(&theirs.mass);
    let first_moments: Vec<f64> = centers
        .flat_map(|(com, mass)| com.map(|x| x * mass))
        .collect();
    let worst = [apart(&ours.0, &theirs.mass), apart(&ours.1, &first_moments)];
    let worst = worst.into_iter().fold(0.0, f64::max);
    Ok((worst, apart(&ours.2, &theirs.inertia.concat())))
}

/// The inertia of a link with those that are fixed to it and that MuJoCo has made one with it.
fn fused(description: &Description, link: usize, theirs: &Numbers) -> Inertia<f64> {
    let own = description.links[link].inertial.as_ref();
    let mut sum = own.map_or_else(Inertia::zero, |it| it.inertia());
    for joint in &description.joints {
        let name = &description.links[joint.child].name;
        let is_fused = joint.motion == Motion::Fixed && !theirs.bodies.contains(name);
        if joint.parent == link && is_fused {
            let placement = joint.placement.compose(&joint.child_placement);
            let child = fused(description, joint.child, theirs);
            sum = sum.sum(&placement.act_inertia(&child));
        }
    }
    sum
}

/// The greatest difference, relative to the largest entry; absolute where all are below 1e-3.
fn apart(ours: &[f64], theirs: &[f64]) -> f64 {
    robot_files::apart(ours.iter().copied(), theirs, 1e-3)
}

/// The difference of two configurations; of quaternions, of the rotations that they stand for.
fn rotations_apart(model: &Model, ours: &[f64], theirs: &[f64]) -> f64 {
    let mut worst = 0.0_f64;
    for joint in &model.joints()[1..] {
        let range = joint.idx_q..joint.idx_q + joint.nq;
        let (x, y) = (&ours[range.clone()], &theirs[range]);
        let (position, x_rest) = x.split_at(if joint.nq == 7 { 3 } else { 0 });
        let (other, y_rest) = y.split_at(position.len());
        worst = worst.max(apart(position, other));
        let negated: Vec<f64> = y_rest.iter().map(|it| -it).collect();
        let difference = apart(x_rest, y_rest);
        worst = worst.max(match x_rest.len() {
            4 => difference.min(apart(x_rest, &negated)),
            _ => difference,
        });
    }
    worst
}

/// Our configuration: quaternions x, y, z, w.
fn configuration(model: &Model, qpos: &[f64]) -> Vec<f64> {
    let mut q = qpos.to_vec();
    for joint in &model.joints()[1..] {
        let own = &mut q[joint.idx_q..];
        for unit in joint.kind.unit_entries().filter(|it| it.len() == 4) {
            own[unit].rotate_left(1);
        }
    }
    q
}

/// The matrix from MuJoCo's velocities to ours: those of a free joint are in the world's axes
/// there.
fn velocity_map(model: &Model, q: &[f64]) -> DMatrix<f64> {
    let mut map = DMatrix::identity(model.nv(), model.nv());
    for joint in &model.joints()[1..] {
        if joint.kind == JointKind::FreeFlyer {
            let [x, y, z, w] = [3, 4, 5, 6].map(|i| q[joint.idx_q + i]);
            let rows = Quaternion::new(x, y, z, w)
                .to_rotation()
                .transpose()
                .to_rows();
            for (i, row) in rows.iter().enumerate() {
                for (k, entry) in row.iter().enumerate() {
                    map[(joint.idx_v + i, joint.idx_v + k)] = *entry;
                }
            }
        }
    }
    map
}

/// Our accelerations where MuJoCo's are zero: −ω × v of a free joint, in the moving frame.
fn apparent_acceleration(model: &Model, v: &[f64]) -> Vec<f64> {
    let mut a = vec![0.0; v.len()];
    for joint in &model.joints()[1..] {
        if joint.kind == JointKind::FreeFlyer {
            let at = joint.idx_v;
            let linear = Vec3::new(v[at], v[at + 1], v[at + 2]);
            let angular = Vec3::new(v[at + 3], v[at + 4], v[at + 5]);
            a[at..at + 3].copy_from_slice(&linear.cross(angular).to_array());
        }
    }
    a
}

/// A matrix from its upper triangle.
fn symmetric(upper: &DMatrix<f64>) -> DMatrix<f64> {
    let mut full = upper.clone();
    full.fill_lower_triangle_with_upper_triangle();
    full
}
