//! The stores that each region may use: those of all, and its own.
//!
//! A region's own stores have names that begin with [`OWN_STORES`]; here its APPLID stands behind that. So each region has
//! a "region starts" of its own, sees no other one in its directory, and is refused another one's number.

use std::borrow::Cow;
use std::collections::HashMap;

use records::{Error, OWN_STORES, Result, StoreId, StoreInfo};

/// The beginning of the names of stores that the engine, or the server, has for itself.
const INTERNAL: char = '\0';

/// The one who may use a store.
#[derive(Debug, PartialEq, Eq)]
enum For {
    All,
    Region(String),
}

/// All stores that regions may use.
#[derive(Debug, Default)]
pub(crate) struct Names(HashMap<u32, For>);

impl Names {
    /// The stores of the engine, without the one that is the server's.
    pub fn of(stores: &[StoreInfo], server: StoreId) -> Self {
        let used = stores.iter().filter(|store| store.id != server && !store.name.starts_with(INTERNAL));
        let whose = |store: &StoreInfo| match parts(&store.name) {
            Some((applid, _)) => For::Region(applid.to_owned()),
            None => For::All,
        };
        Self(used.map(|store| (store.id.0, whose(store))).collect())
    }

    /// Refuses a store that a region may not use.
    ///
    /// # Errors
    /// [`Error::NoStore`], whether it is there or not.
    pub fn check(&self, applid: &str, store: u32) -> Result<()> {
        match self.0.get(&store) {
            Some(For::All) => Ok(()),
            Some(For::Region(region)) if region == applid => Ok(()),
            _ => Err(Error::NoStore(StoreId(store))),
        }
    }
}

/// The APPLID and the rest of the name of a region's own store.
fn parts(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix(OWN_STORES)?.split_once(' ')
}

/// The name in the engine of a store that a region names.
///
/// # Errors
/// A name that no region may give.
pub(super) fn inside<'a>(applid: &str, name: &'a str) -> Result<Cow<'a, str>> {
    if name.starts_with(INTERNAL) {
        return Err(Error::StoreExists(name.to_owned()));
    }
    Ok(match name.strip_prefix(OWN_STORES) {
        Some(rest) => Cow::Owned(format!("{OWN_STORES}{applid} {rest}")),
        None => Cow::Borrowed(name),
    })
}

/// The name by which a region knows a store of the engine; `None` if it is another region's.
pub(super) fn outside<'a>(applid: &str, name: &'a str) -> Option<Cow<'a, str>> {
    if name.starts_with(INTERNAL) {
        return None;
    }
    match parts(name) {
        Some((region, rest)) => (region == applid).then(|| Cow::Owned(format!("{OWN_STORES}{rest}"))),
        None => Some(Cow::Borrowed(name)),
    }
}

#[cfg(test)]
mod tests {
    use records::Recovery;

    use super::*;

    #[test]
    fn a_region_knows_its_own_stores_and_those_of_all() {
        let inner = inside("REGA", "region starts").expect("a name");
        assert_eq!(inner, "region REGA starts");
        assert_eq!(outside("REGA", &inner).as_deref(), Some("region starts"));
        assert_eq!(outside("REGB", &inner), None);
        assert_eq!(inside("REGA", "data set A").as_deref(), Ok("data set A"));
        assert_eq!(outside("REGB", "data set A").as_deref(), Some("data set A"));
        assert!(inside("REGA", "\0indoubt").is_err());
        assert_eq!(outside("REGA", "\0indoubt"), None);
    }

    #[test]
    fn the_number_of_another_regions_store_is_no_store() {
        let info = |id, name: &str| StoreInfo {
            id: StoreId(id),
            name: name.to_owned(),
            recovery: Recovery::Recoverable,
        };
        let stores = [info(1, "record server commits"), info(2, "region REGA starts"), info(3, "data set A")];
        let names = Names::of(&stores, StoreId(1));
        for (applid, store, may) in [
            ("REGA", 0, false),
            ("REGA", 1, false),
            ("REGA", 2, true),
            ("REGB", 2, false),
            ("REGA", 3, true),
            ("REGB", 3, true),
            ("REGB", 4, false),
        ] {
            assert_eq!(names.check(applid, store).is_ok(), may, "{applid} {store}");
        }
    }
}
