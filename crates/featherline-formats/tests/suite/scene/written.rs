//! Scenes as files of other formats.

use super::{entries, scene, shape, start};
use featherline_formats::{load_str, mjcf, urdf};

#[test]
fn a_scene_written_as_mjcf_is_the_same_robot() {
    let arms = scene("two_arms.toml");
    let written = mjcf::to_string(&arms.description).unwrap();
    let again = load_str(&written.text).unwrap();
    assert_eq!(
        (again.model.nq(), again.model.nv()),
        (arms.model.nq(), arms.model.nv())
    );
    let q = &again.model.reference_configurations()["start"];
    for joint in ["left/elbow", "right/shoulder", "cube"] {
        let (found, expected) = (
            entries(&again, joint, q),
            entries(&arms, joint, start(&arms)),
        );
        super::assert_near(found, expected);
    }
    let fore = &again.description.geometry[shape(&again.description, "left/fore")];
    assert_eq!(fore.surface.and_then(|it| it.friction), Some(0.3));
    let warnings: Vec<String> = written.warnings.iter().map(ToString::to_string).collect();
    for words in [
        "contacts between sets of links",
        "velocities",
        "the larger one",
    ] {
        assert!(
            warnings.iter().any(|it| it.contains(words)),
            "{words}: {warnings:?}"
        );
    }
}

#[test]
fn a_scene_written_as_urdf_has_its_tree() {
    let drop = scene("drop.toml");
    let written = urdf::to_string(&drop.description).unwrap();
    let again = load_str(&written.text).unwrap();
    assert_eq!(again.model.total_mass(), drop.model.total_mass());
    assert_eq!(again.model.nv(), 6);
    let warnings: Vec<String> = written.warnings.iter().map(ToString::to_string).collect();
    assert!(
        warnings
            .iter()
            .any(|it| it.contains("the surface of the shape `ball`")),
        "{warnings:?}"
    );
}
