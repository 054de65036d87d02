//! Links and their inertias, names and numbers.

use super::case::{cases, check};
use featherline_formats::ErrorCause as E;

#[test]
fn links_and_numbers() {
    check(
        cases! {
            "no links": 1, E::NoLinks, "the robot has no links", "<robot name='r'/>";
            "no link, one joint": 2, E::MissingElement { element: "parent", .. }, "`<parent>` is missing",
                "<robot name='r'>\n<joint name='j' type='fixed'/></robot>";
            "link without name": 3, E::MissingAttribute { attribute: "name" }, "robot/link: the attribute `name`",
                "<robot name='r'>\n<link name='a'/>\n<link/></robot>";
            "link with an empty name": 2, E::EmptyName { attribute: "name" }, "`name` is empty",
                "<robot name='r'>\n<link name=''/></robot>";
            "two links of one name": 4, E::DuplicateName { what: "links", first_line: 2, .. },
                "two links are named `a`; the first is in line 2",
                "<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n<link name='a'/></robot>";
            "two inertials": 4, E::DuplicateElement { element: "inertial", first_line: 3 }, "the first is in line 3",
                "<robot name='r'><link name='a'>\n
<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>
<inertial/></link></robot>";
            "inertial without mass": 2, E::MissingElement { element: "mass", .. },
                "robot/link[@name='a']/inertial: `<mass>` is missing",
                "<robot name='r'><link name='a'>
        <inertial><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link></robot>";
            "inertial without inertia": 2, E::MissingElement { element: "inertia", .. }, "`<inertia>` is missing",
                "<robot name='r'><link name='a'>\n<inertial><mass value='1'/></inertial></link></robot>";
            "mass without value": 3, E::MissingAttribute { attribute: "value" }, "inertial/mass: the attribute `value`",
                "<robot name='r'><link name='a'>\n<inertial>\n<mass>1</mass></inertial></link></robot>";
            "mass is a word": 3, E::NotANumber { attribute: "value", .. }, "`value` has `heavy`",
                "<robot name='r'><link name='a'>\n<inertial>\n<mass value='heavy'/></inertial></link></robot>";
            "mass with a unit": 3, E::NotANumber { .. }, "`2kg` where a number is needed",
                "<robot name='r'><link name='a'>\n<inertial>\n<mass value='2kg'/></inertial></link></robot>";
            "mass with a decimal comma": 3, E::NotANumber { .. }, "`1,5`",
                "<robot name='r'><link name='a'>\n<inertial>\n<mass value='1,5'/></inertial></link></robot>";
            "mass is a xacro expression": 3, E::NotANumber { .. }, "expand the file with `xacro` first",
                "<robot name='r'><link name='a'>\n<inertial>\n<mass value='${m}'/></inertial></link></robot>";
            "mass is empty": 3, E::NumberCount { expected: 1, found: 0, .. }, "0 numbers where 1 are needed",
                "<robot name='r'><link name='a'>\n<inertial>\n<mass value=' '/></inertial></link></robot>";
            "mass is two numbers": 3, E::NumberCount { expected: 1, found: 2, .. }, "2 numbers",
                "<robot name='r'><link name='a'>\n<inertial>\n<mass value='1 2'/></inertial></link></robot>";
            "mass is NaN": 3, E::NotFinite { .. }, "`nan`, which is not a finite number",
                "<robot name='r'><link name='a'>\n<inertial>\n<mass value='nan'/></inertial></link></robot>";
            "mass is infinite": 3, E::NotFinite { .. }, "`inf`",
                "<robot name='r'><link name='a'>\n<inertial>\n<mass value='inf'/></inertial></link></robot>";
            "mass is too large to be represented": 3, E::NotFinite { .. }, "`1e999`",
                "<robot name='r'><link name='a'>\n<inertial>\n<mass value='1e999'/></inertial></link></robot>";
            "mass is negative": 4, E::Negative { attribute: "value", .. }, "`value` is -1; it can't be negative",
                "<robot name='r'><link name='a'>\n<inertial>\n<mass\nvalue='-1'/></inertial></link></robot>";
            "two masses": 3, E::DuplicateElement { element: "mass", .. }, "a second `<mass>`",
                "<robot name='r'><link name='a'>\n<inertial><mass value='1'/>\n<mass value='2'/></inertial></link></robot>";
            "inertia lacks a product": 3, E::MissingAttribute { attribute: "iyz" }, "`iyz` is missing",
                "<robot name='r'><link name='a'><inertial>\n<mass value='1'/>
        <inertia ixx='1' ixy='0' ixz='0' iyy='1' izz='1'/></inertial></link></robot>";
            "inertia with NaN": 3, E::NotFinite { attribute: "izz", .. }, "`NaN`",
                "<robot name='r'><link name='a'><inertial>\n<mass value='1'/>
        <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='NaN'/></inertial></link></robot>";
            "inertia with a negative moment": 6, E::InertiaNotPositive { .. },
                "robot/link[@name='b']/inertial/inertia: the inertia is not positive semidefinite",
                "<robot name='r'><link name='a'/>
<joint name='j' type='revolute'><parent link='a'/><child link='b'/>
<limit lower='-1' upper='1' effort='1' velocity='1'/></joint>
<link name='b'>
<inertial><mass value='1'/>
<inertia ixx='1' ixy='0' ixz='0' iyy='-1' iyz='0' izz='1'/></inertial></link></robot>";
            "inertia with large products": 4, E::InertiaNotPositive { .. }, "a principal moment is -1",
                "<robot name='r'><link name='a'/>
<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint><link name='b'>
<inertial><mass value='1'/>
<inertia ixx='1' ixy='2' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link></robot>";
            "inertia that overflows": 3, E::Model(_), "robot/joint[@name='j']: the inertia of `j` is not a finite number",
                "<robot name='r'><link name='a'/>

<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint><link name='b'>
<inertial><origin xyz='1e200 0 0'/><mass value='1e200'/>
<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link></robot>";
            "origin of two numbers": 3, E::NumberCount { attribute: "xyz", expected: 3, found: 2 },
                "`xyz` has 2 numbers where 3 are needed",
                "<robot name='r'><link name='a'><inertial>\n\n<origin xyz='0 0'/></inertial></link></robot>";
            "origin of four numbers": 3, E::NumberCount { attribute: "rpy", expected: 3, found: 4 }, "`rpy` has 4",
                "<robot name='r'><link name='a'><inertial>\n\n<origin rpy='0 0 0 1'/></inertial></link></robot>";
            "origin with commas": 3, E::NotANumber { attribute: "xyz", .. }, "`0,`",
                "<robot name='r'><link name='a'><inertial>\n\n<origin xyz='0, 0, 0'/></inertial></link></robot>";
            "origin with infinity": 3, E::NotFinite { attribute: "rpy", .. }, "`-Infinity`",
                "<robot name='r'><link name='a'><inertial>\n\n<origin rpy='0 -Infinity 0'/></inertial></link></robot>";
            "origin with two rotations": 3, E::TwoRotations, "keep one",
                "<robot name='r'><link name='a'><inertial>\n
        <origin rpy='0 0 0' quat_xyzw='0 0 0 1'/></inertial></link></robot>";
            "origin with a zero quaternion": 3, E::ZeroQuaternion, "the quaternion is zero",
                "<robot name='r'><link name='a'><inertial>\n\n<origin quat_xyzw='0 0 0 0'/></inertial></link></robot>";
            "two origins": 4, E::DuplicateElement { element: "origin", first_line: 3 }, "a second `<origin>`",
                "<robot name='r'><link name='a'><inertial>\n\n<origin/>\n<origin/></inertial></link></robot>";
        },
        31,
    );
}
