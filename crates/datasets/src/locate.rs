//! From a name in a command or a job to what it means here.

use std::path::Path;
use std::sync::Arc;

use vsam::{Error, Name, Result, Vsam};

use crate::attributes::Attributes;
use crate::file::Shape;
use crate::sequential::{Entry, Generations, Sequential, generation_name};

/// How many aliases may lead to each other.
const ALIASES_MAX: usize = 8;

/// All data sets of a region: those of the record engine, and sequential ones.
pub struct DataSets {
    /// Clusters, alternate indexes, paths.
    pub vsam: Arc<Vsam>,
    /// Sequential data sets, generation groups, aliases.
    pub sequential: Sequential,
    pub(crate) attributes: Attributes,
}

/// What a name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Located {
    /// A cluster, an alternate index or a path.
    Vsam(Name),
    /// A sequential data set.
    Sequential(Name, Shape),
    /// A generation that is not there yet: its group and number.
    NewGeneration(Name, u32),
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
        Ok(Self { vsam, sequential, attributes: Attributes::open(engine).await? })
    }

    /// What a name means, with aliases followed and relative generations (`A.B(+1)`) counted as the job counts them.
    ///
    /// # Errors
    /// If it is no name, or the engine refuses.
    pub async fn locate(&self, name: &str, generations: &mut Generations) -> Result<Located> {
        let (plain, relative) = match name.split_once('(') {
            Some((plain, rest)) => (plain, Some(rest.trim_end_matches(')'))),
            None => (name, None),
        };
        let mut name: Name = plain.parse()?;
        for _ in 0..ALIASES_MAX {
            match self.sequential.entry(&name).await? {
                Some(Entry::Alias(real)) => name = real,
                Some(Entry::Sequential(shape)) => return Ok(Located::Sequential(name, shape)),
                Some(Entry::Group(_)) => return self.generation(name, relative, generations).await,
                None if self.vsam.entry(&name).is_ok() => return Ok(Located::Vsam(name)),
                None => return Ok(Located::Unknown(name)),
            }
        }
        Err(Error::Definition { name, reason: "its aliases lead in a circle".into() })
    }

    async fn generation(
        &self,
        group: Name,
        relative: Option<&str>,
        generations: &mut Generations,
    ) -> Result<Located> {
        let Some(relative) = relative.and_then(|number| number.trim_start_matches('+').parse().ok()) else {
            return Ok(Located::Unknown(group));
        };
        let Some(number) = generations.number(&self.sequential, &group, relative).await? else {
            return Ok(Located::Unknown(group));
        };
        let name = generation_name(&group, number)?;
        Ok(match self.sequential.entry(&name).await? {
            Some(Entry::Sequential(shape)) => Located::Sequential(name, shape),
            _ => Located::NewGeneration(group, number),
        })
    }

    /// Gives a name that is not known yet, or a new generation, a sequential data set: its name.
    ///
    /// # Errors
    /// If there is such an entry, or the engine refuses.
    pub async fn create(&self, located: &Located, shape: Shape) -> Result<Name> {
        match located {
            Located::Unknown(name) => {
                self.sequential.put(name, &Entry::Sequential(shape)).await?;
                Ok(name.clone())
            }
            Located::NewGeneration(group, number) => {
                self.sequential.add_generation(group, *number, shape).await
            }
            Located::Vsam(name) | Located::Sequential(name, _) => Err(Error::EntryExists(name.clone())),
        }
    }

    /// Whether no data set was ever defined, or all are gone.
    ///
    /// # Errors
    /// If the engine refuses.
    pub async fn is_empty(&self) -> Result<bool> {
        Ok(self.vsam.entries().is_empty() && self.sequential.entries().await?.is_empty())
    }

    /// Whether anything has this name.
    pub(crate) async fn knows(&self, name: &Name) -> Result<bool> {
        Ok(self.vsam.entry(name).is_ok() || self.sequential.entry(name).await?.is_some())
    }
}
