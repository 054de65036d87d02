//! The famous algorithms are orders of the system, number for number and block for block.

use crate::articulated::Articulated;
use crate::common::{State, close, robots, trees};
use featherline::dynamics::DynamicsOptions;
use featherline::samples::{RandomTree, random_tree, tapered_chain};
use featherline::{Model, Workspace};
use featherline_system::{
    Elimination, EliminationOrder, Known, KnownValue, Problem, System, Template, order,
};
use nalgebra::DMatrix;

/// Two orders round differently, and badly conditioned trees amplify it.
const TOLERANCE: f64 = 1e-9;

type GeneralOrder = fn(&Template) -> Result<EliminationOrder, order::OrderError>;

/// An elimination of a system in one state.
pub struct Case {
    pub system: System,
    pub elimination: Elimination,
    pub values: Vec<f64>,
    pub right: Vec<f64>,
}

impl Case {
    pub fn new(
        problem: Problem,
        order: fn(&System) -> Result<EliminationOrder, order::OrderError>,
        state: &State,
        inputs: &[f64],
    ) -> Self {
        let system = System::new(problem).expect("a system");
        let template = system.template().expect("square");
        let order = order(&system).expect("the problem is of the algorithm's kind");
        let elimination = Elimination::new(&template, &order).expect("no pivot vanishes");
        let (values, right) = crate::common::assemble(&system, &state.q, &state.v, inputs);
        Self {
            system,
            elimination,
            values,
            right,
        }
    }

    pub fn solve(&self) -> Vec<f64> {
        solve(&self.elimination, &self.values, &self.right)
    }

    /// The matrix as eliminated in this order before the pivot of a row.
    pub fn until(&self, row: usize) -> DMatrix<f64> {
        let pattern = self.system.sparsity();
        let mut matrix = DMatrix::zeros(pattern.rows(), pattern.columns());
        for (entry, value) in pattern.iter().zip(&self.values) {
            matrix[entry] = *value;
        }
        let pivots = self.elimination.order().pivots();
        for (k, &(own, column)) in pivots.iter().enumerate() {
            if own == row {
                break;
            }
            let entries = (0..matrix.ncols()).map(|other| (other, matrix[(own, other)]));
            let entries: Vec<_> = entries.filter(|entry| entry.1 != 0.0).collect();
            for &(other, _) in &pivots[k + 1..] {
                let factor = matrix[(other, column)] / matrix[(own, column)];
                if factor != 0.0 {
                    for &(column, entry) in &entries {
                        matrix[(other, column)] -= factor * entry;
                    }
                }
            }
        }
        matrix
    }
}

/// The unknowns, by one factorisation and one solve.
fn solve(elimination: &Elimination, values: &[f64], right: &[f64]) -> Vec<f64> {
    let mut factors = elimination.factors();
    let mut unknowns = vec![f64::NAN; right.len()];
    factors.factorize(elimination, values).expect("sizes agree");
    factors
        .solve(elimination, right, &mut unknowns)
        .expect("sizes agree");
    unknowns
}

fn models() -> impl Iterator<Item = (Model, u64)> {
    trees().chain(robots().zip(100..))
}

/// Whether forward dynamics has an answer: random trees may be singular.
fn is_regular(model: &Model, state: &State) -> bool {
    let mut ws = Workspace::new(model);
    model.aba(&mut ws, &state.q, &state.v, &state.tau).is_ok()
}

#[test]
fn newton_euler_is_an_order_without_fill_in() {
    for (model, seed) in models() {
        let state = State::random(&model, seed);
        let mut ws = Workspace::new(&model);
        let tau = model
            .rnea(&mut ws, &state.q, &state.v, &state.a)
            .expect("valid")
            .to_vec();
        let case = Case::new(
            Problem::inverse_dynamics(model),
            order::rnea,
            &state,
            &state.a,
        );
        assert_eq!(case.elimination.fill_in(), 0);
        assert!(case.elimination.blocks().all(|block| block.len() == 1));
        let solution = case.solve();
        let solution = case.system.solution(&solution).expect("sizes agree");
        close("τ", solution.joint_forces(), &tau, TOLERANCE);
    }
}

/// Property 1 of Nori 2017: under (11) and (12) nothing stands above the diagonal.
#[test]
fn property_1_the_matrix_of_inverse_dynamics_is_lower_triangular() {
    let chains = (1..9).map(|n| (tapered_chain(n), 0));
    for (model, _) in chains.chain(models()) {
        let system = System::new(Problem::inverse_dynamics(model)).expect("a system");
        let order = order::rnea(&system).expect("inverse dynamics");
        let mut position = vec![0; order.len()];
        for (k, &(_, column)) in order.pivots().iter().enumerate() {
            position[column] = k;
        }
        for (k, &(row, own)) in order.pivots().iter().enumerate() {
            assert!(
                system.sparsity().position(row, own).is_some(),
                "a full diagonal"
            );
            for &column in system.sparsity().row(row) {
                assert!(
                    position[column] <= k,
                    "({row}, {column}) in {}",
                    system.model().name()
                );
            }
        }
    }
}

