//! A quadruped on its feet, torques to forces; a humanoid on two feet, the inverse of the KKT
//! matrix.
//!
//! ```console
//! cargo run -p featherline-constraint --example held_feet
//! ```

use featherline::kinematics::ReferenceFrame;
use featherline::{Model, Workspace};
use featherline_constraint::{
    ConstraintWorkspace, FrameConstraint, constrained_dynamics, kkt_inverse,
};
use nalgebra::DMatrix;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    quadruped()?;
    humanoid()
}

/// The neutral configuration, with all joints bent a little.
fn bent(model: &Model) -> Result<Vec<f64>, featherline::Error> {
    let mut step = vec![0.3; model.nv()];
    step[..6].fill(0.0);
    model.integrate(&model.neutral_configuration(), &step)
}

fn quadruped() -> Result<(), Box<dyn Error>> {
    let model = featherline_robots::quadruped();
    let names = [
        "front_left_foot",
        "front_right_foot",
        "rear_left_foot",
        "rear_right_foot",
    ];
    let feet = names.map(|name| {
        let foot = FrameConstraint::point(&model, name)?;
        Ok(foot.expressed_in(ReferenceFrame::LocalWorldAligned))
    });
    let feet = feet
        .into_iter()
        .collect::<Result<Vec<_>, featherline_constraint::LoopError>>()?;
    let mut ws = ConstraintWorkspace::new(&model, &feet)?;
    let (q, still) = (bent(&model)?, vec![0.0; model.nv()]);
    // The torques that hold the joints against gravity; the trunk has no drive.
    let mut tau = model
        .gravity_torque(&mut Workspace::new(&model), &q)?
        .to_vec();
    tau[..6].fill(0.0);
    let found = constrained_dynamics(&model, &mut ws, &q, &still, &tau, &[])?;
    println!("quadruped, residual {:.1e} m/s²", found.residual);
    for (name, force) in names.iter().zip(found.forces) {
        let [x, y, z] = force.linear.to_array();
        println!("  {name:18} {x:8.2} {y:8.2} {z:8.2} N");
    }
    Ok(())
}

fn humanoid() -> Result<(), Box<dyn Error>> {
    let model = featherline_robots::humanoid();
    let feet = [
        FrameConstraint::frame(&model, "left_sole")?,
        FrameConstraint::frame(&model, "right_sole")?,
    ];
    let mut ws = ConstraintWorkspace::new(&model, &feet)?;
    let (n, m) = (model.nv(), ws.rows());
    let mut inverse = DMatrix::zeros(n + m, n + m);
    let (mut left, mut right) = inverse.columns_range_pair_mut(0..n, n..n + m);
    let (generalised, inertia) = right.rows_range_pair_mut(0..n, n..n + m);
    kkt_inverse(
        &model,
        &mut ws,
        &bent(&model)?,
        left.rows_mut(0, n),
        generalised,
        inertia,
    )?;
    println!("humanoid, {n} coordinates, {m} rows; inertia at the left sole, in kg:");
    println!("{:.2}", inverse.view((n, n), (3, 3)));
    Ok(())
}
