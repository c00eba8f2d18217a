//! What ddnames stand for.

use ebcdic::Characters;
use std::collections::BTreeMap;

use datasets::File;

/// What a ddname stands for.
#[derive(Clone, Debug)]
pub enum Dd {
    /// A data set of the region: a cluster or a path.
    DataSet(String),
    /// Files, read one after the other; the first is written.
    Files(Vec<File>),
    /// SYSOUT: what is written is printed.
    Printed,
}

/// The DD statements of a step, by ddname in upper case.
#[derive(Clone, Debug, Default)]
pub struct Dds(BTreeMap<String, Dd>);

impl Dds {
    /// Adds one; a second one of the same name counts instead of the first.
    pub fn add(&mut self, ddname: &str, dd: Dd) {
        self.0.insert(ddname.to_ascii_uppercase(), dd);
    }

    /// What the name of a COBOL file stands for: behind prefixes as in `UT-S-NAME` or `AS-NAME`.
    pub(crate) fn of(&self, assigned: &str) -> Option<&Dd> {
        let name = assigned.rsplit('-').next().unwrap_or(assigned);
        self.0.get(&name.to_ascii_uppercase())
    }

    /// The lines behind SYSIN, for ACCEPT.
    pub(crate) fn input_lines(&self) -> Vec<String> {
        let Some(Dd::Files(files)) = self.0.get("SYSIN") else { return Vec::new() };
        let records = files.iter().filter_map(|file| file.read(0).ok()).flatten().map_while(Result::ok);
        records.map(|record| Characters::default().text(&record)).collect()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Dd)> {
        self.0.iter()
    }
}
