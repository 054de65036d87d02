//! Nearest points of two convex cores.
//!
//! The algorithm of Gilbert, Johnson and Keerthi. The difference of two convex sets, A − B, is
//! convex, and its point v nearest to the origin is the difference of the nearest points. A simplex
//! of up to four points of the difference approaches it: the point w that is farthest along −v is
//! added, and the simplex is reduced to the face that is nearest to the origin. For all of A − B,
//! v · w / |v| is a lower bound of the distance, and |v| an upper one. Source: E. G. Gilbert,
//! D. W. Johnson and S. S. Keerthi, *A fast procedure for computing the distance between complex
//! objects in three-dimensional space*, 1988. The nearest point of a simplex is found by Voronoi
//! regions (C. Ericson, *Real-time collision detection*, 2005).

use super::convex::Core;
use super::expansion::Expansion;
use super::separation::Separation;
use super::stationary::stationary;
use featherline::kernel::{Kernel, dispatch};
use featherline::spatial::{Mat3, Se3, Vec3};

/// Bounds of the distance that differ by less, in parts of the size of the simplex, are equal.
const TOLERANCE: f64 = 1e-12;
/// The search ends after more steps than this without a better lower bound.
const MOST_STALLED: usize = 3;
/// Cores at a smaller distance, in parts of the size of the simplex, touch.
const TOUCHING: f64 = 1e-13;
/// After how many steps Newton's method is tried, again and again.
const NEWTON_EVERY: usize = 4;
/// The most points that are added: curved shapes take about twenty.
const MOST_STEPS: usize = 128;

/// A point of the difference of two cores, and the point of the first core that it is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Difference {
    pub w: Vec3<f64>,
    pub on_first: Vec3<f64>,
}

/// Two cores in the world.
#[derive(Clone, Copy)]
pub(crate) struct PlacedCores<'a> {
    pub cores: [&'a Core<'a>; 2],
    pub placements: [&'a Se3<f64>; 2],
}

impl<'a> PlacedCores<'a> {
    /// The placement of the second core in the frame of the first. In a kernel: outside of one, the
    /// products of placements take a tenth of the time of a query.
    #[inline(always)]
    pub fn relative(&self) -> Se3<f64> {
        self.placements[0].inverse_compose(self.placements[1])
    }

    #[inline(always)]
    pub fn in_first(&self, relative: &'a Se3<f64>) -> Cores<'a> {
        Cores {
            first: self.cores[0],
            second: self.cores[1],
            placement: relative,
        }
    }
}

/// Two cores, the second placed in the frame of the first.
#[derive(Clone, Copy)]
pub(crate) struct Cores<'a> {
    pub first: &'a Core<'a>,
    pub second: &'a Core<'a>,
    pub placement: &'a Se3<f64>,
}

impl Cores<'_> {
    /// The point of the difference that is farthest in a direction: s_A(d) − s_B(−d).
    #[inline(always)]
    pub fn support(&self, d: Vec3<f64>) -> Difference {
        let on_first = self.first.support(d);
        let in_second = -self.placement.rotation.tr_mul_vec(d);
        let on_second = self.placement.act_point(self.second.support(in_second));
        Difference {
            w: on_first - on_second,
            on_first,
        }
    }
}

impl Cores<'_> {
    /// Whether the surface of the difference is curved somewhere.
    #[inline(always)]
    pub fn is_curved(&self) -> bool {
        self.first.is_curved() || self.second.is_curved()
    }

    /// The second derivative of the support function of the difference.
    #[inline(always)]
    pub fn curvature(&self, d: Vec3<f64>) -> Mat3<f64> {
        let r = &self.placement.rotation;
        let second = self.second.curvature(-r.tr_mul_vec(d));
        // R H Rᵀ.
        let turned = r.mul_mat(&second).mul_mat(&r.transpose());
        self.first.curvature(d) + turned
    }
}

