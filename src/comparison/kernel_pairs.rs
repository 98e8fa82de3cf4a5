//! Compares the same kernels of two targets, or of two files: the resources they need, their mix of
//! instructions, and the instructions side by side.

use super::snapshot::without_processor;
use crate::codeobject::Kernel;
use crate::inventory::kernel_row::KernelRow;
use crate::isa::class::CLASSES;
use crate::locator::file_name;
use crate::report::v1::{
    ClassPair, Fatbin, KernelInstructions, KernelPair, KernelPairs, KernelSide, NumberPair,
};
use crate::target::TargetId;
use std::collections::{BTreeMap, VecDeque};

/// Reads a number of a kernel.
type Number = fn(&Kernel<'_>) -> Option<u64>;

/// Numbers from kernel metadata that are compared, under the names other reports use.
const NUMBERS: [(&str, Number); 8] = [
    ("sgprs", |kernel| kernel.sgprs()),
    ("vgprs", |kernel| kernel.vgprs()),
    ("agprs", |kernel| kernel.agprs()),
    ("sgpr_spills", |kernel| kernel.sgpr_spills()),
    ("vgpr_spills", |kernel| kernel.vgpr_spills()),
    ("lds", |kernel| kernel.lds()),
    ("scratch", |kernel| kernel.scratch()),
    ("wavefront", |kernel| kernel.wavefront()),
];

/// Numbers from the metadata of kernels, by code object and name.
#[derive(Debug, Default)]
pub struct KernelNumbers(BTreeMap<(String, String), [Option<u64>; NUMBERS.len()]>);

impl KernelNumbers {
    /// Records the numbers of a row.
    pub fn add(&mut self, row: &KernelRow) {
        let numbers = NUMBERS.map(|(_, number)| number(&row.kernel));
        self.0.insert((row.place.locator.to_string(), row.kernel.name().to_owned()), numbers);
    }

    /// Adds those of another file.
    pub fn extend(&mut self, other: KernelNumbers) {
        self.0.extend(other.0);
    }
}

/// What the kernels of both sides have in common, and what tells the sides apart.
#[derive(Debug, Clone, Copy)]
pub enum PairedBy<'a> {
    /// The same files, of these two targets. Processor names inside kernel names are ignored.
    Targets(&'a TargetId, &'a TargetId),
    /// The same target, in the first so many files and in those behind them. The sides have these names.
    Files(usize, [&'a str; 2]),
}

/// Pairs the kernels of decoded files; kernels with equal names are paired in file order.
pub fn kernel_pairs(files: &[Fatbin], numbers: &KernelNumbers, by: PairedBy<'_>) -> KernelPairs {
    match by {
        PairedBy::Targets(here, there) => {
            let named = |target| of_target(kernels_of(files), target);
            paired([named(here), named(there)], numbers, [here.to_string(), there.to_string()])
        }
        PairedBy::Files(count, names) => {
            let (own, others) = files.split_at(count.min(files.len()));
            // Two packages have many files: a kernel is compared with that of the file of the same name.
            let with_files = own.len() != 1 || others.len() != 1;
            let sides = [own, others].map(|files| by_file(files, with_files));
            let mut found = paired(sides, numbers, names.map(str::to_owned));
            if with_files {
                let kernels = own.iter().flat_map(|file| {
                    file.kernel_instructions.iter().map(|kernel| (kernel.uri.as_str(), file_name(&file.path)))
                });
                let names: BTreeMap<&str, &str> = kernels.collect();
                for pair in &mut found.pairs {
                    pair.file = names.get(pair.here.uri.as_str()).map(|name| (*name).to_owned());
                }
            }
            found
        }
    }
}

/// The kernels of files by name and target, and by the names of their files.
fn by_file(files: &[Fatbin], with_files: bool) -> Named<'_> {
    let mut named = Named::new();
    for file in files {
        for kernel in &file.kernel_instructions {
            // Two targets in one file may have kernels of one name.
            let mut key = format!("{} {}", kernel.name, kernel.target_id);
            if with_files {
                key = format!("{key} {}", file_name(&file.path));
            }
            named.entry(key).or_default().push_back(kernel);
        }
    }
    named
}

fn kernels_of(files: &[Fatbin]) -> impl Iterator<Item = &KernelInstructions> {
    files.iter().flat_map(|file| &file.kernel_instructions)
}

/// Kernels by what they are paired by.
type Named<'k> = BTreeMap<String, VecDeque<&'k KernelInstructions>>;

/// The kernels that load on a target, by name.
fn of_target<'k>(kernels: impl Iterator<Item = &'k KernelInstructions>, target: &TargetId) -> Named<'k> {
    let of_it = |kernel: &&KernelInstructions| {
        TargetId::parse(&kernel.target_id).is_some_and(|own| own.loads_on(target))
    };
    let mut named = Named::new();
    for kernel in kernels.filter(of_it) {
        named.entry(without_processor(&kernel.name, &target.processor)).or_default().push_back(kernel);
    }
    // The loader prefers code for the processor itself to code for a generic target.
    for kernels in named.values_mut() {
        let exact = |kernel: &&KernelInstructions| {
            TargetId::parse(&kernel.target_id).is_some_and(|own| own.processor == target.processor)
        };
        if kernels.iter().any(exact) {
            kernels.retain(exact);
        }
    }
    named
}

