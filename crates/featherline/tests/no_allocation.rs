//! After the workspace is made, no algorithm allocates.

#[path = "suite/catalogue.rs"]
mod catalogue;
#[path = "suite/common/mod.rs"]
mod common;

use catalogue::{inputs_of, of_last};
use common::{State, models};
use featherline::configuration;
use featherline::dynamics::ltdl::{factorize_ltdl, factorize_ltl};
use featherline::dynamics::{DynamicsOptions, ExternalForce};
use featherline::kernel;
use featherline::kinematics::ReferenceFrame;
use featherline::model::{FrameId, JointId};
use featherline::quantity::{CATALOGUE, Space};
use featherline::spatial::{ArticulatedInertia, Force, Se3, Vec3};
use featherline::{Error, Model, Workspace, samples};
use featherline_constraint::nonsmooth::Rows;
use featherline_constraint::{ConstraintWorkspace, FrameConstraint, FrameConstraintKind};
use featherline_constraint::{LoopError, LoopWorkspace, Stabilisation};
use featherline_constraint::{assemble, assemble_holding, loop_dynamics};
use featherline_constraint::{constrained_dynamics, constrained_dynamics_derivatives};
use featherline_constraint::{constraint_jacobian, kkt_inverse};
use featherline_constraint::{impulse_dynamics, impulse_dynamics_derivatives};
use featherline_constraint::{loop_dynamics_derivatives, loop_gap, loop_gaps};
use featherline_constraint::{project_velocities, project_velocity, push_loops};
use featherline_sim::maximal::maximal_dynamics;
use featherline_sim::maximal::{MaximalError, MaximalState, MaximalWorkspace};
use nalgebra::DMatrix;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::Path;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting what the thread asks for.
struct Counting;

// SAFETY: every call is passed on unchanged to the system's allocator.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    // SAFETY: the contract is the system allocator's, to which the call is passed on.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        BYTES.with(|bytes| bytes.set(bytes.get() + layout.size()));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    // SAFETY: the contract is the system allocator's, to which the call is passed on.
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

fn bytes<T>(work: impl FnOnce() -> T) -> usize {
    let before = BYTES.with(Cell::get);
    drop(std::hint::black_box(work()));
    BYTES.with(Cell::get) - before
}

/// A robot, its state, and the memory that a caller provides.
struct Call<'m> {
    model: &'m Model,
    ws: Workspace<f64>,
    s: State,
    end: Vec<f64>,
    known: Vec<bool>,
    forces: Vec<Force<f64>>,
    transmitted: Vec<Force<f64>>,
    felt: Vec<ArticulatedInertia<f64>>,
    joint: JointId,
    frame: FrameId,
    rng: ChaCha8Rng,
    /// Memory for results: nq, nv entries; 6 × nv, 3 × nv, nv × nv.
    configuration: Vec<f64>,
    tangent: Vec<f64>,
    wide: DMatrix<f64>,
    three: DMatrix<f64>,
    placements: Vec<Se3<f64>>,
    square: DMatrix<f64>,
    packed: Vec<f64>,
    mass: DMatrix<f64>,
    /// nv × 10 n entries.
    regressor: DMatrix<f64>,
}

impl<'m> Call<'m> {
    fn new(model: &'m Model, seed: u64) -> Self {
        let (nq, nv) = (model.nq(), model.nv());
        let mut ws = Workspace::new(model);
        let s = State::random(model, seed);
        let mass = model.crba(&mut ws, &s.q).unwrap().clone();
        Self {
            end: State::random(model, !seed).q,
            known: (0..nv).map(|k| k % 2 == 0).collect(),
            forces: vec![Force::new(Vec3::unit(0), Vec3::unit(1)); model.joints().len()],
            transmitted: vec![Force::zero(); model.joints().len()],
            felt: vec![ArticulatedInertia::zero(); model.joints().len()],
            joint: model.joint_ids().next_back().unwrap(),
            frame: model.frame_ids().next_back().unwrap(),
            rng: ChaCha8Rng::seed_from_u64(seed),
            configuration: vec![0.0; nq],
            tangent: vec![0.0; nv],
            wide: DMatrix::zeros(6, nv),
            three: DMatrix::zeros(3, nv),
            placements: vec![Se3::identity(); model.joints().len()],
            square: DMatrix::zeros(nv, nv),
            regressor: DMatrix::zeros(nv, 10 * model.joint_ids().count()),
            packed: vec![0.0; kernel::elimination_tree(model).packed_len::<f64>()],
            mass,
            model,
            ws,
            s,
        }
    }
}

