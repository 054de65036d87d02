//! The articulated-body algorithm as dense matrices, and the matrices of Nori 2017 that make it a
//! triangular one.

use crate::common::{State, close};
use crate::{published, reformulation};
use featherline::kernel;
use featherline::samples::{RandomTree, random_tree, tapered_chain};
use featherline::spatial::{Motion, Se3};
use featherline::{Model, Workspace};
use featherline_system::order::{self, Reformulation};
use featherline_system::{
    EliminationOrder, Factorisation, Problem, SparseMatrix, Sparsity, Symbol, System, Template,
};
use nalgebra::DMatrix;
use std::ops::Range;
use std::sync::Arc;

/// Iᴬ and what belongs to it, from equations 13 of Nori 2017; one entry for each joint, the
/// universe's first.
pub struct Articulated {
    /// X: motion vectors of the parent in coordinates of the body.
    pub carry: Vec<DMatrix<f64>>,
    /// S.
    pub subspace: Vec<DMatrix<f64>>,
    /// Iᴬ.
    pub inertia: Vec<DMatrix<f64>>,
    /// SᵀIᴬS, armature included.
    pub projection: Vec<DMatrix<f64>>,
    /// The joint's coordinates.
    pub coordinates: Vec<Range<usize>>,
}

fn columns(count: usize, column: impl Fn(usize) -> [f64; 6]) -> DMatrix<f64> {
    DMatrix::from_fn(6, count, |row, k| column(k)[row])
}

fn unit(k: usize) -> Motion<f64> {
    Motion::from_array(std::array::from_fn(|other| f64::from(u8::from(other == k))))
}

impl Articulated {
    pub fn new(model: &Model, state: &State) -> Self {
        let mut ws = Workspace::new(model);
        let links =
            kernel::link_kinematics(model, &mut ws, &state.q, &state.v).expect("a valid state");
        let none = DMatrix::zeros(6, 0);
        let mut all = Self {
            carry: vec![none.clone()],
            subspace: vec![none.clone()],
            inertia: vec![DMatrix::zeros(6, 6)],
            projection: vec![none],
            coordinates: vec![Range::default()],
        };
        for joint in model.joint_ids() {
            let placement: &Se3<f64> = links.placement(joint);
            all.carry.push(columns(6, |k| {
                placement.inverse_act_motion(&unit(k)).to_array()
            }));
            let subspace = links.motion_subspace(joint);
            all.subspace
                .push(columns(subspace.len(), |k| subspace[k].to_array()));
            let parameters = kernel::link_parameters(model, joint);
            // With nothing moving, Newton and Euler are left with I a.
            let inertia = |k: usize| {
                let still = Motion::from_array([0.0; 6]);
                parameters.newton_euler(&still, &unit(k)).to_array()
            };
            all.inertia.push(columns(6, inertia));
            all.projection.push(DMatrix::zeros(0, 0));
            let joint = model.joint(joint);
            all.coordinates.push(joint.idx_v..joint.idx_v + joint.nv);
        }
        let armature = kernel::reflected_inertias(model);
        for i in (1..all.inertia.len()).rev() {
            let (x, s, inertia) = (&all.carry[i], &all.subspace[i], &all.inertia[i]);
            let mut projection = s.transpose() * inertia * s;
            for (k, coordinate) in all.coordinates[i].clone().enumerate() {
                projection[(k, k)] += armature[coordinate];
            }
            let parent = model.joints()[i].parent.index();
            if parent != 0 {
                let inverse = projection.clone().try_inverse().expect("regular");
                let shed = inertia * s * inverse * s.transpose() * inertia;
                let carried = x.transpose() * (inertia - shed) * x;
                all.inertia[parent] += carried;
            }
            all.projection[i] = projection;
        }
        all
    }
}

/// A sparse matrix as a dense one.
fn full(matrix: &SparseMatrix<f64>) -> DMatrix<f64> {
    let mut full = DMatrix::zeros(matrix.sparsity().rows(), matrix.sparsity().columns());
    for (row, column, value) in matrix.iter() {
        full[(row, column)] = value;
    }
    full
}

