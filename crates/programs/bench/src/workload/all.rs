//! The workloads, with the applications of their cases.

use super::kind::{Across, Case, Load, Workload};
use super::published;
use crate::inputs;
use crate::regions::terminals::Input;

const REGION: &str = include_str!("../../programs/workload/region.toml");
/// The parts that programs of pseudo-conversations have in common.
const COPYBOOKS: [(&str, &str); 2] = [
    ("WLDATA.cpy", include_str!("../../programs/workload/wldata.cpy")),
    ("WLTASK.cpy", include_str!("../../programs/workload/wltask.cpy")),
];
const NOT_THREADSAFE: &str = "not threadsafe";
const THREADSAFE: &str = "threadsafe";

/// The names of all.
pub(super) const NAMES: [&str; 5] = ["dsw-one-region", "containers", "data-tables", "rtw", "encrypted-trace"];

/// The workload of a name; `small` is one with few records.
pub(super) fn of(name: &str, small: bool) -> Option<Workload> {
    Some(match name {
        "dsw-one-region" => dsw(),
        "containers" => containers(),
        "data-tables" => data_tables(small),
        "rtw" => rtw(),
        "encrypted-trace" => encrypted_trace(),
        _ => return None,
    })
}

type Files = Vec<(String, String)>;

fn owned(files: &[(&str, &str)]) -> Files {
    files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

/// An application of one program: its source, its definitions, and lines behind its configuration.
fn application(source: (&str, &str), csd: &str, more: &str) -> Files {
    let mut files = owned(&COPYBOOKS);
    files.extend(owned(&[source, ("workload.csd", csd)]));
    files.push((String::from("region.toml"), format!("{}{more}", REGION.replace("{PORT}", "0"))));
    files
}

/// The sample with all its files in one region.
fn dsw() -> Workload {
    let loads = || {
        let rates = [1_000.0, 2_000.0, 3_000.0, 4_180.0, 4_950.0, 6_060.0, 6_600.0, 7_160.0];
        rates.map(|rate| Load::conversation("DSWT", rate)).to_vec()
    };
    let case = |name, policies, published: &[_]| Case {
        name,
        files: dsw_files(policies),
        loads: loads(),
        published: published.to_vec(),
    };
    Workload {
        name: "dsw-one-region",
        section: "9.12, policy task rules; 9.2.1 is the same workload on five regions",
        terminals: 1_000,
        across: Across::Rate,
        cases: vec![
            case("no policies", false, &published::WITHOUT_POLICIES),
            case("19 rules of policies", true, &published::WITH_POLICIES),
        ],
        others: vec![("published for five regions (9.2.1)", published::DSW.to_vec())],
    }
}

/// Files of the sample `dsw`, with the definitions of its application and file regions put together.
fn dsw_files(policies: bool) -> Files {
    let application = include_str!("../../../../../samples/dsw/application/application.csd");
    let files = include_str!("../../../../../samples/dsw/files/files.csd");
    let own = application.split("  DEFINE FILE(").next().unwrap_or_default();
    let sets = files.split("  DEFINE CONNECTION(").next().unwrap_or_default();
    let bundle = "  DEFINE BUNDLE(NINETEEN) GROUP(DSW) BUNDLEDIR(nineteen)\n";
    let csd = format!("{own}{sets}{}", if policies { bundle } else { "" });
    let mut all = owned(&[
        ("DSWTASK.cbl", include_str!("../../../../../samples/dsw/application/cobol/DSWTASK.cbl")),
        ("DSWFILL.cbl", include_str!("../../../../../samples/dsw/files/cobol/DSWFILL.cbl")),
        ("DSWSET.bms", include_str!("../../../../../samples/dsw/application/maps/DSWSET.bms")),
        ("files.idcams", include_str!("../../../../../samples/dsw/files/files.idcams")),
        ("workload.csd", &csd),
    ]);
    if policies {
        all.extend(owned(&[
            ("nineteen/META-INF/cics.xml", crate::compiler::MANIFEST),
            ("nineteen/nineteen.policy", crate::compiler::POLICY),
        ]));
    }
    let region = REGION.replace("{PORT}", "0").replace(
        "csd = [\"workload.csd\"]\n",
        "csd = [\"workload.csd\"]\nmaps = [\".\"]\nidcams = [\"files.idcams\"]\n",
    );
    all.push((String::from("region.toml"), region + "\n[plt]\nstartup = [\"DSWFILL\"]\n"));
    all
}

/// Containers of a channel: those of the published tables, and up to the 9,000 of which the report speaks.
const CONTAINERS: [(u32, f64); 8] = [
    (10, 570.0),
    (100, 570.0),
    (250, 570.0),
    (500, 570.0),
    (750, 570.0),
    (2_000, 200.0),
    (4_500, 100.0),
    (9_000, 50.0),
];

fn containers() -> Workload {
    let source = ("WLCONTS.cbl", include_str!("../../programs/workload/wlconts.cbl"));
    let csd = include_str!("../../programs/workload/containers.csd");
    let case = |name, concurrency, published: &[_]| Case {
        name,
        files: application(source, &csd.replace("{CONCURRENCY}", concurrency), ""),
        loads: CONTAINERS
            .iter()
            .map(|(count, rate)| Load::conversation(&format!("WLCT {count:08}"), *rate).at(f64::from(*count)))
            .collect(),
        published: published.to_vec(),
    };
    Workload {
        name: "containers",
        section: "9.10, channels and containers",
        terminals: 500,
        across: Across::Containers,
        cases: vec![
            case(NOT_THREADSAFE, "QUASIRENT", &published::CONTAINERS_QR),
            case(THREADSAFE, "REQUIRED", &published::CONTAINERS_OPEN),
        ],
        others: Vec::new(),
    }
}

/// Records of each data table, and those of a small one: 50 that are 977 apart from any of the first 1,150.
const RECORDS: usize = 50_000;

fn data_tables(small: bool) -> Workload {
    let source = ("WLTABLE.cbl", include_str!("../../programs/workload/wltable.cbl"));
    let csd = include_str!("../../programs/workload/tables.csd");
    let more = "\n[[load]]\ndataset = \"LOAD.TABLE\"\nfile = \"table.txt\"\n";
    let rates = [800.0, 1_600.0, 2_204.0, 3_079.0, 4_000.0, 5_709.0, 7_937.0];
    let case = |name, concurrency, published: &[_]| {
        let mut files = application(source, &csd.replace("{CONCURRENCY}", concurrency), more);
        let region = files.iter_mut().find(|(name, _)| name == "region.toml");
        if let Some((_, text)) = region {
            *text = text.replace(
                "csd = [\"workload.csd\"]\n",
                "csd = [\"workload.csd\"]\nidcams = [\"table.idcams\"]\n",
            );
        }
        files.extend(owned(&[("table.idcams", include_str!("../../programs/workload/tables.idcams"))]));
        files.push((String::from("table.txt"), inputs::table_lines(RECORDS)));
        let rates = if small { &rates[..1] } else { &rates };
        let loads = rates.iter().map(|rate| Load::conversation("WLTB", *rate)).collect();
        Case { name, files, loads, published: published.to_vec() }
    };
    Workload {
        name: "data-tables",
        section: "9.11, coupling-facility data tables",
        terminals: 1_000,
        across: Across::Rate,
        cases: vec![
            case(NOT_THREADSAFE, "QUASIRENT", &published::TABLES_QR),
            case(THREADSAFE, "REQUIRED", &published::TABLES_OPEN),
        ],
        others: Vec::new(),
    }
}

/// The seven transactions of the sample in turn, each with another number.
fn relational(terminal: usize, task: usize) -> String {
    format!("RTW{} {:08}", (terminal + task) % 7 + 1, (terminal * 7_919 + task * 31) % 1_000)
}

fn rtw() -> Workload {
    let rates = [50.0, 100.0, 200.0, 400.0, 713.0, 997.0, 1_417.0, 1_960.0, 2_402.0];
    let load = |rate| Load {
        first: relational(0, 0),
        screens: ["rows", "rows"],
        input: Input::Typed(relational),
        rate,
        place: rate,
    };
    let mut files = owned(&crate::sql::rtw::FILES);
    files.push((String::from("region.toml"), crate::sql::rtw::CONFIG.replace(":3270\"", ":0\"")));
    Workload {
        name: "rtw",
        section: "9.2.4, relational transactional workload, threadsafe",
        terminals: 500,
        across: Across::Rate,
        cases: vec![Case {
            name: THREADSAFE,
            files,
            loads: rates.map(load).to_vec(),
            published: published::RTW.to_vec(),
        }],
        others: Vec::new(),
    }
}

/// Commands of a task whose trace makes about 30 MB a second at the published rate.
const TRACED_COMMANDS: u32 = 100;
/// A key for data, that protects nothing.
const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n";

fn encrypted_trace() -> Workload {
    let source = ("WLTRACE.cbl", include_str!("../../programs/workload/wltrace.cbl"));
    let csd = include_str!("../../programs/workload/trace.csd");
    let case = |name, more: &str, published: &[_]| Case {
        name,
        files: {
            let mut files = application(source, csd, &format!("AUXTR = \"ON\"\n{more}"));
            files.extend(owned(&[(super::stage::KEY_FILE, KEY)]));
            files
        },
        loads: vec![Load::conversation(&format!("WLTR {TRACED_COMMANDS:08}"), 1_650.0)],
        published: published.to_vec(),
    };
    let encrypted = format!("\n[data]\nencryption-key-file = \"{}\"\n", super::stage::KEY_FILE);
    Workload {
        name: "encrypted-trace",
        section: "9.13, encrypted file systems",
        terminals: 500,
        across: Across::Rate,
        cases: vec![
            case("trace in clear", "", &published::TRACE_CLEAR),
            case("trace encrypted", &encrypted, &published::TRACE_ENCRYPTED),
        ],
        others: Vec::new(),
    }
}
