//! Impacts by reflections.
//!
//! The velocity before the impact is that after the step without the impulses of contacts: with so
//! much of them reversed that the bodies that were hit have the energy that they began with, where
//! they are now. While their contacts approach,
//!
//! ```text
//! v' = v + M⁻¹ Jᵀ λ,   v⁺ = v' + e' M⁻¹ Nᵀ λ_n
//! ```
//!
//! with the impulses λ of an inelastic impact of those that approach, and their normal part λ_n:
//! for e' = 1 and no friction, v reflected about what the contacts allow. With friction,
//! e' ≤ e is as large as energy allows.

use super::TimeStepping;
use super::impact::{OPEN, REST};
use super::warm_start::Origin;
use featherline::kernel::elimination_tree;
use featherline::model::{JointId, Model};
use featherline_constraint::nonsmooth::{Outcome, Set};

/// The most reflections of an impact; what then approaches still does not rebound.
const MOST: usize = 100;

/// The gap in m up to which a contact is closed: that of rounding.
const CLOSED: f64 = 1e-8;

/// The approach, relative to the fastest hit, that is rounding.
const ROUNDING: f64 = 1e-13;

/// Trees that touch: union by the smallest number.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    /// The tree of each joint and of each coordinate; the universe is none.
    of_joint: Vec<usize>,
    of_coordinate: Vec<usize>,
    parent: Vec<usize>,
    /// The sums of each group.
    sums: Vec<Sums>,
    /// The energy of each tree at the beginning of the step.
    energy: Vec<f64>,
}

/// Energies and restitution of an impact on a group of trees.
#[derive(Clone, Copy, Debug)]
struct Sums {
    is_hit: bool,
    /// τ² a + τ b + c: kinetic energy before the impact less that of the step's beginning.
    before: [f64; 3],
    /// The smallest e of what pushes.
    restitution: f64,
    /// λ (u + u')/2: what the inelastic impact adds to the energy.
    gain: f64,
    /// λ_n N M⁻¹ Nᵀ λ_n.
    square: f64,
}

const NOTHING: Sums = Sums {
    is_hit: false,
    before: [0.0; 3],
    restitution: 1.0,
    gain: 0.0,
    square: 0.0,
};

impl Groups {
    pub fn new(model: &Model) -> Self {
        let mut of_joint: Vec<usize> = vec![0; model.joints().len()];
        let mut of_coordinate = vec![0; model.nv()];
        for id in model.joint_ids() {
            let joint = model.joint(id);
            let tree = match joint.parent {
                JointId::UNIVERSE => id.index(),
                parent => of_joint[parent.index()],
            };
            of_joint[id.index()] = tree;
            of_coordinate[joint.idx_v..joint.idx_v + joint.nv].fill(tree);
        }
        Self {
            parent: (0..of_joint.len()).collect(),
            sums: vec![NOTHING; of_joint.len()],
            energy: vec![0.0; of_joint.len()],
            of_joint,
            of_coordinate,
        }
    }

    fn root(&self, mut tree: usize) -> usize {
        while self.parent[tree] != tree {
            tree = self.parent[tree];
        }
        tree
    }

    fn clear(&mut self) {
        for (tree, parent) in self.parent.iter_mut().enumerate() {
            *parent = tree;
        }
        self.sums.fill(NOTHING);
    }

    /// The two bodies, neither of which is the universe, belong together.
    fn unite(&mut self, bodies: [JointId; 2]) {
        if bodies.contains(&JointId::UNIVERSE) {
            return;
        }
        let [a, b] = bodies.map(|body| self.root(self.of_joint[body.index()]));
        self.parent[a.max(b)] = a.min(b);
    }

    /// The group of a contact's bodies.
    fn of(&self, bodies: [JointId; 2]) -> usize {
        let body = match bodies {
            [JointId::UNIVERSE, body] | [body, _] => body,
        };
        self.root(self.of_joint[body.index()])
    }

    fn of_coordinate(&self, coordinate: usize) -> usize {
        self.root(self.of_coordinate[coordinate])
    }
}

