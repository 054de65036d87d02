//! The example of trajectory optimisation reaches its goals within the limits of the drives.

use super::example::{Task, arm, quadruped};

fn reaches(task: &Task) {
    let mut costs = Vec::new();
    let motion = task.solve(|_, motion| costs.push(motion.cost)).unwrap();
    assert!(costs.windows(2).all(|pair| pair[1] <= pair[0]));
    let left = task.error(&motion.q[task.steps]).unwrap();
    for (k, error) in left.iter().enumerate() {
        // A few thousandths of what the motion goes through.
        assert!(
            task.posture_weight[k] == 0.0 || error.abs() < 5e-3,
            "{}: {error} at {k}",
            task.name
        );
    }
    let controls = motion.u.iter().flat_map(|u| u.iter());
    let greatest = controls.fold(0.0_f64, |greatest, u| greatest.max(u.abs()));
    assert!(greatest <= 1.0 && greatest > 0.05, "{greatest}");
}

#[test]
fn an_arm_stretches_out() {
    reaches(&arm().unwrap());
}

#[test]
fn a_quadruped_rights_itself_in_flight() {
    reaches(&quadruped().unwrap());
}
