//! Compares `fatbin --isa KERNEL --listing` with llvm-objdump 22's output for the same files.

use crate::common::program::{command, run_in};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Output;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/instructions")
}

fn run(words: &[&str]) -> Output {
    run_in(&folder(), words)
}

/// An instruction: address, bytes in hexadecimal, text, and branch target.
type Line = (u64, String, String, Option<u64>);

/// Instructions by symbol, from llvm-objdump.
fn objdump(arch: &str) -> BTreeMap<String, Vec<Line>> {
    let text = std::fs::read_to_string(folder().join(format!("kernels_{arch}.objdump.txt"))).unwrap();
    let mut all: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    let mut targets = Vec::new();
    let mut starts = BTreeMap::new();
    let mut symbol = String::new();
    for line in text.lines() {
        let Some(instruction) = line.strip_prefix('\t') else {
            // `0000000000003b00 <real_dot>:`
            let (address, name) = line.split_once(" <").unwrap();
            symbol = name.trim_end_matches(">:").to_owned();
            starts.insert(symbol.clone(), u64::from_str_radix(address, 16).unwrap());
            continue;
        };
        // `s_cbranch_execz 44 // 000000003E14: BF88002C <real_lds+0xc8>`
        // `...` stands for zeros.
        let Some((code, place)) = instruction.split_once("// ") else { continue };
        let (address, rest) = place.split_once(": ").unwrap();
        let (words, label) = rest.split_once(" <").unwrap_or((rest, ""));
        let bytes: String = words
            .split_whitespace()
            .flat_map(|word| u32::from_str_radix(word, 16).unwrap().to_le_bytes())
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let mnemonic = code.split_whitespace().next().unwrap().to_owned();
        if mnemonic.starts_with("s_cbranch") || mnemonic.starts_with("s_branch") {
            targets.push((
                symbol.clone(),
                all.get(&symbol).map_or(0, Vec::len),
                label.trim_end_matches('>').to_owned(),
            ));
        }
        let text = code.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = (u64::from_str_radix(address, 16).unwrap(), bytes, text, None);
        all.entry(symbol.clone()).or_default().push(line);
    }
    for (symbol, place, label) in targets {
        let (name, offset) = label.split_once("+0x").unwrap_or((&label, "0"));
        let target = starts[name] + u64::from_str_radix(offset, 16).unwrap();
        all.get_mut(&symbol).unwrap()[place].3 = Some(target);
    }
    all
}

