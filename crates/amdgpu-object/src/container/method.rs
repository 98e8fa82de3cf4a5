//! How the content of a compressed bundle is compressed.

/// How the payload is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Method 0.
    Zlib,
    /// Method 1.
    Zstd,
}

impl Method {
    /// `zlib` or `zstd`.
    pub fn name(self) -> &'static str {
        match self {
            Method::Zlib => "zlib",
            Method::Zstd => "zstd",
        }
    }
}
