//! A convolution in four layers: what is built, what selects, what it falls back to, what is shipped.

use super::statements::say;
use crate::answers::ConvolutionAnswer;
use crate::engines::miopen::solver::BuildPart;
use crate::report::v1::{ConvDatabase, ConvDatabaseKind, ConvPick, DatabaseChoice, Evidence, Statement};

/// Build, selection, fallback, ship.
pub(super) fn convolution_layers(
    c: &ConvolutionAnswer<'_>,
    pick: Option<&ConvPick>,
    databases: &[ConvDatabase],
) -> Vec<Statement> {
    let mut all = vec![build(c, pick)];
    all.extend(selection(c, pick));
    all.push(fallback(c, pick));
    all.extend(ship(databases));
    all
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
            let text = "no libMIOpen was found here: every component is assumed to be built in (leave some out with --without)";
            say("build", text.to_owned(), Evidence::Inferred)
        }
    }
}

/// What the bytes of a record show, and what follows by the rules.
fn selection(c: &ConvolutionAnswer<'_>, pick: Option<&ConvPick>) -> Vec<Statement> {
    let say = |text: String, evidence| say("selection", text, evidence);
    let opened = if c.selection.candidates.find.reads_installed() { "find-db" } else { "user's find-db" };
    match (pick, &c.selection.record) {
        (Some(p), _) => vec![
            say(format!("line {} of {} records the problem", p.line, p.file), Evidence::Observed),
            say(format!("{} is its fastest solver that can be taken", p.solver), Evidence::Code),
        ],
        (None, Some((_, record))) => vec![
            say(format!("line {} records the problem", record.line), Evidence::Observed),
            say(format!("none of its solvers can be taken: {}", on_a_miss(c)), Evidence::Code),
        ],
        (None, None) => {
            let known = if c.databases.is_some() { Evidence::Observed } else { Evidence::Inferred };
            let record = match c.context.without.contains(&BuildPart::SystemDatabases) {
                true => say(
                    "this build opens no databases of the installation, so none records the problem"
                        .to_owned(),
                    Evidence::Code,
                ),
                false => say(format!("no {opened} that MIOpen opens records the problem"), known),
            };
            vec![record, say(on_a_miss(c), Evidence::Code)]
        }
    }
}

/// What MIOpen does if no record decides.
fn on_a_miss(c: &ConvolutionAnswer<'_>) -> String {
    let candidates = &c.selection.candidates;
    let mut measured = candidates.measured();
    match (measured.next(), measured.next()) {
        _ if candidates.at_once => "nothing is measured, the immediate mode answers".to_owned(),
        (None, _) => "there is no candidate, and the call fails".to_owned(),
        (Some(only), None) => format!("{} is the only candidate, with nothing to compare", only.name),
        _ => "MIOpen measures the candidates and takes the fastest".to_owned(),
    }
}

fn fallback(c: &ConvolutionAnswer<'_>, pick: Option<&ConvPick>) -> Statement {
    let candidates = &c.selection.candidates;
    let count = candidates.applicable.len();
    let all = count + candidates.rejected.len();
    let mut names: Vec<&str> = candidates.measured().map(|s| s.name).collect();
    names.retain(|name| pick.is_none_or(|p| p.solver != *name));
    if names.is_empty() {
        return say("fallback", "no other solver would be measured".to_owned(), Evidence::Code);
    }
    let others = match (names.as_slice(), pick) {
        ([only], None) => format!("{only} alone is searched"),
        _ => format!("a find measures {}", names.join(", ")),
    };
    let text = format!("{count} of {all} solvers take the problem; {others}");
    say("fallback", text, Evidence::Code)
}

fn ship(databases: &[ConvDatabase]) -> Vec<Statement> {
    let kernels = databases.iter().find(|d| d.kind == ConvDatabaseKind::KernelDb);
    match kernels {
        Some(ConvDatabase {
            state: DatabaseChoice::Exact | DatabaseChoice::Processor,
            file: Some(file),
            ..
        }) => {
            let text = "kernels that it has need no compilation when they are first used";
            vec![
                say("ship", format!("{file} is there"), Evidence::Observed),
                say("ship", text.to_owned(), Evidence::Code),
            ]
        }
        _ => {
            let text = "kernels of Direct, Winograd and ImplicitGEMM solvers are compiled when first used";
            vec![
                say("ship", "no kernel database for the device".to_owned(), Evidence::Observed),
                say("ship", text.to_owned(), Evidence::Code),
            ]
        }
    }
}
