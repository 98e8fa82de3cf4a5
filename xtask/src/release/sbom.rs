//! The bill of materials, CycloneDX 1.5 in JSON: <https://cyclonedx.org/docs/1.5/json/>.

use super::dependency::Dependency;
use super::product::Product;
use crate::ci::vendored::Native;
use anyhow::{Context as _, Result};
use serde_json::{Value, json};

/// The document for a platform. It has no serial number, which would be another one each time.
///
/// # Errors
/// The program is not among its own dependencies.
pub(super) fn document(product: &Product, target: &str, all: &[Dependency]) -> Result<Value> {
    let own =
        all.iter().find(|own| own.name == product.name).context("the program is not in its own list")?;
    let mut components = Vec::new();
    let mut graph = Vec::new();
    for one in all {
        let natives: Vec<Value> = one.native.iter().map(|part| native(one, part)).collect();
        let mut needs = one.needs.clone();
        needs.extend(natives.iter().filter_map(|part| part["bom-ref"].as_str().map(str::to_owned)));
        graph.push(json!({ "ref": one.purl(), "dependsOn": needs }));
        graph.extend(natives.iter().map(|part| json!({ "ref": part["bom-ref"], "dependsOn": [] })));
        if one.name != own.name {
            components.push(component(one));
        }
        components.extend(natives);
    }
    let mut about = component(own);
    about["type"] = json!("application");
    about["properties"] = json!([{ "name": "rust:target", "value": target }]);
    Ok(json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": product.date(),
            "tools": { "components": [{ "type": "application", "name": "cargo xtask release", "version": product.version }] },
            "component": about,
        },
        "components": components,
        "dependencies": graph,
    }))
}

fn component(one: &Dependency) -> Value {
    let mut all = json!({
        "type": "library",
        "bom-ref": one.purl(),
        "name": one.name,
        "version": one.version,
        "description": one.description,
        // What only makes code is not in the program.
        "scope": if one.is_macro { "excluded" } else { "required" },
        "purl": one.purl(),
    });
    if let Some(licence) = &one.licence {
        // Older manifests write a slash where SPDX has OR.
        all["licenses"] =
            json!([{ "expression": licence.split('/').map(str::trim).collect::<Vec<_>>().join(" OR ") }]);
    }
    if let Some(digest) = &one.digest {
        all["hashes"] = json!([{ "alg": "SHA-256", "content": digest }]);
    }
    if let Some(address) = &one.repository {
        all["externalReferences"] = json!([{ "type": "vcs", "url": address }]);
    }
    all
}

fn native(one: &Dependency, part: &Native) -> Value {
    let purl = format!("pkg:generic/{}@{}", part.name.to_lowercase(), part.version);
    json!({
        "type": "library",
        "bom-ref": purl,
        "name": part.name,
        "version": part.version,
        "description": format!("C code in {} {}", one.name, one.version),
        "scope": "required",
        "licenses": [{ "expression": part.licence }],
        "purl": purl,
    })
}
