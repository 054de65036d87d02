//! Given contacts: loop joints between the world and frames that stand on it.

use super::LoopError;
use featherline::joint::JointKind;
use featherline::kinematics::Target;
use featherline::model::{JointId, LoopJoint, Model};
use featherline::spatial::Se3;
use featherline::{Error, Workspace};

/// The same robot with frames held to the world where they are in a configuration: one loop joint
/// for each, after the loop joints that it has, named `contact:` and the frame's name.
///
/// A point foot stands on a [`Spherical`](JointKind::Spherical) joint, a flat foot on a
/// [`Fixed`](JointKind::Fixed) one. Other kinds let it roll or slide: revolute, prismatic and
/// cylindrical axes are in the frame's axes. Names are those of joints, links or frames. With
/// [`loop_dynamics`](crate::loop_dynamics) the result has the accelerations while the contacts
/// last, and the contact forces: [force; moment] on the robot, in the frame's axes, at its origin.
/// Whether the ground can give them (they push, within friction) is for the caller to check; a
/// contact that ends is left out of the next model, made from the robot without it. Cost O(n) for
/// each contact; it allocates.
///
/// # Errors
/// [`LoopError::Tree`] for a configuration of the wrong size, or without placements, and for a
/// name that the model does not have; [`LoopError::Model`] for a frame that is named twice, is
/// part of the world, or is given a kind of six degrees of freedom.
///
/// ```
/// use featherline::joint::JointKind;
/// use featherline::samples;
/// use featherline_constraint::{LoopWorkspace, Stabilisation, loop_dynamics, with_contacts};
///
/// // The lower rod's tip cannot slip; the rods hang at rest.
/// let model = samples::double_pendulum();
/// let q = [0.0, 0.0];
/// let standing = with_contacts(&model, &q, &JointKind::Spherical, ["elbow"])?;
/// let mut ws = LoopWorkspace::new(&standing)?;
/// let none = Stabilisation::NONE;
/// let found = loop_dynamics(&standing, &mut ws, &q, &[0.0; 2], &[1.0, 0.0], &[], &none)?;
/// // A torque of 1 N·m at the shoulder is borne by a force of 1 N, 1 m below.
/// assert!((found.loop_forces[0].linear.norm() - 1.0).abs() < 1e-9);
/// # Ok::<(), featherline_constraint::LoopError>(())
/// ```
pub fn with_contacts<'n>(
    model: &Model,
    q: &[f64],
    kind: &JointKind,
    frames: impl IntoIterator<Item = &'n str>,
) -> Result<Model, LoopError> {
    let mut ws = Workspace::recursive(model);
    let placed = model.forward_kinematics(&mut ws, q)?;
    let mut standing = model.clone();
    for name in frames {
        let target = model.target(name).map_err(Error::from)?;
        let (successor, successor_placement) = match target {
            Target::Joint(joint) => (joint, Se3::identity()),
            Target::Frame(frame) => (model.frame(frame).joint, model.frame(frame).placement),
        };
        standing = standing.with_loop_joint(LoopJoint {
            name: format!("contact:{name}"),
            kind: kind.clone(),
            predecessor: JointId::UNIVERSE,
            predecessor_placement: placed.placement(target),
            successor,
            successor_placement,
        })?;
    }
    Ok(standing)
}
