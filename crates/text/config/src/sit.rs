//! System initialization parameters, by their own names.
//!
//! Those that do something here are fields of [`Sit`]; every other name of the published list is accepted with a
//! warning; a name that is in no list is an error.

use std::ops::RangeInclusive;

use diagnostics::{Diagnostic, nearest};
use instruments::levels::{self, COMPONENTS, FirstLevels};
use security::{Class, Classes};
use toml::Spanned;
use toml::de::DeValue;

use crate::names::{LONG_NAME, SHORT_NAME, resource_name};
use crate::reader::{Table, refused};
use crate::{Located, at, codes};

/// The way in which the region starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartType {
    /// As the last run ended: warm after an orderly shutdown, else emergency restart.
    Auto,
    /// Without queues and STARTs of the last run.
    Cold,
    /// The same, and without what is known of indoubt units of work.
    Initial,
}

/// The order of day, month and year where the region formats a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateForm {
    /// Month, day, year.
    Mmddyy,
    /// Day, month, year.
    Ddmmyy,
    /// Year, month, day.
    Yymmdd,
}

/// The parameters that say what is checked, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SecuritySit {
    /// `SEC`: profiles decide. Without it, the rights of `users.toml` do.
    pub sec: bool,
    /// `XTRAN`, `XFCT` and their kin: the classes that are checked, and the names under which their profiles are.
    pub classes: Classes,
    /// `SECPRFX`: the prefix of the name of each resource, with its period; `None` (`NO`) for nothing. `YES` is the
    /// region's own user.
    pub prefix: Option<String>,
    /// `CMDSEC=ALWAYS`: commands of the system are checked whatever the transaction says.
    pub cmdsec_always: bool,
    /// `RESSEC=ALWAYS`: resources are checked whatever the transaction says.
    pub ressec_always: bool,
    /// `PLTPIUSR`: the user of programs that run when the region starts.
    pub pltpiusr: Option<String>,
    /// `PLTPISEC`: what is checked of those programs.
    pub pltpisec: PltSecurity,
}

/// The checks of programs that run when the region starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PltSecurity {
    /// Commands of the system.
    pub commands: bool,
    /// Resources.
    pub resources: bool,
}

impl SecuritySit {
    /// Takes one of these parameters; whether it is one.
    fn set(&mut self, parameter: &Parameter<'_>) -> bool {
        if let Some(class) = Class::of_parameter(&parameter.upper) {
            match parameter.name(LONG_NAME).as_deref() {
                Some("YES") => self.classes.set(class, Some(class.parameter())),
                Some("NO") => self.classes.set(class, None),
                Some(name) => self.classes.set(class, Some(name)),
                None => {}
            }
            return true;
        }
        let always = [("ASIS", false), ("ALWAYS", true)];
        let of_plt = |commands, resources| PltSecurity { commands, resources };
        match parameter.upper.as_str() {
            "SEC" => set(&mut self.sec, parameter.word(&[("NO", false), ("YES", true)])),
            "SECPRFX" => set(&mut self.prefix, parameter.name(LONG_NAME).map(prefix)),
            "CMDSEC" => set(&mut self.cmdsec_always, parameter.word(&always)),
            "RESSEC" => set(&mut self.ressec_always, parameter.word(&always)),
            "PLTPIUSR" => set(&mut self.pltpiusr, parameter.name(LONG_NAME).map(Some)),
            "PLTPISEC" => set(
                &mut self.pltpisec,
                parameter.word(&[
                    ("NONE", of_plt(false, false)),
                    ("CMDSEC", of_plt(true, false)),
                    ("RESSEC", of_plt(false, true)),
                    ("ALL", of_plt(true, true)),
                ]),
            ),
            _ => return false,
        }
        true
    }
}

/// Reads SECPRFX as a prefix of names.
fn prefix(word: String) -> Option<String> {
    match word.as_str() {
        "NO" => None,
        "YES" => Some(format!("{REGION_USER}.")),
        _ => Some(format!("{word}.")),
    }
}

