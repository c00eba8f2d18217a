//! The command line of `syncpoint`.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{Args, Parser, Subcommand, ValueEnum};
use command_line::manual;

use crate::application::ApplicationFolder;
use crate::{
    audit, batch_run, data, definitions, demo, direct, encryption, explain, records_server, region_command,
    report, service, sql_run, testing, top_view, trace, up,
};

/// The version, the commit that it was built from, and the format of its state.
fn version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let (version, commit) = (env!("CARGO_PKG_VERSION"), env!("COMMIT_OF_BUILD"));
        format!("{version} (commit {commit}; {})", records::FORMAT.trim_end())
    });
    &TEXT
}

/// The text below the list of commands.
const EXAMPLES: &str = "\
Examples:
  syncpoint demo                            run the sample bank, at once
  syncpoint new first                       make a first application
  syncpoint run first --watch               run it, and take up what is saved
  syncpoint check first                     say what is wrong, run nothing
  syncpoint test first                      run the pages that are its tests
  syncpoint user add first ANN              let a user sign on
  syncpoint status first                    how the running region is
  syncpoint cemt first 'INQUIRE TASK'       what runs in it
  syncpoint start first HELO                one transaction without a terminal
  syncpoint data show FIRST.VISITS --application first
  syncpoint explain ASRA                    what a code means

syncpoint COMMAND --help says what a command takes.";

/// Runs CICS applications: COBOL with EXEC CICS, BMS maps, CSD definitions and VSAM data, from one folder.
#[derive(Parser)]
#[command(name = "syncpoint", version = version(), after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Start a region with the application in a folder; Ctrl-C stops it in order, a second Ctrl-C at once
    Run {
        #[command(flatten)]
        application: ApplicationFolder,
        /// Take changed sources into use as they are saved
        #[arg(long)]
        watch: bool,
        /// Listen for terminals here instead of where region.toml says: an address and a port, or a port
        #[arg(long, value_name = "ADDRESS")]
        listen: Option<String>,
        /// Start once on a damaged log with what it still has; what was acknowledged behind that is lost (docs/backup.md)
        #[arg(long)]
        accept_log_end: bool,
        /// End in order when the process of this number ends, which has started this one
        #[arg(long, hide = true, value_name = "PROCESS")]
        child_of: Option<u32>,
    },
    /// Run the regions of a topology.toml together: each a process, with one log and one end (docs/several-regions.md)
    Up(up::Arguments),
    /// Start a region whose programs an editor debugs: breakpoints, statements, paragraphs, items (docs/debugging.md)
    Debug {
        #[command(flatten)]
        application: ApplicationFolder,
        /// Address where the editor connects, by the Debug Adapter Protocol: a port of this machine; port 0 takes a
        /// free one
        #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4711")]
        listen: String,
    },
    /// Serve an editor on standard input and output, by the Language Server Protocol (docs/editor.md)
    Lsp {
        /// No effect: editors ask for standard input and output so
        #[arg(long, hide = true)]
        stdio: bool,
    },
    /// Translate, assemble and compile everything and say what is wrong, without starting a region
    #[command(after_help = CHECK_ENDS)]
    Check {
        #[command(flatten)]
        application: ApplicationFolder,
        /// Its form: text for people, json, or sarif (2.1.0) for code scanning
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
        /// Prepare each SQL statement of the programs on this database, too: postgresql://USER@HOST/DATABASE
        #[arg(long, value_name = "URL")]
        sql: Option<String>,
        /// The password for it stands in this file, which no other user may read
        #[arg(long, value_name = "FILE", requires = "sql")]
        password_file: Option<PathBuf>,
        /// Print each program's records with offsets and types, and where every name is used; of all programs, or of
        /// those that are named
        #[arg(long, value_name = "PROGRAM,…", num_args = 0..=1, require_equals = true, value_delimiter = ',', conflicts_with = "format")]
        listing: Option<Vec<String>>,
        /// No effect: it chose between two compilers, of which one is left
        #[arg(long, hide = true, value_name = "PROGRAM,…", num_args = 0..=1, require_equals = true, value_delimiter = ',', conflicts_with = "listing")]
        native: Option<Vec<String>>,
    },
    /// Run the pages that are tests of an application, each on a region of its own (docs/testing.md)
    Test(testing::Arguments),
    /// Carry IDCAMS commands out on the data sets of an application, whether its region runs or not
    Idcams {
        #[command(flatten)]
        application: ApplicationFolder,
        /// The file with the commands; standard input if it is left out
        #[arg(long, value_name = "FILE")]
        input: Option<PathBuf>,
        /// A file that a command knows by a ddname: NAME=FILE, and behind it, each after a comma, as needed: fixed,
        /// variable or lines, length=N, code-page=037, copybook=FILE
        #[arg(long = "dd", value_name = "NAME=FILE[,…]")]
        files: Vec<String>,
    },
    /// Change and list the definitions of an application, whether its region runs or not: commands of CEDA and DFHCSDUP
    Csd(definitions::Csd),
    /// Look at the records of an application's data sets, and take them out and in, whether its region runs or not
    Data {
        #[command(subcommand)]
        command: data::Command,
    },
    /// Copy the state of an application into a file, whether its region runs or not
    Backup {
        /// The folder that holds region.toml
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// The file to write
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Folder of the state, if not the one that region.toml names
        #[arg(long, value_name = "DIR")]
        data: Option<PathBuf>,
    },
    /// Make the state of an application from a backup
    Restore {
        /// The backup
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        application: ApplicationFolder,
        /// Compare the backup with its checksums, and restore nothing
        #[arg(long)]
        check: bool,
        /// Leave the tables of a private PostgreSQL as they are: they belong to the records of the backup
        #[arg(long)]
        keep_tables: bool,
    },
    /// Run SQL statements on the database of an application, whether its region runs or not
    Sql(sql_run::Arguments),
    /// Run a batch COBOL program, or a job, on the data sets of an application, whether its region runs or not
    Batch(batch_run::Arguments),
    /// Say how a region that runs is; for health checks: it fails where none serves
    Status(region_command::Status),
    /// Show in a terminal what a region does as it goes on: tasks, transactions, waits, files, SQL, TCBs
    Top(top_view::Arguments),
    /// Carry a command of CEMT out in a region that runs
    Cemt(region_command::Cemt),
    /// Run one transaction without a terminal in a region that runs, and say how it ended
    Start(region_command::Start),
    /// Make a program of the direct path, which takes messages by VSVPSYNC, of one with a COMMAREA
    Direct(direct::Arguments),
    /// Print the script with which a shell completes commands and options
    Completions(manual::Completions),
    /// Write the pages of the manual, one for each command
    Man(manual::Manual),
    /// Explain a message, an abend code, a condition, a command, or its RESP and RESP2
    Explain(explain::Arguments),
    /// Print a journal, a line for each record
    Journal {
        /// A file of the folder journals in the region's state
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Make a folder with a first application: one program, one map, one file
    New {
        /// The folder to make
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Run the sample bank, which this binary has: unpack it into a folder, and start a region with it
    Demo(demo::Arguments),
    /// Manage who may sign on
    User {
        #[command(subcommand)]
        command: UserCommand,
    },
    /// Look at the record of what was refused, who has signed on and what was changed
    Audit {
        #[command(subcommand)]
        command: audit::Command,
    },
    /// Change the key with which an application's data are encrypted
    Key {
        #[command(subcommand)]
        command: encryption::Command,
    },
    /// Bind programs to web services, by copybooks, WSDL or OpenAPI, and call them
    Service {
        #[command(subcommand)]
        command: service::Command,
    },
    /// Run a record server: it owns the records that several regions share
    Records(records_server::Arguments),
    /// Show what monitoring and statistics have recorded: rates, response times, processor time, waits, counts
    Report(report::Arguments),
    /// Show the auxiliary trace: entries, or the calls of a task with their times
    Trace(trace::Arguments),
}

impl Command {
    /// Returns true if the command makes files of a region's state, and not only some for the user who types it.
    pub(crate) fn keeps_state(&self) -> bool {
        matches!(
            self,
            Self::Run { .. }
                | Self::Debug { .. }
                | Self::Demo(_)
                | Self::Check { .. }
                | Self::Test(_)
                | Self::Idcams { .. }
                | Self::Data { .. }
                | Self::Backup { .. }
                | Self::Restore { .. }
                | Self::Batch(_)
                | Self::Sql(_)
                | Self::Key { .. }
                | Self::User { .. }
                | Self::Records(_)
                | Self::Up(_)
        )
    }
}

/// The form in which `check` shows its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// One object.
    Json,
    /// SARIF 2.1.0.
    Sarif,
}

