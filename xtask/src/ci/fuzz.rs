//! The job `fuzz-smoke`: every fuzz target for some seconds from its seeds, with libFuzzer and its coverage,
//! as `cargo xtask fuzz` runs them for longer. On a nightly compiler, AddressSanitizer watches too.

use crate::command::project;
use crate::fuzz::target::{Built, Programs, Target, build};
use crate::job::Ended;
use anyhow::Result;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How long a target runs, in seconds.
const SECONDS: u64 = 4;
/// The beginning of libFuzzer's random numbers: a gate that fails must fail again. The long run takes others
/// each time.
const SAME: u32 = 16;

/// Targets that run at one time: each takes one core.
const AT_ONCE: usize = 2;

pub(super) fn run() -> Result<Ended> {
    let (targets, sanitized) = match build(Programs::Together)? {
        Built::Targets(targets, sanitized) => (targets, sanitized),
        Built::Failed(output) => return Ok(output.failure()),
        Built::NotHere(why) => return Ok(Ended::Skipped(why.to_owned())),
    };
    let next = AtomicUsize::new(0);
    let work = || {
        let mut inputs = 0;
        while let Some(target) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
            match try_out(target)? {
                Ok(tried) => inputs += tried,
                Err(failed) => {
                    // The others begin no further target.
                    next.store(targets.len(), Ordering::Relaxed);
                    return Ok(Err(failed));
                }
            }
        }
        Ok(Ok(inputs))
    };
    let ended: Vec<Result<Tried>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        let joined = workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|_| anyhow::bail!("a worker panicked")));
        joined.collect()
    });
    let mut inputs = 0;
    for tried in ended {
        match tried? {
            Ok(tried) => inputs += tried,
            Err(failed) => return Ok(failed),
        }
    }
    let watched = if sanitized { "with" } else { "without" };
    Ok(Ended::Passed(format!("{} targets, {inputs} inputs, {watched} AddressSanitizer", targets.len())))
}

/// How many inputs were tried, or how that failed.
type Tried = Result<u64, Ended>;

fn try_out(target: &Target) -> Result<Tried> {
    let found = tempfile::tempdir()?;
    let artifacts = project().join("fuzz/artifacts").join(&target.name);
    std::fs::create_dir_all(&artifacts)?;
    let (run, output) = target.run(found.path(), &artifacts, SECONDS, u64::MAX >> 1, Some(SAME))?;
    Ok(if !output.success {
        Err(output.failure())
    } else if run.executions == 0 {
        Err(output.shows_nothing("no input was tried"))
    } else {
        Ok(run.executions)
    })
}
