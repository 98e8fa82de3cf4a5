//! Families: processors whose tables are equal in everything.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use anyhow::Result;

use super::corrections;
use super::decoder::Decoder;
use super::legality::{Legality, Meaning};
use super::llvm::Llvm;
use super::names;
use super::processor::Processor;
use super::records::Records;
use super::rules::{Field, Kind, Maker, Rule, kinds};

/// Processors that decode alike, and their rules with the mnemonics.
#[derive(Debug)]
pub struct Family {
    pub processors: Vec<String>,
    pub max_length: u32,
    pub legality: Legality,
    /// Each rule and its mnemonic.
    pub rules: Vec<(Rule, String)>,
    /// The widest field of each kind.
    pub kinds: BTreeMap<Kind, u32>,
}

/// Everything in which two processors of a family are equal.
type Signature = (u32, Vec<Rule>, Vec<(Kind, Vec<Meaning>)>);

/// Groups all processors of `records` by their rules, and asks LLVM for the names. A note is made of each rule that LLVM gave
/// no name.
pub fn families(
    records: &Records,
    decoder: &Decoder,
    llvm: &Llvm,
    notes: &mut Vec<String>,
) -> Result<Vec<Family>> {
    let mut all = Vec::new();
    for (name, features) in records.processors() {
        let processor = Processor::new(features);
        let rules = Maker::new(records, decoder, &processor).rules()?;
        all.push((name, processor, rules));
    }
    all.sort_by_key(|(name, ..)| order(name));
    let used = used_fields(&all);
    let mut grouped: Vec<(Rc<Signature>, Vec<String>, Processor)> = Vec::new();
    let mut known: HashMap<Rc<Signature>, usize> = HashMap::new();
    for (name, processor, mut rules) in all {
        for rule in &mut rules {
            rule.fields.retain(|field| used.contains(&(field.kind.clone(), field.width())));
        }
        rules.sort();
        rules.dedup();
        let legality = Legality::new(&processor);
        let meanings = kinds(&rules)
            .into_iter()
            .map(|(kind, width)| {
                let meanings = (0..1 << width).map(|number| kind.meaning(&legality, number)).collect();
                (kind, meanings)
            })
            .collect();
        let signature = Rc::new((processor.max_length(), rules, meanings));
        match known.get(&signature) {
            Some(&index) => grouped[index].1.push(name),
            None => {
                known.insert(Rc::clone(&signature), grouped.len());
                grouped.push((signature, vec![name], processor));
            }
        }
    }
    grouped
        .into_iter()
        .map(|(signature, mut processors, processor)| {
            let rules = signature.1.clone();
            let legality = Legality::new(&processor);
            let first = processors.first().cloned().unwrap_or_default();
            let names = if processor.disassembled() {
                let mut disassembler = llvm.disassembler(&first, "")?;
                names::ask(&rules, records, &legality, &mut disassembler)?
            } else {
                vec![None; rules.len()]
            };
            let named = rules.into_iter().zip(names).map(|(rule, name)| {
                let name = name.unwrap_or_else(|| {
                    let name = names::assembled(&rule, records);
                    if processor.disassembled() {
                        notes.push(format!("{first}: LLVM gave {} no name, taken {name}", rule.instruction));
                    }
                    name
                });
                (rule, name)
            });
            let rules: Vec<_> = named.collect();
            for (dropped, like, _) in corrections::DROPPED {
                if processors.iter().any(|name| name == like) {
                    processors.push((*dropped).to_owned());
                }
            }
            processors.sort_by_key(|name| order(name));
            Ok(Family { processors, max_length: signature.0, legality, kinds: kinds(&signature.1), rules })
        })
        .collect()
}

/// The kinds and widths of fields that refuse something or take a literal on any processor.
fn used_fields(all: &[(String, Processor, Vec<Rule>)]) -> BTreeSet<(Kind, u32)> {
    let mut used = BTreeSet::new();
    for (_, processor, rules) in all {
        let legality = Legality::new(processor);
        let fields: BTreeMap<(&Kind, u32), &Field> = rules
            .iter()
            .flat_map(|rule| &rule.fields)
            .map(|field| ((&field.kind, field.width()), field))
            .collect();
        for ((kind, width), field) in fields {
            if field.meanings(&legality).any(|meaning| meaning != Meaning::Plain) {
                used.insert((kind.clone(), width));
            }
        }
    }
    used
}

/// Processors in the order of their generations: gfx90a after gfx909, generic ones after the rest of their major version.
pub fn order(name: &str) -> (u32, bool, String) {
    let body = name.trim_start_matches("gfx");
    match body.split_once('-') {
        Some((major, _)) => (major.parse().unwrap_or(u32::MAX), true, body.to_owned()),
        None => {
            let major = body.get(..body.len().saturating_sub(2)).and_then(|major| major.parse().ok());
            (major.unwrap_or(u32::MAX), false, body.to_owned())
        }
    }
}
