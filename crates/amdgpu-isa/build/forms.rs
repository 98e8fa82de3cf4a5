//! Packs what the operands of instructions are: `forms.tsv`, `texts.tsv`, `layouts.tsv`, `slots.tsv`,
//! `effects.tsv`.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Result, SharedRules, lines};

/// The files that are read.
pub const FILES: [&str; 5] = ["forms.tsv", "texts.tsv", "layouts.tsv", "slots.tsv", "effects.tsv"];

/// The source of the packed tables. `mnemonics` are the numbers of mnemonics.
pub fn source(tables: &Path, mnemonics: &BTreeMap<String, usize>) -> Result<String> {
    let read = |name: &str| -> Result<Vec<Vec<String>>> {
        let text = std::fs::read_to_string(tables.join(name))?;
        Ok(lines(&text).map(|line| line.split('\t').map(str::to_owned).collect()).collect())
    };
    let mut source =
        "// Generated from src/tables/forms.tsv and its companions by build.rs; do not edit.\n".to_owned();
    source += &super::slots::source(&read("slots.tsv")?)?;
    let (layouts, all) = layouts(&read("layouts.tsv")?)?;
    source += &all;
    let (texts, all) = texts(&read("texts.tsv")?)?;
    source += &all;
    source += &effects(&read("effects.tsv")?)?;
    let flags = read("effects.tsv")?;
    let flags = flags.iter().map(|row| column(row, 3)).collect::<Result<Vec<&str>>>()?;
    source += &forms(&read("forms.tsv")?, mnemonics, &texts, &layouts, &flags)?;
    Ok(source)
}

pub fn array(name: &str, kind: &str, items: &[String]) -> String {
    format!("pub(super) static {name}: [{kind}; {}] = [{}];\n", items.len(), items.join(", "))
}

pub fn column(row: &[String], number: usize) -> Result<&str> {
    row.get(number).map(String::as_str).ok_or_else(|| format!("no column {number}: {row:?}").into())
}

/// Layouts, as `OperandLayout` in `src/form.rs` has them; and the source of the slots.
fn layouts(rows: &[Vec<String>]) -> Result<(Vec<u32>, String)> {
    let (mut all, mut places) = (Vec::new(), Vec::new());
    for row in rows {
        let start = places.len();
        places.extend(column(row, 2)?.split(' ').filter(|slot| !slot.is_empty()).map(str::to_owned));
        let (start, count) = (u16::try_from(start)?, u8::try_from(places.len() - start)?);
        let results = column(row, 1)?.parse::<u8>()?;
        if results >= 1 << 6 {
            return Err(format!("a layout of {results} results").into());
        }
        all.push(u32::from(start) | u32::from(count) << 16 | u32::from(results) << 24);
    }
    Ok((all, array("LAYOUT_SLOTS", "u16", &places)))
}

/// Texts: where the items begin, how many there are; and the source of the items.
fn texts(rows: &[Vec<String>]) -> Result<(Vec<String>, String)> {
    let (mut all, mut items, mut strings, mut lists) =
        (Vec::new(), Vec::new(), SharedRules::default(), SharedRules::default());
    for row in rows {
        let start = items.len();
        for item in column(row, 1)?.split('|').filter(|item| !item.is_empty()) {
            if let Some(text) = item.strip_prefix('\'') {
                for (number, part) in text.split('%').enumerate() {
                    let rest = match (number, part.chars().next()) {
                        (0, _) => part,
                        (_, Some('m')) => {
                            items.push("Item { print: Print::SecondMnemonic, slot: 0, more: 0 }".to_owned());
                            &part[1..]
                        }
                        (_, Some('v')) => {
                            items.push("Item { print: Print::Condition, slot: 0, more: 0 }".to_owned());
                            &part[1..]
                        }
                        _ => return Err(format!("a mark that is not known: {item}").into()),
                    };
                    if !rest.is_empty() {
                        let number = strings.number(format!("{rest:?}"), 0xffff)?;
                        items.push(format!("Item {{ print: Print::Text, slot: 0, more: {number} }}"));
                    }
                }
                continue;
            }
            let (printer, slot) =
                item.rsplit_once('@').ok_or_else(|| format!("an item without a slot: {item}"))?;
            let (print, more) = printer_of(printer, &mut strings, &mut lists)?;
            items.push(format!("Item {{ print: Print::{print}, slot: {slot}, more: {more} }}"));
        }
        all.push(format!("first_item: {start}, items: {}", items.len() - start));
    }
    let strings = strings.sorted().iter().map(|text| piece(text)).collect::<Vec<_>>();
    let source =
        array("STRINGS", "Piece", &strings) + &lists.list("LISTS", "List") + &array("ITEMS", "Item", &items);
    Ok((all, source))
}

