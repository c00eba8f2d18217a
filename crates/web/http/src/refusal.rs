//! The reasons why a message is refused. Nothing more of its connection is read: the end of the message is not certain.

/// The reason why a message is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refusal {
    /// The first line is malformed.
    #[error("the first line is not that of an HTTP/1.1 message")]
    FirstLine,
    /// A method that is not a token, or is too long.
    #[error("the method is not a token of at most {} characters", crate::limits::METHOD_MAX)]
    Method,
    /// CONNECT: this is not a proxy.
    #[error("CONNECT is for proxies")]
    Connect,
    /// The target has none of its three forms.
    #[error("the target is neither a path nor an http URL, or has characters that no target has")]
    Target,
    /// The path has `..`, `.`, an escaped slash or NUL, or a malformed escape.
    #[error("the path has dot segments, or escapes that stand for a slash or a NUL, or are no escapes")]
    Path,
    /// The target is too long.
    #[error("the target is too long")]
    TargetTooLong,
    /// Another version.
    #[error("the version is neither HTTP/1.0 nor HTTP/1.1")]
    Version,
    /// A line that ends without CR.
    #[error("a line ends without CR")]
    BareLineFeed,
    /// A header that is not a name, a colon and a value, is folded, or has control characters.
    #[error("a header is not a name, a colon and a value on one line")]
    Header,
    /// Too many headers.
    #[error("more than {} headers", crate::limits::HEADERS_MAX)]
    TooManyHeaders,
    /// Too long a head.
    #[error("the head is too long")]
    HeadTooLong,
    /// HTTP/1.1 without exactly one valid Host.
    #[error("exactly one Host, with a host in it, is expected")]
    Host,
    /// A Content-Length that is not one plain number, or more than one.
    #[error("Content-Length is not one plain number")]
    Length,
    /// Content-Length and Transfer-Encoding.
    #[error("Content-Length and Transfer-Encoding exclude each other")]
    TwoLengths,
    /// A coding that is not exactly `chunked`.
    #[error("the only Transfer-Encoding is chunked, once")]
    Coding,
    /// A coding in HTTP/1.0.
    #[error("HTTP/1.0 has no Transfer-Encoding")]
    CodingBefore11,
    /// An expectation other than `100-continue`.
    #[error("the only expectation is 100-continue")]
    Expectation,
    /// A chunk that has no plain size, or is not as long as it says.
    #[error("a chunk has no plain size, or is not as long as it says")]
    Chunk,
    /// A malformed trailer.
    #[error("the trailer is not one of headers")]
    Trailer,
    /// Too long a body.
    #[error("the body is too long")]
    BodyTooLong,
}

impl Refusal {
    /// The status to answer with.
    pub const fn status(self) -> u16 {
        match self {
            Self::TargetTooLong => 414,
            Self::TooManyHeaders | Self::HeadTooLong => 431,
            Self::Version => 505,
            Self::BodyTooLong => 413,
            Self::Expectation => 417,
            Self::Coding | Self::Connect => 501,
            _ => 400,
        }
    }
}
