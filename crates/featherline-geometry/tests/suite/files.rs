//! Mesh files: one tetrahedron in every format, what each format has of its own, damaged files.

use crate::common::v;
use featherline::random::{RandomSource, SplitMix64};
use featherline_geometry::{
    Mesh, MeshErrorKind, MeshFormat, MeshInertia, MeshLimits, MeshOptions, Place, UpAxis,
};
use std::path::Path;

const CORNERS: [[f32; 3]; 4] = [[0., 0., 0.], [1., 0., 0.], [0., 2., 0.], [0., 0., 3.]];
const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

fn floats(numbers: impl IntoIterator<Item = f32>) -> Vec<u8> {
    numbers.into_iter().flat_map(f32::to_le_bytes).collect()
}

fn stl_binary() -> Vec<u8> {
    // Headers that begin like a text are common.
    let mut bytes = b"solid of some exporter".to_vec();
    bytes.resize(80, b' ');
    bytes.extend(4u32.to_le_bytes());
    for face in FACES {
        bytes.extend(floats([0.0; 3]));
        bytes.extend(floats(face.iter().flat_map(|&i| CORNERS[i as usize])));
        bytes.extend([0, 0]);
    }
    bytes
}

fn stl_text() -> Vec<u8> {
    let mut text = "solid tetrahedron\r\n".to_owned();
    for face in FACES {
        text += " facet normal 0 0 0\r\n  outer loop\r\n";
        for i in face {
            let [x, y, z] = CORNERS[i as usize];
            text += &format!("   vertex {x:e} {y} {z}\r\n");
        }
        text += "  endloop\r\n endfacet\r\n";
    }
    (text + "endsolid tetrahedron\r\n").into_bytes()
}

fn obj() -> Vec<u8> {
    "# a tetrahedron\no part\nv 0 0 0 1.0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nvn 0 0 1\n\
     f 1//1 3//1 2//1\nf 1/1 2/1 \\\n4/1\nf -3 -2 -1\nf 3 1 4 # last\n"
        .to_owned()
        .into_bytes()
}

fn msh() -> Vec<u8> {
    let counts = [4u32, 4, 4, 4];
    let mut bytes: Vec<u8> = counts.iter().flat_map(|n| n.to_le_bytes()).collect();
    bytes.extend(floats(CORNERS.iter().flatten().copied()));
    bytes.extend(floats([0.5; 12]));
    bytes.extend(floats([0.5; 8]));
    bytes.extend(FACES.iter().flatten().flat_map(|i| i.to_le_bytes()));
    bytes
}

/// In millimetres, y upwards, with a node that is rotated and moved back by its parent.
fn dae() -> Vec<u8> {
    r##"<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="millimeter" meter="0.001"/><up_axis>Y_UP</up_axis></asset>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="a" count="12">0 0 0 1000 0 0 0 2000 0 0 0 3000</float_array>
      <technique_common><accessor source="#a" count="4" stride="3"/></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="2"><input semantic="VERTEX" source="#v" offset="1"/>
      <input semantic="NORMAL" source="#n" offset="0"/><p>9 0 9 2 9 1 9 0 9 1 9 3</p></triangles>
    <polylist count="2"><input semantic="VERTEX" source="#v" offset="0"/>
      <vcount>3 3</vcount><p>1 2 3 2 0 3</p></polylist>
    <lines count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1</p></lines>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s">
    <node><translate>1000 0 0</translate><rotate>0 0 1 90</rotate>
      <node><matrix>0 1 0 0 -1 0 0 1000 0 0 1 0 0 0 0 1</matrix><instance_geometry url="#g"/></node>
    </node></visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>"##
        .as_bytes()
        .to_vec()
}

/// A document whose buffer is `uri`, with a node of half scale inside one of twice the scale.
fn gltf_text(uri: &str) -> String {
    let uri = match uri {
        "" => String::new(),
        uri => format!(r#","uri":"{uri}""#),
    };
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[1]}}],
"nodes":[{{"mesh":0,"scale":[0.5,0.5,0.5],"rotation":[0,0,-0.7071067811865476,0.7071067811865476]}},
{{"children":[0],"matrix":[0,2,0,0,-2,0,0,0,0,0,2,0,0,0,0,1]}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}},
{{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}}],
"bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":24}}],
"buffers":[{{"byteLength":72{uri}}}]}}"#
    )
}

