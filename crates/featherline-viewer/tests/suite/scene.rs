//! Scenes, read back from their bytes.

use featherline_formats::{LoadOptions, load_str, load_with};
use featherline_viewer::page;
use featherline_viewer::scene::{RecordedContacts, RecordedMotion, Scene};
use serde_json::Value;
use std::path::PathBuf;

/// A scene as a page reads it.
struct Read {
    text: Value,
    buffer: Vec<u8>,
}

impl Read {
    fn of(scene: &Scene) -> Self {
        let bytes = scene.to_bytes();
        assert_eq!(&bytes[..4], b"FLSC");
        let length = bytes[4..8].try_into().expect("four bytes");
        let end = 8 + u32::from_le_bytes(length) as usize;
        assert_eq!(end % 8, 0);
        Self {
            text: serde_json::from_slice(&bytes[8..end]).expect("JSON"),
            buffer: bytes[end..].to_vec(),
        }
    }

    /// The bytes of a range, number by number.
    fn range<const N: usize>(&self, range: &Value) -> Vec<[u8; N]> {
        let number = |key: &str| range[key].as_u64().expect("a number") as usize;
        let (offset, count) = (number("offset"), number("count"));
        assert_eq!(offset % 8, 0);
        let bytes = &self.buffer[offset..offset + count * N];
        bytes
            .chunks(N)
            .map(|it| it.try_into().expect("N"))
            .collect()
    }

