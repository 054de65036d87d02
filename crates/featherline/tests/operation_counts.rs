//! How much arithmetic the algorithms do: closed formulas, not samples.

use featherline::dynamics::ltdl::{factorize_ltdl, factorize_ltl};
use featherline::joint::JointKind;
use featherline::model::{EliminationTree, JointSpec, ModelBuilder};
use featherline::samples::{RandomTree, random_tree, snake};
use featherline::scalar::{OpCount, Operations};
use featherline::spatial::{Inertia, Mat3, Se3, Sym3, Vec3};
use featherline::{Error, Model, Workspace};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn variables(n: usize, seed: u64) -> Vec<OpCount> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..n)
        .map(|_| OpCount::variable(rng.random_range(-1.0..1.0)))
        .collect()
}

/// A positive definite matrix with the pattern of a tree, of which nothing is known beforehand but the zeros.
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
        .map(|n| snake(n).elimination_tree().clone())
        .to_vec();
    for seed in 0..40 {
        let shape = RandomTree {
            joints: 2 + seed as usize,
            branching: (seed % 5) as f64 / 4.0,
            every_kind: seed % 2 == 0,
            followers: seed % 3 == 0,
            floating: seed % 4 == 0,
        };
        trees.push(random_tree(seed, &shape).elimination_tree().clone());
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

/// A tree of equal joints, one for each entry of `parents`; all figures are general, so that nothing is known to be zero.
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
        // The first and the last links of a chain are special: their parent does not move, and they carry nothing.
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

/// What the cost of the mass matrix of a tree depends on: how many bodies hang on the world and carry none, hang on the
/// world and carry others, hang on a body and carry none, hang on a body and carry others; and how many pairs there are of
/// a joint and one above it.
fn shape(model: &Model) -> [f64; 5] {
    let mut shape = [0.0; 5];
    for id in model.joint_ids() {
        let is_carried = model.parent(id).index() != 0;
        let carries = model.children(id).next().is_some();
        shape[2 * usize::from(is_carried) + usize::from(carries)] += 1.0;
        shape[4] += model.support(id).count() as f64 - 1.0;
    }
    shape
}

/// Five trees determine what a body of each place and a pair of joints on one path cost. The cost of all other trees
/// follows: O(nd), since there are at most nd pairs.
#[test]
fn the_cost_of_the_mass_matrix_is_a_sum_over_bodies_and_pairs() {
    let cost = |m: &Model| each_kind(&count(m, |ws, q| assert!(m.crba(ws, q).is_ok())));
    let fork = tree_of_revolute_joints(&[None, Some(0), Some(0)]);
    let known = [chain(1), chain(2), chain(3), chain(4), fork];
    let shapes = DMatrix::from_fn(5, 5, |row, column| shape(&known[row])[column]);
    let lu = shapes.lu();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut unit_costs = Vec::new();
    for kind in 0..6 {
        let counts = DVector::from_iterator(5, known.iter().map(|m| cost(m)[kind] as f64));
        // The shapes of the five trees are linearly independent.
        unit_costs.push(lu.solve(&counts).expect("an invertible matrix"));
    }
    let (additions, multiplications) = (unit_costs[0][4].round(), unit_costs[1][4].round());
    println!("a pair of joints costs {multiplications} multiplications, {additions} additions");
    // A pair is one transformation of a force, R f and p × R f + R n: 9 + 6 + 9 products, 6 + 3 + 9 sums.
    assert_eq!((multiplications, additions), (24.0, 18.0));
    for joints in 1..60_usize {
        let parents: Vec<Option<usize>> = (0..joints)
            .map(|i| match rng.random_range(0..4) {
                0 if i > 0 => Some(rng.random_range(0..i)),
                1 if i % 7 == 0 => None,
                _ => i.checked_sub(1),
            })
            .collect();
        let model = tree_of_revolute_joints(&parents);
        let shape = DVector::from_row_slice(&shape(&model));
        for (unit_cost, counted) in unit_costs.iter().zip(cost(&model)) {
            // Both are small whole numbers, up to the rounding of the solution above.
            assert_eq!(unit_cost.dot(&shape).round(), counted as f64, "{parents:?}");
        }
    }
}
