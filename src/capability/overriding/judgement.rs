//! Whether code of one processor runs on another as it was meant: by the tables of instructions, by what
//! kernel descriptors mean, and by the decoded code where that is known.

use crate::finding::amount::{plural, thousands};
use crate::isa::legality::{Absent, Reason};
use crate::isa::mnemonic;
use crate::isa::plain_name;
use crate::isa::processor::Isa;
use std::collections::BTreeSet;

/// Features that change what a kernel descriptor, or the state that a kernel starts in, means: where only one
/// of two processors has one, no kernel of the other is set up as it was compiled to be. Source: LLVM's "User
/// Guide for AMDGPU Backend", kernel descriptor and initial kernel execution state.
const STARTS: [(&str, &str); 4] = [
    (
        "gfx90a-insts",
        "where accumulation registers begin (ACCUM_OFFSET) and in which steps vector registers are counted",
    ),
    ("packed-tid", "which registers hold work-item numbers"),
    ("architected-flat-scratch", "how scratch memory is set up"),
    ("architected-sgprs", "where work-group numbers are"),
];

/// Features that no instruction shows and that can matter all the same, in both directions: the runtime
/// computes the memory for saved registers from the processor that is claimed, and the driver compares it
/// with that of the card. Source: libhsakmt's `queues.c`, `hsakmt_get_vgpr_size_per_cu`, and the kernel's
/// `kfd_queue.c`, `kfd_queue_acquire_buffers`.
const ALLOCATION: [&str; 1] = ["allocate1_5xvgprs"];

/// How a processor differs from another one whose code it is to run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// Instructions of the other that it lacks or has under other bits.
    pub lacking: u64,
    /// It wants the first of registers in a row to be even, and the other does not.
    pub refuses_odd: bool,
    /// What kernels of the other state in ways that it reads otherwise.
    pub starts: Vec<&'static str>,
    /// Features that only one of both has, and that decoding cannot judge.
    pub features: Vec<&'static str>,
    /// Bugs and hazards of its hardware that compilers work around in its own code, and that the other has not.
    pub hazards: Vec<&'static str>,
}

/// Bugs that code cannot meet whose processor lacks these instructions, and one of instructions for graphics.
const NOT_MET: [(&str, &str); 3] = [
    ("mfma-inline-literal-bug", "v_mfma_f32_32x32x8f16"),
    ("cvt-fp8-vop1-bug", "v_cvt_f32_fp8_e32"),
    ("msaa-load-dst-sel-bug", "image_msaa_load"),
];

/// Features of a processor that LLVM names as bugs and hazards of its hardware and works around.
fn hazards(card: &Isa, claimed: &Isa) -> Vec<&'static str> {
    let is_of_hardware = |name: &&str| name.ends_with("-bug") || name.ends_with("-hazard");
    let own = card.features().filter(is_of_hardware).filter(|name| !claimed.has(name));
    let can_be_met = |name: &&str| {
        let needs = NOT_MET.iter().find(|(bug, _)| *bug == *name).map(|(_, mnemonic)| *mnemonic);
        needs.is_none_or(|needs| {
            !needs.starts_with("image_") && claimed.mnemonics().iter().any(|own| mnemonic(*own) == needs)
        })
    };
    own.filter(can_be_met).collect()
}

impl Difference {
    /// How `card` differs from `claimed`, whose code it is to run.
    pub fn between(card: &Isa, claimed: &Isa) -> Difference {
        if card.name == claimed.name {
            return Difference::default();
        }
        let lacking = match card.family().contains(&claimed.name) {
            true => 0,
            false => {
                let (here, there) = (card.mnemonics(), claimed.mnemonics());
                let plain: BTreeSet<String> = here.iter().filter_map(|own| plain_name(*own)).collect();
                let is_renamed = |name: &&u16| plain_name(**name).is_some_and(|own| plain.contains(&own));
                let lacks = there.difference(&here).filter(|name| !is_renamed(name)).count();
                (lacks + claimed.renamed(card).len() + claimed.moved(card).len()) as u64
            }
        };
        let differ = |feature: &str| card.has(feature) != claimed.has(feature);
        Difference {
            lacking,
            refuses_odd: card.wants_even_tuples() && !claimed.wants_even_tuples(),
            starts: STARTS.into_iter().filter(|(feature, _)| differ(feature)).map(|(_, what)| what).collect(),
            features: ALLOCATION.into_iter().filter(|feature| differ(feature)).collect(),
            hazards: hazards(card, claimed),
        }
    }

    /// Whether any code of the other is legal.
    pub fn is_none(&self) -> bool {
        self.lacking == 0 && !self.refuses_odd && self.starts.is_empty()
    }
}

/// The one wording of a judgement, for every form of output.
pub fn sentence(words: &str, is_legal: bool, because: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase()).unwrap_or_default();
    let untried = if is_legal { " It was not tried on a GPU here." } else { "" };
    format!("{first}{}: {because}.{untried}", letters.as_str())
}

