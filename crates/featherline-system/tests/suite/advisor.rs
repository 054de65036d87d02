//! Advice: additions that make a problem solvable, and no smaller ones.

use featherline::{Model, samples};
use featherline_system::{
    Addition, Advice, Contact, Diagnosis, KnownSet, KnownValue, Noise, Problem, Sensor, SensorFile,
    SensorKind, System,
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
        set[0].add_to(&mut helped).expect("something new");
        let helped = System::new(helped).expect("a system");
        assert!(
            Diagnosis::of(&helped).expect("a diagnosis").is_solvable(),
            "{:?}",
            set[0]
        );
    }
    let name = |addition: &Addition| addition.name(system.model());
    let names: Vec<String> = advice.additions.iter().map(|set| name(&set[0])).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
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
        .filter(|candidate| !names.contains(&name(candidate).as_str()))
    {
        let mut tried = problem.clone();
        candidate.add_to(&mut tried).expect("something new");
        let tried = System::new(tried).expect("a system");
        assert!(
            !Diagnosis::of(&tried).expect("a diagnosis").is_solvable(),
            "{candidate:?}"
        );
    }
}

#[test]
fn a_lone_load_cell_at_the_hand_is_advised_by_name() {
    let panda = featherline_robots::panda();
    let with = |contacts: &str| {
        let text = format!(
            "known = [\"joint-accelerations\", \"no-external-forces\"]\n[[sensor]]\nname = \"tip\"\n\
             type = \"load-cells\"\nframe = \"panda_link8\"\npositions = [[0.01, 0.0]]\nsigma = 0.5\n{contacts}"
        );
        let file = SensorFile::read(&text, &panda).expect("a lone cell is a sensor");
        System::new(file.problem(panda.clone(), &[]).expect("valid")).expect("a system")
    };
    let advised = |system: &System| -> Vec<String> {
        let advice = Advice::from_catalogue(system, &Advice::catalogue(system)).expect("advice");
        let name = |one: &Addition| one.name(system.model());
        let sets = advice.additions.iter();
        let named = |set: &Vec<Addition>| set.iter().map(name).collect::<Vec<_>>().join(" + ");
        sets.map(named).collect()
    };
    // Five components are open: whoever gives all of them does.
    let lone = advised(&with(""));
    assert!(lone.contains(&"six-axis external force at panda_link8".to_owned()));
    assert!(lone.contains(&"force-torque sensor in the joint above panda_link8".to_owned()));
    // Where no force rubs, two moments are, which more cells tell as well as a point of contact.
    let slippery = advised(&with(
        "[[sensor]]\nname = \"floor\"\ntype = \"contact\"\nframe = \"panda_link8\"\ncontact = \"frictionless\"",
    ));
    for name in [
        "2 more load cells beside tip, off one line, at panda_link8",
        "point contact at panda_link8",
    ] {
        assert!(slippery.contains(&name.to_owned()), "{slippery:?}");
    }
}

/// The catalogue without words for all joints.
fn of_single_joints(system: &System) -> Vec<Addition> {
    let mut catalogue = Advice::catalogue(system);
    catalogue.retain(|one| one.name(system.model()).contains(':'));
    catalogue
}

#[test]
fn unknown_joints_need_one_measurement_each() {
    let problem = Problem::new(samples::double_pendulum()).external_forces(KnownValue::Zero);
    let system = System::new(problem).expect("a system");
    let catalogue = of_single_joints(&system);
    let advice = Advice::from_catalogue(&system, &catalogue).expect("advice");
    assert_eq!(advice.open, 2);
    assert!(advice.smallest);
    // Force or acceleration of each joint, or both of one: any two but those that leave the other
    // joint alone are enough, for the joints are coupled.
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
    let advice = Advice::from_catalogue(&open, &[Addition::Sensor(gyroscope)]).expect("advice");
    assert!(advice.open > 0 && advice.additions.is_empty());
}

#[test]
fn large_sets_are_found_greedily_and_hold_nothing_needless() {
    let mut problem = Problem::new(featherline_robots::hand());
    KnownSet::NoExternalForces
        .add_to(&mut problem)
        .expect("valid");
    let system = System::new(problem.clone()).expect("a system");
    let catalogue = of_single_joints(&system);
    let advice = Advice::from_catalogue(&system, &catalogue).expect("advice");
    // Of two candidates for each of 17 joints there are far too many sets to try.
    assert_eq!((advice.open, advice.additions.len()), (17, 1));
    assert!(!advice.smallest);
    assert_eq!(advice.additions[0].len(), 17);
    for addition in &advice.additions[0] {
        addition.add_to(&mut problem).expect("something new");
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
    assert!(catalogue.len() > 20);
    for addition in catalogue {
        // One at a time: words may say the same.
        let added = addition.add_to(&mut problem.clone());
        assert!(added.is_ok(), "{addition:?}: {added:?}");
    }
}

/// The first sets of additions to what some words say, by their names.
fn advised(model: &Model, words: &[&str]) -> Vec<String> {
    let mut problem = Problem::new(model.clone());
    for word in words {
        let word = KnownSet::parse(word, model).expect("a word");
        word.add_to(&mut problem).expect("known once");
    }
    let system = System::new(problem).expect("a system");
    let catalogue = Advice::catalogue(&system);
    let advice = Advice::from_catalogue(&system, &catalogue).expect("advice");
    assert!(advice.smallest);
    let name = |set: &Vec<Addition>| -> Vec<String> {
        set.iter().map(|addition| addition.name(model)).collect()
    };
    let names = advice.additions.iter().map(|set| name(set).join(" and "));
    names.collect()
}

#[test]
fn a_word_that_was_forgotten_is_named_first() {
    let panda = featherline_robots::panda();
    for (words, first, among) in [
        (
            &["joint-forces"][..],
            "no-external-forces",
            "external-forces",
        ),
        (
            &["joint-accelerations"],
            "no-external-forces",
            "external-forces",
        ),
        (&["no-external-forces"], "tau", "qdd"),
        (&[], "no-external-forces and tau", "external-forces and qdd"),
    ] {
        let advice = advised(&panda, words);
        assert_eq!(advice[0], first, "{words:?}");
        assert!(advice.iter().any(|set| set == among), "{advice:?}");
    }
    // Whatever is known already, and all that it says, is not advised again.
    let advice = advised(&panda, &["no-external-forces", "joint-force:panda_joint1"]);
    assert!(advice.iter().all(|set| !set.contains("tau")), "{advice:?}");

    let quadruped = featherline_robots::quadruped();
    let joints: Vec<String> = quadruped.joints()[2..]
        .iter()
        .map(|joint| format!("joint-force:{}", joint.name))
        .collect();
    let mut words: Vec<&str> = joints.iter().map(String::as_str).collect();
    words.push("no-external-forces");
    let advice = advised(&quadruped, &words);
    for word in ["free-base", "qdd:root_joint"] {
        assert!(advice.iter().any(|set| set == word), "{word}: {advice:?}");
    }
}

#[test]
fn words_are_advised_where_too_much_is_open_for_ranks() {
    // Six components of each of 100 external forces.
    let snake = samples::snake(100);
    let advice = advised(&snake, &["joint-forces"]);
    assert_eq!(advice, ["no-external-forces", "external-forces"]);
}
