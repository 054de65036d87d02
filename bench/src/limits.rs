//! Limits of a core beside multiplying and adding: shuffles, stores, and chains of operations that
//! wait for each other.
//!
//! Together with [`peak`](crate::peak) these figures tell what bounds a call: how many instructions
//! its ports take in a cycle, how fast results can be written, and how long the longest chain of
//! its operations takes.

use crate::machine;
use featherline::scalar::InstructionSet;
use std::hint::black_box;
use std::time::Instant;

/// A figure with its unit.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// The measured quantity.
    pub what: &'static str,
    /// How much.
    pub value: f64,
    /// Of what.
    pub unit: &'static str,
}

/// Passes of which the fastest counts: other work only slows one down.
const PASSES: usize = 12;

/// The time of the fastest of many passes, in seconds.
fn fastest(mut pass: impl FnMut()) -> f64 {
    let time = |_| {
        let begin = Instant::now();
        pass();
        begin.elapsed().as_secs_f64()
    };
    (0..PASSES).map(time).fold(f64::INFINITY, f64::min)
}

/// Instructions a cycle where none waits for another, and cycles where each waits for the one
/// before. Empty on processors without AVX-512.
pub fn instructions() -> Vec<Figure> {
    let mut figures = Vec::new();
    #[cfg(target_arch = "x86_64")]
    if InstructionSet::available() == InstructionSet::Avx512 {
        for loops in x86::LOOPS {
            let clock = machine::clock().unwrap_or(f64::NAN);
            let cycles = fastest(|| (loops.run)(x86::ROUNDS)) * clock * 1e9;
            let count = (loops.instructions * x86::ROUNDS) as f64;
            figures.push(if loops.is_chain {
                Figure {
                    what: loops.name,
                    value: cycles / count,
                    unit: "cycles each",
                }
            } else {
                Figure {
                    what: loops.name,
                    value: count / cycles,
                    unit: "a cycle",
                }
            });
        }
    }
    figures
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// Writes rows as results of batches are written: eight at a time, a line of each, here of a
    /// constant.
    pub fn store(rows: &mut [f64], lanes: &[[f64; 64]]) {
        // SAFETY: called only where AVX-512 is available.
        #[allow(unsafe_code)]
        unsafe {
            write::<false>(rows, lanes);
        }
    }

    /// The same with numbers that stand side by side in lanes.
    pub fn transpose(rows: &mut [f64], lanes: &[[f64; 64]]) {
        // SAFETY: called only where AVX-512 is available.
        #[allow(unsafe_code)]
        unsafe {
            write::<true>(rows, lanes);
        }
    }

    #[target_feature(enable = "avx512f")]
    fn write<const TRANSPOSE: bool>(rows: &mut [f64], lanes: &[[f64; 64]]) {
        let len = 8 * lanes.len() + 1;
        let constant = _mm512_set1_pd(0.5);
        for group in rows.chunks_exact_mut(8 * len) {
            for (k, square) in lanes.iter().enumerate() {
                let mut lines = [constant; 8];
                if TRANSPOSE {
                    for (line, number) in lines.iter_mut().zip(square.as_chunks::<8>().0) {
                        let [a, b, c, d, e, f, g, h] = *number;
                        *line = _mm512_set_pd(h, g, f, e, d, c, b, a);
                    }
                    lines = transposed(lines);
                }
                for (l, line) in lines.into_iter().enumerate() {
                    let to = &mut group[l * len + 8 * k..][..8];
                    // SAFETY: a slice of eight doubles.
                    #[allow(unsafe_code)]
                    unsafe {
                        _mm512_storeu_pd(to.as_mut_ptr(), line);
                    }
                }
            }
        }
    }

    /// Eight rows of eight numbers, by 24 shuffles, as batches do it.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn transposed(rows: [__m512d; 8]) -> [__m512d; 8] {
        let mut pairs = rows;
        for g in 0..4 {
            pairs[g] = _mm512_unpacklo_pd(rows[2 * g], rows[2 * g + 1]);
            pairs[4 + g] = _mm512_unpackhi_pd(rows[2 * g], rows[2 * g + 1]);
        }
        let mut columns = rows;
        for half in 0..2 {
            let [a, b, c, d] = [0, 1, 2, 3].map(|g| pairs[4 * half + g]);
            let ab = [
                _mm512_shuffle_f64x2::<0x44>(a, b),
                _mm512_shuffle_f64x2::<0xee>(a, b),
            ];
            let cd = [
                _mm512_shuffle_f64x2::<0x44>(c, d),
                _mm512_shuffle_f64x2::<0xee>(c, d),
            ];
            for part in 0..2 {
                columns[4 * part + half] = _mm512_shuffle_f64x2::<0x88>(ab[part], cd[part]);
                columns[4 * part + 2 + half] = _mm512_shuffle_f64x2::<0xdd>(ab[part], cd[part]);
            }
        }
        columns
    }
    /// Turns of a loop: a pass takes some ten microseconds.
    pub const ROUNDS: u64 = 4_000;

    /// Numbers that fill lines of the cache: what crosses two of them takes longer.
    #[repr(align(64))]
    struct Lines([f64; 128]);

    /// A loop of one kind of instruction.
    pub struct Loop {
        pub name: &'static str,
        /// In one turn.
        pub instructions: u64,
        /// Whether each waits for the one before.
        pub is_chain: bool,
        pub run: fn(u64),
    }

    /// An instruction for each of the registers 0 to 11, or as many times in a chain: `before`,
    /// register, `after`.
    macro_rules! twelve {
        ($before:literal, $after:literal) => {
            concat!(
                $before, "0", $after, $before, "1", $after, $before, "2", $after, $before, "3",
                $after, $before, "4", $after, $before, "5", $after, $before, "6", $after, $before,
                "7", $after, $before, "8", $after, $before, "9", $after, $before, "10", $after,
                $before, "11", $after
            )
        };
    }

    macro_rules! chain {
        ($line:literal) => {
            concat!(
                $line, $line, $line, $line, $line, $line, $line, $line, $line, $line, $line, $line
            )
        };
    }

    macro_rules! measured {
        ($($function:ident: $name:literal, $count:literal, $is_chain:literal, $text:expr;)*) => {
            $(
                fn $function(rounds: u64) {
                    let mut memory = Lines([0.5; 128]);
                    // SAFETY: a loop is run only where AVX-512 is available; it reads and writes
                    // the array alone, and tells which registers it changes.
                    #[allow(unsafe_code)]
                    unsafe {
                        std::arch::asm!(
                            // Numbers whose chains neither overflow nor become denormal.
                            "vmovupd zmm0, [{memory}]",
                            "vmovupd zmm12, [{memory}]",
                            "vmovupd zmm13, [{memory}]",
                            "2:",
                            $text,
                            "dec {rounds}",
                            "jnz 2b",
                            memory = in(reg) memory.0.as_mut_ptr(),
                            rounds = inout(reg) rounds => _,
                            out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _,
                            out("zmm4") _, out("zmm5") _, out("zmm6") _, out("zmm7") _,
                            out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
                            out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _,
                            options(nostack)
                        );
                    }
                }
            )*
            pub const LOOPS: &[Loop] = &[$(Loop {
                name: $name,
                instructions: $count,
                is_chain: $is_chain,
                run: $function,
            }),*];
        };
    }

    measured! {
        multiply_add: "multiply-add, 512 bits", 12, false, twelve!("vfmadd213pd zmm", ", zmm12, zmm13\n");
        multiply: "product, 512 bits", 12, false, twelve!("vmulpd zmm", ", zmm12, zmm13\n");
        add: "sum, 512 bits", 12, false, twelve!("vaddpd zmm", ", zmm12, zmm13\n");
        both: "product and sum in turn, 512 bits", 24, false,
            concat!(twelve!("vmulpd zmm", ", zmm12, zmm13\n"), twelve!("vaddpd zmm", ", zmm12, zmm13\n"));
        fused_and_sum: "multiply-add and sum in turn, 512 bits", 24, false,
            concat!(twelve!("vfmadd213pd zmm", ", zmm12, zmm13\n"), twelve!("vaddpd zmm", ", zmm12, zmm13\n"));
        with_load: "multiply-add with an operand in L1, 512 bits", 12, false,
            twelve!("vfmadd213pd zmm", ", zmm12, [{memory}]\n");
        shuffle: "shuffle of two registers, 512 bits", 12, false, twelve!("vunpcklpd zmm", ", zmm12, zmm13\n");
        shuffle_parts: "shuffle of parts of 128 bits, 512 bits", 12, false, twelve!("vshuff64x2 zmm", ", zmm12, zmm13, 136\n");
        with_shuffle: "multiply-add beside a shuffle, 512 bits", 24, false,
            concat!(twelve!("vfmadd213pd zmm", ", zmm12, zmm13\n"), twelve!("vunpcklpd zmm", ", zmm12, zmm13\n"));
        broadcast: "number from memory to all lanes, 512 bits", 12, false, twelve!("vbroadcastsd zmm", ", [{memory}]\n");
        load: "load from L1, 512 bits", 12, false, twelve!("vmovupd zmm", ", [{memory} + 64]\n");
        store_line: "store to one line, 512 bits", 12, false, chain!("vmovupd [{memory} + 64], zmm0\n");
        divide: "quotient, 512 bits", 12, false, twelve!("vdivpd zmm", ", zmm12, zmm13\n");
        fused_chain: "multiply-add after multiply-add", 12, true, chain!("vfmadd213sd xmm0, xmm12, xmm13\n");
        product_chain: "product after product", 12, true, chain!("vmulpd ymm0, ymm0, ymm12\n");
        sum_chain: "sum after sum", 12, true, chain!("vaddsd xmm0, xmm0, xmm12\n");
        quotient_chain: "quotient after quotient", 12, true, chain!("vdivsd xmm0, xmm12, xmm0\n");
        root_chain: "square root after square root", 12, true, chain!("vsqrtsd xmm0, xmm0, xmm0\n");
        permute_chain: "permutation of four doubles after another", 12, true, chain!("vpermpd ymm0, ymm0, 57\n");
        splat_chain: "broadcast from a register after another", 12, true, chain!("vbroadcastsd ymm0, xmm0\n");
        memory_chain: "store and load of the same 32 bytes", 12, true,
            chain!("vmovupd [{memory}], ymm0\nvmovupd ymm0, [{memory}]\n");
    }
}

