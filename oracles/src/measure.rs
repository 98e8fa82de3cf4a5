//! Speed and memory on real packages, as ratios against `cat` and the peers on the same files in the same
//! run.
//!
//! The peers are looked for on PATH (`roc-obj-ls`, `llvm-readobj`, `clang-offload-bundler`, `zstd`) and left
//! out where they are not there.

use anyhow::{Context, Result, bail};
use rocm_audit::container::compressed;
use rocm_audit::input::device_file::DeviceFile;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 7;

pub fn run(arguments: &[String]) -> Result<()> {
    let [dest] = arguments else { bail!("name the folder that holds the packages") };
    let deb = Path::new(dest).join("deb");
    let lib = "usr/lib/x86_64-linux-gnu";
    let ggml = vec![deb.join("libggml0-backend-hip").join(lib).join("ggml/backends0/libggml-hip.so")];
    let trees: Vec<PathBuf> =
        ["librocblas4", "libhipblaslt1", "libggml0-backend-hip"].iter().map(|p| deb.join(p)).collect();
    let folder = deb.join("libhipblaslt1").join(lib).join("hipblaslt/library");
    let mut compressed: Vec<PathBuf> = std::fs::read_dir(&folder)
        .with_context(|| folder.display().to_string())?
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| std::fs::read(p).is_ok_and(|b| b.starts_with(b"CCOB")))
        .collect();
    compressed.sort();
    listings(&ggml, &compressed)?;
    let cat = trees_read(&deb, &ggml, &trees)?;
    trees_compared(Path::new(dest))?;
    packages_read(Path::new(dest))?;

    let begin = Instant::now();
    let inflated = inflate(&compressed)?;
    row(&format!("libzstd alone, one thread, {} MB", inflated / 1_000_000), begin.elapsed(), cat);

    println!("peak anonymous memory, MiB");
    for (name, words) in [
        ("rocm-audit", ours(&[], &trees)),
        ("rocm-audit -f jsonl", ours(&["-f", "jsonl"], &trees)),
        ("rocm-audit --verify", ours(&["--verify"], &trees)),
        ("rocm-audit --verify -j 8", ours(&["--verify", "-j", "8"], &trees)),
        ("rocm-audit fatbin", ours(&["fatbin"], &ggml)),
    ] {
        println!("  {name:<42} {:>8}", peak(&words)? / 1024);
    }
    Ok(())
}

/// The program's call with these words on these paths.
fn ours(words: &[&str], paths: &[PathBuf]) -> Vec<String> {
    let audit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/rocm-audit");
    let mut all = vec![audit.to_string_lossy().into_owned()];
    all.extend(words.iter().map(|w| (*w).to_owned()));
    all.extend(paths.iter().map(|p| p.to_string_lossy().into_owned()));
    all
}

/// Listing one large library, and many compressed files.
fn listings(ggml: &[PathBuf], compressed: &[PathBuf]) -> Result<()> {
    println!("listing libggml-hip.so (1,540 entries)");
    let list = time(&ours(&["fatbin", "--list"], ggml))?;
    row("rocm-audit fatbin --list", list, list);
    peer("roc-obj-ls", &[], ggml, list)?;
    peer("llvm-readobj", &["--offloading"], ggml, list)?;

    println!("listing {} compressed hipBLASLt files", compressed.len());
    let list = time(&ours(&["fatbin", "--list"], compressed))?;
    row("rocm-audit fatbin --list", list, list);
    if let Some(bundler) = find("clang-offload-bundler") {
        let script = format!(
            "for f in \"$@\"; do {} --type=o --list --input=\"$f\" >/dev/null; done",
            bundler.display()
        );
        let mut words = vec!["bash".to_owned(), "-c".to_owned(), script, "-".to_owned()];
        words.extend(compressed.iter().map(|p| p.to_string_lossy().into_owned()));
        row("clang-offload-bundler --list, one by one", once(&words)?, list);
    }
    Ok(())
}

/// All kernels of a large library, and audits of whole folders. Gives the time of `cat` on the folders.
fn trees_read(deb: &Path, ggml: &[PathBuf], trees: &[PathBuf]) -> Result<Duration> {
    println!("all kernels of libggml-hip.so (71,840)");
    let cat = time(&cat_words(ggml))?;
    row("cat FILE > /dev/null", cat, cat);
    row("rocm-audit fatbin", time(&ours(&["fatbin"], ggml))?, cat);
    row("rocm-audit fatbin --kernels", time(&ours(&["fatbin", "--kernels"], ggml))?, cat);

    println!("audit of rocBLAS, hipBLASLt and ggml");
    let cat = time(&cat_words(trees))?;
    row("cat of all files", cat, cat);
    row("rocm-audit", time(&ours(&[], trees))?, cat);
    row("rocm-audit -f jsonl", time(&ours(&["-f", "jsonl"], trees))?, cat);
    row("rocm-audit --verify", once(&ours(&["--verify"], trees))?, cat);

    println!("gcc's offload archives, 18,876 members");
    let gcc = vec![deb.join("gcc-16-offload-amdgcn")];
    if gcc.iter().all(|p| p.is_dir()) {
        let own = time(&cat_words(&gcc))?;
        row("cat of all files", own, own);
        row("rocm-audit", time(&ours(&[], &gcc))?, own);
    }
    Ok(cat)
}

/// What comparing two releases of rocBLAS takes beyond their audits, and decoding beyond reading.
fn trees_compared(dest: &Path) -> Result<()> {
    let old = vec![dest.join("deb/librocblas4")];
    let new = vec![dest.join("deb-new/librocblas5")];
    if !new.iter().all(|path| path.is_dir()) {
        return Ok(());
    }
    println!("two releases of rocBLAS, 415,286 kernels");
    let audits = time(&ours(&[], &old))? + time(&ours(&[], &new))?;
    row("rocm-audit, both one after the other", audits, audits);
    row("rocm-audit diff", time(&ours(&["diff"], &[old, new].concat()))?, audits);
    Ok(())
}

