//! Forces that a joint transmits, split into those of constraint and those that drive it.

use crate::scalar::kernel;
use crate::spatial::Motion;
use nalgebra::Matrix6;

/// Below this part of its length a motion is held to depend on those before it.
const DEPENDENT: f64 = 1e-10;

/// A basis of the forces that a joint transmits, in its output frame, by columns.
///
/// The first 6 − n columns are T, orthonormal, with Tᵀ S = 0: forces of constraint, which do no
/// work. The other n are U, with Uᵀ S = 1: the force U τ does the work of the joint forces τ, and
/// Uᵀ takes the joint's rates from its velocity.
#[derive(Clone, Debug)]
pub struct ConstraintBasis {
    /// An orthonormal basis of six-vectors: the forces that the joint transmits first, then those
    /// of its motions.
    pub columns: Matrix6<f64>,
    /// n, the degrees of freedom.
    pub freedom: usize,
}

impl ConstraintBasis {
    /// The basis for a motion subspace of at most six columns, unless these depend on each other.
    pub fn of(subspace: &[Motion<f64>]) -> Option<Self> {
        basis_of(subspace)
    }

    /// Tᵀ m and Uᵀ m: what each force does to a motion.
    #[inline(always)]
    pub fn work(&self, motion: &Motion<f64>) -> [f64; 6] {
        let motion = motion.to_array();
        let mut work = [0.0; 6];
        for k in 0..6 {
            for c in 0..6 {
                work[k] = self.columns[(c, k)].mul_add(motion[c], work[k]);
            }
        }
        work
    }

    /// The change of T, in the first 6 − n columns, for a change of S: T stays orthonormal with
    /// Tᵀ S = 0, and each of its columns the part of one axis that the later ones leave, as
    /// [`of`](Self::of) has it. The other columns are zero.
    #[inline(always)]
    pub fn constraint_force_change(&self, change: &[Motion<f64>]) -> Matrix6<f64> {
        let (rigid, t) = (self.rigid(), &self.columns);
        let mut changes = Matrix6::zeros();
        // −Sᵀ dT = dSᵀ T, by rows of joint coordinates, and dT = −U dSᵀ T + T Ω.
        let mut powers = Matrix6::<f64>::zeros();
        for (k, change) in change.iter().enumerate() {
            let change = nalgebra::Vector6::from(*change);
            for m in 0..rigid {
                powers[(k, m)] = change.dot(&t.column(m));
                let along = t.column(rigid + k) * -powers[(k, m)];
                changes.set_column(m, &(changes.column(m) + along));
            }
        }
        // Ω is antisymmetric: T's columns turn into each other so that tₘ stays (1 − P) e / |…|,
        // with e its axis and P the projection onto S and the columns after m.
        let mut omega = Matrix6::<f64>::zeros();
        for m in (0..rigid).rev() {
            let mut axis = 0;
            for c in 1..6 {
                if t[(c, m)] > t[(axis, m)] {
                    axis = c;
                }
            }
            for j in 0..m {
                // tⱼᵀ d(P e) = tⱼᵀ dS Uᵀ e + Σ Ωⱼᵢ tᵢᵀ e
                let mut along = 0.0;
                for k in 0..self.freedom {
                    along = powers[(k, j)].mul_add(t[(axis, rigid + k)], along);
                }
                for i in m + 1..rigid {
                    along = omega[(j, i)].mul_add(t[(axis, i)], along);
                }
                omega[(j, m)] = -along / t[(axis, m)];
                omega[(m, j)] = -omega[(j, m)];
            }
        }
        for m in 0..rigid {
            for j in 0..rigid {
                let turned = t.column(j) * omega[(j, m)];
                changes.set_column(m, &(changes.column(m) + turned));
            }
        }
        changes
    }

    /// An orthonormal basis of the joint's motions, however nearly S depends on itself: as many as
    /// there are degrees of freedom.
    #[inline(always)]
    pub fn orthonormal_motions(&self) -> [Motion<f64>; 6] {
        let rigid = self.rigid();
        let mut motions = [Motion::zero(); 6];
        for k in 0..self.freedom {
            let mut own = self.columns.column(rigid + k).into_owned();
            for _ in 0..2 {
                for other in &motions[..k] {
                    let other = nalgebra::Vector6::from(*other);
                    own -= other * other.dot(&own);
                }
                own = own.normalize();
            }
            motions[k] = own.into();
        }
        motions
    }

    /// How many forces of constraint there are.
    #[inline(always)]
    pub fn rigid(&self) -> usize {
        6 - self.freedom
    }
}

kernel!(
    fn basis_of(subspace: &[Motion<f64>]) -> Option<ConstraintBasis> {
        let n = subspace.len();
        let rigid = 6 - n;
        let mut columns = Matrix6::zeros();
        // S = Q R by Gram and Schmidt, each step done twice for orthogonality to the last digits.
        let mut r = Matrix6::identity();
        for k in 0..n {
            let mut q = nalgebra::Vector6::from(subspace[k]);
            let length = q.norm();
            for _ in 0..2 {
                for j in 0..k {
                    let along = columns.column(rigid + j).dot(&q);
                    q -= columns.column(rigid + j) * along;
                    r[(j, k)] += along;
                }
            }
            let rest = q.norm();
            if rest <= DEPENDENT * length || rest.is_nan() {
                return None;
            }
            r[(k, k)] = rest;
            columns.set_column(rigid + k, &(q / rest));
        }
        complete(&mut columns, rigid);
        // U = Q R⁻ᵀ: column by column from the last, since Rᵀ is lower triangular.
        for k in (0..n).rev() {
            let mut u = columns.column(rigid + k).into_owned();
            for j in k + 1..n {
                u -= columns.column(rigid + j) * r[(k, j)];
            }
            columns.set_column(rigid + k, &(u / r[(k, k)]));
        }
        Some(ConstraintBasis {
            columns,
            freedom: n,
        })
    }
);

