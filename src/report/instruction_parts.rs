//! An instruction in parts, for documents.

use super::v1::{InstructionFlow, InstructionMemory, InstructionOperand, InstructionParts, OperandValue};
use crate::isa::{File, Flow, Half, Instruction, Memory, Operand, Register};

/// The parts of an instruction.
pub(super) fn parts(one: &Instruction) -> InstructionParts {
    let names = |registers: &mut dyn Iterator<Item = Register>| {
        let mut names: Vec<String> = Vec::new();
        for name in registers.map(|register| register.to_string()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    };
    let operand = |named: crate::isa::Named| InstructionOperand {
        name: named.name,
        is_result: named.is_result,
        value: value(named.operand),
    };
    InstructionParts {
        operands: one.operands().map(operand).collect(),
        reads: names(&mut one.reads()),
        writes: names(&mut one.writes()),
        flow: flow(one.flow()),
        memory: one.memory().and_then(memory),
        loads: one.is_load(),
        stores: one.is_store(),
        atomic: one.is_atomic(),
    }
}

/// The constants of floating point that encodings of sources hold, from 240 on (AMD's instruction set references,
/// scalar operands).
const FLOATS: [f64; 9] = [0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0, std::f64::consts::FRAC_1_PI / 2.0];

fn value(operand: Operand) -> OperandValue {
    match operand {
        Operand::Register(register) => OperandValue::Register {
            file: match register.file() {
                File::Vector => "vector",
                File::Accumulation => "accumulation",
                File::Scalar => "scalar",
                File::Trap => "trap",
                _ => "special",
            },
            first: register.index(),
            count: register.count(),
            half: register.half().map(|half| match half {
                Half::Low => "low",
                Half::High => "high",
            }),
            register: register.to_string(),
        },
        Operand::Inline(code) => match operand.inline_integer() {
            Some(value) => OperandValue::Integer { value },
            None => {
                let place = code.checked_sub(240).and_then(|place| usize::try_from(place).ok());
                let value = place.and_then(|place| FLOATS.get(place)).copied();
                value.map_or(OperandValue::Number { value: code as i64 }, |value| OperandValue::Float {
                    value,
                })
            }
        },
        Operand::Literal(bits) | Operand::Literal64(bits) => OperandValue::Literal { value: bits },
        Operand::Number(value) => OperandValue::Number { value },
        _ => OperandValue::Number { value: 0 },
    }
}

fn flow(flow: Flow) -> InstructionFlow {
    match flow {
        Flow::Jump => InstructionFlow::Jump,
        Flow::Branch => InstructionFlow::Branch,
        Flow::Away => InstructionFlow::Indirect,
        Flow::Call => InstructionFlow::Call,
        Flow::End => InstructionFlow::End,
        _ => InstructionFlow::Next,
    }
}

fn memory(memory: Memory) -> Option<InstructionMemory> {
    Some(match memory {
        Memory::Scalar => InstructionMemory::Scalar,
        Memory::Buffer => InstructionMemory::Buffer,
        Memory::Image => InstructionMemory::Image,
        Memory::Flat => InstructionMemory::Flat,
        Memory::Global => InstructionMemory::Global,
        Memory::Scratch => InstructionMemory::Scratch,
        Memory::Local => InstructionMemory::Lds,
        _ => return None,
    })
}
