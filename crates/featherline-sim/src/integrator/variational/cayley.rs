//! Finite displacements of bodies in Cayley's coordinates, and the momenta that belong to them.
//!
//! A body displaced by the placement D within a step of h has moved with the constant "velocity"
//! ξ/h, D = cay ξ, where the Cayley map stands for the exponential: rational, without angles, the
//! same to second order, and cay(−ξ) = cay(ξ)⁻¹, which makes the method symmetric. With the
//! rotation vector ω and the linear part v of ξ
//!
//! ```text
//! rotation of D = (1 − ½ω×)⁻¹ (1 + ½ω×),   way of D = (1 − ½ω×)⁻¹ v,
//! ```
//!
//! so that for the unit quaternion (e, c) and the way p of D: ω = 2 e/c, v = p − ½ ω × p. The
//! coordinates end at π, c = 0. Source: M. Kobilarov, K. Crane and M. Desbrun, "Lie group
//! integrators for animation and control of vehicles", ACM Transactions on Graphics 28(2), 2009,
//! section 4.

use crate::maximal::Pose;
use featherline::scalar::Scalar;
use featherline::spatial::{DynamicParameters, Force, Motion, Quaternion, Se3, Vec3};

/// A finite displacement of a frame, in its own coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Displacement<S: Scalar> {
    /// Vector part e and real part c of the unit quaternion.
    pub turn: Vec3<S>,
    pub cosine: S,
    /// Where the origin goes.
    pub way: Vec3<S>,
}

impl<S: Scalar> Displacement<S> {
    /// A displacement along a motion held for one unit of time: its exponential.
    #[inline(always)]
    pub fn exp(motion: &Motion<S>) -> Self {
        let turn = Quaternion::exp(motion.angular);
        Self {
            turn: turn.vector(),
            cosine: turn.w,
            way: featherline::spatial::left_jacobian3(motion.angular).mul_vec(motion.linear),
        }
    }

    /// The displacement of a placement.
    #[inline(always)]
    pub fn of(placement: &Se3<S>) -> Self {
        let turn = Quaternion::from_rotation(&placement.rotation);
        Self {
            turn: turn.vector(),
            cosine: turn.w,
            way: placement.translation,
        }
    }

    /// The displacement with the Cayley coordinates `xi`: cay ξ.
    #[inline(always)]
    pub fn cay(xi: &Motion<S>) -> Self {
        let (w, v) = (xi.angular * S::constant(0.5), xi.linear);
        let secant_squared = S::one() + w.norm_squared();
        let cosine = secant_squared.sqrt().recip();
        // (1 − w×)⁻¹ v
        let way = w.mul_add(w.dot(v), w.cross_add(v, v)) * secant_squared.recip();
        let turn = w * cosine;
        Self { turn, cosine, way }
    }

    /// The displacement as a placement.
    #[inline(always)]
    pub fn placement(&self) -> Se3<S> {
        let turn = Quaternion::from_parts(self.turn, self.cosine);
        Se3::new(turn.to_rotation(), self.way)
    }

    /// A turn about z, by twice the angle with the given sine and cosine.
    #[inline(always)]
    pub fn about_z(sine: S, cosine: S) -> Self {
        Self {
            turn: Vec3::new(S::zero(), S::zero(), sine),
            cosine,
            way: Vec3::zero(),
        }
    }

    /// A way along z.
    #[inline(always)]
    pub fn along_z(way: S) -> Self {
        Self {
            turn: Vec3::zero(),
            cosine: S::one(),
            way: Vec3::new(S::zero(), S::zero(), way),
        }
    }

    /// The same displacement as the frame that `placement` places sees it: X⁻¹ D X.
    #[inline(always)]
    pub fn seen_from(&self, placement: &Se3<S>) -> Self {
        let r = placement.translation;
        // The turn's own displacement of the point r, D r − r, is added to the way.
        let twice = self.turn + self.turn;
        let carried = twice.cross_add(self.turn.cross_add(r, r * self.cosine), self.way);
        Self {
            turn: placement.rotation.tr_mul_vec(self.turn),
            cosine: self.cosine,
            way: placement.rotation.tr_mul_vec(carried),
        }
    }

    /// This displacement and then `next`, in the displaced frame.
    #[inline(always)]
    pub fn then(&self, next: &Self) -> Self {
        let (e, c) = (self.turn, self.cosine);
        let turned = e.cross_add(next.way, next.way * c);
        Self {
            turn: e.cross_add(next.turn, next.turn.mul_add(c, e * next.cosine)),
            cosine: c * next.cosine - e.dot(next.turn),
            way: (e + e).cross_add(turned, self.way + next.way),
        }
    }

