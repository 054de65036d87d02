//! Integrals over meshes, how meshes hang together, and what is refused.

use crate::common::{box_mesh, difference, v};
use featherline::spatial::{Inertia, Mat3, Se3, Sym3, Vec3, exp3};
use featherline_geometry::{
    HullError, InvalidMesh, MassError, Mesh, MeshInertia, Topology, convex_hull,
};
use proptest::prelude::*;

/// An L-shaped prism: not convex.
fn l_shape() -> Mesh {
    let outline = [(0., 0.), (3., 0.), (3., 1.), (1., 1.), (1., 2.), (0., 2.)];
    let level =
        |z: f64| outline.map(|(x, y): (f64, f64)| v(0.1 * x + 0.2, 0.1 * y - 0.1, 0.15 * z + 0.05));
    let vertices = [level(0.0), level(1.0)].concat();
    let mut faces = Vec::new();
    for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        faces.push([a, c, b]);
        faces.push([a + 6, b + 6, c + 6]);
    }
    for i in 0..6 {
        let j = (i + 1) % 6;
        faces.push([i, j, j + 6]);
        faces.push([i, j + 6, i + 6]);
    }
    Mesh::new(vertices, faces).unwrap()
}

fn solid(mesh: &Mesh) -> Inertia<f64> {
    mesh.mass_properties(MeshInertia::Exact).unwrap().unit
}

#[test]
fn a_box_of_triangles_has_the_inertia_of_a_box_by_the_parallel_axis_theorem() {
    let (min, max) = (v(1.0, -2.0, 3.0), v(1.5, -1.2, 3.3));
    let mesh = box_mesh(min, max);
    let sides = max - min;
    let centred = Inertia::cuboid(sides.x * sides.y * sides.z, sides);
    let shift = Se3::from_translation((min + max) * 0.5);
    for how in [MeshInertia::Exact, MeshInertia::Convex, MeshInertia::Legacy] {
        let ours = mesh.mass_properties(how).unwrap().unit;
        // Cancellation of coordinates of 3 m against sides of 0.3 m costs a digit.
        assert!(difference(&ours, &centred.transformed_by(&shift)) < 1e-14);
    }
}

/// A tetrahedron with corners at the origin and at a, b, c on the axes: V = a b c/6, the centre at
/// a quarter, and ∫ x² dV = V a²/10, ∫ x y dV = V a b/20.
#[test]
fn a_tetrahedron_has_its_closed_form() {
    let (a, b, c) = (0.5, 0.7, 1.1);
    let vertices = vec![v(0., 0., 0.), v(a, 0., 0.), v(0., b, 0.), v(0., 0., c)];
    let faces = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let ours = solid(&Mesh::new(vertices, faces).unwrap());
    let volume = a * b * c / 6.0;
    // Σ about the centre: V (a²/10 − a²/16), V (a b/20 − a b/16).
    let square = |x: f64| volume * x * x * (1.0 / 10.0 - 1.0 / 16.0);
    let product = |x: f64, y: f64| volume * x * y * (1.0 / 20.0 - 1.0 / 16.0);
    let (xx, yy, zz) = (square(a), square(b), square(c));
    let moments = Sym3::new(
        yy + zz,
        -product(a, b),
        -product(a, c),
        zz + xx,
        -product(b, c),
        xx + yy,
    );
    let theirs = Inertia::new(volume, v(a, b, c) * 0.25, moments);
    assert!(difference(&ours, &theirs) < 1e-15);
}

