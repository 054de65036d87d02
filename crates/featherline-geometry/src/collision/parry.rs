//! The seam to `parry3d-f64`: nearest points of two convex cores by GJK, and overlap by EPA.
//!
//! Nothing else in this crate names a type of that library.

use super::convex::Core;
use super::separation::Separation;
use featherline::spatial::{Quaternion, Se3, Vec3};
use parry3d_f64::math::{Pose3, Rot3, Vector};
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use parry3d_f64::shape::SupportMap;

/// Memory of the two algorithms, for use again.
#[derive(Default)]
pub(crate) struct Search {
    simplex: VoronoiSimplex,
    epa: EPA,
}

impl SupportMap for Core<'_> {
    fn local_support_point(&self, d: Vector) -> Vector {
        let point = self.support(Vec3::new(d.x, d.y, d.z));
        Vector::new(point.x, point.y, point.z)
    }
}

fn to_vector(v: Vec3<f64>) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn from_vector(v: Vector) -> Vec3<f64> {
    Vec3::new(v.x, v.y, v.z)
}

impl Search {
    /// Nearest points of two cores, or the least translation that parts them, in the frame of the
    /// first; none if neither algorithm ends.
    pub fn between(
        &mut self,
        a: &Core<'_>,
        b: &Core<'_>,
        placement: &Se3<f64>,
    ) -> Option<Separation> {
        let q = Quaternion::from_rotation(&placement.rotation);
        let v = q.vector();
        let pose = Pose3::from_parts(
            to_vector(placement.translation),
            Rot3::from_xyzw(v.x, v.y, v.z, q.w),
        );
        let towards = placement.act_point(b.center()) - a.center();
        let towards = match towards.norm_squared() > 0.0 {
            true => to_vector(towards.normalised()),
            false => Vector::X,
        };
        self.simplex
            .reset(CsoPoint::from_shapes(&pose, a, b, towards));
        let found = gjk::closest_points(&pose, a, b, f64::MAX, true, &mut self.simplex);
        let (p, q, n) = match found {
            GJKResult::ClosestPoints(p, q, n) => (p, q, n),
            GJKResult::Intersection => self.epa.closest_points(&pose, a, b, &self.simplex)?,
            GJKResult::Proximity(_) | GJKResult::NoIntersection(_) => return None,
        };
        let (p, q, normal) = (from_vector(p), from_vector(q), from_vector(n));
        Some(Separation {
            distance: (q - p).dot(normal),
            points: [p, q],
            normal,
        })
    }
}
