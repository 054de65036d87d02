//! Which shapes may touch, and their surfaces.

use super::{file, named, scene, shape};
use featherline_formats::description::{FrictionLaw, ImpactLaw, Softness};
use featherline_formats::{load, load_str};

#[test]
fn more_pairs_than_fit_into_memory_are_an_error() {
    let text = "[ground]\n[[body]]\nname='b'\nsphere=0.01\nposition=[0,0,1]\nrepeat=[32,16,16]\nspacing=[0.1,0.1,0.1]\n";
    let error = load_str(text).unwrap().contact_model(None).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("more than 4194304 pairs of shapes"),
        "{error}"
    );
}

#[test]
fn surfaces_combine_and_pairs_override_them() {
    let drop = scene("drop.toml");
    let rules = drop.description.contact_rules().unwrap();
    assert!(rules.may_touch(0, 1) && rules.may_touch(1, 0) && !rules.may_touch(0, 0));
    let surface = rules.surface(0, 1);
    // The geometric mean of 0.5 and the default 0.8; the larger restitution.
    assert!((surface.friction - 0.4_f64.sqrt()).abs() < 1e-15);
    assert_eq!(surface.restitution, 0.7);
    assert_eq!(surface, rules.surface(1, 0));

    let pile = scene("pile.toml");
    let rules = pile.description.contact_rules().unwrap();
    assert_eq!(rules.surface(0, 1000).friction, 0.9);
    assert_eq!(rules.surface(1000, 0).friction, 0.9);
    assert_eq!(rules.surface(7, 8).friction, 0.6);
    assert!(rules.may_touch(1, 1000) && rules.may_touch(0, 500));
    assert!(!rules.may_touch(0, 1001));
}

#[test]
fn soft_surfaces_and_laws_are_read() {
    let scene = "
        [contact]
        friction_law = 'convex'
        impact_law = 'reflections'
        [ground]
        stiffness = 3000
        damping = 90
        [[body]]
        name = 'foam'
        sphere = 0.1
        stiffness = 1000
        damping = 40
        [[body]]
        name = 'stone'
        sphere = 0.1
        [[pair]]
        bodies = ['stone', 'foam']
        stiffness = 500";
    let scene = load_str(scene).unwrap();
    let defaults = scene.description.contact_defaults;
    assert_eq!(defaults.friction_law, FrictionLaw::Convex);
    assert_eq!(defaults.impact_law, ImpactLaw::Reflections);
    let rules = scene.description.contact_rules().unwrap();
    // 1/k = 1/3000 + 1/1000; a quarter of the depth in the ground, three in the foam.
    let both = rules.surface(0, 1).softness.unwrap();
    assert!((both.stiffness - 750.0).abs() < 1e-9);
    assert!((both.damping - (90.0 / 16.0 + 40.0 * 9.0 / 16.0)).abs() < 1e-9);
    assert_eq!(
        rules.surface(0, 2).softness,
        Some(Softness::new(3000.0, 90.0))
    );
    assert_eq!(
        rules.surface(1, 2).softness,
        Some(Softness::new(500.0, 0.0))
    );
    let plain = load_str("[ground]\n").unwrap();
    assert_eq!(plain.description.contact_defaults.softness, None);
}

