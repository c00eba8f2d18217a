//! `syncpoint explain`: what a message, an abend, a condition or a command means, from the records of `spec`.

mod differences;
mod functions;
mod messages;
mod statements;

use std::fmt::Write as _;

use clap::Args;
use cobol_syntax::{FunctionRecord, StatementRecord};
use diagnostics::{Diagnostic, nearest};
use spec::{Command, Condition, ConditionRecord, Direction, Kind, Status, Threadsafe, tables};

use crate::application::Messages;
use crate::codes;

#[derive(Args)]
pub(crate) struct Arguments {
    /// An abend code, a condition, RESP, a message, an SQLCODE, a statement of COBOL, an intrinsic function, or a command, with RESP
    /// and RESP2 behind it as they came: ASRA, NOTFND, 13, DFHAC2206, -803, STATEMENT READ, FUNCTION MAX, READ, READ 13 80, READ NOTFND 80
    #[arg(value_name = "CODE", required = true, num_args = 1.., allow_negative_numbers = true)]
    words: Vec<String>,
}

/// Prints what is known.
pub(crate) fn explain(arguments: &Arguments) -> Result<(), Messages> {
    let words: Vec<String> =
        arguments.words.iter().flat_map(|word| word.split_whitespace()).map(upper).collect();
    let differences = differences::of(&words);
    match explained(&words) {
        None if differences.is_empty() => Err(vec![unknown(&words.join(" "))]),
        text => {
            print!("{}{differences}", text.unwrap_or_default());
            Ok(())
        }
    }
}

fn upper(word: &str) -> String {
    word.to_ascii_uppercase()
}

/// The text about the words; `None` if nothing is known of them.
fn explained(words: &[String]) -> Option<String> {
    if let [code] = words {
        let single = message(code)
            .or_else(|| sqlcode(code))
            .or_else(|| abend(code))
            .or_else(|| condition_of(code).map(condition));
        if let Some(mut text) = single {
            if let Some(found) = spec::find(code) {
                let _ = write!(text, "\n{}", command(found));
            }
            return Some(text);
        }
    }
    if let Some(text) = of_cobol(words) {
        let command = spec::find(&words.join(" "));
        return Some(text + &command.map_or_else(String::new, |found| format!("\n{}", self::command(found))));
    }
    // A command's name may have several words; RESP and RESP2 stand behind it.
    let at = (1..=words.len()).rev().find(|at| spec::find(&words[..*at].join(" ")).is_some())?;
    let found = spec::find(&words[..at].join(" "))?;
    match &words[at..] {
        [] => Some(command(found)),
        [resp] => Some(outcome(found, condition_of(resp)?, None)),
        [resp, resp2] => Some(outcome(found, condition_of(resp)?, Some(resp2))),
        _ => None,
    }
}

/// The text about an intrinsic function and about statements of COBOL.
fn of_cobol(words: &[String]) -> Option<String> {
    let function = function_of(words).map(functions::explained);
    let statements = statements_of(words).into_iter().map(statements::explained);
    let texts: Vec<String> = function.into_iter().chain(statements).collect();
    if texts.is_empty() { None } else { Some(texts.join("\n")) }
}

/// Statements of COBOL by their name or by their verb, with or without the word STATEMENT.
fn statements_of(words: &[String]) -> Vec<&'static StatementRecord> {
    let name = words.join(" ");
    let name = name.strip_prefix("STATEMENT ").unwrap_or(&name);
    match cobol_syntax::statement(name) {
        Some(record) => vec![record],
        None => cobol_syntax::statements().iter().filter(|record| record.word() == name).collect(),
    }
}

/// An intrinsic function by its name, with or without the word FUNCTION.
fn function_of(words: &[String]) -> Option<&'static FunctionRecord> {
    match words {
        [name] => cobol_syntax::function(name),
        [word, name] if word == "FUNCTION" => cobol_syntax::function(name),
        _ => None,
    }
}

