//! Files behind addresses: the same answers as of the file, of few of its bytes; and servers that do not do what they
//! should.

#[cfg(feature = "tls")]
mod protected;
mod server;

use crate::common::packages::{self, member};
use crate::common::program::{command, said};
use serde_json::Value;
use server::Server;
use std::process::Output;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// A wheel with a code object behind 4 MB that nothing has to look at.
fn wheel() -> Vec<u8> {
    wheel_of(4_000_000)
}

/// The same behind as many bytes.
fn wheel_of(noise: usize) -> Vec<u8> {
    // Incompressible bytes: Marsaglia's xorshift.
    let next = |state: &u64| {
        let state = state ^ (state << 13);
        let state = state ^ (state >> 7);
        Some(state ^ (state << 17))
    };
    let bytes = std::iter::successors(Some(88_172_645_463_325_252u64), next).take(noise);
    let bytes: Vec<u8> = bytes.map(|state| state as u8).collect();
    packages::zip(&[
        member("x/weights.bin", bytes),
        member("x/kernels_gfx906.hsaco", packages::code_object()),
    ])
}

/// A call with a second of patience.
fn call(words: &[&str]) -> Output {
    command(words).env("COLUMNS", "100").env("ROCM_AUDIT_PATIENCE", "1").output().unwrap()
}

fn asked(words: &[&str]) -> Value {
    let output = call(&[words, &["-f", "json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
}

#[test]
fn an_address_is_answered_as_its_file_of_few_of_its_bytes() {
    let bytes = wheel();
    let len = bytes.len() as u64;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("demo-1-py3-none-manylinux_2_28_x86_64.whl");
    std::fs::write(&file, &bytes).unwrap();
    let server = Server::of(bytes);
    for way in ["good", "to-good"] {
        let (near, far) = (file.to_str().unwrap(), server.at(way));
        server.sent.store(0, Ordering::Relaxed);
        for gpu in ["gfx906", "gfx1100"] {
            let of = |path: &str| asked(&["choose", "--gpu", gpu, path])["candidates"][0].clone();
            let (near, far_row) = (of(near), of(&far));
            for same in ["name", "answer", "headline", "libraries", "targets", "bytes", "system"] {
                assert_eq!(far_row[same], near[same], "{way} {gpu} {same}");
            }
            assert_eq!((&far_row["known_by"], &far_row["path"]), (&"address".into(), &Value::Null));
            assert_eq!(far_row["url"], far.as_str());
            let fetched = far_row["fetched"].as_u64().unwrap();
            assert!(fetched * 20 <= len, "{fetched} of {len}");
            if gpu == "gfx906" {
                assert_eq!(far_row["install"], format!("pip install {far}"));
            }
        }
        let sent = server.sent.load(Ordering::Relaxed);
        assert!(sent * 20 <= 2 * len, "{sent} of {len}, twice");
        let verdict = |path: &str| asked(&["--gpu", "gfx906", path])["verdicts"].clone();
        assert_eq!(verdict(near)[0]["answer"], "runs");
        assert_eq!(verdict(&far).to_string().replace(&far, near), verdict(near).to_string());
    }
    // What sent on is asked once; the rest comes from where it led.
    let asked = server.asked.lock().unwrap();
    let count = |way: &str| asked.iter().filter(|path| path.starts_with(&format!("/{way}/"))).count();
    assert_eq!(count("to-good"), 3, "{asked:?}");
}

#[test]
fn manifests_and_lists_have_addresses_too() {
    let bytes = wheel();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("demo-1-py3-none-manylinux_2_28_x86_64.whl");
    std::fs::write(&file, &bytes).unwrap();
    let manifest = call(&["manifest", "-f", "json", file.to_str().unwrap()]).stdout;
    let server = Server::of(manifest);
    let at = format!("{}/whole/demo.rocm.json", server.address);
    let found = asked(&["choose", "--gpu", "gfx906", &at]);
    assert_eq!(
        (&found["candidates"][0]["known_by"], &found["candidates"][0]["answer"]),
        (&"manifest".into(), &"runs".into())
    );
}

#[test]
fn servers_that_do_not_do_what_they_should_are_a_sentence_each() {
    let server = Server::of(wheel());
    // The whole of it would be small enough to be taken: twice.
    let large = Server::of([wheel(), wheel(), wheel()].concat());
    let ways = [
        ("cut", "the connection ended after "),
        ("stalls", "the server sends nothing more"),
        ("drips", "the server sends nothing more"),
        ("silent", "no answer in 1 s"),
        ("other-range", "bytes 0-65535 were asked for, and the server sends \"bytes 7-"),
        ("no-size", "the server does not say how large the file is"),
        ("no-range", "without saying which (no Content-Range)"),
        ("packed", "the server sends it packed (gzip)"),
        ("whole", "the server sends the whole file ("),
        ("endless", "the server sends the whole file where a part was asked for"),
        ("to-file", "the server sends on to file:, which is not followed"),
        ("to-itself", "servers send on more than 5 times"),
        ("to-nowhere", "without saying where to (no Location)"),
        ("garbage", "answer is not understood"),
        ("long-head", "answer is not understood"),
        ("closes", "the connection failed"),
        ("empty", "the file is empty"),
        ("elsewhere", "the server answers 404: there is no such file"),
    ];
    for (way, says) in ways {
        let server = if way == "whole" { &large } else { &server };
        let begun = Instant::now();
        let output = call(&["choose", "--gpu", "gfx906", &server.at(way)]);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{way}: {said}");
        assert!(said.contains(says), "{way}: {said}");
        assert!(begun.elapsed() < Duration::from_secs(15), "{way}: {:?}", begun.elapsed());
    }
}

#[test]
fn what_breaks_later_leaves_an_answer_that_says_so() {
    for (way, says) in [
        ("later-cut", "could not be read: the connection ended after"),
        ("changes", "could not be read: the file behind the address changed while it was read"),
    ] {
        let server = Server::of(wheel());
        let found = asked(&["choose", "--gpu", "gfx906", &server.at(way)]);
        assert_eq!(
            (&found["complete"], &found["candidates"][0]["answer"]),
            (&false.into(), &"unknown".into()),
            "{way}"
        );
        assert!(found["findings"].to_string().contains(says), "{way}: {}", found["findings"]);
    }
}

#[test]
fn what_is_no_address_of_a_server_is_refused() {
    let server = Server::of(wheel());
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/a.whl", listener.local_addr().unwrap())
    };
    let with_name = server.at("good").replace("http://", "http://me:secret@");
    for (address, says) in [
        (closed.as_str(), "the connection is refused"),
        ("s3://bucket/a.whl", "addresses of s3: are not read"),
        ("file:///etc/passwd", "addresses of file: are not read"),
        (with_name.as_str(), "has a name or password in it"),
        ("http://", "this is no address"),
    ] {
        let output = call(&["choose", "--gpu", "gfx906", address]);
        assert_eq!(output.status.code(), Some(2), "{address}");
        assert!(said(&output).contains(says), "{address}: {}", said(&output));
    }
    // Commands that compare and choose kernels take no addresses; none is asked.
    let output = call(&["diff", &server.at("good"), &server.at("good")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(server.asked.lock().unwrap().is_empty());
}
