//! How much arithmetic the algorithms do: closed formulas, not samples.

use featherline::dynamics::ltdl::{factorize_ltdl, factorize_ltl};
use featherline::joint::JointKind;
use featherline::kernel;
use featherline::model::{EliminationTree, JointSpec, ModelBuilder};
use featherline::samples::{RandomTree, random_tree, snake};
use featherline::scalar::{OpCount, Operations};
use featherline::spatial::{Inertia, Mat3, Se3, Sym3, Vec3};
use featherline::{Error, Model, Workspace};
use nalgebra::DMatrix;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn variables(n: usize, seed: u64) -> Vec<OpCount> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..n)
        .map(|_| OpCount::variable(rng.random_range(-1.0..1.0)))
        .collect()
}

/// A positive definite matrix with the pattern of a tree, of which nothing is known beforehand but
/// the zeros.
fn matrix(tree: &EliminationTree) -> DMatrix<OpCount> {
    let n = tree.len();
    let mut h = DMatrix::from_element(n, n, OpCount::default());
    for k in 0..n {
        // Dominant diagonals make it positive definite.
        h[(k, k)] = OpCount::variable(10.0 * n as f64);
        for i in tree.ancestors(k) {
            h[(i, k)] = OpCount::variable(1.0 / (1 + k - i) as f64);
            h[(k, i)] = h[(i, k)];
        }
    }
    h
}

fn operations(additions: u64, multiplications: u64, divisions: u64, roots: u64) -> Operations {
    Operations {
        additions,
        multiplications,
        divisions,
        square_roots: roots,
        ..Operations::default()
    }
}

/// The trees of chains, of random branched robots, and a forest of single coordinates.
fn trees() -> Vec<EliminationTree> {
    let mut trees: Vec<EliminationTree> = [1, 2, 3, 10, 60]
        .map(|n| kernel::elimination_tree(&snake(n)).clone())
        .to_vec();
    for seed in 0..40 {
        let shape = RandomTree {
            joints: 2 + seed as usize,
            branching: (seed % 5) as f64 / 4.0,
            every_kind: seed % 2 == 0,
            mimic_joints: seed % 3 == 0,
            floating: seed % 4 == 0,
        };
        trees.push(kernel::elimination_tree(&random_tree(seed, &shape)).clone());
    }
    trees.push(EliminationTree::new(vec![None; 7]).expect("no parent comes after its child"));
    trees
}

#[test]
fn sparse_factorisations_cost_what_their_formulas_say() -> Result<(), Error> {
    for tree in trees() {
        let n = tree.len();
        let depths: Vec<u64> = (0..n).map(|k| tree.ancestors(k).count() as u64).collect();
        let pairs: u64 = depths.iter().sum();
        let updates: u64 = depths.iter().map(|d| d * (d + 1) / 2).sum();
        let n = n as u64;

        let mut h = tree.pack(&matrix(&tree))?;
        let (_, done) = OpCount::measure(|| factorize_ltl(&tree, &mut h).map(|_| ()));
        assert_eq!(done, operations(updates, pairs + updates, n, n), "LᵀL");

        let mut h = tree.pack(&matrix(&tree))?;
        let (factor, done) = OpCount::measure(|| factorize_ltdl(&tree, &mut h));
        assert_eq!(done, operations(updates, pairs + updates, n, 0), "LᵀDL");
        let factor = factor?;
        let mut b = variables(tree.len(), 1);
        let (_, done) = OpCount::measure(|| factor.solve(&mut b));
        assert_eq!(done, operations(2 * pairs, 2 * pairs + n, 0, 0), "solve");
    }
    Ok(())
}

