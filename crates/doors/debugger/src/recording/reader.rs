//! Recordings read back.

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use sealed::File;
use serde_json::Value;

use super::{FULL, Stop};

/// A recording as a whole.
#[derive(Debug, Default)]
pub struct Recording {
    /// The records that its stops name.
    pub records: Vec<String>,
    /// The stops of programs, in this order.
    pub stops: Vec<Stop>,
    /// It has ended before the work had.
    pub is_full: bool,
}

/// The reason why a file is not read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The system does not give it.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// It is something else, or damaged.
    #[error("{}, line {line}: this is no line of a recording; make it again by `[debug] record`", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
    },
}

impl Recording {
    /// Reads a file.
    ///
    /// # Errors
    /// It is not there, or something else.
    pub fn read(path: &Path) -> Result<Self, Unreadable> {
        let fails = |error| Unreadable::File { path: path.to_owned(), error };
        let mut recording = Self::default();
        for (line, text) in BufReader::new(File::open(path).map_err(fails)?).lines().enumerate() {
            let value: Option<Value> = serde_json::from_str(&text.map_err(fails)?).ok();
            value
                .and_then(|value| recording.take(&value))
                .ok_or_else(|| Unreadable::Line { path: path.to_owned(), line: line + 1 })?;
        }
        Ok(recording)
    }

    fn take(&mut self, value: &Value) -> Option<()> {
        if let Some(record) = value.get("record") {
            self.records.push(record.as_str()?.to_owned());
        } else if let Some(stop) = value.get("stop") {
            let stop = stop_of(stop)?;
            let is_there = |place: &u32| (*place as usize) < self.records.len();
            stop.storage.iter().all(is_there).then_some(())?;
            self.stops.push(stop);
        } else if let Some(answer) = value.get("answered") {
            let task = number(answer.get("task")?)?;
            let asked = self.stops.iter_mut().rev().find(|stop| stop.task == task)?;
            asked.answered = arguments(answer)?;
        } else {
            (value.as_str()? == FULL).then_some(())?;
            self.is_full = true;
        }
        Some(())
    }
}

fn stop_of(value: &Value) -> Option<Stop> {
    let text = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
    Some(Stop {
        task: number(value.get("task")?)?,
        begun: value.get("begun")?.as_i64()?,
        transaction: text("transaction")?,
        program: text("program")?,
        line: number(value.get("line")?)?,
        asks: text("asks")?,
        arguments: arguments(value)?,
        answered: Vec::new(),
        storage: value.get("storage")?.as_array()?.iter().map(number).collect::<Option<_>>()?,
    })
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

fn arguments(value: &Value) -> Option<Vec<(String, String)>> {
    let text = |value: &Value| Some(value.as_str()?.to_owned());
    let argument = |pair: &Value| Some((text(pair.get(0)?)?, text(pair.get(1)?)?));
    value.get("arguments")?.as_array()?.iter().map(argument).collect()
}