/// The region's own user.
const REGION_USER: &str = "SYNCPNT";

/// The parameters that have an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sit {
    /// `MXT`: how many user tasks may exist at once.
    pub mxt: u32,
    /// `ICVR`: milliseconds that a task may run without giving way before it is ended with AICA; 0 for ever.
    pub icvr: u32,
    /// `LGDFINT`: milliseconds between two forces of the log while several tasks commit; 0: none is deferred.
    pub lgdfint: u32,
    /// `MAXOPENTCBS`: how many open TCBs (threads beside the QR one); `None` for one for each processor.
    pub max_open_tcbs: Option<u32>,
    /// `FORCEQR`: every program runs on the QR TCB, whatever its definition says.
    pub force_qr: bool,
    /// `PGAIPGM`: programs without a definition get one when they are first used.
    pub autoinstall_programs: bool,
    /// `START`.
    pub start: StartType,
    /// `DTRTRAN`: the transaction that runs for unknown ones; `None` (`NO`) if they are refused.
    pub dtrtran: Option<String>,
    /// `GMTRAN`: the transaction that greets a new terminal.
    pub gmtran: String,
    /// `GMTEXT`: what the greeting says.
    pub gmtext: String,
    /// `PRINT`: the PA key that prints a copy of the screen.
    pub print_key: Option<u8>,
    /// `DFLTUSER`: the user of terminals that have not signed on.
    pub dfltuser: String,
    /// `WRKAREA`: bytes of the common work area.
    pub wrkarea: u32,
    /// `DATFORM`.
    pub datform: DateForm,
    /// `FTIMEOUT`: seconds that a request of a file in RLS mode waits for a record, where its transaction has no DTIMOUT.
    pub ftimeout: u32,
    /// `MINTLSLEVEL` and `MAXTLSLEVEL`: the versions of TLS that web services speak. Below 1.2 there is none.
    pub tls_levels: (TlsLevel, TlsLevel),
    /// `SSLDELAY`: seconds for which a client may resume its TLS session; 0: never.
    pub ssl_delay: u32,
    /// `MAXSOCKETS`: connections of web services, and of tasks to servers, at a time.
    pub max_sockets: u32,
    /// `CRLPROFILE`: the file of the keyring that has the lists of revoked certificates.
    pub crl_profile: Option<String>,
    /// `ISC`: there may be links to other regions.
    pub isc: bool,
    /// `IRCSTRT`: links to regions of this machine are made from the start.
    pub irc_start: bool,
    /// `WLMHEALTH`: seconds between two steps of the region's health, and percent of a step; `None`: OFF.
    pub health: Option<(u32, u32)>,
    /// `MROLRM`: a mirror task works for the whole unit of work of its asker.
    pub long_running_mirrors: bool,
    /// `DSHIPINT`: seconds between two looks for idle terminals of other regions; 0: none.
    pub delete_shipped_interval: u32,
    /// `DSHIPIDL`: seconds after which such a terminal is idle.
    pub delete_shipped_idle: u32,
    /// `DTRPGM`: the program that says where tasks of dynamic transactions run.
    pub routing_program: String,
    /// `DSRTPGM`: the program that says where STARTs without a terminal run; empty (`NONE`): none.
    pub distributed_routing_program: String,
    /// `DB2CONN`: the region connects to its database when it starts.
    pub db2conn: bool,
    /// `EDSALIM`: bytes that programs and tasks may take together.
    pub edsalim: u64,
    /// `TSMAINLIMIT`: bytes that main temporary storage may take.
    pub ts_main_limit: u64,
    /// `MN`: monitoring is on from the start.
    pub mn: bool,
    /// `MNPER`: performance records are written.
    pub mnper: bool,
    /// `MNEXC`: records of exceptional waits are written.
    pub mnexc: bool,
    /// `MNRES`: records of the resources that tasks use are written.
    pub mnres: bool,
    /// `MNIDN`: records of who has asked for tasks are written.
    pub mnidn: bool,
    /// `MNCONV`: a performance record ends where a task waits for its terminal.
    pub mnconv: bool,
    /// `MNSYNC`: a performance record ends with a unit of work.
    pub mnsync: bool,
    /// `AUXTR`: the auxiliary trace is written from the start.
    pub auxtr: bool,
    /// `INTTR`: the internal trace is written.
    pub inttr: bool,
    /// `USERTR`: entries of programs are made in the trace.
    pub usertr: bool,
    /// `SYSTR`: entries of commands are made in the auxiliary trace.
    pub systr: bool,
    /// `STNTR`, `SPCTR`, `STNTRxx`, `SPCTRxx`: the levels of components from the start.
    pub trace_levels: Vec<FirstLevels>,
    /// `MNFREQ`: seconds after which the performance record of a task at work is written; 0: none is.
    pub mnfreq: u32,
    /// `STATRCD`: statistics are recorded at intervals.
    pub statrcd: bool,
    /// `STATINT`: seconds between two collections of statistics.
    pub statint: u32,
    /// `STATEOD`: the end of the day for statistics, in seconds from midnight.
    pub stateod: u32,
    /// `TDINTRA`: whether a restart keeps what intrapartition queues hold.
    pub td_intra_kept: bool,
    /// The security checks.
    pub security: SecuritySit,
    /// All that were given: names in capitals, and values as they were written.
    pub given: Vec<(String, String)>,
}

