//! How a distance changes with the configuration.

use super::error::CollisionError;
use super::separation::Separation;
use featherline::kinematics::JointJacobians;
use featherline::model::JointId;
use featherline::nalgebra::RowDVector;
use featherline::{Error, Model, Workspace};

/// The derivative of a distance of shapes on two bodies in the tangent space, nv entries:
/// ∂φ/∂q = nᵀ (J_b(p_b) − J_a(p_a)).
///
/// J(p) is the Jacobian of the point p of a body, in m a unit of v. That the points move on their
/// shapes does not matter to first order (envelope theorem), so that no curvature is needed. Where
/// shapes have several nearest points, as two faces that are parallel, the distance has a kink, and
/// the row is the derivative of one branch. Cost O(n); allocates the row.
///
/// # Errors
///
/// Those of [`Model::joint_jacobians`], and [`CollisionError::Missing`] for a body that the robot
/// does not have.
///
/// ```
/// use featherline::model::JointId;
/// use featherline::spatial::{Se3, Vec3};
/// use featherline::{Workspace, samples};
/// use featherline_geometry::{Plane, Sphere, distance_jacobian, separation};
///
/// let model = samples::double_pendulum();
/// let mut ws = Workspace::new(&model);
/// let q = [0.5, 0.0];
/// let elbow = model.joint_id("elbow")?;
/// let hand = model.forward_kinematics(&mut ws, &q)?.placement(elbow)
///     * Se3::from_translation(Vec3::new(0.0, 0.0, -1.0));
/// let s = separation(&Plane.into(), &Se3::identity(), &Sphere::new(0.1).into(), &hand)?;
/// let row = distance_jacobian(&model, &mut ws, &q, [JointId::UNIVERSE, elbow], &s)?;
/// // φ = −2 cos q₁ − 0.1.
/// assert!((row[0] - 2.0 * 0.5f64.sin()).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn distance_jacobian(
    model: &Model,
    ws: &mut Workspace<f64>,
    q: &[f64],
    bodies: [JointId; 2],
    separation: &Separation,
) -> Result<RowDVector<f64>, CollisionError> {
    let mut row = RowDVector::zeros(model.nv());
    let jacobians = model.joint_jacobians(ws, q)?;
    distance_jacobian_into(model, &jacobians, bodies, separation, row.as_mut_slice())?;
    Ok(row)
}

/// [`distance_jacobian`] from Jacobians that are there already, into the caller's nv entries: for
/// many distances in one configuration. Cost O(d), d the depth, and O(nv) zeros.
///
/// # Errors
///
/// [`Error::Size`] in [`CollisionError::Kinematics`], [`CollisionError::Missing`].
pub fn distance_jacobian_into(
    model: &Model,
    jacobians: &JointJacobians<'_, f64>,
    bodies: [JointId; 2],
    separation: &Separation,
    row: &mut [f64],
) -> Result<(), CollisionError> {
    let (expected, found) = (model.nv(), row.len());
    if expected != found {
        let what = "the row of the distance";
        return Err(Error::Size {
            what,
            expected,
            found,
        }
        .into());
    }
    let count = model.joints().len();
    if let Some(body) = bodies.iter().find(|body| body.index() >= count) {
        let index = body.index();
        return Err(CollisionError::Missing {
            kind: "joint",
            index,
            count,
        });
    }
    row.fill(0.0);
    let n = separation.normal;
    for ((body, point), sign) in bodies.iter().zip(separation.points).zip([-1.0, 1.0]) {
        for joint in model.support(*body) {
            let first = model.joint(joint).idx_v;
            for (k, column) in jacobians.joint_columns(joint).iter().enumerate() {
                // n · (v + ω × p).
                let velocity = column.angular.cross_add(point, column.linear);
                row[first + k] += sign * n.dot(velocity);
            }
        }
    }
    Ok(())
}
