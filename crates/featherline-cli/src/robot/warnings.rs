//! Warnings of the reader, one message for each kind.

use featherline_formats::{Severity, Warning, WarningCause};
use std::mem::discriminant;

/// A message for each kind of warning: the first of its kind, and how many more there are. Notes
/// have none. `list` is the command that lists all.
pub fn grouped(warnings: &[Warning], list: &str) -> Vec<String> {
    let mut kinds: Vec<(&Warning, usize)> = Vec::new();
    for warning in warnings {
        if warning.severity() == Severity::Note {
            continue;
        }
        match kinds.iter_mut().find(|(first, _)| is_alike(first, warning)) {
            Some((_, more)) => *more += 1,
            None => kinds.push((warning, 0)),
        }
    }
    let messages = kinds.into_iter();
    messages
        .map(|(first, more)| with_others(&first.to_string(), more, list))
        .collect()
}

/// A message, and how many more of its kind there are.
pub fn with_others(first: &str, more: usize, list: &str) -> String {
    match more {
        0 => first.to_owned(),
        1 => format!("{first} (1 more of this kind; `{list}` lists both)"),
        _ => format!("{first} ({more} more of this kind; `{list}` lists them)"),
    }
}

/// Whether two warnings are of one kind.
fn is_alike(a: &Warning, b: &Warning) -> bool {
    match (&a.cause, &b.cause) {
        (WarningCause::Model(a), WarningCause::Model(b)) => discriminant(a) == discriminant(b),
        (WarningCause::NoBound { attribute: a }, WarningCause::NoBound { attribute: b })
        | (WarningCause::ZeroBound { attribute: a }, WarningCause::ZeroBound { attribute: b }) => {
            a == b
        }
        (a, b) => discriminant(a) == discriminant(b) || (is_mesh(a) && is_mesh(b)),
    }
}

/// Whether a warning is of meshes that were not found, of one or of several.
pub fn is_mesh(cause: &WarningCause) -> bool {
    matches!(
        cause,
        WarningCause::MissingMesh { .. } | WarningCause::MissingMeshes { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use featherline_formats::Location;

    #[test]
    fn warnings_of_one_kind_are_one_message() {
        let warning = |cause| Warning {
            location: Location::default(),
            cause,
        };
        let warnings = [
            warning(WarningCause::NoLimit),
            warning(WarningCause::NoBound {
                attribute: "effort",
            }),
            warning(WarningCause::NoLimit),
            warning(WarningCause::Unused {
                what: "`<visual>`".to_owned(),
                count: 3,
            }),
            warning(WarningCause::NoBound {
                attribute: "velocity",
            }),
            warning(WarningCause::NoLimit),
        ];
        let messages = grouped(&warnings, "featherline check r.urdf");
        assert_eq!(messages.len(), 3, "{messages:?}");
        let more = "(2 more of this kind; `featherline check r.urdf` lists them)";
        assert!(messages[0].ends_with(more), "{messages:?}");
        assert!(!messages[1].contains("more of this kind"), "{messages:?}");
    }
}
