//! Makes the verdicts.

use super::v1::{self, Evidence};
use crate::capability::overriding::{Override, Safety};
use crate::capability::verdict::{LibraryVerdict, LinkedLibrary, Verdict};
use crate::diagnosis::builds;
use crate::target::product;
use rocm_audit_files::sorted_rows::SortedRows as _;

/// Number of products listed with a processor.
const PRODUCTS: usize = 3;

/// One verdict.
pub(super) fn verdict(found: &Verdict<'_>) -> v1::Verdict {
    // The products in the most lists are the best known.
    let mut products: Vec<_> =
        product::products().iter().filter(|product| product.processor() == found.processor).collect();
    products.sort_rows_by_key(|product| {
        (std::cmp::Reverse(product.sources().len()), product.name().len(), product.name())
    });
    v1::Verdict {
        processor: found.processor.clone(),
        products: products.into_iter().take(PRODUCTS).map(|product| product.name().to_owned()).collect(),
        answer: found.answer,
        headline: found.headline.clone(),
        evidence: found.evidence,
        libraries: found.libraries.iter().map(library).collect(),
        damaged: found
            .damaged
            .iter()
            .map(|(path, what)| v1::DamagedFile { path: (*path).to_owned(), what: (*what).to_owned() })
            .collect(),
        with_override: found.with_override.iter().map(library).collect(),
        without_override: found.without_override.clone(),
        overrides: found.overrides.iter().map(overriding).collect(),
        only_on_windows: found.only_on_windows,
        here: found.here.iter().map(|name| (*name).to_owned()).collect(),
        published: builds::called(&found.processor),
    }
}

fn library(found: &LibraryVerdict<'_>) -> v1::LibraryVerdict {
    let need = |need: &LinkedLibrary<'_>| v1::Need { soname: need.soname.to_owned(), answer: need.answer };
    v1::LibraryVerdict {
        library: found.library.to_owned(),
        role: found.role,
        place: found.place.map(str::to_owned),
        answer: found.answer,
        coverage: found.coverage,
        reason: found.reason.clone(),
        then: found.then.map(str::to_owned),
        needs: found.needs.iter().map(need).collect(),
        evidence: found.evidence,
    }
}

fn overriding(found: &Override) -> v1::Override {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    v1::Override {
        processor: found.processor.clone(),
        value: found.value.clone(),
        answer: safety(found.judgement.safety),
        because: found.judgement.because.clone(),
        is_legal: found.is_legal(),
        lacking: found.difference.lacking,
        starts: owned(&found.difference.starts),
        features: owned(&found.difference.features),
        kernels: found.brings.kernels,
        tuned_types: found.brings.tuned_types,
        needed_by: found.needed_by.clone(),
        lost_by: found.lost_by.clone(),
        code: Vec::new(),
        evidence: Evidence::Inferred,
    }
}

/// Converts a judgement on safety into the answer in documents.
pub(super) fn safety(safety: Safety) -> v1::OverrideAnswer {
    match safety {
        Safety::Legal => v1::OverrideAnswer::Legal,
        Safety::LegalWithDifferences => v1::OverrideAnswer::LegalWithDifferences,
        Safety::NotDecoded => v1::OverrideAnswer::NotDecoded,
        Safety::Illegal => v1::OverrideAnswer::Illegal,
    }
}
