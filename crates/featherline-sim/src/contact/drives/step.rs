//! Drives within a step: implicit, or a row where they are at a bound.

use super::super::along::linear_law;
use super::{Drive, DriveRow, DrivenJoint, Drives, Response};
use featherline_constraint::nonsmooth::Rows;

/// How often the row of a joint is corrected in a step, where force ranges of its drives end.
const CORRECTIONS: usize = 8;

/// The part of a bound by which the force of a row may be off.
const ROUNDING: f64 = 1e-9;

/// The force f − g v of a step, with the velocity v at its end.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub force: f64,
    pub gain: f64,
}

impl Line {
    #[inline(always)]
    pub fn at(self, v: f64) -> f64 {
        self.force - self.gain * v
    }

    #[inline(always)]
    fn push(self, coordinate: usize, bound: f64, h: f64, rows: &mut Rows) {
        let law = linear_law(self.force, self.gain, bound, h);
        rows.push_coordinate(coordinate, 1.0, law);
    }
}

#[inline(always)]
fn clamp(force: f64, bound: f64) -> f64 {
    force.max(-bound).min(bound)
}

impl Drive {
    /// kp (q_d − q) + τ₀ − (h kp + kd) v, with the target or the force that acts now
    #[inline(always)]
    pub(super) fn line(&self, q: f64, h: f64) -> Line {
        let (target, force) = match self.response {
            Response::Direct => (self.target, self.force),
            Response::Filter { .. } | Response::Integrator { .. } if self.stiffness > 0.0 => {
                (self.active, 0.0)
            }
            Response::Filter { .. } | Response::Integrator { .. } => (0.0, self.active),
        };
        Line {
            force: self.stiffness * (target - q) + force,
            gain: h.mul_add(self.stiffness, self.damping),
        }
    }

    /// Its force at the velocity at the end of a step, in its range.
    #[inline(always)]
    pub(super) fn force(&self, q: f64, v: f64, h: f64) -> f64 {
        self.bounded(self.line(q, h).at(v))
    }

    /// A force in its range.
    #[inline(always)]
    fn bounded(&self, force: f64) -> f64 {
        self.middle + clamp(force - self.middle, self.range.max(0.0))
    }

    /// Whether its range ends before what it asks for. A constant force needs no row for that.
    #[inline(always)]
    fn exceeds(&self, q: f64, v: f64, h: f64) -> bool {
        let line = self.line(q, h);
        line.gain > 0.0 && (line.at(v) - self.middle).abs() > self.range
    }

    /// Finds what acts after a step of `h` seconds.
    #[inline(always)]
    fn respond(&mut self, h: f64) {
        self.next = match self.response {
            Response::Direct => None,
            // T w' = w_d − w, solved exactly
            Response::Filter {
                time_constant,
                bounds: [least, greatest],
                ..
            } => {
                let asked = if self.stiffness > 0.0 {
                    self.target
                } else {
                    self.force
                };
                let part = -(-h / time_constant).exp_m1();
                let free = (asked - self.active).mul_add(part, self.active);
                Some(free.max(least).min(greatest))
            }
            Response::Integrator {
                rate,
                bounds: [least, greatest],
            } => Some(rate.mul_add(h, self.active).max(least).min(greatest)),
        };
    }
}

impl DrivenJoint {
    /// Whether nothing may move it.
    #[inline(always)]
    fn is_idle(&self) -> bool {
        self.effort <= 0.0
    }

    /// The controllers' force within the effort limit, without drives.
    #[inline(always)]
    fn given(&self) -> f64 {
        clamp(self.given, self.effort.max(0.0))
    }

    /// The sum of all forces, each in its range, before the bound of the joint.
    #[inline(always)]
    fn sum(&self, q: f64, v: f64, h: f64) -> f64 {
        let drives = self.drives.iter();
        let sum: f64 = drives.map(|it| it.force(q, v, h)).sum();
        self.given + sum
    }

    /// The force that the drives add to the controllers' force, the sum within the effort limit.
    #[inline(always)]
    fn of_drives(&self, q: f64, v: f64, h: f64) -> f64 {
        clamp(self.sum(q, v, h), self.effort.max(0.0)) - self.given()
    }

