//! Every algorithm on every embedded robot, in double precision, one state after the other.
//!
//! `cargo bench --bench algorithms -- rnea` runs those whose name contains `rnea`.

use divan::{AllocProfiler, Bencher, black_box};
use featherline::configuration;
use featherline::dynamics::DynamicsOptions;
use featherline::kinematics::ReferenceFrame;
use featherline::regressor::BODY_PARAMETERS;
use featherline::spatial::Force;
use featherline::{Error, Model, Workspace};
use featherline_bench::robots;
use featherline_bench::states::{self, State};
use nalgebra::DMatrix;

/// Shows what an algorithm allocates: only making a workspace does.
#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

const ROBOTS: &[&str] = &[
    "double_pendulum",
    "ur5",
    "panda",
    "hand",
    "quadruped",
    "humanoid",
    "snake",
];

/// Enough that no branch predictor learns them by heart, few enough that they stay in the first
/// cache.
const STATES: usize = 32;

fn main() {
    divan::main();
}

/// The buffers that the algorithms write to beside the workspace.
struct Buffers {
    tangent: Vec<f64>,
    configuration: Vec<f64>,
    jacobian: DMatrix<f64>,
    known: Vec<bool>,
    forces: Vec<Force<f64>>,
    hessian: Vec<f64>,
    point: DMatrix<f64>,
    square: DMatrix<f64>,
    regressor: DMatrix<f64>,
}

impl Buffers {
    fn new(model: &Model) -> Self {
        Self {
            tangent: vec![0.0; model.nv()],
            configuration: vec![0.0; model.nq()],
            jacobian: DMatrix::zeros(6, model.nv()),
            // Every other acceleration is known, as in hybrid dynamics with half of the joints
            // under control.
            known: (0..model.nv()).map(|k| k % 2 == 0).collect(),
            forces: (0..model.joints().len())
                .map(|i| Force::from_array([1.0, -2.0, 3.0, 0.5, 0.1, i as f64]))
                .collect(),
            hessian: vec![0.0; 6 * model.nv() * model.nv()],
            point: DMatrix::zeros(3, model.nv()),
            square: DMatrix::zeros(model.nv(), model.nv()),
            regressor: DMatrix::zeros(model.nv(), BODY_PARAMETERS * model.joint_ids().count()),
        }
    }
}

/// Times an algorithm at one state after the other.
fn measure(
    bencher: Bencher<'_, '_>,
    robot: &str,
    mut run: impl FnMut(&Model, &mut Workspace<f64>, &State, &mut Buffers) -> Result<(), Error>,
) {
    // The benches name robots that are embedded.
    let model = robots::embedded(robot).expect("an embedded robot");
    let states = states::draw(&model, STATES, 7);
    let (mut workspace, mut buffers) = (Workspace::new(&model), Buffers::new(&model));
    for state in &states {
        let done = run(&model, &mut workspace, state, &mut buffers);
        assert!(done.is_ok(), "{robot}: {done:?}");
    }
    let mut next = 0;
    bencher.bench_local(|| {
        let state = &states[next];
        next = (next + 1) % STATES;
        run(black_box(&model), &mut workspace, state, &mut buffers)
    });
}

/// Makes a bench of each: a name, the arguments, and a result that is not used further.
macro_rules! benches {
    ($($name:ident: |$model:ident, $workspace:ident, $state:ident, $buffers:ident| $run:expr;)*) => {$(
        #[divan::bench(args = ROBOTS, min_time = 0.1)]
        fn $name(bencher: Bencher<'_, '_>, robot: &str) {
            measure(bencher, robot, |$model, $workspace, $state, $buffers| {
                black_box($run?);
                let _ = (&$workspace, &$state, &$buffers);
                Ok(())
            });
        }
    )*};
}

