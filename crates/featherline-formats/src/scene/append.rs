//! A description as a part of another one.

use crate::description::{
    Configuration, Description, Geometry, Joint, Link, Motion, Source, Target, TendonPath,
    TendonPoint, Transmission, Tree, WORLD,
};
use crate::options::SiblingOrder;
use crate::report::{Outcome, Report};
use featherline::spatial::{Quaternion, Se3, Vec3};

/// How a robot stands in a scene.
pub(super) struct Stand<'a> {
    /// The prefix of its names.
    pub(super) prefix: &'a str,
    /// The placement of its root link in the world.
    pub(super) placement: Se3<f64>,
    /// Whether the root link moves freely.
    pub(super) floats: bool,
    /// Where its table is.
    pub(super) source: Source,
}

/// The indices of a robot's parts in the scene.
pub(super) struct Appended {
    /// The links that are its own, without the world.
    pub(super) links: Vec<usize>,
    /// The index of its first joint.
    pub(super) first_joint: usize,
    /// The index of its first actuator.
    pub(super) first_actuator: usize,
    /// The free joint of its root, if a scene lets it float.
    pub(super) root_joint: Option<usize>,
    /// Its joints that move freely in the world by their file: their q is a placement in the world,
    /// which the robot's placement moves.
    pub(super) free: Vec<usize>,
}

/// Whether a root link is the world itself, and no body.
pub(super) fn is_world(link: &Link) -> bool {
    // The root link of a generated model is named after the universe.
    (link.name == WORLD || link.name == "universe") && link.inertial.is_none()
}

/// The entries of q of a free joint.
pub(super) fn pose(placement: &Se3<f64>) -> Vec<f64> {
    let [x, y, z] = placement.translation.to_array();
    let rotation = Quaternion::from_rotation(&placement.rotation).to_array();
    [&[x, y, z][..], &rotation].concat()
}

/// The placement of a free joint's entries of q.
pub(super) fn placement(q: &[f64]) -> Se3<f64> {
    let &[x, y, z, a, b, c, d] = q else {
        return Se3::identity();
    };
    let rotation = Quaternion::new(a, b, c, d).normalised().to_rotation();
    Se3::new(rotation, Vec3::new(x, y, z))
}

/// The root link of a description, if it is a tree.
pub(super) fn root_of(description: &Description) -> Option<usize> {
    let report = Report::new(&description.sources);
    let tree = Tree::new(description, SiblingOrder::Document, &report);
    tree.ok().map(|it| it.root)
}

