//! The job `instructions`: how many instructions the program takes for eight calls on the fixtures. Times
//! vary by a tenth and more from run to run on a shared machine; counts under valgrind do not, so that a
//! call that became slower is seen where nothing is idle.

use crate::command::{cargo, is_here, output, program, project};
use crate::job::{Ended, Wishes};
use crate::workspace::{metadata, target_folder};
use anyhow::{Context as _, Result, bail, ensure};
use std::path::{Path, PathBuf};

/// The calls and their counts: two columns, tab between them.
const TABLE: &str = "benches/instructions.tsv";
/// More instructions than in the table that still pass, in percent.
const MORE: f64 = 3.0;
/// What renews the table.
const RENEW: &str = "cargo xtask instructions --renew";

/// A call and its instructions.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    call: String,
    instructions: u64,
}

pub(crate) fn job(_: Wishes) -> Result<Ended> {
    if !is_here(program("valgrind")) {
        return Ok(Ended::Skipped("valgrind is not installed: `apt-get install valgrind`".to_owned()));
    }
    let rows = rows(&std::fs::read_to_string(project().join(TABLE)).context(TABLE)?)?;
    let audit = built()?;
    let mut worst = f64::MIN;
    let mut slower = Vec::new();
    for row in &rows {
        let now = count(&audit, &row.call)?;
        let more = 100.0 * (now as f64 / row.instructions as f64 - 1.0);
        worst = worst.max(more);
        if more > MORE {
            slower.push(format!("{}: {} instructions, {now} now, {more:+.1} %", row.call, row.instructions));
        }
    }
    if slower.is_empty() {
        return Ok(Ended::Passed(format!("{} calls, at most {worst:+.1} %", rows.len())));
    }
    let why = slower.join("\n");
    Ok(Ended::Failed(format!(
        "{why}\nat most {MORE} % more is allowed. Where it is meant, `{RENEW}` writes the new counts"
    )))
}

/// `instructions --renew`: counts again and writes the table.
///
/// # Errors
/// Other arguments; no valgrind; a call that fails.
pub fn run(arguments: &[String]) -> Result<()> {
    ensure!(arguments == ["--renew"], "instructions --renew");
    ensure!(is_here(program("valgrind")), "valgrind is not installed: `apt-get install valgrind`");
    let path = project().join(TABLE);
    let audit = built()?;
    let mut text = String::new();
    for row in rows(&std::fs::read_to_string(&path).context(TABLE)?)? {
        text += &format!("{}\t{}\n", row.call, count(&audit, &row.call)?);
    }
    Ok(std::fs::write(path, text)?)
}

fn rows(text: &str) -> Result<Vec<Row>> {
    let row = |line: &str| {
        let (call, count) = line.split_once('\t').with_context(|| format!("{TABLE}: {line}: no tab"))?;
        Ok(Row { call: call.to_owned(), instructions: count.trim().parse().context(line.to_owned())? })
    };
    text.lines().map(row).collect()
}

/// The program as the README builds it.
pub(crate) fn built() -> Result<PathBuf> {
    let mut build = cargo();
    build.args(["build", "--quiet", "--release", "--bin", "rocm-audit"]);
    let said = output(build)?;
    ensure!(said.success, "the program was not built: {}", said.text);
    Ok(target_folder(&metadata(None)?)?.join("release").join("rocm-audit"))
}

/// Instructions of one call, on one thread.
fn count(audit: &Path, call: &str) -> Result<u64> {
    let mut run = program("valgrind");
    // Each variable of the environment is looked at when a program starts, and machines differ in how many there are.
    run.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    run.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    // The sandbox allows what the program does, which is less than what valgrind does.
    run.arg(audit).args(call.split_whitespace()).args(["--sandbox", "off", "-j", "1", "--no-progress"]);
    let said = output(run)?;
    let count = said.text.lines().find_map(|line| {
        let (_, number) = line.split_once("I ").filter(|_| line.contains("refs:"))?;
        number.rsplit(' ').next()?.replace(',', "").parse().ok()
    });
    match count {
        Some(count) => Ok(count),
        None => bail!("valgrind of `{call}` counted nothing: {}", said.text.trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_eight_calls() {
        let rows = rows(&std::fs::read_to_string(project().join(TABLE)).unwrap()).unwrap();
        assert_eq!(rows.len(), 8);
        assert!(rows.iter().all(|row| row.instructions > 100_000));
    }
}
