//! What a step leaves to the next one.

use featherline_constraint::nonsmooth::clamp_to_limits;
use featherline_formats::LoadOptions;
use featherline_sim::contact::{
    CollisionContacts, Drives, Surface, TimeStepping, WarmStart, distance_from,
};

/// A quadruped that falls on its feet, with weak drives that reach their limits: a copy that takes
/// the warm start goes on with the same bits. One that does not take it does not.
#[test]
fn a_copy_goes_on_with_the_same_bits() {
    let options = LoadOptions::new().floating_base(true);
    let robot = featherline_robots::load("quadruped", &options).unwrap();
    let model = &robot.model;
    let contact = robot.contact_model(Some(0.0)).unwrap();
    let mut start = model.neutral_configuration();
    clamp_to_limits(model, &mut start);
    let ground = contact.collision.shapes().len() - 1;
    start[2] -= distance_from(model, &contact.collision, ground, &start).unwrap() - 0.01;
    let stepping = || {
        let surface = Surface {
            friction: 0.6,
            restitution: 0.0,
        };
        let contacts = CollisionContacts::uniform(contact.collision.clone(), surface);
        let drives = Drives::holding(model, &start).unwrap().with_effort(|_| 8.0);
        let stepping = TimeStepping::with(model, (), contacts).unwrap();
        stepping.with_drives(drives)
    };
    let mut original = stepping();
    let (mut q, mut v) = (start.clone(), vec![0.0; model.nv()]);
    let h = 1e-3;
    for _ in 0..120 {
        original.step(0.0, &mut q, &mut v, h).unwrap();
    }
    let mut kept = WarmStart::default();
    original.keep_warm_start(&mut kept);
    assert!(
        !kept.is_empty()
            && original
                .contacts()
                .iter()
                .any(|it| it.normal_impulse() > 0.0)
    );
    let (saved_q, saved_v) = (q.clone(), v.clone());
    for _ in 0..50 {
        original.step(0.0, &mut q, &mut v, h).unwrap();
    }
    let mut differs = false;
    for is_warm in [true, false] {
        let mut copy = stepping();
        if is_warm {
            copy.set_warm_start(&kept);
        }
        let (mut own_q, mut own_v) = (saved_q.clone(), saved_v.clone());
        for _ in 0..50 {
            copy.step(0.0, &mut own_q, &mut own_v, h).unwrap();
        }
        let is_same = own_q == q && own_v == v;
        assert!(is_same || !is_warm);
        differs |= !is_same;
    }
    assert!(
        differs,
        "without its warm start a copy begins to solve elsewhere"
    );
}
