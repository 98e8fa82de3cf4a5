//! A page for each target, and their list with all cards, from the tables of processors, products and instructions.

use super::stored::stored;
use anyhow::Result;
use rocm_audit::target::product::{Product, products};
use rocm_audit::target::{PROCESSORS, Processor};
use serde_json::Value;
use std::path::Path;

/// Writes `targets.md` and `targets/*.md`.
///
/// # Errors
/// They cannot be written, or a stored answer is missing.
pub(super) fn write(src: &Path) -> Result<()> {
    let folder = src.join("targets");
    std::fs::create_dir_all(&folder)?;
    for processor in PROCESSORS {
        std::fs::write(folder.join(format!("{}.md", processor.name())), page(processor)?)?;
    }
    Ok(std::fs::write(src.join("targets.md"), list())?)
}

fn cards(processor: &Processor) -> impl Iterator<Item = &'static Product> {
    products().iter().filter(|product| product.processor() == processor.name())
}

fn list() -> String {
    let mut text = String::from(
        "# Targets and cards\n\nWhat a code object is made for, and which cards have it. `rocm-audit list arches` and `rocm-audit list gpus` \
         print the same.\n\n| target | family | code for this runs, too | cards |\n| --- | --- | --- | --- |\n",
    );
    for one in PROCESSORS {
        let cards: Vec<&str> = cards(one).map(|card| card.name()).collect();
        let cards = if cards.is_empty() { one.devices().to_owned() } else { cards.join(", ") };
        let generic = one.generic().map_or(String::new(), |name| format!("[{name}](targets/{name}.md)"));
        text += &format!(
            "| [{0}](targets/{0}.md) | {1} | {generic} | {cards} |\n",
            one.name(),
            one.family().name()
        );
    }
    text
}

fn page(one: &Processor) -> Result<String> {
    let name = one.name();
    // Targets of releases of LLVM to come have no tables yet.
    let report = rocm_audit::report::isa(name, None);
    let mut text = format!("# {name}\n\n{}", one.family().name());
    if !one.devices().is_empty() {
        text += &format!(": {}", one.devices());
    }
    text += &format!(". Number {:#04x} in the header of its code objects", one.mach());
    // What LLVM 19 names has no release of its own in the table.
    text += &if one.since() > 19 {
        format!("; LLVM {} is the first that names it.\n", one.since())
    } else {
        ".\n".to_owned()
    };
    if let Some(generic) = one.generic() {
        text += &format!("\nIt runs code for [{generic}]({generic}.md), too.\n");
    }
    let members: Vec<String> = one.members().map(|member| format!("[{0}]({0}.md)", member.name())).collect();
    if !members.is_empty() {
        text += &format!("\nCode for it runs on {}.\n", members.join(", "));
    }
    if let Some(report) = &report {
        let same = report.target.same_as.iter().filter(|other| *other != name);
        let same: Vec<String> = same.map(|other| format!("[{other}]({other}.md)")).collect();
        if !same.is_empty() {
            text += &format!(
                "\nThe same instructions, in every bit: {} [code: {}].\n",
                same.join(", "),
                report.source
            );
        }
    }
    let cards: Vec<&Product> = cards(one).collect();
    if !cards.is_empty() {
        text += "\n## Cards\n\n| name | compute units | PCI ids |\n| --- | ---: | --- |\n";
        for card in cards {
            let units = card.compute_units().map_or("?".to_owned(), |units| units.to_string());
            let apu = if card.is_apu() { " (APU)" } else { "" };
            text += &format!("| {}{apu} | {units} | {} |\n", card.name(), card.ids().join(" "));
        }
    }
    text += &answers(name)?;
    text += &format!(
        "\n## Ask\n\n```sh\nrocm-audit --arch {name} /opt/rocm          # does this install run on it?\n"
    );
    text += &format!(
        "rocm-audit survey {name} /opt/rocm          # why, layer by layer\nrocm-audit explain {name} --vs gfx900            # what differs from another\n```\n"
    );
    let Some(report) = report else { return Ok(text) };
    text += &format!(
        "\n## Instructions\n\n{} mnemonics [code: {}].\n\n| class | mnemonics | what |\n| --- | ---: | --- |\n",
        report.target.mnemonics, report.source
    );
    for class in report.target.classes.iter().filter(|class| !class.mnemonics.is_empty()) {
        text += &format!("| {} | {} | {} |\n", class.class, class.mnemonics.len(), class.title);
    }
    Ok(text)
}

/// What the stored packages have for it.
fn answers(name: &str) -> Result<String> {
    let mut rows = String::new();
    for (_, document) in stored()? {
        let all = document["answers"].as_array().into_iter().flatten();
        let own = all.filter(|answer| {
            answer["processors"].as_array().is_some_and(|names| names.iter().any(|one| one == name))
        });
        let rows_of = |answer| own_rows(document["title"].as_str().unwrap_or_default(), answer);
        rows.extend(own.map(rows_of));
    }
    if rows.is_empty() {
        return Ok(rows);
    }
    Ok(format!(
        "\n## Public packages\n\n[All, with digests and dates](../packages.md). {}\n\n| package | library | | why |\n| --- | --- | --- | --- |\n{rows}",
        super::table::legend()
    ))
}

/// What one answer says of each library, with what the best override makes of it.
fn own_rows(title: &str, answer: &Value) -> String {
    let mut rows = String::new();
    let said = |library: &Value, key: &str| library[key].as_str().unwrap_or_default().replace('|', "\\|");
    for library in answer["libraries"].as_array().into_iter().flatten() {
        let with = answer["with_override"].as_array().into_iter().flatten();
        let with = with.into_iter().find(|other| other["library"] == library["library"]);
        let (mut sign, mut reason) =
            (super::table::sign(&library["answer"]).to_owned(), said(library, "reason"));
        if let (Some(with), Some(value)) = (with, answer["override"]["value"].as_str()) {
            sign += &format!(" ⇢ {} {value}", super::table::sign(&with["answer"]));
            reason += &format!("; with {value}: {}", said(with, "reason"));
        }
        rows += &format!("| {title} | {} | {sign} | {reason} |\n", said(library, "library"));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_override_stands_beside_the_answer() {
        let answer = json!({ "libraries": [
                { "library": "x", "answer": "not", "reason": "no code for it" },
                { "library": "y", "answer": "runs", "reason": "1 kernel" } ],
            "override": { "value": "10.3.0" },
            "with_override": [{ "library": "x", "answer": "runs", "reason": "2 kernels" }] });
        assert_eq!(
            own_rows("p", &answer),
            "| p | x | ✗ ⇢ ✓ 10.3.0 | no code for it; with 10.3.0: 2 kernels |\n| p | y | ✓ | 1 kernel |\n"
        );
    }
}
