//! Sensors from text.

use featherline_system::{
    Components, Diagnosis, KnownSet, Noise, SensorFile, SensorFileFault, SensorKind, System,
    Unknown,
};

const FEET: &str = include_str!("../../../../robots/humanoid-feet.toml");
const WRIST: &str = include_str!("../../../../robots/panda-wrist.toml");

#[test]
fn the_files_beside_the_robots_are_read() {
    let humanoid = featherline_robots::humanoid();
    let feet = SensorFile::read(FEET, &humanoid).expect("a valid file");
    assert_eq!(feet.sensors.len(), 2);
    assert_eq!(feet.known[1], KnownSet::FreeBase);
    assert_eq!(feet.sensors[0].noise, Noise::Deviation(0.5));
    let system = System::new(feet.problem(humanoid, &[]).expect("valid")).expect("a system");
    let (rows, columns) = (system.sparsity().rows(), system.sparsity().columns());
    assert_eq!(rows, columns);
    assert!(
        !Diagnosis::of(&system)
            .expect("a diagnosis")
            .is_solvable_in_general()
    );

    // The slippery floor of the file, taken out of its comments.
    let text = FEET
        .replace("# [[sensor]]", "[[sensor]]")
        .replace("# name", "name")
        .replace("# type", "type");
    let text = text
        .replace("# frame", "frame")
        .replace("# contact", "contact");
    let humanoid = featherline_robots::humanoid();
    let floor = SensorFile::read(&text, &humanoid).expect("a valid file");
    assert_eq!(floor.sensors.len(), 4);
    let system = System::new(floor.problem(humanoid, &[]).expect("valid")).expect("a system");
    assert!(
        Diagnosis::of(&system)
            .expect("a diagnosis")
            .is_solvable_in_general()
    );

    let panda = featherline_robots::panda();
    let wrist = SensorFile::read(WRIST, &panda).expect("a valid file");
    let system = System::new(wrist.problem(panda, &[]).expect("valid")).expect("a system");
    let diagnosis = Diagnosis::of(&system).expect("a diagnosis");
    assert!(diagnosis.is_solvable());
    assert!(diagnosis.redundancy() > 0);
}

