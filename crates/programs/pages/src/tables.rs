//! `sql` blocks change tables, and `rows` blocks show what is in them.

use db2::Piece;
use exec_sql::{Client, Commits, Done, Refused, Table};

use crate::commands;
use crate::house::House;
use crate::limits::ROWS_MAX;
use crate::text::told;

/// Waits until the region has its connection, or an attempt has failed.
const CONNECT: &str = "SET DB2CONN CONNECTST(CONNECTED)";

/// Runs the statements of a block in one unit of work.
///
/// # Errors
/// The line, from 0, and the reason that it does not run.
pub async fn run(house: &House, lines: &[String]) -> Result<(), (usize, String)> {
    let pieces = db2::split(&lines.join("\n"))
        .map_err(|mistake| ((mistake.spot.line as usize).saturating_sub(1), mistake.message.clone()))?;
    let mut client = connect(house).await.map_err(|why| (0, why))?;
    for piece in &pieces {
        let ran = client.run(piece, Commits::AtCommit, &mut |_, _| {}).await;
        if let Err(refused) = ran {
            let line = (piece.at.line as usize).saturating_sub(1);
            // The fault is shown; the rest is backed out whatever comes of it.
            let _ = client.close(false).await;
            return Err((line, why(refused)));
        }
    }
    client.close(true).await.map_err(|why| (0, format!("not committed: {why}")))
}

/// The rows of the query that the words of a block are.
///
/// # Errors
/// The reason that it does not run.
pub async fn rows(house: &House, words: &[String]) -> Result<Vec<String>, String> {
    let query = words.join(" ");
    let pieces = db2::split(&query).map_err(|mistake| mistake.message.clone())?;
    let [piece] = pieces.as_slice() else {
        return Err(String::from("rows are those of one query: rows SELECT …"));
    };
    let mut client = connect(house).await?;
    let shown = show(&mut client, piece).await;
    let closed = client.close(false).await;
    let text = shown?;
    closed?;
    Ok(text.lines().map(|line| line.trim_end().to_owned()).collect())
}

async fn show(client: &mut Client, piece: &Piece) -> Result<String, String> {
    let (mut table, mut text) = (Table::default(), String::new());
    let mut show = |columns: &_, rows: &_| text.push_str(&table.text(columns, rows));
    let done = client.run(piece, Commits::AtCommit, &mut show).await.map_err(why)?;
    match done {
        Done::Shown(count) if count > ROWS_MAX => Err(format!("{count} rows: {ROWS_MAX} are shown at most")),
        Done::Shown(_) => Ok(text),
        other => Err(format!("no query: {other}")),
    }
}

/// Connects behind the region: both would make a private server and its tables at the same time, and one would fail.
async fn connect(house: &House) -> Result<Client, String> {
    commands::carry_out_line(&house.running.region, CONNECT).await?;
    let settings = region::sql_settings(&house.root, &house.state, &house.config);
    Client::connect(&settings.map_err(|messages| told(&messages))?, "").await
}

fn why(refused: Refused) -> String {
    match refused {
        Refused::Mistake(mistake) => mistake.message.clone(),
        Refused::Fault { sqlca, said, .. } => format!("SQLCODE {}: {said}", sqlca.code),
        Refused::Lost(why) => format!("the connection is lost: {why}"),
    }
}
