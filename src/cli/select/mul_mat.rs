//! `rocm-audit select mul-mat`: which of ggml's kernels a product takes, and whether they are there.

use super::route::{self, RouteArgs, size, ty};
use crate::answers::findings::{self, together};
use crate::answers::{Answers, RouteQuestion, TableColumn, rocblas_near};
use crate::cli::exit::Status;
use crate::cli::global::GlobalArgs;
use crate::cli::gpu;
use crate::cli::roots;
use crate::engines::ggml::Query;
use crate::engines::ggml::family;
use crate::engines::ggml::presence::Library;
use crate::engines::ggml::query::{MulMat, MulMatId};
use crate::engines::ggml::rules::Precision;
use crate::engines::ggml::types::Type;
use crate::error::AuditError;
use crate::render::Draw as _;
use crate::target::TargetId;
use crate::{render, report};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = crate::cli::exit::HELP)]
pub(in crate::cli) struct Args {
    /// Type of the weights: f32, f16, q4_K, …
    #[arg(long = "type", value_name = "TYPE", value_parser = ty, required_unless_present_any = ["problems", "table", "families"])]
    ty: Option<Type>,
    /// Columns of the other operand: tokens of a batch
    #[arg(long, value_name = "N", value_parser = size(), required_unless_present_any = ["problems", "table", "families"])]
    ne11: Option<u64>,
    /// Values of a row of the weights
    #[arg(long, value_name = "N", value_parser = size(), default_value = "4096")]
    ne00: u64,
    /// Rows of the weights
    #[arg(long, value_name = "N", value_parser = size(), default_value = "4096")]
    ne01: u64,
    /// Number of experts: the product is MUL_MAT_ID
    #[arg(long, value_name = "N", value_parser = size(), requires = "used")]
    experts: Option<u64>,
    /// Experts that each token uses
    #[arg(long, value_name = "N", value_parser = size(), requires = "experts")]
    used: Option<u64>,
    /// What the graph asks for: sums in F32
    #[arg(long)]
    prec_f32: bool,
    /// The routes of all types by ne11, with the presence of their kernels
    #[arg(long, conflicts_with_all = ["ty", "ne11", "experts", "problems"])]
    table: bool,
    /// How many kernels of each family are there and can run, for all targets
    #[arg(long, conflicts_with_all = ["ty", "ne11", "experts", "problems", "table"])]
    families: bool,
    /// With --table: beside this target
    #[arg(long, value_name = "TARGET", requires = "table", value_parser = gpu::target)]
    vs: Option<TargetId>,
    /// With --table: beside this library
    #[arg(long, value_name = "LIBRARY", requires = "table")]
    vs_library: Option<PathBuf>,
    #[command(flatten)]
    blas: BlasArgs,
    #[command(flatten)]
    common: RouteArgs,
    /// The install whose rocBLAS is asked where the route is BLAS [default: what lies near the library]
    #[arg(value_name = "PATH")]
    blas_path: Option<PathBuf>,
}

// No doc comment, which would become the help of the command: where rocBLAS is that a product may be left to.
#[derive(Debug, Clone, clap::Args)]
struct BlasArgs {
    /// Multiprocessors as HIP counts them, for rocBLAS: compute units, or work group processors on RDNA
    #[arg(long, value_name = "N")]
    cu: Option<u32>,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    let library = route::open(&args.common.library)?;
    if args.families {
        let table = family::table(&library, &|target| global.wants(target));
        let found = findings::of_library(&library);
        let report = report::families(library.file().file.locator().shown(), &table, &found);
        route::write(global, |format, style| render::ggml::families(&report, format, style))?;
        return super::status(global, &found);
    }
    if args.table {
        return table(args, &library, global);
    }
    if let Some(file) = &args.common.problems {
        let unread = route::answer_all(file, &library, args.common.version, global)?;
        return super::status_of_lines(global, &together([findings::of_library(&library), unread]));
    }
    let question = RouteQuestion {
        target: super::target(global, "select")?.clone(),
        query: query(args)?,
        version: args.common.version,
        multiprocessors: args.blas.cu.or_else(|| global.card_multiprocessors()),
    };
    let stack = Answers::open(&rocblas(args.blas_path.as_deref(), &args.common.library)?);
    let answer = stack.route(&library, question)?;
    let found = stack.found([findings::of_route(&answer), findings::of_library(&library)].concat());
    let report = report::route(&answer, &found);
    route::write(global, |format, style| report.draw(format, style))?;
    super::status(global, &found)
}

fn query(args: &Args) -> Result<Query, AuditError> {
    let (Some(ty), Some(ne11)) = (args.ty, args.ne11) else {
        return Err(AuditError::Usage("select mul-mat: name --type and --ne11".into()));
    };
    Ok(match (args.experts, args.used) {
        (Some(experts), Some(used)) => {
            Query::MulMatId(MulMatId { ty, k: args.ne00, n: args.ne01, experts, used, tokens: ne11 })
        }
        _ => {
            let precision = if args.prec_f32 { Precision::F32 } else { Precision::Default };
            Query::MulMat(MulMat { ty, k: args.ne00, n: args.ne01, ne11, precision })
        }
    })
}

fn table(args: &Args, library: &Library, global: &GlobalArgs) -> Result<Status, AuditError> {
    let target = super::target(global, "select")?;
    let other = args.vs_library.as_deref().map(route::open).transpose()?;
    let mut columns = vec![TableColumn::new(library, target, args.common.version)?];
    if args.vs.is_some() || other.is_some() {
        let (library, target) = (other.as_ref().unwrap_or(library), args.vs.as_ref().unwrap_or(target));
        columns.push(TableColumn::new(library, target, args.common.version)?);
    }
    let rows = TableColumn::routes(&columns)?;
    let of_other = other.as_ref().map(findings::of_library).unwrap_or_default();
    let found = together([findings::of_routes(&columns, &rows), findings::of_library(library), of_other]);
    let report = report::route_table(&columns, &rows, &found)?;
    route::write(global, |format, style| render::ggml::table(&report, format, style))?;
    super::status(global, &found)
}

/// Where rocBLAS is: below a path that is named, else near the library, else in the installs of this machine.
fn rocblas(path: Option<&Path>, library: &Path) -> Result<Vec<PathBuf>, AuditError> {
    if let Some(path) = path {
        return roots::resolve(&[path.to_owned()]);
    }
    let near = rocblas_near(library);
    if near.is_empty() { Ok(roots::resolve(&[]).unwrap_or_default()) } else { Ok(near) }
}
