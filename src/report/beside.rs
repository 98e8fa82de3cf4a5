//! Copies what several libraries do with one product.

use super::gemm::{call, launch};
use super::matmul::sentence;
use super::v1::{BesideReport, BesideSide, Header, KernelLaunch, ProductTaker, TakenBy, document};
use crate::answers::{Done, InstallChoice};
use crate::engines::tensile::answer::{Front, GemmAnswer};
use crate::engines::tensile::backend::{ASKING, Taker};
use crate::engines::tensile::call::GemmCall;
use crate::engines::tensile::launch::Role;
use crate::engines::tensile::library::INVALID_SIZE;
use crate::engines::tensile::lite::answer::MatmulAnswer;
use crate::engines::tensile::lite::call::MatmulCall;
use crate::finding::Finding;
use crate::target::TargetId;
use std::collections::BTreeSet;

/// The report of a call of rocBLAS.
pub fn gemm_beside(asked: &GemmCall, sides: &[InstallChoice], found: &[Finding]) -> BesideReport {
    let processor = TargetId::parse(&asked.target).map(|target| target.processor).unwrap_or_default();
    let taken = |row: &crate::engines::tensile::backend::BackendOrder| TakenBy {
        release: row.release.to_owned(),
        first: match row.taker(&processor, asked) {
            Taker::HipBlasLt => ProductTaker::Hipblaslt,
            Taker::Catalogs => ProductTaker::Catalogs,
            Taker::Vector => ProductTaker::Vector,
        },
    };
    BesideReport { releases: ASKING.iter().map(taken).collect(), ..beside(call(asked), sides, found) }
}

/// The report of a call of hipBLASLt.
pub fn matmul_beside(asked: &MatmulCall, sides: &[InstallChoice], found: &[Finding]) -> BesideReport {
    beside(asked.words(), sides, found)
}

fn beside(call: String, sides: &[InstallChoice], found: &[Finding]) -> BesideReport {
    let sides: Vec<BesideSide> = sides.iter().map(side).collect();
    let kernels: BTreeSet<&String> = sides.iter().filter_map(|side| side.kernel.as_ref()).collect();
    BesideReport {
        header: Header::from_document(document::SELECT_BESIDE),
        found: super::findings::found(found),
        call,
        kernels: kernels.len() as u64,
        releases: Vec::new(),
        sides,
    }
}

fn side(of: &InstallChoice) -> BesideSide {
    let empty = BesideSide {
        root: of.root.to_string_lossy().into_owned(),
        library: String::new(),
        target: of.target.clone(),
        multiprocessors: of.multiprocessors,
        answer: String::new(),
        answered: false,
        solution: None,
        kernel: None,
        code_object: None,
        launches: Vec::new(),
        status: None,
        workspace_bytes: 0,
    };
    match &of.done {
        Ok(Done::Gemm(answer)) => of_gemm(answer, empty),
        Ok(Done::Matmul(answer)) => of_matmul(answer, empty),
        Err(why) => BesideSide { answer: why.to_string(), ..empty },
    }
}

fn of_gemm(answer: &GemmAnswer, empty: BesideSide) -> BesideSide {
    let version = answer.version().map(|version| format!(" {version}")).unwrap_or_default();
    let launches: Vec<KernelLaunch> = answer.launches.iter().map(launch).collect();
    let vector = answer.launches.iter().find(|launch| answer.gemv && launch.role == Role::Main);
    let does = match (answer.quick_return, answer.gemv, answer.status) {
        (true, ..) => "returns at once: there is nothing to do".to_owned(),
        (_, true, _) => "a kernel of rocBLAS's own for a matrix and a vector".to_owned(),
        (.., INVALID_SIZE) => "rocblas_status_invalid_size".to_owned(),
        (.., 0) if answer.fallback => "a fallback kernel for every target".to_owned(),
        (.., 0) => "a kernel tuned for this target".to_owned(),
        (.., status) if answer.solution.is_some() => format!("the call fails with rocblas_status {status}"),
        (.., status) => format!("no solution: rocblas_status {status}"),
    };
    let front = match &answer.front {
        Some(Front::Answers { solution, .. }) => {
            format!("hipBLASLt is asked first and answers with its solution {solution}; without it ")
        }
        Some(Front::Declines(_)) => "hipBLASLt is asked first and has no algorithm; ".to_owned(),
        None => String::new(),
    };
    BesideSide {
        library: format!("rocBLAS{version}"),
        answer: front + &does,
        answered: true,
        solution: answer.solution,
        kernel: answer.kernel.clone().or_else(|| vector.map(|launch| launch.kernel.to_string())),
        code_object: answer.code_object.clone().or_else(|| answer.loaded_from.clone()),
        launches,
        status: Some(answer.status),
        workspace_bytes: answer.workspace_bytes,
        ..empty
    }
}

fn of_matmul(answer: &MatmulAnswer, empty: BesideSide) -> BesideSide {
    let first = answer.algorithms.first();
    let release = answer.release.library().and_then(|library| library.release.clone());
    BesideSide {
        library: release.unwrap_or_else(|| "hipBLASLt".to_owned()),
        answer: sentence(answer),
        answered: true,
        solution: first.map(|first| first.solution),
        kernel: first.map(|first| first.kernel.clone()),
        code_object: answer.code_object.clone(),
        launches: answer.launches.iter().map(launch).collect(),
        status: answer.run_status,
        workspace_bytes: first.map_or(0, |first| first.workspace),
        ..empty
    }
}
