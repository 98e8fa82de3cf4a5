//! `cargo xtask fuzz [TARGET[/SEED]…] --executions N | --minutes M [--jobs J] [--sanitize] [--resume DIR]`:
//! the long run. Every target is run in slices until it has tried so many inputs, or for so long; its corpus,
//! what failed, and a tally stand in DIR, so that a run which was ended goes on where it was.

mod tally;
pub(crate) mod target;

use anyhow::{Context as _, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use tally::{AllSums, TargetSums};
use target::{Built, Programs, Target};

/// Seconds of a slice: how much of the tally is lost where a run is ended.
const SLICE: u64 = 60;

/// When a target has run enough.
#[derive(Debug, Clone, Copy)]
enum Goal {
    Executions(u64),
    Seconds(u64),
}

impl Goal {
    /// The part that is done, from 0 on; from 1 on it is all.
    fn done(self, row: &TargetSums) -> f64 {
        match self {
            Goal::Executions(goal) => row.executions as f64 / goal.max(1) as f64,
            Goal::Seconds(goal) => row.seconds as f64 / goal.max(1) as f64,
        }
    }

    /// Seconds and executions of the next slice.
    fn slice(self, row: &TargetSums) -> (u64, u64) {
        match self {
            Goal::Executions(goal) => (SLICE, goal.saturating_sub(row.executions).max(1)),
            Goal::Seconds(goal) => (goal.saturating_sub(row.seconds).clamp(1, SLICE), u64::MAX >> 1),
        }
    }
}

/// What the arguments ask for.
#[derive(Debug)]
struct FuzzOptions {
    targets: Vec<String>,
    goal: Goal,
    jobs: usize,
    /// Whether AddressSanitizer watches.
    sanitize: bool,
    folder: PathBuf,
}

impl FuzzOptions {
    fn from_arguments(arguments: &[String]) -> Result<Self> {
        const USAGE: &str = "fuzz [TARGET[/PART OF A SEED'S NAME]…] --executions N | --minutes M [--jobs J] [--sanitize] [--resume DIR]";
        let (mut targets, mut goal, mut jobs, mut folder) = (Vec::new(), None, 1, None);
        let mut sanitize = false;
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value =
                || rest.next().with_context(|| format!("{argument}: a value is missing. {USAGE}"));
            let number = |text: &String| text.replace('_', "").parse::<u64>().with_context(|| text.clone());
            match argument.as_str() {
                "--executions" => goal = Some(Goal::Executions(number(value()?)?)),
                "--minutes" => goal = Some(Goal::Seconds(60 * number(value()?)?)),
                "--jobs" => jobs = usize::try_from(number(value()?)?)?.max(1),
                "--sanitize" => sanitize = true,
                "--resume" => folder = Some(PathBuf::from(value()?)),
                flag if flag.starts_with('-') => bail!("{flag}: {USAGE}"),
                target => targets.push(target.to_owned()),
            }
        }
        let goal = goal.context(USAGE)?;
        // Commands run in the project's folder.
        let folder =
            folder.map_or_else(|| Ok(crate::command::project().join("fuzz/corpus")), std::path::absolute)?;
        Ok(FuzzOptions { targets, goal, jobs, sanitize, folder })
    }
}

/// Runs the targets that are named, or all.
///
/// # Errors
/// Where the arguments are wrong, the targets cannot be built, or one has an input that fails.
pub fn run(arguments: &[String]) -> Result<()> {
    let asked = FuzzOptions::from_arguments(arguments)?;
    let programs = if asked.sanitize { Programs::EachSanitized } else { Programs::Each };
    let all = match target::build(programs)? {
        Built::Targets(all, _) => all,
        Built::Failed(output) => bail!("{}", output.text),
        Built::NotHere(why) => bail!("{why}"),
    };
    let targets = if asked.targets.is_empty() { all } else { named(&asked.targets, &all)? };
    std::fs::create_dir_all(&asked.folder)?;
    let mut tally = AllSums::begin(&asked.folder, &crate::command::project().join("fuzz"))?;
    for target in &targets {
        tally.set_findings(&target.name, open_findings(target, &asked.folder)?);
    }
    tally.write(&asked.folder)?;
    let shared = SharedRun { asked: &asked, state: Mutex::new(State { tally, running: Vec::new() }) };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..asked.jobs).map(|_| scope.spawn(|| shared.work(&targets))).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|_| bail!("a worker panicked")))
    })?;
    let state = shared.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let names: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
    print!("{}", state.tally.table(&names));
    let open: u64 = names.iter().map(|name| state.tally.row(name).findings).sum();
    ensure!(open == 0, "{open} inputs fail; they are in {}/TARGET/findings", asked.folder.display());
    Ok(())
}

