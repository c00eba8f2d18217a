//! `syncpoint sql`: statements that a person types or a file holds, on the database of an application.

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use command_line::{event_loop, terminal};
use db2::Piece;
use db2::package::Spot;
use diagnostics::{Diagnostic, Source};
use exec_sql::{Client, Commits, Engine, Refused, Table};

use crate::application::{Application, ApplicationFolder, Messages, read};
use crate::idcams::standard_input;
use crate::sql_said::{mistake, placed, prompt};
use crate::{codes, sql_own};

#[derive(Args)]
#[command(after_help = ENDS)]
pub(crate) struct Arguments {
    #[command(flatten)]
    application: ApplicationFolder,
    /// A file with statements, each of which ends with ; (--#SET TERMINATOR names another end)
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Stop at the first statement that is refused, and back out what is not committed
    #[arg(long)]
    stop: bool,
    /// Say in words how each statement would run, and run none; for tables of the region's own
    #[arg(long)]
    explain: bool,
    /// Use the server of this DB2ID, as [sql.NAME] in region.toml names it
    #[arg(long, value_name = "DB2ID", default_value = "")]
    server: String,
    /// Print what the database of the application needs, for an administrator to run there, and do nothing else
    #[arg(long, conflicts_with_all = ["input", "stop", "explain"])]
    dba_script: bool,
    /// Say that the tables of a private PostgreSQL belong to the records, though one of both was restored or exchanged, and do
    /// nothing else
    #[arg(long, conflicts_with_all = ["input", "stop", "explain", "dba_script"])]
    belongs: bool,
}

const ENDS: &str = "\
Without --input, statements come from standard input: typed at a terminal, each is committed behind itself. A file or a pipe is
a unit of work up to each COMMIT, and is committed at its end.

Exit status: 0 if no statement was refused, 1 if one was, 2 if the command line is not understood.";

/// Runs the statements.
pub(crate) fn sql(arguments: &Arguments) -> Result<(), Messages> {
    let application = arguments.application.load()?;
    if arguments.dba_script {
        return dba_script(&application, &arguments.server);
    }
    if arguments.belongs {
        let settings = region::sql_settings(&application.root, &application.state, &application.config)?;
        let id = arguments.server.to_ascii_uppercase();
        return event_loop::run(async {
            let said = Client::belongs(&settings, &id).await;
            said.map_err(|why| vec![Diagnostic::error(codes::NO_DATABASE, why)])
        });
    }
    let written = match &arguments.input {
        Some(path) => Some(Source::new(path.display().to_string(), read(path)?)),
        None if std::io::stdin().is_terminal() => None,
        None => Some(Source::new("standard input", standard_input()?)),
    };
    let settings = region::sql_settings(&application.root, &application.state, &application.config)?;
    if matches!(settings.engine, Engine::Region { .. }) && arguments.server.is_empty() {
        let way = sql_own::Way { stops: arguments.stop, explains: arguments.explain };
        return sql_own::run(&application, settings, written.as_ref(), way);
    }
    if arguments.explain {
        let message = "only tables of the region's own say how a statement would run";
        return Err(vec![
            Diagnostic::error(codes::NO_DATABASE, message)
                .help("write EXPLAIN before it: PostgreSQL has its own words"),
        ]);
    }
    event_loop::run(async {
        let mut conversation = Conversation::begin(&application, arguments).await?;
        let ended = tokio::select! {
            ran = conversation.run(written.as_ref()) => ran,
            _ = tokio::signal::ctrl_c() => Err(interrupted()),
        };
        let keeps = ended.is_ok() && !(arguments.stop && conversation.refused > 0);
        let closed = conversation.client.close(keeps).await;
        ended?;
        closed.map_err(|why| vec![Diagnostic::error(codes::REFUSED, format!("not committed: {why}"))])?;
        if conversation.refused == 0 { Ok(()) } else { Err(Vec::new()) }
    })
}

/// Prints what a database that an administrator runs needs before a region may connect to it.
fn dba_script(application: &Application, server: &str) -> Result<(), Messages> {
    let settings = region::sql_settings(&application.root, &application.state, &application.config)?;
    match settings.user_at(&server.to_ascii_uppercase()) {
        Some(user) => {
            print!("{}", sql::schema::script(&user));
            Ok(())
        }
        None => {
            let message = "this server is the region's own: it makes everything there itself";
            Err(vec![
                Diagnostic::error(codes::NO_DATABASE, message)
                    .help("write [sql] url = … for a server that the region does not run itself"),
            ])
        }
    }
}