/// Points of the difference, and their weights in the point that is nearest to the origin.
#[derive(Debug)]
struct Simplex {
    points: [Difference; 4],
    weights: [f64; 4],
    count: usize,
}

/// How the search ended.
enum SearchEnd {
    /// The nearest points.
    Apart(Separation),
    /// The cores touch or overlap, or are as near as is enough.
    Overlap,
}

/// Memory of the search, for use again.
#[derive(Debug, Default)]
pub(crate) struct Search {
    /// Made when cores overlap for the first time.
    expansion: Option<Box<Expansion>>,
}

impl Search {
    /// Nearest points of two cores, or the least translation that parts them; none if sizes or
    /// placements are too large. Where the cores are known to be farther apart than `reach`, the
    /// search ends with a lower bound of the distance beyond it.
    pub fn between(&mut self, cores: PlacedCores<'_>, reach: f64) -> Option<Separation> {
        let mut simplex = Simplex::default();
        match dispatch(Gjk(cores, [reach, f64::NEG_INFINITY], &mut simplex))? {
            SearchEnd::Apart(separation) => Some(separation),
            SearchEnd::Overlap => self
                .expansion
                .get_or_insert_default()
                .depth(cores, &simplex.points[..simplex.count]),
        }
    }
}

/// The direction along which two cores are farther apart than `reach`, from the first to the
/// second; none of cores that are not. The search ends as soon as it is known which. Fails if sizes
/// or placements are too large.
pub(crate) fn parting(cores: PlacedCores<'_>, reach: f64) -> Option<Option<Vec3<f64>>> {
    let mut simplex = Simplex::default();
    Some(match dispatch(Gjk(cores, [reach, reach], &mut simplex))? {
        SearchEnd::Apart(found) if found.distance > reach => Some(found.normal),
        SearchEnd::Apart(_) | SearchEnd::Overlap => None,
    })
}

/// The search between limits, with the simplex of its end.
struct Gjk<'a>(PlacedCores<'a>, [f64; 2], &'a mut Simplex);

impl Kernel for Gjk<'_> {
    type Output = Option<SearchEnd>;

    #[inline(always)]
    fn run(self) -> Option<SearchEnd> {
        let Self(placed, limits, simplex) = self;
        let relative = placed.relative();
        Some(match gjk(placed.in_first(&relative), limits, simplex)? {
            SearchEnd::Apart(found) => SearchEnd::Apart(found.transformed_by(placed.placements[0])),
            SearchEnd::Overlap => SearchEnd::Overlap,
        })
    }
}

