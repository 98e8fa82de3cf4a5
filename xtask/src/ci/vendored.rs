//! The job `vendored`: the C code that crates bring with them has the versions that docs/security.md names,
//! read from its own headers, and no crate brings native code that the page does not name.

use crate::command::{cargo, project, stdout};
use crate::job::Ended;
use anyhow::{Context as _, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// C code in a crate.
struct VendoredCode {
    /// As docs/security.md calls it.
    name: &'static str,
    package: &'static str,
    /// As an SPDX expression, from its own files.
    licence: &'static str,
    /// The file in the crate with its text; SQLite is given away with a blessing, which asks for nothing.
    text: Option<&'static str>,
    /// The header in the crate that says its version; empty where the code has none but that of the crate.
    header: &'static str,
    /// What stands before the version, or before each of its numbers.
    defines: &'static [&'static str],
}

const PARTS: &[VendoredCode] = &[
    VendoredCode {
        name: "SQLite",
        package: "libsqlite3-sys",
        licence: "blessing",
        text: None,
        header: "sqlite3/sqlite3.h",
        defines: &["SQLITE_VERSION"],
    },
    VendoredCode {
        name: "xz",
        package: "liblzma-sys",
        licence: "0BSD",
        text: Some("xz/COPYING.0BSD"),
        header: "xz/src/liblzma/api/lzma/version.h",
        defines: &["LZMA_VERSION_MAJOR", "LZMA_VERSION_MINOR", "LZMA_VERSION_PATCH"],
    },
    VendoredCode {
        name: "zstd",
        package: "zstd-sys",
        licence: "BSD-3-Clause OR GPL-2.0-only",
        text: Some("zstd/LICENSE"),
        header: "zstd/lib/zstd.h",
        defines: &["ZSTD_VERSION_MAJOR", "ZSTD_VERSION_MINOR", "ZSTD_VERSION_RELEASE"],
    },
    // Of programs that are linked with musl: the allocator.
    VendoredCode {
        name: "mimalloc",
        package: "libmimalloc-sys",
        licence: "MIT",
        text: Some("c_src/mimalloc/v3/LICENSE"),
        header: "c_src/mimalloc/v3/include/mimalloc.h",
        defines: &["MI_MALLOC_VERSION"],
    },
    VendoredCode {
        name: "BoringSSL's cryptography",
        package: "ring",
        licence: "Apache-2.0 AND ISC",
        text: Some("LICENSE-BoringSSL"),
        header: "",
        defines: &[],
    },
];

/// Crates that use the key `links` of a manifest for something else than native code of their own (PyO3 is
/// linked with the interpreter), or are built for WebAssembly only.
const WITHOUT_C: &[&str] =
    &["prettyplease", "pyo3", "pyo3-ffi", "rayon-core", "sqlite-wasm-rs", "wasm-bindgen-shared"];

pub(super) fn run() -> Result<Ended> {
    let mut command = cargo();
    command.args(["metadata", "--format-version", "1", "--locked", "--features", "rocm-audit/tls"]);
    let metadata: Value = serde_json::from_str(&stdout(command)?)?;
    let page = std::fs::read_to_string(project().join("docs/security.md"))?;
    let wrong = differences(&metadata, &page)?;
    let parts = PARTS.iter().map(|part| part.name).collect::<Vec<_>>().join(", ");
    Ok(if wrong.is_empty() { Ended::Passed(parts) } else { Ended::Failed(wrong.join("\n")) })
}

/// What is not as the page says.
fn differences(metadata: &Value, page: &str) -> Result<Vec<String>> {
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let mut wrong = Vec::new();
    for package in packages.iter().filter(|package| package["links"].is_string()) {
        let (name, version) = (text(package, "name")?, text(package, "version")?);
        let Some(part) = PARTS.iter().find(|part| part.package == name) else {
            if !WITHOUT_C.contains(&name) {
                wrong.push(format!("{name} {version} may bring native code, and is not known here"));
            }
            continue;
        };
        let folder =
            Path::new(text(package, "manifest_path")?).parent().map(PathBuf::from).unwrap_or_default();
        let version = version.split('+').next().unwrap_or(version);
        let row = format!("| {} | {} | {name} {version} |", part.name, part.version(&folder, version)?);
        if !page.contains(&row) {
            wrong.push(format!("docs/security.md has no row that begins with: {row}"));
        }
    }
    for part in PARTS {
        if !packages.iter().any(|package| package["name"] == part.package) {
            wrong.push(format!("{} is not built any more", part.package));
        }
    }
    Ok(wrong)
}

