//! Warnings of the reader, one message for each kind.

use featherline_formats::{Severity, Warning, WarningCause};
use std::mem::discriminant;

/// A message for each kind of warning: the first of its kind, and how many more there are. Notes
/// have none. `list` is the command that lists all.
pub fn grouped(warnings: &[Warning], list: &str) -> Vec<String> {
    grouped_of(Severity::Warning, warnings, list)
}

/// [`grouped`] for those of one severity.
pub fn grouped_of(severity: Severity, warnings: &[Warning], list: &str) -> Vec<String> {
    let mut kinds: Vec<(&Warning, usize)> = Vec::new();
    for warning in warnings.iter().filter(|it| it.severity() == severity) {
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
        WarningCause::MissingMesh { .. }
            | WarningCause::MissingMeshes { .. }
            | WarningCause::MeshOutside { .. }
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

    #[test]
    fn notes_of_one_kind_are_one_note_where_they_are_asked_for() {
        let not_convex = |mesh: &str| Warning {
            location: Location::default(),
            cause: WarningCause::NotConvex {
                mesh: mesh.to_owned(),
            },
        };
        let no_limit = Warning {
            location: Location::default(),
            cause: WarningCause::NoLimit,
        };
        let warnings = [not_convex("a.stl"), no_limit, not_convex("b.stl")];
        let notes = grouped_of(Severity::Note, &warnings, "featherline check r.urdf");
        assert_eq!(notes.len(), 1, "{notes:?}");
        let more = "(1 more of this kind; `featherline check r.urdf` lists both)";
        assert!(
            notes[0].contains("a.stl") && notes[0].ends_with(more),
            "{notes:?}"
        );
    }
}
