//! The robots of `descriptions/`, with every kind of joint, against the numbers of `golden/`.

use featherline::Workspace;
use featherline::joint::JointKind;
use featherline_conformance::layout::Layout;
use featherline_conformance::quantities::{Systems, compare};
use featherline_conformance::verdict::{Quantities, Verdict};
use featherline_conformance::{description, golden};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn names(name: &str) -> BTreeSet<String> {
    let files = std::fs::read_dir(folder(name)).unwrap();
    let stems = files.map(|file| file.unwrap().path().file_stem().unwrap().to_owned());
    stems.map(|stem| stem.into_string().unwrap()).collect()
}

#[test]
fn every_description_has_its_numbers() {
    let descriptions = names("descriptions");
    assert!(descriptions.len() >= 18);
    assert_eq!(descriptions, names("golden"));
}

#[test]
fn every_kind_of_joint_is_described() {
    let mut kinds = BTreeSet::new();
    for name in names("descriptions") {
        let path = folder("descriptions").join(name).with_extension("json");
        let model = description::read(&path).unwrap();
        kinds.extend(model.joints().iter().map(|joint| joint.kind.name()));
    }
    // The universe is fixed.
    assert_eq!(kinds, BTreeSet::from(JointKind::NAMES));
}

#[test]
fn every_number_of_every_robot_agrees() {
    let mut quantities = Quantities::default();
    let mut complaints = Vec::new();
    let mut states = 0;
    for name in names("descriptions") {
        let model = description::read(&folder("descriptions").join(&name).with_extension("json"));
        let model = model.unwrap();
        let golden = golden::read(&folder("golden").join(&name).with_extension("json")).unwrap();
        assert_eq!(golden.description, model.name());
        let layout = Layout::new(&model, &golden.robot).unwrap();
        let mut ws = Workspace::new(&model);
        let mut systems = Systems::new(&model).unwrap();
        let mut verdict = Verdict::default();
        for state in &golden.states {
            let fraction = Some(golden.interpolation);
            let compared =
                compare(&model, &layout, &mut ws, &mut systems, state, fraction, &[]).unwrap();
            // Nothing is left out: each array is compared at least once.
            assert!(compared.pairs.len() > state.arrays.len() - 7);
            verdict.add(state.index, compared, &mut quantities, &name);
        }
        assert!(
            verdict.undefined.is_empty(),
            "{name}: {:?}",
            verdict.undefined
        );
        states += verdict.states;
        if verdict.failed > 0 {
            let failures = verdict.failures.join("\n  ");
            complaints.push(format!("{name}: {} failures\n  {failures}", verdict.failed));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    let everywhere = |wanted: &str| {
        let mut found = quantities.iter().filter(|(name, _)| *name == wanted);
        found.next().map(|(_, quantity)| quantity.states)
    };
    for quantity in [
        "tau",
        "M⁻¹",
        "q̈ (ABA)",
        "τ (sparse system)",
        "q̈ (sparse system)",
        "q̈ (sparse system, hybrid)",
        "passive_forces",
        "q̈ (passive)",
        "normalise",
        "C + Cᵀ",
        "jacobian_rate_local",
        "integrate",
    ] {
        assert_eq!(everywhere(quantity), Some(states), "{quantity}");
    }
}