    /// This displacement and then a turn about z, by twice the angle with the given sine and
    /// cosine.
    #[inline(always)]
    pub fn then_about_z(&self, sine: S, cosine: S) -> Self {
        let (e, c) = (self.turn, self.cosine);
        let turn = (e * cosine + e.cross_along_z(sine)).plus_along_z(c * sine);
        Self {
            turn,
            cosine: c * cosine - e.z * sine,
            way: self.way,
        }
    }

    /// Cayley's coordinates ξ.
    #[inline(always)]
    pub fn cayley(&self) -> Motion<S> {
        let half = self.turn * self.cosine.recip();
        // v = p − ½ ω × p = p + p × ½ω
        Motion::new(self.way.cross_add(half, self.way), half + half)
    }
}

impl Displacement<f64> {
    /// A body's pose when it has been displaced.
    #[inline(always)]
    pub fn displace(&self, pose: &Pose) -> Pose {
        let turn = Quaternion::from_parts(self.turn, self.cosine);
        Pose {
            position: pose.orientation.rotate(self.way) + pose.position,
            orientation: (pose.orientation * turn).normalised(),
        }
    }
}

/// The momentum of a body at the beginning of a step, in its frame there: what the kinetic energy
/// of the step changes by when the body begins elsewhere, −D₁L. `xi` are Cayley's coordinates of
/// the displacement, `rate` one over the step.
///
/// The centre of mass moves along a straight line, the body turns about it with the velocity ω/h: L
/// = ½ m |Δc|²/h + ½ ωᵀ J ω/h. So a robot moves as it does when it is watched from a train, however
/// fast; with ½ ξᵀ Y ξ/h it would not, since there the centre of mass follows the screw of its
/// body. With the momentum f, n of Y ξ/h about the centre of mass, −D₁L is (1 − ½ω×)⁻¹ f there, and
/// dcay(ω)⁻ᵀ n = (1 + ½ω× + ¼ω ωᵀ) n. Source: the blocks of Brüdigam and Manchester 2020, with
/// Cayley's coordinates.
#[inline(always)]
pub(super) fn momentum_at_begin<S: Scalar>(
    parameters: &DynamicParameters<S>,
    xi: &Motion<S>,
    rate: S,
) -> Force<S> {
    let momentum = parameters.mul_motion(&(*xi * rate));
    let (f, about_origin) = (momentum.linear, momentum.angular);
    let w = xi.angular * S::constant(0.5);
    let center = center_of_mass(parameters);
    let n = about_origin - center.cross(f);
    let scale = (S::one() + w.norm_squared()).recip();
    let linear = w.mul_add(w.dot(f), w.cross_add(f, f)) * scale;
    let spin = w.mul_add(w.dot(n), n);
    Force::new(linear, center.cross_add(linear, w.cross_add(n, spin)))
}

/// The centre of mass of a body; the origin where there is no mass.
#[inline(always)]
fn center_of_mass<S: Scalar>(parameters: &DynamicParameters<S>) -> Vec3<S> {
    let mass = parameters.mass;
    let inverse = S::select(S::zero().less(mass), mass.recip(), S::zero());
    parameters.first_moment * inverse
}

/// The momentum of a body at the end of a step, in its frame there: D₂L.
#[inline(always)]
pub(super) fn momentum_at_end<S: Scalar>(
    parameters: &DynamicParameters<S>,
    xi: &Motion<S>,
    rate: S,
) -> Force<S> {
    let back = momentum_at_begin(parameters, &-*xi, rate);
    Force::new(-back.linear, -back.angular)
}

