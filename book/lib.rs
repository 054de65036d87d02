//! The code blocks of the guide and of the READMEs, run as documentation tests.

macro_rules! pages {
    ($($name:ident: $file:literal),* $(,)?) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!($file)]
            mod $name {}
        )*

        #[cfg(test)]
        const PAGES: &[&str] = &[$($file),*];
    };
}

pages! {
    readme: "../README.md",
    readme_core: "../crates/featherline/README.md",
    readme_constraint: "../crates/featherline-constraint/README.md",
    readme_control: "../crates/featherline-control/README.md",
    readme_sim: "../crates/featherline-sim/README.md",
    readme_compile: "../crates/featherline-compile/README.md",
    readme_cli: "../crates/featherline-cli/README.md",
    readme_geometry: "../crates/featherline-geometry/README.md",
    readme_formats: "../crates/featherline-formats/README.md",
    readme_record: "../crates/featherline-record/README.md",
    readme_sparse: "../crates/featherline-sparse/README.md",
    readme_system: "../crates/featherline-system/README.md",
    readme_viewer: "../crates/featherline-viewer/README.md",
    readme_robots: "../robots/README.md",
    introduction: "src/introduction.md",
    install: "src/install.md",
    getting_started: "src/getting_started.md",
    python: "src/python.md",
    python_mechanics: "src/python_mechanics.md",
    python_programs: "src/python_programs.md",
    python_robot_files: "src/python_robot_files.md",
    coming_from_pinocchio: "src/coming_from_pinocchio.md",
    coming_from_mujoco: "src/coming_from_mujoco.md",
    python_reference: "src/python_reference.md",
    python_pinocchio: "src/python_pinocchio.md",
    python_system: "src/python_system.md",
    python_simulation: "src/python_simulation.md",
    command_line: "src/command_line.md",
    conventions: "src/conventions.md",
    algorithms: "src/algorithms.md",
    derivatives: "src/derivatives.md",
    batches: "src/batches.md",
    quantities: "src/quantities.md",
    formats: "src/formats.md",
    compatibility: "src/compatibility.md",
    mjcf_motion: "src/mjcf_motion.md",
    robot_files: "src/robot_files.md",
    repair: "src/repair.md",
    srdf: "src/srdf.md",
    viewer: "src/viewer.md",
    gallery: "src/gallery.md",
    javascript: "src/javascript.md",
    scenes: "src/scenes.md",
    contact: "src/contact.md",
    geometry: "src/geometry.md",
    collision: "src/collision.md",
    maximal_coordinates: "src/maximal_coordinates.md",
    closed_loops: "src/closed_loops.md",
    constraints: "src/constraints.md",
    inverse_kinematics: "src/inverse_kinematics.md",
    surgery: "src/surgery.md",
    sparse_system: "src/sparse_system.md",
    sensor_files: "src/sensor_files.md",
    errata: "src/errata.md",
    elimination_orders: "src/elimination_orders.md",
    compiled_programs: "src/compiled_programs.md",
    integrators: "src/integrators.md",
    accuracy: "src/accuracy.md",
    design_link_frames: "src/design/link_frames.md",
    design_mimic_joints: "src/design/mimic_joints.md",
    design_loops: "src/design/loops.md",
    design_maximal_coordinates: "src/design/maximal_coordinates.md",
    design_motion_in_time: "src/design/motion_in_time.md",
    design_routes: "src/design/routes.md",
    design_thresholds: "src/design/thresholds.md",
    design_scalars_and_dispatch: "src/design/scalars_and_dispatch.md",
    design_programs: "src/design/programs.md",
    design_contact_solver: "src/design/contact_solver.md",
    design_roads_not_taken: "src/design/roads_not_taken.md",
}

#[cfg(test)]
mod tests {
    use super::PAGES;
    use std::fs;
    use std::path::Path;

    fn read(file: &Path) -> String {
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    /// Targets of the links and images in a text, without anchors, those to other sites left out.
    fn targets(text: &str) -> Vec<&str> {
        let after_brackets = text.split("](").skip(1);
        after_brackets
            .filter_map(|rest| rest.split(')').next())
            .filter_map(|link| link.split('#').next())
            .filter(|link| !link.is_empty() && !link.contains("://"))
            .collect()
    }

    #[test]
    fn every_page_of_the_summary_is_run() {
        let book = Path::new(env!("CARGO_MANIFEST_DIR"));
        let summary = read(&book.join("src/SUMMARY.md"));
        let listed = targets(&summary);
        assert!(!listed.is_empty());
        for page in listed {
            let file = format!("src/{page}");
            assert!(
                PAGES.contains(&file.as_str()),
                "{file} stands in SUMMARY.md and not in lib.rs"
            );
        }
    }

    #[test]
    fn every_readme_of_a_crate_is_run() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
        for folder in fs::read_dir(&crates).expect("the folder of the crates") {
            let folder = folder.expect("a crate").file_name();
            let folder = folder.to_string_lossy();
            let file = format!("../crates/{folder}/README.md");
            assert!(PAGES.contains(&file.as_str()), "{file} is not in lib.rs");
        }
    }

    /// The line that brings a crate is that of the crate as it is, on every page and in its
    /// documentation.
    #[test]
    fn every_dependency_is_there() {
        let book = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = book.join("..");
        let version = concat!(
            env!("CARGO_PKG_VERSION_MAJOR"),
            ".",
            env!("CARGO_PKG_VERSION_MINOR")
        );
        let crates = fs::read_dir(root.join("crates")).expect("the folder of the crates");
        let crates = crates.map(|folder| folder.expect("a crate").path());
        let crates: Vec<_> = crates.chain([root.join("robots")]).collect();
        let sources = crates.iter().map(|folder| folder.join("src/lib.rs"));
        let readmes = crates.iter().map(|folder| folder.join("README.md"));
        let pages = PAGES.iter().map(|page| book.join(page));
        for file in sources.chain(readmes).chain(pages) {
            let text = read(&file);
            let file = file.display();
            for rest in text.split("once published: ").skip(1) {
                let line = rest.lines().next().unwrap_or(rest);
                assert!(
                    !line.starts_with("featherline") || line.ends_with(&format!("= \"{version}\"")),
                    "{file}: `{line}` is another version than {version}"
                );
            }
            for rest in text.split("path = \"../featherline/").skip(1) {
                let folder = rest.split('"').next().unwrap_or(rest);
                assert!(
                    root.join(folder).join("Cargo.toml").exists(),
                    "{file}: no crate is in {folder}"
                );
            }
        }
        for folder in crates {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            let name = name.replace("robots", "featherline-robots");
            for page in ["src/lib.rs", "README.md"] {
                assert!(
                    read(&folder.join(page)).contains(&format!("once published: {name} = ")),
                    "{name}: {page} lacks the line that brings it"
                );
            }
        }
    }

    #[test]
    fn every_link_leads_to_a_file() {
        let book = Path::new(env!("CARGO_MANIFEST_DIR"));
        let others = [
            "src/SUMMARY.md",
            "../ARCHITECTURE.md",
            "../CONTRIBUTING.md",
            "../CHANGELOG.md",
        ];
        let mut links = 0;
        for page in PAGES.iter().chain(&others) {
            let file = book.join(page);
            let folder = file.parent().unwrap_or(book);
            for target in targets(&read(&file)) {
                links += 1;
                assert!(
                    folder.join(target).exists(),
                    "{page} links to {target}, which does not exist"
                );
            }
        }
        assert!(links > 0);
    }
}
