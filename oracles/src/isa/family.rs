//! Families: processors whose tables are equal in everything.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use anyhow::Result;

use super::corrections;
use super::decoder::Decoder;
use super::legality::{Legality, Meaning};
use super::llvm::Llvm;
use super::names;
use super::processor::Processor;
use super::records::Records;
use super::rules::{Field, FieldKind, Maker, Rule, kinds};

/// Processors that decode alike, and their rules with the mnemonics.
#[derive(Debug)]
pub struct Family {
    pub processors: Vec<String>,
    pub max_length: u32,
    pub legality: Legality,
    /// Each rule and its mnemonic.
    pub rules: Vec<(Rule, String)>,
    /// The same before those went that others say too: their operands can be others.
    pub all_rules: Vec<(Rule, String)>,
    /// The widest field of each kind.
    pub kinds: BTreeMap<FieldKind, u32>,
}

/// Everything in which two processors of a family are equal.
type Signature = (u32, Vec<Rule>, Vec<(FieldKind, Vec<Meaning>)>);

/// Groups all processors of `records` by their rules, and asks LLVM for the names. A note is made of each
/// rule that LLVM gave no name.
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
        let mut seen = HashSet::new();
        rules.retain(|rule| seen.insert(rule.clone()));
        let legality = Legality::new(&processor);
        let meanings = kinds(rules.iter())
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
    let family = |(signature, processors, processor): (Rc<Signature>, Vec<String>, Processor)| {
        named(&signature, processors, &processor, records, llvm, notes)
    };
    grouped.into_iter().map(family).collect()
}

/// The family of processors with one signature, with LLVM's names for its rules.
fn named(
    signature: &Signature,
    mut processors: Vec<String>,
    processor: &Processor,
    records: &Records,
    llvm: &Llvm,
    notes: &mut Vec<String>,
) -> Result<Family> {
    let rules = signature.1.clone();
    let legality = Legality::new(processor);
    let first = processors.first().cloned().unwrap_or_default();
    let names = if processor.disassembled() {
        let mut disassembler = llvm.disassembler(&first, corrections::options(&first))?;
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
    let all_rules: Vec<(Rule, String)> = named.collect();
    let rules = without_shadowed(all_rules.clone(), &legality);
    for (dropped, like, _) in corrections::DROPPED {
        if processors.iter().any(|name| name == like) {
            processors.push((*dropped).to_owned());
        }
    }
    processors.sort_by_key(|name| order(name));
    Ok(Family {
        processors,
        max_length: signature.0,
        legality,
        kinds: kinds(rules.iter().map(|(rule, _)| rule)),
        rules,
        all_rules,
    })
}

/// The rules that can ever decide: a rule goes when a more general one of the same mnemonic stands before it,
/// or after it and the more special one takes no literal of its own.
///
/// What is left says the same in any order. (LLVM has `v_interp_p10_f16_f32` twice on gfx11, with and without
/// sources that take literals.)
fn without_shadowed(rules: Vec<(Rule, String)>, legality: &Legality) -> Vec<(Rule, String)> {
    let mut same: HashMap<(&str, u32), Vec<usize>> = HashMap::new();
    for (index, (rule, name)) in rules.iter().enumerate() {
        same.entry((name, rule.bits)).or_default().push(index);
    }
    let mut shadowed = vec![false; rules.len()];
    for indices in same.values() {
        for &special in indices {
            let (rule, _) = &rules[special];
            shadowed[special] = indices.iter().any(|&general| {
                let (other, _) = &rules[general];
                let extra = || rule.fields.iter().filter(|field| !other.fields.contains(field));
                let before = general < special
                    || other.fields.len() < rule.fields.len()
                        && extra().all(|field| field.meanings(legality).all(takes_nothing));
                general != special && before && other.includes(rule)
            });
        }
    }
    let mut shadowed = shadowed.into_iter();
    rules.into_iter().filter(|_| shadowed.next() != Some(true)).collect()
}

fn takes_nothing(meaning: Meaning) -> bool {
    matches!(meaning, Meaning::Plain | Meaning::Refused)
}

/// The kinds and widths of fields that refuse something or take a literal on any processor.
fn used_fields(all: &[(String, Processor, Vec<Rule>)]) -> BTreeSet<(FieldKind, u32)> {
    let mut used = BTreeSet::new();
    for (_, processor, rules) in all {
        let legality = Legality::new(processor);
        let fields: BTreeMap<(&FieldKind, u32), &Field> = rules
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

/// Processors in the order of their generations: gfx90a after gfx909, generic ones after the rest of their
/// major version.
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
