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
//! constraint, whatever a is. The [graph](super::graph) of the cluster gives y for each component
//! of a and for the forces, and I and p are sums over the bodies of Xᵀ times what each takes.

use super::MaximalError;
use super::block::{Block, Row, add_scaled};
use super::elimination::Readiness;
use super::elimination::pattern::BlockCount;
use super::equations::Equations;
use super::graph::{Carried, Graph};
use super::recursion::{JointMemory, into_link, out_of_link};
use super::state::MaximalState;
use featherline::kernel;
use featherline::kernel::ConstraintBasis;
use featherline::kernel::Scratch;
use featherline::kernel::links;
use featherline::kernel::{Class, Link};
use featherline::model::Model;
use featherline::spatial::{ArticulatedInertia, Force, Mat3, Motion, Se3, Vec3};
use featherline_constraint::Stabilisation;
use featherline_constraint::kernel::{Loop, prepare};
use std::collections::BTreeMap;

/// The bodies that some loops tie together, in the order of the links.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    pub members: Vec<usize>,
    /// The link that carries the cluster.
    parent: usize,
    bodies: Vec<Equations>,
    /// What the carrying link's acceleration is to each body, and the forces that carry and bias
    /// take, in seven columns.
    carries: Vec<Block>,
    loads: Vec<Block>,
    graph: Graph,
    /// The same in the stable order, if it is another one: for states in which the
    /// sparser one does.
    stable: Option<Graph>,
    is_stable: bool,
}

impl Cluster {
    /// The clusters of a model, in the order of their first links.
    pub fn all(model: &Model, bases: &[ConstraintBasis]) -> Result<Vec<Self>, MaximalError> {
        let mut loops = Vec::new();
        for (index, closing) in model.loop_joints().iter().enumerate() {
            let prepared =
                prepare(model, closing, 0).map_err(|_| MaximalError::DependentMotions {
                    joint: closing.name.clone(),
                })?;
            loops.push((index, prepared));
        }
        let joints = &model.joints()[1..];
        let inertias: Vec<Block> = joints
            .iter()
            .map(|joint| Block::of(&joint.inertia.to_matrix()))
            .collect();
        let cluster = |members: Vec<usize>| {
            let is_own = |closing: &Loop| {
                // Where its ways meet, another cluster may end.
                let mut ends = [closing.joint.predecessor, closing.joint.successor].into_iter();
                let tied = ends.find(|end| end.index() != closing.common);
                tied.is_some_and(|end| members.binary_search(&end.index()).is_ok())
            };
            let bodies: Vec<Equations> = members
                .iter()
                .map(|&i| Equations::new(&model.joints()[i], &bases[i]))
                .collect();
            let graph = |readiness: Readiness| {
                let own = loops.iter().filter(|(_, closing)| is_own(closing));
                Graph::new(model, &members, &bodies, own, inertias.iter(), readiness)
            };
            let (sparse, stable) = (graph(Readiness::CountFreedoms), graph(Readiness::OwnBody));
            Self {
                parent: links(model)[members[0]].parent,
                stable: (!stable.has_order_of(&sparse)).then_some(stable),
                graph: sparse,
                is_stable: false,
                carries: vec![Block::zero(); members.len()],
                loads: vec![Block::zero(); members.len()],
                bodies,
                members,
            }
        };
        Ok(tied(model, &loops).into_iter().map(cluster).collect())
    }

    /// How many blocks the elimination keeps and computes with.
    pub fn count(&self) -> BlockCount {
        self.graph.count()
    }

    /// The system that was solved.
    #[inline(always)]
    fn solved(&self) -> &Graph {
        match &self.stable {
            Some(stable) if self.is_stable => stable,
            _ => &self.graph,
        }
    }

    /// Solves the system, carefully if it has to be.
    #[inline(always)]
    fn solve(
        &mut self,
        model: &Model,
        state: &MaximalState,
        stabilisation: &Stabilisation,
    ) -> Result<(), MaximalError> {
        let (bodies, loads) = (&self.bodies, &self.loads);
        let solved = self.graph.solve(model, bodies, loads, state, stabilisation);
        self.is_stable = solved.is_err() || !self.graph.is_settled();
        match &mut self.stable {
            Some(stable) if self.is_stable => {
                stable.solve(model, bodies, loads, state, stabilisation)
            }
            _ => solved,
        }
    }
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

/// What is the same in all passes over a cluster.
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
        joints: JointMemory<'_>,
    ) -> Result<(), MaximalError> {
        let mut joints = joints;
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
            body.update(model, i, state, tau, &mut joints)?;
            let inertia = ws.articulated[i].transformed_by(&turn(link));
            let bias = out_of_link(&Mat3::constant(&link.frame.rotation), &ws.force[i]);
            body.inertia = Block::of(&inertia.to_matrix());
            let placement = ws.world[parent].inverse_compose(&state.poses[i].placement());
            let carry = Block::of(&placement.inverse().action_matrix());
            let mut load = body.inertia.times(&carry);
            for (row, force) in load.0.iter_mut().zip(bias.to_array()) {
                row[Carried::FORCES] = force;
            }
            (cluster.carries[k], cluster.loads[k]) = (carry, load);
        }
        cluster.solve(model, state, joints.stabilisation)?;
        let solved = cluster.solved();
        let mut sum = Block::zero();
        for (k, carry) in cluster.carries.iter().enumerate() {
            let mut taken = cluster.bodies[k].inertia.times(solved.response(k));
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
        ws.force[parent] += Force::from_array(sum.0.map(|row| row[Carried::FORCES]));
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
        let carried = Carried::by(&ws.acceleration[cluster.parent]);
        let solved = cluster.solved();
        if let Some(place) = solved.loose(&carried) {
            return Err(solved.singular(model, place));
        }
        for (k, &i) in cluster.members.iter().enumerate() {
            let mut found = cluster.carries[k].times_vector(&carried.0);
            let beside = solved.response(k).weighted(&carried.0);
            add_scaled(&mut found, 1.0, &beside);
            let mut acceleration = Motion::from_array(six(found));
            ws.acceleration[i] = into_link(
                &Mat3::constant(&links(model)[i].frame.rotation),
                &acceleration,
            );
            let rotation = state.poses[i].placement().rotation;
            acceleration.linear += rotation.tr_mul_vec(model.gravity());
            accelerations[i] = acceleration;
            let force = solved.force(k, &cluster.bodies[k], &carried);
            joint_forces[i] = Force::from_array(six(force));
        }
        solved.loop_forces(&carried, loop_forces);
        *residual = residual.max(solved.residual(&carried));
        Ok(())
    }
);

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