/// The rows of a table, without its heading.
fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().skip(1).map(|line| line.split('\t').collect())
}

/// A row by its first column.
fn row(table: &'static str, key: &str) -> Option<Vec<&'static str>> {
    rows(table).find(|row| row.first() == Some(&key))
}

fn message(code: &str) -> Option<String> {
    if let Some(row) = row(tables::MESSAGES, code) {
        return Some(helped(code, row.get(1)?, row.get(2)?));
    }
    let family =
        code.get(..4).filter(|_| code.len() == 7 && code[4..].bytes().all(|b| b.is_ascii_digit()))?;
    let (_, about) = FAMILIES.iter().find(|(prefix, _)| *prefix == family)?;
    let meaning = messages::meaning(code).map_or_else(String::new, |meaning| format!("{meaning}\n"));
    let advice = "Its own text shows the place and says what to do.";
    Some(format!("{code}: a message about {about}.\n{meaning}{advice}\n"))
}

/// An SQLCODE: a number with a sign, or one that is no RESP.
fn sqlcode(word: &str) -> Option<String> {
    let code: i32 =
        word.strip_prefix("SQLCODE").unwrap_or(word).trim_start_matches(['=', '+']).parse().ok()?;
    if code >= 0 && !word.starts_with(['+', 'S']) {
        return None;
    }
    let meaning = sql::codes::meaning(code)?.to_ascii_lowercase();
    Some(format!(
        "SQLCODE {code}: {meaning}\n\
         What to do: SQLERRMC of the SQLCA has the names; DSNTIAR makes a text of both. docs/sql.md has more.\n"
    ))
}

/// Letters of an abend code.
const ABEND_CODE: usize = 4;

/// The subjects of Syncpoint's own messages, by their first letters.
const FAMILIES: [(&str, &str); 24] = [
    ("SPBM", "a BMS map"),
    ("SPCB", "a COBOL data description"),
    ("SPCF", "region.toml or users.toml"),
    ("SPCK", "names, types and statements of a COBOL program"),
    ("SPCL", "the command line"),
    ("SPCP", "a COBOL data description"),
    ("SPCS", "a CSD text"),
    ("SPDD", "a COBOL data description"),
    ("SPDR", "a program of the direct path"),
    ("SPDS", "data sets"),
    ("SPID", "IDCAMS commands"),
    ("SPIR", "a construct of COBOL that the compiler does not take"),
    ("SPJC", "a job"),
    ("SPLD", "a run of simulated terminals"),
    ("SPLO", "a run of simulated terminals"),
    ("SPMA", "the source of a mapset"),
    ("SPRG", "the start of a region"),
    ("SPSK", "IP sockets"),
    ("SPSO", "IP sockets"),
    ("SPSY", "the grammar of a COBOL program"),
    ("SPTC", "the building of programs and maps"),
    ("SPTR", "EXEC CICS in a COBOL program"),
    ("SPWB", "the binding of a web service"),
    ("SPWM", "a message of a web service"),
];

fn helped(code: &str, happened: &str, to_do: &str) -> String {
    format!("{code}: {happened}\nWhat to do: {to_do}\n")
}

fn abend(code: &str) -> Option<String> {
    let help = row(tables::ABEND_HELP, code);
    let known = row(tables::ABENDS, code);
    let raised_by = spec::conditions().iter().find(|record| record.default_abend == Some(code));
    let mut text = match (&help, &known, raised_by) {
        (Some(help), ..) => helped(&format!("abend {code}"), help.get(1)?, help.get(2)?),
        (None, _, Some(record)) => format!(
            "abend {code}: a command raised {} ({}), and the program neither handled it nor asked for RESP.\n\
             What to do: the region's log names the command, its RESP2 and its line.\n",
            record.name,
            record.condition.resp()
        ),
        (None, Some(known), None) if known.get(2) != Some(&"?") => {
            format!("abend {code}: {} ({})\n", known.get(2)?, known.get(3)?)
        }
        (None, Some(_), None) => {
            format!("abend {code}: a published code whose meaning is not recorded here.\n")
        }
        (None, None, None) => return None,
    };
    if let (Some(_), Some(record)) = (&help, raised_by) {
        let _ = writeln!(text, "It is what {} ends a task with that does not handle it.", record.name);
    }
    Some(text)
}

/// A condition by its name or number.
fn condition_of(word: &str) -> Option<&'static ConditionRecord> {
    let number = word.parse::<u16>().ok();
    let named = spec::condition_named(word).or(number.map(Condition));
    let conditions = || spec::conditions().iter().rev();
    // Where two names share a number, the one that was asked for is shown.
    conditions()
        .find(|record| record.name == word)
        .or_else(|| conditions().find(|r| Some(r.condition) == named))
}