fn printer_of(text: &str, strings: &mut SharedRules, lists: &mut SharedRules) -> Result<(String, usize)> {
    let (name, inner) = match text.split_once('(') {
        Some((name, inner)) => (name, inner.trim_end_matches(')')),
        None => (text, ""),
    };
    let parts: Vec<&str> = inner.split(',').collect();
    let part = |number: usize| parts.get(number).copied().unwrap_or_default();
    let camel: String = name.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
    Ok(match name {
        "bit" => ("Bit".to_owned(), strings.number(format!("{:?}", format!(" {}", part(0))), 0xffff)?),
        "int" => {
            let print = match (part(1), part(2)) {
                ("0", "0") => "Named",
                ("1", "0") => "NamedHex",
                ("0", _) => "NamedAlways",
                _ => "NamedHexAlways",
            };
            (print.to_owned(), strings.number(format!("{:?}", format!(" {}:", part(0))), 0xffff)?)
        }
        "packed" => {
            let places: Vec<String> = part(1)
                .split(' ')
                .filter(|place| !place.is_empty())
                .map(|place| place.replace('d', "255"))
                .collect();
            let mut three = places.clone();
            three.resize(3, "255".to_owned());
            let bit = match part(0) {
                "op_sel" => 4,
                "op_sel_hi" => 8,
                "neg_lo" => 1,
                _ => 2,
            };
            let list = format!(
                "List {{ name: {:?}, bit: {bit}, places: [{}], count: {}, packed: {}, result: {} }}",
                format!(" {}:[", part(0)),
                three.join(", "),
                places.len(),
                part(2).contains('p'),
                part(2).contains('r')
            );
            ("List".to_owned(), lists.number(list, 0xffff)?)
        }
        "cache" => {
            let kind = match part(0) {
                "atomic" => 2,
                "store" => 1,
                _ => 0,
            };
            let more =
                kind + if part(1).contains('s') { 4 } else { 0 } + if part(1).contains('r') { 8 } else { 0 };
            ("Cache".to_owned(), more)
        }
        _ => (camel, 0),
    })
}

/// A string with its first eight bytes.
fn piece(literal: &str) -> String {
    let mut short: Vec<u8> = literal.trim_matches('"').bytes().take(8).collect();
    short.resize(8, 0);
    format!("Piece {{ text: {literal}, short: {short:?} }}")
}

/// Effects: reads, writes, flags.
fn effects(rows: &[Vec<String>]) -> Result<String> {
    let registers = |text: &str| -> Result<u16> {
        let mut set = 0;
        for name in text.split(' ').filter(|name| !name.is_empty()) {
            set |= match name {
                "EXEC" => 1,
                "VCC" => 2,
                "SCC" => 4,
                "M0" => 8,
                "MODE" => 16,
                "FLAT_SCR" => 32,
                "ASYNCcnt" | "TENSORcnt" => 64,
                _ => return Err(format!("a register that is not known: {name}").into()),
            };
        }
        Ok(set)
    };
    let mut all = Vec::new();
    for row in rows {
        let names = column(row, 3)?.split(' ').filter(|flag| !flag.is_empty());
        let names: Vec<String> = names.map(|flag| format!("flag::{}", constant(flag))).collect();
        let flags = if names.is_empty() { "0".to_owned() } else { names.join(" | ") };
        let (reads, writes) = (registers(column(row, 1)?)?, registers(column(row, 2)?)?);
        all.push(format!("Effects {{ reads: {reads}, writes: {writes}, flags: {flags} }}"));
    }
    Ok(array("EFFECTS", "Effects", &all))
}

/// What the sizes of the operands of an instruction depend on: those of images and of products of several
/// formats on other operands, those of other products on the width of the wave. A number as in
/// `OperandLayout` of `src/form.rs`.
fn sizes_depend(mnemonic: &str, flags: &str) -> u32 {
    let has = |some: &[&str]| flags.split(' ').any(|flag| some.contains(&flag));
    match () {
        () if has(&["MIMG", "VIMAGE", "VSAMPLE"]) || mnemonic.contains("f8f6f4") => 2,
        () if has(&["IsWMMA", "IsSWMMAC"]) || mnemonic.starts_with("global_load_tr") => 1,
        () => 0,
    }
}

