//! The warm start that a step leaves to the next one.

use featherline_formats::LoadOptions;
use featherline_sim::contact::WarmStart;
use featherline_sim::setup::Setup;

/// A quadruped that falls on its feet, with weak drives that reach their limits: a copy that takes
/// the warm start goes on with the same bits. One that does not take it does not.
#[test]
fn a_copy_goes_on_with_the_same_bits() {
    let options = LoadOptions::new().floating_base(true);
    let robot = featherline_robots::load("quadruped", &options).unwrap();
    let mut start = Setup::default().decide(&robot).unwrap();
    start.q[2] += 0.01;
    let drives = start.drives.clone().with_effort(|_| 8.0);
    let start = start.with_friction(0.6).with_drives(drives);
    let stepping = || start.time_stepping().unwrap();
    let mut original = stepping();
    let (mut q, mut v) = (start.q.clone(), start.v.clone());
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
