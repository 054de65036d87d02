//! How coordinates couple: the tree that sparse factorisations walk, and the fronts of
//! articulated-body elimination.
//!
//! Without mimic joints, a coordinate belongs to one joint, and the tree of coordinates is the
//! expanded tree of joints (Featherstone 2008, section 6.2). A mimic joint shares the mimicked
//! joint's coordinate, which then belongs to several joints, perhaps on different branches. Two
//! things follow. The factors of the mass matrix fill in along the elimination tree of its pattern
//! (Liu 1990) instead of the joints' tree; and the articulated-body recursion must carry a
//! coordinate along, uneliminated, up to the joint below which all its joints lie. The coordinates
//! present at a joint are its *front*, as in a multifrontal factorisation.

use super::EliminationTree;
use super::link::{Class, Link};
use super::regions::Regions;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The front of one link: the coordinates that are present when its joint is crossed.
#[derive(Clone, Debug, Default)]
pub struct Front {
    /// The coordinates, those that are eliminated here first.
    pub coordinates: Vec<usize>,
    /// How many are eliminated here.
    pub eliminated: usize,
    /// For each column of the link's own joint, its place in the front.
    pub own: Vec<usize>,
    /// For each coordinate that is passed on, its place in the parent's front.
    pub in_parent: Vec<usize>,
    /// Where the front's forces and right-hand sides are stored.
    pub offset: usize,
    /// Where the front's square matrix is stored.
    pub square: usize,
    /// Whether nothing comes up from the children.
    pub fresh: bool,
    /// Whether the front is one coordinate of an axial joint, eliminated here: the textbook's case.
    pub simple: bool,
}

/// Coupling of coordinates.
#[derive(Clone, Debug)]
pub struct Coordinates {
    /// The elimination tree of the mass matrix.
    pub tree: EliminationTree,
    /// Which links share a frame, if there are no mimic joints.
    pub regions: Regions,
    /// How many ancestors a coordinate has on average, rounded down.
    pub mean_level: usize,
    /// The front of each link; that of the universe comes first.
    pub fronts: Vec<Front>,
    /// Sum of front sizes.
    pub front_entries: usize,
    /// Sum of squared front sizes.
    pub front_squares: usize,
    /// The rank of each coordinate in the order in which the joints that eliminate them are
    /// numbered.
    pub rank: Vec<usize>,
    /// For each link, the ranks of the coordinates eliminated in its subtree: consecutive.
    pub ranks_below: Vec<std::ops::Range<usize>>,
}

impl Coordinates {
    /// The fronts and the elimination tree of a robot.
    pub fn new(links: &[Link], nv: usize, has_mimic_joints: bool) -> Self {
        let owner = owners(links, nv);
        let fronts = fronts(links, &owner);
        let tree = if has_mimic_joints {
            elimination_tree(links, nv)
        } else {
            // A parent is put before its children.
            EliminationTree::new(expanded_tree(links, nv)).expect("parents come first")
        };
        let front_entries = fronts.iter().map(|f| f.coordinates.len()).sum();
        let front_squares = fronts.iter().map(|f| f.coordinates.len().pow(2)).sum();
        let (rank, ranks_below) = ranks(links, &fronts, nv);
        let regions = if has_mimic_joints {
            Regions::default()
        } else {
            Regions::new(links, &tree)
        };
        let ancestors: usize = (0..nv).map(|k| tree.level(k)).sum();
        Self {
            tree,
            regions,
            mean_level: ancestors / nv.max(1),
            fronts,
            front_entries,
            front_squares,
            rank,
            ranks_below,
        }
    }
}

/// The coordinates that move a link's own joint.
fn own_coordinates(link: &Link) -> std::ops::Range<usize> {
    link.idx_v..link.idx_v + link.columns
}

