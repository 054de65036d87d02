//! SRDFs that are written.

use super::{ROBOT, clean, with};
use featherline_formats::description::Description;
use featherline_formats::{FileFormat, LoadOptions, Robot, load_str, srdf};

/// One of each element.
const WHOLE: &str = "
  <virtual_joint name='world_joint' type='planar' parent_frame='map' child_link='base'/>
  <group name='arm'><chain base_link='base' tip_link='hand'/></group>
  <group name='hand'><link name='left'/><link name='right'/></group>
  <group name='all'><group name='arm'/><group name='hand'/><joint name='floor'/><joint name='world_joint'/></group>
  <group_state name='home' group='arm'><joint name='shoulder' value='0.5'/></group_state>
  <group_state name='home' group='hand'><joint name='left_finger' value='0.25'/></group_state>
  <group_state name='away' group='all'><joint name='floor' value='1 2 0.6 0.8'/></group_state>
  <end_effector name='gripper' parent_link='hand' group='hand' parent_group='arm'/>
  <passive_joint name='right_finger'/>
  <disable_collisions link1='base' link2='upper' reason='Adjacent'/>
  <disable_default_collisions link='cart'/>
  <enable_collisions link1='cart' link2='hand' reason='carries'/>
  <link_sphere_approximation link='hand'><sphere center='0 0 0.1' radius='0.05'/></link_sphere_approximation>
  <joint_property joint_name='elbow' property_name='angle_wraparound' value='true'/>
  <rotor_params><joint name='elbow' mass='2e-5' gear_ratio='100'/></rotor_params>
  <planner><speed>fast</speed></planner>";

/// The content of an SRDF, by names, without positions in files.
fn said(of: &Description) -> String {
    let link = |index: &usize| &of.links[*index].name;
    let s = &of.semantics;
    let mut pairs: Vec<_> = of
        .contact_exclusions
        .iter()
        .map(|it| (it.links, &it.reason))
        .collect();
    pairs.sort();
    let groups = s.groups.iter().map(|it| {
        let parts = (&it.joints, &it.links, &it.chains, &it.subgroups);
        (&it.name, parts, &it.virtual_joints, it.has_root)
    });
    let states = s
        .states
        .iter()
        .map(|it| (&it.name, it.group, &it.configuration));
    let configurations = of
        .configurations
        .iter()
        .map(|it| (&it.name, &it.joints, it.root));
    let effectors = s
        .end_effectors
        .iter()
        .map(|it| (&it.name, it.parent, it.group, it.parent_group));
    let virtual_joints = s
        .virtual_joints
        .iter()
        .map(|it| (&it.name, &it.kind, &it.parent_frame, it.child));
    let enabled = s.enabled_collisions.iter().map(|it| (it.links, &it.reason));
    let spheres = s.spheres.iter().map(|it| (link(&it.link), &it.spheres));
    let properties = s
        .joint_properties
        .iter()
        .map(|it| (&it.joint, &it.name, &it.value));
    let kept = of.kept.iter().map(|it| &it.text);
    format!(
        "{pairs:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}",
        groups.collect::<Vec<_>>(),
        states.collect::<Vec<_>>(),
        configurations.collect::<Vec<_>>(),
        effectors.collect::<Vec<_>>(),
        virtual_joints.collect::<Vec<_>>(),
        s.passive_joints,
        enabled.collect::<Vec<_>>(),
        s.disabled_by_default.iter().map(link).collect::<Vec<_>>(),
        spheres.collect::<Vec<_>>(),
        properties.collect::<Vec<_>>(),
        kept.collect::<Vec<_>>(),
    )
}

fn again(of: &Robot) -> Robot {
    let written = srdf::to_string(&of.description).unwrap();
    assert!(written.warnings.is_empty(), "{:?}", written.warnings);
    let again = load_str(ROBOT).unwrap();
    again.with_srdf_str(&written.text).unwrap()
}

#[test]
fn all_that_an_srdf_says_is_read_again() {
    let read = with(WHOLE, &LoadOptions::new());
    let again = again(&read);
    assert_eq!(said(&again.description), said(&read.description));
    assert_eq!(again.model, read.model);
}

#[test]
fn key_frames_are_states_of_a_group_of_all_joints() {
    let swing = load_str(
        "<mujoco><worldbody>
           <body name='bob'><joint name='hinge' axis='0 1 0'/><geom size='0.1' pos='0 0 -1'/>
             <body name='tip' pos='0 0 -1'><joint name='slide' type='slide'/><geom size='0.1'/></body></body>
         </worldbody>
         <contact><exclude body1='bob' body2='tip'/></contact>
         <keyframe><key name='up' qpos='3.1 0.2' qvel='1 0'/></keyframe></mujoco>",
    )
    .unwrap();
    let written = swing.to_files(FileFormat::Urdf, "swing.urdf").unwrap();
    let lost: Vec<_> = written.warnings.iter().map(ToString::to_string).collect();
    assert!(
        matches!(&lost[..], [.., one] if one.contains("`up` states of velocities")),
        "{lost:?}"
    );
    let again = written.read_again(&LoadOptions::new()).unwrap();
    assert_eq!(again.model.reference_configurations()["up"], [3.1, 0.2]);
    assert_eq!(again.description.contact_exclusions.len(), 1);
    assert_eq!(again.description.semantics.groups[0].joints.len(), 2);
}

#[test]
fn an_index_of_a_part_that_is_not_there_is_an_error() {
    let mut description = clean("<group name='arm'><joint name='elbow'/></group>").description;
    description.semantics.groups[0].joints[0] = 99;
    let error = srdf::to_string(&description).unwrap_err().to_string();
    assert!(error.contains("joint") && error.contains("99"), "{error}");
}
