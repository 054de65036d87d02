//! Which contacts and limits a step can reach.
//!
//! A row for every point within the way of the fastest body would be sure and slow: a limp dog has
//! 22 points in reach, of which 8 push. Rows are made where the own speed of a point or of a limit
//! leads to contact, and the solution is looked at: where its velocity would close another gap, it
//! gets a row, and the step is solved again. The end is the solution of all rows.

use super::ContactSource;
use featherline::kernel::LinkKinematics;
use featherline::model::Model;
use featherline::spatial::Motion;
use featherline_constraint::nonsmooth::{Contact, Limited, RobotRows};

/// Speeds in m/s that impulses may give what is hit beyond those of the two fastest bodies.
const MARGIN: f64 = 1.0;

/// Speeds in m/s and rad/s within which rows are made before it is known that they are needed:
/// some times what gravity gives in a step.
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
    is_near: Vec<bool>,
    /// Of each limit, whether its bounds are within reach though its speed does not lead there.
    brought: Vec<[bool; 2]>,
    looked: usize,
}

impl Reach {
    pub fn new(model: &Model) -> Self {
        Self {
            twists: vec![Motion::zero(); model.joints().len()],
            found: Vec::new(),
            is_near: Vec::new(),
            brought: Vec::new(),
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
        let [mut fastest, mut second] = [0.0_f64; 2];
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
        self.brought.fill([false; 2]);
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

    /// The gaps of a limit's lower and upper bound within reach, in rad or m, at a rate.
    #[inline(always)]
    pub fn of_limit(&self, h: f64, index: usize, rate: f64) -> [f64; 2] {
        let brought = self.brought.get(index).copied().unwrap_or_default();
        let of_side = |opening: f64, is_brought: bool| match is_brought {
            true => f64::INFINITY,
            false => h * (NEAR - opening),
        };
        [of_side(rate, brought[0]), of_side(-rate, brought[1])]
    }

    /// Whether a velocity brings limits within reach that had no rows.
    #[inline(always)]
    pub fn find_more_limits(
        &mut self,
        h: f64,
        limits: &[Limited],
        q: &[f64],
        [before, after]: [&[f64]; 2],
    ) -> bool {
        self.brought.resize(limits.len(), [false; 2]);
        let mut more = false;
        for (index, limited) in limits.iter().enumerate() {
            let [before, after] = [before, after].map(|v| limited.displacement.rate(q, v));
            let reach = self.of_limit(h, index, before);
            let x = limited.displacement.at(q);
            let gaps = [x - limited.lower, limited.upper - x];
            for (side, opening) in [after, -after].into_iter().enumerate() {
                let closes = gaps[side] < -h * (opening + UNSEEN);
                if gaps[side] >= reach[side] && closes {
                    self.brought[index][side] = true;
                    more = true;
                }
            }
        }
        more
    }

    /// Whether there are contacts without rows.
    #[inline(always)]
    pub fn leaves_out(&self) -> bool {
        self.is_near.contains(&false)
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
        contact.normal.dot(b - a)
    }

    #[inline(always)]
    fn write(&self, near: &mut Vec<Contact>) {
        near.clear();
        let found = self.found.iter().zip(&self.is_near);
        near.extend(found.filter(|(_, is_near)| **is_near).map(|(it, _)| *it));
    }
}
