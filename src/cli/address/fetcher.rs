//! The process that fetches: it knows the addresses of the call and hands over ranges of what is behind them.

use super::exchange::{Answered, Wanted};
use super::remote::FETCHER;
use super::request::{Client, Sent, readable};
use crate::cli::sandbox::Sandbox;
use crate::error::Unread;
use clap::ValueEnum as _;
use std::ops::Range;
use std::process::ExitCode;
use std::time::Duration;

/// What is asked for first: with it comes the size.
const FIRST: Range<u64> = 0..64 << 10;
/// Seconds that a server may be silent, and the variable that sets others.
const PATIENCE: (&str, u64) = ("ROCM_AUDIT_PATIENCE", 30);

/// Runs as the fetcher, if this process was started as one.
pub(in crate::cli) fn main_of_fetcher() -> Option<ExitCode> {
    let mut words = std::env::args().skip(1);
    if words.next()? != FETCHER {
        return None;
    }
    let sandbox = words.next().and_then(|word| Sandbox::from_str(&word, false).ok()).unwrap_or_default();
    let addresses: Vec<String> = words.collect();
    Some(match run(sandbox, addresses) {
        Some(()) => ExitCode::SUCCESS,
        None => ExitCode::FAILURE,
    })
}

fn run(sandbox: Sandbox, addresses: Vec<String>) -> Option<()> {
    let (name, usual) = PATIENCE;
    let seconds =
        std::env::var(name).ok().and_then(|text| text.parse().ok()).filter(|own| *own > 0).unwrap_or(usual);
    let client = Client::new(Duration::from_secs(seconds));
    // Certificates were read; from here on nothing of this machine but what names of hosts need.
    sandbox.enter_connected().ok()?;
    let mut files: Vec<RemoteFile> = addresses.into_iter().map(RemoteFile::new).collect();
    let (mut from, mut to) = (std::io::stdin().lock(), std::io::stdout().lock());
    while let Some(wanted) = Wanted::read(&mut from) {
        let (Wanted::Size(number) | Wanted::Bytes(number, _)) = &wanted;
        let answered = match (&client, files.get_mut(*number as usize)) {
            (Ok(client), Some(file)) => file.answer(client, &wanted),
            (Err(why), _) => Err(why.clone()),
            (_, None) => Err(Unread::from("no such address")),
        };
        answered.unwrap_or_else(|why| Answered::Refused(why.into())).write(&mut to).ok()?;
    }
    Some(())
}

/// What is known of what is behind an address.
struct RemoteFile {
    address: String,
    /// Where servers sent on to.
    at: Option<String>,
    size: Option<u64>,
    version: Option<String>,
    /// The first bytes; all of them, where the server has no ranges.
    start: Vec<u8>,
}

impl RemoteFile {
    fn new(address: String) -> Self {
        RemoteFile { address, at: None, size: None, version: None, start: Vec::new() }
    }

    fn answer(&mut self, client: &Client, wanted: &Wanted) -> Result<Answered, Unread> {
        let size = match self.size {
            Some(size) => size,
            None => self.open(client)?,
        };
        let Wanted::Bytes(_, range) = wanted else {
            return Ok(Answered::Size(size));
        };
        let range = range.start.min(size)..range.end.min(size);
        let kept = self.start.get(range.start as usize..range.end as usize);
        if let Some(kept) = kept {
            return Ok(Answered::Bytes(kept.to_vec()));
        }
        let sent = self.again(client, &range)?;
        let is_same = sent.size == size && (self.version.is_none() || sent.version == self.version);
        if sent.is_whole || !is_same {
            return Err(Unread::from("the file behind the address changed while it was read"));
        }
        Ok(Answered::Bytes(sent.bytes))
    }

    /// The first bytes, and with them the size.
    fn open(&mut self, client: &Client) -> Result<u64, Unread> {
        readable(&self.address)?;
        let sent = client.get(&self.address, &FIRST)?;
        self.at = Some(sent.from);
        self.version = sent.version;
        self.start = sent.bytes;
        self.size = Some(sent.size);
        Ok(sent.size)
    }

    /// A range from where the first bytes came from. Such places may be good for a short time only: then from the
    /// address itself.
    fn again(&mut self, client: &Client, range: &Range<u64>) -> Result<Sent, Unread> {
        let at = self.at.as_deref().unwrap_or(&self.address);
        match client.get(at, range) {
            Err(_) if at != self.address => {
                let sent = client.get(&self.address, range)?;
                self.at = Some(sent.from.clone());
                Ok(sent)
            }
            other => other,
        }
    }
}
