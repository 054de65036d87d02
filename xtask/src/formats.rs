//! The comparison of robot files, as they are read, with the libraries that their formats come
//! from; it writes the page of the book that lists all files.

use crate::bench_peers::package_prefix;
use crate::{ci, paths, python};
use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Packages with MJCF files, which are unpacked only.
const DM_CONTROL: &str = "dm-control==1.0.50";
const NEWTON: &str = "newton==1.8.0";

/// A comparison, and what the page says of it.
struct Comparison {
    /// The script that writes the reference's numbers, and the program that compares.
    name: &'static str,
    interpreter: PathBuf,
    /// Files and folders of robots; none for those that the script knows.
    robots: Vec<PathBuf>,
    /// Whether numbers are compared in random states.
    has_states: bool,
    text: &'static str,
}

/// The folder of the package dm_control.
pub fn dm_control() -> Result<PathBuf> {
    Ok(unpacked(DM_CONTROL)?.join("dm_control"))
}

/// The folders of packages with MJCF files of robots; an interpreter has MuJoCo.
pub fn robot_packages(interpreter: &Path) -> Result<Vec<PathBuf>> {
    let mujoco = python::output(Command::new(interpreter).args([
        "-c",
        "import mujoco, pathlib; print(pathlib.Path(mujoco.__file__).parent)",
    ]))?;
    let newton = unpacked(NEWTON)?.join("newton");
    Ok(vec![dm_control()?, newton, PathBuf::from(mujoco)])
}

/// The folder into which a package is unpacked, once.
fn unpacked(package: &str) -> Result<PathBuf> {
    let packages = paths::target().join("formats-packages");
    let folder = packages.join(package.replace("==", "-"));
    if !folder.exists() {
        python::install_into(&folder, package)?;
    }
    Ok(folder)
}

