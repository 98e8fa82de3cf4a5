//! The fast way from the first dwords of an instruction to its encoding: two look-ups, one comparison, no
//! branch.
//!
//! The top nine bits of the first dword choose a node: which further bits hold the opcode, and where a source
//! operand may say that the instruction has another form (SDWA, DPP). Both together choose a leaf. Operands
//! are judged beside that, at the few places where instructions have them: each place has a table of words in
//! which every bit answers one question ("refused as a 64-bit source?"), and the leaf says which answers must
//! be zero. Whatever does not fit goes to the exact decoder, so that this index can only cost time, never
//! correctness.

use super::encoding::{ByTop, Encoding, Opcode};
use super::form::Forms;
use super::instruction::{NO_FORM, What};
use super::merge;
use super::operand_bits::{Known, OperandBit, OperandBits, PLACES};
use super::table::Rule;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

/// The places of operand fields that decide the length: those of first sources. Numbers of [`PLACES`].
const EARLY_PLACES: [usize; 3] = [0, 1, 3];

/// The two places at which a source operand can select another form. Numbers of [`PLACES`].
const FORM_PLACES: [usize; 2] = [0, 3];

/// For each of [`FORM_PLACES`], the lowest of three bits of the answers that number the form. They lie right
/// above the nine bits that number a node, so that one OR makes the index into `nodes`.
const FORM_SHIFTS: [u32; 2] = [9, 12];

/// The bits of the answers that number forms.
const FORM_MASK: u64 = 0x7e00;

/// For each of [`FORM_PLACES`], the bit of the answers that says that the operand selects a form.
const IS_FORM: [u64; 2] = [1 << 0, 1 << 1];

/// A bit of the answers that is always 1: a leaf that asks for it to be 0 is never taken.
const ALWAYS: u64 = 1 << 2;

/// The bits of the answers that are free for questions about operands.
const QUESTION_BITS: u64 = !(FORM_MASK | IS_FORM[0] | IS_FORM[1] | ALWAYS);

/// Values of a nine-bit source operand that give an instruction another form: SDWA, DPP16, and DPP8 twice.
const FORMS: [usize; 4] = [0xf9, 0xfa, 0xe9, 0xea];

/// Width of the widest opcode field that a node reads, in bits.
const OPCODE_BITS: u32 = 11;

const CELLS: usize = 1 << 17;
const LEAVES: usize = 1 << 13;
const NODES: usize = 1 << 15;

/// Where the opcode of instructions with the same top nine bits and form lies, and where their leaves begin.
#[derive(Debug, Clone, Copy, Default)]
struct Node {
    base: u32,
    /// A power of two that moves the opcode's field to the top of a dword. Multiplying is cheaper than
    /// shifting by a variable.
    lift: u32,
    mask: u32,
}

/// The comparisons that remain once an encoding is chosen. One cache line.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Leaf {
    mask: u64,
    value: u64,
    /// Answers that must be zero: refused operands, and whatever makes the guessed length wrong.
    wrong: u64,
    mask2: u32,
    value2: u32,
    /// Mnemonic, form, length without a literal, and width of the form. The form is [`NO_FORM`] where further
    /// bits tell it.
    what: What,
    /// Answers that must be zero whatever the guessed length was: refused operands.
    refused: u64,
    /// Answers; any one of them means that a literal follows.
    literal: u64,
}

/// A leaf that matches no instruction: `value` has a bit that `mask` lacks.
const COLD: Leaf =
    Leaf { mask: 0, value: 1, wrong: 0, mask2: 0, value2: 0, what: What(0), refused: 0, literal: 0 };

/// What the top nine bits say about the length, before the encoding is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Guess {
    /// Answers; any one of them means that a fifth to eighth byte follows: a literal, or the dword of SDWA
    /// and DPP.
    extra_dword: u64,
    /// In bytes, without that dword.
    length: u8,
}

/// The length with an extra dword. Not inlined: as a call it stays a branch, which the processor predicts.
#[inline(never)]
fn with_extra_dword(length: usize) -> usize {
    length + 4
}

/// For each place and each value of its nine bits: a word whose bits answer all questions about that value.
type Answers = [[u64; 512]; PLACES.len()];