    /// The sum as a row has it, without the bound of the joint.
    #[inline(always)]
    fn line(&self, q: f64, h: f64) -> Line {
        let mut sum = Line {
            force: self.given,
            gain: 0.0,
        };
        for drive in &self.drives {
            match drive.held {
                Some(force) => sum.force += force,
                None => {
                    let own = drive.line(q, h);
                    (sum.force, sum.gain) = (sum.force + own.force, sum.gain + own.gain);
                }
            }
        }
        sum
    }

    /// Makes rows of what exceeds a bound at the velocity that was found; whether there was any.
    #[inline(always)]
    fn settle(&mut self, q: f64, v: f64, h: f64) -> bool {
        if self.is_idle() {
            return false;
        }
        let sum = self.sum(q, v, h);
        if self.is_saturated {
            let miss = clamp(self.line(q, h).at(v), self.effort) - clamp(sum, self.effort);
            let is_right = miss.abs() <= ROUNDING * self.effort;
            if is_right || self.corrections == CORRECTIONS {
                return false;
            }
            self.corrections += 1;
            for drive in &mut self.drives {
                let asked = drive.line(q, h).at(v);
                let is_beyond = (asked - drive.middle).abs() > drive.range;
                drive.held = is_beyond.then(|| drive.bounded(asked));
            }
            return true;
        }
        if sum.abs() > self.effort {
            self.is_saturated = true;
            return true;
        }
        let mut exceeds = false;
        for drive in self.drives.iter_mut().filter(|drive| !drive.is_saturated) {
            drive.is_saturated = drive.exceeds(q, v, h);
            exceeds |= drive.is_saturated;
        }
        exceeds
    }

    /// Releases the rows of what is within its bound again.
    #[inline(always)]
    fn release(&mut self, q: f64, v: f64, h: f64) {
        self.is_saturated = self.is_saturated && self.sum(q, v, h).abs() > self.effort;
        for drive in &mut self.drives {
            drive.is_saturated = drive.is_saturated && drive.exceeds(q, v, h);
        }
    }
}

impl Drives {
    /// Adds the joint forces of the step that led to the state (`q`, `v`), in N·m (N), to `tau`, nv
    /// entries: what the drives add to the forces of controllers in that step, within the joints'
    /// effort. After an impact with restitution v is that after the impact, and the forces are
    /// those of the next instant.
    pub fn add_forces(&self, q: &[f64], v: &[f64], tau: &mut [f64]) {
        for joint in &self.joints {
            let k = joint.coordinate;
            tau[k] += joint.of_drives(q[joint.q], v[k], 0.0);
        }
        self.add_length_forces(v, tau);
    }

