//! Candidates to add to a problem.

use super::Advice;
use crate::error::SystemError;
use crate::problem::{
    Components, Contact, Known, KnownSet, KnownValue, Noise, Problem, Sensor, SensorKind, Support,
};
use crate::system::System;
use featherline::Model;
use featherline::model::{FrameId, FrameKind};
use featherline::words::Words;

/// Something that may be added to a problem.
#[derive(Clone, Debug, PartialEq)]
pub enum Addition {
    /// The quantities that one word makes known.
    Known(KnownSet),
    /// A sensor, or an assumption about a contact.
    Sensor(Sensor),
}

impl Addition {
    /// The word, or the name of the sensor.
    pub fn name(&self, model: &Model) -> String {
        match self {
            Self::Known(set) => set.name(model),
            Self::Sensor(sensor) => sensor.name.clone(),
        }
    }

    /// Adds it to a problem.
    ///
    /// # Errors
    /// As [`KnownSet::add_to`] and [`Problem::add_sensor`].
    pub fn add_to(&self, problem: &mut Problem) -> Result<(), SystemError> {
        match self {
            Self::Known(set) => set.add_to(problem),
            Self::Sensor(sensor) => problem.add_sensor(sensor.clone()).map(drop),
        }
    }

    /// Puts what it would add to `alone` into a problem that other additions have been put into.
    pub(super) fn put_into(
        &self,
        problem: &mut Problem,
        alone: &Problem,
    ) -> Result<(), SystemError> {
        match self {
            Self::Known(set) => problem.knowns.extend(knowns(*set, alone)?),
            Self::Sensor(_) => self.add_to(problem)?,
        }
        Ok(())
    }

    /// Whether it is a word for the robot as a whole.
    pub(super) fn is_of_all(&self) -> bool {
        matches!(
            self,
            Self::Known(
                KnownSet::JointAccelerations
                    | KnownSet::JointForces
                    | KnownSet::FreeBase
                    | KnownSet::NoExternalForces
                    | KnownSet::ExternalForces
            )
        )
    }
}

/// The knowns that a word adds to a problem.
fn knowns(set: KnownSet, problem: &Problem) -> Result<Vec<(Known, KnownValue)>, SystemError> {
    let mut with = problem.clone();
    set.add_to(&mut with)?;
    Ok(with.knowns.split_off(problem.knowns.len()))
}

/// Whether both say something of the same quantity.
fn is_same(a: Known, b: Known) -> bool {
    match (a, b) {
        (
            Known::ExternalForce {
                joint,
                frame,
                components,
            },
            Known::ExternalForce {
                joint: other,
                frame: its_frame,
                components: its_components,
            },
        ) => {
            // In another frame other components are known.
            let all = Components::ALL;
            let overlap = components.iter().any(|c| its_components.contains(c));
            joint == other && (components == all || its_components == all)
                || joint == other && frame == its_frame && overlap
        }
        _ => a == b,
    }
}

impl Advice {
    /// Candidates for more that is known, measured or assumed: every word for what is known that
    /// says nothing of what is known already ([`KnownSet`]: no external forces, a free base, joint
    /// forces, joint accelerations, that of a base among them, ...); at every frame where an
    /// external force is measured or a contact assumed, other contacts, a sensor of the whole
    /// wrench, and one in the joint above; a force sensor in each joint that closes a loop; beside
    /// load cells on one line, as many more as span the sole.
    pub fn catalogue(system: &System) -> Vec<Addition> {
        let mut catalogue: Vec<Addition> = words(system.problem()).map(Addition::Known).collect();
        catalogue.extend(sensors(system).into_iter().map(Addition::Sensor));
        catalogue
    }
}

/// Words that add something to a problem, and are not redundant.
fn words(problem: &Problem) -> impl Iterator<Item = KnownSet> + '_ {
    let model = problem.model();
    let of_joints = model.joint_ids().flat_map(|joint| {
        [
            KnownSet::JointForce(joint),
            KnownSet::JointAcceleration(joint),
            KnownSet::ExternalForce(joint),
        ]
    });
    let said: Vec<KnownSet> = problem
        .words
        .iter()
        .filter_map(|(word, _)| KnownSet::parse(word, model).ok())
        .chain(
            problem
                .unknown_forces
                .iter()
                .map(|&joint| KnownSet::UnknownExternalForce(joint)),
        )
        .collect();
    [
        KnownSet::NoExternalForces,
        KnownSet::ExternalForces,
        KnownSet::FreeBase,
        KnownSet::JointForces,
        KnownSet::JointAccelerations,
    ]
    .into_iter()
    .chain(of_joints)
    .filter(move |&set| {
        let repeats = |added: Known| problem.knowns.iter().any(|&(old, _)| is_same(added, old));
        // Mimic and fixed joints have no coordinate to be known.
        let added = knowns(set, problem).unwrap_or_default();
        !said.iter().any(|said| said.overlaps(set, model))
            && !added.is_empty()
            && !added.iter().any(|&(known, _)| repeats(known))
    })
}

/// Sensors and contacts that are not there yet.
fn sensors(system: &System) -> Vec<Sensor> {
    let (model, present) = (system.model(), system.problem().sensors());
    let mut catalogue = Vec::new();
    let mut add = |name: String, kind: SensorKind| {
        let noise = if matches!(kind, SensorKind::Contact { .. }) {
            Noise::Exact
        } else {
            Noise::Deviation(1.0)
        };
        if present
            .iter()
            .all(|sensor| sensor.kind != kind && sensor.name != name)
        {
            catalogue.push(Sensor::new(name, kind, noise));
        }
    };
    let mut frames: Vec<FrameId> = present
        .iter()
        .filter_map(|sensor| sensor.kind.external_force_frame())
        .collect();
    frames.sort_unstable();
    frames.dedup();
    for sensor in present {
        if let SensorKind::LoadCells { frame, positions } = &sensor.kind {
            let missing = Support::of(positions).missing();
            if !missing.is_empty() {
                let (more, place) = (missing.len(), &model.frame(*frame).name);
                let plural = if more == 1 { "" } else { "s" };
                let positions = [&positions[..], &missing].concat();
                let kind = SensorKind::LoadCells {
                    frame: *frame,
                    positions,
                };
                add(
                    format!(
                        "{more} more load cell{plural} beside {}, off one line, at {place}",
                        sensor.name
                    ),
                    kind,
                );
            }
        }
    }
    for &joint in system.unknowns().loops() {
        let name = &model.loop_joint(joint).name;
        add(
            format!("force sensor in the loop joint {name}"),
            SensorKind::LoopForce { joint },
        );
    }
    for frame in frames {
        let place = &model.frame(frame).name;
        for contact in [Contact::Slippery, Contact::Frictionless, Contact::Point] {
            add(
                format!("{} contact at {place}", contact.name()),
                SensorKind::Contact { frame, contact },
            );
        }
        let components = Components::ALL;
        add(
            format!("six-axis external force at {place}"),
            SensorKind::ExternalForce { frame, components },
        );
        // In a fixed joint that is part of a body such a sensor would measure no unknown.
        if model.frame(frame).kind != FrameKind::FixedJoint {
            let reaction = false;
            add(
                format!("force-torque sensor in the joint above {place}"),
                SensorKind::ForceTorque { frame, reaction },
            );
        }
    }
    catalogue
}
