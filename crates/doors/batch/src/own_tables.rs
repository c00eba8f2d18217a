//! EXEC SQL of batch over tables of the region's own: where the data are, there its statements run, beside the region that works on
//! them or without one. Rows are a unit of work of their own, to COMMIT or the program's end; records are committed as the job says.

use access::{AccessError, Client, Reply, Request, SqlAnswer, SqlAsked, SqlVerb};
use exec_sql::{CallArguments, Done, Outside, OwnCall, OwnEnd, Table};
use sql::Verb;

/// Digits of a second in CURRENT TIMESTAMP.
const FRACTION: u8 = 6;
/// Columns of a line that count: what stands behind them are sequence numbers.
const COLUMNS: usize = 72;
/// So many refused statements end the step.
const ERRORS_MAX: usize = 10;
/// Return codes: statements were refused; so many that the rest did not run, or there are no tables.
const REFUSED: i32 = 8;
const ENDED: i32 = 12;

fn ask(client: &mut Client, asked: SqlAsked) -> Result<SqlAnswer, AccessError> {
    match client.ask(Request::Sql { now: exec_sql::now().text(FRACTION), asked })? {
        Reply::Sql(answer) => Ok(answer),
        _ => Ok(SqlAnswer::Unreachable),
    }
}

/// Runs a statement of a program, and writes what it came to. False: it has parameters that the program does not have.
pub(crate) fn answer(client: &mut Client, sql: &mut Outside, own: OwnCall, call: &dyn CallArguments) -> bool {
    let token = own.package.token();
    let brought = match sql.is_brought(token) {
        true => Ok(SqlAnswer::Ran),
        false => ask(client, SqlAsked::Package(own.package.to_bytes())),
    };
    let asked = match own.end {
        Some(OwnEnd::Commit) => SqlAsked::Commit,
        Some(OwnEnd::Rollback) => SqlAsked::Backout,
        None => SqlAsked::Statement { token, number: own.number, parameters: own.parameters },
    };
    if brought.is_ok() {
        sql.brought(token);
    }
    match brought.and_then(|_| ask(client, asked)) {
        Ok(SqlAnswer::Statement { sqlca, written }) => exec_sql::came_to(call, &sqlca, &written),
        Ok(SqlAnswer::Unreachable) => false,
        Ok(_) => exec_sql::came_to(call, &exec_sql::done(), &[]),
        Err(error) => exec_sql::came_to(call, &exec_sql::unanswered(&error.to_string()), &[]),
    }
}

/// A program has ended: what is not committed is kept, or backed out.
pub(crate) fn program_ends(client: &mut Client, keeps: bool) -> Result<(), String> {
    ask(client, SqlAsked::ProgramEnds(keeps)).map(drop).map_err(|error| error.to_string())
}

/// Runs the statements of a step with DSNTIAD and the like, and commits behind each; the return code.
pub(crate) fn statements(client: &mut Client, lines: &[String], print: &mut dyn FnMut(&str)) -> i32 {
    let lines: Vec<String> = lines.iter().map(|line| line.chars().take(COLUMNS).collect()).collect();
    let pieces = match db2::split(&lines.join("\n")) {
        Ok(pieces) => pieces,
        Err(mistake) => {
            print(&format!("SYSIN, line {}: {}", mistake.spot.line, mistake.message));
            return ENDED;
        }
    };
    // A schema that the step before has set is not this one's.
    if let Err(why) = program_ends(client, false) {
        print(&format!("SQLCODE -923: {why}"));
        return ENDED;
    }
    let mut refused = 0;
    for (number, piece) in pieces.iter().enumerate() {
        let text = db2::one_line(&piece.letters);
        print(&text);
        match one(client, text, print) {
            Ok(Ok(done)) => print(&done.to_string()),
            Ok(Err(why)) => {
                print(&format!("{why}, line {}", piece.at.line));
                refused += 1;
            }
            Err(why) => {
                print(&format!("SQLCODE -923: {why}"));
                return ENDED;
            }
        }
        if refused == ERRORS_MAX && number + 1 < pieces.len() {
            print(&format!("{ERRORS_MAX} statements were refused: the rest does not run"));
            return ENDED;
        }
    }
    if refused == 0 { 0 } else { REFUSED }
}

/// One statement, with what it came to or why it was refused.
fn one(
    client: &mut Client,
    text: String,
    print: &mut dyn FnMut(&str),
) -> Result<Result<Done, String>, AccessError> {
    let done = match ask(client, SqlAsked::Text(text))? {
        SqlAnswer::Refused { code, state, said } => return Ok(Err(refused(client, code, &state, &said)?)),
        SqlAnswer::Query { columns } => match rows(client, &columns, print)? {
            Ok(count) => Done::Shown(count),
            Err(why) => return Ok(Err(why)),
        },
        SqlAnswer::Changed { verb, count } => Done::Changed(verb_of(verb), count),
        SqlAnswer::Accepted => Done::Accepted,
        SqlAnswer::Rollback => {
            ask(client, SqlAsked::Backout)?;
            Done::BackedOut
        }
        SqlAnswer::Commit => Done::Committed,
        _ => Done::Ran,
    };
    ask(client, SqlAsked::Commit)?;
    Ok(Ok(done))
}

/// Prints the rows of a query; their number, or why one of them was refused.
fn rows(
    client: &mut Client,
    columns: &[(String, bool)],
    print: &mut dyn FnMut(&str),
) -> Result<Result<u64, String>, AccessError> {
    let (mut table, mut count) = (Table::default(), 0);
    loop {
        let rows = match ask(client, SqlAsked::More)? {
            SqlAnswer::Rows(rows) => rows,
            SqlAnswer::Refused { code, state, said } => {
                return Ok(Err(refused(client, code, &state, &said)?));
            }
            _ => return Ok(Ok(count)),
        };
        if count == 0 || !rows.is_empty() {
            table.lines(columns, &rows).lines().for_each(&mut *print);
        }
        if rows.is_empty() {
            return Ok(Ok(count));
        }
        count += rows.len() as u64;
    }
}

/// Backs out what a refused statement's unit of work has changed, and says why it was refused.
fn refused(client: &mut Client, code: i32, state: &str, said: &str) -> Result<String, AccessError> {
    ask(client, SqlAsked::Backout)?;
    Ok(format!("SQLCODE {code}, SQLSTATE {state}: {said}"))
}

fn verb_of(verb: SqlVerb) -> Verb {
    match verb {
        SqlVerb::Insert => Verb::Insert,
        SqlVerb::Update => Verb::Update,
        SqlVerb::Delete => Verb::Delete,
    }
}