type Outcome = Result<(), Error>;

/// Calls that belong together.
type Calls = (&'static str, fn(&mut Call<'_>) -> Outcome);

/// Calls that are not in the catalogue, or take more than they have there.
const CALLS: [Calls; 7] = [
    ("configurations", configurations),
    ("tangent maps", tangent_maps),
    ("links in the kernels' frames", links),
    ("factorisation", factorisation),
    ("dynamics with forces", with_forces),
    ("regressors", regressors),
    ("all terms", all_terms),
];

fn configurations(c: &mut Call<'_>) -> Outcome {
    let Call { model, s, end, .. } = c;
    configuration::integrate_into(model, &s.q, &s.v, &mut c.configuration)?;
    configuration::difference_into(model, &s.q, end, &mut c.tangent)?;
    configuration::interpolate_into(model, &s.q, end, 0.3, &mut c.configuration)?;
    model.distance(&s.q, end)?;
    configuration::random_into(model, &mut c.rng, &mut c.configuration)?;
    model.is_normalised(&s.q, 1e-9)?;
    model.normalise(end)
}

fn tangent_maps(c: &mut Call<'_>) -> Outcome {
    let Call { model, s, end, .. } = c;
    configuration::d_integrate_dq(model, &s.v, &mut c.square)?;
    configuration::d_integrate_dv(model, &s.v, &mut c.square)?;
    kernel::displacement_rate(model, &s.v, &s.a, &mut c.tangent)?;
    kernel::displacement_velocity(model, &s.v, &s.a, &mut c.tangent)?;
    configuration::d_difference_dq0(model, &s.q, end, &mut c.square)?;
    configuration::d_difference_dq1(model, &s.q, end, &mut c.square)?;
    c.square.fill(1.0);
    configuration::d_integrate_dq_times(model, &s.v, &mut c.square)?;
    configuration::times_d_integrate_dq(model, &s.v, &mut c.square)?;
    configuration::d_integrate_dv_times(model, &s.v, &mut c.square)?;
    configuration::times_d_integrate_dv(model, &s.v, &mut c.square)?;
    configuration::transport_to_start(model, &s.v, &mut c.square)?;
    configuration::d_difference_dq0_times(model, &s.q, end, &mut c.square)?;
    configuration::times_d_difference_dq0(model, &s.q, end, &mut c.square)?;
    configuration::d_difference_dq1_times(model, &s.q, end, &mut c.square)?;
    configuration::times_d_difference_dq1(model, &s.q, end, &mut c.square)
}

fn links(c: &mut Call<'_>) -> Outcome {
    let (model, State { q, v, .. }) = (c.model, &c.s);
    let links = kernel::link_kinematics(model, &mut c.ws, q, v)?;
    links.placement(c.joint);
    links.motion_subspace(c.joint);
    links.velocity(c.joint);
    links.joint_bias(c.joint);
    kernel::link_frame(model, c.joint);
    kernel::link_placement(model, c.joint);
    kernel::link_parameters(model, c.joint);
    kernel::frame_in_link(model, c.frame);
    assert!(model.target(&model.frame(c.frame).name).is_ok());
    Ok(())
}

