//! The scenes.

use crate::Outcome;
use featherline::spatial::Se3;
use featherline::{Model, Workspace};
use featherline_constraint::nonsmooth::clamp_to_limits;
use featherline_formats::description::{
    Actuator, ContactExclusion, ContactModel, FrictionRule, Setting, Surface, Transmission,
};
use featherline_formats::{LoadOptions, Robot, load_str_with, load_with, mjcf};
use featherline_sim::contact::{Drives, distance_from, overlapping_pairs};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// Friction of every surface.
const FRICTION: f64 = 0.8;
/// The stiffness in N/m and damping in N·s/m of a finger, and how far inside the cube it would
/// rest, in m: it presses with 10 N.
const FINGER: (f64, f64, f64) = (5000.0, 100.0, 0.002);
/// Half the side of the cube that is gripped, in m, and its distance from the flange.
const HALF: f64 = 0.02;
const REACH: f64 = 0.1;

/// A hand of two fingers for the arm's flange.
const HAND: &str = "
  <link name='palm'>
    <inertial><origin xyz='0 0 0.02'/><mass value='0.5'/>
      <inertia ixx='1e-3' ixy='0' ixz='0' iyy='1e-3' iyz='0' izz='1e-3'/></inertial>
  </link>
  <joint name='palm_mount' type='fixed'><parent link='panda_link8'/><child link='palm'/></joint>
  <link name='left_finger'>
    <inertial><mass value='0.05'/>
      <inertia ixx='2e-5' ixy='0' ixz='0' iyy='2e-5' iyz='0' izz='2e-5'/></inertial>
    <collision><origin xyz='0 0.005 0'/><geometry><box size='0.02 0.01 0.03'/></geometry></collision>
  </link>
  <joint name='left_finger_joint' type='prismatic'>
    <origin xyz='0 0 0.1'/><parent link='palm'/><child link='left_finger'/><axis xyz='0 1 0'/>
    <limit lower='0' upper='0.04' effort='20' velocity='0.2'/>
  </joint>
  <link name='right_finger'>
    <inertial><mass value='0.05'/>
      <inertia ixx='2e-5' ixy='0' ixz='0' iyy='2e-5' iyz='0' izz='2e-5'/></inertial>
    <collision><origin xyz='0 -0.005 0'/><geometry><box size='0.02 0.01 0.03'/></geometry></collision>
  </link>
  <joint name='right_finger_joint' type='prismatic'>
    <origin xyz='0 0 0.1'/><parent link='palm'/><child link='right_finger'/><axis xyz='0 -1 0'/>
    <limit lower='0' upper='0.04' effort='20' velocity='0.2'/>
  </joint>
</robot>";

/// Writes all scenes into a folder.
pub fn write(folder: &Path) -> Outcome<()> {
    std::fs::create_dir_all(folder)?;
    let bend = "front_left_calf_joint = -1.5, front_right_calf_joint = -1.5, \
                rear_left_calf_joint = -1.5, rear_right_calf_joint = -1.5, \
                front_left_thigh_joint = 0.75, front_right_thigh_joint = 0.75, \
                rear_left_thigh_joint = 0.75, rear_right_thigh_joint = 0.75";
    write_one(folder, "quadruped", standing("quadruped", bend)?)?;
    write_one(folder, "humanoid", standing("humanoid", "")?)?;
    write_one(folder, "panda_cube", panda(folder)?)?;
    write_one(folder, "pile_27", read(&pile(3))?)?;
    write_one(folder, "pile_1000", read(&pile(10))?)?;
    let mut stack = "[ground]\n".to_owned();
    for (k, mass) in [1.0, 10.0, 100.0, 1000.0].iter().enumerate() {
        let height = 0.05 + 0.1 * k as f64;
        writeln!(
            stack,
            "[[body]]\nname = 'box_{k}'\nbox = [0.1, 0.1, 0.1]\nmass = {mass:?}\nposition = [0, 0, {height:?}]"
        )?;
    }
    write_one(folder, "stack_1_to_1000", read(&stack)?)
}

