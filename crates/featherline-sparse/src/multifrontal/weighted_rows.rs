//! Sparse rows whose errors have variance one, or that have none.

/// The kind of a row in a factorisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// It is left out.
    Off,
    /// It has no error.
    Exact,
    /// Its error has variance one.
    Weighted,
}

/// The rows A x = b of a least-squares problem, with a pattern that stays.
///
/// Numbers are those of unknowns in their units: x = diag(units) y, and the entries are A
/// diag(units).
#[derive(Clone, Debug)]
pub struct WeightedRows {
    columns: Vec<Vec<usize>>,
    /// The unit of each unknown, a power of two.
    pub units: Vec<f64>,
    is_fixed: Vec<bool>,
    /// The entries of all rows, row by row.
    pub numbers: Vec<f64>,
    /// The right-hand side of each row.
    pub rhs: Vec<f64>,
    /// The largest term of each right-hand side: what its rounding is relative to.
    pub sizes: Vec<f64>,
    /// The kind of each row.
    pub kinds: Vec<RowKind>,
}

impl WeightedRows {
    /// Rows with the given columns, all zero and [`RowKind::Weighted`]. `units` and `is_fixed` have
    /// one entry for each unknown: its unit, a power of two, and whether its value is given
    /// beforehand, so that it has no variance.
    pub fn new(columns: Vec<Vec<usize>>, units: Vec<f64>, is_fixed: Vec<bool>) -> Self {
        let (rows, entries) = (columns.len(), columns.iter().map(Vec::len).sum());
        Self {
            columns,
            units,
            is_fixed,
            numbers: vec![0.0; entries],
            rhs: vec![0.0; rows],
            sizes: vec![0.0; rows],
            kinds: vec![RowKind::Weighted; rows],
        }
    }

    /// The columns of each row.
    pub fn columns(&self) -> &[Vec<usize>] {
        &self.columns
    }

    /// The unit of each unknown.
    pub fn units(&self) -> &[f64] {
        &self.units
    }

    /// Whether the value of an unknown is given beforehand.
    pub fn is_fixed(&self, column: usize) -> bool {
        self.is_fixed[column]
    }

    /// Whether a row takes part.
    #[inline(always)]
    pub(crate) fn counts(&self, row: usize) -> bool {
        self.kinds[row] != RowKind::Off
    }

    /// Whether a row has no error.
    #[inline(always)]
    pub(crate) fn is_exact(&self, row: usize) -> bool {
        self.kinds[row] == RowKind::Exact
    }
}
