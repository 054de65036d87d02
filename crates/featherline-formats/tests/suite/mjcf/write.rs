//! A written file says the same as the one that was read, or there is a warning.

use super::again::{again, lost};
use super::damaged::EVERYTHING;
use super::read::assert_near;
use featherline::joint::JointKind;
use featherline::model::{FrameKind, Model};
use featherline::samples;
use featherline::spatial::{Mat3, Se3, Sym3, Vec3};
use featherline_formats::description::{
    Configuration, Description, Form, Frame, Geometry, Inertial, Joint, Link, Loop, MeshFile,
    Mimic, Motion,
};
use featherline_formats::{
    Difference, ErrorCause, LoadOptions, MimicJoints, QuantityDifference, WarningCause, load_str,
    load_str_with, mjcf,
};
use featherline_geometry::{Cone, Cuboid, Plane, Sphere};

const ROUNDING: f64 = 1e-12;

#[track_caller]
fn assert_same(first: &Model, second: &Model) {
    let difference = Difference::of(first, second, 5).unwrap();
    assert!(difference.is_same(ROUNDING), "{difference:#?}");
}

/// A link with a cube's inertia.
fn block(name: &str) -> Link {
    let mut link = Link::new(name);
    let at = Se3::from_translation(Vec3::new(0.1, -0.2, 0.3));
    link.inertial = Some(Inertial::new(
        at,
        2.0,
        Sym3::new(1.0, 0.1, 0.2, 1.5, 0.3, 1.2),
    ));
    link
}

/// Two links and a joint between them, at a place that is not the origin.
fn two(motion: Motion) -> Description {
    let mut two = Description::new("two");
    let base = two.add_link(Link::new("world"));
    let moved = two.add_link(block("moved"));
    let mut joint = Joint::new("j", base, moved, motion);
    joint.placement = somewhere();
    two.add_joint(joint);
    two
}

fn somewhere() -> Se3<f64> {
    let turn = Mat3::from_axis_sin_cos(Vec3::new(0.6, 0.0, 0.8), 0.6, 0.8);
    Se3::new(turn, Vec3::new(1.0, 2.0, 3.0))
}

fn model(description: &Description) -> Model {
    description.robot(&LoadOptions::new()).unwrap().model
}

#[test]
fn everything_that_is_read_comes_back() {
    let robot = load_str(EVERYTHING).unwrap();
    let lost = lost(&robot.description);
    assert_eq!(lost, Vec::<String>::new());
    let again = again(&robot.description);
    assert_same(&robot.model, &again.model);
    let free = LoadOptions::new().mimic(MimicJoints::Free);
    let written = mjcf::to_string(&robot.description).unwrap().text;
    let again = load_str_with(&written, &free).unwrap();
    assert_same(
        &load_str_with(EVERYTHING, &free).unwrap().model,
        &again.model,
    );
    // Writing a written file once more gives the same text, up to rounding.
    let third = mjcf::to_string(&again.description).unwrap().text;
    assert_eq!(third.lines().count(), written.lines().count());
}

#[test]
fn samples_of_every_chain_of_hinges_and_slides_come_back() {
    for model in [samples::double_pendulum(), samples::humanoid()] {
        let description = Description::from_model(&model);
        let model = description.robot(&LoadOptions::new()).unwrap().model;
        let again = again(&description).model;
        let difference = Difference::of(&model, &again, 5).unwrap();
        let quantities = difference.quantities;
        assert!(quantities.iter().any(|it| it.quantity == "mass matrix"));
        assert!(
            quantities.iter().all(|it| it.relative < ROUNDING),
            "{quantities:#?}"
        );
    }
}

#[test]
fn a_link_that_is_not_at_its_joint_is_where_it_was() {
    for motion in [
        Motion::Continuous {
            axis: Vec3::new(1.0, 2.0, 2.0),
        },
        Motion::Prismatic {
            axis: Vec3::new(0.0, 3.0, 4.0),
        },
        Motion::Other(JointKind::Spherical),
    ] {
        let mut description = two(motion);
        description.joints[0].child_placement = somewhere();
        let again = again(&description).model;
        let difference = Difference::of(&model(&description), &again, 5).unwrap();
        let is_near = |it: &QuantityDifference| it.relative < ROUNDING;
        assert!(difference.quantities.iter().all(is_near), "{difference:#?}");
        // The axes of a ball are those of its body, so that the link has one of its own.
        let added: Vec<_> = difference.missing.iter().map(|it| &it.name[..]).collect();
        if let Motion::Other(_) = description.joints[0].motion {
            assert_eq!(added, ["moved_carrier"])
        } else {
            assert_eq!(added, [""; 0])
        }
        assert_eq!(lost(&description).len(), added.len());
    }
}

