//! Gaps of loops, assembly of configurations that close them, and projection of velocities.

use super::dynamics::{constrain, correct, respond};
use super::independent_rows::find_independent_rows;
use super::rounded_axes::{self, ROUNDED_AXES};
use super::{LoopError, LoopWorkspace, Result};
use crate::delassus::{REDUNDANT, dot, factorise_delassus};
use featherline::kernel::check_size;
use featherline::model::{LoopId, Model};
use featherline::spatial::Motion;
use featherline::{configuration, kernel};
use nalgebra::DMatrix;

/// Gaps in m and rad of closed loops: more than rounding on robots of some metres.
const CLOSED: f64 = 1e-10;

/// A gap that is this small is not made smaller.
const EXACT: f64 = 1e-14;

/// The least pivot of constraints that may reduce an allowed gap. A constraint that restricts less
/// than some 2·10⁻⁴ of a motion leads into a singular configuration. A few times the pivot from
/// which constraints restrict velocities.
const HELD_WELL: f64 = 6e-8;

/// More steps than assembly takes where it succeeds, each of which squares the error near its end.
const MOST_STEPS: usize = 200;

/// No coordinate is moved by more, in m and rad: further off, the linear view misleads.
const LONGEST_STEP: f64 = 0.5;

/// How far a step may be shortened before it is given up.
const SHORTEST_SCALE: f64 = 1e-4;

/// How far loops are from closed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoopGap {
    /// The largest gap of a loop joint: how far its two frames are from a placement that the joint
    /// allows, as the length of a six-vector in m and rad.
    pub position: f64,
    /// The largest relative velocity of a loop joint's frames along directions that the joint
    /// blocks, in m/s and rad/s.
    pub velocity: f64,
    /// The loop joint with the largest gap; none if there is no loop.
    pub widest: Option<LoopId>,
}

/// How far the loops are from closed at `q` (nq entries), and how fast they open at `v` (nv
/// entries).
///
/// Cost O(n + lengths of the loops); allocates nothing.
///
/// # Errors
/// [`LoopError::Tree`] for sizes, foreign workspaces and numbers that are not finite;
/// [`LoopError::DependentMotions`].
pub fn loop_gap(model: &Model, ws: &mut LoopWorkspace, q: &[f64], v: &[f64]) -> Result<LoopGap> {
    ws.check(model)?;
    kernel::link_kinematics(model, &mut ws.tree, q, v)?;
    constrain(model, ws, Some(v), true)?;
    let mut gap = widest_gap(model, ws);
    for closing in &ws.loops {
        let moving = closing.basis.columns.tr_mul(&closing.velocity.into());
        gap.velocity = gap
            .velocity
            .max(moving.rows(0, closing.basis.rigid()).norm());
    }
    Ok(gap)
}

/// How far each loop is from closed at `q` (nq entries), in the order of
/// [`loop_joints`](Model::loop_joints): the displacement in m and rad of a loop joint's frames from
/// a placement that the joint allows, in its output frame.
///
/// Cost and errors as [`loop_gap`](crate::loop_gap); allocates nothing.
///
/// ```
/// use featherline_constraint::loop_gaps;
/// use featherline_constraint::LoopWorkspace;
/// use featherline::samples;
///
/// let model = samples::four_bar();
/// let mut ws = LoopWorkspace::new(&model)?;
/// let q = [0.4, 0.0, 0.0]; // the crank rotated, the others as before
/// let gaps: Vec<_> = loop_gaps(&model, &mut ws, &q)?.collect();
/// // A hinge leaves the rotation in the plane free.
/// assert!(gaps.len() == 1 && gaps[0].linear.norm() > 0.03 && gaps[0].angular.norm() < 1e-12);
/// # Ok::<(), featherline_constraint::LoopError>(())
/// ```
pub fn loop_gaps<'w>(
    model: &Model,
    ws: &'w mut LoopWorkspace,
    q: &[f64],
) -> Result<impl ExactSizeIterator<Item = Motion<f64>> + use<'w>> {
    ws.check(model)?;
    open(model, ws, q, &[])?;
    Ok(ws.loops.iter().map(|closing| closing.gap))
}

