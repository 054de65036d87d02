//! The parts of a scene.

use super::{file, named, scene};
use featherline_formats::description::Form;
use featherline_formats::{Severity, WarningCause, load};
use featherline_geometry::Shape;
use std::f64::consts::PI;

#[test]
fn a_scene_is_one_description_with_the_world_as_its_root() {
    let arms = scene("two_arms.toml");
    assert_eq!(arms.model.name(), "two arms");
    let links: Vec<&str> = arms
        .description
        .links
        .iter()
        .map(|it| &it.name[..])
        .collect();
    let expected = [
        "world",
        "ground",
        "left/base",
        "left/upper",
        "left/fore",
        "left/tip",
        "right/base",
        "right/upper",
        "right/fore",
        "right/tip",
        "cube",
    ];
    assert_eq!(links, expected);
    let shoulder = arms.model.joint_id("right/shoulder").expect("a joint");
    let placement = &arms.model.joint(shoulder).placement;
    assert_eq!(placement.translation.to_array(), [0.0, -0.5, 0.1]);
    // Half a turn about z, exactly.
    assert_eq!(placement.rotation.to_rows()[0], [-1.0, 0.0, 0.0]);
    assert_eq!(arms.description.semantics.groups[0].name, "left/all");
    // Two arms, and a cube, of 3, 3 and 0.2 kg.
    assert!((arms.model.total_mass() - 6.2).abs() < 1e-14);
}

#[test]
fn the_world_of_an_mjcf_file_is_that_of_the_scene() {
    let (room, alone) = (
        scene("room.toml").description,
        load(file("room.xml")).unwrap(),
    );
    let worlds = room.links.iter().filter(|it| it.name == "world").count();
    assert_eq!(worlds, 1);
    let wall = &room.geometry[named(&room, "wall")];
    assert_eq!((wall.link, wall.placement.translation.x), (0, 12.0));
    // The post is a body without joints, and no part of the world's link.
    assert_eq!(
        room.links[room.geometry[named(&room, "post")].link].name,
        "post"
    );
    assert_eq!(room.geometry.len(), alone.description.geometry.len() + 2);
    let joints = room.joints.iter().filter(|it| it.motion.kind().nv() > 0);
    assert_eq!(joints.count(), 3);
}

#[test]
fn bodies_have_the_inertia_of_their_shape() {
    let drop = scene("drop.toml");
    let ball = drop.model.joints()[1].inertia;
    assert_eq!(ball.mass, 0.5);
    // 2/5 m r²
    assert!((ball.rotational.to_elements()[0] - 0.4 * 0.5 * 0.01).abs() < 1e-16);

    let shapes = scene("shapes.toml");
    let inertia = |name| {
        let id = shapes.model.joint_id(name).expect("a joint");
        shapes.model.joint(id).inertia
    };
    let mass = |name| inertia(name).mass;
    // ρ (π r² l + 4/3 π r³)
    assert!((mass("capsule") - 1000.0 * PI * 0.01 * (0.3 + 0.4 / 3.0)).abs() < 1e-12);
    assert!((mass("cylinder") - 1000.0 * PI * 0.01 * 0.3).abs() < 1e-12);
    assert!((mass("cone") - 1000.0 * PI * 0.01 * 0.4 / 3.0).abs() < 1e-12);
    // A wedge of a stated mass, with its centroid at a third of its legs of 0.2.
    assert!((mass("wedge") - 3.0).abs() < 1e-14);
    let com = inertia("wedge").com.to_array();
    for (found, expected) in com.into_iter().zip([0.2 / 3.0, 0.2 / 3.0, 0.1]) {
        assert!((found - expected).abs() < 1e-15, "{com:?}");
    }
    // Three cubes of side 0.1.
    assert!((mass("notch") - 3.0).abs() < 1e-14);
}

#[test]
fn meshes_touch_as_their_hulls_with_a_warning_where_they_are_not_convex() {
    let shapes = scene("shapes.toml");
    assert!(matches!(shapes.description.geometry[3].form, Form::Mesh(_)));
    let touching = shapes.collision_shapes();
    let names: Vec<&str> = touching.shapes.iter().map(|it| &it.name[..]).collect();
    assert_eq!(names, ["capsule", "cylinder", "cone", "wedge", "notch"]);
    let [.., wedge, notch] = &touching.shapes[..] else {
        panic!("there are five")
    };
    let (Shape::Polytope(wedge), Shape::Polytope(notch)) = (&wedge.shape, &notch.shape) else {
        panic!("both are hulls")
    };
    assert_eq!(
        (wedge.mesh().vertices().len(), notch.mesh().vertices().len()),
        (6, 10)
    );
    let [warning] = &touching.warnings[..] else {
        panic!("{:?}", touching.warnings)
    };
    let WarningCause::NotConvex { mesh } = &warning.cause else {
        panic!("{warning}")
    };
    assert_eq!(
        (&mesh[..], warning.severity()),
        ("notch.obj", Severity::Note)
    );
    let line = warning.location.position.expect("a place").line;
    assert_eq!(line, 24);
}

#[test]
fn shapes_are_placed_in_the_joints_that_carry_them() {
    let arms = scene("two_arms.toml");
    let touching = arms.collision_shapes().shapes;
    let of = |name: &str| touching.iter().find(|it| it.name == name).expect("a shape");
    let base = of("right/base");
    assert_eq!(base.joint.index(), 0);
    assert_eq!(base.placement.translation.to_array(), [0.0, -0.5, 0.05]);
    let fore = of("right/fore");
    assert_eq!(arms.model.joint(fore.joint).name, "right/elbow");
    assert_eq!(fore.placement.translation.to_array(), [0.0, 0.0, 0.2]);
    let slope = scene("floating_arm.toml").collision_shapes().shapes;
    // The normal of a slope of 0.2 about x: (0, −sin 0.2, cos 0.2).
    let normal = slope[0].placement.rotation.to_rows().map(|row| row[2]);
    super::assert_near(&normal, &[0.0, -(0.2_f64.sin()), 0.2_f64.cos()]);
}