/// For each coordinate, the deepest link below which (itself included) all its joints lie.
fn owners(links: &[Link], nv: usize) -> Vec<usize> {
    // Links are numbered depth-first, so that the subtree that holds the first and the last holds
    // all between.
    let mut span: Vec<Option<(usize, usize)>> = vec![None; nv];
    for (i, link) in links.iter().enumerate() {
        for k in own_coordinates(link) {
            span[k] = Some((span[k].map_or(i, |(first, _)| first), i));
        }
    }
    // Every coordinate belongs to the joint that introduced it.
    let owner = |(first, last)| lowest_common_ancestor(links, first, last);
    span.into_iter().map(|s| s.map_or(0, owner)).collect()
}

fn lowest_common_ancestor(links: &[Link], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if a > b {
            a = links[a].parent;
        } else {
            b = links[b].parent;
        }
    }
    a
}

fn fronts(links: &[Link], owner: &[usize]) -> Vec<Front> {
    let mut passed: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    let mut present: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    let mut is_fresh = vec![true; links.len()];
    for i in (0..links.len()).rev() {
        let mut coordinates = std::mem::take(&mut passed[i]);
        is_fresh[i] = coordinates.is_empty();
        coordinates.extend(own_coordinates(&links[i]));
        coordinates.sort_unstable();
        coordinates.dedup();
        let (mut here, on): (Vec<usize>, Vec<usize>) =
            coordinates.into_iter().partition(|&k| owner[k] == i);
        if i > 0 {
            passed[links[i].parent].extend(&on);
        }
        here.extend(on);
        present[i] = here;
    }
    let (mut offset, mut square) = (0, 0);
    let mut fronts: Vec<Front> = Vec::with_capacity(links.len());
    for (i, link) in links.iter().enumerate() {
        let coordinates = std::mem::take(&mut present[i]);
        let eliminated = coordinates.iter().take_while(|&&k| owner[k] == i).count();
        // A coordinate that is passed on is in the parent's front by construction.
        let place = |front: &[usize], k: usize| front.iter().position(|&c| c == k).unwrap_or(0);
        let own = own_coordinates(link)
            .map(|k| place(&coordinates, k))
            .collect();
        let in_parent = match fronts.get(link.parent) {
            Some(above) => coordinates[eliminated..]
                .iter()
                .map(|&k| place(&above.coordinates, k))
                .collect(),
            None => Vec::new(),
        };
        let size = coordinates.len();
        let simple = link.class != Class::General && size == 1 && eliminated == 1 && is_fresh[i];
        let fresh = is_fresh[i];
        fronts.push(Front {
            coordinates,
            eliminated,
            own,
            in_parent,
            offset,
            square,
            fresh,
            simple,
        });
        offset += size;
        square += size * size;
    }
    fronts
}

/// Orders coordinates by the joint that eliminates them: those of a subtree are consecutive.
fn ranks(links: &[Link], fronts: &[Front], nv: usize) -> (Vec<usize>, Vec<std::ops::Range<usize>>) {
    let mut rank = vec![0; nv];
    let mut below = Vec::with_capacity(links.len());
    let mut next = 0;
    for front in fronts {
        let begin = next;
        for &k in &front.coordinates[..front.eliminated] {
            rank[k] = next;
            next += 1;
        }
        below.push(begin..next);
    }
    for i in (1..links.len()).rev() {
        let end = below[i].end;
        let above = &mut below[links[i].parent];
        above.end = above.end.max(end);
    }
    (rank, below)
}

/// Each coordinate's parent: the one before of its joint, or the last of the joint above.
fn expanded_tree(links: &[Link], nv: usize) -> Vec<Option<usize>> {
    let mut parent = vec![None; nv];
    let mut last: Vec<Option<usize>> = vec![None; links.len()];
    for (i, link) in links.iter().enumerate().skip(1) {
        let mut above = last[link.parent];
        for k in own_coordinates(link) {
            parent[k] = above;
            above = Some(k);
        }
        last[i] = above;
    }
    parent
}

