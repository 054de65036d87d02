//! The robots of this repository.

use featherline_formats::{LoadOptions, load, load_with};
use std::path::PathBuf;

fn files() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../robots");
    let entries =
        std::fs::read_dir(folder).expect("the folder of robots is part of the repository");
    let paths = entries.map(|entry| entry.expect("a file of this repository").path());
    let mut urdfs: Vec<_> = paths
        .filter(|p| p.extension().is_some_and(|e| e == "urdf"))
        .collect();
    urdfs.sort();
    urdfs
}

#[test]
fn every_robot_of_the_repository_is_read_with_either_base() {
    let files = files();
    assert!(files.len() >= 6, "{files:?}");
    for file in files {
        let fixed = load(&file).unwrap();
        let floating = load_with(&file, &LoadOptions::default().floating_base(true)).unwrap();
        assert!(fixed.model.nv() > 0, "{}", file.display());
        assert_eq!(
            floating.model.nv(),
            fixed.model.nv() + 6,
            "{}",
            file.display()
        );
        let warnings = fixed.warnings.iter().chain(&floating.warnings);
        assert!(warnings.clone().count() == 0, "{:?}", fixed.warnings);
    }
}
