//! Recordings of `simulate`: the same numbers in every format, their names, joints and units.

use crate::process::vector;
use crate::simulate::{number, path, refused, simulate, summary};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use serde_json::Value;
use std::fs::{self, File};
use std::path::PathBuf;

/// The content of a recording: the names of its columns, and its rows.
pub type Table = (Vec<String>, Vec<Vec<f64>>);

pub fn read_csv(file: &PathBuf) -> Table {
    let mut reader = csv::Reader::from_path(file).expect("it was written");
    let names = reader
        .headers()
        .expect("names")
        .iter()
        .map(str::to_owned)
        .collect();
    let rows = reader
        .deserialize()
        .map(|row| row.expect("a row of numbers"));
    (names, rows.collect())
}

fn read_parquet(file: &PathBuf) -> Table {
    let reader =
        SerializedFileReader::new(File::open(file).expect("it was written")).expect("Parquet");
    let schema = reader
        .metadata()
        .file_metadata()
        .schema()
        .get_fields()
        .to_vec();
    let names: Vec<String> = schema.iter().map(|field| field.name().to_owned()).collect();
    let rows = reader.get_row_iter(None).expect("rows").map(|row| {
        let row = row.expect("a row");
        (0..names.len())
            .map(|k| row.get_double(k).expect("a number"))
            .collect()
    });
    let rows = rows.collect();
    (names, rows)
}

/// The messages on a topic, each with its time.
fn read_topic(file: &PathBuf, topic: &str) -> Vec<(u64, Value)> {
    let bytes = fs::read(file).expect("it was written");
    let messages = mcap::MessageStream::new(&bytes).expect("MCAP");
    let messages = messages.map(|message| message.expect("a message"));
    messages
        .filter(|message| message.channel.topic == topic)
        .map(|message| {
            assert_eq!(message.channel.message_encoding, "json");
            let schema = message.channel.schema.as_ref().expect("a schema");
            assert_eq!(schema.encoding, "jsonschema");
            serde_json::from_slice::<Value>(&schema.data).expect("the schema is JSON");
            let row = serde_json::from_slice(&message.data).expect("a message is JSON");
            (message.log_time, row)
        })
        .collect()
}

fn read_mcap(file: &PathBuf) -> Vec<(u64, Value)> {
    read_topic(file, "/robot")
}

fn bits(rows: &[Vec<f64>]) -> Vec<Vec<u64>> {
    rows.iter()
        .map(|row| row.iter().map(|x| x.to_bits()).collect())
        .collect()
}

#[test]
fn every_format_holds_the_same_numbers_to_the_last_bit() {
    let recorded = |extension: &str| {
        let file = path(&format!("formats.{extension}"));
        let name = file.to_str().expect("UTF-8");
        summary(&[
            "four_bar",
            "--seconds",
            "0.3",
            "--step",
            "0.005",
            "--every",
            "0.05",
            "--controller",
            "gravity",
            "--record",
            name,
        ]);
        file
    };
    let (names, rows) = read_csv(&recorded("csv"));
    assert_eq!(rows.len(), 7);
    assert_eq!(names[..2], ["t", "q.crank"]);
    let (parquet_names, parquet_rows) = read_parquet(&recorded("parquet"));
    assert_eq!(parquet_names, names);
    assert_eq!(bits(&parquet_rows), bits(&rows));
    let messages = read_mcap(&recorded("mcap"));
    assert_eq!(messages.len(), 7);
    let column = |name: &str| names.iter().position(|n| n == name).expect("a column");
    for ((time, message), row) in messages.iter().zip(&rows) {
        assert_eq!(*time, (row[0] * 1e9).round() as u64);
        assert_eq!(vector(&message["q"]), row[1..4]);
        assert_eq!(vector(&message["v"]), row[4..7]);
        assert_eq!(vector(&message["tau"]), row[7..10]);
        for key in [
            "t",
            "kinetic_energy",
            "potential_energy",
            "energy",
            "loop_gap",
            "loop_gap_rate",
        ] {
            assert_eq!(number(message, key), row[column(key)], "{key}");
        }
        for part in ["linear_momentum", "angular_momentum"] {
            for axis in ["x", "y", "z"] {
                assert_eq!(
                    number(&message[part], axis),
                    row[column(&format!("{part}.{axis}"))]
                );
            }
        }
        let sum = row[column("kinetic_energy")] + row[column("potential_energy")];
        assert_eq!(row[column("energy")], sum);
    }
}

/// Name, joint (null if none) and unit of a column.
fn column(name: &str, joint: Option<&str>, unit: &str) -> [Value; 3] {
    [name.into(), joint.into(), unit.into()]
}