fn condition(record: &ConditionRecord) -> String {
    let mut text = format!("{}: RESP {}", record.name, record.condition.resp());
    text += &match record.default_abend {
        Some(code) => format!("; a task that does not handle it ends with abend {code}\n"),
        None => String::from("; a task that does not handle it goes on\n"),
    };
    let known: Vec<_> = rows(tables::RESP2).filter(|row| row.get(1) == Some(&record.name)).collect();
    if !known.is_empty() {
        text += "RESP2:\n";
    }
    for row in known {
        if let [commands, _, resp2, meaning] = row[..] {
            let _ = writeln!(
                text,
                "  {resp2:>4}  {meaning}  [{}]",
                commands.replace('_', " ").replace(',', ", ")
            );
        }
    }
    let raised: Vec<&str> =
        spec::commands().iter().filter(|c| c.conditions.contains(&record.name)).map(|c| c.name).collect();
    if !raised.is_empty() {
        let _ = writeln!(text, "Commands that may raise it: {}", raised.join(", "));
    }
    text
}

/// A command: what it takes and what may come of it.
fn command(command: &Command) -> String {
    let status = match command.status {
        Status::NotYet => "not built yet: a program that uses it does not translate",
        Status::Partial => "built, less the options marked with -",
        Status::Complete => "built",
    };
    let mut text = format!("{} ({}): {status}", command.name, command.group);
    if let Some(eibfn) = command.eibfn {
        let _ = write!(text, "; EIBFN X'{eibfn:04X}'");
    }
    text.push('\n');
    text += &nature(command);
    for option in command.options {
        let argument = match option.kind {
            Kind::Keyword => "",
            Kind::Name => "(name)",
            Kind::Value => "(value)",
            Kind::Area => "(area)",
            Kind::Pointer => "(pointer)",
            Kind::Cvda => "(cvda)",
            Kind::Hhmmss => "(hhmmss)",
            Kind::Label => "(label)",
        };
        let way = match (option.kind, option.direction) {
            (Kind::Keyword, _) => "",
            (_, Direction::In) => "  to the region",
            (_, Direction::Out) => "  from the region",
            (_, Direction::InOut) => "  both ways",
        };
        let mark = if option.not_yet { '-' } else { ' ' };
        let whose = if option.external { "  (of batch programs)" } else { "" };
        let _ = writeln!(text, " {mark} {}{argument}{way}{whose}", option.name);
    }
    if !command.conditions.is_empty() {
        let known = if command.conditions_documented { "" } else { " (from memory, not from a manual)" };
        let _ = writeln!(text, "Conditions{known}: {}", command.conditions.join(" "));
    }
    for (name, reason) in command.never {
        let _ = writeln!(text, "  {name} never comes up here: {reason}");
    }
    for (condition, resp2, meaning) in resp2s(command) {
        let _ = writeln!(text, "  {condition} {resp2}: {meaning}");
    }
    text
}

