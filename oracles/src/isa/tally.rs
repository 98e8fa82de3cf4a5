//! The machine code of a code object as our own decoder sees it.

use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow};
use rocm_audit::bytes::elf::Elf;
use rocm_audit::codeobject::target_of;
use rocm_audit::codeobject::text_section;
use rocm_audit::codeobject::text_section::TextSection;
use rocm_audit::isa::{self, Counts, Decoder, Mode, Step};
use rocm_audit::limits::CODE_OBJECT_HEADERS;

/// A code object with its machine code.
#[derive(Debug)]
pub struct Code<'d> {
    pub processor: String,
    /// Whether the ELF header says the processor; version 2 may say it in a note only.
    pub in_header: bool,
    /// The executable sections with their addresses.
    pub texts: Vec<(u64, TextSection<'d>)>,
    /// What is wrong with its symbols.
    pub problems: Vec<String>,
}

impl<'d> Code<'d> {
    /// Reads headers and symbols.
    pub fn from_bytes(bytes: &'d [u8]) -> Result<Self> {
        let failed = |error| anyhow!("{error}");
        let elf = Elf::open(bytes, 0).map_err(failed)?;
        let target = target_of(bytes).context("a code object without a target")?;
        let (texts, problems) = text_section::sections(&elf, CODE_OBJECT_HEADERS).map_err(failed)?;
        let sections = elf.sections_up_to(CODE_OBJECT_HEADERS).map_err(failed)?;
        let address = |text: &TextSection<'_>| {
            let own = |s: &&rocm_audit::bytes::elf::Section<'_>| s.offset == text.offset && s.size > 0;
            sections.iter().find(own).map_or(0, |section| section.address)
        };
        Ok(Code {
            processor: target.processor,
            in_header: elf.flags() & 0xff != 0,
            texts: texts.into_iter().map(|text| (address(&text), text)).collect(),
            problems: problems.iter().map(ToString::to_string).collect(),
        })
    }

    /// Bytes of machine code.
    pub fn text_bytes(&self) -> u64 {
        self.texts.iter().map(|(_, text)| text.bytes.len() as u64).sum()
    }

    /// The decoder that makes LLVM's mistakes; `None` for a processor that our tables do not know.
    pub fn decoder(&self) -> Option<&'static Decoder> {
        Decoder::for_processor(&self.processor, Mode::LikeLlvm)
    }

    /// Everything counted the fast way.
    pub fn count(&self) -> Result<Counts> {
        let decoder = self.decoder().with_context(|| format!("no tables for {}", self.processor))?;
        let mut counts = Counts::default();
        for (_, text) in &self.texts {
            for part in text.parts.iter().filter(|part| !part.is_data) {
                decoder.count(text.bytes, part.start..part.end, &mut counts);
            }
        }
        Ok(counts)
    }

    /// Everything one by one.
    pub fn walk(&self) -> Option<Walk<'_, 'd>> {
        Some(Walk { code: self, decoder: self.decoder()?, text: 0, part: 0, at: None })
    }
}

/// Counts by name.
pub fn histogram(counts: &Counts) -> BTreeMap<&'static str, u64> {
    let counted = counts.mnemonics.iter().enumerate().filter(|(_, count)| **count > 0);
    counted.map(|(number, count)| (isa::mnemonic(number as u16), u64::from(*count))).collect()
}

/// Steps over all machine code of a code object.
#[derive(Debug)]
pub struct Walk<'c, 'd> {
    code: &'c Code<'d>,
    decoder: &'static Decoder,
    text: usize,
    part: usize,
    at: Option<usize>,
}

/// What stands at an address.
#[derive(Debug)]
pub struct AddressContent<'d> {
    pub address: u64,
    pub step: Step,
    /// The bytes from there on.
    pub bytes: &'d [u8],
}

impl<'d> Iterator for Walk<'_, 'd> {
    type Item = AddressContent<'d>;

    fn next(&mut self) -> Option<AddressContent<'d>> {
        loop {
            let (address, text) = self.code.texts.get(self.text)?;
            let Some(part) = text.parts.get(self.part) else {
                (self.text, self.part, self.at) = (self.text + 1, 0, None);
                continue;
            };
            let at = self.at.unwrap_or(part.start);
            if part.is_data || at >= part.end {
                (self.part, self.at) = (self.part + 1, None);
                continue;
            }
            let step = self.decoder.next(text.bytes, at, part.end);
            let length = match step {
                Step::Instruction(instruction) => instruction.length.into(),
                Step::Zeros(bytes) | Step::Unknown(bytes) => bytes,
            };
            self.at = Some(at + length);
            return Some(AddressContent { address: address + at as u64, step, bytes: text.bytes.get(at..)? });
        }
    }
}
