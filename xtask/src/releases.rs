//! The page of the releases that are read and answered for, `docs/releases.md`: written from the tables that
//! answer.

use rocm_audit::engines::releases::{ReleaseEvidence, rows};
use std::fmt::Write as _;

/// What stands before the table.
const ABOUT: &str = "\
# Releases

Files are read by their form, whatever release they are of: kernels, targets, resources and how libraries hang together follow from the bytes. What a library
*chooses* does, and the rules of a choice are those of one release. The table says
for which releases `select`, `workload`, `model` and `survey` answer, and how far that is known. The release of a library is read from its own bytes; an answer by the rules of another release says
so, in its text and as a finding ([rules-of-nearest-version](rules/rules-of-nearest-version.md),
[rule-carried-over](rules/rule-carried-over.md)).

Catalogs of rocBLAS and hipBLASLt are read as MessagePack, as zlib streams of it (`.dat.zlib`, hipBLASLt from ROCm 7.14 on) and in format 2, from
one folder or one for each target. Whether the library beside them reads a form is decided by its own constants
([catalog-form-not-read](rules/catalog-form-not-read.md)).
";

/// The page, with what a generated page begins with.
pub fn page(head: &str) -> String {
    let mut text = format!("{head}\n\n{ABOUT}\n");
    text.push_str("| library | release | an answer is | by the rules of |\n| --- | --- | --- | --- |\n");
    for row in rows() {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            row.library,
            row.release,
            row.standing.words(),
            row.rules
        );
    }
    let rest = "rocFFT, rocSPARSE, rocSOLVER, rocRAND, RCCL, Composable Kernel, AOTriton, AITER, hipSPARSELt";
    let _ = writeln!(text, "| {rest} and others | all | {} | |", ReleaseEvidence::NotKnown.words());
    text.push_str("\nWhat is not known of a choice is not guessed: the kernels of these libraries are listed, and which one a call takes is not said.\n");
    text
}
