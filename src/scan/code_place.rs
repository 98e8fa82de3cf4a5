//! Looks up a place of device code: an offset in a file, or one in a kernel.

use crate::codeobject::{self, demangle};
use crate::container::{Bundle, bundle::Entry};
use crate::error::NotUnderstood;
use crate::input::device_file::DeviceFile;
use crate::input::walk;
use crate::inventory::code_place::{CodePlace, PlaceInstruction};
use crate::kernel::{Code, KernelObject};
use crate::locator::Locator;
use crate::target::TargetId;
use std::fmt;
use std::path::PathBuf;

/// A place that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WantedPlace {
    /// Bytes from the begin of the file.
    FileOffset(u64),
    /// Bytes from the begin of a kernel.
    InKernel {
        /// Its name, mangled or not; of C++ names, arguments may be left out.
        name: String,
        /// Bytes.
        offset: u64,
    },
}

/// Instructions shown before and behind the one at a place.
const AROUND: usize = 4;

/// Most kernels of a file that a name may mean.
const KERNELS: usize = 64;

impl WantedPlace {
    /// Reads `0x1234`, `4660`, `KERNEL+0x40`, or a line that ROCm's debug agent prints of a wave: `wave_1:
    /// pc=0x7f0c (kernel_code_entry=0x7f00 <KERNEL>)`, or where its debugger stands: `=> 0x7f0c
    /// <KERNEL+12>:`.
    ///
    /// # Errors
    ///
    /// If the text is none of these.
    pub fn parse(text: &str) -> Result<Self, NotUnderstood> {
        let text = text.trim();
        if let Some(offset) = number(text) {
            return Ok(WantedPlace::FileOffset(offset));
        }
        if let Some(place) = of_debug_agent(text).or_else(|| of_debugger(text)) {
            return Ok(place);
        }
        let parts =
            text.rsplit_once('+').and_then(|(name, offset)| Some((name.trim(), number(offset.trim())?)));
        match parts {
            Some((name, offset)) if !name.is_empty() => {
                Ok(WantedPlace::InKernel { name: name.to_owned(), offset })
            }
            _ => Err(
                "a place is an offset in the file, as in 0x1f40, or one in a kernel, as in mul_mat_q+0x40"
                    .into(),
            ),
        }
    }
}

impl fmt::Display for WantedPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WantedPlace::FileOffset(offset) => write!(f, "{offset:#x}"),
            WantedPlace::InKernel { name, offset } => write!(f, "{name}+{offset:#x}"),
        }
    }
}

/// The place in a line of the debug agent: it prints where the kernel was loaded beside where the wave is
/// (`rocm-debug-agent`, `src/debug_agent.cpp`).
fn of_debug_agent(line: &str) -> Option<WantedPlace> {
    let behind = |key: &str| {
        let rest = line.get(line.find(key)? + key.len()..)?;
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        Some((number(rest.get(..end)?)?, rest.get(end..)?))
    };
    let (pc, _) = behind("pc=")?;
    let (entry, rest) = behind("kernel_code_entry=")?;
    let name = rest.get(rest.find('<')? + 1..rest.rfind('>')?)?;
    let offset = pc.checked_sub(entry).filter(|_| !name.is_empty())?;
    Some(WantedPlace::InKernel { name: name.to_owned(), offset })
}