fn read(scene: &str) -> Outcome<Robot> {
    let options = LoadOptions::new().library(featherline_robots::library());
    Ok(load_str_with(scene, &options)?)
}

/// Cubes in columns of n, n × n of them.
fn pile(n: usize) -> String {
    format!(
        "[ground]\n[[body]]\nname = 'cube'\nbox = [0.1, 0.1, 0.1]\nmass = 1.0\n\
         position = [0, 0, 0.05]\nrepeat = [{n}, {n}, {n}]\nspacing = [0.11, 0.11, 0.1]\n"
    )
}

/// A robot with its feet on the ground.
fn standing(name: &str, joints: &str) -> Outcome<Robot> {
    let at = |z: f64| {
        format!(
            "[ground]\n[[robot]]\nfile = '{name}'\nname = 'robot'\nposition = [0, 0, {z:?}]\njoints = {{ {joints} }}\n"
        )
    };
    let above = read(&at(2.0))?;
    let collision = above.contact_model(None)?.collision;
    let mut shapes = collision.shapes().iter();
    let ground = shapes.position(|it| it.name == "ground");
    let ground = ground.ok_or("a scene with a ground has its shape")?;
    let mut q = start(&above)?;
    clamp_to_limits(&above.model, &mut q);
    let height = distance_from(&above.model, &collision, ground, &q)?;
    read(&at(2.0 - height))
}

/// The arm, its hand pointing downwards, with a cube between the fingers.
fn panda(folder: &Path) -> Outcome<Robot> {
    let arm = featherline_robots::by_name("panda").ok_or("the arm is embedded")?;
    let file = folder.join("panda_with_hand.urdf");
    std::fs::write(&file, arm.replace("</robot>", HAND))?;
    let hand = format!(
        "[[robot]]\nfile = 'panda_with_hand.urdf'\njoints = {{ panda_joint2 = -0.785, \
         panda_joint4 = -2.356, panda_joint6 = 1.571, left_finger_joint = {HALF}, right_finger_joint = {HALF} }}\n"
    );
    let scene = folder.join("panda_cube.toml");
    std::fs::write(&scene, &hand)?;
    let alone = load_with(&scene, &LoadOptions::new())?;
    let model = &alone.model;
    let mut ws = Workspace::recursive(model);
    let placed = model.forward_kinematics(&mut ws, &start(&alone)?)?;
    let flange = placed.placement(model.frame_id("panda_link8")?);
    let cube: Se3<f64> = flange * Se3::from_translation([0.0, 0.0, REACH].into());
    let [x, y, z, w] = featherline::spatial::Quaternion::from_rotation(&cube.rotation).to_array();
    let position = cube.translation.to_array();
    let side = 2.0 * HALF;
    std::fs::write(
        &scene,
        format!(
            "{hand}[[body]]\nname = 'cube'\nbox = [{side}, {side}, {side}]\nmass = 0.05\n\
             position = {position:?}\nquaternion = [{x:?}, {y:?}, {z:?}, {w:?}]\n"
        ),
    )?;
    Ok(load_with(&scene, &LoadOptions::new())?)
}

/// The configuration that a scene begins with.
fn start(scene: &Robot) -> Outcome<Vec<f64>> {
    let found = scene.model.reference_configurations().get("start");
    Ok(found.ok_or("a scene has a start state")?.clone())
}

