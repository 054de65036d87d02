//! Whole-body inverse dynamics of a humanoid that squats on both feet.
//!
//! A controller asks for everything at once, a thousand times a second: the mass matrix, the bias,
//! both feet's Jacobians and J̇ v. [`featherline::Model::all_terms`] gives them in one pass over
//! the tree, as a view of the workspace; what has to be changed or stacked is written straight to
//! the controller's own buffers. The loop allocates nothing, which a counting allocator shows.
//!
//! With feet that stay where they are, J q̈ + J̇ v = 0. Of all such accelerations the nearest to
//! the wanted one in the metric of M is q̈ = a − M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹ (J a + J̇ v) (Gauss's
//! principle of least constraint). No motor moves the base: its six equations fix the feet's
//! forces, of which the smallest are taken. The other equations give the torques.

use featherline::configuration;
use featherline::dynamics::DynamicsOptions;
use featherline::dynamics::ltdl::factorize_ltdl;
use featherline::kernel;
use featherline::kinematics::ReferenceFrame;
use featherline::model::FrameId;
use featherline::spatial::Force;
use featherline::{Model, Workspace};
use nalgebra::{DMatrix, DVector, SMatrix, SVector, Vector6};
use std::alloc::{GlobalAlloc, Layout, System};
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Six constraints for each foot.
const CONSTRAINTS: usize = 12;
const STEPS: usize = 1000;
const TIME_STEP: f64 = 1e-3;

struct Controller {
    feet: [FrameId; 2],
    /// Both feet's Jacobians, 12 × nv, and J̇ v.
    jacobian: DMatrix<f64>,
    drift: SVector<f64, CONSTRAINTS>,
    /// The factor of the mass matrix, packed, and M⁻¹ Jᵀ.
    factor: Vec<f64>,
    response: DMatrix<f64>,
    /// The results: accelerations, the feet's forces and moments, joint torques (zero for the
    /// base).
    acceleration: DVector<f64>,
    contact: SVector<f64, CONSTRAINTS>,
    torque: DVector<f64>,
}

impl Controller {
    fn new(model: &Model) -> Result<Self, featherline::Error> {
        let nv = model.nv();
        Ok(Self {
            feet: [model.body_id("left_sole")?, model.body_id("right_sole")?],
            jacobian: DMatrix::zeros(CONSTRAINTS, nv),
            drift: SVector::zeros(),
            factor: vec![0.0; kernel::elimination_tree(model).packed_len::<f64>()],
            response: DMatrix::zeros(nv, CONSTRAINTS),
            acceleration: DVector::zeros(nv),
            contact: SVector::zeros(),
            torque: DVector::zeros(nv),
        })
    }

    /// Finds the motors' torques for the wanted acceleration, in `self.acceleration`, as far as the
    /// feet allow it.
    fn step(
        &mut self,
        model: &Model,
        ws: &mut Workspace<f64>,
        q: &[f64],
        v: &[f64],
    ) -> Result<(), featherline::Error> {
        let terms = model.all_terms(ws, q, v)?;
        let reference = ReferenceFrame::LocalWorldAligned;
        for (k, &foot) in self.feet.iter().enumerate() {
            terms.jacobian_into(foot, reference, self.jacobian.rows_mut(6 * k, 6))?;
            let drift = terms.classical_bias_acceleration(foot, reference);
            self.drift
                .fixed_rows_mut::<6>(6 * k)
                .copy_from(&Vector6::from(drift));
        }

        // M⁻¹ Jᵀ and J M⁻¹ Jᵀ.
        let tree = kernel::elimination_tree(model);
        tree.pack_into(terms.mass_matrix(), &mut self.factor)?;
        let factor = factorize_ltdl(tree, &mut self.factor)?;
        self.response.tr_copy_from(&self.jacobian);
        let mut mobility = SMatrix::<f64, CONSTRAINTS, CONSTRAINTS>::zeros();
        for (mut column, mut row) in self
            .response
            .column_iter_mut()
            .zip(mobility.column_iter_mut())
        {
            factor.solve(column.as_mut_slice())?;
            row.gemv(1.0, &self.jacobian, &column, 0.0);
        }

        // The nearest acceleration that leaves the feet where they are.
        let mut violation = self.drift;
        violation.gemv(1.0, &self.jacobian, &self.acceleration, 1.0);
        // J has full rank: each leg alone can move its foot in all six directions.
        let mobility = mobility
            .cholesky()
            .expect("the feet can move in every direction");
        let impulse = mobility.solve(&violation);
        self.acceleration.gemv(-1.0, &self.response, &impulse, 1.0);

        // The generalised forces that motors and feet produce together.
        self.torque.copy_from_slice(terms.bias());
        self.torque
            .gemv(1.0, terms.mass_matrix(), &self.acceleration, 1.0);
        let base = self.jacobian.fixed_view::<CONSTRAINTS, 6>(0, 0);
        let carried = self.torque.fixed_rows::<6>(0).into_owned();
        // A single foot is enough to carry any load of the base.
        let gram = base.tr_mul(&base).cholesky();
        let gram = gram.expect("the feet can carry any load");
        self.contact = base * gram.solve(&carried);
        self.torque
            .gemv_tr(-1.0, &self.jacobian, &self.contact, 1.0);

        // The motors overcome the joints' friction and damping as well.
        for (torque, passive) in self.torque.iter_mut().zip(model.passive_forces(ws, q, v)?) {
            *torque -= passive;
        }
        Ok(())
    }
}

