//! rocBLAS catalogs in YAML and hipBLASLt catalogs in MessagePack, made from the words that real ones use:
//! read, summed up, skimmed. The same content in YAML and in MessagePack gives the same catalog.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::engines::tensile::call::Transpose;
use rocm_audit::engines::tensile::catalog::{Catalog, CatalogIndex};
use rocm_audit::engines::tensile::catalog_summary::CatalogSummary;
use rocm_audit::engines::tensile::lite::call::MatmulCall;
use rocm_audit::engines::tensile::lite::library::Library;
use rocm_audit::engines::tensile::lite::types::MatrixType;
use rocm_audit::engines::tensile::name::Role;
use rocm_audit::engines::tensile::skim::Skim;
use rocm_audit::engines::tensile::{ext_ops, tensilelite};
use rocm_audit::target::TargetId;
use rocm_audit_fuzz::choices::Choices;
use rocm_audit_fuzz::{folder, gpu};

/// Words in catalogs: keys, types of nodes and of predicates.
const WORDS: &[&str] = &[
    "solutions",
    "library",
    "type",
    "rows",
    "table",
    "index",
    "predicate",
    "library",
    "Hardware",
    "Problem",
    "Matching",
    "Placeholder",
    "value",
    "Processor",
    "AMDGPU",
    "Predicates",
    "And",
    "Or",
    "Not",
    "TruePred",
    "FreeSizeMatching",
    "DecisionTree",
    "distance",
    "Euclidean",
    "Ratio",
    "JSD",
    "GridBased",
    "Equality",
    "Prediction",
    "kernelName",
    "taskPredicate",
    "WorkspaceCheck",
    "WorkgroupNumberCheck",
    "GlobalSplitUCheckMinK",
    "LeadingFree0SizesGreaterOrEqual",
    "computeType",
    "bType",
    "cType",
    "dType",
    "globalSplitU",
    "globalAccumulation",
    "workspaceSizePerElemC",
    "key",
    "speed",
    "properties",
    "FreeSizeA",
    "BoundSize",
    "BatchSize",
    "name",
    "problemType",
    "sizeMapping",
    "hardwarePredicate",
    "problemPredicate",
    "ideals",
    "debugKernel",
    "info",
    "operationIdentifier",
    "Contraction_l_Ailk_Bjlk_Cijk_Dijk",
    "aType",
    "Float",
    "Half",
    "workGroup",
    "macroTile",
    "threadTile",
    "depthU",
    "TensileLibrary_Type_SS_Contraction_l_Ailk_Bljk_Cijk_Dijk_gfx906",
    "gfx906",
    "gfx90a",
    "CUCount",
    "isa",
    "version",
    "map",
    "features",
    "tree",
    "trees",
    "nodes",
    "nextIdxLTE",
    "nextIdxGT",
    "featureIdx",
    "threshold",
    "-1",
    "0",
    "1",
    "true",
    "null",
    "3.5",
];

/// A value made of such words, in YAML's flow style and in MessagePack.
fn value(choices: &mut Choices<'_>, depth: usize, yaml: &mut String, packed: &mut Vec<u8>) {
    match choices.below(if depth == 0 { 3 } else { 6 }) {
        0 => {
            let number = u64::from(choices.word());
            yaml.push_str(&number.to_string());
            gpu::number(&mut Choices::new(&[]), packed, number);
        }
        1 | 2 => {
            let word = choices.of(WORDS);
            yaml.push_str(&format!("'{word}'"));
            gpu::string(packed, word.as_bytes());
        }
        kind => {
            let count = choices.below(5);
            yaml.push(if kind == 3 { '[' } else { '{' });
            gpu::head(&mut Choices::new(&[]), packed, kind != 3, count as u64);
            for at in 0..count {
                if kind != 3 {
                    let word = choices.of(WORDS);
                    yaml.push_str(&format!("'{word}': "));
                    gpu::string(packed, word.as_bytes());
                }
                value(choices, depth - 1, yaml, packed);
                if at + 1 < count {
                    yaml.push_str(", ");
                }
            }
            yaml.push(if kind == 3 { ']' } else { '}' });
        }
    }
}

/// Calls everything that reads MessagePack catalogs.
fn lite(bytes: &[u8]) {
    if let Ok(summary) = CatalogSummary::read_lite(bytes) {
        assert!(
            summary.rows.iter().all(|row| row.leads_to.iter().all(|at| *at < summary.placeholders.len()))
        );
    }
    let _ = tensilelite::leads_to_a_solution(bytes);
    chosen(bytes);
    let _ = (tensilelite::read_mapping(bytes), ext_ops::read_ext_ops(bytes));
    for role in [Role::Catalog, Role::LazyCatalog] {
        let _ = Skim::read(bytes, role);
    }
}

/// Uses bytes as the first catalog of a selection and requests some algorithms: the list has no more than
/// requested, and no solution is both in it and in the fill.
fn chosen(bytes: &[u8]) {
    std::fs::write(folder().join("TensileLibrary_lazy_gfx906.dat"), bytes).expect("the catalog is written");
    let Ok(library) = Library::open(folder().as_path(), "gfx906") else { return };
    for (sizes, batch, requested) in [([64, 64, 64], 1, 1), ([1, 9000, 7], 5, 3), ([100, 3, 100_000], 1, 40)]
    {
        let ty = MatrixType::meant("f32").expect("a type");
        let transposes = [Transpose::N, Transpose::N];
        let call = MatmulCall::new(&TargetId::bare("gfx906"), 60, ty, transposes, sizes);
        let call = MatmulCall { batch, requested, ..call };
        if let Ok(choice) = library.choose(&call, None) {
            assert!(choice.list().count() <= requested);
            let fixed: Vec<u32> = choice.fixed.iter().map(|found| found.solution.index).collect();
            assert!(choice.fill.iter().all(|found| !fixed.contains(&found.solution.index)));
            let _ = choice.first().map(|first| library.launch(first, &call, &choice.problem, false));
        }
    }
}

/// Reads a catalog as a file, which may be YAML.
fn read(bytes: &[u8]) -> Result<String, u64> {
    std::fs::write(folder().join("catalog.yaml"), bytes).expect("the catalog is written");
    match <Catalog>::open(&folder().into(), "catalog.yaml") {
        Ok(catalog) => {
            let summary = CatalogSummary::from_catalog(&catalog);
            Ok(format!("{:?} {:?}", summary.rows, summary.placeholders.len()))
        }
        Err(_) => Err(0),
    }
}

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let mut choices = Choices::new(bytes);
    match choices.below(4) {
        0 => {
            let text = choices.all();
            let _ = read(text);
            let _ = Skim::read(text, Role::Catalog);
        }
        1 => lite(choices.all()),
        _ => {
            let (mut yaml, mut packed) = (String::new(), Vec::new());
            gpu::head(&mut Choices::new(&[]), &mut packed, true, 2);
            for (at, key) in ["solutions", "library"].iter().enumerate() {
                yaml.push_str(if at == 0 { "{'solutions': " } else { ", 'library': " });
                gpu::string(&mut packed, key.as_bytes());
                value(&mut choices, 6, &mut yaml, &mut packed);
            }
            yaml.push('}');
            lite(&packed);
            let direct = <CatalogIndex>::read(&packed);
            assert_eq!(read(yaml.as_bytes()).is_ok(), direct.is_ok(), "{yaml} {:?}", direct.err());
        }
    }
});
