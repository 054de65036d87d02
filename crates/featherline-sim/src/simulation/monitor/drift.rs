//! Linear drift of a quantity, with its standard error.

/// A slope with its standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    /// The slope.
    pub slope: f64,
    /// Its standard error.
    pub error: f64,
}

/// The least number of independent deviations that a standard error is taken from.
const LEAST_INDEPENDENT: f64 = 3.0;

/// The least number of points that others are pooled to.
const LEAST_POOLED: usize = 10;

impl Drift {
    /// The least-squares line through points (x, y), best the means of equal parts of a long
    /// motion, in their order. Zero for less than three.
    ///
    /// Deviations from the line that are alike in neighbouring points count for less than there
    /// are: with r the correlation of neighbours, n points are as good as n (1 − r)/(1 + r)
    /// independent ones (B. D. Santer et al., "Statistical significance of trends and trend
    /// differences in layer-average atmospheric temperature time series", Journal of Geophysical
    /// Research 105, 2000). Alternating deviations do not count for more points than there are. The
    /// correlation that the deviations themselves show is too small by (2 + 4 r)/n, since the line
    /// follows them (F. H. C. Marriott, J. A. Pope, "Bias in the estimation of autocorrelations",
    /// Biometrika 41, 1954, with the line's slope fitted as well), and it does not see what lasts
    /// for long beneath what changes from point to point: hence points are also pooled by two, four
    /// and so on, while ten are left, and the largest error of these counts. A change that lasts
    /// longer than the motion can't be distinguished from a drift.
    pub fn through(points: &[[f64; 2]]) -> Self {
        let (slope, mut error) = fitted(points.iter().copied());
        let mut size = 2;
        while points.len() / size >= LEAST_POOLED {
            let (_, pooled) = fitted(points.chunks_exact(size).map(mean));
            error = error.max(pooled);
            size *= 2;
        }
        Self { slope, error }
    }
}

fn mean(points: &[[f64; 2]]) -> [f64; 2] {
    [0, 1].map(|k| points.iter().map(|p| p[k]).sum::<f64>() / points.len() as f64)
}

/// The slope through points and its standard error, by neighbours; zeros for less than three.
fn fitted(points: impl Iterator<Item = [f64; 2]> + Clone) -> (f64, f64) {
    let mut line = Line::default();
    for [x, y] in points.clone() {
        line.add(x, y);
    }
    let (n, slope) = (line.count, line.slope());
    if n < 3.0 {
        return (0.0, 0.0);
    }
    let (mut squares, mut neighbours, mut before) = (0.0, 0.0, 0.0);
    for [x, y] in points {
        let left = y - line.mean[1] - slope * (x - line.mean[0]);
        squares += left * left;
        neighbours += left * before;
        before = left;
    }
    if squares == 0.0 {
        return (slope, 0.0);
    }
    // Four points do not determine a correlation.
    let seen = neighbours / squares;
    let r = if n > 4.0 {
        ((n * seen + 2.0) / (n - 4.0)).clamp(0.0, 1.0)
    } else {
        seen.clamp(0.0, 1.0)
    };
    let independent = n * (1.0 - r) / (1.0 + r);
    let variance = squares / (independent.max(LEAST_INDEPENDENT) - 2.0);
    (slope, (variance / line.sums[0]).sqrt())
}

/// A straight line through points that come one by one: sums about their means, which rounding
/// leaves whole (T. Chan, G. Golub and R. LeVeque, "Algorithms for computing the sample variance",
/// The American Statistician 37, 1983).
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    count: f64,
    mean: [f64; 2],
    /// Sums of squares of x and of products.
    sums: [f64; 2],
}

impl Line {
    fn add(&mut self, x: f64, y: f64) {
        self.count += 1.0;
        let (dx, dy) = (x - self.mean[0], y - self.mean[1]);
        self.mean[0] += dx / self.count;
        self.mean[1] += dy / self.count;
        let dx_after = x - self.mean[0];
        self.sums[0] += dx * dx_after;
        self.sums[1] += dy * dx_after;
    }

    fn slope(&self) -> f64 {
        if self.count < 3.0 || self.sums[0] <= 0.0 {
            return 0.0;
        }
        self.sums[1] / self.sums[0]
    }
}

/// The most parts of a motion; it has half as many at least, once there are as many points.
const PARTS: usize = 128;

/// Follows a quantity in constant memory: the line through all points, the means of equal parts.
#[derive(Clone, Debug)]
pub(super) struct Trend {
    line: Line,
    /// Means of parts that are whole, and of the one that is not.
    parts: [[f64; 2]; PARTS],
    whole: usize,
    /// How many points a part has, and the last one so far.
    size: u64,
    begun: u64,
}

impl Trend {
    pub fn new() -> Self {
        Self {
            line: Line::default(),
            parts: [[0.0; 2]; PARTS],
            whole: 0,
            size: 1,
            begun: 0,
        }
    }

    pub fn add(&mut self, x: f64, y: f64) {
        self.line.add(x, y);
        if self.whole == PARTS {
            for k in 0..PARTS / 2 {
                let [a, b] = [self.parts[2 * k], self.parts[2 * k + 1]];
                self.parts[k] = [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
            }
            self.whole = PARTS / 2;
            self.size *= 2;
        }
        let part = &mut self.parts[self.whole];
        if self.begun == 0 {
            *part = [0.0; 2];
        }
        self.begun += 1;
        for (mean, value) in part.iter_mut().zip([x, y]) {
            *mean += (value - *mean) / self.begun as f64;
        }
        if self.begun == self.size {
            self.whole += 1;
            self.begun = 0;
        }
    }

    pub fn drift(&self) -> Drift {
        Drift {
            slope: self.line.slope(),
            error: Drift::through(&self.parts[..self.whole]).error,
        }
    }
}