#[test]
fn recordings_say_what_their_numbers_are() {
    // A body that floats, and a hinge.
    let recorded = |extension: &str| {
        let file = path(&format!("units.{extension}"));
        let name = file.to_str().expect("UTF-8");
        let short = ["--seconds", "0.01", "--every", "0.01", "--record", name];
        summary(&[&["humanoid"][..], &short].concat());
        file
    };
    let parquet = recorded("parquet");
    let names = read_parquet(&parquet).0;
    let reader = SerializedFileReader::new(File::open(&parquet).expect("it was written"));
    let reader = reader.expect("Parquet");
    let file = reader.metadata().file_metadata();
    let value = |key: &str| {
        let pairs = file.key_value_metadata().expect("metadata");
        let pair = pairs.iter().find(|pair| pair.key == key);
        pair.and_then(|pair| pair.value.clone()).expect("a value")
    };
    assert_eq!(value("robot"), "humanoid");
    let columns: Vec<Value> = serde_json::from_str(&value("columns")).expect("JSON");
    let told = |column: &Value| ["name", "joint", "unit"].map(|key| column[key].clone());
    let columns: Vec<_> = columns.iter().map(told).collect();
    let of_columns: Vec<_> = columns.iter().map(|[name, ..]| name.clone()).collect();
    assert_eq!(of_columns, names);
    let base = columns[1][1].as_str().expect("a joint").to_owned();
    let base_name = |entry: &str| entry.replace("BASE", &base);
    for (entry, joint, unit) in [
        ("t", None, "s"),
        ("q.BASE.z", Some(&base[..]), "m"),
        ("q.BASE.qw", Some(&base), "1"),
        ("v.BASE.z", Some(&base), "m/s"),
        ("v.BASE.rx", Some(&base), "rad/s"),
        ("tau.BASE.z", Some(&base), "N"),
        ("tau.BASE.rx", Some(&base), "N·m"),
        ("energy", None, "J"),
        ("angular_momentum.x", None, "N·m·s"),
        ("loop_gap", None, "m, rad"),
    ] {
        let own = column(&base_name(entry), joint, unit);
        assert!(columns.contains(&own), "{own:?} in {columns:?}");
    }
    // The schema of messages says the same, in the same order.
    let bytes = fs::read(recorded("mcap")).expect("it was written");
    let message = mcap::MessageStream::new(&bytes).expect("MCAP").next();
    let message = message.expect("a message").expect("it is sound");
    let schema = message.channel.schema.as_ref().expect("a schema");
    let schema: Value = serde_json::from_slice(&schema.data).expect("JSON");
    let row: Value = serde_json::from_slice(&message.data).expect("JSON");
    let properties = &schema["properties"];
    let mut of_entries = Vec::new();
    for what in ["q", "v", "tau"] {
        let (list, count) = (&properties[what], vector(&row[what]).len());
        assert_eq!([&list["minItems"], &list["maxItems"]], [count, count]);
        let entries = list["prefixItems"].as_array().expect("a list");
        assert_eq!(entries.len(), count);
        of_entries.extend(
            entries
                .iter()
                .map(|e| ["title", "joint", "unit"].map(|key| e[key].clone())),
        );
    }
    assert_eq!(of_entries, columns[1..=of_entries.len()]);
    for [name, _, unit] in &columns[1 + of_entries.len()..] {
        let name = name.as_str().expect("a name");
        // Messages have each contact in a list, and not sums for each body.
        if name.starts_with("contact_") {
            assert_eq!(properties["contacts"]["type"], "array");
            continue;
        }
        let pointer = name.replace('.', "/properties/");
        let own = properties.pointer(&format!("/{pointer}"));
        assert_eq!(own.expect("a number")["unit"], *unit, "{name}");
    }
    assert_eq!(properties["t"]["unit"], "s");
}

#[test]
fn the_same_simulation_gives_the_same_file_and_the_same_line() {
    let runs: Vec<_> = ["first", "second"]
        .iter()
        .map(|name| {
            let file = path(&format!("{name}_run.csv"));
            let record = file.to_str().expect("UTF-8");
            let run = simulate(&[
                "humanoid",
                "--seconds",
                "0.1",
                "--step",
                "0.005",
                "--record",
                record,
            ]);
            assert_eq!(run.code, 0, "{}", run.err);
            (run.out, fs::read(&file).expect("it was written"))
        })
        .collect();
    assert!(!runs[0].1.is_empty());
    assert!(runs[0] == runs[1]);
}

#[test]
fn columns_of_one_name_are_not_recorded() {
    let robot = path("names.urdf");
    let link = "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";
    let text = format!(
        "<robot name=\"r\"><link name=\"w\"/><link name=\"b\">{link}</link><link name=\"c\">{link}</link>\
         <joint name=\"f\" type=\"floating\"><parent link=\"w\"/><child link=\"b\"/></joint>\
         <joint name=\"f.x\" type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/></joint></robot>"
    );
    fs::write(&robot, text).expect("a file");
    let record = path("names.csv");
    let [robot, record] = [&robot, &record].map(|path| path.to_str().expect("UTF-8"));
    let short = [robot, "--seconds", "0.1"];
    summary(&short);
    refused(
        &[&short[..], &["--record", record]].concat(),
        "two columns would be called `q.f.x`",
    );
}

