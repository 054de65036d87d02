//! The articulated inertia of a body on a hinge about z that moves freely.

use super::{ArticulatedInertia, Force, Mat3, Sym3, Vec3};
use crate::scalar::{Scalar, large};

/// The articulated-body inertia of a body on a hinge about z without armature: no moment about z is
/// needed to accelerate it, so that the last column of H and the last row and column of J are zero.
#[derive(Clone, Copy, Debug)]
pub struct HingedInertia<S: Scalar> {
    /// M.
    linear: Sym3<S>,
    /// The first two columns of H.
    x: Vec3<S>,
    y: Vec3<S>,
    /// The nonzero elements of J.
    xx: S,
    xy: S,
    yy: S,
}

/// A vector of the plane, turned.
#[inline(always)]
fn turned_pair<S: Scalar>((sin, cos): (S, S), (x, y): (S, S)) -> (S, S) {
    (cos.mul_add(x, -(sin * y)), sin.mul_add(x, cos * y))
}

/// R A Rᵀ for the elements xx, xy and yy of a symmetric matrix A of two rows, and R the turn.
#[inline(always)]
fn turned_plane<S: Scalar>(turn: (S, S), (xx, xy, yy): (S, S, S)) -> (S, S, S) {
    let (ax, bx) = turned_pair(turn, (xx, xy));
    let (ay, by) = turned_pair(turn, (xy, yy));
    let (xx, xy) = turned_pair(turn, (ax, ay));
    let (_, yy) = turned_pair(turn, (bx, by));
    (xx, xy, yy)
}

impl<S: Scalar> HingedInertia<S> {
    /// The inertia without the hinge's coordinate, whose unit acceleration needs the given force,
    /// and is 1/`inverse` along z.
    #[inline(always)]
    pub fn new(inertia: &ArticulatedInertia<S>, force: &Force<S>, inverse: S) -> Self {
        large!(S, {
            let scaled = -(force.linear * inverse);
            let (h, w) = (&inertia.coupling, force.angular);
            let [xx, xy, _, yy, ..] = inertia.angular.to_elements();
            let (a, b) = (-(w.x * inverse), -(w.y * inverse));
            Self {
                linear: inertia.linear.sub_outer(force.linear, inverse),
                x: scaled.mul_add(w.x, h.x),
                y: scaled.mul_add(w.y, h.y),
                xx: a.mul_add(w.x, xx),
                xy: a.mul_add(w.y, xy),
                yy: b.mul_add(w.y, yy),
            }
        })
    }

    /// The force that gives an acceleration whose components along z are zero.
    #[inline(always)]
    pub fn mul_planar(&self, linear: Vec3<S>, angular: Vec3<S>) -> Force<S> {
        let m = self.linear.columns();
        let force = m.x.mul_add(linear.x, m.y * linear.y);
        let force = self.y.mul_add(angular.y, force);
        let x = self.xx.mul_add(angular.x, self.xy * angular.y);
        let y = self.xy.mul_add(angular.x, self.yy * angular.y);
        let x = self.x.x.mul_add(linear.x, self.x.y.mul_add(linear.y, x));
        let y = self.y.x.mul_add(linear.x, self.y.y.mul_add(linear.y, y));
        let moment = Vec3::new(x, y, S::zero());
        Force::new(self.x.mul_add(angular.x, force), moment)
    }

    /// The same inertia in the hinge's frame before it turned.
    #[inline(always)]
    pub fn turned(&self, sin: S, cos: S) -> Self {
        large!(S, {
            let [mxx, mxy, mxz, myy, myz, mzz] = self.linear.to_elements();
            let (mxx, mxy, myy) = turned_plane((sin, cos), (mxx, mxy, myy));
            let (mxz, myz) = turned_pair((sin, cos), (mxz, myz));
            let (hxx, hyx) = turned_pair((sin, cos), (self.x.x, self.x.y));
            let (hxy, hyy) = turned_pair((sin, cos), (self.y.x, self.y.y));
            let (x, y) = (Vec3::new(hxx, hyx, self.x.z), Vec3::new(hxy, hyy, self.y.z));
            let (xx, xy, yy) = turned_plane((sin, cos), (self.xx, self.xy, self.yy));
            Self {
                linear: Sym3::new(mxx, mxy, mxz, myy, myz, mzz),
                x: x.mul_add(cos, -(y * sin)),
                y: x.mul_add(sin, y * cos),
                xx,
                xy,
                yy,
            }
        })
    }

    /// The same inertia about a point from which the hinge is `p` away.
    #[inline(always)]
    pub fn shifted(&self, p: Vec3<S>) -> ArticulatedInertia<S> {
        large!(S, {
            // H' = H − M p×, and J' = J + p× H' + (p× H)ᵀ.
            let m = self.linear.columns();
            let rows = Mat3::from_columns(p.cross(m.x), p.cross(m.y), p.cross(m.z)).transpose();
            let coupling = Mat3::from_columns(rows.x + self.x, rows.y + self.y, rows.z);
            let a = Mat3::from_columns(
                p.cross(coupling.x),
                p.cross(coupling.y),
                p.cross(coupling.z),
            );
            let (bx, by) = (p.cross(self.x), p.cross(self.y));
            ArticulatedInertia {
                linear: self.linear,
                coupling,
                angular: Sym3::new(
                    self.xx + a.x.x + bx.x,
                    self.xy + a.y.x + bx.y,
                    a.z.x + bx.z,
                    self.yy + a.y.y + by.y,
                    a.z.y + by.z,
                    a.z.z,
                ),
            }
        })
    }
}
