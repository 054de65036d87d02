//! Recordings, read again.

use featherline::model::JointId;
use featherline::{Model, samples};
use featherline_record::{ReadError, RecordedMotion, Recording, read, write_row};
use featherline_sim::integrator::RungeKutta4;
use featherline_sim::simulation::{GravityCompensation, Method, Sample, Simulator};
use std::path::PathBuf;

/// A path for a file of a test; `name` is unique among tests.
fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("reader-{name}"))
}

/// Records a motion of a robot, and gives its samples.
fn record(model: &Model, path: &PathBuf) -> RecordedMotion {
    let method = Method::steps(RungeKutta4::new(model), 1e-2).expect("a method");
    let simulator = Simulator::new(model, method).with_controller(GravityCompensation::new(model));
    let v: Vec<f64> = (0..model.nv()).map(|k| 0.1 * (k as f64 + 1.0)).collect();
    let mut simulation = simulator
        .start(0.25, &model.neutral_configuration(), &v)
        .expect("a start");
    let mut samples = RecordedMotion::default();
    let mut keep = |sample: &Sample<'_>| {
        samples.times.push(sample.t);
        samples.q.extend(sample.q);
        samples.v.extend(sample.v);
        samples.tau.extend(sample.tau);
        let mut row = Vec::new();
        write_row(model, sample, &mut row);
        let first = 1 + model.nq() + 2 * model.nv();
        samples.others.extend(&row[first..first + 11]);
    };
    let mut recording = Recording::create(path, model).expect("a file");
    simulation
        .run(0.1, 0.02, &mut (&mut keep, &mut recording))
        .expect("a motion");
    recording.finish().expect("written");
    samples
}

#[test]
fn every_format_is_read_to_the_last_bit() {
    for model in [featherline_robots::quadruped(), featherline_robots::hand()] {
        let name = model.name();
        for extension in ["csv", "jsonl", "parquet", "mcap"] {
            let path = path(&format!("{name}.{extension}"));
            let samples = record(&model, &path);
            assert_eq!(samples.times.len(), 6);
            let found = read(&path, &model).expect("a recording");
            assert_eq!(found, samples, "{name} {extension}");
            std::fs::remove_file(path).expect("removed");
        }
    }
}

#[test]
fn a_recording_of_another_robot_names_the_first_column_that_differs() {
    let (pendulum, chain) = (samples::double_pendulum(), samples::snake(2));
    let longer = samples::snake(3);
    for extension in ["csv", "parquet", "mcap"] {
        let path = path(&format!("other.{extension}"));
        record(&pendulum, &path);
        let error = read(&path, &chain).expect_err("another robot");
        let ReadError::OtherRobot {
            column,
            expected,
            found,
            ..
        } = &error
        else {
            panic!("{extension}: {error}");
        };
        let own = featherline_record::columns(&chain)[1].name.clone();
        assert_eq!((*column, expected), (2, &own), "{extension}");
        assert_eq!(found.as_deref(), Some("q.shoulder"), "{extension}");
        std::fs::remove_file(path).expect("removed");
    }
    // Lines of JSON have no names, and numbers of entries alone.
    let path = path("other.jsonl");
    record(&pendulum, &path);
    let error = read(&path, &longer).expect_err("another robot");
    let missing = &featherline_record::columns(&longer)[3].name;
    assert!(
        matches!(&error, ReadError::OtherRobot { column: 4, expected, found: None, .. } if expected == missing),
        "{error}"
    );
    record(&longer, &path);
    let error = read(&path, &pendulum)
        .expect_err("another robot")
        .to_string();
    assert!(error.contains("another robot"), "{error}");
    std::fs::remove_file(path).expect("removed");
}

#[test]
fn columns_of_the_robot_that_are_missing_or_in_another_order_are_told_as_that() {
    let model = samples::double_pendulum();
    let path = path("columns.csv");
    let error = |text: &str| {
        std::fs::write(&path, text).expect("written");
        read(&path, &model).expect_err("it is not complete")
    };
    let (q, v) = ("q.shoulder,q.elbow", "v.shoulder,v.elbow");
    for (head, missing) in [
        (format!("t,{q}"), "v.shoulder"),
        (format!("t,{q},{v}"), "tau.shoulder"),
        (format!("t,{q},tau.shoulder,tau.elbow"), "v.shoulder"),
    ] {
        let error = error(&format!("{head}\n"));
        assert!(
            matches!(&error, ReadError::MissingColumn { name, .. } if name == missing),
            "{error}"
        );
    }
    let tau = "tau.shoulder,tau.elbow";
    let sorted = error(&format!("t,{v},{q},{tau}\n"));
    assert!(
        matches!(&sorted, ReadError::ColumnOrder { column: 2, found, .. } if found == "v.shoulder"),
        "{sorted}"
    );
    let empty = error(&format!("t,{q},{v},{tau}\n")).to_string();
    assert!(empty.contains("no states"), "{empty}");
    std::fs::remove_file(&path).expect("removed");
}

