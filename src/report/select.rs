//! Makes the report of a choice.

use super::v1::{self, Evidence, GemmReport, KernelLaunch, KernelParameter, Statement};
use crate::engines::tensile::call::GemmCall;
use crate::engines::tensile::host::Host;
use crate::engines::tensile::kernel_name;
use crate::engines::tensile::launch::Role;
use crate::engines::tensile::library::{Answer, Library};
use crate::engines::tensile::name;
use crate::engines::tensile::predicate::Predicate;
use crate::engines::tensile::solution::Solution;
use crate::engines::tensile::trace::{SelectionTrace, Step, Tuned};
use crate::error::AuditError;

/// The report of what rocBLAS does for a call in a fresh process.
///
/// # Errors
/// Where a catalog that the problem leads to is missing or malformed.
pub fn gemm(library: &Library, problem: &GemmCall) -> Result<GemmReport, AuditError> {
    let failed = |error: crate::engines::tensile::catalog::CatalogError| {
        AuditError::Usage(format!(
            "{error}. The real library ends in a segmentation fault where a call reaches this catalog"
        ))
    };
    let mut walk = SelectionTrace::default();
    let answer = library.select(problem, Some(&mut walk)).map_err(failed)?;
    let kernel = answer.kernel.unwrap_or_default();
    let parameter = |p: kernel_name::Parameter| KernelParameter {
        name: p.initials.to_owned(),
        title: p.title.to_owned(),
        value: p.value,
    };
    let path = library.master().path();
    Ok(GemmReport {
        header: v1::Header::of(v1::document::SELECT_GEMM),
        arch: library.device().to_string(),
        cus: problem.cus,
        call: call(problem),
        folder: path.parent().map(|p| p.to_string_lossy().into_owned()).unwrap_or_default(),
        first_catalog: path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
        solution: answer.solution.map(|s| s.index),
        // A catalog with everything in it does not tell; source kernels for every target carry no ISA.
        fallback: answer.fallback || (answer.co.is_none() && kernel.contains("_ISA000_")),
        quick_return: answer.quick_return,
        kernel: answer.kernel.map(str::to_owned),
        parameters: kernel_name::parameters(kernel).into_iter().map(parameter).collect(),
        co: answer.co.clone(),
        loaded_from: answer.loaded_from.as_deref().map(str::to_owned),
        launches: launches(&answer),
        status: answer.status,
        ws_req: answer.ws_req,
        distance: answer.distance,
        statements: statements(library, problem, &answer),
        walk: walk.steps().iter().filter(|step| !is_idle(step)).map(step).collect(),
        walk_dropped: walk.dropped(),
    })
}

fn call(p: &GemmCall) -> String {
    let batch = if p.batch == 1 { String::new() } else { format!(", batch of {}", p.batch) };
    format!("rocblas_{} {} {:?}{:?} {} × {} × {}{batch}", p.api, p.ty, p.ta, p.tb, p.m, p.n, p.k)
}

/// The launches of an answer.
pub fn launches(answer: &Answer<'_>) -> Vec<KernelLaunch> {
    let launch = |launch: &crate::engines::tensile::launch::Launch<'_>| KernelLaunch {
        role: match launch.role {
            Role::BetaOnly => "beta only",
            Role::Main => "main",
            Role::PostGsu => "post GSU",
        }
        .to_owned(),
        kernel: launch.kernel.to_string(),
        grid: launch.grid,
        work_group: launch.work_group,
        file: launch.file.as_deref().map(str::to_owned),
        cut: launch.is_cut(),
    };
    answer.launches.iter().map(launch).collect()
}

