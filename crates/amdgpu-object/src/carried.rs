//! What a file carries for each target, and whether a card finds code in it.
//!
//! This is the small verdict: a code object that the card's loader takes is in these bytes, or not. What else
//! a program needs (catalogs that lead to the kernels, databases, other libraries) is not asked, and neither
//! is whether the kernels do more than trap.
#![deny(clippy::indexing_slicing)]

use crate::codeobject::disassembly::CodeAsk;
use crate::codeobject::{CodeObject, Kernel, OnKernel};
use crate::container::bundle_reader::{self, Depth, Payload};
use crate::container::{self, Bundle, EntryId, StorageKind};
use crate::error::{ParseError, ParseErrorKind, ParseErrors};
use crate::format::{Format, Support, hidden};
use crate::limits::HEAD_BYTES;
use crate::target::{Family, TargetId};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// `e_ident[EI_OSABI]` of shaders of the graphics driver, which no program for compute loads. Source:
/// `ELFOSABI_AMDGPU_PAL` of LLVM's `ELF.h`.
const PAL: u8 = 65;

/// Most targets and kinds of content that a file is summed up for; all known ones with all features are
/// fewer.
const MOST_KINDS: usize = 512;

/// Targets that a reason names.
const NAMED: usize = 8;

answer! {
    /// The code objects of a file for one target.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CarriedTarget {
        /// The target that the code objects state.
        part target: TargetId,
        /// The target of the bundle entries that they lie in, by which the runtime chooses; `None` outside of
        /// bundles.
        maybe named: TargetId,
        /// Number of code objects.
        copy code_objects: u64,
        /// Number of kernels in their metadata.
        copy kernels: u64,
    }
}

answer! {
    /// The device code of one file, summed up.
    #[derive(Debug, Clone)]
    pub struct CarriedCode {
        /// The format of the file.
        copy format: Format,
        /// Number of bundles.
        copy bundles: u64,
        /// Its code objects by target, in the order of the processors.
        list targets: CarriedTarget,
        /// Number of entries with SPIR-V, which a runtime compiles.
        copy spirv: u64,
        /// Targets of entries with LLVM bitcode, which a linker makes code of.
        list bitcode: TargetId,
        /// Whether the code was moved to kpack archives, which lie beside the file.
        copy is_moved: bool,
        /// Parts that may hold code and were not read, in words.
        list unread: String,
        /// Malformed parts.
        part problems: ParseErrors,
        hidden mark: Option<&'static str>,
    }
}

/// Whether a file serves a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Serves {
    /// What was read does not decide it.
    NotKnown,
    /// A code object with kernels that the card loads is in the file, and all of the file was read.
    Yes,
    /// The file has code objects, all of it was read, and the card loads none of them.
    No,
}

impl Serves {
    /// A word for documents.
    pub fn name(self) -> &'static str {
        match self {
            Serves::NotKnown => "not-known",
            Serves::Yes => "yes",
            Serves::No => "no",
        }
    }
}

answer! {
    /// The answer for a card.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CardAnswer {
        /// Whether the file serves it.
        copy serves: Serves,
        /// Why, in a clause.
        text reason: String,
    }
}

impl CarriedCode {
    /// Reads all device code of a file. Compressed bundles are inflated to their end, one after the other.
    /// Calls `on_kernel` for each kernel in file order.
    pub fn read(bytes: &[u8], on_kernel: &mut OnKernel<'_>) -> Self {
        let format = Format::identify_whole(bytes);
        let found = container::open(bytes, format);
        let mut code = CarriedCode {
            format,
            bundles: 0,
            targets: Vec::new(),
            spirv: 0,
            bitcode: Vec::new(),
            is_moved: found.kpack().is_some(),
            unread: found.unread().to_vec(),
            problems: found.problems().clone(),
            mark: None,
        };
        for bundle in found.bundles() {
            code.bundles += u64::from(bundle.storage().kind() != StorageKind::CodeObject);
            code.add(bytes, bundle, on_kernel);
        }
        let head = bytes.get(..HEAD_BYTES.min(bytes.len())).unwrap_or_default();
        if found.bundles().is_empty() && format == Format::Other && !hidden::is_text(head) {
            code.mark = hidden::mark(bytes).map(|(_, what)| what);
        }
        code
    }

