//! Notebooks of docs as pages of the book: text, code, what the code printed, and its pictures, as they are
//! stored. The tests of the Python module run them.

use anyhow::{Context as _, Result};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

/// Writes a page, and its pictures beside it, for each notebook of a folder.
pub(super) fn write(folder: &Path) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_none_or(|end| end != "ipynb") {
            continue;
        }
        let stem = path.file_stem().context("a notebook has no name")?.to_string_lossy().into_owned();
        let notebook: Value = serde_json::from_str(&std::fs::read_to_string(&path)?)
            .with_context(|| path.display().to_string())?;
        let (text, pictures) = page(&notebook, &stem).with_context(|| path.display().to_string())?;
        std::fs::write(folder.join(format!("{stem}.md")), text)?;
        for (name, picture) in pictures {
            std::fs::write(folder.join(name), picture)?;
        }
    }
    Ok(())
}

/// The page, and pictures by name.
fn page(notebook: &Value, stem: &str) -> Result<(String, Vec<(String, String)>)> {
    let (mut text, mut pictures) = (String::new(), Vec::new());
    for cell in notebook["cells"].as_array().context("no cells")? {
        let source = lines(&cell["source"]);
        if cell["cell_type"] == "markdown" {
            writeln!(text, "{source}\n")?;
            if text.lines().count() == source.lines().count() + 1 {
                writeln!(text, "This page is a notebook: [{stem}.ipynb]({stem}.ipynb).\n")?;
            }
            continue;
        }
        writeln!(text, "```python\n{source}\n```\n")?;
        for output in cell["outputs"].as_array().into_iter().flatten() {
            let picture = lines(&output["data"]["image/svg+xml"]);
            if output["output_type"] == "stream" {
                writeln!(text, "```text\n{}\n```\n", lines(&output["text"]).trim_end())?;
            } else if picture.is_empty() {
                writeln!(text, "```text\n{}\n```\n", lines(&output["data"]["text/plain"]))?;
            } else {
                let name = format!("{stem}-{}.svg", pictures.len() + 1);
                // What the picture shows is in the table before it.
                writeln!(text, "![The table above, drawn]({name})\n")?;
                pictures.push((name, picture));
            }
        }
    }
    Ok((text, pictures))
}

/// A text of a notebook: one string, or its lines.
fn lines(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_notebook_is_a_page_with_what_its_cells_printed() {
        let notebook = json!({ "cells": [
            { "cell_type": "markdown", "source": ["# Title\n", "words"] },
            { "cell_type": "code", "source": "print(1)", "outputs": [{ "output_type": "stream", "text": ["1\n"] }] },
            { "cell_type": "code", "source": "draw()", "outputs": [
                { "output_type": "display_data", "data": { "image/svg+xml": ["<svg>\n", "</svg>"], "text/plain": "Figure" } },
            ] },
        ] });
        let (text, pictures) = page(&notebook, "n").unwrap();
        assert_eq!(
            text,
            "# Title\nwords\n\nThis page is a notebook: [n.ipynb](n.ipynb).\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n\n\
             ```python\ndraw()\n```\n\n![The table above, drawn](n-1.svg)\n\n"
        );
        assert_eq!(pictures, [("n-1.svg".to_owned(), "<svg>\n</svg>".to_owned())]);
    }

    #[test]
    fn the_notebooks_have_a_title_pictures_and_no_cell_without_a_run() {
        let folder = crate::command::project().join("docs/notebooks");
        let mut drawn = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let notebook: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            let (text, pictures) = page(&notebook, "n").unwrap();
            assert!(text.starts_with("# "), "{}", path.display());
            for cell in
                notebook["cells"].as_array().unwrap().iter().filter(|cell| cell["cell_type"] == "code")
            {
                assert!(cell["execution_count"].is_u64(), "{}: {cell:#}", path.display());
            }
            drawn += pictures.len();
        }
        assert!(drawn > 1);
    }
}
