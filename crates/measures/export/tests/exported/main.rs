//! Exported files: read by DuckDB, asked the queries of docs/queries.md, and what becomes of files that are damaged.

mod recorded;

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use expect_test::expect_file;
use tempfile::TempDir;

/// The files of the small set.
struct Recorded {
    folder: TempDir,
}

impl Recorded {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("performance-000001.rec"), recorded::monitoring()).expect("written");
        fs::write(folder.path().join("statistics-000001.rec"), recorded::statistics()).expect("written");
        Self { folder }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Exports both files into a folder.
    fn export(&self, to: &str, more: &[&str]) -> Output {
        let files = ["performance-000001.rec", "statistics-000001.rec"].map(|name| self.file(name));
        let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint-export"));
        for file in files.iter().filter(|file| file.exists()) {
            command.arg("--file").arg(file);
        }
        command.arg("--to").arg(self.file(to)).args(more).output().expect("the program")
    }
}

/// The text of an error.
fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Asks DuckDB, where it is installed.
fn ask(folder: &Path, queries: &[String]) -> Option<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", root.join("target/suites/duckdb"));
    let there = python.args(["-c", "import duckdb"]).stderr(Stdio::null()).status();
    if !there.is_ok_and(|status| status.success()) {
        eprintln!("skipped: DuckDB is not installed (scripts/install test installs it below target/suites)");
        return None;
    }
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", root.join("target/suites/duckdb")).env("TZ", "UTC");
    python.arg(root.join("tests/queries/ask.py")).arg(folder);
    let mut asked = python.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python3");
    let text = serde_json::to_vec(queries).expect("a list of texts");
    asked.stdin.take().expect("its input").write_all(&text).expect("the queries");
    let answered = asked.wait_with_output().expect("an answer");
    assert!(answered.status.success(), "DuckDB has refused a query");
    Some(serde_json::from_slice(&answered.stdout).expect("a list of texts"))
}

