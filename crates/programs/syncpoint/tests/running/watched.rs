//! A region that is watched: `/metrics` and `/health`, the dashboard that comes with it, the page of reports, and its records.

mod openmetrics;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output};

use instruments::format::{ColumnForm, Encoder, KindLayout, Layout, LayoutColumn};
use serde_json::Value;
use tempfile::TempDir;

use crate::bank::{needs, repository};
use crate::house::{FREE_PORT, Region, application};
use openmetrics::Exposition;

/// Reads a record, writes one, keeps a line in a queue; GOOD ends well, anything else abends.
const PROGRAM: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WORKS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                 PIC S9(08) COMP.
       01  WS-WORD                 PIC X(04).
       01  WS-RECORD               PIC X(10).
       PROCEDURE DIVISION.
           EXEC CICS RETRIEVE INTO(WS-WORD) END-EXEC
           EXEC CICS READ FILE('PAIR') INTO(WS-RECORD)
                     RIDFLD('A   ') UPDATE
           END-EXEC
           EXEC CICS REWRITE FILE('PAIR') FROM(WS-RECORD) END-EXEC
           EXEC CICS WRITEQ TD QUEUE('LOGA') FROM(WS-RECORD) END-EXEC
           IF WS-WORD NOT = 'GOOD'
              EXEC CICS ABEND ABCODE('OOPS') NODUMP END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.
";

const DATA_SETS: &str = " DEFINE CLUSTER (NAME(WORK.PAIR) INDEXED KEYS(4 0) RECORDSIZE(10 10))\n";

/// A transaction's name may have such letters.
const DEFINITIONS: &str = "
DEFINE TRANSACTION(W<&>) GROUP(WORK) PROGRAM(WORKS)
DEFINE PROGRAM(WORKS) GROUP(WORK)
DEFINE TDQUEUE(LOGA) GROUP(WORK) TYPE(INTRA)
DEFINE TCPIPSERVICE(SHOP) GROUP(WORK) PORTNUMBER(80)
DEFINE FILE(PAIR) GROUP(WORK) DSNAME(WORK.PAIR)
       READ(YES) ADD(YES) UPDATE(YES) RECOVERY(BACKOUTONLY)
";

const LOAD: &str = "[[load]]\ndataset = \"WORK.PAIR\"\nfile = \"pair.txt\"\n";
const MONITORED: &str =
    "[sit]\nMN = \"ON\"\nMNPER = \"ON\"\nMNEXC = \"ON\"\nMNRES = \"ON\"\nMNIDN = \"ON\"\n";
const WATCHED: &str = "[operate]\nlisten = \"127.0.0.1:0\"\n";
const SERVICES: &str = "[web.services]\nSHOP = \"127.0.0.1:0\"\n";

fn house(more: &str) -> TempDir {
    application(&[
        ("region.toml", &format!("{more}{FREE_PORT}{SERVICES}{LOAD}")),
        ("work.csd", DEFINITIONS),
        ("work.idcams", DATA_SETS),
        ("pair.txt", "A   FIRST \nB   SECOND\n"),
        ("programs/WORKS.cbl", PROGRAM),
    ])
}

fn syncpoint(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").output().expect("syncpoint starts")
}

/// The answer to a GET: its status, and its body.
fn get(at: &str, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(at).expect("a connection");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {at}\r\n\r\n").expect("it takes the request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status");
    (status, body.to_owned())
}

/// The address of the port for those who watch.
fn watched(region: &Region) -> String {
    region.logged("/metrics and /health are read at http://")
}

