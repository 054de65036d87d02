//! The same change of an order at every link: what suits one link of a chain suits them all, and in
//! a tree most of them.

use crate::system::System;
use crate::unknown::Unknown;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

/// The kind of an unknown, whichever link's: its quantity, and its component or degree.
type Kind = (u8, usize);

/// How far apart in the order two pivots are that a change brings together.
const REACH: usize = 40;

/// Where the link of one pivot is, seen from the link of another.
#[derive(Clone, Copy)]
enum Relation {
    Same,
    Parent,
    Child,
}

/// The links of the unknowns.
pub(super) struct Links {
    /// The kind of each column and its link.
    labels: Vec<(Kind, usize)>,
    columns: HashMap<(Kind, usize), usize>,
    /// By link; a link without a parent in the system has none.
    parents: Vec<Option<usize>>,
    /// The first child of each link.
    children: Vec<Option<usize>>,
}

impl Links {
    pub fn new(system: &System) -> Self {
        let model = system.model();
        let count = model.joint_ids().count() + 1;
        let mut joint_of = vec![(0, 0); model.nv()];
        let (mut parents, mut children) = (vec![None; count], vec![None; count]);
        for id in model.joint_ids() {
            let joint = model.joint(id);
            for degree in 0..joint.nv {
                joint_of[joint.idx_v + degree] = (id.index(), degree);
            }
            let parent = model.parent(id).index();
            if parent > 0 {
                parents[id.index()] = Some(parent);
                children[parent].get_or_insert(id.index());
            }
        }
        let label = |column| match system.unknowns().at(column) {
            Some(Unknown::Acceleration { joint, component }) => ((0, component), joint.index()),
            Some(Unknown::Force { joint, component }) => ((1, component), joint.index()),
            Some(Unknown::ExternalForce { joint, component }) => ((2, component), joint.index()),
            Some(Unknown::JointForce { coordinate }) => {
                let (joint, degree) = joint_of[coordinate];
                ((3, degree), joint)
            }
            Some(Unknown::JointAcceleration { coordinate }) => {
                let (joint, degree) = joint_of[coordinate];
                ((4, degree), joint)
            }
            // No other link has the like of a loop joint's.
            Some(Unknown::LoopForce { joint, .. } | Unknown::LoopAcceleration { joint, .. }) => {
                ((5, column), model.loop_joint(joint).successor.index())
            }
            None => ((5, column), 0),
        };
        let labels: Vec<_> = (0..system.unknowns().count()).map(label).collect();
        let columns = labels.iter().copied().zip(0..).collect();
        Self {
            labels,
            columns,
            parents,
            children,
        }
    }

    /// Two pivots that stand close together are brought next to each other, or change their rows;
    /// and so do their like at all other links.
    pub fn change(
        &self,
        pivots: &[(usize, usize)],
        random: &mut ChaCha8Rng,
    ) -> Vec<(usize, usize)> {
        let n = pivots.len();
        let at = random.random_range(0..n);
        let low = at.saturating_sub(REACH);
        let near = random.random_range(low..(at + REACH).min(n));
        let (kind, link) = self.labels[pivots[at].1];
        let (other, other_link) = self.labels[pivots[near].1];
        let relation = if self.parents[link] == Some(other_link) {
            Relation::Parent
        } else if self.parents[other_link] == Some(link) {
            Relation::Child
        } else {
            Relation::Same
        };
        if kind == other {
            return pivots.to_vec();
        }
        let anchor = |column: usize| self.related(column, kind, other, relation);
        match random.random_range(0..3) {
            0 => exchange_rows(pivots, self.labels.len(), anchor),
            1 => move_next_to(pivots, self.labels.len(), anchor, false),
            _ => move_next_to(pivots, self.labels.len(), anchor, true),
        }
    }

