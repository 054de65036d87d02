//! A body's constants, as the assembly reads them.

use crate::problem::{Known, Problem, SensorKind, WrenchBasis};
use featherline::Model;
use featherline::joint::JointKind;
use featherline::kernel;
use featherline::model::JointId;
use featherline::spatial::{DynamicParameters, Mat3, Se3};

/// The coordinates of the external force on a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wrench {
    Link,
    /// The frame's placement in the link frame.
    Frame(Se3<f64>),
    World,
}

/// A body and the joint that moves it.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub id: JointId,
    pub parent: usize,
    /// The first coordinate that moves the body; for a mimic joint the mimicked joint's.
    pub coordinate: usize,
    pub parameters: DynamicParameters<f64>,
    pub basis: WrenchBasis,
    pub wrench: Wrench,
    /// For each column of p× R, which components are zero in every state though the products that
    /// they are made of are not.
    pub moment_is_zero: [[bool; 3]; 3],
    /// Whether the placement in the world has to be known.
    pub needs_world: bool,
}

/// All bodies, the universe first.
pub(crate) fn bodies(problem: &Problem) -> Vec<Body> {
    let model = &problem.model;
    let centroidal = problem
        .sensors
        .iter()
        .any(|sensor| matches!(sensor.kind, SensorKind::CentroidalMomentumRate { .. }));
    let ids = std::iter::once(JointId::UNIVERSE).chain(model.joint_ids());
    let mut bodies: Vec<Body> = ids
        .map(|id| {
            let joint = model.joint(id);
            let basis = problem.basis[id.index()].unwrap_or_else(|| natural_basis(problem, id));
            Body {
                id,
                parent: joint.parent.index(),
                coordinate: joint.idx_v,
                parameters: *kernel::link_parameters(model, id),
                basis,
                wrench: match basis {
                    WrenchBasis::Link => Wrench::Link,
                    WrenchBasis::Frame(frame) => {
                        Wrench::Frame(*kernel::frame_in_link(model, frame))
                    }
                    WrenchBasis::World => Wrench::World,
                },
                moment_is_zero: vanishing_moments(model, id),
                needs_world: centroidal || basis == WrenchBasis::World,
            }
        })
        .collect();
    bodies[0].needs_world = false;
    for i in (1..bodies.len()).rev() {
        if bodies[i].needs_world {
            let parent = bodies[i].parent;
            bodies[parent].needs_world = parent != 0;
        }
    }
    bodies
}

/// The first frame in which an external force is known or measured; else the link frame.
fn natural_basis(problem: &Problem, body: JointId) -> WrenchBasis {
    let known = problem.knowns.iter().find_map(|(known, _)| {
        if let Known::ExternalForce { joint, frame, .. } = known
            && *joint == body
        {
            *frame
        } else {
            None
        }
    });
    let measured = || {
        let frames = problem
            .sensors
            .iter()
            .filter_map(|s| s.kind.external_force_frame());
        frames
            .into_iter()
            .find(|&frame| problem.model.frame(frame).joint == body)
    };
    known
        .or_else(measured)
        .map_or(WrenchBasis::Link, WrenchBasis::Frame)
}

/// Which elements of p× R vanish in every state because the constants that they are made of cancel.
///
/// The products with sine and cosine are summed before they are multiplied here, as in (p× R_c)
/// R_z(q), where R_c is the constant part of the rotation.
fn vanishing_moments(model: &Model, id: JointId) -> [[bool; 3]; 3] {
    let joint = model.joint(id);
    let constant = kernel::link_placement(model, id);
    let (p, r) = (constant.translation, &constant.rotation);
    let moment = Mat3::from_columns(p.cross(r.x), p.cross(r.y), p.cross(r.z));
    // Each sum of two products is rounded to this.
    let rest = 4.0 * f64::EPSILON * p.norm();
    let zero = |column: usize, k: usize| {
        [moment.x, moment.y, moment.z][column].to_array()[k].abs() <= rest
    };
    let turned = |column: usize, k: usize| [r.x, r.y, r.z][column].to_array()[k] == 0.0;
    let mut vanishing = [[false; 3]; 3];
    for k in 0..3 {
        match (&joint.mimic, &joint.kind) {
            (None, JointKind::Revolute { .. } | JointKind::RevoluteUnbounded { .. }) => {
                vanishing[0][k] = zero(0, k) && zero(1, k);
                vanishing[1][k] = vanishing[0][k];
                vanishing[2][k] = zero(2, k);
            }
            // Sliding along z adds q z× x = q y to the first column, and −q x to the second.
            (None, JointKind::Prismatic { .. }) => {
                vanishing[0][k] = zero(0, k) && turned(1, k);
                vanishing[1][k] = zero(1, k) && turned(0, k);
                vanishing[2][k] = zero(2, k);
            }
            _ => {}
        }
    }
    vanishing
}
