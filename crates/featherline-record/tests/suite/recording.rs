//! Recordings: every format has the same numbers, and what is refused is named.

use featherline::Model;
use featherline::joint::JointKind;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::samples;
use featherline::spatial::{Inertia, Se3, Sym3, Vec3};
use featherline_record::chart::{History, check_path, terminal, write_svg};
use featherline_record::{RecordError, RecordFormat, Recording, columns};
use featherline_sim::integrator::RungeKutta4;
use featherline_sim::simulation::{Method, Recorder, Sample, Simulator};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Simulates for a tenth of a second with samples every hundredth.
fn simulate(model: &Model, recorder: &mut impl Recorder) {
    let method = Method::steps(RungeKutta4::new(model), 0.005).unwrap();
    let q = model.neutral_configuration();
    let simulator = Simulator::new(model, method);
    let speeds = vec![0.1; model.nv()];
    let mut simulation = simulator.start_assembled(0.0, &q, &speeds).unwrap();
    simulation.run(0.1, 0.01, recorder).unwrap();
}

/// Records a motion in a file, and gives the samples' times and configurations.
fn record(model: &Model, path: &Path) -> Vec<(f64, Vec<f64>)> {
    let mut samples = Vec::new();
    let mut recording = Recording::create(path, model).unwrap();
    let mut keep = |sample: &Sample<'_>| samples.push((sample.t, sample.q.to_vec()));
    simulate(model, &mut (&mut keep, &mut recording));
    recording.finish().unwrap();
    samples
}

#[test]
fn csv_and_json_lines_have_the_numbers_of_the_samples_to_the_last_bit() {
    let model = samples::stewart();
    let (csv_file, json_file) = (path("stewart.csv"), path("stewart.jsonl"));
    let samples = record(&model, &csv_file);
    assert_eq!(samples, record(&model, &json_file));
    assert_eq!(samples.len(), 11);
    let mut reader = csv::Reader::from_path(&csv_file).unwrap();
    let names: Vec<String> = reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_owned)
        .collect();
    let expected: Vec<String> = columns(&model)
        .into_iter()
        .map(|column| column.name)
        .collect();
    assert_eq!(names, expected);
    let rows: Vec<Vec<f64>> = reader.deserialize().map(Result::unwrap).collect();
    let text = std::fs::read_to_string(&json_file).unwrap();
    let objects: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((rows.len(), objects.len()), (11, 11));
    let energy = names.iter().position(|name| name == "energy").unwrap();
    for (((t, q), row), object) in samples.iter().zip(&rows).zip(&objects) {
        assert_eq!((*t, &q[..]), (row[0], &row[1..=model.nq()]));
        assert_eq!(object["t"].as_f64(), Some(*t));
        let of_json = object["q"].as_array().unwrap();
        assert!(of_json.iter().zip(q).all(|(a, b)| a.as_f64() == Some(*b)));
        assert_eq!(object["energy"].as_f64(), Some(row[energy]));
    }
}

#[test]
fn every_format_is_built_and_writes_a_file() {
    let model = samples::double_pendulum();
    for format in [
        RecordFormat::Csv,
        RecordFormat::JsonLines,
        RecordFormat::Parquet,
        RecordFormat::Mcap,
    ] {
        let magic = match format {
            RecordFormat::Csv => &b"t,q."[..],
            RecordFormat::JsonLines => b"{\"t\":",
            RecordFormat::Parquet => b"PAR1",
            RecordFormat::Mcap => b"\x89MCAP0",
        };
        assert!(format.is_built());
        let path = path(&format!("magic.{format}"));
        assert_eq!(RecordFormat::of_path(&path), Some(format));
        record(&model, &path);
        let bytes = std::fs::read(&path).unwrap();
        assert!(bytes.starts_with(magic), "{format}");
    }
}

/// A chain of two sliders with these names.
fn sliders(first: &str, second: JointKind, name: &str) -> Model {
    let mass = Inertia::new(1.0, Vec3::zero(), Sym3::diagonal(Vec3::new(1.0, 1.0, 1.0)));
    let mut builder = ModelBuilder::new("sliders");
    let root = JointSpec::new(first, ModelBuilder::UNIVERSE, JointKind::prismatic_x());
    let root = builder.add_joint(root);
    builder.add_body(root, "one", Se3::identity(), mass);
    let tip = builder.add_joint(JointSpec::new(name, root, second));
    builder.add_body(tip, "two", Se3::identity(), mass);
    builder.build().unwrap().model
}

#[test]
fn what_can_not_be_recorded_is_a_typed_error() {
    let model = samples::double_pendulum();
    let refused = |path: &str, model: &Model| Recording::create(path, model).unwrap_err();
    let other = refused("motion.txt", &model);
    assert!(
        matches!(other, RecordError::UnknownFormat { .. }),
        "{other}"
    );
    let nowhere = refused("no/such/folder/motion.csv", &model);
    assert!(matches!(nowhere, RecordError::Create { .. }), "{nowhere}");
    // A translation `a` has the component `a.x`.
    let twice = sliders("a.x", JointKind::Translation, "a");
    let twice = refused(path("twice.csv").to_str().unwrap(), &twice);
    assert!(
        matches!(&twice, RecordError::DuplicateColumn { name } if name.ends_with("a.x")),
        "{twice}"
    );
    assert!(!path("twice.csv").exists());
    let picture = check_path(Path::new("motion.png")).unwrap_err();
    assert!(
        matches!(picture, RecordError::UnknownChart { .. }),
        "{picture}"
    );
}

#[test]
fn a_name_with_a_comma_stays_one_column() {
    let model = sliders("first, of two", JointKind::prismatic_y(), "second");
    let path = path("comma.csv");
    record(&model, &path);
    let mut reader = csv::Reader::from_path(&path).unwrap();
    assert_eq!(&reader.headers().unwrap()[1], "q.first, of two");
    assert_eq!(reader.headers().unwrap().len(), columns(&model).len());
}

#[test]
fn curves_are_drawn_in_files_and_in_terminals() {
    let model = samples::four_bar();
    let mut history = History::new(&model);
    simulate(&model, &mut history);
    // Energies, their sum since the start, momentum, loop error.
    let panels = history.panels();
    assert_eq!(panels.len(), 4);
    let [kinetic, potential, total] = &panels[0].series[..] else {
        panic!("{:?}", panels[0]);
    };
    assert_eq!(
        kinetic.points[0].1 + potential.points[0].1,
        total.points[0].1
    );
    assert_eq!(history.conservation().samples(), 11);
    let path = path("curves.svg");
    write_svg(&path, model.name(), &panels).unwrap();
    let picture = std::fs::read_to_string(&path).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains("loop error"));
    assert!(terminal(model.name(), &panels, 80).contains("loop error"));
}
