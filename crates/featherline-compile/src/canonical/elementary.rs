//! A robot as a tree of joints with one degree of freedom, on fixed or free-floating bases.
//!
//! Joints of several degrees of freedom whose coordinates are displacements one after the other are
//! chains of simple ones with massless bodies between them; a helical joint is a rotation and a
//! translation that one coordinate drives.

use featherline::Model;
use featherline::joint::JointKind;
use featherline::model::Joint;
use featherline::spatial::{DynamicParameters, Se3, Vec3};
use thiserror::Error;

/// Why a robot has no canonical form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NotCanonical {
    /// A joint's motion is no sequence of rotations and translations whose displacements are its
    /// coordinates.
    #[error(
        "joint `{joint}` is {kind}: canonical forms need revolute, prismatic, helical, cylindrical, universal, \
         translational or Euler-angle joints, or a free-flyer at the root; use the general kernel"
    )]
    Kind {
        /// The joint's name.
        joint: String,
        /// The joint's kind.
        kind: &'static str,
    },
    /// A joint mimics one whose coordinates are the cosine and sine of its angle.
    #[error(
        "joint `{joint}` mimics the unbounded joint `{mimicked}`, whose angle would have to be found first; use the general \
         kernel"
    )]
    MimicOfUnbounded {
        /// The mimic joint's name.
        joint: String,
        /// The name of the joint that it mimics.
        mimicked: String,
    },
}

/// A displacement `ratio` · q\[`index`\] + `offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Displacement {
    pub index: usize,
    pub ratio: f64,
    pub offset: f64,
}

/// Where an angle comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Angle {
    Displacement(Displacement),
    /// The angle whose cosine and sine, up to a common factor, are q\[`index`\] and q\[`index` +
    /// 1\].
    CosSin {
        index: usize,
    },
}

/// The drive of one degree of freedom: `ratio` · v\[`rate`\] is the rate of its displacement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Coordinate {
    pub rate: usize,
    pub ratio: f64,
}

/// How a body may move in its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mobility {
    /// The universe, which does not move.
    None,
    /// Any motion: position and quaternion from q\[`q`\], spatial velocity in the body's frame from
    /// v\[`v`\].
    Free { q: usize, v: usize },
    /// A rotation about an axis.
    Revolute(Coordinate, Angle),
    /// A translation along an axis.
    Prismatic(Coordinate, Displacement),
}

/// A body and the simple joint that moves it.
#[derive(Clone, Debug)]
pub(super) struct ElementaryJoint {
    pub parent: usize,
    /// The joint's input frame in the parent's output frame.
    pub placement: Se3<f64>,
    /// Unit vector along the axis.
    pub axis: Vec3<f64>,
    pub mobility: Mobility,
    /// The body's inertia in the joint's output frame.
    pub parameters: DynamicParameters<f64>,
}

/// The tree of a model; the universe comes first.
pub(super) fn elementary_joints(model: &Model) -> Result<Vec<ElementaryJoint>, NotCanonical> {
    let mut tree = vec![ElementaryJoint {
        parent: 0,
        placement: Se3::identity(),
        axis: Vec3::unit(2),
        mobility: Mobility::None,
        parameters: DynamicParameters::zero(),
    }];
    // The last elementary joint of each of the model's joints, and the joint's output frame in that
    // one's.
    let mut last = vec![(0, Se3::identity())];
    for joint in &model.joints()[1..] {
        let (parent, output) = last[joint.parent.index()];
        let mut chain = Chain {
            joint,
            tree: &mut tree,
            parent,
            placement: output.compose(&joint.placement),
            q: joint.idx_q,
            v: joint.idx_v,
        };
        match &joint.kind {
            JointKind::FreeFlyer if chain.parent == 0 => {
                let (q, v) = (chain.q, chain.v);
                chain.push(Vec3::unit(2), Mobility::Free { q, v });
            }
            JointKind::Composite(composite) => {
                for part in composite.parts() {
                    chain.placement = chain.placement.compose(&part.placement);
                    chain.push_kind(model, &part.kind)?;
                }
            }
            kind @ (JointKind::Fixed
            | JointKind::Revolute { .. }
            | JointKind::RevoluteUnbounded { .. }
            | JointKind::Prismatic { .. }
            | JointKind::Helical { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Universal { .. }
            | JointKind::Planar
            | JointKind::Translation
            | JointKind::Spherical
            | JointKind::SphericalZyx
            | JointKind::Ellipsoid { .. }
            | JointKind::FreeFlyer) => chain.push_kind(model, kind)?,
        }
        // Everything after the last motion, or all of a joint without one, is fixed to the body
        // before.
        let (end, rest) = (chain.parent, chain.placement);
        tree[end].parameters += joint.inertia.to_parameters().transformed_by(&rest);
        last.push((end, rest));
    }
    Ok(tree)
}

/// The elementary joints of one joint, as they are appended.
struct Chain<'a> {
    joint: &'a Joint,
    tree: &'a mut Vec<ElementaryJoint>,
    parent: usize,
    /// The next input frame in the last output frame.
    placement: Se3<f64>,
    q: usize,
    v: usize,
}

