//! What may be typed behind `syncpoint`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::{batch_run, card_code, data, hsm, load, report, size};

/// Runs CICS applications: COBOL with EXEC CICS, BMS maps, CSD definitions and VSAM data, from one folder.
#[derive(Parser)]
#[command(name = "syncpoint", version, disable_help_subcommand = true)]
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
    },
    /// Translate, assemble and compile everything and say what is wrong, without starting a region
    Check {
        #[command(flatten)]
        application: ApplicationFolder,
    },
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
    /// Look at the records of an application's data sets, and take them out and in, whether its region runs or not
    Data {
        #[command(subcommand)]
        command: data::Command,
    },
    /// Copy the state of an application into a file, whether its region runs or not
    Backup {
        #[command(flatten)]
        application: ApplicationFolder,
        /// The file to write
        #[arg(value_name = "FILE")]
        file: PathBuf,
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
    },
    /// Run a batch COBOL program, or a job, on the data sets of an application, whether its region runs or not
    Batch(batch_run::Arguments),
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
    /// Manage who may sign on
    User {
        #[command(subcommand)]
        command: UserCommand,
    },
    /// Run a test HSM: host commands over TCP, latency and faults on demand; it protects nothing
    Hsm(hsm::Arguments),
    /// Send authorization requests from simulated terminals and say what came of them
    Load(load::Arguments),
    /// Make track 2 files for `syncpoint load`
    Cards(load::CardsArguments),
    /// Show the code that a simulated card makes for one transaction
    Code(card_code::Arguments),
    /// Say how much machine a rate of authentications needs
    Size(size::Arguments),
    /// Show what monitoring and statistics have recorded: rates, response times, processor time, waits, counts
    Report(report::Arguments),
}

/// The folder of an application.
#[derive(Args)]
pub(crate) struct ApplicationFolder {
    /// The folder that holds region.toml
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Keep data, logs and compiled programs here instead of in the folder that region.toml names
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
}

#[derive(Subcommand)]
pub(crate) enum UserCommand {
    /// Add a user, or change one; asks for the password, or reads it from standard input
    Add {
        #[command(flatten)]
        user: UserName,
        /// The person's name
        #[arg(long, default_value = "")]
        name: String,
        /// What the user may do: run, inquire, operate
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