/// A tree of equal joints, one for each entry of `parents`; all figures are general, so that
/// nothing is known to be zero.
fn tree_of_revolute_joints(parents: &[Option<usize>]) -> Model {
    // Pythagorean quadruples: (2, 3, 6, 7) and permutations of it make a rotation.
    let rotation = Mat3::from_columns(
        Vec3::new(2.0, 3.0, 6.0) * (1.0 / 7.0),
        Vec3::new(3.0, -6.0, 2.0) * (1.0 / 7.0),
        Vec3::new(6.0, 2.0, -3.0) * (1.0 / 7.0),
    );
    let placement = Se3::new(rotation, Vec3::new(0.3, 0.2, 0.5));
    let moments = Sym3::diagonal(Vec3::new(0.04, 0.05, 0.03));
    let inertia = Inertia::new(
        1.5,
        Vec3::new(0.1, 0.15, 0.2),
        moments.conjugated_by(&rotation),
    );
    let mut builder = ModelBuilder::new("tree");
    let mut handles = Vec::new();
    for (i, parent) in parents.iter().enumerate() {
        let parent = parent.map_or(ModelBuilder::UNIVERSE, |p| handles[p]);
        // No axis of this one is an axis of the placement.
        let axis = Vec3::new(2.0, 2.0, 1.0) * (1.0 / 3.0);
        let spec = JointSpec::new(format!("joint_{i}"), parent, JointKind::revolute(axis))
            .placement(placement)
            .armature(0.01);
        let handle = builder.add_joint(spec);
        builder.add_body(handle, format!("body_{i}"), Se3::identity(), inertia);
        handles.push(handle);
    }
    builder.build().expect("the figures are sound").model
}

fn chain(links: usize) -> Model {
    let parents: Vec<_> = (0..links).map(|i| i.checked_sub(1)).collect();
    tree_of_revolute_joints(&parents)
}

fn count(model: &Model, run: impl Fn(&mut Workspace<OpCount>, &[OpCount])) -> Operations {
    let mut ws = Workspace::new(model);
    let q = variables(model.nq(), 2);
    OpCount::measure(|| run(&mut ws, &q)).1
}

fn each_kind(o: &Operations) -> [u64; 6] {
    [
        o.additions,
        o.multiplications,
        o.divisions,
        o.square_roots,
        o.sin_cos,
        o.other,
    ]
}

#[test]
fn the_cost_of_recursions_is_linear() {
    type Cost = fn(&Model) -> Operations;
    let algorithms: [(&str, Cost); 4] = [
        ("forward kinematics", |m| {
            count(m, |ws, q| assert!(m.forward_kinematics(ws, q).is_ok()))
        }),
        ("RNEA", |m| {
            let (v, a) = (variables(m.nv(), 3), variables(m.nv(), 4));
            count(m, |ws, q| assert!(m.rnea(ws, q, &v, &a).is_ok()))
        }),
        ("bias", |m| {
            let v = variables(m.nv(), 3);
            count(m, |ws, q| assert!(m.bias(ws, q, &v).is_ok()))
        }),
        ("ABA", |m| {
            let (v, tau) = (variables(m.nv(), 3), variables(m.nv(), 4));
            count(m, |ws, q| assert!(m.aba(ws, q, &v, &tau).is_ok()))
        }),
    ];
    for (name, cost) in algorithms {
        // The first and the last links of a chain are special: their parent does not move, and they
        // carry nothing.
        let counts: Vec<[u64; 6]> = (4..40).map(|n| each_kind(&cost(&chain(n)))).collect();
        let step: Vec<u64> = (0..6).map(|k| counts[1][k] - counts[0][k]).collect();
        assert!(
            step[0] > 0 && step[1] > 0 && step[4] == 1,
            "{name}: {step:?}"
        );
        for pair in counts.windows(2) {
            for k in 0..6 {
                assert_eq!(pair[1][k] - pair[0][k], step[k], "{name}: not linear");
            }
        }
        println!(
            "{name}: a link of a chain costs {} multiplications, {} additions",
            step[1], step[0]
        );
    }
}

/// Products and sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cost {
    products: u64,
    sums: u64,
}

impl Cost {
    const fn of(products: u64, sums: u64) -> Self {
        Self { products, sums }
    }

    const fn and(self, other: Self) -> Self {
        Self::of(self.products + other.products, self.sums + other.sums)
    }

    const fn less(self, other: Self) -> Self {
        Self::of(self.products - other.products, self.sums - other.sums)
    }