/// A version of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsLevel {
    /// 1.2.
    Tls12,
    /// 1.3.
    Tls13,
}

impl Default for Sit {
    fn default() -> Self {
        Self {
            mxt: 500,
            icvr: 5_000,
            lgdfint: 3,
            max_open_tcbs: None,
            force_qr: false,
            autoinstall_programs: false,
            start: StartType::Auto,
            dtrtran: None,
            gmtran: "CSGM".to_owned(),
            gmtext: "WELCOME TO SYNCPOINT".to_owned(),
            print_key: None,
            dfltuser: "CICSUSER".to_owned(),
            wrkarea: 512,
            datform: DateForm::Mmddyy,
            ftimeout: 30,
            tls_levels: (TlsLevel::Tls12, TlsLevel::Tls13),
            ssl_delay: 600,
            max_sockets: 65_535,
            crl_profile: None,
            isc: false,
            irc_start: false,
            health: Some(HEALTH),
            long_running_mirrors: false,
            delete_shipped_interval: 12 * 3_600,
            delete_shipped_idle: 2 * 3_600,
            routing_program: String::from("DFHDYP"),
            distributed_routing_program: String::new(),
            db2conn: false,
            edsalim: 800 << 20,
            ts_main_limit: 64 << 20,
            mn: false,
            mnper: false,
            mnexc: false,
            mnres: false,
            mnidn: false,
            mnconv: false,
            mnsync: false,
            auxtr: false,
            inttr: true,
            usertr: true,
            systr: true,
            trace_levels: Vec::new(),
            mnfreq: 0,
            statrcd: false,
            statint: 60 * 60,
            stateod: 0,
            td_intra_kept: true,
            security: SecuritySit::default(),
            given: Vec::new(),
        }
    }
}

