//! A linkage that is moved by its coordinates.

use crate::Error;
use crate::closing::Closing;
use featherline::Model;
use featherline::configuration::{difference_into, integrate_into};
use featherline::random::RandomSource;

/// The longest step of a coordinate, in rad or m: assembly follows a linkage that far.
const LONGEST_STEP: f64 = 0.1;
/// A step that is shorter than this fraction of a motion ends it.
const SHORTEST_STEP: f64 = 1e-3;
/// Motions towards random configurations, the steps of each, and their length in rad or m.
const MOTIONS: usize = 5;
const STEPS: usize = 6;
const STRIDE: f64 = 0.25;

/// Moves a robot whose loops stay closed, within its limits: some coordinates lead, the others
/// follow. A robot that is beyond limits at the start goes no further beyond them.
///
/// ```
/// use featherline::samples;
/// use featherline_control::Linkage;
///
/// let model = samples::four_bar();
/// let mut linkage = Linkage::new(&model)?;
/// let mut q = [0.0; 3];
/// // The crank turns by 0.8 rad, and the rocker follows.
/// let share = linkage.drive(&mut q, &[0.8, 0.0, 0.0])?;
/// assert!(share == 1.0 && (q[0] - 0.8).abs() < 1e-12 && q[2].abs() > 0.1);
/// # Ok::<(), featherline_control::Error>(())
/// ```
pub struct Linkage<'m> {
    model: &'m Model,
    closing: Closing<'m>,
}

impl<'m> Linkage<'m> {
    /// Memory for a model, with or without loops.
    ///
    /// # Errors
    /// [`Error::Loop`] for loop joints whose constraints are not determined.
    pub fn new(model: &'m Model) -> Result<Self, Error> {
        let closing = Closing::new(model)?;
        Ok(Self { model, closing })
    }

    /// Moves a configuration (nq entries) by a tangent vector (nv entries), as far as loops and
    /// limits let it. Coordinates whose entry is zero follow, so that loops stay closed.
    ///
    /// Returns the share of the motion that was made: 1 if nothing stopped it. `q` is closed first.
    /// The motion is made in steps of at most 0.1 rad or m, each with an assembly, so that a
    /// linkage stays in its assembly mode. Allocates.
    ///
    /// # Errors
    /// [`Error::Model`] for sizes and numbers that are not finite; [`Error::Loop`] if the loops do
    /// not close at the start.
    pub fn drive(&mut self, q: &mut [f64], motion: &[f64]) -> Result<f64, Error> {
        self.closing.close(q)?;
        let led: Vec<usize> = (0..motion.len()).filter(|&k| motion[k] != 0.0).collect();
        let longest = motion.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let mut next = q.to_vec();
        let (mut made, mut share) = (0.0, (LONGEST_STEP / longest).min(1.0));
        while made < 1.0 && share >= SHORTEST_STEP * (LONGEST_STEP / longest).min(1.0) {
            let end = (made + share).min(1.0);
            let step: Vec<f64> = motion.iter().map(|x| x * (end - made)).collect();
            integrate_into(self.model, q, &step, &mut next)?;
            let is_allowed = self.closing.bounds.contains(q, &next);
            if is_allowed && self.closing.close_within(q, &mut next, &led) {
                q.copy_from_slice(&next);
                made = end;
            } else {
                share *= 0.5;
            }
        }
        Ok(made)
    }

    /// Moves a configuration to a random one: by motions towards random configurations, in which
    /// loops stay closed and limits are kept. In a linkage, which no formula describes, these are
    /// not drawn uniformly. Cost: some thirty projections of velocities and assemblies; allocates.
    ///
    /// # Errors
    /// As [`drive`](Self::drive).
    ///
    /// ```
    /// use featherline::{random::SplitMix64, samples};
    /// use featherline_control::Linkage;
    ///
    /// let model = samples::stewart();
    /// let mut q = model.neutral_configuration();
    /// Linkage::new(&model)?.wander(&mut q, &mut SplitMix64::new(7))?;
    /// // The six sliders have strokes of 0.15 m.
    /// let slider = model.joint(model.joint_id("slider_0")?).idx_q;
    /// assert!(q[slider] != 0.0 && q[slider].abs() <= 0.15);
    /// # Ok::<(), featherline_control::Error>(())
    /// ```
    pub fn wander<R: RandomSource + ?Sized>(
        &mut self,
        q: &mut [f64],
        source: &mut R,
    ) -> Result<(), Error> {
        self.closing.close(q)?;
        let (mut next, mut motion) = (q.to_vec(), vec![0.0; self.model.nv()]);
        for _ in 0..MOTIONS {
            let goal = self.model.random_configuration(source);
            let mut stride = STRIDE;
            for _ in 0..STEPS {
                difference_into(self.model, q, &goal, &mut motion)?;
                let allowed = self.closing.allowed(q)?;
                let mut step = nalgebra::DVector::from_column_slice(&motion);
                if let Some(allowed) = &allowed {
                    step = allowed * step;
                }
                let longest = step.amax();
                if longest < SHORTEST_STEP * stride {
                    break;
                }
                step *= (stride / longest).min(1.0);
                integrate_into(self.model, q, step.as_slice(), &mut next)?;
                self.closing.bounds.clamp_from(q, &mut next);
                if self.closing.close_within(q, &mut next, &[]) {
                    q.copy_from_slice(&next);
                } else {
                    stride *= 0.5;
                }
            }
        }
        Ok(())
    }
}
