//! Moments of inertia that no body has.

use super::case::{arm, codes, load, repaired};
use featherline::random::{RandomSource, SplitMix64};
use featherline::spatial::{Sym3, Vec3};
use featherline_formats::repair::possible_moments;

/// Second moments of mass, Σ = ½ tr(J) 1 − J, as elements xx, xy, xz, yy, yz, zz.
fn second_moments(moments: &Sym3<f64>) -> [f64; 6] {
    let half = (moments.xx() + moments.yy() + moments.zz()) / 2.0;
    let [xx, xy, xz, yy, yz, zz] = moments.to_elements();
    [half - xx, -xy, -xz, half - yy, -yz, half - zz]
}

/// The squared distance of two inertias in the Frobenius norm of their second moments.
fn distance(a: &Sym3<f64>, b: &Sym3<f64>) -> f64 {
    let differences = second_moments(a).into_iter().zip(second_moments(b));
    let squares = differences.map(|(x, y)| (x - y) * (x - y));
    // Elements off the diagonal stand twice in a symmetric matrix.
    squares
        .zip([1.0, 2.0, 2.0, 1.0, 2.0, 1.0])
        .map(|(square, times)| square * times)
        .sum()
}

fn is_possible(moments: &Sym3<f64>) -> bool {
    let [a, b, c] = moments.eigenvalues();
    a >= -1e-12 * c.abs() && a + b - c >= -1e-12 * c.abs()
}

#[test]
fn no_possible_moments_are_nearer() {
    let mut random = SplitMix64::new(3);
    let mut within = move |size: f64| size * (2.0 * random.uniform() - 1.0);
    let mut impossible = 0;
    for _ in 0..200 {
        let moments = Sym3::new(
            within(1.0),
            within(1.0),
            within(1.0),
            within(1.0),
            within(1.0),
            within(1.0),
        );
        let nearest = possible_moments(&moments);
        assert!(is_possible(&nearest), "{moments:?}: {nearest:?}");
        if is_possible(&moments) {
            assert_eq!(nearest, moments);
            continue;
        }
        impossible += 1;
        let least = distance(&moments, &nearest);
        for _ in 0..200 {
            let size = 10f64.powf(within(2.0) - 2.0);
            let mut change = || within(size);
            let [xx, xy, xz, yy, yz, zz] = nearest.to_elements();
            let other = Sym3::new(
                xx + change(),
                xy + change(),
                xz + change(),
                yy + change(),
                yz + change(),
                zz + change(),
            );
            if is_possible(&other) {
                assert!(distance(&moments, &other) >= least * (1.0 - 1e-9));
            }
        }
        // So is every one on the way to a body that can be, a ball.
        let ball = Sym3::scalar(1.0);
        let towards = |t: f64| {
            let pairs = nearest.to_elements().into_iter().zip(ball.to_elements());
            let mut mixed = pairs.map(|(a, b)| a + t * (b - a));
            let mut next = || mixed.next().expect("six");
            Sym3::new(next(), next(), next(), next(), next(), next())
        };
        for t in [1e-3, 0.1, 1.0] {
            assert!(distance(&moments, &towards(t)) >= least * (1.0 - 1e-9));
        }
    }
    assert!(impossible > 100, "{impossible}");
}

#[test]
fn moments_of_a_urdf_become_possible_about_the_same_axes() {
    // By hand: Σ = (1.5, 1.5, -0.5) becomes (1.5, 1.5, 0), so J = (1.5, 1.5, 3).
    let text = arm("continuous", "").replace("ixx='0.1'", "ixx='1'");
    let text = text
        .replace("iyy='0.1'", "iyy='1'")
        .replace("izz='0.01'", "izz='3'");
    let (repairs, after) = repaired(&text);
    assert_eq!(codes(&repairs), ["triangle-inequality"]);
    let expected = text
        .replace("ixx='1'", "ixx='1.5'")
        .replace("iyy='1'", "iyy='1.5'");
    assert_eq!(after, expected);
    let (old, new) = (load(&text).description, load(&after).description);
    let inertial =
        |it: &featherline_formats::Description| it.links[1].inertial.expect("it has one");
    assert_eq!(inertial(&old).mass, inertial(&new).mass);
    assert_eq!(
        inertial(&old).placement.translation,
        inertial(&new).placement.translation
    );
}

#[test]
fn a_negative_moment_keeps_a_file_from_being_read_until_it_is_repaired() {
    // Σ = (-0.005, 0.195, 0.005 + …): by hand below.
    let text = arm("continuous", "").replace("izz='0.01'", "izz='-0.3'");
    let (repairs, after) = repaired(&text);
    assert_eq!(codes(&repairs), ["inertia-not-positive"]);
    // J = (0.1, 0.1, -0.3), ½ tr = -0.05, Σ = (-0.15, -0.15, 0.25) becomes (0, 0, 0.25): a rod of
    // which J = (0.25, 0.25, 0).
    let inertial = load(&after).description.links[1]
        .inertial
        .expect("it has one");
    let expected = Sym3::diagonal(Vec3::new(0.25, 0.25, 0.0));
    for (found, expected) in inertial
        .moments
        .to_elements()
        .iter()
        .zip(expected.to_elements())
    {
        assert!((found - expected).abs() < 1e-9, "{after}");
    }
}

#[test]
fn moments_of_a_body_in_mjcf_become_possible() {
    let text = |inertia: &str| {
        format!(
            "<mujoco><worldbody><body><joint/><inertial pos='0 0 0' mass='1' {inertia}/></body></worldbody></mujoco>"
        )
    };
    let (repairs, after) = repaired(&text("diaginertia='1 1 3'"));
    assert_eq!(codes(&repairs), ["triangle-inequality"]);
    assert_eq!(after, text("diaginertia='1.5 1.5 3'"));
    let (_, after) = repaired(&text("fullinertia='1 1 3 0 0 0'"));
    assert_eq!(after, text("fullinertia='1.5 1.5 3 0 0 0'"));
}
