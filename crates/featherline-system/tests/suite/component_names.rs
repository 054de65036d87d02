//! Components that messages name, against the deviations of estimates: both in the joints' output
//! frames.

use crate::common::robots;
use featherline::Model;
use featherline::kernel;
use featherline::model::JointId;
use featherline::spatial::Se3;
use featherline_formats::{LoadOptions, load_str_with};
use featherline_system::{
    Diagnosis, EstimateError, Estimator, EstimatorOptions, Known, KnownValue, Problem, Requested,
    System, Unknown, WrenchBasis,
};

/// The last joint with a coordinate of its own.
fn last(model: &Model) -> JointId {
    let mut joints = model.joint_ids().rev();
    let owner = joints.find(|&joint| {
        let joint = model.joint(joint);
        joint.mimic.is_none() && joint.nv > 0
    });
    owner.expect("a joint that moves")
}

/// Robots on which nothing acts, all of whose accelerations are known but the last.
fn loose(model: &Model) -> Problem {
    let (open, mut problem) = (last(model), Problem::new(model.clone()).with_loops_cut());
    for joint in model.joint_ids() {
        let own = model.joint(joint);
        let degrees = if own.mimic.is_none() && joint != open {
            0..own.nv
        } else {
            0..0
        };
        for degree in degrees {
            let known = Known::JointAcceleration { joint, degree };
            problem.know(known, KnownValue::Zero).expect("its own");
        }
    }
    problem.external_forces(KnownValue::Zero)
}

/// Robots that move as is known, and lean on something with the last body.
fn leaning(model: &Model) -> Problem {
    Problem::new(model.clone())
        .with_loops_cut()
        .joint_accelerations(KnownValue::Zero)
        .external_forces_except(&[last(model)], KnownValue::Zero)
}

/// The components of all six-vectors.
fn components(model: &Model) -> Vec<(Requested, [Unknown; 6])> {
    let numbered = |unknown: &dyn Fn(usize) -> Unknown| std::array::from_fn(unknown);
    let of = |joint: JointId| {
        [
            (
                Requested::Acceleration(joint),
                numbered(&|component| Unknown::Acceleration { joint, component }),
            ),
            (
                Requested::TransmittedForce(joint),
                numbered(&|component| Unknown::Force { joint, component }),
            ),
            (
                Requested::ExternalForce(joint),
                numbered(&|component| Unknown::ExternalForce { joint, component }),
            ),
        ]
    };
    model.joint_ids().flat_map(of).collect()
}

/// Fails unless what is said to be open is what priors alone tell of; returns how many components
/// are.
fn compare(problem: Problem) -> usize {
    let system = System::new(problem).expect("a system");
    let model = system.model();
    let diagnosis = Diagnosis::of(&system).expect("a diagnosis");
    let neutral = &diagnosis.samples[0];
    let words = diagnosis.undetermined_in_words(&system, neutral);
    let estimator = Estimator::new(system.clone(), &EstimatorOptions::default());
    let mut estimator = estimator.expect("sound variances");
    let q = model.neutral_configuration();
    let inputs = vec![0.0; system.input_count()];
    let estimate = estimator.update(&q, &vec![0.0; model.nv()], &inputs);
    let mut estimate = estimate.expect("priors tell the rest");
    let mut open = 0;
    for (requested, components) in components(model) {
        // Each number as a sum of unknowns.
        let mut sums = [(); 6].map(|()| Vec::new());
        let mut x = vec![0.0; system.unknowns().count()];
        for column in requested.columns(&system) {
            x[column] = 1.0;
            let values = requested.values(&system, &x).expect("sizes agree");
            x[column] = 0.0;
            for (sum, value) in sums.iter_mut().zip(values) {
                // Less is rounding of a turn by right angles.
                if value.abs() > 1e-12 {
                    sum.push((column, value));
                }
            }
        }
        for (component, terms) in components.into_iter().zip(sums) {
            let (variance, _) = estimate.posterior().of_sum(&terms).expect("columns");
            let sigma = variance.sqrt();
            let is_named = neutral.undetermined_components.contains(&component);
            let name = component.describe(model);
            // Priors are a thousand times as broad as what gravity brings about, if only to links
            // of grams; what is known has no deviation but of rounding.
            assert_eq!(sigma > 1e-6, is_named, "{}: {name}: {sigma}", model.name());
            assert!(!(1e-9..1e-3).contains(&sigma), "{name}: {sigma}");
            let said = words.iter().any(|word| word.starts_with(&name));
            assert_eq!(said, is_named, "{name}");
            open += usize::from(is_named);
        }
    }
    open
}

#[test]
fn components_are_named_open_where_estimates_know_nothing_of_them() {
    let mut turned = false;
    for model in robots() {
        let (loose, leaning) = (compare(loose(&model)), compare(leaning(&model)));
        assert!(loose > 0 && leaning >= 12, "{}", model.name());
        let joint = last(&model);
        let mut world = self::leaning(&model);
        world
            .choose_basis(joint, WrenchBasis::World)
            .expect("a body");
        compare(world);
        turned |= *kernel::link_frame(&model, joint) != Se3::identity();
    }
    assert!(turned, "frames differ");
}

