//! The published benchmark of web services: one message at five rates in eight configurations, on a machine of 2015. Processor
//! time of the two regions of its partition and of TCP/IP, in microseconds a message.

/// The rates, in messages a second.
pub(crate) const RATES: [u64; 5] = [416, 500, 556, 714, 1_000];

/// One of its configurations, at its rates.
pub(crate) struct Published {
    /// Its published name.
    pub name: &'static str,
    /// Microseconds of processor time.
    pub processor: [u32; 5],
    /// Milliseconds; 0 is below one.
    pub response: [u32; 5],
}

const fn published(name: &'static str, processor: [u32; 5], response: [u32; 5]) -> Published {
    Published { name, processor, response }
}

pub(crate) const HTTP_EACH: Published =
    published("HTTP, a connection for each message", [499, 488, 489, 489, 490], [0; 5]);
pub(crate) const HTTP_KEPT: Published =
    published("HTTP, kept connections", [389, 390, 389, 392, 389], [1, 1, 1, 1, 1]);
pub(crate) const SSL_FULL: Published =
    published("SSL, full handshakes", [962, 954, 950, 951, 955], [28, 28, 27, 26, 25]);
pub(crate) const SSL_RESUMED: Published =
    published("SSL, partial handshakes", [692, 695, 697, 699, 699], [3; 5]);
pub(crate) const SSL_KEPT: Published =
    published("SSL, kept connections", [456, 456, 456, 456, 456], [1, 1, 0, 0, 1]);
pub(crate) const AT_TLS_FULL: Published =
    published("AT-TLS, full handshakes", [767, 766, 766, 766, 767], [0; 5]);
pub(crate) const AT_TLS_RESUMED: Published =
    published("AT-TLS, partial handshakes", [694, 698, 695, 693, 694], [0; 5]);
pub(crate) const AT_TLS_KEPT: Published =
    published("AT-TLS, kept connections", [405, 405, 405, 404, 405], [1; 5]);
