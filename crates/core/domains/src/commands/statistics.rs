//! PERFORM STATISTICS RECORD, COLLECT STATISTICS.

use jiff::tz::TimeZone;
use spec::measures::{StatisticId, StatisticsKind, stat, statistics_kinds};
use spec::{OptionId, cmd, cond, opt};

use crate::statistics::{Statistics, Why};
use kernel::clock::Stamp;
use kernel::exec::{Answers, Call, Handler};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::region::Region;
use kernel::task::Task;

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::PERFORM_STATISTICS_RECORD, Handler::Now(record)),
    (cmd::COLLECT_STATISTICS, Handler::Now(collect)),
];

/// RESP2 of NOTFND: there is no such resource.
const NO_RESOURCE: i32 = 1;

/// The types of resources by their keyword, each with a field of every kind of record that it stands for.
const TYPES: &[(OptionId, &[StatisticId])] = &[
    (opt::ASYNCSERVICE, &[stat::ASG_RUN_COUNT]),
    (opt::AUTOINSTALL, &[stat::A04VADAT]),
    (opt::CIPHER, &[stat::SPHFULL]),
    (opt::CONNECTION, &[stat::A14ESTAS]),
    (opt::DB2, &[stat::D2G_POOL_CALLS, stat::D2R_CALLS]),
    (opt::DB2CONN, &[stat::D2G_POOL_CALLS]),
    (opt::DB2ENTRY, &[stat::D2R_CALLS]),
    (
        opt::DISPATCHER,
        &[
            stat::DSGCNT,
            stat::DSGTCBCA,
            stat::DSRDS_TCB_NAME,
            stat::DSTDS_CICSTCB_COUNT,
            stat::SPTDISP,
            stat::SPUCPU,
            stat::SPAUSER,
            stat::SPWCOUNT,
        ],
    ),
    (opt::DOCTEMPLATE, &[stat::DHD_TEMPLATE_USE_COUNT]),
    (opt::CAPTURESPEC, &[stat::ECC_EVENTS_CAPTURED]),
    (opt::EPADAPTER, &[stat::EPR_PUT_EVENTS]),
    (opt::EVENTBINDING, &[stat::ECG_EB_EVENTS_CAPTURED, stat::ECR_EPADAPTER_NAME]),
    (opt::EVENTPROCESS, &[stat::EPG_PUT_EVENTS]),
    (opt::ENQUEUE, &[stat::NQGNPOOL, stat::NQGTNQSI]),
    (opt::FILE, &[stat::A17DSRD]),
    (opt::IPCONN, &[stat::ISR_TOTAL_ALLOCATES]),
    (opt::JOURNALNAME, &[stat::LGRWRITES]),
    (opt::JOURNALNUM, &[stat::LGRWRITES]),
    (opt::JVMSERVER, &[stat::SJS_JVMSERVER_USE_COUNT, stat::SPJRSS]),
    (opt::MONITOR, &[stat::MNGPR]),
    (opt::MVSTCB, &[stat::DSRDS_TCB_NAME, stat::DSTDS_CICSTCB_COUNT]),
    (opt::PIPELINE, &[stat::PIR_PIPELINE_USE_COUNT]),
    (opt::POLICY, &[stat::MPR_ACTION_COUNT]),
    (opt::BUNDLE, &[stat::RLR_BUNDLE_DIRECTORY]),
    (opt::PROGRAM, &[stat::LDRTU, stat::LDGPUSES]),
    (opt::PROGRAMDEF, &[stat::PGE_PROGRAM_NAME]),
    (opt::RECOVERY, &[stat::RMGSYFWD]),
    (opt::STATS, &[stat::STGNC]),
    (opt::STORAGE, &[stat::SMSGMREQ]),
    (opt::STREAMNAME, &[stat::LGSWRITES, stat::LGGAKPSTKN]),
    (opt::TCLASS, &[stat::XMCCAT]),
    (opt::TCPIP, &[stat::SOG_MAXSOCKETS_LIMIT]),
    (opt::TCPIPSERVICE, &[stat::SOR_REQUESTS]),
    (opt::TDQUEUE, &[stat::TQRCNITM]),
    (opt::TERMINAL, &[stat::A06TENI]),
    (opt::TRANCLASS, &[stat::XMCCAT]),
    (opt::TRANDUMP, &[stat::TRANS_DUMP_TAKEN, stat::TDRTTKN]),
    (opt::TRANDUMPCODE, &[stat::TDRTTKN]),
    (opt::TRANSACTION, &[stat::XMGNUM, stat::XMRAC]),
    (opt::TSQUEUE, &[stat::TSGNMG]),
    (opt::URIMAP, &[stat::WBG_URIMAP_REFERENCE_COUNT, stat::WBR_URIMAP_REFERENCE_COUNT]),
    (opt::WEBSERVICE, &[stat::PIW_WEBSERVICE_USE_COUNT]),
];