    /// Coordinates and impulses that drives add in a step of `h` from `q` to the velocity `v`.
    pub(crate) fn impulses<'a>(
        &'a self,
        q: &'a [f64],
        v: &'a [f64],
        h: f64,
    ) -> impl Iterator<Item = (usize, f64)> + 'a {
        let joints = self.joints.iter().map(move |joint| {
            let k = joint.coordinate;
            (k, h * joint.of_drives(q[joint.q], v[k], h))
        });
        joints.chain(self.length_impulses(v))
    }

    /// The saturated forces of the last step: coordinate and drive, none where it was their sum.
    pub(in super::super) fn saturated(&self) -> impl Iterator<Item = (usize, Option<usize>)> + '_ {
        self.joints.iter().flat_map(|joint| {
            let k = joint.coordinate;
            let drives = joint.drives.iter().enumerate();
            let drives = drives.filter(|it| it.1.is_saturated);
            let sum = joint.is_saturated.then_some((k, None));
            sum.into_iter().chain(drives.map(move |it| (k, Some(it.0))))
        })
    }

    /// Takes that of another step.
    pub(in super::super) fn set_saturated(&mut self, saturated: &[(usize, Option<usize>)]) {
        for joint in &mut self.joints {
            let k = joint.coordinate;
            joint.is_saturated = saturated.contains(&(k, None));
            for (index, drive) in joint.drives.iter_mut().enumerate() {
                drive.is_saturated = saturated.contains(&(k, Some(index)));
            }
        }
    }

    /// Begins a step with the forces of controllers before their bounds, nv entries, or none at
    /// all. Whether rows that were pushed have to be pushed again.
    #[inline(always)]
    pub(in super::super) fn begin(&mut self, given: &[f64]) -> bool {
        let mut is_new = false;
        for joint in &mut self.joints {
            let given = given.get(joint.coordinate).copied().unwrap_or(0.0);
            let changes = joint.given != given || joint.drives.iter().any(|it| it.held.is_some());
            is_new |= changes && joint.is_saturated;
            joint.given = given;
            joint.corrections = 0;
            for drive in &mut joint.drives {
                drive.held = None;
                if let Some(next) = drive.next.take() {
                    drive.active = next;
                    is_new |= drive.is_saturated || joint.is_saturated;
                }
            }
        }
        for drive in self.lengths.iter_mut().flat_map(|own| &mut own.drives) {
            if let Some(next) = drive.next.take() {
                drive.active = next;
                is_new = true;
            }
        }
        is_new
    }

    /// Ends a step of `h` seconds: filters and integrators have other states in the next one.
    #[inline(always)]
    pub(in super::super) fn end(&mut self, h: f64) {
        self.each_mut().for_each(|drive| drive.respond(h));
    }

    /// Adds drives within their bounds to h (τ − …) and to M̂, whose diagonal is at `places`.
    #[inline(always)]
    pub(in super::super) fn add_to(
        &self,
        (q, v, h): (&[f64], &[f64], f64),
        momentum: &mut [f64],
        (mass, places): (&mut [f64], &[usize]),
    ) {
        for joint in self.joints.iter().filter(|joint| !joint.is_idle()) {
            let k = joint.coordinate;
            if joint.is_saturated {
                // The row has the controllers' force, too; a constant force needs none.
                momentum[k] -= h * joint.given();
                let sum = joint.line(q[joint.q], h);
                if sum.gain <= 0.0 {
                    momentum[k] += h * clamp(sum.force, joint.effort);
                }
                continue;
            }
            // The bound is that of the sum alone.
            momentum[k] += h * (joint.given - joint.given());
            for drive in &joint.drives {
                let line = drive.line(q[joint.q], h);
                if line.gain <= 0.0 {
                    momentum[k] += h * drive.bounded(line.force);
                } else if drive.is_saturated || drive.range <= 0.0 {
                    // Its row has what differs from the middle of the range.
                    momentum[k] += h * drive.middle;
                } else {
                    // h (kp (q_d − q − h v⁺) − kd v⁺ + τ₀), with v⁺ on the left side
                    momentum[k] += h * line.at(v[k]);
                    mass[places[k]] += h * line.gain;
                }
            }
        }
        self.add_constant_forces(h, momentum);
    }

    /// Adds a row for each joint and each drive that was at its bound, and for those along lengths.
    pub(in super::super) fn push(
        &self,
        q: &[f64],
        h: f64,
        rows: &mut Rows,
        mut found: impl FnMut(DriveRow),
    ) {
        self.push_lengths(h, rows, |index, drive| {
            found(DriveRow::Length { index, drive })
        });
        for joint in self.joints.iter().filter(|joint| !joint.is_idle()) {
            let k = joint.coordinate;
            if joint.is_saturated {
                let sum = joint.line(q[joint.q], h);
                if sum.gain > 0.0 {
                    sum.push(k, joint.effort, h, rows);
                    found(DriveRow::Joint { coordinate: k });
                }
                continue;
            }
            for drive in joint.drives.iter().filter(|drive| drive.is_saturated) {
                let mut line = drive.line(q[joint.q], h);
                if line.gain > 0.0 && drive.range > 0.0 {
                    line.force -= drive.middle;
                    line.push(k, drive.range, h, rows);
                    found(DriveRow::Joint { coordinate: k });
                }
            }
        }
    }

    /// Makes rows of what exceeds its bound at v⁺; with any, the step is to be solved again.
    #[inline(always)]
    pub(in super::super) fn settle(&mut self, q: &[f64], v: &[f64], h: f64) -> bool {
        let mut exceeds = false;
        for joint in &mut self.joints {
            exceeds |= joint.settle(q[joint.q], v[joint.coordinate], h);
        }
        if !exceeds {
            for joint in &mut self.joints {
                joint.release(q[joint.q], v[joint.coordinate], h);
            }
        }
        exceeds
    }
}