/// Moves a configuration to one nearby in which all loops are closed to 1e-10 m and rad, most often
/// to rounding.
///
/// The method is Gauss-Newton. Each step is the shortest change of the coordinates that closes the
/// linearised loops; it is shortened if it makes the gaps larger. For small gaps the result is the
/// nearest closed configuration, up to terms of second order in the gap. For large gaps it may be
/// another one, even in another assembly mode of the linkage. The method works from gaps that are a
/// fraction of the loops' lengths. One or two steps remove the drift of an integrator.
///
/// `q` has nq entries, and is unchanged if the loops do not close. Returns the gap that is left.
///
/// Cost of a step O(n d + m² n + m³); allocates nothing.
///
/// # Errors
/// [`LoopError::AssemblyFailed`], with the joint and its gap; else as
/// [`loop_gap`](crate::loop_gap).
///
/// ```
/// use featherline_constraint::{assemble, loop_gap};
/// use featherline_constraint::LoopWorkspace;
/// use featherline::samples;
///
/// let model = samples::four_bar();
/// let mut ws = LoopWorkspace::new(&model)?;
/// let mut q = [0.4, 0.0, 0.0]; // the crank rotated, the others as before
/// assert!(loop_gap(&model, &mut ws, &q, &[0.0; 3])?.position > 0.03);
/// let gap = assemble(&model, &mut ws, &mut q)?;
/// assert!(gap.position < 1e-10);
/// # Ok::<(), featherline_constraint::LoopError>(())
/// ```
pub fn assemble(model: &Model, ws: &mut LoopWorkspace, q: &mut [f64]) -> Result<LoopGap> {
    assemble_within(model, ws, q, CLOSED, 0)
}

/// [`assemble`](crate::assemble) by the other coordinates alone: those with the indices `held`, of
/// velocities, stay as they are. So a linkage follows the coordinates that drive it.
///
/// Fails where the loops do not close so: the coordinates held are out of reach, or are more than
/// the linkage leaves free. Cost of a step as [`assemble`](crate::assemble); allocates nothing.
///
/// # Errors
/// [`LoopError::AssemblyFailed`], with the joint and its gap; [`LoopError::Tree`] for an index that
/// the model does not have; else as [`loop_gap`](crate::loop_gap).
///
/// ```
/// use featherline::samples;
/// use featherline_constraint::{LoopWorkspace, assemble_holding};
///
/// let model = samples::four_bar();
/// let mut ws = LoopWorkspace::new(&model)?;
/// let mut q = [0.4, 0.0, 0.0]; // the crank rotated, the others as before
/// let gap = assemble_holding(&model, &mut ws, &mut q, &[0])?;
/// assert!(q[0] == 0.4 && q[1] != 0.0); // the others follow the crank
/// assert!(gap.position < 1e-9);
/// # Ok::<(), featherline_constraint::LoopError>(())
/// ```
pub fn assemble_holding(
    model: &Model,
    ws: &mut LoopWorkspace,
    q: &mut [f64],
    held: &[usize],
) -> Result<LoopGap> {
    for &coordinate in held {
        // An index is one of the coordinates if a vector of so many entries and one more fits.
        if coordinate >= model.nv() {
            check_size("the coordinates that are held", model.nv(), coordinate + 1)?;
        }
    }
    assemble_holding_within(model, ws, q, held, CLOSED, 0)
}

/// [`assemble`](crate::assemble), with what rounded axes leave open where no more than so many
/// constraints are redundant.
pub fn assemble_with_rounded_axes(
    model: &Model,
    ws: &mut LoopWorkspace,
    q: &mut [f64],
    most_redundant: usize,
) -> Result<LoopGap> {
    assemble_within(model, ws, q, CLOSED, most_redundant)
}

/// [`assemble`](crate::assemble), with a gap of up to `allowed` m and rad left where no step
/// reduces it. Next to a singular configuration there is a direction in which no constraint closes
/// the gap. Redundant constraints, if there are no more than so many, may also leave the gap of
/// rounded axes.
pub fn assemble_within(
    model: &Model,
    ws: &mut LoopWorkspace,
    q: &mut [f64],
    allowed: f64,
    most_redundant: usize,
) -> Result<LoopGap> {
    assemble_holding_within(model, ws, q, &[], allowed, most_redundant)
}