const MXT: RangeInclusive<u32> = 1..=2_000;
const ICVR: RangeInclusive<u32> = 0..=2_700_000;
const LGDFINT: RangeInclusive<u32> = 0..=65_535;
const MAXOPENTCBS: RangeInclusive<u32> = 1..=256;
const WRKAREA: RangeInclusive<u32> = 0..=3_584;
/// Seconds: a minute to a day, and the times of a day.
const STATINT: RangeInclusive<u32> = 60..=86_400;
const STATEOD: RangeInclusive<u32> = 0..=86_399;
/// Seconds of MNFREQ that is not 0.
const MNFREQ: RangeInclusive<u32> = 60..=86_400;
/// Seconds: up to 99 hours, 59 minutes and 59 seconds.
const DSHIP: RangeInclusive<u32> = 0..=359_999;
const OFF_ON: [(&str, bool); 2] = [("OFF", false), ("ON", true)];
/// WLMHEALTH: the published interval in seconds and step in percent, and what both may be.
const HEALTH: (u32, u32) = (20, 25);
const HEALTH_INTERVAL: RangeInclusive<u32> = 0..=600;
const HEALTH_STEP: RangeInclusive<u32> = 1..=100;
const FTIMEOUT: RangeInclusive<u32> = 1..=4_080;
const SSLDELAY: RangeInclusive<u32> = 0..=86_400;
const MAXSOCKETS: RangeInclusive<u32> = 1..=65_535;
/// Versions that are unsafe are read as the lowest that is spoken.
const LOWEST_TLS: [(&str, TlsLevel); 4] = [
    ("TLS10", TlsLevel::Tls12),
    ("TLS11", TlsLevel::Tls12),
    ("TLS12", TlsLevel::Tls12),
    ("TLS13", TlsLevel::Tls13),
];
const HIGHEST_TLS: [(&str, TlsLevel); 2] = [("TLS12", TlsLevel::Tls12), ("TLS13", TlsLevel::Tls13)];
/// ISSUE PRINT needs no parameter, so YES is as NO.
const PRINT: [(&str, Option<u8>); 5] =
    [("NO", None), ("YES", None), ("PA1", Some(1)), ("PA2", Some(2)), ("PA3", Some(3))];
/// Longest GMTEXT.
const GMTEXT: usize = 246;

/// Parameters that the file has a key of its own for, and that key.
const ELSEWHERE: [(&str, &str); 5] = [
    ("APPLID", "applid"),
    ("SYSIDNT", "sysid"),
    ("GRPLIST", "grplist"),
    ("KEYRING", "keyring of [web], a folder of certificates"),
    ("LOCALCCSID", "code-page of [data]"),
];

/// The published list: each parameter's name and its legal values where these are a list of words.
fn published() -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    spec::tables::SIT.lines().skip(1).filter_map(|line| {
        let mut columns = line.split('\t');
        let name = columns.next()?;
        let legal = columns.nth(2).filter(|legal| legal.contains('|') && !legal.contains('('));
        Some((name, legal))
    })
}

impl Sit {
    pub(crate) fn read(table: Table<'_>) -> Self {
        let mut sit = Self::default();
        for (name, value) in table.entries() {
            let parameter =
                Parameter { table: &table, name: &name, upper: name.value.to_ascii_uppercase(), value };
            sit.set(&parameter);
            sit.given.push((parameter.upper.clone(), written(parameter.value.get_ref())));
        }
        sit
    }

