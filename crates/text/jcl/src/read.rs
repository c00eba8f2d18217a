//! From the lines of a job to its steps.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use diagnostics::Source;

use crate::statement::{Statement, is_statement, statement};
use crate::{Dd, Job, Step};

/// Returns true if a text is a job (or a procedure) rather than the input of a utility: its first line that is not blank
/// starts with `//`.
pub fn is_job(text: &str) -> bool {
    text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| line.starts_with("//"))
}

/// Reads the steps of a job.
///
/// Symbols that SET statements give are replaced in every later statement, and in in-stream data that asks for it with
/// SYMBOLS=. Unknown symbols stay as they are.
pub fn read(source: &Arc<Source>) -> Job {
    let mut reader = Reader { lines: source.text.lines().map(str::to_owned).collect(), ..Reader::default() };
    let mut at = 0;
    while at < reader.lines.len() {
        at = reader.line(at);
    }
    let mut text = reader.lines.join("\n");
    text.push('\n');
    Job { source: Source::new(source.name.clone(), text), steps: reader.steps, conditions: reader.conditions }
}

#[derive(Default)]
struct Reader {
    lines: Vec<String>,
    steps: Vec<Step>,
    conditions: Vec<usize>,
    symbols: BTreeMap<String, String>,
}

impl Reader {
    /// Reads the statement or line at an index; says where the next one is.
    fn line(&mut self, at: usize) -> usize {
        if !is_statement(&self.lines[at]) {
            return at + 1;
        }
        let (_, taken) = statement(self.lines[at..].iter().map(String::as_str));
        self.replace_symbols(at..at + taken);
        let (statement, _) = statement(self.lines[at..at + taken].iter().map(String::as_str));
        let next = at + taken;
        match statement.operation.as_str() {
            "SET" => self.set(&statement),
            "EXEC" => self.steps.push(Step {
                name: statement.name.clone(),
                program: statement.value(&["PGM"]).map(str::to_ascii_uppercase),
                procedure: statement.value(&["PROC", ""]).map(str::to_ascii_uppercase),
                parm: statement.value(&["PARM"]).map(str::to_owned),
                cond: statement.value(&["COND"]).map(str::to_ascii_uppercase),
                line: at + 1,
                dds: Vec::new(),
            }),
            "IF" | "ELSE" | "ENDIF" => self.conditions.push(at + 1),
            "DD" => return self.dd(&statement, at, next),
            _ => {}
        }
        next
    }

    fn set(&mut self, statement: &Statement) {
        for (name, value) in &statement.operands {
            self.symbols.insert(name.to_ascii_uppercase(), value.clone());
        }
    }

    /// Takes a DD statement and the data in the stream after it.
    fn dd(&mut self, statement: &Statement, at: usize, next: usize) -> usize {
        let in_stream = (statement.has("*") || statement.has("DATA")).then(|| self.data(statement, next));
        let after = in_stream.as_ref().map_or(next, |data| data.end);
        if let Some(data) = &in_stream
            && statement.value(&["SYMBOLS"]).is_some()
        {
            self.replace_symbols(data.clone());
        }
        if let Some(step) = self.steps.last_mut() {
            let name = match (&statement.name, step.dds.last()) {
                (name, Some(previous)) if name.is_empty() => previous.name.clone(),
                (name, _) => name.clone(),
            };
            step.dds.push(Dd {
                name,
                line: at + 1,
                in_stream: in_stream.map(|data| data.start + 1..data.end + 1),
                ..described(statement)
            });
        }
        after
    }

    /// The lines of in-stream data from an index on: up to its delimiter, or to the next statement unless DATA says
    /// that statements are data too.
    fn data(&self, statement: &Statement, from: usize) -> Range<usize> {
        let delimiter = statement.value(&["DLM"]).unwrap_or("/*");
        let statements_are_data = statement.has("DATA") || statement.value(&["DLM"]).is_some();
        let end = self.lines[from..]
            .iter()
            .position(|line| line.starts_with(delimiter) || (!statements_are_data && line.starts_with("//")))
            .map_or(self.lines.len(), |found| from + found);
        from..end
    }

    fn replace_symbols(&mut self, lines: Range<usize>) {
        for line in &mut self.lines[lines] {
            if line.contains('&') {
                *line = with_symbols(line, &self.symbols);
            }
        }
    }
}