/// Whether an override is safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Safety {
    /// The card runs every instruction.
    Legal,
    /// It does, but the processors differ in what decoding cannot judge.
    LegalWithDifferences,
    /// The tables do not decide it, and the code was not decoded.
    NotDecoded,
    /// The card refuses some of the code, or reads it otherwise.
    Illegal,
}

impl Safety {
    /// Whether what is known speaks for it.
    pub fn is_legal(self) -> bool {
        matches!(self, Safety::Legal | Safety::LegalWithDifferences)
    }

    /// The words that every form of output begins with.
    pub fn words(self) -> &'static str {
        match self {
            Safety::Legal => "probably safe",
            Safety::LegalWithDifferences => "perhaps safe",
            Safety::NotDecoded => "not known to be safe",
            Safety::Illegal => "not safe",
        }
    }
}

/// What the decoded code for the claimed processor holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// Instructions.
    pub instructions: u64,
    /// Those that the card lacks or reads as others.
    pub absent: u64,
    /// Those that name registers in a row that begin with an odd one, where the card refuses that.
    pub odd: u64,
    /// Kernels that ask for more LDS than a work-group has there, or for waves that the card does not have.
    pub beyond: u64,
    /// Libraries that compile kernels for the claimed processor at run time: their code is not here.
    pub compiled_by: BTreeSet<&'a str>,
}

impl Decoded<'_> {
    /// Adds the code of a library.
    pub fn add(&mut self, instructions: u64, absent: &Absent) {
        self.instructions += instructions;
        self.beyond += absent.needs().map(|(_, found)| found.kernels).sum::<u64>();
        for (_, reason, found) in absent.rows() {
            match reason {
                Reason::OddRegisters => self.odd += found.count,
                Reason::Missing | Reason::Other(_) | Reason::OtherOperands | Reason::UnknownBits => {
                    self.absent += found.count;
                }
            }
        }
    }
}

/// One judgement of an override: every form of output takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The judgement in a word.
    pub safety: Safety,
    /// Why, as a clause.
    pub because: String,
}