fn is_of(fields: &[StatisticId], kind: &StatisticsKind) -> bool {
    fields.iter().any(|field| std::ptr::eq(&statistics_kinds()[usize::from(field.kind)], kind))
}

/// PERFORM STATISTICS RECORD: the types that it names, or ALL. Counters are reset where RESETNOW is written, with ALL.
fn record(task: &mut Task, call: &Call<'_>) -> Outcome {
    let wanted = Wanted {
        types: TYPES.iter().map(|(option, _)| *option).filter(|option| call.keyword(*option)).collect(),
        all: call.keyword(opt::ALL),
        reset: call.keyword(opt::RESETNOW),
    };
    record_wanted(&task.region, &wanted);
    Ok(())
}

/// Statistics that an operator or a program asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The types of resources.
    pub types: Vec<OptionId>,
    /// All types.
    pub all: bool,
    /// Counters are reset, where all types are asked for.
    pub reset: bool,
}

/// The type of a word that may be cut short to `least` letters.
pub fn type_of(word: &str, least: usize) -> Option<OptionId> {
    let takes = |option: OptionId| {
        let mut options = spec::command(cmd::PERFORM_STATISTICS_RECORD).options.iter();
        options.any(|known| known.id == option)
    };
    let fits = |name: &str| word == name || word.len() >= least && name.starts_with(word);
    TYPES.iter().map(|(option, _)| *option).find(|option| takes(*option) && fits(option.name()))
}

/// Records the statistics that are asked for.
pub fn record_wanted(region: &Region, wanted: &Wanted) {
    let named = |kind: &StatisticsKind| {
        TYPES.iter().any(|(option, fields)| wanted.types.contains(option) && is_of(fields, kind))
    };
    let reset = wanted.all && wanted.reset;
    let why = if reset { Why::RequestedReset } else { Why::Requested };
    Statistics::of(region).collect(region, why, reset, |kind| wanted.all || named(kind));
}

/// COLLECT STATISTICS: whether there is such a resource, and when its counters were last reset.
fn collect(task: &mut Task, call: &Call<'_>) -> Outcome {
    for (option, fields) in TYPES {
        if let Some(name) = call.bytes(*option)? {
            find(task, fields, &name)?;
        }
    }
    last_reset(task, call)
}

/// NOTFND where no record of these kinds is of that resource.
fn find(task: &Task, fields: &[StatisticId], name: &[u8]) -> Outcome {
    let name = String::from_utf8_lossy(name.trim_ascii_end()).into_owned();
    let records = Statistics::of(&task.region).now(&task.region);
    let found = records
        .iter()
        .any(|record| record.resource == name && is_of(fields, &statistics_kinds()[record.kind]));
    if found { Ok(()) } else { Err(cond::NOTFND.raise(NO_RESOURCE)) }
}

fn last_reset(task: &Task, call: &Call<'_>) -> Outcome {
    let at = Stamp::of(Statistics::of(&task.region).last_reset().to_zoned(TimeZone::system()).datetime());
    let (hours, minutes, seconds) = parts(at.hhmmss());
    call.put_number(opt::LASTRESET, at.hhmmss() as i64)?;
    call.put_number(opt::LASTRESETHRS, hours)?;
    call.put_number(opt::LASTRESETMIN, minutes)?;
    call.put_number(opt::LASTRESETSEC, seconds)
}

fn parts(hhmmss: u64) -> (i64, i64, i64) {
    let number = hhmmss as i64;
    (number / 10_000, number / 100 % 100, number % 100)
}
