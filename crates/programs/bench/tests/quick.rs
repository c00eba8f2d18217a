//! The benches run: every promise gets its line, whatever its figures.

use std::process::Command;

#[test]
fn every_promise_is_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let product = std::path::Path::new(env!("CARGO_BIN_EXE_bench")).with_file_name("syncpoint");
    let all = [
        "null-task",
        "monitoring-on",
        "encrypted-trace",
        "security-on",
        "link",
        "exec-call",
        "tcb-scaling",
        "waiting-task-memory",
        "containers-750",
        "record-read",
        "optimised-against-ezasoket",
        "sql-select-region",
        "sql-cursor-region",
        "sql-unit-region",
        "record-update-forced-64",
        "record-update-forced-1",
        "record-update-unforced",
        "record-unit-database",
        "record-unit-direct",
        "record-browse-20",
        "record-load",
        "restart-replay",
        "encryption",
        "save-to-screen",
    ];
    let own = ["compile-2000", "load-100"];
    // Valgrind counts instructions.
    let counts =
        Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success());
    if !counts {
        println!(
            "valgrind is not there: rows that count instructions are left out; `apt-get install valgrind` brings it"
        );
    }
    let counted: &[&str] = if counts { &["statement", "call"] } else { &[] };
    let web = [
        "soap-persistent",
        "direct-service",
        "soap-connection",
        "json-persistent",
        "order-soap",
        "tls-persistent",
        "slow-clients",
        "link-exchange",
        "function-shipped-read",
        "rls-unit",
        "dpl",
        "routed-transaction",
    ];
    // The product is there when the whole workspace is tested, which is what continuous integration does.
    let of_product: [&[&str]; 2] = match (product.is_file(), counts) {
        (true, true) => {
            [&["auth-log", "auth-instructions", "auth-security", "console-open", "rls-four"], &["warm-start"]]
        }
        (true, false) => [&["auth-log", "auth-security", "console-open", "rls-four"], &["warm-start"]],
        (false, _) => [&[], &[]],
    };
    let expected: Vec<&str> = [&all, of_product[0], &web, counted, &own, of_product[1]].concat();
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .arg("--quick")
        .arg("--out")
        .arg(folder.path())
        .args(&expected)
        .output()
        .expect("the bench starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = std::fs::read_to_string(folder.path().join("promises.tsv")).expect("a table");
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("id\twhat\tunit\tfigure\tfloor\tratio\tpromise\tholds"));
    let ids: Vec<&str> = lines.filter_map(|line| line.split('\t').next()).collect();
    assert_eq!(ids, expected);
}

/// Each workload that terminals or sockets drive runs, small. The product is there when the whole workspace is tested.
#[test]
fn every_workload_runs() {
    let bench = std::path::Path::new(env!("CARGO_BIN_EXE_bench"));
    if !bench.with_file_name("syncpoint").is_file() {
        println!("the product is not built: workloads are left out");
        return;
    }
    for (name, says) in [
        ("dsw-one-region", "19 rules of policies"),
        ("containers", "threadsafe"),
        ("data-tables", "threadsafe"),
        ("encrypted-trace", "trace encrypted"),
        ("sockets", "conversation"),
    ] {
        let output = Command::new(bench).args(["workload", name, "--quick"]).output().expect("it starts");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(says) && text.contains("Published"), "{name}: {text}");
    }
}
