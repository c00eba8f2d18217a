//! A `cobol` block becomes a program: in fixed format, with everything around it that was left out.

use crate::document::Block;

/// A program of a test.
#[derive(Clone, Debug)]
pub struct TestProgram {
    /// Its name; its transaction has the first four characters.
    pub name: String,
    /// True if the test runs it at this point.
    pub run: bool,
    /// True if it must not compile.
    pub broken: bool,
    /// CONCURRENCY of its definition.
    pub concurrency: &'static str,
    /// Its text.
    pub text: String,
    /// For each line of the text, the line of the test file that it comes from; 0: it was added.
    lines: Vec<usize>,
}

/// Area A begins behind the sequence number and the indicator.
const INDENT: &str = "       ";
/// Fixed format ends here.
const LAST_COLUMN: usize = 72;

/// The data descriptions that every program has without naming them.
const USUAL_DATA: [&str; 7] = [
    "77  N     PIC S9(8) COMP.",
    "77  R     PIC S9(8) COMP.",
    "77  R2    PIC S9(8) COMP.",
    "77  LEN   PIC S9(4) COMP.",
    "77  NUM   PIC -(7)9.",
    "77  REC   PIC X(80) VALUE SPACES.",
    "77  PTR   POINTER.",
];

/// Words of the fence that are not the program's name; nor is a single letter, which is a terminal.
const OPTIONS: [&str; 4] = ["run", "broken", "threadsafe", "required"];

impl TestProgram {
    /// The program of a block; `number` names one that has no name.
    ///
    /// # Errors
    /// A line that is too long for fixed format.
    pub fn new(block: &Block, number: usize) -> Result<Self, String> {
        let full = block.text.iter().any(|line| line.contains("PROGRAM-ID"));
        let named = block.words.iter().find(|word| word.len() > 1 && !OPTIONS.contains(&word.as_str()));
        let named = named.cloned();
        let own = || block.text.iter().find_map(|line| line.split_once("PROGRAM-ID.")).map(|(_, name)| name);
        let own = own().map(|name| name.trim().trim_end_matches('.').to_owned());
        let is_named = named.is_some() || own.is_some();
        let name = named.or(own).unwrap_or_else(|| format!("P{number:03}"));
        let mut frame = Frame::default();
        let lines = block.text.iter().enumerate().map(|(at, line)| (line.as_str(), block.line + at));
        match full {
            true => lines.for_each(|(line, number)| frame.push(line, number)),
            false => frame.wrap(&name, &lines.collect::<Vec<_>>()),
        }
        if let Some(at) = frame.text.lines().position(|line| line.chars().count() > LAST_COLUMN) {
            return Err(format!("line {}: longer than column {LAST_COLUMN}", frame.lines[at]));
        }
        let concurrency = match () {
            () if block.says("threadsafe") => "THREADSAFE",
            () if block.says("required") => "REQUIRED",
            () => "QUASIRENT",
        };
        let (run, broken) = (!is_named || block.says("run"), block.says("broken"));
        Ok(Self { name, run, broken, concurrency, text: frame.text, lines: frame.lines })
    }

    /// The transaction that starts it.
    pub fn transaction(&self) -> &str {
        &self.name[..self.name.len().min(4)]
    }

    /// The line of the test file behind a line (from 1) of the program.
    pub fn line(&self, line: usize) -> usize {
        self.lines.get(line - 1).copied().unwrap_or_default()
    }
}

#[derive(Default)]
struct Frame {
    text: String,
    lines: Vec<usize>,
}

impl Frame {
    fn push(&mut self, line: &str, number: usize) {
        // A text that keeps its columns begins where fixed format does.
        let mut line = match line.starts_with(INDENT) || line.is_empty() {
            true => line.to_owned(),
            false => format!("{INDENT}{line}"),
        };
        while let Some(at) = break_place(&line) {
            let rest = format!("{INDENT}    {}", &line[at + 1..]);
            line.truncate(at);
            self.push_line(&line, number);
            line = rest;
        }
        self.push_line(&line, number);
    }

