//! Inertias that follow from shapes.

use super::case::{arm, codes, is_only_reported, load, repaired};
use featherline_formats::repair::{RepairOptions, propose_str};

/// A link with parts on a hinge.
fn robot(parts: &str) -> String {
    format!(
        "<robot name='r'>\r\n\t<link name='base'/>\r\n\t<link name='rod'>\r\n\t\t{parts}\r\n\t</link>\r\n\t\
         <joint name='hinge' type='continuous'><parent link='base'/><child link='rod'/><axis xyz='0 1 0'/></joint>\r\n\
         </robot>"
    )
}

const BOX: &str =
    "<collision><origin xyz='0 0 -0.5'/><geometry><box size='0.2 0.1 1'/></geometry></collision>";

#[test]
fn a_link_that_moves_gets_the_inertia_of_its_shapes() {
    let text = robot(BOX);
    let (repairs, after) = repaired(&text);
    assert_eq!(codes(&repairs), ["moves-nothing"]);
    // A box of 0.02 m³, 20 kg: m/12 (b² + c²).
    let inertial = load(&after).description.links[1]
        .inertial
        .expect("it has one");
    assert!((inertial.mass - 20.0).abs() < 1e-12);
    assert!((inertial.placement.translation.z + 0.5).abs() < 1e-12);
    for (found, sides) in [
        (inertial.moments.xx(), 0.01 + 1.0),
        (inertial.moments.yy(), 0.04 + 1.0),
        (inertial.moments.zz(), 0.04 + 0.01),
    ] {
        let expected: f64 = 20.0 / 12.0 * sides;
        // Six digits are written.
        assert!((found - expected).abs() < 1e-5 * expected, "{after}");
    }
    // It has the layout of the file.
    assert!(
        after.contains("<link name='rod'>\r\n\t\t<inertial>\r\n\t\t\t<origin xyz="),
        "{after}"
    );
    assert!(
        after.contains("\r\n\t\t</inertial>\r\n\t\t<collision>"),
        "{after}"
    );
    assert!(repairs.repairs[0].reason.contains("1000 kg/m³, 20 kg"));
}

#[test]
fn the_density_may_be_another() {
    let repairs = propose_str(&robot(BOX), &RepairOptions::new().density(2700.0)).expect("text");
    let robot = load(&repairs.apply());
    assert!((robot.model.total_mass() - 54.0).abs() < 1e-9);
}

#[test]
fn what_is_seen_counts_where_nothing_touches() {
    let text = robot(&BOX.replace("collision", "visual"));
    let (repairs, _) = repaired(&text);
    assert!(repairs.repairs[0].reason.contains("visual"));
    // Neither of them, or no volume.
    is_only_reported(&robot(""));
    is_only_reported(&robot(&BOX.replace("0.2 0.1 1", "0 0.1 1")));
}

#[test]
fn a_link_that_is_fixed_to_one_with_inertia_needs_none() {
    let fixed = "<link name='tip'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>\
        <joint name='f' type='fixed'><parent link='rod'/><child link='tip'/></joint></robot>";
    let with_inertia = robot(super::case::INERTIAL).replace("</robot>", fixed);
    is_only_reported(&with_inertia);
    // The other way round, the link that is fixed has the mass of both.
    let (_, after) = repaired(&robot("").replace("</robot>", fixed));
    let expected = 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-3;
    assert!((load(&after).model.total_mass() - expected).abs() < 1e-5 * expected);
}

#[test]
fn an_inertia_without_mass_is_that_of_the_shapes_or_none() {
    let massless = "<inertial><mass value='0'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
    let (repairs, after) = repaired(&robot(&format!("{massless}{BOX}")));
    assert_eq!(codes(&repairs), ["massless-inertia"]);
    assert!((load(&after).model.total_mass() - 20.0).abs() < 1e-9);
    // Without it, the joint would move nothing: that is no repair.
    is_only_reported(&robot(massless));
    // On a link that others weigh down, it is left out.
    let text = robot(massless).replace(
        "</robot>",
        &format!(
            "<link name='tip'>{}</link><joint name='f' type='fixed'><parent link='rod'/><child link='tip'/></joint></robot>",
            super::case::INERTIAL
        ),
    );
    let (repairs, after) = repaired(&text);
    assert_eq!(codes(&repairs), ["massless-inertia"]);
    assert!(!after.contains("value='0'"), "{after}");
}