impl Chain<'_> {
    fn push(&mut self, axis: Vec3<f64>, mobility: Mobility) {
        self.tree.push(ElementaryJoint {
            parent: self.parent,
            placement: self.placement,
            axis,
            mobility,
            parameters: DynamicParameters::zero(),
        });
        self.parent = self.tree.len() - 1;
        self.placement = Se3::identity();
    }

    /// The next coordinate, the joint's or the mimicked one's, and the displacement that follows.
    fn coordinate(&self) -> (Coordinate, Displacement) {
        let (ratio, offset) = match self.joint.mimic {
            Some(mimic) => (mimic.ratio, mimic.offset),
            None => (1.0, 0.0),
        };
        let (index, rate) = (self.q, self.v);
        let displacement = Displacement {
            index,
            ratio,
            offset,
        };
        (Coordinate { rate, ratio }, displacement)
    }

    fn turn(&mut self, axis: Vec3<f64>) {
        let (coordinate, displacement) = self.coordinate();
        let angle = Angle::Displacement(displacement);
        self.push(axis, Mobility::Revolute(coordinate, angle));
        (self.q, self.v) = (self.q + 1, self.v + 1);
    }

    fn slide(&mut self, axis: Vec3<f64>) {
        let (coordinate, displacement) = self.coordinate();
        self.push(axis, Mobility::Prismatic(coordinate, displacement));
        (self.q, self.v) = (self.q + 1, self.v + 1);
    }

    fn push_kind(&mut self, model: &Model, kind: &JointKind) -> Result<(), NotCanonical> {
        let [x, y, z] = [0, 1, 2].map(Vec3::unit);
        if let Some(mimic) = &self.joint.mimic {
            let source = model.joint(mimic.source);
            // Of the kinds that have one displacement.
            if source.kind.nq() == 2 {
                return Err(NotCanonical::MimicOfUnbounded {
                    joint: self.joint.name.clone(),
                    mimicked: source.name.clone(),
                });
            }
        }
        match kind {
            JointKind::Fixed => {}
            JointKind::Revolute { axis } => self.turn(*axis),
            // A mimic joint has one displacement, whatever its kind.
            JointKind::RevoluteUnbounded { axis } if self.joint.mimic.is_some() => self.turn(*axis),
            JointKind::RevoluteUnbounded { axis } => {
                let (coordinate, Displacement { index, .. }) = self.coordinate();
                self.push(
                    *axis,
                    Mobility::Revolute(coordinate, Angle::CosSin { index }),
                );
                (self.q, self.v) = (self.q + 2, self.v + 1);
            }
            JointKind::Prismatic { axis } => self.slide(*axis),
            JointKind::Helical { axis, pitch } => {
                let (turning, angle) = self.coordinate();
                self.turn(*axis);
                let advancing = Coordinate {
                    ratio: pitch * turning.ratio,
                    ..turning
                };
                let displacement = Displacement {
                    index: angle.index,
                    ratio: pitch * angle.ratio,
                    offset: pitch * angle.offset,
                };
                self.push(*axis, Mobility::Prismatic(advancing, displacement));
            }
            JointKind::Cylindrical { axis } => {
                self.turn(*axis);
                self.slide(*axis);
            }
            JointKind::Universal { first, second } => {
                self.turn(*first);
                self.turn(*second);
            }
            JointKind::Translation => [x, y, z].into_iter().for_each(|axis| self.slide(axis)),
            JointKind::SphericalZyx => [z, y, x].into_iter().for_each(|axis| self.turn(axis)),
            JointKind::Planar
            | JointKind::Spherical
            | JointKind::Ellipsoid { .. }
            | JointKind::FreeFlyer
            | JointKind::Composite(_) => {
                return Err(NotCanonical::Kind {
                    joint: self.joint.name.clone(),
                    kind: kind.name(),
                });
            }
        }
        Ok(())
    }
}