#[test]
fn a_listing_is_what_llvm_prints() {
    for arch in ["gfx900", "gfx1100"] {
        let output = run(&["fatbin", "--isa=.", "--listing", &format!("kernels_{arch}.co"), "-f", "json"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let expected = objdump(arch);
        let (mut lines, mut branches) = (0, 0);
        for kernel in report["files"][0]["kernel_instructions"].as_array().unwrap() {
            let theirs = &expected[kernel["name"].as_str().unwrap()];
            let listing = kernel["listing"].as_array().unwrap();
            let real = listing.iter().filter(|line| !line["mnemonic"].is_null());
            for (line, (address, bytes, text, target)) in real.zip(theirs) {
                assert_eq!(line["address"], *address, "{arch}");
                assert_eq!(line["bytes"], **bytes, "{arch} {address:x}");
                // LLVM writes both halves of a pair; its line begins with the first.
                let own = line["mnemonic"].as_str().unwrap().split(" :: ").next().unwrap();
                assert_eq!(own, mnemonic(text), "{arch} {address:x}");
                assert_eq!(line["text"], **text, "{arch} {address:x}");
                assert_eq!(line["target"].as_u64(), *target, "{arch} {address:x}");
                branches += u32::from(target.is_some());
                lines += 1;
            }
            assert_eq!(kernel["instructions"].as_u64().unwrap(), listing.len() as u64, "{arch}");
        }
        assert!(lines > 250 && branches > 4, "{arch}: {lines} lines, {branches} branches");
    }
}

#[test]
fn a_listing_needs_a_name_of_a_kernel() {
    for words in [
        &["fatbin", "--listing", "kernels_gfx900.co"][..],
        &["fatbin", "kernels_gfx900.co", "--isa", "--listing"],
    ] {
        let output = run(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The mnemonics of a kernel, from llvm-objdump.
fn mnemonics(arch: &str, kernel: &str) -> Vec<String> {
    objdump(arch)[kernel].iter().map(|(_, _, text, _)| mnemonic(text).to_owned()).collect()
}

/// The first word.
fn mnemonic(text: &str) -> &str {
    text.split(' ').next().unwrap()
}

#[test]
fn targets_of_branches_have_labels() {
    let output = run(&["fatbin", "--isa=^real_lds$", "--listing", "kernels_gfx900.co"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let targets: BTreeSet<u64> =
        objdump("gfx900")["real_lds"].iter().filter_map(|(.., target)| *target).collect();
    assert!(!targets.is_empty());
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for (number, target) in targets.iter().enumerate() {
        let at = lines.iter().position(|line| *line == format!("L{number}:")).unwrap();
        assert!(lines[at + 1].starts_with(&format!("{target:x} ")), "{text}");
        assert!(text.contains(&format!("→ L{number} {target:x} (")), "{text}");
    }
}

/// Length of the longest common subsequence of two lists, by the textbook algorithm.
fn common(own: &[String], other: &[String]) -> usize {
    let mut above = vec![0; other.len() + 1];
    for a in own {
        let mut row = vec![0];
        for (place, b) in other.iter().enumerate() {
            let best = if a == b { above[place] + 1 } else { above[place + 1].max(row[place]) };
            row.push(best);
        }
        above = row;
    }
    above[other.len()]
}

#[test]
fn two_targets_stand_beside_each_other() {
    let words = [
        "fatbin",
        "--isa=^real_",
        "--listing",
        "--arch",
        "gfx900",
        "--vs",
        "gfx1100",
        "kernels_gfx900.co",
        "kernels_gfx1100.co",
    ];
    let output = run(&[&words[..], &["-f", "json"]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let pairs = report["kernel_pairs"]["pairs"].as_array().unwrap();
    assert!(pairs.len() > 3);
    for pair in pairs {
        let name = pair["name"].as_str().unwrap();
        let number = |what: &str, side: &str| {
            let row = pair["numbers"].as_array().unwrap().iter().find(|row| row["what"] == what).unwrap();
            row[side].as_u64().unwrap()
        };
        // LLVM continues after a kernel, up to the next symbol.
        let side = |arch: &str, side: &str| {
            let mut all = mnemonics(arch, name);
            all.truncate(number("instructions", side) as usize);
            assert!(
                all.iter().any(|mnemonic| mnemonic == "s_endpgm" || mnemonic == "s_trap"),
                "{arch} {name}"
            );
            all
        };
        let (own, other) = (side("gfx900", "here"), side("gfx1100", "there"));
        let rows = pair["alignment"].as_array().unwrap();
        let places = |side: usize| -> Vec<u64> { rows.iter().filter_map(|row| row[side].as_u64()).collect() };
        assert_eq!(places(0), (0..own.len() as u64).collect::<Vec<_>>(), "{name}");
        assert_eq!(places(1), (0..other.len() as u64).collect::<Vec<_>>(), "{name}");
        let at = |side: &[String], place: &Value| place.as_u64().map(|place| side[place as usize].clone());
        let same = rows
            .iter()
            .filter(|row| at(&own, &row[0]).is_some_and(|a| at(&other, &row[1]) == Some(a)))
            .count();
        assert_eq!(same, common(&own, &other), "{name}");
        assert_eq!((number("wavefront", "here"), number("wavefront", "there")), (64, 32), "{name}");
    }
    // Side by side if the screen is wide enough, otherwise one below the other.
    let text = |columns: &str| {
        let output = command(&words).current_dir(folder()).env("COLUMNS", columns).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let lines = |text: &str, name: &str| text.lines().filter(|line| line.contains(name)).count();
    let (wide, narrow) = (text("120"), text("119"));
    assert!(wide.lines().any(|line| line.matches("s_endpgm").count() == 2), "{wide}");
    assert!(wide.lines().all(|line| line.chars().count() <= 120), "{wide}");
    assert!(!narrow.lines().any(|line| line.matches("s_endpgm").count() == 2), "{narrow}");
    assert_eq!(lines(&narrow, "s_endpgm"), 2 * lines(&wide, "s_endpgm"));
}

#[test]
fn two_targets_need_a_kernel_and_one_other_target() {
    for (words, expected) in [
        (&["--isa=x", "--vs", "gfx906"][..], "name the one target"),
        (&["--isa=x", "--vs", "gfx906", "--arch", "gfx900,gfx906"], "name the one target"),
        (&["--isa", "--vs", "gfx906", "--arch", "gfx900"], "compares kernels"),
        (&["--vs", "gfx906", "--arch", "gfx900"], "--isa"),
        (&["--isa=x", "--vs", "gfx900", "--arch", "gfx900"], "name another"),
        (&["--isa=x", "--vs", "gfx906", "--arch", "gfx900", "--legal-on", "gfx906"], "cannot be used with"),
        (&["--isa=x", "--vs", "gfx906", "--arch", "gfx900", "-f", "jsonl"], "use -f json"),
        (&["--isa=x", "--vs-file", "kernels_gfx1100.co", "--vs", "gfx906"], "cannot be used with"),
        (&["--isa", "--vs-file", "kernels_gfx1100.co"], "compares kernels"),
        (&["--isa=x", "--vs-file", "kernels_gfx1100.co", "kernels_gfx906.co"], "name the one file"),
        (&["--isa=x", "--vs-file", "not-there.co"], "not-there.co"),
    ] {
        let output = run(&[&["fatbin", "kernels_gfx900.co"], words].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
        assert!(error.contains(expected), "{words:?}: {error}");
    }
}

/// A release that has lost a wait, and that writes another register: both stand beside the lines that they were.
#[test]
fn the_same_kernel_of_another_file_stands_beside() {
    let old = folder().join("kernels_gfx900.co");
    let new = tempfile::tempdir().unwrap();
    let new = new.path().join("kernels_gfx900.co");
    let mut bytes = std::fs::read(&old).unwrap();
    // llvm-mc 22: s_waitcnt lgkmcnt(0) and the load behind it; then s_nop 0, and a load to v3.
    let was: [u8; 12] = [0x7f, 0xc0, 0x8c, 0xbf, 0x00, 0x80, 0x50, 0xdc, 0x08, 0x00, 0x04, 0x00];
    let is: [u8; 12] = [0x00, 0x00, 0x80, 0xbf, 0x00, 0x80, 0x50, 0xdc, 0x08, 0x00, 0x04, 0x03];
    let at = bytes.windows(12).rposition(|twelve| twelve == was).unwrap();
    bytes[at..at + 12].copy_from_slice(&is);
    std::fs::write(&new, bytes).unwrap();
    let asked = |columns: &str| {
        let paths =
            [old.to_str().unwrap(), "--isa=real_call", "--listing", "--vs-file", new.to_str().unwrap()];
        let output = command(&[&["fatbin"], &paths[..]].concat()).env("COLUMNS", columns).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    let wide = asked("140");
    let row = |left: &str| wide.lines().find(|line| line.contains(left)).unwrap_or_else(|| panic!("{wide}"));
    let signs = |line: &str| line.chars().filter(|sign| "≠≈<>".contains(*sign)).collect::<String>();
    // A wait and what took its place are two instructions; the same load of another register is one.
    assert_eq!(signs(row("s_waitcnt lgkmcnt(0)")), "≠", "{wide}");
    assert!(row("s_waitcnt lgkmcnt(0)").contains("s_nop 0"), "{wide}");
    let load = row("global_load_dword v0, v8, s[4:5]");
    assert!(load.contains("global_load_dword v3, v8, s[4:5]") && signs(load) == "≈", "{wide}");
    assert_eq!(wide.lines().filter(|line| !signs(line).is_empty()).count(), 2, "{wide}");
    assert!(wide.contains("real_call of gfx900"), "{wide}");
    // Narrow screens have one below the other.
    assert_eq!(asked("80").lines().filter(|line| line.contains("s_endpgm")).count(), 2);
}

/// Of two packages with the same kernel in several libraries each library is compared with that of its name.
#[test]
fn kernels_of_packages_stand_beside_those_of_the_same_file() {
    let packages = tempfile::tempdir().unwrap();
    let of = |package: &str, files: &[(&str, &str)]| {
        let bytes: Vec<_> =
            files.iter().map(|(name, from)| (*name, std::fs::read(folder().join(from)).unwrap())).collect();
        let members: Vec<(&str, &[u8])> = bytes.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
        let path = packages.path().join(package);
        std::fs::write(&path, amdgpu_samples::package::tar(&members)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (one, two) = ("kernels_gfx900.co", "kernels_gfx906.co");
    let old = of("old.tar", &[("lib/a.co", one), ("lib/b.co", two), ("lib/c.co", one)]);
    let new = of("new.tar", &[("lib64/a.co", one), ("lib64/b.co", two), ("lib64/d.co", two)]);
    let report = crate::common::program::json(&["fatbin", "--isa=^real_call$", &old, "--vs-file", &new]);
    let pairs = report["kernel_pairs"]["pairs"].as_array().unwrap();
    let files: Vec<_> = pairs.iter().map(|pair| (&pair["file"], &pair["here"]["target_id"])).collect();
    assert_eq!(serde_json::json!(files), serde_json::json!([["a.co", "gfx900"], ["b.co", "gfx906"]]));
    for side in ["only_here", "only_there"] {
        assert_eq!(report["kernel_pairs"][side], serde_json::json!(["real_call"]), "{side}");
    }
}

/// The parts of an instruction say what its text says, as LLVM 22's llvm-objdump prints it: every register, constant
/// and target of the text stands among the operands, and so do the registers that are read and written.
#[test]
fn instructions_come_in_parts() {
    let words = ["fatbin", "--isa=real_call", "--listing", "fixtures/instructions/kernels_gfx900.co"];
    let report = crate::common::program::json(&words);
    let kernel = find_listing(&report).unwrap();
    let one =
        |text: &str| kernel.iter().find(|line| line["text"] == text).unwrap_or_else(|| panic!("{text}"));
    // global_load_dword v0, v8, s[4:5]
    let load = one("global_load_dword v0, v8, s[4:5]");
    let registers = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(registers(&load["writes"]), ["v0"]);
    let reads = registers(&load["reads"]);
    assert!(["v8", "s[4:5]", "exec"].iter().all(|name| reads.iter().any(|own| own == name)), "{reads:?}");
    assert_eq!(
        (&load["memory"], &load["loads"], &load["stores"]),
        (&"global".into(), &true.into(), &false.into())
    );
    let operand = |line: &Value, name: &str| {
        line["operands"].as_array().unwrap().iter().find(|own| own["name"] == name).unwrap().clone()
    };
    let address = operand(load, "saddr");
    assert_eq!(
        (&address["kind"], &address["file"], &address["first"], &address["count"], &address["is_result"]),
        (&"register".into(), &"scalar".into(), &4.into(), &2.into(), &false.into())
    );
    // A literal, an inline constant, flow.
    let add = one("s_add_u32 s8, s8, 0xffffff2c");
    assert_eq!(operand(add, "src1")["value"], 0xffff_ff2c_u32);
    assert_eq!(operand(add, "src1")["kind"], "literal");
    let carry = one("s_addc_u32 s1, s1, 0");
    assert_eq!(
        (&operand(carry, "src1")["kind"], &operand(carry, "src1")["value"]),
        (&"integer".into(), &0.into())
    );
    assert!(registers(&carry["reads"]).contains(&"scc".to_owned()), "{carry}");
    assert_eq!(one("s_swappc_b64 s[30:31], s[8:9]")["flow"], "call");
    assert_eq!(one("s_endpgm")["flow"], "end");
}

/// The first listing in a document.
fn find_listing(value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::Object(fields) => match fields.get("listing").and_then(Value::as_array) {
            Some(lines) => Some(lines.clone()),
            None => fields.values().find_map(find_listing),
        },
        Value::Array(values) => values.iter().find_map(find_listing),
        _ => None,
    }
}