fn with_forces(c: &mut Call<'_>) -> Outcome {
    let (model, State { q, v, a, tau }) = (c.model, &c.s);
    let passive = DynamicsOptions::default().with_forces(&c.forces);
    let given = ReferenceFrame::ALL.map(|reference| ExternalForce {
        target: c.frame.into(),
        reference,
        force: c.forces[0],
    });
    let without = passive.without_passive_forces();
    for options in [passive, without, passive.with_frame_forces(&given)] {
        model.inverse_dynamics(&mut c.ws, q, v, a, options)?;
        model.forward_dynamics(&mut c.ws, q, v, tau, options)?;
        model.inverse_dynamics_derivatives(&mut c.ws, q, v, a, options)?;
        model.forward_dynamics_derivatives(&mut c.ws, q, v, tau, options)?;
    }
    model.static_torque(&mut c.ws, q, &c.forces)?;
    model.static_torque_derivative(&mut c.ws, q, &c.forces)?;
    model.transmitted_forces(&mut c.ws, q, v, a, passive, &mut c.transmitted)?;
    model.articulated_inertias(&mut c.ws, q, &mut c.felt)?;
    model.external_forces_into(&mut c.ws, q, &given, &mut c.transmitted)?;
    model.add_external_forces_at(|_| Se3::identity(), &given, &mut c.transmitted)?;
    model.external_forces_derivative_into(&mut c.ws, q, &given, &mut c.square)?;
    model.forward_dynamics_crba(&mut c.ws, q, v, tau)?;
    for options in [passive, passive.with_frame_forces(&given)] {
        model.bias_with_options(&mut c.ws, q, v, options)?;
        model.forward_dynamics_crba_with_options(&mut c.ws, q, v, tau, options)?;
        model.hybrid_dynamics(&mut c.ws, q, v, tau, &c.known, options)?;
        model.hybrid_dynamics_derivatives(&mut c.ws, q, v, tau, &c.known, options)?;
    }
    let view = model.forward_kinematics(&mut c.ws, q)?;
    view.joint_placements_into(&mut c.placements)
}

fn regressors(c: &mut Call<'_>) -> Outcome {
    let (model, State { q, v, a, .. }) = (c.model, &c.s);
    model.joint_torque_regressor_into(&mut c.ws, q, v, a, &mut c.regressor)?;
    model.gravity_torque_regressor_into(&mut c.ws, q, &mut c.regressor)?;
    model.joint_momentum_regressor_into(&mut c.ws, q, v, &mut c.regressor)
}

fn all_terms(c: &mut Call<'_>) -> Outcome {
    let terms = c.model.all_terms(&mut c.ws, &c.s.q, &c.s.v)?;
    terms.mass_matrix();
    terms.mass_matrix_into(&mut c.square)?;
    terms.bias();
    terms.bias_into(&mut c.tangent)?;
    terms.gravity_torque();
    terms.gravity_torque_into(&mut c.tangent)?;
    terms.centroidal_map()?;
    terms.centroidal_map_into(&mut c.wide)?;
    terms.centroidal_momentum()?;
    terms.centroidal_drift()?;
    terms.kinetic_energy();
    terms.potential_energy();
    terms.jacobian_into(c.frame, ReferenceFrame::Local, &mut c.wide)?;
    terms.classical_bias_acceleration(c.frame, ReferenceFrame::Local);
    let centers = terms.centers_of_mass();
    centers.center_of_mass_jacobian_into(&mut c.three)
}

fn factorisation(c: &mut Call<'_>) -> Outcome {
    let (model, x) = (c.model, &mut c.tangent);
    let tree = kernel::elimination_tree(model);
    model.mass_matrix_solve(&mut c.ws, &c.s.q, x)?;
    let factor = model.ltdl(&mut c.ws, &c.s.q)?;
    factor.solve(x)?;
    factor.mul_l(x)?;
    factor.mul_l_transposed(x)?;
    factor.solve_l(x)?;
    factor.solve_l_transposed(x)?;
    factor.inverse(&mut c.square)?;
    factor.solve_rows(x, 1)?;
    factor.l(0, factor.len() - 1);
    factor.pivot(0);
    factor.inverse_pivot(0);
    assert!(!factor.is_empty());
    tree.pack_into(&c.mass, &mut c.packed)?;
    factorize_ltdl(tree, &mut c.packed)?;
    tree.pack_into(&c.mass, &mut c.packed)?;
    let factor = factorize_ltl(tree, &mut c.packed)?;
    factor.mul_l(x)?;
    factor.mul_l_transposed(x)?;
    factor.solve_l(x)?;
    factor.solve_l_transposed(x)?;
    factor.solve(x)?;
    factor.inverse(&mut c.square)
}