/// By what the reads that LLVM says may have to be corrected: see `Corrected` in `src/form.rs`.
fn corrected(mnemonic: &str, flags: &str) -> &'static str {
    let starts = |some: &[&str]| some.iter().any(|start| mnemonic.starts_with(start));
    match () {
        () if starts(&["s_cmov_", "s_cmovk_", "s_bitset0_", "s_bitset1_"]) => "Corrected::ByOperands",
        () if mnemonic.ends_with("_sdwa") || mnemonic.ends_with("_dpp") => "Corrected::ByOperands",
        () if starts(&["ds_gws", "ds_ordered"]) || mnemonic.contains("addtid") => "Corrected::No",
        () if flags.split(' ').any(|flag| flag == "DS") => "Corrected::OfLds",
        () => "Corrected::No",
    }
}

/// `IsAtomicRet` as `IS_ATOMIC_RET`.
pub fn constant(name: &str) -> String {
    let mut out = String::new();
    let mut before = '_';
    for c in name.chars() {
        if c.is_ascii_uppercase() && before.is_ascii_lowercase() {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
        before = c;
    }
    out
}

/// Forms: mnemonic, bits, turn, mask, value, text, layout, effects, families.
fn forms(
    rows: &[Vec<String>],
    mnemonics: &BTreeMap<String, usize>,
    texts: &[String],
    layouts: &[u32],
    flags: &[&str],
) -> Result<String> {
    let (mut forms, mut masks, mut families) =
        (SharedRules::default(), SharedRules::default(), SharedRules::default());
    let mut by_mnemonic: BTreeMap<usize, Vec<(u8, u8, String)>> = BTreeMap::new();
    for row in rows {
        let mnemonic =
            *mnemonics.get(column(row, 0)?).ok_or_else(|| format!("no rule has this mnemonic: {row:?}"))?;
        let bytes = column(row, 1)?.parse::<u8>()? / 8;
        let (text, layout) = (column(row, 5)?.parse::<usize>()?, column(row, 6)?.parse::<usize>()?);
        let text = texts.get(text).ok_or("a text that is not there")?;
        let layout = layouts.get(layout).ok_or("a layout that is not there")?;
        let effects = column(row, 7)?;
        let flags = flags.get(effects.parse::<usize>()?).ok_or("effects that are not there")?;
        let sizes = sizes_depend(column(row, 0)?, flags);
        let corrected = corrected(column(row, 0)?, flags);
        let layout = layout | sizes << 30;
        let form = format!(
            "OperandLayout({layout:#x})\tParts {{ {text}, effects: {effects}, corrected: {corrected} }}"
        );
        let form = forms.number(form, 0xffff)?;
        let mask = masks.number(format!("(0x{}, 0x{})", column(row, 3)?, column(row, 4)?), 0xffff)?;
        let families = families.number(format!("0x{}", column(row, 8)?), 0xff)?;
        let turn = column(row, 2)?.parse::<u8>()?;
        let variant = format!("({mask}, {form}, {bytes}, {families})");
        by_mnemonic.entry(mnemonic).or_default().push((u8::MAX - bytes, turn, variant));
    }
    let mut starts = vec!["0".to_owned()];
    let mut all = Vec::new();
    for mnemonic in 0..mnemonics.len() {
        // The wider first, then those that LLVM tries first.
        let mut own = by_mnemonic.remove(&mnemonic).unwrap_or_default();
        own.sort();
        all.extend(own.into_iter().map(|(_, _, variant)| variant));
        starts.push(all.len().to_string());
    }
    let (layouts, parts): (Vec<String>, Vec<String>) = forms
        .sorted()
        .iter()
        .filter_map(|form| form.split_once('\t'))
        .map(|(layout, parts)| (layout.to_owned(), parts.to_owned()))
        .unzip();
    Ok(array("FORMS", "Parts", &parts)
        + &array("FORM_LAYOUTS", "OperandLayout", &layouts)
        + &masks.list("FORM_MASKS", "(u128, u128)")
        + &families.list("FORM_FAMILIES", "u32")
        + &array("VARIANTS", "(u16, u16, u8, u8)", &all)
        + &array("VARIANT_STARTS", "u16", &starts))
}