#[test]
fn a_screw_is_a_hinge_and_a_slide_that_mimics_it() {
    let description = two(Motion::Other(JointKind::helical(Vec3::unit(2), 0.1)));
    let again = again(&description).model;
    let (mine, q) = (model(&description), [0.7]);
    assert_eq!(again.nv(), 1);
    let forces = |model: &Model| {
        let mut ws = featherline::Workspace::new(model);
        model.rnea(&mut ws, &q, &[0.3], &[1.1]).unwrap().to_vec()
    };
    assert_near(&forces(&again), &forces(&mine));
}

#[test]
fn joints_of_several_degrees_of_freedom_become_chains() {
    let axis = Vec3::new(0.6, 0.0, 0.8);
    for (kind, names) in [
        (JointKind::cylindrical(axis), vec!["j_hinge", "j_slide"]),
        (
            JointKind::universal(axis, Vec3::unit(1)),
            vec!["j_first", "j_second"],
        ),
        (JointKind::Translation, vec!["j_x", "j_y", "j_z"]),
        (JointKind::SphericalZyx, vec!["j_yaw", "j_pitch", "j_roll"]),
    ] {
        let description = two(Motion::Other(kind));
        let again = again(&description).model;
        let found: Vec<&str> = again.joints()[1..]
            .iter()
            .map(|it| it.name.as_str())
            .collect();
        assert_eq!(found, names);
        // The same coordinates, one after the other.
        let q: Vec<f64> = (0..again.nv()).map(|i| 0.3 + 0.2 * i as f64).collect();
        let forces = |model: &Model| {
            let mut ws = featherline::Workspace::new(model);
            model.rnea(&mut ws, &q, &q, &q).unwrap().to_vec()
        };
        assert_near(&forces(&again), &forces(&model(&description)));
        assert!(lost(&description)[0].contains("as several joints"));
    }
    let planar = two(Motion::Planar { normal: axis });
    assert_eq!(again(&planar).model.nv(), 3);
    assert!(lost(&planar)[0].contains("whose velocities are others"));
    let ellipsoid = two(Motion::Other(JointKind::ellipsoid(axis)));
    let error = mjcf::to_string(&ellipsoid).unwrap_err();
    assert!(matches!(error.cause(), ErrorCause::NotExpressible { .. }));
}

#[test]
fn a_floating_joint_is_free_in_the_world_and_a_chain_elsewhere() {
    let floating = two(Motion::Floating);
    let free = again(&floating);
    assert_eq!(free.model.joints()[1].kind, JointKind::FreeFlyer);
    assert!(lost(&floating)[0].contains("placement of the link in the world"));
    let mut start = floating.clone();
    start.configurations.push(Configuration::new(
        "up",
        vec![(0, vec![0.0, 0.0, 1.0, 0.0, 0.0, 0.6, 0.8])],
    ));
    let again_start = again(&start).model;
    let place = |model: &Model| {
        let q = model.reference_configurations()["up"].to_vec();
        let mut ws = featherline::Workspace::new(model);
        let frame = model.frame_id_of_kind("moved", FrameKind::Body).unwrap();
        let placed = model.forward_kinematics(&mut ws, &q).unwrap();
        placed.placement(frame).to_homogeneous().concat()
    };
    assert_near(&place(&again_start), &place(&model(&start)));
    let mut deeper = floating;
    let hand = deeper.add_link(block("hand"));
    deeper.add_joint(Joint::new("k", 1, hand, Motion::Floating));
    assert_eq!(again(&deeper).model.nv(), 12);
    assert!(lost(&deeper)[1].contains("whose velocities are others"));
}

