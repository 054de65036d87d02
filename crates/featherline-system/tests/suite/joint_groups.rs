//! `joints` of sensor files, and bodies whose external force is left unknown.

use crate::common::{State, close};
use featherline::samples::double_pendulum;
use featherline::spatial::{Force, Vec3};
use featherline::{Model, Workspace};
use featherline_system::{
    Diagnosis, Estimator, EstimatorOptions, KnownSet, Noise, Requested, SensorFile,
    SensorFileFault, SensorKind, System, SystemError,
};

fn read(text: &str, model: &Model) -> SensorFile {
    SensorFile::read(text, model).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn fault(text: &str, model: &Model) -> (usize, usize, SensorFileFault) {
    let error = SensorFile::read(text, model).expect_err(text);
    (error.line, error.column, error.fault)
}

/// Sensors of one type in some joints, one table each.
fn one_by_one(kind: &str, joints: &[&str]) -> String {
    let table = |joint: &&str| {
        format!(
            "[[sensor]]\nname = \"s.{joint}\"\ntype = \"{kind}\"\njoint = \"{joint}\"\nsigma = 0.1\n"
        )
    };
    joints.iter().map(table).collect()
}

#[test]
fn joints_all_equals_a_table_for_each_joint() {
    let panda = featherline_robots::panda();
    let names = [1, 2, 3, 4, 5, 6, 7].map(|k| format!("panda_joint{k}"));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for kind in ["joint-acceleration", "joint-force"] {
        let text =
            format!("[[sensor]]\nname = \"s\"\ntype = \"{kind}\"\njoints = \"all\"\nsigma = 0.1\n");
        assert_eq!(read(&text, &panda), read(&one_by_one(kind, &names), &panda));
        let text = text.replace("\"all\"", "[\"panda_joint7\", \"panda_joint2\"]");
        let chosen = one_by_one(kind, &["panda_joint7", "panda_joint2"]);
        assert_eq!(read(&text, &panda), read(&chosen, &panda));
    }
    let linkage = featherline::samples::four_bar();
    let name = linkage.loop_joints()[0].name.clone();
    let text = "[[sensor]]\nname = \"s\"\ntype = \"loop-force\"\njoints = \"all\"\nsigma = 0.1\n";
    assert_eq!(
        read(text, &linkage),
        read(&one_by_one("loop-force", &[&name]), &linkage)
    );
}

#[test]
fn joints_all_leaves_a_free_base_and_mimic_joints_out() {
    let text = "[[sensor]]\nname = \"s\"\ntype = \"joint-force\"\njoints = \"all\"\nsigma = 0.1\n";
    let humanoid = featherline_robots::humanoid();
    let readings = |model: &Model| -> usize {
        let file = read(text, model);
        file.sensors
            .iter()
            .map(|sensor| sensor.kind.readings(model))
            .sum()
    };
    assert_eq!(readings(&humanoid), humanoid.nv() - 6);
    let shape = featherline::samples::RandomTree {
        joints: 9,
        branching: 0.5,
        every_kind: true,
        mimic_joints: true,
        floating: false,
    };
    let tree = featherline::samples::random_tree(3, &shape);
    assert!(tree.joint_ids().any(|id| tree.joint(id).mimic.is_some()));
    let file = read(text, &tree);
    for sensor in &file.sensors {
        let SensorKind::JointForce { joint } = sensor.kind else {
            panic!("{sensor:?}");
        };
        assert!(tree.joint(joint).mimic.is_none());
    }
    assert!(readings(&tree) > 0 && readings(&tree) <= tree.nv());
}

#[test]
fn deviations_run_through_the_joints() {
    let model = double_pendulum();
    let text = "[[sensor]]\nname = \"s\"\ntype = \"joint-force\"\njoints = [\"elbow\", \"shoulder\"]\nsigma = [0.1, 0.2]\n";
    let file = read(text, &model);
    assert_eq!(file.sensors[0].name, "s.elbow");
    assert_eq!(file.sensors[0].noise, Noise::Deviations(vec![0.1]));
    assert_eq!(file.sensors[1].noise, Noise::Deviations(vec![0.2]));
}

#[test]
fn faults_of_joints_are_located() {
    let model = double_pendulum();
    let head = "[[sensor]]\nname = \"s\"\ntype = \"joint-force\"\n";
    let told = |body: &str| fault(&format!("{head}{body}"), &model);
    let (line, column, error) = told("joints = \"every\"\nsigma = 0.1\n");
    assert_eq!((line, column), (4, 10));
    assert!(
        error
            .to_string()
            .contains("there are all, [a list of joints]"),
        "{error}"
    );
    let (line, column, error) = told("joints = [\"elbow\", \"sholder\"]\nsigma = 0.1\n");
    assert_eq!((line, column), (4, 20));
    assert!(
        error.to_string().contains("did you mean `shoulder`?"),
        "{error}"
    );
    let (line, column, error) = told("joints = [\"elbow\", \"elbow\"]\nsigma = 0.1\n");
    assert_eq!((line, column), (4, 20));
    assert!(matches!(error, SensorFileFault::Repeated { .. }), "{error}");
    let (line, column, error) = told("joints = []\nsigma = 0.1\n");
    assert_eq!((line, column), (4, 10));
    assert!(matches!(error, SensorFileFault::NoJoints { .. }), "{error}");
    let (line, column, error) = told("joints = \"all\"\njoint = \"elbow\"\nsigma = 0.1\n");
    assert_eq!((line, column, error), (5, 9, SensorFileFault::JointTwice));
    let (line, column, error) = told("joints = \"all\"\nsigma = [0.1]\n");
    let expected = SensorFileFault::SigmaCount {
        expected: 2,
        found: 1,
    };
    assert_eq!((line, column, error), (5, 9, expected));
    let (line, _, error) = told("joints = \"all\"\ncovariance = [[1.0, 0.0], [0.0, 1.0]]\n");
    assert_eq!((line, error), (5, SensorFileFault::CovarianceOfJoints));
    let (line, _, error) = told("joints = \"all\"\n");
    assert!(
        matches!(error, SensorFileFault::Missing { key: "sigma", .. }),
        "{error}"
    );
    assert_eq!(line, 3);
    let (line, _, error) = told("joints = \"all\"\nframe = \"lower_rod\"\nsigma = 0.1\n");
    assert!(
        matches!(error, SensorFileFault::Unused { key: "frame", .. }),
        "{error}"
    );
    assert_eq!(line, 5);
    let text =
        "[[sensor]]\nname = \"s\"\ntype = \"accelerometer\"\njoints = \"all\"\nsigma = 0.1\n";
    let (line, _, error) = fault(text, &model);
    assert!(
        matches!(error, SensorFileFault::Unused { key: "joints", .. }),
        "{error}"
    );
    assert_eq!(line, 4);
    // Nothing to close.
    let text = "[[sensor]]\nname = \"s\"\ntype = \"loop-force\"\njoints = \"all\"\nsigma = 0.1\n";
    let (_, _, error) = fault(text, &model);
    assert!(
        error
            .to_string()
            .contains("the robot has none of that kind"),
        "{error}"
    );
}

const PUSHED: &str = r#"
known = ["joint-accelerations", "no-external-forces"]
unknown = ["external-force:panda_link8"]

[[sensor]]
name = "torque"
type = "joint-force"
joints = "all"
sigma = 1e-6
"#;

#[test]
fn an_unknown_wrench_is_found_from_joint_torques() {
    let panda = featherline_robots::panda();
    let hand = panda.joint_id("panda_joint7").expect("the last joint");
    let file = read(PUSHED, &panda);
    assert_eq!(file.known[2], KnownSet::UnknownExternalForce(hand));
    let system = System::new(file.problem(panda.clone(), &[]).expect("valid")).expect("a system");
    let diagnosis = Diagnosis::of(&system).expect("a diagnosis");
    // Where the arm is stretched out, as in the neutral configuration, they don't.
    assert!(
        diagnosis.is_solvable_in_general() && !diagnosis.is_solvable(),
        "seven torques determine six components"
    );

    let state = State::random(&panda, 4);
    let wrench = Force::new(Vec3::new(3.0, -2.0, 5.0), Vec3::new(0.4, 0.1, -0.3));
    let mut forces = vec![Force::zero(); panda.joints().len()];
    forces[hand.index()] = wrench;
    let mut ws = Workspace::new(&panda);
    let options = featherline::dynamics::DynamicsOptions::default()
        .without_passive_forces()
        .with_forces(&forces);
    let torques = panda
        .inverse_dynamics(&mut ws, &state.q, &state.v, &state.a, options)
        .expect("a valid state")
        .to_vec();
    let inputs = [state.a.clone(), torques].concat();
    let options = EstimatorOptions::default().without_prior();
    let mut estimator = Estimator::new(system.clone(), &options).expect("an estimator");
    let estimate = estimator
        .update(&state.q, &state.v, &inputs)
        .expect("determined");
    let found = Requested::ExternalForce(hand)
        .values(&system, estimate.mean())
        .expect("of this system");
    close("wrench", &found, &wrench.to_array(), 1e-8);
}

#[test]
fn an_unknown_wrench_contradicts_a_known_one() {
    let panda = featherline_robots::panda();
    let text =
        "known = [\"external-force:panda_joint7\"]\nunknown = [\"external-force:panda_link8\"]\n";
    let (line, column, error) = fault(text, &panda);
    assert_eq!((line, column), (2, 12));
    let twice = SensorFileFault::Sensor(SystemError::KnownTwice {
        first: "external-force:panda_joint7".into(),
        second: "unknown-external-force:panda_joint7".into(),
    });
    assert_eq!(error, twice);
    let (_, _, error) = fault("unknown = [\"joint-forces\"]\n", &panda);
    assert!(
        error.to_string().contains("there are external-force:BODY"),
        "{error}"
    );
    let (_, column, error) = fault("unknown = [\"external-force:panda_link9\"]\n", &panda);
    assert_eq!(column, 12);
    assert!(matches!(error, SensorFileFault::Name(_)), "{error}");
    // The base link is the world's.
    let (_, _, error) = fault("unknown = [\"external-force:panda_link0\"]\n", &panda);
    assert_eq!(error, SensorFileFault::Sensor(SystemError::Universe));
}

#[test]
fn a_body_is_found_by_its_joint_and_by_its_links() {
    let humanoid = featherline_robots::humanoid();
    let prior = |word: &str| format!("[[prior]]\nof = \"{word}\"\nsigma = 1.0\n");
    let system = System::new(
        read("", &humanoid)
            .problem(humanoid.clone(), &[])
            .expect("valid"),
    );
    let system = system.expect("a system");
    let parse = |word: &str| Requested::parse(word, &system);
    for kind in ["external-force", "acceleration"] {
        let [joint, link] = ["left_ankle_roll", "left_foot"].map(|name| format!("{kind}:{name}"));
        assert_eq!(
            read(&prior(&joint), &humanoid),
            read(&prior(&link), &humanoid)
        );
        assert_eq!(parse(&joint), parse(&link));
    }
    let (line, column, error) = fault(&prior("external-force:left_fot"), &humanoid);
    assert_eq!((line, column), (2, 6));
    let told = "no joint, link or frame named `left_fot`; did you mean `left_foot`?";
    assert!(error.to_string().ends_with(told), "{error}");
    // Which of the joints between fixed links is meant, a link would not say.
    assert!(parse("transmitted-force:left_foot").is_err());
    let error = parse("external-froce:left_foot").expect_err("misspelt");
    assert!(
        error
            .to_string()
            .contains("did you mean `external-force:BODY`?"),
        "{error}"
    );
}

#[test]
fn a_type_that_does_not_exist_names_the_one_that_is_meant() {
    let panda = featherline_robots::panda();
    for (written, told) in [
        (
            "joint-torque",
            "; did you mean `joint-force`? There are joint-acceleration, ",
        ),
        ("joint_force", "; did you mean `joint-force`?"),
        ("Torque", "; did you mean `joint-force`?"),
        ("accelerometr", "; did you mean `accelerometer`?"),
        ("gyro", "; did you mean `gyroscope`?"),
        ("load-cell", "; did you mean `load-cells`?"),
        ("ft-sensor", "; did you mean `force-torque`?"),
        (
            "imu",
            "; write two sensors, an `accelerometer` and a `gyroscope`. There are ",
        ),
        (
            "encoder",
            "; positions and velocities are no sensors: samples give them as `q`",
        ),
        ("thermometer", "; there are joint-acceleration, "),
    ] {
        for keys in ["joints = \"all\"", "frame = \"panda_link7\""] {
            let text =
                format!("[[sensor]]\nname = \"s\"\ntype = \"{written}\"\n{keys}\nsigma = 1.0\n");
            let (line, column, error) = fault(&text, &panda);
            assert_eq!((line, column), (3, 8), "{error}");
            let told = format!("there is no type `{written}`{told}");
            assert!(error.to_string().starts_with(&told), "{error}");
        }
    }
}

const PAGE: &str = include_str!("../../../../book/src/sensor_files.md");

#[test]
fn every_file_of_the_reference_page_is_read_and_every_type_is_in_one() {
    let mut types = std::collections::BTreeSet::new();
    let mut count = 0;
    for block in PAGE.split("```toml\n").skip(1) {
        let text = block.split("```").next().expect("a block ends");
        let model = match text.lines().next() {
            Some("# robot: panda") => featherline_robots::panda(),
            Some("# robot: humanoid") => featherline_robots::humanoid(),
            Some("# robot: four_bar") => featherline::samples::four_bar(),
            other => panic!("{other:?} names no robot"),
        };
        let file = read(text, &model);
        types.extend(file.sensors.iter().map(|sensor| sensor.kind.name()));
        System::new(file.problem(model, &[]).expect("valid")).expect("a system");
        count += 1;
    }
    assert!(count >= 4);
    // The error for an unknown type lists all of them.
    let text = "[[sensor]]\nname = \"s\"\ntype = \"none\"\nsigma = 1.0\n";
    let (_, _, error) = fault(text, &double_pendulum());
    let SensorFileFault::UnknownWord { known, .. } = error else {
        panic!("{error}");
    };
    for word in &known {
        assert!(
            types.contains(word.as_str()),
            "the page has no example of `{word}`"
        );
        assert!(
            PAGE.contains(&format!("| `{word}` |")),
            "the page has no row for `{word}`"
        );
    }
}

#[test]
fn every_key_that_the_reader_takes_stands_on_the_reference_page() {
    let (_, table) = PAGE.split_once("## Every key").expect("a table of keys");
    let mut count = 0;
    // The error for an unknown key lists those that its place takes.
    for (place, text) in [
        ("file", "none = 1\n"),
        ("sensor", "[[sensor]]\nnone = 1\n"),
        (
            "term",
            "[[sensor]]\nname = \"s\"\ntype = \"linear\"\nterms = [{ none = 1 }]\n",
        ),
        ("prior", "[[prior]]\nnone = 1\n"),
    ] {
        let (_, _, error) = fault(text, &double_pendulum());
        let words = error.to_string();
        let (_, listed) = words.split_once("expected one of").expect(&words);
        for key in listed.split('`').skip(1).step_by(2) {
            let mut rows = table.lines();
            let row = rows.find(|row| row.starts_with(&format!("| `{key}` |")));
            let row = row.unwrap_or_else(|| panic!("the table has no row for `{key}`"));
            let cells: Vec<&str> = row.split(" | ").collect();
            assert!(cells[1].contains(place), "`{key}` of a {place}: {row}");
            assert!(row.contains(&format!("{key} = ")) || row.contains(&format!("[[{key}]]")));
            count += 1;
        }
    }
    assert_eq!(count, 4 + 12 + 5 + 4);
}