/// The humanoid on both feet at the origin, its knees bent by an angle.
fn squat(
    model: &Model,
    ws: &mut Workspace<f64>,
    knee: f64,
) -> Result<Vec<f64>, featherline::Error> {
    let mut q = model.neutral_configuration();
    for side in ["left", "right"] {
        for (joint, angle) in [("hip_pitch", -0.5), ("knee", 1.0), ("ankle_pitch", -0.5)] {
            let id = model.joint_id(&format!("{side}_{joint}"))?;
            q[model.joint(id).idx_q] = angle * knee;
        }
    }
    let positions = model.forward_kinematics(ws, &q)?;
    let left = positions.placement(model.body_id("left_sole")?).translation;
    let right = positions
        .placement(model.body_id("right_sole")?)
        .translation;
    let base = -((left + right) * 0.5);
    q[..3].copy_from_slice(&base.to_array());
    Ok(q)
}

fn main() -> Result<(), Box<dyn Error>> {
    let model = featherline_robots::humanoid();
    let mut ws = Workspace::new(&model);
    let mut controller = Controller::new(&model)?;
    let goal = squat(&model, &mut ws, 0.9)?;
    let mut q = squat(&model, &mut ws, 0.4)?;
    let mut v = vec![0.0; model.nv()];
    let (mut way, mut next) = (v.clone(), q.clone());
    let feet = controller.feet;
    let soles = |ws: &mut Workspace<f64>, q: &[f64]| -> Result<_, featherline::Error> {
        let positions = model.forward_kinematics(ws, q)?;
        Ok(feet.map(|foot| positions.placement(foot).translation))
    };
    let start = soles(&mut ws, &q)?;

    let (mut greatest, begin, allocated) = (0.0_f64, Instant::now(), allocations());
    for _ in 0..STEPS {
        configuration::difference_into(&model, &q, &goal, &mut way)?;
        for k in 0..model.nv() {
            controller.acceleration[k] = 100.0 * way[k] - 20.0 * v[k];
        }
        controller.step(&model, &mut ws, &q, &v)?;
        greatest = controller
            .torque
            .iter()
            .fold(greatest, |m, t| m.max(t.abs()));
        for k in 0..model.nv() {
            v[k] += TIME_STEP * controller.acceleration[k];
            way[k] = TIME_STEP * v[k];
        }
        configuration::integrate_into(&model, &q, &way, &mut next)?;
        std::mem::swap(&mut q, &mut next);
    }
    let (allocated, time) = (allocations() - allocated, begin.elapsed() / STEPS as u32);

    let distance = model.distance(&q, &goal)?;
    let slip = soles(&mut ws, &q)?
        .iter()
        .zip(start)
        .map(|(a, b)| (*a - b).norm())
        .fold(0.0, f64::max);
    let residual = simulated_residual(&model, &mut ws, &q, &v)?;
    println!("degrees of freedom          {}", model.nv());
    println!("time of a step              {time:?}");
    println!("allocations in {STEPS} steps   {allocated}");
    println!("greatest torque             {greatest:.1} N·m");
    println!("distance to the goal        {distance:.1e}");
    println!("slip of the feet            {slip:.1e} m");
    println!("deviation of a simulation   {residual:.1e}");
    assert_eq!(allocated, 0);
    // Ten time constants have passed; the feet drift by the integration's error, of order h² a
    // step.
    assert!(distance < 1e-2 && slip < 1e-3);
    // Torques and forces reproduce the accelerations but for rounding, magnified by the condition
    // of M.
    assert!(residual < 1e-8);
    Ok(())
}

/// How far forward dynamics, given the torques and the feet's forces, is from the accelerations of
/// one more step.
fn simulated_residual(
    model: &Model,
    ws: &mut Workspace<f64>,
    q: &[f64],
    v: &[f64],
) -> Result<f64, featherline::Error> {
    let mut controller = Controller::new(model)?;
    controller.acceleration.fill(0.5);
    controller.step(model, ws, q, v)?;
    let mut forces = vec![Force::zero(); model.joints().len()];
    let positions = model.forward_kinematics(ws, q)?;
    for (k, &foot) in controller.feet.iter().enumerate() {
        let frame = model.frame(foot);
        let force = Force::from(controller.contact.fixed_rows::<6>(6 * k).into_owned());
        // From the world's axes to the sole's, and on to the frame of the joint that carries it.
        let world = positions.placement(foot).rotation;
        let local = Force::new(
            world.tr_mul_vec(force.linear),
            world.tr_mul_vec(force.angular),
        );
        forces[frame.joint.index()] += frame.placement.act_force(&local);
    }
    let options = DynamicsOptions::default().with_forces(&forces);
    let torque = controller.torque.as_slice();
    let simulated = model.forward_dynamics(ws, q, v, torque, options)?;
    let pairs = simulated.iter().zip(controller.acceleration.iter());
    Ok(pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max))
}

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

fn allocations() -> usize {
    ALLOCATIONS.load(Ordering::Relaxed)
}

/// The system's allocator, counting.
struct Counting;

// SAFETY: every call is passed on unchanged to the system's allocator.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    // SAFETY: the contract is the system allocator's, to which the call is passed on.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    // SAFETY: the contract is the system allocator's, to which the call is passed on.
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;