#[test]
fn what_is_no_recording_is_an_error_with_its_place() {
    let model = samples::double_pendulum();
    let names = "t,q.shoulder,q.elbow,v.shoulder,v.elbow,tau.shoulder,tau.elbow\n";
    let row = r#"{"t":0,"q":[0,0],"v":[0,0],"tau":[0,0]}"#;
    let cases = [
        (
            "a.csv",
            format!("{names}0,0,0,0,0,0,0\n0,0,x,0,0,0,0\n"),
            ":3: `q.elbow` has `x`",
        ),
        (
            "b.csv",
            format!("{names}0,0,0\n"),
            ":2: 3 numbers where there are 7 columns",
        ),
        (
            "c.csv",
            format!("{names}1,0,0,0,0,0,0\n0,0,0,0,0,0,0\n"),
            ":3: the time 0 comes after 1",
        ),
        (
            "d.csv",
            format!("{names}0,0,inf,0,0,0,0\n"),
            ":2: `q.elbow` is not a finite number",
        ),
        ("e.csv", String::new(), "column 1 is missing"),
        (
            "a.jsonl",
            format!("{row}\n\n{{\"t\":1}}\n"),
            ":3: missing field",
        ),
        ("b.jsonl", "{\"t\":1".to_owned(), ":1: EOF"),
        ("a.mcap", "no log".to_owned(), ":1: "),
        ("a.parquet", "no table".to_owned(), ":1: "),
        ("a.txt", String::new(), "is no recording"),
    ];
    for (name, text, expected) in cases {
        let path = path(name);
        std::fs::write(&path, text).expect("written");
        let error = read(&path, &model).expect_err(name).to_string();
        assert!(error.contains(expected), "{name}: {error}");
        assert!(error.contains(name), "{error}");
        std::fs::remove_file(path).expect("removed");
    }
    let missing = read("/nowhere/run.csv", &model)
        .expect_err("no file")
        .to_string();
    assert!(missing.contains("can't read /nowhere/run.csv"), "{missing}");
}

/// The lowest bit of a number in the footer is its sign.
#[test]
fn no_bit_of_the_footer_of_a_table_makes_it_panic() {
    let model = samples::double_pendulum();
    let path = path("footer.parquet");
    record(&model, &path);
    let table = std::fs::read(&path).expect("a file");
    let mut negative = 0;
    // The end is the length of the footer, and four letters.
    let end = table.len() - 8;
    let length = table[end..end + 4].try_into().expect("four bytes");
    for k in end - u32::from_le_bytes(length) as usize..end {
        let mut table = table.clone();
        table[k] ^= 1;
        std::fs::write(&path, table).expect("written");
        if let Err(error) = read(&path, &model) {
            negative += usize::from(error.to_string().contains("is negative"));
        }
    }
    assert!(negative > 0);
    std::fs::remove_file(path).expect("removed");
}

#[test]
fn lengths_in_a_log_are_compared_with_the_file() {
    let model = samples::double_pendulum();
    let path = path("lengths.mcap");
    record(&model, &path);
    let log = std::fs::read(&path).expect("a file");
    let with = |offset: usize, bytes: &[u8]| {
        let mut log = log.clone();
        log[offset..offset + bytes.len()].copy_from_slice(bytes);
        std::fs::write(&path, log).expect("written");
        read(&path, &model)
    };
    let find = |text: &[u8]| log.windows(text.len()).position(|it| it == text);
    // The lengths of texts: of a schema, of a topic and of an entry of a channel's list.
    for text in [&b"featherline.Sample"[..], b"/robot", b"robot\x0f"] {
        let before = find(text).expect("the text") - 4;
        let error = with(before, &[0xff; 4]).expect_err("a length").to_string();
        assert!(error.contains("beyond the end of the file"), "{error}");
    }
    // Whatever bytes there are, the reader ends, with the samples or an error.
    for offset in (0..log.len() - 8).step_by(23) {
        for bytes in [
            &[0xff; 4][..],
            &[0; 4],
            &[0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0],
        ] {
            let _ = with(offset, bytes);
        }
    }
    for end in (0..log.len()).step_by(97) {
        std::fs::write(&path, &log[..end]).expect("written");
        let _ = read(&path, &model);
    }
    std::fs::remove_file(path).expect("removed");
}

