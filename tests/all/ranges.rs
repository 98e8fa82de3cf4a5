//! A package whose bytes are fetched by range gives the same report as on disk, with fewer bytes read.

use crate::common::packages::{self, member};
use rocm_audit::inventory::{Artifact, Inventory};
use rocm_audit::scan::run::{Options, Silent, audit};
use rocm_audit::source::given::{self, Given};
use rocm_audit::source::ranges::ReadAt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Serves the bytes of a file and counts requests; fails after a number of them.
struct Store {
    bytes: Vec<u8>,
    requests: Arc<AtomicU64>,
    most: u64,
}

impl ReadAt for Store {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        if self.requests.fetch_add(1, Ordering::Relaxed) >= self.most {
            return Err(io::Error::new(io::ErrorKind::ConnectionReset, "the connection was closed"));
        }
        let at = usize::try_from(offset).map_err(io::Error::other)?;
        into.copy_from_slice(&self.bytes[at..at + into.len()]);
        Ok(())
    }
}

/// A wheel with a code object after 4 MB that are not needed.
fn wheel() -> Vec<u8> {
    // Incompressible bytes: Marsaglia's xorshift.
    let next =
        |state: &u64| Some((state ^ (state << 13)) ^ ((state ^ (state << 13)) >> 7)).map(|s| s ^ (s << 17));
    let noise = std::iter::successors(Some(88_172_645_463_325_252u64), next).take(4_000_000).map(|s| s as u8);
    let noise: Vec<u8> = noise.collect();
    packages::zip(&[
        member("x/weights.bin", noise),
        member("x/kernels_gfx906.hsaco", packages::code_object()),
    ])
}

fn give(name: &str, bytes: Vec<u8>, most: u64) -> (PathBuf, Given, Arc<AtomicU64>) {
    let requests = Arc::new(AtomicU64::new(0));
    let path = PathBuf::from(name);
    let store = Store { bytes, requests: Arc::clone(&requests), most };
    let given = given::give(&path, Box::new(store)).expect("the name is free");
    (path, given, requests)
}

fn audited(path: &PathBuf) -> Inventory {
    audit(std::slice::from_ref(path), &Options::default(), &Silent, None).expect("it is audited")
}

/// The facts about it, without its folder.
fn seen(inventory: &Inventory, folder: &str) -> Vec<(String, u64, String)> {
    let of = |one: &Artifact| (one.shown.clone(), one.bytes, format!("{:?}", one.device).replace(folder, ""));
    inventory.artifacts.iter().map(of).collect()
}

#[test]
fn of_a_wheel_only_the_directory_and_what_is_looked_at_is_fetched() {
    let bytes = wheel();
    let len = bytes.len() as u64;
    let folder = tempfile::tempdir().expect("a folder");
    let on_disk = folder.path().join("stored-far-away.whl");
    let inside = format!("{}/", folder.path().display());
    std::fs::write(&on_disk, &bytes).expect("it is written");
    let (path, given, requests) = give("stored-far-away.whl", bytes, u64::MAX);
    let (near, far) = (audited(&on_disk), audited(&path));
    assert!(!seen(&far, "").is_empty());
    assert_eq!(seen(&far, ""), seen(&near, &inside));
    assert_eq!(far.findings.len(), near.findings.len());
    assert!(given.fetched() * 10 < len, "{} of {len}", given.fetched());
    assert!(requests.load(Ordering::Relaxed) <= 4);
}

#[test]
fn a_store_that_ends_the_connection_leaves_a_report_that_says_so() {
    let (path, _given, _) = give("half-a-wheel.whl", wheel(), 1);
    let inventory = audited(&path);
    let ids: Vec<_> = inventory.findings.iter().map(|finding| finding.rule.id).collect();
    assert_eq!(ids, ["changed-while-read"]);
    assert_eq!(inventory.findings[0].locations[0].what, "could not be read: the connection was closed");
}

#[test]
fn what_is_no_zip_file_is_fetched_whole_and_read_the_same() {
    let bytes = packages::gzip(&packages::tar(&[("a/kernels_gfx906.hsaco", &packages::code_object())]));
    let folder = tempfile::tempdir().expect("a folder");
    let on_disk = folder.path().join("far.tar.gz");
    let inside = format!("{}/", folder.path().display());
    std::fs::write(&on_disk, &bytes).expect("it is written");
    let len = bytes.len() as u64;
    let (path, given, _) = give("far.tar.gz", bytes, u64::MAX);
    assert_eq!(seen(&audited(&path), ""), seen(&audited(&on_disk), &inside));
    assert_eq!(given.fetched(), len);
}