#[test]
fn figures_are_those_of_the_region_in_the_format_of_openmetrics() {
    let folder = house(&format!("applid = \"WATCHED\"\n{WATCHED}{MONITORED}"));
    let region = Region::start(folder.path());
    let at = watched(&region);
    let work = |word: &str| syncpoint(folder.path(), &["start", ".", "W<&>", word]).status.success();
    assert!(work("GOOD") && work("GOOD") && !work("BAD "));
    let (status, text) = get(&at, "/metrics");
    assert_eq!(status, 200);
    let read = Exposition::read(&text).unwrap_or_else(|why| panic!("{why}:\n{text}"));
    let own = &[("transaction", "W<&>")][..];
    let with = |label, value| [own, &[(label, value)]].concat();
    assert_eq!(read.value("syncpoint_transactions_total", &with("outcome", "normal")), Some(2.0));
    assert_eq!(read.value("syncpoint_transactions_total", &with("outcome", "abend")), Some(1.0));
    assert_eq!(read.value("syncpoint_transaction_seconds_count", own), Some(3.0));
    assert_eq!(read.value("syncpoint_transaction_seconds_bucket", &with("le", "+Inf")), Some(3.0));
    assert!(read.value("syncpoint_transaction_seconds_sum", own) > Some(0.0), "{text}");
    assert!(read.value("syncpoint_transaction_cpu_seconds_total", own) > Some(0.0), "{text}");
    let updates = [("file", "PAIR"), ("kind", "update")];
    assert_eq!(read.value("syncpoint_file_requests_total", &updates), Some(3.0));
    assert_eq!(read.value("syncpoint_transient_data_items", &[("queue", "LOGA")]), Some(3.0));
    assert_eq!(read.value("syncpoint_serves", &[]), Some(1.0));
    assert_eq!(read.value("syncpoint_samples_left_out", &[]), Some(0.0));
    assert!(read.value("process_resident_memory_bytes", &[]) > Some(1e6), "{text}");
    assert!(text.contains("syncpoint_region_info{applid=\"WATCHED\",sysid=\"SYNC\",version="), "{text}");
    let (status, health) = get(&at, "/health");
    let health: Value = serde_json::from_str(&health).expect("JSON");
    assert!(status == 200 && health["serves"] == true && health["applid"] == "WATCHED", "{health}");
    // Counters go on where statistics are reset.
    assert!(
        syncpoint(folder.path(), &["cemt", ".", "PERFORM STATISTICS ALL RECORD RESETNOW"]).status.success()
    );
    let again = Exposition::read(&get(&at, "/metrics").1).expect("figures");
    assert_eq!(again.value("syncpoint_file_requests_total", &updates), Some(3.0));
    dashboard_names_only(&again);
    // Its log tells of the abend, so the end alone is looked at.
    region.signal("INT");
    let (status, log) = region.ended();
    assert!(status.success(), "{log}");
    assert!(TcpStream::connect(&at).is_err(), "the port is closed");
}

#[test]
fn a_terminal_shows_what_a_region_does() {
    let folder = house("applid = \"SHOWN\"\n");
    let nobody = syncpoint(folder.path(), &["top", ".", "--once"]);
    assert!(!nobody.status.success() && String::from_utf8_lossy(&nobody.stderr).contains("SPCL030"));
    let region = Region::start(folder.path());
    for word in ["GOOD", "GOOD"] {
        assert!(syncpoint(folder.path(), &["start", ".", "W<&>", word]).status.success());
    }
    let shown = syncpoint(folder.path(), &["top", ".", "--once"]);
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.status.success() && text.starts_with("SHOWN (SYNC) serves"), "{text}");
    let row = |name: &str| text.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_default();
    assert!(row("W<&>").ends_with(" 2"), "two have ended:\n{text}");
    assert!(row("PAIR").split_whitespace().count() == 7 && !row("open-1").is_empty(), "{text}");
    // Without a terminal its questions could not be answered.
    let refused = syncpoint(folder.path(), &["top", "."]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("SPCL045"));
    let log = region.log();
    assert!(!log.contains("INQUIRE TASK"), "who looks each second fills no log: {log}");
    region.ends_in_order();
}

#[test]
fn no_client_watches_a_region_that_does_not_say_so_and_no_other_machine_does() {
    let folder = house("");
    let region = Region::start(folder.path());
    assert!(!region.log().contains("/metrics"), "{}", region.log());
    region.ends_in_order();
    let folder = house("[operate]\nlisten = \"0.0.0.0:0\"\n");
    let said = Region::refused(folder.path());
    assert!(said.contains("other machines could reach this listener"), "{said}");
    assert!(said.contains("names of transactions, files and queues"), "{said}");
}

