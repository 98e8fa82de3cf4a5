//! Makes the reports on what tables were tuned for.

use crate::engines::tensile::lite::call::MatmulCall;
use crate::engines::tensile::lite::coverage::{TunedCatalog, TunedMap};
use crate::engines::tensile::lite::library::Library;
use crate::engines::tensile::lite::tuned::TunedMatch;
use crate::finding::Finding;
use crate::report::findings;
use crate::report::v1::{Header, document};
use crate::report::v1::{MatmulCell, MatmulCoverage, MatmulMap, MatmulTable};
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::BTreeMap;

/// The report on what a target's tables were tuned for.
pub fn matmul_coverage(library: &Library, catalogs: &[TunedCatalog], found: &[Finding]) -> MatmulCoverage {
    let mut tables: Vec<MatmulTable> = catalogs.iter().map(table).collect();
    tables.sort_rows_by(|a, b| {
        (&a.types, &a.transposes, &a.parts, &a.catalog).cmp(&(&b.types, &b.transposes, &b.parts, &b.catalog))
    });
    MatmulCoverage {
        header: Header::from_document(document::SELECT_MATMUL_COVERAGE),
        found: findings::found(found),
        target: library.device().to_string(),
        folder: library.folder().path().to_string_lossy().into_owned(),
        catalogs: tables,
    }
}

fn table(of: &TunedCatalog) -> MatmulTable {
    let range = |part: usize| {
        let (least, most) = of.ranges.as_ref()?.get(part)?;
        Some([*least, *most])
    };
    MatmulTable {
        types: of.types.clone(),
        transposes: of.transposes.clone(),
        parts: of.parts.clone(),
        catalog: of.name.clone(),
        solutions: of.solutions as u64,
        exact: of.exact as u64,
        grid: of.grid as u64,
        unknown_nodes: of.unknown as u64,
        m: range(0),
        n: range(1),
        k: range(2),
    }
}

/// The report on how far sizes are from the tables.
pub fn matmul_map(library: &Library, call: &MatmulCall, map: &TunedMap, found: &[Finding]) -> MatmulMap {
    let cell = |(tuned, solution): &(TunedMatch, Option<u32>)| MatmulCell {
        kind: tuned.word(),
        ratio: tuned.ratio(),
        solution: *solution,
    };
    let mut kinds = BTreeMap::new();
    for (tuned, _) in map.cells.iter().flatten() {
        *kinds.entry(tuned.word()).or_default() += 1;
    }
    MatmulMap {
        header: Header::from_document(document::SELECT_MATMUL_MAP),
        found: findings::found(found),
        target: library.device().to_string(),
        folder: library.folder().path().to_string_lossy().into_owned(),
        call: call.words_of_kind(),
        m: map.m.clone(),
        n: map.n.clone(),
        rows: map.cells.iter().map(|row| row.iter().map(cell).collect()).collect(),
        kinds,
    }
}
