//! The same question about a part of a robot.

use crate::common::trees;
use featherline::kernel;
use featherline_system::{Problem, SensorFile, System};

#[test]
fn a_part_of_the_question_is_the_question_about_the_part() {
    for (model, _) in trees().step_by(3) {
        let inverse = Problem::inverse_dynamics(model.clone());
        for count in 0..model.joints().len() {
            let Ok(part) = kernel::first_joints(&model, count) else {
                assert!(inverse.first_bodies(count).is_err());
                continue;
            };
            let (cut, gone) = inverse.first_bodies(count).expect("the model can be cut");
            let expected = Problem::inverse_dynamics(part);
            // Mimic joints are joints of the model, and own no coordinate.
            assert_eq!(cut.content_hash(), expected.content_hash());
            assert!(gone.is_empty());
        }
    }
}

#[test]
fn sensors_go_with_their_bodies() {
    let humanoid = featherline_robots::humanoid();
    let feet = include_str!("../../../../robots/humanoid-feet.toml");
    let file = SensorFile::read(feet, &humanoid).expect("valid sensors");
    let problem = file.problem(humanoid.clone(), &[]).expect("a problem");
    let all = humanoid.joints().len() - 1;
    let (whole, gone) = problem.first_bodies(all).expect("no mimic_joints");
    assert_eq!(whole.content_hash(), problem.content_hash());
    assert!(gone.is_empty());
    let carrier = |frame: &str| {
        let frame = humanoid.frame_id(frame).expect("a sole");
        humanoid.frame(frame).joint.index()
    };
    for count in 1..=all {
        let (part, gone) = problem.first_bodies(count).expect("no mimic_joints");
        let expected: Vec<&str> = [("left_cells", "left_sole"), ("right_cells", "right_sole")]
            .into_iter()
            .filter(|(_, frame)| carrier(frame) > count)
            .map(|(name, _)| name)
            .collect();
        assert_eq!(gone, expected);
        assert_eq!(part.sensors().len() + gone.len(), 2);
        let system = System::new(part).expect("a system");
        // Accelerations go by one word, each pair of soles by its cells.
        let groups = system.input_groups();
        assert_eq!(groups.len(), 1 + 2 - gone.len());
        assert_eq!(groups[0].name, "qdd");
        assert_eq!(groups[0].inputs.len(), system.model().nv());
    }
}
