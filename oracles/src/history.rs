//! Writes the table of when libraries first and last named a processor, from the histories of public
//! repositories.

use anyhow::{Context as _, Result, bail};
use rocm_audit::target::PROCESSORS;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where a library's list of processors stands, or stood.
struct ListPlace {
    library: &'static str,
    repository: &'static str,
    paths: &'static [&'static str],
    /// What it means that a processor is named there.
    means: &'static str,
}

const PLACES: &[ListPlace] = &[
    ListPlace {
        library: "ROCr",
        repository: "ROCm/ROCR-Runtime",
        paths: &["src/core/runtime/isa.cpp", "runtime/hsa-runtime/core/runtime/isa.cpp"],
        means: "the runtime's list of processors",
    },
    ListPlace {
        library: "MIOpen",
        repository: "ROCm/MIOpen",
        paths: &["src/target_properties.cpp", "src/solver.cpp", "CMakeLists.txt", "src/hip/handlehip.cpp"],
        means: "MIOpen's properties of targets",
    },
    ListPlace {
        library: "MIOpen databases",
        repository: "ROCm/MIOpen",
        paths: &[],
        means: "databases by name",
    },
    ListPlace {
        library: "Tensile",
        repository: "ROCm/Tensile",
        paths: &[
            "Tensile/Common.py",
            "Tensile/Source/CMakeLists.txt",
            "Tensile/cmake/TensileSupportedArchitectures.cmake",
        ],
        means: "the processors that Tensile compiles for",
    },
    ListPlace {
        library: "Composable Kernel",
        repository: "ROCm/composable_kernel",
        paths: &["include/ck/ck.hpp", "include/ck/config.hpp", "CMakeLists.txt"],
        means: "the processors that it compiles for",
    },
    ListPlace {
        library: "ggml",
        repository: "ggml-org/ggml",
        paths: &["src/ggml-cuda.cu", "src/ggml-cuda", "src/ggml-hip", "CMakeLists.txt"],
        means: "code that names it",
    },
    ListPlace {
        library: "ROCm's notes",
        repository: "ROCm/ROCm",
        paths: &["README.md", "RELEASE.md", "CHANGELOG.md", "docs"],
        means: "release notes and lists of supported GPUs",
    },
    ListPlace {
        library: "TheRock",
        repository: "ROCm/TheRock",
        paths: &["cmake/therock_amdgpu_targets.cmake"],
        means: "the list of families that are built",
    },
];

const HEAD: &str = "# Written by `cargo oracle history`; do not edit. When a file of a library was first and last changed in a line that names a
# processor. Columns: processor, library, first or last, date, commit, repository, where, subject of the commit.
";

/// First and last commit by processor, `date\tcommit\tsubject`. The last comes first in a log.
type Spans = BTreeMap<&'static str, (String, String)>;

pub fn run(arguments: &[String]) -> Result<()> {
    let [folder] = arguments else {
        bail!("history SOURCES: a folder of git repositories, named owner+name")
    };
    let mut rows: Vec<(usize, usize, String)> = Vec::new();
    for (at, place) in PLACES.iter().enumerate() {
        for (processor, (first, last)) in spans(&repository(Path::new(folder), place.repository)?, place)? {
            let rank = PROCESSORS.iter().position(|p| p.name() == processor).unwrap_or_default();
            let mut row = |which: &str, commit: &str| {
                let mut parts = commit.splitn(3, '\t');
                let mut part = || parts.next().unwrap_or_default();
                let (date, hash, subject) = (part(), part(), part());
                let columns =
                    [processor, place.library, which, date, hash, place.repository, place.means, subject];
                rows.push((rank, at, columns.join("\t")));
            };
            row("first", &first);
            if first != last {
                row("last", &last);
            }
        }
        println!("{}", place.library);
    }
    rows.sort_by_key(|(rank, at, _)| (*rank, *at));
    let mut table = HEAD.to_owned();
    for (_, _, row) in rows {
        table.push_str(&row);
        table.push('\n');
    }
    std::fs::write("crates/rocm-audit-engines/src/history.tsv", table)?;
    Ok(())
}

/// One walk through a history for all processors.
fn spans(repository: &Path, place: &ListPlace) -> Result<Spans> {
    let mut git = Command::new("git");
    git.arg("-C").arg(repository).args([
        "log",
        "--no-merges",
        "--no-renames",
        "--abbrev=12",
        "--format=%x01%cs%x09%h%x09%s",
    ]);
    if place.paths.is_empty() {
        git.args(["--name-only", "--", "src/kernels"]);
    } else {
        git.args(["-p", "-U0", "-G", "gfx[0-9a-f]{3,4}", "--"]).args(place.paths);
    }
    // Blobs that a partial copy lacks end the log early; what came before them counts.
    let output = git.output().context("git cannot be run")?;
    let word = regex::Regex::new(r"gfx[0-9]{1,2}[0-9a-f]{2}")?;
    let mut spans = Spans::new();
    let mut commit = String::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some(head) = line.strip_prefix('\u{1}') {
            commit = head.to_owned();
            continue;
        }
        let changes = line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---");
        let names = if place.paths.is_empty() {
            // `gfx90a68.kdb`: the number of compute units stands behind the name, at once or after `_`.
            line.rsplit('/').next().filter(|name| name.contains("db")).unwrap_or_default()
        } else if changes {
            line
        } else {
            ""
        };
        for found in word.find_iter(names) {
            let known = PROCESSORS.iter().map(|p| p.name()).filter(|name| found.as_str().starts_with(name));
            let longest = if place.paths.is_empty() {
                known.max_by_key(|n| n.len())
            } else {
                known.filter(|n| *n == found.as_str()).max()
            };
            let Some(name) = longest else { continue };
            let span = spans.entry(name).or_insert_with(|| (commit.clone(), commit.clone()));
            span.0.clone_from(&commit);
        }
    }
    Ok(spans)
}

pub(crate) fn repository(folder: &Path, name: &str) -> Result<PathBuf> {
    let own = folder.join(name.replace('/', "+"));
    let found = [own.join("repo"), own.clone()]
        .into_iter()
        .find(|path| path.join("HEAD").exists() || path.join(".git").exists());
    found.with_context(|| format!("{name} is not in {}", folder.display()))
}
