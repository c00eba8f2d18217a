//! A job as it is run: procedures expanded, symbols replaced, references resolved.

use std::sync::Arc;

use diagnostics::{Source, TextPlace};

use super::condition::{Cond, Expression, StepName, Test};

/// A job.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its name.
    pub name: String,
    /// COND= of the JOB statement: any of them ends the job.
    pub tests: Vec<Test>,
    /// RESTART=: the first step that is run.
    pub restart: Option<StepName>,
    /// TYPRUN=SCAN: nothing is run.
    pub scan: bool,
    /// TIME=: seconds of processor time.
    pub time: Option<u64>,
    /// The expressions of its IF statements.
    pub expressions: Vec<Expression>,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// A step.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its name in the job; empty if it has none.
    pub name: String,
    /// Its name in the procedure that the job's step runs.
    pub procedure_step: Option<String>,
    /// The program.
    pub program: String,
    /// The place where it is named.
    pub place: TextPlace,
    /// PARM=.
    pub parm: Option<String>,
    /// COND=.
    pub cond: Cond,
    /// TIME=: seconds of processor time.
    pub time: Option<u64>,
    /// The IF statements around it, by their places in [`Job::expressions`], and what each must be.
    pub guards: Vec<(usize, bool)>,
    /// Its DD statements, concatenated ones together.
    pub dds: Vec<Dd>,
}

impl Step {
    /// Returns its name as messages show it: `STEP` or `STEP.PROCSTEP`.
    pub fn label(&self) -> String {
        match &self.procedure_step {
            Some(inner) if self.name.is_empty() => inner.clone(),
            Some(inner) => format!("{}.{inner}", self.name),
            None => self.name.clone(),
        }
    }

    /// Returns the DD statement of a name.
    pub fn dd(&self, name: &str) -> Option<&Dd> {
        self.dds.iter().find(|dd| dd.name == name)
    }
}

/// A ddname with what stands behind it.
#[derive(Clone, Debug)]
pub struct Dd {
    /// The name.
    pub name: String,
    /// A data set, or several, which are read one after the other.
    pub parts: Vec<Part>,
}

/// The content of one DD statement.
#[derive(Clone, Debug)]
pub struct Part {
    /// The place where it stands.
    pub place: TextPlace,
    /// Its meaning.
    pub what: What,
    /// DISP=.
    pub disposition: Disposition,
    /// RECFM and LRECL.
    pub format: Format,
    /// A new data set is partitioned.
    pub library: bool,
    /// GDGORDER=FIFO: all generations, the oldest first.
    pub oldest_first: bool,
}

/// The meaning of a DD statement.
#[derive(Clone, Debug)]
pub enum What {
    /// Lines that stand in the job.
    Lines(Data),
    /// SYSOUT.
    Printed,
    /// DUMMY.
    Dummy,
    /// A data set by its name, perhaps with a member or a relative generation in parentheses.
    Named(String),
    /// A temporary data set, by its name; one without a name has one that no job can write.
    Temporary(String),
    /// DDNAME= of one that has not come: what that is.
    Later(String),
}

/// In-stream data.
#[derive(Clone, Debug)]
pub struct Data {
    /// The text in which the lines stand.
    pub source: Arc<Source>,
    /// The first of them, from 1.
    pub first: usize,
    /// The lines, with symbols replaced where that was asked for.
    pub lines: Vec<String>,
}

impl Data {
    /// Returns the lines with as many empty ones before them as stand there in the user's file: messages about them have its line
    /// numbers.
    pub fn alone(&self) -> String {
        let before = "\n".repeat(self.first.saturating_sub(1));
        self.lines.iter().fold(before, |text, line| text + line + "\n")
    }

    /// Returns the lines as a text.
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

/// The state of a data set before a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the published ones")]
pub enum Status {
    New,
    Old,
    Shared,
    Mod,
}

/// The fate of a data set behind a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the published ones")]
pub enum Fate {
    Keep,
    Delete,
    Catalogue,
    Pass,
}

/// DISP=.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disposition {
    /// Before the step.
    pub status: Status,
    /// Behind a step that ends.
    pub normal: Fate,
    /// Behind a step that ends abnormally.
    pub abnormal: Fate,
}

/// The format of the records of a data set, as far as it is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Format {
    /// RECFM.
    pub form: Option<String>,
    /// LRECL.
    pub length: Option<u32>,
    /// A data set that is like it.
    pub like: Option<String>,
}
