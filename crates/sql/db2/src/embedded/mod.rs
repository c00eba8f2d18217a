//! A statement between EXEC SQL and END-EXEC: which it is, what goes in, where its results go.

mod change;
mod cursors;
mod declare;
mod diagnostics;
mod number;
mod prepare;
mod registers;
mod rows;
mod units;
mod whenever;

use crate::arithmetic::{Arithmetic, Holds};
use crate::ddl;
use crate::guard;
use crate::letters::Letters;
use crate::lexer;
use crate::mistake::Mistake;
use crate::package::{Action, Change, Isolation, Spot, Text};
use crate::print::{as_written, print};
use crate::rewrite::{self, Tail};
use crate::token::{Kind, Token};
use crate::words::Words;

pub use cursors::DeclaredCursor;
pub(crate) use cursors::{add_place, is_read_only};
pub use declare::DeclaredTable;
pub(crate) use rows::leaves_traces;
pub use whenever::{Event, Whenever};

/// A statement of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Embedded {
    /// DECLARE CURSOR.
    Cursor(DeclaredCursor),
    /// DECLARE TABLE.
    Table(DeclaredTable),
    /// WHENEVER.
    Whenever(Whenever),
    /// Statement without an action at run time: BEGIN DECLARE SECTION, DECLARE STATEMENT …
    Nothing,
    /// Statement that is executed.
    Executable(Box<Executable>),
}

/// Statement that is executed, before variables and cursors have their numbers in a package: variables have the
/// caller's numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executable {
    /// Action of the statement; the number of its cursor is 0, and of descriptor areas that in `descriptors`.
    pub action: Action,
    /// The cursor that it names, in upper case, and where.
    pub cursor: Option<(String, Spot)>,
    /// The text; none for OPEN, whose text its cursor has.
    pub text: Text,
    /// Variables that go in: those of the text in their order, then others.
    pub inputs: Vec<u32>,
    /// Variables that results go to.
    pub targets: Vec<u32>,
    /// Variables that are descriptor areas.
    pub descriptors: Vec<u32>,
    /// WITH RS and its like.
    pub isolation: Option<Isolation>,
    /// See [`crate::package::Statement::has_effects`].
    pub has_effects: bool,
}

impl Executable {
    fn new(action: Action, text: Text, inputs: Vec<u32>) -> Self {
        Self {
            action,
            cursor: None,
            text,
            inputs,
            targets: Vec::new(),
            descriptors: Vec::new(),
            isolation: None,
            has_effects: true,
        }
    }

    fn plain(action: Action) -> Self {
        Self::new(action, Text::default(), Vec::new())
    }
}

/// Purposes of a host variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// One value, or all of a structure's.
    Value,
    /// An array of values, in a statement for several rows.
    Rows,
    /// A descriptor area: the item as a whole.
    Descriptor,
}

/// A host variable's number, and what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// Its number.
    pub number: u32,
    /// The kind of number in it.
    pub holds: Holds,
}

impl From<u32> for Numbered {
    fn from(number: u32) -> Self {
        Self { number, holds: Holds::Other }
    }
}

/// Gives a host variable its number, or a structure those of its items; an empty list if there is something wrong with it,
/// which was reported.
pub type Variables<'v> = dyn FnMut(&Token, Role) -> Vec<Numbered> + 'v;

/// Reads the statement between EXEC SQL and END-EXEC, whose decimal numbers follow these rules.
///
/// # Errors
/// It is no statement, its clauses are not where they belong, or it is not supported.
pub fn read(
    letters: &Letters,
    arithmetic: Arithmetic,
    variables: &mut Variables<'_>,
) -> Result<Embedded, Mistake> {
    let mut words = Words { list: lexer::lex(letters)?, arithmetic };
    if words.list.last().is_some_and(|last| last.is(";")) {
        words.list.pop();
    }
    let Some(first) = words.get(0) else {
        return Err(Mistake::new(letters.spot(0, 1), "EXEC SQL without a statement"));
    };
    let verb = first.text.to_uppercase();
    guard::check(&words)?;
    // A paragraph may have a colon in front of it.
    if verb != "WHENEVER" {
        number_variables(&mut words, variables);
    }
    let executable = match &*verb {
        "SELECT" | "WITH" | "VALUES" | "(" => rows::select(words)?,
        "SET" => return registers::set(words),
        "INSERT" | "UPDATE" | "DELETE" | "MERGE" => change::read(words)?,
        "DECLARE" => return declare::read(words),
        "OPEN" | "FETCH" | "CLOSE" => cursors::read(&words)?,
        "PREPARE" | "EXECUTE" | "DESCRIBE" => prepare::read(&words)?,
        "WHENEVER" => return whenever::read(&words).map(Embedded::Whenever),
        "BEGIN" | "END" if words.is(1, &["DECLARE", "SECTION"]) => return Ok(Embedded::Nothing),
        "INCLUDE" => return Ok(Embedded::Nothing),
        "SAVEPOINT" | "RELEASE" | "ROLLBACK" | "COMMIT" | "CONNECT" => units::read(&words)?,
        "LOCK" => lock(words),
        "GET" => diagnostics::read(&words)?,
        "CALL" => call(words)?,
        "GRANT" | "REVOKE" => rewritten(Action::Grant, words),
        _ if ddl::is_definition(&words) => definition(words),
        _ => return Err(unknown(&words)),
    };
    Ok(Embedded::Executable(Box::new(executable)))
}

