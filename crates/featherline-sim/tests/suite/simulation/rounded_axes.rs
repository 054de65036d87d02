//! Linkages whose axes are parallel, or meet, to as many digits as a file has.

use featherline::model::{JointHandle, JointId, JointSpec, ModelBuilder};
use featherline::samples;
use featherline::spatial::{Se3, Vec3, exp3};
use featherline::{Model, Workspace};
use featherline_constraint::{
    LoopError, LoopWorkspace, Stabilisation, assemble, loop_dynamics, loop_gap,
};
use featherline_sim::integrator::{DormandPrince, ImplicitMidpoint, RungeKutta4, Tolerance};
use featherline_sim::maximal::{MaximalState, MaximalWorkspace, maximal_dynamics};
use featherline_sim::simulation::{Conservation, Method, Simulation, SimulationWarning, Simulator};

/// The excess of 1.5708 over π/2: five digits of an angle.
const SHORT: f64 = 3.673e-6;

/// The same linkage, every joint turned by an angle about an axis of its own.
fn tilted(model: &Model, angle: f64) -> Model {
    let mut turns = 0.0;
    let mut tilt = |placement: &Se3<f64>| {
        turns += 1.0;
        let axis = Vec3::new(
            f64::cos(turns),
            f64::sin(1.7 * turns),
            f64::cos(2.3 * turns),
        );
        let turn = exp3(axis * (angle / axis.norm()));
        Se3::new(placement.rotation * turn, placement.translation)
    };
    let mut builder = ModelBuilder::new(model.name());
    builder.gravity(model.gravity());
    let mut handles: Vec<JointHandle> = vec![ModelBuilder::UNIVERSE];
    for joint in model.joints().iter().skip(1) {
        let parent = handles[joint.parent.index()];
        let spec = JointSpec::new(joint.name.clone(), parent, joint.kind.clone())
            .placement(tilt(&joint.placement));
        let handle = builder.add_joint(spec);
        builder.add_body(handle, joint.name.clone(), Se3::identity(), joint.inertia);
        handles.push(handle);
    }
    for closing in model.loop_joints() {
        let mut end =
            |body: JointId, placement: &Se3<f64>| (handles[body.index()], tilt(placement));
        builder.close_loop(
            closing.name.clone(),
            closing.kind.clone(),
            end(closing.predecessor, &closing.predecessor_placement),
            end(closing.successor, &closing.successor_placement),
        );
    }
    builder.build().unwrap().model
}

fn methods(model: &Model) -> Vec<Method<'_>> {
    let tolerance = Tolerance::of(1e-8);
    let planar = ["four_bar", "parallelogram", "six_bar"].contains(&model.name());
    let mut methods = vec![
        Method::steps(RungeKutta4::new(model), 1e-3).unwrap(),
        Method::steps(ImplicitMidpoint::new(model), 1e-3).unwrap(),
        Method::tolerance(DormandPrince::new(model, tolerance).unwrap()),
    ];
    // In space bodies keep all constraints.
    methods.extend(planar.then(|| Method::maximal_variational(1e-3).unwrap()));
    methods
}

/// A linkage put in motion by a push on every coordinate, where it is drawn.
fn moving<'m>(model: &'m Model, q: &[f64], method: Method<'m>) -> Simulation<'m> {
    let mut simulation = Simulator::new(model, method)
        .start_assembled(0.0, q, &vec![1.0; model.nv()])
        .unwrap();
    let mut conservation = Conservation::new(model);
    // The parallelogram is flat, and singular, at 0.43 s.
    simulation.run(0.4, 0.01, &mut conservation).unwrap();
    // The implicit midpoint rule's own error on the swiftest of them is 3e-3.
    assert!(conservation.peak_energy_error() < 1e-2, "{}", model.name());
    simulation
}

#[test]
fn linkages_of_axes_with_few_digits_move_as_those_with_all() {
    for exact in [
        samples::four_bar(),
        samples::parallelogram(),
        samples::six_bar(),
        samples::bennett(),
        samples::stewart(),
        samples::delta(),
    ] {
        let name = exact.name();
        let references = exact.reference_configurations();
        let q = references.get("closed").cloned();
        let q = q.unwrap_or_else(|| exact.neutral_configuration());
        let rough = tilted(&exact, SHORT);
        for (own, other) in methods(&exact).into_iter().zip(methods(&rough)) {
            let (own, other) = (moving(&exact, &q, own), moving(&rough, &q, other));
            let apart = exact.difference(own.configuration(), other.configuration());
            for x in apart.unwrap() {
                // Motions of some rad grow apart by some ten times the angles.
                assert!(x.abs() < 100.0 * SHORT, "{name}: {x:e}");
            }
            assert!(own.warnings().is_empty(), "{name}: {:?}", own.warnings());
            for warning in other.warnings() {
                let SimulationWarning::RoundedAxes { gap, .. } = warning else {
                    panic!("{name}: {warning}")
                };
                assert!((1e-6..10.0 * SHORT).contains(gap), "{name}: {gap:e}");
            }
        }
    }
}

#[test]
fn what_stays_open_is_said_and_is_no_closed_configuration() {
    let model = tilted(&samples::four_bar(), SHORT);
    let mut q = model.neutral_configuration();
    q[0] = 0.4;
    let mut ws = LoopWorkspace::new(&model).unwrap();
    let error = assemble(&model, &mut ws, &mut q).err();
    let Some(LoopError::AssemblyFailed { gap, .. }) = error else {
        panic!("{error:?}")
    };
    assert!((1e-7..10.0 * SHORT).contains(&gap), "{gap:e}");
    for method in methods(&model) {
        let simulation = moving(&model, &q, method);
        let warning = simulation.warnings().first().map(ToString::to_string);
        let told = warning.unwrap_or_default();
        assert!(told.contains("are rounded"), "{told}");
        // The gap is open along redundant constraints only, and is no error of the dynamics.
        let (q, still, none) = (simulation.configuration(), [0.0; 3], Stabilisation::NONE);
        let mut ws = LoopWorkspace::new(&model).unwrap();
        assert!(loop_gap(&model, &mut ws, q, &still).unwrap().position > 1e-6);
        let found = loop_dynamics(&model, &mut ws, q, &still, &still, &[], &none);
        assert_eq!(found.map(|_| ()), Ok(()));
        let mut tree = Workspace::new(&model);
        let state = MaximalState::from_joints(&model, &mut tree, q, &still).unwrap();
        let mut bodies = MaximalWorkspace::new(&model).unwrap();
        let found = maximal_dynamics(&model, &mut bodies, &state, &still, &[]);
        assert_eq!(found.map(|_| ()), Ok(()));
    }
}
