//! `featherline system --export`: the files, read back.

use crate::process::{Run, json_lines, run, vector};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The entries of a matrix, by row and column from 0, with its size.
struct Matrix {
    size: [usize; 2],
    entries: BTreeMap<(usize, usize), f64>,
}

/// Reads a file in the Matrix Market format (Boisvert, Pozo and Remington 1996).
fn matrix(path: &Path) -> Matrix {
    let text = std::fs::read_to_string(path).expect("the file is there");
    let mut lines = text.lines();
    let header = lines.next().expect("a header");
    let is_sparse = match header {
        "%%MatrixMarket matrix coordinate real general" => true,
        "%%MatrixMarket matrix array real general" => false,
        other => panic!("{other}"),
    };
    let mut numbers = lines.filter(|line| !line.starts_with('%')).map(|line| {
        let numbers = line.split(' ').map(|word| word.parse().expect("a number"));
        numbers.collect::<Vec<f64>>()
    });
    let size = numbers.next().expect("a size");
    let entries: BTreeMap<_, _> = numbers
        .enumerate()
        .map(|(k, line)| match is_sparse {
            true => ((line[0] as usize - 1, line[1] as usize - 1), line[2]),
            false => ((k, 0), line[0]),
        })
        .collect();
    assert_eq!(
        entries.len(),
        *size.last().filter(|_| is_sparse).unwrap_or(&size[0]) as usize
    );
    Matrix {
        size: [size[0] as usize, size[1] as usize],
        entries,
    }
}

/// The cells of a table, without its heading.
fn cells(path: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(path).expect("the file is there");
    let records = reader.records().map(|record| record.expect("a record"));
    records
        .map(|record| record.iter().map(str::to_owned).collect())
        .collect()
}

fn product(a: &Matrix, b: &Matrix) -> BTreeMap<(usize, usize), f64> {
    let mut sums = BTreeMap::new();
    for (&(i, k), x) in &a.entries {
        for (&(_, j), y) in b.entries.range((k, 0)..(k + 1, 0)) {
            *sums.entry((i, j)).or_insert(0.0) += x * y;
        }
    }
    sums
}

fn export(name: &str, arguments: &[&str]) -> (PathBuf, Run) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    let path = folder.to_str().expect("a path").to_owned();
    let run = run(&[&["system"], arguments, &["--export", &path]].concat());
    (folder, run)
}

/// Checks D y = b for the printed y, and P D Q = L U + R with L lower and U upper triangular.
/// Returns how many blocks there are.
fn check(name: &str, arguments: &[&str]) -> usize {
    let (folder, run) = export(name, arguments);
    assert_eq!(run.code, 0, "{name}: {}", run.err);
    let answer = &json_lines(&run.out)[0];
    let read = |file: &str| matrix(&folder.join(file));
    let (d, b) = (read("D.mtx"), read("b.mtx"));
    let y = vector(&answer["y"]);
    let written: Vec<f64> = read("y.mtx").entries.into_values().collect();
    assert_eq!(y, written);
    assert_eq!(d.size, [b.size[0], y.len()]);
    let scale = y.iter().fold(1.0_f64, |scale, y| scale.max(y.abs()));
    for (row, right) in (0..d.size[0]).zip(b.entries.values()) {
        let terms = d
            .entries
            .range((row, 0)..(row + 1, 0))
            .map(|(&(_, column), value)| value * y[column]);
        assert!(
            (terms.sum::<f64>() - right).abs() < 1e-10 * scale,
            "{name}, row {row}"
        );
    }
    let order = cells(&folder.join("order.csv"));
    let number =
        |pivot: usize, cell: usize| order[pivot][cell].parse::<usize>().expect("a number") - 1;
    let (l, u, r) = (read("L.mtx"), read("U.mtx"), read("R.mtx"));
    assert!(l.entries.keys().all(|&(row, column)| row >= column));
    assert!(u.entries.keys().all(|&(row, column)| row <= column));
    // R joins blocks, and is below them.
    assert!(
        r.entries
            .keys()
            .all(|&(row, column)| number(row, 1) > number(column, 1))
    );
    let mut left = product(&l, &u);
    for (&at, value) in &r.entries {
        *left.entry(at).or_insert(0.0) += value;
    }
    let mut largest = 0.0_f64;
    for pivot in 0..order.len() {
        for other in 0..order.len() {
            let at = (number(pivot, 2), number(other, 3));
            let expected = d.entries.get(&at).copied().unwrap_or(0.0);
            let found = left.get(&(pivot, other)).copied().unwrap_or(0.0);
            largest = largest.max((found - expected).abs());
        }
    }
    assert!(
        largest < 1e-9,
        "{name}: P D Q and L U + R differ by {largest:e}"
    );
    // Each row and column has its name.
    let (rows, columns) = (
        cells(&folder.join("rows.csv")),
        cells(&folder.join("columns.csv")),
    );
    assert_eq!([rows.len(), columns.len()], d.size);
    number(order.len() - 1, 1) + 1
}

