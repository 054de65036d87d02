//! Bodies that loops tie together, as one link of the recursion.
//!
//! A loop ties the bodies on its way; loops that share a body tie all of theirs. Such a cluster
//! hangs on one body, the highest at which the ways of its loops meet, and whatever hangs on its
//! own bodies is a tree again, of which articulated inertias are left. Seen from the body that
//! carries it, the cluster is an articulated body itself: it takes f = I a + p to accelerate that
//! body with a. So a tree of clusters is eliminated as a tree of links is (A. Jain, "Multibody
//! graph transformations and analysis. Part II: Closed-chain constraint embedding", Nonlinear
//! Dynamics 67, 2012; M. Chignoli, N. Adrian, S. Kim, P. M. Wensing, "Recursive rigid-body dynamics
//! algorithms for systems with kinematic loops", 2023).
//!
//! With X what carries a to a body, the bodies accelerate with X a + y, and y = 0 breaks no
//! constraint, whatever a is. The [system](super::system) of the cluster gives y for each component
//! of a and for the forces, from seven right sides. I and p are sums over the bodies of Xᵀ times
//! what each takes.

use super::MaximalError;
use super::block::{Block, Row, add_scaled};
use super::elimination::pattern::BlockCount;
use super::equations::Equations;
use super::recursion::{JointMemory, into_link, out_of_link};
use super::state::MaximalState;
use super::system::{ConstraintRows, Orders};
use featherline::kernel;
use featherline::kernel::{Class, ConstraintBasis, Link, Scratch, links};
use featherline::model::{Joint, JointId, Model};
use featherline::spatial::{ArticulatedInertia, Force, Mat3, Motion, Se3, Vec3};
use featherline_constraint::Stabilisation;
use featherline_constraint::kernel::{
    Loop, ROUNDED_AXES, loop_bias, prepare, read_loop, transmitted,
};
use std::collections::BTreeMap;

/// A force left over on a massless body that nothing holds, as a part of the largest force.
const LEFT_OVER: f64 = 1e-6;

/// The column of what the forces do.
const FORCES: usize = 6;

/// The bodies that some loops tie together, in the order of the links.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    pub members: Vec<usize>,
    /// The link that carries the cluster.
    parent: usize,
    bodies: Vec<Equations>,
    /// The acceleration of each body for unit accelerations of the carrying link, and the loads:
    /// the forces that these take and, in the seventh column, the bias force.
    carries: Vec<Block>,
    loads: Vec<Block>,
    /// With their positions among those of the model.
    loops: Vec<(usize, Loop)>,
    /// Constraints are the joints of the bodies, and then the loops.
    orders: Orders,
    /// Right side, solution and error, in seven columns, of bodies, their joints and loops.
    right: Vec<Block>,
    solution: Vec<Block>,
    missed: Vec<Block>,
}

impl Cluster {
    /// The clusters of a model, in the order of their first links.
    pub fn all(model: &Model, bases: &[ConstraintBasis]) -> Result<Vec<Self>, MaximalError> {
        let mut loops = Vec::new();
        for (index, closing) in model.loop_joints().iter().enumerate() {
            let prepared =
                prepare(model, closing, 0).map_err(|_| MaximalError::dependent(&closing.name))?;
            loops.push((index, prepared));
        }
        let joints = &model.joints()[1..];
        let inertia = |joint: &Joint| Block::of(&joint.inertia.to_matrix());
        let inertias: Vec<Block> = joints.iter().map(inertia).collect();
        let groups = tied(model, &loops).into_iter();
        Ok(groups
            .map(|members| Self::new(model, bases, members, &loops, &inertias))
            .collect())
    }