/// MuJoCo 4.0.0 (`body_mass`, `body_ipos`, and `body_inertia` rotated by `body_iquat`, density
/// 1000, the vertices given in MJCF) and trimesh 5.2.0 (`volume`, `center_mass`,
/// `moment_inertia`) on the same vertices and faces. MuJoCo keeps vertices as floats of 32 bits.
#[test]
fn every_way_to_an_inertia_agrees_with_mujoco() {
    let inertia = |mass, [x, y, z]: [f64; 3], [xx, xy, yy, zz]: [f64; 4]| {
        Inertia::new(mass, v(x, y, z), Sym3::new(xx, xy, 0.0, yy, 0.0, zz))
    };
    let mujoco = [
        (
            MeshInertia::Exact,
            inertia(
                6.000000268220906,
                [
                    0.32500000111758715,
                    -0.024999998509883874,
                    0.12500000186264515,
                ],
                [
                    0.0275000026077035,
                    0.011250000558793584,
                    0.057500000931323035,
                    0.06250000186264566,
                ],
            ),
        ),
        (
            MeshInertia::Legacy,
            inertia(
                6.241932624702492,
                [
                    0.32419324684807316,
                    -0.02243305194794421,
                    0.12500000186264515,
                ],
                [
                    0.02869426369361338,
                    0.011516801814964733,
                    0.05786104359167425,
                    0.06351095779060038,
                ],
            ),
        ),
        (
            MeshInertia::Convex,
            inertia(
                7.500000223517419,
                [
                    0.3333333353201548,
                    -0.013333332737286872,
                    0.12500000186264515,
                ],
                [
                    0.03522916907444635,
                    0.009166666778425436,
                    0.06572916775321026,
                    0.0728333351512757,
                ],
            ),
        ),
        (
            MeshInertia::Shell,
            inertia(
                230.00000461936006,
                [
                    0.328260871491946,
                    -0.021739129350293547,
                    0.12500000186264512,
                ],
                [
                    1.6892211261278312,
                    0.5086956594174575,
                    3.0142210365751,
                    3.240942083913027,
                ],
            ),
        ),
    ];
    let mesh = l_shape();
    for (how, theirs) in mujoco {
        let ours = mesh.mass_properties(how).unwrap().with_density(1000.0);
        let off = difference(&ours, &theirs);
        assert!(off < 1e-6, "{how:?}: {off:e}\n{ours:?}\n{theirs:?}");
    }
    let trimesh = inertia(
        0.006,
        [0.325, -0.025, 0.125],
        [2.75e-5, 1.125e-5, 5.75e-5, 6.25e-5],
    );
    assert!(difference(&solid(&mesh), &trimesh) < 1e-14);
    assert!((mesh.surface() - 0.23).abs() < 1e-15);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Inertias of a placed mesh are the placed inertias; those of its reflection the reflected.
    #[test]
    fn inertias_move_with_the_mesh(
        w in proptest::array::uniform3(-3.0..3.0),
        p in proptest::array::uniform3(-5.0..5.0),
    ) {
        let mesh = l_shape();
        let placement = Se3::new(exp3(v(w[0], w[1], w[2])), v(p[0], p[1], p[2]));
        let placed = mesh.clone().transformed_by(&placement).unwrap();
        for how in [MeshInertia::Exact, MeshInertia::Legacy, MeshInertia::Convex, MeshInertia::Shell] {
            let inertia = |mesh: &Mesh| mesh.mass_properties(how).unwrap().unit;
            let theirs = inertia(&mesh).transformed_by(&placement);
            // Coordinates of 5 m round a body of 0.3 m by 2e-15, squares and cubes by some times
            // more.
            prop_assert!(difference(&inertia(&placed), &theirs) < 1e-12);
            let reflected = mesh.clone().scaled(v(-1.0, 1.0, 1.0)).unwrap();
            let mirror = Mat3::from_rows([[-1., 0., 0.], [0., 1., 0.], [0., 0., 1.]]);
            let ours = inertia(&reflected);
            let straight = inertia(&mesh);
            let com = v(-straight.com.x, straight.com.y, straight.com.z);
            let rotational = straight.rotational.conjugated_by(&mirror);
            prop_assert!(difference(&ours, &Inertia::new(straight.mass, com, rotational)) < 1e-14);
        }
    }

    /// No point is outside of its hull; the hull of a hull is the hull.
    #[test]
    fn hulls_hold_all_points(
        points in proptest::collection::vec(proptest::array::uniform3(-4i32..5), 4..60),
        step in prop_oneof![Just(1.0), Just(0.1), Just(1e-120), Just(1e150)],
    ) {
        // Small integers: many points are coplanar, collinear or equal, and times 0.1 nearly so.
        let points: Vec<_> = points
            .iter()
            .map(|p| v(f64::from(p[0]), f64::from(p[1]), f64::from(p[2])) * step)
            .collect();
        if let Ok(hull) = convex_hull(&points) {
            prop_assert!(hull.topology().is_watertight());
            prop_assert_eq!(hull.topology().components, 1);
            // Euler: V − E + F = 2.
            prop_assert_eq!(hull.faces().len() + 4, 2 * hull.vertices().len());
            for [a, b, c] in hull.triangles() {
                let scale = 1.0 / step;
                let [a, b, c] = [a * scale, b * scale, c * scale];
                for p in &points {
                    let height = (b - a).cross(c - a).dot(*p * scale - a);
                    // Of this test's own rounding: products of three differences of 8.
                    prop_assert!(height <= 1e-12, "{}", height);
                }
            }
            let again = convex_hull(hull.vertices()).unwrap();
            if step == 1.0 {
                let volume = |mesh: &Mesh| solid(mesh).mass;
                prop_assert!((volume(&again) / volume(&hull) - 1.0).abs() < 1e-13);
            }
        }
    }
}

#[test]
fn the_hull_of_a_ball_has_all_its_points() {
    let mut points = Vec::new();
    for i in 0..2000 {
        // Fibonacci's spiral.
        let z = 1.0 - (2.0 * f64::from(i) + 1.0) / 2000.0;
        let (sin, cos) = (f64::from(i) * 2.399963229728653).sin_cos();
        let r = (1.0 - z * z).sqrt();
        points.push(v(r * cos, r * sin, z));
        points.push(v(r * cos, r * sin, z) * 0.5);
    }
    let hull = convex_hull(&points).unwrap();
    assert_eq!(hull.vertices().len(), 2000);
    // 4π/3, less the caps between the points: of the order of 10/n.
    let volume = solid(&hull).mass;
    assert!((4.16..4.18879).contains(&volume), "{volume}");
}

