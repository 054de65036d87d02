//! Islands: groups of trees that constraints couple, each a problem of its own.

use super::Rows;
use featherline::model::EliminationTree;
use std::ops::Range;

/// An island: where its parts lie in the lists of [`Islands`].
#[derive(Clone, Debug)]
pub(super) struct Island {
    readings: Range<usize>,
    blocks: Range<usize>,
    coordinates: Range<usize>,
}

/// The islands of some rows in any order, in that of their first coordinates.
#[derive(Clone, Debug, Default)]
pub(super) struct Islands {
    /// The tree of each coordinate.
    tree: Vec<usize>,
    trees: usize,
    /// The coordinates tree by tree, and where each tree begins.
    by_tree: Vec<usize>,
    tree_begins: Vec<usize>,
    list: Vec<Island>,
    readings: Vec<usize>,
    blocks: Vec<usize>,
    coordinates: Vec<usize>,
    /// For each tree, a tree of the same island with a smaller number, or itself.
    parent: Vec<usize>,
    /// For each tree that is first in an island, the island's number.
    number: Vec<usize>,
    of_reading: Vec<usize>,
    of_block: Vec<usize>,
    of_coordinate: Vec<usize>,
    begins: Vec<usize>,
}

impl Islands {
    /// Memory for robots with the elimination tree of their mass matrix.
    pub fn new(mass: &EliminationTree) -> Self {
        let mut tree = vec![0; mass.len()];
        let mut trees = 0;
        for k in 0..mass.len() {
            match mass.parents()[k] {
                Some(parent) => tree[k] = tree[parent],
                None => {
                    tree[k] = trees;
                    trees += 1;
                }
            }
        }
        let (mut by_tree, mut tree_begins) = (Vec::new(), Vec::new());
        group(&tree, &mut tree_begins, trees, &mut by_tree);
        Self {
            tree,
            trees: trees.max(1),
            by_tree,
            tree_begins,
            ..Self::default()
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The readings, the blocks and the coordinates of an island, each in ascending order.
    #[inline(always)]
    pub fn parts(&self, island: usize) -> Part<'_> {
        let island = &self.list[island];
        Part {
            readings: &self.readings[island.readings.clone()],
            blocks: &self.blocks[island.blocks.clone()],
            coordinates: &self.coordinates[island.coordinates.clone()],
        }
    }

    /// The first coordinate of an island: what it is known by.
    #[inline(always)]
    pub fn first_coordinate(&self, island: usize) -> usize {
        let coordinates = self.parts(island).coordinates;
        coordinates.first().copied().unwrap_or(0)
    }

    /// The coordinates of the tree that a coordinate belongs to, in ascending order.
    #[inline(always)]
    pub fn coordinates_of_tree(&self, coordinate: usize) -> &[usize] {
        let tree = self.tree[coordinate];
        &self.by_tree[self.tree_begins[tree]..self.tree_begins[tree + 1]]
    }

    /// Finds the islands of some rows: union of the trees that readings couple.
    pub fn find(&mut self, rows: &Rows) {
        if self.trees == 1 {
            self.find_one(rows);
            return;
        }
        self.parent.clear();
        self.parent.extend(0..self.trees);
        for reading in &rows.readings {
            let support = &rows.support[reading.first..reading.end];
            let Some((&first, rest)) = support.split_first() else {
                continue;
            };
            for &k in rest {
                unite(&mut self.parent, self.tree[first], self.tree[k]);
            }
        }
        // Islands with rows, numbered by their first tree, to which rows that read nothing belong.
        const NONE: usize = usize::MAX;
        self.number.clear();
        self.number.resize(self.trees, NONE);
        let first_of = |reading: &super::rows::Reading, parent: &mut [usize]| {
            let support = &rows.support[reading.first..reading.end];
            root(parent, support.first().map_or(0, |&k| self.tree[k]))
        };
        for reading in &rows.readings {
            self.number[first_of(reading, &mut self.parent)] = 0;
        }
        let mut count = 0;
        for number in self.number.iter_mut().filter(|number| **number == 0) {
            *number = count;
            count += 1;
        }
        self.of_reading.clear();
        for reading in &rows.readings {
            let number = self.number[first_of(reading, &mut self.parent)];
            self.of_reading.push(number);
        }
        self.of_block.clear();
        let blocks = rows.blocks.iter();
        let of_block = blocks.map(|block| self.of_reading[block.reading]);
        self.of_block.extend(of_block);
        self.of_coordinate.clear();
        for &tree in &self.tree {
            let number = self.number[root(&mut self.parent, tree)];
            self.of_coordinate.push(number);
        }
        let empty = Island {
            readings: 0..0,
            blocks: 0..0,
            coordinates: 0..0,
        };
        self.list.clear();
        self.list.resize(count, empty);
        let begins = &mut self.begins;
        group(&self.of_reading, begins, count, &mut self.readings);
        set_ranges(&mut self.list, &self.begins, |island| &mut island.readings);
        group(&self.of_block, &mut self.begins, count, &mut self.blocks);
        set_ranges(&mut self.list, &self.begins, |island| &mut island.blocks);
        let begins = &mut self.begins;
        group(&self.of_coordinate, begins, count, &mut self.coordinates);
        set_ranges(&mut self.list, &self.begins, |island| {
            &mut island.coordinates
        });
    }
}

impl Islands {
    /// Those of a single tree: one, if there are rows.
    fn find_one(&mut self, rows: &Rows) {
        self.list.clear();
        if rows.is_empty() {
            return;
        }
        for (list, count) in [
            (&mut self.readings, rows.readings.len()),
            (&mut self.blocks, rows.blocks()),
            (&mut self.coordinates, self.tree.len()),
        ] {
            if list.len() != count {
                list.clear();
                list.extend(0..count);
            }
        }
        self.list.push(Island {
            readings: 0..self.readings.len(),
            blocks: 0..self.blocks.len(),
            coordinates: 0..self.coordinates.len(),
        });
    }
}

/// The readings, blocks and coordinates of an island.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    pub readings: &'a [usize],
    pub blocks: &'a [usize],
    pub coordinates: &'a [usize],
}

fn root(parent: &mut [usize], mut tree: usize) -> usize {
    while parent[tree] != tree {
        parent[tree] = parent[parent[tree]];
        tree = parent[tree];
    }
    tree
}

fn unite(parent: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(parent, a), root(parent, b));
    parent[a.max(b)] = a.min(b);
}

/// The indices of `of` sorted by what they belong to, those of one number in ascending order; where
/// each number begins, and the end. Numbers from `count` on are left out.
fn group(of: &[usize], begins: &mut Vec<usize>, count: usize, sorted: &mut Vec<usize>) {
    begins.clear();
    begins.resize(count + 1, 0);
    for &number in of.iter().filter(|&&number| number < count) {
        begins[number + 1] += 1;
    }
    for number in 0..count {
        begins[number + 1] += begins[number];
    }
    sorted.clear();
    sorted.resize(begins[count], 0);
    for (index, &number) in of.iter().enumerate().filter(|(_, number)| **number < count) {
        sorted[begins[number]] = index;
        begins[number] += 1;
    }
    // Each number begins where the one before it ends.
    begins.rotate_right(1);
    begins[0] = 0;
}

fn set_ranges(
    list: &mut [Island],
    begins: &[usize],
    part: impl Fn(&mut Island) -> &mut Range<usize>,
) {
    for (island, ends) in list.iter_mut().zip(begins.windows(2)) {
        *part(island) = ends[0]..ends[1];
    }
}