fn paired([mut own, mut other]: [Named<'_>; 2], numbers: &KernelNumbers, sides: [String; 2]) -> KernelPairs {
    let [here, there] = sides;
    let mut found =
        KernelPairs { here, there, pairs: Vec::new(), only_here: Vec::new(), only_there: Vec::new() };
    let mut left_here: Vec<&KernelInstructions> = Vec::new();
    for (name, kernels) in &mut own {
        let mut others = other.remove(name).unwrap_or_default();
        while let (Some(one), Some(two)) = (kernels.front(), others.front()) {
            found.pairs.push(pair(one, two, numbers));
            kernels.pop_front();
            others.pop_front();
        }
        left_here.extend(std::mem::take(kernels));
        if !others.is_empty() {
            other.insert(name.clone(), others);
        }
    }
    let mut left: Vec<&KernelInstructions> = other.into_values().flatten().collect();
    // One that is left of each side is the same kernel with another name, as where a type of its arguments has
    // one: who asked for one kernel named it.
    if let ([own], [other]) = (&left_here[..], &left[..])
        && own.target_id == other.target_id
        && found.pairs.is_empty()
    {
        found.pairs.push(pair(own, other, numbers));
        left_here.clear();
        left.clear();
    }
    let names = |kernels: Vec<&KernelInstructions>| -> Vec<String> {
        kernels.into_iter().map(|kernel| kernel.name.clone()).collect()
    };
    (found.only_here, found.only_there) = (names(left_here), names(left));
    found
}

fn pair(here: &KernelInstructions, there: &KernelInstructions, numbers: &KernelNumbers) -> KernelPair {
    let stated = |kernel: &KernelInstructions| numbers.0.get(&(kernel.uri.clone(), kernel.name.clone()));
    let (own, other) = (stated(here), stated(there));
    let at = |place: usize, stated: Option<&[Option<u64>; NUMBERS.len()]>| {
        stated.and_then(|numbers| numbers.get(place).copied().flatten())
    };
    let mut rows: Vec<NumberPair> = NUMBERS
        .iter()
        .enumerate()
        .map(|(place, (what, _))| NumberPair::new(what, at(place, own), at(place, other)))
        .collect();
    rows.push(NumberPair::new("bytes", Some(here.bytes), Some(there.bytes)));
    rows.push(NumberPair::new("instructions", Some(here.instructions), Some(there.instructions)));
    let classes = CLASSES.iter().filter_map(|class| {
        let of = |kernel: &KernelInstructions| kernel.classes.get(class.id).copied().unwrap_or(0);
        let (here, there) = (of(here), of(there));
        (here + there > 0).then(|| ClassPair { class: class.id.to_owned(), here, there })
    });
    let lines = here.listing.as_ref().zip(there.listing.as_ref());
    KernelPair {
        name: here.name.clone(),
        demangled: here.demangled.clone(),
        file: None,
        here: side(here),
        there: side(there),
        numbers: rows,
        classes: classes.collect(),
        alignment: lines.map(|(own, other)| {
            let mnemonics = |lines: &[crate::report::v1::ListedInstruction]| -> Vec<Option<&'static str>> {
                lines.iter().map(|line| line.mnemonic).collect()
            };
            aligned(&mnemonics(own), &mnemonics(other))
        }),
    }
}

