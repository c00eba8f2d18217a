//! Counts of TLS of this process, by way, version and cipher suite: handshakes, bytes, processor time.
//!
//! They are the process's, not a door's: a process is one region.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio_rustls::rustls::{CommonState, HandshakeKind};

use crate::limits::HANDSHAKE_SUITES_MAX;
use crate::secured::{Counts, Tally};

/// The side on which a handshake was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// With a client.
    Inbound,
    /// With a server.
    Outbound,
    /// Between a client and the proxy before this region, which has told of it.
    Proxied,
}

/// The handshakes of one way, version and cipher suite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Handshakes {
    /// That were made in full. A proxy does not say which: all of its are here.
    pub full: u64,
    /// That resumed a session.
    pub resumed: u64,
    /// That failed, or took too long.
    pub failed: u64,
    /// Nanoseconds of processor time that they took.
    pub handshake_ns: u64,
    /// Bytes that were encrypted, and decrypted.
    pub encrypted: u64,
    /// See above.
    pub decrypted: u64,
    /// Nanoseconds of processor time that carrying these took, while it was measured.
    pub transfer_ns: u64,
}

impl From<&Counts> for Handshakes {
    fn from(counts: &Counts) -> Self {
        let got = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Self {
            full: got(&counts.full),
            resumed: got(&counts.resumed),
            failed: got(&counts.failed),
            handshake_ns: got(&counts.handshake_ns),
            encrypted: got(&counts.encrypted),
            decrypted: got(&counts.decrypted),
            transfer_ns: got(&counts.transfer_ns),
        }
    }
}

/// Way, version as `TLSv1_3`, cipher suite. Both texts are empty for those that failed.
pub type Suite = (Way, String, String);

static COUNTS: Mutex<BTreeMap<Suite, Arc<Counts>>> = Mutex::new(BTreeMap::new());

/// The name of suites beyond the limit.
const OTHER: &str = "OTHER";

/// The counts of a suite, with one more in one of them.
fn count(way: Way, version: &str, cipher: &str, one: impl Fn(&Counts) -> &AtomicU64) -> Arc<Counts> {
    let mut counts = COUNTS.lock();
    let mut suite = (way, version.to_owned(), cipher.to_owned());
    if counts.len() >= HANDSHAKE_SUITES_MAX && !counts.contains_key(&suite) {
        suite = (way, OTHER.to_owned(), OTHER.to_owned());
    }
    let counts = counts.entry(suite).or_default();
    one(counts).fetch_add(1, Ordering::Relaxed);
    Arc::clone(counts)
}

/// Counts a handshake that was made and took so many nanoseconds of processor time: the counts of its connection.
pub(crate) fn count_handshake(way: Way, session: &CommonState, processor_ns: u64) -> Arc<Tally> {
    let version = session.protocol_version().map(|version| format!("{version:?}")).unwrap_or_default();
    let cipher = session.negotiated_cipher_suite();
    let number = cipher.map(|cipher| u16::from(cipher.suite())).unwrap_or_default();
    let cipher = cipher.map(|cipher| format!("{:?}", cipher.suite())).unwrap_or_default();
    let is_resumed = session.handshake_kind() == Some(HandshakeKind::Resumed);
    let one: fn(&Counts) -> &AtomicU64 =
        if is_resumed { |counts| &counts.resumed } else { |counts| &counts.full };
    Tally::new(count(way, &version, &cipher, one), number, processor_ns)
}

/// Counts a handshake that a proxy has told of.
pub fn count_proxied(version: &str, cipher: &str) {
    count(Way::Proxied, &version.replace('.', "_"), cipher, |counts| &counts.full);
}

/// Counts a handshake that was not made.
pub(crate) fn count_failed_handshake(way: Way, processor_ns: u64) {
    count(way, "", "", |counts| &counts.failed).shaken(processor_ns);
}

/// All handshakes so far.
pub fn handshakes() -> Vec<(Suite, Handshakes)> {
    COUNTS.lock().iter().map(|(suite, counts)| (suite.clone(), Handshakes::from(&**counts))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_suites_have_a_limit() {
        for number in 0..HANDSHAKE_SUITES_MAX * 2 {
            count_proxied("TLSv1.3", &format!("MADE-UP-{number}"));
        }
        let found = handshakes();
        assert!(found.len() <= HANDSHAKE_SUITES_MAX + 1, "{}", found.len());
        let all: u64 =
            found.iter().filter(|((way, ..), _)| *way == Way::Proxied).map(|(_, it)| it.full).sum();
        assert_eq!(all, HANDSHAKE_SUITES_MAX as u64 * 2);
        assert!(found.iter().all(|((_, version, _), _)| !version.contains('.')));
    }
}