fn robots() -> Vec<(Model, u64)> {
    let mut robots = models();
    robots.push((samples::double_pendulum(), 0));
    robots.push((samples::snake(100), 1));
    robots.push((featherline_robots::ur5(), 2));
    robots.push((featherline_robots::panda(), 3));
    robots.push((featherline_robots::hand(), 4));
    robots.push((featherline_robots::quadruped(), 5));
    robots.push((featherline_robots::humanoid(), 6));
    robots
}

#[test]
fn no_algorithm_allocates() {
    assert!(allocations(|| drop(std::hint::black_box(vec![1.0; 3]))) > 0);
    for (model, seed) in robots() {
        let mut call = Call::new(&model, seed);
        for (name, work) in CALLS {
            let mut outcome = Ok(());
            let count = allocations(|| outcome = work(&mut call));
            assert_eq!(outcome, Ok(()), "{name}, {}", model.name());
            assert_eq!(count, 0, "{name}, {}", model.name());
        }
    }
}

/// Their results are first in memory of the library's types.
const THROUGH_OWN_TYPES: [&str; 3] = ["aba_terms", "articulated_inertias", "transmitted_forces"];

#[test]
fn no_quantity_allocates() {
    for (model, seed) in robots() {
        let mut ws = Workspace::new(&model);
        for listed in CATALOGUE {
            let entry = &listed.entry;
            if THROUGH_OWN_TYPES.contains(&entry.name) {
                continue;
            }
            let quantity = of_last(listed, &model);
            let inputs = inputs_of(entry, &model, seed);
            // External forces are gathered in new memory.
            let without_forces = match entry.required() {
                [.., last] if last.space == Space::Forces => continue,
                required => &inputs[..required.len()],
            };
            let inputs: Vec<&[f64]> = without_forces.iter().map(Vec::as_slice).collect();
            let outputs = entry.outputs.iter();
            let mut results: Vec<Vec<f64>> = outputs.map(|it| vec![0.0; it.len(&model)]).collect();
            let mut results: Vec<&mut [f64]> = results.iter_mut().map(|it| &mut it[..]).collect();
            let mut outcome = Ok(());
            let count =
                allocations(|| outcome = quantity.run(&model, &mut ws, &inputs, &mut results));
            assert_eq!(outcome, Ok(()), "{}, {}", entry.name, model.name());
            assert_eq!(count, 0, "{}, {}", entry.name, model.name());
        }
    }
}

#[test]
fn maximal_coordinates_do_not_allocate() {
    let mut seen = 0;
    for (model, seed) in robots() {
        if model.has_mimic_joints() {
            continue;
        }
        let mut c = Call::new(&model, seed);
        let State { q, v, tau, .. } = &c.s;
        let mut state = MaximalState::from_joints(&model, &mut c.ws, q, v).unwrap();
        let mut kkt = MaximalWorkspace::new(&model).unwrap();
        let mut outcome = Ok(());
        let count = allocations(|| {
            outcome = (|| {
                state.set_joints(&model, &mut c.ws, q, v)?;
                maximal_dynamics(&model, &mut kkt, &state, tau, &c.forces)?;
                state.to_joints(&model, &mut c.configuration, &mut c.tangent)?;
                Ok::<_, MaximalError>(())
            })();
        });
        assert_eq!(outcome, Ok(()), "{}", model.name());
        assert_eq!(count, 0, "{}", model.name());
        seen += 1;
    }
    assert!(seen > 30);
}