#[test]
fn neighbours_of_a_robot_and_what_is_excluded_do_not_touch() {
    let arms = scene("two_arms.toml");
    let of = |link| shape(&arms.description, link);
    let rules = arms.description.contact_rules().unwrap();
    let touch = |a, b| rules.may_touch(of(a), of(b));
    assert!(!touch("left/base", "left/upper") && !touch("left/upper", "left/fore"));
    // Excluded by the SRDF of the left arm alone.
    assert!(!touch("left/base", "left/fore") && touch("right/base", "right/fore"));
    // Kept apart by a pair of the scene.
    assert!(!touch("left/fore", "right/fore") && !touch("right/base", "left/upper"));
    assert!(touch("left/fore", "cube") && touch("cube", "ground"));
    // A base is fixed in the world, but the ground is no neighbour of the link after it.
    assert!(!touch("left/base", "ground") && touch("left/upper", "ground"));
    assert!(!touch("left/upper", "right/base"));

    let surface = |a, b| rules.surface(of(a), of(b));
    let fore = surface("left/fore", "cube");
    assert_eq!((fore.friction, fore.restitution), (1.5, 0.25));
    let upper = surface("left/upper", "cube").friction;
    assert!((upper - 0.24_f64.sqrt()).abs() < 1e-15);

    let shapes = arms.collision_shapes().shapes;
    let pairs = arms.collision_pairs(&shapes).unwrap();
    let excluded = arms.collision_exclusions(&shapes).unwrap();
    let all = |joint_differs: bool| {
        let pairs = (0..shapes.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        pairs
            .filter(|(i, j)| (shapes[*i].joint != shapes[*j].joint) == joint_differs)
            .count()
    };
    assert_eq!(pairs.len() + excluded.len(), all(true));
    // ground–upper and –fore of each, ground–cube, cube–six links, right base–right fore.
    assert_eq!(pairs.len(), 4 + 1 + 6 + 1);
}

#[test]
fn mjcf_has_bits_pairs_exclusions_and_priorities() {
    for (robot, ball_floor) in [
        // MuJoCo takes the larger friction, a scene the geometric mean.
        (load(file("room.xml")).unwrap(), 0.9),
        (scene("room.toml"), 0.45_f64.sqrt()),
    ] {
        let of = |name| named(&robot.description, name);
        let rules = robot.description.contact_rules().unwrap();
        let touch = |a, b| rules.may_touch(of(a), of(b));
        let friction = |a, b| rules.surface(of(a), of(b)).friction;
        assert!((friction("ball", "floor") - ball_floor).abs() < 1e-15);
        assert_eq!(friction("post", "ball"), 0.2);
        // No bit in common, but an explicit pair.
        assert!(touch("wall", "ball"));
        assert_eq!(friction("wall", "ball"), 0.3);
        // 1 & 3, 2 & 3.
        assert!(touch("floor", "door") && touch("wall", "door") && touch("floor", "ball"));
        assert!(!touch("ball", "door"));
        assert!(!touch("wall", "post") && !touch("floor", "post"));
        assert!(!touch("post", "door"));
    }
    let room = scene("room.toml").description;
    let rules = room.contact_rules().unwrap();
    let touch = |a, b| rules.may_touch(named(&room, a), named(&room, b));
    // A body of the scene has all bits.
    assert!(touch("other_ball", "wall") && touch("other_ball", "floor"));
    assert!(touch("ball", "table") && !touch("table", "floor"));
}

#[test]
fn links_without_shapes_are_part_of_their_joint() {
    let ball = "<collision><geometry><sphere radius='1'/></geometry></collision>";
    let text = format!(
        "<robot name='r'> <link name='a'>{ball}</link> <link name='b'/> <link name='c'>{ball}</link>
         <link name='d'>{ball}</link>
         <joint name='x' type='continuous'><parent link='a'/><child link='b'/></joint>
         <joint name='y' type='continuous'><parent link='b'/><child link='c'/></joint>
         <joint name='z' type='fixed'><parent link='a'/><child link='d'/></joint></robot>"
    );
    let robot = load_str(&text).unwrap();
    let rules = robot.description.contact_rules().unwrap();
    // a and d are one, and both are neighbours of c.
    assert!(!rules.may_touch(0, 1) && !rules.may_touch(1, 2) && !rules.may_touch(0, 2));
}

#[test]
fn links_that_close_a_loop_are_neighbours() {
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            "<body name='{child}'><joint name='{name}'/><geom name='{child}' size='1'/>{parent}</body>"
        )
    };
    let chain = joint("j", &joint("k", &joint("l", "", "c"), "b"), "a");
    let text = |equality: &str| {
        format!("<mujoco><worldbody>{chain}</worldbody><equality>{equality}</equality></mujoco>")
    };
    for (equality, touch) in [
        ("", true),
        ("<connect body1='a' body2='c' anchor='0 0 0'/>", false),
    ] {
        let robot = load_str(&text(equality)).unwrap();
        let rules = robot.description.contact_rules().unwrap();
        assert_eq!(rules.may_touch(0, 2), touch, "{equality}");
    }
}

#[test]
fn a_friction_that_can_not_be_is_left_out_with_a_warning() {
    let text = "<mujoco><worldbody><geom size='1' friction='-1'/></worldbody></mujoco>";
    let robot = load_str(text).unwrap();
    let warning = robot.warnings[0].to_string();
    assert!(
        warning.contains("surface") && warning.contains("-1"),
        "{warning}"
    );
    let surface = robot.description.geometry[0].surface.expect("MJCF has one");
    assert_eq!(surface.friction, Some(1.0));
}
