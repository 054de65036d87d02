//! Stiffness and damping that are given by a time constant: `springdamper`.

use super::keyframe::REFERENCE;
use super::reader::Reader;
use crate::options::{LoadOptions, MimicJoints};
use featherline::Workspace;
use featherline::nalgebra::DMatrix;

/// Sets stiffness and damping of the joints that have a time constant T and a damping ratio ζ: with
/// the inertia m that a force on the joint accelerates in the reference configuration, stiffness
/// m / (T² ζ²) and damping 2 m / T.
///
/// 1 / m is the joint's entry on the diagonal of M⁻¹, of a ball joint the mean of its three.
pub(super) fn resolve(reader: &mut Reader<'_, '_, '_>) {
    let joints = reader.description.joints.iter();
    let data = reader.joints.iter().zip(joints).enumerate();
    let given = data.filter_map(|(i, (data, joint))| Some((i, joint.source, data.spring_damper?)));
    let given: Vec<_> = given.collect();
    if given.is_empty() {
        return;
    }
    let options = LoadOptions::new().mimic(MimicJoints::Free);
    // Whatever is wrong with the model is reported when it is made of the whole description.
    let Ok(robot) = reader.description.robot(&options) else {
        return;
    };
    let model = &robot.model;
    let mut ws = Workspace::new(model);
    let inverse: Option<DMatrix<f64>> = model
        .reference_configurations()
        .get(REFERENCE)
        .and_then(|q| model.mass_matrix_inverse(&mut ws, q).ok().cloned());
    for (i, source, [time, ratio]) in given {
        let joint = &mut reader.description.joints[i];
        let place = model.joint_id(&joint.name).map(|id| model.joint(id)).ok();
        let mobility = inverse.as_ref().zip(place).map(|(inverse, place)| {
            let diagonal = (place.idx_v..place.idx_v + place.nv).map(|k| inverse[(k, k)]);
            diagonal.sum::<f64>() / place.nv as f64
        });
        let inertia = mobility.map(|it| 1.0 / it).filter(|it| it.is_finite());
        let stiffness = inertia.map(|it| it / (time * time * ratio * ratio));
        match (inertia, stiffness.filter(|it| it.is_finite())) {
            (Some(inertia), Some(stiffness)) => {
                joint.drive.stiffness.fill(stiffness);
                joint.drive.damping.fill(2.0 * inertia / time);
            }
            _ => {
                let what = "`springdamper` of a joint without inertia";
                let reading = "stiffness and damping are those that are stated";
                reader.simplified(source, what, reading);
            }
        }
    }
}
