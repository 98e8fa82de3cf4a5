//! `rocm-audit manifest PATH...`.

use super::destination::{self, Destination, print};
use super::exit::{self, FailOn, Judge, Status};
use super::global::GlobalArgs;
use super::must_be_there;
use crate::comparison::candidates::{MANIFEST_END, packages_in};
use crate::error::AuditError;
use crate::finding::rules;
use crate::question::{ManifestQuestion, Question as _, Trees};
use crate::render::style::{plural, printable};
use crate::render::{Draw as _, Format};
use crate::report::v1::Manifest;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// Artifacts, each with a manifest of its own: wheels, packages, libraries, images, trees. A folder with
    /// packages in it stands for these
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Write the manifest of each into this folder, as NAME.rocm.json
    #[arg(long, value_name = "FOLDER")]
    pub into: Option<PathBuf>,
    /// Inflate compressed bundles to their end and check their hashes
    #[arg(long)]
    pub verify: bool,
}

/// The end of `--help`.
const HELP: &str = exit::help!(
    "Examples:
  rocm-audit manifest -f json torch.whl > torch.whl.rocm.json
  rocm-audit manifest --into dist dist/*.whl
  rocm-audit choose --gpu \"RX 6600\" dist
"
);

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    if !global.arch.is_empty() {
        return Err(AuditError::Usage(
            "manifest: it says what all processors can do; --arch and --gpu have no meaning here".into(),
        ));
    }
    global.has_no_lines("manifest")?;
    global.has_no_findings("manifest")?;
    let judge = Judge::new(global, FailOn::Damage, exit::CODE)?;
    args.paths.iter().try_for_each(|path| must_be_there(path))?;
    let artifacts: Vec<PathBuf> =
        args.paths.iter().flat_map(|path| packages_in(path).unwrap_or_else(|| vec![path.clone()])).collect();
    let mut found = Vec::new();
    match (&args.into, &artifacts[..]) {
        (None, [one]) => {
            let manifest = of_artifact(one, args)?;
            global.write_document("manifest", &manifest, None)?;
            found.push(manifest);
        }
        (None, several) => {
            return Err(AuditError::Usage(format!(
                "manifest: {} artifacts are named, and standard output takes the manifest of one; --into FOLDER writes one for each",
                several.len()
            )));
        }
        (Some(into), several) => {
            is_alone(global)?;
            let names = names(several)?;
            std::fs::create_dir_all(into).map_err(|error| AuditError::io("make", into, error))?;
            for (path, name) in several.iter().zip(names) {
                let manifest = of_artifact(path, args)?;
                let to = into.join(name);
                let style = global.style(&Destination::File(to.clone()));
                destination::write(&Destination::File(to.clone()), &manifest.draw(Format::Json, &style)?)?;
                print(said(&to, &manifest))?;
                found.push(manifest);
            }
        }
    }
    let ids = found.iter().flat_map(|manifest| &manifest.findings).map(|finding| finding.id.as_str());
    Ok(judge.rules(ids.filter_map(rules::of_id)).status())
}

fn of_artifact(path: &Path, args: &Args) -> Result<Manifest, AuditError> {
    let trees = Trees::at([path]);
    ManifestQuestion::default().ask(&if args.verify { trees.verified() } else { trees })
}

/// Refuses what `--into` would have to ignore.
fn is_alone(global: &GlobalArgs) -> Result<(), AuditError> {
    let outputs = global.outputs()?;
    let is_other = |(to, format): &(Destination, Format)| match to {
        Destination::Stdout | Destination::Pager(_) => *format != Format::Table,
        Destination::File(_) | Destination::Nowhere => true,
    };
    match outputs.iter().find(|output| is_other(output)) {
        Some(_) => Err(AuditError::Usage(
            "manifest: --into writes JSON, a file for each artifact; -f and -o have no meaning beside it"
                .into(),
        )),
        None => Ok(()),
    }
}

/// What the manifests are called; no two alike.
fn names(artifacts: &[PathBuf]) -> Result<Vec<String>, AuditError> {
    let mut known = BTreeSet::new();
    let mut names = Vec::new();
    for path in artifacts {
        let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
        let name = path.file_name().or(whole.file_name()).unwrap_or_default().to_string_lossy().into_owned();
        if !known.insert(name.clone()) {
            return Err(AuditError::Usage(format!(
                "manifest: two artifacts are called {name}, and their manifests would be one file; use two folders"
            )));
        }
        names.push(format!("{name}{MANIFEST_END}"));
    }
    Ok(names)
}

/// A line that says what was written.
fn said(to: &Path, manifest: &Manifest) -> String {
    let kernels = manifest.targets.iter().map(|target| target.kernels).sum();
    let incomplete = if manifest.complete { "" } else { ", incomplete" };
    format!(
        "{}: {}, {}{incomplete}\n",
        printable(&to.to_string_lossy()),
        plural(manifest.targets.len() as u64, "target", "targets"),
        plural(kernels, "kernel", "kernels"),
    )
}