    fn add(&mut self, bytes: &[u8], bundle: &Bundle, on_kernel: &mut OnKernel<'_>) {
        if let Some(problem) = bundle.problem().filter(|own| !self.problems.iter().any(|known| known == *own))
        {
            self.problems.push(problem.clone());
        }
        let take = &mut |_: usize, target: &TargetId, kernel: &Kernel<'_>| on_kernel(target, kernel);
        let content = bundle_reader::read(bytes, bundle, Depth::Whole, CodeAsk::Nothing, take);
        let (payloads, problems) = content.into_payloads();
        for (entry, (payload, _)) in bundle.entries().iter().zip(&payloads) {
            match payload {
                Payload::CodeObject(object) if object.header().version().os_abi() != PAL => {
                    self.problems.append(object.problems().clone());
                    self.add_object(object, entry.id(), bundle.offset());
                }
                Payload::SpirV => self.spirv += 1,
                Payload::Bitcode => {
                    let target = entry.id().and_then(EntryId::target);
                    let new = target.filter(|target| !self.bitcode.contains(target));
                    self.bitcode.extend(new.filter(|_| self.bitcode.len() < MOST_KINDS).cloned());
                }
                _ => {}
            }
        }
        self.problems.append(problems);
    }

    fn add_object(&mut self, object: &CodeObject, id: Option<&EntryId>, offset: u64) {
        let (target, named) = (object.target(), id.and_then(EntryId::target));
        let kernels = object.kernels().count();
        let order = |row: &CarriedTarget| (&row.target, row.named.as_ref()).cmp(&(target, named));
        let place = self.targets.binary_search_by(order);
        if let Some(row) = place.ok().and_then(|at| self.targets.get_mut(at)) {
            row.code_objects += 1;
            row.kernels = row.kernels.saturating_add(kernels);
        } else if self.targets.len() < MOST_KINDS {
            let (target, named, at) = (target.clone(), named.cloned(), place.unwrap_or_else(|at| at));
            self.targets.insert(at, CarriedTarget { target, named, code_objects: 1, kernels });
        } else {
            let what = format!("code for more than {MOST_KINDS} targets; the rest is not counted");
            self.problems.push(ParseError::new(offset, what));
        }
    }

    /// Whether all of the file was read.
    pub fn is_complete(&self) -> bool {
        self.problems.is_empty() && self.unread.is_empty() && self.mark.is_none() && !self.is_closed()
    }

    /// Whether its format is not opened here.
    fn is_closed(&self) -> bool {
        matches!(self.format.support(), Support::Members | Support::NotYet)
    }

    /// Whether the file serves a card, which is named by a target ID such as `gfx1030` or `gfx90a:xnack-`. A
    /// feature that it does not state fits both states. Whatever is damaged makes the answer not known.
    pub fn serves(&self, card: &TargetId) -> CardAnswer {
        let (serves, reason) = self.judge(card);
        match self.fault() {
            None => CardAnswer { serves, reason },
            Some(fault) => {
                let reason = format!("{fault}; of what was read: {reason}");
                CardAnswer { serves: Serves::NotKnown, reason }
            }
        }
    }

    /// Why not all of the file was read.
    fn fault(&self) -> Option<String> {
        if let Some(problem) = self.problems.iter().next() {
            let what = match problem.kind() {
                ParseErrorKind::UnknownMethod
                | ParseErrorKind::TooDeep
                | ParseErrorKind::TooMany
                | ParseErrorKind::WorkLimit
                | ParseErrorKind::InflatesTooFar => "not all of the file was read",
                _ => "the file is damaged",
            };
            return Some(format!("{what}: {problem}"));
        }
        if let Some(what) = self.unread.first() {
            return Some(format!("not all of the file was read: {what}"));
        }
        self.mark.map(|what| format!("the file {what}, and no code object in it holds together"))
    }

    /// The answer by what was read.
    fn judge(&self, card: &TargetId) -> (Serves, String) {
        if card.known().is_some_and(|known| known.family() == Family::Generic) {
            return (Serves::NotKnown, format!("{card} is a target of compilers and no card"));
        }
        let conflict = |row: &&CarriedTarget| {
            row.named.as_ref().is_some_and(|named| named.loads_on(card) != row.target.loads_on(card))
        };
        if let Some(CarriedTarget { target, named: Some(named), .. }) = self.targets.iter().find(conflict) {
            return (Serves::NotKnown, format!("a bundle names code for {named}, and it is for {target}"));
        }
        let fitting = || self.targets.iter().filter(|row| row.target.loads_on(card));
        let kernels = fitting().fold(0u64, |sum, row| sum.saturating_add(row.kernels));
        let names = |rows: &mut dyn Iterator<Item = &CarriedTarget>| {
            let mut names: Vec<String> = rows.map(|row| row.target.to_string()).collect();
            names.dedup();
            let more = names.len().saturating_sub(NAMED);
            names.truncate(NAMED);
            if more > 0 { format!("{} and {more} more", names.join(", ")) } else { names.join(", ") }
        };
        let own = names(&mut fitting());
        match kernels {
            0 if own.is_empty() => self.without(card, &names(&mut self.targets.iter())),
            0 => (Serves::NotKnown, format!("code objects for {own} that name no kernel")),
            1 => (Serves::Yes, format!("1 kernel for {own}")),
            count => (Serves::Yes, format!("{count} kernels for {own}")),
        }
    }

