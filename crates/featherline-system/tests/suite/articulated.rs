//! The articulated-body algorithm as dense matrices, and the matrices of Nori 2017 that make it a
//! triangular one.

use crate::common::State;
use featherline::kernel;
use featherline::samples::{RandomTree, random_tree, tapered_chain};
use featherline::spatial::{Motion, Se3};
use featherline::{Model, Workspace};
use featherline_system::{Problem, System};
use nalgebra::DMatrix;
use std::ops::Range;

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

/// Property 2 of Nori 2017: Wᴸ D Wᴿ is lower triangular under the permutations (34) and (35), for
/// the W of appendix B.
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
        if model.aba(&mut ws, &state.q, &state.v, &state.tau).is_err() {
            continue;
        }
        let all = Articulated::new(&model, &state);
        let system = System::new(Problem::forward_dynamics(model)).expect("a system");
        let (matrix, _) = crate::common::dense(&system, &state.q, &state.v, &state.tau);
        let (rows, columns) = permutations(&system);
        let n = rows.len();
        let (left, right) = weights(&system, &all);
        let product = left * &matrix * right;
        let scale = product.amax();
        for i in 0..n {
            for j in 0..n {
                let value = product[(rows[i], columns[j])];
                // Sums of at most 6 products of four factors each, rounded.
                assert!(
                    j <= i || value.abs() <= 1e-10 * scale,
                    "({i}, {j}): {value:e}"
                );
            }
            assert!(
                product[(rows[i], columns[i])].abs() > 1e-6,
                "a full diagonal at {i}"
            );
        }
        // D itself is not: that is what the W are for.
        let above = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
        let is_lower = above
            .clone()
            .all(|(i, j)| matrix[(rows[i], columns[j])] == 0.0);
        assert!(!is_lower);
    }
}

/// (35) and (34).
fn permutations(system: &System) -> (Vec<usize>, Vec<usize>) {
    let (equations, unknowns, model) = (system.equations(), system.unknowns(), system.model());
    let (mut rows, mut columns) = (Vec::new(), Vec::new());
    // The knowns first, each with the unknown that it fixes.
    for row in equations.dynamics().end..equations.count() {
        rows.push(row);
        columns.extend(system.sparsity().row(row));
    }
    for joint in model.joint_ids().rev() {
        rows.extend(equations.force(joint));
        columns.extend(unknowns.force(joint));
    }
    for joint in model.joint_ids() {
        rows.extend(equations.motion(joint));
        columns.extend(unknowns.acceleration(joint));
    }
    rows.extend(equations.joint_forces());
    columns.extend(unknowns.joint_accelerations());
    (rows, columns)
}

/// Wᴸ = W⁴W³W²W¹ and Wᴿ of equations 29 to 33.
fn weights(system: &System, all: &Articulated) -> (DMatrix<f64>, DMatrix<f64>) {
    let (equations, unknowns, model) = (system.equations(), system.unknowns(), system.model());
    let n = equations.count();
    let identity = DMatrix::<f64>::identity(n, n);
    let [mut first, mut second, mut third, mut fourth, mut right] =
        [(); 5].map(|()| identity.clone());
    for joint in model.joint_ids() {
        let i = joint.index();
        let (inertia, s) = (&all.inertia[i], &all.subspace[i]);
        let start = equations.joint_forces().start + all.coordinates[i].start;
        let motion = equations.motion(joint).start;
        let put = |w: &mut DMatrix<f64>, row, column, block: &DMatrix<f64>| {
            w.view_mut((row, column), block.shape()).copy_from(block);
        };
        put(
            &mut right,
            unknowns.force(joint).start,
            unknowns.acceleration(joint).start,
            inertia,
        );
        put(&mut first, start, motion, &(s.transpose() * inertia));
        let inverse = all.projection[i].clone().try_inverse().expect("regular");
        put(&mut second, start, start, &inverse);
        put(&mut third, motion, start, &(-s));
        let parent = model.joint(joint).parent;
        if parent.index() != 0 {
            let carried = all.carry[i].transpose() * inertia;
            put(&mut fourth, equations.force(parent).start, motion, &carried);
        }
    }
    (fourth * third * second * first, right)
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