/// Every panel of the dashboard asks for figures that there are, by labels that they have.
fn dashboard_names_only(there: &Exposition) {
    let path = repository().join("packaging/grafana/syncpoint.json");
    let text = fs::read_to_string(path).expect("the dashboard");
    let dashboard: Value = serde_json::from_str(&text).expect("JSON");
    let labels = there.labels();
    for panel in dashboard["panels"].as_array().expect("panels") {
        for target in panel["targets"].as_array().expect("targets") {
            let expression = target["expr"].as_str().expect("an expression");
            let names: Vec<_> = words(expression).filter(|word| is_figure(word)).collect();
            assert!(!names.is_empty(), "{expression}");
            let mut known = BTreeSet::from(["instance", "le"]);
            for name in names {
                let of = labels.get(name).unwrap_or_else(|| panic!("there is no {name}: {expression}"));
                known.extend(of.iter().map(String::as_str));
            }
            let shown = target["legendFormat"].as_str().unwrap_or_default().split("{{").skip(1);
            for label in shown.filter_map(|rest| rest.split("}}").next()) {
                assert!(known.contains(label), "{label} is no label: {expression}");
            }
            let by = expression.split("by (").skip(1).filter_map(|rest| rest.split(')').next());
            for label in by.flat_map(|list| list.split(", ")) {
                assert!(known.contains(label), "{label} is no label: {expression}");
            }
        }
    }
}

fn words(expression: &str) -> impl Iterator<Item = &str> {
    expression.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
}

fn is_figure(word: &str) -> bool {
    word.starts_with("syncpoint_") || word.starts_with("process_")
}

/// A member of an object, and its type.
type Member<'a> = (&'a str, fn(&Value) -> bool);

