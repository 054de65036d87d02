//! A simulation at 1 kHz that two pages follow, one of which reads nothing: does it slow the
//! simulation, does memory grow? `cargo run --release -p featherline-tools --bin soak -- 600`
//! runs for ten minutes of simulated and of real time.

use featherline::Workspace;
use featherline_formats::Robot;
use featherline_viewer::scene::Scene;
use featherline_viewer::server::{Server, State};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tungstenite::{Message, client};

const STEP: Duration = Duration::from_millis(1);

/// A page that follows states.
fn page(server: &Server) -> Result<tungstenite::WebSocket<TcpStream>, Box<dyn std::error::Error>> {
    let live = server.address().replacen("http", "ws", 1);
    let live = live.replace("/?", "/live?");
    let host = live.trim_start_matches("ws://").split('/').next();
    let stream = TcpStream::connect(host.unwrap_or_default())?;
    Ok(client(live, stream)?.0)
}

/// Memory that the process has in use, in MB; zero where the system does not tell.
fn memory() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text
        .split_whitespace()
        .nth(1)
        .and_then(|it| it.parse().ok());
    pages.unwrap_or(0.0) * 4096.0 / 1e6
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seconds: u64 = std::env::args().nth(1).map_or(Ok(10), |it| it.parse())?;
    let model = featherline_robots::humanoid();
    let server = Server::start(&Scene::of_robot(&Robot::from_model(model.clone())))?;
    let mut reader = page(&server)?;
    // Its buffers fill, and it never reads.
    let _stalled = page(&server)?;
    let reading = std::thread::spawn(move || {
        let mut states = 0_u64;
        while let Ok(message) = reader.read() {
            states += u64::from(matches!(message, Message::Text(_)));
        }
        states
    });

    let mut ws = Workspace::new(&model);
    let (mut q, mut v) = (model.neutral_configuration(), vec![0.0; model.nv()]);
    let tau = vec![0.0; model.nv()];
    let mut longest = Duration::ZERO;
    let mut shown = Duration::ZERO;
    let mut late = 0_u64;
    let begun = Instant::now();
    for step in 0..seconds * 1000 {
        // Semi-implicit Euler with damping, so that the motion lasts.
        let a = model.aba(&mut ws, &q, &v, &tau)?.to_vec();
        for (v, a) in v.iter_mut().zip(&a) {
            *v = 0.99 * (*v + 1e-3 * a);
        }
        let dq: Vec<f64> = v.iter().map(|v| 1e-3 * v).collect();
        q = model.integrate(&q, &dq)?;
        let t = step as f64 * 1e-3;
        let before = Instant::now();
        server.show(&State {
            t: Some(t),
            q: &q,
            v: &v,
            tau: Some(&tau),
            ..State::default()
        });
        let took = before.elapsed();
        longest = longest.max(took);
        shown += took;
        let due = STEP * (step as u32 + 1);
        match due.checked_sub(begun.elapsed()) {
            Some(rest) => std::thread::sleep(rest),
            None => late += 1,
        }
        if step % 60_000 == 59_999 || step + 1 == seconds * 1000 {
            let each = shown / (step as u32 + 1);
            println!(
                "{:.0} s: show {each:?} a call, {longest:?} at most; {late} steps late; {:.1} MB; {} pages",
                t,
                memory(),
                server.pages()
            );
        }
    }
    drop(server);
    let states = reading.join().map_err(|_| "the reading page failed")?;
    println!("{states} states were read by one page, none by the other");
    Ok(())
}