/// Gives the host variables their numbers; a structure becomes its items.
fn number_variables(words: &mut Words, variables: &mut Variables<'_>) {
    let rowset = words.is(0, &["FETCH"]) && words.find(1, &["ROWSET"]).is_some();
    let several = rowset || number::row_count(words, 0).is_some();
    let into_area = words.is_any(0, &["DESCRIBE", "PREPARE"]);
    let mut at = 0;
    while at < words.len() {
        if !words.has_kind(at, Kind::Host) {
            at += 1;
            continue;
        }
        let behind = |word: &str| at.checked_sub(1).is_some_and(|before| words.is(before, &[word]));
        // The number of rows itself is no array.
        let counts = words.is(at + 1, &["ROWS"]) || behind("ABSOLUTE") || behind("RELATIVE");
        let role = match () {
            () if behind("DESCRIPTOR") || (into_area && behind("INTO")) => Role::Descriptor,
            () if several && !counts => Role::Rows,
            () => Role::Value,
        };
        let token = words.list[at].clone();
        let numbers = variables(&token, role);
        let numbers = if numbers.is_empty() { vec![Numbered::from(0)] } else { numbers };
        let mut items = Vec::with_capacity(2 * numbers.len() - 1);
        for (i, variable) in numbers.iter().enumerate() {
            let glued = i == 0 && token.glued;
            if i > 0 {
                items.push(Token::new(Kind::Sign, ",", token.spot, true));
            }
            let Numbered { number, holds } = *variable;
            items.push(Token { variable: number, holds, glued, ..token.clone() });
        }
        let length = items.len();
        words.list.splice(at..=at, items);
        at += length;
    }
}

fn unknown(words: &Words) -> Mistake {
    let first = &words.list[0];
    let known =
        ["ALLOCATE", "ASSOCIATE", "FREE", "HOLD", "SIGNAL", "EXPLAIN", "REFRESH", "TRANSFER", "EXCHANGE"];
    if first.is_any(&known) {
        let message = format!("{} is not supported", first.text.to_uppercase());
        return Mistake::unsupported(first.spot, message);
    }
    Mistake::new(first.spot, format!("{} is not an SQL statement", first.text))
        .help("a statement begins with a word such as SELECT, UPDATE, OPEN or FETCH")
}

/// A statement that is rewritten like a query and has no results.
fn rewritten(action: Action, mut words: Words) -> Executable {
    rewrite::statement(&mut words);
    let (text, inputs) = print(&words);
    Executable::new(action, text, inputs)
}

/// Notes what the last clauses of a statement have said.
fn with_tail(mut executable: Executable, tail: Tail, effects: bool) -> Executable {
    let strict = matches!(tail.isolation, Some(Isolation::ReadStability | Isolation::RepeatableRead));
    executable.isolation = tail.isolation;
    executable.has_effects = effects || strict || tail.for_update || tail.locks;
    executable
}

fn lock(mut words: Words) -> Executable {
    // LOCK TABLE T [PARTITION n] IN SHARE MODE.
    if let Some(at) = words.find(0, &["PARTITION"]).or(words.find(0, &["PART"])) {
        words.cut(at..at + 2);
    }
    rewritten(Action::Lock, words)
}

fn definition(words: Words) -> Executable {
    let texts = ddl::define(words).into_iter().map(|definition| definition.text).collect();
    Executable::plain(Action::Define(texts))
}

/// CALL P (:A, :B, 1).
fn call(mut words: Words) -> Result<Executable, Mistake> {
    let Some((procedure, range)) = words.qualified_name(1) else {
        let message = "CALL of a procedure whose name is in a variable";
        return Err(Mistake::unsupported(words.spot(1), message).help("write the procedure's name"));
    };
    let mut inputs = 0;
    let mut arguments = Vec::new();
    if words.is(range.end, &["("]) {
        for argument in words.arguments(range.end) {
            let tokens = &words.list[argument];
            let value = |token: &&Token| matches!(token.kind, Kind::Host | Kind::Marker);
            let hosts = tokens.iter().filter(value).count() as u16;
            let single = tokens.len() == 1 && hosts == 1;
            arguments.push(single.then_some(inputs));
            inputs += hosts;
        }
    } else {
        if words.is_any(range.end, &["USING"]) {
            let message = "CALL … USING DESCRIPTOR is not supported";
            return Err(Mistake::unsupported(words.spot(range.end), message).help("name the parameters"));
        }
        words.insert(range.end, "()");
    }
    Ok(rewritten(Action::Call { procedure, arguments }, words))
}

/// The kind of an INSERT, UPDATE, DELETE or MERGE.
fn change_of(words: &Words) -> Change {
    match words.get(0) {
        Some(first) if first.is("UPDATE") => Change::Update,
        Some(first) if first.is("DELETE") => Change::Delete,
        Some(first) if first.is("MERGE") => Change::Merge,
        _ if words.find_outside(0, &["VALUES"]).is_some() => Change::InsertValues,
        _ => Change::InsertQuery,
    }
}

/// The statement on one line, as the user wrote it: for dumps, traces and messages.
pub fn one_line(letters: &Letters) -> String {
    lexer::lex(letters).map(|tokens| as_written(&tokens)).unwrap_or_default()
}
