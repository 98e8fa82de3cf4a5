//! Makes the report on attention.

use crate::answers::attention::{AttentionAnswer, FrameworkTakes, Holds, LibraryHolds};
use crate::asked::AskedCard;
use crate::engines::attention::AttentionKernel;
use crate::finding::Finding;
use crate::report::findings;
use crate::report::v1::{
    AttentionAsked, AttentionFramework, AttentionHeld, AttentionKind, AttentionLibrary, AttentionMissing,
    AttentionReport, AttentionStep, Evidence, Header, document,
};
use rocm_audit_files::sorted_rows::SortedRows as _;

/// The report on attention, with what could not be read.
pub(super) fn attention(answer: &AttentionAnswer, card: &AskedCard, found: &[Finding]) -> AttentionReport {
    let mut libraries: Vec<AttentionLibrary> = answer.libraries.iter().map(library).collect();
    libraries.sort_rows_by_key(|one| one.answer);
    let damage: Vec<&Finding> = found.iter().filter(|finding| finding.is_damage()).collect();
    AttentionReport {
        header: Header::from_document(document::ATTENTION),
        processor: answer.target.processor.clone(),
        products: card.products.iter().map(|product| product.name().to_owned()).collect(),
        call: AttentionAsked {
            ty: answer.call.ty.name().to_owned(),
            head_dim: answer.call.dim,
            value_dim: answer.call.value_dim,
            causal: answer.call.causal,
        },
        complete: damage.is_empty(),
        failed_because: Vec::new(),
        frameworks: answer.frameworks.iter().map(|one| framework(one, &libraries)).collect(),
        libraries,
        missing: answer
            .missing
            .iter()
            .map(|(path, kernel)| AttentionMissing { path: path.clone(), kernel: kernel.clone() })
            .collect(),
        findings: findings::rows(damage),
    }
}

fn library(of: &LibraryHolds) -> AttentionLibrary {
    AttentionLibrary {
        library: of.library.to_owned(),
        answer: match of.holds {
            Holds::Yes => AttentionHeld::Holds,
            Holds::Compiles => AttentionHeld::Compiles,
            Holds::Unknown => AttentionHeld::NotKnown,
            Holds::No => AttentionHeld::Not,
        },
        because: of.because.clone(),
        known: of.evidence,
        kernel: of.kernel.as_ref().map(|kernel| kernel.symbol.clone()),
        path: of.kernel.as_ref().map(|kernel| kernel.shown.clone()),
        processors: of.processors.clone(),
        kernels: of.kinds.iter().map(kind).collect(),
    }
}

fn kind(of: &AttentionKernel) -> AttentionKind {
    AttentionKind {
        ty: of.ty.name().to_owned(),
        head_dim: of.dim,
        value_dim: of.value_dim,
        causal: of.causal,
        padded: of.padded,
        group: of.is_group,
    }
}

fn framework(of: &FrameworkTakes, libraries: &[AttentionLibrary]) -> AttentionFramework {
    let taken = of.steps.iter().find(|step| step.refused.is_none());
    let held = taken.and_then(|step| step.library).map(|name| {
        let known = libraries.iter().find(|library| library.library == name);
        known.map_or(AttentionHeld::NotHere, |library| library.answer)
    });
    AttentionFramework {
        framework: of.framework.to_owned(),
        release: of.release.clone(),
        remark: of.remark.clone(),
        variables: of.variables.clone(),
        takes: taken.map(|step| step.backend.to_owned()),
        held,
        steps: of
            .steps
            .iter()
            .map(|step| AttentionStep {
                backend: step.backend.to_owned(),
                library: step.library.map(str::to_owned),
                refused: step.refused.clone(),
                known: Evidence::Code,
                source: step.source.to_owned(),
            })
            .collect(),
    }
}
