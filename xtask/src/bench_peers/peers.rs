//! The libraries that featherline is compared with: how each is installed and built.

use super::packages::{COMPILER, EIGEN};
use crate::{paths, python};
use anyhow::{Context, Result};
use clap::ValueEnum;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// A library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Peer {
    /// The reference, which always takes part.
    Pinocchio,
    /// MuJoCo, for the calls that its pipeline is made of.
    Mujoco,
    /// dynibo, for the calls that it has.
    Dynibo,
}

/// Instruction sets of processors narrower than this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Instructions {
    /// Vectors of 128 bits, without fused multiply-add.
    Sse2,
    /// Vectors of 256 bits, with fused multiply-add.
    Avx2,
}

impl Instructions {
    /// The name that featherline's contender knows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sse2 => "sse2",
            Self::Avx2 => "avx2",
        }
    }

    /// The greatest processor without more, as compilers call it.
    pub fn processor(self) -> &'static str {
        match self {
            Self::Sse2 => "x86-64-v2",
            Self::Avx2 => "x86-64-v3",
        }
    }
}

/// A peer that is ready to take part.
pub struct Built {
    /// Name, program and the ending of its models, as the comparison takes them.
    pub argument: String,
    /// How it was built.
    pub note: String,
    /// The exporter of its models, and their endings.
    pub exporter: Option<(&'static str, &'static [&'static str])>,
}

/// Where everything is that the peers are built from.
pub struct Workshop<'a> {
    /// The folder of the Python environment with headers, libraries and robots.
    pub prefix: &'a Path,
    /// Where to build.
    pub folder: &'a Path,
    /// The Rust compiler, as it describes itself.
    pub rustc: &'a str,
    /// The processor to build for, as compilers call it.
    pub processor: &'a str,
}

const OPTIMISATION: [&str; 3] = ["-std=c++17", "-O3", "-DNDEBUG"];
/// Definitions of Pinocchio's own CMake files.
const PINOCCHIO_DEFINES: [&str; 4] = [
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
];
/// The package that holds MuJoCo's library and headers.
const MUJOCO: &str = "mujoco-core";
const MUJOCO_VERSION: &str = "4.0.0";

impl Peer {
    /// Installs and builds the peer, unless that was done before from the same sources.
    pub fn build(self, workshop: &Workshop<'_>) -> Result<Built> {
        match self {
            Self::Pinocchio => workshop.pinocchio(),
            Self::Mujoco => workshop.mujoco(),
            Self::Dynibo => workshop.dynibo(),
        }
    }
}

impl Workshop<'_> {
    fn pinocchio(&self) -> Result<Built> {
        let library = self.prefix.join("lib");
        let processor = format!("-march={}", self.processor);
        let flags = [&OPTIMISATION[..], &[&processor], &PINOCCHIO_DEFINES].concat();
        let requirements = fs::read_to_string(paths::root().join("conformance/requirements.txt"))?;
        let mut compiler = Command::new(COMPILER);
        compiler
            .args(&flags)
            .arg("-isystem")
            .arg(self.prefix.join("include"))
            .args(["-isystem", EIGEN])
            .arg("-L")
            .arg(&library)
            .arg(format!("-Wl,-rpath,{}", library.display()));
        let program = self.compile(
            "pinocchio",
            compiler,
            &["-lboost_serialization"],
            &requirements,
        )?;
        Ok(Built {
            argument: format!("Pinocchio,{},bin", program.display()),
            note: format!(
                "Pinocchio's contender was built with `{COMPILER} {}`",
                flags.join(" ")
            ),
            exporter: Some(("pinocchio/export_model.py", &["bin", "json"])),
        })
    }

    fn mujoco(&self) -> Result<Built> {
        let package = format!("{MUJOCO}=={MUJOCO_VERSION}");
        let folder = self.folder.join(format!("{MUJOCO}-{MUJOCO_VERSION}"));
        if !folder.exists() {
            // Only a whole package gets its name.
            let unfinished = folder.with_extension("unfinished");
            python::install_into(&unfinished, &package)?;
            fs::rename(&unfinished, &folder)?;
        }
        let package_folder = folder.join("mujoco");
        let library = format!("libmujoco.so.{MUJOCO_VERSION}");
        let mut compiler = Command::new(COMPILER);
        compiler
            .args(OPTIMISATION)
            .arg(format!("-march={}", self.processor))
            .arg("-isystem")
            .arg(package_folder.join("include"))
            .arg("-L")
            .arg(&package_folder)
            .arg(format!("-Wl,-rpath,{}", package_folder.display()));
        let program = self.compile("mujoco", compiler, &[&format!("-l:{library}")], &package)?;
        Ok(Built {
            argument: format!("MuJoCo,{},xml", program.display()),
            note: format!(
                "MuJoCo's contender calls the library of the package `{package}` as it is shipped"
            ),
            exporter: Some(("mujoco/export_model.py", &["xml"])),
        })
    }

    fn dynibo(&self) -> Result<Built> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let target = self.folder.join("dynibo");
        let flags = format!("-C target-cpu={}", self.processor);
        println!("Building dynibo's contender: a few minutes the first time");
        python::run_quietly(
            Command::new(cargo)
                .args([
                    "build",
                    "--release",
                    "--locked",
                    "--quiet",
                    "--manifest-path",
                ])
                .arg(paths::root().join("bench/peers/dynibo/Cargo.toml"))
                .env("CARGO_TARGET_DIR", &target)
                .env("RUSTFLAGS", &flags)
                .env("FEATHERLINE_COMPILER", self.rustc),
        )?;
        let program = target.join("release/dynibo-contender");
        Ok(Built {
            argument: format!("dynibo,{},json", program.display()),
            note: format!(
                "dynibo's contender was built with its own profile `release` (`lto = \"fat\"`) and `{flags}`"
            ),
            exporter: None,
        })
    }

    /// Compiles `bench/peers/NAME/peer.cpp`, unless the same sources were compiled before in the
    /// same way.
    fn compile(
        &self,
        name: &str,
        mut compiler: Command,
        libraries: &[&str],
        version: &str,
    ) -> Result<PathBuf> {
        let peers = paths::root().join("bench/peers");
        let source = peers.join(name).join("peer.cpp");
        let read =
            |path: &Path| fs::read(path).with_context(|| format!("cannot read {}", path.display()));
        let mut hasher = DefaultHasher::new();
        (read(&source)?, read(&peers.join("contender.hpp"))?).hash(&mut hasher);
        (format!("{compiler:?}"), libraries, version).hash(&mut hasher);
        python::output(Command::new(COMPILER).arg("--version"))?.hash(&mut hasher);
        let program = self.folder.join(format!("{name}-{:016x}", hasher.finish()));
        if program.exists() {
            return Ok(program);
        }
        println!(
            "Building the contender {name}; Pinocchio's takes a few minutes, and over 2 GB of memory"
        );
        // Only a finished program gets its name.
        let unfinished = program.with_extension("unfinished");
        python::run_quietly(
            compiler
                .arg(&source)
                .arg("-o")
                .arg(&unfinished)
                .args(libraries),
        )?;
        fs::rename(&unfinished, &program)?;
        Ok(program)
    }
}
