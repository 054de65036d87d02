//! Which shapes may touch, so that the page moves a robot with contact.

use super::buffer::Buffer;
use super::document::Contacts;
use featherline_formats::Robot;
use featherline_formats::description::Form;
use featherline_geometry::Shape;

/// The pairs of shapes that may touch, and their surfaces, of a robot whose drawn shapes are of
/// these geometries; none where nothing touches, or links and joints are no tree.
pub(super) fn of_robot(robot: &Robot, drawn: &[usize], buffer: &mut Buffer) -> Option<Contacts> {
    let description = &robot.description;
    let rules = description.contact_rules().ok()?;
    let is_plane = |index: usize| {
        matches!(
            description.geometry[index].form,
            Form::Shape(Shape::Plane(_))
        )
    };
    let (mut pairs, mut surfaces) = (Vec::new(), Vec::new());
    let mut touching = vec![false; drawn.len()];
    for (i, &a) in drawn.iter().enumerate() {
        touching[i] |= description.geometry[a].is_collision;
        for (j, &b) in drawn.iter().enumerate().skip(i + 1) {
            if !rules.may_touch(a, b) || (is_plane(a) && is_plane(b)) {
                continue;
            }
            let surface = rules.surface(a, b);
            pairs.extend([i as u32, j as u32]);
            surfaces.extend([surface.friction, surface.restitution]);
            (touching[i], touching[j]) = (true, true);
        }
    }
    if !touching.contains(&true) {
        return None;
    }
    // A ground that the page adds has the surface of what has none.
    let ground = drawn.iter().flat_map(|&index| {
        let own = description.geometry[index].surface.as_ref();
        let surface = description.contact_defaults.combine(own, None);
        [surface.friction, surface.restitution]
    });
    let ground: Vec<f64> = ground.collect();
    Some(Contacts {
        pairs: buffer.push(pairs.iter().map(|it: &u32| it.to_le_bytes())),
        surfaces: buffer.push(surfaces.iter().map(|it: &f64| it.to_le_bytes())),
        ground: buffer.push(ground.iter().map(|it| it.to_le_bytes())),
    })
}
