//! A program with a COMMAREA as one of the direct path, from the same text.
//!
//! The result is a program that takes messages, and within it the user's own: the message is its COMMAREA, RETURN is GOBACK, and its
//! working storage is fresh for each message. Nothing else of the text changes, so that one source has both load modules. What
//! cannot be converted gets a message at the user's line.

use std::fmt::Write as _;
use std::sync::Arc;

use cobol_source::exec::{self, Block, Executor};
use cobol_source::token::phrase;
use cobol_source::{Format, Library, Messages, Text, Token, origin::At, origin::FrameId};
use diagnostics::{Diagnostic, Source, any_error};

/// Program that is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The name of the program that takes messages.
    pub name: &'a str,
    /// Bytes of the COMMAREA: answers are as long; `None`: as the message.
    pub commarea: Option<usize>,
}

/// A converted program.
#[derive(Clone, Debug)]
pub struct Converted {
    /// Its text; `None` if something cannot be converted.
    pub text: Option<String>,
    /// Messages of the conversion.
    pub messages: Vec<Diagnostic>,
}

/// Message for something that cannot be converted.
const CANNOT: &str = "SPDR001";
/// Message for something that is no program with a COMMAREA.
const NO_PROGRAM: &str = "SPDR002";

/// Columns between tab stops.
const TABS: usize = 8;
/// Last column of a program's line in fixed format.
const LAST_COLUMN: usize = 72;

/// Commands that cannot be converted, by their first words, with what to do instead.
const NOT_HERE: &[(&[&str], &str)] = &[
    (&["XCTL"], "LINK to the program: an XCTL would end the instance"),
    (
        &["HANDLE", "ABEND"],
        "an abend ends the instance, and its message is answered so: leave HANDLE ABEND out",
    ),
    (&["HANDLE", "AID"], "a message has no terminal"),
    (&["SEND"], "a message has no terminal: put the answer into the COMMAREA"),
    (&["RECEIVE"], "a message has no terminal: it is in the COMMAREA"),
    (&["CONVERSE"], "a message has no terminal: it is in the COMMAREA"),
    (&["ISSUE"], "a message has no terminal"),
    (&["RETRIEVE"], "a message is in the COMMAREA: there is no START"),
    (&["WEB"], "the direct path has read the request: its body is in the COMMAREA"),
];

/// Converts a program.
pub fn convert(source: &Arc<Source>, library: &dyn Library, wanted: Wanted<'_>) -> Converted {
    let source = Source::new(source.name.clone(), without_tabs(&source.text));
    let read = cobol_source::read(&source, library, Format::Detect, TABS);
    let Text { tokens, messages, free, .. } = read;
    let mut program =
        Program { tokens: &tokens, messages, free, edits: Vec::new(), environment: String::new() };
    let text = program.converted(&source, wanted);
    let messages = program.messages.list;
    Converted { text: text.filter(|_| !any_error(&messages)), messages }
}

/// Tabs as blanks.
fn without_tabs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let mut column = 0;
        for c in line.chars() {
            let width = if c == '\t' { TABS - column % TABS } else { 1 };
            column += width;
            if c == '\t' { out.extend(std::iter::repeat_n(' ', width)) } else { out.push(c) }
        }
        out.push('\n');
    }
    out
}

struct Program<'a> {
    tokens: &'a [Token],
    messages: Messages,
    free: bool,
    edits: Vec<Edit>,
    /// Its CONFIGURATION SECTION, which stands in the outer program.
    environment: String,
}

/// Some characters of a line become others.
struct Edit {
    line: usize,
    from: usize,
    to: usize,
    text: String,
}

impl Edit {
    fn of(at: At, text: &str) -> Self {
        let from = usize::from(at.column) - 1;
        Self { line: at.line as usize - 1, from, to: from + usize::from(at.width), text: text.to_owned() }
    }

    /// Blanks in the place of a word.
    fn blank(at: At) -> Self {
        Self::of(at, &" ".repeat(at.width.into()))
    }
}

