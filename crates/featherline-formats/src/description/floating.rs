//! A base that floats, as a joint of the description.

use super::{Description, Joint, Link, Motion};
use crate::error::Error;
use crate::options::SiblingOrder;
use crate::report::Report;

/// The name of the joint that moves a floating base.
pub(crate) const ROOT_JOINT: &str = "root_joint";

/// A name that is not taken: with as many underscores behind it as that takes.
pub(crate) fn free_name(name: impl Into<String>, is_taken: impl Fn(&str) -> bool) -> String {
    let mut name = name.into();
    while is_taken(&name) {
        name.push('_');
    }
    name
}

impl Description {
    /// The same robot with its root link on a floating joint `root_joint` from a link `world`: what
    /// [`floating_base`](crate::LoadOptions::floating_base) does to the model. Cost O(n).
    ///
    /// Underscores follow the names where they are taken.
    ///
    /// ```
    /// use featherline_formats::load_str;
    ///
    /// let stone = load_str("<robot name='stone'><link name='stone'/></robot>")?.description;
    /// let floating = stone.with_floating_base()?;
    /// assert_eq!(floating.joints[0].name, "root_joint");
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error`] if links and joints are no tree.
    pub fn with_floating_base(&self) -> Result<Self, Error> {
        let report = Report::new(&self.sources);
        let tree = super::Tree::new(self, SiblingOrder::Document, &report);
        let root = tree.map_err(|fault| report.error(*fault))?.root;
        let link = free_name("world", |name| self.links.iter().any(|it| it.name == name));
        let joint = free_name(ROOT_JOINT, |name| {
            self.joints.iter().any(|it| it.name == name)
        });
        let mut floating = self.clone();
        let world = floating.add_link(Link::new(link));
        floating.add_joint(Joint::new(joint, world, root, Motion::Floating));
        Ok(floating)
    }
}