#[test]
fn points_without_a_hull_are_refused() {
    let line: Vec<_> = (0..9)
        .map(|i| v(1.0, 2.0, 3.0) * (0.1 * f64::from(i)))
        .collect();
    assert_eq!(convex_hull(&line[..3]), Err(HullError::TooFew { count: 3 }));
    assert_eq!(convex_hull(&[line[3]; 8]), Err(HullError::Coincident));
    let exact: Vec<_> = (0..9).map(|i| v(1.0, 2.0, 3.0) * f64::from(i)).collect();
    assert_eq!(convex_hull(&exact), Err(HullError::Collinear));
    let plane: Vec<_> = (0..9)
        .map(|i| v(f64::from(i), f64::from(i * i), 1.0))
        .collect();
    assert_eq!(convex_hull(&plane), Err(HullError::Coplanar));
    let bad = [
        v(0., 0., 0.),
        v(f64::NAN, 0., 0.),
        v(0., 1., 0.),
        v(0., 0., 1.),
    ];
    assert_eq!(convex_hull(&bad), Err(HullError::NotFinite { point: 1 }));
}

#[test]
fn what_is_wrong_with_a_mesh_is_reported() {
    let closed = l_shape();
    let topology = closed.topology();
    assert_eq!((topology.components, topology.is_watertight()), (1, true));
    assert_eq!(topology.to_string(), "watertight");
    let with = |change: &dyn Fn(&mut Vec<[u32; 3]>)| {
        let mut faces = closed.faces().to_vec();
        change(&mut faces);
        Mesh::new(closed.vertices().to_vec(), faces).unwrap()
    };

    let open = with(&|faces| faces.truncate(faces.len() - 1));
    let report = open.topology();
    assert_eq!(report.open_edges, 3);
    let refused = open.mass_properties(MeshInertia::Exact).unwrap_err();
    assert_eq!(refused, MassError::NotClosed(Box::new(report)));
    assert!(
        refused
            .to_string()
            .contains("3 open edges, the first between vertices")
    );

    let twisted = with(&|faces| faces[0].swap(1, 2)).topology();
    assert_eq!((twisted.inconsistent_edges, twisted.open_edges), (3, 0));
    assert!(!twisted.is_closed());

    let doubled = with(&|faces| faces.push([faces[0][1], faces[0][2], faces[0][0]])).topology();
    assert_eq!(
        (doubled.duplicate_faces, doubled.non_manifold_edges),
        (1, 3)
    );

    let flat = with(&|faces| faces.push([5, 5, 6])).topology();
    assert_eq!(flat.degenerate_faces, 1);
    assert!(flat.is_watertight());

    let inside_out = closed.clone().flipped().mass_properties(MeshInertia::Exact);
    assert!(matches!(inside_out, Err(MassError::InsideOut { volume }) if volume < 0.0));

    let there = Se3::from_translation(v(5.0, 0.0, 0.0));
    let far = closed.clone().transformed_by(&there).unwrap();
    let vertices = [closed.vertices(), far.vertices()].concat();
    let second = closed.faces().iter().map(|f| f.map(|i| i + 12));
    let faces = closed.faces().iter().copied().chain(second).collect();
    let two = Mesh::new(vertices, faces).unwrap();
    assert_eq!(two.topology().components, 2);
    let sum = solid(&closed) + solid(&far);
    assert!(difference(&solid(&two), &sum) < 1e-14);
}

#[test]
fn flat_and_empty_meshes_have_no_volume() {
    let corners = vec![v(0., 0., 0.), v(0.1, 0.3, 0.7), v(0.3, 0.9, 0.2)];
    let sheet = Mesh::new(corners, vec![[0, 1, 2], [0, 2, 1]]).unwrap();
    for how in [MeshInertia::Exact, MeshInertia::Legacy] {
        let refused = sheet.mass_properties(how);
        assert!(matches!(refused, Err(MassError::Empty { .. })), "{how:?}");
    }
    assert!(sheet.mass_properties(MeshInertia::Shell).is_ok());
    let hull = sheet.mass_properties(MeshInertia::Convex);
    assert!(matches!(hull, Err(MassError::Hull(_))));
    let empty = Mesh::default();
    for how in [MeshInertia::Exact, MeshInertia::Shell] {
        assert!(matches!(
            empty.mass_properties(how),
            Err(MassError::Empty { .. })
        ));
    }
    assert_eq!(empty.topology(), Topology::default());
    let bad = Mesh::new(vec![Vec3::zero()], vec![[0, 0, 1]]);
    let (face, index, count) = (0, 1, 1);
    assert_eq!(bad, Err(InvalidMesh::BadIndex { face, index, count }));
}
