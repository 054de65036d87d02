//! How many operations inverse and forward dynamics take: the library's kernels traced, and the
//! lean forms.
//!
//! `cargo run --release -p featherline-tools --bin lean_counts` prints a table in Markdown:
//! additions, multiplications and divisions together, sines and cosines apart.

use featherline::joint::JointKind;
use featherline::model::{JointSpec, ModelBuilder, ModelError};
use featherline::quantity;
use featherline::samples::tapered_chain;
use featherline::scalar::Operations;
use featherline::spatial::{Inertia, Mat3, Se3, Sym3, Vec3};
use featherline::{Error, Model};
use featherline_compile::Quantity;

/// A chain of equal links in which no figure is zero.
fn general_chain(links: usize) -> Result<Model, ModelError> {
    let turned = Mat3::from_roll_pitch_yaw(0.3, -0.7, 1.1);
    let placement = Se3::new(turned, Vec3::new(0.3, 0.2, 0.5));
    let moments = Sym3::diagonal(Vec3::new(0.04, 0.05, 0.03)).conjugated_by(&turned);
    let body = Inertia::new(1.5, Vec3::new(0.1, 0.15, 0.2), moments);
    let mut builder = ModelBuilder::new(format!("general_chain_{links}"));
    let mut parent = ModelBuilder::UNIVERSE;
    for i in 0..links {
        let kind = JointKind::revolute(Vec3::new(2.0, 2.0, 1.0));
        let joint = JointSpec::new(format!("joint_{i}"), parent, kind).placement(placement);
        parent = builder.add_joint(joint);
        builder.add_body(parent, format!("link_{i}"), Se3::identity(), body);
    }
    Ok(builder.build()?.model)
}

fn arithmetic(o: &Operations) -> u64 {
    o.additions + o.multiplications + o.divisions + o.square_roots + o.other
}

fn row(model: &Model, is_chain: bool) -> Result<(), Error> {
    print!("| {} | {} |", model.name(), model.nv());
    for (quantity, slope, offset) in [
        (Quantity::of(quantity::Rnea), 174, 208),
        (Quantity::of(quantity::Aba), 429, 507),
    ] {
        let kernel = quantity.trace(model)?;
        let lean = quantity.trace_lean(model)?;
        let all = [
            kernel.graph.count(),
            kernel.simplified().graph.count(),
            lean.graph.count(),
            lean.simplified().graph.count(),
        ];
        let [kernel, simplified, lean, least] = all.map(|o| arithmetic(&o));
        let textbook = slope * model.nv() - offset;
        if is_chain {
            let ratio = least as f64 / textbook as f64;
            print!(" {textbook} | {kernel} | {simplified} | {lean} | {least} | {ratio:.2} |");
        } else {
            print!(" | {kernel} | {simplified} | {lean} | {least} | |");
        }
    }
    println!();
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let columns = "kernel | simplified | lean | simplified | ratio |";
    println!("| robot | N | 174N − 208 | {columns} 429N − 507 | {columns}");
    println!("|---|---|{}", "---|".repeat(12));
    for links in [4, 6, 8, 10, 15, 20, 25, 30] {
        row(&tapered_chain(links), true)?;
    }
    for links in [4, 10, 20, 30] {
        row(&general_chain(links)?, true)?;
    }
    for name in ["panda", "ur5", "hand"] {
        row(
            &featherline_robots::model(name, &Default::default())?,
            false,
        )?;
    }
    row(&featherline_robots::quadruped(), false)?;
    row(&featherline_robots::humanoid(), false)?;
    row(&featherline_robots::snake(), true)?;
    Ok(())
}
