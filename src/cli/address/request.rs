//! One part of a file from a server, by HTTP.

use super::part::{Comes, Head, SMALL, comes};
use crate::error::Unread;
use std::io::Read as _;
use std::ops::Range;
use std::time::Duration;
use ureq::http::{HeaderMap, Response};
use ureq::{Agent, Body, Error};

/// How often a server may send on to another address.
const MOST_REDIRECTS: usize = 5;
/// A slow server has the time of one silence for each so many bytes.
const BYTES_OF_A_SILENCE: u64 = 1 << 20;

/// Asks servers.
pub(super) struct Client {
    agent: Agent,
    /// How long a server may be silent.
    patience: Duration,
}

/// What a server sent.
#[derive(Debug)]
pub(super) struct Sent {
    pub bytes: Vec<u8>,
    /// How many bytes the file has.
    pub size: u64,
    /// Whether these are all of them, because the server has no ranges.
    pub is_whole: bool,
    /// What changes with the file: its tag, else its date.
    pub version: Option<String>,
    /// The address that sent it, behind those that sent on.
    pub from: String,
}

impl Client {
    pub fn new(patience: Duration) -> Result<Self, Unread> {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("rocm-audit/", env!("CARGO_PKG_VERSION")))
            .accept_encoding("identity")
            .timeout_connect(Some(patience))
            .timeout_per_read(Some(patience));
        #[cfg(feature = "tls")]
        let config = config.tls_config(super::protected::certificates()?);
        Ok(Client { agent: config.build().new_agent(), patience })
    }

    /// Gets a range of what is behind an address. What ends in the middle is asked for once more.
    ///
    /// # Errors
    /// As a sentence, where something else came, or nothing in time.
    pub fn get(&self, address: &str, range: &Range<u64>) -> Result<Sent, Unread> {
        match self.try_get(address, range) {
            Err(Failure::Cut(_)) => self.try_get(address, range),
            other => other,
        }
        .map_err(Failure::why)
    }

    fn try_get(&self, address: &str, range: &Range<u64>) -> Result<Sent, Failure> {
        let (response, from) = self.answer(address, range)?;
        let head = head(response.status().as_u16(), response.headers());
        let version =
            header(response.headers(), "etag").or_else(|| header(response.headers(), "last-modified"));
        let (expected, size, is_whole) = match comes(&head, range)? {
            Comes::Part(range, size) => (Some(range.end - range.start), size, false),
            Comes::Whole(length) => (length, length.unwrap_or(0), true),
            Comes::Empty => (Some(0), 0, true),
        };
        if head.status == 416 {
            return Ok(Sent { bytes: Vec::new(), size, is_whole, version, from });
        }
        let most = expected.unwrap_or(SMALL);
        let bytes = self.content(response, most, expected)?;
        let size = if is_whole { bytes.len() as u64 } else { size };
        Ok(Sent { bytes, size, is_whole, version, from })
    }

    /// Follows where servers send on, within bounds.
    fn answer(&self, address: &str, range: &Range<u64>) -> Result<(Response<Body>, String), Failure> {
        let mut at = address.to_owned();
        let length = range.end.saturating_sub(range.start);
        let time = self.patience * (1 + (length / BYTES_OF_A_SILENCE) as u32);
        for _ in 0..=MOST_REDIRECTS {
            let asked = format!("bytes={}-{}", range.start, range.end.saturating_sub(1));
            let request = self.agent.get(&at).header("Range", asked);
            let response = request.config().timeout_global(Some(time)).build().call();
            let response = response.map_err(|error| self.failure(error, &at))?;
            if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
                return Ok((response, at));
            }
            let to = header(response.headers(), "location")
                .ok_or_else(|| Unread::from("the server sends on without saying where to (no Location)"))?;
            at = followed(&at, &to)?;
        }
        Err(Unread::from(format!("servers send on more than {MOST_REDIRECTS} times")).into())
    }

    /// All that comes behind a head, which must be as long as it says.
    fn content(
        &self,
        response: Response<Body>,
        most: u64,
        expected: Option<u64>,
    ) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let mut reader = response.into_body().into_with_config().limit(most + 2).reader().take(most + 1);
        let ended = reader.read_to_end(&mut bytes);
        let here = bytes.len() as u64;
        match (ended, expected) {
            (Err(error), _) if is_late(&error) => {
                Err(Failure::Late(self.late(&format!(" behind byte {here}"))))
            }
            (_, Some(expected)) if here < expected => {
                Err(Failure::Cut(format!("the connection ended after {here} of {expected} bytes").into()))
            }
            (Err(error), None) => {
                Err(Failure::Cut(format!("the connection ended after {here} bytes: {error}").into()))
            }
            (_, Some(expected)) if here > expected => {
                Err(Unread::from(format!("the server sends more than the {expected} bytes that it promised"))
                    .into())
            }
            _ if here > most => Err(Unread::from(
                "the server sends the whole file where a part was asked for: save it and name the file",
            )
            .into()),
            _ => Ok(bytes),
        }
    }

    fn late(&self, behind: &str) -> Unread {
        format!(
            "the server sends nothing more{behind}, or too slowly; {} s were waited for",
            self.patience.as_secs()
        )
        .into()
    }

    fn failure(&self, error: Error, at: &str) -> Failure {
        #[cfg(feature = "tls")]
        if let Some(why) = super::protected::refused(&error) {
            return Failure::Other(why);
        }
        match error {
            Error::Timeout(_) => Failure::Late(
                format!("no answer in {} s ($ROCM_AUDIT_PATIENCE)", self.patience.as_secs()).into(),
            ),
            Error::Io(error) if is_late(&error) => Failure::Late(
                format!("no answer in {} s ($ROCM_AUDIT_PATIENCE)", self.patience.as_secs()).into(),
            ),
            Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                Failure::Other(Unread::from("nothing listens there: the connection is refused"))
            }
            Error::Io(error) => {
                Failure::Cut(format!("the connection failed: {error}{}", other_scheme(at)).into())
            }
            Error::HostNotFound => {
                Failure::Other(Unread::from("no host of this name is known, or there is no network"))
            }
            Error::BadUri(_) | Error::Http(_) => Failure::Other(Unread::from("this is no address")),
            other => Failure::Other(
                format!("the server's answer is not understood: {other}{}", other_scheme(at)).into(),
            ),
        }
    }
}