/// The block triangular form alone finds it, whatever the tree: up to a thousand links.
#[test]
fn block_triangular_form_discovers_newton_euler() {
    for (seed, joints) in [(1, 10), (2, 100), (3, 1000)] {
        let shape = RandomTree {
            joints,
            every_kind: false,
            ..RandomTree::default()
        };
        let model = random_tree(seed, &shape);
        let system = System::new(Problem::inverse_dynamics(model)).expect("a system");
        let template = system.template().expect("square");
        let order = order::markowitz(&template).expect("triangular");
        let elimination = Elimination::new(&template, &order).expect("±1 does not vanish");
        assert_eq!(elimination.fill_in(), 0);
        let explicit = order::rnea(&system).expect("inverse dynamics");
        let explicit = Elimination::new(&template, &explicit).expect("±1 does not vanish");
        let count = |elimination: &Elimination| elimination.operations(&template).expect("sizes");
        assert_eq!(count(&elimination), count(&explicit));
    }
}

#[test]
fn articulated_bodies_are_an_order() {
    for (model, seed) in models() {
        let state = State::random(&model, seed);
        if !is_regular(&model, &state) {
            continue;
        }
        let mut ws = Workspace::new(&model);
        let expected = model
            .aba(&mut ws, &state.q, &state.v, &state.tau)
            .expect("regular")
            .to_vec();
        for order in [order::aba, order::crba] {
            let problem = Problem::forward_dynamics(model.clone());
            let case = Case::new(problem, order, &state, &state.tau);
            let solution = case.solve();
            let solution = case.system.solution(&solution).expect("sizes agree");
            close("q̈", solution.joint_accelerations(), &expected, TOLERANCE);
        }
    }
}

#[test]
fn schur_complements_are_articulated_inertias_and_pivots_their_projections() {
    let mut wholes = 0;
    let chains = (1..7).map(|n| (tapered_chain(n), 7));
    for (model, seed) in chains.chain(trees()) {
        let state = State::random(&model, seed);
        // With mimic joints, coordinates of several bodies end at once: no single body's recursion.
        let has_mimic_joints = model.joints().iter().any(|joint| joint.mimic.is_some());
        if has_mimic_joints || !is_regular(&model, &state) {
            continue;
        }
        let expected = Articulated::new(&model, &state);
        let problem = Problem::forward_dynamics(model);
        let case = Case::new(problem, order::aba, &state, &state.tau);
        let (equations, unknowns) = (case.system.equations(), case.system.unknowns());
        let largest = case.elimination.blocks().max_by_key(|block| block.len());
        let (core_rows, core): (Vec<usize>, Vec<usize>) = largest.into_iter().flatten().unzip();
        for joint in case.system.model().joint_ids() {
            // Where joints allow no motion in some direction, that acceleration is known
            // beforehand, and a force that moves nothing is found afterwards: their parts of Iᴬ are
            // not needed, and left as they are.
            let is_whole = unknowns
                .acceleration(joint)
                .all(|column| core.contains(&column))
                && equations.force(joint).all(|row| core_rows.contains(&row));
            wholes += usize::from(is_whole);
            let inertia = &expected.inertia[joint.index()];
            let before = case.until(equations.force(joint).start);
            let (rows, columns) = (equations.force(joint), unknowns.acceleration(joint));
            let found = before.view((rows.start, columns.start), (6, 6));
            let error = (found - inertia).amax();
            let is_close = error <= TOLERANCE * inertia.amax().max(1.0);
            assert!(!is_whole || is_close, "Iᴬ: {error:e}");

            let coordinates = expected.coordinates[joint.index()].clone();
            if coordinates.is_empty() {
                continue;
            }
            let shift = |start: usize| start + coordinates.start..start + coordinates.end;
            let rows = shift(equations.joint_forces().start);
            let before = case.until(rows.start);
            let columns = shift(unknowns.joint_accelerations().start);
            let size = (rows.len(), columns.len());
            let found = before.view((rows.start, columns.start), size);
            let expected = &expected.projection[joint.index()];
            let error = (found - expected).amax();
            assert!(
                error <= TOLERANCE * expected.amax().max(1.0),
                "SᵀIᴬS: {error:e}"
            );
        }
    }
    assert!(wholes > 40, "bodies were compared: {wholes}");
}

