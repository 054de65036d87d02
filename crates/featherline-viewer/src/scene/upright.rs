//! Whether COLLADA files mean the upward axis that they state.
//!
//! RViz, Gazebo and Pinocchio's viewer draw meshes of URDF files as they are written, whatever
//! `<up_axis>` says, and most robots are made for that: many state `Y_UP` and mean z. Some were
//! made with tools that follow the format, which rotates files with `Y_UP`. Their parts only fit
//! together so: joints are then in or near the parts that they join.

use featherline::Model;
use featherline::model::JointId;
use featherline::spatial::{Se3, Vec3};
use featherline_formats::Robot;
use featherline_formats::description::{Form, Geometry, MeshFile};
use featherline_geometry::{Mesh, MeshError, MeshOptions, UpAxis};
use std::collections::BTreeMap;

/// Files are rotated if that leaves less than this share of the gaps between parts and joints: the
/// iCub's rotated parts leave a third, and parts of robots that mean z leave more than before.
const CLEARLY: f64 = 0.5;

/// Gaps of less than so many metres in all are none.
const NO_GAP: f64 = 0.01;

/// Reads a mesh with up as z, by the axis that its file states.
pub(super) fn read(file: &MeshFile) -> Result<Mesh, MeshError> {
    let Some(path) = &file.path else {
        return file.read();
    };
    let mut options = MeshOptions::default();
    options.scale = file.scale;
    options.up_axis = UpAxis::Z;
    options.read(path)
}

/// Whether a file may state an upward axis that is not followed.
pub(super) fn states_axis(file: &MeshFile) -> bool {
    let extension = file.path.as_deref().and_then(|path| path.extension());
    extension.is_some_and(|it| it.eq_ignore_ascii_case("dae"))
}

/// Whether the parts of a robot clearly fit together only if COLLADA files are rotated as they
/// state. Cost: the size of these files, twice.
pub(super) fn is_meant(robot: &Robot, places: &[(JointId, Se3<f64>)]) -> bool {
    // The boxes of a body's parts as they are written, and rotated.
    let mut boxes: BTreeMap<JointId, [Extent; 2]> = BTreeMap::new();
    for geometry in &robot.description.geometry {
        let (Some((joint, in_joint)), Some(parts)) = (places.get(geometry.link), both(geometry))
        else {
            continue;
        };
        let own = boxes.entry(*joint).or_insert([Extent::EMPTY; 2]);
        let placement = in_joint.compose(&geometry.placement);
        for (extent, mesh) in own.iter_mut().zip(&parts) {
            for vertex in mesh.vertices() {
                extent.add(placement.act_point(*vertex));
            }
        }
    }
    let [written, rotated] = [0, 1].map(|which| gaps(&robot.model, &boxes, which));
    written > NO_GAP && rotated < CLEARLY * written
}

/// A COLLADA mesh that is seen, as written and rotated; none if that is the same.
fn both(geometry: &Geometry) -> Option<[Mesh; 2]> {
    let Form::Mesh(file) = &geometry.form else {
        return None;
    };
    if !geometry.is_visual || !states_axis(file) {
        return None;
    }
    let (written, rotated) = (file.read().ok()?, read(file).ok()?);
    (written.vertices() != rotated.vertices()).then_some([written, rotated])
}

/// The distances of joints from the boxes of the parts before and behind them, in m, summed up.
fn gaps(model: &Model, boxes: &BTreeMap<JointId, [Extent; 2]>, which: usize) -> f64 {
    let mut sum = 0.0;
    for id in model.joint_ids() {
        if let Some(own) = boxes.get(&id) {
            sum += own[which].distance(Vec3::zero());
        }
        let joint = model.joint(id);
        if let Some(parent) = boxes.get(&joint.parent) {
            sum += parent[which].distance(joint.placement.translation);
        }
    }
    sum
}

/// A box along the axes.
#[derive(Clone, Copy)]
struct Extent {
    low: [f64; 3],
    high: [f64; 3],
}

impl Extent {
    const EMPTY: Self = Self {
        low: [f64::INFINITY; 3],
        high: [f64::NEG_INFINITY; 3],
    };

    fn add(&mut self, point: Vec3<f64>) {
        for (k, x) in point.to_array().into_iter().enumerate() {
            self.low[k] = self.low[k].min(x);
            self.high[k] = self.high[k].max(x);
        }
    }

    fn distance(&self, point: Vec3<f64>) -> f64 {
        let point = point.to_array();
        let beyond = [0, 1, 2].map(|k| {
            let (below, above) = (self.low[k] - point[k], point[k] - self.high[k]);
            below.max(above).max(0.0)
        });
        Vec3::from(beyond).norm()
    }
}
