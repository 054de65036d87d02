//! The memory of models and workspaces.

use super::Report;
use std::fmt::{self, Write};

impl Report<'_> {
    pub(super) fn memory(&self, text: &mut String) -> fmt::Result {
        let caches = self.caches.map_or("of sizes unknown".to_owned(), |caches| {
            format!("of {} kB and {} kB", caches.l1 / 1024, caches.l2 / 1024)
        });
        writeln!(
            text,
            "## Memory\n\nBytes of a body in the model (with names, frames and limits), in a workspace of doubles for the \
             recursions, and in one for everything, whose matrices grow with the square of the degrees of freedom. A recursion \
             works on the first two, held by L1 or L2 ({caches}). Batches: all that one thread works on in a recursion, for the lanes \
             of one register; about half of it is RNEA's or ABA's.\n\n\
             | robot | bodies | model | recursive workspace | workspace | model and recursive workspace | held by | batch, f64 | held by | \
             batch, f32 | held by |\n\
             |---|---:|---:|---:|---:|---:|---|---:|---|---:|---|"
        )?;
        for robot in self.robots {
            let (footprint, bodies) = (&robot.footprint, robot.bodies.max(1));
            let held = |bytes: usize| {
                let cache = self.caches.map_or("?", |caches| caches.holding(bytes));
                format!("{} kB | {cache}", bytes.div_ceil(1000))
            };
            writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} | {} | {} |",
                robot.name,
                robot.bodies,
                footprint.model / bodies,
                footprint.recursive / bodies,
                footprint.workspace / bodies,
                held(footprint.of_recursion()),
                held(robot.batches[0]),
                held(robot.batches[1]),
            )?;
        }
        writeln!(text)
    }
}