/// Fills the first columns with an orthonormal basis of what the others, orthonormal too, leave.
#[inline(always)]
fn complete(columns: &mut Matrix6<f64>, missing: usize) {
    for m in (0..missing).rev() {
        let mut best = nalgebra::Vector6::zeros();
        for axis in 0..6 {
            let mut candidate = nalgebra::Vector6::ith(axis, 1.0);
            for _ in 0..2 {
                for j in m + 1..6 {
                    let along = columns.column(j).dot(&candidate);
                    candidate -= columns.column(j) * along;
                }
            }
            if candidate.norm_squared() > best.norm_squared() {
                best = candidate;
            }
        }
        columns.set_column(m, &best.normalize());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::Vec3;

    #[test]
    fn constraint_forces_do_no_work_and_drive_forces_do_that_of_the_joint() {
        let skew =
            |a: f64, b: f64| Motion::new(Vec3::new(a, 0.3, -b), Vec3::new(0.2 * b, 1.0, a * b));
        for n in 0..=6 {
            let subspace: Vec<_> = (0..n)
                .map(|k| skew((k as f64).sin() + k as f64, (2.0 * k as f64).cos()))
                .collect();
            let Some(basis) = ConstraintBasis::of(&subspace) else {
                assert!(n > 4, "motions {n} are independent");
                continue;
            };
            assert_eq!(basis.freedom, n);
            for (k, s) in subspace.iter().enumerate() {
                let powers = basis.columns.transpose() * nalgebra::Vector6::from(*s);
                for row in 0..6 {
                    let expected = f64::from(u8::from(row == 6 - n + k));
                    assert!((powers[row] - expected).abs() < 1e-12, "{n}: {powers}");
                }
            }
        }
    }

    #[test]
    fn motions_that_nearly_depend_on_each_other_have_an_orthonormal_basis() {
        let turn = |tilt: f64| Motion::new(Vec3::new(tilt, 0.0, 0.3), Vec3::new(1.0, tilt, 0.0));
        let shift = Motion::new(Vec3::unit(1), Vec3::zero());
        let subspace = [turn(0.0), turn(1e-7), shift];
        let basis = ConstraintBasis::of(&subspace).unwrap();
        let found = basis.orthonormal_motions();
        for (k, own) in found[..3].iter().enumerate() {
            for (j, other) in found[..3].iter().enumerate() {
                let product: f64 = own
                    .to_array()
                    .iter()
                    .zip(other.to_array())
                    .map(|(a, b)| a * b)
                    .sum();
                let expected = f64::from(u8::from(j == k));
                assert!((product - expected).abs() < 1e-15, "{k} {j}: {product}");
            }
            // No constraint forbids it, but for what rounding is in a difference of a ten
            // millionth.
            for force in &basis.work(own)[..3] {
                assert!(force.abs() < 1e-8, "{force:e}");
            }
        }
    }

    #[test]
    fn constraint_forces_change_as_differences_of_bases_have_it() {
        let turn = |a: f64, b: f64| {
            Motion::new(
                Vec3::new(0.3 * a, b, 0.2 - a * b),
                Vec3::new(b, 1.0 + a, a - 0.4 * b),
            )
        };
        // All such motions span four dimensions.
        for n in 1..=3 {
            let at = |x: f64| -> Vec<_> {
                (0..n)
                    .map(|k| {
                        turn(
                            (0.4 + 1.3 * k as f64 + x).sin(),
                            (0.9 + 2.1 * k as f64 - 0.7 * x).cos(),
                        )
                    })
                    .collect()
            };
            let h = 1e-5;
            let (last, next) = (at(-h), at(h));
            let change: Vec<_> = last
                .iter()
                .zip(&next)
                .map(|(last, next)| (*next - *last) * (0.5 / h))
                .collect();
            let basis = ConstraintBasis::of(&at(0.0)).unwrap();
            let found = basis.constraint_force_change(&change);
            // The projection T Tᵀ is the same for every basis of the same forces.
            let projection = |t: &Matrix6<f64>| {
                let t = t.columns(0, 6 - n);
                t * t.transpose()
            };
            let [last, next] = [last, next].map(|s| ConstraintBasis::of(&s).unwrap().columns);
            let expected = (projection(&next) - projection(&last)) * (0.5 / h);
            let half = found.columns(0, 6 - n) * basis.columns.columns(0, 6 - n).transpose();
            // Truncation h² and rounding 1e-16 / h.
            let error = (half + half.transpose() - expected).norm();
            assert!(error < 1e-8, "{n}: {error:e}");
            assert!(found.norm() > 1e-3, "{n}: {}", found.norm());
        }
    }

    #[test]
    fn dependent_motions_have_no_basis() {
        let turn = Motion::new(Vec3::zero(), Vec3::unit(2));
        assert!(ConstraintBasis::of(&[turn, turn * 2.0]).is_none());
        assert!(ConstraintBasis::of(&[Motion::zero()]).is_none());
        assert!(ConstraintBasis::of(&[turn * f64::NAN]).is_none());
    }
}
