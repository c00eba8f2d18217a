//! `[sit]` and the other options of a region's start, in the kernel's words.

use std::path::Path;
use std::time::Duration;

use config::RegionConfig;
use domains::interval::DateForm;
use domains::statistics::Schedule;
use kernel::diagnostics::TraceOptions;
use kernel::health::Pace;
use kernel::meters::{Classes, WorkRule};
use kernel::monitoring::MonitoringOptions;
use kernel::name::{Name, Name8, TransactionName};
use kernel::programs::Concurrency;
use kernel::region::RegionOptions;
use kernel::security::Checked;
use operation::restart::Asked;
use operation::start::Settings;
use tn3270::datastream::Aid;

use crate::folders::{DUMPS, JOURNALS, RECORD_FOLDER};
use crate::users::default_user;

/// The kernel's options, for an application's folder and its state.
pub(crate) fn options(root: &Path, config: &RegionConfig, state: &Path) -> RegionOptions {
    let sit = &config.sit;
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    RegionOptions {
        applid: Name8::from(config.applid.as_str()),
        sysid: Name::from(config.sysid.as_str()),
        open_tcbs: sit.max_open_tcbs.map_or(processors, |n| n as usize),
        tasks_max: sit.mxt as usize,
        runaway_ms: sit.icvr.into(),
        cwa_length: sit.wrkarea as usize,
        terminal_code_page: config.terminal.code_page,
        force_qr: sit.force_qr,
        application_folder: root.to_owned(),
        unknown_transaction: sit.dtrtran.as_deref().map(TransactionName::from),
        storage_bytes_max: usize::try_from(sit.edsalim).unwrap_or(usize::MAX),
        file_timeout_s: sit.ftimeout,
        ts_main_bytes_max: usize::try_from(sit.ts_main_limit).unwrap_or(usize::MAX),
        greeting_transaction: TransactionName::from(sit.gmtran.as_str()),
        greeting: sit.gmtext.clone(),
        print_key: sit.print_key.map(Aid::Pa),
        sign_off_after: match config.terminal.sign_off_after_min {
            0 => None,
            minutes => Some(Duration::from_secs(60 * u64::from(minutes))),
        },
        dump_folder: state.join(DUMPS),
        record_folder: state.join(RECORD_FOLDER),
        journal_folder: state.join(JOURNALS),
        sections: config.sections.clone(),
    }
}

/// Settings with which some domains begin.
pub(crate) fn settings(config: &RegionConfig) -> Settings {
    let sit = &config.sit;
    Settings {
        autoinstall_programs: sit.autoinstall_programs.then_some(Concurrency::Quasirent),
        date_form: match sit.datform {
            config::DateForm::Mmddyy => DateForm::Mmddyy,
            config::DateForm::Ddmmyy => DateForm::Ddmmyy,
            config::DateForm::Yymmdd => DateForm::Yymmdd,
        },
        security: sit.security.sec.then(|| checked(&sit.security)),
        default_user: default_user(&sit.dfltuser, &config.security),
        revocation: config.security.passwords.revocation,
        monitoring: monitoring(config),
        trace: trace(config),
        health: sit.health.map(|(interval_s, adjustment)| Pace { interval_s, adjustment }),
        statistics: Schedule { interval_s: sit.statint, end_of_day_s: sit.stateod, recording: sit.statrcd },
    }
}

/// The monitoring from the start.
fn monitoring(config: &RegionConfig) -> MonitoringOptions {
    let sit = &config.sit;
    let rule = |class: &config::WorkClass| WorkRule {
        transactions: class.transactions.clone(),
        users: class.users.clone(),
        service: Name8::from(class.service.as_str()),
        report: Name8::from(class.report.as_str()),
    };
    MonitoringOptions {
        on: sit.mn,
        classes: Classes {
            performance: sit.mnper,
            exception: sit.mnexc,
            resource: sit.mnres,
            identity: sit.mnidn,
        },
        conversation: sit.mnconv,
        syncpoint: sit.mnsync,
        frequency_s: sit.mnfreq,
        points: config.monitoring.points.clone(),
        rules: config.monitoring.classes.iter().map(rule).collect(),
    }
}

/// The trace.
fn trace(config: &RegionConfig) -> TraceOptions {
    let sit = &config.sit;
    TraceOptions {
        internal: sit.inttr,
        auxiliary: sit.auxtr,
        user: sit.usertr,
        system: sit.systr,
        levels: sit.trace_levels.clone(),
    }
}

/// The kind of start that is asked for.
pub(crate) fn asked(config: &RegionConfig) -> Asked {
    match config.sit.start {
        config::StartType::Auto => Asked::Auto,
        config::StartType::Cold => Asked::Cold,
        config::StartType::Initial => Asked::Initial,
    }
}

/// Classes that SEC=YES checks.
fn checked(sit: &config::SecuritySit) -> Checked {
    Checked {
        classes: sit.classes.clone(),
        prefix: sit.prefix.clone().unwrap_or_default(),
        commands_always: sit.cmdsec_always,
        resources_always: sit.ressec_always,
    }
}
