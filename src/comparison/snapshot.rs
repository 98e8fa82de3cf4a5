//! What a report says of a tree, in the form in which two are compared.

use super::audited::AuditedReport;
use crate::capability::coverage::Coverage;
use crate::input::walk::around_data_folder;
use crate::locator::file_name;
use crate::report::v1::{DiffSide, FindingName};
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeMap;

/// A library, or its Tensile folder.
pub(super) type Library = (String, bool);

/// What a library has for a processor.
#[derive(Debug, Clone, Copy)]
pub(super) struct LibrarySupport {
    pub coverage: Coverage,
    pub code_objects: u64,
    pub kernels: u64,
}

/// A report to compare.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    pub(super) roots: Vec<String>,
    pub(super) tool_version: String,
    pub(super) complete: bool,
    /// `code_objects`, `kernels`, `artifact_bytes`.
    pub(super) sums: (u64, u64, u64),
    /// What libraries have, by processor; of several copies the best.
    pub(super) libraries: KeyMap<Library, KeyMap<String, LibrarySupport>>,
    /// Solutions of Tensile folders, by library and processor.
    pub(super) solutions: KeyMap<(String, String), u64>,
    /// Records of databases, by file name and processor.
    pub(super) records: KeyMap<(String, String), u64>,
    /// Files with something to report, by path below the root: their library and size.
    pub(super) files: KeyMap<String, (String, u64)>,
    /// Findings by rule and target, each with its files by their names without versions.
    pub(super) findings: KeyMap<(String, Option<String>), KeyMap<String, FindingName>>,
    pub(super) device_bytes: KeyMap<String, u64>,
    pub(super) versions: BTreeMap<String, String>,
}

impl Snapshot {
    /// What a report says.
    pub fn from_report(report: &AuditedReport) -> Self {
        let sums = &report.summary;
        let mut all = Snapshot {
            roots: report.roots.clone(),
            tool_version: report.tool.version.clone(),
            complete: report.complete,
            sums: (sums.code_objects, sums.kernels, sums.artifact_bytes),
            ..Snapshot::default()
        };
        for row in &report.matrix {
            let cells = all.libraries.entry((row.library.clone(), row.tensile)).or_default();
            for cell in &row.cells {
                let Some(coverage) = Coverage::of_name(&cell.coverage) else { continue };
                let own = LibrarySupport { coverage, code_objects: cell.code_objects, kernels: cell.kernels };
                let known = cells.entry(cell.processor.clone()).or_insert(own);
                if own.coverage.rank() < known.coverage.rank() {
                    *known = own;
                }
            }
        }
        for row in &report.tensile {
            let key = (row.library.clone(), row.processor.clone().unwrap_or_default());
            *all.solutions.entry(key).or_default() += row.solutions;
        }
        for row in &report.miopen {
            let processor = row.processor.as_deref().unwrap_or("any processor");
            let key = (file_name(&row.path).to_owned(), processor.to_owned());
            *all.records.entry(key).or_default() += row.records.unwrap_or_default();
        }
        // What a changelog states is compared below, and its folder is called as the package.
        let is_changelog = |path: &str| file_name(path).starts_with("changelog.");
        for row in report.artifacts.iter().filter(|row| !is_changelog(&row.path)) {
            // The parts of a kpack archive are rows of their own.
            let file = all.files.entry(laid_out(&row.path)).or_insert_with(|| (row.library.clone(), 0));
            file.1 += row.bytes;
        }
        for row in &report.findings {
            let files = all.findings.entry((row.id.clone(), row.target.clone())).or_default();
            for file in row.files() {
                let finding = || FindingName {
                    id: row.id.clone(),
                    severity: row.severity.clone(),
                    target: row.target.clone(),
                    file: file.to_owned(),
                    what: row.what.clone(),
                };
                files.entry(without_numbers(file)).or_insert_with(finding);
            }
        }
        let bytes = report.device_bytes.iter().map(|row| (row.title.clone(), row.bytes));
        all.device_bytes.extend(bytes);
        let versions = report.versions.iter().map(|row| (row.component.clone(), row.version.clone()));
        all.versions.extend(versions);
        // Of one library all the releases that files ask for.
        let mut releases: KeyMap<String, Vec<&str>> = KeyMap::new();
        for row in &report.linked_with {
            releases.entry(format!("linked with {}", row.library)).or_default().push(&row.release);
        }
        all.versions.extend(releases.into_iter().map(|(library, releases)| (library, releases.join(", "))));
        all
    }