/// The place in a line of the debugger, where it shows the instruction that it stands at.
fn of_debugger(line: &str) -> Option<WantedPlace> {
    let rest = line.trim_start().strip_prefix("=> 0x")?;
    let symbol = rest.get(rest.find('<')? + 1..rest.find(">:")?)?;
    let (name, offset) = match symbol.rsplit_once('+').map(|(name, offset)| (name, offset.parse())) {
        Some((name, Ok(offset))) => (name, offset),
        _ => (symbol, 0),
    };
    (!name.is_empty()).then(|| WantedPlace::InKernel { name: name.to_owned(), offset })
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// What lies at the places in a file; of kernels in code objects for `targets`, or in all of them where that
/// is empty.
pub fn look_up(open: &DeviceFile, places: &[WantedPlace], targets: &[TargetId]) -> Vec<CodePlace> {
    let mut found: Vec<CodePlace> =
        places.iter().flat_map(|place| look_up_one(open, place, targets)).collect();
    let file = open.file.locator().shown();
    found.iter_mut().for_each(|one| one.file.clone_from(&file));
    found
}

/// What lies at the places that lines of a log name, in the files below `roots`.
pub fn in_trees(lines: &[String], roots: &[PathBuf], targets: &[TargetId]) -> Vec<CodePlace> {
    let places: Vec<WantedPlace> = lines.iter().filter_map(|line| WantedPlace::parse(line).ok()).collect();
    let mut found = Vec::new();
    if places.is_empty() {
        return found;
    }
    let entries = walk::walk(roots, &walk::Options::default()).entries;
    let files = entries.into_iter().filter(|entry| matches!(entry.kind, walk::PathKind::File(_)));
    for path in files.map(|entry| entry.path) {
        let mut look = |open: DeviceFile| {
            let all = places.iter().flat_map(|place| look_up(&open, std::slice::from_ref(place), targets));
            found.extend(all.filter(|place| place.function.is_some()));
        };
        // What cannot be read is a finding of the audit that goes before.
        let _ = DeviceFile::open_each(&path, &mut look, &mut |_| {});
        if found.len() >= KERNELS {
            break;
        }
    }
    // The kernel of another target, in which the place lies behind the end, is not meant where one of them
    // has it.
    let hit: Vec<String> =
        found.iter().filter(|place| place.offset.is_some()).map(|place| place.asked.clone()).collect();
    found.retain(|place| place.offset.is_some() || !hit.contains(&place.asked));
    for place in &places {
        if !found.iter().any(|known| known.asked == place.to_string()) {
            found.push(CodePlace {
                asked: place.to_string(),
                ..only_words("no file of the tree has a kernel of this name")
            });
        }
    }
    found
}

/// The places that lines of a log name, where no tree was given.
pub fn without_trees(lines: &[String]) -> Vec<CodePlace> {
    let places = lines.iter().filter_map(|line| WantedPlace::parse(line).ok());
    let what = "name the file or folder that the program uses to see the instruction and its line";
    places.map(|place| CodePlace { asked: place.to_string(), ..only_words(what) }).collect()
}

fn look_up_one(open: &DeviceFile, place: &WantedPlace, targets: &[TargetId]) -> Vec<CodePlace> {
    let mut found = match place {
        WantedPlace::FileOffset(offset) => vec![at_offset(open, *offset)],
        WantedPlace::InKernel { name, offset } => in_kernels(open, name, *offset, targets),
    };
    found.iter_mut().for_each(|one| one.asked = place.to_string());
    if found.is_empty() {
        let what = "no kernel of this name in the code objects that were looked into".to_owned();
        found.push(CodePlace { asked: place.to_string(), what, ..CodePlace::default() });
    }
    found
}

fn only_words(what: impl Into<String>) -> CodePlace {
    CodePlace { what: what.into(), ..CodePlace::default() }
}

/// What lies at an offset of the file.
fn at_offset(open: &DeviceFile, offset: u64) -> CodePlace {
    if offset >= open.file.len() {
        return only_words(format!("behind the end of the file, which has {} bytes", open.file.len()));
    }
    let holds = |bundle: &&Bundle| offset.checked_sub(bundle.offset()).is_some_and(|at| at < bundle.span());
    let Some(bundle) = open.container.bundles().iter().find(holds) else {
        return only_words("outside of device code");
    };
    if bundle.storage().unpacked().is_some() {
        return only_words(
            "in a compressed bundle, in which offsets of the file mean nothing: name a kernel, as in KERNEL+0x40",
        );
    }
    let within = offset - bundle.offset();
    let inside = |entry: &&Entry| within.checked_sub(entry.offset()).is_some_and(|at| at < entry.size());
    let Some(number) = bundle.entries().iter().position(|entry| inside(&entry)) else {
        return only_words("in a bundle, between its entries");
    };
    let Ok(opened) = bundle.open(open.file.bytes()) else {
        return only_words("in a bundle that cannot be read");
    };
    let Some((entry, opened)) = bundle.entries().get(number).zip(opened.entries().nth(number)) else {
        return only_words("in a bundle that cannot be read");
    };
    let at = bundle.locate(open.file.locator(), entry.offset(), entry.size());
    let Some(target) = codeobject::target_of(opened.bytes()) else {
        return CodePlace { uri: Some(at.to_string()), ..only_words("in an entry that is no code object") };
    };
    let named = |what: &str| CodePlace {
        uri: Some(at.to_string()),
        target_id: Some(target.to_string()),
        ..only_words(what)
    };
    let Ok(object) = KernelObject::read(opened.bytes(), &target.processor) else {
        return named("in a code object whose headers or instructions cannot be read");
    };
    match object.address_at(within - entry.offset()) {
        Some(address) => at_address(&object, opened.bytes(), &target, &at, address),
        None => named("in a code object, outside of its code"),
    }
}

fn in_kernels(open: &DeviceFile, name: &str, offset: u64, targets: &[TargetId]) -> Vec<CodePlace> {
    let mut found = Vec::new();
    for bundle in open.container.bundles() {
        let Ok(opened) = bundle.open(open.file.bytes()) else { continue };
        for (entry, opened) in bundle.entries().iter().zip(opened.entries()) {
            let Some(target) = codeobject::target_of(opened.bytes()) else { continue };
            if !target.is_wanted_by(targets) {
                continue;
            }
            let Ok(object) = KernelObject::read(opened.bytes(), &target.processor) else { continue };
            let at = bundle.locate(open.file.locator(), entry.offset(), entry.size());
            for (own, addresses) in object.functions() {
                if !is_meant(&String::from_utf8_lossy(own), name) || found.len() >= KERNELS {
                    continue;
                }
                let address = addresses.start.saturating_add(offset);
                found.push(if addresses.contains(&address) {
                    at_address(&object, opened.bytes(), &target, &at, address)
                } else {
                    let size = addresses.end - addresses.start;
                    let what = format!("behind the end of the kernel, which has {size} bytes");
                    let function = Some(String::from_utf8_lossy(own).into_owned());
                    let (uri, target_id) = (Some(at.to_string()), Some(target.to_string()));
                    CodePlace {
                        uri,
                        target_id,
                        demangled: function.as_deref().and_then(demangle),
                        function,
                        ..only_words(what)
                    }
                });
            }
        }
    }
    found
}

/// Whether a name means a function: it is the mangled name, the demangled one, or that without arguments and
/// result.
fn is_meant(mangled: &str, name: &str) -> bool {
    if mangled == name {
        return true;
    }
    // Of a template's name, what stands in a mangled one: taking all names apart takes longer.
    let head = name.split(['<', '(']).next().unwrap_or(name).trim_end();
    let plain = head.rsplit(' ').next().unwrap_or(head);
    let last = plain.rsplit("::").next().unwrap_or(plain);
    if !name.contains("operator") && !mangled.contains(last) {
        return false;
    }
    let Some(demangled) = demangle(mangled) else { return false };
    let short = demangled.strip_prefix("void ").unwrap_or(&demangled);
    let rest = short.strip_prefix(name).or_else(|| demangled.strip_prefix(name));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['(', '<']))
}

