//! Mesh files of MJCF: faces of four corners or more, groups, and vertices without faces. The
//! numbers of MuJoCo are those of version 4.0 for these files.

use super::includes::Folder;
use featherline_formats::{Robot, Severity, WarningCause};

/// A prism over a pentagon with a notch: volume 8, surface 26 + 4 √2.
const NOTCHED: &str = "v 0 0 0\nv 4 0 0\nv 4 3 0\nv 2 1 0\nv 0 3 0\nv 0 0 1\nv 4 0 1\nv 4 3 1\nv 2 1 1\nv 0 3 1\n\
    f 5 4 3 2 1\nf 6 7 8 9 10\nf 1 2 7 6\nf 2 3 8 7\nf 3 4 9 8\nf 4 5 10 9\nf 5 1 6 10\n";
/// A pyramid over a quadrilateral that is not flat.
const BENT: &str = "v 0 0 0\nv 1 0 0\nv 1.2 1 0.4\nv 0 1 0\nv 0.5 0.5 -2\n\
    f 1 2 3 4\nf 2 1 5\nf 3 2 5\nf 4 3 5\nf 1 4 5\n";
/// The corners of a cube of side 1, and of another one 3 m away.
const CORNERS: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n";
const OTHERS: &str = "v 3 0 0\nv 4 0 0\nv 3 1 0\nv 4 1 0\nv 3 0 1\nv 4 0 1\nv 3 1 1\nv 4 1 1\n";

/// The faces of a cube whose first corner has an index.
fn cube(first: usize) -> String {
    let faces = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let face =
        |face: [usize; 4]| format!("f {}\n", face.map(|k| (first + k).to_string()).join(" "));
    faces.map(face).concat()
}

/// A robot with a shape of a mesh file.
fn load(name: &str, obj: &str, asset: &str, geom: &str) -> Robot {
    let main = format!(
        "<mujoco><asset><mesh name='m' file='m.obj' {asset}/></asset><worldbody><body name='b'><freejoint/>
         <geom type='mesh' mesh='m' {geom}/></body></worldbody></mujoco>"
    );
    let folder = Folder::new(
        &format!("mesh-{name}"),
        &[("main.xml", &main), ("m.obj", obj)],
    );
    folder.load().unwrap()
}

/// The masses here and in MuJoCo, and the triangles taken, by the one warning.
#[track_caller]
fn other(robot: &Robot) -> (f64, Option<f64>, usize, usize) {
    let [warning] = &robot.warnings[..] else {
        panic!("{:?}", robot.warnings);
    };
    assert_eq!(warning.severity(), Severity::Warning);
    let WarningCause::OtherInMujoco {
        mesh,
        mass,
        in_mujoco,
        triangles,
        taken,
    } = &warning.cause
    else {
        panic!("{warning}");
    };
    assert_eq!(mesh, "m");
    assert!(warning.to_string().contains("main.xml:1:"), "{warning}");
    (*mass, *in_mujoco, *taken, *triangles)
}

fn assert_near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9 * b, "{a} and {b}");
}

#[test]
fn concave_faces_have_their_true_inertia_and_a_warning_where_that_of_mujoco_is_another() {
    let shell = load("shell", NOTCHED, "inertia='shell'", "density='1'");
    let (mass, in_mujoco, taken, triangles) = other(&shell);
    assert_near(mass, 26.0 + 4.0 * 2f64.sqrt());
    assert_near(in_mujoco.unwrap(), 26.656854249492383);
    assert_eq!((taken, triangles), (14, 16));
    assert_near(shell.model.total_mass(), mass);
    let text = shell.warnings[0].to_string();
    for part in [
        "`m`",
        "31.6569 kg",
        "26.6569 kg",
        "14 of the 16 triangles",
        "state the inertia",
    ] {
        assert!(text.contains(part), "{text}");
    }

    let legacy = load("legacy", NOTCHED, "", "density='1'");
    let (_, in_mujoco, ..) = other(&legacy);
    assert_near(in_mujoco.unwrap(), 7.495579145816849);

    // The triangles that it takes are open, so that they have no volume.
    let exact = load("exact", NOTCHED, "inertia='exact'", "density='1'");
    let (mass, in_mujoco, ..) = other(&exact);
    assert_near(mass, 8.0);
    assert_eq!(in_mujoco, None);
    assert!(
        exact.warnings[0]
            .to_string()
            .contains("another mass in MuJoCo")
    );

    // A mass that is stated leaves the moments, and one mesh is one warning.
    let geom = "mass='2'/><geom type='mesh' mesh='m' mass='3'";
    let stated = load("stated", NOTCHED, "inertia='shell'", geom);
    let (mass, in_mujoco, ..) = other(&stated);
    assert_eq!((mass, in_mujoco), (2.0, Some(2.0)));
    assert!(
        stated.warnings[0]
            .to_string()
            .contains("other moments of inertia in MuJoCo")
    );
}

#[test]
fn groups_after_the_first_have_mass_and_a_warning() {
    let text = format!("{CORNERS}{OTHERS}o a\n{}o b\n{}", cube(1), cube(9));
    let robot = load("groups", &text, "inertia='exact'", "density='1'");
    let (mass, in_mujoco, taken, triangles) = other(&robot);
    assert_near(mass, 2.0);
    assert_near(in_mujoco.unwrap(), 1.0);
    assert_eq!((taken, triangles), (12, 24));
}

#[test]
fn files_that_mujoco_reads_alike_have_no_warning() {
    let exact = "inertia='exact'";
    let bent_surface = load("bent", BENT, "inertia='shell'", "density='1'");
    assert!(bent_surface.warnings.is_empty());
    assert_near(bent_surface.model.total_mass(), 5.707338983652366);
    for (name, obj, asset, body, mass) in [
        (
            "cube",
            CORNERS.to_owned() + &cube(1),
            exact,
            "density='1'",
            1.0,
        ),
        // The hull is that of all vertices in both.
        (
            "hull",
            NOTCHED.to_owned(),
            "inertia='convex'",
            "density='1'",
            12.0,
        ),
        // Vertices without faces are their hull.
        ("points", CORNERS.to_owned(), "", "density='1'", 1.0),
        (
            "points-exact",
            CORNERS.to_owned() + "v 0.5 0.5 0.5\n",
            exact,
            "density='1'",
            1.0,
        ),
        (
            "points-shell",
            CORNERS.to_owned(),
            "inertia='shell'",
            "density='1'",
            6.0,
        ),
        // The mesh is not opened.
        (
            "stated-inertia",
            NOTCHED.to_owned(),
            exact,
            "/><inertial pos='0 0 0' mass='5' diaginertia='1 1 1'",
            5.0,
        ),
    ] {
        let robot = load(name, &obj, asset, body);
        assert!(robot.warnings.is_empty(), "{name}: {}", robot.warnings[0]);
        assert_near(robot.model.total_mass(), mass);
    }
}
