//! Damaged scenes are read or refused, and never a panic.

use super::file;
use featherline_formats::{LoadOptions, NamedRobot, RobotLibrary, load_str_with};

const ARM: &str = include_str!("files/arm.urdf");
const ROOM: &str = include_str!("files/room.xml");

#[test]
fn damaged_scenes_are_read_or_refused() {
    let library = RobotLibrary::new(|name| match name {
        "arm" => Ok(NamedRobot {
            srdf: None,
            text: ARM.into(),
            floating_base: false,
        }),
        "room" => Ok(NamedRobot {
            srdf: None,
            text: ROOM.into(),
            floating_base: false,
        }),
        _ => Err("there are an arm and a room".to_owned()),
    });
    let options = LoadOptions::new().library(library);
    let (mut read, mut refused) = (0, 0);
    for name in [
        "two_arms.toml",
        "floating_arm.toml",
        "room.toml",
        "drop.toml",
    ] {
        let text = std::fs::read_to_string(file(name)).unwrap();
        let text = text.replace("arm.urdf", "arm").replace("room.xml", "room");
        let text = text
            .replace("srdf = \"arm.srdf\"\n", "")
            .replace("configuration = \"bent\"\n", "");
        let mut load = |text: &str| match load_str_with(text, &options) {
            Ok(robot) => {
                robot.collision_shapes();
                robot
                    .description
                    .contact_rules()
                    .expect("what was read is a tree");
                read += 1;
            }
            Err(_) => refused += 1,
        };
        load(&text);
        for at in (0..text.len()).step_by(3) {
            load(&text[..at]);
            for other in ["", "-", "9", "\"", "[", "=", "nan", "\n"] {
                load(&format!("{}{other}{}", &text[..at], &text[at + 1..]));
            }
        }
    }
    assert!(
        read > 100 && refused > 100,
        "{read} were read, {refused} refused"
    );
}