#[test]
fn every_type_is_read() {
    let model = featherline_robots::humanoid();
    let foot = model.frame_id("left_sole").expect("there is one");
    let knee = model.joint_id("left_knee").expect("there is one");
    let read = |body: &str| {
        let text = format!("[[sensor]]\nname = \"s\"\n{body}\n");
        let file =
            SensorFile::read(&text, &model).unwrap_or_else(|error| panic!("{body}: {error}"));
        file.sensors[0].clone()
    };
    let shear = Components::LINEAR_X.and(Components::LINEAR_Y);
    let cases = [
        (
            "type = 'joint-acceleration'\njoint = 'left_knee'\nsigma = 1",
            SensorKind::JointAcceleration { joint: knee },
        ),
        (
            "type = 'joint-force'\njoint = 'left_knee'\nsigma = 1.0",
            SensorKind::JointForce { joint: knee },
        ),
        (
            "type = 'external-force'\nframe = 'left_sole'\ncomponents = ['fx', 'fy']\nsigma = [1.0, 2.0]",
            SensorKind::ExternalForce {
                frame: foot,
                components: shear,
            },
        ),
        (
            "type = 'force-torque'\nframe = 'left_sole'\nreaction = true\nsigma = 1.0",
            SensorKind::ForceTorque {
                frame: foot,
                reaction: true,
            },
        ),
        (
            "type = 'accelerometer'\nframe = 'left_sole'\nsigma = 1.0",
            SensorKind::Accelerometer { frame: foot },
        ),
        (
            "type = 'gyroscope'\nframe = 'left_sole'\nsigma = 1.0",
            SensorKind::Gyroscope { frame: foot },
        ),
        (
            "type = 'angular-accelerometer'\nframe = 'left_sole'\ncovariance = [[1.0, 0.1, 0.0], [0.1, 1.0, 0.0], [0.0, 0.0, 1.0]]",
            SensorKind::AngularAccelerometer { frame: foot },
        ),
        (
            "type = 'tactile-normal'\nframe = 'left_sole'\nsigma = 1.0",
            SensorKind::TactileNormal { frame: foot },
        ),
        (
            "type = 'centroidal-momentum-rate'\nsigma = [1.0, 2.0]\ncomponents = ['my', 'fx']",
            SensorKind::CentroidalMomentumRate {
                components: Components::ANGULAR_Y.and(Components::LINEAR_X),
            },
        ),
        (
            "type = 'centroidal-momentum-rate'\nsigma = 1.0",
            SensorKind::CentroidalMomentumRate {
                components: Components::ALL,
            },
        ),
        (
            "type = 'linear'\nsigma = 1.0\nterms = [{ of = 'joint-force', joint = 'left_knee', factor = 1.0 }, { of = \
             'external-force', joint = 'left_knee', component = 'mz', factor = -2.5 }, { of = 'joint-acceleration', joint = \
             'root_joint', degree = 4, factor = 0.5 }]",
            SensorKind::Sum {
                terms: vec![
                    (
                        Unknown::JointForce {
                            coordinate: model.joint(knee).idx_v,
                        },
                        1.0,
                    ),
                    (
                        Unknown::ExternalForce {
                            joint: knee,
                            component: 5,
                        },
                        -2.5,
                    ),
                    (Unknown::JointAcceleration { coordinate: 4 }, 0.5),
                ],
            },
        ),
        (
            "type = 'linear'\nsigma = 1.0\nterms = [{ of = 'acceleration', joint = 'left_knee', component = 'rx', factor = 1.0 }, \
             { of = 'transmitted-force', joint = 'left_knee', component = 'fy', factor = 1.0 }]",
            SensorKind::Sum {
                terms: vec![
                    (
                        Unknown::Acceleration {
                            joint: knee,
                            component: 3,
                        },
                        1.0,
                    ),
                    (
                        Unknown::Force {
                            joint: knee,
                            component: 1,
                        },
                        1.0,
                    ),
                ],
            },
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(read(body).kind, expected);
    }
    for name in SensorKind::NAMES {
        let text = format!("[[sensor]]\nname = 's'\ntype = '{name}'\n");
        let error = SensorFile::read(&text, &model).expect_err("its keys are missing");
        assert!(!error.to_string().contains("no type"), "{error}");
    }
}

#[test]
fn faults_are_named_with_their_place() {
    let model = featherline_robots::panda();
    let sensor = |body: &str| format!("[[sensor]]\nname = \"s\"\n{body}");
    let linear = |term: &str| {
        sensor(&format!(
            "type = \"linear\"\nsigma = 1.0\nterms = [{{ {term}, factor = 1.0 }}]"
        ))
    };
    let gyroscope = |error: &str| {
        sensor(&format!(
            "type = \"gyroscope\"\nframe = \"panda_link7\"\n{error}"
        ))
    };
    let cases = [
        (
            "known = [\"joint-accelerations\", \"everything\"]".to_owned(),
            (1, 33),
            "there are qdd, tau",
        ),
        ("known = 3".to_owned(), (1, 9), "sequence"),
        (
            sensor("type = \"accelerometre\"\nsigma = 1.0"),
            (3, 8),
            "there is no type `accelerometre`",
        ),
        (
            sensor("type = \"accelerometer\"\nframe = \"panda_link9\"\nsigma = 1.0"),
            (4, 9),
            "did you mean",
        ),
        (
            sensor("type = \"accelerometer\"\nsigma = 1.0"),
            (3, 8),
            "needs `frame`",
        ),
        (
            sensor(
                "type = \"load-cells\"\nframe = \"panda_link7\"\npositions = [[0.1, 0.1], [0.1, -0.1, 5.0]]\nsigma = 1.0",
            ),
            (5, 26),
            "a position has two numbers",
        ),
        (
            sensor("type = \"accelerometer\"\nframe = \"panda_link7\""),
            (3, 8),
            "needs `sigma`",
        ),
        (
            sensor(
                "type = \"accelerometer\"\nframe = \"panda_link7\"\njoint = \"panda_joint1\"\nsigma = 1.0",
            ),
            (5, 9),
            "has no `joint`",
        ),
        (
            sensor("type = \"accelerometer\"\nframe = \"panda_link7\"\nsigma = -1.0"),
            (5, 9),
            "not a positive, finite number",
        ),
        (
            sensor("type = \"contact\"\nframe = \"panda_link7\"\ncontact = \"sticky\""),
            (5, 11),
            "frictionless-point",
        ),
        (sensor("typ = \"contact\""), (3, 1), "unknown field"),
        (
            sensor(
                "type = \"gyroscope\"\nframe = \"panda_link7\"\nsigma = 1.0\ncovariance = [[1.0]]",
            ),
            (5, 9),
            "keep one",
        ),
        (
            sensor(
                "type = \"external-force\"\nframe = \"panda_link7\"\ncomponents = [\"fx\", \"fw\"]\nsigma = 1.0",
            ),
            (5, 21),
            "there is no component `fw`",
        ),
        (
            sensor("type = \"linear\"\nsigma = 1.0"),
            (3, 8),
            "needs `terms`",
        ),
        (
            sensor("type = \"linear\"\nsigma = 1.0\nterms = []"),
            (5, 9),
            "no terms",
        ),
        (
            linear("of = \"joint-force\", joint = \"panda_joint1\"").replace("1.0 }", "0.0 }"),
            (5, 9),
            "no factor but zero",
        ),
        (
            linear("of = \"joint-force\", joint = \"panda_joint1\"").replace("1.0 }", "nan }"),
            (5, 9),
            "not a finite number",
        ),
        (
            sensor(&format!(
                "type = \"linear\"\nsigma = 1.0\nterms = [{0}, {0}]",
                "{ of = \"joint-force\", joint = \"panda_joint1\", factor = 1.0 }"
            )),
            (5, 72),
            "`joint-force of panda_joint1` stands there twice",
        ),
        (
            gyroscope("sigma = 0.0"),
            (5, 9),
            "not a positive, finite number",
        ),
        (
            gyroscope("sigma = nan"),
            (5, 9),
            "not a positive, finite number",
        ),
        (
            sensor(
                "type = \"load-cells\"\nframe = \"panda_link7\"\npositions = [[0.1, 0.0], [0.0, 1e200], [0.1, 0.1]]\nsigma = 1.0",
            ),
            (5, 13),
            "a position more than 1e6 m away",
        ),
        (
            sensor(
                "type = \"load-cells\"\nframe = \"panda_link7\"\npositions = [[0.1, 0.0], [0.0, nan], [0.1, 0.1]]\nsigma = 1.0",
            ),
            (5, 13),
            "a position that is not a finite number",
        ),
        (
            sensor(&format!(
                "type = \"linear\"\nsigma = 1.0\nterms = [{}]",
                "{ of = \"joint-force\", joint = \"panda_joint1\", factor = 1e200 }"
            )),
            (5, 9),
            "a factor whose square is too large",
        ),
        (
            gyroscope("sigma = 1e200"),
            (5, 9),
            "not a positive, finite number",
        ),
        (
            gyroscope("sigma = [1.0, -1.0, 1.0]"),
            (5, 9),
            "not a positive, finite number",
        ),
        (
            gyroscope("sigma = 1e-200"),
            (5, 9),
            "not a positive, finite number",
        ),
        (
            gyroscope("sigma = [1.0, 2.0]"),
            (5, 9),
            "one deviation for each reading",
        ),
        (
            gyroscope("sigma = []"),
            (5, 9),
            "one deviation for each reading",
        ),
        (
            gyroscope("sigma = \"small\""),
            (5, 9),
            "a standard deviation is a number, or a list",
        ),
        (
            gyroscope("covariance = [[1.0, 0.0, 0.0], [0.0, 1.0], [0.0, 0.0, 0.0, 1.0]]"),
            (5, 14),
            "row 2 of `covariance` has 2 entries",
        ),
        (gyroscope("covariance = []"), (5, 14), "without one row"),
        (
            gyroscope("covariance = [[1.0, 0.0, 0.0], [0.0, 1e-320, 0.0], [0.0, 0.0, 1.0]]"),
            (5, 14),
            "too small to be inverted",
        ),
        (
            "[[sensor]]\nname = \"a\\nb\"\ntype = \"gyroscope\"".to_owned(),
            (2, 8),
            "can't be printed",
        ),
        (
            gyroscope("covariance = [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]"),
            (5, 14),
            "not positive definite",
        ),
        (
            gyroscope("covariance = [[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]"),
            (5, 14),
            "not finite and symmetric",
        ),
        (
            sensor(
                "type = \"external-force\"\nframe = \"panda_link7\"\ncomponents = []\nsigma = 1.0",
            ),
            (5, 14),
            "no components",
        ),
        (
            sensor(
                "type = \"external-force\"\nframe = \"panda_link7\"\ncomponents = [\"fx\", \"fx\"]\nsigma = 1.0",
            ),
            (5, 21),
            "`fx` stands there twice",
        ),
        (
            sensor(&format!(
                "type = \"load-cells\"\nframe = \"panda_link7\"\npositions = [{}]\nsigma = 1.0",
                "[0.1, 0.2], ".repeat(100_000)
            )),
            (5, 13),
            "more than 1000 cells",
        ),
        (
            sensor("type = \"load-cells\"\nframe = \"panda_link7\"\npositions = []\nsigma = 1.0"),
            (5, 13),
            "no cells",
        ),
        (
            sensor(
                "type = \"load-cells\"\nframe = \"panda_link7\"\npositions = [[inf, 0.0]]\nsigma = 1.0",
            ),
            (5, 13),
            "not a finite number",
        ),
        (
            sensor(
                "type = \"load-cells\"\nframe = \"panda_link7\"\npositions = [[1e5, 0.0], [1e5, 0.2], [1.0000001e5, 0.1]]\nsigma = 1.0",
            ),
            (5, 13),
            "load cells too close together",
        ),
        (
            sensor("type = \"tactile-normal\"\nframe = \"panda_link0\"\nsigma = 1.0"),
            (4, 9),
            "fixed to the world",
        ),
        (
            "[[sensor]]\nname = \"q\"\ntype = \"gyroscope\"".to_owned(),
            (2, 8),
            "part of a sample's state",
        ),
        (
            "[[sensor]]\nname = \"joint-forces\"\ntype = \"gyroscope\"".to_owned(),
            (2, 8),
            "a word for what is known",
        ),
        (
            "[[sensor]]\nname = \"\"\ntype = \"gyroscope\"".to_owned(),
            (2, 8),
            "can't be named",
        ),
        (
            gyroscope("sigma = 1.0") + "\n" + &gyroscope("sigma = 1.0"),
            (7, 8),
            "two sensors named `s`",
        ),
        (
            "known = [\"joint-forces\", \"joint-force:panda_joint3\"]".to_owned(),
            (1, 26),
            "`tau` and `tau:panda_joint3`",
        ),
        (
            "known = [\"free-base\"]".to_owned(),
            (1, 10),
            "nothing floats freely",
        ),
        (
            linear("of = \"voltage\", joint = \"panda_joint1\""),
            (5, 17),
            "there is no unknown `voltage`",
        ),
        (
            linear("of = \"joint-force\", joint = \"panda_joint1\", degree = 1"),
            (5, 65),
            "no degree of freedom 1",
        ),
        (
            linear("of = \"joint-force\", joint = \"panda_joint1\", component = \"fx\""),
            (5, 68),
            "has no `component`",
        ),
        (
            linear("of = \"acceleration\", joint = \"panda_joint1\", component = \"fx\""),
            (5, 69),
            "there is no component `fx`",
        ),
        (
            linear("of = \"external-force\", joint = \"panda_joint1\""),
            (5, 17),
            "needs `component`",
        ),
    ];
    for (text, place, words) in cases {
        let error = SensorFile::read(&text, &model).expect_err(&text);
        assert_eq!((error.line, error.column), place, "{text}\n{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let twice =
        "[[sensor]]\nname = \"s\"\ntype = \"gyroscope\"\nframe = \"panda_link7\"\nsigma = 1.0\n"
            .repeat(2);
    let error = SensorFile::read(&twice, &model).expect_err("one name twice");
    assert_eq!(error.line, 7);
    assert!(matches!(error.fault, SensorFileFault::Sensor(_)));
}
