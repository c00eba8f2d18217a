//! `syncpoint sql` on tables of a region's own: through the region while it runs, on its data while it does not.

use std::io::{BufRead, Write};
use std::sync::Arc;

use access::{AccessError, Client, Reply, Request, SqlAnswer, SqlAsked, SqlVerb};
use command_line::terminal;
use db2::Piece;
use db2::package::Spot;
use diagnostics::{Diagnostic, Source};
use exec_sql::{Done, Settings, Table};
use sql::Verb;

use crate::application::{Application, Messages};
use crate::sql_said::{mistake, placed, prompt};
use crate::{codes, data_files};

/// Digits of a second in CURRENT TIMESTAMP.
const FRACTION: u8 = 6;

/// Way to talk to the tables.
pub(crate) struct Way {
    /// Stop at the first statement that is refused.
    pub(crate) stops: bool,
    /// Say how statements would run, and run none.
    pub(crate) explains: bool,
}

/// Runs statements of a text, or those that are typed.
pub(crate) fn run(
    application: &Application,
    settings: Settings,
    written: Option<&Arc<Source>>,
    way: Way,
) -> Result<(), Messages> {
    let client = open(application, settings, "syncpoint sql")?;
    let mut conversation = Conversation { client, way, refused: 0 };
    match written {
        Some(source) => conversation.written(source)?,
        None => conversation.typed()?,
    }
    if conversation.refused == 0 { Ok(()) } else { Err(Vec::new()) }
}

/// Access to data sets and tables of an application.
pub(crate) fn open(application: &Application, settings: Settings, name: &str) -> Result<Client, Messages> {
    let client = data_files::open(application, name)?;
    Ok(client.with_tables(Box::new(move |engine| {
        Box::pin(async move { exec_sql::open_tables(engine, &settings).await })
    })))
}

struct Conversation {
    client: Client,
    way: Way,
    refused: usize,
}

/// A statement did not run, or nothing more can.
enum Trouble {
    Refused { code: i32, state: String, said: String },
    Gone(Messages),
}

impl From<AccessError> for Trouble {
    fn from(error: AccessError) -> Self {
        Self::Gone(data_files::failed(error))
    }
}

impl Conversation {
    /// All statements of a text: a unit of work up to each COMMIT, and to its end.
    fn written(&mut self, source: &Arc<Source>) -> Result<(), Messages> {
        let pieces =
            db2::split(&source.text).map_err(|wrong| vec![mistake(&wrong, Spot::default(), Some(source))])?;
        for piece in pieces {
            if !self.one(&piece, Some(source))? && self.way.stops {
                return self.end(false);
            }
        }
        self.end(true)
    }

    /// Ends what was not committed.
    fn end(&mut self, keeps: bool) -> Result<(), Messages> {
        match self.ask(if keeps { SqlAsked::Commit } else { SqlAsked::Backout }) {
            Ok(_) => Ok(()),
            Err(Trouble::Gone(messages)) => Err(messages),
            Err(Trouble::Refused { said, .. }) => {
                Err(vec![Diagnostic::error(codes::REFUSED, format!("not committed: {said}"))])
            }
        }
    }

    /// Statement after statement, as they are typed: each is committed behind itself.
    fn typed(&mut self) -> Result<(), Messages> {
        let mut script = db2::Script::default();
        let mut line = String::new();
        loop {
            prompt(script.is_open());
            line.clear();
            let read = std::io::stdin().lock().read_line(&mut line);
            let read = read.map_err(|error| {
                vec![Diagnostic::error(codes::UNREADABLE, format!("standard input cannot be read: {error}"))]
            })?;
            if read == 0 {
                break;
            }
            for piece in script.add(&line) {
                self.one_committed(&piece)?;
            }
        }
        println!("");
        match script.end() {
            Ok(Some(piece)) => self.one_committed(&piece),
            Ok(None) => Ok(()),
            Err(wrong) => Err(vec![mistake(&wrong, Spot::default(), None)]),
        }
    }

    fn one_committed(&mut self, piece: &Piece) -> Result<(), Messages> {
        let is_done = self.one(piece, None)?;
        self.end(is_done)
    }

    /// One statement; false if it was refused.
    fn one(&mut self, piece: &Piece, source: Option<&Arc<Source>>) -> Result<bool, Messages> {
        match self.tried(piece) {
            Ok(()) => return Ok(true),
            Err(Trouble::Gone(messages)) => return Err(messages),
            Err(Trouble::Refused { code, state, said }) => {
                let message = format!("SQLCODE {code}, SQLSTATE {state}: {said}");
                terminal::tell(&[placed(Diagnostic::error(codes::REFUSED, message), piece.at, source)]);
            }
        }
        self.refused += 1;
        Ok(false)
    }

    fn tried(&mut self, piece: &Piece) -> Result<(), Trouble> {
        let text = db2::one_line(&piece.letters);
        if self.way.explains {
            if let SqlAnswer::Explained(words) = self.ask(SqlAsked::Explain(text))? {
                println!("{words}");
            }
            return Ok(());
        }
        let done = match self.ask(SqlAsked::Text(text))? {
            SqlAnswer::Query { columns } => Done::Shown(self.rows(&columns)?),
            SqlAnswer::Changed { verb, count } => Done::Changed(verb_of(verb), count),
            SqlAnswer::Accepted => Done::Accepted,
            SqlAnswer::Commit => {
                self.ask(SqlAsked::Commit)?;
                Done::Committed
            }
            SqlAnswer::Rollback => {
                self.ask(SqlAsked::Backout)?;
                Done::BackedOut
            }
            _ => Done::Ran,
        };
        println!("{done}");
        Ok(())
    }

    /// Shows the rows of a query; their number.
    fn rows(&mut self, columns: &[(String, bool)]) -> Result<u64, Trouble> {
        let (mut table, mut count) = (Table::default(), 0);
        while let SqlAnswer::Rows(rows) = self.ask(SqlAsked::More)? {
            if count == 0 || !rows.is_empty() {
                print!("{}", table.lines(columns, &rows));
            }
            if rows.is_empty() {
                break;
            }
            count += rows.len() as u64;
        }
        // A terminal that is gone is no reason to stop.
        let _ = std::io::stdout().flush();
        Ok(count)
    }

    fn ask(&mut self, asked: SqlAsked) -> Result<SqlAnswer, Trouble> {
        match self.client.ask(Request::Sql { now: exec_sql::now().text(FRACTION), asked })? {
            Reply::Sql(SqlAnswer::Refused { code, state, said }) => {
                Err(Trouble::Refused { code, state, said })
            }
            Reply::Sql(answer) => Ok(answer),
            _ => Ok(SqlAnswer::Ran),
        }
    }
}

fn verb_of(verb: SqlVerb) -> Verb {
    match verb {
        SqlVerb::Insert => Verb::Insert,
        SqlVerb::Update => Verb::Update,
        SqlVerb::Delete => Verb::Delete,
    }
}
