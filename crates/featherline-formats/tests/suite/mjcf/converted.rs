//! Mesh files that MuJoCo does not read, or not all of.

use featherline::spatial::{Se3, Vec3};
use featherline_formats::description::{Description, Form, Geometry, Link, MeshFile};
use featherline_formats::{WarningCause, Written, load_str, mjcf};
use featherline_geometry::{Aabb, Mesh, Shape};
use std::path::{Path, PathBuf};

/// A folder for a test, which is removed with this.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("featherline-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A tetrahedron with corners at 0 and 1, 2, 3 m along the axes, in millimetres.
const COLLADA: &str = r##"<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="millimeter" meter="0.001"/><up_axis>Z_UP</up_axis></asset>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="a" count="12">0 0 0 1000 0 0 0 2000 0 0 0 3000</float_array>
      <technique_common><accessor source="#a" count="4" stride="3"/></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
      <p>0 2 1 0 1 3 1 2 3 2 0 3</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node></visual_scene>
  </library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>"##;

/// The same as OBJ, one face an object.
const OBJECTS: &str =
    "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\no a\nf 1 3 2\n o b\nf 1 2 4\nf 2 3 4\ng c\nf 3 1 4\n";

/// The same as STL in ASCII.
fn ascii() -> String {
    let corners = ["0 0 0", "1 0 0", "0 2 0", "0 0 3"];
    let facet = |face: [usize; 3]| {
        let corners = face.map(|it| format!("vertex {}\n", corners[it]));
        let loops = format!("outer loop\n{}endloop\n", corners.concat());
        format!("facet normal 0 0 0\n{loops}endfacet\n")
    };
    let facets = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]].map(facet);
    format!("solid a\n{}endsolid a\n", facets.concat())
}

/// A robot of one link with shapes of mesh files, each of a scale.
fn robot(files: &[(&Path, f64)]) -> Description {
    let mut robot = Description::new("arm");
    let link = robot.add_link(Link::new("arm"));
    for (path, scale) in files {
        let mut file = MeshFile::new(path.to_str().unwrap(), Some(path.to_path_buf()));
        file.scale = Vec3::new(*scale, *scale, *scale);
        let shape = Geometry::new(link, Se3::identity(), Form::Mesh(file));
        robot.geometry.push(shape);
    }
    robot
}

fn converted(written: &Written) -> Vec<(String, usize)> {
    let causes = written.warnings.iter().map(|it| {
        if let WarningCause::MeshesConverted { first, count, .. } = &it.cause {
            (first.clone(), *count)
        } else {
            panic!("{}", it.cause)
        }
    });
    causes.collect()
}

const CORNER: [f64; 3] = [1.0, 2.0, 3.0];

#[track_caller]
fn assert_tetrahedron(mesh: &Mesh) {
    let Some(Aabb { min, max, .. }) = mesh.aabb() else {
        panic!("no vertices");
    };
    assert_eq!(mesh.faces().len(), 4);
    assert_eq!((min.to_array(), max.to_array()), ([0.0; 3], CORNER));
    assert!(mesh.topology().is_watertight());
}

#[test]
fn a_collada_file_is_written_once_as_obj_beside_the_robot() {
    let folder = Folder::new("collada");
    let dae = folder.0.join("Part.dae");
    std::fs::write(&dae, COLLADA).unwrap();
    let robot = robot(&[(&dae, 1.0), (&dae, 1.0), (&dae, 0.5)]);
    let written = mjcf::to_files(&robot, folder.0.join("arm.xml")).unwrap();
    assert_eq!(converted(&written), [(dae.to_str().unwrap().to_owned(), 1)]);
    let [file] = &written.files[..] else {
        panic!("{:?}", written.files);
    };
    assert_eq!(file.path, Path::new("arm_meshes/part.obj"));
    written.write_files(&folder.0).unwrap();
    assert_tetrahedron(&Mesh::read(folder.0.join(&file.path)).unwrap());
    // One asset a scale, and one geom a shape.
    let assets = [
        r#"<mesh name="Part" file="arm_meshes/part.obj"/>"#,
        r#"<mesh name="Part_" file="arm_meshes/part.obj" scale="0.5 0.5 0.5"/>"#,
    ];
    for asset in assets {
        assert!(written.text.contains(asset), "{}", written.text);
    }
    assert_eq!(written.text.matches("<mesh ").count(), 2);
    assert_eq!(written.text.matches("<geom ").count(), 3);
}

