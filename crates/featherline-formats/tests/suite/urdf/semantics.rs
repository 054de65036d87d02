//! The meaning of a well-formed URDF.

use featherline::joint::JointKind;
use featherline::model::{FrameKind, Joint, JointId};
use featherline::spatial::{Mat3, Motion, Se3, Vec3};
use featherline::{Model, Workspace};
use featherline_formats::{
    Continuous, ErrorCause, LoadOptions, MimicJoints, SiblingOrder, load_str_with,
};
use std::f64::consts::FRAC_PI_2;

/// Rounding of a handful of operations on numbers of order one.
const ROUNDING: f64 = 1e-14;

fn read(text: &str, options: &LoadOptions) -> Model {
    match load_str_with(text, options) {
        Ok(loaded) => loaded.model,
        Err(error) => panic!("{error}"),
    }
}

fn joint<'a>(model: &'a Model, name: &str) -> &'a Joint {
    model.joint(model.joint_id(name).unwrap())
}

fn assert_same(found: &Se3<f64>, expected: &Se3<f64>) {
    let (found, expected) = (found.to_homogeneous(), expected.to_homogeneous());
    for (a, b) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((a - b).abs() < ROUNDING, "{found:?} is not {expected:?}");
    }
}

/// A robot of links a, b, … and the joints given, each with its type, parent, child and inner
/// elements.
fn robot(joints: &[(&str, &str, &str, &str, &str)]) -> String {
    let mut links: Vec<&str> = joints.iter().flat_map(|j| [j.2, j.3]).collect();
    links.sort_unstable();
    links.dedup();
    let inertial = "<inertial><mass value='1'/>
        <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
    let mut text = String::from("<robot name='r'>");
    for link in links {
        text += &format!("<link name='{link}'>{inertial}</link>");
    }
    for (name, kind, parent, child, inner) in joints {
        text += &format!(
            "<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>{inner}</joint>"
        );
    }
    text + "</robot>"
}

/// An arm whose hand hangs on a fixed joint behind a hinge, turned and shifted.
fn arm_with_a_held_hand() -> String {
    let there = "<origin xyz='0.1 0.2 0.3' rpy='0.4 -0.5 0.6'/>";
    robot(&[
        ("hinge", "revolute", "a", "b", "<axis xyz='0 0.6 0.8'/>"),
        ("wrist_sensor", "fixed", "b", "c", there),
        ("finger", "revolute", "c", "d", there),
    ])
}

#[test]
fn a_fixed_joint_that_is_kept_is_a_joint_and_changes_no_dynamics() {
    let text = arm_with_a_held_hand();
    let lumped = read(&text, &LoadOptions::default());
    let kept = read(
        &text,
        &LoadOptions::default().keep_fixed_joint("wrist_sensor"),
    );
    assert_eq!(joint(&kept, "wrist_sensor").kind, JointKind::Fixed);
    assert_eq!(kept.joints().len(), lumped.joints().len() + 1);
    let (q, v, a) = ([0.3, -0.4], [1.0, 2.0], [0.5, -0.7]);
    let forces = |model: &Model| -> Vec<f64> {
        let mut ws = Workspace::new(model);
        model.rnea(&mut ws, &q, &v, &a).unwrap().to_vec()
    };
    for (x, y) in forces(&kept).iter().zip(forces(&lumped)) {
        assert!((x - y).abs() < 100.0 * ROUNDING, "{x} is not {y}");
    }
    // The frame of the joint is where it is without the joint, too.
    let placement = |model: &Model| {
        let mut ws = Workspace::new(model);
        let kinematics = model.forward_kinematics(&mut ws, &q).unwrap();
        kinematics.placement(model.frame_id("wrist_sensor").unwrap())
    };
    assert_same(&placement(&kept), &placement(&lumped));
}

