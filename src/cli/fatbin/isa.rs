//! `fatbin --isa`: what is wanted of machine code.

use super::{Args, name_part};
use crate::cli::global::GlobalArgs;
use crate::codeobject::disassembly::{DecodeOptions, KernelNames};
use crate::error::{AuditError, NotUnderstood};
use crate::isa;
use crate::isa::class::{CLASSES, Class};
use crate::render::Format;
use crate::target::TargetId;
use crate::target::product::{Meant, Product};
use regex::Regex;
use std::path::PathBuf;

/// Whether a kernel of this name is meant.
type NameTest = Box<dyn Fn(&str) -> bool + Sync>;

/// What is wanted of machine code.
pub(super) struct Isa<'a> {
    targets: &'a [TargetId],
    /// The kernels whose own instructions are wanted.
    pub kernel: Option<NameTest>,
    /// What the mangled names of all of them contain, if that is known.
    part: Option<String>,
    legal_on: Option<&'a str>,
    listing: bool,
    inside: bool,
}

impl Isa<'_> {
    /// Whether a screen shows the wanted kernels only, so that no other code object has to be read for it.
    pub fn is_of_kernels_alone(&self) -> bool {
        self.kernel.is_some() && self.legal_on.is_none()
    }

    pub fn options(&self) -> DecodeOptions<'_> {
        DecodeOptions {
            targets: self.targets,
            histograms: self
                .kernel
                .as_deref()
                .map(|kernel| KernelNames::new(kernel).containing(self.part.as_deref())),
            legal_on: self.legal_on,
            listing: self.listing,
            code: self.inside,
            ..DecodeOptions::default()
        }
    }
}

/// Whether to decode machine code, and for which kernels. What follows `--isa` is a file if no other file is
/// named.
pub(super) fn wanted<'a>(
    args: &'a Args,
    files: &[PathBuf],
    targets: &'a [TargetId],
) -> Result<Option<Isa<'a>>, AuditError> {
    let legal_on = args.legal_on.as_deref();
    let Some(word) = &args.isa else {
        let wanted = legal_on.is_some() || !args.isa_class.is_empty();
        return Ok(wanted.then_some(Isa {
            targets,
            kernel: None,
            part: None,
            legal_on,
            listing: false,
            inside: false,
        }));
    };
    let is_file = args.files.is_empty() && files.iter().any(|file| file.starts_with(word));
    let (kernel, part): (Option<NameTest>, _) = match word.as_str() {
        "" => (None, None),
        _ if is_file => (None, None),
        text => {
            let pattern = Regex::new(text).map_err(|e| AuditError::Usage(format!("--isa: {e}")))?;
            (Some(Box::new(move |name| pattern.is_match(name))), name_part::of_pattern(text))
        }
    };
    if legal_on.is_some() && kernel.is_some() {
        let what = "--legal-on looks at all code of the files: leave the name of kernels out of --isa, or leave out --legal-on";
        return Err(AuditError::Usage(what.into()));
    }
    if args.listing && kernel.is_none() {
        let what = "--listing shows the instructions of kernels: name them, as in --isa=mul_mat_q --listing";
        return Err(AuditError::Usage(what.into()));
    }
    if args.inside && kernel.is_none() {
        let what = "--inside looks into kernels: name them, as in --isa=mul_mat_q --inside";
        return Err(AuditError::Usage(what.into()));
    }
    Ok(Some(Isa { targets, kernel, part, legal_on, listing: args.listing, inside: args.inside }))
}

/// What is beside what.
#[derive(Debug, Clone)]
pub(super) enum Pair<'a> {
    Targets(&'a TargetId, &'a TargetId),
    /// By the names that a reader tells them apart by.
    Files([String; 2]),
}

/// The two targets, or the two files, whose kernels are compared.
pub(super) fn pair<'a>(
    args: &'a Args,
    isa: Option<&Isa<'_>>,
    files: &[PathBuf],
    global: &'a GlobalArgs,
) -> Result<Option<Pair<'a>>, AuditError> {
    let option = match (&args.vs, &args.vs_file) {
        (Some(there), _) => format!("--vs {there}"),
        (None, Some(file)) => format!("--vs-file {}", file.display()),
        (None, None) => return Ok(None),
    };
    let refuse = |what: String| Err(AuditError::Usage(format!("{option}{what}")));
    if isa.is_none_or(|isa| isa.kernel.is_none()) {
        return refuse(format!(" compares kernels: name them, as in --isa=mul_mat_q {option}"));
    }
    if global.outputs()?.iter().any(|(_, format)| *format == Format::Jsonl) && global.arch.len() < 2 {
        return refuse(": there is no kernel inventory of it; use -f json".to_owned());
    }
    if let Some(other) = &args.vs_file {
        return match files {
            [own] => Ok(Some(Pair::Files(told_apart([own, other])))),
            _ => refuse(format!(": name the one file that it is beside; {} are named", files.len())),
        };
    }
    let Some(there) = &args.vs else { return Ok(None) };
    match &global.arch[..] {
        [here] if here == there => refuse(": this is the target of --arch, too; name another".to_owned()),
        [here] => Ok(Some(Pair::Targets(here, there))),
        _ => refuse(": name the one target that it is beside, with --arch or --gpu".to_owned()),
    }
}

/// The shortest ends of two paths that are different.
fn told_apart(paths: [&PathBuf; 2]) -> [String; 2] {
    let parts = paths.map(|path| path.components().collect::<Vec<_>>());
    let most = parts[0].len().max(parts[1].len());
    let ends = |count: usize| {
        [0, 1].map(|side| {
            let all = &parts[side];
            let end: PathBuf = all.iter().skip(all.len().saturating_sub(count)).collect();
            end.to_string_lossy().into_owned()
        })
    };
    (1..=most).map(ends).find(|[own, other]| own != other).unwrap_or_else(|| ends(most))
}

/// A class of instructions by its name.
pub(super) fn class(text: &str) -> Result<&'static Class, NotUnderstood> {
    let known = || CLASSES.iter().map(|class| class.id).collect::<Vec<_>>().join(", ");
    Class::by_id(text.trim())
        .map(|(_, class)| class)
        .ok_or_else(|| format!("no such class; there are {}", known()).into())
}

/// A processor whose instructions are known.
pub(in crate::cli) fn decodable(text: &str) -> Result<String, NotUnderstood> {
    let processor = match (TargetId::parse(text), Product::meant(text)) {
        (Some(target), _) => target.processor,
        (None, Meant::Products(products)) => {
            products.first().map_or_else(|| text.to_owned(), |product| product.processor().to_owned())
        }
        (None, _) => text.to_owned(),
    };
    match isa::processor::Isa::by_name(&processor) {
        Some(_) => Ok(processor),
        None => {
            let known = isa::processor::all().iter().map(|isa| isa.name);
            let lower = processor.to_ascii_lowercase();
            let mut similar = crate::cli::similar(&lower, known.clone());
            similar.retain(|name| name.starts_with(&lower));
            match similar.is_empty() {
                true => Err(format!(
                    "the instructions of {text} are not known; known are those of {}",
                    known.collect::<Vec<_>>().join(", ")
                )
                .into()),
                false => {
                    Err(format!("the instructions of {text} are not known{}", crate::cli::meant(&similar))
                        .into())
                }
            }
        }
    }
}