#[test]
fn a_long_quaternion_is_recorded_with_length_one() {
    let file = path("long.csv");
    let name = file.to_str().expect("UTF-8");
    let mut q = vec!["0"; 19];
    q[6] = "2";
    let q = q.join(",");
    summary(&["quadruped", "--seconds", "0.1", "--q", &q, "--record", name]);
    let (names, rows) = read_csv(&file);
    let w = names.iter().position(|name| name == "q.root_joint.qw");
    assert_eq!(rows[0][w.expect("a column")], 1.0);
}

#[test]
fn a_log_has_what_viewers_of_robots_draw() {
    let robot = path("drawn.urdf");
    let text = "
        <robot name='r'>
          <link name='base'><visual><geometry><sphere radius='0.5'/></geometry></visual></link>
          <link name='arm'>
            <inertial><origin xyz='0 0 1'/><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>
            <visual><origin xyz='0 0 3'/><geometry><box size='1 2 3'/></geometry></visual>
            <collision><geometry><box size='9 9 9'/></geometry></collision>
            <visual><geometry><mesh filename='none.stl'/></geometry></visual>
          </link>
          <joint name='j' type='continuous'>
            <parent link='base'/><child link='arm'/><origin xyz='0 0 7'/><axis xyz='0 0 1'/>
          </joint>
        </robot>";
    fs::write(&robot, text).expect("written");
    let file = path("drawn.mcap");
    let names = (
        robot.to_str().expect("UTF-8"),
        file.to_str().expect("UTF-8"),
    );
    let run = simulate(&[
        names.0,
        "--q",
        "2",
        "--v",
        "1",
        "--seconds",
        "0.02",
        "--every",
        "0.01",
        "--record",
        names.1,
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.contains("a shape of link `arm`") && run.err.contains("none.stl"),
        "{}",
        run.err
    );
    let frames = read_topic(&file, "/tf");
    assert_eq!(
        frames.iter().map(|it| it.0).collect::<Vec<_>>(),
        [0, 10_000_000, 20_000_000]
    );
    let frame = &frames[1].1["transforms"][0];
    assert_eq!(
        (&frame["parent_frame_id"], &frame["child_frame_id"]),
        (&"world".into(), &"j".into())
    );
    assert_eq!(
        (&frame["timestamp"]["sec"], &frame["timestamp"]["nsec"]),
        (&0.into(), &10_000_000.into())
    );
    assert_eq!(frame["translation"]["z"], 7.0);
    // Nothing acts about z: the angle is 2 + t.
    let half = 2.01_f64 / 2.0;
    for (part, expected) in [("z", half.sin()), ("w", half.cos())] {
        assert!(
            (number(&frame["rotation"], part) - expected).abs() < 1e-12,
            "{frame}"
        );
    }
    let scene = read_topic(&file, "/scene");
    assert_eq!(scene.len(), 1);
    let entities = &scene[0].1["entities"];
    let (base, arm) = (&entities[0], &entities[1]);
    assert_eq!(
        (&base["frame_id"], &base["id"]),
        (&"world".into(), &"base".into())
    );
    assert_eq!(base["spheres"][0]["size"]["x"], 1.0);
    assert_eq!(
        (&arm["frame_id"], &arm["frame_locked"]),
        (&"j".into(), &true.into())
    );
    assert_eq!(arm["cubes"].as_array().map(Vec::len), Some(1));
    assert_eq!(arm["cubes"][0]["size"]["y"], 2.0);
    assert_eq!(arm["cubes"][0]["pose"]["position"]["z"], 3.0);
}

/// A robot that drives hold: `tau` has their torques, and these did the work that is booked.
#[test]
fn torques_of_drives_are_recorded() {
    let file = path("held.csv");
    let record = file.to_str().expect("a path");
    summary(&[
        "quadruped",
        "--seconds",
        "0.05",
        "--every",
        "0.001",
        "--record",
        record,
    ]);
    let (names, rows) = read_csv(&file);
    let of = |what: &str| -> Vec<usize> {
        (0..names.len())
            .filter(|k| names[*k].starts_with(what))
            .collect()
    };
    let (tau, v, work) = (of("tau."), of("v."), of("drive_work")[0]);
    assert_eq!(tau.len(), v.len());
    for pair in rows.windows(2) {
        // λ (v⁻ + v⁺)/2 in steps of 1 ms
        let power = tau.iter().zip(&v);
        let power = power.map(|(tau, v)| pair[1][*tau] * 0.5 * (pair[0][*v] + pair[1][*v]));
        let done = 1e-3 * power.sum::<f64>();
        let booked = pair[1][work] - pair[0][work];
        // Sums of numbers of some N·m and rad/s.
        assert!((done - booked).abs() < 1e-13, "{done} {booked}");
    }
    let greatest = tau
        .iter()
        .fold(0.0_f64, |most, k| most.max(rows[50][*k].abs()));
    assert!(greatest > 1.0, "legs carry 128 N: {greatest}");
}