#[test]
fn a_floating_base_is_a_free_joint() {
    let text = "<robot name='r'><link name='trunk'><inertial><mass value='1'/>
        <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link></robot>";
    let options = LoadOptions::new().floating_base(true);
    let model = load_str_with(text, &options).unwrap().model;
    let floating = load_str(text)
        .unwrap()
        .description
        .with_floating_base()
        .unwrap();
    assert_eq!(lost(&floating), Vec::<String>::new());
    assert_same(&model, &again(&floating).model);
}

#[test]
fn links_without_mass_between_joints_are_joints_of_one_body() {
    let text = "<robot name='r'><link name='base'/><link name='cross'/><link name='arm'>
        <inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>
        <joint name='x' type='continuous'><parent link='base'/><child link='cross'/></joint>
        <joint name='y' type='continuous'><origin xyz='1 0 0' rpy='0.1 0.2 0.3'/>
        <parent link='cross'/><child link='arm'/><axis xyz='0 1 0'/></joint></robot>";
    let robot = load_str(text).unwrap();
    let written = mjcf::to_string(&robot.description).unwrap();
    assert_eq!(written.text.matches("<body").count(), 2, "{}", written.text);
    assert!(lost(&robot.description)[0].contains("the link `cross`, which has no mass"));
    let again = load_str(&written.text).unwrap().model;
    let difference = Difference::of(&robot.model, &again, 5).unwrap();
    assert!(
        difference
            .quantities
            .iter()
            .all(|it| it.relative < ROUNDING)
    );
}

#[test]
fn the_inertia_that_mujoco_refuses_is_there_with_a_warning() {
    // `fullinertia` needs eigenvalues above 1e-14, and moving bodies mass and moments above 1e-15.
    let cases = [
        (0.0, Sym3::zero(), "moving bodies whose mass or a moment"),
        (1.0, Sym3::zero(), "moving bodies whose mass or a moment"),
        (
            1.0,
            Sym3::new(1.0, 0.0, 0.0, 1.0, 0.0, 3.0),
            "triangle inequality",
        ),
    ];
    for (mass, moments, why) in cases {
        let mut description = two(Motion::Continuous {
            axis: Vec3::unit(1),
        });
        description.links[1].inertial = Some(Inertial::new(Se3::identity(), mass, moments));
        let written = mjcf::to_string(&description).unwrap();
        let refused = |it: &WarningCause| matches!(it, WarningCause::RefusedBy { .. });
        assert!(
            written
                .warnings
                .iter()
                .any(|it| refused(&it.cause) && it.to_string().contains(why)),
            "{why}: {:?}",
            written.warnings
        );
        let again = load_str(&written.text).unwrap();
        assert_eq!(again.model.total_mass(), mass);
    }
    // No reader takes negative moments, but they are written.
    let moments = Sym3::new(1.0, 2.0, 0.0, 1.0, 0.0, 3.0);
    let mut description = two(Motion::Continuous {
        axis: Vec3::unit(1),
    });
    description.links[1].inertial = Some(Inertial::new(Se3::identity(), 1.0, moments));
    let written = mjcf::to_string(&description).unwrap();
    assert!(
        written.text.contains("fullinertia=\"1 1 3 2 0 0\""),
        "{}",
        written.text
    );
    assert!(written.warnings[0].to_string().contains("negative moments"));
    // A body that is fixed on a moving one may have none.
    let mut description = two(Motion::Continuous {
        axis: Vec3::unit(1),
    });
    description.links[1].inertial = None;
    let fixed = description.add_link(block("fixed"));
    description.add_joint(Joint::new("f", 1, fixed, Motion::Fixed));
    let written = mjcf::to_string(&description).unwrap();
    let refused = |it: &WarningCause| matches!(it, WarningCause::RefusedBy { .. });
    assert!(!written.warnings.iter().any(|it| refused(&it.cause)));
}

