//! Bodies of the world that the user moves.

use crate::contact::{CollisionContacts, MovedBodies};
use featherline_formats::Robot;
use featherline_formats::description::ContactModel;

/// Whether a robot has bodies that the user moves.
pub(super) fn has_moved(robot: &Robot) -> bool {
    robot.description.links.iter().any(|link| link.is_moved)
}

/// The contacts of a robot, with the shapes of moved bodies.
pub(super) fn contacts(robot: &Robot, contact: ContactModel) -> CollisionContacts {
    let moved = robot.moved_bodies(None);
    if moved.is_empty() {
        return CollisionContacts::from(contact);
    }
    let links = contact.links.iter();
    let bodies = links.map(|link| link.and_then(|link| robot.moved_body_of(&moved, link)));
    let bodies = bodies.collect();
    CollisionContacts::from(contact).with_moved_shapes(bodies)
}

/// The moved bodies where a configuration puts them, of methods that have them.
pub(super) fn bodies(robot: &Robot, configuration: Option<&str>, is_stepping: bool) -> MovedBodies {
    match is_stepping {
        true => MovedBodies::of(robot, configuration),
        false => MovedBodies::none(),
    }
}
