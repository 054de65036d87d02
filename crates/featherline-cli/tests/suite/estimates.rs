//! `featherline system --estimate`.

use crate::process::{file, json_lines, matrix, run, run_with, vector};
use crate::samples::{WRIST, error, wrist};
use serde_json::{Value, json};

fn estimated(samples: &[Value]) -> Vec<Value> {
    let input: String = samples.iter().map(|sample| format!("{sample}\n")).collect();
    let run = run_with(
        &["system", "panda", "--sensors", WRIST, "--estimate", "-"],
        &input,
    );
    assert_eq!(run.code, 0, "{}", run.err);
    json_lines(&run.out)
}

#[test]
fn an_estimate_is_near_its_sensors_and_knows_how_near() {
    let samples = wrist("100");
    let estimates = estimated(&samples);
    assert_eq!(estimates.len(), 100);
    let (mut within, mut statistic, mut degrees) = (0, 0.0, 0.0);
    for (sample, estimate) in samples.iter().zip(&estimates) {
        assert_eq!(sample["t"], estimate["t"]);
        let (mean, sigma) = (&estimate["tau"]["mean"], &estimate["tau"]["sigma"]);
        let reading = vector(&sample["torque_2"])[0];
        // The sensor's own deviation is 0.1, and the others tell a little more.
        let sigma = vector(sigma)[1];
        assert!(sigma < 0.1 && sigma > 0.05, "{sigma}");
        within += usize::from((vector(mean)[1] - reading).abs() < 0.2);
        statistic += estimate["chi_square"]["statistic"]
            .as_f64()
            .expect("a number");
        degrees += estimate["chi_square"]["degrees_of_freedom"]
            .as_f64()
            .expect("a number");
        assert_eq!(
            vector(&estimate["external-force:panda_joint7"]["mean"]).len(),
            6
        );
    }
    assert!(within > 90, "{within}");
    assert!(
        (statistic - degrees).abs() < 5.0 * (2.0 * degrees).sqrt(),
        "{statistic} {degrees}"
    );
}

#[test]
fn covariances_are_those_of_the_deviations() {
    let samples: String = wrist("3").iter().map(|line| format!("{line}\n")).collect();
    let estimate = |options: &[&str]| {
        let estimate = ["system", "panda", "--sensors", WRIST, "--estimate", "-"];
        let run = run_with(&[&estimate[..], options].concat(), &samples);
        assert_eq!(run.code, 0, "{}", run.err);
        json_lines(&run.out)
    };
    let equation = ["--equation", "1e-3"];
    let options = ["--prior", "1e3", "--covariance"];
    for line in estimate(&[&equation[..], &options].concat()) {
        for word in ["tau", "external-force:panda_joint7"] {
            let covariance = matrix(&line[word]["covariance"]);
            let sigma = vector(&line[word]["sigma"]);
            let mut related = 0;
            for (r, row) in covariance.iter().enumerate() {
                assert!((row[r].sqrt() / sigma[r] - 1.0).abs() < 1e-4, "{word}");
                for (c, entry) in row.iter().enumerate() {
                    assert_eq!(*entry, covariance[c][r], "{word}");
                    assert!(entry.abs() <= sigma[r] * sigma[c] * (1.0 + 1e-4), "{word}");
                    related += usize::from(r != c && *entry != 0.0);
                }
            }
            assert!(related > 0, "{word}");
        }
    }
    assert!(estimate(&[])[0]["tau"]["covariance"].is_null());
    let table = ["--format", "table", "--covariance"];
    let refused = |options: &[&str]| {
        let estimate = ["system", "panda", "--sensors", WRIST, "--estimate", "-"];
        let run = run(&[&estimate[..], options].concat());
        assert_eq!((run.code, run.out.as_str()), (2, ""));
        run.err
    };
    assert!(refused(&table).contains("--format jsonl"));
}

