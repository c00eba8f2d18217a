//! Names that sessions claim, each beside others or alone.

use std::collections::HashMap;

use crate::limits::{CLAIM_NAME_MAX, CLAIMS_MAX};

/// The claims of a name: how often each session has it beside others, and alone.
#[derive(Default)]
struct Held {
    beside: HashMap<u64, usize>,
    alone: Option<(u64, usize)>,
}

/// All claims.
#[derive(Default)]
pub(crate) struct Claims {
    names: HashMap<Vec<u8>, Held>,
    /// Names that each session has.
    counts: HashMap<u64, usize>,
}

impl Claims {
    /// Claims a name; false if another session has it otherwise.
    pub fn claim(&mut self, session: u64, name: &[u8], alone: bool) -> records::Result<bool> {
        let count = self.counts.entry(session).or_default();
        if *count >= CLAIMS_MAX || name.len() > CLAIM_NAME_MAX {
            return Err(records::Error::Limit("names that a region claims"));
        }
        let held = self.names.entry(name.to_vec()).or_default();
        let others = held.beside.keys().any(|other| *other != session);
        let other_alone = held.alone.is_some_and(|(other, _)| other != session);
        if other_alone || (alone && others) {
            return Ok(false);
        }
        if alone {
            held.alone = Some((session, held.alone.map_or(0, |(_, times)| times) + 1));
        } else {
            *held.beside.entry(session).or_default() += 1;
        }
        *count += 1;
        Ok(true)
    }

    /// Gives a claim back. One that is not there was given back with its session.
    pub fn give_back(&mut self, session: u64, name: &[u8], alone: bool) {
        let Some(held) = self.names.get_mut(name) else { return };
        let given = match (alone, held.alone) {
            (true, Some((own, times))) if own == session => {
                held.alone = (times > 1).then_some((own, times - 1));
                true
            }
            (true, _) => false,
            (false, _) => match held.beside.get_mut(&session) {
                Some(times) if *times > 1 => {
                    *times -= 1;
                    true
                }
                Some(_) => held.beside.remove(&session).is_some(),
                None => false,
            },
        };
        if given && let Some(count) = self.counts.get_mut(&session) {
            *count -= 1;
        }
        if held.beside.is_empty() && held.alone.is_none() {
            self.names.remove(name);
        }
    }

    /// The session is over.
    pub fn end(&mut self, session: u64) {
        self.counts.remove(&session);
        self.names.retain(|_, held| {
            held.beside.remove(&session);
            held.alone = held.alone.filter(|(own, _)| *own != session);
            !held.beside.is_empty() || held.alone.is_some()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_for_many_or_for_one_session() {
        let mut claims = Claims::default();
        assert_eq!(claims.claim(1, b"A", false), Ok(true));
        assert_eq!(claims.claim(2, b"A", false), Ok(true));
        assert_eq!(claims.claim(1, b"A", true), Ok(false));
        claims.give_back(2, b"A", false);
        assert_eq!(claims.claim(1, b"A", true), Ok(true), "its own claims hinder nobody");
        assert_eq!(claims.claim(2, b"A", false), Ok(false));
        claims.give_back(1, b"A", false);
        assert_eq!(claims.claim(2, b"A", false), Ok(false));
        claims.give_back(1, b"A", true);
        claims.give_back(1, b"A", true);
        assert_eq!(claims.claim(2, b"A", true), Ok(true));
        claims.end(2);
        assert_eq!(claims.claim(1, b"A", true), Ok(true));
        claims.end(1);
        assert!(claims.names.is_empty() && claims.counts.is_empty());
    }

    #[test]
    fn names_have_a_number_and_a_length() {
        let mut claims = Claims::default();
        assert!(claims.claim(1, &[b'A'; CLAIM_NAME_MAX + 1], false).is_err());
        for number in 0..CLAIMS_MAX {
            assert_eq!(claims.claim(1, &number.to_le_bytes(), false), Ok(true));
        }
        assert!(claims.claim(1, b"A", false).is_err());
        assert_eq!(claims.claim(2, b"A", false), Ok(true));
    }
}
