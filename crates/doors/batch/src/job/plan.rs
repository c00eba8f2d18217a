//! Checks before the first step: programs that are not there or not built, and control statements that stand in the job.

use std::collections::BTreeSet;

use diagnostics::{Diagnostic, Source, TextPlace};
use jcl::stream::{Step, What};
use toolchain::Toolchain;

use super::codes;
use super::programs::{Utility, refused, utility};
use super::{building, copying, operating};
use crate::{sort, tool, tso};

/// The programs that steps run, looked at before the first of them.
pub(super) struct Programs<'a> {
    toolchain: &'a Toolchain,
    /// Those whose messages have been given.
    told: BTreeSet<String>,
    /// Those that an earlier step of the job compiles: it says what is wrong with them.
    compiled: BTreeSet<String>,
}

impl<'a> Programs<'a> {
    pub fn new(toolchain: &'a Toolchain) -> Self {
        Self { toolchain, told: BTreeSet::new(), compiled: BTreeSet::new() }
    }

    /// Begins another job.
    pub fn job(&mut self) {
        self.compiled.clear();
    }

    /// Checks that a program can be run; `place` is the place that names it.
    fn check(&mut self, name: &str, place: TextPlace, messages: &mut Vec<Diagnostic>) {
        if let Some(why) = refused(name) {
            let text = format!("the program {name} is not built");
            messages.push(Diagnostic::error(codes::PROGRAM, text).at(place).help(why));
            return;
        }
        if name.starts_with("*.") {
            // A backward reference that leads nowhere was refused when the job was read.
        } else if let Some(missing) = self.toolchain.absent(name) {
            messages.push(Diagnostic { code: codes::PROGRAM, ..missing }.at(place));
        } else if !self.compiled.contains(name)
            && let Err(failure) = self.toolchain.program(name)
        {
            let text = format!("the program {name} does not build");
            let help = "the messages beside this name its faults";
            messages.push(Diagnostic::error(codes::PROGRAM, text).at(place).help(help));
            if self.told.insert(name.to_owned()) {
                messages.extend(failure.diagnostics().iter().cloned());
            }
        }
    }
}

/// Checks a step.
pub(super) fn check(step: &Step, programs: &mut Programs<'_>, messages: &mut Vec<Diagnostic>) {
    let Some(utility) = utility(&step.program) else {
        programs.check(&step.program, step.place.clone(), messages);
        return;
    };
    let place = |ddname: &str, line: usize| {
        let data = step.dd(ddname).and_then(|dd| {
            dd.parts.iter().find_map(|part| match &part.what {
                What::Lines(data) => Some(data),
                _ => None,
            })
        });
        match data {
            Some(data) if line > 0 => TextPlace::new(&data.source, line, 1, 0),
            _ => step.place.clone(),
        }
    };
    let mut wrong = |ddname: &str, found: Result<(), (usize, String, String)>| {
        let Err((line, text, help)) = found else { return };
        messages.push(Diagnostic::error(codes::CONTROL, text).at(place(ddname, line)).help(help));
    };
    match utility {
        Utility::Copy => {
            if let Some((_, text)) = in_stream(step, "SYSIN") {
                wrong("SYSIN", copying::check(&text));
            }
        }
        Utility::Sort => {
            wrong("SYSIN", more_control(step));
            let symbols = in_stream(step, "SYMNAMES").map(|(_, text)| text);
            // Symbols in a data set are known when the step runs.
            if (step.dd("SYMNAMES").is_none() || symbols.is_some())
                && let Some((_, text)) = in_stream(step, "SYSIN")
            {
                let symbols = symbols.as_deref().unwrap_or_default();
                wrong("SYSIN", sort::check(&text, symbols, step.parm.as_deref()));
            }
        }
        Utility::Tool => {
            wrong("TOOLIN", more_control(step));
            let symbols = in_stream(step, "SYMNAMES").map(|(_, text)| text);
            let control = |ddname: &str| match step.dd(ddname) {
                None => Some(String::new()),
                Some(_) => in_stream(step, ddname).map(|(_, text)| text),
            };
            if (step.dd("SYMNAMES").is_none() || symbols.is_some())
                && let Some((_, text)) = in_stream(step, "TOOLIN")
                && let Err((ddname, mistake)) =
                    tool::check(&text, symbols.as_deref().unwrap_or_default(), &control)
            {
                wrong(&ddname, Err(mistake));
            } else if step.dd("TOOLIN").is_none() {
                let help = "//TOOLIN DD * with operators as COPY FROM(IN) TO(OUT)".to_owned();
                wrong("TOOLIN", Err((0, "the step has no TOOLIN: nothing says what to do".into(), help)));
            }
        }
        Utility::Terminal => {
            if let Some((_, text)) = in_stream(step, "SYSTSIN") {
                wrong("SYSTSIN", tso::check(&text));
                if let Some(run) = tso::run_command(&text)
                    && !exec_sql::PROCESSORS.contains(&run.program.as_str())
                {
                    programs.check(&run.program, place("SYSTSIN", run.line), messages);
                }
            } else if step.dd("SYSTSIN").is_none() {
                let text = "the step has no SYSTSIN: nothing says what is run";
                let help = "//SYSTSIN DD * with DSN and RUN PROGRAM(…)";
                messages.push(Diagnostic::error(codes::CONTROL, text).at(step.place.clone()).help(help));
            }
        }
        Utility::Compile | Utility::Link => {
            building::check(step, utility, programs.toolchain, messages);
            programs.compiled.extend(building::compiled(step).map(|(name, _)| name));
        }
        Utility::Operate => {
            if let Some((_, text)) = in_stream(step, "ISFIN") {
                wrong("ISFIN", operating::check(&text));
            }
        }
        Utility::Nothing | Utility::Idcams | Utility::Define => {}
    }
}

/// Refuses control statements of SORT that stand elsewhere than where they are read.
fn more_control(step: &Step) -> Result<(), (usize, String, String)> {
    match sort::unread_control(step.dds.iter().map(|dd| dd.name.as_str())) {
        None => Ok(()),
        Some(ddname) => {
            let help = "put them where the other ones are".to_owned();
            Err((0, format!("control statements in {ddname} are not read"), help))
        }
    }
}

/// Returns the lines behind a ddname, if all of them stand in the job: the name of their text, and the text with the line
/// numbers of the user's file.
pub(super) fn in_stream(step: &Step, ddname: &str) -> Option<(String, String)> {
    let dd = step.dd(ddname)?;
    let mut lines: Vec<&str> = Vec::new();
    let mut source: Option<&std::sync::Arc<Source>> = None;
    for part in &dd.parts {
        let What::Lines(data) = &part.what else { return None };
        let is_same = source.is_none_or(|source| std::sync::Arc::ptr_eq(source, &data.source));
        // Only lines of one text have numbers that mean something.
        let first = if is_same { data.first - 1 } else { lines.len() };
        lines.resize(lines.len().max(first), "");
        lines.extend(data.lines.iter().map(String::as_str));
        source.get_or_insert(&data.source);
    }
    let name = source.map_or_else(|| ddname.to_owned(), |source| source.name.clone());
    Some((name, lines.iter().flat_map(|line| [line, "\n"]).collect()))
}