#[test]
fn only_a_fixed_joint_of_the_robot_can_be_kept() {
    for (name, says) in [
        ("wrist_sensr", "did you mean `wrist_sensor`"),
        (
            "hinge",
            "there is no fixed joint `hinge` to keep; there is `wrist_sensor`",
        ),
    ] {
        let options = LoadOptions::default().keep_fixed_joint(name);
        let error = load_str_with(&arm_with_a_held_hand(), &options).unwrap_err();
        assert!(matches!(error.cause(), ErrorCause::NoFixedJoint { .. }));
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[test]
fn each_type_becomes_its_kind_of_joint() {
    let axis = "<axis xyz='0 -3 4'/>";
    let text = robot(&[
        ("1", "revolute", "a", "b", axis),
        ("2", "continuous", "b", "c", axis),
        ("3", "prismatic", "c", "d", axis),
        ("4", "floating", "d", "e", ""),
        ("5", "planar", "e", "f", "<axis xyz='0 0 2'/>"),
        ("6", "fixed", "f", "g", axis),
        ("7", "revolute", "g", "h", ""),
    ]);
    let unit = Vec3::new(0.0, -0.6, 0.8);
    let model = read(&text, &LoadOptions::default());
    let kind = |name| joint(&model, name).kind.clone();
    assert_eq!(kind("1"), JointKind::Revolute { axis: unit });
    assert_eq!(kind("2"), JointKind::Revolute { axis: unit });
    assert_eq!(kind("3"), JointKind::Prismatic { axis: unit });
    assert_eq!(kind("4"), JointKind::FreeFlyer);
    assert_eq!(kind("5"), JointKind::Planar);
    assert!(model.joint_id("6").is_err());
    // Without an axis, it is x.
    assert_eq!(kind("7"), JointKind::revolute_x());
    assert_eq!((model.nq(), model.nv()), (3 + 7 + 4 + 1, 3 + 6 + 3 + 1));
    let cos_sin = read(
        &text,
        &LoadOptions::default().continuous(Continuous::CosSin),
    );
    assert_eq!(
        joint(&cos_sin, "2").kind,
        JointKind::RevoluteUnbounded { axis: unit }
    );
    assert_eq!((cos_sin.nq(), cos_sin.nv()), (model.nq() + 1, model.nv()));
}

#[test]
fn a_planar_joint_moves_in_the_plane_across_its_axis_and_turns_about_it() {
    for axis in [
        [0.0, 0.0, 1.0],
        [0.0, 0.0, -2.0],
        [1.0, 0.0, 0.0],
        [0.0, -1.0, 0.0],
        [1.0, 2.0, -2.0],
    ] {
        let [x, y, z]: [f64; 3] = axis;
        let inner = format!("<axis xyz='{x} {y} {z}'/>");
        let model = read(
            &robot(&[("p", "planar", "a", "b", &inner)]),
            &LoadOptions::default(),
        );
        let length = (x * x + y * y + z * z).sqrt();
        let normal = Vec3::new(x, y, z) * (1.0 / length);
        let kind = &joint(&model, "p").kind;
        assert_eq!((kind.nq(), kind.nv()), (4, 3));
        let mut neutral = [0.0; 4];
        kind.neutral(&mut neutral);
        let mut subspace = [Motion::zero(); 3];
        assert_same(&kind.evaluate(&neutral, &mut subspace), &Se3::identity());

        let angle = 0.7_f64;
        let placement = kind.evaluate(&[0.3, -0.4, angle.cos(), angle.sin()], &mut subspace);
        let moved = placement.translation;
        assert!(
            moved.dot(normal).abs() < ROUNDING,
            "{axis:?} moves to {moved:?}"
        );
        assert!((moved.norm() - 0.5).abs() < ROUNDING);
        let turn = Se3::from_rotation(placement.rotation);
        assert_same(
            &turn,
            &Se3::from_rotation(Mat3::from_axis_angle(normal, angle)),
        );
        assert!((subspace[2].angular - normal).norm() < ROUNDING);
        for column in &subspace[..2] {
            assert!(column.linear.dot(normal).abs() < ROUNDING && column.angular.norm() < ROUNDING);
        }
    }
}

#[test]
fn a_planar_joint_in_a_tilted_plane_moves_as_one_whose_frame_is_tilted() {
    let body =
        "<link name='a'/><link name='b'><inertial><origin xyz='0.1 0.2 0.3'/><mass value='2'/>
        <inertia ixx='0.1' ixy='0.01' ixz='0' iyy='0.2' iyz='0.02' izz='0.25'/></inertial></link>";
    let by_axis = format!(
        "<robot name='r'>{body}<joint name='p' type='planar'><origin xyz='1 2 3' rpy='0.1 0.2 0.3'/>
        <parent link='a'/><child link='b'/><axis xyz='1 0 0'/></joint></robot>"
    );
    let by_frames = format!(
        "<robot name='r'>{body}<link name='c'/><link name='d'/>
        <joint name='there' type='fixed'><origin xyz='1 2 3' rpy='0.1 0.2 0.3'/><parent link='a'/><child link='c'/></joint>
        <joint name='tilt' type='fixed'><origin rpy='0 {FRAC_PI_2} 0'/><parent link='c'/><child link='x'/></joint>
        <link name='x'/>
        <joint name='p' type='planar'><parent link='x'/><child link='d'/><axis xyz='0 0 1'/></joint>
        <joint name='back' type='fixed'><origin rpy='0 -{FRAC_PI_2} 0'/><parent link='d'/><child link='b'/></joint></robot>"
    );
    let (sin, cos) = 0.4_f64.sin_cos();
    let (q, v, a) = ([0.3, -0.2, cos, sin], [0.5, -0.6, 0.7], [-0.8, 0.9, 1.1]);
    let torque_and_back = |text: &str| {
        let model = read(text, &LoadOptions::default());
        let mut ws = Workspace::new(&model);
        let torque = model.rnea(&mut ws, &q, &v, &a).unwrap().to_vec();
        let acceleration = model.aba(&mut ws, &q, &v, &torque).unwrap().to_vec();
        (torque, acceleration)
    };
    let (tilted, back) = torque_and_back(&by_axis);
    let (expected, _) = torque_and_back(&by_frames);
    // Forces are of the order of the weight, 20 N; a hundred operations lie between the two.
    for k in 0..3 {
        assert!(
            (tilted[k] - expected[k]).abs() < 1e-12,
            "{tilted:?} is not {expected:?}"
        );
        assert!((back[k] - a[k]).abs() < 1e-12, "{back:?} is not {a:?}");
    }
    assert!(expected.iter().all(|f| f.abs() > 0.1), "{expected:?}");
}

#[test]
fn fixed_joints_lump_their_links_and_keep_their_frames() {
    let text = "<robot name='r'><link name='base'/>
        <joint name='hinge' type='continuous'><origin xyz='0 0 1'/><parent link='base'/><child link='arm'/></joint>
        <link name='arm'><inertial><origin xyz='0 0 0.5'/><mass value='2'/>
          <inertia ixx='0.1' ixy='0' ixz='0' iyy='0.2' iyz='0' izz='0.3'/></inertial></link>
        <joint name='weld' type='fixed'><origin xyz='0 0 1' rpy='0 0 1.5707963267948966'/>
          <parent link='arm'/><child link='tool'/></joint>
        <link name='tool'><inertial><origin xyz='0.5 0 0'/><mass value='2'/>
          <inertia ixx='0.01' ixy='0' ixz='0' iyy='0.02' iyz='0' izz='0.03'/></inertial></link>
        <joint name='finger' type='prismatic'><origin xyz='1 0 0'/><parent link='tool'/><child link='tip'/>
          <limit lower='0' upper='1' effort='1' velocity='1'/></joint>
        <link name='tip'/>
        <joint name='stick' type='fixed'><origin xyz='1 0 0'/><parent link='tool'/><child link='mark'/></joint>
        <link name='mark'/></robot>";
    let model = read(text, &LoadOptions::default());
    let hinge = model.joint_id("hinge").unwrap();
    assert_eq!(model.joints().len(), 3);
    let weld = Se3::new(
        Mat3::from_axis_angle(Vec3::unit(2), FRAC_PI_2),
        Vec3::new(0.0, 0.0, 1.0),
    );
    // A metre along the tool's x axis, which is the arm's y.
    let mark = Se3::new(weld.rotation, Vec3::new(0.0, 1.0, 1.0));
    for (name, kind, placement) in [
        ("stick", FrameKind::FixedJoint, mark),
        ("mark", FrameKind::Body, mark),
        ("hinge", FrameKind::Joint, Se3::identity()),
        ("arm", FrameKind::Body, Se3::identity()),
        ("weld", FrameKind::FixedJoint, weld),
        ("tool", FrameKind::Body, weld),
    ] {
        let frame = model.frame(model.frame_id_of_kind(name, kind).unwrap());
        assert_eq!(frame.joint, hinge, "{name}");
        assert_same(&frame.placement, &placement);
    }
    let base = model.frame(model.body_id("base").unwrap());
    assert_eq!(base.joint, JointId::UNIVERSE);
    // A child of the lumped link is a child of the joint that carries it, placed from the link's
    // position.
    let finger = joint(&model, "finger");
    assert_eq!(finger.parent, hinge);
    assert_same(&finger.placement, &mark);

    // By hand: the tool's centre of mass is at (0, 0.5, 1), its x moment is about y of the arm.
    let inertia = joint(&model, "hinge").inertia;
    assert!((inertia.mass - 4.0).abs() < ROUNDING);
    assert!((inertia.com - Vec3::new(0.0, 0.25, 0.75)).norm() < ROUNDING);
    // Both are at a distance of (0, ±0.25, ±0.25) from the common centre, with 2 kg each.
    let shift = 2.0 * 2.0 * 0.25 * 0.25;
    let expected = [
        (inertia.rotational.xx(), 0.1 + 0.02 + 2.0 * shift),
        (inertia.rotational.yy(), 0.2 + 0.01 + shift),
        (inertia.rotational.zz(), 0.3 + 0.03 + shift),
        (inertia.rotational.yz(), -shift),
        (inertia.rotational.xy(), 0.0),
        (inertia.rotational.xz(), 0.0),
    ];
    for (found, expected) in expected {
        assert!(
            (found - expected).abs() < ROUNDING,
            "{found} is not {expected}"
        );
    }
}

#[test]
fn an_inertia_is_given_in_the_frame_of_its_origin() {
    let text = "<robot name='r'><link name='a'/><link name='b'><inertial>
        <origin xyz='1 2 3' rpy='0 1.5707963267948966 0'/><mass value='1'/>
        <inertia ixx='1' ixy='0.1' ixz='0' iyy='2' iyz='0' izz='3'/></inertial></link>
        <joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";
    let model = read(text, &LoadOptions::default());
    let inertia = joint(&model, "j").inertia;
    assert_eq!(inertia.com, Vec3::new(1.0, 2.0, 3.0));
    // A quarter turn about y takes x to −z and z to x.
    let r = inertia.rotational;
    for (found, expected) in [
        (r.xx(), 3.0),
        (r.yy(), 2.0),
        (r.zz(), 1.0),
        (r.yz(), -0.1),
        (r.xy(), 0.0),
        (r.xz(), 0.0),
    ] {
        assert!((found - expected).abs() < ROUNDING, "{r:?}");
    }
}

#[test]
fn an_origin_is_a_translation_and_fixed_axis_angles_or_a_quaternion() {
    let with = |origin: &str| {
        let model = read(
            &robot(&[("j", "continuous", "a", "b", origin)]),
            &LoadOptions::default(),
        );
        joint(&model, "j").placement
    };
    assert_same(&with(""), &Se3::identity());
    assert_same(&with("<origin/>"), &Se3::identity());
    let about = |axis, angle| Mat3::from_axis_angle(Vec3::unit(axis), angle);
    let rotation = about(2, 0.3) * (about(1, 0.2) * about(0, 0.1));
    let expected = Se3::new(rotation, Vec3::new(1.0, -2.0, 0.5));
    assert_same(
        &with("<origin rpy=' 0.1\n0.2\t0.3 ' xyz='+1 -2e0 .5'/>"),
        &expected,
    );
    let (sin, cos) = (0.35_f64.sin(), 0.35_f64.cos());
    let quaternion = format!("<origin quat_xyzw='0 {} 0 {}'/>", 3.0 * sin, 3.0 * cos);
    assert_same(&with(&quaternion), &Se3::from_rotation(about(1, 0.7)));
}

#[test]
fn limits_and_dynamics_are_the_joints() {
    let text = robot(&[
        (
            "1",
            "revolute",
            "a",
            "b",
            "<limit lower='-1' upper='2' effort='3' velocity='4'/><dynamics damping='5' friction='6'/>",
        ),
        (
            "2",
            "prismatic",
            "b",
            "c",
            "<limit lower='-inf' upper='INF' effort='inf'/>",
        ),
        (
            "3",
            "revolute",
            "c",
            "d",
            "<limit lower='-1' effort='0' velocity='0'/><dynamics friction='1'/>",
        ),
        (
            "4",
            "continuous",
            "d",
            "e",
            "<limit lower='-1' upper='1' effort='7' velocity='8'/>",
        ),
        ("5", "revolute", "e", "f", ""),
    ]);
    const NONE: f64 = f64::INFINITY;
    let model = read(&text, &LoadOptions::default());
    for (name, [lower, upper, effort, velocity, damping, friction]) in [
        ("1", [-1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        ("2", [-NONE, NONE, NONE, NONE, 0.0, 0.0]),
        ("3", [-1.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
        ("4", [-NONE, NONE, 7.0, 8.0, 0.0, 0.0]),
        ("5", [-NONE, NONE, NONE, NONE, 0.0, 0.0]),
    ] {
        let Joint { limits, drive, .. } = joint(&model, name);
        assert_eq!(
            (&limits.lower[..], &limits.upper[..]),
            (&[lower][..], &[upper][..]),
            "{name}"
        );
        assert_eq!(
            (&limits.effort[..], &limits.velocity[..]),
            (&[effort][..], &[velocity][..]),
            "{name}"
        );
        assert_eq!(
            (&drive.damping[..], &drive.friction[..]),
            (&[damping][..], &[friction][..]),
            "{name}"
        );
    }
}

#[test]
fn mimic_joints_stand_in_chains_and_before_the_mimicked_joint() {
    let text = robot(&[
        (
            "first",
            "revolute",
            "a",
            "b",
            "<mimic joint='second' multiplier='-2' offset='0.5'/>",
        ),
        (
            "second",
            "continuous",
            "b",
            "c",
            "<mimic joint='third' multiplier='3' offset='0.1'/>",
        ),
        ("third", "continuous", "c", "d", ""),
        ("fourth", "continuous", "d", "e", "<mimic joint='third'/>"),
    ]);
    let model = read(&text, &LoadOptions::default());
    assert_eq!((model.nq(), model.nv()), (1, 1));
    let third = model.joint_id("third").unwrap();
    for (name, ratio, offset) in [
        ("first", -6.0, -2.0 * 0.1 + 0.5),
        ("second", 3.0, 0.1),
        ("fourth", 1.0, 0.0),
    ] {
        let law = joint(&model, name).mimic.unwrap();
        assert_eq!(law.source, third, "{name}");
        assert!(
            (law.ratio - ratio).abs() + (law.offset - offset).abs() < ROUNDING,
            "{name}"
        );
    }
    let free = read(&text, &LoadOptions::default().mimic(MimicJoints::Free));
    assert_eq!((free.nq(), free.nv()), (4, 4));
    assert!(!free.has_mimic_joints());
    let cos_sin = read(
        &text,
        &LoadOptions::default().continuous(Continuous::CosSin),
    );
    assert_eq!((cos_sin.nq(), cos_sin.nv()), (2, 1));
}

#[test]
fn a_mimic_joint_of_a_cosine_and_sine_turns_with_it_or_is_refused() {
    for (kind, ratio, is_function) in [
        ("continuous", "2", true),
        ("revolute", "-3", true),
        ("continuous", "0.5", false),
        ("revolute", "1.25", false),
        // How far it has slid is how often the other has turned.
        ("prismatic", "1", false),
    ] {
        let mimic = format!(
            "<mimic joint='leads' multiplier='{ratio}'/><limit lower='-1' upper='1' effort='1' velocity='1'/>"
        );
        let text = robot(&[
            ("leads", "continuous", "base", "a", ""),
            ("mimics", kind, "a", "b", &mimic),
        ]);
        let cos_sin = LoadOptions::default().continuous(Continuous::CosSin);
        read(&text, &LoadOptions::default());
        read(&text, &cos_sin.clone().mimic(MimicJoints::Free));
        match load_str_with(&text, &cos_sin) {
            Ok(_) => assert!(is_function, "{kind} {ratio}"),
            Err(error) => {
                assert!(!is_function, "{kind} {ratio}: {error}");
                let error = error.to_string();
                assert!(
                    error.contains("`mimics`") && error.contains("`leads`"),
                    "{error}"
                );
                assert!(error.contains("as angles"), "{error}");
            }
        }
    }
}

#[test]
fn the_root_link_is_fixed_in_the_world_or_moved_by_root_joint() {
    let text = robot(&[("j", "continuous", "base", "rod", "")]);
    let fixed = read(&text, &LoadOptions::default());
    assert_eq!(
        fixed.frame(fixed.body_id("base").unwrap()).joint,
        JointId::UNIVERSE
    );
    assert_eq!(fixed.total_mass(), 1.0);
    let floating = read(&text, &LoadOptions::default().floating_base(true));
    let root = floating.joint_id("root_joint").unwrap();
    assert_eq!(floating.joint(root).kind, JointKind::FreeFlyer);
    assert_eq!(
        floating.frame(floating.body_id("base").unwrap()).joint,
        root
    );
    assert_eq!(
        (floating.nq(), floating.nv(), floating.total_mass()),
        (8, 7, 2.0)
    );
    assert_eq!(floating.parent(floating.joint_id("j").unwrap()), root);
    // One link alone is a robot too.
    let alone = read(
        "<robot name='r'><link name='a'/></robot>",
        &LoadOptions::default(),
    );
    assert_eq!((alone.nv(), alone.name()), (0, "r"));
}

#[test]
fn siblings_are_numbered_in_the_order_of_the_file_or_of_their_names() {
    // The joint below the fixed one comes where the fixed one would.
    let text = robot(&[
        ("m", "continuous", "root", "x", ""),
        ("z_fixed", "fixed", "root", "y", ""),
        ("a_below_fixed", "continuous", "y", "z", ""),
        ("c", "continuous", "root", "w", ""),
        ("c2", "continuous", "w", "w2", ""),
        ("B", "continuous", "root", "v", ""),
    ]);
    let names = |order| {
        let model = read(&text, &LoadOptions::default().sibling_order(order));
        let names: Vec<_> = model.joints()[1..].iter().map(|j| j.name.clone()).collect();
        names
    };
    assert_eq!(
        names(SiblingOrder::Document),
        ["m", "a_below_fixed", "c", "c2", "B"]
    );
    assert_eq!(
        names(SiblingOrder::Alphabetical),
        ["B", "c", "c2", "m", "a_below_fixed"]
    );
}

#[test]
fn the_form_of_the_text_does_not_matter() {
    let plain = "<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n<!-- one joint -->
<joint name='j' type='continuous'>\n<parent link='a'/>\n<child link='b'/>\n</joint>\n</robot>\n";
    let model = read(plain, &LoadOptions::default());
    let with_mark = format!("\u{feff}<?xml version='1.0' encoding='utf-8'?>\n{plain}");
    let windows = plain.replace('\n', "\r\n");
    let namespaced = plain.replacen("<robot", "<robot xmlns='http://example.org/urdf'", 1);
    let double = plain.replace('\'', "\"");
    let entities = plain.replace("name='a'", "name='&#97;'");
    for text in [with_mark, windows, namespaced, double, entities] {
        assert_eq!(read(&text, &LoadOptions::default()), model);
    }
    // A prefixed element belongs to another vocabulary.
    let prefixed = plain.replace(
        "<link name='a'/>",
        "<link name='a'/><x:link xmlns:x='y' name='c'/>",
    );
    assert_eq!(read(&prefixed, &LoadOptions::default()), model);
}
