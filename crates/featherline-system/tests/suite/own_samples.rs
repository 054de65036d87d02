//! Samples of the simulation fit the equations, so that the estimator solves for every state.

use crate::common::{State, robots, trees};
use featherline::Model;
use featherline::spatial::Force;
use featherline_system::{
    Components, Contact, EstimateError, Estimator, EstimatorOptions, Known, KnownValue, Noise,
    Prior, Problem, Requested, Sensor, SensorFile, SensorKind, SensorSimulation, System,
};

fn system(model: Model, file: &str) -> System {
    let file = SensorFile::read(file, &model).expect("valid sensors");
    let problem = file.problem(model, &[]).expect("a problem");
    System::new(problem).expect("a system")
}

/// A foot's point contact with a plate under it, an acceleration of the base, and a sensor in the
/// leg: of the base's joint force, which is known, doubles leave the rounding of what the
/// accelerations may be.
const FOOT: &str = r#"
known = ["joint-forces", "no-external-forces"]
[[sensor]]
name = "c"
type = "contact"
frame = "front_left_foot"
contact = "point"
[[sensor]]
name = "plate"
type = "external-force"
frame = "front_left_foot"
components = ["my", "fx", "fz", "mz", "fy"]
sigma = 0.1
[[sensor]]
name = "imu"
type = "joint-acceleration"
joint = "root_joint"
sigma = 0.1
[[sensor]]
name = "ft"
type = "force-torque"
frame = "front_left_calf"
sigma = 0.1
"#;

#[test]
fn what_is_known_has_no_deviation_with_twice_the_digits_either() {
    let quadruped = featherline_robots::quadruped();
    let system = system(quadruped, FOOT);
    let root = system.model().joint_id("root_joint").expect("a base");
    let requested = Requested::TransmittedForce(root);
    let mut simulation = SensorSimulation::new(&system, 0).expect("a simulation");
    let mut estimator =
        Estimator::new(system.clone(), &EstimatorOptions::default()).expect("an estimator");
    for _ in 0..20 {
        let sample = simulation.advance().expect("a sample");
        let estimate = estimator.update(&sample.q, &sample.v, &sample.inputs);
        let mut estimate = estimate.expect("an estimate");
        let deviations = requested.deviations(&system, &mut estimate.posterior());
        assert_eq!(deviations.expect("digits enough"), [0.0; 6]);
    }
}

#[test]
fn samples_agree_with_all_that_is_known() {
    let known = "known = [\"joint-accelerations\", \"no-external-forces\", \"free-base\"]";
    for model in robots().filter(|model| model.nq() > model.nv()) {
        let name = model.name().to_owned();
        let system = system(model, known);
        let mut simulation = SensorSimulation::new(&system, 3).expect("a simulation");
        let mut estimator =
            Estimator::new(system.clone(), &EstimatorOptions::default()).expect("an estimator");
        for step in 0..200 {
            let sample = simulation.advance().expect("a sample");
            let estimate = estimator.update(&sample.q, &sample.v, &sample.inputs);
            assert!(estimate.is_ok(), "{name}, {step}: {:?}", estimate.map(drop));
        }
    }
}

/// A force along z alone, turned into the frame of the kernels and back, leaves rounding along x
/// and y, which a slippery contact rules out.
#[test]
fn nothing_that_is_known_twice_is_no_contradiction() {
    let mut met = 0;
    for (model, seed) in trees() {
        for frame in model.frame_ids() {
            let joint = model.frame(frame).joint;
            if joint.index() == 0 {
                continue;
            }
            let mut problem = Problem::new(model.clone())
                .joint_accelerations(KnownValue::Zero)
                .external_forces_except(&[joint], KnownValue::Zero);
            let known = Known::ExternalForce {
                joint,
                frame: None,
                components: Components::ALL,
            };
            problem.know(known, KnownValue::Input).expect("known once");
            let kind = SensorKind::Contact {
                frame,
                contact: Contact::Slippery,
            };
            let contact = Sensor::new("contact", kind, Noise::Exact);
            problem.add_sensor(contact).expect("a contact");
            let system = System::new(problem).expect("a system");
            let state = State::random(&model, seed);
            let seen_from_joint = |force: [f64; 6]| {
                let force = Force::from_array(force);
                model.frame(frame).placement.act_force(&force).to_array()
            };
            let inputs = seen_from_joint([0.0, 0.0, 1.1, -0.4, -0.5, -2.9]);
            let wrong = seen_from_joint([1e-3, 0.0, 1.1, -0.4, -0.5, -2.9]);
            // A prior of the whole force keeps it among the unknowns.
            let force = Prior::new(
                Requested::ExternalForce(joint),
                vec![0.0; 6],
                Noise::Deviation(10.0),
            );
            for priors in [vec![], vec![force]] {
                let options = EstimatorOptions::default().without_prior();
                let estimator = Estimator::with_priors(system.clone(), &options, &priors);
                let mut estimator = estimator.expect("an estimator");
                let estimate = estimator.update(&state.q, &state.v, &inputs);
                assert!(estimate.is_ok(), "{seed}: {:?}", estimate.map(drop));
                let refused = estimator.update(&state.q, &state.v, &wrong).map(drop);
                let Err(EstimateError::Contradiction { row, .. }) = refused else {
                    panic!("{seed}: {refused:?}");
                };
                assert!(row.contains("contact (force along x)"), "{seed}: {row}");
                met += 1;
            }
        }
    }
    assert!(met > 100, "{met}");
}
