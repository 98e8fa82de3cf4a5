//! `rocm-audit select mul-mat` and `select flash-attn`: which of ggml's kernels a product takes, and whether they are there.

use super::global::{self, GlobalArgs};
use super::{must_exist, roots, select};
use crate::bytes::elf::Elf;
use crate::engines::ggml;
use crate::engines::ggml::presence::{Index, Library};
use crate::engines::ggml::query::{FlashAttention, MulMat, MulMatId};
use crate::engines::ggml::rules::Precision;
use crate::engines::ggml::types;
use crate::engines::ggml::types::Type;
use crate::engines::ggml::{Architecture, Query, Version};
use crate::error::AuditError;
use crate::input::walk;
use crate::input::walk::Kind;
use crate::limits::ELF_HEADERS;
use crate::render::{self, Format};
use crate::report::{self, RocBlas};
use crate::target::TargetId;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What both operations have.
#[derive(Debug, Clone, clap::Args)]
struct Common {
    /// The version of ggml whose rules are asked [default: as the library says]
    #[arg(long, value_name = "VERSION", value_parser = version)]
    version: Option<Version>,
    /// Answer the problems of FILE instead: tab-separated lines with the columns arch and query
    #[arg(long, value_name = "FILE")]
    problems: Option<PathBuf>,
    /// ggml's library for HIP, or a folder below which it is
    library: PathBuf,
}

/// Where rocBLAS is that a product may be left to.
#[derive(Debug, Clone, clap::Args)]
struct BlasArgs {
    /// The install whose rocBLAS is asked where the route is BLAS [default: what lies near the library]
    #[arg(long, value_name = "PATH")]
    root: Option<PathBuf>,
    /// Multiprocessors as HIP counts them, for rocBLAS: compute units, or work group processors on RDNA
    #[arg(long, value_name = "N")]
    cu: Option<u32>,
}

#[derive(Debug, Clone, clap::Args)]
pub(super) struct MulMatArgs {
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
    #[arg(long, value_name = "TARGET", requires = "table", value_parser = global::target)]
    vs: Option<TargetId>,
    /// With --table: beside this library
    #[arg(long, value_name = "LIBRARY", requires = "table")]
    vs_library: Option<PathBuf>,
    #[command(flatten)]
    blas: BlasArgs,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Clone, clap::Args)]
pub(super) struct FlashAttentionArgs {
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
    common: Common,
}

fn ty(text: &str) -> Result<Type, String> {
    types::named(text).map_err(|error| error.to_string())
}

fn version(text: &str) -> Result<Version, String> {
    let known = ggml::rules::rules().map(ggml::rules::Rules::known).unwrap_or_default();
    text.parse().map_err(|error| format!("{error}; known are those of {known}"))
}

/// A dimension: ggml's own 32-bit numbers end there.
fn size() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=i32::MAX as u64)
}

pub(super) fn mul_mat(args: &MulMatArgs, global: &GlobalArgs) -> Result<(), AuditError> {
    let library = open(&args.common.library)?;
    if args.families {
        let wants = |target: &TargetId| global.wants(target);
        let report = report::families(&library, &wants);
        return write(global, |format, style| render::ggml::families(&report, format, style));
    }
    if args.table {
        return table(args, &library, global);
    }
    if let Some(file) = &args.common.problems {
        return problems(file, &library, args.common.version, global);
    }
    let (Some(ty), Some(ne11)) = (args.ty, args.ne11) else {
        return Err(AuditError::Usage("select mul-mat: name --type and --ne11".into()));
    };
    let query = match (args.experts, args.used) {
        (Some(experts), Some(used)) => {
            Query::MulMatId(MulMatId { ty, k: args.ne00, n: args.ne01, experts, used, tokens: ne11 })
        }
        _ => {
            let precision = if args.prec_f32 { Precision::F32 } else { Precision::Default };
            Query::MulMat(MulMat { ty, k: args.ne00, n: args.ne01, ne11, precision })
        }
    };
    one(&query, &library, &args.common, Some(&args.blas), global)
}