    fn set(&mut self, parameter: &Parameter<'_>) {
        match parameter.upper.as_str() {
            "MXT" => set(&mut self.mxt, parameter.number(MXT)),
            "ICVR" => set(&mut self.icvr, parameter.number(ICVR)),
            "LGDFINT" => set(&mut self.lgdfint, parameter.number(LGDFINT)),
            "MAXOPENTCBS" => set(&mut self.max_open_tcbs, parameter.number(MAXOPENTCBS).map(Some)),
            "FORCEQR" => set(&mut self.force_qr, parameter.word(&[("NO", false), ("YES", true)])),
            "PGAIPGM" => {
                set(&mut self.autoinstall_programs, parameter.word(&[("INACTIVE", false), ("ACTIVE", true)]))
            }
            "START" => set(&mut self.start, parameter.start_type()),
            "TDINTRA" => set(&mut self.td_intra_kept, parameter.word(&[("NOEMPTY", true), ("EMPTY", false)])),
            "DTRTRAN" => {
                set(&mut self.dtrtran, parameter.name(SHORT_NAME).map(|n| Some(n).filter(|n| n != "NO")))
            }
            "GMTRAN" => set(&mut self.gmtran, parameter.name(SHORT_NAME)),
            "GMTEXT" => {
                set(&mut self.gmtext, parameter.text().map(|t| t.value.chars().take(GMTEXT).collect()))
            }
            "PRINT" => set(&mut self.print_key, parameter.word(&PRINT)),
            "DFLTUSER" => set(&mut self.dfltuser, parameter.name(LONG_NAME)),
            "WRKAREA" => set(&mut self.wrkarea, parameter.number(WRKAREA)),
            "DATFORM" => set(
                &mut self.datform,
                parameter.word(&[
                    ("MMDDYY", DateForm::Mmddyy),
                    ("DDMMYY", DateForm::Ddmmyy),
                    ("YYMMDD", DateForm::Yymmdd),
                ]),
            ),
            "ISC" => set(&mut self.isc, parameter.word(&[("NO", false), ("YES", true)])),
            "IRCSTRT" => set(&mut self.irc_start, parameter.word(&[("NO", false), ("YES", true)])),
            "WLMHEALTH" => set(&mut self.health, parameter.health()),
            "MROLRM" => {
                set(&mut self.long_running_mirrors, parameter.word(&[("NO", false), ("YES", true)]));
            }
            "DSHIPINT" => set(&mut self.delete_shipped_interval, parameter.time(DSHIP)),
            "DSHIPIDL" => set(&mut self.delete_shipped_idle, parameter.time(DSHIP)),
            "DSRTPGM" => {
                let name = parameter.name(LONG_NAME);
                set(
                    &mut self.distributed_routing_program,
                    name.map(|n| if n == "NONE" { String::new() } else { n }),
                );
            }
            "DTRPGM" => set(&mut self.routing_program, parameter.name(LONG_NAME)),
            "DB2CONN" => set(&mut self.db2conn, parameter.word(&[("NO", false), ("YES", true)])),
            "MN" => set(&mut self.mn, parameter.word(&OFF_ON)),
            "MNPER" => set(&mut self.mnper, parameter.word(&OFF_ON)),
            "MNEXC" => set(&mut self.mnexc, parameter.word(&OFF_ON)),
            "MNRES" => set(&mut self.mnres, parameter.word(&OFF_ON)),
            "MNIDN" => set(&mut self.mnidn, parameter.word(&OFF_ON)),
            "MNCONV" => set(&mut self.mnconv, parameter.word(&[("NO", false), ("YES", true)])),
            "MNSYNC" => set(&mut self.mnsync, parameter.word(&[("NO", false), ("YES", true)])),
            "AUXTR" => set(&mut self.auxtr, parameter.word(&OFF_ON)),
            "INTTR" => set(&mut self.inttr, parameter.word(&OFF_ON)),
            "USERTR" => set(&mut self.usertr, parameter.word(&OFF_ON)),
            "SYSTR" => set(&mut self.systr, parameter.word(&OFF_ON)),
            "MNFREQ" => set(&mut self.mnfreq, parameter.frequency()),
            "STATRCD" => set(&mut self.statrcd, parameter.word(&OFF_ON)),
            "STATINT" => set(&mut self.statint, parameter.time(STATINT)),
            "STATEOD" => set(&mut self.stateod, parameter.time(STATEOD)),
            "FTIMEOUT" => set(&mut self.ftimeout, parameter.number(FTIMEOUT)),
            "MINTLSLEVEL" => set(&mut self.tls_levels.0, parameter.word(&LOWEST_TLS)),
            "MAXTLSLEVEL" => set(&mut self.tls_levels.1, parameter.word(&HIGHEST_TLS)),
            "CRLPROFILE" => self.crl_profile = parameter.text().map(|text| text.value),
            "SSLDELAY" => set(&mut self.ssl_delay, parameter.number(SSLDELAY)),
            "MAXSOCKETS" => set(&mut self.max_sockets, parameter.number(MAXSOCKETS)),
            "EDSALIM" => set(&mut self.edsalim, parameter.size()),
            "TSMAINLIMIT" => set(&mut self.ts_main_limit, parameter.size()),
            _ if self.security.set(parameter) => {}
            _ => match parameter.trace_component() {
                Some(of) => self.trace_levels.extend(parameter.trace_levels(of)),
                None => parameter.without_effect(),
            },
        }
    }
}

fn set<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}

