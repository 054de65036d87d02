//! Repairs of small texts.

use featherline_formats::repair::{RepairOptions, Repairs, propose_str};
use featherline_formats::{Robot, load_str};

/// The repairs of a text that must be readable with them, and its text with all.
pub fn repaired(text: &str) -> (Repairs, String) {
    let repairs = propose_str(text, &RepairOptions::new()).expect("it is text");
    let after = repairs.apply();
    if let Err(error) = &repairs.outcome {
        panic!("{error}\n{after}");
    }
    load_str(&after).unwrap_or_else(|error| panic!("{error}\n{after}"));
    // Nothing more is proposed.
    let again = propose_str(&after, &RepairOptions::new()).expect("it is text");
    assert_eq!(again.repairs, [], "{after}");
    // Edits are in the order of the text and do not overlap.
    let edits = repairs.repairs.iter().flat_map(|it| &it.edits);
    let mut ranges: Vec<_> = edits.map(|it| it.range.clone()).collect();
    ranges.sort_by_key(|it| it.start);
    assert!(ranges.windows(2).all(|it| it[0].end <= it[1].start));
    (repairs, after)
}

pub fn codes(repairs: &Repairs) -> Vec<&'static str> {
    repairs.repairs.iter().map(|it| it.code).collect()
}

/// Fails unless a text has exactly one repair, which replaces one piece by another.
pub fn replaces(code: &str, text: &str, old: &str, new: &str) -> Repairs {
    let (repairs, after) = repaired(text);
    assert_eq!(codes(&repairs), [code], "{:#?}", repairs.repairs);
    assert_eq!(text.matches(old).count(), 1, "{old}");
    assert_eq!(after, text.replace(old, new));
    repairs
}

/// Fails if a text has repairs.
pub fn is_only_reported(text: &str) {
    let repairs = propose_str(text, &RepairOptions::new()).expect("it is text");
    assert_eq!(repairs.repairs, [], "{text}");
    assert_eq!(repairs.apply(), text);
}

pub fn load(text: &str) -> Robot {
    load_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

pub const INERTIAL: &str = "<inertial><origin xyz='0 0 -0.5'/><mass value='1'/>\
    <inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.01'/></inertial>";

/// Two links and a joint with parts.
pub fn arm(kind: &str, parts: &str) -> String {
    format!(
        "<?xml version='1.0'?>\n<robot name='arm'>\n  <link name='base'/>\n  <!-- the rod -->\n  \
         <link name='rod'>{INERTIAL}</link>\n  <joint name='hinge' type='{kind}'>\n    <parent link='base'/>\n    \
         <child link='rod'/>\n    {parts}\n  </joint>\n</robot>\n"
    )
}
