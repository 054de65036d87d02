//! Base parameters: the combinations of dynamic parameters that motion can tell apart.
//!
//! The columns of the regressor depend on one another: a base that is fixed has a mass that no
//! joint feels. A basis of the columns, and what the others are in it, follow from regressors at
//! random states (M. Gautier, *Numerical calculation of the base inertial parameters of robots*,
//! 1991). Any joint kind, any tree. For most trees the same follows from their
//! [structure](Model::structural_base_parameters), without sampled states.

use super::body::BODY_PARAMETERS;
use crate::error::Error;
use crate::model::Model;
use crate::random::{RandomSource, SplitMix64};
use crate::workspace::Workspace;
use nalgebra::{DMatrix, DVector};

/// A column whose part outside the span of those before it is smaller than this, relative to the
/// column, depends on them. Dependence leaves some 1e-13, independence a part of order one.
pub(super) const DEPENDENT: f64 = 1e-8;

/// A column that is smaller than this, relative to the greatest one, is zero but for rounding.
const ZERO: f64 = 1e-12;

/// Base parameters of a model: the result of [`Model::base_parameters`].
#[derive(Clone, Debug, PartialEq)]
pub struct BaseParameters {
    /// The columns of the regressor that form the basis, in ascending order.
    pub columns: Vec<usize>,
    /// The matrix from the dynamic parameters to the base parameters: one row for each base
    /// parameter, one column for each dynamic parameter. Row k has a one in column `columns[k]`.
    pub map: DMatrix<f64>,
}

impl BaseParameters {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether no motion depends on any parameter.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The values that dynamic parameters give.
    ///
    /// # Panics
    /// If there are not as many as the map has columns.
    pub fn values(&self, parameters: &[f64]) -> DVector<f64> {
        &self.map * DVector::from_column_slice(parameters)
    }

    /// The columns of the basis, from a regressor: its product with the base parameters is that of
    /// the whole with the dynamic ones.
    ///
    /// # Panics
    /// If the regressor has fewer columns than the map.
    pub fn select(&self, regressor: &DMatrix<f64>) -> DMatrix<f64> {
        regressor.select_columns(&self.columns)
    }
}

impl Model {
    /// The base parameters of the robot, by regressors at random states: a basis of what motion and
    /// joint forces can identify of the 10 n [dynamic parameters](Self::dynamic_parameters).
    ///
    /// A parameter is in the basis unless its column depends on those before it, so that parameters
    /// of a body are regrouped with those of bodies nearer to the root. The states are the same in
    /// each call. [`structural_base_parameters`](Self::structural_base_parameters) finds the same
    /// without states, where the joints allow it. Cost O(n³); it allocates. Source: Gautier 1991.
    ///
    /// # Errors
    /// As [`joint_torque_regressor_into`](Self::joint_torque_regressor_into).
    ///
    /// ```
    /// use featherline::samples;
    ///
    /// // Of each rod that swings in a plane, one moment of inertia and a first moment of two
    /// // components; the elbow's mass acts as part of the upper rod.
    /// let base = samples::double_pendulum().base_parameters()?;
    /// assert_eq!(base.len(), 6);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn base_parameters(&self) -> Result<BaseParameters, Error> {
        let (nv, count) = (self.nv(), self.parameter_count());
        let mut ws = Workspace::<f64>::new(self);
        let mut random = SplitMix64::new(0);
        // Twice as many rows as columns, so that chance makes no column dependent.
        let states = (2 * count).div_ceil(nv.max(1));
        let mut rows = DMatrix::zeros(states * nv, count);
        let mut one = DMatrix::zeros(nv, count);
        for state in 0..states {
            let q = self.random_configuration(&mut random);
            let mut tangent = || (0..nv).map(|_| 2.0 * random.uniform() - 1.0).collect();
            let (v, a): (Vec<f64>, Vec<f64>) = (tangent(), tangent());
            self.joint_torque_regressor_into(&mut ws, &q, &v, &a, &mut one)?;
            rows.rows_mut(state * nv, nv).copy_from(&one);
        }
        Ok(basis(&rows))
    }

    /// The ten dynamic parameters of each joint's body, one after the other, in the order of
    /// [`DynamicParameters::to_array`](crate::spatial::DynamicParameters::to_array): m, m c (x, y,
    /// z), and xx, xy, yy, xz, yz, zz of the rotational inertia about the origin of the joint's
    /// output frame, in its axes. SI units.
    ///
    /// ```
    /// use featherline::samples;
    ///
    /// let parameters = samples::double_pendulum().dynamic_parameters();
    /// assert_eq!((parameters.len(), parameters[0], parameters[10]), (20, 1.0, 1.0));
    /// ```
    pub fn dynamic_parameters(&self) -> Vec<f64> {
        let bodies = self.joints()[1..].iter();
        bodies
            .flat_map(|joint| joint.inertia.to_parameters().to_array())
            .collect()
    }

    /// How many dynamic parameters all bodies have.
    pub(crate) fn parameter_count(&self) -> usize {
        BODY_PARAMETERS * (self.joints().len() - 1)
    }
}

/// A basis of a matrix's columns, by orthogonalisation (Gram-Schmidt, twice each).
pub(super) fn basis(matrix: &DMatrix<f64>) -> BaseParameters {
    let count = matrix.ncols();
    let norms: Vec<f64> = matrix.column_iter().map(|column| column.norm()).collect();
    let greatest = norms
        .iter()
        .fold(0.0_f64, |greatest, &norm| greatest.max(norm));
    let mut orthogonal: Vec<DVector<f64>> = Vec::new();
    let mut columns = Vec::new();
    // R of the columns in the basis, and of the others.
    let mut coordinates: Vec<DVector<f64>> = Vec::new();
    for (column, &norm) in matrix.column_iter().zip(&norms) {
        let mut rest = column.clone_owned();
        let mut own = DVector::zeros(count);
        for _ in 0..2 {
            for (k, unit) in orthogonal.iter().enumerate() {
                let along = unit.dot(&rest);
                rest.axpy(-along, unit, 1.0);
                own[k] += along;
            }
        }
        let left = rest.norm();
        if norm > ZERO * greatest && left > DEPENDENT * norm {
            own[orthogonal.len()] = left;
            orthogonal.push(rest / left);
            columns.push(coordinates.len());
        }
        coordinates.push(own);
    }
    let rank = columns.len();
    let all = DMatrix::from_fn(rank, count, |row, column| coordinates[column][row]);
    let triangular = all.select_columns(&columns);
    // Every column of the basis has a positive number on R's diagonal.
    let map = triangular.solve_upper_triangular(&all).unwrap_or(all);
    BaseParameters {
        columns,
        map: without_rounding(map),
    }
}

/// A map with exact zeros and ones where rounding left nearly those.
pub(super) fn without_rounding(mut map: DMatrix<f64>) -> DMatrix<f64> {
    for x in map.iter_mut() {
        let near = x.round();
        if (*x - near).abs() < DEPENDENT && near.abs() <= 1.0 {
            *x = near;
        }
    }
    map
}