    /// The column of the other kind that belongs to a column of the first kind.
    fn related(&self, column: usize, kind: Kind, other: Kind, relation: Relation) -> Option<usize> {
        let (own, link) = self.labels[column];
        let link = match relation {
            Relation::Same => Some(link),
            Relation::Parent => self.parents[link],
            Relation::Child => self.children[link],
        };
        let found = self.columns.get(&(other, link?))?;
        (own == kind).then_some(*found)
    }
}

/// Where each column's pivot stands; `usize::MAX` if it is none of these.
fn positions(pivots: &[(usize, usize)], columns: usize) -> Vec<usize> {
    let mut positions = vec![usize::MAX; columns];
    for (position, &(_, column)) in pivots.iter().enumerate() {
        positions[column] = position;
    }
    positions
}

fn exchange_rows(
    pivots: &[(usize, usize)],
    columns: usize,
    anchor: impl Fn(usize) -> Option<usize>,
) -> Vec<(usize, usize)> {
    let positions = positions(pivots, columns);
    let mut changed = pivots.to_vec();
    for (position, &(_, column)) in pivots.iter().enumerate() {
        let other = anchor(column).map_or(usize::MAX, |other| positions[other]);
        if other < pivots.len() {
            (changed[position].0, changed[other].0) = (changed[other].0, changed[position].0);
        }
    }
    changed
}

fn move_next_to(
    pivots: &[(usize, usize)],
    columns: usize,
    anchor: impl Fn(usize) -> Option<usize>,
    is_before: bool,
) -> Vec<(usize, usize)> {
    let positions = positions(pivots, columns);
    // Twice a pivot's new position: odd where it comes between two that stay.
    let key = |(position, &(_, column)): (usize, &(usize, usize))| {
        let other = anchor(column).map_or(usize::MAX, |other| positions[other]);
        match (other < pivots.len(), is_before) {
            (false, _) => 2 * position + 1,
            (true, true) => 2 * other,
            (true, false) => 2 * other + 2,
        }
    };
    let mut keyed: Vec<_> = pivots.iter().enumerate().map(key).zip(pivots).collect();
    keyed.sort_by_key(|&(key, _)| key);
    keyed.into_iter().map(|(_, &pivot)| pivot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order;
    use crate::problem::Problem;
    use featherline::samples;
    use rand::SeedableRng;

    fn systems() -> [System; 2] {
        [
            samples::tapered_chain(6),
            samples::random_tree(3, &samples::RandomTree::default()),
        ]
        .map(|model| System::new(Problem::forward_dynamics(model)).expect("a problem"))
    }

    #[test]
    fn a_change_loses_no_pivot() {
        for system in systems() {
            let links = Links::new(&system);
            let mut pivots = order::aba(&system)
                .expect("forward dynamics")
                .pivots()
                .to_vec();
            let mut random = ChaCha8Rng::seed_from_u64(8);
            let mut changes = 0;
            for _ in 0..500 {
                let changed = links.change(&pivots, &mut random);
                changes += usize::from(changed != pivots);
                let order = order::EliminationOrder::new(changed).expect("a permutation");
                pivots = order.pivots().to_vec();
            }
            assert!(changes > 100, "{changes}");
        }
    }

    #[test]
    fn what_moves_at_one_link_of_a_chain_moves_at_all() {
        let [chain, _] = systems();
        let links = Links::new(&chain);
        let pivots = order::aba(&chain)
            .expect("forward dynamics")
            .pivots()
            .to_vec();
        let (force, acceleration) = ((1, 2), (0, 4));
        let of = |kind, link| links.columns[&(kind, link)];
        let anchor = |column| links.related(column, force, acceleration, Relation::Parent);
        let changed = move_next_to(&pivots, links.labels.len(), anchor, false);
        let positions = positions(&changed, links.labels.len());
        for link in 2..=6 {
            assert_eq!(
                positions[of(force, link)],
                positions[of(acceleration, link - 1)] + 1
            );
        }
    }
}