/// A value as the file has it, without quotes.
fn written(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(digits) => digits.as_str().to_owned(),
        DeValue::Boolean(yes) => String::from(if *yes { "YES" } else { "NO" }),
        _ => String::new(),
    }
}

/// One line of `[sit]`.
struct Parameter<'a> {
    table: &'a Table<'a>,
    name: &'a Located<String>,
    upper: String,
    value: &'a Spanned<DeValue<'a>>,
}

impl Parameter<'_> {
    fn number(&self, bounds: RangeInclusive<u32>) -> Option<u32> {
        self.table.number_of(&self.upper, self.value, bounds)
    }

    /// The value as text: `true` and `false` mean YES and NO.
    fn text(&self) -> Option<Located<String>> {
        match self.value.get_ref() {
            DeValue::Boolean(yes) => {
                Some(self.name.clone().map(|_| if *yes { "YES" } else { "NO" }.to_owned()))
            }
            DeValue::Integer(digits) => Some(self.name.clone().map(|_| digits.as_str().to_owned())),
            _ => self.table.string_of(&self.upper, self.value),
        }
    }

    fn word<T: Copy>(&self, words: &[(&str, T)]) -> Option<T> {
        self.table.choice_of(&self.upper, &self.text()?, words)
    }

    /// START. Two of the published words are no start types here: the message says what to write instead.
    fn start_type(&self) -> Option<StartType> {
        let instead = match self.text()?.value.to_ascii_uppercase().as_str() {
            "WARM" => "AUTO is a warm start whenever the last run has ended in order",
            "STANDBY" => "a region takes over from no other; AUTO is an emergency restart after a crash",
            _ => {
                return self.word(&[
                    ("AUTO", StartType::Auto),
                    ("COLD", StartType::Cold),
                    ("INITIAL", StartType::Initial),
                ]);
            }
        };
        let message = Diagnostic::error(codes::VALUE, "START is AUTO, COLD or INITIAL").help(instead);
        self.table.report(at(message, &self.text()?));
        None
    }

    fn name(&self, longest: usize) -> Option<String> {
        Some(resource_name(self.table, &self.upper, &self.text()?, longest))
    }

    /// Seconds of a time as HHMMSS.
    fn time(&self, bounds: RangeInclusive<u32>) -> Option<u32> {
        let text = self.text()?;
        let seconds = parse_time(&text.value).filter(|seconds| bounds.contains(seconds));
        if seconds.is_none() {
            self.table.report(refused(&self.upper, &text, "a time such as 010000 for one hour", []));
        }
        seconds
    }

    /// MNFREQ: 0, or a time from a minute to a day as HHMMSS.
    fn frequency(&self) -> Option<u32> {
        let text = self.text()?;
        let seconds = parse_time(&text.value).filter(|seconds| *seconds == 0 || MNFREQ.contains(seconds));
        if seconds.is_none() {
            self.table.report(refused(&self.upper, &text, "0, or a time from 000100 to 240000", []));
        }
        seconds
    }

    /// WLMHEALTH: OFF, an interval, or an interval and a step, in parentheses or not.
    fn health(&self) -> Option<Option<(u32, u32)>> {
        let text = self.text()?;
        let health = parse_health(&text.value);
        if health.is_none() {
            let expected = "OFF, or seconds from 0 to 600 and percent from 1 to 100, such as \"20,25\"";
            self.table.report(refused(&self.upper, &text, expected, []));
        }
        health
    }

    /// The component of STNTRxx or SPCTRxx, `None` for STNTR and SPCTR, and true for special tracing.
    fn trace_component(&self) -> Option<(Option<String>, bool)> {
        let ways = [("STNTR", false), ("SPCTR", true)];
        let (component, special) =
            ways.into_iter().find_map(|(name, special)| Some((self.upper.strip_prefix(name)?, special)))?;
        match component {
            "" => Some((None, special)),
            component => COMPONENTS.contains(&component).then(|| (Some(component.to_owned()), special)),
        }
    }

    /// Levels of the trace, in parentheses or not.
    fn trace_levels(&self, (component, special): (Option<String>, bool)) -> Option<FirstLevels> {
        let text = self.text()?;
        let inner = text.value.trim();
        let inner = inner.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(inner);
        let levels = levels::read(inner);
        if levels.is_none() {
            let expected = "ALL, OFF, or levels from 1 to 32 such as \"1,2\"";
            self.table.report(refused(&self.upper, &text, expected, []));
        }
        Some(FirstLevels { component, special, levels: levels? })
    }

    /// Returns true if it is a level of a component of which the trace has no entries.
    fn is_other_component(&self) -> bool {
        let component = self.upper.strip_prefix("STNTR").or_else(|| self.upper.strip_prefix("SPCTR"));
        component.is_some_and(|of| of.len() == 2 && of.bytes().all(|byte| byte.is_ascii_alphabetic()))
    }

    /// Reads a number of bytes, with K, M or G after it.
    fn size(&self) -> Option<u64> {
        let text = self.text()?;
        let size = parse_size(&text.value);
        if size.is_none() {
            self.table.report(refused(&self.upper, &text, "a size such as 64M", []));
        }
        size
    }

    fn without_effect(&self) {
        if let Some((_, key)) = ELSEWHERE.iter().find(|(name, _)| *name == self.upper) {
            let message = Diagnostic::error(codes::ELSEWHERE, format!("{} is not written here", self.upper))
                .help(format!("use the key {key}"));
            return self.table.report(at(message, self.name));
        }
        let known = published().find(|(name, _)| *name == self.upper);
        let known = known.or_else(|| self.is_other_component().then_some(("", None)));
        let Some((_, legal)) = known else {
            let message = Diagnostic::error(
                codes::UNKNOWN_PARAMETER,
                format!("{} is not a system initialization parameter", self.name.value),
            );
            let meant = nearest(&self.upper, published().map(|(name, _)| name));
            let help = meant.map(|meant| format!("did you mean {meant}?")).unwrap_or_default();
            return self.table.report(at(message, self.name).help(help));
        };
        if let (Some(legal), Some(text)) = (legal, self.text())
            && !legal.split('|').any(|word| word.eq_ignore_ascii_case(&text.value))
        {
            let wanted = format!("one of {}", legal.replace('|', ", "));
            return self.table.report(refused(&self.upper, &text, &wanted, legal.split('|')));
        }
        let message =
            Diagnostic::warning(codes::NO_EFFECT, format!("{} has no effect in this region", self.upper));
        self.table.report(at(message, self.name));
    }
}

