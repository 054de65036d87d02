//! The inverse of the KKT matrix, and the Jacobian of the constraints.

use super::derivatives::invert;
use super::dynamics::write_rows;
use super::reference::{Side, state_rows};
use super::transpose::write_columns;
use super::workspace::ConstraintWorkspace;
use crate::loops::LoopError;
use featherline::kernel::check_size;
use featherline::model::Model;
use nalgebra::DMatrixViewMut;

/// Writes the blocks of the inverse of the KKT matrix in the configuration `q`, m rows acting:
///
/// ```text
/// ⎡ M  Kᵀ ⎤⁻¹   ⎡ P   J̄ ⎤
/// ⎣ K  0  ⎦   = ⎣ J̄ᵀ −Λ ⎦,   Λ = (K M⁻¹ Kᵀ)⁻¹,  J̄ = M⁻¹ Kᵀ Λ,  P = M⁻¹ − J̄ K M⁻¹
/// ```
///
/// * `projected`: P, nv × nv, symmetric: accelerations by joint forces while the frames are held,
/// * `generalised`: J̄, nv × m: accelerations by those of the frames; the dynamically consistent
///   inverse of K,
/// * `inertia`: Λ, m × m, symmetric: the inertia that is felt at the frames.
///
/// Rows are those of [`multipliers`](crate::ConstrainedDynamics::multipliers). The three may be
/// parts of one matrix. Where rows are redundant, Λ is the pseudo-inverse of K M⁻¹ Kᵀ in the axes
/// of the held frames. Cost O(n² d + n² m); allocates nothing.
///
/// # Errors
/// [`LoopError::Tree`] as [`ltdl`](Model::ltdl), and for matrices of other sizes;
/// [`LoopError::DependentMotions`].
///
/// ```
/// use featherline::samples;
/// use featherline_constraint::{ConstraintWorkspace, FrameConstraint, kkt_inverse};
/// use nalgebra::DMatrix;
///
/// let model = samples::humanoid();
/// let feet = ["left_ankle_roll", "right_ankle_roll"];
/// let feet = feet.map(|foot| FrameConstraint::frame(&model, foot));
/// let feet = feet.into_iter().collect::<Result<Vec<_>, _>>()?;
/// let mut ws = ConstraintWorkspace::new(&model, &feet)?;
/// let (n, m) = (model.nv(), ws.rows());
///
/// let mut inverse = DMatrix::zeros(n + m, n + m);
/// let (mut left, mut right) = inverse.columns_range_pair_mut(0..n, n..n + m);
/// let (generalised, inertia) = right.rows_range_pair_mut(0..n, n..n + m);
/// let q = model.neutral_configuration();
/// kkt_inverse(&model, &mut ws, &q, left.rows_mut(0, n), generalised, inertia)?;
/// assert!(inverse[(n, n)] > 0.0);
/// # Ok::<(), featherline_constraint::LoopError>(())
/// ```
pub fn kkt_inverse<'a, 'b, 'c>(
    model: &Model,
    ws: &mut ConstraintWorkspace,
    q: &[f64],
    projected: impl Into<DMatrixViewMut<'a, f64>>,
    generalised: impl Into<DMatrixViewMut<'b, f64>>,
    inertia: impl Into<DMatrixViewMut<'c, f64>>,
) -> Result<(), LoopError> {
    let (mut projected, mut generalised) = (projected.into(), generalised.into());
    let mut inertia = inertia.into();
    ws.check(model)?;
    let (n, m) = (model.nv(), ws.system.rows);
    check_size("rows of the projected inverse", n, projected.nrows())?;
    check_size("columns of the projected inverse", n, projected.ncols())?;
    check_size("rows of the generalised inverse", n, generalised.nrows())?;
    check_size("columns of the generalised inverse", m, generalised.ncols())?;
    check_size("rows of the inertia at the frames", m, inertia.nrows())?;
    check_size("columns of the inertia at the frames", m, inertia.ncols())?;
    write_rows(model, ws, q, None, false)?;
    let factors = model.ltdl(&mut ws.tree, q)?;
    ws.system.factorise(&factors, &ws.held[..ws.acting])?;
    invert(model, ws, q)?;
    let (held, settings) = (&ws.held[..ws.acting], &ws.settings[..ws.acting]);
    let memory = &mut ws.derivatives;
    for k in 0..n {
        let column = memory.inverse.column(k);
        projected.column_mut(k).copy_from_slice(&column[..n]);
        memory.targets[k * m..(k + 1) * m].copy_from_slice(&column[n..n + m]);
    }
    // −J̄ᵀ by columns
    let rest = &mut memory.targets[..n * m];
    state_rows(held, settings, Side::Force, rest, n, (1, m));
    for k in 0..n {
        for (r, x) in rest[k * m..(k + 1) * m].iter().enumerate() {
            generalised[(k, r)] = -x;
        }
    }
    let room = &mut memory.room[..m * m];
    room.copy_from_slice(ws.system.inverse());
    state_rows(held, settings, Side::Force, room, m, (m, 1));
    state_rows(held, settings, Side::Force, room, m, (1, m));
    for (r, row) in room.chunks_exact(m.max(1)).enumerate() {
        inertia.column_mut(r).copy_from_slice(row);
    }
    Ok(())
}

/// Writes K, m × nv, for the m rows that act in the configuration `q`: K q̇ are the velocities that
/// the constraints hold, in their references. Cost O(m d); allocates nothing.
///
/// # Errors
/// [`LoopError::Tree`] for sizes that do not fit and a configuration without placements;
/// [`LoopError::DependentMotions`].
///
/// ```
/// use featherline::samples;
/// use featherline_constraint::{ConstraintWorkspace, FrameConstraint, constraint_jacobian};
/// use nalgebra::DMatrix;
///
/// let model = samples::double_pendulum();
/// let mut ws = ConstraintWorkspace::new(&model, &[FrameConstraint::point(&model, "elbow")?])?;
/// let mut jacobian = DMatrix::zeros(3, 2);
/// constraint_jacobian(&model, &mut ws, &[0.0; 2], &mut jacobian)?;
/// // The elbow is 1 m below the shoulder, which turns about y.
/// assert_eq!(jacobian[(0, 0)], -1.0);
/// # Ok::<(), featherline_constraint::LoopError>(())
/// ```
pub fn constraint_jacobian<'o>(
    model: &Model,
    ws: &mut ConstraintWorkspace,
    q: &[f64],
    out: impl Into<DMatrixViewMut<'o, f64>>,
) -> Result<(), LoopError> {
    let mut out = out.into();
    ws.check(model)?;
    let (n, m) = (model.nv(), ws.system.rows);
    check_size("rows of the Jacobian", m, out.nrows())?;
    check_size("columns of the Jacobian", n, out.ncols())?;
    write_rows(model, ws, q, None, false)?;
    let room = &mut ws.derivatives.targets[..m * n];
    // Kᵀ by rows is K by columns; K by rows is transposed.
    write_columns(ws.system.jacobian(), m, n, m, 1.0, room);
    let (held, settings) = (&ws.held[..ws.acting], &ws.settings[..ws.acting]);
    state_rows(held, settings, Side::Motion, room, n, (n, 1));
    for (r, row) in room.chunks_exact(n.max(1)).take(m).enumerate() {
        for (p, x) in out.row_mut(r).iter_mut().zip(row) {
            *p = *x;
        }
    }
    Ok(())
}
