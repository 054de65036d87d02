//! Joints: types, axes, limits, dynamics.

use super::case::{cases, check};
use featherline_formats::ErrorCause as E;

#[test]
fn joints() {
    check(
        cases! {
            "no name": 2, E::MissingAttribute { attribute: "name" }, "robot/joint: the attribute `name` is missing",
                "<robot name='r'><link name='a'/><link name='b'/>
        <joint type='fixed'><parent link='a'/><child link='b'/></joint></robot>";
            "blank name": 2, E::EmptyName { attribute: "name" }, "`name` is empty",
                "<robot name='r'><link name='a'/><link name='b'/>
        <joint name=' ' type='fixed'><parent link='a'/><child link='b'/></joint></robot>";
            "no type": 2, E::MissingAttribute { attribute: "type" }, "robot/joint[@name='j']: the attribute `type`",
                "<robot name='r'><link name='a'/><link name='b'/>
        <joint name='j'><parent link='a'/><child link='b'/></joint></robot>";
            "unknown type": 3, E::UnknownJointType { .. },
                "`hinge` is not a type of joint; the types are revolute, continuous, prismatic, fixed, floating, planar",
                "<robot name='r'><link name='a'/><link name='b'/>
<joint name='j'
type='hinge'><parent link='a'/><child link='b'/></joint></robot>";
            "type in capitals": 2, E::UnknownJointType { .. }, "`Revolute`",
                "<robot name='r'><link name='a'/><link name='b'/>
        <joint name='j' type='Revolute'><parent link='a'/><child link='b'/></joint></robot>";
            "a type of other formats": 2, E::UnknownJointType { .. }, "`ball`",
                "<robot name='r'><link name='a'/><link name='b'/>
        <joint name='j' type='ball'><parent link='a'/><child link='b'/></joint></robot>";
            "no parent": 2, E::MissingElement { element: "parent", .. }, "robot/joint[@name='j']: `<parent>` is missing",
                "<robot name='r'><link name='a'/><link name='b'/>
        <joint name='j' type='fixed'><child link='b'/></joint></robot>";
            "no child": 2, E::MissingElement { element: "child", .. }, "`<child>` is missing",
                "<robot name='r'><link name='a'/><link name='b'/>
        <joint name='j' type='fixed'><parent link='a'/></joint></robot>";
            "parent without link": 2, E::MissingAttribute { attribute: "link" }, "joint[@name='j']/parent",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='fixed'>
        <parent/><child link='b'/></joint></robot>";
            "child names a frame": 3, E::MissingAttribute { attribute: "link" }, "joint[@name='j']/child",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/>

<child frame='b'/></joint></robot>";
            "two children": 3, E::DuplicateElement { element: "child", first_line: 2 }, "a second `<child>`",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/>
<child link='b'/>
<child link='b'/></joint></robot>";
            "two parents in one joint": 3, E::DuplicateElement { element: "parent", first_line: 2 }, "`<parent>`",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='fixed'>
<parent link='a'/>
<parent link='a'/><child link='b'/></joint></robot>";
            "zero axis": 3, E::ZeroAxis,
                "line 3, column 1: robot/joint[@name='j']/axis: the axis is the zero vector; give it a direction",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'>

<axis xyz='0 0 0'/><parent link='a'/><child link='b'/></joint></robot>";
            "zero normal of a plane": 2, E::ZeroAxis, "the zero vector",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='planar'>
        <axis xyz='0 -0.0 0'/><parent link='a'/><child link='b'/></joint></robot>";
            "axis without xyz": 2, E::MissingAttribute { attribute: "xyz" }, "joint[@name='j']/axis",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='prismatic'>
        <axis/><parent link='a'/><child link='b'/></joint></robot>";
            "axis is a letter": 2, E::NotANumber { attribute: "xyz", .. }, "`z`",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='prismatic'>
        <axis xyz='z'/><parent link='a'/><child link='b'/></joint></robot>";
            "axis with NaN": 2, E::NotFinite { attribute: "xyz", .. }, "`NaN`",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>
        <axis xyz='0 NaN 1'/><parent link='a'/><child link='b'/></joint></robot>";
            "two axes": 3, E::DuplicateElement { element: "axis", first_line: 2 }, "a second `<axis>`",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>
<axis xyz='0 0 1'/>
<axis xyz='0 1 0'/><parent link='a'/><child link='b'/></joint></robot>";
            "origin with NaN": 2, E::NotFinite { attribute: "xyz", .. }, "joint[@name='j']/origin",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='fixed'>
        <origin xyz='NaN 0 0'/><parent link='a'/><child link='b'/></joint></robot>";
            "origins that overflow": 4, E::Model(_), "is not a finite number",
                "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>
<joint name='i' type='fixed'><origin xyz='1.7e308 0 0'/><parent link='a'/><child link='b'/></joint>

<joint name='j' type='continuous'><origin xyz='1.7e308 0 0'/><parent link='b'/><child link='c'/></joint></robot>";
            "lower above upper": 2, E::EmptyRange { .. }, "the lower limit 1 is above the upper one, -1",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'>
        <limit lower='1' upper='-1' effort='1' velocity='1'/><parent link='a'/><child link='b'/></joint></robot>";
            "lower above the default of upper": 2, E::EmptyRange { .. }, "above the upper one, 0",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='prismatic'>
        <limit lower='1' effort='1' velocity='1'/><parent link='a'/><child link='b'/></joint></robot>";
            "limit is a word": 2, E::NotANumber { attribute: "upper", .. }, "`pi`",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'>
        <limit lower='0' upper='pi' effort='1' velocity='1'/><parent link='a'/><child link='b'/></joint></robot>";
            "limit is NaN": 2, E::NotFinite { attribute: "lower", .. }, "`nan`",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'>
        <limit lower='nan' upper='1' effort='1' velocity='1'/><parent link='a'/><child link='b'/></joint></robot>";
            "limit is too large to be represented": 2, E::NotFinite { attribute: "upper", .. }, "`1e999`",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'>
        <limit lower='0' upper='1e999' effort='1' velocity='1'/><parent link='a'/><child link='b'/></joint></robot>";
            "negative effort": 2, E::Negative { attribute: "effort", .. }, "`effort` is -5",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>
        <limit effort='-5' velocity='1'/><parent link='a'/><child link='b'/></joint></robot>";
            "negative velocity": 3, E::Negative { attribute: "velocity", .. }, "`velocity` is -inf",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'>
<limit lower='0' upper='1' effort='5'
velocity='-inf'/><parent link='a'/><child link='b'/></joint></robot>";
            "two limits": 3, E::DuplicateElement { element: "limit", first_line: 2 }, "a second `<limit>`",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'>
<limit lower='0' upper='1' effort='5' velocity='1'/>
<limit lower='0' upper='2' effort='5' velocity='1'/><parent link='a'/><child link='b'/></joint></robot>";
            "negative damping": 2, E::Negative { attribute: "damping", .. }, "`damping` is -0.1",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>
        <dynamics damping='-0.1'/><parent link='a'/><child link='b'/></joint></robot>";
            "negative friction": 2, E::Negative { attribute: "friction", .. }, "`friction` is -2",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>
        <dynamics friction='-2'/><parent link='a'/><child link='b'/></joint></robot>";
            "infinite damping": 2, E::NotFinite { attribute: "damping", .. }, "`inf`",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>
        <dynamics damping='inf'/><parent link='a'/><child link='b'/></joint></robot>";
            "friction is a word": 2, E::NotANumber { attribute: "friction", .. }, "`low`",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>
        <dynamics friction='low'/><parent link='a'/><child link='b'/></joint></robot>";
        },
        32,
    );
}