/// Appends a robot to a scene, whose link 0 is the world. Texts of the robot come after `texts` of
/// the scene.
pub(super) fn append(
    scene: &mut Description,
    robot: Description,
    stand: &Stand<'_>,
    texts: usize,
) -> Outcome<Appended> {
    let report = Report::new(&robot.sources);
    let tree = Tree::new(&robot, SiblingOrder::Document, &report);
    let root = match tree {
        Ok(tree) => tree.root,
        Err(mut fault) => {
            fault.source = fault.source.after(texts);
            return Err(fault);
        }
    };
    let melts = is_world(&robot.links[root]) && !stand.floats;
    let name = |own: &str| format!("{}{own}", stand.prefix);
    let in_root = |placement: &Se3<f64>, link: usize| match melts && link == root {
        true => stand.placement.compose(placement),
        false => *placement,
    };

    // The index of each link in the scene.
    let mut links = vec![0; robot.links.len()];
    let mut own_links = Vec::new();
    let root_name = robot.links[root].name.clone();
    for (i, mut link) in robot.links.into_iter().enumerate() {
        if melts && i == root {
            continue;
        }
        link.name = name(&link.name);
        link.source = link.source.after(texts);
        if let Some(inertial) = &mut link.inertial {
            inertial.source = inertial.source.after(texts);
        }
        links[i] = scene.add_link(link);
        own_links.push(links[i]);
    }
    let mut root_joint = None;
    if !melts {
        let (own, motion) = match stand.floats {
            true => (name("root_joint"), Motion::Floating),
            false => (name(&format!("{root_name}_fixed")), Motion::Fixed),
        };
        let mut joint = Joint::new(own, 0, links[root], motion);
        joint.source = stand.source;
        if !stand.floats {
            joint.placement = stand.placement;
        }
        let index = scene.add_joint(joint);
        root_joint = stand.floats.then_some(index);
    }

    let first_joint = scene.joints.len();
    let mut free = Vec::new();
    for mut joint in robot.joints {
        joint.name = name(&joint.name);
        let is_free = melts
            && joint.parent == root
            && joint.motion == Motion::Floating
            && joint.placement == Se3::identity()
            && joint.child_placement == Se3::identity();
        if is_free {
            free.push(scene.joints.len());
        } else {
            joint.placement = in_root(&joint.placement, joint.parent);
        }
        (joint.parent, joint.child) = (links[joint.parent], links[joint.child]);
        joint.source = joint.source.after(texts);
        if let Some(law) = &mut joint.mimic {
            law.joint += first_joint;
            law.source = law.source.after(texts);
        }
        scene.add_joint(joint);
    }
    for mut closing in robot.loops {
        closing.name = name(&closing.name);
        closing.source = closing.source.after(texts);
        for (link, placement) in [&mut closing.predecessor, &mut closing.successor] {
            *placement = in_root(placement, *link);
            *link = links[*link];
        }
        scene.loops.push(closing);
    }
    let first_frame = scene.frames.len();
    for mut frame in robot.frames {
        frame.name = name(&frame.name);
        frame.placement = in_root(&frame.placement, frame.link);
        frame.link = links[frame.link];
        frame.source = frame.source.after(texts);
        scene.frames.push(frame);
    }
    let first_material = scene.materials.len();
    for mut material in robot.materials {
        if !material.name.is_empty() {
            material.name = name(&material.name);
        }
        material.source = material.source.after(texts);
        scene.materials.push(material);
    }
    let first_geometry = scene.geometry.len();
    for geometry in robot.geometry {
        scene.geometry.push(Geometry {
            name: match &geometry.name[..] {
                "" => String::new(),
                own => name(own),
            },
            placement: in_root(&geometry.placement, geometry.link),
            link: links[geometry.link],
            material: geometry.material.map(|it| it + first_material),
            source: geometry.source.after(texts),
            ..geometry
        });
    }
    for mut pair in robot.contact_pairs {
        pair.name = name(&pair.name);
        pair.geometry = pair.geometry.map(|it| it + first_geometry);
        pair.source = pair.source.after(texts);
        scene.contact_pairs.push(pair);
    }
    for mut exclusion in robot.contact_exclusions {
        exclusion.links = exclusion.links.map(|it| links[it]);
        exclusion.source = exclusion.source.after(texts);
        scene.contact_exclusions.push(exclusion);
    }
    for mut rule in robot.contact_rules {
        let in_scene = |own: Vec<usize>| own.into_iter().map(|it| links[it]).collect();
        rule.links = rule.links.map(in_scene);
        rule.source = rule.source.after(texts);
        scene.contact_rules.push(rule);
    }
    let first_tendon = scene.tendons.len();
    let shift = |path: &mut TendonPath| match path {
        TendonPath::Fixed(joints) => joints.iter_mut().for_each(|it| it.0 += first_joint),
        TendonPath::Spatial(points) => {
            for point in points {
                match point {
                    TendonPoint::Frame(frame) => *frame += first_frame,
                    TendonPoint::Wrap { geometry, side } => {
                        *geometry += first_geometry;
                        *side = side.map(|it| it + first_frame);
                    }
                    TendonPoint::Pulley { .. } => {}
                }
            }
        }
    };
    for mut tendon in robot.tendons {
        tendon.name = name(&tendon.name);
        tendon.source = tendon.source.after(texts);
        shift(&mut tendon.path);
        scene.tendons.push(tendon);
    }
    for mut equality in robot.length_equalities {
        equality.name = name(&equality.name);
        equality.source = equality.source.after(texts);
        shift(&mut equality.length);
        equality.other.iter_mut().for_each(shift);
        scene.length_equalities.push(equality);
    }
    let first_actuator = scene.actuators.len();
    for mut actuator in robot.actuators {
        actuator.name = name(&actuator.name);
        actuator.source = actuator.source.after(texts);
        match &mut actuator.transmission {
            Transmission::Joint(joint) | Transmission::JointInParent(joint) => {
                *joint += first_joint;
            }
            Transmission::Tendon(tendon) => *tendon += first_tendon,
            Transmission::Frame { frame, reference } => {
                *frame += first_frame;
                *reference = reference.map(|it| it + first_frame);
            }
            Transmission::SliderCrank { crank, slider, .. } => {
                *crank += first_frame;
                *slider += first_frame;
            }
            Transmission::Link(link) => *link = links[*link],
        }
        scene.actuators.push(actuator);
    }
    for mut sensor in robot.sensors {
        sensor.name = name(&sensor.name);
        sensor.source = sensor.source.after(texts);
        for target in &mut sensor.targets {
            *target = match *target {
                Target::Link(it) => Target::Link(links[it]),
                Target::Subtree(it) => Target::Subtree(links[it]),
                Target::Joint(it) => Target::Joint(it + first_joint),
                Target::Frame(it) => Target::Frame(it + first_frame),
                Target::Geometry(it) => Target::Geometry(it + first_geometry),
                Target::Tendon(it) => Target::Tendon(it + first_tendon),
                Target::Actuator(it) => Target::Actuator(it + first_actuator),
            };
        }
        scene.sensors.push(sensor);
    }
    semantics(scene, robot.semantics, (&links, first_joint), stand, texts);
    Ok(Appended {
        links: own_links,
        first_joint,
        first_actuator,
        root_joint,
        free,
    })
}

