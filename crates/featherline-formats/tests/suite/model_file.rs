//! Models saved and read again, and what is refused.

use featherline::joint::JointKind;
use featherline::model::{JointSpec, Limits, ModelBuilder};
use featherline::samples::{self, RandomTree, random_tree};
use featherline::spatial::{Inertia, Se3, Sym3, Vec3};
use featherline_formats::model_file::{VERSION, to_string, write_file};
use featherline_formats::{ErrorCause, load, load_str};

#[test]
fn every_kind_of_model_comes_back_to_the_last_bit() {
    let shape = RandomTree {
        joints: 30,
        branching: 0.5,
        every_kind: true,
        mimic_joints: true,
        floating: true,
    };
    let random = (0..8).map(|seed| random_tree(seed, &shape));
    for model in random.chain([samples::stewart(), samples::humanoid()]) {
        let read = load_str(&to_string(&model)).unwrap().model;
        assert_eq!(read, model);
        assert_eq!(read.content_hash(), model.content_hash());
    }
}

#[test]
fn infinite_limits_stay_infinite() {
    let mut builder = ModelBuilder::new("slider");
    let mut limits = Limits::unbounded(1, 1);
    limits.lower[0] = -0.1;
    let joint = JointSpec::new("slide", ModelBuilder::UNIVERSE, JointKind::prismatic_x());
    let joint = builder.add_joint(joint.limits(limits));
    let mass = Inertia::new(1.0, Vec3::zero(), Sym3::diagonal(Vec3::new(1.0, 1.0, 1.0)));
    builder.add_body(joint, "slider", Se3::identity(), mass);
    let model = builder.build().unwrap().model;
    let read = load_str(&to_string(&model)).unwrap().model;
    let limits = &read.joint(read.joint_id("slide").unwrap()).limits;
    assert_eq!((limits.lower[0], limits.upper[0]), (-0.1, f64::INFINITY));
}

#[test]
fn files_are_written_and_read() {
    let path = std::env::temp_dir().join(format!("featherline-model-{}.json", std::process::id()));
    let model = samples::double_pendulum();
    write_file(&model, &path).unwrap();
    let read = load(&path);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(read.unwrap().model, model);
    let missing = load("no/such/model.json").unwrap_err();
    assert!(
        matches!(missing.cause(), ErrorCause::Unreadable(_)),
        "{missing}"
    );
    let told = "no/such/model.json: the file can't be read: ";
    assert!(missing.to_string().starts_with(told), "{missing}");
}

#[test]
fn what_is_not_a_model_file_is_refused_with_its_reason() {
    let text = to_string(&samples::double_pendulum());
    let refused = |text: &str| load_str(text).unwrap_err();
    let version = format!("\"featherline_model\":{VERSION}");
    assert!(text.contains(&version));
    let newer = refused(&text.replace(&version, "\"featherline_model\":7"));
    assert!(
        matches!(newer.cause(), ErrorCause::ModelFileVersion { found: 7, .. }),
        "{newer}"
    );
    // A later version need not hold anything that this one knows.
    let newer = refused("{\"featherline_model\": 7, \"robot\": []}");
    assert!(
        matches!(newer.cause(), ErrorCause::ModelFileVersion { found: 7, .. }),
        "{newer}"
    );
    let other = refused("{\"name\": \"panda\"}");
    assert!(
        matches!(other.cause(), ErrorCause::NotAModelFile),
        "{other}"
    );
    let cut = refused(&text[..text.len() / 2]);
    assert!(matches!(cut.cause(), ErrorCause::NotJson(_)), "{cut}");
    let impossible = text.replacen("\"mass\":", "\"mass\":-", 2);
    let impossible = refused(&impossible);
    assert!(
        matches!(impossible.cause(), ErrorCause::InvalidModel(_)),
        "{impossible}"
    );
    assert!(impossible.to_string().contains("mass"), "{impossible}");
    let empty = refused("{\"featherline_model\": 1}");
    assert!(
        empty.to_string().contains("missing field `model`"),
        "{empty}"
    );
}

#[test]
fn an_error_has_its_line_and_column() {
    let text = to_string(&samples::double_pendulum());
    // One field a line; multibyte characters count once.
    let text = text
        .replace(",\"", ",\n\"")
        .replace("{\"", "{\n\"")
        .replace("double_pendulum", "δ");
    let path = std::env::temp_dir().join(format!("featherline-lines-{}.json", std::process::id()));
    let refused = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let error = load(&path).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        let located = error.to_string();
        let in_file = located.strip_prefix(path.to_str().unwrap()).unwrap();
        in_file.trim_start_matches(':').to_owned()
    };
    let lines: Vec<&str> = text.lines().collect();
    let last = lines
        .iter()
        .rposition(|line| line.starts_with("\"mass\":"))
        .unwrap();
    let with = |line: String| {
        let mut changed = lines.clone();
        changed[last] = &line;
        changed.join("\n")
    };
    // Position of what was read last: the end of the number, or the letter.
    let wrong = refused(&with("\"mass\":\"heavy\"".to_owned() + ","));
    assert!(
        wrong.starts_with(&format!("{}:14: invalid type: string \"heavy\"", last + 1)),
        "{wrong}"
    );
    let misspelt = refused(&with("\"mass\":x,".to_owned()));
    assert!(
        misspelt.starts_with(&format!("{}:8: expected value", last + 1)),
        "{misspelt}"
    );
    // An error that no single number causes has no line.
    let number = lines[last].trim_start_matches("\"mass\":");
    let invalid = refused(&with(format!("\"mass\":-{number}")));
    assert!(
        invalid.starts_with(" the model is not valid: "),
        "{invalid}"
    );
    let one_line = refused("{\"name\": \"δδ\" \"x\"}");
    assert!(one_line.starts_with("1:15: expected `,`"), "{one_line}");
}