/// Its forms, whether a task may wait in it, and what the published interface says of its threadsafety.
fn nature(command: &Command) -> String {
    let mut sentences = Vec::new();
    if !command.forms.is_empty() {
        sentences.push(format!("Forms: {}.", command.forms.join(", ")));
    }
    if command.suspends {
        sentences.push(String::from("A task may wait in it."));
    }
    match command.threadsafe {
        Threadsafe::Yes => sentences.push(String::from("Threadsafe.")),
        Threadsafe::No => sentences.push(String::from("Not threadsafe elsewhere; here every command is.")),
        Threadsafe::Conditional => {
            sentences.push(String::from("Threadsafe elsewhere for some resources only; here for all."));
        }
        Threadsafe::Unknown => {}
    }
    if sentences.is_empty() { String::new() } else { sentences.join(" ") + "\n" }
}

/// Describes RESP and RESP2 of a command.
fn outcome(command: &Command, record: &ConditionRecord, resp2: Option<&String>) -> String {
    let mut text = format!("{}: {} (RESP {})", command.name, record.name, record.condition.resp());
    let meanings: Vec<_> = resp2s(command)
        .filter(|(condition, number, _)| {
            *condition == record.name && resp2.is_none_or(|wanted| wanted == number)
        })
        .collect();
    if let Some(resp2) = resp2 {
        let _ = write!(text, " with RESP2 {resp2}");
    }
    text.push('\n');
    for (_, number, meaning) in &meanings {
        let _ = writeln!(text, "  {number}: {meaning}");
    }
    if meanings.is_empty() {
        text += "  Nothing is recorded of this RESP2.\n";
    }
    if record.condition != spec::cond::NORMAL && !command.conditions.contains(&record.name) {
        let _ = writeln!(text, "  The record of the command does not name this condition.");
    }
    if let Some(code) = record.default_abend {
        let _ = writeln!(text, "  A task that does not handle it ends with abend {code}.");
    }
    text
}

/// Returns the recorded RESP2 of a command: condition, number, meaning; of conditions that its record names and that
/// can come up.
fn resp2s(command: &Command) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let can_come_up = |condition: &str| {
        command.conditions.contains(&condition) && command.never.iter().all(|(name, _)| *name != condition)
    };
    let name = command.name;
    let means = move |pattern: &str| match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning.replace('_', " ").as_str()),
        None => name == pattern.replace('_', " "),
    };
    rows(tables::RESP2).filter_map(move |row| match row[..] {
        [commands, condition, resp2, meaning]
            if can_come_up(condition) && commands.split(',').any(&means) =>
        {
            Some((condition, resp2, meaning))
        }
        _ => None,
    })
}

