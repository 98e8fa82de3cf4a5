//! The program itself, run on a case as its user runs it.

use super::judge::Judge;
use super::process::{self, Usage};
use amdgpu_samples::Random;
use anyhow::{Context, Result};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Calls: `@` is the broken file, `%` its folder, `^` a new folder. A `j` says that standard output is JSON,
/// an `l` that it is lines of JSON, a `w` that it is written into a folder.
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
    ("", "verify %"),
    ("j", "verify -f json --arch gfx90a %"),
    ("", "verify %"),
    ("j", "verify -f json --arch gfx900 --cu 64 %"),
    ("", "select gemm -m 512 -n 512 -k 512 --cu 64 --arch gfx900 %"),
    ("", "select conv fwd:fp32:n1:c16:h7:w7:k16:y1x1 --cu 64 --arch gfx900 %"),
    ("", "select mul-mat --type q4_K --ne11 1 --arch gfx900 @"),
    ("j", "check % --require gfx906,gfx90a -f json"),
    ("", "explain --override 9.0.0 --arch gfx906 %"),
    ("", "explain --log @"),
    ("", "-f github %"),
    ("j", "-f sarif %"),
    ("", "fatbin -f gitlab @"),
    ("", "-f junit %"),
    ("", "needs %"),
    ("", "--follow-links %"),
    ("", "explain --error hipErrorNoBinaryForGpu --arch gfx90a %"),
];

/// Threads that a call is run with once more, to compare its memory.
const MANY: &str = "64";

/// What many threads may take besides, in bytes: a call on one file takes as much with 64 as with one.
const MORE_OF_THREADS: u64 = 64 << 20;

/// Where a case is run.
pub struct CaseFolder<'a> {
    /// The program.
    pub program: &'a Path,
    /// The folder that is read.
    pub root: &'a Path,
    /// The broken file in it.
    pub file: &'a Path,
    /// What holds the case; temporary files go below it.
    pub folder: &'a Path,
}

/// How a run ended.
struct Ended {
    call: String,
    status: ExitStatus,
    usage: Usage,
    hangs: bool,
}

/// Runs one call and judges it; now and then also ends it by a signal, or runs it on many threads.
pub fn run(place: &CaseFolder<'_>, random: &mut Random, judge: &mut Judge) -> Result<()> {
    let Some((kind, call)) = random.pick(CALLS) else { return Ok(()) };
    let before = std::fs::metadata(place.file)?.modified()?;
    if random.one_in(5) {
        let signal = random.pick(&["TERM", "KILL", "INT"]).copied().unwrap_or("KILL");
        let patience = Duration::from_millis(random.below(60) as u64);
        let ended = place.start(call, "2", Some((signal, patience)))?;
        place.judge_folders(&format!("{} ended by SIG{signal} after {patience:?}", ended.call), judge)?;
    }
    let jobs = random.pick(&["1", "2", "3", "8"]).copied().unwrap_or("1");
    let ended = place.start(call, jobs, None)?;
    if ended.hangs {
        judge.problem("hang", ended.call.clone());
    }
    judge.used(&ended.call, &ended.usage);
    judge_streams(place.folder, kind, &ended, judge)?;
    place.judge_folders(&ended.call, judge)?;
    if random.one_in(6) {
        let many = place.start(call, MANY, None)?;
        judge.used(&many.call, &many.usage);
        if many.usage.memory > ended.usage.memory + MORE_OF_THREADS {
            let (one, many) = (ended.usage.memory >> 20, many.usage.memory >> 20);
            judge.problem("memory of threads", format!("{}: {one} MiB, {many} with {MANY}", ended.call));
        }
    }
    if std::fs::metadata(place.file)?.modified()? != before {
        judge.problem("written to", ended.call);
    }
    Ok(())
}

impl CaseFolder<'_> {
    fn temporary(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    /// Runs a call to its end, or until a signal ends it.
    fn start(&self, call: &str, jobs: &str, signal: Option<(&str, Duration)>) -> Result<Ended> {
        let (temporary, extracted) = (self.temporary(), self.folder.join("out"));
        for made in [&temporary, &extracted] {
            if made.exists() {
                std::fs::remove_dir_all(made)?;
            }
        }
        std::fs::create_dir(&temporary)?;
        let mut command = Command::new(self.program);
        command.env_clear().env("TMPDIR", &temporary).args(["-j", jobs]).current_dir(&temporary);
        for word in call.split(' ') {
            match word {
                "@" => command.arg(self.file),
                "%" => command.arg(self.root),
                "^" => command.arg(&extracted),
                word => command.arg(word),
            };
        }
        let (out, errors) = (self.folder.join("stdout"), self.folder.join("stderr"));
        command.stdout(std::fs::File::create(&out)?).stderr(std::fs::File::create(&errors)?);
        command.stdin(Stdio::null());
        let began = Instant::now();
        let cpu = process::cpu_of_children();
        let mut child = command.spawn().with_context(|| format!("{}", self.program.display()))?;
        let process = child.id().to_string();
        let (mut memory, mut hangs) = (0, false);
        let limit = Duration::from_secs(30);
        let mut signal = signal;
        let mut pause = Duration::from_micros(200);
        let status = loop {
            memory = process::status(&process, "VmHWM:").max(memory);
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if let Some((name, _)) = signal.take_if(|(_, patience)| began.elapsed() >= *patience) {
                let sent = Command::new("kill").args(["-s", name, &process]).status();
                if !sent.is_ok_and(|status| status.success()) {
                    child.kill()?;
                }
            }
            if began.elapsed() > limit {
                child.kill()?;
                hangs = true;
                break child.wait()?;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        };
        let call = format!("rocm-audit -j {jobs} {call}");
        let usage = Usage::of_child(began, process::cpu_of_children().saturating_sub(cpu), memory);
        Ok(Ended { call, status, usage, hangs })
    }

    /// Judges what a run leaves in the folder for temporary files.
    fn judge_folders(&self, call: &str, judge: &mut Judge) -> Result<()> {
        let left = std::fs::read_dir(self.temporary())?.count();
        if left > 0 {
            judge.problem("left behind", format!("{call}: {left} files in TMPDIR"));
        }
        Ok(())
    }
}

/// Judges the status, and what was written to standard output and error.
fn judge_streams(folder: &Path, kind: &str, ended: &Ended, judge: &mut Judge) -> Result<()> {
    let (call, status) = (&ended.call, ended.status);
    let (out, errors) = (read(&folder.join("stdout"))?, read(&folder.join("stderr"))?);
    let (Ok(out), Ok(errors)) = (String::from_utf8(out), String::from_utf8(errors)) else {
        judge.problem("not UTF-8", call.clone());
        return Ok(());
    };
    if !ended.hangs && !matches!(status.code(), Some(0..=2)) || errors.contains("panicked") {
        judge.problem("panic", format!("{call}: {status}: {errors}"));
    }
    if status.code() == Some(2) && errors.trim().is_empty() {
        judge.problem("no reason", call.clone());
    }
    // Colours are asked for once.
    let plain = if call.contains("--color") { "" } else { out.as_str() };
    judge.text(call, plain, false);
    judge.text(call, &errors, false);
    if kind == "j" && status.code() != Some(2) {
        judge.text(call, &out, true);
    }
    if kind == "l" {
        out.lines().for_each(|line| judge.text(call, line, true));
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(256 << 20).read_to_end(&mut bytes)?;
    Ok(bytes)
}
