//! LISTCAT: the catalogues in the layout that people know.

use std::collections::BTreeMap;
use std::fmt::Write;

use idcams::{Detail, EntryKind, ListCatalog};
use records::Recovery;
use vsam::{Definition, Name, Organization, Statistics};

use super::{Carried, DONE, Refusal, Run, WARNING};
use crate::attributes::Shown;
use crate::codes;
use crate::pattern;
use crate::sequential::{DatasetEntry, Group, generation_name};

/// Width of one attribute: name, dashes, value.
const FIELD: usize = 24;
/// Attributes in a line.
const FIELDS: usize = 4;
/// Width of a heading up to the name.
const HEADING: usize = 15;
/// The share options that are listed for an entry without any.
const SHARE_OPTIONS: (u32, u32) = (1, 3);

/// One entry of either catalogue.
enum Any {
    Vsam(Definition),
    Other(DatasetEntry),
}

impl Any {
    /// Returns its kind, as a listing names it.
    fn kind(&self) -> &'static str {
        match self {
            Self::Vsam(Definition::Cluster(_)) => "CLUSTER",
            Self::Vsam(Definition::AlternateIndex(_)) => "AIX",
            Self::Vsam(Definition::Path(_)) => "PATH",
            Self::Other(DatasetEntry::Sequential(_) | DatasetEntry::Library(_)) => "NONVSAM",
            Self::Other(DatasetEntry::Group(_)) => "GDG BASE",
            Self::Other(DatasetEntry::Alias(_)) => "ALIAS",
        }
    }

    fn is(&self, kind: EntryKind) -> bool {
        match self.kind() {
            "CLUSTER" => matches!(kind, EntryKind::Cluster | EntryKind::Data | EntryKind::Index),
            "AIX" => kind == EntryKind::AlternateIndex,
            "PATH" => kind == EntryKind::Path,
            "NONVSAM" => kind == EntryKind::Nonvsam,
            "GDG BASE" => kind == EntryKind::Gdg,
            _ => kind == EntryKind::Alias,
        }
    }
}

impl Run<'_> {
    pub(super) async fn list(&mut self, command: &ListCatalog) -> Carried {
        let (entries, missing) = self.chosen(command).await?;
        let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
        for (name, entry) in &entries {
            *counts.entry(entry.kind()).or_default() += 1;
            let _ = writeln!(self.outcome.listing, "{}{name}", heading(entry.kind()));
            if command.detail != Detail::Name {
                let text = self.describe(name, entry, command.detail).await?;
                self.outcome.listing.push_str(&text);
            }
        }
        for name in &missing {
            self.warn(codes::NOT_FOUND, format!("{} is not in the catalogue", name.text), &name.place);
        }
        self.outcome.listing.push_str("        THE NUMBER OF ENTRIES PROCESSED WAS:\n");
        for (kind, count) in counts {
            let _ = writeln!(self.outcome.listing, "                   {kind:-<15}{count}");
        }
        let _ = writeln!(self.outcome.listing, "                   {:-<15}{}", "TOTAL", entries.len());
        Ok(if missing.is_empty() { DONE } else { WARNING })
    }

    /// The entries that a command asks for, by name, and the names that fit none.
    async fn chosen<'c>(
        &self,
        command: &'c ListCatalog,
    ) -> Result<(BTreeMap<Name, Any>, Vec<&'c idcams::Name>), Refusal> {
        let vsam = self.site.vsam.entries();
        let own = vsam.iter().map(|entry| (entry.name().clone(), Any::Vsam(entry.definition.clone())));
        let mut all: BTreeMap<Name, Any> = own.collect();
        let others = self.site.sequential.entries().await?;
        all.extend(others.into_iter().map(|(name, entry)| (name, Any::Other(entry))));
        let named =
            |name: &Name| command.entries.iter().any(|given| pattern::matches(&given.text, name.as_str()));
        let below =
            |name: &Name| command.levels.iter().any(|level| pattern::is_below(&level.text, name.as_str()));
        let everything = command.entries.is_empty() && command.levels.is_empty();
        let missing = command
            .entries
            .iter()
            .filter(|given| !all.keys().any(|name| pattern::matches(&given.text, name.as_str())))
            .collect();
        all.retain(|name, entry| {
            (everything || named(name) || below(name))
                && (command.kinds.is_empty() || command.kinds.iter().any(|kind| entry.is(*kind)))
        });
        Ok((all, missing))
    }

    async fn describe(&self, name: &Name, entry: &Any, detail: Detail) -> Result<String, Refusal> {
        let mut text = String::new();
        self.associations(&mut text, name, entry).await?;
        let shown = self.site.attributes.get(name).await?;
        let all = detail == Detail::All;
        match entry {
            Any::Vsam(definition @ (Definition::Cluster(_) | Definition::AlternateIndex(_))) => {
                let own = attributes(definition, &shown);
                let _ = writeln!(text, "   DATA ------- {}", components(name, definition, &shown)[0].1);
                text.push_str("     ATTRIBUTES\n");
                fields(&mut text, &own);
                if all {
                    text.push_str("     STATISTICS\n");
                    let Statistics { records, bytes, .. } = self.site.vsam.statistics(name).await?;
                    let (interval, area) = shown.free_space.unwrap_or((0, 0));
                    let figures = [
                        field("REC-TOTAL", records),
                        field("BYTES", bytes),
                        field("FREESPACE-%CI", interval),
                        field("FREESPACE-%CA", area),
                    ];
                    fields(&mut text, &figures);
                }
                for (_, index) in components(name, definition, &shown).iter().skip(1) {
                    let _ = writeln!(text, "   INDEX ------ {index}");
                }
            }
            Any::Vsam(Definition::Path(_)) => {
                text.push_str("     ATTRIBUTES\n");
                fields(&mut text, &[if shown.no_update { "NOUPDATE" } else { "UPDATE" }.into()]);
            }
            Any::Other(DatasetEntry::Group(Group { limit, empty, scratch })) => {
                text.push_str("     ATTRIBUTES\n");
                let own = [
                    field("LIMIT", limit),
                    if *scratch { "SCRATCH" } else { "NOSCRATCH" }.into(),
                    if *empty { "EMPTY" } else { "NOEMPTY" }.into(),
                ];
                fields(&mut text, &own);
            }
            Any::Other(_) => {}
        }
        Ok(text)
    }

    /// Lists the associated entries.
    async fn associations(&self, text: &mut String, name: &Name, entry: &Any) -> Result<(), Refusal> {
        let mut related: Vec<(&str, String)> = Vec::new();
        match entry {
            Any::Vsam(definition) => {
                let shown = self.site.attributes.get(name).await?;
                related.extend(components(name, definition, &shown));
                match definition {
                    Definition::AlternateIndex(index) => related.push(("CLUSTER", index.relate.to_string())),
                    Definition::Path(path) => {
                        let kind = Any::Vsam(self.site.vsam.entry(&path.entry)?.definition.clone()).kind();
                        related.push((kind, path.entry.to_string()));
                    }
                    Definition::Cluster(_) => {}
                }
                for other in self.site.vsam.entries() {
                    let depends = match &other.definition {
                        Definition::Cluster(_) => false,
                        Definition::AlternateIndex(index) => index.relate == *name,
                        Definition::Path(path) => path.entry == *name,
                    };
                    if depends {
                        let kind = Any::Vsam(other.definition.clone()).kind();
                        related.push((kind, other.name().to_string()));
                    }
                }
            }
            Any::Other(DatasetEntry::Group(_)) => {
                for number in self.site.sequential.generations(name).await? {
                    related.push(("NONVSAM", generation_name(name, number)?.to_string()));
                }
            }
            Any::Other(DatasetEntry::Alias(real)) => related.push(("ENTRY", real.to_string())),
            Any::Other(DatasetEntry::Sequential(_) | DatasetEntry::Library(_)) => {}
        }
        if !related.is_empty() {
            text.push_str("     ASSOCIATIONS\n");
            for (kind, name) in related {
                let _ = writeln!(text, "       {kind:-<9}{name}");
            }
        }
        Ok(())
    }
}