impl Judgement {
    /// Judges code for `claimed` on `card` by their difference, and by the code where it was decoded.
    pub fn judge(
        card: &str,
        claimed: &str,
        difference: &Difference,
        code: Option<&Decoded<'_>>,
    ) -> Judgement {
        let judged = |safety, because| Judgement { safety, because };
        if !difference.starts.is_empty() {
            let starts = difference.starts.join(", in ");
            return judged(
                Safety::Illegal,
                format!("{card} does not start kernels as {claimed} does; they differ in {starts}"),
            );
        }
        let code = code.filter(|code| code.instructions > 0);
        let mut against = Vec::new();
        if let Some(code) = code.filter(|code| code.absent > 0) {
            let (absent, all) = (thousands(code.absent), thousands(code.instructions));
            against.push(format!("{card} lacks {absent} of the {all} instructions of the {claimed} code here, or reads them as others"));
        }
        if let Some(code) = code.filter(|code| code.odd > 0) {
            let (odd, all) = (thousands(code.odd), thousands(code.instructions));
            against.push(format!("{odd} of the {all} instructions of the {claimed} code here name registers in a row from an odd one on, which {card} refuses"));
        }
        if let Some(code) = code.filter(|code| code.beyond > 0) {
            let kernels = plural(code.beyond, "kernel", "kernels");
            against.push(format!(
                "{kernels} of the {claimed} code here ask for more LDS, or for other waves, than {card} has"
            ));
        }
        if !against.is_empty() {
            return judged(Safety::Illegal, against.join("; and "));
        }
        let runs = match code {
            Some(code) => {
                let all = thousands(code.instructions);
                let runs = format!("{card} runs all {all} instructions of the {claimed} code here");
                if !code.compiled_by.is_empty() {
                    let names = code.compiled_by.iter().copied().collect::<Vec<_>>().join(" and ");
                    let compile = if code.compiled_by.len() == 1 { "compiles" } else { "compile" };
                    let but = format!(
                        "{names} {compile} more for {claimed} at run time, and that code can hold instructions that {card} lacks or reads as others"
                    );
                    return judged(Safety::NotDecoded, format!("{runs}, but {but}"));
                }
                runs
            }
            None if difference.is_none() => format!("{card} runs every instruction of {claimed} code"),
            None => {
                let mut why = Vec::new();
                if difference.lacking > 0 {
                    let lacking = thousands(difference.lacking);
                    why.push(format!(
                        "{claimed} has {lacking} instructions that {card} lacks or reads as others"
                    ));
                }
                if difference.refuses_odd {
                    why.push(format!(
                        "{card} refuses registers in a row from an odd one on, which {claimed} takes"
                    ));
                }
                return judged(Safety::NotDecoded, why.join(", and "));
            }
        };
        let mut but = Vec::new();
        if !difference.features.is_empty() {
            let features = difference.features.join(", ");
            but.push(format!(
                "their register files differ in size ({features}), by which the runtime and the driver set memory aside"
            ));
        }
        if !difference.hazards.is_empty() {
            let hazards = difference.hazards.join(", ");
            but.push(format!(
                "{card} has hardware bugs that compilers work around in its own code and not in {claimed}'s ({hazards})"
            ));
        }
        match but.is_empty() {
            true => judged(Safety::Legal, runs),
            false => judged(Safety::LegalWithDifferences, format!("{runs}, but {}", but.join(", and "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(card: &str, claimed: &str) -> Difference {
        Difference::between(Isa::by_name(card).unwrap(), Isa::by_name(claimed).unwrap())
    }

    #[test]
    fn what_kernels_start_with_is_part_of_what_has_to_be_alike() {
        // gfx908 takes odd registers in a row and has a register file of its own for accumulation; LLVM 22's
        // assembler refuses `v_add_f64 v[1:2], v[3:4], v[5:6]` for gfx90a, whose descriptors state
        // ACCUM_OFFSET.
        let found = difference("gfx90a", "gfx908");
        assert!(
            found.refuses_odd && found.starts.iter().any(|what| what.contains("ACCUM_OFFSET")),
            "{found:?}"
        );
        // gfx90a's code states no more than what gfx908 cannot read.
        let found = difference("gfx908", "gfx90a");
        assert!(!found.refuses_odd && !found.starts.is_empty(), "{found:?}");
        // gfx942 sets scratch memory up by itself.
        assert!(difference("gfx942", "gfx90a").starts.iter().any(|what| what.contains("scratch")));
        for (card, claimed) in
            [("gfx1032", "gfx1030"), ("gfx1103", "gfx1102"), ("gfx1201", "gfx1200"), ("gfx906", "gfx900")]
        {
            assert!(difference(card, claimed).starts.is_empty(), "{card} {claimed}");
        }
    }

    /// LLVM inserts waits for these bugs in code for gfx1010 (GCNHazardRecognizer.cpp, fixVcmpxExecWARHazard), and none
    /// for gfx1030.
    #[test]
    fn bugs_of_the_card_speak_against_code_that_knows_none() {
        let found = difference("gfx1010", "gfx1030");
        assert!(found.hazards.contains(&"vcmpx-exec-war-hazard"), "{found:?}");
        let judged = Judgement::judge("gfx1010", "gfx1030", &Difference { lacking: 0, ..found }, None);
        assert_eq!(judged.safety, Safety::LegalWithDifferences);
        assert!(judged.because.contains("hardware bugs"), "{}", judged.because);
        for (card, claimed) in
            [("gfx1032", "gfx1030"), ("gfx1103", "gfx1102"), ("gfx908", "gfx906"), ("gfx906", "gfx900")]
        {
            assert_eq!(difference(card, claimed).hazards, [""; 0], "{card} {claimed}");
        }
    }

    #[test]
    fn a_smaller_register_file_differs_as_a_larger_one_does() {
        // LLVM gives 1.5 times the registers to gfx1100, gfx1101 and gfx1151, not to gfx1102 and gfx1103.
        assert!(difference("gfx1151", "gfx1100").features.is_empty());
        assert!(!difference("gfx1151", "gfx1102").features.is_empty());
        assert!(!difference("gfx1103", "gfx1100").features.is_empty());
        assert!(difference("gfx1103", "gfx1102").features.is_empty());
    }

    #[test]
    fn odd_registers_in_the_code_are_counted_against_it() {
        let found = Difference { refuses_odd: true, ..Difference::default() };
        let judge = |code: Option<Decoded<'_>>| Judgement::judge("gfx90a", "gfx908", &found, code.as_ref());
        assert_eq!(judge(None).safety, Safety::NotDecoded);
        let odd = judge(Some(Decoded { instructions: 2_000, odd: 1_081, ..Decoded::default() }));
        assert_eq!(odd.safety, Safety::Illegal);
        assert!(odd.because.contains("1,081 of the 2,000"), "{}", odd.because);
        let even = judge(Some(Decoded { instructions: 2_000, ..Decoded::default() }));
        assert_eq!(even.safety, Safety::Legal);
        // Code that is made on the card is not among what was decoded.
        let compiled_by = BTreeSet::from(["MIOpen", "rocFFT"]);
        let compiles = judge(Some(Decoded { instructions: 2_000, compiled_by, ..Decoded::default() }));
        assert_eq!(compiles.safety, Safety::NotDecoded);
        assert!(compiles.because.contains("MIOpen and rocFFT compile more"), "{}", compiles.because);
        // Descriptors do not change by what the code is.
        let starts = Difference { starts: vec!["x"], ..found.clone() };
        let code = Decoded { instructions: 2_000, ..Decoded::default() };
        assert_eq!(Judgement::judge("gfx90a", "gfx908", &starts, Some(&code)).safety, Safety::Illegal);
    }
}
