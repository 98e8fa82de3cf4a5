//! LLVM as this project asks it: its tools, and its disassembler through a small C program (`llvm.c`).
//!
//! The LLVM is a directory with a Debian root in `root/` whose C library may be newer than this machine's, so
//! everything in it is started through the root's own loader.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

/// The C program between this and libLLVM.
const SHIM: &str = include_str!("llvm.c");

/// What the shim answers where LLVM crashed.
pub const CRASHED: u8 = 255;

/// The longest run of bytes that the shim takes as one question.
pub const LONGEST: usize = 20;

/// An LLVM unpacked below a root.
#[derive(Clone, Debug)]
pub struct Llvm {
    root: PathBuf,
    library: PathBuf,
}

impl Llvm {
    /// The LLVM below `directory`, which holds `root/`.
    pub fn at(directory: &Path) -> Result<Self> {
        let root = directory.join("root");
        let libraries = root.join("usr/lib/x86_64-linux-gnu");
        let mut found: Vec<PathBuf> = std::fs::read_dir(&libraries)
            .with_context(|| format!("{}: no LLVM here", libraries.display()))?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libLLVM.so."))
            })
            .collect();
        found.sort();
        let library = found.pop().with_context(|| format!("{}: no libLLVM.so here", libraries.display()))?;
        Ok(Llvm { root, library })
    }

    /// A command that runs `program` with the loader and the libraries of the root.
    fn loaded(&self, program: &Path) -> Command {
        let mut command = Command::new(self.root.join("usr/lib64/ld-linux-x86-64.so.2"));
        command.arg("--library-path").arg(self.root.join("usr/lib/x86_64-linux-gnu")).arg(program);
        command
    }

    /// A command for one of LLVM's tools, such as `llvm-tblgen`.
    pub fn tool(&self, name: &str) -> Result<Command> {
        let libraries = self.root.join("usr/lib");
        let program = std::fs::read_dir(&libraries)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("llvm-")))
            .map(|path| path.join("bin").join(name))
            .filter(|path| path.exists())
            .max()
            .with_context(|| format!("{}: no {name} here", libraries.display()))?;
        Ok(self.loaded(&program))
    }

    /// LLVM's version, such as `22.1.8`.
    pub fn version(&self) -> Result<String> {
        let output = self.tool("llvm-tblgen")?.arg("--version").output()?;
        String::from_utf8_lossy(&output.stdout)
            .lines()
            .find_map(|line| Some(line.split_once("LLVM version ")?.1.trim().to_owned()))
            .context("llvm-tblgen does not say its version")
    }

    /// A disassembler for one processor. `features` is LLVM's list of features, such as `+wavefrontsize64`.
    ///
    /// LLVM 22 has none for gfx6 and gfx7.
    pub fn disassembler(&self, processor: &str, features: &str) -> Result<Disassembler> {
        let mut child = self
            .loaded(&shim()?)
            .arg(&self.library)
            .args([processor, features])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().context("no pipe to the shim")?;
        let output = child.stdout.take().context("no pipe from the shim")?;
        Ok(Disassembler { child, input: Some(input), output: BufReader::with_capacity(1 << 18, output) })
    }
}

/// The compiled shim, beside the program that runs, made when it is not there yet.
fn shim() -> Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    SHIM.hash(&mut hasher);
    let executable = std::env::current_exe()?;
    let directory = executable.parent().context("a program without a directory")?;
    let program = directory.join(format!("llvm-shim-{:016x}", hasher.finish()));
    if !program.exists() {
        let source = program.with_extension(format!("{}.c", std::process::id()));
        let made = program.with_extension(format!("{}", std::process::id()));
        std::fs::write(&source, SHIM)?;
        let status = Command::new("cc")
            .args(["-std=gnu11", "-O2", "-Wall", "-o"])
            .arg(&made)
            .arg(&source)
            .arg("-ldl")
            .status()
            .context("cc")?;
        std::fs::remove_file(&source)?;
        ensure!(status.success(), "cc failed on the shim");
        std::fs::rename(&made, &program)?;
    }
    Ok(program)
}

/// What LLVM says about some bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Bytes of the instruction; 0 = not an instruction; [`CRASHED`] = LLVM crashed.
    pub size: u8,
    /// The mnemonic, `a :: b` for a VOPD pair; empty if there is no instruction.
    pub mnemonic: String,
    /// The whole text, one blank between its words.
    pub text: String,
}

/// One running disassembler.
#[derive(Debug)]
pub struct Disassembler {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Disassembler {
    /// What LLVM says about each of `questions`, in their order. Each is 1 to [`LONGEST`] bytes.
    pub fn ask<T: AsRef<[u8]> + Sync>(&mut self, questions: &[T]) -> Result<Vec<Answer>> {
        let Disassembler { input, output, .. } = self;
        let input = input.as_mut().context("the shim was closed")?;
        std::thread::scope(|scope| {
            let writer = scope.spawn(move || write(input, questions));
            let answers: Result<Vec<Answer>> = questions.iter().map(|_| read(output)).collect();
            match writer.join() {
                Ok(written) => written.and(answers),
                Err(_) => bail!("the writer to the shim panicked"),
            }
        })
    }
}

impl Drop for Disassembler {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.wait();
    }
}

fn write<T: AsRef<[u8]>>(input: &mut ChildStdin, questions: &[T]) -> Result<()> {
    let mut buffer = Vec::with_capacity(1 << 16);
    for question in questions {
        let question = question.as_ref();
        ensure!((1..=LONGEST).contains(&question.len()), "a question of {} bytes", question.len());
        buffer.push(question.len() as u8);
        buffer.extend_from_slice(question);
        if buffer.len() > (1 << 16) - 32 {
            input.write_all(&buffer)?;
            buffer.clear();
        }
    }
    Ok(input.write_all(&buffer)?)
}

/// A text with one blank where it has several.
pub fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text without what LLVM remarks on registers that the assembler would refuse.
pub fn without_remarks(text: &str) -> String {
    let text = text.split_once(" ; Warning:").map_or(text, |(text, _)| text);
    let mut parts = text.split("/*Invalid register");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once("*/").map_or("", |(_, rest)| rest))
}

fn read(output: &mut impl Read) -> Result<Answer> {
    let mut head = [0; 3];
    output.read_exact(&mut head).context("the shim ended; its own message is above")?;
    let [size, length @ ..] = head;
    let mut text = vec![0; usize::from(u16::from_le_bytes(length))];
    output.read_exact(&mut text)?;
    let text = String::from_utf8(text)?;
    let first = |text: &str| text.split_whitespace().next().unwrap_or_default().to_owned();
    let mnemonic = match text.split_once(" :: ") {
        Some((one, other)) => format!("{} :: {}", first(one), first(other)),
        None => first(&text),
    };
    Ok(Answer { size, mnemonic, text: squeezed(&text) })
}
