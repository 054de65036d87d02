//! The texts of a round, and what is found in them.

use super::RepairOptions;
use super::proposal::{Proposal, TextEdit};
use super::shapes::Links;
use super::{directions, inertia, joints, names, shapes, spelling};
use crate::description::{Robot, Sources};
use crate::error::{Error, ErrorCause};
use crate::file_format::FileFormat;
use crate::location::{Location, Source};
use crate::mjcf::Texts;
use crate::warning::{Severity, WarningCause};
use crate::xml::{Attribute, Element};
use featherline::model::ModelWarning;

/// The texts of a round, and what they are read as.
pub(super) struct Round<'a> {
    pub(super) sources: &'a Sources,
    /// The elements of each text, in its order.
    pub(super) elements: Vec<Vec<Element<'a>>>,
    pub(super) included: Texts<'a>,
    pub(super) outcome: &'a Result<Robot, Error>,
    pub(super) options: &'a RepairOptions,
}

/// A problem: its code, how much it matters, and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Problem {
    pub(super) code: &'static str,
    pub(super) severity: Severity,
    pub(super) place: Source,
}

impl Problem {
    pub(super) fn new(code: &'static str, severity: Severity, place: Source) -> Self {
        Self {
            code,
            severity,
            place,
        }
    }

    pub(super) fn proposal(self, reason: String, edits: Vec<TextEdit>) -> Proposal {
        Proposal {
            problem: self,
            reason,
            edits,
        }
    }
}

impl<'a> Round<'a> {
    /// The outermost elements of the texts.
    pub(super) fn roots(&self) -> impl Iterator<Item = Element<'a>> {
        self.elements.iter().filter_map(|it| it.first().copied())
    }

    /// The elements of all texts.
    pub(super) fn all(&self) -> impl Iterator<Item = Element<'a>> {
        self.elements.iter().flatten().copied()
    }

    fn format(&self) -> Option<FileFormat> {
        FileFormat::of_root(self.roots().next()?.tag())
    }

    pub(super) fn is_mjcf(&self) -> bool {
        self.format() == Some(FileFormat::Mjcf)
    }

    /// The text that an element is in.
    pub(super) fn text_of(&self, element: Element<'_>) -> &'a str {
        let (text, _) = element.source().position().unwrap_or_default();
        &self.sources.texts()[text].text
    }

    /// The place of a location in the texts.
    fn place(&self, location: &Location) -> Option<Source> {
        let mut texts = self.sources.texts().iter();
        let text = texts.position(|it| it.path == location.file)?;
        Some(Source::new(text, location.span.as_ref()?.bytes.start))
    }

    /// The element that begins at a place, or that has the attribute there.
    pub(super) fn element(&self, place: Source) -> Option<Element<'a>> {
        let (text, offset) = place.position()?;
        let elements = self.elements.get(text)?;
        let after = elements.partition_point(|it| it.offset() <= offset);
        Some(elements.get(after.checked_sub(1)?)?.around(offset))
    }

    /// The element that has an attribute at a place, and the attribute.
    pub(super) fn attribute(&self, place: Source) -> Option<(Element<'a>, Attribute<'a>)> {
        let element = self.element(place)?;
        let attribute = element.attributes().find(|it| it.source == place)?;
        Some((element, attribute))
    }

    /// Repairs of everything that one is known for.
    pub(super) fn proposals(&self) -> Vec<Proposal> {
        if !self.format().is_some_and(FileFormat::is_read) {
            return Vec::new();
        }
        // A misspelt name exists once it is renamed, and needs no replacement.
        let mut proposals = spelling::names(self);
        match self.outcome {
            Err(error) => {
                for error in error.all() {
                    let Some(place) = self.place(error.location()) else {
                        continue;
                    };
                    let problem = Problem::new(error.cause().code(), Severity::Error, place);
                    proposals.extend(self.of_error(problem, error.cause()));
                }
            }
            Ok(robot) => {
                let links = Links::of(&robot.description);
                for warning in &robot.warnings {
                    let Some(place) = self.place(&warning.location) else {
                        continue;
                    };
                    let cause = &warning.cause;
                    let problem = Problem::new(cause.code(), cause.severity(), place);
                    proposals.extend(self.of_warning(problem, cause, &links));
                }
                proposals.extend(shapes::missing(self, robot, &links));
                proposals.extend(shapes::zero_masses(self, &robot.description, &links));
            }
        }
        proposals.extend(directions::lengths(self));
        proposals
    }

    fn of_error(&self, problem: Problem, cause: &ErrorCause) -> Vec<Proposal> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no repair")]
        let one = match cause {
            ErrorCause::DuplicateName { what, .. } => {
                return names::duplicates(self, problem, what);
            }
            ErrorCause::UnknownJointType { found } => spelling::joint_type(self, problem, found),
            ErrorCause::NotANumber { .. } => spelling::commas(self, problem),
            ErrorCause::EmptyRange { .. } => joints::exchanged_limits(self, problem),
            ErrorCause::UnknownMimicked { name, .. } => joints::mimicked(self, problem, name),
            ErrorCause::UnknownName {
                what,
                name,
                suggestion,
            } => joints::no_equality(self, problem, (what, name), suggestion.as_deref()),
            ErrorCause::InertiaNotPositive { .. } => inertia::possible(self, problem),
            ErrorCause::MissingElement { element, .. } => {
                shapes::incomplete(self, problem, element)
            }
            _ => None,
        };
        one.into_iter().collect()
    }

    fn of_warning(
        &self,
        problem: Problem,
        cause: &WarningCause,
        links: &Links<'_>,
    ) -> Option<Proposal> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no repair")]
        match cause {
            WarningCause::NoLimit => joints::continuous(self, problem),
            WarningCause::UnknownMimicked { name } => joints::mimicked(self, problem, name),
            WarningCause::Model(
                ModelWarning::InertiaNotPositive { .. } | ModelWarning::TriangleInequality { .. },
            ) => inertia::possible(self, problem),
            WarningCause::Model(ModelWarning::MasslessInertia { body }) => {
                shapes::massless(self, problem, body, links)
            }
            _ => None,
        }
    }
}
