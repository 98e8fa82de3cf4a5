//! The logic around rocBLAS's choice; each sentence says how it is known.

use crate::engines::tensile::answer::{Front, GemmAnswer};
use crate::engines::tensile::gemv;
use crate::engines::tensile::standing::SolutionStanding;
use crate::report::v1::{Evidence, Statement};

fn say(about: &str, text: impl Into<String>, evidence: Evidence) -> Statement {
    Statement { about: about.to_owned(), text: text.into(), evidence }
}

/// The statements that apply to this call.
pub(super) fn gemm_statements(answer: &GemmAnswer) -> Vec<Statement> {
    let mut all = Vec::new();
    all.extend(standing(answer));
    if answer.quick_return {
        let text = "there is nothing to compute, so rocBLAS returns before it asks Tensile; the launches are those that \
                    the solution would need";
        all.push(say("quick return", text, Evidence::Code));
    }
    if answer.gemv {
        let text = "from 5.0 on, the functions with _ex take a product in place of one row or one column for a product of a \
                    matrix and a vector, on targets and with leading dimensions for which that is known to be faster";
        all.push(say("vector", text, Evidence::StandIn));
    }
    all.extend(several_targets(answer));
    all.push(hipblaslt(answer));
    all.extend(closing(answer));
    all
}

/// Why another solution than the chosen one is not it.
fn standing(answer: &GemmAnswer) -> Option<Statement> {
    let (index, standing) = answer.standing.as_ref()?;
    let about = format!("solution {index}");
    let text = match standing {
        _ if answer.solution == Some(*index) => "it is the one that was chosen".to_owned(),
        SolutionStanding::Absent => format!(
            "no catalog that {} opens here has it; its numbers are those behind \"solution\", not rocBLAS's solution indices",
            answer.target.processor
        ),
        SolutionStanding::Elsewhere { catalog, kernel } => format!(
            "stands in {catalog}, which is for other types, transpositions or sizes: this call never opens it. Kernel {kernel}"
        ),
        SolutionStanding::Refused { catalog, kernel, predicate } => {
            format!(
                "stands in {catalog}, and cannot solve this call: {predicate} does not hold. Kernel {kernel}"
            )
        }
        SolutionStanding::Able { catalog, kernel, nearest } => {
            let place = match (nearest, answer.distance) {
                (Some(row), Some(chosen)) if row.distance == chosen => format!(
                    "its nearest row was tuned for {}, as near as that of the chosen one (distance {chosen}): of rows equally \
                     near the faster in the table wins, else the one that rocBLAS's sort leaves first",
                    row.size
                ),
                (Some(row), Some(chosen)) => format!(
                    "its nearest row was tuned for {}, distance {}; the chosen one has distance {chosen}",
                    row.size, row.distance
                ),
                (Some(row), None) => {
                    format!("its nearest row was tuned for {}, distance {}", row.size, row.distance)
                }
                (None, _) => "no row of a table that the call reaches names it".to_owned(),
            };
            format!("stands in {catalog}, and could solve this call: {place}. Kernel {kernel}")
        }
    };
    Some(say(&about, text, Evidence::Code))
}

fn several_targets(answer: &GemmAnswer) -> Option<Statement> {
    let others = answer.other_targets;
    // Who gets fallback kernels anyway loses nothing beside another device.
    if !answer.has_own_catalogs {
        return None;
    }
    let text = format!(
        "the folder serves {others} other targets; in a process whose first device is one of those, {} gets fallback \
         kernels only, since one master catalog is read for all devices",
        answer.target.processor
    );
    (others > 0).then(|| say("several GPUs", text, Evidence::StandIn))
}

/// Whether rocBLAS asks hipBLASLt before these catalogs.
fn hipblaslt(answer: &GemmAnswer) -> Statement {
    let Some(host) = &answer.host else {
        let text = "no librocblas.so was found near these catalogs, so whether it asks hipBLASLt first is not known; it is \
                    assumed that it does not";
        return say("hipBLASLt", text, Evidence::Inferred);
    };
    let name = host.path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let built = format!("{name} has the text ROCBLAS_USE_HIPBLASLT, so it was built with hipBLASLt");
    let text = match (&answer.front, host.asks_hipblaslt) {
        (_, false) => {
            format!(
                "{name} has no text ROCBLAS_USE_HIPBLASLT: it was built without hipBLASLt and never asks it"
            )
        }
        (Some(Front::Answers { solution, kernel, others }), _) => {
            let open = match others {
                0 => String::new(),
                others => format!(" (or one of {others} others: no table decides)"),
            };
            format!(
                "{built}, and asks it first on {}: its solution {solution}{open} answers, with the kernel {kernel}. What is said \
                 above is what rocBLAS does with ROCBLAS_USE_HIPBLASLT=0, or where hipBLASLt fails",
                answer.target.processor
            )
        }
        (Some(Front::Declines(why)), _) => format!(
            "{built}, and asks it first on {}, which has no algorithm: {why}. rocBLAS warns once and does what is said above",
            answer.target.processor
        ),
        (None, _) if answer.version().is_some_and(|own| own >= gemv::SINCE) => format!(
            "{built}. Releases 5.0 to 5.2 ask it first on gfx1200 and gfx1201, and on gfx950 for inputs of less than four bytes, \
             but for batches by pointers, and not for this call unless ROCBLAS_USE_HIPBLASLT=1; later releases have other lists \
             (select matmul says what hipBLASLt then chooses)"
        ),
        (None, _) => format!(
            "{built}. Release 6.4 asks it first on gfx1200 and gfx1201, but for batches by pointers, and not for this call unless \
             ROCBLAS_USE_HIPBLASLT=1; later releases do so on more targets (select matmul says what hipBLASLt then chooses)"
        ),
    };
    say("hipBLASLt", text, Evidence::Observed)
}

fn closing(answer: &GemmAnswer) -> [Statement; 3] {
    let first = format!(
        "rocBLAS begins with the first that exists of TensileLibrary_lazy_{0}.dat, TensileLibrary_{0}.dat and \
         TensileLibrary.dat; if this folder has a folder {0}, it looks there",
        answer.target.processor
    );
    let assumed = format!(
        "the first call of a process; {} bytes of workspace (what other routines needed before can make it more); no \
         environment that overrides the choice (ROCBLAS_TENSILE_LIBPATH, ROCBLAS_TENSILE_GEMM_OVERRIDE_PATH, TENSILE_*)",
        answer.call.workspace
    );
    let release = if answer.version().is_some_and(|own| own >= gemv::SINCE) { "7.2" } else { "6.4" };
    let known = format!(
        "catalogs and files are read in this install; how rocBLAS {release} chooses among them is read in its source, and \
         compared with the library itself on a stand-in for the HIP runtime. Predicted, not observed on a GPU"
    );
    [
        say("master catalog", first, Evidence::Code),
        say("assumed", assumed, Evidence::Inferred),
        say("known", known, Evidence::Code),
    ]
}
