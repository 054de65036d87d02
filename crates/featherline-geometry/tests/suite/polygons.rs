//! Polygons of files as triangles, vertices without faces, and what MuJoCo makes of them.

use crate::common::v;
use featherline::random::{RandomSource, SplitMix64};
use featherline::spatial::Vec3;
use featherline_geometry::{
    HullError, Mesh, MeshErrorKind, MeshFormat, MeshInertia, MeshOptions, convex_hull,
};
use std::fmt::Write;
use std::path::Path;

/// An OBJ text of vertices and faces, counted from zero.
fn obj(vertices: &[Vec3<f64>], faces: &[Vec<usize>]) -> String {
    let mut text = String::new();
    for [x, y, z] in vertices.iter().map(|it| it.to_array()) {
        writeln!(text, "v {x} {y} {z}").unwrap();
    }
    for face in faces {
        let corners: Vec<_> = face.iter().map(|k| (k + 1).to_string()).collect();
        writeln!(text, "f {}", corners.join(" ")).unwrap();
    }
    text
}

fn read(text: &str) -> Mesh {
    Mesh::from_bytes(MeshFormat::Obj, text.as_bytes()).unwrap()
}

/// The vertices and faces of a prism of height one over a floor.
fn prism(floor: &[[f64; 2]]) -> (Vec<Vec3<f64>>, Vec<Vec<usize>>) {
    let n = floor.len();
    let at = |z| floor.iter().map(move |&[x, y]| v(x, y, z));
    let vertices = at(0.0).chain(at(1.0)).collect();
    let mut faces = vec![(0..n).rev().collect(), (n..2 * n).collect()];
    faces.extend((0..n).map(|i| vec![i, (i + 1) % n, (i + 1) % n + n, i + n]));
    (vertices, faces)
}

/// A pentagon with a notch, of area 8.
const NOTCHED: [[f64; 2]; 5] = [[0., 0.], [4., 0.], [4., 3.], [2., 1.], [0., 3.]];
/// 2 · 8 and the sides 4, 3, √8, √8, 3.
const NOTCHED_SURFACE: f64 = 26.0 + 4.0 * std::f64::consts::SQRT_2;

#[test]
fn a_concave_prism_has_its_volume_and_its_surface() {
    for turned in 0..5 {
        let mut floor = NOTCHED;
        floor.rotate_left(turned);
        let (vertices, faces) = prism(&floor);
        let mesh = read(&obj(&vertices, &faces));
        assert_eq!(mesh.faces().len(), 3 + 3 + 10);
        assert!(mesh.topology().is_watertight());
        let volume = mesh.mass_properties(MeshInertia::Exact).unwrap().measure();
        assert!((volume - 8.0).abs() < 1e-13, "{volume}");
        // Folded triangles would lie outside of the notch's rim, and add to the surface.
        assert!((mesh.surface() - NOTCHED_SURFACE).abs() < 1e-13);
    }
}

/// The same prism as `<polylist>` and as `<polygons>`, in a node that mirrors it.
#[test]
fn collada_shares_the_triangles() {
    let (vertices, faces) = prism(&NOTCHED);
    let numbers: Vec<_> = vertices.iter().flat_map(|it| it.to_array()).collect();
    let numbers = format!("{numbers:?}").replace(['[', ']', ','], " ");
    let words = |face: &Vec<usize>| format!("{face:?}").replace(['[', ']', ','], " ");
    let counts: Vec<_> = faces.iter().map(|it| it.len().to_string()).collect();
    let all: String = faces.iter().map(words).collect();
    let each: String = faces
        .iter()
        .map(|it| format!("<p>{}</p>", words(it)))
        .collect();
    let input = "<input semantic='VERTEX' source='#v' offset='0'/>";
    for group in [
        format!(
            "<polylist>{input}<vcount>{}</vcount><p>{all}</p></polylist>",
            counts.join(" ")
        ),
        format!("<polygons>{input}{each}</polygons>"),
    ] {
        let text = format!(
            "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>
             <library_geometries><geometry id='g'><mesh><source id='p'>
             <float_array id='a' count='30'>{numbers}</float_array><technique_common>
             <accessor source='#a' count='10' stride='3'/></technique_common></source>
             <vertices id='v'><input semantic='POSITION' source='#p'/></vertices>{group}
             </mesh></geometry></library_geometries><library_visual_scenes>
             <visual_scene id='s'><node><scale>-1 1 1</scale><instance_geometry url='#g'/></node>
             </visual_scene></library_visual_scenes>
             <scene><instance_visual_scene url='#s'/></scene></COLLADA>"
        );
        let mesh = Mesh::from_bytes(MeshFormat::Collada, text.as_bytes()).unwrap();
        let volume = mesh.mass_properties(MeshInertia::Exact).unwrap().measure();
        assert!((volume - 8.0).abs() < 1e-13, "{group}: {volume}");
        assert!((mesh.surface() - NOTCHED_SURFACE).abs() < 1e-13);
    }
}