    /// The answer where the card loads none of the code objects, which are for the targets `here`.
    fn without(&self, card: &TargetId, here: &str) -> (Serves, String) {
        let unknown = |what: String| (Serves::NotKnown, what);
        let none = if here.is_empty() { "no code object".to_owned() } else { format!("code for {here}") };
        let translated = card.known().and_then(|known| known.translated_from());
        if self.is_moved {
            unknown(format!("{none} in it; the rest was moved to kpack archives, which lie beside it"))
        } else if self.spirv > 0 {
            unknown(format!("{none}, and SPIR-V, which a runtime that can compiles for the card"))
        } else if self.bitcode.iter().any(|target| target.loads_on(card)) {
            unknown(format!("{none}, and LLVM bitcode for {card}, which a linker makes code of"))
        } else if let Some(from) = translated.filter(|from| self.has(from)) {
            unknown(format!("code for {from}, which a runtime with HotSwap translates"))
        } else if card.known().is_none() {
            unknown(format!("{none}; {card} is no processor that is known here, and may run generic code"))
        } else if !here.is_empty() {
            (Serves::No, format!("code for {here}, none for {card}"))
        } else {
            unknown(self.without_code())
        }
    }

    fn has(&self, processor: &str) -> bool {
        self.targets.iter().any(|row| row.target.processor == processor)
    }

    /// Why a file without a code object decides nothing.
    fn without_code(&self) -> String {
        let name = self.format.name();
        match self.format.support() {
            Support::Members => format!("{name}: the files in it are not opened here; ask of each"),
            Support::NotYet => format!("{name}: not opened"),
            Support::Yes => format!("{name} without GPU code: nothing in it depends on the card"),
            Support::Nothing => format!("{name}: no GPU code was found"),
        }
    }
}

#[cfg(test)]
#[cfg(all(feature = "zlib", any(feature = "zstd", feature = "ruzstd")))]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;
    use std::path::Path;

    fn fixture(name: &str) -> Vec<u8> {
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/rocm/lib").join(name))
            .unwrap()
    }

    fn answer(bytes: &[u8], card: &str) -> CardAnswer {
        CarriedCode::read(bytes, &mut |_, _| {}).serves(&TargetId::parse(card).unwrap())
    }

    /// The targets are those of `fixtures/expected.json`, by LLVM.
    #[test]
    fn cards_find_their_code_by_processor_features_and_generic_target() {
        for (file, card, serves) in [
            ("librocblas.so.4.4", "gfx906", Serves::Yes),
            ("librocblas.so.4.4", "gfx1036", Serves::No),
            // Compressed bundles for both states of XNACK.
            ("librccl.so.1.0", "gfx90a", Serves::Yes),
            ("librccl.so.1.0", "gfx90a:xnack-", Serves::Yes),
            ("librocsolver.so.0", "gfx1032", Serves::Yes),
            ("librocsolver.so.0", "gfx10-3-generic", Serves::NotKnown),
            // One entry is SPIR-V.
            ("librocrand.so.1.1", "gfx1201", Serves::NotKnown),
            ("librocblas.so.4.4", "gfx9999", Serves::NotKnown),
            (
                "rocblas/library/TensileLibrary_Type_DD_Contraction_l_Ailk_Bljk_Cijk_Dijk_gfx906.dat",
                "gfx906",
                Serves::NotKnown,
            ),
        ] {
            let answer = answer(&fixture(file), card);
            assert_eq!(answer.serves(), serves, "{file} {card}: {}", answer.reason());
        }
    }

    #[test]
    fn what_is_damaged_is_not_known_for_any_card() {
        for file in
            ["librocblas.so.4.4", "librccl.so.1.0", "codeobject/v4_gfx906.hsaco", "ccob/v3-zlib.hsaco"]
        {
            let whole = fixture(file);
            let cut = &whole[..whole.len() - whole.len() / 3];
            for card in ["gfx906", "gfx1036"] {
                let answer = answer(cut, card);
                assert_eq!(answer.serves(), Serves::NotKnown, "{file} {card}: {}", answer.reason());
            }
        }
        assert_eq!(answer(b"", "gfx906").serves(), Serves::NotKnown);
        assert_eq!(answer(b"PK\x03\x04", "gfx906").reason().split(':').next(), Some("zip or wheel"));
    }
}