impl<L, C> TimeStepping<'_, L, C> {
    /// Reflects the velocity after a step of `h` s, by its last rows and M. The worst solution.
    pub(super) fn reflect(&mut self, h: f64) -> Option<Outcome> {
        self.group_hits();
        self.take_velocity_before_impact();
        let speeds = self.hits.iter().map(|hit| -hit.speed);
        let tolerance = ROUNDING * speeds.fold(0.0, f64::max);
        let mut worst: Option<Outcome> = None;
        for _ in 0..MOST {
            if !self.close_what_approaches(h, tolerance) {
                break;
            }
            let outcome = self.solve_impact();
            worst = Some(worst.map_or(outcome, |worst| worst.or_worse(outcome)));
            self.reflect_once(h);
        }
        worst
    }

    /// Keeps the energy of each tree at the velocity `v`, where the robot is placed.
    pub(super) fn keep_energies(&mut self, v: &[f64]) {
        let mut energy = std::mem::take(&mut self.groups.energy);
        energy.fill(0.0);
        self.add_products(&self.mass, v, v, |tree, product| {
            energy[tree] += 0.5 * product
        });
        self.add_potentials(|tree, potential| energy[tree] += potential);
        self.groups.energy = energy;
    }

    /// Adds −m g · c of each tree.
    fn add_potentials(&self, mut add: impl FnMut(usize, f64)) {
        let gravity = self.model.gravity();
        for id in self.model.joint_ids() {
            let inertia = &self.model.joint(id).inertia;
            let com = self.robot.placements()[id.index()].act_point(inertia.com);
            let tree = self.groups.of_joint[id.index()];
            add(tree, -inertia.mass * gravity.dot(com));
        }
    }

    /// Adds xᵀ M y of each tree, coordinate by coordinate.
    fn add_products(&self, mass: &[f64], x: &[f64], y: &[f64], mut add: impl FnMut(usize, f64)) {
        let tree = elimination_tree(self.model);
        for k in 0..x.len() {
            let mut sum = x[k] * mass[tree.tight_place(k, k)] * y[k];
            for i in tree.ancestors(k) {
                sum += mass[tree.tight_place(k, i)] * (x[k] * y[i] + x[i] * y[k]);
            }
            add(self.groups.of_coordinate[k], sum);
        }
    }

    /// Finds the trees that touch, and the groups of them that are hit.
    fn group_hits(&mut self) {
        let groups = &mut self.groups;
        groups.clear();
        for contact in &self.contacts {
            if contact.gap <= CLOSED || self.hits.iter().any(|hit| hit.is_of(contact)) {
                groups.unite(contact.bodies);
            }
        }
        for hit in &self.hits {
            let group = groups.of(hit.contact.bodies);
            groups.sums[group].is_hit = true;
        }
    }

    /// v of what was hit, just before the impact: v⁺ − (1 + τ) M̂⁻¹ Jᵀ λ. Impulses act at the same
    /// point of both bodies, where they are now: so momentum stays, whatever τ is.
    fn take_velocity_before_impact(&mut self) {
        let mut first = std::mem::take(&mut self.step);
        let mut growth = std::mem::take(&mut self.correction);
        self.take_impulses_of_contacts();
        growth.fill(0.0);
        self.rows.add_impulses(&self.impulses, &mut growth);
        // Drives and dampers are as stiff as in the step.
        let masses = self.mass_after.iter().zip(&self.mass);
        for (implicit, (after, mass)) in self.implicit_mass.iter_mut().zip(masses) {
            *implicit += after - mass;
        }
        if self.solver.set_mass(&self.implicit_mass) {
            self.solver.respond(&mut growth);
        }
        self.solver.set_mass(&self.mass_after);
        for (k, growth) in growth.iter_mut().enumerate() {
            *growth = -*growth;
            first[k] = self.velocity[k] + *growth;
        }
        let mut sums = std::mem::take(&mut self.groups.sums);
        let groups = &self.groups;
        for (tree, energy) in groups.energy.iter().enumerate() {
            sums[groups.root(tree)].before[2] -= energy;
        }
        self.add_potentials(|tree, potential| sums[groups.root(tree)].before[2] += potential);
        let mass = &self.mass_after;
        for (x, y, power, factor) in [
            (&growth, &growth, 0, 0.5),
            (&first, &growth, 1, 1.0),
            (&first, &first, 2, 0.5),
        ] {
            self.add_products(mass, x, y, |tree, product| {
                sums[groups.root(tree)].before[power] += factor * product;
            });
        }
        for k in 0..first.len() {
            let own = &sums[groups.of_coordinate(k)];
            if own.is_hit {
                self.velocity[k] = own.part().mul_add(growth[k], first[k]);
            }
        }
        self.groups.sums = sums;
        (self.step, self.correction) = (first, growth);
    }

    /// The impulses of the step's rigid contacts on what was hit, for the rows at its end.
    fn take_impulses_of_contacts(&mut self) {
        self.begin_with_remembered();
        for (block, origin) in self.origins.iter().enumerate() {
            let is_rigid = self.openings[block] < OPEN;
            let is_hit = is_rigid && matches!(origin, Origin::Contact { .. }) && {
                let group = self.groups.of(self.contacts[block].bodies);
                self.groups.sums[group].is_hit
            };
            if !is_hit {
                let first = self.rows.first_row(block);
                let count = self.rows.law(block).set.rows();
                self.impulses[first..first + count].fill(0.0);
            }
        }
    }

    /// Closes what approaches of trees that were hit, opens the rest: whether a contact does.
    fn close_what_approaches(&mut self, h: f64, tolerance: f64) -> bool {
        let mut approaches = false;
        for block in 0..self.rows.blocks() {
            let u = self.rows.velocity(block, &self.velocity);
            let is_limit_closed = self.openings[block] <= CLOSED / h;
            let law = self.rows.law_mut(block);
            match law.set {
                Set::Cone { .. } => {
                    let contact = &self.contacts[block];
                    let is_closed =
                        contact.gap <= CLOSED || self.hits.iter().any(|hit| hit.is_of(contact));
                    let group = self.groups.of(contact.bodies);
                    let is_hit = self.groups.sums[group].is_hit;
                    let is_rigid = self.openings[block] < OPEN;
                    let is_own = is_closed && is_rigid && is_hit && u[2] < -tolerance;
                    law.bias[2] = if is_own { 0.0 } else { OPEN };
                    approaches |= is_own;
                }
                Set::NonNegative => {
                    let is_own = is_limit_closed && u[0] < -tolerance;
                    law.bias[0] = if is_own { 0.0 } else { OPEN };
                }
                Set::Equality | Set::Interval { .. } => {}
            }
        }
        approaches
    }

    /// One reflection: the velocity after the inelastic impact that was solved, and on from there.
    fn reflect_once(&mut self, h: f64) {
        let least = REST * h * self.model.gravity().norm();
        for sums in &mut self.groups.sums {
            *sums = Sums {
                is_hit: sums.is_hit,
                ..NOTHING
            };
        }
        // λ_n of each row.
        self.normals.clear();
        self.normals.resize(self.rows.len(), 0.0);
        let after = self.solver.velocity();
        for (block, origin) in self.origins.iter().enumerate() {
            let first = self.rows.first_row(block);
            let count = self.rows.law(block).set.rows();
            let lambda = &self.impacts[first..first + count];
            if lambda.iter().all(|x| *x == 0.0) {
                continue;
            }
            let before = self.rows.velocity(block, &self.velocity);
            let end = self.rows.velocity(block, after);
            let mean = lambda.iter().zip(before).zip(end);
            let work: f64 = mean.map(|((x, u), w)| 0.5 * x * (u + w)).sum();
            let (group, restitution) = match *origin {
                Origin::Contact { .. } => {
                    let contact = &self.contacts[block];
                    self.normals[first + 2] = lambda[2];
                    let rebounds = before[2] < -least;
                    let own = if rebounds { contact.restitution } else { 0.0 };
                    (self.groups.of(contact.bodies), own)
                }
                Origin::Limit { index, .. } => {
                    let joint = self.limits[index].joint;
                    (self.groups.of([JointId::UNIVERSE, joint]), 0.0)
                }
                Origin::Friction { .. }
                | Origin::Drive(_)
                | Origin::Loop { .. }
                | Origin::Coupling { .. }
                | Origin::Tendon { .. } => continue,
            };
            let sums = &mut self.groups.sums[group];
            sums.gain += work;
            sums.restitution = sums.restitution.min(restitution);
        }
        // M⁻¹ Nᵀ λ_n
        self.step.fill(0.0);
        self.rows.add_impulses(&self.normals, &mut self.step);
        self.solver.respond(&mut self.step);
        for block in 0..self.contacts.len() {
            let normal = self.normals[self.rows.first_row(block) + 2];
            if normal > 0.0 {
                let group = self.groups.of(self.contacts[block].bodies);
                let speed = self.rows.velocity(block, &self.step)[2];
                self.groups.sums[group].square += normal * speed;
            }
        }
        let velocities = self.velocity.iter_mut().zip(self.solver.velocity());
        for (k, (own, after)) in velocities.enumerate() {
            let factor = self.groups.sums[self.groups.of_coordinate(k)].factor();
            *own = factor.mul_add(self.step[k], *after);
        }
    }
}

impl Sums {
    /// τ with which the energy is that of the step's beginning, the one nearest to zero.
    fn part(&self) -> f64 {
        let [a, b, c] = self.before;
        let root = b.mul_add(b, -4.0 * a * c).max(0.0).sqrt();
        let sum = -0.5 * (b + root.copysign(b));
        match sum == 0.0 {
            true => 0.0,
            false => (c / sum).clamp(-1.0, 1.0),
        }
    }

    /// e': as much of e as energy allows.
    fn factor(&self) -> f64 {
        if self.square <= 0.0 {
            return 0.0;
        }
        let most = (-2.0 * self.gain / self.square).max(0.0).sqrt();
        self.restitution.min(most)
    }
}