#[test]
fn the_figures_of_shapes_replace_only_those_that_differ() {
    // Comments, order, layout and what has the right figure stay.
    let stated = "<inertial> <!-- weighed -->
      <inertia ixx='1' ixy='0.00' ixz='0' iyy='1' iyz='0' izz='1'/>
      <mass value='0'/> <!-- later -->
      <origin xyz='0 0 -0.50' rpy='0.0 0 0'/>
    </inertial>";
    let text = robot(&format!("{stated}{BOX}"));
    let (repairs, after) = repaired(&text);
    assert_eq!(codes(&repairs), ["massless-inertia"]);
    // m/12 (b² + c²) of a box of 20 kg.
    let expected = text
        .replace("mass value='0'", "mass value='20'")
        .replace("ixx='1'", "ixx='1.68333'")
        .replace("iyy='1'", "iyy='1.73333'")
        .replace("izz='1'", "izz='0.0833333'");
    assert_eq!(after, expected);
    // The moments are about the axes of the link, and the centre is that of the shapes.
    let text = text.replace("xyz='0 0 -0.50' rpy='0.0 0 0'", "xyz='0 1 0' rpy='0.5 0 0'");
    let (_, after) = repaired(&text);
    assert!(
        after.contains("<origin xyz='0 0 -0.5' rpy='0 0 0'/>"),
        "{after}"
    );
    let text = text.replace("\n      <origin xyz='0 1 0' rpy='0.5 0 0'/>", "");
    let (_, after) = repaired(&text);
    assert!(
        after.contains("<origin xyz=\"0 0 -0.5\"/>\r\n      <mass value='20'/> <!-- later -->"),
        "{after}"
    );
}

#[test]
fn a_mass_of_zero_between_joints_is_that_of_the_shapes() {
    let tip = "<link name='tip'><inertial><mass value='1'/>
        <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>
        <joint name='wrist' type='continuous'><parent link='rod'/><child link='tip'/></joint></robot>";
    let zero = "<inertial><mass value='0'/><inertia ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='0'/></inertial>";
    let text = |parts: &str| robot(&format!("{zero}{parts}")).replace("</robot>", tip);
    let (repairs, after) = repaired(&text(BOX));
    assert_eq!(codes(&repairs), ["zero-mass"]);
    assert!(
        (load(&after).model.total_mass() - 21.0).abs() < 1e-9,
        "{after}"
    );
    let doubts = featherline_formats::plausibility::doubts(&load(&text(BOX)).description);
    assert_eq!(doubts[0].location, repairs.repairs[0].location);
    // Without shapes it may be a frame.
    is_only_reported(&text(""));
}

#[test]
fn an_inertial_that_is_not_complete_is_replaced() {
    let (repairs, after) = repaired(&robot(&format!(
        "<inertial><mass value='3'/></inertial>{BOX}"
    )));
    assert_eq!(codes(&repairs), ["missing-element", "moves-nothing"]);
    assert!(
        (load(&after).model.total_mass() - 20.0).abs() < 1e-9,
        "{after}"
    );
    is_only_reported(&robot("<inertial><mass value='3'/></inertial>"));
}

#[test]
fn an_inertia_without_mass_stays_where_the_shapes_can_not_be_read() {
    let mesh =
        "<collision><geometry><mesh filename='package://no/such.stl'/></geometry></collision>";
    let text = arm("fixed", "").replace("value='1'", "value='0'");
    is_only_reported(&text.replace("<inertial>", &format!("{mesh}<inertial>")));
    // Without shapes, nothing can give it a mass.
    assert_eq!(codes(&repaired(&text).0), ["massless-inertia"]);
}
