//! Pairs that never collide, and pairs that always do.

use super::error::CollisionError;
use super::model::CollisionModel;
use super::workspace::CollisionWorkspace;
use featherline::random::RandomSource;
use featherline::spatial::Se3;
use featherline::{Model, Workspace};

/// Pairs of a collision model that overlap in none or in all of the sampled configurations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairSurvey {
    /// The number of configurations.
    pub samples: usize,
    /// Pairs that overlapped in none of them.
    pub never: Vec<[usize; 2]>,
    /// Pairs that overlapped in all of them.
    pub always: Vec<[usize; 2]>,
}

impl CollisionModel {
    /// Samples configurations within the limits, and finds pairs that overlap in none or in all.
    ///
    /// Sampling proves nothing: a pair that overlaps in a part ε of the configurations is missed
    /// with probability (1 − ε)ⁿ by n samples. [`exclude_shapes`](Self::exclude_shapes) takes what
    /// is found. Cost: forward kinematics and one collision query a sample.
    ///
    /// # Errors
    ///
    /// Those of forward kinematics, and of [`Placed::collisions`](super::Placed::collisions).
    ///
    /// ```
    /// use featherline::random::SplitMix64;
    /// use featherline::samples;
    /// use featherline::spatial::{Se3, Vec3};
    /// use featherline::model::JointId;
    /// use featherline_geometry::{CollisionModel, CollisionShape, Sphere};
    ///
    /// let model = samples::double_pendulum();
    /// let ball = |name, body, x| {
    ///     let place = Se3::from_translation(Vec3::new(x, 0.0, 0.0));
    ///     CollisionShape::new(name, body, place, Sphere::new(0.1))
    /// };
    /// let shapes = vec![
    ///     ball("elbow", model.joint_id("elbow")?, 0.0),
    ///     ball("near", JointId::UNIVERSE, 1.0),
    ///     ball("far", JointId::UNIVERSE, 3.0),
    /// ];
    /// let collision = CollisionModel::new(&model, shapes)?;
    /// let survey = collision.survey(&model, 500, &mut SplitMix64::new(7))?;
    /// assert_eq!(survey.never, [[0, 2]]);
    /// assert!(survey.always.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn survey<R: RandomSource + ?Sized>(
        &self,
        model: &Model,
        samples: usize,
        source: &mut R,
    ) -> Result<PairSurvey, CollisionError> {
        let mut ws = Workspace::recursive(model);
        let mut queries = CollisionWorkspace::new(self);
        let mut joints = vec![Se3::identity(); model.joints().len()];
        let mut counts = vec![0; self.pairs().len()];
        for _ in 0..samples {
            let q = model.random_configuration(source);
            let positions = model.forward_kinematics(&mut ws, &q)?;
            positions.joint_placements_into(&mut joints)?;
            let mut placed = queries.place(self, &joints)?;
            for pair in placed.collisions(false)? {
                if let Ok(at) = self.pairs().binary_search(pair) {
                    counts[at] += 1;
                }
            }
        }
        let of_count = |wanted: usize| {
            let pairs = self.pairs().iter().zip(&counts);
            let some = pairs.filter(|(_, count)| samples > 0 && **count == wanted);
            some.map(|(pair, _)| *pair).collect()
        };
        Ok(PairSurvey {
            samples,
            never: of_count(0),
            always: of_count(samples),
        })
    }
}
