//! Everything that grows has a limit, and every limit has a name.

/// The limits of a message. The table of headers has a fixed size: [`HEADERS_MAX`].
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of a head, from its first line to the empty line; also of a trailer. Beyond: 431.
    pub head: usize,
    /// Bytes of a request's target. Beyond: 414.
    pub target: usize,
    /// Bytes of a body, as they are without chunks. Beyond: 413.
    pub body: u64,
}

/// Headers of a message, or of its trailer. Beyond: 431.
pub const HEADERS_MAX: usize = 100;
/// Characters of a method. Beyond: 400.
pub const METHOD_MAX: usize = 32;
/// Digits of a chunk's size: eight are 4 GiB, more than any body may have. Beyond: 400.
pub const CHUNK_DIGITS_MAX: usize = 8;
/// Digits of a Content-Length: eighteen always fit in 64 bits. Beyond: 400.
pub const LENGTH_DIGITS_MAX: usize = 18;
/// Interim answers (1xx) that a client passes over before the real one.
pub const INTERIM_MAX: usize = 16;
/// Fields of a form. Beyond, a form is refused.
pub const FORM_FIELDS_MAX: usize = 10_000;
/// Bytes of the headers of one part of a multipart form.
pub const PART_HEAD_MAX: usize = 8 * 1024;
/// Bytes of a header of PROXY protocol v2 after its first sixteen.
pub const PROXY_MAX: usize = 4 * 1024;

/// Bytes of memory that are asked for at once for a body: its sender may promise much and send little.
pub(crate) const BODY_STEP: usize = 64 * 1024;

impl Limits {
    /// A head of 16 KiB, a target of 8 KiB, and such a body.
    pub const fn with_body(body: u64) -> Self {
        Self { head: 16 * 1024, target: 8 * 1024, body }
    }
}

impl Default for Limits {
    /// A body of 32 KiB: the published default of MAXDATALEN.
    fn default() -> Self {
        Self::with_body(32 * 1024)
    }
}