/// The outer logic around the choice, as far as it concerns this call.
fn statements(library: &Library, problem: &GemmCall, answer: &Answer<'_>) -> Vec<Statement> {
    let mut all = Vec::new();
    let mut say = |about: &str, warning, evidence, text: String| {
        all.push(Statement { about: about.to_owned(), text, evidence, warning });
    };
    if answer.quick_return {
        let text = "there is nothing to compute, so rocBLAS returns before it asks Tensile; the launches are those that \
                    the solution would need";
        say("quick return", false, Evidence::Code, text.to_owned());
    }
    if answer.xf32_fell_back {
        let text =
            "XFloat32 was asked for and no solution computes in it: rocBLAS warns once and takes Float";
        say("xf32", true, Evidence::Code, text.to_owned());
    }
    for launch in answer.launches.iter().filter(|launch| launch.is_cut()) {
        let [x, ..] = launch.work_items();
        let text = format!(
            "{} asks for {x} work items, and HIP's launch takes 32 bits: {} are started",
            launch.kernel, x as u32
        );
        say("grid", true, Evidence::Runtime, text);
    }
    if answer.status == crate::engines::tensile::library::INTERNAL_ERROR {
        let lost: Vec<_> =
            answer.launches.iter().filter(|l| l.file.is_none()).map(|l| l.kernel.as_ref()).collect();
        let text = format!(
            "no file supplies {}: rocblas_status_internal_error (6), without a word",
            lost.join(", ")
        );
        say("missing", true, Evidence::Runtime, text);
    }
    all.extend(history(library, problem, answer));
    all.extend(several_targets(library));
    all.push(hipblaslt(library));
    let master = format!(
        "rocBLAS begins with the first of TensileLibrary_lazy_{0}.dat, TensileLibrary_{0}.dat and TensileLibrary.dat, in \
         a folder {0} below this one where there is one",
        library.device().processor
    );
    all.push(Statement {
        about: "first catalog".into(),
        text: master,
        evidence: Evidence::Code,
        warning: false,
    });
    let assumed = format!(
        "the first call of a process; {} bytes of workspace (what other routines needed before can make it more); no \
         environment that overrides the choice (ROCBLAS_TENSILE_LIBPATH, ROCBLAS_TENSILE_GEMM_OVERRIDE_PATH, TENSILE_*)",
        problem.ws
    );
    all.push(Statement {
        about: "assumed".into(),
        text: assumed,
        evidence: Evidence::Inferred,
        warning: false,
    });
    let known = "catalogs and files are read in this install; how rocBLAS 6.4 chooses among them is read in its source, \
                 and was held against the library itself on a stand-in for the HIP runtime. Predicted, not observed on a GPU";
    all.push(Statement {
        about: "known".into(),
        text: known.into(),
        evidence: Evidence::Code,
        warning: false,
    });
    all
}

/// Whether an earlier call of the same sizes can change the outcome: rocBLAS's cache of choices knows neither beta nor
/// whether C is D.
fn history(library: &Library, problem: &GemmCall, answer: &Answer<'_>) -> Option<Statement> {
    let asks =
        |s: &Solution| s.problem.iter().any(|p| matches!(p, Predicate::BetaValue(_) | Predicate::CEqualsD));
    let statement =
        |text: String, evidence| Some(Statement { about: "history".into(), text, evidence, warning: true });
    if answer.quick_return {
        return None;
    }
    if answer.solution.is_some_and(asks) {
        let text = "this solution asks for beta or for C being D, and the cache of choices remembers neither: a later call \
                    of the same sizes with another beta returns rocblas_status_invalid_value (11)";
        return statement(text.into(), Evidence::Runtime);
    }
    let mut other = problem.clone();
    (other.beta, other.c_eq_d) = (1.0, true);
    let poison = library.choose(&other, None).ok()?.found?.solution;
    if !asks(poison) {
        return None;
    }
    let text = format!(
        "a call of the same sizes before this one, with beta 1 and C being D, chooses solution {}, and the cache of choices \
         would then hold that for this call too: rocblas_status_invalid_value (11)",
        poison.index
    );
    statement(text, Evidence::Runtime)
}

