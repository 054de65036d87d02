//! Shapes, materials and mesh files of a URDF.

use featherline::spatial::{Mat3, Vec3};
use featherline_formats::description::{Description, Form, Owner};
use featherline_formats::{
    ErrorCause, LoadOptions, Severity, Warning, WarningCause, load_str, load_with,
};
use featherline_geometry::{Capsule, Cuboid, Cylinder, Shape, Sphere};

fn read(text: &str) -> (Description, Vec<WarningCause>) {
    match load_str(text) {
        Ok(robot) => {
            let causes = robot.warnings.into_iter().map(|it| it.cause);
            (robot.description, causes.collect())
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn every_shape_has_its_size_and_its_place_in_the_link() {
    let (description, warnings) = read(
        r#"<robot name="r">
  <material name="steel"><color rgba="0.5 0.5 0.6 1"/></material>
  <link name="a">
    <visual name="case"><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>
      <geometry><box size="0.1 0.2 0.3"/></geometry><material name="steel"/></visual>
    <visual><geometry><mesh filename="arm.stl" scale="0.001 0.001 -0.001"/></geometry>
      <material name="red"><color rgba="1 0 0 1"/></material></visual>
    <collision><geometry><cylinder radius="0.1" length="0.4"/></geometry></collision>
    <collision><geometry><sphere radius="0.2"/></geometry></collision>
    <collision><geometry><capsule radius="0.1" length="0.3"/></geometry></collision>
  </link></robot>"#,
    );
    assert!(warnings.is_empty(), "{warnings:?}");
    let shapes: Vec<_> = description.geometry.iter().collect();
    assert_eq!(shapes.len(), 5);
    let case = shapes[0];
    assert_eq!((case.name.as_str(), case.link), ("case", 0));
    assert!(case.is_visual && !case.is_collision);
    assert_eq!(case.placement.translation, Vec3::new(1.0, 2.0, 3.0));
    let quarter = Mat3::from_axis_sin_cos(Vec3::unit(2), 1.0, 0.0);
    assert_eq!(case.placement.rotation, quarter);
    let is = |index: usize, shape: Shape| {
        let form = &shapes[index].form;
        assert!(
            matches!(form, Form::Shape(found) if *found == shape),
            "{form:?}"
        );
    };
    is(0, Cuboid::new(Vec3::new(0.1, 0.2, 0.3)).into());
    is(2, Cylinder::new(0.1, 0.4).into());
    is(3, Sphere::new(0.2).into());
    is(4, Capsule::new(0.1, 0.3).into());
    let Form::Mesh(file) = &shapes[1].form else {
        panic!("{:?}", shapes[1].form);
    };
    assert_eq!(file.uri, "arm.stl");
    assert_eq!(file.scale, Vec3::new(0.001, 0.001, -0.001));
    assert!(file.path.is_none() && file.read().is_err());
    let colour = |index: usize| {
        let material = shapes[index].material.map(|it| &description.materials[it]);
        material.and_then(|it| it.colour)
    };
    assert_eq!(colour(0), Some([0.5, 0.5, 0.6, 1.0]));
    assert_eq!(colour(1), Some([1.0, 0.0, 0.0, 1.0]));
}

#[test]
fn a_malformed_shape_is_left_out_and_the_robot_is_read() {
    for (inner, reason) in [
        ("<sphere radius='x'/>", "`radius` has `x`"),
        ("<sphere radius='-1'/>", "`radius` is -1"),
        ("<box size='1 2'/>", "`size` has 2 numbers"),
        ("<mesh/>", "the attribute `filename` is missing"),
        ("<sphere radius='1'/><box size='1 1 1'/>", "one shape"),
        ("", "one shape"),
    ] {
        let text = format!(
            "<robot name='r'><link name='a'><collision>\n<geometry>{inner}</geometry></collision></link></robot>"
        );
        let robot = load_str(&text).unwrap();
        assert!(robot.description.geometry.is_empty());
        let shown = robot.warnings[0].to_string();
        assert!(shown.contains("the collision shape is left out"), "{shown}");
        assert!(shown.contains(reason), "{shown}");
        assert!(shown.starts_with("line 2"), "{shown}");
    }
}

#[test]
fn a_material_without_a_definition_is_a_warning() {
    let (description, warnings) = read(
        "<robot name='r'><link name='a'><visual><geometry><sphere radius='1'/></geometry>
           <material name='gold'/></visual></link></robot>",
    );
    assert_eq!(description.geometry[0].material, None);
    assert!(matches!(&warnings[..], [WarningCause::UnknownMaterial { name }] if name == "gold"));
}

#[test]
fn what_has_no_place_is_kept_as_it_is_written() {
    let (description, _) = read(
        "<robot name='r'><link name='a'><sensor name='s'/></link><link name='b'/>
  <joint name='j' type='fixed'><parent link='a'/><child link='b'/>
    <safety_controller k_velocity='1'/></joint>
  <transmission name='t'><type>simple</type></transmission></robot>",
    );
    let kept: Vec<_> = description.kept.iter().collect();
    let kept: Vec<_> = kept.iter().map(|it| (it.owner, it.text.as_str())).collect();
    let all = [
        (
            Owner::Robot,
            "<transmission name='t'><type>simple</type></transmission>",
        ),
        (Owner::Link(0), "<sensor name='s'/>"),
        (Owner::Joint(0), "<safety_controller k_velocity='1'/>"),
    ];
    assert_eq!(kept, all);
}

#[test]
fn meshes_are_found_by_the_package_and_beside_the_file() {
    let folder = std::env::temp_dir().join(format!("featherline-packages-{}", std::process::id()));
    let meshes = folder.join("arm").join("meshes");
    std::fs::create_dir_all(&meshes).unwrap();
    let stl = "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n\
               endloop\nendfacet\nendsolid t\n";
    std::fs::write(meshes.join("link.stl"), stl).unwrap();
    let robot = |uri: &str, options: &LoadOptions, at: &std::path::Path| {
        let text = format!(
            "<robot name='r'><link name='a'><visual><geometry><mesh filename='{uri}'/></geometry></visual></link></robot>"
        );
        std::fs::create_dir_all(at).unwrap();
        std::fs::write(at.join("arm.urdf"), text).unwrap();
        load_with(at.join("arm.urdf"), options).unwrap()
    };
    let (inside, outside) = (
        folder.join("arm").join("urdf"),
        folder.join("elsewhere").join("x"),
    );
    let (plain, named) = (
        LoadOptions::new(),
        LoadOptions::new().package_folder(&folder),
    );
    let package = LoadOptions::new().package_folder(folder.join("arm"));
    for (uri, options, at) in [
        ("package://arm/meshes/link.stl", &plain, &inside),
        ("../meshes/link.stl", &plain, &inside),
        ("package://arm/meshes/link.stl", &named, &outside),
        ("package://arm/meshes/link.stl", &package, &outside),
    ] {
        let robot = robot(uri, options, at);
        assert!(robot.warnings.is_empty(), "{uri}: {:?}", robot.warnings);
        let shape = robot.description.geometry[0].form.shape().unwrap();
        assert!(matches!(shape, Shape::Mesh(mesh) if mesh.faces().len() == 1));
    }
    let lost = robot("package://leg/meshes/link.stl", &plain, &inside);
    let is_lost = |it: &WarningCause| matches!(it, WarningCause::MissingMesh { .. });
    assert!(lost.warnings.iter().any(|it| is_lost(&it.cause)));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn meshes_of_a_package_that_is_not_there_are_one_warning() {
    let link =
        |uri: &str| format!("<visual><geometry><mesh filename='{uri}'/></geometry></visual>");
    let meshes: String = [
        "package://arm/a.stl",
        "package://arm/b.stl",
        "package://arm/a.stl",
        "beside.stl",
    ]
    .map(link)
    .concat();
    let folder = std::env::temp_dir().join(format!("featherline-missing-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("r.urdf");
    let text = format!("<robot name='r'><link name='a'>{meshes}</link></robot>");
    std::fs::write(&path, text).unwrap();
    let robot = featherline_formats::load(&path).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let mut severities = robot.warnings.iter().map(Warning::severity);
    assert!(
        severities.all(|it| it == Severity::Warning),
        "{:?}",
        robot.warnings
    );
    let notes: Vec<String> = robot
        .warnings
        .iter()
        .map(|it| it.cause.to_string())
        .collect();
    assert_eq!(notes.len(), 2, "{notes:#?}");
    let first = "the mesh `package://arm/a.stl` was not found, nor one other mesh of its package; name the folder";
    assert!(notes[0].starts_with(first), "{notes:#?}");
    assert!(notes[1].starts_with("the mesh `beside.stl` was not found; its name is relative"));
}

#[test]
fn a_limit_of_acceleration_is_read() {
    let text = |most: &str| {
        format!(
            "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'>
               <parent link='a'/><child link='b'/>
               <limit lower='0' upper='1' velocity='1' effort='1' acceleration='{most}'/></joint></robot>"
        )
    };
    let model = load_str(&text("3")).unwrap().model;
    assert_eq!(model.joints()[1].limits.acceleration, [3.0]);
    let error = load_str(&text("-3")).unwrap_err();
    assert!(
        matches!(error.cause(), ErrorCause::Negative { .. }),
        "{error}"
    );
}
