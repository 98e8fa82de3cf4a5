//! Files that were looked for, named behind a word that says that they were not to be had.
//!
//! The grammar `WORD[^|]{0,160}?(?P<file>[^:,;|]{0,120}?NAME)` as a regular expression has states by the
//! hundred at each byte. Read by hand, the words and the names are found first, each in one pass, and what can
//! lie between them is counted.

use super::sought::{BEFORE, FOLDERS, GAP};
use aho_corasick::AhoCorasick;
use regex::bytes::{Regex, RegexBuilder};
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

/// A word that is no part of a longer one: what stands in [`BEFORE`] before it.
const NO_PART: &str = "[^_a-z]";

/// The words of [`BEFORE`], in their order: with each, whether it is no part of a longer one.
static WORDS: LazyLock<Vec<(&str, bool)>> = LazyLock::new(|| {
    let words = BEFORE.trim_start_matches('(').trim_end_matches(')').split('|');
    let words = words.map(|word| match word.strip_prefix(NO_PART) {
        Some(word) => (word, true),
        None => (word, false),
    });
    words.collect()
});
static AUTOMATON: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(WORDS.iter().map(|(word, _)| word)).ok());

/// Files whose name is an expression, behind a word.
pub(in crate::messages) struct FileBehindWord {
    name: String,
    regex: OnceLock<Option<Regex>>,
}

/// Where such a file is in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::messages) struct FilePlace {
    /// From the word to the end of the name.
    pub(in crate::messages) all: Range<usize>,
    /// The file, with its folders.
    pub(in crate::messages) file: Range<usize>,
    /// Where its name begins.
    name: usize,
}

impl FileBehindWord {
    pub(in crate::messages) fn new(name: String) -> Self {
        FileBehindWord { name, regex: OnceLock::new() }
    }

    /// The expression of the name; none where it is wrong, which a test rules out.
    fn regex(&self) -> Option<&Regex> {
        let build = || RegexBuilder::new(&self.name).unicode(false).dot_matches_new_line(true).build().ok();
        self.regex.get_or_init(build).as_ref()
    }

    /// The files in a text, which do not overlap.
    pub(in crate::messages) fn find_all(&self, text: &[u8]) -> Vec<FilePlace> {
        let mut found: Vec<FilePlace> = Vec::new();
        let names = self.names(text);
        if names.is_empty() {
            return found;
        }
        for (begins, ends) in words(text) {
            if found.last().is_none_or(|last| begins >= last.all.end) {
                found.extend(nearest(text, begins, ends, &names));
            }
        }
        found
    }

    /// What a name in the name's expression captured.
    pub(in crate::messages) fn named(
        &self,
        text: &[u8],
        place: &FilePlace,
        name: &str,
    ) -> Option<Range<usize>> {
        Some(self.regex()?.captures_at(text, place.name)?.name(name)?.range())
    }

    /// Where the name can begin, with its end there.
    fn names(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut names: Vec<Range<usize>> = Vec::new();
        let Some(regex) = self.regex() else { return names };
        while let Some(found) = regex.find_at(text, names.last().map_or(0, |last| last.start + 1)) {
            names.push(found.range());
        }
        names
    }
}

/// The words in a text, by their beginning and then in the order of the list.
fn words(text: &[u8]) -> Vec<(usize, usize)> {
    let Some(automaton) = AUTOMATON.as_ref() else { return Vec::new() };
    let places = automaton.find_overlapping_iter(text).filter_map(|found| {
        let word = found.pattern().as_usize();
        let (_, no_part) = WORDS.get(word)?;
        let begins = found.start().checked_sub(usize::from(*no_part))?;
        let first = text.get(begins)?;
        let is_part = *no_part && (*first == b'_' || first.is_ascii_lowercase());
        (!is_part).then_some((begins, word, found.end()))
    });
    let mut places: Vec<(usize, usize, usize)> = places.collect();
    places.sort_unstable();
    places.into_iter().map(|(begins, _, ends)| (begins, ends)).collect()
}

