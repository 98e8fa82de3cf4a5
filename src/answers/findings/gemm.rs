//! Warnings about an answer from rocBLAS.

use crate::engines::tensile::answer::{GemmAnswer, History};
use crate::engines::tensile::library::INTERNAL_ERROR;
use crate::finding::rules::{answer as rules, tensile};
use crate::finding::{self, Finding};

/// The findings for an answer from rocBLAS, worst first.
pub fn of_gemm(answer: &GemmAnswer) -> Vec<Finding> {
    let mut all = Vec::new();
    let mut add = |rule, detail: String| {
        let target = Some(answer.target.processor.clone());
        all.push(Finding { detail, target, ..Finding::new(rule) });
    };
    if answer.xf32_fell_back {
        add(&rules::XF32_COMPUTED_IN_FLOAT, String::new());
    }
    for launch in answer.launches.iter().filter(|launch| launch.is_cut()) {
        let cut = |items: &u64| u32::try_from(*items).is_err();
        let items = launch.work_items().into_iter().find(cut).unwrap_or_default();
        add(
            &rules::LAUNCH_GRID_CUT,
            format!(
                "{} asks for {items} work items in a dimension; {} are started",
                launch.kernel, items as u32
            ),
        );
    }
    if answer.status == INTERNAL_ERROR {
        let lost = answer.launches.iter().filter(|l| l.file.is_none()).map(|l| l.kernel.as_ref());
        let lost: Vec<&str> = lost.collect();
        add(&rules::SOLUTION_WITHOUT_KERNEL, lost.join(", "));
    }
    if let Some(history) = answer.history {
        add(&tensile::HISTORY, of_history(history));
    }
    finding::sort(&mut all);
    all
}

/// How an earlier call with the same sizes can change the result: the key of rocBLAS's cache of choices
/// includes neither beta nor whether C is D.
fn of_history(history: History) -> String {
    match history {
        History::Spoils => "this solution asks for beta or for C being D, and the cache of choices remembers neither: a \
                            later call of the same sizes with another beta returns rocblas_status_invalid_value (11)"
            .to_owned(),
        History::Spoiled(solution) => format!(
            "a call of the same sizes before this one, with beta 1 and C being D, chooses solution {solution}, and the \
             cache of choices would then hold that for this call too: rocblas_status_invalid_value (11)"
        ),
    }
}
