//! REPRO and BLDINDEX.

use idcams::{BuildIndex, Repro};
use vsam::{Copied, Name, Organization, Replace, SORT_MEMORY, Sorter};

use super::source::{Counter, Feed, RECORD_MAX, Selected, Source, Turn};
use super::{Carried, DONE, FAILED, Refusal, Run, Target, WARNING, tell};
use crate::codes;
use crate::file::{File, Shape};

impl Run<'_> {
    pub(super) async fn repro(&mut self, command: &Repro) -> Carried {
        let from = self.target(&command.from, None).await?;
        let shape = match &from {
            Target::DataSet(name) => self.shape_for(name).await?,
            Target::File(file) => file.shape,
        };
        let to = self.target(&command.to, Some(shape)).await?;
        let source = self.open(from, &command.selection).await?;
        let counter = Counter::new(&command.selection);
        let replace = if command.replace { Replace::Yes } else { Replace::No };
        let copied = match (source, to) {
            (Source::File(from), Target::File(to)) => copy_file(&from, &to, counter)?,
            (Source::DataSet(from), Target::File(to)) => self.unload(*from, &to, counter).await?,
            (Source::File(from), Target::DataSet(to)) => self.fill(&from, &to, counter, replace).await?,
            (Source::DataSet(from), Target::DataSet(to)) => {
                self.empty_for_reuse(&to, command.reuse).await?;
                self.copy(*from, &to, counter, replace).await?
            }
        };
        self.say(codes::PROCESSED, format_args!("records processed: {}", copied.written));
        if copied.duplicates == 0 {
            return Ok(DONE);
        }
        let text = format!("{} of {} records are there already, and stay", copied.duplicates, copied.read);
        self.warn(codes::DUPLICATES, text, &command.place);
        Ok(FAILED)
    }

    /// Returns the shape of a file that takes the records of a data set.
    async fn shape_for(&self, name: &Name) -> Result<Shape, Refusal> {
        let dataset = self.site.vsam.dataset(name).await?;
        let cluster = dataset.cluster();
        let fixed = cluster.average == cluster.maximum;
        Ok(if fixed { Shape::Fixed(Some(cluster.maximum)) } else { Shape::Variable })
    }

    /// REUSE: only a data set that is defined so can be emptied, and `vsam` does that when it is loaded.
    async fn empty_for_reuse(&self, to: &Name, reuse: bool) -> Result<(), Refusal> {
        if reuse && !self.site.vsam.dataset(to).await?.cluster().reuse {
            let text = format!("{to} is not defined with REUSE");
            return Err(Refusal::Other(codes::ACTION, text));
        }
        Ok(())
    }

    /// Records of a data set into a file.
    pub(super) async fn unload(
        &mut self,
        mut from: Selected,
        to: &File,
        mut counter: Counter,
    ) -> Result<Copied, Refusal> {
        let mut writer = to.write(from.dataset.cluster().maximum, false)?;
        let mut record = Vec::new();
        while !counter.is_full() && from.next(&mut record).await?.is_some() {
            if counter.turn() == Turn::Take {
                writer.write(&record)?;
                tell(&mut self.progress, "records written", counter.taken);
            }
        }
        writer.finish()?;
        Ok(Copied { read: counter.taken, written: counter.taken, duplicates: 0 })
    }

    /// Records of a file into a data set.
    async fn fill(
        &mut self,
        from: &File,
        to: &Name,
        counter: Counter,
        replace: Replace,
    ) -> Result<Copied, Refusal> {
        let longest = self.site.vsam.dataset(to).await?.cluster().maximum;
        let mut feed = Feed { reader: from.read(longest)?, counter, failure: None };
        let progress = &mut self.progress;
        let mut told = |count| tell(progress, "records loaded", count);
        let loaded = self.site.vsam.load(to, &mut feed, replace, &mut told).await;
        match feed.failure {
            Some(error) => Err(error.into()),
            None => Ok(loaded?),
        }
    }

    /// Records of one data set into another.
    async fn copy(
        &mut self,
        mut from: Selected,
        to: &Name,
        mut counter: Counter,
        replace: Replace,
    ) -> Result<Copied, Refusal> {
        let target = self.site.vsam.dataset(to).await?;
        let numbered = |dataset: &vsam::Dataset| dataset.cluster().organization == Organization::Relative;
        let keeps_numbers = numbered(&from.dataset) && numbered(&target);
        if !keeps_numbers {
            drop(target);
            let mut spool = Sorter::new(SORT_MEMORY);
            let mut record = Vec::new();
            while !counter.is_full() && from.next(&mut record).await?.is_some() {
                if counter.turn() == Turn::Take {
                    spool.push(counter.taken.to_be_bytes().to_vec(), record.clone())?;
                }
            }
            drop(from);
            let mut records = spool.sorted()?.map(|item| item.map(|(_, record)| record));
            let progress = &mut self.progress;
            let mut told = |count| tell(progress, "records loaded", count);
            return Ok(self.site.vsam.load(to, &mut records, replace, &mut told).await?);
        }
        let mut copied = Copied::default();
        let mut filling = self.site.vsam.fill(&target);
        let mut record = Vec::new();
        while !counter.is_full() {
            let Some(number) = from.next(&mut record).await? else { break };
            if counter.turn() == Turn::Take {
                copied.read += 1;
                match filling.put(&number, &record, replace).await? {
                    true => copied.written += 1,
                    false => copied.duplicates += 1,
                }
                tell(&mut self.progress, "records copied", copied.read);
            }
        }
        filling.finish().await?;
        Ok(copied)
    }

    pub(super) async fn build(&mut self, command: &BuildIndex) -> Carried {
        let mut code = DONE;
        for index in &command.to {
            let Target::DataSet(name) = self.target(index, None).await? else {
                let text = "a file is no alternate index".into();
                return Err(Refusal::Other(codes::CATALOGUE, text));
            };
            let name = self.index_behind(name)?;
            let progress = &mut self.progress;
            let mut told = |count| tell(progress, "records read", count);
            match self.site.vsam.build_index(&name, &mut told).await {
                Ok(_) => self.say(codes::BUILT, format_args!("{name} built")),
                Err(error) => {
                    self.refused(error.into(), &command.place);
                    code = code.max(FAILED);
                }
            }
        }
        Ok(code.max(if command.to.is_empty() { WARNING } else { DONE }))
    }

    /// An alternate index, given by its own name or by that of a path.
    fn index_behind(&self, name: Name) -> Result<Name, Refusal> {
        Ok(match &self.site.vsam.entry(&name)?.definition {
            vsam::Definition::Path(path) => path.entry.clone(),
            _ => name,
        })
    }
}

/// Records of a file into another.
fn copy_file(from: &File, to: &File, mut counter: Counter) -> Result<Copied, Refusal> {
    let mut writer = to.write(RECORD_MAX, false)?;
    let longest = if from.shape == Shape::Lines { 0 } else { RECORD_MAX };
    for record in from.read(longest)? {
        match counter.turn() {
            Turn::Take => writer.write(&record?)?,
            Turn::Skip => {}
            Turn::End => break,
        }
    }
    writer.finish()?;
    Ok(Copied { read: counter.taken, written: counter.taken, duplicates: 0 })
}
