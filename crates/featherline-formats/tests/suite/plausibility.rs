//! Figures that are possible, and that hardly any robot has.

use featherline_formats::{load_str, plausibility};

/// A rod of 2 kg, 1 m long, 4 cm thick, from its joint downwards: its moments are those of a
/// uniform cylinder, 2 (1 / 12 + 0.02² / 4) and 2 · 0.02² / 2.
const ROD: &str = "<robot name='r'><link name='base'/>
  <link name='rod'>
    <inertial><origin xyz='0 0 -0.5'/><mass value='2'/>
      <inertia ixx='0.1669' ixy='0' ixz='0' iyy='0.1669' iyz='0' izz='0.0004'/></inertial>
    <collision><origin xyz='0 0 -0.5'/><geometry><cylinder radius='0.02' length='1'/></geometry></collision>
  </link>
  <joint name='j' type='revolute'><origin xyz='0 0 0.3'/><parent link='base'/><child link='rod'/>
    <limit lower='-3' upper='3' effort='1' velocity='1'/></joint>
</robot>";

/// The codes of the doubts about a rod in which a piece is replaced.
fn doubts(old: &str, new: &str) -> Vec<&'static str> {
    assert!(ROD.contains(old), "{old}");
    let robot = load_str(&ROD.replace(old, new)).unwrap();
    let doubts = plausibility::doubts(&robot.description);
    doubts.iter().map(|it| it.cause.code()).collect()
}

#[test]
fn a_sound_rod_has_no_doubts() {
    assert_eq!(doubts("value='2'", "value='2'"), [""; 0]);
}

#[test]
fn wrong_units_are_found() {
    assert_eq!(doubts("value='2'", "value='2000'"), ["too-dense"]);
    assert_eq!(doubts("0.1669", "166900"), ["large-moments"]);
    assert_eq!(
        doubts("<origin xyz='0 0 0.3'/>", "<origin xyz='0 0 300'/>"),
        ["far-away"]
    );
    let millimetres = doubts(
        "<inertial><origin xyz='0 0 -0.5'/>",
        "<inertial><origin xyz='0 0 -500'/>",
    );
    assert_eq!(millimetres, ["far-away"]);
    assert_eq!(
        doubts("lower='-3' upper='3'", "lower='-180' upper='170'"),
        ["degrees"]
    );
    assert_eq!(
        doubts("lower='-3' upper='3'", "lower='-176' upper='-4'"),
        ["degrees"]
    );
    assert_eq!(
        doubts("<origin xyz='0 0 0.3'/>", "<origin rpy='0 90 0'/>"),
        ["degrees"]
    );
    assert_eq!(
        doubts("<collision><origin", "<collision><origin rpy='0 0 -22.5'"),
        ["degrees"]
    );
    // A turn, and round numbers of turns, rounded.
    for rpy in ["6.2832 0 0", "0 -9.42 0", "0 0 3.15"] {
        let origin = format!("<origin rpy='{rpy}'/>");
        assert_eq!(doubts("<origin xyz='0 0 0.3'/>", &origin), [""; 0], "{rpy}");
    }
    // Several turns of a cable drum.
    assert_eq!(
        doubts("lower='-3' upper='3'", "lower='-62.83' upper='62.83'"),
        [""; 0]
    );
}

#[test]
fn degrees_are_shown_in_radians_where_they_stand() {
    let text = ROD
        .replace("lower='-3' upper='3'", "lower='-170' upper='170'")
        .replace("<origin xyz='0 0 0.3'/>", "<origin rpy='0 90 0'/>");
    let doubts = plausibility::doubts(&load_str(&text).unwrap().description);
    let found: Vec<String> = doubts.iter().map(ToString::to_string).collect();
    // 170 π/180 and π/2.
    for (found, place, figures) in [
        (
            &found[0],
            "joint[@name='j']/origin: ",
            "0 90 0 degrees are 0 1.5708 0 rad",
        ),
        (
            &found[1],
            "joint[@name='j']/limit: ",
            "-170 and 170 degrees are -2.96706 and 2.96706 rad",
        ),
    ] {
        assert!(found.contains(place) && found.ends_with(figures), "{found}");
    }
    let underlined = |k: usize| {
        let span = doubts[k].location.span.as_ref().unwrap();
        &text[span.bytes.clone()]
    };
    assert_eq!(underlined(0), "rpy='0 90 0'");
    assert!(underlined(1).starts_with("<limit "));
}

#[test]
fn moments_about_the_joint_are_not_those_of_mass_inside_the_shapes() {
    // By the parallel axis theorem 0.1669 + 2 · 0.5². Mass at the ends has 2 · 0.5² at most, and a
    // little for the thickness, which is 1.33 times less.
    assert_eq!(doubts("0.1669", "0.6669"), ["outside-shapes"]);
    assert_eq!(doubts("0.1669", "0.5"), [""; 0]);
    // Placeholders of a ball of 0.5 m.
    assert_eq!(doubts("izz='0.0004'", "izz='0.2'"), ["outside-shapes"]);
}

