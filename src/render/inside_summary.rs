//! What stands out of a kernel: how full the card is, what its hot loop does, and what costs time.

use super::block::{Block, Card, ListLine};
use super::flow;
use super::style::{Tone, iec, plural, thousands};
use crate::report::v1::{InstructionMix, KernelInside, KernelInstructions, KernelLoop, KernelOccupancy};

/// The loop that most of the time is taken to be spent in: of the deepest ones that with most work.
pub(super) fn hot_loop(inside: &KernelInside) -> Option<&KernelLoop> {
    inside.loops.iter().max_by_key(|own| {
        let mix = &own.mix;
        let work = mix.matrix + mix.dot + mix.vector_memory + mix.lds;
        (own.depth, work, mix.instructions, std::cmp::Reverse(own.offset))
    })
}

/// Cards for a page, and the same as lines.
pub(super) fn blocks(inside: &KernelInside, kernel: &KernelInstructions) -> Vec<Block> {
    let told = stands_out(inside, kernel);
    let mut blocks = vec![Block::Cards(cards(inside, kernel))];
    if !told.is_empty() {
        let items = told.into_iter().enumerate().map(|(number, text)| {
            let label = if number == 0 { "stands out" } else { "" };
            ListLine { tone: Tone::Partial, label: label.to_owned(), text }
        });
        blocks.push(Block::Items(items.collect()));
    }
    blocks
}

fn cards(inside: &KernelInside, kernel: &KernelInstructions) -> Vec<Card> {
    let mut cards = Vec::new();
    if let Some(own) = &inside.occupancy {
        cards.push(Card {
            tone: tone(own),
            title: format!("{} of {} waves", own.waves, own.most),
            lines: own.limited_by.iter().map(|what| format!("limited by {what}")).collect(),
            note: "on a SIMD unit at once".to_owned(),
        });
    }
    let given = |row: &crate::report::v1::RegisterUse| {
        row.given.map_or_else(String::new, |given| format!(" of {given}"))
    };
    let registers = inside.registers.iter().map(|row| {
        let name = row.file.to_ascii_uppercase();
        format!("{} {name}{} at +{:#x}", row.live_with_exec, given(row), row.live_with_exec_at)
    });
    cards.push(Card {
        title: "Most registers in use".to_owned(),
        lines: registers.collect(),
        note: "of those that a wave is given".to_owned(),
        ..Card::default()
    });
    if let Some(own) = hot_loop(inside) {
        let mix = &own.mix;
        let mut lines = vec![format!(
            "{} at +{:#x}",
            plural(mix.instructions, "instruction", "instructions"),
            own.offset
        )];
        lines.extend(
            (mix.operations > 0)
                .then(|| format!("{} operations of a wave each time", thousands(mix.operations))),
        );
        let moved = mix.bytes_loaded + mix.bytes_stored;
        lines.extend((moved > 0).then(|| format!("{} to and from memory", iec(moved))));
        lines.extend((mix.lds_bytes > 0).then(|| format!("{} to and from LDS", iec(mix.lds_bytes))));
        let line = flow::outermost(kernel.source.as_ref(), own.offset);
        cards.push(Card { title: "Hot loop".to_owned(), lines, note: line, ..Card::default() });
    }
    cards
}

pub(super) fn tone(own: &KernelOccupancy) -> Tone {
    match own.waves {
        waves if waves * 2 > own.most => Tone::Good,
        waves if waves * 4 > own.most => Tone::Partial,
        _ => Tone::Bad,
    }
}

/// Sentences on what may cost time. Each says what was counted; none says how much time it is, which bytes do
/// not tell.
fn stands_out(inside: &KernelInside, kernel: &KernelInstructions) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(own) = inside.occupancy.as_ref().filter(|own| own.waves * 4 <= own.most) {
        all.push(format!(
            "A SIMD unit holds {} of its {} waves: little else can run while a wave waits for memory.",
            own.waves, own.most
        ));
    }
    let Some(own) = hot_loop(inside) else {
        if all.is_empty() && !inside.blocks.is_empty() {
            all.push(
                "Nothing of what is counted here. There is no loop: it does its work once and ends."
                    .to_owned(),
            );
        }
        return all;
    };
    all.extend(of_hot_loop(own, inside, kernel));
    // What moves bytes or waits for others may stand around the innermost loop.
    if let Some(outer) = around(own, inside) {
        let at = format!("The loop at +{:#x} around the hot one", outer.offset);
        if own.mix.bytes_loaded + own.mix.bytes_stored == 0 {
            all.extend(outer_operations_a_byte(&at, &outer.mix));
        }
        if own.mix.barriers == 0 {
            all.extend(barriers(&at, &outer.mix));
        }
        if own.mix.scratch == 0 {
            all.extend(scratch(&at, &outer.mix));
        }
    }
    if all.is_empty() {
        all.push(
            "Nothing of what is counted here. What is left is how often its loops run and how fast memory answers: that is a profiler's.".to_owned(),
        );
    }
    all
}