/// The components of a cluster or an alternate index: as they were named, or after it.
fn components(name: &Name, definition: &Definition, shown: &Shown) -> Vec<(&'static str, String)> {
    let (data, index) = shown.components.clone();
    let has_index = match definition {
        Definition::Cluster(cluster) => matches!(cluster.organization, Organization::Keyed(_)),
        Definition::AlternateIndex(_) => true,
        Definition::Path(_) => return Vec::new(),
    };
    let mut components = vec![("DATA", data.unwrap_or_else(|| format!("{name}.DATA")))];
    if has_index {
        components.push(("INDEX", index.unwrap_or_else(|| format!("{name}.INDEX"))));
    }
    components
}

fn heading(kind: &str) -> String {
    format!("{:-<HEADING$} ", format!("{kind} "))
}

fn attributes(definition: &Definition, shown: &Shown) -> Vec<String> {
    let mut list = Vec::new();
    let word = |yes: bool, word: &str, other: &str| if yes { word.to_owned() } else { other.to_owned() };
    match definition {
        Definition::Cluster(cluster) => {
            if let Organization::Keyed(key) = cluster.organization {
                list.extend([field("KEYLEN", key.length), field("RKP", key.offset)]);
            }
            list.extend([field("AVGLRECL", cluster.average), field("MAXLRECL", cluster.maximum)]);
            list.push(organization_word(cluster.organization).into());
            list.push(word(cluster.reuse, "REUSE", "NOREUSE"));
            list.push(word(cluster.recovery == Recovery::Recoverable, "LOG(UNDO)", "LOG(NONE)"));
        }
        Definition::AlternateIndex(index) => {
            list.extend([field("KEYLEN", index.key.length), field("AXRKP", index.key.offset)]);
            list.push(word(index.unique, "UNIQUE", "NONUNIQUE"));
            list.push(word(index.upgrade, "UPGRADE", "NOUPGRADE"));
        }
        Definition::Path(_) => return list,
    }
    let (region, system) = shown.share_options.unwrap_or(SHARE_OPTIONS);
    list.push(format!("SHROPTNS({region},{system})"));
    list.push(word(shown.erase, "ERASE", "NOERASE"));
    list.extend(shown.control_interval.map(|bytes| field("CISIZE", bytes)));
    list
}

fn organization_word(organization: Organization) -> &'static str {
    match organization {
        Organization::Keyed(_) => "INDEXED",
        Organization::EntrySequenced => "NONINDEXED",
        Organization::Relative => "NUMBERED",
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
