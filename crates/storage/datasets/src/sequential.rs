//! Sequential data sets, generation groups and aliases: the entries that `vsam` knows nothing of.
//!
//! A sequential data set is a plain file of its own name in one folder; its entry says how it is cut into records. The
//! generations of a group are sequential data sets named `GROUP.GnnnnV00`. Entries are kept in a store of the record
//! engine and read from there each time, so that every user of the engine sees the same.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use records::{Batch, Direction, Engine, OWN_STORES, Origin, Recovery, StoreId, store_named};
use vsam::{Error, Name, Result};

use crate::file::{File, Shape, Writer};

/// The store that keeps the entries.
const STORE: &str = "sequential catalogue";
/// Entries that one look at the store takes at most: as many as there are.
const ALL: usize = usize::MAX;
/// The greatest number of a generation; 1 follows.
const GENERATION_MAX: u32 = 9999;

/// The contents of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatasetEntry {
    /// A sequential data set, cut like this.
    Sequential(Shape),
    /// A partitioned data set, whose members are cut like this.
    Library(Shape),
    /// A generation group.
    Group(Group),
    /// Another name for an entry.
    Alias(Name),
}

/// The rules of a generation group for its generations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// The number of generations that are kept.
    pub limit: u32,
    /// All go when the limit is passed, not the oldest only.
    pub empty: bool,
    /// A generation that goes is deleted, not only forgotten.
    pub scratch: bool,
}

/// The entries, and where their files are.
pub struct Sequential {
    engine: Arc<dyn Engine>,
    store: StoreId,
    folder: PathBuf,
}

impl Sequential {
    /// The entries of an engine, with their files in a folder that need not be there yet.
    ///
    /// # Errors
    /// If the engine refuses.
    pub async fn open(engine: Arc<dyn Engine>, folder: &Path) -> Result<Self> {
        // The files are in a folder of one region alone.
        let name = if engine.is_shared() { format!("{OWN_STORES}{STORE}") } else { STORE.to_owned() };
        let store = store_named(&*engine, &name, Recovery::Recoverable).await?;
        Ok(Self { engine, store, folder: folder.to_owned() })
    }

    /// Returns the entry of a name.
    ///
    /// # Errors
    /// If the engine refuses.
    pub async fn entry(&self, name: &Name) -> Result<Option<DatasetEntry>> {
        let mut record = Vec::new();
        let mut unit = self.engine.begin(self.engine.locks().new_owner());
        let there = unit.get(self.store, name.as_str().as_bytes(), &mut record).await?;
        if there {
            from_record(name.as_str().as_bytes(), &record).map(|(_, entry)| Some(entry))
        } else {
            Ok(None)
        }
    }

    /// All entries, by name.
    ///
    /// # Errors
    /// If the engine refuses.
    pub async fn entries(&self) -> Result<Vec<(Name, DatasetEntry)>> {
        let mut batch = Batch::default();
        let mut unit = self.engine.begin(self.engine.locks().new_owner());
        unit.range(self.store, Origin::Start, Direction::Forward, ALL, &mut batch).await?;
        batch.iter().map(|(key, record)| from_record(key, record)).collect()
    }

    /// Adds an entry, or gives it another meaning.
    ///
    /// # Errors
    /// If the engine refuses.
    pub async fn put(&self, name: &Name, entry: &DatasetEntry) -> Result<()> {
        let mut unit = self.engine.begin(self.engine.locks().new_owner());
        unit.put(self.store, name.as_str().as_bytes(), &to_record(entry)).await?;
        Ok(unit.commit().await?)
    }

