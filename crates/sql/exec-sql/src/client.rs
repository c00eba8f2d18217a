//! Statements that a person types or a file holds, on a region's database, whether the region runs or not.

use std::fmt;

use db2::package::{Spot, Text};
use db2::{Mistake, Piece};
use sql::codes::{Doing, Scope, Sqlca};
use sql::{Answer, Column, Failure, Rows, Session, Status, Verb};

use crate::database::Database;
use crate::home::NotMade;
use crate::limits::ROWS_AT_ONCE;
use crate::pairs;
use crate::scripts::{self, Step};
use crate::settings::Settings;

/// A session of a person with a region's database.
pub struct Client {
    session: Session,
    database: Database,
}

/// When what statements change is there for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commits {
    /// Behind each statement: no lock waits for a person who thinks.
    Each,
    /// At COMMIT.
    AtCommit,
}

/// Results of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// A query: so many rows were shown.
    Shown(u64),
    /// So many rows were changed.
    Changed(Verb, u64),
    /// A definition, LOCK and the like.
    Ran,
    /// There is nothing to be done for it here: where data lie, who may do what.
    Accepted,
    /// COMMIT.
    Committed,
    /// ROLLBACK.
    BackedOut,
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = |count: u64| format!("{count} row{}", if count == 1 { "" } else { "s" });
        match *self {
            Self::Shown(count) => f.write_str(&rows(count)),
            Self::Changed(verb, count) => {
                let done = match verb {
                    Verb::Insert => "inserted",
                    Verb::Update => "updated",
                    Verb::Delete => "deleted",
                    _ => "changed",
                };
                write!(f, "{} {done}", rows(count))
            }
            Self::Ran => f.write_str("done"),
            Self::Accepted => f.write_str("accepted: there is nothing to be done for it here"),
            Self::Committed => f.write_str("committed"),
            Self::BackedOut => f.write_str("backed out"),
        }
    }
}

/// Reasons why a statement did not run. It has left nothing behind.
#[derive(Debug)]
pub enum Refused {
    /// It is no statement that can be run so.
    Mistake(Mistake),
    /// The server objects.
    Fault {
        /// As a program would see it.
        sqlca: Box<Sqlca>,
        /// In the server's words.
        said: String,
        /// Place of the statement.
        at: Spot,
    },
    /// The session is over.
    Lost(String),
}

/// Takes the rows of a query, some at a time.
pub type Show<'s> = dyn FnMut(&[Column], &Rows) + 's;

/// In front of each statement while a unit of work has something to keep.
const GUARD: &str = "SAVEPOINT syncpoint_guard";
/// Name of a query while its rows are read.
const CURSOR: &str = "syncpoint_client";

impl Client {
    /// Connects to the server of a DB2ID (blank: the region's usual server), starts it if it is private and does not
    /// run, and makes in it the objects that a region would.
    ///
    /// # Errors
    /// The reason why there is no server, in words.
    pub async fn connect(settings: &Settings, id: &str) -> Result<Self, String> {
        Self::try_connect(settings, id).await.map_err(|why| why.to_string())
    }

    /// Says of the tables of a private server that they belong to whatever records come to them next.
    ///
    /// # Errors
    /// The reason why that is not known, in words.
    pub async fn belongs(settings: &Settings, id: &str) -> Result<(), String> {
        let database = Database::open(&settings.at(id)).await.map_err(|why| why.to_string())?;
        let said = match database.owner() {
            Some(owner) => pairs::say(&owner).await,
            None => Err(String::from(
                "the server has no mark: an administrator runs it, or another command or region has started it",
            )),
        };
        let closed = database.close().await.map_err(|why| why.to_string());
        said.and(closed)
    }

    async fn try_connect(settings: &Settings, id: &str) -> Result<Self, NotMade> {
        let settings = &settings.at(id);
        let database = Database::open(settings).await?;
        let lock_timeout = settings.lock_timeout_ms;
        let sessions = sql::Settings {
            lock_timeout,
            application: "syncpoint sql".to_owned(),
            ..scripts::settings(settings)
        };
        match Session::connect(&database.address, &sessions).await {
            Ok(session) => Ok(Self { session, database }),
            Err(why) => {
                database.close().await?;
                Err(why.into())
            }
        }
    }

    /// Runs a statement.
    ///
    /// # Errors
    /// See [`Refused`].
    pub async fn run(
        &mut self,
        piece: &Piece,
        commits: Commits,
        show: &mut Show<'_>,
    ) -> Result<Done, Refused> {
        let step = scripts::step(&piece.letters).map_err(Refused::Mistake)?;
        match step {
            Step::Commit => return self.end("COMMIT", Done::Committed).await,
            Step::Rollback => return self.end("ROLLBACK", Done::BackedOut).await,
            Step::Nothing => return Ok(Done::Accepted),
            Step::Query(_) | Step::Run(_) => {}
        }
        let begin = if self.session.status() == Status::Idle { "BEGIN" } else { GUARD };
        self.plain(begin).await?;
        let done = match &step {
            Step::Query(text) => self.query(text, piece.at, show).await,
            Step::Run(texts) => self.all(texts, piece.at, show).await,
            _ => Ok(Done::Accepted),
        };
        match (done.is_ok(), begin == GUARD) {
            (false, true) => self.plain(&format!("ROLLBACK TO {GUARD}; RELEASE {GUARD}")).await?,
            (false, false) => self.plain("ROLLBACK").await?,
            (true, true) => self.plain(&format!("RELEASE {GUARD}")).await?,
            (true, false) => {}
        }
        if done.is_ok() && commits == Commits::Each {
            self.end("COMMIT", Done::Committed).await?;
        }
        done
    }

