//! The embedded robots are what they say.

use featherline::samples;
use featherline_formats::{LoadOptions, MimicJoints};
use featherline_robots as robots;

#[test]
fn every_robot_of_the_folder_is_embedded_and_known_by_its_name() {
    let entries = std::fs::read_dir(env!("CARGO_MANIFEST_DIR")).expect("the crate's own folder");
    let mut files: Vec<String> = entries
        .map(|entry| entry.expect("a file of this crate").path())
        .filter(|path| path.extension().is_some_and(|e| e == "urdf"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let embedded: Vec<_> = robots::ROBOTS
        .iter()
        .map(|robot| robot.name.to_owned())
        .collect();
    assert_eq!(embedded, files);
    for robot in robots::ROBOTS {
        assert_eq!(robots::by_name(robot.name), Some(robot.urdf));
        let model = robots::model(robot.name, &LoadOptions::default()).unwrap();
        assert_eq!(model.name(), robot.name);
    }
}

#[test]
fn every_function_gives_the_robot_of_its_table_row() {
    // Joints and masses as the table in README.md states them; a floating base adds six degrees of
    // freedom.
    let rows = [
        (robots::double_pendulum(), 2, 7.0),
        (robots::hand(), 17, 0.427),
        (robots::humanoid(), 32 + 6, 73.0),
        (robots::panda(), 7, 16.692),
        (robots::quadruped(), 12 + 6, 12.776),
        (robots::ur5(), 6, 18.4),
        (robots::snake(), 100, 20.0),
    ];
    for (model, nv, mass) in rows {
        assert_eq!(model.nv(), nv, "{}", model.name());
        let moving = model.total_mass();
        // The table counts the base too, which is fixed in the world for the arms, the hand and the
        // pendulum.
        assert!(moving <= mass + 5e-4, "{}: {moving} kg", model.name());
        if model.joints()[1].name == "root_joint" || model.name().starts_with("snake") {
            assert!(
                (moving - mass).abs() <= 5e-4,
                "{}: {moving} kg",
                model.name()
            );
        }
    }
}

#[test]
fn the_double_pendulum_is_the_sample_with_limits() {
    let (own, sample) = (robots::double_pendulum(), samples::double_pendulum());
    assert_eq!(own.joints().len(), sample.joints().len());
    for (own, sample) in own.joints().iter().zip(sample.joints()) {
        assert_eq!((&own.name, &own.kind), (&sample.name, &sample.kind));
        assert_eq!(own.placement, sample.placement);
        assert_eq!(own.drive, sample.drive);
    }
    for (own, sample) in own.joints()[1..].iter().zip(&sample.joints()[1..]) {
        assert_eq!(own.inertia, sample.inertia);
    }
}

#[test]
fn robots_with_a_home_begin_there_within_their_limits() {
    for robot in robots::ROBOTS {
        for floating in [false, true] {
            let options = LoadOptions::default().floating_base(floating);
            let loaded = robots::load(robot.name, &options).unwrap();
            assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
            let home = loaded.start().map(|it| it.name.as_str());
            assert_eq!(home, robot.srdf.map(|_| "home"), "{}", robot.name);
            let model = &loaded.model;
            let neutral = model.neutral_configuration();
            let q = home.map_or(neutral, |it| model.reference_configurations()[it].clone());
            for joint in &model.joints()[1..] {
                let limits = joint.limits.lower.iter().zip(&joint.limits.upper);
                for (q, (lower, upper)) in q[joint.idx_q..].iter().zip(limits) {
                    assert!((*lower..=*upper).contains(q), "{}: {q}", joint.name);
                }
            }
        }
    }
    let names = robots::ROBOTS.iter().filter(|it| it.srdf.is_some());
    let names: Vec<_> = names.map(|it| it.name).collect();
    assert_eq!(names, ["humanoid", "panda", "quadruped"]);
}

#[test]
fn chains_have_as_many_links_as_their_name_says() {
    for (name, links) in [
        ("tapered_chain", 10),
        ("tapered_chain_30", 30),
        ("snake_7", 7),
    ] {
        let chain = robots::model(name, &LoadOptions::default()).unwrap();
        assert_eq!(chain.nv(), links, "{name}");
        assert!(robots::is_embedded(name));
    }
    for name in [
        "snake_0",
        "snake_1001",
        "snake_-1",
        "tapered_chain_",
        "snake_x",
    ] {
        let error = robots::model(name, &LoadOptions::default()).unwrap_err();
        assert!(error.to_string().contains("did you mean"), "{error}");
        assert!(!robots::is_embedded(name));
    }
}

#[test]
fn options_change_the_model() {
    let free = LoadOptions::default().mimic(MimicJoints::Free);
    assert_eq!(robots::model("hand", &free).unwrap().nv(), 21);
    let floating = LoadOptions::default().floating_base(true);
    let fixed = robots::snake();
    let snake = robots::model("snake", &floating).unwrap();
    assert_eq!(snake.nv(), 106);
    assert!((snake.total_mass() - fixed.total_mass()).abs() < 1e-12);
    for joint in &fixed.joints()[1..] {
        let same = snake
            .joints()
            .iter()
            .find(|other| other.name == joint.name)
            .unwrap();
        assert_eq!((&same.kind, same.placement), (&joint.kind, joint.placement));
        assert_eq!(same.inertia, joint.inertia, "{}", joint.name);
    }
}

#[test]
fn the_humanoid_with_hands_floats_by_itself() {
    let humanoid = robots::model("humanoid_40", &LoadOptions::default()).unwrap();
    assert_eq!((humanoid.name(), humanoid.nv()), ("humanoid_40", 6 + 40));
    // A base that floats already gets no second joint.
    let floating = LoadOptions::default().floating_base(true);
    let floating = robots::model("humanoid_40", &floating).unwrap();
    assert_eq!(floating.content_hash(), humanoid.content_hash());
}

#[test]
fn linkages_are_known_by_their_names_and_stay_in_the_world() {
    for (name, nv, loops) in [
        ("four_bar", 3, 1),
        ("parallelogram", 3, 1),
        ("six_bar", 5, 2),
        ("bennett", 3, 1),
        ("delta", 6 + 3 + 2 * 6, 6),
        ("stewart", 6 + 6 * 3, 6),
    ] {
        assert!(robots::names().any(|known| known == name));
        let model = robots::model(name, &LoadOptions::default()).unwrap();
        assert_eq!(model.name(), name);
        assert_eq!(
            (model.nv(), model.loop_joints().len()),
            (nv, loops),
            "{name}"
        );
        assert_eq!(robots::by_name(name), None);
        let floating = LoadOptions::default().floating_base(true);
        let error = robots::model(name, &floating).unwrap_err().to_string();
        assert!(error.contains("through the world"), "{error}");
    }
}

#[test]
fn an_unknown_robot_is_an_error_that_helps() {
    let error = robots::model("pandas", &LoadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("did you mean `panda`"), "{error}");
    assert!(
        error.contains("quadruped") && error.contains("snake"),
        "{error}"
    );
    assert_eq!(robots::by_name("snake"), None);
}