/// The elimination tree of the mass matrix's pattern, eliminated from the last coordinate to the
/// first.
///
/// The coordinates on a path from the root couple with one another. A path through them in the
/// order of elimination has the same elimination tree as all these couplings together (J. R.
/// Gilbert, X. S. Li, E. G. Ng, B. W. Peyton, BIT 41(4), 2001, for the column elimination tree), so
/// that each link adds at most two. Cost: O(n log n).
fn elimination_tree(links: &[Link], nv: usize) -> EliminationTree {
    let mut couplings = Vec::new();
    // The links from the root to the one before, and how often each coordinate moves one of them.
    let mut path: Vec<usize> = Vec::new();
    let mut present: BTreeMap<usize, usize> = BTreeMap::new();
    for (i, link) in links.iter().enumerate().skip(1) {
        while let Some(left) = path.pop_if(|top| *top != link.parent) {
            for k in own_coordinates(&links[left]) {
                if let Entry::Occupied(mut count) = present.entry(k) {
                    *count.get_mut() -= 1;
                    if *count.get() == 0 {
                        count.remove();
                    }
                }
            }
        }
        path.push(i);
        for k in own_coordinates(link) {
            let count = present.entry(k).or_insert(0);
            *count += 1;
            if *count > 1 {
                continue;
            }
            if let Some((&before, _)) = present.range(..k).next_back() {
                couplings.push((before, k));
            }
            if let Some((&after, _)) = present.range(k + 1..).next() {
                couplings.push((k, after));
            }
        }
    }
    EliminationTree::of_couplings(nv, &couplings)
}

#[cfg(all(test, feature = "samples"))]
mod tests {
    use super::*;
    use crate::samples::{RandomTree, random_tree};

    /// The elimination tree by its definition: the factor's pattern, filled in coordinate by
    /// coordinate.
    fn by_elimination(links: &[Link], nv: usize) -> Vec<Option<usize>> {
        let mut coupled = vec![vec![false; nv]; nv];
        for i in 1..links.len() {
            let mut j = i;
            while j != 0 {
                for k in own_coordinates(&links[i]) {
                    for l in own_coordinates(&links[j]) {
                        coupled[k.max(l)][k.min(l)] = true;
                    }
                }
                j = links[j].parent;
            }
        }
        for k in (0..nv).rev() {
            for i in 0..k {
                for j in 0..i {
                    let fills = coupled[k][i] && coupled[k][j];
                    coupled[i][j] |= fills;
                }
            }
        }
        let parent = |k: usize| (0..k).rev().find(|&l| coupled[k][l]);
        (0..nv).map(parent).collect()
    }

    #[test]
    fn the_elimination_tree_is_that_of_the_filled_pattern() {
        let mut beyond_the_joints = 0;
        for seed in 0..200 {
            let shape = RandomTree {
                joints: 1 + seed as usize % 30,
                branching: (seed % 7) as f64 / 6.0,
                ..RandomTree::default()
            };
            let model = random_tree(seed, &shape);
            let (links, nv) = (&model.links, model.nv());
            let tree = elimination_tree(links, nv);
            assert_eq!(tree.parents(), by_elimination(links, nv), "seed {seed}");
            beyond_the_joints += usize::from(tree.parents() != expanded_tree(links, nv));
        }
        assert!(
            beyond_the_joints > 20,
            "the shapes should couple what lies on different branches"
        );
    }

    #[test]
    fn an_owner_is_the_last_link_above_all_that_its_coordinate_moves() {
        for seed in 0..100 {
            let model = random_tree(
                seed,
                &RandomTree {
                    joints: 25,
                    ..RandomTree::default()
                },
            );
            let links = &model.links;
            for (k, owner) in owners(links, model.nv()).into_iter().enumerate() {
                let moved: Vec<_> = (1..links.len())
                    .filter(|&i| own_coordinates(&links[i]).contains(&k))
                    .collect();
                let above_all = |i: usize| {
                    moved
                        .iter()
                        .all(|&m| (i..model.subtree_end(i)).contains(&m))
                };
                assert_eq!((0..links.len()).rev().find(|&i| above_all(i)), Some(owner));
            }
        }
    }
}