/// Nearest points in the frame of the first core. Ends with a lower bound of the distance above the
/// first of two limits, and with an upper bound of at most the second.
#[inline(always)]
fn gjk(cores: Cores<'_>, [reach, enough]: [f64; 2], simplex: &mut Simplex) -> Option<SearchEnd> {
    let start = cores.first.center() - cores.placement.act_point(cores.second.center());
    let start = match start.norm_squared() > 0.0 {
        true => start,
        false => Vec3::unit(0),
    };
    let first = cores.support(-start);
    *simplex = Simplex {
        points: [first; 4],
        weights: [1.0, 0.0, 0.0, 0.0],
        count: 1,
    };
    let mut v = first.w;
    let mut square = v.norm_squared();
    let mut scale = square;
    // The greatest lower bound of the distance, the direction that gives it, and for how many
    // steps neither bound has become better.
    let (mut lower, mut outward, mut stalled) = (f64::NEG_INFINITY, v, 0);
    let mut before = f64::INFINITY;
    let is_curved = cores.is_curved();
    for step in 0..MOST_STEPS {
        // |v| below rounding: the origin lies on the difference.
        if square <= TOUCHING * TOUCHING * scale || square.sqrt() <= enough {
            return Some(SearchEnd::Overlap);
        }
        let added = cores.support(-v);
        scale = scale.max(added.w.norm_squared());
        if !scale.is_finite() {
            return None;
        }
        let upper = square.sqrt();
        let bound = v.dot(added.w) / upper;
        let tolerance = TOLERANCE * scale.sqrt();
        stalled = match bound > lower || before - upper > tolerance {
            true => 0,
            false => stalled + 1,
        };
        before = upper;
        if bound > lower {
            (lower, outward) = (bound, v);
        }
        if lower > reach {
            let normal = v * (-1.0 / upper);
            return Some(SearchEnd::Apart(Separation {
                distance: lower,
                points: [added.on_first, added.on_first + normal * lower],
                normal,
            }));
        }
        if upper - lower <= tolerance || simplex.holds(added.w) || stalled > MOST_STALLED {
            break;
        }
        // Curved cores: the search halves the error with each step, Newton's method squares it.
        if is_curved
            && step % NEWTON_EVERY == NEWTON_EVERY - 1
            && let Some(end) = stationary(&cores, outward * (-1.0 / outward.norm()))
            && end.extent < 0.0
        {
            let on_first = end.point.on_first;
            return Some(SearchEnd::Apart(Separation {
                distance: -end.extent,
                points: [on_first, on_first - end.normal * end.extent],
                normal: end.normal,
            }));
        }
        let last = (simplex.points, simplex.weights, simplex.count);
        simplex.points[simplex.count] = added;
        simplex.count += 1;
        if simplex.reduce() {
            return Some(SearchEnd::Overlap);
        }
        let nearer = simplex.nearest();
        let nearer_square = nearer.norm_squared();
        if nearer_square >= square {
            // Rounding is all that is left.
            (simplex.points, simplex.weights, simplex.count) = last;
            break;
        }
        (v, square) = (nearer, nearer_square);
    }
    let distance = square.sqrt();
    let normal = outward * (-1.0 / outward.norm());
    let on_first = simplex.on_first();
    Some(SearchEnd::Apart(Separation {
        distance,
        points: [on_first, on_first + normal * distance],
        normal,
    }))
}

impl Default for Simplex {
    fn default() -> Self {
        let origin = Difference {
            w: Vec3::zero(),
            on_first: Vec3::zero(),
        };
        Self {
            points: [origin; 4],
            weights: [0.0; 4],
            count: 0,
        }
    }
}

impl Simplex {
    /// Whether a point is one of the simplex.
    #[inline(always)]
    fn holds(&self, w: Vec3<f64>) -> bool {
        let mut found = false;
        for i in 0..self.count {
            found |= self.points[i].w == w;
        }
        found
    }

    /// The point nearest to the origin, by the weights.
    #[inline(always)]
    fn nearest(&self) -> Vec3<f64> {
        if self.count == 3 {
            // v = n (n · a) / |n|²: the weights of a thin triangle are too coarse for its
            // direction.
            let [a, b, c, _] = self.points.map(|point| point.w);
            let n = (b - a).cross(c - a);
            return n * (n.dot(a) / n.norm_squared());
        }
        let mut sum = self.points[0].w * self.weights[0];
        for i in 1..self.count {
            sum = self.points[i].w.mul_add(self.weights[i], sum);
        }
        sum
    }

    #[inline(always)]
    fn on_first(&self) -> Vec3<f64> {
        let mut sum = self.points[0].on_first * self.weights[0];
        for i in 1..self.count {
            sum = self.points[i].on_first.mul_add(self.weights[i], sum);
        }
        sum
    }

    #[inline(always)]
    fn keep<const N: usize>(&mut self, indices: [usize; N], weights: [f64; N]) {
        let points = self.points;
        for k in 0..N {
            self.points[k] = points[indices[k]];
            self.weights[k] = weights[k];
        }
        self.count = N;
    }

    /// Reduces the simplex to the face nearest to the origin; whether the origin is inside.
    #[inline(always)]
    fn reduce(&mut self) -> bool {
        match self.count {
            2 => self.reduce_segment(),
            3 => self.reduce_triangle(),
            4 => return self.reduce_tetrahedron(),
            _ => {}
        }
        false
    }

