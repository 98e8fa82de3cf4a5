//! Speed on machine code: mnemonics alone, with operands, and with text, in MB/s of one core, the best of
//! some rounds. Arguments: a processor and a file that holds nothing but code, one behind the other.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use amdgpu_isa::{Counts, Decoder, Mode, Operand, RangeWalk, Text};
use std::time::Instant;

/// Nanoseconds that this program has run on a core, where the system counts them; else those since the begin.
fn now(begin: Instant) -> f64 {
    let counted = std::fs::read_to_string("/proc/self/schedstat").ok();
    let first = counted.and_then(|text| text.split(' ').next()?.parse().ok());
    first.unwrap_or_else(|| begin.elapsed().as_nanos() as f64)
}

fn best(what: &str, bytes: usize, mut run: impl FnMut() -> usize) -> (f64, usize) {
    if std::env::var("ONLY").is_ok_and(|only| only != what) {
        return (0.0, 0);
    }
    let (begin, mut fastest) = (Instant::now(), f64::MAX);
    let mut sum = 0;
    for _ in 0..5 {
        let before = now(begin);
        sum = std::hint::black_box(run());
        fastest = fastest.min((now(begin) - before) / 1e9);
    }
    (bytes as f64 / fastest / 1e6, sum)
}

/// A number that depends on all of an operand.
#[inline(always)]
fn value(operand: Operand) -> usize {
    match operand {
        Operand::Register(register) => usize::from(register.index()) << 8 | usize::from(register.count()),
        Operand::Inline(code) => code as usize,
        Operand::Literal(value) => value as usize,
        Operand::Literal64(value) => value as usize,
        Operand::Number(value) => value as usize,
        _ => 0,
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    for pair in arguments.chunks(2) {
        let code = std::fs::read(&pair[1]).unwrap();
        let decoder = Decoder::for_processor(&pair[0], Mode::Correct).unwrap();
        let (mnemonics, _) = best("count", code.len(), || {
            let mut counts = Counts::default();
            decoder.count(&code, 0..code.len(), &mut counts);
            counts.mnemonics.len()
        });
        // As a reader of code objects counts, which knows where kernels begin.
        let middle = decoder.count(&code, 0..code.len() / 2, &mut Counts::default());
        let (two, _) = best("two", code.len(), || {
            let (mut first, mut second) = (Counts::default(), Counts::default());
            let mut a = RangeWalk { at: 0, stop: middle, end: middle };
            let mut b = RangeWalk { at: middle, stop: code.len(), end: code.len() };
            decoder.count_two(&code, [&mut a, &mut b], [&mut first, &mut second]);
            decoder.count(&code, a.at..a.stop, &mut first);
            decoder.count(&code, b.at..b.stop, &mut second);
            first.mnemonics.len()
        });
        let (found, instructions) = best("instructions", code.len(), || {
            decoder.instructions(&code).map(|(_, one)| one.length().min(1)).sum()
        });
        let (operands, number) = best("operands", code.len(), || {
            decoder.instructions(&code).map(|(_, one)| one.operands().count()).sum()
        });
        // Every value is asked for, so that none of the work can be left out.
        let (values, _) = best("values", code.len(), || {
            decoder.instructions(&code).fold(0, |sum: usize, (_, one)| {
                one.operands().fold(sum, |sum, named| sum.wrapping_add(value(named.operand)))
            })
        });
        let (effects, _) = best("effects", code.len(), || {
            decoder.instructions(&code).map(|(_, one)| one.reads().count() + one.writes().count()).sum()
        });
        let mut text = Text::new();
        let (texts, characters) = best("text", code.len(), || {
            let mut sum = 0;
            for (_, one) in decoder.instructions(&code) {
                sum += one.text(&mut text).len();
            }
            sum
        });
        println!(
            "{:<8} {:>9} bytes {instructions:>8} instructions {number:>8} operands {characters:>9} characters: count {mnemonics:.0} MB/s, in two walks {two:.0}, instructions {found:.0}, operands {operands:.0}, their values {values:.0}, reads and writes {effects:.0}, text {texts:.0}",
            pair[0],
            code.len()
        );
    }
}
