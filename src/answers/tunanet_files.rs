//! MIOpen's models in a folder of databases: TunaNet's, read only after a miss, and those that choose a
//! kernel's parameters.

use crate::engines::miopen::folder::DatabaseFolder;
use crate::engines::miopen::model_name::{MOST_BYTES, ModelPart};
use crate::engines::miopen::solver::convolution::AskedFiles;
use crate::engines::miopen::solver::model_file;
use crate::engines::miopen::solver::tunanet::{ModelFiles, files_of};
use crate::engines::miopen::solver::tunanet_model::TunaNet;
use crate::engines::miopen::solver::tuning;
use crate::engines::miopen::solver::tuning_model::TuningModel;
use std::sync::OnceLock;

/// The model of one device.
#[derive(Debug, Default)]
pub(super) struct TunaNetFiles {
    folder: Option<DatabaseFolder>,
    /// Whether the tree has MIOpen's library, which would lie next to its models.
    has_library: bool,
    read: OnceLock<Read>,
}

#[derive(Debug)]
enum Read {
    Missing,
    LaterForm,
    Broken(String),
    Here(Box<TunaNet>),
}

impl TunaNetFiles {
    pub(super) fn in_folder(folder: Option<DatabaseFolder>, has_library: bool) -> TunaNetFiles {
        TunaNetFiles { folder, has_library, read: OnceLock::new() }
    }
}

impl AskedFiles for TunaNetFiles {
    fn model(&self, processor: &'static str) -> ModelFiles<'_> {
        let Some(folder) = &self.folder else {
            return if self.has_library { ModelFiles::Missing } else { ModelFiles::NotLookedFor };
        };
        match self.read.get_or_init(|| read(folder, processor)) {
            Read::Missing => ModelFiles::Missing,
            Read::LaterForm => ModelFiles::LaterForm,
            Read::Broken(why) => ModelFiles::Broken(why),
            Read::Here(net) => ModelFiles::Here(net),
        }
    }
}

fn read(folder: &DatabaseFolder, processor: &str) -> Read {
    let files = files_of(processor);
    if !files.iter().all(|file| folder.place.has(file)) {
        return Read::Missing;
    }
    let [layers, metadata] = files.map(|file| {
        let opened = folder.place.open(&file).map_err(|error| format!("{file}: {error}"))?;
        if opened.bytes().len() > MOST_BYTES {
            return Err(format!("{file}: larger than any model"));
        }
        Ok(opened)
    });
    if metadata.as_ref().is_ok_and(|file| model_file::has_later_form(file.bytes())) {
        return Read::LaterForm;
    }
    let net = layers.and_then(|layers| {
        let metadata = metadata?;
        let read = TunaNet::read(processor, layers.bytes(), metadata.bytes());
        read.map_err(|fault| {
            let [layers, metadata] = files_of(processor);
            let file = if fault.part == ModelPart::Metadata { metadata } else { layers };
            format!("{file}, {fault}")
        })
    });
    net.map_or_else(Read::Broken, |net| Read::Here(Box::new(net)))
}

/// The model that chooses the parameters of a solver's kernel, read when it is first asked for.
#[derive(Debug, Default)]
pub(super) struct TuningModelFiles<'f> {
    folder: Option<&'f DatabaseFolder>,
    read: OnceLock<Option<TuningModel>>,
}

impl<'f> TuningModelFiles<'f> {
    pub(super) fn of_folder(folder: Option<&'f DatabaseFolder>) -> Self {
        TuningModelFiles { folder, read: OnceLock::new() }
    }

    /// The model of a solver; `None` where the solver has none, or its files are not there or not usable.
    pub(super) fn read(&self, solver: &str) -> Option<&TuningModel> {
        let folder = self.folder.filter(|_| solver == tuning::SOLVER)?;
        self.read.get_or_init(|| read_tuning_model(folder)).as_ref()
    }
}

fn read_tuning_model(folder: &DatabaseFolder) -> Option<TuningModel> {
    let open = |file: &String| {
        let opened = folder.place.open(file).ok()?;
        (opened.bytes().len() <= MOST_BYTES).then_some(opened)
    };
    let files = tuning::files_of(tuning::PROCESSOR)?;
    let [metadata, encoder, decoder] = &files;
    TuningModel::read(open(metadata)?.bytes(), open(encoder)?.bytes(), open(decoder)?.bytes()).ok()
}
