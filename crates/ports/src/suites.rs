//! Cipher suites by their registered numbers.

use std::sync::Arc;

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

    /// How many there are.
    pub fn count(&self) -> usize {
        self.provider.cipher_suites.len()
    }

    /// What encrypts by them.
    pub fn provider(&self) -> Arc<CryptoProvider> {
        Arc::clone(&self.provider)
    }
}

/// All that are there: none of them is known to be weak.
impl Default for Suites {
    fn default() -> Self {
        Self { provider: Arc::new(aws_lc_rs::default_provider()), unknown: Vec::new() }
    }
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
}
