//! `sqlcodes` blocks: answers to EXEC SQL statements, in the place of a database's.
//!
//! A line is `WORDS => SQLCODE`: the statement begins with the first of the words and has the others behind it, in this order; `*` is
//! every statement, and `PROGRAM:` in front takes those of one program. Behind the code may stand an SQLSTATE, `rows=N` for SQLERRD(3),
//! and values for the host variables, a bar before each. A line that begins with a bar is one more row of the answer above it. Lines with
//! the same words answer one after the other, and the last one from then on; an OPEN has those of its cursor's FETCH begin again. The next
//! block takes the place of all of them.

use db2::package::Statement;
use exec_sql::{Given, StandIn};
use parking_lot::Mutex;

use crate::document::Block;

/// Between the words of a statement and its code.
const ARROW: &str = "=>";
/// Between values.
const BAR: char = '|';
/// Around a value with a bar, or with blanks at its end.
const QUOTE: char = '\'';
/// Every statement.
const ALL: &str = "*";
const ROWS: &str = "rows=";
const NULL: &str = "NULL";
const OPEN: &str = "OPEN";
const FETCH: &str = "FETCH";

/// Answers to statements, and what was wrong with some.
#[derive(Default)]
pub struct SqlCodes(Mutex<State>);

#[derive(Default)]
struct State {
    rules: Vec<Rule>,
    faults: Vec<(usize, String)>,
}

impl State {
    /// Begins again with the rows of a cursor, if a statement opens it.
    fn opens(&mut self, text: &str) {
        let mut words = words(text);
        if words.next().as_deref() != Some(OPEN) {
            return;
        }
        let Some(cursor) = words.next() else { return };
        let is_its = |rule: &&mut Rule| {
            rule.words.first().is_some_and(|word| word == FETCH) && rule.words.contains(&cursor)
        };
        self.rules.iter_mut().filter(is_its).for_each(|rule| rule.next = 0);
    }
}

/// The answers to a kind of statement.
#[derive(Debug)]
struct Rule {
    program: Option<String>,
    /// None of them: every statement.
    words: Vec<String>,
    answers: Vec<Answer>,
    /// The answer that comes next.
    next: usize,
}

/// An answer, and the line of the page that has it.
#[derive(Clone, Debug)]
struct Answer {
    line: usize,
    given: Given,
}

impl SqlCodes {
    /// Answers what a block says from here on.
    ///
    /// # Errors
    /// The line of the page, and what is wrong with it.
    pub fn set(&self, block: &Block) -> Result<(), (usize, String)> {
        let rules = rules(block)?;
        self.0.lock().rules = rules;
        Ok(())
    }

    /// Takes the mistakes found so far: lines of the page, and why their answers do not suit the statements.
    pub fn faults(&self) -> Vec<(usize, String)> {
        std::mem::take(&mut self.0.lock().faults)
    }
}

impl StandIn for SqlCodes {
    fn answer(&self, program: &str, statement: &Statement) -> Option<Given> {
        let mut state = self.0.lock();
        let at = state.rules.iter().position(|rule| rule.takes(program, &statement.text))?;
        state.opens(&statement.text);
        let Answer { line, mut given } = state.rules[at].answer();
        if let Some(what) = misfit(&given, statement) {
            given.rows.clear();
            state.faults.push((line, what));
        }
        Some(given)
    }
}

impl Rule {
    /// Returns true if it has the answer to a statement.
    fn takes(&self, program: &str, text: &str) -> bool {
        let is_meant = self.program.as_ref().is_none_or(|own| own.eq_ignore_ascii_case(program));
        let mut said = words(text);
        let has = |word: &String| said.by_ref().any(|said| is_word(&said, word));
        let begins = match (self.words.first(), words(text).next()) {
            (Some(first), Some(said)) => is_word(&said, first),
            (first, _) => first.is_none(),
        };
        is_meant && begins && self.words.iter().all(has)
    }

    /// The answer whose turn it is.
    fn answer(&mut self) -> Answer {
        let answer = self.answers[self.next].clone();
        self.next = (self.next + 1).min(self.answers.len() - 1);
        answer
    }
}