fn at_address(
    object: &KernelObject<'_>,
    bytes: &[u8],
    target: &TargetId,
    at: &Locator,
    address: u64,
) -> CodePlace {
    let mut place = CodePlace {
        target_id: Some(target.to_string()),
        uri: Some(at.to_string()),
        address: Some(address),
        ..only_words("in code, outside of its functions: padding")
    };
    let Some((name, addresses)) = object.functions().find(|(_, range)| range.contains(&address)) else {
        return place;
    };
    let name = String::from_utf8_lossy(name).into_owned();
    let offset = address - addresses.start;
    let kernel = object.kernels().iter().find(|kernel| kernel.entry() == addresses.start);
    place.what = if kernel.is_some() { "in a kernel" } else { "in a function that kernels call" }.to_owned();
    place.demangled = demangle(&name);
    (place.function, place.offset) = (Some(name), Some(offset));
    // Functions that kernels call are run in waves of the kernel's width: that of the first kernel is as good
    // as any.
    let lanes = kernel.or(object.kernels().first()).map_or(64, |kernel| object.lanes(kernel));
    if let Some(code) = object.code_of(addresses.clone(), lanes) {
        place.instructions = around(&code, offset);
        if !place.instructions.iter().any(|one| one.is_here && one.offset == offset) {
            place.what.push_str(", within an instruction");
        }
    }
    add_lines(&mut place, bytes, addresses.start);
    place
}

