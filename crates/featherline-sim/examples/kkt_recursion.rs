//! The blocks of the recursion in maximal coordinates, printed for a double pendulum, and checked
//! against one dense solve of the whole KKT system.

use featherline::{Workspace, samples};
use featherline_sim::maximal::{
    KktBlocks, MaximalState, MaximalWorkspace, kkt_recursion, substitute,
};
use nalgebra::{DMatrix, DVector};
use std::error::Error;

/// Prints the blocks, and compares the accelerations.
pub fn main() -> Result<(), Box<dyn Error>> {
    let model = samples::double_pendulum();
    let (q, v, tau) = ([0.3, -0.2], [1.0, 0.5], [0.0, 0.0]);
    let mut tree = Workspace::new(&model);
    let state = MaximalState::from_joints(&model, &mut tree, &q, &v)?;
    let mut ws = MaximalWorkspace::new(&model)?;
    let blocks = kkt_recursion(&model, &mut ws, &state, &tau, &[])?;
    for own in &blocks {
        println!("== {}", model.joint(own.joint).name);
        println!(
            "M{:.3}f{:.3}C{:.3}C_above{:.3}d{:.3}",
            own.M, own.f, own.C, own.C_above, own.d
        );
        println!("W{:.3}w{:.3}S{:.3}s{:.3}", own.W, own.w, own.S, own.s);
    }
    let found = substitute(&blocks);
    let whole = dense(&blocks).ok_or("the system is singular")?;
    for (n, acceleration) in found.accelerations.iter().enumerate() {
        println!("v̇ of body {}{acceleration:.6}", n + 1);
        assert!((acceleration - whole.fixed_rows::<6>(6 * n)).amax() < 1e-9);
    }
    Ok(())
}

/// All unknowns of the system at once: accelerations, then multipliers.
fn dense(blocks: &[KktBlocks]) -> Option<DVector<f64>> {
    let bodies = 6 * blocks.len();
    let size = bodies + blocks.iter().map(|own| own.d.len()).sum::<usize>();
    let (mut kkt, mut right) = (DMatrix::zeros(size, size), DVector::zeros(size));
    let mut row = bodies;
    for (n, own) in blocks.iter().enumerate() {
        let count = own.d.len();
        kkt.view_mut((6 * n, 6 * n), (6, 6)).copy_from(&own.M);
        right.rows_mut(6 * n, 6).copy_from(&own.f);
        right.rows_mut(row, count).copy_from(&own.d);
        let above = own.above.index().checked_sub(1);
        let above = above.map(|above| (above, &own.C_above));
        for (body, c) in [(n, &own.C)].into_iter().chain(above) {
            kkt.view_mut((row, 6 * body), (count, 6)).copy_from(c);
            kkt.view_mut((6 * body, row), (6, count))
                .copy_from(&c.transpose());
        }
        row += count;
    }
    kkt.lu().solve(&right)
}
