//! Clients of others against a service: zeep for SOAP, schemathesis for JSON. Both come from PyPI on first use; where it
//! cannot be reached the tests say so and show nothing.

mod service;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tokio::task::LocalSet;

/// A private Python with the libraries, made on first use.
fn python(module: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(module);
    let python = folder.join("bin/python3");
    let succeeds = |command: &mut Command| {
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    let has_library = || succeeds(Command::new(&python).args(["-c", &format!("import {module}")]));
    let made = has_library()
        || succeeds(Command::new("python3").args(["-m", "venv"]).arg(&folder))
            && succeeds(Command::new(&python).args(["-m", "pip", "install", "--quiet", module]))
            && has_library();
    if !made {
        eprintln!("{module} cannot be installed: nothing is shown");
    }
    made.then_some(python)
}

#[tokio::test]
async fn zeep_gets_back_what_it_sent_and_faults_by_name() {
    let Some(python) = python("zeep") else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/service/zeep_client.py");
    let test = async {
        for options in ["", "LOCAL-ELEMENTS=QUALIFIED\n"] {
            let (_served, port) = service::open(options);
            let mut client = tokio::process::Command::new(&python);
            let output =
                client.env("PYTHONIOENCODING", "utf-8").arg(&script).arg(port.to_string()).output().await;
            let output = output.expect("the script runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let expected = |code: &str| {
                let failed = format!("{code} Conversion from SOAP failed DFHPI");
                format!(
                    "17 A & <b> é -12.34 [('screw', -1), ('nut', 32767)]\n{failed}1009 OUTPUT_OVERFLOW\n\
                     {failed}1009 FRACTION_TOO_LONG\n"
                )
            };
            let both = expected("Client") + &expected("Sender");
            assert_eq!(String::from_utf8_lossy(&output.stdout), both);
        }
    };
    LocalSet::new().run_until(test).await;
}

#[tokio::test]
async fn schemathesis_finds_no_input_that_hurts() {
    let Some(python) = python("schemathesis") else { return };
    let test = async {
        let (_served, port) = service::open("");
        // It leaves notes where it runs.
        let folder = tempfile::tempdir().expect("a folder");
        let output = tokio::process::Command::new(python.with_file_name("schemathesis"))
            .current_dir(folder.path())
            .args([
                "run",
                &format!("http://127.0.0.1:{port}/openapi.json"),
                "--max-examples",
                "100",
                "--seed",
                "17",
            ])
            .args(["--checks", "all"])
            .output()
            .await
            .expect("schemathesis runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    };
    LocalSet::new().run_until(test).await;
}