/// How long lines of results take, in nanoseconds each: stores alone and with a transposition, into
/// rows of which all together fill L1, L2, and more. Empty on processors without AVX-512.
pub fn lines() -> Vec<Figure> {
    let mut figures = Vec::new();
    #[cfg(target_arch = "x86_64")]
    if InstructionSet::available() == InstructionSet::Avx512 {
        // States, lines of a row, and names.
        let sizes = [
            (32, 8, ["stored to 16 kB", "transposed to 16 kB"]),
            (256, 27, ["stored to 0.44 MB", "transposed to 0.44 MB"]),
            (256, 45, ["stored to 0.74 MB", "transposed to 0.74 MB"]),
            (256, 153, ["stored to 2.5 MB", "transposed to 2.5 MB"]),
            (256, 1250, ["stored to 20 MB", "transposed to 20 MB"]),
        ];
        for (states, lines, names) in sizes {
            // A number more than whole lines, as users' rows are.
            let mut rows = vec![0.0; states * (8 * lines + 1)];
            let lanes = vec![[0.5; 64]; lines];
            for (what, write) in names.into_iter().zip([x86::store, x86::transpose]) {
                let repeats = (1 << 19) / (states * lines) + 1;
                let time = fastest(|| {
                    for _ in 0..repeats {
                        write(black_box(&mut rows), black_box(&lanes));
                    }
                });
                figures.push(Figure {
                    what,
                    value: time / (repeats * states * lines) as f64 * 1e9,
                    unit: "ns a line",
                });
            }
        }
    }
    figures
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn every_loop_does_as_many_instructions_as_are_counted() {
        // No core does more than four of these a cycle with registers of 512 bits, or takes a
        // hundred cycles for one.
        for figure in instructions() {
            let most = if figure.unit == "a cycle" { 4.5 } else { 100.0 };
            assert!((0.05..most).contains(&figure.value), "{figure:?}");
        }
    }

    #[test]
    fn rows_hold_what_stood_in_lanes() {
        if InstructionSet::available() != InstructionSet::Avx512 {
            return;
        }
        let lines = 3;
        let lanes: Vec<[f64; 64]> = (0..lines)
            .map(|line| std::array::from_fn(|k| (64 * line + k) as f64))
            .collect();
        let len = 8 * lines + 1;
        let mut rows = vec![-1.0; 8 * len];
        x86::transpose(&mut rows, &lanes);
        for (l, row) in rows.chunks(len).enumerate() {
            for k in 0..8 * lines {
                assert_eq!(row[k], lanes[k / 8][8 * (k % 8) + l]);
            }
            assert_eq!(row[8 * lines], -1.0);
        }
        x86::store(&mut rows, &lanes);
        let written = rows.iter().filter(|x| **x == 0.5).count();
        assert_eq!(written, 8 * 8 * lines);
    }
}
