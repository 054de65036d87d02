//! A quadruped that trots over planks: the picture of the guide's gallery, simulated.
//!
//! `cargo run --release -p featherline-tools --bin trot -- FOLDER`

use featherline::Model;
use featherline_formats::{LoadOptions, load_str_with};
use featherline_sim::contact::Drives;
use featherline_sim::setup::Setup;
use featherline_viewer::picture::Picture;
use featherline_viewer::scene::{RecordedMotion, Scene};
use std::f64::consts::PI;
use std::path::PathBuf;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The length of thigh and calf, in m.
const LINK: f64 = 0.2;
/// The step of the simulation, and the time between two states that are shown, in s.
const STEP: f64 = 1e-3;
const SHOWN: f64 = 0.02;
const SECONDS: f64 = 4.0;
/// Stiffness and damping of the drives, in N·m/rad and N·m·s/rad.
const GAINS: (f64, f64) = (200.0, 4.0);

/// How the feet move.
struct Gait {
    /// The speed of the trunk, in m/s, after the first steps.
    speed: f64,
    /// A period, in s, and the share of it that a foot is on the ground.
    period: f64,
    duty: f64,
    /// The height of the hips above the feet, and how high feet are lifted, in m.
    height: f64,
    lift: f64,
    /// How far the middle of a step is before the hip, in m.
    ahead: f64,
    /// How long steps take to reach their length, in s.
    begin: f64,
}

impl Gait {
    /// The angles of thigh and calf at a time, of the legs of one diagonal.
    fn angles(&self, t: f64, is_first: bool) -> [f64; 2] {
        let share = (t / self.begin).min(1.0);
        let stride = share * self.speed * self.period * self.duty;
        let phase = (t / self.period + if is_first { 0.0 } else { 0.5 }).fract();
        // The foot goes back with the ground, and forward in an arc.
        let (x, z) = match phase < self.duty {
            true => (stride * (0.5 - phase / self.duty), self.height),
            false => {
                let swing = PI * (phase - self.duty) / (1.0 - self.duty);
                (
                    -0.5 * stride * swing.cos(),
                    self.height - share * self.lift * swing.sin(),
                )
            }
        };
        let x = x + self.ahead;
        // Thigh and calf are as long as each other: the knee bends by twice the angle at the hip.
        let calf = -2.0 * (x.hypot(z) / (2.0 * LINK)).min(1.0).acos();
        [(-x).atan2(z) - calf / 2.0, calf]
    }
}

fn main() -> Outcome<()> {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    let folder = folder.ok_or("the folder to write to is missing")?;
    let options = LoadOptions::new().library(featherline_robots::library());
    let scene = load_str_with(&course(), &options)?;
    let model = &scene.model;
    let start = Setup::default().decide(&scene)?;
    let (mut q, mut v) = (start.q.clone(), start.v.clone());
    // The first six coordinates are those of the base.
    let drives = Drives::with_gains(model, &q, |_| GAINS).without(|k| k < 6);
    let mut stepping = start.with_drives(drives).time_stepping()?;
    let gait = Gait {
        speed: 0.5,
        period: 0.4,
        duty: 0.6,
        height: 0.28,
        lift: 0.08,
        ahead: -0.01,
        begin: 0.6,
    };
    let legs = legs(model)?;
    let mut target = vec![0.0; model.nv()];
    let (mut times, mut motion) = (Vec::new(), [Vec::new(), Vec::new()]);
    let every = (SHOWN / STEP) as usize;
    for k in 0..=(SECONDS / STEP) as usize {
        let t = k as f64 * STEP;
        if k % every == 0 {
            times.push(t);
            motion[0].extend_from_slice(&q);
            motion[1].extend_from_slice(&v);
        }
        for (joints, is_first) in &legs {
            let angles = gait.angles(t, *is_first);
            for (joint, angle) in joints.iter().zip(angles) {
                target[*joint] = angle;
            }
        }
        stepping.drives_mut().move_targets(|k| target[k]);
        stepping.step(t, &mut q, &mut v, STEP)?;
    }
    println!("trot: {:.2} m in {SECONDS} s", q[0]);
    let shown = Scene::of_robot(&scene).with_recording(&RecordedMotion {
        file: "trot",
        times: &times,
        q: &motion[0],
        v: &motion[1],
        tau: None,
        contacts: None,
    });
    let picture = Picture {
        size: Some([640, 320]),
        from: Some([0.45, -1.0, 0.3]),
        q: None,
    };
    let gif = picture.gif(&shown)?;
    println!("trot.gif: {} kB", gif.len() / 1000);
    Ok(std::fs::write(folder.join("trot.gif"), gif)?)
}

/// Thigh and calf of each leg among the coordinates, and whether the leg is of the first diagonal.
fn legs(model: &Model) -> Outcome<Vec<([usize; 2], bool)>> {
    let mut legs = Vec::new();
    for (leg, is_first) in [
        ("front_left", true),
        ("rear_right", true),
        ("front_right", false),
        ("rear_left", false),
    ] {
        let coordinate = |part: &str| -> Outcome<usize> {
            Ok(model
                .joint(model.joint_id(&format!("go/{leg}_{part}_joint"))?)
                .idx_v)
        };
        legs.push(([coordinate("thigh")?, coordinate("calf")?], is_first));
    }
    Ok(legs)
}

/// A scene with the quadruped on a ground with planks across its way.
fn course() -> String {
    let mut scene = "[ground]\ncolour = [0.86, 0.88, 0.91]\n[contact]\nfriction = 0.8\n[[robot]]\nfile = 'quadruped'\nname = 'go'\n\
                     position = [0, 0, 0.315]\n"
        .to_owned();
    for (k, (x, yaw)) in [(0.45, 0.1), (0.7, -0.1), (0.95, 0.0), (1.2, 0.15)]
        .iter()
        .enumerate()
    {
        scene += &format!(
            "[[body]]\nname = 'plank_{k}'\nfixed = true\nbox = [0.08, 0.8, 0.024]\n\
             position = [{x}, 0, 0.01]\nrpy = [0, 0, {yaw}]\ncolour = [0.72, 0.53, 0.33]\n"
        );
    }
    scene
}