fn gltf_buffer() -> Vec<u8> {
    let mut bytes = floats(CORNERS.iter().flatten().copied());
    bytes.extend(
        FACES
            .iter()
            .flatten()
            .flat_map(|&i| (i as u16).to_le_bytes()),
    );
    bytes
}

/// Base64 by its definition: six bits a letter.
fn base64(bytes: &[u8]) -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    assert_eq!(bytes.len() % 3, 0);
    let groups = bytes
        .chunks(3)
        .map(|b| u32::from_be_bytes([0, b[0], b[1], b[2]]));
    let six = |n: u32, shift: u32| char::from(letters[(n >> shift & 63) as usize]);
    groups
        .flat_map(|n| [18, 12, 6, 0].map(|shift| six(n, shift)))
        .collect()
}

fn gltf() -> Vec<u8> {
    let uri = format!(
        "data:application/octet-stream;base64,{}",
        base64(&gltf_buffer())
    );
    gltf_text(&uri).into_bytes()
}

fn glb() -> Vec<u8> {
    let mut json = gltf_text("").into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let binary = gltf_buffer();
    let mut bytes = b"glTF".to_vec();
    let length = 12 + 8 + json.len() + 8 + binary.len();
    bytes.extend([2, length as u32].iter().flat_map(|n| n.to_le_bytes()));
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes.extend((binary.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(binary);
    bytes
}

fn samples() -> Vec<(MeshFormat, Vec<u8>)> {
    vec![
        (MeshFormat::Stl, stl_binary()),
        (MeshFormat::Stl, stl_text()),
        (MeshFormat::Obj, obj()),
        (MeshFormat::Msh, msh()),
        (MeshFormat::Collada, dae()),
        (MeshFormat::Gltf, gltf()),
        (MeshFormat::Gltf, glb()),
    ]
}

/// V = a b c/6 = 1 and the centre at a quarter of each edge.
#[test]
fn every_format_gives_the_same_tetrahedron() {
    for (format, bytes) in samples() {
        let mesh = Mesh::from_bytes(format, &bytes).unwrap();
        assert_eq!(mesh.vertices().len(), 4, "{format:?}");
        assert!(mesh.topology().is_watertight(), "{format:?}");
        let solid = mesh.mass_properties(MeshInertia::Exact).unwrap();
        assert!((solid.measure() - 1.0).abs() < 1e-15, "{format:?}");
        let off = solid.center() - v(0.25, 0.5, 0.75);
        assert!(off.norm() < 1e-15, "{format:?}: {off:?}");
        let detected = MeshFormat::detect(&bytes, Some("obj"));
        assert_eq!(detected, Some(format));
    }
}

#[test]
fn scale_reflects_and_the_upward_axis_is_rotated_on_request() {
    for (format, bytes) in samples() {
        let mut options = MeshOptions::default();
        options.scale = v(-2.0, 1.0, 1.0);
        options.up_axis = UpAxis::Z;
        let mesh = options.from_bytes(format, &bytes).unwrap();
        let solid = mesh.mass_properties(MeshInertia::Exact).unwrap();
        assert!((solid.measure() - 2.0).abs() < 1e-14, "{format:?}");
        // From y upwards to z upwards: (x, y, z) becomes (x, −z, y).
        let center = match format {
            MeshFormat::Collada | MeshFormat::Gltf => v(-0.5, -0.75, 0.5),
            MeshFormat::Stl | MeshFormat::Obj | MeshFormat::Msh => v(-0.5, 0.5, 0.75),
        };
        assert!((solid.center() - center).norm() < 1e-14, "{format:?}");
    }
}

#[test]
fn reflecting_nodes_flip_their_faces() {
    let text = String::from_utf8(dae()).unwrap();
    let mirrored = text.replace("<rotate>0 0 1 90</rotate>", "<scale>-1 1 1</scale>");
    let mesh = Mesh::from_bytes(MeshFormat::Collada, mirrored.as_bytes()).unwrap();
    let solid = mesh.mass_properties(MeshInertia::Exact).unwrap();
    assert!((solid.measure() - 1.0).abs() < 1e-14);
}

#[test]
fn points_of_an_msh_file_stand_for_their_hull() {
    let mut bytes = msh();
    bytes[12] = 0;
    bytes.truncate(bytes.len() - 48);
    let mesh = Mesh::from_bytes(MeshFormat::Msh, &bytes).unwrap();
    let volume = mesh.mass_properties(MeshInertia::Exact).unwrap().measure();
    assert!((volume - 1.0).abs() < 1e-15);
}

#[test]
fn concave_polygons_keep_their_surface() {
    // An arrow head: the fan from its first corner would be folded over.
    let text = b"v 2 0 0\nv 0 1 0\nv 0.5 0 0\nv 0 -1 0\nf 1 2 3 4\nf 2 3 4 1\n";
    let mesh = Mesh::from_bytes(MeshFormat::Obj, text).unwrap();
    assert!((mesh.surface() - 3.0).abs() < 1e-15);
}

/// Cut anywhere, or with bytes changed anywhere, a file gives a mesh or an error: no panic, no NaN.
#[test]
fn damaged_files_give_an_error_or_a_mesh() {
    let mut random = SplitMix64::new(7);
    let mut below = |n: usize| (random.uniform() * n as f64) as usize;
    let (mut meshes, mut errors) = (0, 0);
    let mut read = |format, bytes: &[u8]| {
        let _ = MeshFormat::detect(bytes, None);
        match Mesh::from_bytes(format, bytes) {
            Ok(mesh) => {
                assert!(mesh.vertices().iter().all(|vertex| vertex.is_finite()));
                let _ = mesh.mass_properties(MeshInertia::Exact);
                let _ = mesh.mass_properties(MeshInertia::Convex);
                meshes += 1;
            }
            Err(error) => {
                assert!(error.to_string().len() < 300, "{error}");
                errors += 1;
            }
        }
    };
    for (format, sample) in samples() {
        for length in 0..sample.len() {
            read(format, &sample[..length]);
        }
        for _ in 0..3000 {
            let mut bytes = sample.clone();
            for _ in 0..1 + below(3) {
                let at = below(bytes.len());
                match below(4) {
                    0 => bytes[at] = below(256) as u8,
                    1 => bytes[at] ^= 1 << below(8),
                    2 => bytes[at] = b"0-9<>\"/{}[],.e "[below(15)],
                    _ => drop(bytes.remove(at)),
                }
            }
            // As itself, and as every other format.
            read(format, &bytes);
            if below(20) == 0 {
                samples().iter().for_each(|(other, _)| read(*other, &bytes));
            }
        }
    }
    assert!(meshes > 1000 && errors > 1000, "{meshes} {errors}");
}

fn refused(format: MeshFormat, bytes: &[u8]) -> (Place, MeshErrorKind) {
    let error = Mesh::from_bytes(format, bytes).unwrap_err();
    (error.place, error.kind)
}

#[test]
fn errors_are_located() {
    let obj = |text: &str| refused(MeshFormat::Obj, text.as_bytes());
    let at = |line| Place::Line(line);
    let bad = obj("v 0 0 0\nv 0 x 0\n");
    assert!(matches!(bad, (place, MeshErrorKind::BadNumber { .. }) if place == at(2)));
    let index = obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n");
    let kind = MeshErrorKind::BadIndex {
        what: "vertex",
        index: 4,
        count: 3,
    };
    assert_eq!(format!("{index:?}"), format!("{:?}", (at(4), kind)));
    assert!(matches!(
        obj("v 1 2 3\n"),
        (Place::File, MeshErrorKind::NoHull(_))
    ));
    assert!(matches!(
        obj("v 1 2 inf"),
        (_, MeshErrorKind::BadNumber { .. })
    ));

    let stl = refused(MeshFormat::Stl, b"solid\nfacet\nvertex 1 2\n");
    assert!(matches!(stl, (place, MeshErrorKind::Malformed(_)) if place == at(3)));
    let cut = refused(MeshFormat::Stl, &stl_binary()[..150]);
    assert!(matches!(
        cut,
        (Place::Byte(150), MeshErrorKind::Truncated { .. })
    ));

    let text = String::from_utf8(dae())
        .unwrap()
        .replace("url=\"#g\"", "url=\"#h\"");
    let line = 1 + text[..text.find("#h").unwrap()].matches('\n').count();
    let (place, kind) = refused(MeshFormat::Collada, text.as_bytes());
    assert!(
        matches!(place, Place::LineColumn(l, _) if l == line),
        "{place:?}"
    );
    assert!(matches!(kind, MeshErrorKind::Malformed(_)));

    let text = String::from_utf8(gltf()).unwrap();
    let cycle = text.replace("\"mesh\":0,", "\"mesh\":0,\"children\":[1],");
    let cycle = refused(MeshFormat::Gltf, cycle.as_bytes());
    assert!(matches!(cycle.1, MeshErrorKind::Malformed(what) if what.contains("two parents")));
}

#[test]
fn scenes_without_end_and_files_of_no_measure_are_refused() {
    // A node that places itself, and a tower of nodes that each place the next one twice.
    let tower: String = (0..40)
        .map(|i| {
            let next = format!("<instance_node url='#n{}'/>", i + 1);
            format!("<node id='n{i}'>{next}{next}</node>")
        })
        .collect();
    let scene = |nodes: &str| {
        let text = String::from_utf8(dae()).unwrap();
        let nodes = format!("<visual_scene id=\"s\"><instance_node url='#n0'/>{nodes}");
        text.replace("<visual_scene id=\"s\">", &nodes)
    };
    let itself = scene("<node id='n0'><instance_node url='#n0'/></node>");
    for text in [itself, scene(&(tower + "<node id='n40'/>"))] {
        let (_, kind) = refused(MeshFormat::Collada, text.as_bytes());
        assert!(matches!(kind, MeshErrorKind::TooMany { .. }), "{kind:?}");
    }
    let attributes: String = (0..1000).map(|i| format!(" a{i}='>'")).collect();
    let (_, kind) = refused(MeshFormat::Collada, format!("<a{attributes}/>").as_bytes());
    assert!(matches!(kind, MeshErrorKind::TooMany { .. }), "{kind:?}");

    // Counts of four thousand million, without the data.
    let mut bytes = stl_binary();
    bytes[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    let (_, kind) = refused(MeshFormat::Stl, &bytes);
    assert!(matches!(kind, MeshErrorKind::TooMany { .. }), "{kind:?}");
    let counted = gltf_text("").replace("\"count\":4,", "\"count\":4000000000000,");
    let (_, kind) = refused(MeshFormat::Gltf, counted.as_bytes());
    assert!(matches!(kind, MeshErrorKind::TooMany { .. }), "{kind:?}");

    let mut options = MeshOptions::default();
    for limits in [
        MeshLimits {
            bytes: 100,
            ..MeshLimits::default()
        },
        MeshLimits {
            vertices: 3,
            ..MeshLimits::default()
        },
        MeshLimits {
            faces: 3,
            ..MeshLimits::default()
        },
    ] {
        options.limits = limits;
        for (format, bytes) in samples() {
            let error = options.from_bytes(format, &bytes).unwrap_err();
            assert!(
                matches!(error.kind, MeshErrorKind::TooMany { .. }),
                "{error}"
            );
        }
    }
}

#[test]
fn files_are_read_by_their_content_and_name_their_companions() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("geometry");
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    // Of the wrong extension.
    assert!(Mesh::read(write("part.stl", &dae())).is_ok());
    write("a b.bin", &gltf_buffer());
    let beside = write("beside.gltf", gltf_text("a%20b.bin").as_bytes());
    assert!(Mesh::read(&beside).is_ok());
    for uri in [
        "../beside.bin",
        "/etc/passwd",
        "http://example.org/a.bin",
        "%2e%2e/a",
    ] {
        let text = gltf_text(uri);
        let error = Mesh::read(write("away.gltf", text.as_bytes())).unwrap_err();
        assert!(
            matches!(error.kind, MeshErrorKind::Unsupported { .. }),
            "{error}"
        );
        assert!(error.to_string().contains("away.gltf"));
    }
    let alone = refused(MeshFormat::Gltf, gltf_text("a.bin").as_bytes());
    assert!(matches!(alone.1, MeshErrorKind::Unsupported { .. }));
    let nothing = Mesh::read(folder.join("no such file.stl")).unwrap_err();
    assert!(matches!(nothing.kind, MeshErrorKind::Io(_)));
    let unknown = Mesh::read(write("text.txt", b"hello")).unwrap_err();
    assert!(matches!(unknown.kind, MeshErrorKind::UnknownFormat));
}
