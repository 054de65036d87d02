//! The order of elimination: least fill first.
//!
//! W. F. Tinney, J. W. Walker, "Direct solutions of sparse network equations by optimally ordered
//! triangular factorization", Proc. IEEE 55, 1967, scheme 3. A constraint's block on the diagonal
//! is zero at first. It can be eliminated once the bodies eliminated before it, held together by
//! the constraints eliminated before it, have as many freedoms left as it takes. Those for which
//! nothing is left to wait repeat what is already held, and come last.
//!
//! Freedoms that are counted may not be those that a constraint takes: two sliders side by side
//! free one direction. Where it matters, a constraint can wait for a body of its own: one that is
//! not held yet has all freedoms.

use std::collections::BTreeSet;

/// Nodes with more neighbours count as filling in all pairs: counting would cost the square.
const MANY: usize = 16;

/// Freedoms of a body.
const FREEDOM: usize = 6;

/// A constraint between bodies, such as a joint.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    /// Its bodies.
    pub bodies: Vec<usize>,
    /// How many freedoms it takes.
    pub rank: usize,
}

/// The condition under which a constraint may be eliminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    /// As many freedoms as it takes.
    CountFreedoms,
    /// A body that no other constraint was eliminated with.
    OwnBody,
}

/// The neighbours of each node when it is eliminated, in the order of elimination. Bodies are nodes
/// 0 to `bodies`, constraints follow.
pub(super) fn least_fill(
    bodies: usize,
    constraints: &[Constraint],
    readiness: Readiness,
) -> Vec<(usize, BTreeSet<usize>)> {
    let mut graph = Graph::new(bodies, constraints, readiness);
    let mut order = Vec::with_capacity(graph.neighbours.len());
    loop {
        let ready = graph.queue.pop_first().map(|(.., node)| node);
        let Some(node) = ready.or_else(|| graph.waiting()) else {
            return order;
        };
        let neighbours = graph.eliminate(node);
        order.push((node, neighbours));
    }
}

/// Fill first; of equal ones those of high bodies, so that leaves come before roots; of a body and
/// its constraints the body, for which they have to wait anyway.
type Priority = (usize, std::cmp::Reverse<usize>, bool, usize);

struct Graph<'a> {
    bodies: usize,
    constraints: &'a [Constraint],
    neighbours: Vec<BTreeSet<usize>>,
    eliminated: Vec<bool>,
    priority: Vec<Option<Priority>>,
    queue: BTreeSet<Priority>,
    /// Eliminated bodies that hold together, as a forest, and the freedoms left to each tree.
    group: Vec<usize>,
    freedom: Vec<usize>,
    readiness: Readiness,
    /// Whether a body has been taken by a constraint.
    taken: Vec<bool>,
    /// The constraints of each body.
    held_by: Vec<Vec<usize>>,
}

impl<'a> Graph<'a> {
    fn new(bodies: usize, constraints: &'a [Constraint], readiness: Readiness) -> Self {
        let nodes = bodies + constraints.len();
        let mut neighbours = vec![BTreeSet::new(); nodes];
        let mut held_by = vec![Vec::new(); bodies];
        for (c, constraint) in constraints.iter().enumerate() {
            for &body in &constraint.bodies {
                neighbours[body].insert(bodies + c);
                neighbours[bodies + c].insert(body);
                held_by[body].push(bodies + c);
            }
        }
        let mut graph = Self {
            bodies,
            constraints,
            neighbours,
            eliminated: vec![false; nodes],
            priority: vec![None; nodes],
            queue: BTreeSet::new(),
            group: (0..bodies).collect(),
            freedom: vec![FREEDOM; bodies],
            readiness,
            taken: vec![false; bodies],
            held_by,
        };
        for node in 0..nodes {
            graph.update(node);
        }
        graph
    }

    /// A constraint that waits in vain: the one that fills in least.
    fn waiting(&self) -> Option<usize> {
        let left = (self.bodies..self.eliminated.len()).filter(|&node| !self.eliminated[node]);
        left.min_by_key(|&node| self.fill(node))
    }

