//! `syncpoint`: the command line.
//!
//! Here arguments become calls, and messages become text on a terminal. Out of scope: anything that another
//! program could want to do too.

// Its `println!` and kin are those of all modules below.
#[macro_use]
extern crate command_line;

mod application;
mod audit;
mod backup;
mod batch_run;
mod check;
mod check_sql;
mod cli;
mod codes;
mod data;
mod data_files;
mod definitions;
mod demo;
mod direct;
mod encryption;
mod ends;
mod explain;
mod findings;
mod first_process;
mod idcams;
mod journal;
mod language_server;
mod log;
mod new;
mod operated;
mod parent;
mod prepare;
mod program_listing;
mod records_backup;
mod records_server;
mod records_status;
mod region_command;
mod report;
mod run;
mod service;
mod sql_own;
mod sql_run;
mod sql_said;
mod supervisor;
mod testing;
mod top_view;
mod trace;
mod unsealed;
mod up;
mod user;
mod watch;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use command_line::{manual, stderr, terminal};
use records::Trust;
use rustix::fs::Mode;

use application::ApplicationFolder;
use cli::{Arguments, Command};

/// Tasks allocate and free small pieces all the time, some on one thread and some on another.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if let Some(status) = first_process::has_child() {
        return status;
    }
    let command = Arguments::parse().command;
    if command.keeps_state() {
        // Whatever a region, its programs and its data sets leave behind is their owner's alone.
        rustix::process::umask(Mode::RWXG | Mode::RWXO);
    }
    if matches!(command, Command::Run { .. } | Command::Debug { .. } | Command::Demo(_)) {
        stderr::serves();
    }
    let outcome = match command {
        Command::Batch(arguments) => return batch_run::ended(batch_run::batch(&arguments)),
        Command::Run { application, watch, listen, accept_log_end, child_of } => {
            parent::ends_with(child_of);
            let trust = if accept_log_end { Trust::AsItIs } else { Trust::Checked };
            application.load_listening(listen.as_deref()).and_then(|loaded| run::run(loaded, watch, trust))
        }
        Command::Debug { application, listen } => {
            application.debugged(&listen).load().and_then(|loaded| run::run(loaded, true, Trust::Checked))
        }
        Command::Test(arguments) => return testing::test(&arguments),
        Command::Lsp { .. } => return language_server::serve(),
        Command::Check { application, listing: Some(programs), .. } => {
            application.load().and_then(|loaded| program_listing::print(&loaded, &programs))
        }
        Command::Check { application, format, sql, password_file, listing: None, native } => {
            if native.is_some() {
                check::note_native();
            }
            let database = sql.as_deref().map(|url| (url, password_file.as_deref()));
            check::check(&application, format, database)
        }
        Command::Idcams { application, input, files } => {
            application.load().and_then(|loaded| idcams::idcams(&loaded, input.as_deref(), &files))
        }
        Command::Backup { folder, file, data } => {
            let application = ApplicationFolder { folder, data, settings: Vec::new() };
            application.load().and_then(|loaded| backup::backup(&loaded, &file))
        }
        Command::Restore { file, check: true, .. } => backup::check(&file),
        Command::Restore { file, application, check: false, keep_tables } => {
            application.load().and_then(|loaded| backup::restore(&loaded, &file, keep_tables))
        }
        Command::Status(arguments) => region_command::status(&arguments),
        Command::Csd(arguments) => definitions::csd(&arguments),
        Command::Top(arguments) => top_view::show(&arguments),
        Command::Cemt(arguments) => region_command::cemt(&arguments),
        Command::Start(arguments) => region_command::start(&arguments),
        Command::Sql(arguments) => sql_run::sql(&arguments),
        Command::Direct(arguments) => direct::direct(&arguments),
        Command::Completions(arguments) => manual::completions(&arguments, &mut Arguments::command()),
        Command::Man(arguments) => manual::manual(&arguments, Arguments::command()),
        Command::Explain(arguments) => explain::explain(&arguments),
        Command::Data { command } => data::data(command),
        Command::Journal { file } => journal::journal(&file),
        Command::New { folder } => new::new(&folder),
        Command::Demo(arguments) => demo::demo(&arguments),
        Command::User { command } => user::user(command),
        Command::Audit { command } => audit::audit(&command),
        Command::Key { command } => encryption::key(&command),
        Command::Service { command } => service::service(&command),
        Command::Up(arguments) => up::up(&arguments),
        Command::Records(arguments) => records_server::records(&arguments),
        Command::Report(arguments) => report::report(arguments),
        Command::Trace(arguments) => trace::trace(arguments),
    };
    let code = match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(messages) => {
            terminal::tell(&messages);
            ExitCode::FAILURE
        }
    };
    stderr::end();
    code
}