/// The index of one family.
pub(super) struct Index {
    nodes: Box<[Node; NODES]>,
    /// Per top nine bits, the two parts of a [`Guess`], apart and small: the loop cannot load the next
    /// instruction before it has these.
    lengths: Box<[u8; 512]>,
    extra_dword: Box<[u64; 512]>,
    /// Numbers of leaves, per node and opcode.
    cells: Box<[u16; CELLS]>,
    leaves: Box<[Leaf; LEAVES]>,
    answers: Box<Answers>,
    /// Whether any leaf compares the third dword.
    pub(super) is_wide: bool,
    /// Per leaf, its encodings: start and end in `candidates`.
    spans: Vec<(u32, u32)>,
    candidates: Vec<u16>,
}

impl Index {
    /// The length in bytes that an instruction with the first two dwords `w` most likely has, guessed without
    /// its encoding.
    #[inline(always)]
    pub(super) fn length(&self, w: u64) -> usize {
        let at = |place: usize| self.answers[place][(w >> PLACES[place]) as usize & 511];
        let [a, b, c] = EARLY_PLACES;
        let top = (w as u32 >> 23) as usize & 511;
        let length = usize::from(self.lengths[top]);
        // A branch, not an addition: few instructions have the extra dword, and the processor goes on with
        // the predicted length without waiting for these loads.
        if (at(a) | at(b) | at(c)) & self.extra_dword[top] != 0 { with_extra_dword(length) } else { length }
    }

    /// The mnemonic of the instruction with the first two dwords `w` and the third `w2`; `None` where
    /// [`Index::length`] guessed its length wrong, and where only the exact decoder can tell.
    #[inline(always)]
    pub(super) fn mnemonic_if_guess_is_right(&self, w: u64, w2: u32) -> Option<u16> {
        let answers = self.answers(w);
        let leaf = &self.leaves[usize::from(self.leaf_number(w, answers)) & (LEAVES - 1)];
        // Everything that may be wrong is collected in one word, so that there is one branch.
        let wrong = ((w & leaf.mask) ^ leaf.value)
            | (answers & leaf.wrong)
            | u64::from((w2 & leaf.mask2) ^ leaf.value2);
        (wrong == 0).then_some(leaf.what.mnemonic())
    }

    /// The answers to all questions about the operands of an instruction.
    #[inline(always)]
    fn answers(&self, w: u64) -> u64 {
        // Written out, since a loop over places would read each shift from memory.
        const { assert!(PLACES.len() == 8) };
        let at = |place: usize| self.answers[place][(w >> PLACES[place]) as usize & 511];
        at(0) | at(1) | at(2) | at(3) | at(4) | at(5) | at(6) | at(7)
    }

    /// The instruction whatever length was guessed; `None` where only the exact decoder can tell. Not
    /// inlined: the loop has no registers to spare.
    #[inline(never)]
    pub(super) fn instruction_of_any_length(&self, w: u64, w2: u32) -> Option<Opcode> {
        self.what(w, w2).map(What::opcode)
    }

    /// The same with the form and its width, where one is known.
    #[inline(always)]
    pub(super) fn what(&self, w: u64, w2: u32) -> Option<What> {
        let answers = self.answers(w);
        let leaf = &self.leaves[usize::from(self.leaf_number(w, answers)) & (LEAVES - 1)];
        let wrong = ((w & leaf.mask) ^ leaf.value)
            | (answers & leaf.refused)
            | u64::from((w2 & leaf.mask2) ^ leaf.value2);
        (wrong == 0).then(|| leaf.what.with_literal(answers & leaf.literal != 0))
    }

    /// The number of the leaf of an instruction. Of the answers, only those at the places of forms matter.
    #[inline(always)]
    fn leaf_number(&self, w: u64, answers: u64) -> u16 {
        let node = &self.nodes[((answers & FORM_MASK) as usize | (w as u32 >> 23) as usize) & (NODES - 1)];
        let opcode = (w as u32).wrapping_mul(node.lift) >> (32 - OPCODE_BITS) & node.mask;
        self.cells[(node.base + opcode) as usize & (CELLS - 1)]
    }

    /// The encodings that an instruction can have, widest first.
    pub(super) fn candidates(&self, w: u64) -> &[u16] {
        let at = |place: usize| self.answers[place][(w >> PLACES[place]) as usize & 511];
        let leaf = self.leaf_number(w, at(FORM_PLACES[0]) | at(FORM_PLACES[1]));
        let (start, end) = self.spans.get(usize::from(leaf)).copied().unwrap_or_default();
        self.candidates.get(start as usize..end as usize).unwrap_or_default()
    }
}