/// The queries of a page, in order.
fn queries(page: &str) -> Vec<String> {
    let blocks = page.split("```sql\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap_or_default().to_owned()).collect()
}

/// The page with these answers below its queries.
fn answered(page: &str, answers: &[String]) -> String {
    let (mut out, mut answers, mut is_answer) = (String::new(), answers.iter(), false);
    for line in page.lines() {
        if !is_answer || line == "```" {
            out.push_str(line);
            out.push('\n');
        }
        match line {
            "```text" => {
                is_answer = true;
                out.push_str(answers.next().map_or("no query asks for this", String::as_str));
                out.push('\n');
            }
            "```" => is_answer = false,
            _ => {}
        }
    }
    out
}

#[test]
fn duckdb_answers_the_queries_of_the_page_from_parquet_and_from_csv() {
    let recorded = Recorded::new();
    let page = include_str!("../../../../../docs/queries.md");
    let queries = queries(page);
    assert!(queries.len() >= 10);
    for (format, extension) in [("parquet", ".parquet'"), ("csv", ".csv'")] {
        let output = recorded.export(format, &["--format", format]);
        assert!(output.status.success(), "{}", told(&output));
        let queries: Vec<_> = queries.iter().map(|query| query.replace(".parquet'", extension)).collect();
        let Some(answers) = ask(&recorded.file(format), &queries) else { return };
        expect_file!["../../../../../docs/queries.md"].assert_eq(&answered(page, &answers));
    }
}

#[test]
fn columns_have_types_and_what_a_record_leaves_out_is_zero_or_nothing() {
    let recorded = Recorded::new();
    assert!(recorded.export("out", &[]).status.success());
    let queries = [
        "SELECT column_name, column_type FROM (DESCRIBE SELECT RECORD, TRAN, START, USRCPUT, USRCPUT_COUNT, FCTOTCT \
         FROM 'performance.parquet')",
        "SELECT TRANNUM, FCGETCT, FCPUTCT, FCTOTCT, ENQDELAY, SPLOCKWT_COUNT, ABCODEC FROM 'performance.parquet' \
         ORDER BY TRANNUM LIMIT 3",
        "SELECT count(*) AS written, (SELECT RECORDS FROM 'sources.parquet' LIMIT 1) AS counted FROM \
         (SELECT TRAN FROM 'performance.parquet' UNION ALL SELECT EXCMNTRN FROM 'exception.parquet' UNION ALL \
         SELECT MNR_TRAN FROM 'resource.parquet')",
    ];
    let Some(answers) = ask(&recorded.file("out"), &queries.map(str::to_owned)) else { return };
    expect_test::expect![[r#"
        column_name    column_type
        RECORD         BIGINT
        TRAN           VARCHAR
        START          TIMESTAMP WITH TIME ZONE
        USRCPUT        BIGINT
        USRCPUT_COUNT  BIGINT
        FCTOTCT        BIGINT

        TRANNUM  FCGETCT  FCPUTCT  FCTOTCT  ENQDELAY  SPLOCKWT_COUNT  ABCODEC
              1        2        1        3         0               0
              2        2        1        3  12000000               1
              3        1        1        2         0               0  ASRA

        written  counted
             27       27"#]]
    .assert_eq(&answers.join("\n\n"));
}

#[test]
fn csv_has_published_names_and_points_in_time_and_needs_no_tool() {
    let recorded = Recorded::new();
    assert!(recorded.export("out", &["--format", "csv"]).status.success());
    let read = |name: &str| fs::read_to_string(recorded.file("out").join(name)).expect("a file");
    let performance = read("performance.csv");
    assert!(performance.starts_with("RECORD,TRAN,RTYPE,START,STOP,TRANNUM,USERID,"), "{performance}");
    assert!(performance.contains("\n1,AUTH,T,2027-01-15T08:00:01.000000Z,"), "{performance}");
    assert_eq!(
        read("statistics_work.csv").lines().nth(1),
        Some("2027-01-15T11:00:00.000000Z,INT,TRANSACTION.AUTH,8")
    );
    assert!(!recorded.file("out").join("statistics_file.csv").exists(), "no file was counted");
    let rights = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(rights(&recorded.file("out")), 0o700);
    assert_eq!(rights(&recorded.file("out").join("waits.csv")), 0o600);
}

#[test]
fn damage_is_said_and_what_is_whole_before_it_is_exported() {
    let recorded = Recorded::new();
    let (whole, statistics) = (recorded::monitoring(), recorded::statistics());
    let rows = |to: &str| {
        let text = fs::read_to_string(recorded.file(to).join("performance.csv")).expect("a file");
        text.lines().count() - 1
    };
    // Bytes behind the last whole record: a region was killed, or writes on.
    fs::write(recorded.file("performance-000001.rec"), &whole[..whole.len() - 1]).expect("written");
    let output = recorded.export("cut", &["--format", "csv"]);
    assert!(
        output.status.code() == Some(1) && told(&output).contains("no whole record"),
        "{}",
        told(&output)
    );
    assert_eq!(rows("cut"), 12, "the last frame says how many records are missing");
    // Bytes within that are no record, nor the length of one.
    let at = whole.len() - 400;
    let mut garbled = whole.clone();
    garbled[at..at + 40].fill(0xff);
    fs::write(recorded.file("performance-000001.rec"), &garbled).expect("written");
    let output = recorded.export("garbled", &["--format", "csv"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(rows("garbled") < 12, "{}", told(&output));
    assert!(told(&output).contains("performance-000001.rec"), "{}", told(&output));
    let sources = fs::read_to_string(recorded.file("garbled").join("sources.csv")).expect("a file");
    assert!(sources.contains("no record") || sources.contains("no whole record"), "{sources}");
    // No file of records at all: the other one is exported.
    fs::write(recorded.file("performance-000001.rec"), b"SYNC").expect("written");
    let output = recorded.export("other", &["--format", "csv"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(recorded.file("other").join("statistics_work.csv").exists());
    // Whatever a byte becomes: no panic, and never silence about a record that is missing.
    for at in (0..statistics.len()).step_by(11) {
        let mut garbled = statistics.clone();
        garbled[at] ^= 0x41;
        fs::write(recorded.file("statistics-000001.rec"), &garbled).expect("written");
        let output = recorded.export(&format!("byte-{at}"), &["--format", "csv"]);
        assert!(output.status.code().is_some_and(|code| code < 2), "{at}: {}", told(&output));
    }
}

#[test]
fn a_folder_with_files_is_never_written_to() {
    let recorded = Recorded::new();
    fs::create_dir(recorded.file("out")).expect("a folder");
    assert!(recorded.export("out", &[]).status.success(), "an empty folder will do");
    let before = fs::read_dir(recorded.file("out")).expect("a folder").count();
    let output = recorded.export("out", &["--format", "csv"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(told(&output).contains("has files already"), "{}", told(&output));
    assert_eq!(fs::read_dir(recorded.file("out")).expect("a folder").count(), before);
    let left = fs::read_dir(recorded.folder.path()).expect("a folder").flatten();
    assert!(left.map(|entry| entry.file_name()).all(|name| !name.to_string_lossy().starts_with('.')));
}

#[test]
fn records_of_an_encrypted_state_are_read_with_the_key_of_their_application() {
    let recorded = Recorded::new();
    let root = recorded.folder.path();
    let state = root.join(".syncpoint");
    let records = state.join("instruments");
    fs::create_dir_all(&records).expect("folders");
    let key = root.join("1.key");
    fs::write(&key, format!("{:064x}\n", 1)).expect("written");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).expect("rights");
    let mut bytes = [0; 32];
    bytes[31] = 1;
    sealed::protect(&state, &bytes, None).expect("a keyring");
    fs::rename(recorded.file("performance-000001.rec"), records.join("performance-000001.rec"))
        .expect("moved");
    assert_eq!(sealed::seal_folder(&records).expect("sealed"), 1);
    let export = |to: &str, region: &str| {
        fs::write(root.join("region.toml"), region).expect("written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint-export"));
        command.args([".", "--to", to, "--format", "csv"]).current_dir(root).output().expect("the program")
    };
    let output = export("with", "[data]\nencryption-key-file = \"1.key\"\n");
    assert!(output.status.success(), "{}", told(&output));
    let performance = fs::read_to_string(root.join("with/performance.csv")).expect("a file");
    assert!(performance.contains("\n1,AUTH,T,"), "{performance}");
    let output = export("without", "");
    assert_eq!(output.status.code(), Some(1));
    assert!(told(&output).contains("cannot be read"), "{}", told(&output));
    let sources = fs::read_to_string(root.join("without/sources.csv")).expect("a file");
    assert!(sources.contains("it cannot be read"), "{sources}");
    // Nothing recorded at all.
    fs::remove_dir_all(&state).expect("removed");
    let output = export("nothing", "");
    assert!(output.status.code() == Some(1) && told(&output).contains("has no records"), "{}", told(&output));
}
