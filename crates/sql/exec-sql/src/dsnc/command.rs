//! The text of a DSNC command. Words may be cut to the letters that are written large in the published syntax.

/// Commands of DSNC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// DISPLAY
    Display(What),
    /// DISCONNECT of the threads of a plan.
    Disconnect { plan: String },
    /// STRT, with a DB2ID or without (empty).
    Start { server: String },
    /// STOP; without FORCE when units of work are over.
    Stop { force: bool },
    /// MODIFY TRANSACTION: how many threads its entry has.
    Threads { transaction: String, limit: u32 },
    /// MODIFY DESTINATION of messages.
    Destination { old: String, new: String },
}

/// Objects that are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Units of work with a thread: those of a transaction, or all.
    Threads { transaction: Option<String> },
    /// Counts of statements.
    Statistics,
}

/// Forms of the command.
const HELP: &str = "DSNC: write DSNC DISPLAY PLAN, DISPLAY TRANSACTION [id], DISPLAY STATISTICS, DISCONNECT plan, \
                    MODIFY TRANSACTION id n, MODIFY DESTINATION old new, STOP [QUIESCE | FORCE], or STRT [server]";

/// Reads what was typed, with the name of the transaction before it.
///
/// # Errors
/// The words to write instead.
pub(super) fn read(typed: &str) -> Result<Command, String> {
    let upper = typed.trim().to_uppercase();
    let words: Vec<&str> = upper.split_whitespace().skip(1).collect();
    if words.first().is_some_and(|word| word.starts_with('-')) {
        return Err(String::from(
            "DSNC: commands of Db2 itself are not there: ask PostgreSQL, by psql or syncpoint sql",
        ));
    }
    let help = || String::from(HELP);
    let (&verb, rest) = words.split_first().ok_or_else(help)?;
    let command = match rest {
        [what] | [what, "*"] if is(verb, "DISPLAY", 4) && is(what, "PLAN", 4) => all(),
        [what] if is(verb, "DISPLAY", 4) && is(what, "TRANSACTION", 4) => all(),
        [what, name] if is(verb, "DISPLAY", 4) && is(what, "TRANSACTION", 4) => {
            Command::Display(What::Threads { transaction: Some((*name).to_owned()) })
        }
        [what] if is(verb, "DISPLAY", 4) && is(what, "STATISTICS", 4) => Command::Display(What::Statistics),
        [plan] if is(verb, "DISCONNECT", 4) => Command::Disconnect { plan: (*plan).to_owned() },
        [what, name, limit] if is(verb, "MODIFY", 4) && is(what, "TRANSACTION", 4) => {
            let limit = limit.parse().map_err(|_| format!("DSNC: {limit} is no number of threads"))?;
            Command::Threads { transaction: (*name).to_owned(), limit }
        }
        [what, old, new] if is(verb, "MODIFY", 4) && is(what, "DESTINATION", 4) => {
            Command::Destination { old: (*old).to_owned(), new: (*new).to_owned() }
        }
        [] | ["QUIESCE"] if verb == "STOP" => Command::Stop { force: false },
        ["FORCE"] if verb == "STOP" => Command::Stop { force: true },
        [] if verb == "STRT" => Command::Start { server: String::new() },
        [server] if verb == "STRT" => Command::Start { server: (*server).to_owned() },
        _ => return Err(help()),
    };
    Ok(command)
}

fn all() -> Command {
    Command::Display(What::Threads { transaction: None })
}

/// Returns true if the text is this word, or at least so many of its letters.
fn is(typed: &str, word: &str, least: usize) -> bool {
    typed.len() >= least && word.starts_with(typed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_may_be_cut() {
        let threads = |name: &str| Command::Display(What::Threads { transaction: Some(name.to_owned()) });
        for (typed, command) in [
            ("DSNC DISP PLAN *", all()),
            ("dsnc display transaction", all()),
            ("DSNC DISP TRAN PAYS", threads("PAYS")),
            ("DSNC DISP STAT", Command::Display(What::Statistics)),
            ("DSNC MODI TRAN PAYS 12", Command::Threads { transaction: "PAYS".into(), limit: 12 }),
            ("DSNC MODI DEST MTO1 MTO2", Command::Destination { old: "MTO1".into(), new: "MTO2".into() }),
            ("DSNC STOP", Command::Stop { force: false }),
            ("DSNC STOP FORCE", Command::Stop { force: true }),
            ("DSNC STRT", Command::Start { server: String::new() }),
            ("DSNC DISC PLANA", Command::Disconnect { plan: "PLANA".into() }),
        ] {
            assert_eq!(read(typed), Ok(command), "{typed}");
        }
    }

    #[test]
    fn what_is_none_is_answered_with_what_there_is() {
        for typed in ["DSNC", "DSNC DISP", "DSNC DIS PLAN", "DSNC STOP NOW", "DSNC MODI TRAN PAYS MANY"] {
            assert!(read(typed).is_err_and(|why| why.starts_with("DSNC: ")), "{typed}");
        }
        assert!(read("DSNC -DISPLAY THREAD(*)").is_err_and(|why| why.contains("PostgreSQL")));
    }
}