    fn new(
        model: &Model,
        bases: &[ConstraintBasis],
        members: Vec<usize>,
        loops: &[(usize, Loop)],
        inertias: &[Block],
    ) -> Self {
        let number = |link: usize| members.binary_search(&link).map_or(0, |k| k + 1);
        let is_own = |(_, closing): &&(usize, Loop)| {
            // Where its ways meet, another cluster may end.
            let mut ends = [closing.joint.predecessor, closing.joint.successor].into_iter();
            let tied = ends.find(|end| end.index() != closing.common);
            tied.is_some_and(|end| number(end.index()) > 0)
        };
        let loops: Vec<(usize, Loop)> = loops.iter().filter(is_own).cloned().collect();
        let joint = |&i: &usize| Equations::new(&model.joints()[i], &bases[i]);
        let bodies: Vec<Equations> = members.iter().map(joint).collect();
        let (mut rows, mut longest) = (Vec::new(), 0.0_f64);
        for (&link, body) in members.iter().zip(&bodies) {
            let ends = [number(links(model)[link].parent), number(link)];
            rows.push(ConstraintRows::new(ends, body.rigid));
            longest = longest.max(model.joints()[link].placement.translation.norm());
        }
        for (_, Loop { joint, .. }) in &loops {
            let ends = [joint.predecessor, joint.successor].map(|end| number(end.index()));
            rows.push(ConstraintRows::new(ends, joint.constraints()));
            let frames = [joint.predecessor_placement, joint.successor_placement];
            let lengths = frames.map(|frame| frame.translation.norm());
            longest = lengths.into_iter().fold(longest, f64::max);
        }
        let own = bodies.iter().map(|body| body.inertia);
        let own = std::iter::once(Block::zero()).chain(own).collect();
        let nodes = members.len() + rows.len();
        Self {
            parent: links(model)[members[0]].parent,
            carries: vec![Block::zero(); members.len()],
            loads: vec![Block::zero(); members.len()],
            orders: Orders::new(own, rows, inertias, longest),
            right: vec![Block::zero(); nodes],
            solution: vec![Block::zero(); nodes],
            missed: vec![Block::zero(); nodes],
            loops,
            bodies,
            members,
        }
    }

    /// How many blocks the elimination keeps and computes with.
    pub fn count(&self) -> BlockCount {
        self.orders.count()
    }