/// Two balls that fall on the ground; the second one begins on it.
fn balls() -> (Model, featherline_sim::contact::CollisionContacts) {
    use featherline::joint::JointKind;
    use featherline::model::{JointSpec, ModelBuilder};
    use featherline::spatial::{Inertia, Se3};
    use featherline_geometry::{CollisionModel, CollisionShape, Plane, Sphere};
    use featherline_sim::contact::{CollisionContacts, Surface};

    let mut builder = ModelBuilder::new("balls");
    for name in ["one", "two"] {
        let root = JointSpec::new(
            format!("root_{name}"),
            ModelBuilder::UNIVERSE,
            JointKind::FreeFlyer,
        );
        let root = builder.add_joint(root);
        builder.add_body(root, name, Se3::identity(), Inertia::sphere(3.0, 0.1));
    }
    let model = builder.build().expect("a model").model;
    let mut shapes = vec![CollisionShape::new(
        "ground",
        JointId::UNIVERSE,
        Se3::identity(),
        Plane,
    )];
    for id in model.joint_ids() {
        shapes.push(CollisionShape::new(
            "ball",
            id,
            Se3::identity(),
            Sphere::new(0.1),
        ));
    }
    let collision = CollisionModel::new(&model, shapes).expect("a collision model");
    let surface = Surface {
        friction: 0.5,
        restitution: 0.0,
    };
    (model, CollisionContacts::uniform(collision, surface))
}

#[test]
fn every_format_has_the_contacts_of_the_samples() {
    let weight = 3.0 * 9.81;
    for extension in ["csv", "jsonl", "parquet", "mcap"] {
        let (model, contacts) = balls();
        let simulator = Simulator::new(&model, Method::time_stepping(1e-3).expect("a method"));
        let simulator = simulator.with_contacts(contacts);
        let mut q = model.neutral_configuration();
        (q[2], q[7], q[9]) = (5.0, 1.0, 0.1);
        let mut simulation = simulator.start(0.0, &q, &[0.0; 12]).expect("a start");
        let path = path(&format!("contacts.{extension}"));
        let pairs = simulation.body_pairs();
        let mut recording = Recording::create_with_contacts(&path, &model, &pairs).expect("a file");
        simulation.run(0.1, 0.05, &mut recording).expect("a motion");
        recording.finish().expect("written");
        let found = read(&path, &model).expect("a recording");
        let contacts = found.contacts.expect("contacts");
        // Nothing has touched before the first step.
        assert_eq!(
            contacts.counts.iter().skip(1).sum::<usize>(),
            2,
            "{extension}"
        );
        let pushing: Vec<usize> = (0..contacts.forces.len())
            .filter(|&k| contacts.forces[k] != [0.0; 3])
            .collect();
        assert_eq!(pushing.len(), 2, "{extension}");
        for k in pushing {
            let ([fx, fy, fz], [x, y, z]) = (contacts.forces[k], contacts.points[k]);
            assert!(
                fx.hypot(fy) < 1e-9 && (fz - weight).abs() < 1e-6,
                "{extension}: {fz}"
            );
            assert!((x - 1.0).hypot(y) < 1e-9 && z.abs() < 1e-9, "{extension}");
            let has_normal = matches!(extension, "jsonl" | "mcap");
            assert_eq!(contacts.normals[k][2], f64::from(u8::from(has_normal)));
            let first = if has_normal { "world" } else { "" };
            assert_eq!(contacts.bodies[k], [first, "two"], "{extension}");
            assert_eq!(contacts.gaps[k].abs() < 1e-3, has_normal, "{extension}");
        }
        // The energy's account: the second ball stands, and the first one falls.
        assert_eq!(contacts.account.len(), 3, "{extension}");
        let numbers = contacts.account.iter().flatten();
        let worst = numbers.map(|x| x.abs()).fold(0.0, f64::max);
        assert!(worst < 0.1, "{extension}: {worst}");
        assert_eq!(found.others.len(), 11 * 3);
        let lost = found.others[2] - found.others[2 * 11 + 2];
        let taken: f64 = contacts.account[2][4..7].iter().sum();
        assert!((lost - taken).abs() < 1e-12, "{extension}: {lost} {taken}");
        std::fs::remove_file(path).expect("removed");
    }
}

