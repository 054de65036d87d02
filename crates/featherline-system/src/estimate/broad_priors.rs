//! The part of a residual's variance that comes from uninformative priors.
//!
//! A residual r = y − Y x has the variance Ω = R − Y P Yᵀ if unknowns are as far from the means of
//! their priors as the prior scale says. Unknowns are far nearer to the means of uninformative
//! priors. A reading that only these priors determine then has a residual far smaller than Ω says.
//! The residuals are (1 − D P Dᵀ) z for the errors z of the weighted rows, so that
//! a prior with the row a adds Y P aᵀ a P Yᵀ to Ω; what it does not
//! [cost](super::residuals::Residuals::chi_square) on average is to be taken away.

use super::exact::Exact;
use super::prior::PriorBlock;
use featherline_sparse::multifrontal::SparseRow;

/// Below this share of its row's variance, uninformative priors alone may determine the row.
const MOSTLY_EXPLAINED: f64 = 0.5;

/// The variance that is left must be at least this share of the part of uninformative priors.
const LEAST_SHARE: f64 = 0.5;

/// The priors of the unknowns, and their costs.
pub(super) struct PriorCosts<'a> {
    /// One over the variance of each.
    pub information: &'a [f64],
    /// The average cost of each.
    pub costs: &'a [f64],
    /// The same of several together.
    pub priors: &'a [PriorBlock],
}

impl PriorCosts<'_> {
    /// How many parts a row has.
    fn width(&self) -> usize {
        self.information.len() + self.of_several().count()
    }

    fn of_several(&self) -> impl Iterator<Item = (SparseRow<'_>, f64)> {
        self.priors.iter().flat_map(PriorBlock::expected)
    }

    /// Whether all priors say something.
    fn is_meant(&self) -> bool {
        let mut alone = self.information.iter().zip(self.costs);
        alone.all(|(&information, &cost)| information == 0.0 || cost == 1.0)
            && self.of_several().all(|(_, cost)| cost == 1.0)
    }
}

/// The parts of rows' residuals from each prior, in deviations, that are to be taken away.
#[derive(Clone, Debug)]
pub(super) struct BroadPriors {
    /// P aᵀ of a row a, by unknown.
    image: Vec<f64>,
    width: usize,
    parts: Vec<f64>,
}

impl BroadPriors {
    /// Memory for so many rows.
    pub fn new(rows: usize, assumed: &PriorCosts<'_>) -> Self {
        let width = assumed.width();
        Self {
            image: vec![0.0; assumed.information.len()],
            parts: vec![0.0; rows * width],
            width,
        }
    }

    /// Finds the parts of a row with a weight, of whose variance some share is left; none where
    /// that is much. Costs a solve.
    pub fn find(
        &mut self,
        index: usize,
        (row, weight): (SparseRow<'_>, f64),
        left: f64,
        assumed: &PriorCosts<'_>,
        exact: &mut Exact,
    ) {
        let parts = &mut self.parts[index * self.width..][..self.width];
        parts.fill(0.0);
        if left >= MOSTLY_EXPLAINED || assumed.is_meant() {
            return;
        }
        exact.covariances(row, &mut self.image);
        let (alone, together) = parts.split_at_mut(assumed.information.len());
        let priors = assumed.information.iter().zip(assumed.costs);
        for ((part, image), (information, cost)) in alone.iter_mut().zip(&self.image).zip(priors) {
            *part = (weight * information * (1.0 - cost)).sqrt() * image;
        }
        for (part, (prior, cost)) in together.iter_mut().zip(assumed.of_several()) {
            let terms = prior.columns.iter().zip(prior.entries);
            let sum: f64 = terms.map(|(&column, a)| a * self.image[column]).sum();
            *part = (weight * (1.0 - cost)).sqrt() * sum;
        }
    }

    /// The part of uninformative priors in the covariance of two rows whose parts were found, which
    /// is to be subtracted.
    pub fn product(&self, a: usize, b: usize) -> f64 {
        let [a, b] = [a, b].map(|index| self.parts[index * self.width..][..self.width].iter());
        a.zip(b).map(|(a, b)| a * b).sum()
    }
}

/// The least variance from which other rows determine a row, beside what was subtracted.
pub(super) fn least(taken: f64, no_redundancy: f64) -> f64 {
    no_redundancy.max(LEAST_SHARE * taken)
}
