//! Cipher suites by their registered numbers.

use std::sync::Arc;

use tokio_rustls::rustls::CipherSuite;
use tokio_rustls::rustls::crypto::{CryptoProvider, aws_lc_rs};

/// The cipher suites that a connection may use.
#[derive(Clone, Debug)]
pub struct Suites {
    provider: Arc<CryptoProvider>,
    /// Those that were asked for and are not there.
    unknown: Vec<u16>,
}

impl Suites {
    /// Those of a list, in its order.
    pub fn of(numbers: &[u16]) -> Self {
        let provider = aws_lc_rs::default_provider();
        let named = |number: &u16| {
            let mut known = provider.cipher_suites.iter();
            known.find(|suite| u16::from(suite.suite()) == *number).copied()
        };
        let suites = numbers.iter().filter_map(named).collect();
        let unknown = numbers.iter().filter(|number| named(number).is_none()).copied().collect();
        Self { provider: Arc::new(CryptoProvider { cipher_suites: suites, ..provider.clone() }), unknown }
    }

    /// The numbers of a list that name no suite which is there: older ones, with known weaknesses.
    pub fn unknown(&self) -> &[u16] {
        &self.unknown
    }

    /// The number of suites.
    pub fn count(&self) -> usize {
        self.provider.cipher_suites.len()
    }

    /// The provider that encrypts by these suites.
    pub fn provider(&self) -> Arc<CryptoProvider> {
        Arc::clone(&self.provider)
    }
}

/// All suites of the provider: none of them is known to be weak. If the processor computes SHA-256 itself, the suites
/// that use it come first: a handshake with SHA-384 costs more there.
impl Default for Suites {
    fn default() -> Self {
        let mut provider = aws_lc_rs::default_provider();
        if has_sha_256() {
            provider.cipher_suites.sort_by_key(|suite| costs_more(suite.suite()));
        }
        Self { provider: Arc::new(provider), unknown: Vec::new() }
    }
}

/// Returns true if the processor has instructions for SHA-256.
fn has_sha_256() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = std::arch::is_x86_feature_detected!("sha");
    #[cfg(not(target_arch = "x86_64"))]
    let has = false;
    has
}

/// Returns true if a suite uses another hash than SHA-256.
fn costs_more(suite: CipherSuite) -> bool {
    matches!(
        suite,
        CipherSuite::TLS13_AES_256_GCM_SHA384
            | CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384
            | CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_are_known_by_their_numbers() {
        let suites = Suites::of(&[0x0035, 0xC030, 0x1301, 0x000A]);
        assert_eq!((suites.count(), suites.unknown()), (2, [0x0035, 0x000A].as_slice()));
        assert!(Suites::default().count() > 2);
    }

    #[test]
    fn suites_with_sha_256_come_first_where_the_processor_has_it() {
        let suites = Suites::default();
        let costs = suites.provider.cipher_suites.iter().map(|suite| costs_more(suite.suite()));
        let costs: Vec<bool> = costs.collect();
        assert_eq!(costs.iter().filter(|costs| **costs).count(), 3);
        assert_eq!(costs.is_sorted(), has_sha_256(), "{costs:?}");
    }
}