    /// The data of one processor under another name, so that two processors of one tree can be compared.
    #[must_use]
    pub fn of_processor(self, processor: &str, name: &str) -> Self {
        let renamed = |text: &str| replace_word(text, processor, ANY_PROCESSOR);
        let own = |target: &Option<String>| {
            target.as_ref().is_none_or(|target| target.split(':').next() == Some(processor))
        };
        let mut all =
            Snapshot { files: KeyMap::new(), findings: KeyMap::new(), device_bytes: KeyMap::new(), ..self };
        let mut sums = (0, 0, 0);
        for cells in all.libraries.values_mut() {
            let has = cells.get(processor).copied();
            cells.clear();
            if let Some(has) = has {
                sums = (sums.0 + has.code_objects, sums.1 + has.kernels, 0);
                cells.insert(name.to_owned(), has);
            }
        }
        let of_it = |(key, value): ((String, String), u64)| {
            (key.1 == processor).then(|| ((renamed(&key.0), name.to_owned()), value))
        };
        all.solutions = std::mem::take(&mut all.solutions).into_iter().filter_map(of_it).collect();
        all.records = std::mem::take(&mut all.records).into_iter().filter_map(of_it).collect();
        for (path, file) in self.files {
            if contains_word(&path, processor) {
                sums.2 += file.1;
                all.files.insert(renamed(&path), file);
            }
        }
        for ((id, target), files) in self.findings {
            let is_own = target.is_some() && own(&target);
            let target = target.as_deref().map(|target| replace_word(target, processor, name));
            let files =
                files.into_iter().filter(|(_, found)| is_own || contains_word(&found.file, processor));
            let files: KeyMap<String, FindingName> = files
                .map(|(key, found)| {
                    let file = renamed(&found.file);
                    (renamed(&key), FindingName { target: target.clone(), file, ..found })
                })
                .collect();
            if !files.is_empty() {
                all.findings.entry((id, target)).or_default().extend(files);
            }
        }
        all.sums = sums;
        all
    }

    /// This snapshot as one side of a comparison.
    pub(super) fn side(&self, path: &str, saved: bool) -> DiffSide {
        let (code_objects, kernels, artifact_bytes) = self.sums;
        DiffSide {
            path: path.to_owned(),
            roots: self.roots.clone(),
            saved,
            tool_version: self.tool_version.clone(),
            complete: self.complete,
            code_objects,
            kernels,
            artifact_bytes,
        }
    }
}

/// A path as the file has it once its wheel is installed.
fn laid_out(path: &str) -> String {
    around_data_folder(path).map_or_else(|| path.to_owned(), |(before, behind)| format!("{before}{behind}"))
}

/// Replaces the processor in names of files and kernels when two processors are compared.
const ANY_PROCESSOR: &str = "gfx*";

/// Positions of a word as a whole word: `gfx90` is not found in `gfx900`.
fn places<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(word).map(|(at, _)| at).filter(|at| {
        let behind = text.get(at + word.len()..).unwrap_or_default();
        !behind.starts_with(|c: char| c.is_ascii_hexdigit())
    })
}

/// A kernel's name with the processor replaced. Tensile writes the processor as `_ISA906_`.
pub(super) fn without_processor(name: &str, processor: &str) -> String {
    let own = replace_word(name, processor, ANY_PROCESSOR);
    replace_word(&own, &processor.replace("gfx", "ISA"), "ISA*")
}

fn contains_word(text: &str, word: &str) -> bool {
    places(text, word).next().is_some()
}

fn replace_word(text: &str, word: &str, by: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for at in places(text, word) {
        out.push_str(text.get(from..at).unwrap_or_default());
        out.push_str(by);
        from = at + word.len();
    }
    out + text.get(from..).unwrap_or_default()
}

/// A path with `#` in place of each version, so that both releases of a file share one name:
/// `librocblas.so.#`, `rocblas/#/library`. Numbers inside words, as in `gfx900` or `rocm72`, stay.
pub fn without_numbers(path: &str) -> String {
    let is_version = |part: &str| {
        // A folder may have the first number of a version alone, as `rocblas/5/library`.
        (part.contains('.') || part.len() <= 2)
            && part.starts_with(|c: char| c.is_ascii_digit())
            && part.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    };
    let parts =
        path.split('/').map(|part| if is_version(part) { "#".to_owned() } else { without_version(part) });
    parts.collect::<Vec<_>>().join("/")
}

/// The same replacement in a file name.
fn without_version(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut before = '/';
    let mut letters = path.chars().peekable();
    while let Some(letter) = letters.next() {
        let begins = letter.is_ascii_digit() && matches!(before, '.' | '-' | '_' | '+');
        before = letter;
        if !begins {
            text.push(letter);
            continue;
        }
        let mut digits = String::from(letter);
        while let Some(next) = letters.next_if(|next| next.is_ascii_digit() || *next == '.') {
            digits.push(next);
        }
        // The file extension after a version keeps its dot, as in `x-1.2.json`.
        let ends = digits.ends_with('.');
        let is_word = letters.peek().is_some_and(|next| next.is_ascii_alphabetic()) && !ends;
        text.push_str(if is_word { digits.as_str() } else { "#" });
        if ends {
            text.push('.');
        }
        before = '#';
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_left_out_of_paths_and_names_are_kept() {
        for (path, expected) in [
            ("lib/librocblas.so.4.4.60300", "lib/librocblas.so.#"),
            ("bitsandbytes-0.50.2.dist-info/METADATA", "bitsandbytes-#.dist-info/METADATA"),
            ("lib/libbitsandbytes_rocm72.so", "lib/libbitsandbytes_rocm72.so"),
            ("x/gfx900_56.HIP.fdb.txt", "x/gfx900_#.HIP.fdb.txt"),
            (
                "lib/rocblas/2.47.0/library/Kernels.so-000-gfx900.hsaco",
                "lib/rocblas/#/library/Kernels.so-#-gfx900.hsaco",
            ),
            (
                "lib/rocblas/5/library/Kernels.so-000-gfx900.hsaco",
                "lib/rocblas/#/library/Kernels.so-#-gfx900.hsaco",
            ),
            ("share/2026/x.txt", "share/2026/x.txt"),
            ("TensileLibrary_Type_4xi8I_gfx900.dat", "TensileLibrary_Type_4xi8I_gfx900.dat"),
        ] {
            assert_eq!(without_numbers(path), expected);
        }
    }
}
