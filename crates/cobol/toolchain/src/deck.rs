//! Members of a file: one or, if it is a job, one for each of its in-stream data that is a member.
//!
//! A job is looked into and never judged: what is no member of the kind that is asked for is passed over.

mod programs;

use std::sync::Arc;

use diagnostics::Source;
use jcl::InStream;

/// A kind of member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Program,
    Copybook,
    Map,
}

impl Kind {
    /// As a message calls it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Copybook => "copybook",
            Self::Map => "map",
        }
    }

    /// Extensions that make a file of a folder a member.
    pub(crate) fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Program => &["cbl", "cob"],
            Self::Copybook => &["cpy", "cbl", "cob", "dcl", "inc"],
            Self::Map => &["bms"],
        }
    }

    /// Extensions of files of a folder that are members if their text says so.
    pub(crate) fn doubtful_extensions(self) -> &'static [&'static str] {
        match self {
            Self::Program | Self::Copybook => &[],
            Self::Map => &["asm", "mac", "map", "jcl"],
        }
    }

    /// Mark by which a text is such a member; any text is a copybook.
    pub(crate) fn mark(self) -> Option<&'static str> {
        match self {
            Self::Program => Some("a PROGRAM-ID"),
            Self::Copybook => None,
            Self::Map => Some("a DFHMSD"),
        }
    }

    /// Returns true if a text that is no job is such a member.
    fn is(self, text: &str) -> bool {
        match self {
            Self::Program => program_id(text.lines()).is_some(),
            Self::Copybook => true,
            Self::Map => text.lines().any(|line| mapset_label(line).is_some()),
        }
    }

    /// The name that the lines of such a member give it.
    fn name<'a>(self, lines: impl Iterator<Item = &'a str>) -> Option<String> {
        match self {
            Self::Program => program_id(lines),
            Self::Copybook => None,
            Self::Map => lines.into_iter().find_map(mapset_label).filter(|label| !label.is_empty()),
        }
    }
}

/// The members of a file whose own name is `stem`, if its text decides; each name once, in the order of the text.
pub(crate) fn names(kind: Kind, stem: &str, source: &Arc<Source>) -> Vec<String> {
    if !jcl::is_job(&source.text) {
        return if kind.is(&source.text) { vec![stem.to_owned()] } else { Vec::new() };
    }
    let mut names = Vec::new();
    for name in jcl::in_stream(source).iter().filter_map(|data| kind.name(data.text())) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The text of one member of a file, with the line numbers of the file.
pub(crate) fn member(kind: Kind, name: &str, source: &Arc<Source>) -> Arc<Source> {
    let is_it = |data: &&InStream| kind.name(data.text()).is_some_and(|own| own == name);
    let data = jcl::in_stream(source);
    let of_job = data.iter().find(is_it).map(InStream::alone);
    let several = || if kind == Kind::Program { programs::alone(name, source) } else { None };
    of_job.or_else(several).unwrap_or_else(|| Arc::clone(source))
}

/// The names that a text which is no job gives what it holds: its programs, but for those within others, or its mapsets.
pub(crate) fn names_within(kind: Kind, text: &str) -> Vec<String> {
    match kind {
        Kind::Program => programs::within(text).into_iter().map(|program| program.name).collect(),
        Kind::Map => text.lines().filter_map(mapset_label).filter(|label| !label.is_empty()).collect(),
        Kind::Copybook => Vec::new(),
    }
}

/// Returns true if programs can ask for a member of this name.
pub(crate) fn is_name(name: &str) -> bool {
    (1..=NAME_MAX).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"@#$".contains(&b))
}

/// Characters of the name of a program or mapset.
const NAME_MAX: usize = 8;

/// The name in the first PROGRAM-ID, which may stand on the next line.
fn program_id<'a>(lines: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut finder = programs::Finder::default();
    lines.into_iter().find_map(|line| finder.name(line))
}

/// The label of a DFHMSD, empty if it has none; `None` for any other line.
fn mapset_label(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let first = words.next()?;
    if line.starts_with('*') {
        return None;
    }
    if line.starts_with(char::is_whitespace) {
        return first.eq_ignore_ascii_case("DFHMSD").then(String::new);
    }
    words.next()?.eq_ignore_ascii_case("DFHMSD").then(|| first.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: Kind, text: &str, expected: &[&str]) {
        assert_eq!(names(kind, "STEM", &Source::new("x", text)), expected);
    }

    #[test]
    fn a_text_is_a_member_by_what_it_holds() {
        check(Kind::Program, "       ID DIVISION.\n       PROGRAM-ID. A.\n", &["STEM"]);
        check(Kind::Program, "      * PROGRAM-ID. A.\n       01 B.\n", &[]);
        check(Kind::Map, "* a map\nBANK     DFHMSD TYPE=MAP\n", &["STEM"]);
        check(Kind::Map, "PROG     CSECT\n         DFHMSDX\n", &[]);
        check(Kind::Copybook, "       01 B.\n", &["STEM"]);
    }

    #[test]
    fn a_job_holds_a_member_in_each_of_its_in_stream_data() {
        let program = |name: &str| format!("000100 PROGRAM-ID.\n000200     '{name}'.\n");
        let job = format!(
            "//J JOB\n//A EXEC DFHYITVL\n//TRN.SYSIN DD *\n{}/*\n//LKED.SYSIN DD *\n  NAME ONE(R)\n/*\n\
             //B EXEC DFHYITVL\n//TRN.SYSIN DD *\n{}/*\n//C EXEC DFHMAPS\n//SYSUT1 DD *\nset1 DFHMSD TYPE=&SYSPARM\n/*\n",
            program("one"),
            program("TWO")
        );
        check(Kind::Program, &job, &["ONE", "TWO"]);
        check(Kind::Map, &job, &["SET1"]);
        check(Kind::Copybook, &job, &[]);
        let two = member(Kind::Program, "TWO", &Source::new("x", job));
        assert_eq!(two.text.lines().position(|line| line.contains("TWO")), Some(12));
        assert!(!two.text.contains("one"));
    }
}
