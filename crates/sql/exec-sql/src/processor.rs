//! DSNTIAD, DSNTEP2 and DSNTEP4: the statements of a step's SYSIN, one after the other, with what came of each.

use db2::Piece;

use crate::client::{Client, Commits, Refused};
use crate::settings::Settings;
use crate::table::Table;

/// The programs that do this.
pub const PROCESSORS: &[&str] = &["DSNTIAD", "DSNTEP2", "DSNTEP4"];
/// Columns of a line that count: what stands behind them are sequence numbers.
const COLUMNS: usize = 72;
/// So many refused statements end the step.
const ERRORS_MAX: usize = 10;
/// Return codes: statements were refused; so many that the rest did not run, or no database.
const REFUSED: i32 = 8;
pub(crate) const ENDED: i32 = 12;

/// Runs the statements on the usual server and commits behind each. The return code.
pub(crate) async fn run(settings: &Settings, lines: &[String], print: &mut dyn FnMut(&str)) -> i32 {
    let lines: Vec<String> = lines.iter().map(|line| line.chars().take(COLUMNS).collect()).collect();
    let pieces = match db2::split(&lines.join("\n")) {
        Ok(pieces) => pieces,
        Err(mistake) => {
            print(&format!("SYSIN, line {}: {}", mistake.spot.line, mistake.message));
            return ENDED;
        }
    };
    let mut client = match Client::connect(settings, "").await {
        Ok(client) => client,
        Err(why) => {
            print(&format!("SQLCODE -923: {why}"));
            return ENDED;
        }
    };
    let code = all(&mut client, &lines, &pieces, print).await;
    match client.close(true).await {
        Ok(()) => code,
        Err(why) => {
            print(&format!("not committed: {why}"));
            ENDED
        }
    }
}

async fn all(client: &mut Client, lines: &[String], pieces: &[Piece], print: &mut dyn FnMut(&str)) -> i32 {
    let mut refused = 0;
    for (number, piece) in pieces.iter().enumerate() {
        let first = (piece.at.line as usize).saturating_sub(1);
        let next = pieces.get(number + 1).map_or(lines.len(), |next| next.at.line as usize - 1);
        for line in lines.get(first..next.max(first + 1)).unwrap_or_default() {
            print(line.trim_end());
        }
        match one(client, piece, print).await {
            Ok(()) => {}
            Err(Refused::Lost(why)) => {
                print(&format!("the connection is lost: {why}"));
                return ENDED;
            }
            Err(why) => {
                print(&words(why));
                refused += 1;
            }
        }
        if refused == ERRORS_MAX && number + 1 < pieces.len() {
            print(&format!("{ERRORS_MAX} statements were refused: the rest does not run"));
            return ENDED;
        }
    }
    if refused == 0 { 0 } else { REFUSED }
}

async fn one(client: &mut Client, piece: &Piece, print: &mut dyn FnMut(&str)) -> Result<(), Refused> {
    let mut table = Table::default();
    let mut show = |columns: &[sql::Column], rows: &sql::Rows| {
        table.text(columns, rows).lines().for_each(&mut *print);
    };
    let done = client.run(piece, Commits::Each, &mut show).await?;
    print(&done.to_string());
    Ok(())
}

fn words(refused: Refused) -> String {
    match refused {
        Refused::Mistake(mistake) => {
            format!("SQLCODE -104, line {}: {}", mistake.spot.line, mistake.message)
        }
        Refused::Fault { sqlca, said, at } => {
            let state = String::from_utf8_lossy(&sqlca.state).into_owned();
            format!("SQLCODE {}, SQLSTATE {state}, line {}: {said}", sqlca.code, at.line)
        }
        Refused::Lost(why) => why,
    }
}
