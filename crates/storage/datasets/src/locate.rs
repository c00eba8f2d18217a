//! From a name in a command or a job to what it means here.

use std::path::Path;
use std::sync::Arc;

use vsam::{Error, Name, Result, Vsam};

use crate::attributes::Attributes;
use crate::file::Shape;
use crate::reservations::Reservations;
use crate::sequential::{DatasetEntry, Generations, Sequential, generation_name, is_member};

/// The longest chain of aliases that is followed.
const ALIASES_MAX: usize = 8;

/// All data sets of a region: those of the record engine, and sequential ones.
pub struct DataSets {
    /// Clusters, alternate indexes, paths.
    pub vsam: Arc<Vsam>,
    /// Sequential data sets, generation groups, aliases.
    pub sequential: Sequential,
    /// The data sets that jobs have reserved.
    pub reservations: Arc<Reservations>,
    pub(crate) attributes: Attributes,
}

/// The meaning of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Located {
    /// A cluster, an alternate index or a path.
    Vsam(Name),
    /// A sequential data set.
    Sequential(Name, Shape),
    /// A partitioned data set as a whole.
    Library(Name, Shape),
    /// A member of one, which need not be there.
    Member(Name, String, Shape),
    /// A member of a library that is not there.
    NoLibrary(Name, String),
    /// A generation that is not there yet: its group and number.
    NewGeneration(Name, u32),
    /// All generations of a group, the newest first.
    Generations(Name, Vec<(Name, Shape)>),
    /// Nothing.
    Unknown(Name),
}

impl DataSets {
    /// The data sets of a catalogue, and the sequential ones in a folder.
    ///
    /// # Errors
    /// If the record engine refuses.
    pub async fn open(vsam: Arc<Vsam>, folder: &Path) -> Result<Self> {
        let engine = vsam.engine().clone();
        let sequential = Sequential::open(engine.clone(), folder).await?;
        let reservations = Arc::default();
        Ok(Self { vsam, sequential, reservations, attributes: Attributes::open(engine).await? })
    }

    /// Finds the entry of a name, with aliases followed and relative generations (`A.B(+1)`) counted as the job counts
    /// them.
    ///
    /// # Errors
    /// If it is no name, or the engine refuses.
    pub async fn locate(&self, name: &str, generations: &mut Generations) -> Result<Located> {
        let (plain, inner) = match name.split_once('(') {
            Some((plain, rest)) => (plain, Some(rest.trim_end_matches(')'))),
            None => (name, None),
        };
        let mut name: Name = plain.parse()?;
        let refused =
            |name: &Name, reason: &str| Error::Definition { name: name.clone(), reason: reason.into() };
        for _ in 0..ALIASES_MAX {
            let entry = self.sequential.entry(&name).await?;
            return Ok(match (entry, inner) {
                (Some(DatasetEntry::Alias(real)), _) => {
                    name = real;
                    continue;
                }
                (Some(DatasetEntry::Group(_)), inner) => {
                    return self.generation(name, inner, generations).await;
                }
                (Some(DatasetEntry::Library(shape)), Some(member)) if is_member(member) => {
                    Located::Member(name, member.to_owned(), shape)
                }
                (Some(DatasetEntry::Sequential(shape)), None) => Located::Sequential(name, shape),
                (Some(DatasetEntry::Library(shape)), None) => Located::Library(name, shape),
                (Some(_), Some(member)) if is_member(member) => {
                    return Err(refused(&name, "it is no library: it has no members"));
                }
                (Some(_), Some(_)) => return Err(refused(&name, "it is no generation group")),
                (None, None) if self.vsam.entry(&name).is_ok() => Located::Vsam(name),
                (None, Some(_)) if self.vsam.entry(&name).is_ok() => {
                    return Err(refused(&name, "a data set of VSAM has no members and generations"));
                }
                (None, Some(member)) if is_member(member) => Located::NoLibrary(name, member.to_owned()),
                (None, _) => Located::Unknown(name),
            });
        }
        Err(refused(&name, "its aliases lead in a circle"))
    }

    async fn generation(
        &self,
        group: Name,
        relative: Option<&str>,
        generations: &mut Generations,
    ) -> Result<Located> {
        let Some(relative) = relative else {
            let mut all = Vec::new();
            for number in self.sequential.generations(&group).await?.into_iter().rev() {
                let name = generation_name(&group, number)?;
                if let Some(DatasetEntry::Sequential(shape)) = self.sequential.entry(&name).await? {
                    all.push((name, shape));
                }
            }
            return Ok(Located::Generations(group, all));
        };
        let Ok(relative) = relative.trim_start_matches('+').parse() else {
            let reason = format!("({relative}) is no generation: it is (0), (-1), (+1) and so on");
            return Err(Error::Definition { name: group, reason });
        };
        let Some(number) = generations.number(&self.sequential, &group, relative).await? else {
            return Ok(Located::Unknown(group));
        };
        let name = generation_name(&group, number)?;
        Ok(match self.sequential.entry(&name).await? {
            Some(DatasetEntry::Sequential(shape)) => Located::Sequential(name, shape),
            _ => Located::NewGeneration(group, number),
        })
    }

    /// Gives a name that is not known yet, or a new generation, a sequential data set, or a library: its name.
    ///
    /// # Errors
    /// If there is such an entry, or the engine refuses.
    pub async fn create(&self, located: &Located, shape: Shape, library: bool) -> Result<Name> {
        match located {
            Located::Unknown(name) if !library => {
                self.sequential.make(name, shape)?;
                self.sequential.put(name, &DatasetEntry::Sequential(shape)).await?;
                Ok(name.clone())
            }
            Located::Unknown(name) | Located::NoLibrary(name, _) => {
                self.sequential.put(name, &DatasetEntry::Library(shape)).await?;
                Ok(name.clone())
            }
            Located::NewGeneration(group, number) => {
                self.sequential.add_generation(group, *number, shape).await
            }
            Located::Vsam(name)
            | Located::Sequential(name, _)
            | Located::Library(name, _)
            | Located::Member(name, ..)
            | Located::Generations(name, _) => Err(Error::EntryExists(name.clone())),
        }
    }

    /// Returns true if there is no data set: none was ever defined, or all are gone.
    ///
    /// # Errors
    /// If the engine refuses.
    pub async fn is_empty(&self) -> Result<bool> {
        Ok(self.vsam.entries().is_empty() && self.sequential.entries().await?.is_empty())
    }

    /// Returns true if an entry has this name.
    pub(crate) async fn knows(&self, name: &Name) -> Result<bool> {
        Ok(self.vsam.entry(name).is_ok() || self.sequential.entry(name).await?.is_some())
    }
}