fn unknown(text: &str) -> Diagnostic {
    let abends = rows(tables::ABENDS).filter_map(|row| row.first().copied());
    let conditions = spec::conditions().iter().map(|record| record.name);
    let functions = cobol_syntax::functions().iter().map(|record| record.name);
    let statements = cobol_syntax::statements().iter().map(|record| record.name);
    let commands = spec::commands().iter().map(|command| command.name);
    let names = abends.chain(conditions).chain(commands).chain(functions).chain(statements);
    let help = match nearest(text, names) {
        near if text.len() == ABEND_CODE => {
            let near = near.map_or_else(String::new, |near| format!("; or did you mean {near}?"));
            format!(
                "no abend of the system has this code: a program gives its own by EXEC CICS ABEND ABCODE('{text}'), and the \
                 region's log names the program and its line{near}"
            )
        }
        Some(near) => format!("did you mean {near}?"),
        None => String::from(
            "an abend code, a condition, RESP, a message, an SQLCODE, an intrinsic function, or a command with RESP and RESP2 is explained",
        ),
    };
    Diagnostic::error(codes::NOT_KNOWN, format!("nothing is known of {text}")).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(text: &str) -> String {
        let words: Vec<String> = text.split(' ').map(upper).collect();
        explained(&words).unwrap_or_else(|| panic!("nothing is known of {text}"))
    }

    #[test]
    fn codes_are_explained() {
        for (asked, says) in [
            ("asra", "cannot be carried out"),
            ("AEI0", "PGMIDERR"),
            ("AEIM", "a command raised NOTFND (13)"),
            ("NOTFND", "RESP 13; a task that does not handle it ends with abend AEIM"),
            ("13", "NOTFND: RESP 13"),
            ("READ", "RIDFLD(area)  both ways"),
            ("READ", "A task may wait in it. Threadsafe elsewhere for some resources only"),
            ("LINK", "Forms: plain, EXCI."),
            ("READ 13 80", "80: No record has this key."),
            ("read notfnd 80", "80: No record has this key."),
            ("SEND MAP", "SEND MAP (BMS)"),
            ("WEB CLOSE NOTOPEN 27", "SESSTOKEN names no session."),
            ("WEB READNEXT HTTPHEADER", "LENGERR 51"),
            ("INQUIRE FILE FILENOTFOUND 18", "There is no file of this name."),
            ("DFHAC2206", "ended with the abend"),
            ("SPTR032", "EXEC CICS in a COBOL program"),
            ("SPTR080", "which is EBCDIC"),
            ("-803", "a row with the same key is there already"),
            ("READ", "STATEMENT READ: reads a record"),
            ("STATEMENT READ", "Phrases: [NOT] AT END, [NOT] INVALID KEY."),
            ("statement xml", "STATEMENT XML PARSE"),
            ("evaluate", "It ends with END-EVALUATE"),
            ("INVOKE", "Here: refused by name and line: classes are not built"),
            ("MERGE", "MERGE file keys USING files"),
        ] {
            let text = about(asked);
            assert!(text.to_lowercase().contains(&says.to_lowercase()), "{asked}: {text}");
        }
        assert!(!about("STATEMENT READ").contains("RIDFLD"), "a statement is no command");
        assert!(explained(&["XYZZY".to_owned()]).is_none());
        assert!(unknown("NOTFNDX").render(false).contains("NOTFND"));
        assert!(unknown("MINE").render(false).contains("ABCODE('MINE')"));
        let first = about("NOTFND").lines().nth(1).map(str::to_owned);
        assert_eq!(first.as_deref(), Some("RESP2:"), "numbers come before the list of commands");
    }

    #[test]
    fn every_command_is_explained_and_claims_only_conditions_that_come_up() {
        for command in spec::commands() {
            let text = about(command.name);
            let begins = format!("{} ({})", command.name, command.group);
            assert!(text.contains(&begins), "{}: {text}", command.name);
            for (condition, ..) in resp2s(command) {
                assert!(command.conditions.contains(&condition), "{} {condition}", command.name);
                assert!(
                    command.never.iter().all(|(name, _)| *name != condition),
                    "{} {condition}",
                    command.name
                );
            }
        }
        let text = about("FREE CHILD");
        assert!(text.contains("INVREQ 50") && !text.contains("NOTFINISHED"), "{text}");
    }

    #[test]
    fn every_row_is_of_a_command_a_condition_and_a_number() {
        for row in rows(tables::RESP2) {
            let [commands, condition, resp2, _] = row[..] else { panic!("four columns: {row:?}") };
            assert!(spec::condition_named(condition).is_some(), "{condition}");
            assert!(resp2.parse::<u32>().is_ok(), "{resp2}");
            for command in commands.split(',') {
                let beginning = command.trim_end_matches('*').replace('_', " ");
                let known = spec::commands().iter().any(|c| match command.ends_with('*') {
                    true => c.name.starts_with(&beginning),
                    false => c.name == beginning,
                });
                assert!(known, "there is no command {command}");
            }
        }
        for row in rows(tables::ABEND_HELP).chain(rows(tables::MESSAGES)) {
            assert_eq!(row.len(), 3, "{row:?}");
        }
    }
}
