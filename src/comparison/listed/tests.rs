use super::*;

fn read(name: &str, content: &str) -> Result<Vec<ListedArtifact>, AuditError> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, content).unwrap();
    artifacts(&SavedText::open(&file, "", 1 << 20).unwrap(), name.ends_with(".json"))
}

fn one(name: &str) -> ListedArtifact {
    ListedArtifact {
        name: name.to_owned(),
        url: Some(format!("https://example.invalid/{name}")),
        sha256: Some("ab".to_owned()),
        other_name: None,
    }
}

/// Names and digests, and whether there is an address.
fn rows(found: &[ListedArtifact]) -> Vec<(&str, Option<&str>, bool)> {
    found.iter().map(|one| (one.name.as_str(), one.sha256.as_deref(), one.url.is_some())).collect()
}

#[test]
fn lists_name_artifacts_with_their_digests() {
    let pip = r#"{"version":"1","pip_version":"25.0","install":[{"download_info":{"url":"https://example.invalid/a-1-py3-none-any.whl",
        "archive_info":{"hash":"sha256=ab","hashes":{"sha256":"AB"}}},"metadata":{"name":"a"}}]}"#;
    assert_eq!(read("a.json", pip).unwrap(), [one("a-1-py3-none-any.whl")]);
    let release = r#"{"tag_name":"v1","assets":[{"name":"x.zip","url":"https://api.invalid/7","browser_download_url":"https://example.invalid/x.zip","digest":"sha256:ab","size":3}]}"#;
    assert_eq!(read("a.json", release).unwrap(), [one("x.zip")]);
    assert_eq!(read("a.json", &format!("[{release}]")).unwrap(), [one("x.zip")]);
    let program = r#"{"assets":[{"apiUrl":"https://api.invalid/7","contentType":"application/zip","digest":"sha256:ab","name":"x.zip","size":3,"url":"https://example.invalid/x.zip"}]}"#;
    assert_eq!(read("a.json", program).unwrap(), [one("x.zip")]);
    let index = r#"{"meta":{"api-version":"1.1"},"name":"a","files":[{"filename":"a-1-py3-none-any.whl","url":"https://example.invalid/a-1-py3-none-any.whl","hashes":{"sha256":"ab"},"requires-python":">=3.9"}]}"#;
    assert_eq!(read("a.json", index).unwrap(), [one("a-1-py3-none-any.whl")]);
    let pypi = r#"{"info":{},"urls":[{"filename":"a-1-py3-none-any.whl","url":"https://example.invalid/a-1-py3-none-any.whl","digests":{"md5":"0","sha256":"ab"}}]}"#;
    assert_eq!(read("a.json", pypi).unwrap(), [one("a-1-py3-none-any.whl")]);
    let error = read("a.json", "{\"a\":1}").unwrap_err().to_string();
    assert!(error.contains("no list of artifacts"), "{error}");
    assert!(read("a.json", "{").unwrap_err().to_string().contains("no JSON"));
}