#[test]
fn a_prior_in_the_file_is_believed_as_far_as_it_says() {
    let sensors = std::fs::read_to_string(WRIST).expect("it is there");
    let samples: String = wrist("2").iter().map(|line| format!("{line}\n")).collect();
    let estimated = |prior: &str, name: &str| {
        let path = file(name, &format!("{sensors}\n{prior}"));
        let path = path.to_str().expect("UTF-8").to_owned();
        let want = ["--estimate", "-", "--want", "external-force:panda_joint7"];
        run_with(
            &[&["system", "panda", "--sensors", &path], &want[..]].concat(),
            &samples,
        )
    };
    let force = |prior: &str, name: &str| {
        let run = estimated(prior, name);
        assert_eq!(run.code, 0, "{}", run.err);
        let line = json_lines(&run.out).remove(0);
        (
            vector(&line["external-force:panda_joint7"]["mean"]),
            vector(&line["external-force:panda_joint7"]["sigma"]),
        )
    };
    // The hand is touched at a point of its flange, 107 mm from the joint, which holds exactly: the
    // moments are those of the forces.
    let block = |deviation: &str| {
        format!(
            "[[prior]]\nof = \"external-force:panda_joint7\"\nmean = [1, 2, 3, -0.214, 0.107, 0]\nsigma = {deviation}\n"
        )
    };
    let (_, usual) = force("", "prior-none.toml");
    let (mean, sigma) = force(&block("1e-4"), "prior-narrow.toml");
    assert!(
        (0..3).all(|k| (mean[k] - (k + 1) as f64).abs() < 0.01),
        "{mean:?}"
    );
    assert!(sigma.iter().all(|&sigma| sigma < 1.01e-4), "{sigma:?}");
    let (_, sigma) = force(&block("1e6"), "prior-wide.toml");
    for (sigma, usual) in sigma.iter().zip(&usual) {
        // Exact quantities have no deviation.
        let off = (sigma - usual).abs();
        assert!(off < 1e-2 * usual + 1e-8, "{sigma} {usual}");
    }
    let skew = block("1").replace("sigma = 1", "covariance = [[1, 2], [3, 4]]");
    let refused = estimated(&skew, "prior-skew.toml");
    assert_eq!(refused.code, 2);
    let line = sensors.lines().count() + 5;
    let place = format!("prior-skew.toml: line {line}, column 14: the prior of");
    assert!(refused.err.contains(&place), "{}", refused.err);
}

#[test]
fn a_gross_error_is_told_by_the_name_of_its_sensor_and_a_silent_sensor_does_not_count() {
    let mut samples = wrist("3");
    samples[1]["torque_4"] = json!([50.0]);
    samples[2]["torque_4"] = Value::Null;
    let estimates = estimated(&samples);
    assert_eq!(estimates[0]["largest"]["outlier"], false);
    assert_eq!(estimates[1]["largest"]["sensor"], "torque_4");
    assert_eq!(estimates[1]["largest"]["outlier"], true);
    assert_eq!(estimates[1]["suspect"]["sensor"], "torque_4");
    let together = &estimates[1]["sensors"]["torque_4"];
    assert_eq!(together["degrees_of_freedom"], 1.0);
    assert!(together["probability"].as_f64() < Some(1e-6));
    assert!(estimates[0]["sensors"]["wrist"]["probability"].as_f64() > Some(1e-3));
    assert!(estimates[1]["chi_square"]["probability"].as_f64() < Some(1e-6));
    assert_eq!(estimates[2]["residuals"]["torque_4"], json!([null]));
    assert_eq!(estimates[2]["largest"]["outlier"], false);
    let sigma = |k: usize| vector(&estimates[k]["tau"]["sigma"])[3];
    assert!(sigma(2) > 1.01 * sigma(0), "{} {}", sigma(2), sigma(0));
}

#[test]
fn without_a_prior_what_nothing_tells_is_an_error() {
    let arguments = [
        "system",
        "panda",
        "--known",
        "no-external-forces",
        "--estimate",
        "-",
    ];
    let sample = json!({"q": vec![0.1; 7], "v": vec![0.0; 7]}).to_string();
    let broad = run_with(&arguments, &sample);
    assert_eq!(broad.code, 0, "{}", broad.err);
    let sigma = &json_lines(&broad.out)[0]["qdd"]["sigma"];
    assert!(vector(sigma).iter().all(|sigma| *sigma > 10.0), "{sigma}");
    let none = run_with(&[&arguments[..], &["--prior", "none"]].concat(), &sample);
    assert_eq!(none.code, 2);
    let reason = json_lines(&none.out)[0]["error"]["reason"].to_string();
    assert!(reason.contains("do not determine"), "{reason}");
    let zero = run(&[&arguments[..], &["--prior", "0"]].concat());
    assert!(
        zero.err.contains("a number between 1e-153 and 1e153"),
        "{}",
        zero.err
    );
}

#[test]
fn an_estimate_that_overflows_is_an_error_at_the_number_behind_it() {
    let mut samples = wrist("3");
    samples[1]["imu"] = json!([0.1, -1e300, 0.2]);
    // A larger number, but an angle: it has a sine.
    samples[1]["q"][0] = json!(1e308);
    let lines: Vec<String> = samples.iter().map(Value::to_string).collect();
    let input = lines.join("\n");
    let run = run_with(
        &["system", "panda", "--sensors", WRIST, "--estimate", "-"],
        &input,
    );
    assert_eq!(run.code, 2);
    let answers = json_lines(&run.out);
    assert_eq!(answers[1]["error"]["line"], 2);
    let (reason, column) = error(&answers[1]);
    assert!(
        reason.contains("`imu`[1] = -1e300") && reason.contains("leave the state out"),
        "{reason}"
    );
    let end = lines[1]
        .find("1e+300")
        .or(lines[1].find("1e300"))
        .expect("it stands there");
    assert!(
        (end..=end + 8).contains(&column),
        "{column} is not near {end}"
    );
    assert!(run.err.contains("line 2, column"), "{}", run.err);
    // The others have their estimates.
    for k in [0, 2] {
        assert_eq!(answers[k]["largest"]["outlier"], false);
    }
}