    /// Removes an entry; with its file, if it has one and that is to go.
    ///
    /// # Errors
    /// If the engine refuses.
    pub async fn remove(&self, name: &Name, scratch: bool) -> Result<()> {
        let entry = self.entry(name).await?;
        let mut unit = self.engine.begin(self.engine.locks().new_owner());
        unit.delete(self.store, name.as_str().as_bytes()).await?;
        unit.commit().await?;
        let removed = match entry {
            Some(DatasetEntry::Sequential(_)) if scratch => std::fs::remove_file(self.path(name)),
            Some(DatasetEntry::Library(_)) if scratch => std::fs::remove_dir_all(self.path(name)),
            _ => Ok(()),
        };
        match removed {
            // A data set that was never written has no file.
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed(&error)),
            _ => Ok(()),
        }
    }

    /// Gives an entry another name; its file, its generations and its aliases follow.
    ///
    /// # Errors
    /// If there is no such entry, or the engine or the system refuses.
    pub async fn rename(&self, name: &Name, new: &Name) -> Result<()> {
        let entry = self.entry(name).await?.ok_or_else(|| Error::NoEntry(name.clone()))?;
        if matches!(entry, DatasetEntry::Sequential(_) | DatasetEntry::Library(_)) && self.path(name).exists()
        {
            std::fs::rename(self.path(name), self.path(new)).map_err(|error| failed(&error))?;
        }
        let mut unit = self.engine.begin(self.engine.locks().new_owner());
        unit.delete(self.store, name.as_str().as_bytes()).await?;
        unit.put(self.store, new.as_str().as_bytes(), &to_record(&entry)).await?;
        for (alias, entry) in self.entries().await? {
            if entry == DatasetEntry::Alias(name.clone()) {
                let moved = to_record(&DatasetEntry::Alias(new.clone()));
                unit.put(self.store, alias.as_str().as_bytes(), &moved).await?;
            }
        }
        Ok(unit.commit().await?)
    }

    /// The file of a sequential data set.
    pub fn path(&self, name: &Name) -> PathBuf {
        self.folder.join(name.as_str())
    }

    /// Returns the folder of their files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the file of a member of a library.
    pub fn member_path(&self, library: &Name, member: &str) -> PathBuf {
        self.path(library).join(member)
    }

    /// Returns the members of a library, by name.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn members(&self, library: &Name) -> Result<Vec<String>> {
        let entries = match std::fs::read_dir(self.path(library)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|error| failed(&error))?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let name = entry.map_err(|error| failed(&error))?.file_name().to_string_lossy().into_owned();
            if is_member(&name) {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// Removes a member of a library.
    ///
    /// # Errors
    /// If it is not there, or the system refuses.
    pub fn remove_member(&self, library: &Name, member: &str) -> Result<()> {
        match std::fs::remove_file(self.member_path(library, member)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(no_member(library, member)),
            removed => removed.map_err(|error| failed(&error)),
        }
    }

    /// A sequential data set as a file.
    pub fn file(&self, name: &Name, shape: Shape) -> File {
        File::plain(self.path(name), shape)
    }

    /// The numbers of a group's generations, ascending.
    ///
    /// # Errors
    /// If the engine refuses.
    pub async fn generations(&self, group: &Name) -> Result<Vec<u32>> {
        let entries = self.entries().await?;
        Ok(entries.iter().filter_map(|(name, _)| generation_number(group, name)).collect())
    }

    /// Adds a generation. Those that the group's limit does not keep go when it is settled.
    ///
    /// # Errors
    /// If there is no such group, or the engine refuses.
    pub async fn add_generation(&self, group: &Name, number: u32, shape: Shape) -> Result<Name> {
        let Some(DatasetEntry::Group(_)) = self.entry(group).await? else {
            return Err(Error::NoEntry(group.clone()));
        };
        let name = generation_name(group, number)?;
        self.make(&name, shape)?;
        self.put(&name, &DatasetEntry::Sequential(shape)).await?;
        Ok(name)
    }

    /// Makes the file of a new sequential data set: one without records.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn make(&self, name: &Name, shape: Shape) -> Result<()> {
        let made = self.file(name, shape).write(0, false).and_then(Writer::finish);
        made.map(drop).map_err(|error| Error::Engine(records::Error::Io(error.to_string())))
    }

    /// Keeps a new generation: those go that the group's limit does not keep beside it. Another name is left alone.
    ///
    /// # Errors
    /// If the engine or the system refuses.
    pub async fn settle(&self, generation: &Name) -> Result<()> {
        let Some((group, own)) = group_of(generation) else { return Ok(()) };
        let Some(DatasetEntry::Group(rules)) = self.entry(&group).await? else { return Ok(()) };
        let mut numbers = self.generations(&group).await?;
        numbers.retain(|there| *there != own);
        let kept = (rules.limit as usize).saturating_sub(1);
        if numbers.len() > kept {
            let going = if rules.empty { numbers.len() } else { numbers.len() - kept };
            for number in &numbers[..going] {
                self.remove(&generation_name(&group, *number)?, rules.scratch).await?;
            }
        }
        Ok(())
    }
}