    fn f64s(&self, range: &Value) -> Vec<f64> {
        self.range(range)
            .into_iter()
            .map(f64::from_le_bytes)
            .collect()
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().expect("an array").iter();
    list.map(|it| it.as_f64().expect("a number")).collect()
}

/// A folder of this test, empty.
fn folder(name: &str) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("featherline-viewer-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

const ARM: &str = "
    <robot name='arm'>
      <material name='red'><color rgba='1 0 0 0.5'/></material>
      <link name='base'/>
      <link name='upper'/>
      <joint name='hinge' type='continuous'>
        <parent link='base'/><child link='upper'/><origin xyz='0 0 7'/><axis xyz='0 0 1'/>
      </joint>
      <link name='hand'>
        <visual name='palm'>
          <origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>
          <geometry><box size='4 5 6'/></geometry><material name='red'/>
        </visual>
      </link>
      <joint name='weld' type='fixed'>
        <parent link='upper'/><child link='hand'/><origin xyz='10 0 0'/>
      </joint>
    </robot>";

#[test]
fn a_shape_is_placed_in_the_joint_that_carries_its_link() {
    let robot = load_str(ARM).expect("a robot");
    let read = Read::of(&Scene::of_robot(&robot));
    let shape = &read.text["shapes"][0];
    assert_eq!(
        (&shape["joint"], &shape["link"], &shape["name"]),
        (&1.into(), &"hand".into(), &"palm".into())
    );
    assert_eq!(
        (&shape["visual"], &shape["collision"]),
        (&true.into(), &false.into())
    );
    assert_eq!(numbers(&shape["colour"]), [1.0, 0.0, 0.0, 0.5]);
    assert_eq!(shape["form"]["kind"], "box");
    assert_eq!(numbers(&shape["form"]["sides"]), [4.0, 5.0, 6.0]);
    // The weld by 10 along x, then the shape's own origin; columns: x to y, y to −x.
    let expected = [
        0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 11.0, 2.0, 3.0, 1.0,
    ];
    for (found, expected) in numbers(&shape["placement"]).iter().zip(expected) {
        // Rounding of π/2.
        assert!((found - expected).abs() < 1e-15, "{shape}");
    }
    let links: Vec<_> = read.text["links"]
        .as_array()
        .expect("links")
        .iter()
        .collect();
    let joints: Vec<_> = links.iter().map(|it| it["joint"].as_u64()).collect();
    assert_eq!(joints, [Some(0), Some(1), Some(1)]);
    assert_eq!(numbers(&links[2]["placement"])[12], 10.0);
    assert_eq!(read.text["model"]["featherline_model"], 1);
    assert!(read.text["error"].is_null() && read.text["recording"].is_null());
}

#[test]
fn meshes_are_read_once_a_file_and_scale_and_failures_name_their_link() {
    let folder = folder("meshes");
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    std::fs::write(folder.join("tile.obj"), obj).expect("written");
    std::fs::write(folder.join("bad.obj"), "v 0 0 zero\n").expect("written");
    let visual = |file: &str, more: &str| {
        format!("<visual><geometry><mesh filename='{file}' {more}/></geometry></visual>")
    };
    let text = format!(
        "<robot name='r'><link name='a'>{}{}{}{}</link><link name='b'>{}{}</link>
         <joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>",
        visual("tile.obj", ""),
        visual("tile.obj", ""),
        visual("tile.obj", "scale='2 2 2'"),
        visual("bad.obj", ""),
        visual("none.obj", ""),
        visual("none.obj", ""),
    );
    let file = folder.join("r.urdf");
    std::fs::write(&file, text).expect("written");
    let robot = load_with(&file, &LoadOptions::new()).expect("a robot");
    let read = Read::of(&Scene::of_robot(&robot));
    let meshes: Vec<u64> = (0..3)
        .map(|k| {
            read.text["shapes"][k]["form"]["mesh"]
                .as_u64()
                .expect("a mesh")
        })
        .collect();
    assert_eq!(meshes, [0, 0, 1]);
    assert_eq!(read.text["shapes"].as_array().map(Vec::len), Some(3));
    let vertices = read.range(&read.text["meshes"][1]["vertices"]);
    let vertices: Vec<f32> = vertices.into_iter().map(f32::from_le_bytes).collect();
    assert_eq!(vertices, [0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0, 0.0]);
    let faces = read.range(&read.text["meshes"][1]["faces"]);
    let faces: Vec<u32> = faces.into_iter().map(u32::from_le_bytes).collect();
    assert_eq!(faces, [0, 1, 2]);
    let warnings = read.text["warnings"].as_array().expect("warnings");
    let of = |code: &str| -> Vec<_> {
        let found = warnings.iter().filter(|it| it["code"] == code);
        found.map(|it| it["link"].as_str().unwrap_or("")).collect()
    };
    assert_eq!(of("unreadable-mesh"), ["a"], "{warnings:?}");
    assert_eq!(of("missing-mesh"), ["b"], "{warnings:?}");
    std::fs::remove_dir_all(folder).expect("removed");
}

/// A rod of two metres from the origin along an axis of its file, in a file that states an axis.
fn rod(axis: usize, up: &str) -> String {
    let numbers: Vec<String> = [0.0, 2.0]
        .iter()
        .flat_map(|along| [[-0.1, -0.1], [0.1, -0.1], [0.0, 0.1]].map(|across| (*along, across)))
        .flat_map(|(along, [a, b])| {
            let mut point = [0.0; 3];
            point[axis] = along;
            point[(axis + 1) % 3] = a;
            point[(axis + 2) % 3] = b;
            point.map(|x: f64| x.to_string())
        })
        .collect();
    format!(
        r##"<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
        <asset><up_axis>{up}</up_axis></asset>
        <library_geometries><geometry id="g"><mesh>
          <source id="p"><float_array id="a" count="18">{}</float_array>
            <technique_common><accessor source="#a" count="6" stride="3"/></technique_common></source>
          <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
          <triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
            <p>0 2 1 3 4 5 0 1 3 1 4 3</p></triangles></mesh></geometry></library_geometries>
        <library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node>
          </visual_scene></library_visual_scenes>
        <scene><instance_visual_scene url="#s"/></scene></COLLADA>"##,
        numbers.join(" ")
    )
}

#[test]
fn collada_meshes_are_rotated_where_parts_fit_together_only_so() {
    let folder = folder("upright");
    let arm = "<link name='NAME'><inertial><mass value='1'/>
        <inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>
        <visual><geometry><mesh filename='rod.dae'/></geometry></visual></link>";
    let joint = |name: &str, parent: &str, child: &str, z: f64| {
        format!(
            "<joint name='{name}' type='revolute'><parent link='{parent}'/><child link='{child}'/>
             <origin xyz='0 0 {z}'/><axis xyz='0 1 0'/>
             <limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
        )
    };
    let links = ["a", "b", "c"]
        .map(|name| arm.replace("NAME", name))
        .concat();
    let joints = [
        joint("j", "base", "a", 0.0),
        joint("k", "a", "b", 2.0),
        joint("l", "b", "c", 2.0),
    ]
    .concat();
    let urdf = folder.join("r.urdf");
    std::fs::write(
        &urdf,
        format!("<robot name='r'><link name='base'/>{links}{joints}</robot>"),
    )
    .expect("written");
    // Along y in a file with y upwards, and along z in one that states y and means z.
    for (axis, up, is_rotated) in [(1, "Y_UP", true), (2, "Y_UP", false), (2, "Z_UP", false)] {
        std::fs::write(folder.join("rod.dae"), rod(axis, up)).expect("written");
        let robot = load_with(&urdf, &LoadOptions::new()).expect("it is a robot");
        let scene = Read::of(&Scene::of_robot(&robot));
        let vertices = scene.range::<4>(&scene.text["meshes"][0]["vertices"]);
        let heights = vertices.iter().skip(2).step_by(3);
        let highest = heights
            .map(|it| f32::from_le_bytes(*it))
            .fold(0.0, f32::max);
        assert!((highest - 2.0).abs() < 1e-6, "{up} {axis}: {highest}");
        let warnings = scene.text["warnings"].to_string();
        assert_eq!(
            warnings.contains("rotated-meshes"),
            is_rotated,
            "{up} {axis}"
        );
    }
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn an_error_has_its_place() {
    let error =
        load_str("<robot name='r'>\n<link name='a'/><link name='a'/></robot>").expect_err("twice");
    let read = Read::of(&Scene::of_error(&error));
    let refusal = &read.text["error"];
    assert_eq!(refusal["line"], 2);
    assert!(
        refusal["message"]
            .as_str()
            .is_some_and(|it| it.contains("named `a`"))
    );
    assert!(
        refusal["snippet"]
            .as_str()
            .is_some_and(|it| it.contains('^'))
    );
    assert!(read.text["model"].is_null());
    let read = Read::of(&Scene::of_message("x.csv", "it is a recording"));
    assert_eq!(read.text["error"]["message"], "it is a recording");
}

#[test]
fn a_recording_is_in_the_buffer() {
    let robot = load_str(ARM).expect("a robot");
    let (times, q, v) = ([0.0, 0.5], [1.0, 2.0], [3.0, -0.1]);
    let recorded = RecordedMotion {
        file: "run.csv",
        times: &times,
        q: &q,
        v: &v,
        tau: None,
        contacts: Some(RecordedContacts {
            counts: &[0, 1],
            points: &[[1.0, 2.0, 3.0]],
            normals: &[[0.0, 0.0, 1.0]],
            forces: &[[0.0, 0.5, 9.0]],
        }),
    };
    let read = Read::of(&Scene::of_robot(&robot).with_recording(&recorded));
    let recording = &read.text["recording"];
    assert_eq!(read.f64s(&recording["times"]), times);
    assert_eq!(read.f64s(&recording["q"]), q);
    assert_eq!(read.f64s(&recording["v"]), v);
    assert!(recording["tau"].is_null());
    assert_eq!(recording["file"], "run.csv");
    let numbers = read.f64s(&recording["contacts"]["numbers"]);
    assert_eq!(numbers, [1.0, 2.0, 3.0, 0.0, 0.0, 1.0, 0.0, 0.5, 9.0]);
    assert_eq!(recording["contacts"]["counts"]["count"], 2);
}

#[test]
fn every_embedded_robot_has_a_scene() {
    for name in featherline_robots::names() {
        let robot = featherline_robots::load(name, &LoadOptions::new()).expect("it is embedded");
        let read = Read::of(&Scene::of_robot(&robot));
        let joints = robot.model.joints().len() as u64;
        let links = read.text["links"].as_array().expect("links");
        assert!(
            links
                .iter()
                .all(|it| it["joint"].as_u64().is_some_and(|it| it < joints))
        );
        // Every joint carries a link, but those that only divide motion.
        let carried = |joint: u64| links.iter().any(|it| it["joint"] == joint);
        assert!(carried(joints - 1), "{name}");
        assert_eq!(
            read.text["loops"].as_array().map(Vec::len),
            Some(robot.model.loop_joints().len())
        );
    }
}

#[test]
fn the_page_has_the_scene_inside() {
    use base64::Engine;
    use std::io::Read as _;
    let robot = load_str(ARM).expect("a robot");
    let scene = Scene::of_robot(&robot);
    let html = page::with_scene(&scene);
    let opening = "<script id=\"scene\" type=\"text/plain\">";
    let (_, after) = html.split_once(opening).expect("the element");
    let (text, _) = after.split_once("</script>").expect("its end");
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(text)
        .expect("base64");
    let mut scene_bytes = Vec::new();
    let mut decoder = flate2::read::GzDecoder::new(&bytes[..]);
    decoder.read_to_end(&mut scene_bytes).expect("gzip");
    assert_eq!(scene_bytes, scene.to_bytes());
    // Nothing else has changed.
    let element = format!("{opening}{text}</script>");
    assert_eq!(html.replacen(&element, "", 1), page::HTML);
}