/// The places of `zero-mass` in a chain base → a → b → c, with what each of the links has beside
/// its name. `a` and `b` are fixed to each other if `is_fixed`.
fn zero_masses(links: [&str; 4], is_fixed: bool) -> Vec<String> {
    let mut text = String::from("<robot name='r'>");
    for (name, inner) in ["base", "a", "b", "c"].iter().zip(links) {
        text += &format!("<link name='{name}'>{inner}</link>");
    }
    for (parent, child) in [("base", "a"), ("a", "b"), ("b", "c")] {
        let kind = match is_fixed && child == "b" {
            true => "fixed",
            false => "continuous",
        };
        text += &format!(
            "<joint name='to_{child}' type='{kind}'><parent link='{parent}'/>
             <child link='{child}'/></joint>"
        );
    }
    let robot = load_str(&(text + "</robot>")).unwrap();
    let doubts = plausibility::doubts(&robot.description);
    let own = doubts.iter().filter(|it| it.cause.code() == "zero-mass");
    let place = |it: &featherline_formats::Warning| it.location.element.clone().unwrap();
    own.map(place).collect()
}

#[test]
fn a_stated_mass_of_zero_between_joints_is_found() {
    const ZERO: &str = "<inertial><mass value='0'/>
        <inertia ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='0'/></inertial>";
    const ONE: &str = "<inertial><mass value='1'/>
        <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
    let of = |link: &str| format!("robot/link[@name='{link}']/inertial/inertia");
    assert_eq!(zero_masses([ONE, ZERO, ONE, ONE], false), [of("a")]);
    assert_eq!(
        zero_masses([ONE, ZERO, ZERO, ONE], false),
        [of("a"), of("b")]
    );
    assert_eq!(
        zero_masses([ONE, ZERO, ZERO, ONE], true),
        [of("a"), of("b")]
    );
    let none: [String; 0] = [];
    // A frame; a link that is fixed to one of mass; the world; an end, which the reader reports.
    assert_eq!(zero_masses([ONE, "", ONE, ONE], false), none);
    assert_eq!(zero_masses([ONE, ZERO, ONE, ONE], true), none);
    assert_eq!(zero_masses([ZERO, ONE, ONE, ONE], false), none);
    assert_eq!(zero_masses([ONE, ONE, ONE, ZERO], false), none);
    assert_eq!(zero_masses([ONE, ONE, ZERO, ZERO], false), none);
    // Moments without mass are another warning.
    let moments = ZERO.replace("ixx='0'", "ixx='1'");
    assert_eq!(zero_masses([ONE, &moments, ONE, ONE], false), none);
}

#[test]
fn angles_of_states_that_seem_to_be_in_degrees_are_doubted() {
    let limited = load_str(ROD).unwrap().model;
    let free = ROD.replace("type='revolute'", "type='continuous'");
    let free = load_str(&free.replace("lower='-3' upper='3' ", ""))
        .unwrap()
        .model;
    let half = ROD.replace("upper='3'", "upper='30'");
    let half = load_str(&half).unwrap().model;
    let is_doubted = |model, q| !plausibility::doubtful_angles(model, &[q]).is_empty();
    for (model, q, expected) in [
        // Outside the limits, and inside them in degrees: 3 rad are 171.9 degrees.
        (&limited, 90.0, true),
        (&limited, -7.5, true),
        (&limited, 171.5, true),
        (&limited, 172.5, false),
        (&limited, 3.2, false),
        (&limited, 6.2, false),
        (&half, 29.0, false),
        (&half, -29.0, true),
        // Without limits, whole numbers alone, above two turns.
        (&free, 90.0, true),
        (&free, -45.0, true),
        (&free, 12.0, false),
        (&free, 90.25, false),
        (&free, 28.274333882308138, false),
        (&free, 1000.0, false),
        (&free, f64::NAN, false),
    ] {
        assert_eq!(is_doubted(model, q), expected, "{q}");
    }
    // A configuration that is too short, of whose length other errors tell.
    assert!(plausibility::doubtful_angles(&free, &[]).is_empty());
    let targets = plausibility::doubtful_targets(&free, &[90.0]);
    assert_eq!(targets, plausibility::doubtful_angles(&free, &[90.0]));
    assert_eq!(targets[0].code(), "degrees");
}

#[test]
fn named_configurations_in_degrees_are_doubted() {
    let state = "<robot name='r'><group_state name='up' group='g'><joint name='j' value='90'/></group_state>
        <group name='g'><joint name='j'/></group></robot>";
    let robot = load_str(ROD).unwrap().with_srdf_str(state).unwrap();
    let doubts = plausibility::doubts(&robot.description);
    assert_eq!(doubts.len(), 1);
    assert_eq!(doubts[0].cause.code(), "degrees");
    assert!(
        doubts[0].to_string().contains("joint `j` is at 90 rad"),
        "{}",
        doubts[0]
    );
    let hinge = "<mujoco><worldbody><body><joint name='j'/><geom size='0.1'/></body></worldbody>
        <keyframe><key name='up' qpos='90'/></keyframe></mujoco>";
    let doubts = plausibility::doubts(&load_str(hinge).unwrap().description);
    assert_eq!(doubts[0].cause.code(), "degrees");
}
