//! Carrying commands out, one after the other, with their condition codes.

use std::collections::HashMap;
use std::fmt::{Display, Write as _};
use std::sync::Arc;

use diagnostics::{Diagnostic, Place};
use idcams::{Code, Command, Delete, FileRef, Name, PrintFormat, Repro, Statement};
use vsam::{Copied, Extent, Replace, Vsam};

use crate::Load;
use crate::codes;
use crate::define::{self, Unfit};

/// Done.
const DONE: u32 = 0;
/// Done, with something to be told.
const WARNING: u32 = 4;
/// Not done; the next command runs.
const FAILED: u32 = 8;
/// Not carried out at all.
const NOT_CARRIED_OUT: u32 = 12;

/// What became of the commands.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The code of the last command.
    pub last: u32,
    /// The greatest code.
    pub max: u32,
    /// What the utility prints.
    pub listing: String,
    /// What is to be said about commands that failed.
    pub messages: Vec<Diagnostic>,
}

/// A run of the utility.
pub struct Run<'a> {
    vsam: &'a Arc<Vsam>,
    wants_recovery: &'a dyn Fn(&str) -> bool,
    existing_is_done: bool,
    files: HashMap<String, Load<'a>>,
    outcome: Outcome,
}

impl<'a> Run<'a> {
    /// A run on these data sets. `wants_recovery`: whether a cluster is to be recoverable although its LOG does not
    /// say so (a FILE definition does).
    pub fn new(vsam: &'a Arc<Vsam>, wants_recovery: &'a dyn Fn(&str) -> bool) -> Self {
        Self {
            vsam,
            wants_recovery,
            existing_is_done: false,
            files: HashMap::new(),
            outcome: Outcome::default(),
        }
    }

    /// The same for a start: what is defined already counts as done, and nothing is deleted or copied over.
    #[must_use]
    pub fn at_start(mut self) -> Self {
        self.existing_is_done = true;
        self
    }

    /// The same with a file outside behind a ddname: REPRO INFILE reads it.
    #[must_use]
    pub fn with_file(mut self, ddname: &str, file: Load<'a>) -> Self {
        self.files.insert(ddname.to_ascii_uppercase(), file);
        self
    }

    /// Carries statements out, in order. This blocks the thread where data is moved.
    pub async fn statements(mut self, statements: &[Statement]) -> Outcome {
        self.all(statements).await;
        self.outcome
    }

    async fn all(&mut self, statements: &[Statement]) -> bool {
        for statement in statements {
            match statement {
                Statement::Command(command) => self.command(command).await,
                Statement::If { condition, then, otherwise, .. } => {
                    let holds = condition.holds(self.outcome.last, self.outcome.max);
                    let branch = if holds { then } else { otherwise };
                    if !Box::pin(self.all(branch)).await {
                        return false;
                    }
                }
                Statement::Set { code: Code::Last, value, .. } => self.outcome.last = *value,
                Statement::Set { code: Code::Max, value, .. } => self.outcome.max = *value,
                Statement::Cancel(_) => return false,
            }
        }
        true
    }

    async fn command(&mut self, command: &Command) {
        let code = match command {
            Command::DefineCluster(cluster) => {
                let recoverable = (self.wants_recovery)(&cluster.name.text);
                self.define(&cluster.name, define::cluster(cluster, recoverable)).await
            }
            Command::DefineAlternateIndex(index) => {
                self.define(&index.name, define::alternate_index(index)).await
            }
            Command::DefinePath(path) => self.define(&path.name, define::path(path)).await,
            Command::Delete(_) | Command::Repro(_) if self.existing_is_done => DONE,
            Command::Delete(delete) => self.delete(delete).await,
            Command::Repro(repro) => self.repro(repro).await,
            Command::BuildIndex(build) => self.build(&build.to, &build.place).await,
            Command::Print(print) => self.print(print).await,
            Command::ListCatalog(list) => self.list(list).await,
            Command::Verify(verify) => self.verify(&verify.file, &verify.place).await,
            Command::DefineGdg(gdg) => self.not_built("DEFINE GENERATIONDATAGROUP", &gdg.name.place),
            Command::Alter(alter) => self.alter(alter).await,
            Command::Export(_) | Command::Import(_) | Command::Examine(_) => {
                self.outcome.messages.push(Diagnostic::warning(
                    codes::NOT_BUILT,
                    "EXPORT, IMPORT and EXAMINE are not built yet",
                ));
                NOT_CARRIED_OUT
            }
        };
        self.outcome.last = code;
        self.outcome.max = self.outcome.max.max(code);
    }

    async fn define(&mut self, name: &Name, definition: Result<vsam::Definition, Unfit>) -> u32 {
        let definition = match definition {
            Ok(definition) => definition,
            Err(Unfit::Linear) => return self.not_built("a LINEAR cluster", &name.place),
            Err(Unfit::Name(error)) => return self.refused(codes::NAME, &error, &name.place),
        };
        if self.existing_is_done && self.vsam.entry(definition.name()).is_ok() {
            return DONE;
        }
        match self.vsam.define(definition).await {
            Ok(()) => DONE,
            Err(error) => self.refused(codes::REFUSED, &error, &name.place),
        }
    }

    async fn delete(&mut self, delete: &Delete) -> u32 {
        let mut code = DONE;
        for name in &delete.entries {
            let deleted = match name.text.parse() {
                Ok(parsed) => self.vsam.delete(&parsed).await,
                Err(error) => Err(error),
            };
            if let Err(error) = deleted {
                code = self.refused(codes::REFUSED, &error, &name.place);
            }
        }
        code
    }