impl VendoredCode {
    /// The version that a header in the crate's folder defines, else that of the crate.
    fn version(&self, folder: &Path, of_crate: &str) -> Result<String> {
        if self.header.is_empty() {
            return Ok(of_crate.to_owned());
        }
        let header = folder.join(self.header);
        let header = std::fs::read_to_string(&header).with_context(|| header.display().to_string())?;
        let value = |name: &&str| {
            let found = header.lines().find_map(|line| {
                let mut words = line.split_whitespace();
                (words.next() == Some("#define") && words.next() == Some(name)).then(|| words.next())?
            });
            found.map(|value| value.trim_matches('"')).with_context(|| format!("{}: no {name}", self.header))
        };
        Ok(self.defines.iter().map(value).collect::<Result<Vec<_>>>()?.join("."))
    }
}

/// C code that is linked into the program.
#[derive(Debug)]
pub(crate) struct Native {
    pub name: &'static str,
    pub version: String,
    /// An SPDX expression.
    pub licence: &'static str,
    /// The file in the crate with its text.
    pub text: Option<&'static str>,
}

/// The C code in a crate.
///
/// # Errors
/// Its header is not where it was, or says no version.
pub(crate) fn part(package: &str, version: &str, folder: &Path) -> Result<Option<Native>> {
    let Some(part) = PARTS.iter().find(|part| part.package == package) else { return Ok(None) };
    Ok(Some(Native {
        name: part.name,
        version: part.version(folder, version)?,
        licence: part.licence,
        text: part.text,
    }))
}

fn text<'a>(package: &'a Value, key: &str) -> Result<&'a str> {
    package[key].as_str().with_context(|| format!("a package without {key}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn versions_are_those_of_headers_and_unknown_native_code_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let package = |name: &str, header: &str, content: &str| {
            let crate_folder = folder.path().join(name);
            std::fs::create_dir_all(crate_folder.join(header).parent().unwrap()).unwrap();
            std::fs::write(crate_folder.join(header), content).unwrap();
            json!({ "name": name, "version": "2.1.0+x", "links": name, "manifest_path": crate_folder.join("Cargo.toml") })
        };
        let lzma =
            "#define LZMA_VERSION_MAJOR 5\n#define LZMA_VERSION_MINOR 8\n#define LZMA_VERSION_PATCH 4\n";
        let zstd = "#define ZSTD_VERSION_MAJOR    1\n#define ZSTD_VERSION_MINOR 5\n#define ZSTD_VERSION_RELEASE  7\n";
        let mut packages = vec![
            package("libsqlite3-sys", PARTS[0].header, "#define SQLITE_VERSION        \"3.54.1\"\n"),
            package("liblzma-sys", PARTS[1].header, lzma),
            package("zstd-sys", PARTS[2].header, zstd),
            package("libmimalloc-sys", PARTS[3].header, "#define MI_MALLOC_VERSION 30302   // 3.3.2\n"),
            json!({ "name": "ring", "version": "2.1.0", "links": "ring_core", "manifest_path": "/x/Cargo.toml" }),
            json!({ "name": "rayon-core", "version": "1.0.0", "links": "rayon-core", "manifest_path": "/x" }),
            json!({ "name": "plain", "version": "1.0.0", "links": null, "manifest_path": "/x" }),
        ];
        let page = "| SQLite | 3.54.1 | libsqlite3-sys 2.1.0 |\n| xz | 5.8.4 | liblzma-sys 2.1.0 |\n| zstd | 1.5.7 | zstd-sys 2.1.0 |\n| mimalloc | 30302 | libmimalloc-sys 2.1.0 |\n| BoringSSL's cryptography | 2.1.0 | ring 2.1.0 |";
        let of =
            |packages: &[Value], page: &str| differences(&json!({ "packages": packages }), page).unwrap();
        assert_eq!(of(&packages, page), [""; 0]);
        let older = of(&packages, &page.replace("5.8.4", "5.6.1"));
        assert_eq!(
            older,
            ["docs/security.md has no row that begins with: | xz | 5.8.4 | liblzma-sys 2.1.0 |"]
        );
        packages.push(
            json!({ "name": "openssl-sys", "version": "0.9.0", "links": "openssl", "manifest_path": "/x" }),
        );
        assert_eq!(of(&packages, page), ["openssl-sys 0.9.0 may bring native code, and is not known here"]);
        assert_eq!(of(&packages[1..7], page), ["libsqlite3-sys is not built any more"]);
    }
}
