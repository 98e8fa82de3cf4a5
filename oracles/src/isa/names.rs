//! The complete mnemonic of each rule: asked from LLVM with a word made to follow the rule, and for gfx6 and
//! gfx7, which LLVM does not disassemble, put together from the assembler's string.

use anyhow::Result;

use super::decoder::ones;
use super::legality::{Legality, Meaning};
use super::llvm::{CRASHED, Disassembler};
use super::records::Records;
use super::rules::Rule;

/// Rounds of questions: two with the first and the last operand that is legal, the rest with random bits
/// elsewhere.
const ROUNDS: usize = 12;

/// The mnemonics of `rules`, in their order; `None` where LLVM gave none in all rounds.
pub fn ask(
    rules: &[Rule],
    records: &Records,
    legality: &Legality,
    disassembler: &mut Disassembler,
) -> Result<Vec<Option<String>>> {
    let mut names = vec![None; rules.len()];
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for round in 0..ROUNDS {
        let mut asked = Vec::new();
        let mut questions = Vec::new();
        for (index, rule) in rules.iter().enumerate().filter(|(index, _)| names[*index].is_none()) {
            let free = if round < 2 {
                0
            } else {
                u128::from(next(&mut random)) << 64 | u128::from(next(&mut random))
            };
            if let Some(word) = word(rule, legality, free, round % 2 == 1) {
                let mut question = word.to_le_bytes().to_vec();
                question.extend([0; 4]);
                asked.push(index);
                questions.push(question);
            }
        }
        for (index, answer) in asked.into_iter().zip(disassembler.ask(&questions)?) {
            let expected = head(&rules[index], records);
            if answer.size != 0 && answer.size != CRASHED && is_form(&answer.mnemonic, expected) {
                names[index] = Some(answer.mnemonic);
            }
        }
    }
    Ok(names)
}

/// A word that follows `rule`: its fixed bits, a legal operand in each field, `free` elsewhere.
fn word(rule: &Rule, legality: &Legality, free: u128, last: bool) -> Option<u128> {
    let mut word = rule.value | free & ones(rule.bits) & !rule.mask;
    for field in &rule.fields {
        let plain: Vec<u32> = (0..)
            .zip(field.meanings(legality))
            .filter(|(_, meaning)| *meaning == Meaning::Plain)
            .map(|(number, _)| number)
            .collect();
        let set = |number: u32| {
            let (mut set, mut rest) = (word, u128::from(number));
            for &(first, width) in &field.slices {
                let mask = ones(width.into()) << first;
                set = set & !mask | rest << first & mask;
                rest >>= width;
            }
            (rule.mask & (set ^ rule.value) == 0).then_some(set)
        };
        word = if last { plain.into_iter().rev().find_map(set)? } else { plain.into_iter().find_map(set)? };
    }
    if let Some(bit) = rule.clear {
        word &= !(1 << bit);
    }
    // LLVM's C interface refuses a VOP3 comparison that writes anything but exec.
    if rule.instruction.contains("V_CMPX") && rule.mask & 0xff == 0 {
        word = word & !0xff | 0x7e;
    }
    Some(word)
}

fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// The mnemonic as the assembler's string begins.
fn head<'a>(rule: &Rule, records: &'a Records) -> &'a str {
    let assembly = records.instructions.get(&rule.instruction).map_or("", |one| one.assembly.as_str());
    let end = assembly.find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'));
    assembly.get(..end.unwrap_or(assembly.len())).unwrap_or_default()
}

fn is_form(mnemonic: &str, head: &str) -> bool {
    mnemonic.contains(" :: ")
        || mnemonic.strip_prefix(head).is_some_and(|suffix| {
            suffix.is_empty() || ["_e", "_dpp", "_sdwa"].iter().any(|form| suffix.starts_with(form))
        })
}

/// The mnemonic without LLVM's disassembler: the head of the assembler's string and the suffix that the
/// printer adds.
pub fn assembled(rule: &Rule, records: &Records) -> String {
    let head = head(rule, records);
    let Some(instruction) = records.instructions.get(&rule.instruction) else { return head.to_owned() };
    let complete = ["_e32", "_e64", "_dpp", "_sdwa"].iter().any(|form| head.ends_with(form));
    let alone = instruction.assembly == head || head == "v_nop" || head == "v_clrexcp";
    let spaced = instruction.assembly.get(head.len()..).is_some_and(|rest| rest.starts_with(' '));
    let suffix = if complete || alone {
        ""
    } else if instruction.vop3 && rule.instruction.contains("_e64") {
        "_e64"
    } else if rule.instruction.contains("_e32") && !spaced {
        "_e32"
    } else {
        ""
    };
    format!("{head}{suffix}")
}
