//! `[[pair]]`: contacts between parts of a scene.

use super::table::{Table, source_of, text};
use super::{SURFACE, Scene, surface};
use crate::description::ContactRule;
use crate::error::ErrorCause;
use crate::report::{Outcome, fault};

/// The most links that the pairs of a scene stand for together: each may stand for all links.
const MAX_LINKS: usize = 1 << 20;

impl Scene<'_> {
    pub(super) fn pair(&mut self, table: Table<'_>) -> Outcome<()> {
        table.only(&["bodies collide", SURFACE])?;
        let bodies = table.list("bodies")?;
        let bodies = bodies.ok_or_else(|| table.missing("bodies"))?;
        let [first, second] = bodies else {
            let what = format!("`bodies` has {} names", bodies.len());
            let remedy = "give it two; twice the same for contacts of a robot with itself";
            return Err(table.not_allowed("bodies", what, remedy));
        };
        let links = |value| self.links(text(value, "bodies")?, source_of(value));
        let mut rule = ContactRule::new([links(first)?, links(second)?]);
        self.links_in_pairs += rule.links.iter().map(Vec::len).sum::<usize>();
        if self.links_in_pairs > MAX_LINKS {
            let (what, limit) = ("links in the pairs of a scene", MAX_LINKS);
            let cause = ErrorCause::TooMany { what, limit };
            return Err(fault(table.source, cause));
        }
        rule.collides = table.flag("collide")?.unwrap_or(true);
        rule.surface = surface(&table)?.unwrap_or_default();
        rule.source = table.source;
        self.description.contact_rules.push(rule);
        Ok(())
    }
}