/// The area vector of a polygon, by its definition.
fn area(polygon: &[Vec3<f64>]) -> Vec3<f64> {
    let n = polygon.len();
    let sum = (0..n).fold(Vec3::zero(), |sum, k| {
        sum + polygon[k].cross(polygon[(k + 1) % n])
    });
    sum * 0.5
}

/// Triangles cover a simple polygon, and nothing twice, if the sum of their areas is its area.
#[track_caller]
fn assert_covered(polygon: &[Vec3<f64>]) {
    let mesh = read(&obj(polygon, &[(0..polygon.len()).collect()]));
    assert_eq!(mesh.faces().len(), polygon.len() - 2);
    let (area, surface) = (area(polygon).norm(), mesh.surface());
    assert!((surface / area - 1.0).abs() < 1e-12, "{surface} and {area}");
}

#[test]
fn simple_polygons_are_covered_in_any_plane() {
    let mut random = SplitMix64::new(57);
    for n in (5..60).chain([400]) {
        let mut number = || random.uniform();
        let (e, f) = (
            v(number() - 0.5, number() - 0.5, number() - 0.5),
            v(number() - 0.5, number() - 0.5, number() - 0.5),
        );
        // Seen from the centre, each corner is beyond the one before: no two edges cross.
        let star: Vec<_> = (0..n)
            .map(|k| {
                let angle = (k as f64 + 0.9 * number()) / n as f64 * std::f64::consts::TAU;
                let radius = 0.1 + number();
                e * (radius * angle.cos()) + f * (radius * angle.sin()) + v(3.0, -2.0, 1.0)
            })
            .collect();
        assert_covered(&star);
    }
    // A comb, and a spiral of one loop.
    let comb: Vec<_> = (0..50)
        .flat_map(|k| [[2.0, 0.0], [2.0, 5.0], [1.0, 5.0], [1.0, 0.0]].map(|[x, y]| (k, x, y)))
        .map(|(k, x, y)| v(f64::from(-2 * k) + x, y, 0.0))
        .chain([v(-99.0, -1.0, 0.0), v(2.0, -1.0, 0.0)])
        .collect();
    assert_covered(&comb);
    let around = |radius: f64, k: i32| {
        let (sin, cos) = (f64::from(k) * 0.3).sin_cos();
        v(0.0, radius * cos, radius * sin)
    };
    let out = (0..40).map(|k| around(1.0 + 0.1 * f64::from(k), k));
    let back = (0..40).rev().map(|k| around(0.7 + 0.1 * f64::from(k), k));
    assert_covered(&out.chain(back).collect::<Vec<_>>());
}

/// Exporters join the rims of holes to the outer one by edges that are there twice.
#[test]
fn holes_that_are_joined_to_the_rim_stay_open() {
    let hole = |x: f64, y: f64| {
        [[0., 0.], [0., 2.], [2., 2.], [2., 0.], [0., 0.]].map(|[dx, dy]| v(x + dx, y + dy, 0.0))
    };
    let mut polygon = vec![v(0.0, 0.0, 0.0)];
    polygon.extend(hole(1.0, 1.0));
    polygon.extend([v(0.0, 0.0, 0.0), v(10.0, 0.0, 0.0)]);
    polygon.extend([hole(6.0, 2.0)[3]]);
    polygon.extend(hole(6.0, 2.0)[0..4].iter().copied());
    polygon.extend([v(10.0, 0.0, 0.0), v(10.0, 10.0, 0.0), v(0.0, 10.0, 0.0)]);
    assert!((area(&polygon).norm() - 92.0).abs() < 1e-12);
    assert_covered(&polygon);
}

#[test]
fn corners_in_line_make_no_flat_triangle_where_none_is_needed() {
    // A square with the middles of its sides: eight corners.
    let square = [
        [0, 0],
        [1, 0],
        [2, 0],
        [2, 1],
        [2, 2],
        [1, 2],
        [0, 2],
        [0, 1],
    ];
    let square = square.map(|[x, y]| v(x.into(), y.into(), 0.0));
    let mesh = read(&obj(&square, &[(0..8).collect()]));
    assert_eq!(mesh.topology().degenerate_faces, 0);
    assert!((mesh.surface() - 4.0).abs() < 1e-15);
    // Polygons without area and crossed ones give triangles all the same.
    for corners in [[0, 1, 2, 1, 0, 1], [0, 4, 2, 6, 1, 5]] {
        assert_eq!(read(&obj(&square, &[corners.to_vec()])).faces().len(), 4);
    }
}

#[test]
fn quadrilaterals_are_cut_by_their_shape_and_not_by_their_first_corner() {
    // Between the second and the last: √2 < √(1.2² + 1 + 0.4²).
    let bent = [[0., 0., 0.], [1., 0., 0.], [1.2, 1., 0.4], [0., 1., 0.]];
    // Concave and bent: from the third corner, although the other diagonal is shorter.
    let arrow = [[5., 0., 0.], [0., 1., 0.2], [1., 0., 0.], [0., -1., 0.]];
    for (corners, cut) in [(bent, [1, 3]), (arrow, [0, 2])] {
        let corners = corners.map(|[x, y, z]| v(x, y, z));
        for turned in 0..4 {
            let face = (0..4).map(|k| (k + turned) % 4).collect();
            let mesh = read(&obj(&corners, &[face]));
            let shared = cut.map(|k| corners[k]);
            for triangle in mesh.triangles() {
                assert!(shared.iter().all(|it| triangle.contains(it)), "{turned}");
            }
        }
    }
}

