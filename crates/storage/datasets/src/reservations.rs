//! Data sets that jobs have reserved, for themselves alone or together with others, as DISP says.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use records::Claim;

/// The holders of a data set: the number of jobs that share it, or one alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    Shared(usize),
    Alone,
}

/// The reservations of all jobs on the data sets of a state folder.
#[derive(Debug, Default)]
pub struct Reservations {
    held: Mutex<HashMap<String, Held>>,
}

/// The data sets that one job has reserved; dropping it gives them back.
#[derive(Debug, Default)]
pub struct Holder {
    of: Option<Arc<Reservations>>,
    pub(crate) names: Vec<(String, Held)>,
    pub(crate) claims: Claims,
}

/// The same among all regions that share the records.
#[derive(Default)]
pub(crate) struct Claims(pub(crate) Vec<Claim>);

impl fmt::Debug for Claims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} claims", self.0.len())
    }
}

impl Reservations {
    /// Reserves all of these data sets, each alone or shared, or none of them.
    ///
    /// # Errors
    /// The first name that another job has.
    pub fn reserve(self: &Arc<Self>, names: &[(String, bool)]) -> Result<Holder, String> {
        let mut wanted: HashMap<&str, bool> = HashMap::new();
        for (name, alone) in names {
            *wanted.entry(name).or_default() |= alone;
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sorted: Vec<(&str, bool)> = wanted.into_iter().collect();
        sorted.sort_unstable();
        for (name, alone) in &sorted {
            let is_free = match held.get(*name) {
                None => true,
                Some(Held::Shared(_)) => !alone,
                Some(Held::Alone) => false,
            };
            if !is_free {
                return Err((*name).to_owned());
            }
        }
        let mut names = Vec::with_capacity(sorted.len());
        for (name, alone) in sorted {
            let how = match (alone, held.get(name)) {
                (true, _) => Held::Alone,
                (false, Some(Held::Shared(count))) => Held::Shared(count + 1),
                (false, _) => Held::Shared(1),
            };
            held.insert(name.to_owned(), how);
            names.push((name.to_owned(), how));
        }
        drop(held);
        Ok(Holder { of: Some(Arc::clone(self)), names, claims: Claims::default() })
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let Some(of) = &self.of else { return };
        let mut held = of.held.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, _) in &self.names {
            match held.get_mut(name) {
                Some(Held::Shared(count)) if *count > 1 => *count -= 1,
                _ => drop(held.remove(name)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_alone_or_several_together() {
        let all = Arc::new(Reservations::default());
        let names = |text: &str| -> Vec<(String, bool)> {
            let parts = text.split_whitespace();
            parts.map(|part| (part.trim_end_matches('!').to_owned(), part.ends_with('!'))).collect()
        };
        let first = all.reserve(&names("A B!")).expect("free");
        let second = all.reserve(&names("A A C")).expect("shared");
        assert_eq!(all.reserve(&names("A!")).expect_err("shared by others"), "A");
        assert_eq!(all.reserve(&names("D! B")).expect_err("alone"), "B");
        drop(first);
        assert_eq!(all.reserve(&names("A!")).expect_err("still shared"), "A");
        drop(second);
        let _all = all.reserve(&names("A! B! C! D!")).expect("free, and D was not kept");
    }
}
