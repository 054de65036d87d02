//! Advice: additions that make a problem solvable, and no smaller ones.

use featherline::samples;
use featherline_system::{
    Advice, Contact, Diagnosis, Given, KnownSet, Noise, Problem, Sensor, SensorFile, SensorKind,
    System,
};

const FEET: &str = include_str!("../../../../robots/humanoid-feet.toml");

#[test]
fn one_more_sensor_at_a_foot_makes_load_cells_enough() {
    let humanoid = featherline_robots::humanoid();
    let feet = SensorFile::read(FEET, &humanoid).expect("a valid file");
    let problem = feet.problem(humanoid, &[]).expect("valid");
    let system = System::new(problem.clone()).expect("a system");
    let catalogue = Advice::catalogue(&system);
    let advice = Advice::from_catalogue(&system, &catalogue).expect("advice");
    assert_eq!(advice.open, 3);
    assert!(advice.smallest);
    // The diagnosis knows nothing of how the advice was found.
    for set in &advice.additions {
        assert_eq!(set.len(), 1);
        let mut helped = problem.clone();
        helped.add_sensor(set[0].clone()).expect("a new sensor");
        let helped = System::new(helped).expect("a system");
        assert!(
            Diagnosis::of(&helped).expect("a diagnosis").is_solvable(),
            "{}",
            set[0].name
        );
    }
    let names: Vec<&str> = advice
        .additions
        .iter()
        .map(|set| set[0].name.as_str())
        .collect();
    // Either foot's whole wrench gives the other's, and so does a foot that is known not to rub.
    for name in [
        "six-axis external force at left_sole",
        "frictionless contact at right_sole",
    ] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
    assert!(!names.contains(&"slippery contact at left_sole"));
    // And those that are not named do not suffice.
    for candidate in catalogue
        .iter()
        .filter(|candidate| !names.contains(&candidate.name.as_str()))
    {
        let mut tried = problem.clone();
        tried.add_sensor(candidate.clone()).expect("a new sensor");
        let tried = System::new(tried).expect("a system");
        assert!(
            !Diagnosis::of(&tried).expect("a diagnosis").is_solvable(),
            "{}",
            candidate.name
        );
    }
}

#[test]
fn unknown_joints_need_one_measurement_each() {
    let problem = Problem::new(samples::double_pendulum()).external_forces(Given::Zero);
    let system = System::new(problem).expect("a system");
    let catalogue = Advice::catalogue(&system);
    let advice = Advice::from_catalogue(&system, &catalogue).expect("advice");
    assert_eq!(advice.open, 2);
    assert!(advice.smallest);
    // Force or acceleration of each joint, or both of one: any two but those that leave the other joint alone are enough, for
    // the joints are coupled.
    assert_eq!(
        advice.additions.iter().map(Vec::len).collect::<Vec<_>>(),
        vec![2; advice.additions.len()]
    );
    assert_eq!(advice.additions.len(), 6);
}

#[test]
fn what_is_determined_needs_nothing_and_what_nothing_helps_gets_nothing() {
    let solved =
        System::new(Problem::inverse_dynamics(samples::double_pendulum())).expect("a system");
    let advice = Advice::from_catalogue(&solved, &Advice::catalogue(&solved)).expect("advice");
    assert_eq!((advice.open, advice.additions.len()), (0, 0));

    let open = System::new(Problem::new(samples::double_pendulum())).expect("a system");
    let frame = open.model().frame_id("lower_rod").expect("there is one");
    let gyroscope = Sensor::new(
        "gyro",
        SensorKind::Gyroscope { frame },
        Noise::Deviation(1.0),
    );
    let advice = Advice::from_catalogue(&open, &[gyroscope]).expect("advice");
    assert!(advice.open > 0 && advice.additions.is_empty());
}

#[test]
fn large_sets_are_found_greedily_and_hold_nothing_needless() {
    let mut problem = Problem::new(featherline_robots::hand());
    KnownSet::NoExternalForces
        .add_to(&mut problem)
        .expect("valid");
    let system = System::new(problem.clone()).expect("a system");
    let catalogue = Advice::catalogue(&system);
    let advice = Advice::from_catalogue(&system, &catalogue).expect("advice");
    // Of two candidates for each of 17 joints there are far too many sets to try.
    assert_eq!((advice.open, advice.additions.len()), (17, 1));
    assert!(!advice.smallest);
    assert_eq!(advice.additions[0].len(), 17);
    for sensor in &advice.additions[0] {
        problem.add_sensor(sensor.clone()).expect("a new sensor");
    }
    let helped = System::new(problem).expect("a system");
    assert!(Diagnosis::of(&helped).expect("a diagnosis").is_solvable());
}

#[test]
fn whatever_the_catalogue_offers_can_be_added() {
    let panda = featherline_robots::panda();
    // A contact may be in a fixed joint that is part of a body; a force sensor may not.
    let frame = panda.frame_id("panda_joint8").expect("a fixed joint");
    let contact = SensorKind::Contact {
        frame,
        contact: Contact::Point,
    };
    let mut problem = Problem::new(panda);
    let contact = Sensor::new("hand", contact, Noise::Exact);
    problem.add_sensor(contact).expect("a contact");
    let system = System::new(problem.clone()).expect("a system");
    let catalogue = Advice::catalogue(&system);
    assert!(!catalogue.is_empty());
    for sensor in catalogue {
        let name = sensor.name.clone();
        let added = problem.add_sensor(sensor);
        assert!(added.is_ok(), "{name}: {added:?}");
    }
}
