//! `syncpoint-cards`: what stands around an Authenticator in tests and measurements: a security module, terminals, cards.
//!
//! The programs of a card issuer's world that a region meets through sockets. Nothing here knows a region.

// Its `println!` and kin are those of all modules below.
#[macro_use]
extern crate command_line;

mod code;
mod codes;
mod hsm;
mod keys;
mod load;
mod size;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use command_line::{manual, terminal};

/// The text below the list of commands.
const EXAMPLES: &str = "\
Examples:
  syncpoint-cards cards tracks --cards 2000 --terminals 20 --batch import.txt
  syncpoint-cards hsm                                a test security module
  syncpoint-cards load 127.0.0.1:7200 --tracks tracks --messages 50 --ledger ledger
  syncpoint-cards code tracks/t00000.trk --counter 1 --display 3

syncpoint-cards COMMAND --help says what a command takes.";

/// Makes cards, terminals that use them and a test security module for an Authenticator, and says how large a machine it needs.
#[derive(Parser)]
#[command(name = "syncpoint-cards", version, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a test HSM: host commands over TCP, latency and faults on demand; it protects nothing
    Hsm(hsm::Arguments),
    /// Send authorization requests from simulated terminals and count the answers
    Load(load::Arguments),
    /// Make track 2 files for `syncpoint-cards load`
    Cards(load::CardsArguments),
    /// Show the code that a simulated card makes for one transaction
    Code(code::Arguments),
    /// Say how much machine a rate of authentications needs
    Size(size::Arguments),
    /// Print the script with which a shell completes commands and options
    Completions(manual::Completions),
    /// Write the pages of the manual, one for each command
    Man(manual::Manual),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Hsm(arguments) => hsm::hsm(arguments),
        Command::Load(arguments) => load::load(arguments),
        Command::Cards(arguments) => load::cards(arguments),
        Command::Code(arguments) => code::code(&arguments),
        Command::Size(arguments) => size::size(&arguments),
        Command::Completions(arguments) => manual::completions(&arguments, &mut Arguments::command()),
        Command::Man(arguments) => manual::manual(&arguments, Arguments::command()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(messages) => {
            terminal::tell(&messages);
            ExitCode::FAILURE
        }
    }
}