    const fn times(self, n: u64) -> Self {
        Self::of(n * self.products, n * self.sums)
    }
}

/// The cost of the mass matrix of revolute joints, derived by hand from the formulas of the
/// algorithm.
///
/// In link frames each joint turns about z: the placement of a link in its parent is (R, p) with p
/// constant and R = (x, y, z) by columns, of which z, the joint's axis, is constant too. A constant
/// is known when the model is built and costs nothing by itself; its product with a variable costs
/// as any other.
mod by_hand {
    use super::Cost;

    /// R v: three products and two sums a row.
    const ROTATE: Cost = Cost::of(9, 6);
    /// R v + w.
    const ROTATE_AND_ADD: Cost = ROTATE.and(Cost::of(0, 3));
    /// v × w: two products and a difference a row.
    const CROSS: Cost = Cost::of(6, 3);
    /// The sum of two vectors, and the product of one with a number.
    const ADD: Cost = Cost::of(0, 3);
    const SCALE: Cost = Cost::of(3, 0);
    /// The sum of two symmetric matrices.
    const ADD_SYMMETRIC: Cost = Cost::of(0, 6);
    /// The operations saved in R v where v is constant: the products of its third component with z.
    const CONSTANT_VECTOR: Cost = Cost::of(3, 0);
    /// The operations saved in R v where the third component of v is zero: the same products, and
    /// their sums.
    const NOTHING_ALONG_Z: Cost = Cost::of(3, 3);

    /// R from a constant rotation A by the turn about z: x = a cos + b sin, y = b cos − a sin.
    pub const PLACE: Cost = SCALE.times(4).and(ADD.times(2));

    /// R J Rᵀ: the columns of L = R J, and of L Rᵀ the six entries on and above the diagonal, three
    /// products and two sums each.
    const CONJUGATE: Cost = ROTATE.times(3).and(Cost::of(3, 2).times(6));

    /// The operations for the change of the second moment by the distance p. With h' = R h + m p
    /// and w = R h + h', it is −(p wᵀ + w pᵀ)/2 off the diagonal, two products and a sum an entry
    /// (with w/2 at hand; p/2 is constant), and on it the sums of two of the three products p_x
    /// w_x, p_y w_y, p_z w_z.
    const SHIFT: Cost = SCALE
        .and(Cost::of(2, 1).times(3))
        .and(SCALE)
        .and(Cost::of(0, 3));

    /// The inertia of a body in its parent's frame: R h, then h' and w (m p is constant), then R J
    /// Rᵀ and its shift.
    const TRANSFORM: Cost = ROTATE
        .and(ADD)
        .and(ADD)
        .and(CONJUGATE)
        .and(SHIFT)
        .and(ADD_SYMMETRIC);

    /// First and second moment, added to the parent's; masses are constant.
    const COLLECT: Cost = ADD.and(ADD_SYMMETRIC);

    /// A force carried to the next joint up: f' = R f, and R n + p × f'.
    pub const PAIR: Cost = ROTATE.and(CROSS).and(ROTATE_AND_ADD);

    /// The diagonal element: J_zz and the armature.
    const DIAGONAL: Cost = Cost::of(0, 1);

    /// A body on the world that carries none: all of its inertia is constant.
    pub const WORLD_LEAF: Cost = PLACE;
    /// A body on the world that carries others.
    pub const WORLD_INNER: Cost = PLACE.and(DIAGONAL);
    /// A body on another one that carries others, without what its joint's momentum costs.
    const COMPOSITE_INNER: Cost = PLACE.and(TRANSFORM).and(COLLECT).and(DIAGONAL);
    /// A body on another one that carries none: its own h and J are constant.
    const COMPOSITE_LEAF: Cost = PLACE
        .and(TRANSFORM)
        .and(COLLECT)
        .less(CONSTANT_VECTOR) // R h
        .less(CONSTANT_VECTOR.times(3)); // R J

