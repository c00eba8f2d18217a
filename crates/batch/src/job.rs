//! A job: its steps one after the other, with return codes and conditions.

use std::sync::Arc;

use access::Client;
use diagnostics::Source;
use exec_sql::Outside;
use toolchain::Toolchain;

use crate::program::{Batch, BatchError, Ended, Output};
use crate::steps::Steps;

/// Why a job is not run, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// It says something that is not carried out here; the line, and what.
    #[error("line {0}: {1}")]
    Statement(usize, String),
    /// It has no step of the name that was asked for.
    #[error("the job has no step {0}")]
    NoStep(String),
    /// Programs cannot be run at all.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The data sets are not reached.
    #[error(transparent)]
    Access(#[from] access::AccessError),
}

/// How a step ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepEnd {
    /// With this return code.
    Code(i32),
    /// Abnormally: completion code and what happened.
    Abend(String, String),
    /// It was not run, because of its COND or an abend before it.
    Bypassed,
}

/// A job and what it is run with.
pub struct Job<'a> {
    /// The job, with its tokens replaced.
    pub source: Arc<Source>,
    /// Only this step.
    pub step: Option<&'a str>,
    /// Data sets whose changes are to be backed out whatever their LOG says.
    pub recoverable: Vec<String>,
    /// Changes between two commits.
    pub commit_every: u64,
}

impl Job<'_> {
    /// Runs the steps: the name, the program, and how each ended.
    ///
    /// # Errors
    /// What keeps it from being run; steps before that were.
    pub fn run(
        &self,
        toolchain: &Toolchain,
        sql: Option<Outside>,
        client: &mut Client,
        output: &mut dyn Output,
    ) -> Result<Vec<(String, StepEnd)>, JobError> {
        let job = jcl::read(&self.source);
        if let Some(line) = job.conditions.first() {
            let text = "IF, ELSE and ENDIF are not followed: use COND, or --step";
            return Err(JobError::Statement(*line, text.into()));
        }
        let wanted = |step: &jcl::Step| self.step.is_none_or(|name| step.name.eq_ignore_ascii_case(name));
        if let Some(name) = self.step
            && !job.steps.iter().any(wanted)
        {
            return Err(JobError::NoStep(name.to_owned()));
        }
        let mut batch = Batch::new(toolchain, sql)?;
        let mut steps = Steps::new(&job, self, client)?;
        let mut ended: Vec<(String, StepEnd)> = Vec::new();
        for (number, step) in job.steps.iter().enumerate().filter(|(_, step)| wanted(step)) {
            let end = match is_bypassed(step, &ended)? {
                true => StepEnd::Bypassed,
                false => match steps.run(number, &mut batch, output)? {
                    Ended::Returned(code) => StepEnd::Code(code),
                    Ended::Abend(code, text) => StepEnd::Abend(code, text),
                },
            };
            ended.push((step.name.clone(), end));
        }
        batch.close(output);
        Ok(ended)
    }
}

/// Whether COND, or an abend before, keeps a step from being run.
fn is_bypassed(step: &jcl::Step, ended: &[(String, StepEnd)]) -> Result<bool, JobError> {
    let cond = step.cond.as_deref().unwrap_or_default();
    let tests = conditions(cond)
        .ok_or_else(|| JobError::Statement(step.line, format!("COND={cond} is not understood")))?;
    let abended = ended.iter().any(|(_, end)| matches!(end, StepEnd::Abend(..)));
    if tests.only && !abended || abended && !tests.only && !tests.even {
        return Ok(true);
    }
    let codes = |of: &Option<String>| {
        let meant = move |name: &str| of.as_deref().is_none_or(|of| of == name);
        let codes = ended.iter().filter(move |(name, _)| meant(name)).filter_map(|(_, end)| match end {
            StepEnd::Code(code) => Some(*code),
            _ => None,
        });
        codes.collect::<Vec<_>>()
    };
    Ok(tests
        .tests
        .iter()
        .any(|(code, relation, of)| codes(of).into_iter().any(|own| holds(*code, relation, own))))
}

/// What COND= says.
#[derive(Default)]
struct Tests {
    /// Code, relation, and the step that is meant; all steps where none is.
    tests: Vec<(i32, String, Option<String>)>,
    even: bool,
    only: bool,
}

/// Reads COND=: `(4,LT)`, `(4,LT,STEP1)`, `((4,LT),(8,EQ,STEP1),EVEN)`, `EVEN`, `ONLY`.
fn conditions(text: &str) -> Option<Tests> {
    let mut tests = Tests::default();
    let mut test: Vec<&str> = Vec::new();
    for part in text.split(['(', ')']) {
        let words: Vec<&str> = part.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
        test.clear();
        for word in words {
            match word {
                "EVEN" => tests.even = true,
                "ONLY" => tests.only = true,
                word => test.push(word),
            }
        }
        match test[..] {
            [] => {}
            [code, relation] => tests.tests.push((code.parse().ok()?, relation.to_owned(), None)),
            [code, relation, step] => {
                tests.tests.push((code.parse().ok()?, relation.to_owned(), Some(step.to_owned())));
            }
            _ => return None,
        }
    }
    let known = ["GT", "GE", "EQ", "NE", "LT", "LE"];
    tests.tests.iter().all(|(_, relation, _)| known.contains(&relation.as_str())).then_some(tests)
}

/// Whether the code in a condition stands in this relation to a step's.
fn holds(code: i32, relation: &str, own: i32) -> bool {
    match relation {
        "GT" => code > own,
        "GE" => code >= own,
        "EQ" => code == own,
        "NE" => code != own,
        "LT" => code < own,
        _ => code <= own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_keep_steps_from_being_run() {
        let before = [("A".to_owned(), StepEnd::Code(4)), ("B".to_owned(), StepEnd::Code(0))];
        let abend = [("A".to_owned(), StepEnd::Abend("S0C7".into(), String::new()))];
        for (cond, ended, bypassed) in [
            ("", &before[..], Some(false)),
            ("(0,LT)", &before, Some(true)),
            ("(4,LT)", &before, Some(false)),
            ("(4,EQ,B)", &before, Some(false)),
            ("((4,LT),(0,EQ,B))", &before, Some(true)),
            ("", &abend, Some(true)),
            ("EVEN", &abend, Some(false)),
            ("ONLY", &abend, Some(false)),
            ("ONLY", &before, Some(true)),
            ("(4,XX)", &before, None),
        ] {
            let source = Source::new("job", format!("//A EXEC PGM=P,COND={cond}\n"));
            let step = &jcl::read(&source).steps[0];
            assert_eq!(is_bypassed(step, ended).ok(), bypassed, "COND={cond}");
        }
    }
}