/// The targets of these names; `forms/.rpm` is the target `forms` with those first inputs whose names have
/// `.rpm` in them.
fn named(names: &[String], all: &[Target]) -> Result<Vec<Target>> {
    let target = |name: &String| {
        let (base, part) =
            name.split_once('/').map_or((name.as_str(), None), |(base, part)| (base, Some(part)));
        let Some(target) = all.iter().find(|target| target.name == base) else {
            let known: Vec<&str> = all.iter().map(|target| target.name.as_str()).collect();
            bail!("{base}: no such target; there are {}", known.join(", "));
        };
        part.map_or_else(|| Ok(target.clone()), |part| target.narrowed(part))
    };
    names.iter().map(target).collect()
}

/// The inputs that failed before and fail still; those that do not any more are removed.
fn open_findings(target: &Target, folder: &Path) -> Result<u64> {
    let findings = folder.join(&target.name).join("findings");
    std::fs::create_dir_all(&findings)?;
    std::fs::create_dir_all(folder.join(&target.name).join("corpus"))?;
    let mut open = 0;
    for entry in std::fs::read_dir(&findings)? {
        let input = entry?.path();
        if target.still_fails(&input)? {
            println!("{}: fails still: {}", target.name, input.display());
            open += 1;
        } else {
            std::fs::remove_file(input)?;
        }
    }
    Ok(open)
}

struct SharedRun<'a> {
    asked: &'a FuzzOptions,
    state: Mutex<State>,
}

struct State {
    tally: AllSums,
    running: Vec<String>,
}

impl SharedRun<'_> {
    /// Runs slices of targets until all are done. A target with an input that fails waits until that is
    /// mended.
    fn work(&self, targets: &[Target]) -> Result<()> {
        while let Some((target, row)) = self.next(targets) {
            let folder = self.asked.folder.join(&target.name);
            let (seconds, most) = self.asked.goal.slice(&row);
            let begun = Instant::now();
            let (run, output) =
                target.run(&folder.join("corpus"), &folder.join("findings"), seconds, most, None)?;
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.running.retain(|name| *name != target.name);
            if !output.success {
                std::fs::write(folder.join("last-failure.txt"), &output.text)?;
                println!(
                    "{}: an input fails; see {}",
                    target.name,
                    folder.join("last-failure.txt").display()
                );
            }
            state.tally.add(&target.name, run, begun.elapsed().as_secs(), !output.success);
            state.tally.write(&self.asked.folder)?;
            // A program that ends without trying anything would be started for ever.
            ensure!(
                run.executions > 0 || !output.success,
                "{}: no input was tried:\n{}",
                target.name,
                output.text
            );
        }
        Ok(())
    }

    /// The target that is the least done and does not run now.
    fn next<'t>(&self, targets: &'t [Target]) -> Option<(&'t Target, TargetSums)> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let open = targets.iter().filter(|target| !state.running.contains(&target.name));
        let rows = open.map(|target| (target, state.tally.row(&target.name)));
        let left = rows.filter(|(_, row)| self.asked.goal.done(row) < 1.0 && row.findings == 0);
        let (target, row) =
            left.min_by(|(_, a), (_, b)| self.asked.goal.done(a).total_cmp(&self.asked.goal.done(b)))?;
        state.running.push(target.name.clone());
        Some((target, row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &str) -> Result<FuzzOptions> {
        FuzzOptions::from_arguments(&words.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_goal_is_asked_for() {
        let found = asked("words --executions 1_000_000 --jobs 2 demangler --resume /x").unwrap();
        assert_eq!(found.targets, ["words", "demangler"]);
        assert_eq!((found.jobs, found.folder), (2, PathBuf::from("/x")));
        assert!(matches!(found.goal, Goal::Executions(1_000_000)));
        assert!(matches!(asked("--minutes 2").unwrap().goal, Goal::Seconds(120)));
        for wrong in ["", "words", "--executions", "--executions x", "--minutes 1 --fast"] {
            assert!(asked(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_slice_goes_no_further_than_the_goal() {
        let row = TargetSums { executions: 900, seconds: 50, ..TargetSums::default() };
        assert_eq!(Goal::Executions(1000).slice(&row), (SLICE, 100));
        assert_eq!(Goal::Seconds(55).slice(&row).0, 5);
        assert!(Goal::Executions(1000).done(&row) < 1.0 && Goal::Seconds(50).done(&row) >= 1.0);
    }
}