fn side(kernel: &KernelInstructions) -> KernelSide {
    KernelSide {
        target_id: kernel.target_id.clone(),
        uri: kernel.uri.clone(),
        name: kernel.name.clone(),
        body: kernel.body,
    }
}

impl NumberPair {
    fn new(what: &str, here: Option<u64>, there: Option<u64>) -> Self {
        NumberPair { what: what.to_owned(), here, there }
    }
}

/// Aligns the lines of both sides, each once and in order: as many equal lines as possible side by side
/// (Myers, 1986), the others alone. If the sides differ in more than [`MOST_EDITS`] lines, the lines left at
/// that bound are paired in order.
fn aligned<T: PartialEq>(own: &[T], other: &[T]) -> Vec<(Option<usize>, Option<usize>)> {
    let begin = own.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (rest, others) = (own.get(begin..).unwrap_or_default(), other.get(begin..).unwrap_or_default());
    let end = rest.iter().rev().zip(others.iter().rev()).take_while(|(a, b)| a == b).count();
    let (n, m) = (rest.len() - end, others.len() - end);
    let middle = between(rest.get(..n).unwrap_or_default(), others.get(..m).unwrap_or_default());
    let shifted = |at: Option<usize>| at.map(|at| at + begin);
    let both = (0..begin).map(|at| (Some(at), Some(at)));
    let middle = middle.into_iter().map(|(a, b)| (shifted(a), shifted(b)));
    let last = (0..end).map(|at| (Some(begin + n + at), Some(begin + m + at)));
    beside(both.chain(middle).chain(last))
}

/// Pairs lines that exist on one side only with lines of the other side that they replace.
fn beside(rows: impl Iterator<Item = (Option<usize>, Option<usize>)>) -> Vec<(Option<usize>, Option<usize>)> {
    let mut out = Vec::new();
    let (mut own, mut other) = (Vec::new(), Vec::new());
    let flush = |own: &mut Vec<usize>, other: &mut Vec<usize>, out: &mut Vec<_>| {
        let longer = own.len().max(other.len());
        out.extend((0..longer).map(|place| (own.get(place).copied(), other.get(place).copied())));
        own.clear();
        other.clear();
    };
    for row in rows {
        match row {
            (Some(a), None) => own.push(a),
            (None, Some(b)) => other.push(b),
            same => {
                flush(&mut own, &mut other, &mut out);
                out.push(same);
            }
        }
    }
    flush(&mut own, &mut other, &mut out);
    out
}

/// Most differing lines before the rest is paired in order; memory grows with the square of it.
const MOST_EDITS: usize = 1 << 10;