#[test]
fn what_is_not_determined_is_named_along_the_axes_of_the_joint() {
    let model = featherline_robots::double_pendulum();
    let system =
        System::new(Problem::new(model).external_forces(KnownValue::Zero)).expect("a system");
    let diagnosis = Diagnosis::of(&system).expect("a diagnosis");
    let words = diagnosis.undetermined_in_words(&system, &diagnosis.samples[0]);
    // Both joints turn about y.
    for (word, is_open) in [
        ("a of shoulder, about y", true),
        ("a of shoulder, about z", false),
        ("a of elbow, about y", true),
        ("a of elbow, along y", false),
        ("f of shoulder, along y", false),
    ] {
        assert_eq!(words.iter().any(|own| own == word), is_open, "{word}");
    }
    assert!(
        !words
            .iter()
            .any(|word| word.starts_with("a of") && word.ends_with("about z"))
    );
    // In general position, as the state below is.
    let general = diagnosis.samples.last().expect("a random one");
    let words = diagnosis.undetermined_in_words(&system, general);
    let options = EstimatorOptions::default().without_prior();
    let mut estimator = Estimator::new(system.clone(), &options).expect("sound variances");
    let error = estimator.update(&[0.1, 0.2], &[0.0; 2], &[]).err();
    let Some(EstimateError::Unobservable { unknown, .. }) = error else {
        panic!("{error:?}");
    };
    assert!(words.contains(&unknown), "{unknown} is none of {words:?}");
}

/// Robots that lean on something with a body at which a tilted sensor sits, whose axes the unknown
/// force has.
#[test]
fn a_direction_along_no_axis_is_named_by_its_components() {
    let mut oblique = 0;
    for robot in featherline_robots::ROBOTS {
        let options = LoadOptions::default().floating_base(robot.floating_base);
        let model = featherline_robots::model(robot.name, &options).expect("an embedded robot");
        let name = &model.joint(last(&model)).name;
        let link = robot.urdf.split(&format!("<joint name=\"{name}\"")).nth(1);
        let link = link.and_then(|rest| rest.split("<child link=\"").nth(1));
        let link = link.and_then(|rest| rest.split('"').next());
        let link = link.expect("joints have children");
        let tilted = format!(
            "<link name=\"tilted\"/><joint name=\"tilt\" type=\"fixed\"><parent link=\"{link}\"/><child link=\"tilted\"/>\
             <origin xyz=\"0.01 0.02 0.03\" rpy=\"0.5 -0.4 0.3\"/></joint></robot>"
        );
        let model = load_str_with(&robot.urdf.replace("</robot>", &tilted), &options);
        let model = model.expect("a valid robot").model;
        let joint = last(&model);
        let frame = model.frame_id("tilted").expect("its own");
        let mut problem = leaning(&model);
        let basis = WrenchBasis::Frame(frame);
        problem.choose_basis(joint, basis).expect("its body");
        let system = System::new(problem).expect("a system");
        let options = EstimatorOptions::default().without_prior();
        let mut estimator = Estimator::new(system.clone(), &options).expect("sound variances");
        let q = model.neutral_configuration();
        let inputs = vec![0.0; system.input_count()];
        let error = estimator.update(&q, &vec![0.0; model.nv()], &inputs).err();
        let Some(EstimateError::Unobservable { unknown, column }) = error else {
            panic!("{}: {error:?}", model.name());
        };
        // A unit of the unknown, as it is read in its joint's output frame.
        let (requested, component) = match system.unknowns().at(column) {
            Some(Unknown::ExternalForce { joint, component }) => {
                (Requested::ExternalForce(joint), component)
            }
            Some(Unknown::Force { joint, component }) => {
                (Requested::TransmittedForce(joint), component)
            }
            other => panic!("{unknown}: {other:?}"),
        };
        let mut unit = vec![0.0; system.unknowns().count()];
        unit[column] = 1.0;
        let read = requested.values(&system, &unit).expect("sizes agree");
        let (how, read) = match component {
            0..3 => ("along", &read[..3]),
            _ => ("about", &read[3..]),
        };
        let along = |axis: usize| unknown.ends_with(&format!("{how} {}", ["x", "y", "z"][axis]));
        if let Some(axis) = (0..3).find(|&axis| read[axis].abs() > 1.0 - 1e-12) {
            assert!(along(axis), "{unknown}: {read:?}");
            continue;
        }
        assert!(!(0..3).any(along) && unknown.contains(how), "{unknown}");
        let numbers: Vec<f64> = unknown
            .split(['(', ')', ','])
            .filter_map(|word| word.trim().parse().ok())
            .collect();
        assert_eq!(numbers.len(), 3, "{unknown}");
        for (number, read) in numbers.iter().zip(read) {
            // Three digits.
            assert!((number - read).abs() <= 0.5001e-3, "{unknown}: {read}");
        }
        oblique += 1;
    }
    assert!(oblique > 1, "{oblique}");
}
