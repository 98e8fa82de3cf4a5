//! Kernel databases: kernels that were built before, in SQLite. MIOpen looks for one by the name of its object
//! file and by all options of its compilation, letter by letter.
//!
//! Source, MIOpen 3.3.0: `src/include/miopen/kern_db.hpp`, `src/binary_cache.cpp:117-165`,
//! `src/include/miopen/filesystem.hpp:191` (the object file has the name of the source and `.o`).

use super::perf_db::{Refused, TableColumns};
use super::problem::ConvolutionProblem;
use amdgpu_object::source::SourceFile;

/// Columns that MIOpen looks for when it opens one (3.3.0, `src/kern_db.cpp:62` and
/// `src/include/miopen/kern_db.hpp:48-56`).
pub const COLUMNS: &[TableColumns] = &[("kern_db", &["kernel_name", "kernel_args", "kernel_blob"])];

/// Kernels of a source file in a database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BuiltKernels {
    /// All of them. None means that MIOpen compiles; with some, their options decide.
    pub all: u64,
    /// Those among whose options are all that were asked for.
    pub alike: u64,
}

/// The kernels that a database has of a source file, and those with these options among theirs.
///
/// # Errors
///
/// As SQLite reports them, or the missing table.
#[cfg(feature = "sqlite")]
pub fn kernels_of(file: &SourceFile, source: &str, options: &[String]) -> Result<BuiltKernels, Refused> {
    use rocm_audit_files::input::sqlite;
    let database = sqlite::open(file, &["kern_db"])?;
    let cannot = |e| Refused::from(format!("SQLite cannot look for kernels: {e}"));
    let mut rows =
        database.prepare("SELECT kernel_args FROM kern_db WHERE kernel_name = ?").map_err(cannot)?;
    let rows = rows.query_map([format!("{source}.o")], |row| row.get::<_, String>(0)).map_err(cannot)?;
    let mut built = BuiltKernels::default();
    for row in rows {
        let row = row.map_err(cannot)?;
        built.all += 1;
        built.alike += u64::from(options.iter().all(|option| has_option(&row, option)));
    }
    Ok(built)
}

/// Fails.
///
/// # Errors
///
/// Always, since SQLite is not built in.
#[cfg(not(feature = "sqlite"))]
pub fn kernels_of(_: &SourceFile, _: &str, _: &[String]) -> Result<BuiltKernels, Refused> {
    Err("a database in SQLite is not read: built without the feature `sqlite`".into())
}

/// Solvers whose options have each parameter by its name, and the batch (`-Wa,-defsym,k_mult=16`).
const BY_NAME: [&str; 5] =
    ["ConvAsm1x1U", "ConvAsm1x1UV2", "ConvAsm3x3U", "ConvAsmBwdWrW1x1", "ConvAsmBwdWrW3x3"];

/// Solvers whose parameters are macros of these names, in the order of a perf-db.
const BLOCKS: [&str; 3] =
    ["ConvHipImplicitGemmV4R4Fwd", "ConvHipImplicitGemmV4R4WrW", "ConvHipImplicitGemmBwdDataV1R1"];
const BLOCK_MACROS: [&str; 6] = [
    "BLOCK_SIZE",
    "GEMM_M_PER_BLOCK",
    "GEMM_N_PER_BLOCK",
    "GEMM_K_PER_BLOCK",
    "GEMM_M_PER_THREAD",
    "GEMM_N_PER_THREAD",
];

/// Options that the solver's kernel is compiled with for certain, as far as they are written down here:
/// parameters, by name and value, and the batch. `None` for other solvers; no solver's are all of them.
///
/// Source, MIOpen 3.3.0, `src/solver/conv`: the calls of `GenerateClangDefsym` and the texts of
/// `-DCK_PARAM_TUNABLE_` in `GetSolution`.
pub fn known_options(
    solver: &str,
    problem: &ConvolutionProblem<'_>,
    parameters: &[(&str, &str)],
) -> Option<Vec<String>> {
    if parameters.is_empty() {
        return None;
    }
    if BY_NAME.contains(&solver) {
        let batch = format!("batch_size={}", problem.batch);
        let named = parameters.iter().map(|(name, value)| format!("{name}={value}"));
        return Some(named.chain([batch]).collect());
    }
    let macros = BLOCK_MACROS.iter().zip(parameters);
    let option = |(name, (_, value)): (&&str, &(&str, &str))| format!("CK_PARAM_TUNABLE_{name}={value}");
    BLOCKS.contains(&solver).then(|| macros.map(option).collect())
}

/// Whether a text of options has one, not as a part of a longer name or number.
#[cfg(any(feature = "sqlite", test))]
fn has_option(options: &str, option: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    options.match_indices(option).any(|(at, found)| {
        let before = options.get(..at).unwrap_or_default();
        let behind = options.get(at + found.len()..).unwrap_or_default();
        !before.ends_with(is_word) && !behind.starts_with(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_whole_words() {
        let options = "-Wa,-defsym,k_mult=16 -Wa,-defsym,n_mult=2 -Wa,-defsym,batch_size=32 -mcpu=gfx900";
        assert!(has_option(options, "k_mult=16") && has_option(options, "batch_size=32"));
        for other in ["k_mult=1", "mult=16", "size=32", "batch_size=3", "k_mult=160"] {
            assert!(!has_option(options, other), "{other}");
        }
    }

    #[test]
    fn parameters_are_options_where_their_names_are_known() {
        let key = "64-56-56-1x1-64-56-56-16-0x0-1x1-1x1-0-NCHW-FP32-F";
        let problem = ConvolutionProblem::parse(key).unwrap();
        let of = |solver, parameters: &[(&str, &str)]| known_options(solver, &problem, parameters);
        let asm = ["k_mult=16", "batch_size=16"].map(str::to_owned).to_vec();
        assert_eq!(of("ConvAsm1x1U", &[("k_mult", "16")]), Some(asm));
        let block = vec!["CK_PARAM_TUNABLE_BLOCK_SIZE=256".to_owned()];
        assert_eq!(of("ConvHipImplicitGemmV4R4Fwd", &[("BlockSize", "256")]), Some(block));
        assert_eq!(of("ConvBinWinogradRxSf3x2", &[("n_groups", "64")]), None);
        assert_eq!(of("ConvAsm1x1U", &[]), None);
    }
}
