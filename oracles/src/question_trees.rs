//! Trees for the problems of `cargo oracle questions`: real packages with the damage that the problem's
//! thread describes, and what `explain` decides on them.
//!
//! `--quick` leaves out most catalogs of library folders unless the problem is about them; ids (D012) select
//! problems.
//!
//! A tree is a folder of hard links to unpacked packages below PACKAGES (`deb/NAME`, `whl/NAME`,
//! `wheels/FILE.whl`) and to wheels in further folders. Links are removed and recreated, never written
//! through.

use anyhow::{Context as _, Result, bail};
use rocm_audit::answers::explain::on_files;
use rocm_audit::messages::recognise::recognise;
use rocm_audit::report::explain;
use rocm_audit::report::v1::TreeVerdict;
use rocm_audit::target::TargetId;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// One change to a tree. Names are ends of paths below it.
enum Change {
    /// Removes every file whose name contains this text.
    Remove(&'static str),
    /// Removes every file below `library` folders whose name lacks this text.
    KeepInLibrary(&'static str),
    /// Adds another link to every file whose name contains the first text, with the second in its place.
    Alias(&'static str, &'static str),
    /// Adds a symbolic link with the second name next to the file that ends with the first.
    Link(&'static str, &'static str),
    /// Renames files whose name contains the first text.
    Rename(&'static str, &'static str),
    /// Adds a text file next to the file that ends with the first.
    Write(&'static str, &'static str, &'static str),
    /// Adds another copy, one byte longer, of the file that ends with this, in its own folder.
    SecondCopy(&'static str),
    /// Changes the release in the header of MES firmware whose name begins with this.
    Mes(&'static str, u32),
    /// Moves everything below a folder with this name.
    Into(&'static str),
}
use Change::{Alias, Into, KeepInLibrary, Link, Mes, Remove, Rename, SecondCopy, Write};

/// A tree, and the expected decision on it.
struct Recipe {
    /// Id of the problem.
    id: &'static str,
    packages: &'static [&'static str],
    changes: &'static [Change],
    targets: &'static [&'static str],
    /// The text to explain; if empty, the messages of the problem.
    text: &'static str,
    verdict: TreeVerdict,
    /// The expected cause; if empty, one of the problem's.
    cause: &'static str,
}

const GGML: &str = "deb/libggml0-backend-hip";
const RB4: &str = "deb/librocblas4";
const RB0: &str = "deb/librocblas0";
const LT: &str = "deb/libhipblaslt1";
const HIP: &str = "deb/libamdhip64-6";
const HSA: &str = "deb/libhsa-runtime64-1";
const MIOPEN: &str = "deb/libmiopen1";
const FW: &str = "deb/firmware-amd-graphics";
const DEVLIBS: &str = "deb/rocm-device-libs-21";
const SPFFT: &str = "deb/libspfft1";
const BNB49: &str = "whl/bitsandbytes-0.49.0-manylinux_2_24_x86_64";
const BNB50W: &str = "whl/bitsandbytes-0.50.0-win_amd64";
const BNB502: &str = "wheels/bitsandbytes-0.50.2-py3-none-manylinux_2_24_x86_64.whl";
const TF: &str = "tensorflow_rocm-2.14.0.600-cp311-cp311-manylinux2014_x86_64.whl";

const FUNCTION: &str = "HIP error: invalid device function";
const NO_DAT: &str =
    "rocBLAS error: Cannot read /x/rocblas/library/TensileLibrary.dat: No such file or directory";
const LT_DAT: &str = "rocblaslt error: Cannot read /x/hipblaslt/library/TensileLibrary_lazy_gfx1030.dat";

macro_rules! recipes {
    ($($id:literal $packages:tt $changes:tt $targets:tt $text:tt $verdict:ident $cause:literal)*) => {
        const RECIPES: &[Recipe] = &[$(Recipe {
            id: $id,
            packages: &$packages,
            changes: &$changes,
            targets: &$targets,
            text: $text,
            verdict: TreeVerdict::$verdict,
            cause: $cause,
        }),*];
    };
}

recipes! {
    // The program has its own list; its libraries have no code.
    "D007" [TF] [] ["gfx1100"] "" Confirmed ""
    "D008" [TF] [] ["gfx1030"] "" Confirmed ""
    "D010" [TF] [] ["gfx1102"] "" Confirmed ""
    "D101" [TF] [] ["gfx1010"] "" Confirmed ""
    "D102" [TF] [] ["gfx803"] "" Confirmed ""
    "D012" [GGML] [] ["gfx1201"] "" Confirmed ""
    "D013" [BNB50W] [] ["gfx1103"] "" Confirmed ""
    "D014" [GGML] [] ["gfx1151"] "" Confirmed ""
    "D039" [GGML] [] ["gfx942"] "" Confirmed ""
    "D040" [BNB49] [] ["gfx1010"] "" Confirmed ""
    "D041" [GGML] [] ["gfx1031"] "" Confirmed ""
    "D044" [BNB49] [Remove("rocm63"), Remove("rocm64"), Remove("rocm7"), Remove("cuda")] ["gfx1151"] "" Confirmed ""
    "D048" [BNB49] [] ["gfx1031"] "" Confirmed ""
    "D049" [GGML] [] ["gfx1032"] "" Confirmed ""
    "D050" [BNB50W] [Remove("rocm714"), Remove("rocm715"), Remove("cuda")] ["gfx1152"] "" Confirmed ""
    "D052" [SPFFT] [] ["gfx1150"] "" Confirmed ""
    "D055" [BNB49] [Remove("rocm7"), Remove("rocm64")] ["gfx1151"] "" Confirmed ""
    "D098" [GGML] [] ["gfx1012"] "" Confirmed ""
    "D100" [BNB49] [] ["gfx1010"] "" Confirmed ""
    "D104" [GGML] [] ["gfx1012"] "" Confirmed ""
    "D106" [GGML] [] ["gfx902"] "" Confirmed ""
    "D109" [RB4] [] ["gfx1013"] "" Confirmed ""
    "D110" [GGML] [] ["gfx1152"] "" Confirmed ""
    "D127" [GGML] [] ["gfx1103"] "" Confirmed ""
    "D149" [GGML] [] ["gfx1032"] "" Confirmed ""
    "D182" [GGML] [] ["gfx1200"] "" Confirmed ""
    "D184" [GGML] [] ["gfx1103"] "" Confirmed ""
    "D185" [BNB49] [] ["gfx1103", "gfx1036"] "" Confirmed ""
    // A second GPU.
    "D094" [GGML] [] ["gfx1100", "gfx1036"] "" Confirmed "SYS-MULTI-ARCH"
    "D096" [RB4] [] ["gfx1100", "gfx1036"] NO_DAT Confirmed "SYS-MULTI-ARCH"
    "D097" [GGML] [] ["gfx1030", "gfx1036"] "" Confirmed "SYS-MULTI-ARCH"
    "D167" [RB4, GGML] [] ["gfx1036"] "" Confirmed ""
    // The files are in order.
    "D041" [GGML] [] ["gfx1030"] FUNCTION NotTheFiles "SYS-MULTI-ARCH"
    "D037" [LT] [] ["gfx1100"] "" NotTheFiles ""
    "D077" [HIP] [] [] "libamdhip64.so.6: cannot open shared object file" NotTheFiles ""
    "D170" [RB4] [] ["gfx1100"] "" NotTheFiles ""
    "D176" [RB4] [] ["gfx906", "gfx1030"] "" NotDecided ""
    // The path; the runtime; libraries.
    "D125" [GGML] [Into("my venv")] ["gfx906"] "" Confirmed "PATH-SPACE"
    "D126" [GGML] [Into("a b")] ["gfx90a"] "" Confirmed "PATH-SPACE"
    "D076" [HIP] [] [] "" Confirmed ""
    "D078" [GGML] [] [] "" Confirmed ""
    "D118" [GGML, HIP] [SecondCopy("libamdhip64.so.6.4.43484")] ["gfx1100"] "" Confirmed "RT-MIX"
    "D186" [RB4, HIP] [Rename("libamdhip64.so.6.4.43484", "libamdhip64.so.6.1.40093")] ["gfx1100"] "" Confirmed ""
    "D187" [RB4, HIP] [Rename("libamdhip64.so.6.4.43484", "libamdhip64.so.6.1.40093")] ["gfx908"] "" Confirmed ""
    "D189" [BNB502] [] [] "" Confirmed ""
    "D129" [DEVLIBS] [] ["gfx1100"] "" Confirmed ""
    "D135" [DEVLIBS] [] ["gfx1151"] "" Confirmed ""
    // hipBLASLt.
    "D029" [LT] [] ["gfx950"] "" Confirmed ""
    "D031" [LT] [] ["gfx1030"] LT_DAT Confirmed ""
    "D032" [LT] [Remove("gfx1201")] ["gfx1201"] "" Confirmed ""
    "D033" [LT] [Remove("gfx1200")] ["gfx1200"] "" Confirmed ""
    "D038" [LT] [] ["gfx1030"] "" Confirmed ""
    "D112" [LT] [] ["gfx1030"] "" Confirmed ""
    // rocBLAS.
    "D136" [RB4] [Remove("TensileLibrary"), Remove("Kernels.so-")] ["gfx1100"] "" Confirmed "RB-EMPTY"
    "D168" [RB4] [Remove("TensileLibrary"), Remove("Kernels.so-")] ["gfx1010"] "" Confirmed "RB-EMPTY"
    "D137" [RB4] [KeepInLibrary("gfx1030")] ["gfx1150"] "" Confirmed ""
    "D138" [RB4] [] ["gfx1103"] "amdgpu is not supported (supported types:[gfx1100])" Confirmed ""
    "D139" [RB4] [] ["gfx1031"] "" Confirmed ""
    "D145" [RB4] [] ["gfx1103"] "" Confirmed ""
    "D147" [RB4, GGML] [] ["gfx1036"] "" Confirmed ""
    "D151" [RB4] [] ["gfx1103"] NO_DAT Confirmed ""
    "D156" [RB4] [Remove("lazy_gfx1010"), Link("TensileLibrary_lazy_gfx1030.dat", "TensileLibrary_lazy_gfx1010.dat")]
        ["gfx1010"] "" Confirmed ""
    "D155" [RB4] [Remove("gfx1010."), Alias("gfx1030", "gfx1010")] ["gfx1010"]
        "Error: The program ISA amdgcn-amd-amdhsa--gfx1030 is not compatible with the device ISA amdgcn-amd-amdhsa--gfx1010"
        Confirmed "RB-ALIEN-ALIAS"
    "D157" [RB4] [] ["gfx1201"] "" Confirmed ""
    "D158" [RB4] [Remove("lazy_gfx1010")] ["gfx1010"] NO_DAT Confirmed ""
    "D160" [RB4] [Remove("gfx906")] ["gfx906"] "" Confirmed ""
    "D161" [RB4] [] ["gfx1031"] NO_DAT Confirmed ""
    "D162" [RB4] [] ["gfx1011"] "" Confirmed ""
    "D163" [RB4] [Remove("gfx1101")] ["gfx1101"] "" Confirmed ""
    "D164" [RB4] [] ["gfx1103"] NO_DAT Confirmed ""
    "D165" [RB4] [] ["gfx90c"] NO_DAT Confirmed ""
    "D166" [RB4] [] ["gfx1103"] "" Confirmed ""
    "D169" [RB4] [] ["gfx1103"] "HIPBLAS_STATUS_UNKNOWN" Confirmed ""
    "D171" [RB4] [Remove("Type_HH_Contraction_l_Ailk_Bljk_Cijk_Dijk_fallback_gfx803.hsaco")] ["gfx803"] "" Confirmed "RB-DANGLING"
    "D173" [RB4] [Remove("Type_HH_Contraction_l_Ailk_Bljk_Cijk_Dijk_fallback_gfx1100.hsaco")] ["gfx1100"] "" Confirmed "RB-DANGLING"
    "D174" [RB4] [Remove("Type_HH_Contraction_l_Alik_Bljk_Cijk_Dijk_gfx1030.co")] ["gfx1030"] "" Confirmed "RB-DANGLING"
    "D175" [RB4] [Remove("Type_SS_Contraction_l_Ailk_Bljk_Cijk_Dijk_gfx906.co")] ["gfx906"] "" Confirmed "RB-DANGLING"
    "D172" [RB4] [Write("TensileLibrary_lazy_gfx1030.dat", "TensileManifest.txt", "library/TensileLibrary_lazy_gfx1033.dat\n")]
        ["gfx1030"] "" Confirmed ""
    "D179" [RB4, RB0] [Remove("librocblas.so.0"), Rename("lazy_gfx1103", "x")] ["gfx1100"]
        "rocBLAS error: Could not load /x/rocblas/library/TensileLibrary_lazy_gfx1100.dat" Confirmed ""
    // MIOpen, firmware.
    "D080" [MIOPEN, SPFFT] [Rename("libspfft.so.1.1.1", "libMIOpenCKGroupedConv_gfx1151.so.1.0")] ["gfx1151"]
        "CK grouped conv library not found for device gfx1151: libMIOpenCKGroupedConv_gfx1151.so: cannot open shared object file"
        Confirmed ""
    "D081" [MIOPEN] [] ["gfx90c"] "" Confirmed ""
    "D082" [MIOPEN] [] ["gfx1201"] "" Confirmed ""
    "D088" [MIOPEN] [] ["gfx1030"] "" Confirmed ""
    "D089" [MIOPEN] [] ["gfx90a"] "" Confirmed ""
    "D090" [MIOPEN] [] ["gfx1030"] "" Confirmed ""
    "D093" [MIOPEN] [] ["gfx1030"] "" Confirmed ""
    "D067" [FW] [Mes("gc_11_5_0_mes", 0x83)] ["gfx1150"] "" Confirmed ""
    "D070" [FW] [Mes("gc_11_5_1_mes", 0x83)] ["gfx1151"] "" Confirmed ""
    "D194" [HSA, GGML] [] ["gfx1100"] FUNCTION NotTheFiles "SYS-MULTI-ARCH"
}

/// Builds each tree, asks, and prints the share of correct decisions.
///
/// # Errors
///
/// If a file cannot be read or a tree cannot be built.
pub fn run(problems: &[Value], folders: &[String]) -> Result<()> {
    let (mut right, mut all, mut skipped) = (0u32, 0u32, 0u32);
    let (quick, folders): (Vec<&String>, Vec<&String>) = folders.iter().partition(|word| *word == "--quick");
    let (only, folders): (Vec<&String>, Vec<&String>) =
        folders.into_iter().partition(|word| word.starts_with("D"));
    for recipe in RECIPES.iter().filter(|recipe| only.is_empty() || only.iter().any(|id| *id == recipe.id)) {
        let Some(problem) = problems.iter().find(|problem| problem["id"] == recipe.id) else { continue };
        let Some(packages) = located(recipe.packages, &folders) else {
            skipped += 1;
            continue;
        };
        let tree = tempfile::tempdir()?;
        let root = build(recipe, &packages, tree.path(), !quick.is_empty())?;
        let text = match recipe.text {
            "" => messages(problem),
            text => text.to_owned(),
        };
        let targets: Option<Vec<TargetId>> =
            recipe.targets.iter().map(|target| TargetId::parse(target)).collect();
        let Some(targets) = targets else { bail!("{}: no target", recipe.id) };
        let began = Instant::now();
        let log = recognise(text.as_bytes());
        let report = explain::messages(&log, on_files(&log, &[root], &targets)?);
        let first = report.rules.first().cloned().unwrap_or_default();
        let verdict = report.tree.as_ref().map(|tree| tree.verdict);
        let expected: Vec<&str> = match recipe.cause {
            "" => problem["rules"].as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
            cause => vec![cause],
        };
        let is_right = verdict == Some(recipe.verdict) && expected.contains(&first.as_str());
        all += 1;
        right += u32::from(is_right);
        println!(
            "{}  {}  {:5.1} s  {first}  {:?}",
            recipe.id,
            if is_right { "right" } else { "WRONG" },
            began.elapsed().as_secs_f64(),
            recipe.targets
        );
        if !is_right {
            let because = report.tree.map(|tree| tree.because).unwrap_or_default();
            println!("        {verdict:?} for {:?}, {}: {because}", recipe.verdict, expected.join(" "));
        }
    }
    let percent = f64::from(right) * 100.0 / f64::from(all.max(1));
    println!(
        "{percent:5.1} %  {right:4} of {all:4}  trees decided rightly; {skipped} without their packages"
    );
    Ok(())
}

/// The text of a problem's messages.
fn messages(problem: &Value) -> String {
    let errors = problem["errors"].as_array().into_iter().flatten();
    let texts = errors.filter(|error| error["kind"] == "message").filter_map(|error| error["text"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// The paths of the packages; `None` if one is missing.
fn located(packages: &[&str], folders: &[&String]) -> Option<Vec<PathBuf>> {
    let place =
        |name: &&str| folders.iter().map(|folder| Path::new(folder).join(name)).find(|path| path.exists());
    packages.iter().map(place).collect()
}

/// All files below a folder.
fn files(folder: &Path, all: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() && !path.is_symlink() { files(&path, all)? } else { all.push(path) }
    }
    Ok(())
}

#[cfg(unix)]
fn symbolic(to: &Path, link: &Path) -> Result<()> {
    Ok(std::os::unix::fs::symlink(to, link)?)
}

#[cfg(not(unix))]
fn symbolic(_: &Path, link: &Path) -> Result<()> {
    bail!("{}: trees with links are made on Unix only", link.display())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Problems about whole library folders, which `--quick` must not thin out.
const WHOLE: [&str; 8] = ["D155", "D171", "D172", "D173", "D174", "D175", "D176", "D179"];

/// Builds a tree and returns the path of its root.
fn build(recipe: &Recipe, packages: &[PathBuf], folder: &Path, quick: bool) -> Result<PathBuf> {
    let whole = !quick || WHOLE.contains(&recipe.id);
    let into =
        recipe.changes.iter().find_map(|change| if let Into(name) = change { Some(*name) } else { None });
    let root = folder.join(into.unwrap_or("tree"));
    for package in packages {
        let mut all = Vec::new();
        if package.is_dir() {
            files(package, &mut all)?
        } else {
            all.push(package.clone())
        }
        let is_wanted = |path: &PathBuf| {
            let in_library = path.parent().is_some_and(|parent| parent.ends_with("library"));
            whole
                || !in_library
                || ["_lazy_", "Kernels.so", "_Type_HH_Contraction_l_Ailk_Bljk"]
                    .iter()
                    .any(|part| name(path).contains(part))
        };
        for path in all.into_iter().filter(is_wanted) {
            let below = path.strip_prefix(package).ok().filter(|below| *below != Path::new(""));
            let to = root.join(below.map_or_else(|| PathBuf::from(name(&path)), Path::to_path_buf));
            fs::create_dir_all(to.parent().unwrap_or(&root))?;
            if path.is_symlink() {
                let _ = symbolic(&fs::read_link(&path)?, &to);
            } else if !to.exists() {
                fs::hard_link(&path, &to).with_context(|| format!("{}: same file system?", to.display()))?;
            }
        }
    }
    for change in recipe.changes {
        apply(change, &root)?;
    }
    Ok(folder.to_path_buf())
}

fn apply(change: &Change, root: &Path) -> Result<()> {
    let mut all = Vec::new();
    files(root, &mut all)?;
    let having = |text: &str| -> Vec<PathBuf> {
        all.iter().filter(|path| name(path).contains(text)).cloned().collect()
    };
    let one = |end: &str| {
        let found = all.iter().find(|path| name(path).ends_with(end)).cloned();
        found.with_context(|| format!("no file {end}"))
    };
    match change {
        Into(_) => {}
        Remove(text) => having(text).iter().try_for_each(fs::remove_file)?,
        KeepInLibrary(text) => {
            let in_library =
                |path: &&PathBuf| path.parent().is_some_and(|parent| parent.ends_with("library"));
            let gone = all.iter().filter(in_library).filter(|path| !name(path).contains(text));
            gone.into_iter().try_for_each(fs::remove_file)?;
        }
        Alias(from, to) => {
            for path in having(from) {
                let other = path.with_file_name(name(&path).replace(from, to));
                if !other.exists() {
                    fs::hard_link(&path, other)?;
                }
            }
        }
        Rename(from, to) => {
            for path in having(from) {
                fs::rename(&path, path.with_file_name(name(&path).replace(from, to)))?;
            }
        }
        Link(to, link) => symbolic(Path::new(to), &one(to)?.with_file_name(link))?,
        Write(beside, file, text) => fs::write(one(beside)?.with_file_name(file), text)?,
        SecondCopy(end) => {
            let path = one(end)?;
            let mut bytes = fs::read(&path)?;
            bytes.push(0);
            let other = root.join("other");
            fs::create_dir_all(&other)?;
            fs::write(other.join(name(&path)), bytes)?;
        }
        Mes(begins, release) => {
            for path in having(begins).into_iter().filter(|path| !path.is_symlink()) {
                let mut bytes = fs::read(&path)?;
                let word =
                    bytes.get(0x28..0x2c).and_then(|word| word.try_into().ok()).map(u32::from_le_bytes);
                let at = word.map_or(0, |payload| payload as usize + 0x60);
                let Some(field) = bytes.get_mut(at..at + 4) else { continue };
                field.copy_from_slice(&release.to_le_bytes());
                fs::remove_file(&path)?;
                fs::write(&path, bytes)?;
            }
        }
    }
    Ok(())
}