benches! {
    forward_kinematics: |m, ws, s, b| m.forward_kinematics(ws, &s.q);
    forward_kinematics_velocities: |m, ws, s, b| m.forward_kinematics_velocities(ws, &s.q, &s.v);
    forward_kinematics_accelerations: |m, ws, s, b| m.forward_kinematics_accelerations(ws, &s.q, &s.v, &s.a);
    joint_jacobians: |m, ws, s, b| m.joint_jacobians(ws, &s.q);
    // Of the last frame, after the pass that it needs.
    frame_jacobian: |m, ws, s, b| {
        let positions = m.forward_kinematics(ws, &s.q)?;
        match m.frame_ids().next_back() {
            Some(frame) => positions.jacobian_into(frame, ReferenceFrame::Local, &mut b.jacobian),
            None => Ok(()),
        }
    };
    frame_jacobian_rate: |m, ws, s, b| {
        let velocities = m.forward_kinematics_velocities(ws, &s.q, &s.v)?;
        match m.frame_ids().next_back() {
            Some(frame) => velocities.jacobian_rate_into(frame, ReferenceFrame::Local, &mut b.jacobian),
            None => Ok(()),
        }
    };
    frame_hessian: |m, ws, s, b| match m.frame_ids().next_back() {
        Some(frame) => m.hessian_into(ws, &s.q, frame, ReferenceFrame::Local, &mut b.hessian),
        None => Ok(()),
    };
    center_of_mass_jacobian: |m, ws, s, b| {
        m.centers_of_mass(ws, &s.q)?.center_of_mass_jacobian_into(&mut b.point)
    };
    centers_of_mass: |m, ws, s, b| m.centers_of_mass(ws, &s.q).and_then(|c| c.center_of_mass());
    rnea: |m, ws, s, b| m.rnea(ws, &s.q, &s.v, &s.a);
    rnea_with_forces: |m, ws, s, b| m.inverse_dynamics(ws, &s.q, &s.v, &s.a, DynamicsOptions::default().without_passive_forces().with_forces(&b.forces));
    bias: |m, ws, s, b| m.bias(ws, &s.q, &s.v);
    crba: |m, ws, s, b| m.crba(ws, &s.q);
    // Mass matrix, factorisation and solution.
    ltdl: |m, ws, s, b| {
        b.tangent.copy_from_slice(&s.tau);
        m.mass_matrix_solve(ws, &s.q, &mut b.tangent)
    };
    forward_dynamics_crba: |m, ws, s, b| m.forward_dynamics_crba(ws, &s.q, &s.v, &s.tau);
    aba: |m, ws, s, b| m.aba(ws, &s.q, &s.v, &s.tau);
    aba_with_forces: |m, ws, s, b| m.forward_dynamics(ws, &s.q, &s.v, &s.tau, DynamicsOptions::default().without_passive_forces().with_forces(&b.forces));
    hybrid_dynamics: |m, ws, s, b| m.hybrid_dynamics(ws, &s.q, &s.v, &s.tau, &b.known, DynamicsOptions::default().without_passive_forces());
    mass_matrix_inverse: |m, ws, s, b| m.mass_matrix_inverse(ws, &s.q);
    coriolis_matrix: |m, ws, s, b| m.coriolis_matrix(ws, &s.q, &s.v);
    gravity_torque: |m, ws, s, b| m.gravity_torque(ws, &s.q);
    static_torque: |m, ws, s, b| m.static_torque(ws, &s.q, &b.forces);
    passive_forces: |m, ws, s, b| m.passive_forces(ws, &s.q, &s.v);
    inverse_dynamics: |m, ws, s, b| m.inverse_dynamics(ws, &s.q, &s.v, &s.a, DynamicsOptions::default());
    forward_dynamics: |m, ws, s, b| m.forward_dynamics(ws, &s.q, &s.v, &s.tau, DynamicsOptions::default());
    kinetic_energy: |m, ws, s, b| m.kinetic_energy(ws, &s.q, &s.v);
    potential_energy: |m, ws, s, b| m.potential_energy(ws, &s.q);
    mechanical_energy: |m, ws, s, b| m.mechanical_energy(ws, &s.q, &s.v);
    centroidal_momentum_rate: |m, ws, s, b| m.centroidal_momentum_rate(ws, &s.q, &s.v, &s.a);
    centroidal_momentum: |m, ws, s, b| m.centroidal_momentum(ws, &s.q, &s.v);
    centroidal_map: |m, ws, s, b| m.centroidal_map(ws, &s.q);
    centroidal_map_rate: |m, ws, s, b| m.centroidal_map_rate(ws, &s.q, &s.v);
    all_terms: |m, ws, s, b| m.all_terms(ws, &s.q, &s.v);
    rnea_derivatives: |m, ws, s, b| m.rnea_derivatives(ws, &s.q, &s.v, &s.a);
    aba_derivatives: |m, ws, s, b| m.aba_derivatives(ws, &s.q, &s.v, &s.tau);
    inverse_dynamics_derivatives: |m, ws, s, b| m.inverse_dynamics_derivatives(ws, &s.q, &s.v, &s.a, DynamicsOptions::default());
    forward_dynamics_derivatives: |m, ws, s, b| m.forward_dynamics_derivatives(ws, &s.q, &s.v, &s.tau, DynamicsOptions::default());
    hybrid_dynamics_derivatives: |m, ws, s, b| m.hybrid_dynamics_derivatives(ws, &s.q, &s.v, &s.tau, &b.known, DynamicsOptions::default().without_passive_forces());
    gravity_torque_derivative: |m, ws, s, b| m.gravity_torque_derivative(ws, &s.q);
    static_torque_derivative: |m, ws, s, b| m.static_torque_derivative(ws, &s.q, &b.forces);
    passive_forces_derivatives: |m, ws, s, b| m.passive_forces_derivatives(ws, &s.q);
    kinematics_derivatives: |m, ws, s, b| m.kinematics_derivatives(ws, &s.q, &s.v, &s.a);
    centroidal_derivatives: |m, ws, s, b| m.centroidal_derivatives(ws, &s.q, &s.v, &s.a);
    kinetic_energy_derivatives: |m, ws, s, b| m.kinetic_energy_derivatives(ws, &s.q, &s.v);
    joint_torque_regressor: |m, ws, s, b| {
        m.joint_torque_regressor_into(ws, &s.q, &s.v, &s.a, &mut b.regressor)
    };
    integrate: |m, ws, s, b| configuration::integrate_into(m, &s.q, &s.v, &mut b.configuration);
    difference: |m, ws, s, b| {
        configuration::integrate_into(m, &s.q, &s.v, &mut b.configuration)?;
        configuration::difference_into(m, &s.q, &b.configuration, &mut b.tangent)
    };
    interpolate: |m, ws, s, b| configuration::interpolate_into(m, &s.q, &s.q, 0.5, &mut b.configuration);
    distance: |m, ws, s, b| m.distance(&s.q, &s.q);
    normalise: |m, ws, s, b| {
        b.configuration.copy_from_slice(&s.q);
        m.normalise(&mut b.configuration)
    };
    d_integrate_dq: |m, ws, s, b| configuration::d_integrate_dq(m, &s.v, &mut b.square);
    d_integrate_dv: |m, ws, s, b| configuration::d_integrate_dv(m, &s.v, &mut b.square);
    d_difference_dq0: |m, ws, s, b| configuration::d_difference_dq0(m, &s.q, &s.q, &mut b.square);
    d_difference_dq1: |m, ws, s, b| configuration::d_difference_dq1(m, &s.q, &s.q, &mut b.square);
}

/// Shows how much memory a workspace takes.
#[divan::bench(args = ROBOTS)]
fn workspace(bencher: Bencher<'_, '_>, robot: &str) {
    // The benches name robots that are embedded.
    let model = robots::embedded(robot).expect("an embedded robot");
    bencher.bench_local(|| Workspace::<f64>::new(black_box(&model)));
}
