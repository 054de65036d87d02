//! Steps as bytes, for processors of x86-64.

use super::step::{BinaryKind, OperandOrder, Signs, Source, Step};
use featherline::scalar::InstructionSet;
use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register};

/// The width of registers, and the instructions that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// One number: AVX2 and FMA.
    One,
    /// 256 bits: AVX2 and FMA.
    Narrow,
    /// 512 bits: AVX-512 F and DQ.
    Wide,
}

impl Width {
    /// The set that has the instructions.
    pub fn demands(self) -> InstructionSet {
        match self {
            Self::One | Self::Narrow => InstructionSet::Avx2,
            Self::Wide => InstructionSet::Avx512,
        }
    }
}

/// The form of instructions: how many numbers of how many bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub width: Width,
    /// 8, or 4.
    pub bytes: usize,
}

/// Where the block is when a function is called.
const BLOCK: Register = Register::RDI;
/// Where the constants are.
const CONSTANTS: Register = Register::RSI;
/// Addresses within the block, [`Form::reach`] numbers apart: much of the time goes to decoding,
/// and a displacement of one byte is decoded sooner than one of four. The last two are the
/// constants' where there are any.
const BLOCKS: [Register; 8] = [
    BLOCK,
    Register::RDX,
    Register::RCX,
    Register::RAX,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
];
/// Addresses among the constants.
const CONSTANT_BLOCKS: [Register; 3] = [CONSTANTS, Register::R10, Register::R11];
/// Where narrow registers hold what a comparison found.
const FOUND: Register = Register::YMM15;
/// The same of one number.
const FOUND_ONE: Register = Register::XMM15;
/// Where wide ones do.
const FOUND_WIDE: Register = Register::K1;
/// The predicate "less, and none is NaN", without an exception.
const LESS: u32 = 17;

/// The instructions for doubles and singles in wide, narrow and single registers.
type Codes = [Code; 6];

macro_rules! codes {
    ($($name:ident: $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident;)*) => {
        $(const $name: Codes = [Code::$a, Code::$b, Code::$c, Code::$d, Code::$e, Code::$f];)*
    };
}

