//! How a motion of the robot begins on the page, and which shapes touch in it.

use super::buffer::Buffer;
use super::document::Contacts;
use featherline_formats::Robot;
use featherline_sim::setup::Start;

/// The pairs of shapes that touch, of a robot whose drawn shapes are of these geometries; none
/// where nothing touches, or links and joints are no tree.
pub(super) fn of_start(
    robot: &Robot,
    start: &Start<'_>,
    drawn: &[usize],
    buffer: &mut Buffer,
) -> Option<Contacts> {
    let description = &robot.description;
    let rules = description.contact_rules().ok()?;
    let (mut pairs, mut surfaces) = (Vec::new(), Vec::new());
    let (mut on_ground, mut on_ground_surfaces) = (Vec::new(), Vec::new());
    for pair in start.contacts.model().pairs() {
        // A ground that was added is in no file.
        let [a, b] = pair.map(|shape| start.geometry[shape]);
        let place = |geometry| drawn.iter().position(|it| *it == geometry);
        let (surface, of) = match (a, b) {
            (Some(a), Some(b)) => {
                let (Some(i), Some(j)) = (place(a), place(b)) else {
                    continue;
                };
                pairs.extend([i as u32, j as u32]);
                (rules.surface(a, b), &mut surfaces)
            }
            (Some(own), None) | (None, Some(own)) => {
                let Some(k) = place(own) else {
                    continue;
                };
                on_ground.push(k as u32);
                let surface = description.geometry[own].surface.as_ref();
                let surface = description.contact_defaults.combine(surface, None);
                (surface, &mut on_ground_surfaces)
            }
            (None, None) => continue,
        };
        of.extend([surface.friction, surface.restitution]);
    }
    if pairs.is_empty() && on_ground.is_empty() {
        return None;
    }
    let mut push = |all: &[u32]| buffer.push(all.iter().map(|it| it.to_le_bytes()));
    let (pairs, on_ground) = (push(&pairs), push(&on_ground));
    let mut push = |all: &[f64]| buffer.push(all.iter().map(|it| it.to_le_bytes()));
    Some(Contacts {
        pairs,
        surfaces: push(&surfaces),
        on_ground,
        on_ground_surfaces: push(&on_ground_surfaces),
    })
}
