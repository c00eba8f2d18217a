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
    match brought.and_then(|_| ask(client, asked)) {
        Ok(SqlAnswer::Statement { sqlca, written }) => {
            sql.brought(token);
            exec_sql::came_to(call, &sqlca, &written)
        }
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
        SqlAnswer::Refused { code, state, said } => {
            ask(client, SqlAsked::Backout)?;
            return Ok(Err(format!("SQLCODE {code}, SQLSTATE {state}: {said}")));
        }
        SqlAnswer::Query { columns } => {
            let (mut table, mut count) = (Table::default(), 0);
            while let SqlAnswer::Rows(rows) = ask(client, SqlAsked::More)? {
                if count == 0 || !rows.is_empty() {
                    table.lines(&columns, &rows).lines().for_each(&mut *print);
                }
                if rows.is_empty() {
                    break;
                }
                count += rows.len() as u64;
            }
            Done::Shown(count)
        }
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

fn verb_of(verb: SqlVerb) -> Verb {
    match verb {
        SqlVerb::Insert => Verb::Insert,
        SqlVerb::Update => Verb::Update,
        SqlVerb::Delete => Verb::Delete,
    }
}