#[test]
fn inverse_dynamics_is_triangular_with_blocks_of_one() {
    let known = ["panda", "--known", "joint-accelerations,no-external-forces"];
    assert_eq!(check("export_inverse", &known), 7 * 18 + 2 * 7);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("export_inverse");
    let upper = matrix(&folder.join("U.mtx"));
    assert!(
        upper
            .entries
            .iter()
            .all(|(&(row, column), &value)| row == column && value == 1.0)
    );
    // A name with its unit and frame, as the README of the format promises.
    let columns = cells(&folder.join("columns.csv"));
    assert_eq!(
        columns[2],
        ["3", "acceleration", "panda_joint1", "z", "m/s²", "link"]
    );
    assert_eq!(
        columns[139],
        [
            "140",
            "joint-acceleration",
            "panda_joint7",
            "0",
            "rad/s²",
            ""
        ]
    );
    let rows = cells(&folder.join("rows.csv"));
    assert_eq!(
        rows[42 + 5],
        [
            "48",
            "force-balance",
            "panda_joint1",
            "about z",
            "N·m",
            "link"
        ]
    );
}

#[test]
fn forward_dynamics_is_factorised_in_every_order() {
    for order in ["aba", "crba_ltdl", "markowitz", "colamd"] {
        let known = [
            "panda",
            "--known",
            "tau,no-external-forces",
            "--orders",
            order,
        ];
        assert!(check(&format!("export_{order}"), &known) < 140, "{order}");
    }
}

#[test]
fn a_sample_is_exported_as_it_was_given() {
    let line = r#"{"q": [0.3, -0.2], "v": [1, 2], "qdd": [3, 4]}"#;
    let sample = crate::process::file("export_sample.jsonl", line);
    let sample = sample.to_str().expect("a path");
    let known = [
        "double_pendulum",
        "--known",
        "qdd,no-external-forces",
        "--sample",
        sample,
    ];
    check("export_given", &known);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("export_given");
    let written = std::fs::read_to_string(folder.join("sample.jsonl")).expect("the file is there");
    assert_eq!(written.trim(), line);
    // The same torques as inverse dynamics.
    let y: Vec<f64> = matrix(&folder.join("y.mtx"))
        .entries
        .into_values()
        .collect();
    let torques = crate::process::evaluate(
        &["double_pendulum", "--states", "-", "--compute", "tau"],
        r#"{"q": [0.3, -0.2], "v": [1, 2], "a": [3, 4]}"#,
    );
    crate::process::close("torques", &y[36..38], &vector(&torques[0]["tau"]), 1e-12);
}

#[test]
fn what_cannot_be_eliminated_is_exported_without_factors() {
    // Redundant loop constraints; and more sensors than needed.
    for (name, robot) in [("export_loops", "four_bar"), ("export_open", "humanoid")] {
        let (folder, run) = export(name, &[robot, "--known", "qdd,no-external-forces"]);
        assert_eq!(run.code, 0, "{}", run.err);
        if robot == "four_bar" {
            assert!(
                run.err.contains("there are no factors and no y"),
                "{}",
                run.err
            );
            assert!(!folder.join("L.mtx").exists());
        }
        assert!(folder.join("D.mtx").exists());
        let rows = cells(&folder.join("rows.csv"));
        assert_eq!(rows.len(), matrix(&folder.join("D.mtx")).size[0]);
    }
}

#[test]
fn one_order_is_exported() {
    let (_, run) = export(
        "export_many",
        &[
            "panda",
            "--known",
            "tau,no-external-forces",
            "--orders",
            "aba,amd",
        ],
    );
    assert_eq!(run.code, 2);
    assert!(run.err.contains("one order"), "{}", run.err);
}
