//! A convolution in four layers: what is built, what selects, what it falls back to, what is shipped.

use super::statements::say;
use crate::report::v1::{ConvDatabase, ConvDatabaseKind, ConvPick, DatabaseChoice, Evidence, Statement};
use crate::stack::ConvolutionAnswer;

/// Build, selection, fallback, ship.
pub(super) fn of(
    c: &ConvolutionAnswer<'_>,
    pick: Option<&ConvPick>,
    databases: &[ConvDatabase],
) -> Vec<Statement> {
    vec![build(c, pick), selection(c, pick), fallback(c, pick), ship(databases)]
}

fn build(c: &ConvolutionAnswer<'_>, pick: Option<&ConvPick>) -> Statement {
    let solver = pick.map_or("", |p| p.solver.as_str());
    match &c.library {
        Some((file, Some(true))) => {
            say("build", format!("{file} has the check of {solver}"), Evidence::Observed)
        }
        Some((file, Some(false))) => {
            let text = format!("{file} has no check of {solver}: this build lacks it");
            say("build", text, Evidence::Observed)
        }
        Some((file, None)) => {
            let text = format!("{file} is here; no solver is taken whose check it could have");
            say("build", text, Evidence::Observed)
        }
        None => {
            let text = "no libMIOpen was found here, so a complete build is assumed but for --without";
            say("build", text.to_owned(), Evidence::Inferred)
        }
    }
}

fn selection(c: &ConvolutionAnswer<'_>, pick: Option<&ConvPick>) -> Statement {
    let (text, evidence) = match (pick, &c.selection.record) {
        (Some(p), _) => {
            let text = format!(
                "line {} of {} records the problem, and {} is its fastest solver that can be taken",
                p.line, p.file, p.solver
            );
            (text, Evidence::Observed)
        }
        (None, Some((_, record))) => {
            let text = format!(
                "line {} records the problem, and none of its solvers can be taken: MIOpen measures",
                record.line
            );
            (text, Evidence::Observed)
        }
        (None, None) => {
            let text = "no find-db that MIOpen opens records the problem: it measures the candidates";
            let evidence = if c.databases.is_some() { Evidence::Observed } else { Evidence::Inferred };
            (text.to_owned(), evidence)
        }
    };
    say("selection", text, evidence)
}

fn fallback(c: &ConvolutionAnswer<'_>, pick: Option<&ConvPick>) -> Statement {
    let candidates = &c.selection.candidates;
    let count = candidates.applicable.len();
    let all = count + candidates.rejected.len();
    let mut names: Vec<&str> = candidates.measured().map(|s| s.name.as_str()).collect();
    names.retain(|name| pick.is_none_or(|p| p.solver != *name));
    if names.is_empty() {
        return say("fallback", "no other solver would be measured".to_owned(), Evidence::Code);
    }
    let text = format!("{count} of {all} solvers take the problem; a find measures {}", names.join(", "));
    say("fallback", text, Evidence::Code)
}

fn ship(databases: &[ConvDatabase]) -> Statement {
    let kernels = databases.iter().find(|d| d.kind == ConvDatabaseKind::KernelDb);
    let text = match kernels {
        Some(ConvDatabase {
            state: DatabaseChoice::Exact | DatabaseChoice::Processor, file: Some(file), ..
        }) => {
            format!("{file} is there with kernels that need no compilation")
        }
        _ => "no kernel database for the device: kernels of Direct, Winograd and ImplicitGEMM solvers are compiled when first used"
            .to_owned(),
    };
    say("ship", text, Evidence::Observed)
}