    /// COMMIT or ROLLBACK of what is open.
    async fn end(&mut self, verb: &str, done: Done) -> Result<Done, Refused> {
        if self.session.status() != Status::Idle {
            self.plain(verb).await?;
        }
        Ok(done)
    }

    /// Reads a query's rows, some at a time.
    async fn query(&mut self, text: &Text, at: Spot, show: &mut Show<'_>) -> Result<Done, Refused> {
        let declare = format!("DECLARE {CURSOR} NO SCROLL CURSOR FOR ");
        let settled = self.session.settled(&text.sql).await;
        let settled = settled.map_err(|failure| refused(failure, text, 0, at))?;
        let declared = self.session.script(format!("{declare}{settled}")).await;
        declared.map_err(|failure| refused(failure, text, declare.len() as u32, at))?;
        let mut count = 0;
        loop {
            let fetched = self.session.script(format!("FETCH {ROWS_AT_ONCE} FROM {CURSOR}")).await;
            let answer = fetched.map_err(|failure| refused(failure, text, u32::MAX, at))?;
            if count == 0 || !answer.rows.is_empty() {
                show(answer.columns(), &answer.rows);
            }
            count += answer.rows.len() as u64;
            if answer.rows.len() < ROWS_AT_ONCE {
                break;
            }
        }
        self.plain(&format!("CLOSE {CURSOR}")).await?;
        Ok(Done::Shown(count))
    }

    /// Runs all that one statement of Db2 is here.
    async fn all(&mut self, texts: &[Text], at: Spot, show: &mut Show<'_>) -> Result<Done, Refused> {
        let mut last = Answer::default();
        for text in texts {
            let ran = scripts::run_text(&mut self.session, &text.sql).await;
            last = ran.map_err(|failure| refused(failure, text, 0, at))?;
        }
        let part = last.part(0);
        Ok(match part.verb {
            Verb::Insert | Verb::Update | Verb::Delete | Verb::Merge => Done::Changed(part.verb, part.count),
            // A query that changes something; what a definition has asked for itself is not shown.
            Verb::Select if texts.len() == 1 => {
                show(last.columns(), &last.rows);
                Done::Shown(part.count)
            }
            _ => Done::Ran,
        })
    }

    /// Runs a text of ours.
    async fn plain(&mut self, text: &str) -> Result<(), Refused> {
        let ran = self.session.script(text).await;
        ran.map(drop).map_err(|failure| refused(failure, &Text::default(), 0, Spot::default()))
    }

    /// Keeps what is not committed yet, or backs it out; a server without other users stops.
    ///
    /// # Errors
    /// It could not be committed, or the server does not stop.
    pub async fn close(mut self, keeps: bool) -> Result<(), String> {
        let verb = if keeps { "COMMIT" } else { "ROLLBACK" };
        let ended = self.end(verb, Done::Committed).await.map(drop).map_err(|refused| refused.to_string());
        self.session.close().await;
        ended.and(self.database.close().await.map_err(|error| error.to_string()))
    }
}

/// `front`: characters in front of the statement's own text.
fn refused(failure: Failure, text: &Text, front: u32, at: Spot) -> Refused {
    match failure {
        Failure::Refused(fault) => {
            let own = fault.position.checked_sub(front).filter(|own| *own > 0);
            let spot = own.and_then(|own| text.spot(own)).filter(|spot| spot.line > 0);
            let doing = doing(&text.sql);
            let sqlca = Box::new(Sqlca::of_fault(&fault, doing, Scope::Statement));
            let said = match fault.detail.as_str() {
                "" => fault.message,
                detail => format!("{} ({detail})", fault.message),
            };
            Refused::Fault { sqlca, said, at: spot.unwrap_or(at) }
        }
        failure => Refused::Lost(failure.to_string()),
    }
}

/// Kind of statement that runs, for codes that depend on it.
fn doing(sql: &str) -> Doing {
    match sql.split_whitespace().next().unwrap_or_default().to_ascii_uppercase().as_str() {
        "INSERT" => Doing::Insert,
        "UPDATE" => Doing::Update,
        "DELETE" => Doing::Delete,
        "MERGE" => Doing::Merge,
        "SELECT" | "WITH" | "VALUES" => Doing::Select,
        _ => Doing::Definition,
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mistake(mistake) => mistake.fmt(f),
            Self::Fault { said, .. } => said.fmt(f),
            Self::Lost(why) => why.fmt(f),
        }
    }
}
