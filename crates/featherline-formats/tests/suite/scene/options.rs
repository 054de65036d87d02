//! Options of the reader.

use super::{file, scene};
use featherline_formats::{
    Continuous, LoadOptions, NamedRobot, RobotLibrary, load_str_with, load_with,
};

#[test]
fn options_mean_the_same_of_the_robots_in_a_scene() {
    let options = LoadOptions::new().keep_fixed_joint("left/tip_mount");
    let arms = load_with(file("two_arms.toml"), &options).unwrap();
    assert!(arms.model.joint_id("left/tip_mount").is_ok());
    assert!(arms.model.joint_id("right/tip_mount").is_err());

    let floating = LoadOptions::new().floating_base(true);
    let arms = load_with(file("two_arms.toml"), &floating).unwrap();
    assert_eq!(arms.model.nv(), scene("two_arms.toml").model.nv());
    let warning = arms.warnings[0].to_string();
    assert!(
        warning.contains("the world of a scene is fixed"),
        "{warning}"
    );
    let error = load_with(file("two_arms.toml"), &floating.strict(true)).unwrap_err();
    assert!(error.to_string().contains("strict"), "{error}");
}

#[test]
fn a_library_has_robots_without_files() {
    const WHEEL: &str = "<robot name='wheel'><link name='rim'/><link name='hub'/>
        <joint name='axle' type='continuous'><parent link='rim'/><child link='hub'/></joint></robot>";
    let library = RobotLibrary::new(|name| match name {
        "wheel" => Ok(NamedRobot {
            srdf: None,
            text: WHEEL.into(),
            floating_base: true,
        }),
        _ => Err("there is but a wheel".to_owned()),
    });
    let options = LoadOptions::new()
        .library(library)
        .continuous(Continuous::CosSin);
    let read = |text: &str| load_str_with(text, &options);
    let wheels = read(
        "[[robot]]\nfile = 'wheel'\nname = 'a'\njoints = { axle = 3 }\n\
         [[robot]]\nfile = 'wheel'\nname = 'b'\nbase = 'fixed'\n",
    );
    let wheels = wheels.unwrap();
    // A free base and a continuous joint, and a continuous joint.
    assert_eq!(
        (wheels.model.nq(), wheels.model.nv()),
        (7 + 2 + 2, 6 + 1 + 1)
    );
    let q = super::entries(&wheels, "a/axle", super::start(&wheels));
    assert_eq!(q, [3.0_f64.cos(), 3.0_f64.sin()]);
    let error = read("[[robot]]\nfile = 'cog'\n").unwrap_err().to_string();
    assert!(
        error.contains("no robot `cog`") && error.contains("but a wheel"),
        "{error}"
    );
}

#[test]
fn a_state_outside_limits_is_a_warning() {
    let path = std::env::temp_dir().join(format!("featherline_limits_{}.toml", std::process::id()));
    let arm = file("arm.urdf");
    let text = format!(
        "[[robot]]\nfile = '{}'\njoints = {{ elbow = 3 }}\n",
        arm.display()
    );
    std::fs::write(&path, text).unwrap();
    // The robot is in another folder than the scene.
    let error = load_with(&path, &LoadOptions::new()).map(|_| ());
    let options = LoadOptions::new().root_folder(std::env::temp_dir());
    let robot = load_with(&path, &options.root_folder(arm.parent().unwrap()));
    std::fs::remove_file(&path).unwrap();
    let error = error.map_or_else(|error| error.to_string(), |()| String::new());
    let is_within = arm.starts_with(std::env::temp_dir());
    assert!(is_within || error.contains("--root-folder"), "{error}");
    let warnings = robot.unwrap().warnings;
    let warning = warnings[0].to_string();
    assert!(
        warning.contains(":3:20") && warning.contains("outside its limits"),
        "{warning}"
    );
}