codes! {
    ADD: EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er
        VEX_Vaddpd_ymm_ymm_ymmm256 VEX_Vaddps_ymm_ymm_ymmm256 VEX_Vaddsd_xmm_xmm_xmmm64 VEX_Vaddss_xmm_xmm_xmmm32;
    SUB: EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er
        VEX_Vsubpd_ymm_ymm_ymmm256 VEX_Vsubps_ymm_ymm_ymmm256 VEX_Vsubsd_xmm_xmm_xmmm64 VEX_Vsubss_xmm_xmm_xmmm32;
    MUL: EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er
        VEX_Vmulpd_ymm_ymm_ymmm256 VEX_Vmulps_ymm_ymm_ymmm256 VEX_Vmulsd_xmm_xmm_xmmm64 VEX_Vmulss_xmm_xmm_xmmm32;
    DIV: EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er
        VEX_Vdivpd_ymm_ymm_ymmm256 VEX_Vdivps_ymm_ymm_ymmm256 VEX_Vdivsd_xmm_xmm_xmmm64 VEX_Vdivss_xmm_xmm_xmmm32;
    MIN: EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae
        VEX_Vminpd_ymm_ymm_ymmm256 VEX_Vminps_ymm_ymm_ymmm256 VEX_Vminsd_xmm_xmm_xmmm64 VEX_Vminss_xmm_xmm_xmmm32;
    MAX: EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae
        VEX_Vmaxpd_ymm_ymm_ymmm256 VEX_Vmaxps_ymm_ymm_ymmm256 VEX_Vmaxsd_xmm_xmm_xmmm64 VEX_Vmaxss_xmm_xmm_xmmm32;
    XOR: EVEX_Vxorpd_zmm_k1z_zmm_zmmm512b64 EVEX_Vxorps_zmm_k1z_zmm_zmmm512b32
        VEX_Vxorpd_ymm_ymm_ymmm256 VEX_Vxorps_ymm_ymm_ymmm256 VEX_Vxorpd_xmm_xmm_xmmm128 VEX_Vxorps_xmm_xmm_xmmm128;
    AND_NOT: EVEX_Vandnpd_zmm_k1z_zmm_zmmm512b64 EVEX_Vandnps_zmm_k1z_zmm_zmmm512b32
        VEX_Vandnpd_ymm_ymm_ymmm256 VEX_Vandnps_ymm_ymm_ymmm256 VEX_Vandnpd_xmm_xmm_xmmm128 VEX_Vandnps_xmm_xmm_xmmm128;
    SQRT: EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er
        VEX_Vsqrtpd_ymm_ymmm256 VEX_Vsqrtps_ymm_ymmm256 VEX_Vsqrtsd_xmm_xmm_xmmm64 VEX_Vsqrtss_xmm_xmm_xmmm32;
    COPY: EVEX_Vmovapd_zmm_k1z_zmmm512 EVEX_Vmovaps_zmm_k1z_zmmm512
        VEX_Vmovapd_ymm_ymmm256 VEX_Vmovaps_ymm_ymmm256 VEX_Vmovapd_xmm_xmmm128 VEX_Vmovaps_xmm_xmmm128;
    LOAD: EVEX_Vmovapd_zmm_k1z_zmmm512 EVEX_Vmovaps_zmm_k1z_zmmm512
        VEX_Vmovapd_ymm_ymmm256 VEX_Vmovaps_ymm_ymmm256 VEX_Vmovsd_xmm_m64 VEX_Vmovss_xmm_m32;
    STORE: EVEX_Vmovapd_zmmm512_k1z_zmm EVEX_Vmovaps_zmmm512_k1z_zmm
        VEX_Vmovapd_ymmm256_ymm VEX_Vmovaps_ymmm256_ymm VEX_Vmovsd_m64_xmm VEX_Vmovss_m32_xmm;
    BROADCAST: EVEX_Vbroadcastsd_zmm_k1z_xmmm64 EVEX_Vbroadcastss_zmm_k1z_xmmm32
        VEX_Vbroadcastsd_ymm_m64 VEX_Vbroadcastss_ymm_m32 VEX_Vmovsd_xmm_m64 VEX_Vmovss_xmm_m32;
    COMPARE: EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae
        VEX_Vcmppd_ymm_ymm_ymmm256_imm8 VEX_Vcmpps_ymm_ymm_ymmm256_imm8
        VEX_Vcmpsd_xmm_xmm_xmmm64_imm8 VEX_Vcmpss_xmm_xmm_xmmm32_imm8;
    BLEND: EVEX_Vblendmpd_zmm_k1z_zmm_zmmm512b64 EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32
        VEX_Vblendvpd_ymm_ymm_ymmm256_ymm VEX_Vblendvps_ymm_ymm_ymmm256_ymm
        VEX_Vblendvpd_xmm_xmm_xmmm128_xmm VEX_Vblendvps_xmm_xmm_xmmm128_xmm;
    MUL_ADD_132: EVEX_Vfmadd132pd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vfmadd132ps_zmm_k1z_zmm_zmmm512b32_er
        VEX_Vfmadd132pd_ymm_ymm_ymmm256 VEX_Vfmadd132ps_ymm_ymm_ymmm256
        VEX_Vfmadd132sd_xmm_xmm_xmmm64 VEX_Vfmadd132ss_xmm_xmm_xmmm32;
    MUL_ADD_213: EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er
        VEX_Vfmadd213pd_ymm_ymm_ymmm256 VEX_Vfmadd213ps_ymm_ymm_ymmm256
        VEX_Vfmadd213sd_xmm_xmm_xmmm64 VEX_Vfmadd213ss_xmm_xmm_xmmm32;
    MUL_ADD_231: EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er
        VEX_Vfmadd231pd_ymm_ymm_ymmm256 VEX_Vfmadd231ps_ymm_ymm_ymmm256
        VEX_Vfmadd231sd_xmm_xmm_xmmm64 VEX_Vfmadd231ss_xmm_xmm_xmmm32;
    MUL_SUB_132: EVEX_Vfmsub132pd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vfmsub132ps_zmm_k1z_zmm_zmmm512b32_er
        VEX_Vfmsub132pd_ymm_ymm_ymmm256 VEX_Vfmsub132ps_ymm_ymm_ymmm256
        VEX_Vfmsub132sd_xmm_xmm_xmmm64 VEX_Vfmsub132ss_xmm_xmm_xmmm32;
    MUL_SUB_213: EVEX_Vfmsub213pd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vfmsub213ps_zmm_k1z_zmm_zmmm512b32_er
        VEX_Vfmsub213pd_ymm_ymm_ymmm256 VEX_Vfmsub213ps_ymm_ymm_ymmm256
        VEX_Vfmsub213sd_xmm_xmm_xmmm64 VEX_Vfmsub213ss_xmm_xmm_xmmm32;
    MUL_SUB_231: EVEX_Vfmsub231pd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vfmsub231ps_zmm_k1z_zmm_zmmm512b32_er
        VEX_Vfmsub231pd_ymm_ymm_ymmm256 VEX_Vfmsub231ps_ymm_ymm_ymmm256
        VEX_Vfmsub231sd_xmm_xmm_xmmm64 VEX_Vfmsub231ss_xmm_xmm_xmmm32;
    NEG_MUL_ADD_132: EVEX_Vfnmadd132pd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vfnmadd132ps_zmm_k1z_zmm_zmmm512b32_er
        VEX_Vfnmadd132pd_ymm_ymm_ymmm256 VEX_Vfnmadd132ps_ymm_ymm_ymmm256
        VEX_Vfnmadd132sd_xmm_xmm_xmmm64 VEX_Vfnmadd132ss_xmm_xmm_xmmm32;
    NEG_MUL_ADD_213: EVEX_Vfnmadd213pd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vfnmadd213ps_zmm_k1z_zmm_zmmm512b32_er
        VEX_Vfnmadd213pd_ymm_ymm_ymmm256 VEX_Vfnmadd213ps_ymm_ymm_ymmm256
        VEX_Vfnmadd213sd_xmm_xmm_xmmm64 VEX_Vfnmadd213ss_xmm_xmm_xmmm32;
    NEG_MUL_ADD_231: EVEX_Vfnmadd231pd_zmm_k1z_zmm_zmmm512b64_er EVEX_Vfnmadd231ps_zmm_k1z_zmm_zmmm512b32_er
        VEX_Vfnmadd231pd_ymm_ymm_ymmm256 VEX_Vfnmadd231ps_ymm_ymm_ymmm256
        VEX_Vfnmadd231sd_xmm_xmm_xmmm64 VEX_Vfnmadd231ss_xmm_xmm_xmmm32;
}

