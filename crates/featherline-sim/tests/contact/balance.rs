//! The balance of energy of each step: no step gains.

use featherline_formats::{LoadOptions, load_str_with};
use featherline_sim::contact::{CollisionContacts, Surface};
use featherline_sim::simulation::{Method, Sample, Simulator};

/// Cubes and balls that fall on each other. All directions have the same inertia, so that the
/// method's own error is that of the fall, ½ m g² h² a step, which is a loss.
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
    for (friction, restitution) in [(0.5, 0.0), (0.0, 0.0), (0.8, 0.5), (0.3, 1.0)] {
        let surface = Surface {
            friction,
            restitution,
        };
        let contacts = CollisionContacts::uniform(contact.collision.clone(), surface);
        let h = 1e-3;
        let simulator = Simulator::new(&scene.model, Method::time_stepping(h).unwrap());
        let simulator = simulator.with_contacts(contacts);
        let mut simulation = simulator.start(0.0, start, &v).unwrap();
        let (mut last, mut first) = (None, None);
        let (mut gains, mut rubbed) = (0.0_f64, 0.0_f64);
        let mut watch = |sample: &Sample<'_>| {
            let account = sample.contact.unwrap().account;
            let now = (sample.energy(), account);
            first.get_or_insert(now.0);
            if let Some((energy, before)) = last.replace(now) {
                gains = gains.max(now.0 - energy);
                rubbed = rubbed.max(before.friction_loss - account.friction_loss);
            }
        };
        simulation.run(1.5, h, &mut watch).unwrap();
        let contact = simulation.sample().unwrap().contact.unwrap();
        let (account, other) = (contact.account, contact.other_loss);
        let energy = first.unwrap();
        println!(
            "{friction}, {restitution}: gains {:.1e}, friction gains {:.1e}, of {energy} J; {account:?} {other}",
            gains, rubbed
        );
        assert!(
            gains < 1e-9 * energy,
            "{friction}, {restitution}: {gains} of {energy}"
        );
    }
}
