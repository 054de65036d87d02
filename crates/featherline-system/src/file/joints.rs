//! Sensors of several joints in one table of a file.

use super::error::Fault;
use super::{Deviation, Entry, Joints};
use crate::error::SensorFileFault;
use crate::problem::{Noise, Sensor, SensorKind, free_base};
use featherline::Model;
use featherline::model::{JointId, LoopId};
use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use std::fmt;
use toml::Spanned;

// By hand: an untagged enum would lose where each name is written.
impl<'de> Deserialize<'de> for Joints {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JointsVisitor)
    }
}

struct JointsVisitor;

impl<'de> Visitor<'de> for JointsVisitor {
    type Value = Joints;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"all\", or a list of joints")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Joints, E> {
        Ok(Joints::Word(word.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Joints, A::Error> {
        let mut names = Vec::new();
        while let Some(name) = list.next_element()? {
            names.push(name);
        }
        Ok(Joints::Names(names))
    }
}

/// A sensor `NAME.JOINT` for each joint of a table.
pub(super) fn sensors(
    model: &Model,
    entry: &Entry,
    joints: &Spanned<Joints>,
) -> Result<Vec<Sensor>, Fault> {
    if let Some(joint) = &entry.joint {
        return Err(Fault::at(joint.span(), SensorFileFault::JointTwice));
    }
    if let Some(covariance) = &entry.covariance {
        let cause = SensorFileFault::CovarianceOfJoints;
        return Err(Fault::at(covariance.span(), cause));
    }
    let tree = |kind: fn(JointId) -> SensorKind| -> Result<Vec<SensorKind>, Fault> {
        let found = named(joints, all_joints(model), |name| model.joint_id(name))?;
        Ok(found.into_iter().map(kind).collect())
    };
    let kinds = match entry.r#type.get_ref().as_str() {
        "joint-acceleration" => tree(|joint| SensorKind::JointAcceleration { joint })?,
        "joint-force" => tree(|joint| SensorKind::JointForce { joint })?,
        "loop-force" => {
            let all: Vec<LoopId> = model.loop_ids().collect();
            let found = named(joints, all, |name| model.loop_id(name))?;
            let kind = |joint| SensorKind::LoopForce { joint };
            found.into_iter().map(kind).collect()
        }
        word => {
            let (key, kind) = ("joints", word.to_owned());
            let cause = SensorFileFault::Unused { key, kind };
            return Err(Fault::at(joints.span(), cause));
        }
    };
    if kinds.is_empty() {
        let why = match joints.get_ref() {
            Joints::Word(_) => "the robot has none of that kind",
            Joints::Names(_) => "the list is empty",
        };
        let name = entry.name.get_ref().clone();
        let cause = SensorFileFault::NoJoints { name, why };
        return Err(Fault::at(joints.span(), cause));
    }
    super::Keys { model, entry }.only(&["joints"])?;
    let noises = noises(model, entry, &kinds)?;
    let sensors = kinds.into_iter().zip(noises).map(|(kind, noise)| {
        let name = format!("{}.{}", entry.name.get_ref(), joint_name(model, &kind));
        Sensor::new(name, kind, noise)
    });
    Ok(sensors.collect())
}

/// Every joint with coordinates of its own, but for a free base, which has no encoder and no drive.
fn all_joints(model: &Model) -> Vec<JointId> {
    let mut joints: Vec<JointId> = model.joint_ids().collect();
    joints.retain(|&id| {
        let joint = model.joint(id);
        joint.nv > 0 && joint.mimic.is_none() && free_base(model).all(|free| free != id)
    });
    joints.sort_by_key(|&id| model.joint(id).idx_v);
    joints
}

/// The joints that a table names.
fn named<T, E: Into<SensorFileFault>>(
    joints: &Spanned<Joints>,
    all: Vec<T>,
    find: impl Fn(&str) -> Result<T, E>,
) -> Result<Vec<T>, Fault> {
    match joints.get_ref() {
        Joints::Word(word) if word == "all" => Ok(all),
        Joints::Word(word) => {
            let known = ["all", "[a list of joints]"];
            let cause = SensorFileFault::unknown_word("set of joints", word, &known);
            Err(Fault::at(joints.span(), cause))
        }
        Joints::Names(names) => {
            let mut found = Vec::with_capacity(names.len());
            for (k, name) in names.iter().enumerate() {
                let word = name.get_ref();
                if names[..k].iter().any(|before| before.get_ref() == word) {
                    let word = word.clone();
                    return Err(Fault::at(name.span(), SensorFileFault::Repeated { word }));
                }
                found.push(find(word).map_err(|error| Fault::at(name.span(), error.into()))?);
            }
            Ok(found)
        }
    }
}

/// The error of each sensor; a list of standard deviations runs through the readings of all.
fn noises(model: &Model, entry: &Entry, kinds: &[SensorKind]) -> Result<Vec<Noise>, Fault> {
    let Some(sigma) = &entry.sigma else {
        let (key, kind) = ("sigma", entry.r#type.get_ref().clone());
        let cause = SensorFileFault::Missing { key, kind };
        return Err(Fault::at(entry.r#type.span(), cause));
    };
    match sigma.get_ref() {
        Deviation::One(deviation) => Ok(vec![Noise::Deviation(*deviation); kinds.len()]),
        Deviation::Each(deviations) => {
            let counts = kinds.iter().map(|kind| kind.readings(model));
            let (expected, found) = (counts.clone().sum(), deviations.len());
            if expected != found {
                let cause = SensorFileFault::SigmaCount { expected, found };
                return Err(Fault::at(sigma.span(), cause));
            }
            let mut rest = &deviations[..];
            let each = counts.map(|count| {
                let (own, after) = rest.split_at(count);
                rest = after;
                Noise::Deviations(own.to_vec())
            });
            Ok(each.collect())
        }
    }
}

/// The joint of a sensor in a joint.
fn joint_name<'a>(model: &'a Model, kind: &SensorKind) -> &'a str {
    match *kind {
        SensorKind::JointAcceleration { joint } | SensorKind::JointForce { joint } => {
            &model.joint(joint).name
        }
        SensorKind::LoopForce { joint } => &model.loop_joint(joint).name,
        SensorKind::ExternalForce { .. }
        | SensorKind::ForceTorque { .. }
        | SensorKind::Accelerometer { .. }
        | SensorKind::Gyroscope { .. }
        | SensorKind::AngularAccelerometer { .. }
        | SensorKind::LoadCells { .. }
        | SensorKind::TactileNormal { .. }
        | SensorKind::Contact { .. }
        | SensorKind::CentroidalMomentumRate { .. }
        | SensorKind::Linear { .. }
        | SensorKind::Sum { .. } => "",
    }
}