/// Returns the reason why an answer does not suit a statement.
fn misfit(given: &Given, statement: &Statement) -> Option<String> {
    let targets = statement.targets.len();
    if let Some(row) = given.rows.iter().find(|row| row.len() != targets) {
        return Some(format!("{} values for {targets} host variables of {}", row.len(), statement.text));
    }
    let most = statement.targets.iter().map(|target| target.array.map_or(1, |array| array.count)).min();
    let most = most.map_or(0, |most| most as usize);
    let rows = given.rows.len();
    (rows > most).then(|| format!("{rows} rows for a statement that takes {most}: {}", statement.text))
}

/// The words of a statement: names with their qualifiers, numbers, host variables.
fn words(text: &str) -> impl Iterator<Item = String> {
    let is_part = |letter: char| letter.is_alphanumeric() || "_-.#@$:*".contains(letter);
    let parts = text.split(move |letter| !is_part(letter)).filter(|word| !word.is_empty());
    parts.map(str::to_ascii_uppercase).collect::<Vec<_>>().into_iter()
}

/// Returns true if a word of a statement is one that a line says: as it is, or without its qualifier.
fn is_word(said: &str, word: &str) -> bool {
    said == word || said.rsplit_once('.').is_some_and(|(_, last)| last == word)
}

/// Returns the first fault of a block, with its line of the page.
pub fn fault(block: &Block) -> Option<(usize, String)> {
    rules(block).err()
}

/// The answers of a block, by kinds of statements.
fn rules(block: &Block) -> Result<Vec<Rule>, (usize, String)> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut last = None;
    for (line, text) in (block.line..).zip(&block.text).filter(|(_, text)| !text.trim().is_empty()) {
        let wrong = |what| (line, what);
        if let Some(row) = text.trim().strip_prefix(BAR) {
            let at: usize = last.ok_or_else(|| wrong(format!("{text}: no answer stands above this row")))?;
            let answer = rules[at].answers.last_mut();
            answer.into_iter().for_each(|answer| answer.given.rows.push(values(row)));
            continue;
        }
        let (program, words, given) = answer(text).map_err(wrong)?;
        let is_it = |rule: &Rule| rule.program == program && rule.words == words;
        let at = rules.iter().position(is_it).unwrap_or(rules.len());
        if at == rules.len() {
            rules.push(Rule { program, words, answers: Vec::new(), next: 0 });
        }
        rules[at].answers.push(Answer { line, given });
        last = Some(at);
    }
    Ok(rules)
}

/// The program, the words and the answer of a line.
fn answer(line: &str) -> Result<(Option<String>, Vec<String>, Given), String> {
    let (left, right) =
        line.split_once(ARROW).ok_or_else(|| format!("{line}: a line is STATEMENT => SQLCODE"))?;
    let (program, statement) = match left.split_once(": ") {
        Some((program, statement)) => (Some(program.trim().to_ascii_uppercase()), statement),
        None => (None, left),
    };
    let mut words: Vec<String> = words(statement).collect();
    match words.first() {
        None => return Err(format!("{line}: no statement stands before {ARROW}")),
        Some(word) if word == ALL => drop(words.remove(0)),
        Some(_) => {}
    }
    let (code, row) = match right.split_once(BAR) {
        Some((code, row)) => (code, Some(values(row))),
        None => (right, None),
    };
    let given = Given { rows: row.into_iter().collect(), ..outcome(line, code)? };
    Ok((program, words, given))
}

/// The code of a line, its state and its count.
fn outcome(line: &str, text: &str) -> Result<Given, String> {
    let mut words = text.split_whitespace();
    let code = words.next().and_then(|word| word.parse().ok());
    let code: i32 = code.ok_or_else(|| format!("{line}: SQLCODE is a number"))?;
    let (mut state, mut count) = (None, None);
    for word in words {
        match word.strip_prefix(ROWS) {
            Some(rows) => count = Some(rows.parse().map_err(|_| format!("{line}: {ROWS} is a number"))?),
            None => state = Some(word.as_bytes().try_into().map_err(|_| format!("what is {word}?"))?),
        }
    }
    let state = state.or_else(|| exec_sql::state(code));
    let state =
        state.ok_or_else(|| format!("the SQLSTATE of {code} is not known: write it behind the code"))?;
    Ok(Given { code, state, count, rows: Vec::new() })
}

