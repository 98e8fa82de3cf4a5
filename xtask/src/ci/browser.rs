//! The job `browser`: pages in a real browser, without a window.

use crate::command::{Output, output, program, project};
use crate::job::{Ended, Wishes};
use crate::workspace::built_program;
use anyhow::{Context as _, Result, ensure};
use std::path::{Path, PathBuf};

/// Names under which the browser is installed.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// What uses the pages.
const HARNESS: &str = include_str!("browser.js");

/// Measures the contrast of text.
pub(crate) const CONTRAST: &str = include_str!("contrast.js");

/// A name that is markup where it is not made inert.
const HOSTILE: &str = "<img src=x onerror=alert(1)>\u{202e}&lt;b&gt;.so";

/// Pages and the calls that make them. `HOSTILE` stands for a folder with a file of that name.
const PAGES: &[(&str, &[&str])] = &[
    ("audit", &["fixtures/rocm"]),
    ("audit of one target", &["--arch", "gfx900", "fixtures/rocm"]),
    ("hostile names", &["--full", "-vv", "HOSTILE"]),
    ("kernels", &["fatbin", "--kernels", "--isa", "fixtures/rocm"]),
    ("kernels of hostile names", &["fatbin", "--kernels", "HOSTILE"]),
    ("entries", &["fatbin", "--list", "fixtures/rocm"]),
    ("diff", &["diff", "fixtures/rocm", "fixtures/rocm/lib"]),
    ("verify", &["verify", "fixtures/rocm"]),
    (
        "diff with selections",
        &["diff", "--targets", "gfx900,gfx1010", "fixtures/tensile/library", "--problems", "reference"],
    ),
    (
        "a way of MIOpen",
        &[
            "select",
            "conv",
            "fwd:fp16:n32:c64:h56:w56:k64:y3x3:p1",
            "--arch",
            "gfx900",
            "--cu",
            "56",
            "fixtures/rocm",
        ],
    ),
    (
        "routes of llama.cpp",
        &["select", "mul-mat", "--table", "--arch", "gfx900", "fixtures/ggml/plain/libggml-hip.so"],
    ),
    ("check", &["check", "--require", "gfx900,gfx90a", "fixtures/rocm"]),
];

/// Without a window, and without what a browser does of its own; what pages print goes to its errors.
pub(crate) const QUIET: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
];

pub(super) fn run(wishes: Wishes) -> Result<Ended> {
    let Some(browser) = browser(wishes)? else {
        return Ok(Ended::Skipped("no chromium here, and none could be installed".to_owned()));
    };
    let folder = tempfile::tempdir()?;
    let hostile = folder.path().join("hostile");
    std::fs::create_dir(&hostile)?;
    let library = project().join("fixtures/rocm/lib");
    let some = std::fs::read_dir(&library)?
        .filter_map(Result::ok)
        .find(|e| e.path().extension().is_some_and(|e| e == "so"));
    let some = some.with_context(|| format!("{}: no library", library.display()))?;
    std::fs::copy(some.path(), hostile.join(HOSTILE))?;
    let tool = match built_program()? {
        Ok(tool) => tool,
        Err(built) => return Ok(built.failure()),
    };
    let mut pages = serde_json::Map::new();
    for (name, words) in PAGES {
        let file = folder.path().join("page.html");
        let mut command = program(&tool);
        command.args(["--quiet", "--allow-incomplete", "-o"]).arg(&file).current_dir(project());
        for word in *words {
            if *word == "HOSTILE" {
                command.arg(&hostile)
            } else {
                command.arg(word)
            };
        }
        // What is found makes other exit statuses; no page is what fails.
        let made = output(command)?;
        let Ok(text) = std::fs::read_to_string(&file) else { return Ok(made.failure()) };
        std::fs::remove_file(&file)?;
        pages.insert((*name).to_owned(), text.into());
    }
    let count = pages.len() * 3;
    let pages = serde_json::to_string(&pages)?.replace('<', "\\u003c");
    let harness = folder.path().join("harness.html");
    let text = format!(
        "<!doctype html><meta charset=utf-8><body><script>const PAGES={pages};\n{CONTRAST}\n{HARNESS}</script>"
    );
    std::fs::write(&harness, text)?;
    // 1 is light and 0 is dark.
    for scheme in [1, 0] {
        let shown = opened(&browser, folder.path(), &harness, scheme)?;
        let wrong: Vec<&str> = shown.text.lines().filter(|line| line.contains(":CONSOLE")).collect();
        let body = shown.text.split_once("<body>").map_or("", |(_, body)| body);
        if !wrong.is_empty() || !is_clean(body, count) {
            return Ok(shown.failure());
        }
    }
    Ok(Ended::Passed(format!("{} pages at 3 widths, light and dark", PAGES.len())))
}

/// Whether all were opened and nothing was said of them.
fn is_clean(body: &str, count: usize) -> bool {
    let lines: Vec<&str> = body.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.first() == Some(&&*format!("opened {count}"))
        && lines.get(1).is_some_and(|line| line.starts_with("end"))
}

/// What the browser makes of a page.
fn opened(browser: &Path, folder: &Path, page: &Path, scheme: u8) -> Result<Output> {
    let mut command = program(browser);
    command.args(QUIET);
    command.args(["--window-size=2000,1000", "--virtual-time-budget=60000", "--dump-dom"]);
    command.arg(format!("--blink-settings=preferredColorScheme={scheme}"));
    command.arg(format!("--user-data-dir={}", folder.join(format!("profile{scheme}")).display()));
    command.arg(format!("file://{}", page.display()));
    output(command)
}

/// The browser, installed where it may be.
fn browser(wishes: Wishes) -> Result<Option<PathBuf>> {
    if let Some(found) = on_path() {
        return Ok(Some(found));
    }
    if !wishes.install || on_path_of("apt-get").is_none() {
        return Ok(None);
    }
    for words in [&["-qq", "update"][..], &["-qq", "install", "-y", "--no-install-recommends", "chromium"]] {
        let mut command = program("apt-get");
        command.args(words);
        output(command)?;
    }
    let found = on_path();
    ensure!(found.is_some() || !wishes.no_skip, "chromium could not be installed");
    Ok(found)
}

/// The browser, where it is installed.
pub(crate) fn on_path() -> Option<PathBuf> {
    BROWSERS.into_iter().find_map(on_path_of)
}

fn on_path_of(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|file| file.is_file())
}
