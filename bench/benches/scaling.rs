//! Time per link on chains of 10 to 10,000 links; fails if it grows while the chain fits in the
//! second cache.

use anyhow::Result;
use featherline_bench::scaling::Scaling;

fn main() -> Result<()> {
    println!("Time per link on snakes of so many links (fastest of many samples, one thread)\n");
    let scaling = Scaling::measure(|work| allocation_counter::measure(work).bytes_current)?;
    println!("{}", scaling.markdown());
    scaling.check()
}
