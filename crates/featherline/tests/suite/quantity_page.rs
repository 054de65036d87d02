//! The book's page of quantities, and which door has which of them.

use crate::catalogue::of_last;
use featherline::batch::{Batch, BatchStatus};
use featherline::quantity::{CATALOGUE, Entry, Lanes, ListedQuantity};
use featherline::samples;
use std::fmt::Write;
use std::fs;

const PAGE: &str = "../../book/src/quantities.md";
const MARK: &str = "<!-- quantities -->\n";

/// Python's own calls in place of a method of that name.
const OTHERWISE_IN_PYTHON: [(&str, &str); 3] = [
    ("forward_kinematics", "`placements(q)`"),
    ("joint_placements", "`placements(q, [joint, …])`"),
    (
        "centroidal_map_and_momentum",
        "`centroidal_map`, `centroidal_momentum`",
    ),
];

fn source(path: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    fs::read_to_string(format!("{folder}{path}")).unwrap()
}

/// Inputs and outputs with their shapes: `q, v → bias: nv in N·m`.
fn signature(entry: &Entry) -> String {
    let inputs = entry.inputs.iter().map(ToString::to_string);
    let outputs = entry
        .outputs
        .iter()
        .map(|it| format!("{it} in {}", it.unit));
    format!(
        "{} → {}",
        inputs.collect::<Vec<_>>().join(", "),
        outputs.collect::<Vec<_>>().join("; ")
    )
}

/// Whether the library has lanes for a quantity.
fn has_lanes(listed: &ListedQuantity) -> bool {
    let model = samples::double_pendulum();
    let mut batch = Batch::<f64>::new(&model, 1).unwrap();
    let required = listed.entry.required().iter();
    let inputs: Vec<Vec<f64>> = required.map(|it| vec![0.5; it.len(&model)]).collect();
    let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
    let outputs = listed.entry.outputs.iter();
    let mut results: Vec<Vec<f64>> = outputs.map(|it| vec![0.0; it.len(&model)]).collect();
    let mut results: Vec<&mut [f64]> = results.iter_mut().map(|it| &mut it[..]).collect();
    let lanes = Lanes {
        batch: &mut batch,
        inputs: &inputs,
        results: &mut results,
        status: &mut [BatchStatus::default()],
    };
    of_last(listed, &model).run_in_double_lanes(lanes).is_some()
}

fn tables() -> String {
    let mut text =
        "\n| quantity | meaning | inputs → outputs | cost | source |\n|---|---|---|---|---|\n"
            .to_owned();
    for ListedQuantity { entry, .. } in CATALOGUE {
        let others: Vec<String> = (entry.words().skip(1))
            .map(|it| format!("`{it}`"))
            .collect();
        let others = match others.is_empty() {
            true => String::new(),
            false => format!(" ({})", others.join(", ")),
        };
        let parameters: String = (entry.parameters.iter())
            .map(|it| format!(" of a {}", it.name()))
            .filter(|it| !it.ends_with("reference"))
            .collect();
        let (name, meaning, signature) = (entry.name, entry.meaning(), signature(entry));
        let (cost, source) = (entry.cost, entry.source);
        writeln!(
            text,
            "| `{name}`{parameters}{others} | {meaning} | {signature} | {cost} | {source} |"
        )
        .unwrap();
    }
    text += "\n## Which door has which\n\n\
             `Batch` computes all of them: in lanes, several states with one instruction, or one after the\n\
             other in each thread, where a Rust program that names the type has lanes by `Batch::evaluate`.\n\
             Every one can be compiled.\n\n\
             | quantity | `Batch::compute` | `eval` | `compile` | Python | JavaScript |\n\
             |---|---|---|---|---|---|\n";
    let python = source("python/featherline/_native.pyi");
    let script = source("viewer/wasm/src/robot.rs");
    for listed in CATALOGUE {
        let entry = &listed.entry;
        let name = entry.name;
        let batch = if has_lanes(listed) {
            "lanes"
        } else {
            "in turn"
        };
        let not_of_a_state = entry
            .inputs
            .iter()
            .find(|it| ["q0", "q1", "t"].contains(&it.name));
        let eval = match not_of_a_state {
            Some(input) => format!("a state has no {}", input.name),
            None => "✓".to_owned(),
        };
        let otherwise = OTHERWISE_IN_PYTHON.iter().find(|(of, _)| *of == name);
        let in_python = match (python.contains(&format!("    def {name}(")), otherwise) {
            (true, _) => "✓",
            (false, Some((_, otherwise))) => otherwise,
            (false, None) => panic!("Python's Model has no `{name}`: add it, or say what it has"),
        };
        let in_script = match script.contains(&format!("pub fn {name}(")) {
            true => "✓",
            false => "",
        };
        writeln!(
            text,
            "| `{name}` | {batch} | {eval} | ✓ | {in_python} | {in_script} |"
        )
        .unwrap();
    }
    text
}

/// With `FEATHERLINE_WRITE_PAGES`, the page is written anew.
#[test]
fn the_page_of_quantities_is_that_of_the_catalogue() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let path = format!("{path}{PAGE}");
    let page = fs::read_to_string(&path).unwrap();
    let (head, _) = page.split_once(MARK).expect("the page has the mark");
    let now = format!("{head}{MARK}{}", tables());
    if std::env::var_os("FEATHERLINE_WRITE_PAGES").is_some() {
        fs::write(path, now).unwrap();
        return;
    }
    assert!(page == now, "run `cargo xtask quantities`");
}
