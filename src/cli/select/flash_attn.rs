//! `rocm-audit select flash-attn`: which of ggml's kernels attention takes, and whether they are there.

use super::route::{self, RouteArgs, size, ty};
use crate::answers::findings::{self, together};
use crate::answers::{Answers, RouteQuestion};
use crate::cli::exit::Status;
use crate::cli::global::GlobalArgs;
use crate::engines::ggml::Query;
use crate::engines::ggml::query::FlashAttention;
use crate::engines::ggml::types::Type;
use crate::error::AuditError;
use crate::render::Draw as _;
use crate::report;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = crate::cli::exit::HELP)]
pub(in crate::cli) struct Args {
    /// Type of keys and values
    #[arg(long = "type", value_name = "TYPE", value_parser = ty, default_value = "f16")]
    ty: Type,
    /// Size of a head's key
    #[arg(long, value_name = "N", value_parser = size(), default_value = "128")]
    dk: u64,
    /// Size of a head's value [default: that of the key]
    #[arg(long, value_name = "N", value_parser = size())]
    dv: Option<u64>,
    /// Queries: tokens of a batch
    #[arg(long, value_name = "N", value_parser = size(), required_unless_present = "problems")]
    nq: Option<u64>,
    /// Heads of queries
    #[arg(long, value_name = "N", value_parser = size(), default_value = "32")]
    nh: u64,
    /// Heads of keys and values
    #[arg(long, value_name = "N", value_parser = size(), default_value = "8")]
    nkv: u64,
    /// Keys: tokens in the cache, padded
    #[arg(long, value_name = "N", value_parser = size(), default_value = "1024")]
    kv: u64,
    /// There is no mask
    #[arg(long)]
    no_mask: bool,
    #[command(flatten)]
    common: RouteArgs,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    let library = route::open(&args.common.library)?;
    if let Some(file) = &args.common.problems {
        let unread = route::answer_all(file, &library, args.common.version, global)?;
        return super::status_of_lines(global, &together([findings::of_library(&library), unread]));
    }
    let query = Query::FlashAttention(FlashAttention {
        ty: args.ty,
        dk: args.dk,
        dv: args.dv.unwrap_or(args.dk),
        queries: args.nq.unwrap_or(1),
        heads: args.nh,
        kv_heads: args.nkv,
        keys: args.kv,
        mask: !args.no_mask,
    });
    let target = super::target(global, "select")?.clone();
    let question = RouteQuestion { target, query, version: args.common.version, multiprocessors: None };
    let answer = Answers::open(&[]).route(&library, question)?;
    let found = together([findings::of_route(&answer), findings::of_library(&library)]);
    let report = report::route(&answer, &found);
    route::write(global, |format, style| report.draw(format, style))?;
    super::status(global, &found)
}