    #[inline(always)]
    fn reduce_segment(&mut self) {
        let (a, b) = (self.points[0].w, self.points[1].w);
        let ab = b - a;
        let (along, length) = (-a.dot(ab), ab.norm_squared());
        if along >= length {
            self.keep([1], [1.0]);
        } else if along <= 0.0 {
            self.keep([0], [1.0]);
        } else {
            let t = along / length;
            self.weights = [1.0 - t, t, 0.0, 0.0];
        }
    }

    #[inline(always)]
    fn reduce_triangle(&mut self) {
        let face = nearest_on_triangle(self.points[0].w, self.points[1].w, self.points[2].w);
        self.keep_face([0, 1, 2], &face);
    }

    #[inline(always)]
    fn keep_face(&mut self, [a, b, c]: [usize; 3], face: &Face) {
        let [u, v, w] = face.weights;
        match face.region {
            Region::A => self.keep([a], [1.0]),
            Region::B => self.keep([b], [1.0]),
            Region::C => self.keep([c], [1.0]),
            Region::Ab => self.keep([a, b], [u, v]),
            Region::Bc => self.keep([b, c], [v, w]),
            Region::Ca => self.keep([a, c], [u, w]),
            Region::Abc => self.keep([a, b, c], [u, v, w]),
        }
    }

    /// The origin is not behind the face without the last point, which the others saw it from.
    #[inline(always)]
    fn reduce_tetrahedron(&mut self) -> bool {
        let [a, b, c, d] = self.points.map(|point| point.w);
        let faces = [[0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 1, 2]];
        let opposite = [c, a, b, d];
        let mut best: Option<([usize; 3], Face)> = None;
        let mut inside = true;
        for k in 0..4 {
            let [i, j, l] = faces[k];
            let (p, q, r) = (self.points[i].w, self.points[j].w, self.points[l].w);
            let normal = (q - p).cross(r - p);
            let origin_side = -p.dot(normal);
            let other_side = (opposite[k] - p).dot(normal);
            // On the other side than the fourth point, or a flat tetrahedron.
            if origin_side * other_side <= 0.0 {
                inside = false;
                let face = nearest_on_triangle(p, q, r);
                if best.as_ref().is_none_or(|(_, b)| face.square < b.square) {
                    best = Some((faces[k], face));
                }
            }
        }
        if let Some((indices, face)) = best {
            self.keep_face(indices, &face);
        }
        inside
    }
}

/// The corner, edge or inside of a triangle.
#[derive(Clone, Copy)]
enum Region {
    A,
    B,
    C,
    Ab,
    Bc,
    Ca,
    Abc,
}

/// The point of a triangle that is nearest to the origin.
struct Face {
    region: Region,
    weights: [f64; 3],
    square: f64,
}

impl Face {
    #[inline(always)]
    fn at([a, b, c]: [Vec3<f64>; 3], region: Region, weights: [f64; 3]) -> Self {
        let p = a * weights[0] + b * weights[1] + c * weights[2];
        Self {
            region,
            weights,
            square: p.norm_squared(),
        }
    }
}

#[inline(always)]
fn nearest_on_triangle(a: Vec3<f64>, b: Vec3<f64>, c: Vec3<f64>) -> Face {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return Face::at([a, b, c], Region::A, [1.0, 0.0, 0.0]);
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return Face::at([a, b, c], Region::B, [0.0, 1.0, 0.0]);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / (d1 - d3);
        return Face::at([a, b, c], Region::Ab, [1.0 - t, t, 0.0]);
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return Face::at([a, b, c], Region::C, [0.0, 0.0, 1.0]);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        return Face::at([a, b, c], Region::Ca, [1.0 - t, 0.0, t]);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return Face::at([a, b, c], Region::Bc, [0.0, 1.0 - t, t]);
    }
    let scale = 1.0 / (va + vb + vc);
    let (v, w) = (vb * scale, vc * scale);
    Face::at([a, b, c], Region::Abc, [1.0 - v - w, v, w])
}