/// The instruction at an offset, with its neighbours.
fn around(code: &Code<'_>, offset: u64) -> Vec<PlaceInstruction> {
    let mut near: Vec<PlaceInstruction> = Vec::new();
    let mut behind = 0;
    for (at, length, found) in code.steps() {
        let (begin, end) = (u64::from(at), u64::from(at) + length as u64);
        let is_here = begin <= offset && offset < end;
        if begin > offset {
            behind += 1;
            if behind > AROUND {
                break;
            }
        }
        let bytes = code.bytes(at, length.min(20)).iter().map(|byte| format!("{byte:02x}")).collect();
        near.push(PlaceInstruction {
            offset: begin,
            bytes,
            text: found.map(|found| found.to_string()),
            is_here,
            line: None,
        });
        if begin < offset && !is_here && near.len() > AROUND {
            near.remove(0);
        }
    }
    near
}

#[cfg(feature = "lines")]
fn add_lines(place: &mut CodePlace, bytes: &[u8], begin: u64) {
    use crate::kernel::lines::{Depth, SourceLines};
    let Ok(Some(lines)) = SourceLines::read(bytes, Depth::Chains) else { return };
    let chain =
        |address: u64| -> Vec<_> { lines.chain(address).iter().map(super::source_lines::frame).collect() };
    place.source = place.address.map(chain).unwrap_or_default();
    for one in &mut place.instructions {
        one.line = chain(begin.saturating_add(one.offset)).first().map(|frame| frame.short());
    }
}

#[cfg(not(feature = "lines"))]
fn add_lines(_: &mut CodePlace, _: &[u8], _: u64) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_offsets_or_kernels() {
        assert_eq!(WantedPlace::parse("0x1f40"), Ok(WantedPlace::FileOffset(0x1f40)));
        assert_eq!(WantedPlace::parse("4660"), Ok(WantedPlace::FileOffset(4660)));
        let named = |name: &str, offset| Ok(WantedPlace::InKernel { name: name.to_owned(), offset });
        assert_eq!(WantedPlace::parse("mul_mat_q+0x40"), named("mul_mat_q", 0x40));
        assert_eq!(WantedPlace::parse("operator+(int)+8"), named("operator+(int)", 8));
        let agent = "wave_1: pc=0x7fd4f0009a28 (kernel_code_entry=0x7fd4f0009900 <void f<int>(int*)>)";
        assert_eq!(WantedPlace::parse(agent), named("void f<int>(int*)", 0x128));
        assert_eq!(
            WantedPlace::parse("=> 0x7fd4f0009a28 <_Z3fooIiEvT_+296>:\ts_endpgm"),
            named("_Z3fooIiEvT_", 296)
        );
        assert_eq!(WantedPlace::parse("=> 0x7fd4f0009900 <foo>:\ts_nop 0"), named("foo", 0));
        for wrong in ["", "mul_mat_q", "+0x40", "mul+", "0xzz", "x+-4"] {
            assert!(WantedPlace::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_mean_templates_without_their_arguments() {
        assert!(is_meant("_Z3fooIiEvT_", "foo"));
        assert!(is_meant("_Z3fooIiEvT_", "foo<int>"));
        assert!(is_meant("_Z3fooIiEvT_", "_Z3fooIiEvT_"));
        assert!(is_meant("_Z3fooIiEvT_", "void foo<int>(int)"));
        assert!(is_meant("_ZN2ns3fooIiEEvT_", "ns::foo"));
        assert!(is_meant("_ZplRK1XS1_", "operator+(X const&, X const&)"));
        assert!(!is_meant("_Z6foobarIiEvT_", "foo"));
    }
}
