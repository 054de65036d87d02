//! Drives along lengths, such as actuators of tendons: always rows.

use super::super::along::{Along, linear_law};
use super::{Drive, Drives, Response};
use featherline::kernel::link_kinematics;
use featherline::model::{Length, Model};
use featherline::{Error, Workspace};
use featherline_constraint::nonsmooth::{RobotRows, Rows};

/// A length with its drives.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DrivenLength {
    pub along: Along,
    pub drives: Vec<Drive>,
    /// The length of the last step in s.
    step: f64,
}

impl DrivenLength {
    /// The force of its drives in the step that led to the velocity `v`, of `step` seconds.
    fn force(&self, v: &[f64]) -> f64 {
        let (length, rate) = (self.along.value, self.along.rate(v));
        let each = self.drives.iter();
        each.map(|it| it.force(length, rate, self.step)).sum()
    }
}

impl Drives {
    /// Adds a drive with the force f = f₀ − k l − d l̇ along a length, in N or N·m, between
    /// the least and the greatest: an actuator of a tendon, or a thruster
    /// ([`Length::Frame`]). The generalised force is f times the gradient of the length.
    ///
    /// ```
    /// use featherline::model::{Length, LengthTerm};
    /// use featherline::samples;
    /// use featherline_sim::contact::{Drives, TimeStepping};
    ///
    /// // A servo that keeps the sum of two angles at 0.5 rad.
    /// let model = samples::double_pendulum().with_gravity([0.0; 3].into())?;
    /// let terms = [0, 1].map(|k| LengthTerm { q: k, coordinate: k, factor: 1.0 }).to_vec();
    /// let sum = Length::Coordinates { terms, offset: 0.0 };
    /// let unbounded = [f64::NEG_INFINITY, f64::INFINITY];
    /// let drives = Drives::none().and_along(sum, 10.0, (20.0, 5.0), unbounded);
    /// let (mut q, mut v) = ([0.0, 0.0], [0.0, 0.0]);
    /// let mut stepping = TimeStepping::new(&model)?.with_drives(drives);
    /// for _ in 0..5000 {
    ///     stepping.step(0.0, &mut q, &mut v, 1e-3)?;
    /// }
    /// assert!((q[0] + q[1] - 0.5).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn and_along(self, length: Length, force: f64, gains: (f64, f64), range: [f64; 2]) -> Self {
        self.and_responding_along(length, (force, Response::Direct), gains, range)
    }

    /// The same with a filter or an integrator, which has its first state.
    #[must_use]
    pub(in super::super) fn and_responding_along(
        mut self,
        length: Length,
        asked: (f64, Response),
        gains: (f64, f64),
        range: [f64; 2],
    ) -> Self {
        let drive = Drive::responding(asked, gains, range);
        let mut known = self.lengths.iter_mut();
        match known.find(|it| it.along.length == length) {
            Some(own) => own.drives.push(drive),
            None => self.lengths.push(DrivenLength {
                along: Along::new(length),
                drives: vec![drive],
                step: 0.0,
            }),
        }
        self
    }

    /// Finds the lengths in a configuration, for [`add_forces`](Self::add_forces) of drives that
    /// have made no step there.
    ///
    /// # Errors
    /// Those of the placement of the links: a `q` that is not the model's or not finite.
    pub fn place(&mut self, model: &Model, q: &[f64]) -> Result<(), Error> {
        if self.lengths.is_empty() {
            return Ok(());
        }
        let (mut ws, mut robot) = (Workspace::recursive(model), RobotRows::new(model));
        let rest = vec![0.0; model.nv()];
        robot.place(model, &link_kinematics(model, &mut ws, q, &rest)?);
        self.find_lengths(model, &robot, q, 0.0);
        Ok(())
    }

    /// Finds the lengths at the beginning of a step of `h` seconds, where `robot` has been placed.
    #[inline(always)]
    pub(in super::super) fn find_lengths(
        &mut self,
        model: &Model,
        robot: &RobotRows,
        q: &[f64],
        h: f64,
    ) {
        for own in &mut self.lengths {
            own.along.find(model, robot, q);
            own.step = h;
        }
    }

    /// Adds the forces that need no row to h (τ − …).
    #[inline(always)]
    pub(super) fn add_constant_forces(&self, h: f64, momentum: &mut [f64]) {
        for own in &self.lengths {
            for drive in &own.drives {
                let length = own.along.value;
                let force = match drive.line(length, h).gain > 0.0 {
                    // Its row has what differs from the middle of the range.
                    true => drive.middle,
                    false => drive.force(length, 0.0, h),
                };
                own.along.add_force(h * force, momentum);
            }
        }
    }

    /// Adds a row for each other one.
    #[inline(always)]
    pub(super) fn push_lengths(
        &self,
        h: f64,
        rows: &mut Rows,
        mut found: impl FnMut(usize, usize),
    ) {
        for (index, own) in self.lengths.iter().enumerate() {
            for (drive, it) in own.drives.iter().enumerate() {
                let line = it.line(own.along.value, h);
                if line.gain > 0.0 {
                    let law = linear_law(line.force - it.middle, line.gain, it.range, h);
                    if own.along.push(1.0, law, rows) {
                        found(index, drive);
                    }
                }
            }
        }
    }

    /// Adds what they do in the step that led to the velocity `v`.
    pub(super) fn add_length_forces(&self, v: &[f64], tau: &mut [f64]) {
        for own in &self.lengths {
            own.along.add_force(own.force(v), tau);
        }
    }

    /// The coordinate of each, and the impulse in the step that led to `v`.
    pub(super) fn length_impulses<'a>(
        &'a self,
        v: &'a [f64],
    ) -> impl Iterator<Item = (usize, f64)> + 'a {
        self.lengths.iter().flat_map(move |own| {
            let impulse = own.step * own.force(v);
            let row = own.along.row.iter();
            row.map(move |(k, factor)| (*k, factor * impulse))
        })
    }
}