#[test]
fn shapes_do_not_change_inertias() {
    let mut description = two(Motion::Continuous {
        axis: Vec3::unit(1),
    });
    let sphere = Form::Shape(Sphere::new(0.5).into());
    for (seen, touches) in [(true, true), (true, false), (false, true), (false, false)] {
        let mut geometry = Geometry::new(1, somewhere(), sphere.clone());
        (geometry.is_visual, geometry.is_collision) = (seen, touches);
        description.geometry.push(geometry);
    }
    assert_eq!(lost(&description), Vec::<String>::new());
    let again = again(&description);
    assert_eq!(again.model.total_mass(), 2.0);
    let kinds: Vec<_> = again
        .description
        .geometry
        .iter()
        .map(|it| (it.is_visual, it.is_collision))
        .collect();
    assert_eq!(
        kinds,
        [(true, true), (true, false), (false, true), (false, false)]
    );
}

#[test]
fn what_mjcf_has_no_place_for_is_named() {
    let mut description = two(Motion::Revolute {
        axis: Vec3::unit(1),
    });
    let limits = &mut description.joints[0].limits;
    (limits.lower[0], limits.upper[0]) = (0.5, 0.5);
    (limits.velocity[0], limits.acceleration[0], limits.effort[0]) = (1.0, 2.0, 0.0);
    let shapes = [
        Form::Shape(Cone::new(1.0, 1.0).into()),
        Form::Shape(Sphere::new(0.0).into()),
        Form::Mesh(MeshFile::new("package://a/b.dae", None)),
        Form::Mesh(MeshFile::new("package://a/b.stl", None)),
        Form::Shape(Plane.into()),
    ];
    for (i, form) in shapes.into_iter().enumerate() {
        let mut geometry = Geometry::new(1, Se3::identity(), form);
        geometry.name = format!("shape {i}");
        description.geometry.push(geometry);
    }
    let kind = JointKind::revolute_x();
    let ends = ((0, Se3::identity()), (1, Se3::identity()));
    description
        .loops
        .push(Loop::new("hinge", kind, ends.0, ends.1));
    let open = Loop::new("open", JointKind::Spherical, ends.0, ends.1);
    description.loops.push(open);
    let frame = Frame::new("imu", 1, Se3::identity(), FrameKind::Sensor);
    description.frames.push(frame);
    let written = mjcf::to_string(&description).unwrap();
    let all: Vec<String> = written.warnings.iter().map(ToString::to_string).collect();
    let all = all.join("\n");
    for what in [
        "the range of joint `j`, which is a single position, is not in the file",
        "the velocity limit of joint `j`",
        "the acceleration limit of joint `j`",
        "the effort limit of joint `j`, which is 0,",
        "the shape `shape 0`",
        "the sphere `shape 1`, whose size is 0,",
        "the mesh `package://a/b.dae`, which was not found,",
        "the mesh `package://a/b.stl`, which was not found,",
        "the plane `shape 4`: it is in the file, but MuJoCo refuses planes that move",
        "the loop joint `hinge` (revolute)",
        "the loop joint `open`, which is open in the reference configuration,",
        "the frame `imu` of a sensor",
    ] {
        assert!(all.contains(what), "no {what} in\n{all}");
    }
    assert_eq!(written.warnings.len(), 12, "{all}");
}

#[test]
fn names_that_are_taken_are_changed_with_a_warning() {
    let mut description = two(Motion::Continuous {
        axis: Vec3::unit(1),
    });
    for _ in 0..2 {
        let mut shape = Geometry::new(
            1,
            Se3::identity(),
            Form::Shape(Cuboid::new(Vec3::new(1.0, 1.0, 1.0)).into()),
        );
        shape.name = "box".to_owned();
        description.geometry.push(shape);
    }
    description.links[0].name = "base".to_owned();
    description.links[1].name = "world".to_owned();
    let lost = lost(&description);
    assert!(
        lost.iter()
            .any(|it| it.contains("the link `world` is called `world_`")),
        "{lost:?}"
    );
    assert!(
        lost.iter()
            .any(|it| it.contains("the shape `box` is called `box_`")),
        "{lost:?}"
    );
    assert_eq!(lost.len(), 2);
    assert_eq!(again(&description).description.links[2].name, "world_");
}

