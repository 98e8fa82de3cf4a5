//! The page in a real browser: what it shows of files, compared with what the library says of them here.

use super::server::{Files, serve};
use super::{FILES, MODULE};
use crate::ci::browser;
use crate::command::{program, project};
use anyhow::{Context as _, Result, ensure};
use rocm_audit::capability::Capability;
use rocm_audit::report;
use rocm_audit::scan::run::{Options, Silent, audit};
use rocm_audit::source::given;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::time::Duration;

/// What comes with the source.
const FIXTURES: &[&str] = &[
    "rocm/lib/librocrand.so.1.1",
    "containers/package/demo-1.0-py3-none-linux_x86_64.whl",
    "containers/package/demo.deb",
    "containers/package/demo_zst.deb",
    "containers/package/demo.tar.xz",
    "containers/package/demo.tar.bz2",
    "containers/package/nested.tar.gz",
];

/// Forms of packages: each 7z and lzip that comes with the source, whole, encrypted or by a method that
/// nothing here reads.
const FORMS: [&str; 2] = [".7z", ".lz"];

/// A file name that is markup where it is not made inert.
const HOSTILE: &str = "<img src=x onerror=alert(1)>.so";

/// Widths of a telephone, a tablet and a screen, and how the file comes there: chosen, or dropped.
const WAYS: [(u64, &str); 3] = [(390, "chosen"), (800, "dropped"), (1280, "chosen")];

/// What of the two reports has to be the same. Of waste, the library alone can say what a bundle would come
/// to packed.
const SAME: [&str; 6] = ["complete", "summary", "targets", "matrix", "packages", "remainder"];

/// Names and bytes.
fn cases(more: &[PathBuf]) -> Result<Vec<(String, Vec<u8>)>> {
    let mut cases = Vec::new();
    let mut fixtures: Vec<PathBuf> =
        FIXTURES.iter().map(|name| project().join("fixtures").join(name)).collect();
    let forms = std::fs::read_dir(project().join("fixtures/forms"))?.filter_map(Result::ok);
    let mut forms: Vec<PathBuf> = forms.map(|entry| entry.path()).collect();
    forms.retain(|path| FORMS.iter().any(|end| path.to_string_lossy().ends_with(end)));
    forms.sort();
    ensure!(forms.len() > FORMS.len(), "no forms of packages in fixtures/forms");
    fixtures.append(&mut forms);
    for path in fixtures.into_iter().chain(more.iter().cloned()) {
        let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
        let name = path.file_name().context("a file has no name")?.to_string_lossy().into_owned();
        cases.push((name, bytes));
    }
    let bytes = |at: usize| cases.get(at).map(|(_, bytes)| bytes.clone()).unwrap_or_default();
    let (library, wheel) = (bytes(0), bytes(1));
    let half = |bytes: &[u8]| bytes.get(..bytes.len() / 2).unwrap_or_default().to_vec();
    cases.push(("cut.whl".to_owned(), half(&wheel)));
    cases.push(("cut.so".to_owned(), half(&library)));
    cases.push((HOSTILE.to_owned(), library));
    let mut state = 1u64;
    let noise = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    cases.push(("noise.bin".to_owned(), (0..100_000).map(noise).collect()));
    cases.push(("empty.so".to_owned(), Vec::new()));
    Ok(cases)
}

/// What the library says here, of the same bytes by the same name.
fn native(name: &str, bytes: &[u8]) -> Result<Value> {
    let path = Path::new(name);
    let _given = given::give_bytes(path, bytes.to_vec())?;
    let inventory = audit(&[path.to_owned()], &Options::default(), &Silent, None)?;
    Ok(serde_json::to_value(report::audit(&inventory, &Capability::from_inventory(&inventory, &[])))?)
}

/// Opens all, light and dark, and says what was measured.
///
/// # Errors
/// There is no browser, it said nothing in time, or the page shows something else than it should.
pub(super) fn run(out: &Path, more: &[PathBuf]) -> Result<String> {
    let browser = browser::on_path().context("no chromium here")?;
    let cases = cases(more)?;
    let mut files = Files::new();
    for name in FILES.iter().chain([&MODULE]) {
        let kind = match name.rsplit('.').next() {
            Some("html") => "text/html",
            Some("css") => "text/css",
            Some("svg") => "image/svg+xml",
            Some("js") => "text/javascript",
            _ => "application/wasm",
        };
        files.insert(format!("/{name}"), (kind, std::fs::read(out.join(name))?));
    }
    let mut wanted = Vec::new();
    for (at, (name, bytes)) in cases.iter().enumerate() {
        let url = format!("/case/{at}");
        files.insert(url.clone(), ("application/octet-stream", bytes.clone()));
        wanted.extend(WAYS.map(|(width, way)| json!({"name": name, "url": url, "width": width, "way": way})));
    }
    let wanted = serde_json::to_string(&wanted)?.replace('<', "\\u003c");
    let (contrast, harness) = (browser::CONTRAST, include_str!("harness.js"));
    let harness = format!(
        "<!doctype html><meta charset=utf-8><link rel=icon href='data:,'><body><script>const CASES={wanted};\n{contrast}\n{harness}</script>"
    );
    files.insert("/harness".to_owned(), ("text/html", harness.into_bytes()));
    let (port, said) = serve(files)?;
    let native: Vec<Value> = cases.iter().map(|(name, bytes)| native(name, bytes)).collect::<Result<_>>()?;
    let mut lines = String::new();
    for is_dark in [false, true] {
        let said = opened(&browser, port, &said, is_dark)?;
        lines = judged(&cases, &native, &said, is_dark)?;
    }
    Ok(lines)
}

