//! Which contacts and limits a step can reach.
//!
//! A row for every point within the way of the fastest body would be sure and slow: a limp dog has
//! 22 points in reach, of which 8 push. Rows are made where the own speed of a point or of a limit
//! leads to contact, and the solution is looked at: where its velocity would close another gap, it
//! gets a row, and the step is solved again. The end is the solution of all rows.

use super::ContactSource;
use featherline::kernel::LinkKinematics;
use featherline::model::Model;
use featherline::spatial::{Motion, Vec3};
use featherline_constraint::nonsmooth::{Contact, Limited, RobotRows};

/// Speeds in m/s that impulses may give what is hit beyond those of the two fastest bodies.
const MARGIN: f64 = 1.0;

/// Speeds in m/s and rad/s within which rows are made at once: some times a step's gravity.
const NEAR: f64 = 0.1;

/// The speed in m/s at which nobody sees that a gap closes too far.
const UNSEEN: f64 = 1e-9;

/// How often the solution is looked at before all contacts get rows.
const MOST: usize = 8;

/// The contacts that were found, and those within reach.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    /// The twists of the bodies in the world, at its origin.
    twists: Vec<Motion<f64>>,
    found: Vec<Contact>,
    /// Of each contact, whether it has rows.
    pub is_near: Vec<bool>,
    /// Of each limit, whether its lower and its upper bound are within reach.
    pub limits: Vec<[bool; 2]>,
    looked: usize,
}

impl Reach {
    pub fn new(model: &Model) -> Self {
        Self {
            twists: vec![Motion::zero(); model.joints().len()],
            found: Vec::new(),
            is_near: Vec::new(),
            limits: Vec::new(),
            looked: 0,
        }
    }

    /// Takes the velocities of bodies where `robot` has been placed.
    #[inline(always)]
    fn take(&mut self, model: &Model, robot: &RobotRows, kinematics: &LinkKinematics<'_, f64>) {
        for id in model.joint_ids() {
            let own = kinematics.velocity(id);
            self.twists[id.index()] = robot.links()[id.index()].act_motion(own);
        }
    }

    /// How far two bodies can approach each other in a step of `h` seconds, in m.
    #[inline(always)]
    fn range<C: ContactSource>(
        &self,
        h: f64,
        (model, robot): (&Model, &RobotRows),
        source: &C,
    ) -> f64 {
        let [mut fastest, mut second] = [source.fastest_surface(), 0.0];
        for id in model.joint_ids() {
            let (twist, origin) = (&self.twists[id.index()], &robot.placements()[id.index()]);
            let linear = twist.linear + twist.angular.cross(origin.translation);
            let speed = linear.norm() + twist.angular.norm() * source.radius(id);
            second = second.max(speed.min(fastest));
            fastest = fastest.max(speed);
        }
        h * (fastest + second + MARGIN)
    }

    /// Finds the contacts of a step of `h` seconds, and writes those within reach to `near`.
    #[inline(always)]
    pub fn find<C: ContactSource>(
        &mut self,
        h: f64,
        (model, robot): (&Model, &RobotRows),
        kinematics: &LinkKinematics<'_, f64>,
        source: &mut C,
        near: &mut Vec<Contact>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.take(model, robot, kinematics);
        let range = self.range(h, (model, robot), source);
        self.found.clear();
        source.find(robot.placements(), range, &mut self.found)?;
        self.looked = 0;
        self.is_near.clear();
        for contact in &self.found {
            let is_near = contact.gap <= h * (NEAR - self.opening(contact));
            self.is_near.push(is_near);
        }
        self.write(near);
        Ok(())
    }

    /// Whether a velocity closes gaps that have no rows; they are in `near` then.
    #[inline(always)]
    pub fn find_more(
        &mut self,
        h: f64,
        (model, robot): (&Model, &RobotRows),
        kinematics: &LinkKinematics<'_, f64>,
        near: &mut Vec<Contact>,
    ) -> bool {
        self.take(model, robot, kinematics);
        self.looked += 1;
        let mut more = false;
        for k in 0..self.found.len() {
            let contact = &self.found[k];
            let closes = || contact.gap < -h * (self.opening(contact) + UNSEEN);
            if !self.is_near[k] && closes() {
                self.is_near[k] = true;
                more = true;
            }
        }
        if more {
            if self.looked == MOST {
                self.is_near.fill(true);
            }
            self.write(near);
        }
        more
    }

    /// Finds the limits within reach of a step of `h` seconds.
    #[inline(always)]
    pub fn find_limits(&mut self, h: f64, limits: &[Limited], (q, v): (&[f64], &[f64])) {
        self.limits.clear();
        for limited in limits {
            let bounds = bounds(limited, q, v);
            let is_near = bounds.map(|(gap, opening)| gap < h * (NEAR - opening));
            self.limits.push(is_near);
        }
    }

    /// Whether a velocity brings limits within reach that had no rows.
    #[inline(always)]
    pub fn find_more_limits(
        &mut self,
        h: f64,
        limits: &[Limited],
        (q, v): (&[f64], &[f64]),
    ) -> bool {
        let mut more = false;
        for (limited, is_near) in limits.iter().zip(&mut self.limits) {
            for ((gap, opening), is_near) in bounds(limited, q, v).into_iter().zip(is_near) {
                if !*is_near && gap < -h * (opening + UNSEEN) {
                    *is_near = true;
                    more = true;
                }
            }
        }
        more
    }

    /// Takes surfaces as still that move by themselves.
    pub fn hold_surfaces(&mut self) {
        for contact in &mut self.found {
            contact.surface_velocity = Vec3::zero();
        }
    }

    /// The deepest overlap, in m.
    #[inline(always)]
    pub fn penetration(&self) -> f64 {
        let all = self.found.iter();
        all.fold(0.0, |most, contact| most.max(-contact.gap))
    }

    /// The speed at which a gap opens, in m/s.
    #[inline(always)]
    fn opening(&self, contact: &Contact) -> f64 {
        let [a, b] = contact.bodies.map(|body| {
            let twist = &self.twists[body.index()];
            twist.linear + twist.angular.cross(contact.point)
        });
        contact.normal.dot(b - a + contact.surface_velocity)
    }

    #[inline(always)]
    fn write(&self, near: &mut Vec<Contact>) {
        near.clear();
        let found = self.found.iter().zip(&self.is_near);
        near.extend(found.filter(|(_, is_near)| **is_near).map(|(it, _)| *it));
    }
}

/// The gaps of a limit's lower and upper bound, in rad or m, and the speeds at which they open.
#[inline(always)]
fn bounds(limited: &Limited, q: &[f64], v: &[f64]) -> [(f64, f64); 2] {
    let (x, rate) = (limited.displacement.at(q), limited.displacement.rate(q, v));
    [(x - limited.lower, rate), (limited.upper - x, -rate)]
}
