//! A joint that closes a loop of bodies.

use super::validation::check_placement;
use super::{Joint, JointId, ModelError};
use crate::joint::JointKind;
use crate::spatial::Se3;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// A joint between two bodies of the tree, which closes a loop.
///
/// It is passive: it has no drive, no coordinates in q and v, and no body of its own. What it
/// allows and what it holds is that of its kind, between a frame in the predecessor and one in the
/// successor (R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008, section 4.1.1 and
/// chapter 8).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct LoopJoint {
    /// The joint's name, unique among all joints.
    pub name: String,
    /// How the two frames may move against each other.
    pub kind: JointKind,
    /// The body that has the joint's input frame: the joint that carries it, or the universe.
    pub predecessor: JointId,
    /// The placement of the input frame in the predecessor's output frame.
    pub predecessor_placement: Se3<f64>,
    /// The body that has the joint's output frame: the joint that carries it, or the universe.
    pub successor: JointId,
    /// The placement of the output frame in the successor's output frame.
    pub successor_placement: Se3<f64>,
}

impl LoopJoint {
    /// How many accelerations the joint holds to zero: six less its degrees of freedom.
    #[inline(always)]
    pub fn constraints(&self) -> usize {
        6 - self.kind.nv()
    }
}

/// Checks all that loop joints say, with indices that are known to be those of joints.
pub(super) fn validate_loops(joints: &[Joint], loops: &[LoopJoint]) -> Result<(), ModelError> {
    let mut names: HashSet<&str> = joints.iter().map(|j| j.name.as_str()).collect();
    for closing in loops {
        let name = || closing.name.clone();
        if !names.insert(closing.name.as_str()) {
            return Err(ModelError::DuplicateName {
                kind: "joints",
                name: name(),
            });
        }
        closing.kind.check().map_err(|source| ModelError::Kind {
            joint: name(),
            source,
        })?;
        check_placement(&closing.name, &closing.predecessor_placement)?;
        check_placement(&closing.name, &closing.successor_placement)?;
        let bad = |reason| {
            Err(ModelError::BadLoop {
                joint: name(),
                reason,
            })
        };
        if closing.predecessor == closing.successor {
            return bad("both of its frames are fixed in one body, whatever moves");
        }
        let freedom = closing.kind.nv();
        let degrees: Vec<usize> = (0..freedom).collect();
        if freedom > 6 || closing.kind.independent_motions(&degrees) < freedom {
            return bad("its degrees of freedom are redundant");
        }
        if freedom == 6 {
            return bad("a joint of six degrees of freedom holds nothing");
        }
    }
    Ok(())
}

/// Checks that the bodies of stored loop joints exist.
pub(super) fn validate_ends(joints: usize, loops: &[LoopJoint]) -> Result<(), ModelError> {
    let foreign = |l: &LoopJoint| l.predecessor.index().max(l.successor.index()) >= joints;
    match loops.iter().position(foreign) {
        Some(joint) => Err(ModelError::Damaged {
            joint,
            reason: "a loop joint ends at a joint that does not exist",
        }),
        None => Ok(()),
    }
}