/// What to try where a server breaks off or says what is no HTTP: so does one that speaks https.
fn other_scheme(at: &str) -> &'static str {
    let is_plain = at.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("http://"));
    if is_plain { "; name it with https:// if that is what it speaks" } else { "" }
}

/// Why an attempt failed.
enum Failure {
    /// The connection broke: another may do better.
    Cut(Unread),
    Late(Unread),
    Other(Unread),
}

impl Failure {
    fn why(self) -> Unread {
        match self {
            Failure::Cut(why) | Failure::Late(why) | Failure::Other(why) => why,
        }
    }
}

impl From<Unread> for Failure {
    fn from(why: Unread) -> Self {
        Failure::Other(why)
    }
}

/// Whether time is up, in whatever kind of error.
fn is_late(error: &std::io::Error) -> bool {
    let kind = error.kind();
    let of_agent = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    matches!(kind, std::io::ErrorKind::TimedOut | std::io::ErrorKind::WouldBlock)
        || matches!(of_agent, Some(Error::Timeout(_)))
}

fn head(status: u16, headers: &HeaderMap) -> Head {
    Head {
        status,
        range: header(headers, "content-range"),
        length: header(headers, "content-length").and_then(|length| length.trim().parse().ok()),
        encoding: header(headers, "content-encoding"),
    }
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// The address that another one sends on to.
///
/// # Errors
/// Where that is no address of a server, or leaves the protected connection.
pub(super) fn followed(from: &str, to: &str) -> Result<String, Unread> {
    let (scheme, rest) = from.split_once("://").ok_or_else(|| Unread::from("this is no address"))?;
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let to = to.trim().split('#').next().unwrap_or_default();
    let is_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let own_scheme =
        to.split_once(':').map(|(own, _)| own).filter(|own| !own.is_empty() && own.chars().all(is_scheme));
    let at = match own_scheme {
        Some(own) if own.eq_ignore_ascii_case("https") => to.to_owned(),
        Some(own) if own.eq_ignore_ascii_case("http") && scheme.eq_ignore_ascii_case("http") => to.to_owned(),
        Some(own) if own.eq_ignore_ascii_case("http") => {
            return Err(Unread::from("the server sends on from https to http, which is not followed"));
        }
        Some(own) => return Err(format!("the server sends on to {own}:, which is not followed").into()),
        None if to.starts_with("//") => format!("{scheme}:{to}"),
        None if to.starts_with('/') => format!("{scheme}://{host}{to}"),
        None => {
            let path = rest.split(['?', '#']).next().unwrap_or_default();
            let folder = path.rfind('/').and_then(|end| path.get(..end)).unwrap_or(path);
            format!("{scheme}://{folder}/{to}")
        }
    };
    readable(&at).map(|()| at)
}

/// Refuses addresses that this build or this program does not ask.
///
/// # Errors
/// With what can be done instead.
pub(super) fn readable(address: &str) -> Result<(), Unread> {
    let (scheme, rest) = address.split_once("://").ok_or_else(|| Unread::from("this is no address"))?;
    if rest.split(['/', '?', '#']).next().is_some_and(|host| host.contains('@')) {
        return Err(Unread::from("it has a name or password in it, which reports would show: leave it out"));
    }
    if scheme.eq_ignore_ascii_case("https") && !cfg!(feature = "tls") {
        return Err(Unread::from(
            "this build has no https: build with `--features tls`, as releases are, or save the file and name it",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_send_on_to_servers_only() {
        let from = "http://host:80/a/b.whl?x=1";
        for (to, at) in [
            ("http://other/c.whl", "http://other/c.whl"),
            ("//other/c.whl", "http://other/c.whl"),
            ("/c.whl?y", "http://host:80/c.whl?y"),
            ("c.whl#sha256=0", "http://host:80/a/c.whl"),
        ] {
            assert_eq!(followed(from, to).unwrap(), at, "{to}");
        }
        for (from, to, says) in [
            (from, "file:///etc/passwd", "file:, which is not followed"),
            (from, "gopher://x", "gopher:, which is not followed"),
            ("https://host/a", "http://host/a", "from https to http"),
            (from, "http://me:secret@host/a", "password"),
        ] {
            let why = followed(from, to).unwrap_err();
            assert!(why.contains(says), "{to}: {why}");
        }
    }
}