const CHECK_ENDS: &str = "\
Exit status: 0 if everything is in order (warnings may have been told), 1 if something is wrong, 2 if the command line
is not understood.";

#[derive(Subcommand)]
pub(crate) enum UserCommand {
    /// Add a user, or change one; asks for the password, or reads it from standard input
    Add {
        #[command(flatten)]
        user: UserName,
        /// The person's name
        #[arg(long, default_value = "")]
        name: String,
        /// Rights of the user: run, inquire, operate
        #[arg(long, value_delimiter = ',', default_value = "run")]
        rights: Vec<String>,
        /// A group of the user; may be given several times
        #[arg(long = "group", value_name = "GROUP")]
        groups: Vec<String>,
    },
    /// List all users
    List {
        /// The folder that holds region.toml
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Remove a user
    Remove {
        #[command(flatten)]
        user: UserName,
    },
    /// Say whether a password is a user's
    Verify {
        #[command(flatten)]
        user: UserName,
    },
}

/// A user of an application.
#[derive(Args)]
pub(crate) struct UserName {
    /// The folder that holds region.toml
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Up to 8 characters
    #[arg(value_name = "USERID")]
    pub(crate) userid: String,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn what_may_be_typed_is_consistent_and_help_names_every_command() {
        let mut command = Arguments::command();
        command.clone().debug_assert();
        let help = command.render_help().to_string();
        for subcommand in command.get_subcommands() {
            let line = format!("  {} ", subcommand.get_name());
            assert!(help.contains(&line) && subcommand.get_about().is_some(), "{line}\n{help}");
        }
        assert!(help.contains("Examples:"), "{help}");
    }
}
