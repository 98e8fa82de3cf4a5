//! The files of a model: which belong together, and what their headers state.

use crate::budget::ModelBudget;
use crate::engines::ggml::types::Type;
use crate::engines::model::config::Config;
use crate::engines::model::conversion::{Conversion, convert};
use crate::engines::model::families::Becomes;
use crate::engines::model::gguf::{self, Header};
use crate::engines::model::network::Network;
use crate::engines::model::safetensors;
use crate::error::{AuditError, ParseError};
use crate::finding::Finding;
use crate::finding::rules::answer::{MODEL_CONFIG_MISSING, MODEL_PART_MISSING, MODEL_QUANTIZATION_REFUSED};
use crate::source::SourceFile;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A model read from its files.
#[derive(Debug)]
pub struct ModelFiles {
    /// What the files state together.
    pub network: Network,
    /// The files' paths as reports show them.
    pub shown: Vec<String>,
    /// Problems found while reading.
    pub problems: Vec<Finding>,
    /// Whether no file contains the data of the weights.
    pub is_header_only: bool,
    /// What the converter would make of them; `None` for GGUF files, which llama.cpp reads directly.
    pub conversion: Option<Conversion>,
}

/// Most files that one model is split into.
const PARTS: u32 = 1000;

/// Most entries of a folder to search for a model's files.
const ENTRIES: usize = 100_000;

/// The index of a model split into several safetensors files.
const INDEX: &str = "model.safetensors.index.json";

/// Size limit for an index in bytes; real ones have some hundred thousand.
const LARGEST_INDEX: u64 = 64 << 20;

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

/// Whether a path is a model: a GGUF or safetensors file, or a folder that contains safetensors files.
pub fn is_model(path: &Path) -> bool {
    if path.is_dir() {
        return path.join(INDEX).is_file() || !safetensors_of(path).is_empty();
    }
    path.is_file()
        && (has_extension(path, "gguf")
            || has_extension(path, "safetensors")
            || SourceFile::open(path).is_ok_and(|file| file.head().starts_with(gguf::MAGIC)))
}

/// The safetensors files in a folder, by name. If any is named `model…`, only those: others are adapters, or
/// the same weights in another form.
fn safetensors_of(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.take(ENTRIES).filter_map(|entry| Some(entry.ok()?.path()));
    let mut all: Vec<PathBuf> = paths.filter(|path| has_extension(path, "safetensors")).collect();
    all.sort_rows();
    let of_model =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("model"));
    if all.iter().any(of_model) {
        all.retain(of_model);
    }
    all
}

/// All files of a split model, given the path of one: `NAME-00001-of-00003.gguf`.
fn parts_of(path: &Path) -> Option<Vec<PathBuf>> {
    let name = path.file_name()?.to_str()?;
    let (name, extension) = name.rsplit_once('.')?;
    let (front, count) = name.rsplit_once("-of-")?;
    let (front, _) = front.rsplit_once('-').filter(|(_, number)| number.len() == count.len())?;
    let parts: u32 = count.parse().ok().filter(|parts| (2..=PARTS).contains(parts))?;
    let width = count.len();
    let part = |number: u32| path.with_file_name(format!("{front}-{number:0width$}-of-{count}.{extension}"));
    Some((1..=parts).map(part).filter(|path| path.is_file()).collect())
}

impl ModelFiles {
    /// Reads a model of its files; `ty` is the type that safetensors files are converted to, without it their
    /// own. Of a model that is split, one file is enough; a folder stands for the safetensors files in it.
    ///
    /// # Errors
    /// If a file cannot be opened, or files of both kinds are named.
    pub fn read(paths: &[PathBuf], ty: Option<Type>) -> Result<Self, AuditError> {
        let is_other = |path: &&PathBuf| path.is_dir() || has_extension(path, "safetensors");
        match paths.iter().filter(is_other).count() {
            0 => ModelFiles::of_gguf(paths),
            some if some == paths.len() => ModelFiles::of_safetensors(paths, ty),
            _ => Err(AuditError::Usage("model: name files of one model, either GGUF or safetensors".into())),
        }
    }

    fn of_gguf(paths: &[PathBuf]) -> Result<Self, AuditError> {
        let of_one = if let [one] = paths { parts_of(one) } else { None };
        let (mut headers, mut shown, mut problems) = (Vec::new(), Vec::new(), Vec::new());
        let mut budget = ModelBudget::default();
        for path in of_one.as_deref().unwrap_or(paths) {
            let file = open(path)?;
            let header = gguf::read_within(file.bytes(), &mut budget);
            let name = file.locator().shown();
            problems.extend(Finding::all_of_bytes(&name, &header.problems));
            headers.push(header);
            shown.push(name);
        }
        let network = Network::taking(&mut headers);
        problems.extend(missing(&shown, shown.len() as u64, network.files_announced));
        let is_header_only = headers.iter().any(|header: &Header| header.is_header_only);
        Ok(ModelFiles { network, shown, problems, is_header_only, conversion: None })
    }