/// The values of a row. In apostrophes stand those with a bar, with blanks at their end, and the text NULL.
fn values(row: &str) -> Vec<Option<String>> {
    let (mut cells, mut cell, mut is_quoted) = (Vec::new(), String::new(), false);
    for letter in row.chars() {
        if letter == QUOTE {
            let begun = cell.trim_start();
            // A value begins with it, or it stands twice within one.
            let begins = begun.is_empty() || begun.starts_with(QUOTE) && begun.ends_with(QUOTE);
            is_quoted = !is_quoted && begins;
        }
        match letter {
            BAR if !is_quoted => cells.push(std::mem::take(&mut cell)),
            letter => cell.push(letter),
        }
    }
    cells.push(cell);
    let value = |cell: String| {
        let cell = cell.trim();
        let quoted = cell.strip_prefix(QUOTE).and_then(|cell| cell.strip_suffix(QUOTE));
        match quoted {
            Some(text) => Some(text.replace("''", "'")),
            None if cell == NULL => None,
            None => Some(cell.to_owned()),
        }
    };
    cells.into_iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(text: &str) -> Block {
        Block {
            kind: String::from("sqlcodes"),
            words: Vec::new(),
            line: 5,
            text: text.lines().map(str::to_owned).collect(),
        }
    }

    #[test]
    fn a_statement_is_known_by_words_in_their_order() {
        let rules =
            rules(&block("BKPAY: update acct => -803\nSELECT ACCT => 100\n* => -923")).expect("rules");
        let taken = |program: &str, text: &str| rules.iter().position(|rule| rule.takes(program, text));
        assert_eq!(taken("BKPAY", "UPDATE BANK.ACCT SET A = :B"), Some(0));
        assert_eq!(taken("OTHER", "UPDATE ACCT SET A = :B"), Some(2));
        assert_eq!(taken("BKPAY", "SELECT NAME INTO :N FROM ACCT WHERE ID=:ID"), Some(1));
        assert_eq!(taken("BKPAY", "DECLARE SELECT ACCT"), Some(2));
        assert_eq!(taken("BKPAY", "SELECT ACCTS FROM T"), Some(2));
    }

    #[test]
    fn answers_come_one_after_the_other_with_rows() {
        let text = "FETCH C1 => 0 | ANN | 'a | b '\n\nFETCH C1 => 0 rows=2\n| it's | NULL\n|'NULL'|'it''s |'\nfetch c1 => 100";
        let mut rules = rules(&block(text)).expect("rules");
        let [rule] = &mut rules[..] else { panic!("{rules:?}") };
        let next: Vec<Answer> = (0..4).map(|_| rule.answer()).collect();
        assert_eq!(next.iter().map(|answer| answer.line).collect::<Vec<_>>(), [5, 7, 10, 10]);
        let text = |value: &str| Some(value.to_owned());
        assert_eq!(next[0].given.rows, [vec![text("ANN"), text("a | b ")]]);
        assert_eq!(next[1].given.rows, [vec![text("it's"), None], vec![text("NULL"), text("it's |")]]);
        assert_eq!((next[1].given.count, next[2].given.code, next[2].given.state), (Some(2), 100, *b"02000"));
    }

    #[test]
    fn a_cursor_that_is_opened_again_begins_again() {
        let rules = rules(&block("FETCH C1 => 0 | 1\nFETCH C1 => 100\nFETCH C2 => 0 | 2\nFETCH C2 => 100"));
        let mut state = State { rules: rules.expect("rules"), faults: Vec::new() };
        let both = |state: &mut State| {
            state.rules.iter_mut().map(|rule| rule.answer().given.code).collect::<Vec<_>>()
        };
        assert_eq!((both(&mut state), both(&mut state)), (vec![0, 0], vec![100, 100]));
        state.opens("OPEN C2 USING :X");
        assert_eq!(both(&mut state), [100, 0]);
    }

    #[test]
    fn a_line_without_a_meaning_is_told() {
        for (text, told) in [
            ("SELECT", "5: SELECT: a line is STATEMENT => SQLCODE"),
            ("\n=> 0", "6: => 0: no statement stands before =>"),
            ("SELECT => many", "5: SELECT => many: SQLCODE is a number"),
            ("SELECT => -9999", "5: the SQLSTATE of -9999 is not known: write it behind the code"),
            ("SELECT => -803 2350", "5: what is 2350?"),
            ("SELECT => 0 rows=x", "5: SELECT => 0 rows=x: rows= is a number"),
            ("| 1", "5: | 1: no answer stands above this row"),
        ] {
            let (line, what) = fault(&block(text)).expect(text);
            assert_eq!(format!("{line}: {what}"), told);
        }
        assert_eq!(fault(&block("")), None);
        assert_eq!(fault(&block("SELECT => -9999 57000")), None);
    }
}
