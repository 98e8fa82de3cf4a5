//! The program itself, run on a case as its user runs it.

use super::judge::Judge;
use super::process::{self, Usage};
use crate::random::Random;
use anyhow::{Context, Result};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Calls: `@` is the broken file, `%` its folder, `^` a new folder. A `j` says that standard output is JSON, an `l` that
/// it is lines of JSON, a `w` that it is written into a folder.
const CALLS: &[(&str, &str)] = &[
    ("", "%"),
    ("", "-vv %"),
    ("", "--gpu gfx90a %"),
    ("", "-f markdown --full %"),
    ("j", "-f json --isa %"),
    ("j", "-f json --verify @"),
    ("l", "-f jsonl %"),
    ("", "--color always --ascii @"),
    ("", "fatbin @"),
    ("j", "fatbin -f json @"),
    ("l", "fatbin -f jsonl @"),
    ("", "fatbin %"),
    ("", "fatbin --list @"),
    ("j", "fatbin --list -f json @"),
    ("l", "fatbin --list -f jsonl @"),
    ("", "fatbin --kernels=. @"),
    ("", "fatbin --kernels=. --isa -f markdown @"),
    ("", "fatbin --isa @"),
    ("j", "fatbin --isa=. -f json @"),
    ("w", "fatbin --extract ^ @"),
    ("", "tensile %"),
    ("j", "tensile -f json --arch gfx90a %"),
    ("", "miopen %"),
    ("j", "miopen -f json --arch gfx900 --cu 64 %"),
    ("", "select gemm -m 512 -n 512 -k 512 --cu 64 --arch gfx900 %"),
    ("", "select conv fwd:fp32:n1:c16:h7:w7:k16:y1x1 --cu 64 --arch gfx900 %"),
    ("", "select mul-mat --type q4_K --ne11 1 --arch gfx900 @"),
    ("j", "check % --require gfx906,gfx90a -f json"),
    ("", "override 9.0.0 --arch gfx906 %"),
    ("", "explain --log @"),
    ("", "explain --error hipErrorNoBinaryForGpu --arch gfx90a %"),
];

/// Runs one call and judges it. `folder` holds the case; temporary files go below it.
pub fn run(
    program: &Path,
    root: &Path,
    file: &Path,
    folder: &Path,
    random: &mut Random,
    judge: &mut Judge,
) -> Result<()> {
    let Some((kind, call)) = random.of(CALLS) else { return Ok(()) };
    let (temporary, extracted) = (folder.join("tmp"), folder.join("out"));
    for made in [&temporary, &extracted] {
        if made.exists() {
            std::fs::remove_dir_all(made)?;
        }
    }
    std::fs::create_dir(&temporary)?;
    let mut command = Command::new(program);
    let jobs = random.of(&["1", "2", "3", "8"]).copied().unwrap_or("1");
    command.env_clear().env("TMPDIR", &temporary).args(["-j", jobs]).current_dir(&temporary);
    for word in call.split(' ') {
        match word {
            "@" => command.arg(file),
            "%" => command.arg(root),
            "^" => command.arg(&extracted),
            word => command.arg(word),
        };
    }
    let before = std::fs::metadata(file)?.modified()?;
    let (out, errors) = (folder.join("stdout"), folder.join("stderr"));
    command.stdout(std::fs::File::create(&out)?).stderr(std::fs::File::create(&errors)?);
    command.stdin(Stdio::null());
    let began = Instant::now();
    let cpu = process::cpu_of_children();
    let mut child = command.spawn().with_context(|| format!("{}", program.display()))?;
    let process = child.id().to_string();
    let mut memory = 0;
    let limit = Duration::from_secs(30);
    let mut pause = Duration::from_micros(200);
    let status = loop {
        memory = process::status(&process, "VmHWM:").max(memory);
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if began.elapsed() > limit {
            child.kill()?;
            let status = child.wait()?;
            judge.problem("hang", format!("rocm-audit -j {jobs} {call}"));
            break status;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let call = format!("rocm-audit -j {jobs} {call}");
    judge.used(&call, &Usage::of_child(began, process::cpu_of_children().saturating_sub(cpu), memory));
    let (out, errors) = (read(&out)?, read(&errors)?);
    match (String::from_utf8(out), String::from_utf8(errors)) {
        (Ok(out), Ok(errors)) => {
            if !matches!(status.code(), Some(0..=2)) || errors.contains("panicked") {
                judge.problem("panic", format!("{call}: {status}: {errors}"));
            }
            if status.code() == Some(2) && errors.trim().is_empty() {
                judge.problem("no reason", call.clone());
            }
            let whole = *kind == "j" && status.code() != Some(2);
            // Colours are asked for once.
            let plain = if call.contains("--color") { String::new() } else { out.clone() };
            judge.text(&call, &plain, false);
            judge.text(&call, &errors, false);
            if whole {
                judge.text(&call, &out, true);
            }
            if *kind == "l" {
                out.lines().for_each(|line| judge.text(&call, line, true));
            }
        }
        _ => judge.problem("not UTF-8", call.clone()),
    }
    let left = std::fs::read_dir(&temporary)?.count();
    if left > 0 {
        judge.problem("left behind", format!("{call}: {left} files in TMPDIR"));
    }
    if std::fs::metadata(file)?.modified()? != before {
        judge.problem("written to", call);
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(256 << 20).read_to_end(&mut bytes)?;
    Ok(bytes)
}
