//! The types of reports for Python, from their JSON Schema: a dictionary is as its JSON.

use anyhow::{Context as _, Result, bail, ensure};
use rocm_audit::report::v1::Document;
use rocm_audit::report::v1::document;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The file that they stand in, below the root of the repository.
pub const FILE: &str = "bindings/python/python/rocm_audit/report.py";

/// Keywords of Python, as `keyword.kwlist` of 3.11 has them.
const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

const HEAD: &str = r#"# Written by `cargo xtask schema` from the schemas of documents; do not edit.
"""What the functions of `rocm_audit` give, for type checkers: dictionaries, as `docs/schema` has them."""

from __future__ import annotations

from typing import Literal, Optional, TypedDict, Union
"#;

/// The documents that functions of the module give, with the names of their types.
const DOCUMENTS: &[(Document, &str)] = &[
    (document::REPORT, "Report"),
    (document::VERDICT, "VerdictReport"),
    (document::CHECK, "CheckReport"),
    (document::CHOOSE, "ChooseReport"),
    (document::DIFF, "DiffReport"),
    (document::MANIFEST, "Manifest"),
    (document::NEEDS, "NeedsReport"),
    (document::EXPLAIN, "ExplainReport"),
    (document::EXPLAIN_WORD, "ExplainWordReport"),
    (document::SURVEY, "SurveyReport"),
    (document::SELECT_GEMM, "GemmReport"),
    (document::SELECT_MATMUL, "MatmulReport"),
    (document::SELECT_CONV, "ConvReport"),
    (document::SELECT_ROUTE, "RouteReport"),
    (document::MODEL, "ModelReport"),
    (document::MODEL_GRAPH, "ModelGraphReport"),
];

/// The module for the schemas of documents.
///
/// # Errors
/// Where a schema says something that is not understood, or two mean different things by one name.
pub fn module(schemas: &[(Document, Value)]) -> Result<String> {
    let mut text = HEAD.to_owned();
    let mut defined: BTreeMap<&str, &Value> = BTreeMap::new();
    for (document, name) in DOCUMENTS {
        let found = schemas.iter().find(|(own, _)| own == document);
        let (_, schema) = found.with_context(|| format!("{name}: no schema"))?;
        for (own, definition) in schema["$defs"].as_object().into_iter().flatten() {
            // A document within another one has its own row.
            if DOCUMENTS.iter().any(|(_, name)| name == own) {
                continue;
            }
            match defined.insert(own, definition) {
                None => define(&mut text, own, definition).with_context(|| own.clone())?,
                Some(before) => {
                    ensure!(before == definition, "{own}: two documents mean different things by it")
                }
            }
        }
        define(&mut text, name, schema)?;
    }
    Ok(text)
}

fn define(text: &mut String, name: &str, schema: &Value) -> Result<()> {
    let about = schema["description"].as_str().unwrap_or_default();
    let Some(fields) = schema["properties"].as_object() else {
        write!(text, "\n#: {about}\n{name} = {}\n", kind(schema)?)?;
        return Ok(());
    };
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let (always, sometimes): (Vec<_>, Vec<_>) =
        fields.iter().partition(|(field, _)| required.contains(&field.as_str()));
    // Python 3.9 has no word for one field that may be left out.
    if sometimes.is_empty() {
        return class(text, name, "TypedDict", about, &always);
    }
    class(text, &format!("_{name}"), "TypedDict", "What is always there.", &always)?;
    class(text, name, &format!("_{name}, total=False"), about, &sometimes)
}

