//! Counts bytes of device code by source file, template and kernel.

use super::opened_objects::each_object;
use crate::codeobject::{self, demangle};
use crate::error::Unread;
use crate::input::device_file::DeviceFile;
use crate::inventory::code_sources::{CodeSources, NamedBytes};
use crate::kernel::KernelObject;
use crate::kernel::lines::{Depth, SourceLines};
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// Problems that are kept.
const PROBLEMS: usize = 16;

/// Counts the code of all code objects of a file.
pub fn count(open: &DeviceFile) -> CodeSources {
    let mut counting = Counting::default();
    each_object(open, &|_| true, &mut |at, bytes| {
        if let Err(what) = counting.add(bytes) {
            counting.problems.insert(format!("{at}: {what}"));
        }
    });
    counting.finish()
}

/// Bytes and functions by number.
#[derive(Debug, Default)]
struct Named {
    numbers: HashMap<String, usize>,
    all: Vec<NamedBytes>,
}

impl Named {
    fn number(&mut self, name: &str) -> usize {
        if let Some(known) = self.numbers.get(name) {
            return *known;
        }
        let number = self.all.len();
        self.numbers.insert(name.to_owned(), number);
        self.all.push(NamedBytes { name: name.to_owned(), ..NamedBytes::default() });
        number
    }

    fn add(&mut self, number: usize, bytes: u64, functions: u64) {
        if let Some(own) = self.all.get_mut(number) {
            own.bytes += bytes;
            own.functions += functions;
        }
    }

    fn finish(mut self) -> Vec<NamedBytes> {
        self.all.retain(|one| one.bytes > 0);
        self.all.sort_rows_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.name.cmp(&b.name)));
        self.all
    }
}

#[derive(Debug, Default)]
struct Counting {
    files: Named,
    families: Named,
    kernels: Named,
    /// Of mangled names: their kernel and their family.
    known: HashMap<Vec<u8>, (usize, usize)>,
    sums: CodeSources,
    problems: BTreeSet<String>,
}

impl Counting {
    fn add(&mut self, bytes: &[u8]) -> Result<(), Unread> {
        let target = codeobject::target_of(bytes).ok_or("not a code object of a known target")?;
        let object = KernelObject::read(bytes, &target.processor).map_err(|error| error.to_string())?;
        let lines = SourceLines::read(bytes, Depth::Rows).map_err(|error| error.to_string())?;
        self.sums.objects += 1;
        self.sums.objects_without_lines += u64::from(lines.is_none());
        for problem in lines.iter().flat_map(SourceLines::problems) {
            if self.problems.len() < PROBLEMS {
                self.problems.insert(problem.to_string());
            }
        }
        let all: u64 = object.sections().map(|section| section.end - section.start).sum();
        let (mut own_files, mut in_functions) = (HashMap::new(), 0);
        for (name, addresses) in object.functions() {
            let size = addresses.end - addresses.start;
            in_functions += size;
            let (kernel, family) = self.names_of(name);
            self.kernels.add(kernel, size, 1);
            self.families.add(family, size, 1);
            self.add_lines(lines.as_ref(), addresses, &mut own_files);
        }
        self.sums.code_bytes += all;
        self.sums.outside_functions += all.saturating_sub(in_functions);
        Ok(())
    }

    fn names_of(&mut self, mangled: &[u8]) -> (usize, usize) {
        if let Some(known) = self.known.get(mangled) {
            return *known;
        }
        let text = String::from_utf8_lossy(mangled);
        let demangled = demangle(&text);
        let numbers = (
            self.kernels.number(demangled.as_deref().unwrap_or(&text)),
            self.families.number(family(demangled.as_deref().unwrap_or(&text))),
        );
        self.known.insert(mangled.to_vec(), numbers);
        numbers
    }

    /// Adds the code of a function to its files.
    fn add_lines(
        &mut self,
        lines: Option<&SourceLines<'_>>,
        addresses: Range<u64>,
        own_files: &mut HashMap<crate::kernel::lines::FileNumber, usize>,
    ) {
        let size = addresses.end - addresses.start;
        let mut here: HashMap<usize, u64> = HashMap::new();
        let mut with_lines = 0;
        for stretch in lines.iter().flat_map(|lines| lines.stretches(addresses.clone())) {
            let file = *own_files.entry(stretch.file).or_insert_with(|| {
                let path = lines.and_then(|lines| lines.path(stretch.file));
                self.files.number(
                    &path.map_or_else(|| "(file not known)".to_owned(), |path| without_detours(&path)),
                )
            });
            let bytes = stretch.addresses.end - stretch.addresses.start;
            with_lines += bytes;
            *here.entry(file).or_default() += bytes;
        }
        here.into_iter().for_each(|(file, bytes)| self.files.add(file, bytes, 1));
        self.sums.without_lines += size - with_lines.min(size);
    }

    fn finish(self) -> CodeSources {
        CodeSources {
            files: self.files.finish(),
            families: self.families.finish(),
            kernels: self.kernels.finish(),
            problems: self.problems.into_iter().collect(),
            ..self.sums
        }
    }
}

/// The name of a function or kernel without result, arguments and those of templates.
fn family(demangled: &str) -> &str {
    let name = demangled.strip_prefix("void ").unwrap_or(demangled);
    // `(anonymous namespace)::` begins names, and `operator<` and `operator()` are ones.
    let from = name.rfind("operator").map_or(0, |at| at + "operator".len() + 2);
    let from = if name.starts_with("(anonymous namespace)") {
        from.max("(anonymous namespace)".len())
    } else {
        from
    };
    let end = name.get(from..).and_then(|rest| rest.find(['<', '('])).map_or(name.len(), |at| from + at);
    let name = name.get(..end).unwrap_or(name);
    // Demangled templates begin with the type of their result.
    match name.rfind(' ') {
        Some(at) if !name.contains('(') && !name.contains("operator") => name.get(at + 1..).unwrap_or(name),
        _ => name,
    }
}

/// A path with `x/..` and `.` left out: templates are instantiated from files that include others by way of
/// their folder.
fn without_detours(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if kept.last().is_some_and(|last| !last.is_empty() && *last != "..") => {
                kept.pop();
            }
            part => kept.push(part),
        }
    }
    kept.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_names_without_arguments() {
        assert_eq!(family("void mul_mat_q<(ggml_type)2, 8>(char const*, int)"), "mul_mat_q");
        assert_eq!(family("(anonymous namespace)::reduce<float>(float*)"), "(anonymous namespace)::reduce");
        assert_eq!(family("Cijk_Ailk_Bljk_SB_MT64x64"), "Cijk_Ailk_Bljk_SB_MT64x64");
        assert_eq!(family("float warp_reduce<64>(float)"), "warp_reduce");
        assert_eq!(family("ns::operator()(int)"), "ns::operator()");
    }

    #[test]
    fn detours_are_left_out() {
        assert_eq!(without_detours("/a/b/../c.cuh"), "/a/c.cuh");
        assert_eq!(without_detours("../../x/./y.h"), "../../x/y.h");
        assert_eq!(without_detours("/../y.h"), "/../y.h");
    }
}
