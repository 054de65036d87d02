//! A chain of equal links as a robot file: the sample `snake` of featherline, for libraries that
//! read URDF.

use std::fmt::{self, Write};

/// The URDF of a chain: cylinders of 0.2 kg and 0.1 m, joined by hinges about y and z in turn.
pub fn urdf(links: usize) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut text, links);
    text
}

fn write(text: &mut String, links: usize) -> fmt::Result {
    let (length, radius, mass) = (0.1, 0.03, 0.2);
    let along = mass * radius * radius / 2.0;
    let across = mass * (3.0 * radius * radius + length * length) / 12.0;
    writeln!(
        text,
        "<robot name=\"snake_{links}\">\n<link name=\"base\"/>"
    )?;
    for i in 0..links {
        let axis = if i % 2 == 0 { "0 1 0" } else { "0 0 1" };
        let parent = i.checked_sub(1);
        let (parent, offset) = match parent {
            Some(above) => (format!("link_{above}"), length),
            None => ("base".to_owned(), 0.0),
        };
        writeln!(
            text,
            "<link name=\"link_{i}\"><inertial><origin xyz=\"{} 0 0\"/><mass value=\"{mass}\"/>\
             <inertia ixx=\"{along}\" iyy=\"{across}\" izz=\"{across}\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n\
             <joint name=\"joint_{i}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"link_{i}\"/>\
             <origin xyz=\"{offset} 0 0\"/><axis xyz=\"{axis}\"/>\
             <limit lower=\"-3.14\" upper=\"3.14\" effort=\"100\" velocity=\"10\"/></joint>",
            length / 2.0
        )?;
    }
    writeln!(text, "</robot>")
}
