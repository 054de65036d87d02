//! Time per link on chains of 10 to 10,000 links, in one thread: the recursions cost O(n), and nothing else grows.

use featherline::{Error, Model, Workspace, samples};
use featherline_bench::states::{self, State};
use std::hint::black_box;
use std::time::Instant;

const LINKS: [usize; 4] = [10, 100, 1_000, 10_000];
/// Links to pass in one sample, so that each sample takes about a millisecond whatever the chain.
const LINKS_IN_A_SAMPLE: usize = 20_000;
const SAMPLES: usize = 101;
const STATES: usize = 2;

type Run = fn(&Model, &mut Workspace<f64>, &State) -> Result<(), Error>;

const ALGORITHMS: [(&str, Run); 3] = [
    ("RNEA", |m, ws, s| {
        m.rnea(ws, &s.q, &s.v, &s.a).map(|tau| {
            black_box(tau);
        })
    }),
    ("ABA", |m, ws, s| {
        m.aba(ws, &s.q, &s.v, &s.tau).map(|a| {
            black_box(a);
        })
    }),
    ("FK", |m, ws, s| {
        m.forward_kinematics(ws, &s.q).map(|p| {
            black_box(p);
        })
    }),
];

fn main() -> Result<(), Error> {
    println!(
        "Time per link in ns, on snakes of so many links (fastest of {SAMPLES} samples, one thread)"
    );
    print!("{:<12}", "");
    LINKS.iter().for_each(|links| print!("{links:>10}"));
    println!("{:>22}", "slowest / fastest");
    for (name, run) in ALGORITHMS {
        print!("{name:<12}");
        let mut times = Vec::new();
        for links in LINKS {
            let time = time_per_link(links, run)?;
            print!("{time:>10.1}");
            times.push(time);
        }
        times.sort_by(f64::total_cmp);
        println!("{:>22.2}", times[LINKS.len() - 1] / times[0]);
    }
    Ok(())
}

fn time_per_link(links: usize, run: Run) -> Result<f64, Error> {
    let model = samples::snake(links);
    let states = states::draw(&model, STATES, 7);
    let mut workspace = Workspace::<f64>::recursive(&model);
    let passes = LINKS_IN_A_SAMPLE.div_ceil(links * STATES);
    // Other work on the machine only adds to a time.
    let mut fastest = f64::INFINITY;
    // The first sample warms the caches and is not counted.
    for sample in 0..=SAMPLES {
        let begin = Instant::now();
        for _ in 0..passes {
            for state in &states {
                run(black_box(&model), &mut workspace, state)?;
            }
        }
        let time = begin.elapsed().as_secs_f64() * 1e9;
        if sample > 0 {
            fastest = fastest.min(time / (passes * STATES * links) as f64);
        }
    }
    Ok(fastest)
}