/// The outermost loop around another.
fn around<'i>(own: &KernelLoop, inside: &'i KernelInside) -> Option<&'i KernelLoop> {
    let of = |offset: Option<u32>| inside.loops.iter().find(|one| Some(one.offset) == offset);
    let mut found = of(own.parent)?;
    // Each is outside of the one before.
    for _ in 0..inside.loops.len() {
        let Some(outer) = of(found.parent).filter(|outer| outer.depth < found.depth) else { break };
        found = outer;
    }
    Some(found)
}

fn of_hot_loop(own: &KernelLoop, inside: &KernelInside, kernel: &KernelInstructions) -> Vec<String> {
    let (mix, mut all) = (&own.mix, Vec::new());
    let at = format!("The hot loop at +{:#x}", own.offset);
    let is_unused = |what: &&str| match *what {
        "matrix" => mix.matrix == 0,
        _ => mix.dot == 0 && mix.matrix == 0,
    };
    let unused: Vec<&str> = inside.target_has.iter().copied().filter(is_unused).collect();
    if mix.operations > 0 && !unused.is_empty() {
        let target = kernel.target_id.split(':').next().unwrap_or_default();
        all.push(format!(
            "{at} uses no {} products; {target} has such instructions.",
            unused.join(" and no ")
        ));
    }
    all.extend(scratch(&at, mix));
    if mix.scalar_memory > 0 && mix.waits > 0 {
        all.push(format!(
            "{at} loads through the scalar cache, {} each time, and waits for it.",
            plural(mix.scalar_memory, "load", "loads")
        ));
    }
    all.extend(operations_a_byte(&at, mix, inside, kernel));
    all.extend(barriers(&at, mix));
    all
}

fn scratch(at: &str, mix: &InstructionMix) -> Option<String> {
    (mix.scratch > 0).then(|| {
        let count = plural(mix.scratch, "instruction", "instructions");
        format!("{at} has {count} on scratch: spilled registers or arrays go to memory each time.")
    })
}

fn operations_a_byte(
    at: &str,
    mix: &InstructionMix,
    inside: &KernelInside,
    kernel: &KernelInstructions,
) -> Option<String> {
    a_byte(mix).map(|each| {
        let pace = match &inside.balance {
            Some(balance) if each < balance.least => {
                let target = kernel.target_id.split(':').next().unwrap_or_default();
                let (least, most) = (balance.least, balance.most);
                let range = match format!("{least:.0}") == format!("{most:.0}") {
                    true => format!("{least:.0}"),
                    false => format!("{least:.0} to {most:.0}"),
                };
                format!(
                    " Cards with {target} can make {range} in 32 bits while their memory brings one: memory sets the pace, as far as \
                     caches do not serve it."
                )
            }
            _ => String::new(),
        };
        format!("{at} makes {each:.1} operations for each byte that it moves to or from memory.{pace}")
    })
}

/// Operations for each byte that goes to or from memory, where there are both.
fn a_byte(mix: &InstructionMix) -> Option<f64> {
    let moved = mix.bytes_loaded + mix.bytes_stored;
    (moved > 0 && mix.operations > 0).then(|| mix.operations as f64 / moved as f64)
}

/// The same of a loop with others inside, which do not move bytes: how often these run is not known, and with it
/// what sets the pace.
fn outer_operations_a_byte(at: &str, mix: &InstructionMix) -> Option<String> {
    a_byte(mix).map(|each| {
        format!(
            "{at} makes {each:.1} operations for each byte that it moves to or from memory where the loops inside run once, and more where \
             they run more often."
        )
    })
}

fn barriers(at: &str, mix: &InstructionMix) -> Option<String> {
    (mix.barriers > 0).then(|| {
        let count = plural(mix.barriers, "barrier", "barriers");
        format!("{at} meets {count}: all waves of a work-group wait for the last.")
    })
}
