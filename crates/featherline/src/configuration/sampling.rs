//! The neutral configuration, random ones, and the length of rotations.

use super::{moves_itself, own_ranges};
use crate::Error;
use crate::error::check_size;
use crate::model::{Joint, Model};
use crate::random::RandomSource;
use crate::scalar::{Scalar, all_finite, kernel};

kernel!(
    fn normalise<S: Scalar>(model: &Model, q: &mut [S]) {
        for joint in model.joints() {
            if moves_itself(joint) {
                let (own_q, _) = own_ranges(joint);
                joint.kind.normalise(&mut q[own_q]);
            }
        }
    }
);

impl Model {
    /// The neutral configuration: zero angles and displacements, unit quaternions, (1, 0) for (cos,
    /// sin). Its length is nq.
    ///
    /// ```
    /// use featherline::samples;
    ///
    /// let model = samples::double_pendulum();
    /// let q: Vec<f64> = model.neutral_configuration();
    /// assert_eq!(q, [0.0, 0.0]);
    /// ```
    pub fn neutral_configuration<S: Scalar>(&self) -> Vec<S> {
        let mut q = vec![S::zero(); self.nq()];
        for joint in self.joints().iter().filter(|joint| moves_itself(joint)) {
            let (own, _) = own_ranges(joint);
            joint.kind.neutral(&mut q[own]);
        }
        q
    }

    /// A random configuration of nq entries: angles and displacements uniformly within the joints'
    /// limits, rotations uniformly over all rotations.
    ///
    /// An angle without limits is drawn from \[−π, π\], a displacement from \[−1 m, 1 m\]; with one
    /// limit, from the 2π or 2 m next to it. A mimicked joint is drawn from the range in
    /// which its mimic joints, too, respect their limits (up to rounding). Where there is no such
    /// range (a [warning](crate::model::ModelWarning::ContradictoryLimits) of the builder), it is
    /// drawn from its own. The same source in the same state draws the same;
    /// [`SplitMix64`](crate::random::SplitMix64) makes one from a seed.
    ///
    /// ```
    /// use featherline::{random::SplitMix64, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let q = model.random_configuration(&mut SplitMix64::new(7));
    /// assert!(q.iter().all(|angle| angle.abs() <= std::f64::consts::PI));
    /// ```
    pub fn random_configuration<R: RandomSource + ?Sized>(&self, source: &mut R) -> Vec<f64> {
        let mut q = vec![0.0; self.nq()];
        self.draw(source, &mut q);
        q
    }

    fn draw<R: RandomSource + ?Sized>(&self, source: &mut R, q: &mut [f64]) {
        for (i, joint) in self.joints().iter().enumerate() {
            let (own, _) = own_ranges(joint);
            let (kind, q) = (&joint.kind, &mut q[own]);
            match self.mimic_limits.get(&i) {
                _ if !moves_itself(joint) => {}
                Some(range) => kind.random_displacement(source, range.lower, range.upper, q),
                None => kind.random(source, &joint.limits.lower, &joint.limits.upper, q),
            }
        }
    }

    /// Gives the quaternions and (cos, sin) pairs of a configuration length one, and leaves its
    /// other entries as they are. Cost O(n), no allocation.
    ///
    /// # Errors
    /// [`Error::Size`]; [`Error::ZeroRotation`] for one of length zero, [`Error::LongRotation`] for
    /// one whose squared length overflows, [`Error::NotFinite`] for an entry that is not finite.
    /// `q` is then of no use.
    pub fn normalise<S: Scalar>(&self, q: &mut [S]) -> Result<(), Error> {
        self.check_q(q)?;
        self.check_finite(all_finite(q), "the configuration", q, &[])?;
        self.check_lengths(q)?;
        normalise(self, q);
        // An entry that was finite before and is not now was a rotation without a direction.
        let lost = |joint: &&Joint| !all_finite(&q[own_ranges(joint).0]);
        match self.joints().iter().find(lost) {
            Some(joint) => Err(Error::ZeroRotation {
                joint: joint.name.clone(),
                index: joint.idx_q,
            }),
            None => Ok(()),
        }
    }

    /// Fails if the squared length of a quaternion or (cos, sin) pair overflows.
    pub(crate) fn check_lengths<S: Scalar>(&self, q: &[S]) -> Result<(), Error> {
        for joint in self.joints().iter().filter(|joint| moves_itself(joint)) {
            let own = &q[own_ranges(joint).0];
            for unit in joint.kind.unit_entries() {
                let squared = own[unit].iter().fold(S::zero(), |sum, &x| sum + x * x);
                if !squared.is_finite() {
                    return Err(Error::LongRotation {
                        joint: joint.name.clone(),
                        index: joint.idx_q,
                    });
                }
            }
        }
        Ok(())
    }

    /// Whether the squared lengths of all quaternions and (cos, sin) pairs differ from one by at
    /// most `tolerance`. Algorithms accept any length but zero.
    ///
    /// # Errors
    /// [`Error::Size`].
    pub fn is_normalised(&self, q: &[f64], tolerance: f64) -> Result<bool, Error> {
        self.check_q(q)?;
        let mut joints = self.joints().iter().filter(|joint| moves_itself(joint));
        Ok(joints.all(|joint| joint.kind.is_normalised(&q[own_ranges(joint).0], tolerance)))
    }
}

/// Which entries of q make up a quaternion or a (cos, sin) pair: a vector of length one each,
/// in ascending order.
///
/// ```
/// use featherline::joint::JointKind;
/// use featherline::kernel::unit_entries;
/// use featherline::model::{JointSpec, ModelBuilder};
///
/// let mut builder = ModelBuilder::new("floating");
/// let base = JointSpec::new("base", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
/// builder.add_joint(base.armature(1.0));
/// assert_eq!(unit_entries(&builder.build()?.model), [3..7]);
/// # Ok::<(), featherline::model::ModelError>(())
/// ```
pub fn unit_entries(model: &Model) -> Vec<std::ops::Range<usize>> {
    let joints = model.joints().iter().filter(|joint| moves_itself(joint));
    let mut entries: Vec<std::ops::Range<usize>> = joints
        .flat_map(|joint| {
            let first = joint.idx_q;
            let own = joint.kind.unit_entries();
            own.map(move |unit| first + unit.start..first + unit.end)
        })
        .collect();
    entries.sort_by_key(|unit| unit.start);
    entries
}

/// [`random_configuration`](Model::random_configuration) into the caller's nq entries.
///
/// # Errors
/// [`Error::Size`].
pub fn random_into<R: RandomSource + ?Sized>(
    model: &Model,
    source: &mut R,
    out: &mut [f64],
) -> Result<(), Error> {
    check_size("the configuration to be written", model.nq(), out.len())?;
    model.draw(source, out);
    Ok(())
}
