//! Time and memory of the audit by size and by threads, as a table and a plot (`docs/scaling.svg`).
//!
//! Sizes are parts of real trees, by hard links in a temporary folder beside them; beyond what there is, the
//! trees are linked again, which has to be named and walked but is read once. More threads than cores are
//! started all the same, as in a container that does not say how many it may use.

use crate::measure::{once, peak};
use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes of the parts that are measured.
const SIZES: [u64; 8] = [
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
    3_000_000_000,
    10_000_000_000,
    30_000_000_000,
    100_000_000_000,
];

/// Threads that are asked for.
const THREADS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Runs of each call; the fastest counts.
const RUNS: usize = 3;

/// One measured call: what varies, time, and peak of anonymous memory in KiB.
type Point = (u64, Duration, u64);

pub fn run(arguments: &[String]) -> Result<()> {
    let [trees @ .., plot] = arguments else { bail!("name trees, and the SVG file to write") };
    let first = trees.first().context("name trees, and the SVG file to write")?;
    let beside = Path::new(first).canonicalize()?.parent().context("a tree has a folder")?.to_owned();
    let folder = tempfile::tempdir_in(beside)?;
    let files = files(trees)?;
    let (mut sizes, mut threads) = (Vec::new(), Vec::new());
    let (mut linked, mut next, mut all) = (0, 0, 0);
    println!("{:>16} {:>10} {:>12}", "bytes", "ms", "KiB");
    for size in SIZES {
        while linked < size {
            let (path, bytes) = &files[next % files.len()];
            let place = folder.path().join(format!("{:03}", next / files.len())).join(inside(path));
            std::fs::create_dir_all(place.parent().context("a file has a folder")?)?;
            // The last file of a part may be larger than what is left of it; then a smaller one is taken.
            if linked + bytes <= size + size / 10 {
                std::fs::hard_link(path, place)?;
                linked += bytes;
            }
            next += 1;
            if next == files.len() {
                all = linked;
            }
        }
        sizes.push(measured(linked, &[], folder.path())?);
    }
    println!("{:>16} {:>10} {:>12}", "threads", "ms", "KiB");
    for jobs in THREADS {
        let words = ["-j", &jobs.to_string()].map(str::to_owned);
        threads.push(measured(u64::from(jobs), &words, Path::new(first))?);
    }
    std::fs::write(plot, drawn(&sizes, &threads, all))?;
    Ok(())
}

fn measured(varies: u64, words: &[String], tree: &Path) -> Result<Point> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/rocm-audit");
    let mut call = vec![program.to_string_lossy().into_owned()];
    call.extend(words.iter().cloned());
    call.push(tree.to_string_lossy().into_owned());
    once(&call)?;
    let runs = (0..RUNS).map(|_| once(&call)).collect::<Result<Vec<_>>>()?;
    let fastest = runs.into_iter().min().unwrap_or_default();
    let memory = peak(&call)?;
    println!("{varies:>16} {:>10.1} {memory:>12}", fastest.as_secs_f64() * 1000.0);
    Ok((varies, fastest, memory))
}

/// All files of the trees with their bytes, smaller and larger ones mixed as they stand.
fn files(trees: &[String]) -> Result<Vec<(PathBuf, u64)>> {
    let (mut found, mut left) = (Vec::new(), trees.iter().map(PathBuf::from).collect::<Vec<_>>());
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let entry = entry?;
            let kind = entry.file_type()?;
            match (kind.is_dir(), kind.is_file()) {
                (true, _) => left.push(entry.path()),
                (_, true) => found.push((entry.path(), entry.metadata()?.len())),
                _ => {}
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A path without its root.
fn inside(path: &Path) -> PathBuf {
    path.components().filter(|part| matches!(part, std::path::Component::Normal(_))).collect()
}

/// Both tables side by side: time as a line with dots, memory as a line with squares, all logarithmic.
fn drawn(sizes: &[Point], threads: &[Point], all: u64) -> String {
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 330\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <title>Time and memory of an audit by bytes of the tree and by threads</title>\n\
         <rect width=\"760\" height=\"330\" fill=\"white\"/>\n",
    );
    let size = |bytes: u64| match bytes {
        1_000_000_000.. => format!("{} GB", bytes / 1_000_000_000),
        _ => format!("{} MB", bytes / 1_000_000),
    };
    panel(&mut svg, 60.0, "bytes of the tree", sizes, &size, Some(all));
    panel(&mut svg, 440.0, "threads on two cores", threads, &|jobs| jobs.to_string(), None);
    svg.push_str("</svg>\n");
    svg
}

/// One table. `all` is where files are linked again.
fn panel(
    svg: &mut String,
    left: f64,
    name: &str,
    rows: &[Point],
    label: &dyn Fn(u64) -> String,
    all: Option<u64>,
) {
    const WIDTH: f64 = 290.0;
    const BOTTOM: f64 = 280.0;
    const DECADE: f64 = 60.0;
    let log = |value: f64| value.max(1.0).log10();
    let (first, last) = (rows.first().map_or(1, |row| row.0), rows.last().map_or(1, |row| row.0));
    let across = |value: u64| {
        let span = (log(last as f64) - log(first as f64)).max(f64::EPSILON);
        left + WIDTH * (log(value as f64) - log(first as f64)) / span
    };
    // A decade of milliseconds is as high as one of MiB.
    let up = |value: f64| BOTTOM - DECADE * log(value);
    for (decade, words) in ["1 ms, 1 MiB", "10", "100", "1 s, 1 GiB", "10 s"].iter().enumerate() {
        let y = BOTTOM - DECADE * decade as f64;
        let _ = writeln!(
            svg,
            "<line x1=\"{left:.0}\" y1=\"{y:.0}\" x2=\"{:.0}\" y2=\"{y:.0}\" stroke=\"#ddd\"/>",
            left + WIDTH
        );
        let _ = writeln!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{words}</text>",
            left - 4.0,
            y + 4.0
        );
    }
    if let Some(all) = all.filter(|all| *all < last) {
        let x = across(all);
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.1}\" y1=\"24\" x2=\"{x:.1}\" y2=\"{BOTTOM}\" stroke=\"#999\" stroke-dasharray=\"3 3\"/>"
        );
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"34\" text-anchor=\"end\">linked again from here</text>",
            x - 4.0
        );
    }
    let time = |row: &Point| up(row.1.as_secs_f64() * 1000.0);
    let memory = |row: &Point| up(row.2 as f64 / 1024.0);
    for (color, of) in [("#1f5fa8", &time as &dyn Fn(&Point) -> f64), ("#b3541e", &memory)] {
        let points: Vec<String> =
            rows.iter().map(|row| format!("{:.1},{:.1}", across(row.0), of(row))).collect();
        let _ = writeln!(svg, "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\"/>", points.join(" "));
        for row in rows {
            let _ = writeln!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{color}\"/>",
                across(row.0),
                of(row)
            );
        }
    }
    for row in rows {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"296\" text-anchor=\"middle\">{}</text>",
            across(row.0),
            label(row.0)
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.0}\" y=\"316\" text-anchor=\"middle\">{name}; blue: time, brown: memory</text>",
        left + WIDTH / 2.0
    );
}