/// Whole packages, against unpacking them.
fn packages_read(dest: &Path) -> Result<()> {
    let packages = packages(dest);
    println!("packages, against unpacking all members to /dev/null; peak anonymous memory, MiB");
    for package in &packages {
        let alone = std::slice::from_ref(package);
        let (unpacker, words) = if package.extension().is_some_and(|e| e == "whl") {
            ("unzip", vec!["-p"])
        } else {
            ("dpkg-deb", vec!["--fsys-tarfile"])
        };
        let Some(unpacker) = find(unpacker) else { continue };
        let mut all = vec![unpacker.to_string_lossy().into_owned()];
        all.extend(words.iter().map(|w| (*w).to_owned()));
        all.push(package.to_string_lossy().into_owned());
        let unpacked = few(&all)?;
        let name = package.file_name().unwrap_or_default().to_string_lossy().into_owned();
        row(&format!("{} {}", words.join(" "), name.get(..30).unwrap_or(&name)), unpacked, unpacked);
        for words in [&[][..], &["fatbin"]] {
            let command = ours(words, alone);
            row(&format!("  rocm-audit {}", words.join(" ")), few(&command)?, unpacked);
            println!("  {:<42} {:>8}", "", peak(&command)? / 1024);
        }
    }
    Ok(())
}

/// Wheels and Debian packages that were kept as they came.
fn packages(dest: &Path) -> Vec<PathBuf> {
    let folders =
        ["wheels", "debs"].into_iter().filter_map(|folder| std::fs::read_dir(dest.join(folder)).ok());
    let files = folders.flatten().filter_map(|e| e.ok().map(|e| e.path()));
    let known = |p: &PathBuf| p.extension().is_some_and(|e| e == "whl" || e == "deb");
    let mut all: Vec<PathBuf> = files.filter(known).collect();
    all.sort();
    all
}

/// Median of three runs after one to warm the cache, for what takes long.
fn few(words: &[String]) -> Result<Duration> {
    once(words)?;
    let mut all = (0..3).map(|_| once(words)).collect::<Result<Vec<_>>>()?;
    all.sort();
    Ok(all[1])
}

pub(crate) fn row(name: &str, took: Duration, base: Duration) {
    let ratio = took.as_secs_f64() / base.as_secs_f64();
    println!("  {name:<42} {:>9.1} ms {ratio:>8.2} x", took.as_secs_f64() * 1000.0);
}

fn peer(name: &str, words: &[&str], paths: &[PathBuf], base: Duration) -> Result<()> {
    let Some(program) = find(name) else {
        println!("  {name:<42} not on PATH");
        return Ok(());
    };
    let mut all = vec![program.to_string_lossy().into_owned()];
    all.extend(words.iter().map(|w| (*w).to_owned()));
    all.extend(paths.iter().map(|p| p.to_string_lossy().into_owned()));
    row(&format!("{name} {}", words.join(" ")), time(&all)?, base);
    Ok(())
}

pub(crate) fn find(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|p| p.join(name)).find(|p| p.is_file())
}

pub(crate) fn cat_words(paths: &[PathBuf]) -> Vec<String> {
    let mut words: Vec<String> =
        ["bash", "-c", "find \"$@\" -type f -print0 | xargs -0 cat > /dev/null", "-"]
            .iter()
            .map(|w| (*w).to_owned())
            .collect();
    words.extend(paths.iter().map(|p| p.to_string_lossy().into_owned()));
    words
}

/// Median of several runs after one to warm the cache.
pub(crate) fn time(words: &[String]) -> Result<Duration> {
    once(words)?;
    let mut all = (0..RUNS).map(|_| once(words)).collect::<Result<Vec<_>>>()?;
    all.sort();
    Ok(all[RUNS / 2])
}

pub(crate) fn once(words: &[String]) -> Result<Duration> {
    let begin = Instant::now();
    let status = command(words).status().with_context(|| words[0].clone())?;
    let took = begin.elapsed();
    if !status.success() {
        bail!("{} failed", words.iter().take(3).cloned().collect::<Vec<_>>().join(" "));
    }
    Ok(took)
}

fn command(words: &[String]) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Inflates all bundles of files without looking at them; the number of bytes.
fn inflate(paths: &[PathBuf]) -> Result<u64> {
    let mut all = 0;
    for path in paths {
        let open = DeviceFile::open(path).map_err(|e| anyhow::anyhow!("{e}"))?;
        for bundle in open.container.bundles() {
            let Some(header) = &bundle.storage().packed() else { continue };
            let bytes =
                &open.file.bytes()[bundle.offset() as usize..(bundle.offset() + bundle.span()) as usize];
            let mut stream = compressed::Unpacked::open(bytes, 0, header, false, 0)?;
            stream.skip(header.unpacked())?;
            all += header.unpacked();
        }
    }
    Ok(all)
}

/// Largest anonymous memory in KiB, sampled from `/proc`.
pub(crate) fn peak(words: &[String]) -> Result<u64> {
    let mut child = command(words).spawn()?;
    let path = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait()?.is_none() {
        let status = std::fs::read_to_string(&path).unwrap_or_default();
        let line = status.lines().find_map(|l| l.strip_prefix("RssAnon:"));
        let kib = line.and_then(|l| l.split_whitespace().next()).and_then(|n| n.parse().ok());
        most = most.max(kib.unwrap_or(0));
        std::thread::sleep(Duration::from_micros(500));
    }
    Ok(most)
}
