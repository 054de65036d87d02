//! Regions of the tree that are small enough for one frame.
//!
//! Quantities of many links in one frame need no transform from link to link. But a moment about a
//! point far away loses digits, so that a region ends where it has reached far enough from its
//! root.

use super::EliminationTree;
use super::link::Link;

/// How many links below its root a region reaches, about: rounding of moments grows by as much.
const REACH: usize = 16;

/// Which links share a frame, that of the region's root.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    /// The regions, from the root on.
    pub all: Vec<Region>,
    /// The region of each link; of the universe, none.
    pub of_link: Vec<usize>,
}

/// A link and what follows it.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// The link that comes first.
    pub root: usize,
    /// Whether that one's joint is a free-flyer, whose columns are those of the identity.
    pub is_free_flyer: bool,
    /// How many coordinates are above.
    pub level: usize,
    /// How many panels are above.
    pub panels: usize,
    /// The region above; itself if there is none.
    pub above: usize,
}

impl Regions {
    /// The regions of a tree.
    pub fn new(links: &[Link], tree: &EliminationTree) -> Self {
        let mut all: Vec<Region> = Vec::new();
        let mut of_link = vec![0; links.len()];
        let mut steps = vec![0; links.len()];
        for (i, link) in links.iter().enumerate().skip(1) {
            let k = link.idx_v;
            let panel = (link.columns > 0).then(|| &tree.panels()[tree.panel_of(k)]);
            // Packed rows are written panel by panel, so that none may lie in two regions.
            let begins_panel = panel.is_some_and(|p| p.first == k);
            if link.parent != 0 && (steps[link.parent] < REACH || !begins_panel) {
                of_link[i] = of_link[link.parent];
                steps[i] = steps[link.parent] + 1;
                continue;
            }
            let (level, panels) = panel.map_or((0, 0), |p| (tree.level(k), p.chunk));
            of_link[i] = all.len();
            all.push(Region {
                root: i,
                is_free_flyer: link.is_free_flyer,
                level,
                panels,
                above: match link.parent {
                    0 => all.len(),
                    parent => of_link[parent],
                },
            });
        }
        Self { all, of_link }
    }
}