#[test]
fn loops_do_not_allocate() {
    let mut robots = vec![samples::stewart(), samples::four_bar()];
    for seed in 0..20 {
        robots.push(samples::random_loops(
            seed,
            &samples::RandomTree::default(),
            2,
        ));
    }
    for model in robots {
        let mut q = match model.reference_configurations().get("closed") {
            Some(closed) => closed.clone(),
            None => model.neutral_configuration(),
        };
        let mut v = vec![0.5; model.nv()];
        let tau = vec![1.0; model.nv()];
        let forces = vec![Force::zero(); model.joints().len()];
        let mut ws = LoopWorkspace::new(&model).unwrap();
        let mut velocities = DMatrix::identity(model.nv(), model.nv());
        let mut rows = Rows::new();
        // Rows keep the memory of the first time.
        push_loops(&model, &mut ws, &q, &v, &mut rows).unwrap();
        let mut outcome = Ok(());
        let count = allocations(|| {
            outcome = (|| {
                assemble(&model, &mut ws, &mut q)?;
                project_velocity(&model, &mut ws, &q, &mut v)?;
                assemble_holding(&model, &mut ws, &mut q, &[])?;
                project_velocities(&model, &mut ws, &q, &mut velocities)?;
                rows.clear();
                push_loops(&model, &mut ws, &q, &v, &mut rows)?;
                loop_gap(&model, &mut ws, &q, &v)?;
                loop_gaps(&model, &mut ws, &q)?.for_each(drop);
                let pull = Stabilisation::critical(0.1);
                loop_dynamics(&model, &mut ws, &q, &v, &tau, &forces, &pull)?;
                loop_dynamics_derivatives(&model, &mut ws, &q, &v, &tau, &forces, &pull)?;
                Ok::<_, LoopError>(())
            })();
        });
        assert_eq!(outcome, Ok(()), "{}", model.name());
        assert_eq!(count, 0, "{}", model.name());
        if model.has_mimic_joints() {
            continue;
        }
        let mut tree = Workspace::new(&model);
        let state = MaximalState::from_joints(&model, &mut tree, &q, &v).unwrap();
        let mut kkt = MaximalWorkspace::new(&model).unwrap();
        kkt.stabilise(Stabilisation::critical(0.1));
        let mut solved = false;
        let count = allocations(|| {
            solved = maximal_dynamics(&model, &mut kkt, &state, &tau, &forces).is_ok();
        });
        assert!(solved && count == 0, "{}", model.name());
    }
}

#[test]
fn matrices_take_the_memory_that_is_told_beforehand() {
    for (model, _) in robots() {
        let all = bytes(|| Workspace::<f64>::new(&model));
        let recursive = bytes(|| Workspace::<f64>::recursive(&model));
        let told = Workspace::<f64>::matrix_bytes(&model);
        assert_eq!((all - recursive) as u64, told, "{}", model.name());
    }
}

#[test]
fn held_frames_allocate_nothing() {
    // The four-bar linkage has redundant rows, and a loop joint.
    for model in [samples::humanoid(), samples::four_bar()] {
        let n = model.nv();
        let last = model.joint_ids().last().unwrap();
        let first = model.joint_ids().find(|&id| id != last).unwrap();
        let constraints = [
            (FrameConstraintKind::Frame, last, ReferenceFrame::World),
            (FrameConstraintKind::Point, last, ReferenceFrame::Local),
            (
                FrameConstraintKind::Point,
                first,
                ReferenceFrame::LocalWorldAligned,
            ),
        ]
        .map(|(kind, joint, reference)| {
            let held = FrameConstraint::new(kind, joint, Se3::identity());
            held.expressed_in(reference)
        });
        let mut ws = ConstraintWorkspace::new(&model, &constraints).unwrap();
        let pull = Stabilisation::with_gains(100.0, 20.0);
        let q = model.neutral_configuration();
        let (v, tau) = (vec![0.1; n], vec![1.0; n]);
        let forces = vec![Force::zero(); model.joints().len()];
        let all = ws.rows();
        let few = all - 6;
        let mut matrices = [all, few].map(|m| {
            let jacobian = DMatrix::<f64>::zeros(m, n);
            let projected = DMatrix::<f64>::zeros(n, n);
            let generalised = DMatrix::<f64>::zeros(n, m);
            (
                jacobian,
                projected,
                generalised,
                DMatrix::<f64>::zeros(m, m),
            )
        });
        let mut outcome = Ok(());
        let count = allocations(|| {
            outcome = (|| {
                ws.set_loop_stabilisation(pull);
                ws.set_stabilisation(0, pull)?;
                ws.hold_at(&model, 0, &q)?;
                for (is_active, matrices) in [true, false].into_iter().zip(&mut matrices) {
                    ws.set_active(&model, 0, is_active)?;
                    ws.forget_readings();
                    let (jacobian, projected, generalised, inertia) = matrices;
                    constrained_dynamics(&model, &mut ws, &q, &v, &tau, &forces)?;
                    constrained_dynamics_derivatives(&model, &mut ws, &q, &v, &tau, &forces)?;
                    impulse_dynamics(&model, &mut ws, &q, &v, 0.5)?;
                    impulse_dynamics_derivatives(&model, &mut ws, &q, &v, 0.5)?;
                    constraint_jacobian(&model, &mut ws, &q, jacobian)?;
                    kkt_inverse(&model, &mut ws, &q, projected, generalised, inertia)?;
                }
                Ok::<_, LoopError>(())
            })();
        });
        assert_eq!(outcome, Ok(()), "{}", model.name());
        assert_eq!(count, 0, "{}", model.name());
    }
}

