//! Geoms: shapes, placements, masses.

use super::read::{assert_at, assert_near, body, inertia, read, warnings};
use featherline_formats::description::Form;
use featherline_geometry::Shape;
use std::f64::consts::PI;

/// Mass, and moments about the centre.
fn mass_and_moments(inside: &str) -> [f64; 4] {
    let it = inertia(&body(inside), "b");
    let r = it.rotational;
    [it.mass, r.xx(), r.yy(), r.zz()]
}

#[test]
fn the_masses_of_primitives_are_those_of_mujoco() {
    // `mj_model.body_mass`, `body_inertia` of MuJoCo 4.0; the first three also by hand.
    let cases: [(&str, [f64; 4]); 7] = [
        (
            "size='.1'",
            [
                4000.0 / 3.0 * PI * 1e-3,
                0.01675516081914556,
                0.01675516081914556,
                0.01675516081914556,
            ],
        ),
        ("type='box' size='.1 .2 .3'", [48.0, 2.08, 1.6, 0.8]),
        (
            "type='cylinder' size='.1 .2'",
            [
                4.0 * PI,
                0.19896753472735357,
                0.19896753472735357,
                0.06283185307179587,
            ],
        ),
        (
            "type='box' size='.1 .2 .3' shellinertia='true'",
            [
                880.0,
                54.13333333333333,
                42.13333333333333,
                24.266666666666666,
            ],
        ),
        (
            "size='.1' shellinertia='true'",
            [
                40.0 * PI,
                0.8377580409572782,
                0.8377580409572782,
                0.8377580409572782,
            ],
        ),
        (
            "type='box' size='.1 .2 .3' mass='12'",
            [12.0, 0.52, 0.4, 0.2],
        ),
        (
            "type='box' size='.1 .2 .3' density='500'",
            [24.0, 1.04, 0.8, 0.4],
        ),
    ];
    for (geom, expected) in cases {
        assert_near(&mass_and_moments(&format!("<geom {geom}/>")), &expected);
    }
}

#[test]
fn two_points_give_length_and_direction() {
    let robot = body("<geom type='capsule' fromto='0 0 0 0 3 4' size='.5'/>");
    let geometry = &robot.description.geometry[0];
    assert_at(geometry.placement.translation, [0.0, 1.5, 2.0]);
    // From the second point to the first, as in MuJoCo.
    assert_at(
        geometry
            .placement
            .rotation
            .mul_vec(featherline::spatial::Vec3::unit(2)),
        [0.0, -0.6, -0.8],
    );
    let Form::Shape(Shape::Capsule(capsule)) = &geometry.form else {
        panic!("{:?}", geometry.form);
    };
    assert_eq!((capsule.radius, capsule.length), (0.5, 5.0));
}

#[test]
fn groups_and_contact_types_say_what_is_seen_and_what_touches() {
    let robot = body(
        "<geom name='both' size='1'/><geom name='seen' size='1' contype='0' conaffinity='0'/>
         <geom name='touches' size='1' group='3'/>",
    );
    let geometry = robot.description.geometry.iter();
    let kinds: Vec<_> = geometry
        .map(|it| (&it.name[..], it.is_visual, it.is_collision))
        .collect();
    assert_eq!(
        kinds,
        [
            ("both", true, true),
            ("seen", true, false),
            ("touches", false, true)
        ]
    );
}

/// The corner of a cube of side 1 by three vertices on the axes.
const TETRAHEDRON: &str = "vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 1 2 3 2 0 3'";

#[test]
fn a_mesh_is_scaled_after_it_is_moved_and_has_its_mass_where_it_is() {
    for (asset, volume, center) in [
        ("", 1.0 / 6.0, [0.25, 0.25, 0.25]),
        ("scale='2 1 1'", 2.0 / 6.0, [0.5, 0.25, 0.25]),
        ("scale='-2 1 1'", 2.0 / 6.0, [-0.5, 0.25, 0.25]),
        ("refpos='1 0 0'", 1.0 / 6.0, [-0.75, 0.25, 0.25]),
        // Rotated by −90° about z.
        ("refquat='1 0 0 1'", 1.0 / 6.0, [0.25, -0.25, 0.25]),
        (
            "refpos='1 0 0' refquat='1 0 0 1' scale='1 2 1'",
            2.0 / 6.0,
            [0.25, 1.5, 0.25],
        ),
    ] {
        let robot = read(&format!(
            "<asset><mesh name='m' {TETRAHEDRON} {asset}/></asset><worldbody><body name='b'>
             <freejoint/><geom type='mesh' mesh='m' density='6'/></body></worldbody>"
        ));
        let found = inertia(&robot, "b");
        assert_near(&[found.mass], &[6.0 * volume]);
        assert_at(found.com, center);
        assert!(robot.warnings.is_empty(), "{}", warnings(&robot));
    }
}

#[test]
fn a_mesh_that_is_not_there_matters_only_where_an_inertia_depends_on_it() {
    let text = |body: &str| {
        format!(
            "<mujoco><asset><mesh file='no.stl'/></asset><worldbody><body><freejoint/>{body}\n
             <geom type='mesh' mesh='no'/></body></worldbody></mujoco>"
        )
    };
    let robot = featherline_formats::load_str(&text(
        "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>",
    ));
    assert!(matches!(
        robot.unwrap().description.geometry[0].form,
        Form::Mesh(_)
    ));
    let error = featherline_formats::load_str(&text(""))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("line 3") && error.contains("`no.stl` was not found"),
        "{error}"
    );
}

#[test]
fn materials_are_named_or_follow_from_colours() {
    let robot = read(
        "<default><material rgba='0 1 0 1'/></default><asset><material name='green'/></asset>
         <worldbody><geom size='1' material='green'/><geom size='1' rgba='1 0 0 1'/>
         <geom size='1' rgba='1 0 0 1'/></worldbody>",
    );
    let of: Vec<_> = robot
        .description
        .geometry
        .iter()
        .map(|it| it.material)
        .collect();
    assert_eq!(of, [Some(0), Some(1), Some(1)]);
    assert_eq!(
        robot.description.materials[0].colour,
        Some([0.0, 1.0, 0.0, 1.0])
    );
}
