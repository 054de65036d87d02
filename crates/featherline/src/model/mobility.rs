//! How easily bodies move: what bounds the rounding of their pivots.

use super::{Class, Joint, Link};
use crate::spatial::Inertia;

/// Traces of a body's inverse inertia, and κ of its own inertia alone.
#[derive(Clone, Copy, Debug)]
pub struct Mobility {
    /// κ of its own inertia alone.
    pub own: f64,
    /// The trace of the translational block of the inverse inertia.
    pub linear: f64,
    /// The trace of the rotational block.
    pub angular: f64,
}

impl Mobility {
    /// Of all links, or of none where no pivot can be small against the inertia that its coordinate
    /// moves: `bound` of the inverse pivots of all coordinates, in units of roundings.
    pub fn all(links: &[Link], joints: &[Joint], bound: &[f64]) -> Vec<Self> {
        let all: Vec<Self> = joints
            .iter()
            .map(|joint| Self::of(&joint.inertia))
            .collect();
        let may_be_small = links.iter().zip(&all).skip(1).any(|(link, mobility)| {
            // The inverse of the least inertia that the joint moves: its body, while all that hangs
            // on it yields.
            let inverse = match link.class {
                Class::Prismatic => mobility.linear,
                Class::Revolute | Class::Unbounded | Class::General => {
                    mobility.linear + mobility.angular
                }
            };
            let bounds = &bound[link.idx_v..link.idx_v + link.columns];
            inverse.is_finite() && bounds.iter().any(|bound| inverse >= bound / f64::EPSILON)
        });
        if may_be_small { all } else { Vec::new() }
    }

    /// The translational block of I⁻¹ at the frame's origin is 1/m + c× J⁻¹ (c×)ᵀ, the rotational
    /// one J⁻¹, with J about the centre of mass.
    pub fn of(inertia: &Inertia<f64>) -> Self {
        let j = inertia.rotational;
        let columns = j.to_mat();
        let (x, y, z) = (columns.x, columns.y, columns.z);
        // The adjugate's diagonal.
        let minors = y.cross(z).x + z.cross(x).y + x.cross(y).z;
        let determinant = columns.determinant();
        let angular = if determinant > 0.0 {
            minors / determinant
        } else {
            f64::INFINITY
        };
        let reach = inertia.com.dot(inertia.com);
        let linear = 3.0 / inertia.mass + reach * angular;
        let trace = columns.trace() + 2.0 * inertia.mass * reach;
        Self {
            own: 3.0 * inertia.mass * linear + trace * angular,
            linear,
            angular,
        }
    }
}