fn between<T: PartialEq>(own: &[T], other: &[T]) -> Vec<(Option<usize>, Option<usize>)> {
    let (n, m) = (own.len(), other.len());
    let most = (n + m).min(MOST_EDITS);
    // For each number of edits and each diagonal (x - y), the furthest x reached.
    let mut reached = vec![0usize; 2 * most + 3];
    let mut before: Vec<Vec<usize>> = Vec::new();
    let at = |reached: &[usize], diagonal: isize| -> usize {
        usize::try_from(diagonal + most as isize + 1)
            .ok()
            .and_then(|place| reached.get(place).copied())
            .unwrap_or(0)
    };
    let mut end = None;
    'edits: for edits in 0..=most as isize {
        before.push(reached.clone());
        for diagonal in (-edits..=edits).step_by(2) {
            let down = diagonal == -edits
                || diagonal != edits && at(&reached, diagonal - 1) < at(&reached, diagonal + 1);
            let mut x = if down { at(&reached, diagonal + 1) } else { at(&reached, diagonal - 1) + 1 };
            let y_of = |x: usize| usize::try_from(x as isize - diagonal).unwrap_or(usize::MAX);
            while x < n && y_of(x) < m && own.get(x) == other.get(y_of(x)) {
                x += 1;
            }
            if let Some(slot) =
                usize::try_from(diagonal + most as isize + 1).ok().and_then(|place| reached.get_mut(place))
            {
                *slot = x;
            }
            if x >= n && y_of(x) >= m {
                end = Some(edits);
                break 'edits;
            }
        }
    }
    let Some(end) = end else {
        return (0..n.max(m))
            .map(|place| ((place < n).then_some(place), (place < m).then_some(place)))
            .collect();
    };
    let (mut x, mut y) = (n, m);
    let mut rows = Vec::with_capacity(n.max(m));
    for edits in (0..=end).rev() {
        let Some(reached) = usize::try_from(edits).ok().and_then(|edits| before.get(edits)) else { continue };
        let diagonal = x as isize - y as isize;
        let down =
            diagonal == -edits || diagonal != edits && at(reached, diagonal - 1) < at(reached, diagonal + 1);
        let from = if down { diagonal + 1 } else { diagonal - 1 };
        let old_x = if edits == 0 { 0 } else { at(reached, from) };
        let old_y = if edits == 0 { 0 } else { usize::try_from(old_x as isize - from).unwrap_or(0) };
        while x > old_x && y > old_y && own.get(x - 1) == other.get(y - 1) {
            (x, y) = (x - 1, y - 1);
            rows.push((Some(x), Some(y)));
        }
        if edits > 0 && down && y > 0 {
            y -= 1;
            rows.push((None, Some(y)));
        } else if edits > 0 && x > 0 {
            x -= 1;
            rows.push((Some(x), None));
        }
    }
    rows.reverse();
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(own: &str, other: &str) -> (String, usize) {
        let (own, other): (Vec<char>, Vec<char>) = (own.chars().collect(), other.chars().collect());
        let rows = aligned(&own, &other);
        let kept = |side: &[Option<usize>]| side.iter().flatten().copied().collect::<Vec<_>>();
        let (left, right): (Vec<_>, Vec<_>) = rows.iter().copied().unzip();
        // Every line occurs once, in order.
        assert_eq!(kept(&left), (0..own.len()).collect::<Vec<_>>());
        assert_eq!(kept(&right), (0..other.len()).collect::<Vec<_>>());
        let same = rows.iter().filter(|(a, b)| a.zip(*b).is_some_and(|(a, b)| own[a] == other[b])).count();
        let shown = rows.iter().map(|(a, b)| match (a, b) {
            (Some(a), Some(_)) => own[*a],
            (Some(_), None) => '<',
            _ => '>',
        });
        (shown.collect(), same)
    }

    #[test]
    fn as_many_lines_as_can_be_stand_beside_each_other() {
        assert_eq!(texts("", ""), (String::new(), 0));
        assert_eq!(texts("abc", "abc"), ("abc".into(), 3));
        assert_eq!(texts("abc", ""), ("<<<".into(), 0));
        assert_eq!(texts("abd", "abcd"), ("ab>d".into(), 3));
        // Myers's example: the longest common subsequence has four letters.
        assert_eq!(texts("abcabba", "cbabac").1, 4);
        assert_eq!(texts("xaxbxc", "aybycy").1, 3);
    }

    #[test]
    fn what_is_too_different_is_taken_as_it_comes() {
        let own: Vec<usize> = (0..MOST_EDITS).collect();
        let other: Vec<usize> = (MOST_EDITS..2 * MOST_EDITS + 3).collect();
        let rows = aligned(&own, &other);
        assert_eq!(rows.len(), other.len());
        assert_eq!(rows[0], (Some(0), Some(0)));
        assert_eq!(rows[rows.len() - 1], (None, Some(other.len() - 1)));
    }
}
