//! The published resources: which type of the region, or of its definitions, each name means.
//!
//! `tables/resources.tsv` has a row for each: the name that requests have, the published table, the type (`=TYPE` is one of
//! definitions, `+NAME` one that has no type of its own, `-` one of which regions have nothing), the records of the type that
//! are meant, as criteria, and attributes that have another name than the option of INQUIRE. A type without a row is known
//! by `CICS` and its name.

use std::sync::LazyLock;

use crate::Criteria;

/// A resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The name in requests.
    pub external: String,
    /// Its records.
    pub of: Of,
    /// The records of the type that are meant; `None`: all.
    pub only: Option<Criteria>,
    /// Options of INQUIRE, and the attributes that have another name.
    renames: Vec<(String, String)>,
}

/// Source of a resource's records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Of {
    /// Resources of a type.
    Type(String),
    /// Definitions of a type.
    Definitions(String),
    /// Something else, by its name.
    Other(String),
    /// Regions have nothing of it.
    Nothing,
}

const ROWS: &str = include_str!("../tables/resources.tsv");

static RESOURCES: LazyLock<Vec<Resource>> = LazyLock::new(|| ROWS.lines().skip(1).filter_map(row).collect());

fn row(line: &str) -> Option<Resource> {
    let mut columns = line.split('\t');
    let (external, _table, of) = (columns.next()?, columns.next()?, columns.next()?);
    let (only, renames) = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
    let of = match of.split_at_checked(1)? {
        ("=", name) => Of::Definitions(name.to_owned()),
        ("+", name) => Of::Other(name.to_owned()),
        ("-", _) => Of::Nothing,
        _ => Of::Type(of.to_owned()),
    };
    let renamed = renames.split(' ').filter_map(|pair| pair.split_once('='));
    Some(Resource {
        external: external.to_owned(),
        of,
        only: Criteria::read(only).ok().filter(|_| !only.is_empty()),
        renames: renamed.map(|(option, name)| (option.to_owned(), name.to_owned())).collect(),
    })
}

impl Resource {
    /// The resource of a name in capitals; `is_type` says which types there are.
    pub fn named(name: &str, is_type: impl Fn(&str) -> bool) -> Option<Self> {
        if let Some(row) = RESOURCES.iter().find(|row| row.external.eq_ignore_ascii_case(name)) {
            return Some(row.clone());
        }
        let plain = name.strip_prefix("CICS")?;
        let has_row = |kind: &str| RESOURCES.iter().any(|row| matches!(&row.of, Of::Type(of) if of == kind));
        let of = match plain.strip_prefix("DEFINITION") {
            Some(_) => return None,
            None if is_type(plain) && !has_row(plain) => Of::Type(plain.to_owned()),
            None => return None,
        };
        Some(Self { external: name.to_owned(), of, only: None, renames: Vec::new() })
    }

    /// The name of its records' elements.
    pub fn element(&self) -> String {
        self.external.to_ascii_lowercase()
    }

    /// The attribute of an option of INQUIRE, in small letters.
    pub fn attribute(&self, option: &str) -> String {
        let renamed = self.renames.iter().find(|(own, _)| own == option).map(|(_, name)| name.clone());
        renamed.unwrap_or_else(|| option.to_ascii_lowercase())
    }

    /// The option of an attribute, in capitals.
    pub fn option(&self, attribute: &str) -> String {
        let renamed = self.renames.iter().find(|(_, name)| name.eq_ignore_ascii_case(attribute));
        renamed.map_or_else(|| attribute.to_ascii_uppercase(), |(option, _)| option.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read_and_every_condition_is_one() {
        assert_eq!(RESOURCES.len(), ROWS.lines().count() - 1);
        for (row, line) in RESOURCES.iter().zip(ROWS.lines().skip(1)) {
            assert_eq!(line.split('\t').count(), 5, "{line}");
            let says_which = line.split('\t').nth(3).is_some_and(|only| !only.is_empty());
            assert_eq!(row.only.is_some(), says_which, "{line}");
        }
    }

    #[test]
    fn a_type_without_a_row_is_known_by_its_name() {
        let named = |name: &str| Resource::named(name, |kind| ["PROGRAM", "NEWTYPE"].contains(&kind));
        let types = |name: &str| named(name).map(|resource| resource.of);
        assert_eq!(types("CICSPROGRAM"), Some(Of::Type("PROGRAM".to_owned())));
        assert_eq!(types("CICSDEFINITIONPROGRAM"), Some(Of::Definitions("PROGRAM".to_owned())));
        assert_eq!(types("CICSNEWTYPE"), Some(Of::Type("NEWTYPE".to_owned())));
        assert_eq!(types("CICSJVMSERVER"), Some(Of::Nothing));
        assert_eq!(types("CICSCICSPLEX"), None);
        let file = named("CICSLOCALFILE").expect("a row");
        assert_eq!(
            (file.attribute("TYPE"), file.option("vsamtype")),
            ("vsamtype".to_owned(), "TYPE".to_owned())
        );
    }
}