#[test]
fn mimic_joints_are_linear_constraints() {
    let mut description = two(Motion::Continuous {
        axis: Vec3::unit(1),
    });
    let hand = description.add_link(block("hand"));
    let mut joint = Joint::new(
        "k",
        1,
        hand,
        Motion::Prismatic {
            axis: Vec3::unit(2),
        },
    );
    joint.mimic = Some(Mimic::new(0, 0.5, 0.1));
    description.add_joint(joint);
    description.configurations.push(Configuration::new(
        "qpos0",
        vec![(0, vec![0.3]), (1, vec![0.7])],
    ));
    description
        .configurations
        .push(Configuration::new("bent", vec![(0, vec![1.0])]));
    assert_eq!(lost(&description), Vec::<String>::new());
    let again = again(&description);
    assert_same(&model(&description), &again.model);
    let law = again.description.joints[1].mimic.as_ref().unwrap();
    assert_near(&[law.ratio, law.offset], &[0.5, 0.1]);
    let start = &again.model.reference_configurations()["bent"];
    assert_near(start, &[1.0]);
}

/// The bytes of a binary STL file.
fn stl(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for triangle in triangles {
        let numbers = [0.0; 3].iter().chain(triangle.as_flattened());
        bytes.extend(numbers.flat_map(|it| it.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

#[test]
fn meshes_that_mujoco_refuses_are_named() {
    let [o, x, y, z] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let corner = [1.0, 1.0, 0.0];
    let solid = [[o, y, x], [o, x, z], [o, z, y], [x, y, z]];
    let flat = [[o, x, y], [x, corner, y]];
    let facet = |it: &[[f32; 3]; 3]| {
        let lines = it.map(|[a, b, c]| format!("vertex {a} {b} {c}\n"));
        format!(
            "facet normal 0 0 0\nouter loop\n{}endloop\nendfacet\n",
            lines.concat()
        )
    };
    let facets: String = solid.iter().map(facet).collect();
    let folder = std::env::temp_dir().join(format!("featherline-refused-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut many = stl(&[]);
    many[80..84].copy_from_slice(&200_001u32.to_le_bytes());
    let files = [
        ("solid.stl", stl(&solid)),
        ("flat.stl", stl(&flat)),
        (
            "ascii.stl",
            format!("solid a\n{facets}endsolid a\n").into_bytes(),
        ),
        ("many.stl", many),
        ("one.stl", stl(&solid[..1])),
    ];
    for (name, bytes) in &files {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    let written = |name: &str, is_collision: bool| {
        let mut two = two(Motion::Continuous {
            axis: Vec3::unit(2),
        });
        let form = Form::Mesh(MeshFile::new(name, Some(folder.join(name))));
        let mut shape = Geometry::new(1, Se3::identity(), form);
        shape.is_collision = is_collision;
        two.geometry.push(shape);
        let written = mjcf::to_string_beside(&two, &folder).unwrap();
        let causes = written.warnings.iter().map(|it| it.cause.to_string());
        (written.text, causes.collect::<Vec<_>>().join("\n"))
    };
    // MuJoCo 4.0 compiles these.
    assert_eq!(written("solid.stl", true).1, "");
    assert!(!written("solid.stl", true).0.contains("shell"));
    let (text, warnings) = written("flat.stl", false);
    assert!(
        text.contains(r#"inertia="shell" file="flat.stl""#),
        "{text}"
    );
    assert_eq!(warnings, "");
    // And refuses these.
    for (name, says) in [
        ("flat.stl", "flat meshes that touch"),
        ("one.stl", "fewer than four vertices"),
    ] {
        let (_, warnings) = written(name, true);
        assert!(
            warnings.contains(&format!("the mesh `{name}`")),
            "{name}: {warnings}"
        );
        assert!(warnings.contains(says), "{name}: {warnings}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_part_without_a_name_is_named_by_its_element() {
    let text = "<mujoco><worldbody>
      <body name='arm'><joint name='j'/><geom size='1'/>
        <geom type='ellipsoid' size='1 2 3' mass='0'/></body></worldbody>
      <actuator><motor joint='j'/></actuator></mujoco>";
    let written =
        featherline_formats::urdf::to_string(&load_str(text).unwrap().description).unwrap();
    let shown: Vec<String> = written
        .warnings
        .iter()
        .map(|it| it.cause.to_string())
        .collect();
    assert!(shown.iter().all(|it| !it.contains("``")), "{shown:#?}");
    let geom = "a `<geom>` of body `arm` in line 3 is not in the file: URDF can't express it";
    assert!(shown.iter().any(|it| it == geom), "{shown:#?}");
}