    /// Puts a node into the queue, at its place, or takes it out.
    fn update(&mut self, node: usize) {
        if let Some(old) = self.priority[node].take() {
            self.queue.remove(&old);
        }
        if self.is_ready(node) {
            let constrains = node >= self.bodies;
            let lowest = match node.checked_sub(self.bodies) {
                None => node,
                Some(c) => self.constraints[c].bodies.iter().min().map_or(0, |b| *b),
            };
            let priority = (self.fill(node), std::cmp::Reverse(lowest), constrains, node);
            self.priority[node] = Some(priority);
            self.queue.insert(priority);
        }
    }

    fn is_ready(&mut self, node: usize) -> bool {
        if node < self.bodies {
            return true;
        }
        let constraint = &self.constraints[node - self.bodies];
        let bodies = constraint.bodies.iter().copied();
        let done: Vec<usize> = bodies.filter(|&b| self.eliminated[b]).collect();
        if self.neighbours[node].is_empty() {
            return true;
        }
        if self.readiness == Readiness::OwnBody {
            return done.iter().any(|&body| !self.taken[body]);
        }
        let groups: BTreeSet<usize> = done.into_iter().map(|b| self.group_of(b)).collect();
        let freedom: usize = groups.iter().map(|&g| self.freedom[g]).sum();
        freedom >= constraint.rank
    }

    /// How many pairs of neighbours become neighbours of each other.
    fn fill(&self, node: usize) -> usize {
        let own = &self.neighbours[node];
        let most = own.len() * own.len().saturating_sub(1) / 2;
        if own.len() > MANY {
            return most;
        }
        let known = |&a: &usize| {
            let later = own.range(a + 1..);
            later.filter(|b| self.neighbours[a].contains(b)).count()
        };
        most - own.iter().map(known).sum::<usize>()
    }

    fn group_of(&mut self, body: usize) -> usize {
        let mut root = body;
        while self.group[root] != root {
            root = self.group[root];
        }
        let mut here = body;
        while self.group[here] != root {
            here = std::mem::replace(&mut self.group[here], root);
        }
        root
    }

    fn join(&mut self, a: usize, b: usize) -> usize {
        let (a, b) = (self.group_of(a), self.group_of(b));
        if a != b {
            self.group[b] = a;
            self.freedom[a] += self.freedom[b];
        }
        a
    }

    fn eliminate(&mut self, node: usize) -> BTreeSet<usize> {
        self.eliminated[node] = true;
        if let Some(old) = self.priority[node].take() {
            self.queue.remove(&old);
        }
        self.count_freedoms(node);
        let own = std::mem::take(&mut self.neighbours[node]);
        let mut touched = own.clone();
        for &a in &own {
            self.neighbours[a].remove(&node);
        }
        for &a in &own {
            for &b in own.range(a + 1..) {
                if self.neighbours[a].insert(b) {
                    self.neighbours[b].insert(a);
                    if own.len() <= MANY && self.neighbours[a].len() <= 2 * MANY {
                        // A known pair is one less to fill in for all that are next to both.
                        let both = self.neighbours[a].intersection(&self.neighbours[b]);
                        touched.extend(both);
                    }
                }
            }
        }
        for node in touched {
            self.update(node);
        }
        own
    }

    fn count_freedoms(&mut self, node: usize) {
        if node < self.bodies {
            for c in self.held_by[node].clone() {
                if self.eliminated[c] {
                    self.join_ends(c, node);
                }
            }
        } else {
            let constraint = &self.constraints[node - self.bodies];
            let mut own = constraint.bodies.iter();
            if let Some(&own) = own.find(|&&b| self.eliminated[b] && !self.taken[b]) {
                self.taken[own] = true;
            }
            let mut bodies = constraint.bodies.iter().copied();
            let first = bodies.find(|&b| self.eliminated[b]);
            if let Some(first) = first {
                let group = self.join_ends(node, first);
                self.freedom[group] = self.freedom[group].saturating_sub(constraint.rank);
            }
        }
    }

    /// Joins the eliminated bodies of a constraint, of which one is given.
    fn join_ends(&mut self, constraint: usize, first: usize) -> usize {
        let mut group = self.group_of(first);
        for &body in &self.constraints[constraint - self.bodies].bodies {
            if self.eliminated[body] {
                group = self.join(group, body);
            }
        }
        group
    }
}