/// The generations of groups as they were when a job first used them: relative numbers count from there.
#[derive(Clone, Debug, Default)]
pub struct Generations(std::collections::HashMap<Name, Vec<u32>>);

impl Generations {
    /// Returns the absolute number that a relative one means in this job; `None` if there is no such generation.
    ///
    /// # Errors
    /// If the engine refuses.
    pub async fn number(&mut self, all: &Sequential, group: &Name, relative: i32) -> Result<Option<u32>> {
        if !self.0.contains_key(group) {
            self.0.insert(group.clone(), all.generations(group).await?);
        }
        let known = &self.0[group];
        if relative > 0 {
            let last = known.last().copied().unwrap_or(0);
            return Ok(Some((last + relative.unsigned_abs() - 1) % GENERATION_MAX + 1));
        }
        let back = relative.unsigned_abs() as usize + 1;
        Ok(known.len().checked_sub(back).map(|at| known[at]))
    }
}

/// Returns true if a text is the name of a member.
pub(crate) fn is_member(name: &str) -> bool {
    let national = |c: char| "@#$".contains(c);
    name.len() <= 8
        && name.starts_with(|c: char| c.is_ascii_uppercase() || national(c))
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || national(c))
}

/// Makes the error that a library has no such member.
pub(crate) fn no_member(library: &Name, member: &str) -> Error {
    Error::Definition { name: library.clone(), reason: format!("it has no member {member}") }
}

/// The name of a generation.
///
/// # Errors
/// If it would be too long.
pub fn generation_name(group: &Name, number: u32) -> Result<Name> {
    format!("{group}.G{number:04}V00").parse()
}

/// Returns the group of a generation, and its number.
fn group_of(name: &Name) -> Option<(Name, u32)> {
    let (group, _) = name.as_str().rsplit_once('.')?;
    let group: Name = group.parse().ok()?;
    let number = generation_number(&group, name)?;
    Some((group, number))
}

/// The number of a generation, if a name is that of one.
fn generation_number(group: &Name, name: &Name) -> Option<u32> {
    let rest = name.as_str().strip_prefix(group.as_str())?.strip_prefix(".G")?.strip_suffix("V00")?;
    if rest.len() == 4 { rest.parse().ok() } else { None }
}

fn shape_to_text(shape: Shape) -> String {
    match shape {
        Shape::Fixed(length) => format!("fixed\t{}", length.unwrap_or_default()),
        Shape::Variable => "variable".into(),
        Shape::Lines => "lines".into(),
    }
}

fn shape_from(fields: &[&str]) -> Option<Shape> {
    match fields {
        ["fixed", length] => {
            let length: usize = length.parse().ok()?;
            Some(Shape::Fixed((length > 0).then_some(length)))
        }
        ["variable"] => Some(Shape::Variable),
        ["lines"] => Some(Shape::Lines),
        _ => None,
    }
}

fn to_record(entry: &DatasetEntry) -> Vec<u8> {
    match entry {
        DatasetEntry::Sequential(shape) => shape_to_text(*shape),
        DatasetEntry::Library(shape) => format!("library\t{}", shape_to_text(*shape)),
        DatasetEntry::Group(Group { limit, empty, scratch }) => format!("group\t{limit}\t{empty}\t{scratch}"),
        DatasetEntry::Alias(name) => format!("alias\t{name}"),
    }
    .into_bytes()
}

fn from_record(key: &[u8], record: &[u8]) -> Result<(Name, DatasetEntry)> {
    let text = |bytes| std::str::from_utf8(bytes).ok();
    let read = || {
        let name: Name = text(key)?.parse().ok()?;
        let entry = match text(record)?.split('\t').collect::<Vec<_>>()[..] {
            ["library", ref shape @ ..] => DatasetEntry::Library(shape_from(shape)?),
            ["group", limit, empty, scratch] => DatasetEntry::Group(Group {
                limit: limit.parse().ok()?,
                empty: empty.parse().ok()?,
                scratch: scratch.parse().ok()?,
            }),
            ["alias", name] => DatasetEntry::Alias(name.parse().ok()?),
            ref shape => DatasetEntry::Sequential(shape_from(shape)?),
        };
        Some((name, entry))
    };
    read().ok_or_else(|| {
        Error::Corrupt(format!("sequential entry {}", String::from_utf8_lossy(key).escape_default()))
    })
}

fn failed(error: &std::io::Error) -> Error {
    Error::Engine(records::Error::Io(error.to_string()))
}