#[test]
fn lists_of_conda_name_its_packages() {
    let repodata = r#"{"info":{"subdir":"linux-64"},"packages":{"a-1-h0.tar.bz2":{"build":"h0","name":"a","sha256":"00"}},
        "packages.conda":{"b-2-h1.conda":{"build":"h1","name":"b","sha256":"AB"}},"repodata_version":1}"#;
    let found = read("repodata.json", repodata).unwrap();
    assert_eq!(rows(&found), [("a-1-h0.tar.bz2", Some("00"), false), ("b-2-h1.conda", Some("ab"), false)]);
    let installed = r#"[{"base_url":"https://example.invalid/c","build_number":0,"build_string":"h1","channel":"c","dist_name":"b-2-h1","name":"b","platform":"linux-64","version":"2"}]"#;
    let found = read("list.json", installed).unwrap();
    assert_eq!(
        (found[0].name.as_str(), found[0].other_name.as_deref()),
        ("b-2-h1.conda", Some("b-2-h1.tar.bz2"))
    );
    let explicit = "# platform: linux-64\n# created-by: conda 24.9.2\n@EXPLICIT\nhttps://example.invalid/linux-64/a-1-h0.tar.bz2#0123456789abcdef0123456789abcdef\nhttps://example.invalid/linux-64/b-2-h1.conda#sha256:AB\n";
    let found = read("spec.txt", explicit).unwrap();
    assert_eq!(rows(&found), [("a-1-h0.tar.bz2", None, true), ("b-2-h1.conda", Some("ab"), true)]);
    assert!(is_explicit(explicit) && !is_explicit("torch==2.9\n"));
    let export = "name: base\nchannels:\n  - conda-forge\ndependencies:\n  - conda-forge::b=2=h1\n  - python\n  - pip:\n      - torch==2.9.1+rocm7.2\nprefix: /opt/conda\n";
    let found = read("environment.yml", export).unwrap();
    assert_eq!(rows(&found), [("b-2-h1.conda", None, false), ("torch-2.9.1+rocm7.2", None, false)]);
    let lock = "version: 1\nmetadata:\n  content_hash:\n    linux-64: 00\npackage:\n- name: b\n  version: '2'\n  manager: conda\n  platform: linux-64\n  dependencies: {}\n  url: https://example.invalid/linux-64/b-2-h1.conda\n  hash:\n    md5: '00'\n    sha256: AB\n  category: main\n- name: c\n  url: https://example.invalid/linux-64/c-3-h1.conda\n  hash:\n    md5: 00\n";
    let found = read("conda-lock.yml", lock).unwrap();
    assert_eq!(rows(&found), [("b-2-h1.conda", Some("ab"), true), ("c-3-h1.conda", None, true)]);
    let pixi = "version: 6\nenvironments:\n  default:\n    packages:\n      linux-64:\n      - conda: https://example.invalid/linux-64/b-2-h1.conda\npackages:\n- conda: https://example.invalid/linux-64/b-2-h1.conda\n  sha256: ab\n  md5: 00\n- pypi: https://example.invalid/a-1-py3-none-any.whl\n  name: a\n  version: '1'\n  sha256: cd\n";
    let found = read("pixi.lock", pixi).unwrap();
    assert_eq!(
        rows(&found),
        [("b-2-h1.conda", Some("ab"), true), ("a-1-py3-none-any.whl", Some("cd"), true)]
    );
}

#[test]
fn pages_of_an_index_name_files() {
    let page = "<!DOCTYPE html>\n<html><body>\n<a href=\"../\">up</a>\n<a href=\"https://example.invalid/a-1%2Brocm-py3-none-any.whl#sha256=ab\" data-requires-python=\"&gt;=3.9\">a</a><br/>\n<a href='b-2-py3-none-any.whl'>b</a></body></html>";
    let found = read("torch.html", page).unwrap();
    assert_eq!(
        rows(&found),
        [("a-1+rocm-py3-none-any.whl", Some("ab"), true), ("b-2-py3-none-any.whl", None, false)]
    );
}

#[cfg(feature = "cli")]
#[test]
fn lock_files_name_wheels() {
    let uv = "version = 1\n[[package]]\nname = \"a\"\nversion = \"1\"\nsdist = { url = \"https://example.invalid/a.tar.gz\", hash = \"sha256:00\" }\nwheels = [\n { url = \"https://example.invalid/a-1%2Brocm-py3-none-any.whl\", hash = \"sha256:ab\", size = 4 },\n]\n[[package]]\nname = \"b\"\n";
    assert_eq!(rows(&read("uv.lock", uv).unwrap()), [("a-1+rocm-py3-none-any.whl", Some("ab"), true)]);
    let pylock = "lock-version = \"1.0\"\n[[packages]]\nname = \"a\"\n[[packages.wheels]]\nname = \"a-1-py3-none-any.whl\"\nurl = \"https://example.invalid/x/a-1-py3-none-any.whl\"\nhashes = {sha256 = \"ab\"}\n";
    assert_eq!(rows(&read("pylock.toml", pylock).unwrap()), [("a-1-py3-none-any.whl", Some("ab"), true)]);
    let poetry = "[[package]]\nname = \"a\"\nversion = \"1\"\nfiles = [\n {file = \"a-1-py3-none-any.whl\", hash = \"sha256:ab\"},\n {file = \"a-1.tar.gz\", hash = \"sha256:00\"},\n]\n";
    assert_eq!(rows(&read("poetry.lock", poetry).unwrap()), [("a-1-py3-none-any.whl", Some("ab"), false)]);
    assert!(read("uv.lock", "a = ").is_err());
}

#[test]
fn what_lies_beside_artifacts_is_none() {
    for (name, expected) in [
        ("x.zip", true),
        ("torch-2.9.1+rocm7.2-cp312-cp312-linux_x86_64.whl", true),
        ("x.zip.rocm.json", false),
        ("x.zip.sha256", false),
        ("SHA256SUMS", false),
        ("SHA256SUMS.asc", false),
        ("x.whl.metadata", false),
        ("", false),
    ] {
        assert_eq!(is_artifact(name), expected, "{name}");
    }
}