    fn push_line(&mut self, line: &str, number: usize) {
        self.text.push_str(line);
        self.text.push('\n');
        self.lines.push(number);
    }

    /// Divisions around data and statements.
    fn wrap(&mut self, name: &str, lines: &[(&str, usize)]) {
        let program_id = format!("PROGRAM-ID. {name}.");
        for line in ["IDENTIFICATION DIVISION.", &program_id, "DATA DIVISION.", "WORKING-STORAGE SECTION."] {
            self.push(line, 0);
        }
        for line in USUAL_DATA {
            self.push(line, 0);
        }
        let (data, statements) = lines.split_at(data_length(lines));
        data.iter().for_each(|(line, number)| self.push(line, *number));
        if !statements.iter().any(|(line, _)| line.starts_with("PROCEDURE DIVISION")) {
            self.push("PROCEDURE DIVISION.", 0);
        }
        statements.iter().for_each(|(line, number)| self.push(line, *number));
        self.push("    EXEC CICS RETURN END-EXEC.", 0);
    }
}

/// The blank at which a line that is too long for fixed format goes on in the next: the last one outside of a literal and
/// behind the first word.
fn break_place(line: &str) -> Option<usize> {
    if line.len() <= LAST_COLUMN {
        return None;
    }
    let first = line.len() - line.trim_start().len();
    let mut quoted = false;
    let mut place = None;
    for (at, byte) in line.bytes().enumerate().take(LAST_COLUMN + 1) {
        quoted ^= byte == b'\'';
        if byte == b' ' && !quoted && at > first {
            place = Some(at);
        }
    }
    place
}

/// Returns the number of lines that are data descriptions: the sentences that begin with a level number, COPY, or a
/// section of the DATA DIVISION.
fn data_length(lines: &[(&str, usize)]) -> usize {
    let mut begins = true;
    for (at, (line, _)) in lines.iter().enumerate() {
        let line = line.trim();
        if begins && !line.is_empty() && !is_data(line) {
            return at;
        }
        begins = line.is_empty() || line.ends_with('.') || line.starts_with('*');
    }
    lines.len()
}

fn is_data(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    line.starts_with('*')
        || word.chars().all(|c| c.is_ascii_digit())
        || matches!(word, "COPY" | "LINKAGE" | "LOCAL-STORAGE")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(words: &[&str], text: &str) -> TestProgram {
        let block = Block {
            kind: "cobol".to_owned(),
            words: words.iter().map(|&word| word.to_owned()).collect(),
            line: 10,
            text: text.lines().map(str::to_owned).collect(),
        };
        TestProgram::new(&block, 7).expect("a program")
    }

    #[test]
    fn statements_get_everything_around_them() {
        let program = program(&[], "01 A PIC X\n   VALUE 'B'.\nLINKAGE SECTION.\nDISPLAY A");
        assert_eq!((program.name.as_str(), program.run), ("P007", true));
        let at = program.text.lines().position(|line| line.trim() == "DISPLAY A").expect("there");
        assert_eq!(program.text.lines().nth(at - 1), Some("       PROCEDURE DIVISION."));
        assert_eq!(program.line(at + 1), 13);
    }

    #[test]
    fn a_long_line_goes_on_in_the_next() {
        let program = program(&[], &format!("DISPLAY '{}' 'B'", "A ".repeat(27)));
        let lines: Vec<&str> = program.text.lines().collect();
        let at = lines.iter().position(|line| line.contains("DISPLAY")).expect("there");
        assert_eq!(lines[at + 1], "           'B'");
        assert_eq!((program.line(at + 1), program.line(at + 2)), (10, 10));
    }

    #[test]
    fn a_whole_program_is_as_it_was_written() {
        let program =
            program(&["threadsafe"], "IDENTIFICATION DIVISION.\nPROGRAM-ID. WHOLE.\nPROCEDURE DIVISION.");
        assert_eq!((program.name.as_str(), program.run, program.transaction()), ("WHOLE", false, "WHOL"));
        assert_eq!(program.text.lines().count(), 3);
        assert_eq!(program.concurrency, "THREADSAFE");
    }
}