    /// Solves the system of what the bodies' and joints' equations are, carefully if it has to be.
    #[inline(always)]
    fn solve(
        &mut self,
        model: &Model,
        state: &MaximalState,
        stabilisation: &Stabilisation,
    ) -> Result<(), MaximalError> {
        for (right, load) in self.right.iter_mut().zip(&self.loads) {
            *right = Block::zero();
            for (own, load) in right.0.iter_mut().zip(&load.0) {
                add_scaled(own, -1.0, load);
            }
        }
        let count = self.members.len();
        for (k, body) in self.bodies.iter().enumerate() {
            let rows = &mut self.orders.rows[k];
            rows.forces = [body.above, body.constraints];
            self.orders.inertias[k + 1] = body.inertia;
            if let Some(above) = rows.bodies[0].checked_sub(1) {
                add_to_column(&mut self.right[above], &body.recoil);
            }
            add_to_column(&mut self.right[k], &body.drive);
            self.right[count + k].set_column(FORCES, &body.constraint);
        }
        for k in 0..self.loops.len() {
            let rows = &mut self.orders.rows[count + k];
            let right = &mut self.right[2 * count + k];
            let target = write_loop(model, &mut self.loops[k].1, rows, state, stabilisation)?;
            right.set_column(FORCES, &target);
        }
        let factorised = self.orders.factorise();
        factorised.map_err(|body| self.singular(model, body))?;
        if !self.solve_columns() {
            let switched = self.orders.switch_to_stable();
            if switched.map_err(|body| self.singular(model, body))? {
                self.solve_columns();
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn solve_columns(&mut self) -> bool {
        let system = self.orders.present_mut();
        system.solve_columns(&self.right, &mut self.solution, &mut self.missed)
    }

    /// The error of a body at which the elimination ended.
    #[cold]
    fn singular(&self, model: &Model, body: usize) -> MaximalError {
        let joint = match body.checked_sub(1) {
            Some(k) => model.joints()[self.members[k]].name.clone(),
            None => String::new(),
        };
        MaximalError::SingularInertia { joint }
    }

    /// A massless body on which a force is left over, if there is one.
    #[inline(always)]
    fn loose(&self, carried: &Row) -> Option<usize> {
        let largest_of = |block: &Block| {
            let force = block.weighted(carried);
            force[..6]
                .iter()
                .fold(0.0_f64, |most, own| most.max(own.abs()))
        };
        let bodies = self.right.iter().take(self.members.len());
        let largest = bodies.map(largest_of).fold(0.0, f64::max);
        // False for what is not a number, which shows in the accelerations.
        (1..=self.members.len()).find(|&body| {
            self.orders.is_massless(body)
                && largest_of(&self.missed[body - 1]) > LEFT_OVER * largest
        })
    }

    /// The force that a joint passes on to its body.
    #[inline(always)]
    fn joint_force(&self, k: usize, carried: &Row) -> Row {
        let multipliers = self.solution[self.members.len() + k].weighted(carried);
        let body = &self.bodies[k];
        let mut force = body.drive;
        for (multiplier, row) in multipliers.iter().zip(&body.constraints.0) {
            add_scaled(&mut force, -multiplier, row);
        }
        force
    }
}

/// Writes the forces of a loop joint's rows, and returns what they ask of accelerations.
#[inline(always)]
fn write_loop(
    model: &Model,
    closing: &mut Loop,
    rows: &mut ConstraintRows,
    state: &MaximalState,
    stabilisation: &Stabilisation,
) -> Result<Row, MaximalError> {
    let joint = &closing.joint;
    let bodies = [joint.predecessor, joint.successor];
    let placements = bodies.map(|body| match body {
        JointId::UNIVERSE => Se3::identity(),
        body => state.poses[body.index()].placement(),
    });
    let output = placements[1].compose(&joint.successor_placement);
    // The output frame in both bodies.
    let in_first = placements[0].inverse_compose(&output);
    let seen = [in_first, joint.successor_placement];
    let apart = joint.predecessor_placement.inverse_compose(&seen[0]);
    let velocities = [0, 1].map(|end| match bodies[end] {
        JointId::UNIVERSE => Motion::zero(),
        body => seen[end].inverse_act_motion(&state.velocities[body.index()]),
    });
    let followed = read_loop(&mut *closing, &apart);
    followed.ok_or_else(|| MaximalError::dependent(&closing.joint.name))?;
    if *stabilisation == Stabilisation::NONE {
        closing.length = farthest(model, state, closing, &output.translation);
        if closing.is_open(ROUNDED_AXES, |_| true) {
            return Err(MaximalError::OpenLoop {
                joint: closing.joint.name.clone(),
                gap: closing.gap_length(),
            });
        }
    }
    closing.velocity = velocities[1] - velocities[0];
    let stay = loop_bias(&*closing, velocities[1], Motion::zero());
    let basis = &closing.basis;
    let pulls = stabilisation.pulls(basis, &closing.gap, &closing.velocity);
    let mut target = [0.0; 8];
    for r in 0..basis.rigid() {
        target[r] = stay[r] - pulls[r];
        let force: Force<f64> = basis.columns.column(r).into_owned().into();
        for (end, force) in [-force, force].iter().enumerate() {
            let [a, b, c, d, e, f] = seen[end].act_force(force).to_array();
            rows.forces[end].0[r] = [a, b, c, d, e, f, 0.0, 0.0];
        }
    }
    Ok(target)
}

/// The farthest of a loop's joints from the loop joint, in m, and the loop's least length at least.
fn farthest(model: &Model, state: &MaximalState, closing: &Loop, from: &Vec3<f64>) -> f64 {
    let mut farthest = closing.least_length;
    for end in [closing.joint.predecessor, closing.joint.successor] {
        let mut body = end.index();
        while body != closing.common {
            farthest = farthest.max((state.poses[body].position - *from).norm());
            body = links(model)[body].parent;
        }
    }
    farthest
}

/// The bodies on the ways of the loops, those of loops that share a body together.
fn tied(model: &Model, loops: &[(usize, Loop)]) -> Vec<Vec<usize>> {
    // Each body names a lower one of its group, the lowest itself.
    let mut group: Vec<usize> = (0..links(model).len()).collect();
    let mut is_tied = vec![false; group.len()];
    for (_, closing) in loops {
        let mut before = None;
        for end in [closing.joint.predecessor, closing.joint.successor] {
            let mut body = end.index();
            while body != closing.common {
                is_tied[body] = true;
                let own = lowest(&group, body);
                let other = before.map_or(own, |before| lowest(&group, before));
                group[own.max(other)] = own.min(other);
                before = Some(body);
                body = links(model)[body].parent;
            }
        }
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for body in (0..group.len()).filter(|&body| is_tied[body]) {
        members.entry(lowest(&group, body)).or_default().push(body);
    }
    members.into_values().collect()
}

fn lowest(group: &[usize], mut body: usize) -> usize {
    while group[body] != body {
        body = group[body];
    }
    body
}

/// The arguments that all passes over a cluster share.
pub(super) struct Setting<'a> {
    pub model: &'a Model,
    pub cluster: &'a mut Cluster,
    pub scratch: &'a mut Scratch<f64>,
    pub state: &'a MaximalState,
}

kernel!(
    /// Eliminates the bodies of a cluster, and adds what is left of them to the link that carries
    /// it.
    pub(super) fn condense_cluster(
        setting: Setting<'_>,
        tau: &[f64],
        joints: &mut JointMemory,
    ) -> Result<(), MaximalError> {
        let Setting {
            model,
            cluster,
            scratch: ws,
            state,
        } = setting;
        let parent = cluster.parent;
        for (k, &i) in cluster.members.iter().enumerate() {
            let link = &links(model)[i];
            let body = &mut cluster.bodies[k];
            body.update(model, i, state, tau, joints)?;
            let inertia = ws.articulated[i].transformed_by(&turn(link));
            let bias = out_of_link(&Mat3::constant(&link.frame.rotation), &ws.force[i]);
            body.inertia = Block::of(&inertia.to_matrix());
            let placement = ws.world[parent].inverse_compose(&state.poses[i].placement());
            let carry = Block::of(&placement.inverse().action_matrix());
            let mut load = body.inertia.times(&carry);
            for (row, force) in load.0.iter_mut().zip(bias.to_array()) {
                row[FORCES] = force;
            }
            (cluster.carries[k], cluster.loads[k]) = (carry, load);
        }
        cluster.solve(model, state, &joints.stabilisation)?;
        let mut sum = Block::zero();
        for (k, carry) in cluster.carries.iter().enumerate() {
            let mut taken = cluster.bodies[k].inertia.times(&cluster.solution[k]);
            for r in 0..6 {
                add_scaled(&mut taken.0[r], 1.0, &cluster.loads[k].0[r]);
                add_outer(&mut sum, &carry.0[r], &taken.0[r]);
            }
        }
        let mut inertia = [[0.0; 6]; 6];
        for r in 0..6 {
            for c in 0..6 {
                inertia[r][c] = 0.5 * (sum.0[r][c] + sum.0[c][r]);
            }
        }
        ws.articulated[parent] += ArticulatedInertia::from_matrix(&inertia);
        ws.force[parent] += Force::from_array(sum.0.map(|row| row[FORCES]));
        Ok(())
    }
);

kernel!(
    /// Finds the accelerations of the bodies of a cluster from that of the link which carries it,
    /// and the forces in its joints.
    pub(super) fn expand_cluster(
        setting: Setting<'_>,
        accelerations: &mut [Motion<f64>],
        joint_forces: &mut [Force<f64>],
        loop_forces: &mut [Force<f64>],
        residual: &mut f64,
    ) -> Result<(), MaximalError> {
        let Setting {
            model,
            cluster,
            scratch: ws,
            state,
        } = setting;
        // The weights of the columns: the carrying link's acceleration, gravity taken for one.
        let [a, b, c, d, e, f] = ws.acceleration[cluster.parent].to_array();
        let carried = [a, b, c, d, e, f, 1.0, 0.0];
        if let Some(body) = cluster.loose(&carried) {
            return Err(cluster.singular(model, body));
        }
        for (k, &i) in cluster.members.iter().enumerate() {
            let mut found = cluster.carries[k].times_vector(&carried);
            let beside = cluster.solution[k].weighted(&carried);
            add_scaled(&mut found, 1.0, &beside);
            let mut acceleration = Motion::from_array(six(found));
            ws.acceleration[i] = into_link(
                &Mat3::constant(&links(model)[i].frame.rotation),
                &acceleration,
            );
            let rotation = state.poses[i].placement().rotation;
            acceleration.linear += rotation.tr_mul_vec(model.gravity());
            accelerations[i] = acceleration;
            joint_forces[i] = Force::from_array(six(cluster.joint_force(k, &carried)));
        }
        let count = cluster.members.len();
        for ((index, closing), solution) in cluster.loops.iter().zip(&cluster.solution[2 * count..])
        {
            // Multipliers stand on the bodies' side of the equations.
            let opposite = solution.weighted(&carried).map(|x| -x);
            let rigid = closing.basis.rigid();
            loop_forces[*index] = transmitted(&closing.basis, &opposite[..rigid]);
        }
        for missed in &cluster.missed[count..] {
            let missed = missed.weighted(&carried);
            *residual = missed[..6]
                .iter()
                .fold(*residual, |most, x| most.max(x.abs()));
        }
        Ok(())
    }
);

/// Adds to the column of forces.
#[inline(always)]
fn add_to_column(rows: &mut Block, column: &Row) {
    for r in 0..6 {
        rows.0[r][FORCES] += column[r];
    }
}

/// `to += column · row`.
#[inline(always)]
fn add_outer(to: &mut Block, column: &Row, row: &Row) {
    for r in 0..6 {
        add_scaled(&mut to.0[r], column[r], row);
    }
}

/// The rotation of a link frame in its body's joint frame.
#[inline(always)]
fn turn(link: &Link) -> Se3<f64> {
    let rotation = match link.class {
        Class::General => Mat3::identity(),
        Class::Revolute | Class::Unbounded | Class::Prismatic => link.frame.rotation,
    };
    Se3::new(rotation, Vec3::zero())
}

#[inline(always)]
fn six([a, b, c, d, e, f, ..]: Row) -> [f64; 6] {
    [a, b, c, d, e, f]
}
