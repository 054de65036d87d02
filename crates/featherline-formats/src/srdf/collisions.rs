//! Pairs of links that do not collide.

use super::parts::Parts;
use crate::description::{ContactExclusion, Description, LinkPair};
use crate::error::ErrorCause;
use crate::report::{Outcome, Report, fault, not_allowed};
use crate::xml::Element;
use std::collections::HashSet;

/// The most pairs that links which do not collide by default make.
const MAX_PAIRS: usize = 1 << 20;

/// Reads `<disable_collisions>`, `<enable_collisions>` and `<disable_default_collisions>`.
pub(super) fn read(
    root: Element<'_>,
    parts: &Parts,
    description: &mut Description,
    report: &mut Report<'_>,
) {
    let of = |tag: &'static str| root.children().filter(move |it| it.tag() == tag);
    let known = description.contact_exclusions.iter();
    let mut excluded: HashSet<[usize; 2]> = known.map(|it| sorted(it.links)).collect();
    for element in of("disable_collisions") {
        match pair(element, parts, report) {
            Ok(pair) if excluded.insert(sorted(pair.links)) => {
                let mut exclusion = ContactExclusion::new("", pair.links);
                (exclusion.reason, exclusion.source) = (pair.reason, pair.source);
                description.contact_exclusions.push(exclusion);
            }
            Ok(_) => {
                let what = "`<disable_collisions>` of a pair that does not collide already";
                report.unused(what.to_owned(), element.source());
            }
            Err(fault) => report.left_out("the pair of links", *fault),
        }
    }
    for element in of("enable_collisions") {
        match pair(element, parts, report) {
            Ok(pair) => description.semantics.enabled_collisions.push(pair),
            Err(fault) => report.left_out("the pair of links", *fault),
        }
    }
    let enabled = description.semantics.enabled_collisions.iter();
    let enabled: HashSet<[usize; 2]> = enabled.map(|it| sorted(it.links)).collect();
    for element in of("disable_default_collisions") {
        report.unused_except(element, &["link"], &[]);
        let link = match parts.link(element, "link") {
            Ok(link) => link,
            Err(fault) => {
                report.left_out("the link that does not collide", *fault);
                continue;
            }
        };
        description.semantics.disabled_by_default.push(link);
        if excluded.len() + description.links.len() > MAX_PAIRS {
            let (what, limit) = ("pairs of links", MAX_PAIRS);
            let cause = ErrorCause::TooMany { what, limit };
            report.left_out("the exclusion of a link", *fault(element.source(), cause));
            continue;
        }
        for other in (0..description.links.len()).filter(|&other| other != link) {
            let links = sorted([link, other]);
            if !enabled.contains(&links) && excluded.insert(links) {
                let mut pair = ContactExclusion::new("", [link, other]);
                pair.source = element.source();
                description.contact_exclusions.push(pair);
            }
        }
    }
}

fn pair(element: Element<'_>, parts: &Parts, report: &mut Report<'_>) -> Outcome<LinkPair> {
    report.unused_except(element, &["link1", "link2", "reason"], &[]);
    // Both, so that all names are counted.
    let (first, second) = (parts.link(element, "link1"), parts.link(element, "link2"));
    let links = [first?, second?];
    if links[0] == links[1] {
        let what = "both links are the same";
        return Err(not_allowed(element.source(), what, "a pair has two"));
    }
    let reason = element.attribute("reason").map_or("", |it| it.value);
    Ok(LinkPair {
        links,
        reason: reason.to_owned(),
        source: element.source(),
    })
}

fn sorted(mut links: [usize; 2]) -> [usize; 2] {
    links.sort_unstable();
    links
}