/// Compares, and writes the page unless it is a quick one.
pub fn run(seed: u64, states: usize, is_quick: bool) -> Result<()> {
    let mujoco = python::formats_environment()?;
    let mut robots = robot_packages(&mujoco)?;
    robots.push(paths::root().join("conformance/formats/features"));
    let interpreter = python::environment()?;
    let prefix = package_prefix(&interpreter)?;
    let package_robots = prefix.join("share/example-robot-data/robots");
    let own = ["robots", "conformance/formats/written"].map(|it| paths::root().join(it));
    let mut written = robots.clone();
    written.extend(own);
    written.push(package_robots.clone());
    let comparisons = [
        Comparison {
            name: "urdf",
            interpreter: interpreter.clone(),
            robots: Vec::new(),
            has_states: true,
            text: URDF,
        },
        Comparison {
            name: "srdf",
            interpreter,
            robots: vec![package_robots],
            has_states: false,
            text: SRDF,
        },
        Comparison {
            name: "mjcf",
            interpreter: mujoco.clone(),
            robots,
            has_states: true,
            text: MJCF,
        },
    ];
    let mut page = PAGE.to_owned();
    for comparison in comparisons {
        let table = comparison.run(seed, states)?;
        print!("{table}");
        page += comparison.text;
        page += &table;
    }
    let summary = round_trip(&mujoco, &written, states, is_quick)?;
    print!("{summary}");
    page += ROUND_TRIP;
    page += &summary;
    if !is_quick {
        let path = paths::root().join("book/src/compatibility.md");
        fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Gives MuJoCo what the MJCF writer makes of robots; returns a summary, and writes its page unless
/// it is a quick one. Fails if a file differs without a reason.
fn round_trip(
    interpreter: &Path,
    robots: &[PathBuf],
    states: usize,
    is_quick: bool,
) -> Result<String> {
    let root = paths::root();
    let mut script = Command::new(interpreter);
    script.arg(root.join("conformance/formats/round_trip.py"));
    script.args(["--states", &states.to_string()]).args(robots);
    if !is_quick {
        let page = root.join("conformance/ROUND_TRIP.md");
        script.arg("--page").arg(page);
    }
    let said = script
        .env("PYTHONDONTWRITEBYTECODE", "1")
        // Where libraries leave their logs.
        .current_dir(paths::target())
        .output()
        .context("cannot start the comparison of written files")?;
    ensure!(
        said.status.success(),
        "written files differ:\n{}",
        String::from_utf8_lossy(&said.stderr)
    );
    String::from_utf8(said.stdout).context("the summary is not UTF-8")
}

impl Comparison {
    /// The table; fails if a file differs.
    fn run(&self, seed: u64, states: usize) -> Result<String> {
        let root = paths::root();
        let script = Path::new("conformance/formats").join(self.name);
        let numbers = paths::target().join(format!("formats-{}.jsonl", self.name));
        let out = File::create(&numbers)
            .with_context(|| format!("cannot write {}", numbers.display()))?;
        let mut reference = Command::new(&self.interpreter);
        reference.arg(root.join(script).with_extension("py"));
        if self.has_states {
            reference.args(["--seed", &seed.to_string(), "--states", &states.to_string()]);
        }
        let said = reference
            .args(&self.robots)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            // Where libraries leave their logs.
            .current_dir(paths::target())
            .stdout(out)
            .stderr(Stdio::piped())
            .output()
            .context("cannot start the reference")?;
        ensure!(
            said.status.success(),
            "the reference failed:\n{}",
            String::from_utf8_lossy(&said.stderr)
        );
        let compared = ci::cargo()
            .args([
                "run",
                "--quiet",
                "--release",
                "--package",
                "featherline-conformance",
                "--features",
                "comparisons",
            ])
            .args(["--bin", self.name])
            .stdin(File::open(&numbers)?)
            .stderr(Stdio::inherit())
            .output()
            .context("cannot start cargo")?;
        let table = String::from_utf8(compared.stdout).context("the table is not UTF-8")?;
        ensure!(
            compared.status.success(),
            "{} files differ:\n{table}",
            self.name
        );
        Ok(table)
    }
}

const PAGE: &str = "\
# Files that open

Which real robot files featherline opens, and how far it agrees on them with the library that a format comes from. The page is
written by `cargo xtask conformance --formats`.

* **Numbers** are the worst difference in 20 random states, relative to the largest entry of the quantity.
* **warnings**: how many places of the file are doubtful, or are not used as they stand; such a file counts as *opened with
  warnings*. An empty field: none. `featherline check FILE` lists them.
* **load**: the shortest of five times that featherline takes to read the file, by that of the other library.
* Files that one side refuses are named with both reasons.
";

const URDF: &str = "
## URDF, beside Pinocchio

The files of `example-robot-data` 6.0.0, read by Pinocchio 4.1, on a fixed base. *links*: placements of all links; *shapes*: how many
visual and collision shapes were compared, and *placements of shapes* how far they are apart. 1e-12 is accepted.

";

const SRDF: &str = "
## SRDF, beside Pinocchio

The files of `example-robot-data` 6.0.0 with the URDF beside them, with a fixed and with a floating base. Configurations and rotors are
equal to the last bit, pairs that do not collide are equal as a set.

";

const MJCF: &str = "
## MJCF, beside MuJoCo

The files of `dm-control` 1.0.50, `newton` 1.8.0 and `mujoco` 4.0.0, compiled by MuJoCo 4.0.0, and `features/`: files of this project, one for
each feature of the format. *bodies*: masses and centres; *joints*: armature, damping, friction, stiffness, rest and range; *loops*: points
and rotations of connections and welds; *passive force*: springs and dampers of joints and of tendons that add up coordinates;
*start*: the configuration `qpos0`. 1e-10 is accepted. MuJoCo finds principal axes of a mesh to about 1e-8 and drops the products
of inertia that are left, so that inertias of such bodies, and what depends on them, agree no better.

";

const ROUND_TRIP: &str = "
## MJCF that is written

`featherline convert a.xml b.xml` loses nothing: each MJCF file above is read and written, MuJoCo compiles the original and the new
file, and the fields of both models are compared, by the names of their elements. Fields with a reason mean the same. Inertias are compared
as matrices, whatever their axes, and width and colour of tendons where these are drawn. Sizes and addresses follow from other fields.

";