#[test]
fn an_estimate_that_overflows_has_no_numbers_and_a_velocity_is_named() {
    let sensors = file(
        "prior-far.toml",
        "known = [\"no-external-forces\"]\n\
         [[sensor]]\nname = \"s\"\ntype = \"joint-force\"\njoint = \"shoulder\"\nsigma = 0.1\n\
         [[sensor]]\nname = \"e\"\ntype = \"joint-force\"\njoint = \"elbow\"\nsigma = 0.1\n\
         [[prior]]\nof = \"joint-acceleration:elbow\"\nmean = 1e300\nsigma = 1.0\n",
    );
    let arguments = [
        "system",
        "double_pendulum",
        "--sensors",
        sensors.to_str().expect("a plain path"),
        "--estimate",
        "-",
    ];
    let run = run_with(&arguments, r#"{"q": [0, 0], "v": [0, 0], "s": 1, "e": 1}"#);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("the inputs are too large"), "{}", run.err);
    // A velocity whose square is too large, beside a torque whose square alone would be.
    let state = r#"{"q": [0.1, 0.2], "v": [1e160, 0], "joint-forces": [0, 1e200]}"#;
    for how in ["--estimate", "--solve"] {
        let known = "joint-forces,no-external-forces";
        let arguments = ["system", "double_pendulum", "--known", known, how, "-"];
        let cache = ["--cache", "none", "--search", "0.1"];
        let cache = if how == "--solve" { &cache[..] } else { &[] };
        let run = run_with(&[&arguments[..], cache].concat(), state);
        let (reason, _) = error(&json_lines(&run.out)[0]);
        assert!(reason.contains("`v`[0] = 1e160"), "{how}: {reason}");
    }
}

#[test]
fn sensors_may_be_as_fine_as_they_like() {
    // Seven torques tell the wrench on the hand through its Jacobian J with covariance σ² (J Jᵀ)⁻¹:
    // deviations are in proportion to σ.
    let estimated = |sigma: &str, more: &[&str]| {
        let mut sensors = String::from(
            "known = [\"joint-accelerations\", \"no-external-forces\"]\n[[sensor]]\nname = \"hand\"\n\
             type = \"external-force\"\nframe = \"panda_link8\"\ncomponents = [\"fx\"]\nsigma = 1000\n",
        );
        let mut sample =
            json!({"q": [0.3, -0.8, 0.2, -1.9, 0.4, 1.7, 0.5], "v": vec![0; 7], "hand": 0});
        sample["qdd"] = json!(vec![0; 7]);
        for k in 1..=7 {
            sensors += &format!(
                "[[sensor]]\nname = \"torque_{k}\"\ntype = \"joint-force\"\njoint = \"panda_joint{k}\"\nsigma = {sigma}\n"
            );
            sample[format!("torque_{k}")] = json!(0);
        }
        let path = file(&format!("torques_{sigma}.toml"), &sensors);
        let path = path.to_str().expect("the path is UTF-8");
        let arguments = ["system", "panda", "--sensors", path, "--estimate", "-"];
        let wanted = ["--want", "external-force:panda_joint7"];
        let done = run_with(
            &[&arguments[..], &wanted, more].concat(),
            &sample.to_string(),
        );
        assert_eq!(done.code, 0, "{}", done.err);
        let sigma = vector(&json_lines(&done.out)[0]["external-force:panda_joint7"]["sigma"]);
        (sigma, done.err)
    };
    let (coarse, silence) = estimated("0.1", &[]);
    assert!(
        !silence.contains("finer") && !silence.contains("warning"),
        "{silence}"
    );
    for exponent in [3, 5, 7] {
        let (fine, silence) = estimated(&format!("1e-{}", exponent + 1), &[]);
        assert!(!silence.contains("warning"), "{silence}");
        for (fine, coarse) in fine.iter().zip(&coarse) {
            let ratio = 10.0_f64.powi(exponent) * fine / coarse;
            assert!((ratio - 1.0).abs() < 1e-6, "{fine} {coarse}");
        }
    }
    let (fine, _) = estimated("0.0001", &[]);
    let (blurred, _) = estimated("0.0001", &["--equation", "1e-3"]);
    assert!(blurred[0] > 10.0 * fine[0]);
}