fn several_targets(library: &Library) -> Option<Statement> {
    let folder = library.master().path().parent()?;
    let names =
        std::fs::read_dir(folder).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let first = |name: &String| name::Name::parse(name).is_some_and(|n| n.role == name::Role::LazyCatalog);
    let others = names.filter(first).count().saturating_sub(1);
    (others > 0).then(|| Statement {
        about: "several GPUs".into(),
        text: format!(
            "the folder serves {others} other targets; in a process whose first device is one of those, {} gets fallback \
             kernels only, since one first catalog is read for all devices",
            library.device().processor
        ),
        evidence: Evidence::Runtime,
        warning: false,
    })
}

/// Whether hipBLASLt is asked before these catalogs.
fn hipblaslt(library: &Library) -> Statement {
    let folder = library.master().path().parent();
    let (text, evidence) = match folder.and_then(Host::of) {
        Some(host) => {
            let name = host.path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            if host.asks_hipblaslt {
                let text = format!(
                    "{name} has the text ROCBLAS_USE_HIPBLASLT: it can ask hipBLASLt first. Release 6.4 does so on gfx1200 \
                     and gfx1201 unless that variable says otherwise, later releases on more targets; what follows here is \
                     its answer where hipBLASLt is not asked or declines"
                );
                (text, Evidence::Observed)
            } else {
                let text = format!(
                    "{name} has no text ROCBLAS_USE_HIPBLASLT: it was built without hipBLASLt and never asks it"
                );
                (text, Evidence::Observed)
            }
        }
        None => {
            let text = "no librocblas.so was found near these catalogs, so whether it asks hipBLASLt first is not known; it is \
                        assumed that it does not";
            (text.to_owned(), Evidence::Inferred)
        }
    };
    Statement { about: "hipBLASLt".into(), text, evidence, warning: false }
}

/// Whether a step only passes through: a node with one row that asks for nothing.
fn is_idle(step: &Step) -> bool {
    matches!(step, Step::Row { rows: 1, predicate, failed: None, .. } if predicate == "TruePred")
}

/// How a table compares, in words.
fn metric(name: &str) -> &'static str {
    match name {
        "Euclidean" => "the nearest of {} tuned sizes (sum of the squared differences)",
        "Equality" => "exactly this size among {} tuned ones",
        _ => "the next larger M and N of {} tuned sizes, with the least waste",
    }
}

fn step(step: &Step) -> String {
    let tuned = |t: &Option<Tuned>| match t {
        Some(t) => format!("solution {}, tuned for {}, distance {}", t.solution, t.size, t.distance),
        None => "nothing".to_owned(),
    };
    match step {
        Step::Row { node, row, rows, predicate, failed: None } => {
            format!("{node} row {} of {rows}: {predicate} holds", row + 1)
        }
        Step::Row { node, row, rows, failed: Some(failed), .. } => {
            format!("{node} row {} of {rows}: fails at {failed}", row + 1)
        }
        Step::Operation { name, found } => {
            format!("{name}: {}", if *found { "there are rows for it" } else { "nothing for it" })
        }
        Step::Catalog { name } => format!("opens the catalog {name}"),
        Step::Table { metric: name, rows, tried, chosen, runner_up } => {
            let what = metric(name).replace("{}", &rows.to_string());
            let mut text = format!("{name} table, {what}; {tried} asked: {}", tuned(chosen));
            if let (Some(best), Some(next)) = (chosen, runner_up) {
                let tie = if best.distance == next.distance {
                    "; equally near: of these the faster in the table wins, else the one that rocBLAS's sort leaves first"
                } else {
                    ""
                };
                text.push_str(&format!("; next best: {}{tie}", tuned(runner_up)));
            }
            text
        }
        Step::Trees { tried, chosen } => match chosen {
            Some(index) => format!("decision trees, {tried} solutions asked: {index}"),
            None => format!("decision trees, {tried} solutions asked: nothing"),
        },
        Step::Candidate { solution, failed: Some(failed), .. } => {
            format!("  solution {solution}: fails at {failed}")
        }
        Step::Candidate { solution, distance: Some(distance), .. } => {
            format!("  solution {solution}: can solve it, distance {distance}, the best so far")
        }
        Step::Candidate { solution, .. } => format!("  solution {solution}: can solve it"),
    }
}