pub(super) fn flash_attention(args: &FlashAttentionArgs, global: &GlobalArgs) -> Result<(), AuditError> {
    let library = open(&args.common.library)?;
    if let Some(file) = &args.common.problems {
        return problems(file, &library, args.common.version, global);
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
    one(&query, &library, &args.common, None, global)
}

fn one(
    query: &Query,
    library: &Library,
    common: &Common,
    blas: Option<&BlasArgs>,
    global: &GlobalArgs,
) -> Result<(), AuditError> {
    let arch = arch(global)?;
    let rocblas = match blas {
        Some(args) => RocBlas { folders: rocblas(args, &common.library)?, cus: args.cu },
        None => RocBlas::default(),
    };
    let report = report::route(library, arch, query, common.version, &rocblas)?;
    write(global, |format, style| render::ggml::route(&report, format, style))
}

fn table(args: &MulMatArgs, library: &Library, global: &GlobalArgs) -> Result<(), AuditError> {
    let arch = arch(global)?;
    let other = args.vs_library.as_deref().map(open).transpose()?;
    let mut asked = vec![(library, arch)];
    if args.vs.is_some() || other.is_some() {
        asked.push((other.as_ref().unwrap_or(library), args.vs.as_ref().unwrap_or(arch)));
    }
    let report = report::route_table(&asked, args.common.version)?;
    write(global, |format, style| render::ggml::table(&report, format, style))
}

fn arch(global: &GlobalArgs) -> Result<&TargetId, AuditError> {
    match &global.arch[..] {
        [arch] => Ok(arch),
        _ => Err(AuditError::Usage("select: name one target with --arch".into())),
    }
}

fn write(
    global: &GlobalArgs,
    draw: impl Fn(Format, &render::style::Style) -> String,
) -> Result<(), AuditError> {
    for (destination, format) in global.outputs()? {
        if format == Format::Jsonl {
            let what = "select: lines of JSON are answers to --problems of gemm; use -f json here";
            return Err(AuditError::Usage(what.into()));
        }
        global::write(&destination, &draw(format, &global.style(&destination)))?;
    }
    Ok(())
}

/// The folders of rocBLAS: below a root that is named, else near the library, else in the installs of this machine.
fn rocblas(args: &BlasArgs, library: &Path) -> Result<Vec<PathBuf>, AuditError> {
    if let Some(root) = &args.root {
        return Ok(select::folders(&roots::resolve(std::slice::from_ref(root))?));
    }
    let library = std::path::absolute(library).unwrap_or_else(|_| library.to_owned());
    for folder in library.ancestors().skip(usize::from(library.is_file())).take(FOLDERS) {
        let below = [folder.join("rocblas"), folder.join("lib/rocblas")];
        let below: Vec<PathBuf> = below.into_iter().filter(|folder| folder.is_dir()).collect();
        if !below.is_empty() {
            return Ok(select::folders(&below));
        }
    }
    Ok(roots::resolve(&[]).map(|roots| select::folders(&roots)).unwrap_or_default())
}

/// Folders above the library in which rocBLAS is looked for: plugins lie two below the libraries.
const FOLDERS: usize = 4;

/// Opens ggml's library: the file, or the one of its name below a folder.
fn open(path: &Path) -> Result<Library, AuditError> {
    must_exist(path)?;
    let file = if path.is_dir() { below(path)? } else { path.to_owned() };
    let library = Library::open(&file)?;
    let shown = file.display();
    let targets = library.targets();
    if targets.is_empty() {
        return Err(AuditError::Usage(format!("{shown}: {}", other_backend(&library))));
    }
    let index = targets.iter().find_map(|target| library.index(target));
    match index {
        Some(index) if index.is_ggml() || !index.has_names() => {}
        Some(_) => {
            return Err(AuditError::Usage(format!(
                "{shown}: it has device code for {}, and none of ggml's kernels",
                targets.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
            )));
        }
        None => {
            let stored: Vec<String> = library.not_examined().into_iter().collect();
            let what =
                format!("{shown}: its code objects cannot be looked into (stored as {})", stored.join(", "));
            return Err(AuditError::Usage(what));
        }
    }
    Ok(library)
}

/// Why a file without AMD device code is none of ggml's libraries for HIP.
fn other_backend(library: &Library) -> String {
    let unread = library.file().not_examined();
    if let Some(marker) = &library.file().container.kpack {
        return format!("its device code was moved to kpack archives ({})", marker.search_paths.join(", "));
    }
    if !unread.is_empty() {
        return format!("no device code that can be read: {}", unread.join(", "));
    }
    let bytes = library.file().file.bytes();
    let sections = Elf::open(bytes, 0).ok().and_then(|elf| {
        let sections = elf.sections_up_to(ELF_HEADERS).ok()?;
        let names = sections.iter().find(|section| section.name == b".dynstr");
        let vulkan = names.and_then(|names| elf.section_bytes(names).ok());
        let vulkan = vulkan.is_some_and(|names| memchr::memmem::find(names, b"ggml_backend_vk").is_some());
        let cuda = sections.iter().any(|s| [&b".nv_fatbin"[..], b".nvFatBinSegment"].contains(&s.name));
        Some((cuda, vulkan))
    });
    match sections {
        Some((true, _)) => {
            "no AMD device code, but NVIDIA's: this is a build for CUDA, not for HIP".to_owned()
        }
        Some((_, true)) => "no AMD device code: this is ggml's backend for Vulkan, not for HIP".to_owned(),
        _ => "no AMD device code: this is no library of ggml's for HIP (libggml-hip.so)".to_owned(),
    }
}

/// The library of its name below a folder.
fn below(folder: &Path) -> Result<PathBuf, AuditError> {
    let roots = [folder.to_owned()];
    let entries = walk::walk(&roots, &walk::Options::default()).entries;
    let files = entries.iter().filter(|entry| matches!(entry.kind, Kind::File(_)));
    let named = |entry: &&walk::Entry| {
        let name = entry.name();
        (name.starts_with("libggml-hip") || name.starts_with("libggml-rocm")) && name.contains(".so")
    };
    let found: Vec<&walk::Entry> = files.filter(named).collect();
    match &found[..] {
        [one] => Ok(one.path.clone()),
        [] => Err(AuditError::Usage(format!("no libggml-hip.so was found below {}", folder.display()))),
        several => {
            let paths: Vec<&str> = several.iter().map(|entry| entry.shown.as_str()).collect();
            let what = format!(
                "{} below {}: {}",
                "several libraries of ggml for HIP",
                folder.display(),
                paths.join(", ")
            );
            Err(AuditError::Usage(format!("{what}. Name one")))
        }
    }
}

/// Answers the problems of a file in their order: target, problem, route, mangled name of the main kernel.
fn problems(
    file: &Path,
    library: &Library,
    version: Option<Version>,
    global: &GlobalArgs,
) -> Result<(), AuditError> {
    let text = std::fs::read_to_string(file).map_err(|e| AuditError::io("read", file, e))?;
    let wrong =
        |line: usize, what: &str| AuditError::Usage(format!("{}, line {line}: {what}", file.display()));
    let mut lines = text.lines().enumerate().map(|(number, line)| (number + 1, line));
    let header: Vec<&str> = lines.next().map(|(_, line)| line.split('\t').collect()).unwrap_or_default();
    let column = |name: &str| header.iter().position(|title| *title == name);
    let (Some(arch_at), Some(query_at)) = (column("arch"), column("query")) else {
        return Err(wrong(1, "a header with the columns arch and query is expected, separated by tabs"));
    };
    let version = report::rules_of(library, version)?;
    let mut indices: BTreeMap<String, Option<Index<'_>>> = BTreeMap::new();
    let mut out = "arch\tquery\troute\tmain_kernel_mangled\n".to_owned();
    for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
        let fields: Vec<&str> = line.split('\t').collect();
        let field =
            |at: usize| fields.get(at).copied().ok_or_else(|| wrong(number, "it has too few columns"));
        let (arch, text) = (field(arch_at)?, field(query_at)?);
        let architecture = Architecture::parse(arch).map_err(|e| wrong(number, &e.to_string()))?;
        let query: Query = text.parse().map_err(|e: ggml::query::BadQuery| wrong(number, &e.to_string()))?;
        let answer = ggml::route(&architecture, &query, Some(version)).map_err(|e| wrong(number, e))?;
        let target = TargetId::parse(arch);
        let index = indices.entry(arch.to_owned()).or_insert_with(|| {
            library.index(target.as_ref()?).or_else(|| library.index(library.targets().first()?))
        });
        let symbol = answer.kernel.as_ref().and_then(|kernel| index.as_ref()?.symbol(kernel));
        let symbol = symbol.unwrap_or_default();
        let _ = writeln!(out, "{arch}\t{text}\t{}\t{symbol}", answer.route);
    }
    for (destination, _) in global.outputs()? {
        let mut file = global::open(&destination)?;
        let written = file.write_all(out.as_bytes()).and_then(|()| file.flush());
        written.map_err(|error| AuditError::io("write", destination.path(), error))?;
    }
    Ok(())
}