fn assemble_holding_within(
    model: &Model,
    ws: &mut LoopWorkspace,
    q: &mut [f64],
    held: &[usize],
    allowed: f64,
    most_redundant: usize,
) -> Result<LoopGap> {
    ws.check(model)?;
    check_size("q", model.nq(), q.len())?;
    let mut gap = open(model, ws, q, held)?;
    let before = gap.position;
    // The configuration from which the next step goes; the workspace's is the one that is tried.
    let mut here = std::mem::take(&mut ws.nearest);
    here.copy_from_slice(q);
    let closed = close(model, ws, &mut here, held, &mut gap, allowed);
    ws.nearest = here;
    closed?;
    let is_open_by_rounding = || {
        (1..=most_redundant).contains(&ws.independence.redundant())
            && ws.is_open_by_rounding(rounded_axes::gap, 1.0, CLOSED)
    };
    if gap.position > allowed && !is_open_by_rounding() {
        let name = gap.widest.map(|id| model.loop_joint(id).name.clone());
        let (joint, gap) = (name.unwrap_or_default(), gap.position);
        return Err(LoopError::AssemblyFailed { joint, gap, before });
    }
    q.copy_from_slice(&ws.nearest);
    Ok(gap)
}

/// Removes from each column of a matrix (nv rows), a velocity, the part that opens loops, as
/// [`project_velocity`](crate::project_velocity) does.
///
/// The loops are evaluated and factorised once, O(n d + m² n + m³), and each column costs O(m n).
///
/// # Errors
/// As [`project_velocity`](crate::project_velocity).
///
/// ```
/// use featherline::samples;
/// use featherline_constraint::{LoopWorkspace, project_velocities};
/// use nalgebra::DMatrix;
///
/// let model = samples::four_bar();
/// let mut ws = LoopWorkspace::new(&model)?;
/// let mut allowed = DMatrix::identity(3, 3);
/// project_velocities(&model, &mut ws, &[0.0; 3], &mut allowed)?;
/// // One degree of freedom is left: the trace of a projection is its rank.
/// assert!((allowed.trace() - 1.0).abs() < 1e-9);
/// # Ok::<(), featherline_constraint::LoopError>(())
/// ```
pub fn project_velocities(
    model: &Model,
    ws: &mut LoopWorkspace,
    q: &[f64],
    velocities: &mut DMatrix<f64>,
) -> Result<()> {
    ws.check(model)?;
    check_size("velocities", model.nv(), velocities.nrows())?;
    model.forward_kinematics(&mut ws.tree, q)?;
    constrain(model, ws, None, false)?;
    respond(model, ws, q)?;
    ws.residual.target.fill(0.0);
    for mut column in velocities.column_iter_mut() {
        ws.tangent.copy_from_slice(column.as_slice());
        correct(ws);
        column.as_mut_slice().copy_from_slice(&ws.tangent);
    }
    Ok(())
}

/// Removes from a velocity the part that opens loops. The correction is that of an impulse of the
/// loop joints, M (v' − v) = Kᵀ λ, which changes the kinetic energy as little as possible. `v` has
/// nv entries.
///
/// Returns the largest velocity in m/s and rad/s with which a loop still opens. It is rounding,
/// unless a weak constraint counts as redundant (see
/// [`LoopDynamics::redundant`](super::LoopDynamics::redundant)): the velocity along it is not
/// removed, which is no error. Cost as
/// [`loop_dynamics`](crate::loop_dynamics); allocates nothing.
///
/// # Errors
/// As [`loop_gap`](crate::loop_gap), and [`LoopError::Tree`] as [`ltdl`](Model::ltdl) has.
pub fn project_velocity(
    model: &Model,
    ws: &mut LoopWorkspace,
    q: &[f64],
    v: &mut [f64],
) -> Result<f64> {
    ws.check(model)?;
    kernel::link_kinematics(model, &mut ws.tree, q, v)?;
    constrain(model, ws, None, false)?;
    respond(model, ws, q)?;
    ws.tangent.copy_from_slice(v);
    ws.residual.target.fill(0.0);
    let missed = correct(ws);
    v.copy_from_slice(&ws.tangent);
    Ok(missed)
}

