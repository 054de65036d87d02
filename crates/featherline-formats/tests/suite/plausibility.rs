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
    // Several turns of a cable drum.
    assert_eq!(
        doubts("lower='-3' upper='3'", "lower='-62.83' upper='62.83'"),
        [""; 0]
    );
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