#[test]
fn vertices_of_an_obj_file_without_faces_stand_for_their_hull() {
    let points: Vec<_> = (0..27)
        .map(|i| v(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9)))
        .collect();
    let mesh = read(&obj(&points, &[]));
    assert!(mesh.topology().is_watertight());
    assert!((mesh.surface() - 24.0).abs() < 1e-14);
    for how in [MeshInertia::Exact, MeshInertia::Legacy, MeshInertia::Convex] {
        let solid = mesh.mass_properties(how).unwrap();
        assert!((solid.measure() - 8.0).abs() < 1e-14);
        assert!((solid.center() - v(1.0, 1.0, 1.0)).norm() < 1e-14);
    }
    assert_eq!(
        mesh.surface(),
        convex_hull(&points).unwrap().merged().surface()
    );
    let mut options = MeshOptions::default();
    options.scale = v(-2.0, 1.0, 1.0);
    let scaled = options.from_bytes(MeshFormat::Obj, obj(&points, &[]).as_bytes());
    let solid = scaled.unwrap().mass_properties(MeshInertia::Exact).unwrap();
    assert!((solid.measure() - 16.0).abs() < 1e-13);
}

#[test]
fn vertices_without_a_hull_are_refused_with_the_remedy() {
    let refused = |text: &str| Mesh::from_bytes(MeshFormat::Obj, text.as_bytes()).unwrap_err();
    let flat = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n";
    for (text, error, remedy) in [
        (
            "v 0 0 0\nv 1 0 0\nv 0 1 0\n",
            HullError::TooFew { count: 3 },
            "it needs four",
        ),
        (flat, HullError::Coplanar, "use a thin box"),
    ] {
        let refused = refused(text);
        assert!(matches!(&refused.kind, MeshErrorKind::NoHull(it) if *it == error));
        let text = refused.to_string();
        assert!(text.contains(remedy) && text.contains("export the mesh with its triangles"));
    }
    // Lines are no cloud of points, and nothing is no mesh.
    for text in ["", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nl 1 2 3\nl 3 4\n"] {
        assert!(matches!(refused(text).kind, MeshErrorKind::NoFaces));
    }
}

/// The numbers are those of MuJoCo 4.0 for these files, at a density of one.
#[test]
fn triangles_that_mujoco_takes_are_told_where_they_are_others() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("polygons");
    std::fs::create_dir_all(&folder).unwrap();
    let both = |text: &str| {
        let path = folder.join("part.obj");
        std::fs::write(&path, text).unwrap();
        MeshOptions::default().read_with_mujoco(&path).unwrap()
    };
    let (vertices, faces) = prism(&NOTCHED);
    let (_, in_mujoco) = both(&obj(&vertices, &faces));
    let in_mujoco = in_mujoco.unwrap();
    assert_eq!(in_mujoco.faces().len(), 14);
    let volume = in_mujoco
        .mass_properties(MeshInertia::Legacy)
        .unwrap()
        .measure();
    assert!((volume - 7.495579145816849).abs() < 1e-12, "{volume}");
    assert!((in_mujoco.surface() - 26.656854249492383).abs() < 1e-12);
    // Where the origin is inside the pentagon, MuJoCo takes triangles that lie on each other.
    let away: Vec<_> = vertices.iter().map(|it| *it + v(-2.0, -1.0, 0.0)).collect();
    let in_mujoco = both(&obj(&away, &faces)).1.unwrap();
    assert_eq!(in_mujoco.faces().len(), 16);
    assert!((in_mujoco.surface() - 41.65685424949237).abs() < 1e-12);

    // Convex faces are cut alike; bent quadrilaterals of equal diagonals by their second corner.
    let (hexagon, faces) = prism(&[[0., 0.], [2., 0.], [3., 1.], [2., 2.], [0., 2.], [-1., 1.]]);
    assert_eq!(both(&obj(&hexagon, &faces)).1, None);
    let saddle = [[0., 0., 0.], [1., 0., 0.3], [1., 1., 0.], [0., 1., 0.3]];
    let saddle = saddle.map(|[x, y, z]| v(x, y, z));
    assert_eq!(
        both(&obj(&saddle, &[vec![0, 1, 2, 3], vec![1, 2, 3, 0]])).1,
        None
    );

    // The first object or group with faces alone; a bare `g` is none.
    let text = "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\ng b\nf 1 3 2\nf 1 2 4\n";
    for (separator, taken) in [("g c\n", Some(2)), ("o c\n", Some(2)), ("g\n", None)] {
        let (mesh, in_mujoco) = both(&format!("{text}{separator}f 2 3 4\nf 3 1 4\n"));
        assert_eq!(mesh.faces().len(), 4);
        assert_eq!(in_mujoco.map(|it| it.faces().len()), taken, "{separator}");
    }
}
