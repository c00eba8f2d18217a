//! The attributes of every resource type, from the published tables.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::{Legal, ResourceType};

/// The rows that hold for all types: the author and the time of a definition's change. Only a CSD needs them, and
/// writes them.
const EVERY_TYPE: &str = "(all types)";

/// Attributes whose values are the names of transactions, in which case matters.
const CASE_MATTERS: [&str; 3] = ["TRANSID", "TRANSACTION", "ALIAS"];

/// Attributes that only people read.
const PROSE: [&str; 4] = ["DESCRIPTION", "USERDATA1", "USERDATA2", "USERDATA3"];

/// The published facts about one attribute of one resource type.
#[derive(Debug, PartialEq, Eq)]
pub struct AttributeSpec {
    /// Its name.
    pub name: &'static str,
    /// Its value if a definition does not give one.
    pub default: Option<&'static str>,
    /// Its legal values.
    pub legal: Legal,
    /// True if it is accepted but no longer means anything.
    pub obsolete: bool,
}

impl AttributeSpec {
    /// Returns true if lower-case letters in a value stay as they are.
    pub(crate) fn keeps_case(&self) -> bool {
        CASE_MATTERS.contains(&self.name)
    }

    /// The number of characters that are kept of a value that is prose for a reader; `None` if the value is not cut.
    pub(crate) fn cut_behind(&self) -> Option<usize> {
        match self.legal {
            Legal::Choice { text, .. } if PROSE.contains(&self.name) => text,
            _ => None,
        }
    }
}

/// The attributes of a resource type, in the order of the published tables; the signature of a definition
/// (DEFINETIME, CHANGETIME and the like) after them.
pub fn attributes_of(resource: ResourceType) -> &'static [AttributeSpec] {
    static TABLE: LazyLock<BTreeMap<ResourceType, Vec<AttributeSpec>>> = LazyLock::new(|| {
        let rows_of = |name: &str| {
            rows().filter(|row| row[0] == name).flat_map(|row| specs(&row)).collect::<Vec<AttributeSpec>>()
        };
        let with_signature = |resource: &ResourceType| {
            (*resource, rows_of(resource.name()).into_iter().chain(rows_of(EVERY_TYPE)).collect())
        };
        ResourceType::ALL.iter().map(with_signature).collect()
    });
    TABLE.get(&resource).map_or(&[], Vec::as_slice)
}

/// Type, name, default and legal values of every row but the headings.
fn rows() -> impl Iterator<Item = [&'static str; 4]> {
    spec::tables::CSD_ATTRIBUTES.lines().skip(1).filter_map(|line| {
        let mut columns = line.split('\t');
        Some([columns.next()?, columns.next()?, columns.next()?, columns.next()?])
    })
}

/// The attributes of a row: one, or several where the name ends in a range (`DSNAME02-16`).
fn specs(row: &[&'static str; 4]) -> Vec<AttributeSpec> {
    let [_, name, default, legal] = *row;
    if name == "GROUP" {
        return Vec::new();
    }
    let spec = |name| AttributeSpec {
        name,
        default: (!matches!(default, "-" | "?") && !default.contains('(')).then_some(default),
        legal: Legal::read(legal),
        obsolete: ["obsolete", "withdrawn"].iter().any(|word| legal.contains(word)),
    };
    match name {
        "DSNAME02-16" => FURTHER_LIBRARIES.iter().copied().map(spec).collect(),
        _ => vec![spec(name)],
    }
}

/// The data sets of a LIBRARY after the first.
const FURTHER_LIBRARIES: [&str; 15] = [
    "DSNAME02", "DSNAME03", "DSNAME04", "DSNAME05", "DSNAME06", "DSNAME07", "DSNAME08", "DSNAME09",
    "DSNAME10", "DSNAME11", "DSNAME12", "DSNAME13", "DSNAME14", "DSNAME15", "DSNAME16",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_resource_type_of_the_tables_is_known_and_has_attributes() {
        for row in rows().filter(|row| row[0] != EVERY_TYPE) {
            assert!(ResourceType::named(row[0]).is_some(), "{}", row[0]);
        }
        for &resource in ResourceType::ALL {
            assert!(attributes_of(resource).iter().any(|a| a.name == "DESCRIPTION"), "{resource}");
        }
    }

    #[test]
    fn every_default_is_legal() {
        for &resource in ResourceType::ALL {
            for attribute in attributes_of(resource) {
                if let Some(default) = attribute.default {
                    let checked = attribute.legal.check(default, false);
                    assert_eq!(checked.as_deref(), Ok(default), "{resource} {}", attribute.name);
                }
            }
        }
    }

    #[test]
    fn legal_values_are_read_from_the_tables_notation() {
        let cases = [
            ("NO,1-6800(mmss)", "5", Ok("5")),
            ("NO,1-6800(mmss)", "no", Ok("NO")),
            ("NO,1-6800(mmss)", "6801", Err("NO, 1 to 6800")),
            ("ENABLED,DISABLED", "dis", Ok("DISABLED")),
            ("ALL,NONE", "", Err("ALL, NONE")),
            ("char8 (CSD only)", "abc", Ok("ABC")),
            ("char8", "ninechars", Err("at most 8 characters")),
            ("char58", "As It Is", Ok("As It Is")),
            ("0-255,0-255", "3, 4", Ok("3,4")),
            ("0-255,0-255", "1,256", Err("2 numbers separated by commas: 0 to 255, 0 to 255")),
            ("0-93 days,0-23 h,0-59 min (docs list 0-99)", "0,0,0", Ok("0,0,0")),
            ("LPA,MSRE,OPID,PA1-3,PF1-24", "pf24", Ok("PF24")),
            ("1,2", "2", Ok("2")),
            ("NO,number", "7", Ok("7")),
            ("NO,number", "x", Err("NO, a number from 0")),
            ("hostname,*", "Some.Host", Ok("Some.Host")),
            ("?", "x", Ok("x")),
        ];
        for (notation, value, expected) in cases {
            let checked = Legal::read(notation).check(value, false);
            assert_eq!(checked.as_deref().map_err(String::as_str), expected, "{notation}: {value}");
        }
    }
}