/// dcay(−ξ)ᵀ f: the force on Cayley's coordinates ξ of one on the body at the end of a step.
#[inline(always)]
pub(super) fn force_on_coordinates<S: Scalar>(force: &Force<S>, xi: &Motion<S>) -> Force<S> {
    let half = S::constant(-0.5);
    let (w, v) = (xi.angular * half, xi.linear * half);
    let scale = (S::one() + w.norm_squared()).recip();
    // (1 + w×)⁻¹ and (1 + w× + w wᵀ)⁻¹
    let (f, n) = (force.linear, force.angular - v.cross(force.linear));
    let turned = f - w.cross(f);
    Force::new(
        w.mul_add(w.dot(f), turned) * scale,
        (n - w.cross(n)) * scale,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use featherline::spatial::{Inertia, Sym3, exp6, log6};

    const STEP: f64 = 0.3;

    fn body() -> DynamicParameters<f64> {
        Inertia::new(2.0, center(), moment()).to_parameters()
    }

    fn displacement() -> Motion<f64> {
        Motion::from_array([0.3, -0.5, 0.2, 0.7, 0.4, -0.9])
    }

    fn close(a: &Displacement<f64>, b: &Displacement<f64>) -> bool {
        let same = (a.turn - b.turn).norm() + (a.cosine - b.cosine).abs();
        let opposite = (a.turn + b.turn).norm() + (a.cosine + b.cosine).abs();
        same.min(opposite) + (a.way - b.way).norm() < 1e-14
    }

    #[test]
    fn displacements_compose_as_placements_do() {
        let a = exp6(&displacement());
        let b = exp6(&Motion::from_array([0.1, 0.8, -0.3, -0.2, 0.5, 0.3]));
        let (da, db) = (Displacement::of(&a), Displacement::of(&b));
        assert!(close(&da, &Displacement::exp(&displacement())));
        assert!(close(&da.then(&db), &Displacement::of(&a.compose(&b))));
        let seen = b.inverse().compose(&a).compose(&b);
        assert!(close(&da.seen_from(&b), &Displacement::of(&seen)));
        let (sine, cosine) = 0.35_f64.sin_cos();
        let turn = Displacement::about_z(sine, cosine);
        assert!(close(&da.then(&turn), &da.then_about_z(sine, cosine)));
    }

    fn center() -> Vec3<f64> {
        Vec3::new(0.1, -0.3, 0.2)
    }

    fn moment() -> Sym3<f64> {
        Sym3::diagonal(Vec3::new(0.4, 0.5, 0.7))
    }

    /// The kinetic part of a step's action.
    fn action(displacement: &Se3<f64>) -> f64 {
        let moved = displacement.act_point(center()) - center();
        let turn = Displacement::of(displacement).cayley().angular;
        0.5 * (2.0 * moved.norm_squared() + moment().mul_vec(turn).dot(turn)) / STEP
    }

    #[test]
    fn momenta_are_the_derivatives_of_the_action() {
        let d = exp6(&displacement());
        let xi = Displacement::of(&d).cayley();
        let begin = momentum_at_begin(&body(), &xi, 1.0 / STEP).to_array();
        let end = momentum_at_end(&body(), &xi, 1.0 / STEP).to_array();
        for k in 0..6 {
            let mut unit = [0.0; 6];
            unit[k] = 1e-5;
            let move_by = Motion::from_array(unit);
            let (more, less) = (exp6(&move_by), exp6(&-move_by));
            // Central differences: an error of 1e-10 times third derivatives of size one. Where the
            // step begins later, it is shorter: the momentum there is minus the derivative.
            let by_begin = action(&more.compose(&d)) - action(&less.compose(&d));
            let by_end = action(&d.compose(&more)) - action(&d.compose(&less));
            assert!((by_begin / 2e-5 - begin[k]).abs() < 1e-8);
            assert!((by_end / 2e-5 - end[k]).abs() < 1e-8);
        }
    }

    #[test]
    fn coordinates_and_displacements_are_inverse() {
        let found = Displacement::cay(&displacement());
        let back = found.cayley() - displacement();
        assert!(back.linear.norm() + back.angular.norm() < 1e-14);
        assert!(close(&found, &Displacement::of(&found.placement())));
    }

    #[test]
    fn forces_at_the_end_do_the_work_of_those_on_coordinates() {
        let xi = displacement();
        let force = Force::from_array([0.3, 0.7, -0.2, 0.5, -0.4, 0.9]);
        let seen = force_on_coordinates(&force, &xi).to_array();
        let here = Displacement::cay(&xi).placement();
        for k in 0..6 {
            let mut unit = [0.0; 6];
            unit[k] = 1e-5;
            let step = Motion::from_array(unit);
            let [more, less] = [xi + step, xi - step]
                .map(|xi| log6(&here.inverse_compose(&Displacement::cay(&xi).placement())));
            let work = force.dot(&(more - less)) / 2e-5;
            assert!((work - seen[k]).abs() < 1e-8, "{k}: {work}");
        }
    }

    #[test]
    fn a_train_adds_its_own_momentum_and_nothing_else() {
        let xi = displacement();
        let here = Displacement::cay(&xi);
        let fast = Vec3::new(30.0, -20.0, 50.0);
        let boosted = Displacement {
            way: here.way + fast * STEP,
            ..here
        };
        let momentum = |d: &Displacement<f64>| momentum_at_begin(&body(), &d.cayley(), 1.0 / STEP);
        let gained = momentum(&boosted) - momentum(&here);
        let train = fast * 2.0;
        let expected = Force::new(train, center().cross(train));
        let rest = gained - expected;
        assert!(rest.linear.norm() + rest.angular.norm() < 1e-12);
    }

    #[test]
    fn in_a_fixed_frame_both_ends_of_a_step_have_the_same_momentum() {
        let d = exp6(&displacement());
        let xi = Displacement::of(&d).cayley();
        let begin = momentum_at_begin(&body(), &xi, 1.0 / STEP);
        let end = d.act_force(&momentum_at_end(&body(), &xi, 1.0 / STEP));
        assert!((begin - end).linear.norm() + (begin - end).angular.norm() < 1e-13);
    }
}
