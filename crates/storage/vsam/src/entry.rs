//! Entries of the catalogue: a definition and what belongs to it, and how they are kept.

use records::{Recovery, StoreId};

use crate::{AlternateIndex, Cluster, Definition, Error, KeyField, Name, Organization, Path, Result};

/// Entry of the catalogue under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogEntry {
    /// Definition of the entry.
    pub definition: Definition,
    /// Store of its records; `None` for a path.
    pub store: Option<StoreId>,
}

impl CatalogEntry {
    /// Its name.
    pub fn name(&self) -> &Name {
        self.definition.name()
    }

    /// Returns true if it is of no use without the entry of that name.
    pub(crate) fn depends_on(&self, name: &Name) -> bool {
        match &self.definition {
            Definition::Cluster(_) => false,
            Definition::AlternateIndex(index) => index.relate == *name,
            Definition::Path(path) => path.entry == *name,
        }
    }

    /// The same under another name.
    pub(crate) fn renamed(&self, new: &Name) -> Self {
        let mut entry = self.clone();
        match &mut entry.definition {
            Definition::Cluster(cluster) => cluster.name = new.clone(),
            Definition::AlternateIndex(index) => index.name = new.clone(),
            Definition::Path(path) => path.name = new.clone(),
        }
        entry
    }

    /// The same, where what it depends on has another name.
    pub(crate) fn moved(&self, new: &Name) -> Self {
        let mut entry = self.clone();
        match &mut entry.definition {
            Definition::Cluster(_) => {}
            Definition::AlternateIndex(index) => index.relate = new.clone(),
            Definition::Path(path) => path.entry = new.clone(),
        }
        entry
    }

    /// As the catalogue's record: fields separated by tabs, the kind first.
    pub(crate) fn to_record(&self) -> Vec<u8> {
        let store = self.store.map_or(0, |store| store.0);
        let text = match &self.definition {
            Definition::Cluster(Cluster { organization, average, maximum, recovery, reuse, .. }) => {
                let organization = match organization {
                    Organization::Keyed(key) => format!("keyed {} {}", key.offset, key.length),
                    Organization::EntrySequenced => "entry".into(),
                    Organization::Relative => "relative".into(),
                };
                let recoverable = flag(*recovery == Recovery::Recoverable);
                let reuse = flag(*reuse);
                format!("cluster\t{store}\t{organization}\t{average}\t{maximum}\t{recoverable}\t{reuse}")
            }
            Definition::AlternateIndex(AlternateIndex { relate, key, unique, upgrade, .. }) => {
                let (unique, upgrade) = (flag(*unique), flag(*upgrade));
                format!("index\t{store}\t{relate}\t{}\t{}\t{unique}\t{upgrade}", key.offset, key.length)
            }
            Definition::Path(path) => format!("path\t{}", path.entry),
        };
        text.into_bytes()
    }

    /// From the catalogue's record.
    pub(crate) fn from_record(key: &[u8], record: &[u8]) -> Result<Self> {
        let text = |bytes| std::str::from_utf8(bytes).ok();
        let read = || {
            let name: Name = text(key)?.parse().ok()?;
            let fields: Vec<&str> = text(record)?.split('\t').collect();
            Self::from_fields(name, &fields)
        };
        read().ok_or_else(|| {
            Error::Corrupt(format!("catalogue entry {}", String::from_utf8_lossy(key).escape_default()))
        })
    }

    fn from_fields(name: Name, fields: &[&str]) -> Option<Self> {
        let store = |number: &str| Some(Some(StoreId(number.parse().ok()?)));
        Some(match fields {
            ["cluster", number, organization, average, maximum, recoverable, reuse] => Self {
                store: store(number)?,
                definition: Definition::Cluster(Cluster {
                    name,
                    organization: organization_of(organization)?,
                    average: average.parse().ok()?,
                    maximum: maximum.parse().ok()?,
                    recovery: if *recoverable == "1" {
                        Recovery::Recoverable
                    } else {
                        Recovery::NonRecoverable
                    },
                    reuse: *reuse == "1",
                }),
            },
            ["index", number, relate, offset, length, unique, upgrade] => Self {
                store: store(number)?,
                definition: Definition::AlternateIndex(AlternateIndex {
                    name,
                    relate: relate.parse().ok()?,
                    key: KeyField { offset: offset.parse().ok()?, length: length.parse().ok()? },
                    unique: *unique == "1",
                    upgrade: *upgrade == "1",
                }),
            },
            ["path", entry] => {
                let definition = Definition::Path(Path { name, entry: entry.parse().ok()? });
                Self { store: None, definition }
            }
            _ => return None,
        })
    }
}

fn flag(value: bool) -> u8 {
    u8::from(value)
}

fn organization_of(text: &str) -> Option<Organization> {
    let words: Vec<&str> = text.split(' ').collect();
    Some(match words[..] {
        ["keyed", offset, length] => {
            Organization::Keyed(KeyField { offset: offset.parse().ok()?, length: length.parse().ok()? })
        }
        ["entry"] => Organization::EntrySequenced,
        ["relative"] => Organization::Relative,
        _ => return None,
    })
}