/// Property 2 of Nori 2017: Wᴸ D Wᴿ is lower triangular under the permutations (34) and (35), for
/// the W of appendix B; and forward substitution in it is the articulated-body algorithm.
///
/// In (35) as printed, the knowns of τ and the equations of τ have changed places: its columns put
/// τ first and q̈ last, and the appendix's matrices leave SᵀIᴬS q̈ in the equations of τ. Here the
/// knowns of τ come first.
#[test]
fn property_2_the_articulated_body_algorithm_is_a_triangular_matrix() {
    let chains = (1..8).map(|n| (tapered_chain(n), n as u64));
    let tree = |seed: u64| {
        let shape = RandomTree {
            joints: 2 + seed as usize,
            every_kind: seed.is_multiple_of(2),
            mimic_joints: false,
            floating: seed.is_multiple_of(3),
            branching: 0.7,
        };
        (random_tree(seed, &shape), seed)
    };
    for (model, seed) in chains.chain((0..10).map(tree)) {
        let state = State::random(&model, seed);
        let mut ws = Workspace::new(&model);
        let Ok(expected) = model.aba(&mut ws, &state.q, &state.v, &state.tau) else {
            continue;
        };
        let expected = expected.to_vec();
        let all = Articulated::new(&model, &state);
        let system = System::new(Problem::forward_dynamics(model)).expect("a system");
        let (values, right) = crate::common::assemble(&system, &state.q, &state.v, &state.tau);
        let own = Reformulation::new(&system, &values).expect("forward dynamics");
        let y = own.solve(&right);
        let solution = system.solution(&y).expect("sizes agree");
        // Sums of Iᴬ over badly conditioned trees, in another order.
        close("q̈", solution.joint_accelerations(), &expected, 1e-8);

        let matrix = full(&own.matrix);
        let product = full(&own.left()) * &matrix * full(&own.right);
        let scale = product.amax();
        for (i, &(row, column)) in own.order.pivots().iter().enumerate() {
            assert!(
                product[(row, column)].abs() > 1e-6,
                "a full diagonal at {i}"
            );
            for &(_, later) in &own.order.pivots()[i + 1..] {
                // Sums of at most 6 products of four factors each, rounded.
                let value = product[(row, later)];
                assert!(value.abs() <= 1e-10 * scale, "({i}, {later}): {value:e}");
                assert_eq!(own.triangular.get(row, later), 0.0);
            }
        }
        // D itself is not: that is what the W are for.
        let pivots = own.order.pivots().iter().enumerate();
        let is_lower = pivots.clone().all(|(i, &(row, _))| {
            let mut later = own.order.pivots()[i + 1..].iter();
            later.all(|&(_, column)| matrix[(row, column)] == 0.0)
        });
        assert!(!is_lower);

        // The blocks of W against Iᴬ and SᵀIᴬS of the kinematics.
        for joint in system.model().joint_ids() {
            let (inertia, projection) =
                (&all.inertia[joint.index()], &all.projection[joint.index()]);
            let (f, a) = (
                system.unknowns().force(joint),
                system.unknowns().acceleration(joint),
            );
            let block = full(&own.right)
                .view((f.start, a.start), (6, 6))
                .into_owned();
            assert!((block - inertia).amax() <= 1e-9 * inertia.amax());
            let row =
                system.equations().joint_forces().start + all.coordinates[joint.index()].start;
            let inverse = full(&own.left[1])
                .view((row, row), projection.shape())
                .into_owned();
            let one = inverse * projection;
            let identity = DMatrix::identity(one.nrows(), one.ncols());
            assert!((one - identity).amax() < 1e-8);
        }
    }
}

#[test]
fn the_reformulation_is_one_of_forward_dynamics() {
    let inverse = Problem::inverse_dynamics(tapered_chain(2));
    let system = System::new(inverse).expect("a system");
    let values = vec![1.0; system.sparsity().entries()];
    let refused = Reformulation::new(&system, &values);
    assert!(matches!(
        refused,
        Err(order::OrderError::NotApplicable { .. })
    ));
}

/// The operations of the reformulation on chains, by two ways to count. The numbers were counted
/// outside of this project, from the paper's equations: 550 N − 461 as the published programs
/// count, and 872 N − 1,244 with every product and sum but those by ±1. The first is met exactly.
/// The second leaves open how the right-hand side is counted: the constant is met, and the slope
/// to a hundredth.
#[test]
fn the_reformulation_takes_as_many_operations_as_were_counted() {
    for n in [2_usize, 3, 5, 10] {
        let model = tapered_chain(n);
        let state = State::random(&model, n as u64);
        let system = System::new(Problem::forward_dynamics(model)).expect("a system");
        let template = system.template().expect("square");
        let (values, _) = crate::common::assemble(&system, &state.q, &state.v, &state.tau);
        let own = Reformulation::new(&system, &values).expect("forward dynamics");
        assert_eq!(
            published::of_reformulation(&own, &template),
            550 * n as u64 - 461
        );
        let [products @ .., _, substitution, _] = reformulation::operations(&own, &template);
        let honest = products.iter().sum::<u64>() + substitution;
        let expected = 872.0 * n as f64 - 1244.0;
        assert!(
            (honest as f64 - expected).abs() <= 0.01 * 872.0 * n as f64,
            "{honest}"
        );
    }
}

