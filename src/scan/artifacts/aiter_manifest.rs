//! AITER's manifests: tables in CSV that say which of its code objects serves which call.
//!
//! Source: ROCm/aiter, `hsa/codegen.py`: each table below `hsa/PROCESSOR` has columns `knl_name` and
//! `co_name` among others, in any order; the file is looked for in the table's own folder. Lines that begin
//! with `#`, `//` or `;` are comments.

use crate::finding::Finding;
use crate::finding::rules::read::TOO_MANY_PARTS;
use crate::inventory::kernel_manifest::{KernelManifest, ManifestOf, ManifestRow};
use crate::limits::{MANIFEST_BYTES, MANIFEST_ROWS, NAME_BYTES};
use crate::scan::{Candidate, Scanned, Scanner};
use crate::target::Processor;

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "aiter-manifest",
    of_text: false,
    finds: "AITER's tables (hsa/PROCESSOR/*.csv): which code object serves which call",
    claims: |candidate| is_manifest(candidate.path, candidate.name),
    scan: |candidate, _, _| scan(candidate),
};

fn is_manifest(path: &str, name: &str) -> bool {
    let mut folders = path.split('/').skip_while(|folder| *folder != "hsa").skip(1);
    name.ends_with(".csv") && folders.next().is_some_and(|folder| Processor::by_name(folder).is_some())
}

fn scan(candidate: &Candidate<'_>) -> Scanned {
    let bytes = candidate.file.bytes();
    let text = String::from_utf8_lossy(bytes.get(..MANIFEST_BYTES.min(bytes.len())).unwrap_or_default());
    let mut scanned = Scanned::default();
    let Some((rows, more)) = rows(&text) else { return scanned };
    if more > 0 || bytes.len() > MANIFEST_BYTES {
        let what = "the table of kernels has more rows than are kept";
        scanned.findings.push(Finding::of_file(&TOO_MANY_PARTS, candidate.shown, what));
    }
    let manifest = KernelManifest { shown: candidate.shown.to_owned(), of: ManifestOf::Aiter, rows };
    scanned.manifest = Some(Box::new(manifest));
    scanned
}

/// The rows of a table with the columns of one, and how many more there are.
fn rows(text: &str) -> Option<(Vec<ManifestRow>, usize)> {
    let is_comment =
        |line: &str| line.is_empty() || ["#", "//", ";"].iter().any(|sign| line.starts_with(sign));
    let begin = text.as_ptr() as usize;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = (1..).zip(text.lines().map(str::trim));
    let mut lines = lines.filter(|(_, line)| !is_comment(line));
    let (_, heading) = lines.next()?;
    let column = |name: &str| heading.split(',').position(|cell| cell.trim() == name);
    let (kernel, file) = (column("knl_name")?, column("co_name")?);
    let row = |(line, row_text): (u64, &str)| {
        let cell = |at: usize| row_text.split(',').nth(at).map(|cell| cell.trim().trim_matches('"'));
        let named = |cell: &&str| !cell.is_empty() && cell.len() <= NAME_BYTES * 4;
        let file = cell(file).filter(named)?;
        let kernel = cell(kernel).filter(named)?.to_owned();
        // Lines are parts of the text, so that a line begins as far in it as their pointers are apart.
        let offset = (row_text.as_ptr() as usize - begin) as u64;
        Some(ManifestRow { line, offset, kernel, file: file.to_owned(), entry: None })
    };
    let mut all = lines.filter_map(row);
    let kept = all.by_ref().take(MANIFEST_ROWS).collect();
    Some((kept, all.count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_their_names() {
        let text = "# tuned\nknl_name,co_name,flat\n_ZN5aiter1aE,a.co,0\n\n; no row\n_ZN5aiter1bE,MI308/b.co,1\nshort\n";
        let (all, more) = rows(text).unwrap();
        let seen: Vec<_> = all.iter().map(|row| (row.line, row.kernel.as_str(), row.file.as_str())).collect();
        assert_eq!(seen, [(3, "_ZN5aiter1aE", "a.co"), (6, "_ZN5aiter1bE", "MI308/b.co")]);
        assert_eq!(more, 0);
        // Tables of other things lie there, too.
        assert!(rows("gfx,cu_num,M,N,K\n1,2,3,4,5\n").is_none() && rows("").is_none());
        assert!(is_manifest("x.whl!/aiter_meta/hsa/gfx942/mla/mla_asm.csv", "mla_asm.csv"));
        assert!(
            !is_manifest("aiter/configs/a8w8.csv", "a8w8.csv") && !is_manifest("hsa/notes/a.csv", "a.csv")
        );
    }
}
