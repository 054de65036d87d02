//! Friction of geoms and pairs, as MuJoCo 4.0 has it (`mjContact.friction` and `dim`,
//! `pair_friction` and `pair_dim`).

use super::read::{read, warnings};
use featherline_formats::description::{ContactDimension, PairSurface};
use featherline_formats::{load_str, mjcf};

/// A plane and a ball above it, with a pair.
fn two(plane: &str, ball: &str, pair: &str) -> String {
    format!(
        "<worldbody><geom name='a' type='plane' size='9 9 1' {plane}/>
         <body pos='0 0 1'><freejoint/><geom name='b' size='.1' {ball}/></body></worldbody>
         <contact>{pair}</contact>"
    )
}

fn surface(plane: &str, ball: &str, pair: &str) -> PairSurface {
    let robot = read(&two(plane, ball, pair));
    assert!(robot.warnings.is_empty(), "{}", warnings(&robot));
    robot.contact_model(None).unwrap().surfaces[0]
}

/// The figures are those that MuJoCo prints for the same geoms, but for the friction of `condim` 1,
/// which it does not use.
#[test]
fn the_greater_dimension_counts_or_that_of_the_higher_priority() {
    use ContactDimension::{Frictionless, Rolling, Sliding, Torsional};
    let [one, three] = ["condim='1' friction='.4'", "condim='3' friction='.6'"];
    for (plane, ball, dimension, friction) in [
        (one, one, Frictionless, 0.0),
        (one, three, Sliding, 0.6),
        (one, "friction='.2'", Sliding, 0.4),
        (one, "condim='4' friction='.6'", Torsional, 0.6),
        ("condim='6'", three, Rolling, 1.0),
        (&format!("{one} priority='1'"), three, Frictionless, 0.0),
        (one, &format!("{three} priority='1'"), Sliding, 0.6),
    ] {
        let found = surface(plane, ball, "");
        assert_eq!(found.dimension, dimension, "{plane} {ball}");
        assert_eq!(found.friction, friction, "{plane} {ball}");
        assert_eq!(found.friction_across, None);
    }
}

#[test]
fn a_pair_says_friction_and_dimension_itself() {
    use ContactDimension::{Frictionless, Sliding};
    let [plane, ball] = ["condim='1' friction='.4'", "condim='4' friction='.6'"];
    for (pair, dimension, friction, across) in [
        ("", Sliding, 1.0, None),
        ("friction='.3'", Sliding, 0.3, Some(1.0)),
        ("friction='.3 .7'", Sliding, 0.3, Some(0.7)),
        (
            "friction='.1 .2 .3 .4 .5' condim='3'",
            Sliding,
            0.1,
            Some(0.2),
        ),
        ("friction='.5 .5'", Sliding, 0.5, None),
        ("friction='.3 .7' condim='1'", Frictionless, 0.0, None),
    ] {
        let element = format!("<pair geom1='a' geom2='b' {pair}/>");
        let found = surface(plane, ball, &element);
        assert_eq!(found.dimension, dimension, "{pair}");
        assert_eq!(
            (found.friction, found.friction_across),
            (friction, across),
            "{pair}"
        );
    }
}

#[test]
fn torsional_and_rolling_friction_is_one_warning_with_its_line() {
    let text = two("", "condim='4'/>\n<geom name='c' size='.2' condim='6'", "");
    let robot = read(&text);
    assert!(robot.warnings.is_empty(), "{}", warnings(&robot));
    let found = robot.contact_model(None).unwrap().warnings;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].location.position.unwrap().line, 2, "{found:?}");
    assert!(
        found[0].to_string().contains("resist sliding alone"),
        "{}",
        found[0]
    );
    // A pair that resists sliding alone has no warning.
    let pair = "<pair geom1='a' geom2='b' condim='3'/>";
    let none = read(&two("", "condim='6'", pair))
        .contact_model(None)
        .unwrap();
    assert!(none.warnings.is_empty(), "{:?}", none.warnings);
}

#[test]
fn other_dimensions_and_negative_friction_are_refused() {
    for (ball, text) in [("condim='2'", "`condim`"), ("friction='-1'", "negative")] {
        let robot = read(&two("", ball, ""));
        assert!(warnings(&robot).contains(text), "{}", warnings(&robot));
    }
    let robot = read(&two("", "", "<pair geom1='a' geom2='b' friction='1 -1'/>"));
    assert!(robot.description.contact_pairs.is_empty());
    assert!(
        warnings(&robot).contains("the contact pair"),
        "{}",
        warnings(&robot)
    );
}

#[test]
fn dimensions_and_both_coefficients_are_written() {
    let text = two(
        "condim='1'",
        "condim='4'",
        "<pair geom1='a' geom2='b' friction='.3 .7' condim='1'/>",
    );
    let mut description = read(&text).description;
    // Without the words of the file, too.
    for words in [true, false] {
        if !words {
            description.contact_pairs[0].settings.clear();
            description
                .geometry
                .iter_mut()
                .for_each(|it| it.settings.clear());
        }
        let written = mjcf::to_string(&description).unwrap().text;
        let again = load_str(&written).unwrap().description;
        let pair = |it: &featherline_formats::Description| it.contact_pairs[0].surface;
        assert_eq!(pair(&again), pair(&description), "{written}");
        for (one, two) in again.geometry.iter().zip(&description.geometry) {
            assert_eq!(one.surface, two.surface, "{written}");
        }
    }
}