fn interrupted() -> Messages {
    vec![Diagnostic::error(codes::REFUSED, "interrupted; what was not committed is backed out")]
}

/// A person, or a file, and a database.
struct Conversation {
    client: Client,
    stops: bool,
    refused: usize,
}

impl Conversation {
    async fn begin(application: &Application, arguments: &Arguments) -> Result<Self, Messages> {
        let settings = region::sql_settings(&application.root, &application.state, &application.config)?;
        std::fs::create_dir_all(&application.state).map_err(|error| {
            let message = format!("{} cannot be made: {error}", application.state.display());
            vec![Diagnostic::error(codes::UNWRITABLE, message)]
        })?;
        let id = arguments.server.to_ascii_uppercase();
        let is_named = id.is_empty() || settings.named.iter().any(|named| named.name == id);
        if !is_named {
            let message = format!("region.toml has no server {id}");
            let help = format!("write [sql.{id}] with url = \"postgresql://USER@HOST:PORT/DATABASE\"");
            return Err(vec![Diagnostic::error(codes::NO_DATABASE, message).help(help)]);
        }
        let client = Client::connect(&settings, &id).await;
        let client = client.map_err(|why| vec![Diagnostic::error(codes::NO_DATABASE, why)])?;
        Ok(Self { client, stops: arguments.stop, refused: 0 })
    }

    async fn run(&mut self, written: Option<&Arc<Source>>) -> Result<(), Messages> {
        match written {
            Some(source) => self.written(source).await,
            None => self.typed().await,
        }
    }

    /// All statements of a text.
    async fn written(&mut self, source: &Arc<Source>) -> Result<(), Messages> {
        let pieces =
            db2::split(&source.text).map_err(|wrong| vec![mistake(&wrong, Spot::default(), Some(source))])?;
        for piece in pieces {
            if self.one(&piece, Commits::AtCommit, Some(source)).await? && self.stops {
                break;
            }
        }
        Ok(())
    }

    /// Statement after statement, as they are typed.
    async fn typed(&mut self) -> Result<(), Messages> {
        let mut script = db2::Script::default();
        loop {
            prompt(script.is_open());
            let Some(line) = next_line().await? else { break };
            for piece in script.add(&line) {
                self.one(&piece, Commits::Each, None).await?;
            }
        }
        println!("");
        match script.end() {
            Ok(Some(piece)) => self.one(&piece, Commits::Each, None).await.map(drop),
            Ok(None) => Ok(()),
            Err(wrong) => Err(vec![mistake(&wrong, Spot::default(), None)]),
        }
    }

    /// One statement; whether it was refused.
    async fn one(
        &mut self,
        piece: &Piece,
        commits: Commits,
        source: Option<&Arc<Source>>,
    ) -> Result<bool, Messages> {
        let mut table = Table::default();
        let done = self
            .client
            .run(piece, commits, &mut |columns, rows| print!("{}", table.text(columns, rows)))
            .await;
        let message = match done {
            Ok(done) => {
                println!("{done}");
                return Ok(false);
            }
            Err(Refused::Lost(why)) => {
                let message = format!("the connection is lost: {why}");
                return Err(vec![Diagnostic::error(codes::NO_DATABASE, message)]);
            }
            Err(Refused::Mistake(wrong)) => mistake(&wrong, piece.at, source),
            Err(Refused::Fault { sqlca, said, at }) => {
                let state = String::from_utf8_lossy(&sqlca.state).into_owned();
                let message = format!("SQLCODE {}, SQLSTATE {state}: {said}", sqlca.code);
                placed(Diagnostic::error(codes::REFUSED, message), at, source)
            }
        };
        self.refused += 1;
        terminal::tell(&[message]);
        Ok(true)
    }
}

/// Reads a line beside the event loop, so that an interrupt ends the wait.
async fn next_line() -> Result<Option<String>, Messages> {
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map(|count| (count > 0).then_some(line))
    });
    let read = read.await.map_err(std::io::Error::other).flatten();
    read.map_err(|error| {
        vec![Diagnostic::error(codes::UNREADABLE, format!("standard input cannot be read: {error}"))]
    })
}
