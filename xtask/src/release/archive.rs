//! Archives whose bytes depend on their files alone: tar, gzip and zip, in the order given, with one time and
//! no owner.

use anyhow::{Context as _, Result};
use flate2::{Compression, GzBuilder, write::DeflateEncoder};
use rawzip::time::UtcDateTime;
use rawzip::{CompressionMethod, ZipArchiveWriter};
use sha2::{Digest as _, Sha256};
use std::io::Write as _;
use tar::EntryType;

/// A file, or a folder where `bytes` is `None`, as it lies in an archive.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// Without a slash in front.
    pub path: String,
    pub mode: u32,
    pub bytes: Option<Vec<u8>>,
}

impl Entry {
    pub fn file(path: impl Into<String>, mode: u32, bytes: impl Into<Vec<u8>>) -> Self {
        Entry { path: path.into(), mode, bytes: Some(bytes.into()) }
    }

    pub fn folder(path: impl Into<String>, mode: u32) -> Self {
        Entry { path: path.into(), mode, bytes: None }
    }
}

/// The SHA-256 of bytes, in hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A tar in the form of POSIX 1988, `ustar`.
///
/// # Errors
/// A path is too long for the form.
pub(super) fn tar(entries: &[Entry], time: u64) -> Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    for entry in entries {
        let bytes = entry.bytes.as_deref().unwrap_or_default();
        let mut header = tar::Header::new_ustar();
        header.set_path(&entry.path).with_context(|| entry.path.clone())?;
        header.set_entry_type(if entry.bytes.is_some() { EntryType::Regular } else { EntryType::Directory });
        header.set_mode(entry.mode);
        header.set_mtime(time);
        header.set_size(bytes.len() as u64);
        header.set_uid(0);
        header.set_gid(0);
        header.set_username("root")?;
        header.set_groupname("root")?;
        header.set_cksum();
        archive.append(&header, bytes)?;
    }
    Ok(archive.into_inner()?)
}

/// The same bytes, compressed, without name and time.
///
/// # Errors
/// None that memory can have.
pub(super) fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut writer = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best());
    writer.write_all(bytes)?;
    Ok(writer.finish()?)
}

/// A zip with every file deflated. Its time is the first that the form can say.
///
/// # Errors
/// A path is longer than the form allows.
pub(super) fn zip(entries: &[Entry]) -> Result<Vec<u8>> {
    /// The first of January 1980, in seconds since 1970.
    const TIME: i64 = 315_532_800;
    let mut archive = ZipArchiveWriter::new(Vec::new());
    for entry in entries {
        let Some(bytes) = &entry.bytes else { continue };
        let file = archive.new_file(entry.path.as_str()).compression_method(CompressionMethod::DEFLATE);
        let file = file.unix_permissions(0o100_000 | entry.mode).last_modified(UtcDateTime::from_unix(TIME));
        let (mut file, config) = file.start()?;
        let mut writer = config.wrap(DeflateEncoder::new(&mut file, Compression::best()));
        writer.write_all(bytes)?;
        let (encoder, descriptor) = writer.finish()?;
        encoder.finish()?;
        file.finish(descriptor)?;
    }
    Ok(archive.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn entries() -> Vec<Entry> {
        let long = format!("{}/name", "folder/".repeat(18).trim_end_matches('/'));
        vec![
            Entry::folder("a/", 0o1777),
            Entry::file("a/program", 0o755, b"#!/bin/sh\n".to_vec()),
            Entry::file(long, 0o644, vec![b'x'; 100_000]),
        ]
    }

    /// What a tool says; nothing where it is not here, which is no answer where the gate runs.
    fn shown(command: &mut Command) -> Option<std::process::Output> {
        let output = command.output();
        let is_gate = std::env::var_os("CI").is_some();
        assert!(output.is_ok() || !is_gate, "{:?} is not here: {output:?}", command.get_program());
        if output.is_err() {
            println!("not shown: {:?} is not here", command.get_program());
        }
        output.ok()
    }

    /// What the program tar says of it, if it is installed.
    #[test]
    fn tar_reads_what_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.tar.gz");
        std::fs::write(&file, gzip(&tar(&entries(), 1_700_000_000).unwrap()).unwrap()).unwrap();
        let mut command = Command::new("tar");
        let Some(listed) = shown(command.env("TZ", "UTC").arg("-tvzf").arg(&file)) else { return };
        let text = String::from_utf8(listed.stdout).unwrap();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
        assert_eq!(lines[0], ["drwxrwxrwt", "root/root", "0", "2023-11-14", "22:13", "a/"]);
        assert_eq!(lines[1], ["-rwxr-xr-x", "root/root", "10", "2023-11-14", "22:13", "a/program"]);
        assert_eq!(lines[2][2], "100000");
        assert!(lines[2][5].ends_with("/folder/name"));
        assert_eq!(lines.len(), 3);
    }

    /// What Python's zipfile says of it, if Python is installed.
    #[test]
    fn zipfile_reads_what_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.zip");
        std::fs::write(&file, zip(&entries()).unwrap()).unwrap();
        let script = "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n\
                      print([(i.filename[-9:], i.file_size, oct(i.external_attr >> 16), i.date_time) for i in z.infolist()])";
        let Some(said) = shown(Command::new("python3").args(["-c", script]).arg(&file)) else { return };
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        assert_eq!(
            text.trim(),
            "[('a/program', 10, '0o100755', (1980, 1, 1, 0, 0, 0)), ('lder/name', 100000, '0o100644', (1980, 1, 1, 0, 0, 0))]",
            "{}",
            String::from_utf8_lossy(&said.stderr)
        );
    }

    #[test]
    fn a_path_that_fits_no_field_is_refused() {
        assert!(tar(&[Entry::file("x".repeat(101), 0o644, [])], 0).is_err());
    }
}
