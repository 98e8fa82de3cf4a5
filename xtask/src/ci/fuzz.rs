//! The job `fuzz-smoke`: every fuzz target for some seconds from its seeds, with libFuzzer and its coverage,
//! as `cargo xtask fuzz` runs them for longer. On a nightly compiler, AddressSanitizer watches too.

use crate::command::project;
use crate::fuzz::target::{Built, build};
use crate::job::Ended;
use anyhow::Result;

/// How long a target runs, in seconds.
const SECONDS: u64 = 4;
/// The beginning of libFuzzer's random numbers: a gate that fails must fail again. The long run takes others
/// each time.
const SAME: u32 = 16;

pub(super) fn run() -> Result<Ended> {
    let (targets, sanitized) = match build(false)? {
        Built::Targets(targets, sanitized) => (targets, sanitized),
        Built::Failed(output) => return Ok(output.failure()),
        Built::NotHere(why) => return Ok(Ended::Skipped(why.to_owned())),
    };
    let mut inputs = 0;
    for target in &targets {
        let found = tempfile::tempdir()?;
        let artifacts = project().join("fuzz/artifacts").join(&target.name);
        std::fs::create_dir_all(&artifacts)?;
        let (run, output) = target.run(found.path(), &artifacts, SECONDS, u64::MAX >> 1, Some(SAME))?;
        if !output.success {
            return Ok(output.failure());
        }
        if run.executions == 0 {
            return Ok(output.shows_nothing("no input was tried"));
        }
        inputs += run.executions;
    }
    let watched = if sanitized { "with" } else { "without" };
    Ok(Ended::Passed(format!("{} targets, {inputs} inputs, {watched} AddressSanitizer", targets.len())))
}