impl Form {
    /// How many registers values may be in.
    pub fn registers(self) -> usize {
        match self.width {
            Width::Wide => 32,
            // The last one is for comparisons.
            Width::Narrow | Width::One => 15,
        }
    }

    /// Whether an instruction can take one number from memory for all lanes.
    pub fn broadcasts(self) -> bool {
        self.width == Width::Wide
    }

    /// How many states a register holds.
    pub fn lanes(self) -> usize {
        self.number_bytes() / self.bytes
    }

    /// How many bytes a number of the block takes.
    fn number_bytes(self) -> usize {
        match self.width {
            Width::Wide => 64,
            Width::Narrow => 32,
            Width::One => self.bytes,
        }
    }

    fn code(self, codes: Codes) -> Code {
        let width = match self.width {
            Width::Wide => 0,
            Width::Narrow => 2,
            Width::One => 4,
        };
        codes[width + usize::from(self.bytes == 4)]
    }

    fn register(self, number: u8) -> Register {
        let first = match self.width {
            Width::Wide => Register::ZMM0,
            Width::Narrow => Register::YMM0,
            Width::One => Register::XMM0,
        };
        first + u32::from(number)
    }

    /// How many numbers a displacement of one byte tells apart: wide instructions count numbers.
    fn reach(self, bytes: usize) -> u32 {
        match self.width {
            Width::Wide => 256,
            Width::Narrow | Width::One => 256 / bytes as u32,
        }
    }