/// Functions that return a new vector, or that are called when a model is made.
const MAY_ALLOCATE: [&str; 12] = [
    "base_parameters",
    "structural_base_parameters",
    "dynamic_parameters",
    "evaluate_joint",
    "external_forces",
    "integrate",
    "difference",
    "interpolate",
    "neutral_configuration",
    "random_configuration",
    "unit_entries",
    "with_contacts",
];

#[test]
fn every_public_algorithm_is_called_above() {
    let (mut found, mut missing) = (0, BTreeSet::new());
    let mut called = |name: &str| {
        found += 1;
        let calls = concat!(
            include_str!("no_allocation.rs"),
            include_str!("../src/quantity/entries.rs")
        );
        let call = |before| calls.contains(&format!("{before}{name}("));
        if !MAY_ALLOCATE.contains(&name) && !['.', ' ', ':'].map(call).contains(&true) {
            missing.insert(name.to_owned());
        }
    };
    // The functions of closed loops and held frames, by what their crate exports.
    let constraints = include_str!("../../featherline-constraint/src/lib.rs");
    for module in ["pub use loops::{", "pub use frames::{"] {
        let exported = constraints.split_once(module).unwrap().1;
        let exported = exported.split_once('}').unwrap().0.split(',');
        for name in exported.map(str::trim) {
            if name.starts_with(|first: char| first.is_ascii_lowercase()) {
                called(name);
            }
        }
    }
    // The methods of the model, and the functions of configurations.
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = [
        "configuration",
        "kinematics",
        "dynamics",
        "derivatives",
        "regressor",
    ]
    .map(|folder| sources.join(folder))
    .to_vec();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let source = std::fs::read_to_string(&path).unwrap();
            let is_public = path
                .components()
                .any(|part| part.as_os_str() == "configuration");
            let mut of_model = false;
            for line in source.lines() {
                of_model = line == "impl Model {" || of_model && line != "}";
                let method = line.strip_prefix("    pub fn ").filter(|_| of_model);
                let function = line.strip_prefix("pub fn ").filter(|_| is_public);
                if let Some(rest) = method.or(function) {
                    called(rest.split(['<', '(']).next().unwrap());
                }
            }
        }
    }
    assert!(
        found > 35,
        "the sources are where they are looked for: {found}"
    );
    assert_eq!(
        missing,
        BTreeSet::new(),
        "call these in this file, or make them pub(crate)"
    );
}

#[test]
fn pivots_that_are_judged_twice_allocate_nothing() {
    // In single precision the pivots of a long chain are within the rounding of all that its joints
    // carry.
    let model = samples::snake(100);
    let mut ws = Workspace::<f32>::new(&model);
    let none = vec![0.0; model.nv()];
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for _ in 0..16 {
        let folded = model.random_configuration(&mut rng);
        let q: Vec<f32> = folded.iter().map(|&x| x as f32).collect();
        let count = allocations(|| {
            assert!(model.aba(&mut ws, &q, &none, &none).is_ok());
            assert!(model.mass_matrix_inverse(&mut ws, &q).is_ok());
        });
        assert_eq!(count, 0);
    }
}