#[test]
fn the_schur_complement_of_composite_bodies_is_the_mass_matrix_and_its_pivots_are_of_ltdl() {
    for (model, seed) in models() {
        let state = State::random(&model, seed);
        if model.nv() == 0 || !is_regular(&model, &state) {
            continue;
        }
        let n = model.nv();
        let mut ws = Workspace::new(&model);
        let upper = model.crba(&mut ws, &state.q).expect("valid");
        let mass = DMatrix::from_fn(n, n, |i, j| upper[(i.min(j), i.max(j))]);
        let case = Case::new(
            Problem::forward_dynamics(model),
            order::crba,
            &state,
            &state.tau,
        );
        let rows = case.system.equations().joint_forces();
        let columns = case.system.unknowns().joint_accelerations();
        let before = case.until(rows.end - 1);
        let found = before.view((rows.start, columns.start), (n, n));
        assert!((found - &mass).amax() <= TOLERANCE * mass.amax().max(1.0));

        // LTDL eliminates from the last coordinate on: its D are the ratios of trailing minors.
        for k in (0..n).rev().step_by(3) {
            let left = case.until(rows.start + k);
            let pivot = left[(rows.start + k, columns.start + k)];
            let behind = mass
                .view((k + 1, k + 1), (n - k - 1, n - k - 1))
                .into_owned();
            let right = mass.view((k + 1, k), (n - k - 1, 1)).into_owned();
            let weight = if behind.is_empty() {
                0.0
            } else {
                let solution = behind.lu().solve(&right).expect("M is definite");
                right.dot(&solution)
            };
            let schur = mass[(k, k)] - weight;
            // Cancellation of M's entries against each other.
            assert!(
                (pivot - schur).abs() <= 1e-8 * mass.amax(),
                "{pivot} for {schur}"
            );
        }
    }
}

#[test]
fn hybrid_dynamics_is_an_order() {
    for (model, seed) in models() {
        let state = State::random(&model, seed);
        let known: Vec<bool> = (0..model.nv())
            .map(|k| (k as u64 + seed).is_multiple_of(2))
            .collect();
        let values: Vec<f64> = (0..model.nv())
            .map(|k| if known[k] { state.a[k] } else { state.tau[k] })
            .collect();
        let mut ws = Workspace::new(&model);
        let options = DynamicsOptions::default().without_passive_forces();
        let Ok(expected) =
            model.hybrid_dynamics(&mut ws, &state.q, &state.v, &values, &known, options)
        else {
            continue;
        };
        let (a, tau) = (expected.accelerations.to_vec(), expected.forces.to_vec());
        let mut problem = Problem::new(model.clone());
        for joint in model.joint_ids() {
            for degree in 0..model.joint(joint).nv {
                let what = match known[model.joint(joint).idx_v + degree] {
                    true => Known::JointAcceleration { joint, degree },
                    false => Known::JointForce { joint, degree },
                };
                problem
                    .know(what, KnownValue::Input)
                    .expect("a degree of freedom");
            }
        }
        let inputs: Vec<f64> = model
            .joint_ids()
            .flat_map(|joint| {
                let joint = model.joint(joint);
                joint.idx_v..joint.idx_v + joint.nv
            })
            .map(|k| values[k])
            .collect();
        let problem = problem.external_forces(KnownValue::Zero);
        for order in [order::aba, order::crba] {
            let case = Case::new(problem.clone(), order, &state, &inputs);
            let solution = case.solve();
            let solution = case.system.solution(&solution).expect("sizes agree");
            close("q̈", solution.joint_accelerations(), &a, TOLERANCE);
            close("τ", solution.joint_forces(), &tau, TOLERANCE);
        }
    }
}

#[test]
fn general_orders_solve_forward_dynamics() {
    for (model, seed) in models().step_by(3) {
        let state = State::random(&model, seed);
        if !is_regular(&model, &state) {
            continue;
        }
        let mut ws = Workspace::new(&model);
        let expected = model
            .aba(&mut ws, &state.q, &state.v, &state.tau)
            .expect("regular")
            .to_vec();
        let orders: [GeneralOrder; 6] = [
            order::markowitz,
            order::colamd,
            order::amd,
            order::minimum_degree,
            order::nested_dissection,
            order::reverse_cuthill_mckee,
        ];
        let system = System::new(Problem::forward_dynamics(model)).expect("a system");
        let template = system.template().expect("square");
        let (values, right) = crate::common::assemble(&system, &state.q, &state.v, &state.tau);
        for order in orders {
            let order = order(&template).expect("regular in random states");
            let elimination = Elimination::new(&template, &order).expect("pivots were tried");
            let unknowns = solve(&elimination, &values, &right);
            let solution = system.solution(&unknowns).expect("sizes agree");
            // Pivots of a hundredth may cost two digits more.
            close(
                "q̈",
                solution.joint_accelerations(),
                &expected,
                100.0 * TOLERANCE,
            );
        }
    }
}