    /// The registers with addresses within the block.
    fn blocks(self) -> &'static [Register] {
        if self.broadcasts() {
            &BLOCKS[..6]
        } else {
            &BLOCKS
        }
    }

    fn number(self, number: u32) -> MemoryOperand {
        let (base, from) = self.nearest(self.blocks(), number, self.number_bytes());
        MemoryOperand::with_base_displ(base, from)
    }

    fn constant(self, constant: u32, broadcast: bool) -> MemoryOperand {
        let (base, from) = self.nearest(&CONSTANT_BLOCKS, constant, self.bytes);
        MemoryOperand::with_base_displ_bcst_seg(base, from, broadcast, Register::None)
    }

    /// The register with the address next to a number, and how many bytes it is from there.
    fn nearest(self, bases: &[Register], number: u32, bytes: usize) -> (Register, i64) {
        let base = (number / self.reach(bytes)).min(bases.len() as u32 - 1);
        let from = i64::from(number) * bytes as i64 - self.address(base, bytes);
        (bases[base as usize], from)
    }

    /// How many bytes from the first number a register's address is: amid what it serves.
    fn address(self, base: u32, bytes: usize) -> i64 {
        let reach = i64::from(self.reach(bytes));
        (reach * i64::from(base) + reach / 2) * bytes as i64
    }

    /// Puts the addresses of numbers of so many bytes into their registers.
    fn addresses(self, bases: &[Register], bytes: usize) -> Result<Vec<Instruction>, IcedError> {
        // The first is changed last: the others are found from it.
        let far_first = bases.iter().enumerate().rev();
        let set = far_first.map(|(k, &base)| {
            let from = MemoryOperand::with_base_displ(bases[0], self.address(k as u32, bytes));
            Instruction::with2(Code::Lea_r64_m, base, from)
        });
        set.collect()
    }

    /// An instruction that writes a register and reads one, and then a register or memory.
    fn three(
        self,
        codes: Codes,
        to: Register,
        a: Register,
        b: Source,
    ) -> Result<Instruction, IcedError> {
        let code = self.code(codes);
        match b {
            Source::Register(b) => Instruction::with3(code, to, a, self.register(b)),
            Source::Number(k) => Instruction::with3(code, to, a, self.number(k)),
            Source::Constant(k) => Instruction::with3(code, to, a, self.constant(k, true)),
        }
    }

    fn instruction(self, step: Step) -> Result<Instruction, IcedError> {
        let register = |number| self.register(number);
        match step {
            Step::Move { to, from } => match from {
                Source::Register(from) => {
                    Instruction::with2(self.code(COPY), register(to), register(from))
                }
                Source::Number(k) => {
                    Instruction::with2(self.code(LOAD), register(to), self.number(k))
                }
                Source::Constant(k) => {
                    let memory = self.constant(k, false);
                    Instruction::with2(self.code(BROADCAST), register(to), memory)
                }
            },
            Step::Store { number, from } => {
                Instruction::with2(self.code(STORE), self.number(number), register(from))
            }
            Step::Binary { kind, to, a, b } => {
                let codes = match kind {
                    BinaryKind::Add => ADD,
                    BinaryKind::Sub => SUB,
                    BinaryKind::Mul => MUL,
                    BinaryKind::Div => DIV,
                    BinaryKind::Min => MIN,
                    BinaryKind::Max => MAX,
                    BinaryKind::Xor => XOR,
                    BinaryKind::AndNot => AND_NOT,
                };
                self.three(codes, register(to), register(a), b)
            }
            Step::Sqrt { to, b } => self.root(register(to), b),
            Step::Fused {
                signs,
                order,
                to,
                a,
                b,
            } => {
                let codes = match (signs, order) {
                    (Signs::MulAdd, OperandOrder::ToTimesB) => MUL_ADD_132,
                    (Signs::MulAdd, OperandOrder::ToTimesA) => MUL_ADD_213,
                    (Signs::MulAdd, OperandOrder::AddTo) => MUL_ADD_231,
                    (Signs::MulSub, OperandOrder::ToTimesB) => MUL_SUB_132,
                    (Signs::MulSub, OperandOrder::ToTimesA) => MUL_SUB_213,
                    (Signs::MulSub, OperandOrder::AddTo) => MUL_SUB_231,
                    (Signs::NegMulAdd, OperandOrder::ToTimesB) => NEG_MUL_ADD_132,
                    (Signs::NegMulAdd, OperandOrder::ToTimesA) => NEG_MUL_ADD_213,
                    (Signs::NegMulAdd, OperandOrder::AddTo) => NEG_MUL_ADD_231,
                };
                self.three(codes, register(to), register(a), b)
            }
            Step::Less { a, b } => {
                let (code, a) = (self.code(COMPARE), register(a));
                let found = self.found();
                match b {
                    Source::Register(b) => Instruction::with4(code, found, a, register(b), LESS),
                    Source::Number(k) => Instruction::with4(code, found, a, self.number(k), LESS),
                    Source::Constant(k) => {
                        Instruction::with4(code, found, a, self.constant(k, true), LESS)
                    }
                }
            }
            Step::Select { to, no, yes } => self.select(register(to), register(no), yes),
        }
    }

    /// A square root of one number takes what it does not change from another register.
    fn root(self, to: Register, b: Source) -> Result<Instruction, IcedError> {
        if self.width == Width::One {
            return self.three(SQRT, to, to, b);
        }
        let code = self.code(SQRT);
        match b {
            Source::Register(b) => Instruction::with2(code, to, self.register(b)),
            Source::Number(k) => Instruction::with2(code, to, self.number(k)),
            Source::Constant(k) => Instruction::with2(code, to, self.constant(k, true)),
        }
    }

    fn found(self) -> Register {
        match self.width {
            Width::Wide => FOUND_WIDE,
            Width::Narrow => FOUND,
            Width::One => FOUND_ONE,
        }
    }

    fn select(self, to: Register, no: Register, yes: Source) -> Result<Instruction, IcedError> {
        if self.width == Width::Wide {
            let mut select = self.three(BLEND, to, no, yes)?;
            select.set_op_mask(FOUND_WIDE);
            return Ok(select);
        }
        let (code, found) = (self.code(BLEND), self.found());
        match yes {
            Source::Register(yes) => Instruction::with4(code, to, no, self.register(yes), found),
            Source::Number(k) => Instruction::with4(code, to, no, self.number(k), found),
            Source::Constant(k) => Instruction::with4(code, to, no, self.constant(k, true), found),
        }
    }

    /// The bytes of functions, one after the other, and where each begins.
    ///
    /// # Errors
    /// If an instruction does not exist in the form asked for, which would be a mistake here.
    pub fn encode(self, functions: &[Vec<Step>]) -> Result<(Vec<u8>, Vec<usize>), IcedError> {
        let mut encoder = Encoder::new(64);
        let mut bytes = 0;
        let mut starts = Vec::with_capacity(functions.len());
        for steps in functions {
            starts.push(bytes);
            let mut addresses = self.addresses(self.blocks(), self.number_bytes())?;
            if self.broadcasts() {
                addresses.extend(self.addresses(&CONSTANT_BLOCKS, self.bytes)?);
            }
            for instruction in &addresses {
                bytes += encoder.encode(instruction, bytes as u64)?;
            }
            for &step in steps {
                bytes += encoder.encode(&self.instruction(step)?, bytes as u64)?;
            }
            for code in [Code::VEX_Vzeroupper, Code::Retnq] {
                bytes += encoder.encode(&Instruction::with(code), bytes as u64)?;
            }
        }
        Ok((encoder.take_buffer(), starts))
    }
}