/// The file behind a word whose folders begin first, and of those the shortest.
fn nearest(text: &[u8], begins: usize, ends: usize, names: &[Range<usize>]) -> Option<FilePlace> {
    let first = names.partition_point(|name| name.start < ends);
    let in_reach = names.iter().skip(first).take_while(|name| name.start <= ends + GAP + FOLDERS);
    let places = in_reach.filter_map(|name| {
        let least = ends.max(name.start.saturating_sub(FOLDERS));
        let folders = text.get(least..name.start)?;
        let file = folders.iter().rposition(|byte| b":,;|".contains(byte)).map_or(least, |at| least + at + 1);
        let gap = text.get(ends..file)?;
        let is_near = gap.len() <= GAP && memchr::memchr(b'|', gap).is_none();
        is_near.then_some(FilePlace { all: begins..name.end, file: file..name.end, name: name.start })
    });
    places.min_by_key(|place| (place.file.start, place.name))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::super::sought::{KINDS, LIBRARIES, names_of, patterns};
    use super::*;
    use crate::messages::pattern::written_out;

    #[test]
    fn words_are_plain() {
        for (word, _) in WORDS.iter() {
            assert!(word.bytes().all(|byte| byte.is_ascii_lowercase()), "{word}");
        }
    }

    /// The same files as the regular expression finds, in texts of all that the grammar asks about.
    #[test]
    fn files_are_those_of_the_expression() {
        let libraries = LIBRARIES.iter().take(3).flat_map(|library| names_of(library));
        let names: Vec<String> = KINDS.iter().map(|kind| kind.name.to_owned()).chain(libraries).collect();
        let long = "x".repeat(100);
        let pieces = [
            "cannot",
            "error",
            "_error",
            "failedto",
            "failed",
            "filenotfound",
            "missing",
            "|",
            ":",
            ",",
            ";",
            "/",
            "a",
            "load",
            "(",
            "\n",
            "rocblas/library/",
            "tensilelibrary",
            "_lazy_",
            "gfx1030",
            "gfx90a",
            ".dat",
            ".co",
            ".kdb",
            ".zlib",
            "hipblaslt/",
            "libamdhip64",
            ".so",
            ".6",
            "amdhip64",
            ".dll",
            "librocblas",
            "rocblas",
            "_7",
            &long,
            &long[..37],
            &long[..59],
        ];
        let whole = [
            "hipblaslt/x/tensilelibrary_a.dat",
            "rocblas/tensilelibrary_lazy_gfx906.dat",
            "tensilelibrary_lazy_gfx1030.dat",
            "tensilelibrary.dat",
            "kernels.so-000-gfx900.hsaco",
            "tensilelibrary_type_hh.co",
            "gfx90a68.kdb",
            "gfx1030_36.hip.fdb.txt",
            "libmiopenckgroupedconv_gfx942.so.1",
            "kernel_rt_gfx1100.hipfb.zst",
            "x.kpack",
            "amdgpu/psp_13.bin",
            "ocml.bc",
            "ockl.bc",
            "opencl.bc",
            "oclc_abi_500.bc",
            "hip.bc",
            "aotriton.images",
            "libbitsandbytes_rocm72.so",
            "libbitsandbytes_cuda118.so",
            "/dev/kfd",
            "/dev/dri/renderd128",
            "libamdhip64.so.6",
            "-amdhip64_7.dll",
            "libhsa-runtime64.so",
            "librocblas.so.4",
        ];
        let mut state = 80_u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let mut some = 0;
        for name in &names {
            let [expression, _] = patterns(name).map(|pattern| written_out(&pattern));
            let regex =
                RegexBuilder::new(&expression).unicode(false).dot_matches_new_line(true).build().unwrap();
            let by_hand = FileBehindWord::new(written_out(name));
            for _ in 0..300 {
                let mut piece = || match next(3) {
                    0 => whole[next(whole.len())],
                    _ => pieces[next(pieces.len())],
                };
                let text: String = (0..16).map(|_| piece()).collect();
                let text = text.as_bytes();
                let found = by_hand.find_all(text);
                let expected: Vec<_> = regex.captures_iter(text).collect();
                let all: Vec<_> = expected.iter().map(|one| one.get(0).unwrap().range()).collect();
                let said = String::from_utf8_lossy(text);
                assert_eq!(
                    found.iter().map(|one| one.all.clone()).collect::<Vec<_>>(),
                    all,
                    "{name}: {said}"
                );
                for (place, captures) in found.iter().zip(&expected) {
                    assert_eq!(
                        Some(place.file.clone()),
                        captures.name("file").map(|file| file.range()),
                        "{said}"
                    );
                    let target = captures.name("target").map(|target| target.range());
                    assert_eq!(by_hand.named(text, place, "target"), target, "{name}: {said}");
                }
                some += found.len();
            }
        }
        assert!(some > 500, "{some}");
    }
}
