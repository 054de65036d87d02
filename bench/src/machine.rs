//! The machine: its name, its caches, and the clock of the core that this thread runs on.

use std::fs;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use std::time::Instant;

/// The processor, and the instruction sets that matter.
pub fn description() -> String {
    let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = information.lines().find(|line| line.starts_with(name))?;
        line.split_once(':')
            .map(|(_, value)| value.trim().to_owned())
    };
    let number = |name| field(name).unwrap_or_else(|| "?".into());
    let name =
        field("model name").unwrap_or_else(|| "a processor that does not tell its name".into());
    let flags = field("flags").unwrap_or_default();
    let known = ["avx2", "fma", "avx512f", "avx512dq"];
    let found: Vec<&str> = flags
        .split(' ')
        .filter(|flag| known.contains(flag))
        .collect();
    // Of the machine, not only the one that this process is pinned to.
    let is_core = |line: &&str| line.starts_with("processor");
    let cores = information.lines().filter(is_core).count();
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!(
        "{name} (family {}, model {}), {cores} cores, {}; Linux {}",
        number("cpu family"),
        number("model\t"),
        found.join(", "),
        kernel.trim()
    )
}

/// Bytes of the data caches of one core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caches {
    /// First level.
    pub l1: usize,
    /// Second level.
    pub l2: usize,
}

impl Caches {
    /// The sizes that the system tells of the first core; none where it tells nothing.
    pub fn of_this_machine() -> Option<Self> {
        let of_level = |wanted: &str| {
            (0..8).find_map(|index| {
                let read = |name: &str| {
                    let folder = "/sys/devices/system/cpu/cpu0/cache";
                    fs::read_to_string(format!("{folder}/index{index}/{name}")).ok()
                };
                let is_wanted =
                    read("level")?.trim() == wanted && read("type")?.trim() != "Instruction";
                is_wanted
                    .then(|| parse_size(read("size")?.trim()))
                    .flatten()
            })
        };
        Some(Self {
            l1: of_level("1")?,
            l2: of_level("2")?,
        })
    }

    /// The smallest cache that holds so many bytes.
    pub fn holding(&self, bytes: usize) -> &'static str {
        if bytes <= self.l1 {
            "L1"
        } else if bytes <= self.l2 {
            "L2"
        } else {
            "beyond L2"
        }
    }
}

/// Reads sizes such as `32K`.
fn parse_size(text: &str) -> Option<usize> {
    let (number, unit) = match text.strip_suffix('K') {
        Some(number) => (number, 1 << 10),
        None => match text.strip_suffix('M') {
            Some(number) => (number, 1 << 20),
            None => (text, 1),
        },
    };
    Some(number.parse::<usize>().ok()? * unit)
}

/// The clock of the core in GHz, by a chain of additions that each wait a cycle for the one before;
/// none where it is not known how to write one. Takes about a tenth of a millisecond.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub fn clock() -> Option<f64> {
    const ROUNDS: u64 = 4_000;
    let run = || {
        let begin = Instant::now();
        let sum = add_in_chain(ROUNDS);
        std::hint::black_box(sum);
        (ROUNDS * ADDITIONS) as f64 / begin.elapsed().as_secs_f64() * 1e-9
    };
    // An interrupt only slows a run down.
    Some((0..5).map(|_| run()).fold(0.0, f64::max))
}

/// The clock of the core: not known on this architecture.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub fn clock() -> Option<f64> {
    None
}

/// Additions in one round of the chain.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const ADDITIONS: u64 = 32;

/// Adds registers, because some cores do away with the addition of a constant.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[allow(unsafe_code)]
fn add_in_chain(rounds: u64) -> u64 {
    let (mut sum, step) = (0_u64, std::hint::black_box(1_u64));
    for _ in 0..rounds {
        macro_rules! eight {
            ($line:literal) => {
                concat!($line, $line, $line, $line, $line, $line, $line, $line)
            };
        }
        // SAFETY: the instructions add one register to another, and touch neither memory nor the
        // stack.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            std::arch::asm!(
                eight!("add {sum}, {step}\n"),
                eight!("add {sum}, {step}\n"),
                eight!("add {sum}, {step}\n"),
                eight!("add {sum}, {step}\n"),
                sum = inout(reg) sum,
                step = in(reg) step,
                options(pure, nomem, nostack)
            );
            #[cfg(target_arch = "aarch64")]
            std::arch::asm!(
                eight!("add {sum}, {sum}, {step}\n"),
                eight!("add {sum}, {sum}, {step}\n"),
                eight!("add {sum}, {sum}, {step}\n"),
                eight!("add {sum}, {sum}, {step}\n"),
                sum = inout(reg) sum,
                step = in(reg) step,
                options(pure, nomem, nostack)
            );
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("32K"), Some(32_768));
        assert_eq!(parse_size("2M"), Some(2_097_152));
        assert_eq!(parse_size("512"), Some(512));
        assert_eq!(parse_size("many"), None);
    }

    #[test]
    fn caches_are_told_apart() {
        let caches = Caches { l1: 10, l2: 100 };
        let levels = [10, 11, 101].map(|bytes| caches.holding(bytes));
        assert_eq!(levels, ["L1", "L2", "beyond L2"]);
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[test]
    fn the_chain_adds_as_often_as_the_clock_counts() {
        assert_eq!(add_in_chain(7), 7 * ADDITIONS);
        // No core that runs this is slower than 100 MHz or faster than 20 GHz.
        assert!(clock().is_some_and(|clock| (0.1..20.0).contains(&clock)));
    }
}