    fn of_safetensors(paths: &[PathBuf], ty: Option<Type>) -> Result<Self, AuditError> {
        let mut problems = Vec::new();
        let (mut files, mut announced) = (Vec::new(), 0);
        for path in paths {
            let folder = if path.is_dir() { path.as_path() } else { path.parent().unwrap_or(Path::new("")) };
            let indexed = index_of(folder, &mut problems)?;
            let is_indexed = path.is_dir()
                || path.file_name().is_some_and(|name| indexed.contains(name.to_string_lossy().as_ref()));
            if is_indexed && !indexed.is_empty() {
                announced = announced.max(indexed.len() as u64);
                files.extend(indexed.iter().map(|name| folder.join(name)).filter(|path| path.is_file()));
            } else if path.is_dir() {
                files.extend(safetensors_of(folder));
            } else {
                files.extend(parts_of(path).unwrap_or_else(|| vec![path.clone()]));
            }
        }
        let mut seen = BTreeSet::new();
        files.retain(|path| seen.insert(path.clone()));
        let (mut shown, mut tensors, mut is_header_only) = (Vec::new(), Vec::new(), false);
        let mut budget = ModelBudget::default();
        for path in &files {
            let file = open(path)?;
            let header = safetensors::read_within(file.bytes(), &mut budget);
            let name = file.locator().shown();
            problems.extend(Finding::all_of_bytes(&name, &header.problems));
            is_header_only |= header.is_header_only;
            tensors.extend(header.tensors);
            shown.push(name);
        }
        problems.extend(missing(&shown, files.len() as u64, announced));
        let beside = paths.first().map(|path| match path.is_dir() {
            true => path.join("config.json"),
            false => path.with_file_name("config.json"),
        });
        let config = match beside.filter(|path| path.is_file()) {
            Some(path) => {
                let file = open(&path)?;
                let config = Config::read(file.bytes());
                problems.extend(Finding::all_of_bytes(&file.locator().shown(), &config.problems));
                shown.push(file.locator().shown());
                config
            }
            None => {
                let first = shown.first().map_or("", String::as_str);
                problems.push(Finding::of_file(&MODEL_CONFIG_MISSING, first, ""));
                Config::default()
            }
        };
        let conversion = convert(&tensors, &config, ty).map_err(malformed)?;
        // The converted names take as much again.
        drop(tensors);
        if let Some((method, Some(Becomes::Refused) | None)) = &conversion.quantized {
            let first = shown.last().map_or("", String::as_str);
            let detail = format!("the weights are quantized by {method}");
            problems.push(Finding { detail, ..Finding::of_file(&MODEL_QUANTIZATION_REFUSED, first, "") });
        }
        let mut network = Network::from_headers(std::slice::from_ref(&conversion.header));
        if network.name.is_none() {
            let folder = paths
                .first()
                .and_then(|path| if path.is_dir() { Some(path.as_path()) } else { path.parent() });
            network.name = folder.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        }
        Ok(ModelFiles { network, shown, problems, is_header_only, conversion: Some(conversion) })
    }
}

fn malformed(what: &str) -> AuditError {
    AuditError::Internal(format!("the rules of models: {what}"))
}

fn open(path: &Path) -> Result<SourceFile, AuditError> {
    SourceFile::open(path).map_err(|e| AuditError::io("read", path, e))
}

fn missing(shown: &[String], here: u64, announced: u64) -> Option<Finding> {
    (announced > here).then(|| Finding {
        detail: format!("{here} of {announced} files are here"),
        ..Finding::of_file(&MODEL_PART_MISSING, shown.first().map_or("", String::as_str), "")
    })
}

/// The files that a folder's index names; empty without an index.
fn index_of(folder: &Path, problems: &mut Vec<Finding>) -> Result<BTreeSet<String>, AuditError> {
    #[derive(serde::Deserialize)]
    struct Index {
        weight_map: std::collections::BTreeMap<String, String>,
    }
    let path = folder.join(INDEX);
    if !path.is_file() {
        return Ok(BTreeSet::new());
    }
    let file = open(&path)?;
    if file.len() > LARGEST_INDEX {
        let what = format!("the index has {} bytes; at most {LARGEST_INDEX} are read", file.len());
        problems.push(Finding::of_bytes(&file.locator().shown(), ParseError::new(0, what)));
        return Ok(BTreeSet::new());
    }
    match serde_json::from_slice::<Index>(file.bytes()) {
        // Ignores names that lead out of the folder.
        Ok(index) => {
            let is_beside =
                |name: &String| Path::new(name).components().count() == 1 && !name.starts_with('.');
            Ok(index.weight_map.into_values().filter(is_beside).take(PARTS as usize).collect())
        }
        Err(error) => {
            problems.push(Finding::of_bytes(
                &file.locator().shown(),
                safetensors::json_problem(file.bytes(), &error),
            ));
            Ok(BTreeSet::new())
        }
    }
}