/// What the harness says of all cases.
fn opened(browser: &Path, port: u16, said: &Receiver<String>, is_dark: bool) -> Result<Vec<Value>> {
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("log");
    let mut command = program(browser);
    command.args(browser::QUIET).arg("--window-size=1400,1000");
    // 1 is light and 0 is dark.
    command.arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!is_dark)));
    command.arg(format!("--user-data-dir={}", folder.path().join("profile").display()));
    command.arg(format!("http://127.0.0.1:{port}/harness"));
    command.stdout(std::process::Stdio::null()).stderr(std::fs::File::create(&log)?);
    let mut running = command.spawn()?;
    let said = said.recv_timeout(Duration::from_secs(300));
    running.kill()?;
    running.wait()?;
    let log = String::from_utf8_lossy(&std::fs::read(log)?).into_owned();
    let said = serde_json::from_str(&said.with_context(|| format!("the page said nothing\n{log}"))?)?;
    let wrong: Vec<&str> = log.lines().filter(|line| line.contains(":CONSOLE")).collect();
    ensure!(wrong.is_empty(), "the console has:\n{}", wrong.join("\n"));
    Ok(said)
}

/// A line for each file, or what is wrong.
fn judged(cases: &[(String, Vec<u8>)], native: &[Value], said: &[Value], is_dark: bool) -> Result<String> {
    ensure!(said.len() == cases.len() * WAYS.len(), "{} answers for {} files", said.len(), cases.len());
    let mut lines = String::new();
    for (((name, bytes), native), shown) in cases.iter().zip(native).zip(said.chunks(WAYS.len())) {
        for (one, (_, way)) in shown.iter().zip(WAYS) {
            let json = one["json"].as_str().with_context(|| format!("{name}: {one:#}"))?;
            let page: Value = serde_json::from_str(json)?;
            for part in SAME {
                ensure!(
                    page[part] == native[part],
                    "{name}: {part}\npage    {}\nlibrary {}",
                    page[part],
                    native[part]
                );
            }
            ensure!(
                one["state"] == "done" && one["keyboard"] == true && one["markup"] == 0,
                "{name}: {one:#}"
            );
            ensure!(way != "dropped" || one["dropped"] == true, "{name}: not dropped: {one:#}");
            ensure!(one["dark"] == is_dark, "{name}: dark is {} where it should be {is_dark}", one["dark"]);
            let dull = one["dull"].as_array().context("nothing is said of contrast")?;
            ensure!(dull.is_empty(), "{name}, dark {is_dark}, at {}: {dull:#?}", one["width"]);
            let cards = page["verdicts"].as_array().map_or(0, Vec::len) as u64;
            ensure!(one["cards"] == cards, "{name}: {} of {cards} processors are shown", one["cards"]);
            ensure!(one["wide"].as_u64() <= one["width"].as_u64(), "{name}: {} wide", one["wide"]);
            let loaded = one["loaded"].as_array().context("nothing is said of what was loaded")?;
            let own = |url: &&Value| url.as_str().is_some_and(|url| url.starts_with("http://127.0.0.1:"));
            ensure!(loaded.iter().all(|url| own(&url)), "{name}: {loaded:?}");
        }
        let (took, memory) = (&shown[shown.len() - 1]["took"], &shown[shown.len() - 1]["memory"]);
        let summary = &native["summary"];
        writeln!(
            lines,
            "{name}: {:.1} MB, {:.2} s, {} MiB; {} bundles, {} code objects, {} kernels, {}",
            bytes.len() as f64 / 1e6,
            took.as_f64().unwrap_or(0.0) / 1e3,
            memory.as_u64().unwrap_or(0) >> 20,
            summary["bundles"],
            summary["code_objects"],
            summary["kernels"],
            if native["complete"] == true { "complete" } else { "incomplete" },
        )?;
    }
    Ok(lines
        + &format!(
            "{} files at {} widths, light and dark, chosen and dropped: as the library says",
            cases.len(),
            WAYS.len()
        ))
}
