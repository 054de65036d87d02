//! Robots cut to their first joints.

use crate::common::models;
use featherline::kernel;
use featherline::model::ModelError;
use featherline::{Model, Workspace, samples};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

#[test]
fn what_is_left_is_where_it_was_and_is_a_model() {
    for seed in 0..20 {
        let whole = samples::random_tree(
            seed,
            &samples::RandomTree {
                joints: 9,
                floating: seed % 2 == 0,
                mimic_joints: false,
                ..Default::default()
            },
        );
        let all = whole.joints().len() - 1;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let q = whole.random_configuration(&mut rng);
        for count in 0..=all + 1 {
            let part = kernel::first_joints(&whole, count).expect("nothing follows");
            let end = count.min(all) + 1;
            assert_eq!(part.joints(), &whole.joints()[..end]);
            let frames = whole.frames().iter().filter(|f| f.joint.index() < end);
            assert!(part.frames().iter().eq(frames));
            // Reading a model checks its structure.
            let text = serde_json::to_string(&part).expect("plain data");
            let read: Model = serde_json::from_str(&text).expect("a sound model");
            assert_eq!(read, part);
            // What hangs on a joint moves nothing below it.
            let (mut ws, mut own) = (Workspace::new(&whole), Workspace::new(&part));
            let expected = whole.forward_kinematics(&mut ws, &q).expect("finite");
            let found = part
                .forward_kinematics(&mut own, &q[..part.nq()])
                .expect("finite");
            for joint in part.joint_ids() {
                assert_eq!(found.placement(joint), expected.placement(joint));
            }
        }
        assert_eq!(kernel::first_joints(&whole, all).expect("whole"), whole);
    }
}

#[test]
fn a_mimic_joint_is_not_left_without_the_mimicked_joint() {
    let mut refused = 0;
    for (model, _) in models() {
        for count in 0..model.joints().len() {
            let joints = &model.joints()[..count + 1];
            let sources = joints.iter().filter_map(|joint| joint.mimic);
            let is_torn = sources
                .into_iter()
                .any(|mimic| mimic.source.index() > count);
            match kernel::first_joints(&model, count) {
                Ok(_) => assert!(!is_torn),
                Err(error) => {
                    assert!(
                        is_torn && matches!(error, ModelError::BadMimic { .. }),
                        "{error}"
                    );
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 0);
}
