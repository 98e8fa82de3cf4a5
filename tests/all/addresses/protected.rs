//! Addresses with `https:`, of servers that OpenSSL's command runs on the loopback with certificates made for the test.

use super::wheel_of;
use crate::common::program::{command, said};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const NAME: &str = "demo-1-py3-none-manylinux_2_28_x86_64.whl";

fn openssl(folder: &Path, words: &str) {
    let output = Command::new("openssl").args(words.split(' ')).current_dir(folder).output();
    let output = output.unwrap_or_else(|error| panic!("these tests need the command openssl: {error}"));
    assert!(output.status.success(), "openssl {words}: {}", String::from_utf8_lossy(&output.stderr));
}

/// An issuer, and certificates of it: for the loopback, for another host, and one that ended yesterday.
fn certificates(folder: &Path) {
    const KEY: &str = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    openssl(folder, &format!("req -x509 {KEY} -keyout issuer.key -out issuer.pem -subj /CN=issuer -days 2"));
    for (name, host, days) in [
        ("good", "IP:127.0.0.1,DNS:localhost", 2),
        ("other", "DNS:other.example", 2),
        ("expired", "IP:127.0.0.1", -1),
    ] {
        std::fs::write(folder.join("names"), format!("subjectAltName={host}")).unwrap();
        openssl(folder, &format!("req -new {KEY} -keyout {name}.key -out {name}.csr -subj /CN={name}"));
        openssl(
            folder,
            &format!(
                "x509 -req -in {name}.csr -CA issuer.pem -CAkey issuer.key -CAcreateserial -days {days} -extfile names -out {name}.pem"
            ),
        );
    }
}

/// A server of the files of a folder, which ends with this value.
struct ProtectedServer {
    process: Child,
    port: String,
}

impl ProtectedServer {
    fn new(folder: &Path, certificate: &str) -> Self {
        let (certificate, key) = (format!("{certificate}.pem"), format!("{certificate}.key"));
        let mut process = Command::new("openssl")
            .args(["s_server", "-WWW", "-accept", "127.0.0.1:0", "-cert", &certificate, "-key", &key])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let said = lines.find_map(|line| line.unwrap().strip_prefix("ACCEPT ").map(str::to_owned)).unwrap();
        // The rest of what it says has to be read, so that it does not wait.
        std::thread::spawn(move || lines.for_each(drop));
        let port = said.rsplit(':').next().unwrap().to_owned();
        ProtectedServer { process, port }
    }

    fn at(&self, host: &str) -> String {
        format!("{host}:{}/{NAME}", self.port)
    }
}

impl Drop for ProtectedServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A server that speaks HTTP alone, and says to everything else what such servers say.
fn without_protection() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let _ = connection.read(&mut [0; 1024]);
            let _ = connection.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
        }
    });
    address
}

#[test]
fn protected_connections_are_made_or_a_sentence_says_why_not() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    certificates(folder);
    // OpenSSL's server has no ranges: what it has is taken whole.
    std::fs::write(folder.join(NAME), wheel_of(1_000)).unwrap();
    let [good, other, expired] = ["good", "other", "expired"].map(|name| ProtectedServer::new(folder, name));
    let plain = format!("https://{}/{NAME}", without_protection());
    let trusted = folder.join("issuer.pem");
    std::fs::write(folder.join("empty.pem"), "").unwrap();
    let call = |address: &str, trusted: Option<&Path>| {
        let mut call = command(&["choose", "--gpu", "gfx906", address]);
        call.env("ROCM_AUDIT_PATIENCE", "5").env("COLUMNS", "200").env_remove("SSL_CERT_FILE");
        if let Some(path) = trusted {
            call.env("SSL_CERT_FILE", path);
        }
        let output = call.output().unwrap();
        (output.status.code(), said(&output))
    };
    for host in ["https://127.0.0.1", "https://localhost"] {
        let (status, said) = call(&good.at(host), Some(&trusted));
        assert_eq!(status, Some(0), "{host}: {said}");
    }
    for (address, trusted, says) in [
        (good.at("https://127.0.0.1"), None, "comes from an issuer that is not trusted here"),
        (other.at("https://127.0.0.1"), Some(&trusted), "is for another host (other.example)"),
        (expired.at("https://127.0.0.1"), Some(&trusted), "the server's certificate has expired"),
        (plain, Some(&trusted), "does not speak https: name it with http://"),
        (good.at("http://127.0.0.1"), Some(&trusted), "name it with https:// if that is what it speaks"),
        (good.at("https://127.0.0.1"), Some(&folder.join("empty.pem")), "no certificate in PEM is in it"),
        (good.at("https://127.0.0.1"), Some(&folder.join("none.pem")), "$SSL_CERT_FILE ("),
    ] {
        let (status, said) = call(&address, trusted.map(|path| path.as_ref()));
        assert_eq!(status, Some(2), "{address}: {said}");
        assert!(said.contains(says), "{address}: {said}");
    }
}
