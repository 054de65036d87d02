//! Names that two parts have.

use super::proposal::{Proposal, removed, value};
use super::round::{Problem, Round};
use crate::xml::Element;
use std::collections::{HashMap, HashSet};

/// Other names for parts whose name an earlier part of the same kind has; copies of such a part are
/// removed.
pub(super) fn duplicates(round: &Round<'_>, problem: Problem, what: &str) -> Vec<Proposal> {
    let Some(element) = round.element(problem.place) else {
        return Vec::new();
    };
    let elements = round.all();
    let mut taken: HashSet<String> = elements
        .filter_map(|it| Some(it.attribute("name")?.value.to_owned()))
        .collect();
    if round.is_mjcf() {
        let renamed = renamed(element, problem, what, &mut taken);
        return renamed.into_iter().collect();
    }
    // In a URDF, names are those of the links or joints of the root.
    let mut firsts: HashMap<&str, Element<'_>> = HashMap::new();
    let mut proposals = Vec::new();
    let parts = element.parent().into_iter().flat_map(Element::children);
    for part in parts.filter(|it| it.tag() == element.tag()) {
        let Some(name) = part.attribute("name") else {
            continue;
        };
        let Some(first) = firsts.get(name.value) else {
            firsts.insert(name.value, part);
            continue;
        };
        let problem = Problem {
            place: part.source(),
            ..problem
        };
        let words = first.text().split_whitespace();
        if words.eq(part.text().split_whitespace()) {
            let reason = format!(
                "two {what} are named `{}`, word for word the same: remove the second",
                name.value
            );
            let edits = vec![removed(part, round.text_of(part))];
            proposals.push(problem.proposal(reason, edits));
        } else {
            proposals.extend(renamed(part, problem, what, &mut taken));
        }
    }
    proposals
}

/// Another name for the second of two parts.
fn renamed(
    part: Element<'_>,
    problem: Problem,
    what: &str,
    taken: &mut HashSet<String>,
) -> Option<Proposal> {
    let name = part.attribute("name")?;
    let mut numbered = (2u64..).map(|count| format!("{}_{count}", name.value));
    let new = numbered.find(|it| !taken.contains(it))?;
    taken.insert(new.clone());
    let reason = format!(
        "two {what} are named `{}`: rename the second to `{new}`; what refers to the name keeps the first",
        name.value
    );
    Some(problem.proposal(reason, vec![value(&name, &new)]))
}
