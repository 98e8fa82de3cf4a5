//! Connections with `https:`: whose certificates are trusted, and why a connection is not made.

use crate::error::Unread;
use rustls::{CertificateError, Error};
use std::path::PathBuf;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

/// The variable that names a file with other certificates to trust.
const TRUSTED: &str = "SSL_CERT_FILE";

/// The certificates that are trusted: those of `$SSL_CERT_FILE`, else Mozilla's, which are part of the program.
///
/// # Errors
/// Where that file cannot be read, or has none.
pub(super) fn certificates() -> Result<TlsConfig, Unread> {
    let Some(path) = std::env::var_os(TRUSTED).filter(|path| !path.is_empty()) else {
        return Ok(TlsConfig::builder().root_certs(RootCerts::WebPki).build());
    };
    let path = PathBuf::from(path);
    let wrong = |what: &str| Unread::from(format!("${TRUSTED} ({}): {what}", path.display()));
    let text = std::fs::read(&path).map_err(|error| wrong(&error.to_string()))?;
    let certificate = |item| match item {
        Ok(PemItem::Certificate(own)) => Some(own),
        _ => None,
    };
    let own: Vec<Certificate<'static>> = parse_pem(&text).filter_map(certificate).collect();
    match own.is_empty() {
        true => Err(wrong("no certificate in PEM is in it")),
        false => Ok(TlsConfig::builder().root_certs(RootCerts::new_with_certs(&own)).build()),
    }
}

/// Why there is no protected connection, if that is why a call failed. Asking once more would not help.
pub(super) fn refused(error: &ureq::Error) -> Option<Unread> {
    let why = match error {
        ureq::Error::Rustls(why) => why,
        ureq::Error::Io(error) => error.get_ref()?.downcast_ref::<Error>()?,
        _ => return None,
    };
    Some(sentence(why).into())
}

fn sentence(why: &Error) -> String {
    match why {
        Error::InvalidCertificate(why) => format!("the server's certificate {}", certificate(why)),
        Error::InvalidMessage(_) | Error::PeerSentOversizedRecord => {
            "what listens there does not speak https: name it with http://, or another port".to_owned()
        }
        Error::PeerIncompatible(_) | Error::AlertReceived(_) => {
            format!("the server refuses the protected connection ({why}); TLS 1.2 and 1.3 are spoken here")
        }
        other => format!("no protected connection comes about: {other}"),
    }
}

/// What is wrong with a certificate, and what can be done.
fn certificate(why: &CertificateError) -> String {
    match why {
        CertificateError::UnknownIssuer => format!(
            "comes from an issuer that is not trusted here; if the issuer is your own, name the file of its certificate (PEM) in ${TRUSTED}"
        ),
        CertificateError::NotValidForNameContext { presented, .. } if !presented.is_empty() => {
            let names: Vec<String> = presented.iter().take(5).map(|name| plain(name)).collect();
            format!("is for another host ({}): name the file by the host that it is for", names.join(", "))
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "is for another host: name the file by the host that it is for".to_owned()
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "has expired, or the clock of this machine is wrong; whoever runs the server has to renew it"
                .to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "is not valid yet, or the clock of this machine is wrong".to_owned()
        }
        CertificateError::Revoked => "was revoked by its issuer".to_owned(),
        other => format!("is not accepted: {other}"),
    }
}

/// `DnsName("host")`, as rustls writes a name of a certificate, without what only a program needs.
fn plain(name: &str) -> String {
    let inner = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or(name);
    inner.trim_matches('"').chars().filter(|c| !c.is_control()).take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_certificates_are_shown_plainly() {
        for (name, shown) in
            [("DnsName(\"a.example\")", "a.example"), ("IpAddress(127.0.0.1)", "127.0.0.1"), ("x\n", "x")]
        {
            assert_eq!(plain(name), shown);
        }
    }
}
