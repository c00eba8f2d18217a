//! The input of a utility: a text of its own, or the SYSIN of the steps that run it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use diagnostics::Source;

use crate::statement::without_sequence;
use crate::{Step, is_job, read};

/// Site tokens and what stands for them: `<HLQ>` → `PROD.APP`.
pub type Tokens = BTreeMap<String, String>;

/// One input of a utility.
#[derive(Clone, Debug)]
pub struct Input {
    /// The text in which its lines are counted.
    pub source: Arc<Source>,
    /// Its lines, numbered from 1.
    pub lines: Range<usize>,
    /// The step whose SYSIN it is; none for a text of its own.
    pub step: Option<Step>,
}

/// One line of an input, as far as the utility reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Its number in the source, from 1.
    pub line: usize,
    /// Its text without sequence number and trailing blanks.
    pub text: &'a str,
}

/// A text with every token replaced; where one token starts another, the longer wins.
pub fn substitute(text: &str, tokens: &Tokens) -> String {
    let mut tokens: Vec<(&String, &String)> = tokens.iter().filter(|(token, _)| !token.is_empty()).collect();
    tokens.sort_by_key(|(token, _)| std::cmp::Reverse(token.len()));
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        match tokens.iter().find(|(token, _)| rest.starts_with(token.as_str())) {
            Some((token, value)) => {
                out.push_str(value);
                rest = &rest[token.len()..];
            }
            None => {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    out
}

/// The inputs that a text holds for a utility, after its tokens are replaced: the whole text, or, where it is a job,
/// the in-stream SYSIN of every step that runs the utility.
pub fn inputs(source: &Arc<Source>, utility: &str, tokens: &Tokens) -> Vec<Input> {
    let source = if tokens.is_empty() {
        Arc::clone(source)
    } else {
        Source::new(source.name.clone(), substitute(&source.text, tokens))
    };
    if !is_job(&source.text) {
        let lines = 1..source.text.lines().count() + 1;
        return vec![Input { source, lines, step: None }];
    }
    let job = read(&source);
    let runs_it = |step: &&Step| step.program.as_deref() == Some(utility);
    let sysin = |step: &'_ Step| -> Vec<Input> {
        // A second DD statement without a name goes on where the first one ended.
        let dds = step.dds.iter().filter(|dd| is_sysin(&dd.name)).filter_map(|dd| dd.in_stream.clone());
        dds.map(|lines| Input { source: Arc::clone(&job.source), lines, step: Some(step.clone()) }).collect()
    };
    job.steps.iter().filter(runs_it).flat_map(sysin).collect()
}

/// SYSIN, or that of a step of a procedure: `STEP1.SYSIN`.
fn is_sysin(ddname: &str) -> bool {
    ddname.rsplit('.').next().is_some_and(|name| name.eq_ignore_ascii_case("SYSIN"))
}

/// In-stream data of a job: where it stands, and in what text.
#[derive(Clone, Debug)]
pub struct InStream {
    /// The text in which its lines are counted.
    pub source: Arc<Source>,
    /// Its lines, numbered from 1.
    pub lines: Range<usize>,
}

impl InStream {
    /// Its lines.
    pub fn text(&self) -> impl Iterator<Item = &str> {
        self.source.text.lines().skip(self.lines.start.saturating_sub(1)).take(self.lines.len())
    }

    /// The same text with all other lines empty: messages about it have the line numbers of the user's file.
    pub fn alone(&self) -> Arc<Source> {
        let numbered = self.source.text.lines().zip(1..);
        let own = numbered.take_while(|(_, number)| *number < self.lines.end);
        let lines = own.map(|(line, number)| if self.lines.contains(&number) { line } else { "" });
        let text: String = lines.flat_map(|line| [line, "\n"]).collect();
        Source::new(self.source.name.clone(), text)
    }
}

/// All in-stream data of a job, whatever its step and ddname: `//SYSIN DD *`, `//COPY.SYSUT1 DD *`. Nothing where the
/// text is no job.
pub fn in_stream(source: &Arc<Source>) -> Vec<InStream> {
    if !is_job(&source.text) {
        return Vec::new();
    }
    let job = read(source);
    let data = job.steps.iter().flat_map(|step| &step.dds).filter_map(|dd| dd.in_stream.clone());
    data.map(|lines| InStream { source: Arc::clone(&job.source), lines }).collect()
}

/// The records of an input. A sequence number in columns 73 to 80 is cut off; other text there is kept, for it was
/// written with an editor that knows no columns.
pub fn records(input: &Input) -> impl Iterator<Item = Record<'_>> {
    let numbered = input.source.text.lines().zip(1..);
    let chosen = numbered.skip(input.lines.start.saturating_sub(1)).take(input.lines.len());
    chosen.map(|(text, line)| Record { line, text: without_sequence(text).trim_end() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_replaced_longest_first_and_never_twice() {
        let tokens = [("<HLQ>", "A.B"), ("@P", "x"), ("@PREFIX@", "@P"), ("", "y")];
        let tokens: Tokens = tokens.into_iter().map(|(t, v)| (t.to_owned(), v.to_owned())).collect();
        assert_eq!(substitute("DSN(<HLQ>.@PREFIX@.é@P)", &tokens), "DSN(A.B.@P.éx)");
    }

    #[test]
    fn a_text_is_its_own_input_and_a_job_has_one_for_each_step() {
        let text = Source::new("a.csd", "one\ntwo\n");
        let found = inputs(&text, "DFHCSDUP", &Tokens::new());
        assert_eq!(
            found.iter().flat_map(records).map(|r| (r.line, r.text)).collect::<Vec<_>>(),
            [(1, "one"), (2, "two")]
        );

        let job = Source::new(
            "a.jcl",
            "//A EXEC PGM=DFHCSDUP\n//SYSIN DD *\none\n/*\n//B EXEC PGM=SORT\n//SYSIN DD *\ntwo\n/*\n",
        );
        let found = inputs(&job, "DFHCSDUP", &Tokens::new());
        let texts: Vec<&str> = found.iter().flat_map(records).map(|r| r.text).collect();
        assert_eq!(texts, ["one"]);
    }

    #[test]
    fn in_stream_data_keeps_its_line_numbers() {
        let job = Source::new(
            "maps.jcl",
            "//J JOB\n//A EXEC DFHMAPS\n//COPY.SYSUT1 DD *\none\n/*\n//B EXEC DFHMAPS\n//SYSIN DD *\ntwo\nthree\n",
        );
        let found = in_stream(&job);
        let alone: Vec<String> = found.iter().map(|data| data.alone().text.clone()).collect();
        assert_eq!(alone, ["\n\n\none\n", "\n\n\n\n\n\n\ntwo\nthree\n"]);
        assert!(in_stream(&Source::new("a.bms", "M DFHMSD\n")).is_empty());
    }

    #[test]
    fn sysin_may_be_concatenated_and_belong_to_a_procedures_step() {
        let job = Source::new(
            "a.jcl",
            "//A EXEC PGM=DFHCSDUP\n//SYSIN DD *\none\n/*\n// DD *\ntwo\n/*\n//B EXEC PGM=DFHCSDUP\n//CSD.SYSIN DD *\nthree\n",
        );
        let found = inputs(&job, "DFHCSDUP", &Tokens::new());
        let texts: Vec<&str> = found.iter().flat_map(records).map(|r| r.text).collect();
        assert_eq!(texts, ["one", "two", "three"]);
    }

    #[test]
    fn sequence_numbers_are_no_text() {
        let wide = format!("{:<72}00010000", "DEFINE");
        let long = format!("{:<72}MORE", "DEFINE");
        let source = Source::new("a", format!("{wide}\n{long}\n"));
        let found = inputs(&source, "DFHCSDUP", &Tokens::new());
        let texts: Vec<&str> = records(&found[0]).map(|r| r.text).collect();
        assert_eq!(texts, ["DEFINE", long.as_str()]);
    }
}