fn class(text: &mut String, name: &str, of: &str, about: &str, fields: &[(&String, &Value)]) -> Result<()> {
    let is_identifier =
        |field: &str| !KEYWORDS.contains(&field) && field.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !fields.iter().all(|(field, _)| is_identifier(field)) {
        if of != "TypedDict" {
            bail!("{name}: a field that may be left out has a name that Python has no place for");
        }
        // No field of a class can have such a name. Types have double quotes in them.
        write!(text, "\n\n#: {about}\n{name} = TypedDict(\n    \"{name}\",\n    {{\n")?;
        for (field, schema) in fields {
            writeln!(text, "        \"{field}\": '{}',", kind(schema).with_context(|| (*field).clone())?)?;
        }
        text.push_str("    },\n)\n");
        return Ok(());
    }
    write!(text, "\n\nclass {name}({of}):\n    \"\"\"{}\"\"\"\n", about.replace('\\', "\\\\"))?;
    if !fields.is_empty() {
        text.push('\n');
    }
    for (field, schema) in fields {
        for line in schema["description"].as_str().unwrap_or_default().lines() {
            writeln!(text, "    #: {line}")?;
        }
        writeln!(text, "    {field}: {}", kind(schema).with_context(|| (*field).clone())?)?;
    }
    Ok(())
}

/// The type of a value.
fn kind(schema: &Value) -> Result<String> {
    if let Some(name) = schema["$ref"].as_str() {
        return Ok(name.rsplit('/').next().unwrap_or(name).to_owned());
    }
    if let Some(constant) = schema.get("const") {
        return Ok(format!("Literal[{}]", literal(constant)?));
    }
    if let Some(all) = schema["enum"].as_array() {
        let all: Result<Vec<String>> = all.iter().map(literal).collect();
        return Ok(format!("Literal[{}]", all?.join(", ")));
    }
    for several in ["oneOf", "anyOf"] {
        if let Some(all) = schema[several].as_array() {
            let all: Result<Vec<String>> = all.iter().map(kind).collect();
            return Ok(union(all?));
        }
    }
    match &schema["type"] {
        Value::String(word) => of_word(word, schema),
        Value::Array(words) => {
            let all: Result<Vec<String>> =
                words.iter().filter_map(Value::as_str).map(|word| of_word(word, schema)).collect();
            Ok(union(all?))
        }
        _ => bail!("no type is known for {schema}"),
    }
}

fn of_word(word: &str, schema: &Value) -> Result<String> {
    Ok(match word {
        "string" => "str".to_owned(),
        "integer" => "int".to_owned(),
        "number" => "float".to_owned(),
        "boolean" => "bool".to_owned(),
        "null" => "None".to_owned(),
        "array" if schema.get("items").is_some() => format!("list[{}]", kind(&schema["items"])?),
        "object" => match schema.get("additionalProperties") {
            Some(values) if values.is_object() => format!("dict[str, {}]", kind(values)?),
            // What an enum of Rust holds, under its name.
            _ => of_fields(schema["properties"].as_object().context("an object without fields")?)?,
        },
        _ => bail!("{word}: not a type that is known"),
    })
}

fn of_fields(fields: &Map<String, Value>) -> Result<String> {
    let values: Result<Vec<String>> = fields.values().map(kind).collect();
    Ok(format!("dict[str, {}]", union(values?)))
}

/// One of several types; literals go together.
fn union(all: Vec<String>) -> String {
    let inner =
        |kind: &str| kind.strip_prefix("Literal[").and_then(|rest| rest.strip_suffix(']')).map(str::to_owned);
    let words: Vec<String> = all.iter().filter_map(|kind| inner(kind)).collect();
    let mut rest: Vec<String> =
        all.iter().filter(|kind| inner(kind).is_none() && *kind != "None").cloned().collect();
    if !words.is_empty() {
        rest.insert(0, format!("Literal[{}]", words.join(", ")));
    }
    rest.dedup();
    let one = match &rest[..] {
        [one] => one.clone(),
        several => format!("Union[{}]", several.join(", ")),
    };
    if all.iter().any(|kind| kind == "None") { format!("Optional[{one}]") } else { one }
}

fn literal(value: &Value) -> Result<String> {
    value.as_str().map(|word| format!("{word:?}")).context("a constant that is no text")
}