fn semantics(
    scene: &mut Description,
    own: crate::description::Semantics,
    (links, first_joint): (&[usize], usize),
    stand: &Stand<'_>,
    texts: usize,
) {
    let name = |own: &str| format!("{}{own}", stand.prefix);
    let joint = |index: usize| index + first_joint;
    let all = &mut scene.semantics;
    let (first_group, first_virtual) = (all.groups.len(), all.virtual_joints.len());
    for mut group in own.groups {
        group.name = name(&group.name);
        group.source = group.source.after(texts);
        group.joints.iter_mut().for_each(|it| *it = joint(*it));
        group.links.iter_mut().for_each(|it| *it = links[*it]);
        let chains = group.chains.iter_mut();
        chains.for_each(|it| *it = it.map(|link| links[link]));
        group.subgroups.iter_mut().for_each(|it| *it += first_group);
        let virtual_joints = group.virtual_joints.iter_mut();
        virtual_joints.for_each(|it| *it += first_virtual);
        all.groups.push(group);
    }
    for mut state in own.states {
        state.name = name(&state.name);
        state.configuration = name(&state.configuration);
        state.group = state.group.map(|it| it + first_group);
        state.source = state.source.after(texts);
        all.states.push(state);
    }
    for mut effector in own.end_effectors {
        effector.name = name(&effector.name);
        effector.parent = links[effector.parent];
        effector.group = effector.group.map(|it| it + first_group);
        effector.parent_group = effector.parent_group.map(|it| it + first_group);
        effector.source = effector.source.after(texts);
        all.end_effectors.push(effector);
    }
    for mut virtual_joint in own.virtual_joints {
        virtual_joint.name = name(&virtual_joint.name);
        virtual_joint.child = links[virtual_joint.child];
        virtual_joint.source = virtual_joint.source.after(texts);
        all.virtual_joints.push(virtual_joint);
    }
    all.passive_joints
        .extend(own.passive_joints.into_iter().map(joint));
    for mut pair in own.enabled_collisions {
        pair.links = pair.links.map(|it| links[it]);
        pair.source = pair.source.after(texts);
        all.enabled_collisions.push(pair);
    }
    let disabled = own.disabled_by_default.into_iter().map(|it| links[it]);
    all.disabled_by_default.extend(disabled);
    for mut spheres in own.spheres {
        spheres.link = links[spheres.link];
        spheres.source = spheres.source.after(texts);
        all.spheres.push(spheres);
    }
    for mut property in own.joint_properties {
        property.joint = name(&property.joint);
        property.source = property.source.after(texts);
        all.joint_properties.push(property);
    }
}

/// The controls of a robot's configuration for the actuators of the scene.
pub(super) fn controls(
    configuration: &Configuration,
    appended: &Appended,
) -> impl Iterator<Item = (usize, f64)> {
    let own = configuration.controls.iter();
    own.map(|(actuator, control)| (actuator + appended.first_actuator, *control))
}

/// The entries of a robot's configuration for the joints of the scene. `at` places the robot, if
/// the scene says where it stands.
pub(super) fn entries(
    configuration: &Configuration,
    appended: &Appended,
    at: Option<&Se3<f64>>,
) -> Vec<(usize, Vec<f64>)> {
    let mut entries = Vec::new();
    if let Some(root) = appended.root_joint {
        let q = match (at, configuration.root) {
            (None, Some(q)) => q.to_vec(),
            (at, _) => pose(at.unwrap_or(&Se3::identity())),
        };
        entries.push((root, q));
    }
    for (joint, q) in &configuration.joints {
        let joint = joint + appended.first_joint;
        let q = match at.filter(|_| appended.free.contains(&joint)) {
            Some(at) => pose(&at.compose(&placement(q))),
            None => q.clone(),
        };
        entries.push((joint, q));
    }
    entries
}
