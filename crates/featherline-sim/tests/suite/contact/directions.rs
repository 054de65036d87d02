//! Directions of forces: on the body that touches the world, whatever the ground came from.

use super::G;
use featherline::model::JointId;
use featherline_formats::{LoadOptions, load_str_with};
use featherline_sim::contact::CollisionContacts;
use featherline_sim::setup::Setup;

const STEP: f64 = 1e-3;

/// A ball of 2 kg on a ground that is added to it, the ground of a scene, and a plane of MJCF
/// before and after it.
fn sources() -> [(&'static str, String); 4] {
    let urdf = "<robot name='r'><link name='foot'><inertial><mass value='2'/>
        <inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial>
        <collision><geometry><sphere radius='0.1'/></geometry></collision></link></robot>";
    let scene = "[ground]\n[[body]]\nname = 'foot'\nsphere = 0.1\nmass = 2\nposition = [0, 0, 0.1]";
    let plane = "<geom type='plane' size='1 1 1'/>";
    let body = "<body name='foot' pos='0 0 0.1'><freejoint/><geom size='0.1' mass='2'/></body>";
    let mjcf = |all: String| format!("<mujoco><worldbody>{all}</worldbody></mujoco>");
    [
        ("added", urdf.to_owned()),
        ("scene", scene.to_owned()),
        ("before", mjcf(format!("{plane}{body}"))),
        ("after", mjcf(format!("{body}{plane}"))),
    ]
}

#[test]
fn the_world_comes_first_and_the_force_is_on_the_other_body() {
    for (name, text) in sources() {
        let is_added = name == "added";
        let robot = load_str_with(&text, &LoadOptions::new().floating_base(is_added)).unwrap();
        let start = Setup::default().decide(&robot).unwrap();
        let collision = start.contacts.model().clone();
        let mut stepping = start.time_stepping().unwrap();
        let (mut q, mut v) = (start.q.clone(), start.v.clone());
        for _ in 0..100 {
            stepping.step(0.0, &mut q, &mut v, STEP).unwrap();
        }
        let &[found] = stepping.contacts() else {
            panic!("{name}: {:?}", stepping.contacts());
        };
        assert_eq!(found.contact.bodies[0], JointId::UNIVERSE, "{name}");
        assert!((found.contact.normal.z - 1.0).abs() < 1e-12, "{name}");
        let force = found.impulse.z / STEP;
        // It rests to the solver's tolerance.
        assert!((force - 2.0 * G).abs() < 1e-6, "{name}: {force}");
        let shapes = CollisionContacts::shapes_of(&collision, &found.contact).unwrap();
        let bodies = shapes.map(|k| collision.shapes()[k].body);
        assert_eq!(bodies, found.contact.bodies, "{name}");
    }
}