/// Six digits as a text; as a number, zeros before it may be missing.
fn parse_time(text: &str) -> Option<u32> {
    let digits: u32 = text.trim().parse().ok().filter(|_| text.trim().len() <= 6)?;
    let (hours, minutes, seconds) = (digits / 10_000, digits / 100 % 100, digits % 100);
    (minutes < 60 && seconds < 60).then_some(hours * 3600 + minutes * 60 + seconds)
}

/// WLMHEALTH; an absent part is the published one.
fn parse_health(text: &str) -> Option<Option<(u32, u32)>> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("OFF") {
        return Some(None);
    }
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    let (interval, step) = inner.split_once(',').unwrap_or((inner, ""));
    let number = |text: &str, absent: u32, bounds: RangeInclusive<u32>| match text.trim() {
        "" => Some(absent),
        text => text.parse().ok().filter(|number| bounds.contains(number)),
    };
    let interval = number(interval, HEALTH.0, HEALTH_INTERVAL)?;
    Some(Some((interval, number(step, HEALTH.1, HEALTH_STEP)?)))
}

fn parse_size(text: &str) -> Option<u64> {
    let (digits, shift) = match text.char_indices().last()? {
        (at, 'K' | 'k') => (&text[..at], 10),
        (at, 'M' | 'm') => (&text[..at], 20),
        (at, 'G' | 'g') => (&text[..at], 30),
        _ => (text, 0),
    };
    digits.trim().parse::<u64>().ok()?.checked_mul(1 << shift)
}