/// Reads the operands of a DD statement.
fn described(statement: &Statement) -> Dd {
    let data_set = statement.value(&["DSN", "DSNAME"]).map(str::to_ascii_uppercase);
    let dcb = statement.value(&["DCB"]).unwrap_or_default();
    let of_dcb = |keyword: &str| {
        let inner = dcb.trim_start_matches('(').trim_end_matches(')');
        let mut parts = inner.split(',').filter_map(|part| part.split_once('='));
        parts.find(|(name, _)| name.eq_ignore_ascii_case(keyword)).map(|(_, value)| value)
    };
    let attribute = |keyword: &str| statement.value(&[keyword]).or_else(|| of_dcb(keyword));
    let disposition = statement.value(&["DISP"]).unwrap_or_default();
    let disposition = disposition.trim_start_matches('(').trim_end_matches(')');
    Dd {
        name: String::new(),
        line: 0,
        in_stream: None,
        dummy: statement.has("DUMMY") || data_set.as_deref() == Some("NULLFILE"),
        data_set,
        disposition: disposition.split(',').map(str::to_ascii_uppercase).collect(),
        record_length: attribute("LRECL").and_then(|length| length.parse().ok()),
        record_format: attribute("RECFM").map(str::to_ascii_uppercase),
        sysout: statement.value(&["SYSOUT"]).is_some(),
    }
}

/// A line with `&NAME` replaced; a dot after the name belongs to it. `&&NAME`, a temporary data set, stays.
fn with_symbols(line: &str, symbols: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if let Some(doubled) = after.strip_prefix('&') {
            out.push_str("&&");
            rest = doubled;
            continue;
        }
        let length =
            after.find(|c: char| !c.is_ascii_alphanumeric() && !"@#$".contains(c)).unwrap_or(after.len());
        match symbols.get(&after[..length].to_ascii_uppercase()) {
            Some(value) => {
                out.push_str(value);
                rest = &after[length..];
                rest = rest.strip_prefix('.').unwrap_or(rest);
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        let job = read(&Source::new("JOB.jcl", text));
        let lines: Vec<&str> = job.source.text.lines().collect();
        let mut out = String::new();
        for step in &job.steps {
            out += &format!("{} {} line {}\n", step.name, step.program.as_deref().unwrap_or("-"), step.line);
            for dd in &step.dds {
                out += &format!("  {} {}\n", dd.name, dd.data_set.as_deref().unwrap_or("-"));
                for line in dd.in_stream.clone().unwrap_or(0..0) {
                    out += &format!("    {line}: {}\n", lines[line - 1]);
                }
            }
        }
        expected.assert_eq(&out);
    }

    #[test]
    fn steps_have_dd_statements_over_many_lines() {
        check(
            "//J JOB (X),'NAME, OF',CLASS=A\n\
             //* a comment\n\
             //STEP15 EXEC PGM=IDCAMS,COND=(0,NE)\n\
             //CARDDATA DD DISP=SHR,            remark                             00010000\n\
             //* between\n\
             //         DSN=A.B.PS\n\
             //OUT    DD DSN='C.D',\n\
             //         DISP=(NEW,CATLG)\n\
             //       DD DSNAME=E.F\n\
             //STEP20 EXEC PROC=REPROC\n",
            expect![[r#"
                STEP15 IDCAMS line 3
                  CARDDATA A.B.PS
                  OUT C.D
                  OUT E.F
                STEP20 - line 10
            "#]],
        );
    }

    #[test]
    fn in_stream_data_ends_at_its_delimiter_or_the_next_statement() {
        check(
            "//S EXEC PGM=P\n\
             //A DD *\n\
             one\n\
             /*\n\
             //B DD *\n\
             two\n\
             //C DD DATA,DLM='$$'\n\
             //three\n\
             /*\n\
             $$\n\
             //D DD *\n\
             four",
            expect![[r#"
                S P line 1
                  A -
                    3: one
                  B -
                    6: two
                  C -
                    8: //three
                    9: /*
                  D -
                    12: four
            "#]],
        );
    }

    #[test]
    fn symbols_are_replaced_in_statements_and_where_data_asks_for_it() {
        check(
            "//  SET HLQ=AWS.M2,X='Y'\n\
             //S EXEC PGM=P\n\
             //A DD DSN=&HLQ..LOAD&X,DISP=SHR\n\
             //B DD DSN=&&TEMP\n\
             //C DD *,SYMBOLS=JCLONLY\n\
             DSN(&HLQ..LIB) &OTHER &x\n\
             //D DD *\n\
             DSN(&HLQ..LIB)\n",
            expect![[r#"
                S P line 2
                  A AWS.M2.LOADY
                  B &&TEMP
                  C -
                    6: DSN(AWS.M2.LIB) &OTHER Y
                  D -
                    8: DSN(&HLQ..LIB)
            "#]],
        );
    }

    #[test]
    fn any_text_is_read_without_complaint() {
        for text in
            ["", "//", "//\n//", "// DD *", "//A DD DSN='open,\n//B", "/*\n//É EXEC PGM=é", "//X SET ="]
        {
            read(&Source::new("x", text));
        }
        assert!(is_job("\n//A JOB"));
        assert!(!is_job(" DEFINE FILE(A)"));
    }
}