/// The published programs' count of a dense matrix of 60 rows: 1,770 additions and 3,540
/// multiplications for the factors, which are nnz(A(k+1:, k)) and an element-by-element product
/// for each pivot, 60 · 59 of each; and 2 · 60 + 60 · 59 additions and as many multiplications
/// for the substitutions, nnz of b, of c, of both triangles and of both diagonals.
#[test]
fn the_published_count_of_a_dense_matrix() {
    let n = 60;
    let entries = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let pattern = Sparsity::new(n, n, entries).expect("inside");
    let values = (0..n * n).map(|k| (k as f64).sin()).collect::<Vec<_>>();
    let symbols = vec![Symbol::Variable; n * n];
    let template = Template::new(
        Arc::new(pattern),
        symbols,
        vec![Symbol::Variable; n],
        &[values],
    );
    let order = EliminationOrder::new((0..n).map(|k| (k, k)).collect()).expect("an order");
    let count = published::published(&template.expect("square"), &order);
    assert_eq!(count, 1770 + 3540 + 2 * (2 * 60 + 60 * 59));
}

#[test]
fn the_determinant_of_the_mass_matrix_is_the_product_of_the_projections() {
    let model = tapered_chain(6);
    let state = State::random(&model, 11);
    let all = Articulated::new(&model, &state);
    let mass = {
        let mut ws = Workspace::new(&model);
        let upper = model.crba(&mut ws, &state.q).expect("valid");
        DMatrix::from_fn(6, 6, |i, j| upper[(i.min(j), i.max(j))])
    };
    // The determinant of M is the product of the SᵀIᴬS (Featherstone 2008, section 9.4).
    let product: f64 = all.projection[1..]
        .iter()
        .map(|d| d.determinant())
        .product();
    assert!((product / mass.determinant() - 1.0).abs() < 1e-9);
}

/// P D Q = L U + R; the pivots of q̈ are SᵀIᴬS in the order of the articulated bodies, and in that
/// of the mass matrix M the D of LᵀDL: ratios of its trailing minors.
#[test]
fn factors_are_those_of_the_algorithms() {
    let model = tapered_chain(6);
    let state = State::random(&model, 12);
    let all = Articulated::new(&model, &state);
    let mass = {
        let mut ws = Workspace::new(&model);
        let upper = model.crba(&mut ws, &state.q).expect("valid");
        DMatrix::from_fn(6, 6, |i, j| upper[(i.min(j), i.max(j))])
    };
    let minor = |k: usize| mass.view((k, k), (6 - k, 6 - k)).determinant();
    let system = System::new(Problem::forward_dynamics(model)).expect("a system");
    let (values, right) = crate::common::assemble(&system, &state.q, &state.v, &state.tau);
    let template = system.template().expect("square");
    let (matrix, _) = crate::common::dense(&system, &state.q, &state.v, &state.tau);
    for (order, is_aba) in [(order::aba(&system), true), (order::crba(&system), false)] {
        let found = Factorisation::new(&template, &order.expect("a tree"), &values, &right);
        let found = found.expect("regular");
        let n = found.y.len();
        let full = |entries: &[(usize, usize, f64)]| {
            let mut full = DMatrix::zeros(n, n);
            for &(row, column, value) in entries {
                full[(row, column)] = value;
            }
            full
        };
        let factors = &found.factors;
        let product = full(&factors.lower) * full(&factors.upper) + full(&factors.coupling);
        let at = &factors.pivots;
        let permuted = DMatrix::from_fn(n, n, |i, j| matrix[(at[i].0, at[j].1)]);
        assert!((product - permuted).amax() < 1e-10);
        let accelerations = system.unknowns().joint_accelerations();
        for (&(_, column), pivot) in at.iter().zip(found.pivots()) {
            let Some(k) = accelerations.clone().position(|own| own == column) else {
                continue;
            };
            // For a chain both are the same numbers, found in two ways.
            let expected = match is_aba {
                true => all.projection[k + 1][(0, 0)],
                false => minor(k) / if k == 5 { 1.0 } else { minor(k + 1) },
            };
            assert!(
                (pivot / expected - 1.0).abs() < 1e-7,
                "{k}: {pivot} for {expected}"
            );
        }
    }
}