/// A pendulum in steps that are too long gains energy. Files of before had no such column.
#[test]
fn every_format_has_the_gain_of_energy() {
    let model = samples::double_pendulum();
    let pairs = [[JointId::UNIVERSE, model.joint_id("elbow").expect("a joint")]];
    for extension in ["csv", "jsonl", "parquet", "mcap"] {
        let simulator = Simulator::new(&model, Method::time_stepping(2e-2).expect("a method"));
        let mut simulation = simulator
            .start(0.0, &[1.0, 0.5], &[4.0, -6.0])
            .expect("it starts");
        let path = path(&format!("gain.{extension}"));
        let mut recording = Recording::create_with_contacts(&path, &model, &pairs).expect("a file");
        simulation.run(2.0, 0.5, &mut recording).expect("a motion");
        recording.finish().expect("written");
        let sample = simulation.sample().expect("a sample");
        let gain = sample.contact.expect("time stepping").account.energy_gain;
        assert!(gain > 0.1, "{gain}");
        let last = || {
            let found = read(&path, &model).expect("a recording");
            let account = found.contacts.expect("contacts").account;
            assert_eq!(account.len(), 5, "{extension}");
            account[4]
        };
        let own = last();
        assert_eq!(own[7], gain, "{extension}");
        if matches!(extension, "csv" | "jsonl") {
            let text = std::fs::read_to_string(&path).expect("text");
            std::fs::write(&path, text.replace("energy_gain", "another")).expect("written");
            let without = last();
            assert!(
                without[7].is_nan() && without[..7] == own[..7],
                "{without:?}"
            );
        }
        std::fs::remove_file(path).expect("removed");
    }
}

#[test]
fn columns_of_contact_have_the_balance_of_the_energy() {
    let (model, contacts) = balls();
    let simulator = Simulator::new(&model, Method::time_stepping(1e-3).expect("a method"));
    let simulator = simulator.with_contacts(contacts);
    let mut q = model.neutral_configuration();
    (q[2], q[7], q[9]) = (0.2, 1.0, 0.1);
    let mut v = [0.0; 12];
    v[6] = 1.0;
    let mut simulation = simulator.start(0.0, &q, &v).expect("a start");
    let path = path("balance.csv");
    let pairs = simulation.body_pairs();
    let mut recording = Recording::create_with_contacts(&path, &model, &pairs).expect("a file");
    simulation.run(0.5, 0.1, &mut recording).expect("a motion");
    recording.finish().expect("written");
    let mut reader = csv::Reader::from_path(&path).expect("a file");
    let names = reader.headers().expect("names").clone();
    let expected = featherline_record::columns_with_contacts(&model, &pairs);
    assert!(names.iter().eq(expected.iter().map(|it| it.name.as_str())));
    let column = |name: &str| names.iter().position(|it| it == name).expect("a column");
    let rows: Vec<Vec<f64>> = reader
        .deserialize()
        .map(|it| it.expect("numbers"))
        .collect();
    let (first, last) = (&rows[0], &rows[rows.len() - 1]);
    let of = |name: &str| last[column(name)];
    let lost = first[column("energy")] - of("energy");
    let taken = of("friction_loss") + of("impact_loss") + of("other_loss");
    let given = of("drive_work") + of("force_work");
    assert!((lost + given - taken).abs() < 1e-12, "{lost} {taken}");
    // The second ball slides until it rolls, and the first one falls by 0.1 m.
    assert!((of("friction_loss") - 3.0 / 7.0).abs() < 1e-3);
    assert!((of("impact_loss") - 3.0 * 9.81 * 0.1).abs() < 0.05);
    assert!((of("contact_force.one.z") - 3.0 * 9.81).abs() < 1e-6);
    assert_eq!(of("contact_point.one.x"), 0.0);
    std::fs::remove_file(path).expect("removed");
}

#[test]
fn numbers_that_a_file_lacks_are_nan() {
    let model = samples::double_pendulum();
    for (name, text) in [
        (
            "few.csv",
            "t,q.shoulder,q.elbow,v.shoulder,v.elbow,tau.shoulder,tau.elbow,energy\n0,1,2,3,4,5,6,7\n",
        ),
        (
            "few.jsonl",
            "{\"t\":0,\"q\":[1,2],\"v\":[3,4],\"tau\":[5,6],\"energy\":7}\n",
        ),
    ] {
        let path = path(name);
        std::fs::write(&path, text).expect("written");
        let found = read(&path, &model).expect("a recording");
        assert_eq!(found.tau, [5.0, 6.0], "{name}");
        assert_eq!((found.others.len(), found.others[2]), (11, 7.0), "{name}");
        assert_eq!(found.others.iter().filter(|x| x.is_nan()).count(), 10);
        assert!(found.contacts.is_none(), "{name}");
        std::fs::remove_file(path).expect("removed");
    }
}