#[test]
fn mimic_joints() {
    check(
        cases! {
            "mimic without joint": 2, E::MissingAttribute { attribute: "joint" }, "joint[@name='j']/mimic",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>
        <mimic multiplier='2'/><parent link='a'/><child link='b'/></joint></robot>";
            "unknown source": 3, E::UnknownMimicked { .. }, "there is no joint `left_knee` to mimic; did you mean `left_knee_`?",
                "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>
<joint name='left_knee_' type='continuous'><parent link='a'/><child link='b'/></joint>
<joint name='j' type='continuous'><mimic joint='left_knee'/><parent link='a'/><child link='c'/></joint></robot>";
            "mimics itself": 2, E::MimicCycle { .. }, "mimic joints form a cycle: j → j",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>
        <mimic joint='j'/><parent link='a'/><child link='b'/></joint></robot>";
            "mimic joints in a circle": 2, E::MimicCycle { .. }, "form a cycle: i → j → i",
                "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>
<joint name='i' type='continuous'><mimic joint='j'/><parent link='a'/><child link='b'/></joint>
<joint name='j' type='continuous'><mimic joint='i'/><parent link='b'/><child link='c'/></joint></robot>";
            "a chain that ends in a circle": 3, E::MimicCycle { .. }, "j → k → j",
                "<robot name='r'><link name='a'/><link name='b'/><link name='c'/><link name='d'/>
<joint name='i' type='continuous'><mimic joint='j'/><parent link='a'/><child link='b'/></joint>
<joint name='j' type='continuous'><mimic joint='k'/><parent link='b'/><child link='c'/></joint>
<joint name='k' type='continuous'><mimic joint='j'/><parent link='c'/><child link='d'/></joint></robot>";
            "mimics a fixed joint": 3, E::MimicFreedom { kind: "fixed", role: "be mimicked" }, "a fixed joint can't be mimicked",
                "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>
<joint name='i' type='fixed'><parent link='a'/><child link='b'/></joint>
<joint name='j' type='continuous'><mimic joint='i'/><parent link='a'/><child link='c'/></joint></robot>";
            "mimics a floating joint": 3, E::MimicFreedom { kind: "floating", .. }, "one degree of freedom",
                "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>
<joint name='i' type='floating'><parent link='a'/><child link='b'/></joint>
<joint name='j' type='continuous'><mimic joint='i'/><parent link='a'/><child link='c'/></joint></robot>";
            "a planar joint mimics": 3, E::MimicFreedom { kind: "planar", role: "mimic another" }, "a planar joint can't mimic another",
                "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>
<joint name='i' type='continuous'><parent link='a'/><child link='b'/></joint>
<joint name='j' type='planar'><mimic joint='i'/><parent link='a'/><child link='c'/></joint></robot>";
            "multiplier is NaN": 2, E::NotFinite { attribute: "multiplier", .. }, "`NaN`",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>
        <mimic joint='j' multiplier='NaN'/><parent link='a'/><child link='b'/></joint></robot>";
            "offset is a word": 2, E::NotANumber { attribute: "offset", .. }, "`none`",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>
        <mimic joint='j' offset='none'/><parent link='a'/><child link='b'/></joint></robot>";
            "two mimics": 3, E::DuplicateElement { element: "mimic", .. }, "a second `<mimic>`",
                "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>
<mimic joint='i'/>
<mimic joint='k'/><parent link='a'/><child link='b'/></joint></robot>";
            "laws that overflow": 3, E::Model(_), "robot/joint[@name='j']: the mimic law of `j` is not a finite number",
                "<robot name='r'><link name='a'/><link name='b'/><link name='c'/><link name='d'/>
<joint name='i' type='continuous'><mimic joint='h' multiplier='1e200'/><parent link='a'/><child link='b'/></joint>
<joint name='j' type='continuous'><mimic joint='i' multiplier='1e200'/><parent link='b'/><child link='c'/></joint>
<joint name='h' type='continuous'><parent link='c'/><child link='d'/></joint></robot>";
        },
        12,
    );
}