/// Builds an index: collects nodes, leaves and the questions that leaves ask.
struct Builder<'a> {
    encodings: &'a [Encoding],
    forms: &'a Forms,
    /// The bit of the answers that each question has.
    numbers: BTreeMap<OperandBit, u32>,
    /// Nodes and leaves that were made before, by what they lead to.
    nodes: BTreeMap<(Vec<u16>, Guess), Node>,
    leaves: BTreeMap<(Vec<u16>, Guess, bool), u16>,
    longest: usize,
    known: Known,
    index: Index,
    cells_used: usize,
}

impl Index {
    /// The index over the encodings of a family, which stand widest first.
    pub(super) fn new(encodings: &[Encoding], by_top: &ByTop, longest: usize, forms: &Forms) -> Index {
        let index = Index {
            nodes: filled(Node::default()),
            lengths: Box::new([4; 512]),
            extra_dword: Box::new([0; 512]),
            cells: filled(0),
            leaves: filled(COLD),
            answers: no_answers(),
            is_wide: encodings.iter().any(|encoding| encoding.rule.mask >> 64 != 0),
            // Leaf 0 takes what finds no room elsewhere: it matches nothing, and its candidates are all
            // encodings.
            spans: vec![(0, encodings.len() as u32)],
            candidates: (0..encodings.len() as u16).collect(),
        };
        let mut builder = Builder {
            encodings,
            forms,
            longest,
            known: BTreeMap::new(),
            numbers: BTreeMap::new(),
            nodes: BTreeMap::new(),
            leaves: BTreeMap::new(),
            index,
            cells_used: 1,
        };
        for top in 0..512 {
            builder.add_top(top, by_top.candidates((top as u32) << 23));
        }
        builder.index
    }
}

/// Answers with the bits for forms and [`ALWAYS`] set, and none for questions yet.
fn no_answers() -> Box<Answers> {
    let mut answers = Box::new([[0; 512]; PLACES.len()]);
    answers[FORM_PLACES[0]] = [ALWAYS; 512];
    for ((place, shift), is_form) in FORM_PLACES.into_iter().zip(FORM_SHIFTS).zip(IS_FORM) {
        for (form, value) in FORMS.iter().enumerate() {
            answers[place][*value] |= (form as u64 + 1) << shift | is_form;
        }
    }
    answers
}

/// A large array made on the heap, never on the stack.
pub(super) fn filled<T: Copy, const N: usize>(value: T) -> Box<[T; N]> {
    match vec![value; N].into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => Box::new([value; N]),
    }
}

