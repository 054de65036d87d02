//! A broken text, and the error that it must give.

use featherline_formats::{
    Continuous, ErrorCause, LoadOptions, MimicJoints, SiblingOrder, load_str, load_str_with,
};
use std::collections::HashSet;

pub struct Case {
    pub name: &'static str,
    pub text: &'static str,
    pub line: usize,
    pub is_cause: fn(&ErrorCause) -> bool,
    /// The text that the message must contain.
    pub says: &'static str,
}

/// A list of [`Case`]s: `"name": line, cause pattern, "what the message says", text;`.
macro_rules! cases {
    ($($name:literal: $line:literal, $cause:pat, $says:literal, $text:expr;)*) => {
        &[$($crate::urdf::case::Case {
            name: $name,
            text: $text,
            line: $line,
            is_cause: |cause| matches!(cause, $cause),
            says: $says,
        }),*]
    };
}
pub(crate) use cases;

/// All combinations of options.
pub fn every_option() -> Vec<LoadOptions> {
    let mut all = Vec::new();
    for floating in [false, true] {
        for mimic in [MimicJoints::Coupled, MimicJoints::Free] {
            for continuous in [Continuous::Angle, Continuous::CosSin] {
                for order in [SiblingOrder::Document, SiblingOrder::Alphabetical] {
                    let options = LoadOptions::default().floating_base(floating).mimic(mimic);
                    all.push(options.continuous(continuous).sibling_order(order));
                }
            }
        }
    }
    all
}

/// Checks that each case gives its error in its line, and that no combination of options panics.
pub fn check(cases: &[Case], at_least: usize) {
    assert!(cases.len() >= at_least);
    let names: HashSet<_> = cases.iter().map(|case| case.name).collect();
    assert_eq!(names.len(), cases.len(), "every case has a name of its own");
    for Case {
        name,
        text,
        line,
        is_cause,
        says,
    } in cases
    {
        let error = match load_str(text) {
            Ok(_) => panic!("{name}: read without an error"),
            Err(error) => error,
        };
        let shown = error.to_string();
        assert!(is_cause(error.cause()), "{name}: {:?}", error.cause());
        let position = error.location().position;
        assert_eq!(position.map(|p| p.line), Some(*line), "{name}: {shown}");
        assert!(
            shown.starts_with(&format!("line {line}, column ")),
            "{name}: {shown}"
        );
        assert!(shown.contains(says), "{name}: {shown}");
        assert!(
            shown.len() < 600 && !shown.contains('\n'),
            "{name}: {shown}"
        );
        for options in every_option() {
            // Some errors depend on the options, as those of mimic joints; none may panic.
            let _ = load_str_with(text, &options);
        }
    }
}
