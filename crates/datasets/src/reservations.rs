//! Data sets that jobs have reserved, for themselves alone or together with others, as DISP says.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use records::Claim;

use crate::DataSets;

/// The holders of a data set: the number of jobs that share it, or one alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
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
    names: Vec<(String, Held)>,
    claims: Claims,
}

/// The same among all regions that share the records.
#[derive(Default)]
struct Claims(Vec<Claim>);

impl fmt::Debug for Claims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} claims", self.0.len())
    }
}

/// Names of data sets that jobs of regions claim begin so.
const CLAIMED: &str = "job's data set ";

impl DataSets {
    /// Reserves all of these data sets, each alone or shared, or none of them: among the jobs of this region, and, as far as
    /// regions share the data sets, among those of all.
    ///
    /// # Errors
    /// The first name that another job has, or the engine's own.
    pub async fn reserve(&self, names: &[(String, bool)]) -> vsam::Result<Result<Holder, String>> {
        let mut holder = match self.reservations.reserve(names) {
            Ok(holder) => holder,
            Err(name) => return Ok(Err(name)),
        };
        let engine = self.vsam.engine();
        if !engine.is_shared() {
            return Ok(Ok(holder));
        }
        for (name, held) in &holder.names {
            let is_shared = name.parse().is_ok_and(|name| self.vsam.entry(&name).is_ok());
            if !is_shared {
                continue;
            }
            let claimed = format!("{CLAIMED}{name}");
            match engine.claim(claimed.as_bytes(), *held == Held::Alone).await? {
                Some(claim) => holder.claims.0.push(claim),
                None => return Ok(Err(name.clone())),
            }
        }
        Ok(Ok(holder))
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