impl Builder<'_> {
    /// The bits of the answers for these questions; new questions get the next free bits. `None` where no bit
    /// is left: then the encoding is left to the exact decoder.
    fn bits(&mut self, questions: &[OperandBit]) -> Option<u64> {
        let mut bits = 0;
        for question in questions {
            let number = match self.numbers.get(question) {
                Some(number) => *number,
                None => self.number(question)?,
            };
            bits |= 1 << number;
        }
        Some(bits)
    }

    /// Gives a question a free bit, and fills in its answers for all values.
    fn number(&mut self, question: &OperandBit) -> Option<u32> {
        let mut free = (0..64).filter(|bit| QUESTION_BITS >> bit & 1 == 1);
        let number = free.nth(self.numbers.len())?;
        for (seen, answers) in self.index.answers[question.place].iter_mut().enumerate() {
            *answers |= (question.yes[seen / 64] >> (seen % 64) & 1) << number;
        }
        self.numbers.insert(*question, number);
        Some(number)
    }

    fn rule(&self, number: u16) -> &Rule {
        &self.encodings[usize::from(number)].rule
    }

    /// Makes the nodes of all instructions that begin with the same nine bits.
    fn add_top(&mut self, top: usize, list: &[u16]) {
        let is_form = |place: &usize| list.iter().any(|n| !can_have(self.rule(*n), *place, 0));
        let place = (0..FORM_PLACES.len()).find(is_form);
        let guess = self.guess(list, place);
        self.index.lengths[top] = guess.length;
        self.index.extra_dword[top] = guess.extra_dword;
        // Number 0 is for instructions without another form.
        let mut by_form = [Node::default(); FORMS.len() + 1];
        for (number, node) in by_form.iter_mut().enumerate() {
            let fits = |n: &&u16| place.is_none_or(|place| can_have(self.rule(**n), place, number));
            let list: Vec<u16> = list.iter().filter(fits).copied().collect();
            *node = self.node(list, guess, place, number);
        }
        // Both places are read for every instruction. Only the one that matters here may choose the node, so
        // all values of the other lead to the same.
        for first in 0..8usize {
            for second in 0..8usize {
                let number = [first, second].get(place.unwrap_or(0)).copied().unwrap_or(0);
                let node = by_form.get(number).copied().unwrap_or_default();
                self.index.nodes[top | first << FORM_SHIFTS[0] | second << FORM_SHIFTS[1]] =
                    if place.is_some() { node } else { by_form[0] };
            }
        }
    }

    /// The node that leads to a list of encodings, all of one form.
    fn node(&mut self, list: Vec<u16>, guess: Guess, place: Option<usize>, form: usize) -> Node {
        let is_form = place.is_some() && form > 0;
        if let Some(node) = self.nodes.get(&(list.clone(), guess)) {
            return *node;
        }
        let (shift, width) = self.opcode(&list);
        let opcodes = 1usize << width;
        if self.cells_used + opcodes > CELLS {
            return Node::default();
        }
        let node = Node {
            base: self.cells_used as u32,
            lift: 1u32.checked_shl(32 - OPCODE_BITS - shift).unwrap_or(0),
            mask: (opcodes - 1) as u32,
        };
        let mut cells: Vec<Vec<u16>> = vec![Vec::new(); opcodes];
        for number in &list {
            let rule = self.rule(*number);
            let mask = (rule.mask as u32 >> shift) as usize & (opcodes - 1);
            let value = (rule.value as u32 >> shift) as usize & (opcodes - 1);
            // All values of the bits that the encoding leaves open: subtracting the mask counts through its
            // subsets.
            let open = !mask & (opcodes - 1);
            let mut some = 0usize;
            loop {
                cells[value | some].push(*number);
                some = some.wrapping_sub(open) & open;
                if some == 0 {
                    break;
                }
            }
        }
        for (opcode, list) in cells.into_iter().enumerate() {
            self.index.cells[self.cells_used + opcode] = self.leaf(list, guess, is_form);
        }
        self.cells_used += opcodes;
        self.nodes.insert((list, guess), node);
        node
    }

    /// The bits that tell these encodings apart best: the lowest, and how many.
    fn opcode(&self, list: &[u16]) -> (u32, u32) {
        let (mut zeros, mut ones) = ([0u32; 23], [0u32; 23]);
        for number in list {
            let rule = self.rule(*number);
            for bit in 0..23 {
                if rule.mask >> bit & 1 == 1 {
                    let seen = if rule.value >> bit & 1 == 1 { &mut ones } else { &mut zeros };
                    seen[bit as usize] += 1;
                }
            }
        }
        // A bit tells much where about as many encodings have a zero there as a one.
        let tells = |bit: u32| zeros[bit as usize].min(ones[bit as usize]);
        let telling: Vec<u32> = (0..23).filter(|bit| tells(*bit) > 0).collect();
        let window = |low: u32| (low..(low + OPCODE_BITS).min(23)).map(tells).map(u64::from).sum::<u64>();
        let low = telling.iter().copied().max_by_key(|low| (window(*low), *low)).unwrap_or(0);
        // A node multiplies: it can only move the field up.
        let low = low.min(32 - OPCODE_BITS);
        let high = telling.iter().copied().filter(|bit| (low..low + OPCODE_BITS).contains(bit)).max();
        (low, high.map_or(0, |high| high + 1 - low))
    }

    /// The number of the leaf for a list of encodings; 0 where no leaf is free.
    fn leaf(&mut self, list: Vec<u16>, guess: Guess, is_form: bool) -> u16 {
        let key = (list, guess, is_form);
        if let Some(leaf) = self.leaves.get(&key) {
            return *leaf;
        }
        let number = self.index.spans.len();
        if number >= LEAVES {
            return 0;
        }
        let start = self.index.candidates.len() as u32;
        self.index.candidates.extend(&key.0);
        self.index.spans.push((start, self.index.candidates.len() as u32));
        if let Some(leaf) = self.fast(&key.0, guess, is_form) {
            self.index.leaves[number] = leaf;
        }
        self.leaves.insert(key, number as u16);
        number as u16
    }

    /// The one encoding that a leaf compares, if any is safe: no wider encoding of the list may match the
    /// same bits with another meaning, because the widest match wins.
    fn fast(&mut self, list: &[u16], guess: Guess, is_form: bool) -> Option<Leaf> {
        let safe = |place: usize, number: u16| {
            let rule = self.rule(number);
            list.iter().take(place).map(|wider| self.rule(*wider)).all(|wider| {
                let apart = (wider.mask & rule.mask) & (wider.value ^ rule.value) != 0;
                apart || merge::is_same(wider, rule)
            })
        };
        let safe = list.iter().enumerate().filter(|(place, number)| safe(*place, **number));
        let safe: Vec<&Encoding> = safe.filter_map(|(_, n)| self.encodings.get(usize::from(*n))).collect();
        let mut merged = merge::merge(&safe);
        // Of several, the one with the fewest bits set is the most common: no tfe, no lds.
        merged.sort_by_key(|encoding| (encoding.rule.value & encoding.rule.mask).count_ones());
        merged.iter().find_map(|encoding| self.as_leaf(encoding, guess, is_form))
    }

    /// The comparisons for one encoding; `None` where a leaf cannot express them.
    fn as_leaf(&mut self, encoding: &Encoding, guess: Guess, is_form: bool) -> Option<Leaf> {
        let rule = &encoding.rule;
        let questions = OperandBits::from_encoding(encoding, self.longest, &mut self.known)?;
        let mask = rule.mask | rule.flags.clear.map_or(0, |bit| 1 << bit);
        if mask >> 96 != 0 || rule.flags.fixed_254 {
            return None;
        }
        let (refused, literal) = (self.bits(&questions.refused)?, self.bits(&questions.literal)?);
        let length = rule.bytes + rule.flags.nsa;
        // SDWA and DPP bring a dword of their own, which the guess has counted in.
        let guessed = guess.length + if is_form { 4 } else { 0 };
        // Without a form the guess is wrong where it counted a dword that this encoding has not, or the other
        // way round.
        let misguided = if is_form { literal } else { literal ^ guess.extra_dword };
        let form = self.forms.of_all(rule.mnemonic, mask, rule.value, length);
        let opcode = Opcode { mnemonic: rule.mnemonic, length };
        Some(Leaf {
            what: What::new(opcode, form.unwrap_or((NO_FORM, 0))),
            mask: mask as u64,
            value: rule.value as u64,
            wrong: if length == guessed { refused | misguided } else { ALWAYS },
            mask2: (mask >> 64) as u32,
            value2: (rule.value >> 64) as u32,
            refused,
            literal,
        })
    }

    /// The length of most instructions with the same top nine bits, and what makes them longer.
    fn guess(&mut self, list: &[u16], form_place: Option<usize>) -> Guess {
        let Some(length) = list.iter().map(|n| self.rule(*n).bytes).min() else {
            return Guess { extra_dword: 0, length: 4 };
        };
        let mut extra_dword = form_place.map_or(0, |place| IS_FORM[place]);
        for number in list {
            let encoding = self.encodings.get(usize::from(*number)).filter(|e| e.rule.bytes == length);
            if let Some(mut questions) =
                encoding.and_then(|e| OperandBits::from_encoding(e, self.longest, &mut self.known))
            {
                questions.literal.retain(|question| EARLY_PLACES.contains(&question.place));
                extra_dword |= self.bits(&questions.literal).unwrap_or(0);
            }
        }
        Guess { extra_dword, length }
    }
}

/// Whether an instruction of an encoding can have a form at a place: none (0), or one of [`FORMS`], counted
/// from 1.
fn can_have(rule: &Rule, place: usize, form: usize) -> bool {
    let at = PLACES[FORM_PLACES[place]];
    let (mask, value) = ((rule.mask >> at) as usize & 511, (rule.value >> at) as usize & 511);
    match form.checked_sub(1) {
        // Some value that is no form: of those that the encoding leaves open, not all are.
        None => {
            let forms = FORMS.iter().filter(|form| *form & mask == value).count();
            value & !mask == 0 && forms < 1 << mask.count_zeros().saturating_sub(usize::BITS - 9)
        }
        Some(form) => FORMS.get(form).is_some_and(|form| form & mask == value),
    }
}
