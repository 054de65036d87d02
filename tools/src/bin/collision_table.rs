//! Distances of random placements, for the comparison in `conformance/collision.py`.
//!
//! `collision_table PAIRS FILE` writes, for each pair of kinds of shapes, that many placements of
//! both shapes and the distance, as little-endian doubles, to FILE, and to the standard output one
//! line a pair: both kinds and the time of a call in ns.

use featherline::random::{RandomSource, SplitMix64};
use featherline::spatial::{Quaternion, Se3, Vec3};
use featherline_geometry::{
    Capsule, Collider, Cone, ContactPoint, Cuboid, Cylinder, Ellipsoid, Plane, Polytope, Shape,
    Sphere,
};
use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

fn random_placement(source: &mut SplitMix64, reach: f64) -> Se3<f64> {
    let mut signed = || 2.0 * source.uniform() - 1.0;
    loop {
        let (x, y, z, w) = (signed(), signed(), signed(), signed());
        let norm = f64::sqrt(x * x + y * y + z * z + w * w);
        if norm > 0.1 && norm < 1.0 {
            let q = Quaternion::from_parts(Vec3::new(x, y, z) * (1.0 / norm), w / norm);
            let place = Vec3::new(signed(), signed(), signed()) * reach;
            return Se3::new(q.to_rotation(), place);
        }
    }
}

/// Points on a sphere by the golden angle, pressed flat a little: 40 of them.
fn stone() -> Vec<Vec3<f64>> {
    let point = |k: usize| {
        let z = 1.0 - 2.0 * (k as f64 + 0.5) / 40.0;
        let (sin, cos) = (k as f64 * 2.399_963_229_728_653).sin_cos();
        let r = (1.0 - z * z).sqrt();
        Vec3::new(0.5 * r * cos, 0.4 * r * sin, 0.3 * z)
    };
    (0..40).map(point).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().ok_or("the number of pairs")?.parse()?;
    let file = arguments.next().ok_or("the file to write")?;
    let shapes: Vec<(&str, Shape)> = vec![
        ("plane", Plane.into()),
        ("sphere", Sphere::new(0.4).into()),
        ("capsule", Capsule::new(0.25, 0.8).into()),
        ("box", Cuboid::new(Vec3::new(0.6, 0.8, 1.1)).into()),
        ("cylinder", Cylinder::new(0.3, 0.9).into()),
        ("cone", Cone::new(0.4, 0.9).into()),
        ("ellipsoid", Ellipsoid::new(Vec3::new(0.3, 0.5, 0.4)).into()),
        ("polytope", Polytope::from_points(stone())?.into()),
    ];
    let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
    let mut source = SplitMix64::new(20);
    for i in 0..shapes.len() {
        for j in i.max(1)..shapes.len() {
            let a = Collider::new(shapes[i].1.clone())?;
            let b = Collider::new(shapes[j].1.clone())?;
            let mut cases = Vec::with_capacity(count);
            for _ in 0..count {
                cases.push((
                    random_placement(&mut source, 1.0),
                    random_placement(&mut source, 1.0),
                ));
            }
            for (first, second) in &cases {
                for placement in [first, second] {
                    for row in placement.rotation.to_rows() {
                        row.iter()
                            .try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
                    }
                    let p = placement.translation.to_array();
                    p.iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
                }
                let s = a.separation(first, &b, second)?;
                out.write_all(&s.distance.to_le_bytes())?;
            }
            let mut best = [f64::INFINITY; 3];
            let mut points: Vec<ContactPoint> = Vec::new();
            for _ in 0..3 {
                // Apart, overlapping, and contacts: each by its own cases.
                for (kind, time) in best.iter_mut().enumerate() {
                    let some: Vec<_> = cases
                        .iter()
                        .take(5000)
                        .filter(|(p, q)| {
                            let d = a.separation(p, &b, q).map_or(0.0, |s| s.distance);
                            kind == 2 || (d > 0.0) == (kind == 0)
                        })
                        .collect();
                    let begin = Instant::now();
                    for (p, q) in &some {
                        if kind < 2 {
                            black_box(a.separation(black_box(p), &b, black_box(q))?);
                        } else {
                            points.clear();
                            a.contact_points(black_box(p), &b, black_box(q), 0.01, &mut points)?;
                            black_box(&points);
                        }
                    }
                    let each = begin.elapsed().as_secs_f64() * 1e9 / some.len().max(1) as f64;
                    *time = time.min(each);
                }
            }
            let [apart, overlap, contacts] = best;
            println!(
                "{}\t{}\t{apart:.0}\t{overlap:.0}\t{contacts:.0}",
                shapes[i].0, shapes[j].0
            );
        }
    }
    Ok(())
}