/// The members of an object that must be there, each with its type.
fn has(object: &Value, members: &[Member<'_>]) {
    for (name, is_good) in members {
        assert!(is_good(&object[name]), "{name} is missing, or is not of its type: {object}");
    }
}

#[test]
fn the_dashboard_is_one_that_grafana_takes() {
    let path = repository().join("packaging/grafana/syncpoint.json");
    let dashboard: Value =
        serde_json::from_str(&fs::read_to_string(path).expect("it is there")).expect("JSON");
    has(
        &dashboard,
        &[
            ("uid", Value::is_string),
            ("title", Value::is_string),
            ("schemaVersion", Value::is_u64),
            ("panels", Value::is_array),
            ("templating", Value::is_object),
            ("time", Value::is_object),
            ("annotations", Value::is_object),
        ],
    );
    assert!(dashboard["id"].is_null(), "an id would be that of one Grafana alone");
    let uid = dashboard["uid"].as_str().expect("a text");
    assert!(uid.len() <= 40 && uid.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{uid}");
    let variables = dashboard["templating"]["list"].as_array().expect("variables");
    let names: Vec<_> = variables.iter().filter_map(|variable| variable["name"].as_str()).collect();
    assert!(
        variables.iter().all(|v| ["datasource", "query"].contains(&v["type"].as_str().unwrap_or_default()))
    );
    let (mut ids, mut taken) = (BTreeSet::new(), BTreeSet::new());
    for panel in dashboard["panels"].as_array().expect("panels") {
        has(
            panel,
            &[
                ("id", Value::is_u64),
                ("title", Value::is_string),
                ("gridPos", Value::is_object),
                ("targets", Value::is_array),
                ("fieldConfig", Value::is_object),
                ("options", Value::is_object),
            ],
        );
        assert!(ids.insert(panel["id"].as_u64()), "an id comes twice: {panel}");
        assert!(["timeseries", "stat"].contains(&panel["type"].as_str().expect("a type")), "{panel}");
        let place = |side: &str| panel["gridPos"][side].as_u64().expect("a number");
        let (x, y, w, h) = (place("x"), place("y"), place("w"), place("h"));
        assert!(w > 0 && h > 0 && x + w <= 24, "it does not fit: {panel}");
        for cell in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
            assert!(taken.insert(cell), "it lies on another one: {panel}");
        }
        let mut letters = BTreeSet::new();
        for target in panel["targets"].as_array().expect("targets") {
            has(target, &[("expr", Value::is_string), ("refId", Value::is_string)]);
            assert!(letters.insert(target["refId"].as_str()), "a refId comes twice: {panel}");
            let expression = target["expr"].as_str().expect("a text");
            let balanced =
                |open, close| expression.matches(open).count() == expression.matches(close).count();
            assert!(balanced('(', ')') && balanced('{', '}') && balanced('[', ']'), "{expression}");
            for object in [panel, target] {
                assert_eq!(object["datasource"]["type"], "prometheus");
                assert_eq!(object["datasource"]["uid"], "${datasource}");
            }
            for variable in expression.split('$').skip(1) {
                let variable: String =
                    variable.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                assert!(variable.starts_with("__rate") || names.contains(&variable.as_str()), "{expression}");
            }
        }
    }
}

/// A name that is a piece of HTML.
const NAME: &str = "<script>window.ran=1;document.title='x'</script><img src=http://127.0.0.1:1/x>&amp;'\"";

/// A file of performance records whose names are pieces of HTML.
fn records() -> Vec<u8> {
    use ColumnForm::{Clock, Stamp, Text};
    let columns = [
        (Text, "TRAN"),
        (Stamp, "START"),
        (Stamp, "STOP"),
        (Clock, "USRDISPT"),
        (Clock, "USRCPUT"),
        (Text, "USERID"),
        (Text, "ABCODEC"),
        (Clock, "SUSPTIME JCIOWTT"),
    ];
    let columns = columns.map(|(form, names)| LayoutColumn { form, names: names.to_owned() }).to_vec();
    let mut bytes = Layout { kinds: vec![KindLayout { name: "performance".to_owned(), columns }] }.header();
    for task in 0..200 {
        let start = 1_800_000_000_000_000 + task * 3_000_000;
        let mut record = Encoder::begin(&mut bytes, 0);
        for column in [0, 5, 6] {
            record.text(column, NAME.as_bytes());
        }
        record.number(1, start);
        record.number(2, start + 1_000 + task);
        record.clock(3, 400_000 + task * 1_000, 1);
        record.clock(4, 300_000, 1);
        record.clock(7, 600_000, 1);
        record.end();
    }
    bytes
}

#[test]
fn a_browser_shows_the_page_of_reports_and_runs_nothing_of_what_names_say() {
    needs(&["python3", "chromium"]);
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("performance-000001.rec"), records()).expect("written");
    let written = syncpoint(
        folder.path(),
        &["report", "--html", "page.html", "--file", "performance-000001.rec", "--every", "10"],
    );
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let script = repository().join("tests/report/html_page.py");
    let page = folder.path().join("page.html");
    let walked = Command::new("python3").arg(script).arg(page).arg(NAME).output().expect("python3");
    let told = String::from_utf8_lossy(&walked.stdout);
    assert!(walked.status.success(), "{told}{}", String::from_utf8_lossy(&walked.stderr));
    // The form of the command: subcommands are as they were, and one of the two there must be.
    let refused = syncpoint(folder.path(), &["report"]);
    assert_eq!(refused.status.code(), Some(2));
    // A damaged file ends the command, as it ends every report.
    fs::write(folder.path().join("damaged.rec"), b"SYNCREC1\x02\x01\x01").expect("written");
    let refused = syncpoint(folder.path(), &["report", "--html", "other.html", "--file", "damaged.rec"]);
    assert!(!refused.status.success() && !folder.path().join("other.html").exists());
}

#[test]
fn a_region_that_has_worked_has_a_page_of_its_reports() {
    let folder = house(MONITORED);
    let region = Region::start(folder.path());
    assert!(syncpoint(folder.path(), &["start", ".", "W<&>", "GOOD"]).status.success());
    region.ends_in_order();
    assert!(syncpoint(folder.path(), &["report", "--html", "page.html"]).status.success());
    let page = fs::read_to_string(folder.path().join("page.html")).expect("the page");
    for text in
        ["<td>W&lt;&amp;&gt;</td>", "Slowest tasks", "<summary>Statistics</summary>", "<td>A17DSWRU</td>"]
    {
        assert!(page.contains(text), "{text}: {page}");
    }
    let without_names = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!page.contains("<script") && !without_names.contains("http:"), "{page}");
}

/// Labels by the name of the samples that have them.
type Labels = BTreeMap<String, BTreeSet<String>>;
