//! The components of the force on a sole that load cells under it measure.

use crate::problem::Components;

/// Cells nearer to a line or point than this share of their spread or distance are on it.
const THIN: f64 = 1e-6;

/// The points at which cells bear a sole.
///
/// Cells feel forces along z alone. What they leave to their mounts, they say nothing of: cells on
/// one line nothing of the moment about that line, and a lone one nothing of any moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Support {
    /// All cells are at one point.
    Point([f64; 2]),
    /// They are on a line, through a point and along a direction of length one.
    Line([f64; 2], [f64; 2]),
    /// They span the plane.
    Plane,
}

impl Support {
    /// The support by cells at these positions, of which there is one at least.
    pub(crate) fn of(positions: &[[f64; 2]]) -> Self {
        let count = positions.len() as f64;
        let sum = |axis: usize| positions.iter().map(|p| p[axis]).sum::<f64>();
        let centre = [sum(0) / count, sum(1) / count];
        let from_centre = |p: &[f64; 2]| [p[0] - centre[0], p[1] - centre[1]];
        let length = |[x, y]: [f64; 2]| x.hypot(y);
        let farthest = positions
            .iter()
            .map(from_centre)
            .max_by(|&a, &b| length(a).total_cmp(&length(b)));
        let spread = farthest.unwrap_or_default();
        let size = length(spread);
        if size <= THIN * length(centre) {
            return Self::Point(centre);
        }
        let along = [spread[0] / size, spread[1] / size];
        let aside = |p: &[f64; 2]| {
            let [x, y] = from_centre(p);
            (x * along[1] - y * along[0]).abs()
        };
        if positions.iter().all(|p| aside(p) <= THIN * size) {
            Self::Line(centre, along)
        } else {
            Self::Plane
        }
    }

    /// The rows of the cells: for each the weights of the force on the sole, and those of the
    /// readings (Nori 2017, equation 19, where the cells span the plane).
    pub(crate) fn rows(self, positions: &[[f64; 2]]) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        let readings = |arm: &dyn Fn([f64; 2]) -> f64| -> Vec<f64> {
            positions.iter().map(|&p| arm(p)).collect()
        };
        let normal = (vec![0.0, 0.0, 1.0, 0.0, 0.0, 0.0], readings(&|_| 1.0));
        let rows = match self {
            Self::Point(_) => vec![normal],
            // Forces at c + s u have the moment s about the normal of the line, besides that of
            // their sum at c.
            Self::Line(_, [x, y]) => vec![
                normal,
                (
                    vec![0.0, 0.0, 0.0, y, -x, 0.0],
                    readings(&|p| x * p[0] + y * p[1]),
                ),
            ],
            Self::Plane => vec![
                normal,
                (vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0], readings(&|p| p[1])),
                (vec![0.0, 0.0, 0.0, 0.0, 1.0, 0.0], readings(&|p| -p[0])),
            ],
        };
        rows.into_iter().unzip()
    }

    /// The components of the force that the rows give; none for a moment that is no component.
    pub(crate) fn components(self) -> Option<Components> {
        let normal = Components::LINEAR_Z;
        match self {
            Self::Point(_) => Some(normal),
            Self::Line(_, [_, y]) if y.abs() <= THIN => Some(normal.and(Components::ANGULAR_Y)),
            Self::Line(_, [x, _]) if x.abs() <= THIN => Some(normal.and(Components::ANGULAR_X)),
            Self::Line(..) => None,
            Self::Plane => Some(normal.and(Components::ANGULAR_X).and(Components::ANGULAR_Y)),
        }
    }

    /// Where more cells would have to be for all of them to span the plane.
    pub(crate) fn missing(self) -> Vec<[f64; 2]> {
        /// How far from the others, in m: about half a foot.
        const ASIDE: f64 = 0.1;
        match self {
            Self::Point([x, y]) => vec![[x + ASIDE, y], [x, y + ASIDE]],
            Self::Line([cx, cy], [x, y]) => vec![[cx - ASIDE * y, cy + ASIDE * x]],
            Self::Plane => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use featherline::spatial::Vec3;

    /// The wrench by cells with these forces, and mounts with a moment, by cross products.
    fn wrench(positions: &[[f64; 2]], forces: &[f64], mounts: [f64; 2]) -> [f64; 6] {
        let mut moment = Vec3::new(mounts[0], mounts[1], -0.7);
        for ([x, y], normal) in positions.iter().zip(forces) {
            moment += Vec3::new(*x, *y, 0.0).cross(Vec3::new(0.0, 0.0, *normal));
        }
        let [mx, my, mz] = moment.to_array();
        [1.3, -2.1, forces.iter().sum(), mx, my, mz]
    }

    #[test]
    fn rows_hold_whatever_the_mounts_bear() {
        let oblique = |s: f64| [0.02 + 0.6 * s, -0.05 + 0.8 * s];
        // Where cells are, and the direction of the moment that they leave to the mounts.
        let cases: [(Vec<[f64; 2]>, [f64; 2], usize); 6] = [
            (vec![[0.08, 0.03]], [0.3, -0.4], 1),
            (vec![[0.08, 0.03], [0.08, 0.03]], [-2.0, 5.0], 1),
            (vec![[0.08, 0.03], [-0.08, 0.03]], [1.0, 0.0], 2),
            (
                vec![[0.01, 0.03], [0.01, -0.05], [0.01, 0.0]],
                [0.0, 1.0],
                2,
            ),
            (vec![oblique(0.1), oblique(-0.04)], [0.6, 0.8], 2),
            (vec![[0.1, 0.0], [0.0, 0.1], [-0.1, 0.0]], [0.0, 0.0], 3),
        ];
        let forces = [31.0, 7.0, 12.5];
        for (positions, mounts, count) in cases {
            let forces = &forces[..positions.len()];
            let (weights, readings) = Support::of(&positions).rows(&positions);
            assert_eq!((weights.len(), readings.len()), (count, count));
            let wrench = wrench(&positions, forces, mounts);
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
            for (weights, readings) in weights.iter().zip(&readings) {
                let (told, read) = (dot(weights, &wrench), dot(readings, forces));
                assert!((told - read).abs() < 1e-12, "{positions:?}: {told} {read}");
            }
        }
    }

    #[test]
    fn what_is_missing_spans_the_sole() {
        for positions in [vec![[0.3, -0.2]], vec![[0.3, -0.2], [0.5, 0.1]]] {
            let missing = Support::of(&positions).missing();
            assert_eq!(positions.len() + missing.len(), 3);
            let all = [positions, missing].concat();
            assert_eq!(Support::of(&all), Support::Plane);
        }
    }

    #[test]
    fn components_are_those_of_the_rows() {
        let [x, y] = [Components::ANGULAR_X, Components::ANGULAR_Y];
        let normal = Components::LINEAR_Z;
        let components = |positions: &[[f64; 2]]| Support::of(positions).components();
        assert_eq!(components(&[[0.1, 0.2]]), Some(normal));
        assert_eq!(components(&[[0.1, 0.2], [0.3, 0.2]]), Some(normal.and(y)));
        assert_eq!(components(&[[0.1, 0.2], [0.1, 0.3]]), Some(normal.and(x)));
        assert_eq!(components(&[[0.1, 0.2], [0.2, 0.3]]), None);
    }
}