    /// By pairs. The force that a joint begins with, (−h_y, h_x, 0), has nothing along the axis.
    pub const INNER: Cost = COMPOSITE_INNER.less(NOTHING_ALONG_Z);
    /// The moment that it begins with is constant.
    pub const LEAF: Cost = COMPOSITE_LEAF.less(NOTHING_ALONG_Z).less(CONSTANT_VECTOR);

    /// A row of a region's frame, for a joint so many below the region's first one, on the world:
    /// the link is placed in that frame, the axis and the momentum are moved there, and each joint
    /// between is a scalar product. The first joint's axis is z itself: it takes a component.
    pub fn row(depth: u64, carries: bool) -> Cost {
        // R times two columns and z, and R p + p'.
        let composed = ROTATE.times(3).and(ROTATE_AND_ADD);
        let (link, axis) = match depth {
            // Placed in the frame already, with a constant axis.
            1 => (Cost::of(0, 0), Cost::of(0, 0)),
            // The third column of R is constant, and p'.
            2 => {
                let constant = CONSTANT_VECTOR.times(2).and(ADD);
                (composed.less(constant), CROSS)
            }
            _ => (composed, CROSS),
        };
        let momentum = ROTATE.less(NOTHING_ALONG_Z).and(CROSS).and(ROTATE_AND_ADD);
        let products = Cost::of(6, 5).times(depth - 1);
        let (composite, momentum) = match (carries, depth) {
            (true, _) => (COMPOSITE_INNER, momentum),
            // The moment that a leaf begins with is constant, and so is the axis.
            (false, 1) => (COMPOSITE_LEAF, momentum.less(CONSTANT_VECTOR)),
            (false, _) => (COMPOSITE_LEAF, momentum),
        };
        composite.and(link).and(axis).and(momentum).and(products)
    }
}

/// The cost of the mass matrix of a tree by its shape: a sum over bodies and over pairs of a joint
/// and one above it, O(nd) since there are at most nd pairs.
fn cost_by_hand(model: &Model, by_regions: bool) -> Cost {
    let mut cost = Cost::of(0, 0);
    for id in model.joint_ids() {
        let is_carried = model.parent(id).index() != 0;
        let carries = model.children(id).next().is_some();
        let above = model.support(id).count() as u64 - 1;
        if by_regions && above > 0 {
            cost = cost.and(by_hand::row(above, carries));
            continue;
        }
        let body = match (is_carried, carries) {
            (false, false) => by_hand::WORLD_LEAF,
            (false, true) => by_hand::WORLD_INNER,
            (true, false) => by_hand::LEAF,
            (true, true) => by_hand::INNER,
        };
        cost = cost.and(body).and(by_hand::PAIR.times(above));
    }
    cost
}

#[test]
fn the_cost_of_the_mass_matrix_is_that_derived_by_hand() {
    println!(
        "a link of a chain costs {:?}, a pair of joints {:?}",
        by_hand::INNER,
        by_hand::PAIR
    );
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut trees = [0, 0];
    for joints in (1..60_usize).cycle().take(180) {
        let parents: Vec<Option<usize>> = (0..joints)
            .map(|i| match rng.random_range(0..4) {
                0 if i > 0 => Some(rng.random_range(0..i)),
                1 if i % 7 == 0 => None,
                _ => i.checked_sub(1),
            })
            .collect();
        let model = tree_of_revolute_joints(&parents);
        // Paths of five joints on average are long enough for regions, which reach over sixteen.
        let levels: usize = (0..joints)
            .map(|k| kernel::elimination_tree(&model).level(k))
            .sum();
        let by_regions = levels >= 5 * joints;
        if by_regions && kernel::depth(&model) > 17 {
            continue;
        }
        trees[usize::from(by_regions)] += 1;
        let counted = count(&model, |ws, q| assert!(model.crba(ws, q).is_ok()));
        let Cost { products, sums } = cost_by_hand(&model, by_regions);
        let expected = Operations {
            sin_cos: joints as u64,
            ..operations(sums, products, 0, 0)
        };
        assert_eq!(counted, expected, "{parents:?}");
    }
    assert!(trees.iter().all(|&n| n > 20), "{trees:?}");
}
