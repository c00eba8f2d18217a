//! LISTCAT: the catalogue in the layout that people know.

use std::fmt::Write;

use records::Recovery;

use super::walk::Walk;
use crate::{AlternateIndex, Cluster, Definition, Entry, Name, Organization, Path, Result, Vsam};

/// Width of one attribute: name, dashes, value.
const FIELD: usize = 24;
/// Attributes in a line.
const FIELDS: usize = 4;

impl Vsam {
    /// Lists entries: their names only, or everything, with the number of records.
    pub async fn list_catalogue(&self, names: &[Name], all: bool) -> Result<String> {
        let mut text = String::new();
        for name in names {
            let entry = self.entry(name)?;
            heading(&mut text, &entry);
            if all {
                self.list_entry(&mut text, &entry).await?;
            }
        }
        Ok(text)
    }

    async fn list_entry(&self, text: &mut String, entry: &Entry) -> Result<()> {
        let mut related: Vec<(&str, Name)> = Vec::new();
        let dependents = self.entries().into_iter().filter(|other| other.depends_on(entry.name()));
        related.extend(dependents.map(|other| (kind(&other), other.name().clone())));
        match &entry.definition {
            Definition::AlternateIndex(index) => related.push(("CLUSTER", index.relate.clone())),
            Definition::Path(path) => related.push((kind(&*self.entry(&path.entry)?), path.entry.clone())),
            Definition::Cluster(_) => {}
        }
        if !related.is_empty() {
            text.push_str("     ASSOCIATIONS\n");
            for (kind, name) in related {
                let _ = writeln!(text, "       {kind:-<9}{name}");
            }
        }
        let attributes = attributes(entry);
        if !attributes.is_empty() {
            text.push_str("     ATTRIBUTES\n");
            fields(text, &attributes);
        }
        if let Some(store) = entry.store {
            let (mut count, mut bytes) = (0, 0);
            let (mut walk, mut unit) = (Walk::new(store), self.begin());
            loop {
                let records = walk.step(&mut *unit).await?;
                if records.is_empty() {
                    break;
                }
                count += records.len();
                bytes += records.iter().map(|(_, record)| record.len()).sum::<usize>();
            }
            text.push_str("     STATISTICS\n");
            fields(text, &[field("REC-TOTAL", count), field("BYTES", bytes)]);
        }
        Ok(())
    }
}

fn kind(entry: &Entry) -> &'static str {
    match entry.definition {
        Definition::Cluster(_) => "CLUSTER",
        Definition::AlternateIndex(_) => "AIX",
        Definition::Path(_) => "PATH",
    }
}

fn heading(text: &mut String, entry: &Entry) {
    let _ = writeln!(text, "{:-<16}{}", format!("{} ", kind(entry)), format_args!(" {}", entry.name()));
}

fn attributes(entry: &Entry) -> Vec<String> {
    match &entry.definition {
        Definition::Cluster(Cluster { organization, average, maximum, recovery, reuse, .. }) => {
            let mut list = Vec::new();
            if let Organization::Keyed(key) = organization {
                list.extend([field("KEYLEN", key.length), field("RKP", key.offset)]);
            }
            list.extend([field("AVGLRECL", average), field("MAXLRECL", maximum)]);
            list.push(match organization {
                Organization::Keyed(_) => "INDEXED".into(),
                Organization::EntrySequenced => "NONINDEXED".into(),
                Organization::Relative => "NUMBERED".into(),
            });
            list.push(if *reuse { "REUSE" } else { "NOREUSE" }.into());
            list.push(
                if *recovery == Recovery::Recoverable { "RECOVERABLE" } else { "NONRECOVERABLE" }.into(),
            );
            list
        }
        Definition::AlternateIndex(AlternateIndex { key, unique, upgrade, .. }) => vec![
            field("KEYLEN", key.length),
            field("AXRKP", key.offset),
            if *unique { "UNIQUE" } else { "NONUNIQUE" }.into(),
            if *upgrade { "UPGRADE" } else { "NOUPGRADE" }.into(),
        ],
        Definition::Path(Path { .. }) => Vec::new(),
    }
}

/// `NAME-----------value`, as wide as all others.
fn field(name: &str, value: impl ToString) -> String {
    let value = value.to_string();
    format!("{name:-<width$}{value}", width = FIELD - value.len().min(FIELD))
}

fn fields(text: &mut String, fields: &[String]) {
    for line in fields.chunks(FIELDS) {
        let padded: Vec<_> = line.iter().map(|field| format!("{field:<FIELD$}")).collect();
        let _ = writeln!(text, "       {}", padded.join("     ").trim_end());
    }
}