impl Program<'_> {
    fn converted(&mut self, source: &Arc<Source>, wanted: Wanted<'_>) -> Option<String> {
        let name = self.name(wanted)?;
        let own = self.tokens[name].at.frame;
        let has_commarea = self.tokens.iter().any(|token| token.is("DFHCOMMAREA"));
        if !has_commarea {
            let message = Diagnostic::error(NO_PROGRAM, "this program has no DFHCOMMAREA");
            self.messages
                .add(self.tokens[name].at, message.help("a message and its answer are its COMMAREA"));
        }
        self.becomes_inner(name);
        self.commands(own);
        let mut lines: Vec<String> = source.text.lines().map(str::to_owned).collect();
        self.take_environment(own, &mut lines);
        self.apply(&mut lines);
        let first = self.tokens.first().map_or(0, |token| token.at.line as usize - 1);
        let inner = self.tokens[name].text.to_string();
        Some(self.written(&lines, first, &inner, wanted))
    }

    /// Position of the program's name.
    fn name(&mut self, wanted: Wanted<'_>) -> Option<usize> {
        let mut found = self.tokens.iter().enumerate().filter(|(_, token)| token.is("PROGRAM-ID"));
        let first = found.next().map(|(at, _)| at);
        let second = found.next().map(|(at, _)| at);
        let (Some(at), None) = (first, second) else {
            let place = second.or(first).or((!self.tokens.is_empty()).then_some(0))?;
            let message = Diagnostic::error(NO_PROGRAM, "the source does not hold exactly one program");
            self.messages.add(self.tokens[place].at, message.help("convert each program of its own file"));
            return None;
        };
        let name = at + 1 + usize::from(self.tokens.get(at + 1).is_some_and(Token::is_period));
        let token = self.tokens.get(name)?;
        if token.text.eq_ignore_ascii_case(wanted.name) {
            let message = Diagnostic::error(NO_PROGRAM, "the direct program has the name of this one");
            self.messages.add(token.at, message.help("both are to be in the region: give it another name"));
        }
        Some(name)
    }

    /// The user's program stands within the other, and is fresh each time.
    fn becomes_inner(&mut self, name: usize) {
        let token = &self.tokens[name];
        let has_attributes = self.tokens.get(name + 1).is_some_and(|next| !next.is_period());
        if !has_attributes {
            self.edits.push(Edit::of(token.at, &format!("{} IS INITIAL", token.text)));
        }
    }

    /// Converts each command and STOP RUN.
    fn commands(&mut self, own: FrameId) {
        let mut at = 0;
        while at < self.tokens.len() {
            if let Some(block) = exec::read(self.tokens, at, &mut self.messages) {
                at = block.range.end.max(at + 1);
                if block.executor == Executor::Cics {
                    self.command(&block, own);
                }
                continue;
            }
            if phrase(self.tokens, at, &["STOP", "RUN"])
                && !phrase(self.tokens, at.wrapping_sub(1), &["EXEC"])
            {
                self.goes_back(at..at + 2, own);
            }
            at += 1;
        }
    }

    fn command(&mut self, block: &Block, own: FrameId) {
        let begins = |words: &[&str]| {
            words
                .iter()
                .enumerate()
                .all(|(at, word)| block.items.get(at).is_some_and(|item| item.name == *word))
        };
        if begins(&["RETURN"]) {
            match block.items.get(1) {
                None => self.goes_back(block.range.clone(), own),
                Some(option) => {
                    let text = format!("RETURN {} cannot be converted", option.name);
                    let help =
                        "a message has no next transaction: keep what is to be kept in a file or table";
                    self.messages.add(block.at, Diagnostic::error(CANNOT, text).help(help));
                }
            }
            return;
        }
        // HANDLE ABEND CANCEL and RESET only let go.
        if begins(&["HANDLE", "ABEND", "CANCEL"]) || begins(&["HANDLE", "ABEND", "RESET"]) {
            return;
        }
        if let Some((words, help)) = NOT_HERE.iter().find(|(words, _)| begins(words)) {
            let text = format!("{} cannot be converted", words.join(" "));
            self.messages.add(block.at, Diagnostic::error(CANNOT, text).help(*help));
        }
        if begins(&["ADDRESS"]) && block.items.iter().any(|item| item.name == "COMMAREA") {
            let text = "ADDRESS COMMAREA cannot be converted";
            self.messages.add(block.at, Diagnostic::error(CANNOT, text).help("use ADDRESS OF DFHCOMMAREA"));
        }
    }

    /// GOBACK in the place of some words.
    fn goes_back(&mut self, range: std::ops::Range<usize>, own: FrameId) {
        let place = self.tokens[range.start].at;
        if self.tokens[range.clone()].iter().any(|token| token.at.frame != own) {
            let message = Diagnostic::error(CANNOT, "this ends the task, and stands in a copybook");
            self.messages
                .add(place, message.help("only the program's own text is changed: write GOBACK there"));
            return;
        }
        // The words of the first line make room; those of the others become blanks.
        let first_line: Vec<At> = self.tokens[range.clone()]
            .iter()
            .map(|token| token.at)
            .filter(|at| at.line == place.line)
            .collect();
        let rest = self.tokens[range].iter().map(|token| token.at).filter(|at| at.line != place.line);
        self.edits.extend(rest.map(Edit::blank));
        let last = first_line.last().copied().unwrap_or(place);
        let to = usize::from(last.column) - 1 + usize::from(last.width);
        self.edits.push(Edit { to, ..Edit::of(place, "GOBACK") });
    }

    /// An inner program has no CONFIGURATION SECTION: it is the outer one's.
    fn take_environment(&mut self, own: FrameId, lines: &mut [String]) {
        let Some(begin) =
            (0..self.tokens.len()).find(|at| phrase(self.tokens, *at, &["CONFIGURATION", "SECTION"]))
        else {
            return;
        };
        let ends = |at: &usize| {
            phrase(self.tokens, *at, &["INPUT-OUTPUT", "SECTION"])
                || self.tokens[*at].is_any(&["DATA", "PROCEDURE"])
                    && phrase(self.tokens, *at + 1, &["DIVISION"])
        };
        let end = (begin..self.tokens.len()).find(ends).unwrap_or(self.tokens.len());
        let section = &self.tokens[begin..end];
        if section.iter().any(|token| token.at.frame != own) {
            let message = Diagnostic::error(CANNOT, "the CONFIGURATION SECTION stands in a copybook");
            self.messages.add(self.tokens[begin].at, message.help("write it into the program"));
            return;
        }
        let from = self.tokens[begin].at.line as usize - 1;
        let to = section.last().map_or(from, |token| token.at.line as usize - 1);
        for line in &mut lines[from..=to] {
            let _ = writeln!(self.environment, "{line}");
            line.clear();
        }
    }

    fn apply(&mut self, lines: &mut [String]) {
        self.edits.sort_by_key(|edit| (edit.line, std::cmp::Reverse(edit.from)));
        for edit in &self.edits {
            let line = &mut lines[edit.line];
            let at = |column: usize| line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
            let (from, to) = (at(edit.from), at(edit.to));
            line.replace_range(from..to, &edit.text);
        }
    }

    /// The program that takes messages, with the user's within it.
    fn written(&self, lines: &[String], first: usize, inner: &str, wanted: Wanted<'_>) -> String {
        let (before, own) = lines.split_at(first.min(lines.len()));
        let mut text = before.iter().map(|line| format!("{line}\n")).collect::<String>();
        let length =
            wanted.commarea.map_or_else(|| String::from("VSV-MESSAGE-LENGTH"), |bytes| bytes.to_string());
        let name = wanted.name;
        let environment = match self.environment.as_str() {
            "" => String::new(),
            section => format!("       ENVIRONMENT DIVISION.\n{section}"),
        };
        let _ = write!(
            text,
            "       IDENTIFICATION DIVISION.
       PROGRAM-ID. {name}.
{environment}       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  VSV-LIST-ADDRESS            USAGE IS POINTER.
       01  VSV-CODE                    PIC S9(9) COMP-5.
       LINKAGE SECTION.
       COPY VSVCLIST.
       01  DFHCOMMAREA                 PIC X.
       01  VSV-MESSAGE-LENGTH          PIC S9(9) COMP.
       01  VSV-ANSWER-LENGTH           PIC S9(9) COMP.
       PROCEDURE DIVISION.
           CALL 'VSVPSYNC' USING BY REFERENCE VSV-LIST-ADDRESS
               RETURNING VSV-CODE
           PERFORM UNTIL VSV-CODE NOT = ZERO
               SET ADDRESS OF LIST-POINTER TO VSV-LIST-ADDRESS
               SET ADDRESS OF DFHCOMMAREA TO LIST-ADR-REQU
               SET ADDRESS OF VSV-MESSAGE-LENGTH TO LIST-ADR-REQUL
               SET ADDRESS OF VSV-ANSWER-LENGTH TO LIST-ADR-RESPL
               SET LIST-ADR-RESP TO LIST-ADR-REQU
               MOVE {length} TO VSV-ANSWER-LENGTH
               MOVE VSV-ANSWER-LENGTH TO EIBCALEN
               CALL '{inner}' USING DFHEIBLK DFHCOMMAREA
               CALL 'VSVPSYNC' USING BY REFERENCE VSV-LIST-ADDRESS
                   RETURNING VSV-CODE
           END-PERFORM
           GOBACK.
",
        );
        own.iter().for_each(|line| {
            text.push_str(line);
            text.push('\n');
        });
        let has_end = (0..self.tokens.len()).any(|at| phrase(self.tokens, at, &["END", "PROGRAM"]));
        if !has_end {
            let _ = writeln!(text, "       END PROGRAM {inner}.");
        }
        let _ = writeln!(text, "       END PROGRAM {name}.");
        debug_assert!(
            self.free
                || text.lines().all(|line| !line.starts_with("       END") || line.len() <= LAST_COLUMN)
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use cobol_source::NoLibrary;

    use super::*;

    const PROGRAM: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. CUSTQ.
       ENVIRONMENT DIVISION.
       CONFIGURATION SECTION.
       SPECIAL-NAMES.
           DECIMAL-POINT IS COMMA.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA PIC X(10).
       PROCEDURE DIVISION.
           IF EIBCALEN = ZERO
               EXEC CICS RETURN
               END-EXEC
           END-IF
           MOVE 'OK' TO DFHCOMMAREA.
           EXEC CICS RETURN END-EXEC.
";

    fn converted(text: &str) -> Converted {
        let source = Source::new("CUSTQ.cbl", text);
        convert(&source, &NoLibrary, Wanted { name: "CUSTQD", commarea: Some(10) })
    }

    fn said(text: &str) -> Vec<(usize, String)> {
        let messages = converted(text).messages.into_iter();
        messages
            .map(|message| {
                let line = message.place.as_ref().map_or(0, |place| place.line);
                (line, message.message)
            })
            .collect()
    }

    #[test]
    fn a_program_with_a_commarea_takes_messages() {
        let Converted { text, messages } = converted(PROGRAM);
        assert!(messages.is_empty(), "{messages:?}");
        let text = text.expect("it can be converted");
        for line in [
            "       PROGRAM-ID. CUSTQD.",
            "       PROGRAM-ID. CUSTQ IS INITIAL.",
            "               GOBACK",
            "           GOBACK.",
            "       END PROGRAM CUSTQ.",
            "       END PROGRAM CUSTQD.",
        ] {
            assert!(text.lines().any(|other| other.trim_end() == line), "{line} in\n{text}");
        }
        let outer = text.split("CUSTQ IS INITIAL").next().unwrap_or_default();
        assert!(outer.contains("DECIMAL-POINT IS COMMA"), "its environment is the outer program's");
        assert!(!text.contains("EXEC CICS RETURN"));
    }

    #[test]
    fn what_cannot_be_converted_is_said_at_its_line() {
        let with = |command: &str| {
            let statement = format!("           EXEC CICS {command} END-EXEC.\n");
            said(&PROGRAM.replace("           MOVE 'OK' TO DFHCOMMAREA.\n", &statement))
        };
        for (command, expected) in [
            ("RETURN TRANSID('NEXT')", "RETURN TRANSID cannot be converted"),
            ("XCTL PROGRAM('NEXT')", "XCTL cannot be converted"),
            ("HANDLE ABEND LABEL(X)", "HANDLE ABEND cannot be converted"),
            ("SEND MAP('A') ERASE", "SEND cannot be converted"),
        ] {
            assert_eq!(with(command), [(15, expected.to_owned())], "{command}");
        }
        assert_eq!(with("GETMAIN SET(P) LENGTH(8)"), []);
        assert_eq!(with("HANDLE ABEND CANCEL"), []);
        assert_eq!(with("LINK PROGRAM('NEXT')"), []);
        let without = PROGRAM.replace("DFHCOMMAREA", "SOMETHING");
        assert!(said(&without)[0].1.contains("no DFHCOMMAREA"));
        assert!(said(&format!("{PROGRAM}{PROGRAM}"))[0].1.contains("exactly one program"));
    }
}
