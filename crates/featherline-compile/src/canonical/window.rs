//! The part of a robot in which a choice about one body shows.
//!
//! How many operations a choice saves depends on what is known to be zero about the motion that
//! arrives from the base and the inertia that arrives from the leaves. Both are settled within a
//! few bodies, so that a few bodies around the one in question, and those at the base, tell as much
//! as the whole robot.

use super::CanonicalModel;
use super::elementary::{Angle, Coordinate, Displacement, Mobility};
use super::frames::Body;
use featherline::model::EliminationTree;

/// Robots of at most so many bodies are looked at as a whole.
const WHOLE: usize = 64;

/// How many edges away from a body the others may be.
const REACH: usize = 4;

/// How many bodies on the way from the base are kept.
const BASE: usize = 3;

/// Whether a robot of so many bodies is too large to be looked at as a whole, again and again.
pub(super) fn is_large(bodies: usize) -> bool {
    bodies > WHOLE
}

/// The bodies around body `i`, and those at the base before it, in their order.
pub(super) fn around(bodies: &[Body], i: usize) -> Vec<usize> {
    let mut distance = vec![usize::MAX; bodies.len()];
    let mut way = Vec::new();
    let mut here = i;
    while here != 0 {
        distance[here] = way.len();
        way.push(here);
        here = bodies[here].parent;
    }
    // Parents come before their children.
    for k in 1..bodies.len() {
        let parent = bodies[k].parent;
        if parent != 0 {
            distance[k] = distance[k].min(distance[parent].saturating_add(1));
        }
    }
    let from_base = &way[way.len().saturating_sub(BASE)..];
    let is_near = |&k: &usize| distance[k] <= REACH || from_base.contains(&k);
    (1..bodies.len()).filter(is_near).collect()
}

/// Numbers that are used, renumbered from zero on.
#[derive(Default)]
struct Numbers(Vec<usize>);

impl Numbers {
    fn of(mut used: Vec<usize>) -> Self {
        used.sort_unstable();
        used.dedup();
        Self(used)
    }

    fn place(&self, old: usize) -> usize {
        self.0.partition_point(|&used| used < old)
    }
}

impl CanonicalModel {
    /// The bodies of these numbers, each carried by the nearest one before it.
    pub(super) fn part(&self, bodies: &[usize]) -> Self {
        let of_part = || bodies.iter().map(|&i| &self.bodies[i]);
        let coordinates = |body: &Body| match body.mobility {
            Mobility::None => 0..0,
            Mobility::Free { v, .. } => v..v + 6,
            Mobility::Revolute(c, _) | Mobility::Prismatic(c, _) => c.rate..c.rate + 1,
        };
        let entries = |body: &Body| match body.mobility {
            Mobility::None => 0..0,
            Mobility::Free { q, .. } => q..q + 7,
            Mobility::Revolute(_, Angle::CosSin { index }) => index..index + 2,
            Mobility::Revolute(_, Angle::Displacement(Displacement { index, .. }))
            | Mobility::Prismatic(_, Displacement { index, .. }) => index..index + 1,
        };
        let rates = Numbers::of(of_part().flat_map(coordinates).collect());
        let places = Numbers::of(of_part().flat_map(entries).collect());
        let rate = |c: Coordinate| Coordinate {
            rate: rates.place(c.rate),
            ..c
        };
        let displacement = |d: Displacement| Displacement {
            index: places.place(d.index),
            ..d
        };
        let mobility = |mobility: Mobility| match mobility {
            Mobility::None => Mobility::None,
            Mobility::Free { q, v } => Mobility::Free {
                q: places.place(q),
                v: rates.place(v),
            },
            Mobility::Revolute(c, Angle::CosSin { index }) => {
                let index = places.place(index);
                Mobility::Revolute(rate(c), Angle::CosSin { index })
            }
            Mobility::Revolute(c, Angle::Displacement(d)) => {
                Mobility::Revolute(rate(c), Angle::Displacement(displacement(d)))
            }
            Mobility::Prismatic(c, d) => Mobility::Prismatic(rate(c), displacement(d)),
        };
        let mut part = vec![self.bodies[0].clone()];
        for &i in bodies {
            let mut carrier = self.bodies[i].parent;
            let parent = loop {
                match bodies.binary_search(&carrier) {
                    Ok(k) => break k + 1,
                    Err(_) if carrier == 0 => break 0,
                    Err(_) => carrier = self.bodies[carrier].parent,
                }
            };
            let body = self.bodies[i].clone();
            part.push(Body {
                parent,
                mobility: mobility(body.mobility),
                ..body
            });
        }
        let above = |&k: &usize| {
            let mut ancestors = self.elimination_tree.ancestors(k);
            let nearest = ancestors.find(|ancestor| rates.0.binary_search(ancestor).is_ok());
            nearest.map(|ancestor| rates.place(ancestor))
        };
        let tree = EliminationTree::new(rates.0.iter().map(above).collect());
        Self {
            bodies: part,
            nq: places.0.len(),
            nv: rates.0.len(),
            reflected_inertia: rates.0.iter().map(|&k| self.reflected_inertia[k]).collect(),
            elimination_tree: tree.expect("ancestors keep their order"),
        }
    }
}
