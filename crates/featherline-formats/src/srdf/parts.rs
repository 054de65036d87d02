//! Links and joints of a description by their names.

use crate::description::{Description, ROOT_JOINT};
use crate::report::{Outcome, unknown_name};
use crate::value::{required, required_name};
use crate::xml::Element;
use featherline::model::FrameKind;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

/// The joint that a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JointName {
    /// A joint of the description, by its index.
    Joint(usize),
    /// The joint that moves a floating base, which is none of the description.
    Root,
    /// A virtual joint, by its index.
    Virtual(usize),
}

/// The parts of a description by their names.
pub(super) struct Parts {
    links: HashMap<String, usize>,
    joints: HashMap<String, JointName>,
    groups: HashMap<String, usize>,
    /// The names of each kind that were looked up, and whether there is such a part.
    named: RefCell<BTreeMap<&'static str, HashMap<String, bool>>>,
}

impl Parts {
    pub(super) fn of(description: &Description) -> Self {
        let bodies = description.frames.iter();
        let bodies = bodies.filter(|frame| frame.kind == FrameKind::Body);
        // Bodies that a model has lumped stand for the link that they are fixed to.
        let mut links: HashMap<String, usize> = bodies
            .map(|frame| (frame.name.clone(), frame.link))
            .collect();
        let own = description.links.iter().enumerate();
        links.extend(own.map(|(i, link)| (link.name.clone(), i)));
        let mut joints = HashMap::from([(ROOT_JOINT.to_owned(), JointName::Root)]);
        let own = description.joints.iter().enumerate();
        joints.extend(own.map(|(i, joint)| (joint.name.clone(), JointName::Joint(i))));
        Self {
            links,
            joints,
            groups: HashMap::new(),
            named: RefCell::default(),
        }
    }

    /// Adds a virtual joint, unless a joint has its name.
    pub(super) fn add_virtual(&mut self, name: &str, index: usize) {
        let named = self.joints.entry(name.to_owned());
        named.or_insert(JointName::Virtual(index));
    }

    /// Adds a group; returns whether its name was free.
    pub(super) fn add_group(&mut self, name: &str, index: usize) -> bool {
        self.groups.insert(name.to_owned(), index).is_none()
    }

    /// The index of the link that an attribute names.
    pub(super) fn link(&self, element: Element<'_>, name: &'static str) -> Outcome<usize> {
        self.find(&self.links, "link", element, name)
    }

    /// The joint that the name in an attribute refers to.
    pub(super) fn joint(&self, element: Element<'_>, name: &'static str) -> Outcome<JointName> {
        self.find(&self.joints, "joint", element, name)
    }

    /// The index of the group that an attribute names.
    pub(super) fn group(&self, element: Element<'_>, name: &'static str) -> Outcome<usize> {
        self.find(&self.groups, "group", element, name)
    }

    /// How many different names of each kind were looked up, and how many of them are there.
    pub(super) fn named(&self) -> Vec<(&'static str, usize, usize)> {
        let named = self.named.borrow();
        let counts = named.iter().map(|(kind, names)| {
            let known = names.values().filter(|is_known| **is_known).count();
            (*kind, names.len(), known)
        });
        counts.collect()
    }

    fn find<T: Copy>(
        &self,
        table: &HashMap<String, T>,
        what: &'static str,
        element: Element<'_>,
        attribute: &'static str,
    ) -> Outcome<T> {
        let name = required_name(element, attribute)?;
        let mut named = self.named.borrow_mut();
        let named = named.entry(what).or_default();
        named.insert(name.to_owned(), table.contains_key(name));
        match table.get(name) {
            Some(found) => Ok(*found),
            None => {
                let known = table.keys().map(String::as_str);
                Err(unknown_name(what, required(element, attribute)?, known))
            }
        }
    }
}