/// Writes a scene: its drives as position actuators, and all pairs left out that overlap.
fn write_one(folder: &Path, name: &str, scene: Robot) -> Outcome<()> {
    let model = &scene.model;
    let q = start(&scene)?;
    let contact = scene.contact_model(None)?;
    let mut description = scene.description.clone();
    let apart = apart(&scene, &contact, &q)?;
    for links in apart {
        let exclusion = ContactExclusion::new("", links);
        description.contact_exclusions.push(exclusion);
    }
    description.contact_defaults.friction_rule = FrictionRule::Larger;
    for shape in &mut description.geometry {
        shape.surface = Some(Surface::default().with_friction(FRICTION));
    }
    description.geometry.retain(|shape| shape.is_collision);
    let held: Vec<usize> = Drives::holding(model, &q)?
        .targets()
        .map(|it| it.0)
        .collect();
    let gains = holding_gains(model, &q)?;
    for (index, joint) in description.joints.iter().enumerate() {
        let Ok(id) = model.joint_id(&joint.name) else {
            continue;
        };
        let own = model.joint(id);
        if !held.contains(&own.idx_v) || own.nv != 1 {
            continue;
        }
        let is_finger = joint.name.ends_with("finger_joint");
        let (kp, kv) = match is_finger {
            true => (FINGER.0, FINGER.1),
            false => gains[own.idx_v],
        };
        let target = q[own.idx_q] - if is_finger { FINGER.2 } else { 0.0 };
        let kind = Transmission::Joint(index);
        let mut actuator = Actuator::new(format!("{}_drive", joint.name), "position", kind);
        let effort = own.limits.effort.first().copied();
        actuator.force_range = effort.filter(|it| it.is_finite()).map(|it| [-it, it]);
        actuator.settings = vec![
            Setting::new("kp", format!("{kp:?}")),
            Setting::new("kv", format!("{kv:?}")),
            // The target, which a keyframe would hold.
            Setting::new("user", format!("{target:?}")),
        ];
        description.actuators.push(actuator);
    }
    let written = mjcf::to_string(&description)?;
    for warning in &written.warnings {
        eprintln!("{name}: {warning}");
    }
    std::fs::write(folder.join(name).with_extension("xml"), written.text)?;
    Ok(())
}

/// Two links each whose shapes do not touch here: those that a joint connects, also over links
/// without shapes, and those that overlap at the start. MuJoCo lets some of them touch.
fn apart(scene: &Robot, contact: &ContactModel, q: &[f64]) -> Outcome<Vec<[usize; 2]>> {
    let overlapping = overlapping_pairs(&scene.model, &contact.collision, q)?;
    let mut touching = BTreeSet::new();
    for pair in contact.collision.pairs() {
        let links = pair.map(|shape| contact.links[shape]);
        if let [Some(one), Some(two)] = links
            && !overlapping.contains(pair)
        {
            touching.insert([one.min(two), one.max(two)]);
        }
    }
    let own: BTreeSet<usize> = contact.links.iter().flatten().copied().collect();
    let mut apart = Vec::new();
    for &one in own.iter().filter(|it| **it != 0) {
        let others = own.range(one + 1..).map(|two| [one, *two]);
        apart.extend(others.filter(|pair| !touching.contains(pair)));
    }
    Ok(apart)
}

/// The gains of `Drives::holding`, as the impulse of unit displacements shows them: the force at
/// rest a radian (a metre) from the target is kp, and that at a unit of speed is kv more.
fn holding_gains(model: &Model, q: &[f64]) -> Outcome<Vec<(f64, f64)>> {
    let drives = Drives::holding(model, q)?.without_effort_limits();
    let mut gains = vec![(0.0, 0.0); model.nv()];
    let (mut moved, mut tau) = (q.to_vec(), vec![0.0; model.nv()]);
    let (rest, speed) = (vec![0.0; model.nv()], vec![1.0; model.nv()]);
    for joint in model.joints().iter().skip(1) {
        if joint.nv == 1 {
            moved[joint.idx_q] -= 1.0;
        }
    }
    drives.add_forces(&moved, &rest, &mut tau);
    for (gain, force) in gains.iter_mut().zip(&tau) {
        gain.0 = *force;
    }
    tau.fill(0.0);
    drives.add_forces(q, &speed, &mut tau);
    for (gain, force) in gains.iter_mut().zip(&tau) {
        gain.1 = -*force;
    }
    Ok(gains)
}