#[test]
fn a_text_alone_has_the_triangles_in_it() {
    let folder = Folder::new("inline");
    let dae = folder.0.join("part.dae");
    std::fs::write(&dae, COLLADA).unwrap();
    let written = mjcf::to_string(&robot(&[(&dae, 2.0), (&dae, 2.0)])).unwrap();
    assert!(written.files.is_empty());
    assert_eq!(converted(&written).len(), 1);
    assert_eq!(
        written.text.matches("<mesh ").count(),
        1,
        "{}",
        written.text
    );
    let again = load_str(&written.text).unwrap().description;
    assert_eq!(again.geometry.len(), 2);
    let Form::Shape(Shape::Mesh(mesh)) = &again.geometry[1].form else {
        panic!("{:?}", again.geometry[1].form);
    };
    let half = Vec3::new(0.5, 0.5, 0.5);
    assert_tetrahedron(&Mesh::clone(mesh).scaled(half).unwrap());
}

/// MuJoCo 4.0 reads the first object of an OBJ file alone, and no STL in ASCII.
#[test]
fn files_that_mujoco_does_not_read_in_full_are_written_anew() {
    let folder = Folder::new("in-full");
    for (name, text, is_kept) in [
        ("objects.obj", OBJECTS.to_owned(), false),
        ("ascii.stl", ascii(), false),
        // Names of objects without faces, and a single one with them.
        (
            "one.obj",
            "o a\n".to_owned() + &OBJECTS.replace("o b\n", "").replace("g c\n", ""),
            true,
        ),
    ] {
        let path = folder.0.join(name);
        std::fs::write(&path, text).unwrap();
        let written = mjcf::to_files(&robot(&[(&path, 1.0)]), folder.0.join("arm.xml")).unwrap();
        assert_eq!(converted(&written).is_empty(), is_kept, "{name}");
        let named = format!("file=\"{name}\"");
        assert_eq!(written.text.contains(&named), is_kept, "{}", written.text);
        assert_eq!(written.files.is_empty(), is_kept, "{name}");
        if let Some(file) = written.files.first() {
            written.write_files(&folder.0).unwrap();
            assert_tetrahedron(&Mesh::read(folder.0.join(&file.path)).unwrap());
        }
    }
}

#[test]
fn files_of_one_name_get_two_and_files_of_others_stay() {
    let folder = Folder::new("others");
    let (a, b) = (folder.0.join("a/part.dae"), folder.0.join("b/PART.dae"));
    for path in [&a, &b] {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, COLLADA).unwrap();
    }
    let robot = robot(&[(&a, 1.0), (&b, 1.0)]);
    let written = mjcf::to_files(&robot, folder.0.join("arm.xml")).unwrap();
    let paths: Vec<&Path> = written.files.iter().map(|it| it.path.as_path()).collect();
    let names = ["arm_meshes/part.obj", "arm_meshes/part_.obj"];
    assert_eq!(paths, names.map(Path::new));
    assert_eq!(converted(&written)[0].1, 2);
    // Its own files are replaced.
    written.write_files(&folder.0).unwrap();
    written.write_files(&folder.0).unwrap();
    let [first, second] = names.map(|it| folder.0.join(it));
    std::fs::write(&second, "v 0 0 0\n").unwrap();
    std::fs::remove_file(&first).unwrap();
    let error = written.write_files(&folder.0).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
    assert!(
        error.to_string().contains("part_.obj is there already"),
        "{error}"
    );
    // None is written where one can't be.
    assert_eq!(std::fs::read_to_string(&second).unwrap(), "v 0 0 0\n");
    assert!(!first.exists());
}

#[test]
fn a_file_that_is_no_mesh_is_a_loss() {
    let folder = Folder::new("no-mesh");
    let dae = folder.0.join("part.dae");
    std::fs::write(&dae, "<COLLADA/>").unwrap();
    let written = mjcf::to_files(&robot(&[(&dae, 1.0)]), folder.0.join("arm.xml")).unwrap();
    let [warning] = &written.warnings[..] else {
        panic!("{:?}", written.warnings);
    };
    let message = warning.to_string();
    assert!(
        message.contains("which can't be read (") && message.contains("is not in the file"),
        "{message}"
    );
    assert!(!written.text.contains("<geom"), "{}", written.text);
}