    async fn alter(&mut self, alter: &idcams::Alter) -> u32 {
        let Some(new) = &alter.new_name else {
            return self.not_built("ALTER of attributes", &alter.entry.place);
        };
        let renamed = match (alter.entry.text.parse(), new.text.parse()) {
            (Ok(name), Ok(new)) => self.vsam.rename(&name, &new).await,
            (Err(error), _) | (_, Err(error)) => Err(error),
        };
        renamed.map_or_else(|error| self.refused(codes::REFUSED, &error, &alter.entry.place), |()| DONE)
    }

    async fn repro(&mut self, repro: &Repro) -> u32 {
        let Some(to) = self.data_set(&repro.to, &repro.place) else { return NOT_CARRIED_OUT };
        let replace = if repro.replace { Replace::Yes } else { Replace::No };
        let outside = repro.from.ddname.as_deref().and_then(|ddname| self.files.get(ddname));
        let copied = match outside {
            Some(file) => file.into(self.vsam, &to, replace).await.map_err(|error| error.to_string()),
            None => {
                let Some(from) = self.data_set(&repro.from, &repro.place) else { return NOT_CARRIED_OUT };
                let copied = self.vsam.copy(&from, &to, &Extent::default(), replace, &mut |_| {}).await;
                copied.map_err(|error| error.to_string())
            }
        };
        match copied {
            Ok(Copied { read, written, duplicates }) => {
                let _ = writeln!(self.outcome.listing, "{to}: {read} records read, {written} written");
                if duplicates > 0 { WARNING } else { DONE }
            }
            Err(why) => self.refused(codes::REFUSED, &why, &repro.place),
        }
    }

    async fn build(&mut self, indexes: &[FileRef], place: &Place) -> u32 {
        let mut code = DONE;
        for index in indexes {
            let Some(name) = self.data_set(index, place) else { return NOT_CARRIED_OUT };
            if let Err(error) = self.vsam.build_index(&name, &mut |_| {}).await {
                code = self.refused(codes::REFUSED, &error, place);
            }
        }
        code
    }

    async fn print(&mut self, print: &idcams::Print) -> u32 {
        let Some(name) = self.data_set(&print.from, &print.place) else { return NOT_CARRIED_OUT };
        let format = match print.format {
            PrintFormat::Dump => vsam::PrintFormat::Dump,
            PrintFormat::Character => vsam::PrintFormat::Character,
            PrintFormat::Hex => vsam::PrintFormat::Hex,
        };
        let shown = |byte: u8| (byte.is_ascii_graphic() || byte == b' ').then_some(char::from(byte));
        let listing = &mut self.outcome.listing;
        let mut line = |text: &str| {
            listing.push_str(text);
            listing.push('\n');
        };
        match self.vsam.print(&name, &Extent::default(), format, &shown, &mut line).await {
            Ok(_) => DONE,
            Err(error) => self.refused(codes::REFUSED, &error, &print.place),
        }
    }

    async fn list(&mut self, list: &idcams::ListCatalog) -> u32 {
        let below = |name: &vsam::Name| {
            let under = |level: &Name| {
                name.as_str().strip_prefix(level.text.as_str()).is_some_and(|rest| rest.starts_with('.'))
            };
            list.levels.is_empty() || list.levels.iter().any(under)
        };
        let named: Result<Vec<_>, _> = list.entries.iter().map(|name| name.text.parse()).collect();
        let everything =
            || self.vsam.entries().iter().map(|entry| entry.name().clone()).filter(&below).collect();
        let names = if list.entries.is_empty() { Ok(everything()) } else { named };
        let listed = match names {
            Ok(names) => self.vsam.list_catalogue(&names, list.detail == idcams::Detail::All).await,
            Err(error) => Err(error),
        };
        match listed {
            Ok(text) => {
                self.outcome.listing.push_str(&text);
                DONE
            }
            Err(error) => self.refused(codes::REFUSED, &error, &list.place),
        }
    }

    async fn verify(&mut self, file: &FileRef, place: &Place) -> u32 {
        let Some(name) = self.data_set(file, place) else { return NOT_CARRIED_OUT };
        match self.vsam.verify(&name, &mut |_| {}).await {
            Ok(_) => DONE,
            Err(error) => self.refused(codes::REFUSED, &error, place),
        }
    }

    /// The data set that a command means.
    fn data_set(&mut self, file: &FileRef, place: &Place) -> Option<vsam::Name> {
        let named = file.data_set.as_ref().and_then(|name| name.parse().ok());
        if named.is_none() {
            let what = file.ddname.as_deref().or(file.data_set.as_deref()).unwrap_or("the data set");
            let message = Diagnostic::error(codes::NO_DATA_SET, format!("{what} leads to no data set here"));
            self.outcome.messages.push(
                message
                    .at(place.clone())
                    .help("name it by INDATASET or OUTDATASET, or give the step a DD statement with DSN="),
            );
        }
        named
    }

    fn refused(&mut self, code: &'static str, error: &dyn Display, place: &Place) -> u32 {
        self.outcome.messages.push(Diagnostic::error(code, error.to_string()).at(place.clone()));
        FAILED
    }

    fn not_built(&mut self, what: &str, place: &Place) -> u32 {
        let message =
            Diagnostic::warning(codes::NOT_BUILT, format!("{what} is not built yet: nothing was done"));
        self.outcome.messages.push(message.at(place.clone()));
        NOT_CARRIED_OUT
    }
}
