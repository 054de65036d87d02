//! The balance of energy of each step: no step gains.

use featherline_formats::{LoadOptions, load_str_with};
use featherline_sim::contact::{CollisionContacts, ContactLaws, ImpactLaw, Surface};
use featherline_sim::simulation::{Method, Sample, Simulator};

/// Cubes and balls that fall on each other. All directions have the same inertia: what floats and
/// falls keeps its energy.
const HEAP: &str = "
    [ground]
    [[body]]
    name = 'cube'
    box = [0.2, 0.2, 0.2]
    density = 300
    position = [0, 0, 0.3]
    rpy = [0.4, 0.3, 0.2]
    velocity = [1, 0.5, 0, 3, -2, 1]
    [[body]]
    name = 'block'
    box = [0.3, 0.3, 0.3]
    density = 100
    position = [0.1, 0.05, 0.65]
    rpy = [0.1, -0.3, 0.5]
    [[body]]
    name = 'ball'
    sphere = 0.1
    density = 500
    position = [0.0, 0.1, 1.0]
    velocity = [0, 0, -3, 0, 10, 0]
    [[body]]
    name = 'marble'
    sphere = 0.05
    density = 2000
    position = [0.4, 0.1, 0.2]
    velocity = [-3, 0, 1, 0, 0, 30]";

#[test]
fn no_step_gains_energy() {
    let scene = load_str_with(HEAP, &LoadOptions::new()).unwrap();
    let contact = scene.contact_model(None).unwrap();
    let start = &scene.model.reference_configurations()["start"];
    let v = scene.velocity("start").unwrap();
    let (newton, reflections) = (ImpactLaw::Newton, ImpactLaw::Reflections);
    for (friction, restitution, impact) in [
        (0.5, 0.0, newton),
        (0.0, 0.0, newton),
        (0.8, 0.5, newton),
        (0.8, 0.5, reflections),
        (0.5, 1.0, reflections),
        (0.0, 1.0, reflections),
    ] {
        let surface = Surface {
            friction,
            restitution,
        };
        let contacts = CollisionContacts::uniform(contact.collision.clone(), surface);
        let h = 1e-3;
        let simulator = Simulator::new(&scene.model, Method::time_stepping(h).unwrap());
        let laws = ContactLaws::default().with_impact(impact);
        let simulator = simulator.with_contacts(contacts).with_contact_laws(laws);
        let mut simulation = simulator.start(0.0, start, &v).unwrap();
        let weight = 9.81 * scene.model.total_mass();
        let (mut last, mut first) = (None, None);
        let mut gains = f64::NEG_INFINITY;
        let mut watch = |sample: &Sample<'_>| {
            let energy = sample.energy();
            first.get_or_insert(energy);
            // Corners that turn overlap by the square of the step, and are pushed out again: the
            // work of that, λ_n u_n, is all that a step may gain.
            let contacts = sample.contact.unwrap().contacts.iter();
            let pushed = contacts
                .map(|it| it.normal_impulse() * it.velocity.dot(it.contact.normal).max(0.0));
            let pushed: f64 = pushed.sum();
            // Correcting an overlap lifts no more than all bodies by its depth; overlaps below 0.1
            // mm may lift nothing.
            let overlap = sample.contact.unwrap().penetration();
            let lifted = if overlap > 1e-4 {
                weight * overlap
            } else {
                0.0
            };
            if let Some(before) = last.replace(energy) {
                gains = gains.max(energy - before - pushed - lifted);
            }
        };
        simulation.run(1.5, h, &mut watch).unwrap();
        let energy: f64 = first.unwrap();
        println!("{friction}, {restitution}, {impact:?}: gains {gains:.1e} of {energy} J");
        assert!(
            gains < 1e-9 * energy,
            "{friction}, {restitution}, {impact:?}: {gains} of {energy}"
        );
    }
}
