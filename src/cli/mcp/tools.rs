//! The tools: one table of names, arguments and what answers them.

use super::{NO_ARGUMENT, Refusal};
use crate::asked::AskedCard;
use crate::cli::{STDIN, must_exist};
use crate::error::AuditError;
use crate::question::{
    AuditQuestion, ChooseQuestion, DiffQuestion, LogQuestion, ManifestQuestion, Question as _, Trees,
    explain_word,
};
use crate::report;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// A tool.
pub(super) struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it answers.
    about: &'static str,
    /// Its arguments: name, whether it is a list, whether it is needed, what it is.
    arguments: &'static [(&'static str, bool, bool, &'static str)],
    answer: fn(&Arguments<'_>) -> Result<Value, Refusal>,
}

const PATHS: (&str, bool, bool, &str) =
    ("paths", true, true, "Files and folders: environments, wheels, packages, libraries, images");
const GPU: (&str, bool, bool, &str) =
    ("gpu", false, true, "A card by name (RX 6600, MI300X) or a processor (gfx1032)");

/// All tools, in the order of lists.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "verdict",
        about: "Whether files run on an AMD GPU, and why not: by library, from their bytes.",
        arguments: &[GPU, PATHS],
        answer: verdict,
    },
    Tool {
        name: "explain",
        about: "What a message or log of ROCm means and what to do; or what a word means: a rule, a target, a solver.",
        arguments: &[
            ("text", false, true, "The message, log or word"),
            ("paths", true, false, "Files and folders that the log is held against"),
        ],
        answer: explain,
    },
    Tool {
        name: "choose",
        about: "Which of several wheels, packages or libraries runs on a card, best first, with the install line.",
        arguments: &[
            GPU,
            (
                "paths",
                true,
                true,
                "Candidates: artifacts, folders of them, manifests, lock files, reports of pip",
            ),
        ],
        answer: choose,
    },
    Tool {
        name: "diff",
        about: "What changed between two trees, packages or saved reports, what got worse first.",
        arguments: &[
            ("old", false, true, "The old tree, package, library or report"),
            ("new", false, true, "The new one"),
        ],
        answer: diff,
    },
    Tool {
        name: "manifest",
        about: "What one artifact can do on each processor.",
        arguments: &[("path", false, true, "The artifact")],
        answer: manifest,
    },
];

impl Tool {
    /// What `tools/list` says of it.
    pub(super) fn described(&self) -> Value {
        let property = |is_list: bool, about: &str| match is_list {
            true => {
                json!({"type": "array", "items": {"type": "string"}, "minItems": 1, "description": about})
            }
            false => json!({"type": "string", "description": about}),
        };
        let properties: Map<String, Value> = self
            .arguments
            .iter()
            .map(|(name, is_list, _, about)| ((*name).to_owned(), property(*is_list, about)))
            .collect();
        let needed: Vec<&str> =
            self.arguments.iter().filter(|(_, _, is_needed, _)| *is_needed).map(|(name, ..)| *name).collect();
        json!({
            "name": self.name,
            "description": self.about,
            "inputSchema": {
                "type": "object",
                "properties": properties,
                "required": needed,
                "additionalProperties": false,
            },
            "annotations": {"readOnlyHint": true, "openWorldHint": false},
        })
    }

    /// Its answer: a document.
    pub(super) fn call(&self, arguments: &Value) -> Result<Value, Refusal> {
        let none = Map::new();
        let given = match arguments {
            Value::Null => &none,
            Value::Object(given) => given,
            _ => return Err(Refusal::new(NO_ARGUMENT, format!("{}: arguments are an object", self.name))),
        };
        let is_known = |name: &str| self.arguments.iter().any(|(own, ..)| *own == name);
        if let Some(unknown) = given.keys().find(|name| !is_known(name)) {
            let known: Vec<&str> = self.arguments.iter().map(|(own, ..)| *own).collect();
            let what =
                format!("{}: there is no argument {unknown:?}; there are {}", self.name, known.join(", "));
            return Err(Refusal::new(NO_ARGUMENT, what));
        }
        (self.answer)(&Arguments { tool: self, given })
    }
}

/// The arguments of a call.
struct Arguments<'a> {
    tool: &'a Tool,
    given: &'a Map<String, Value>,
}

impl Arguments<'_> {
    fn wrong(&self, what: &str) -> Refusal {
        Refusal::new(NO_ARGUMENT, format!("{}: {what}", self.tool.name))
    }

    fn text(&self, name: &str) -> Result<&str, Refusal> {
        let word = self.given.get(name).and_then(Value::as_str);
        word.ok_or_else(|| self.wrong(&format!("{name} is missing, or no text")))
    }

    fn card(&self) -> Result<AskedCard, Refusal> {
        let word = self.text("gpu")?;
        AskedCard::from_word(word).map_err(|error| self.wrong(&error.to_string()))
    }

    /// The paths of a list, each of them there; none where the list may be left out.
    fn paths(&self, is_needed: bool) -> Result<Vec<PathBuf>, Refusal> {
        let list = match self.given.get("paths") {
            None if !is_needed => return Ok(Vec::new()),
            given => given.and_then(Value::as_array).filter(|list| !list.is_empty() || !is_needed),
        };
        let list = list.ok_or_else(|| self.wrong("paths is missing, or no list of texts"))?;
        let path = |value: &Value| {
            let word = value.as_str().ok_or_else(|| self.wrong("paths is no list of texts"))?;
            self.there(word)
        };
        list.iter().map(path).collect()
    }

    fn path(&self, name: &str) -> Result<PathBuf, Refusal> {
        self.there(self.text(name)?)
    }

    fn there(&self, word: &str) -> Result<PathBuf, Refusal> {
        let path = Path::new(word);
        if path == Path::new(STDIN) {
            return Err(self.wrong("standard input carries the messages; name a file"));
        }
        must_exist(path)?;
        Ok(path.to_owned())
    }
}

/// A document as JSON.
fn document(of: &impl Serialize) -> Result<Value, Refusal> {
    serde_json::to_value(of).map_err(|error| AuditError::Internal(error.to_string()).into())
}

fn verdict(arguments: &Arguments<'_>) -> Result<Value, Refusal> {
    let report = AuditQuestion::about([arguments.card()?]).ask(&Trees::at(arguments.paths(true)?))?;
    document(&report::verdicts(&report))
}

fn explain(arguments: &Arguments<'_>) -> Result<Value, Refusal> {
    let (text, paths) = (arguments.text("text")?, arguments.paths(false)?);
    if paths.is_empty()
        && let Some(report) = explain_word(text.trim())
    {
        return document(&report);
    }
    document(&LogQuestion::of_text(text).ask(&Trees::at(paths))?)
}

fn choose(arguments: &Arguments<'_>) -> Result<Value, Refusal> {
    let card = arguments.card()?;
    if card.target.has_features() {
        let what = format!("it answers for a processor, not for {}", card.target);
        return Err(arguments.wrong(&what));
    }
    document(&ChooseQuestion { card, system: None }.ask(&Trees::at(arguments.paths(true)?))?)
}

fn diff(arguments: &Arguments<'_>) -> Result<Value, Refusal> {
    let sides = [arguments.path("old")?, arguments.path("new")?];
    document(&DiffQuestion::default().ask(&Trees::at(sides))?)
}

fn manifest(arguments: &Arguments<'_>) -> Result<Value, Refusal> {
    document(&ManifestQuestion::default().ask(&Trees::at([arguments.path("path")?]))?)
}