/// Steps towards closed loops from `here` until nothing is gained.
fn close(
    model: &Model,
    ws: &mut LoopWorkspace,
    here: &mut [f64],
    fixed: &[usize],
    gap: &mut LoopGap,
    allowed: f64,
) -> Result<()> {
    for _ in 0..MOST_STEPS {
        if gap.position <= EXACT {
            break;
        }
        let least = if gap.position > allowed {
            REDUNDANT
        } else {
            HELD_WELL
        };
        let (longest, held) = shortest_step(ws, least);
        if held <= EXACT {
            break;
        }
        let mut scale = (LONGEST_STEP / longest).min(1.0);
        let (next, is_nearer) = loop {
            for k in 0..model.nv() {
                ws.step[k] = ws.tangent[k] * scale;
            }
            let mut tried = std::mem::take(&mut ws.configuration);
            let moved = configuration::integrate_into(model, here, &ws.step, &mut tried);
            let next = moved
                .map_err(LoopError::from)
                .and_then(|()| open(model, ws, &tried, fixed));
            ws.configuration = tried;
            let next = next?;
            // Where constraints contradict each other by last digits, those that hold tell.
            let is_nearer = next.position < gap.position
                || next.position <= ROUNDED_AXES && ws.held(rounded_axes::gap) < 0.5 * held;
            if is_nearer || gap.position <= CLOSED || scale < SHORTEST_SCALE {
                break (next, is_nearer);
            }
            scale *= 0.5;
        };
        if !is_nearer {
            break;
        }
        here.copy_from_slice(&ws.configuration);
        *gap = next;
    }
    Ok(())
}

/// The gaps at a configuration, with K, whose columns are zero for coordinates that do not move.
fn open(model: &Model, ws: &mut LoopWorkspace, q: &[f64], fixed: &[usize]) -> Result<LoopGap> {
    model.forward_kinematics(&mut ws.tree, q)?;
    constrain(model, ws, None, true)?;
    let constraints = ws.multipliers.len();
    for &coordinate in fixed {
        ws.jacobian[constraints * coordinate..][..constraints].fill(0.0);
    }
    Ok(widest_gap(model, ws))
}

fn widest_gap(model: &Model, ws: &LoopWorkspace) -> LoopGap {
    let mut gap = LoopGap::default();
    for (id, closing) in model.loop_ids().zip(&ws.loops) {
        let own = closing.gap_length();
        if gap.widest.is_none() || own > gap.position {
            gap.position = own;
            gap.widest = Some(id);
        }
    }
    gap
}

kernel!(
    /// Writes the shortest step of the coordinates that closes the linearised loops, and returns
    /// its largest entry and the largest gap along an independent constraint.
    fn shortest_step(
        ws: &mut LoopWorkspace,
        // Constraints of no larger pivots are redundant.
        least: f64,
    ) -> (f64, f64) {
        let constraints = ws.multipliers.len();
        ws.tangent.fill(0.0);
        if constraints == 0 {
            return (0.0, 0.0);
        }
        find_independent_rows(
            &ws.loops,
            &ws.jacobian,
            &mut ws.independence,
            least,
            &mut ws.response,
        );
        let independent = ws.independence.independent();
        if independent.is_empty() {
            return (0.0, 0.0);
        }
        factorise_delassus(
            &ws.jacobian,
            &ws.response,
            constraints,
            independent,
            &mut ws.delassus,
        );
        for closing in &ws.loops {
            let gap = closing.basis.work(&closing.gap);
            for (k, row) in closing.rows().enumerate() {
                ws.residual.target[row] = -gap[k];
            }
        }
        // One step: the linear view is not to be trusted to the last digit.
        let step = &mut ws.multipliers[..independent.len()];
        let mut held = 0.0_f64;
        for (x, k) in step.iter_mut().zip(independent) {
            *x = ws.residual.target[*k];
            held = held.max(x.abs());
        }
        ws.delassus.solve(step);
        let rows = ws.response.chunks_exact(independent.len());
        for (x, row) in ws.tangent.iter_mut().zip(rows) {
            *x = dot(row, step);
        }
        let mut longest = 0.0_f64;
        for x in &ws.tangent {
            longest = longest.max(x.abs());
        }
        (longest, held)
    }
);
