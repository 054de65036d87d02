//! dynibo as a contender in the side-by-side benchmark.
//!
//! Its model is the layout that Pinocchio's exporter writes: it names the URDF, and tells where
//! each joint's coordinates stand in the file of states. States are turned to dynibo's coordinates
//! when they are read, and answers are turned back, neither of which is timed.

mod coordinates;
mod robot;

use anyhow::Result;
use featherline_bench_protocol::server::{Call, serve};
use robot::Contender;
use std::time::Instant;

fn main() -> Result<()> {
    let version = format!(
        "dynibo 0.5.3, {}",
        option_env!("FEATHERLINE_COMPILER").unwrap_or("compiler not known")
    );
    serve(&version, &[&FORWARD_KINEMATICS, &RNEA, &BIAS, &CRBA, &ABA])
}

/// Makes a call of the method that runs it at a state, and the method that reads its result.
macro_rules! call {
    ($constant:ident, $name:literal, $run:ident, $read:ident) => {
        const $constant: Call<Contender> = Call {
            name: $name,
            time_pass: |robot| {
                let begin = Instant::now();
                for index in 0..robot.count() {
                    robot.$run(index)?;
                }
                Ok(begin.elapsed().as_secs_f64() * 1e9 / robot.count() as f64)
            },
            answer: |robot, index| {
                robot.$run(index)?;
                robot.$read(index)
            },
        };
    };
}

call!(
    FORWARD_KINEMATICS,
    "forward_kinematics",
    forward_kinematics,
    placements
);
call!(RNEA, "rnea", rnea, forces);
call!(BIAS, "bias", bias, forces);
call!(CRBA, "crba", crba, mass_matrix);
call!(ABA, "aba", aba, accelerations);
