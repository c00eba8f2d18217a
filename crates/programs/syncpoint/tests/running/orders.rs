//! The sample of web services: an order of fifty lines, and ten fields of 80 bytes, by the command line and by curl, in JSON
//! and SOAP.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::house::Region;

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/orders")
}

/// A copy of the sample that listens on ports of its own.
fn sample() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let status = Command::new("cp").arg("-r").arg(samples().join(".")).arg(folder.path()).status();
    assert!(status.is_ok_and(|status| status.success()), "copied");
    let file = folder.path().join("region.toml");
    let text = fs::read_to_string(&file).expect("a configuration");
    fs::write(file, text.replace(":3270\"", ":0\"").replace(":8080\"", ":0\"")).expect("written");
    folder
}

/// Returns the output of a command that goes well.
fn printed(output: Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    out.into_owned()
}

/// An order, in JSON or in an envelope.
fn order(form: &str) -> String {
    let script = samples().join("order.py");
    printed(Command::new("python3").arg(script).arg(form).output().expect("python3 is installed"))
}

fn curl(media: &str, body: &str, url: &str) -> String {
    let header = format!("Content-Type: {media}");
    let arguments = ["-sS", "--fail-with-body", "-H", &header, "--data-binary", body, url];
    printed(Command::new("curl").args(arguments).output().expect("curl is installed"))
}

#[test]
fn orders_are_priced_by_the_command_line_and_by_curl_in_json_and_soap() {
    let folder = sample();
    let region = Region::start(folder.path());
    let at = region.logged("TCPIPSERVICE ORDERS listens on ");
    let tried = |service: &str, message: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
        command.args(["service", "try"]).arg(folder.path()).args([service, message]);
        printed(command.output().expect("syncpoint runs"))
    };
    let message = order("json");
    let answer = tried("ORDTOTAL", &message);
    assert!(answer.contains("\"total\":1512.50,\"remark\":\"PRICED\""), "{answer}");
    // Lines without a day of delivery have that of the order, others their own.
    assert_eq!(answer.matches("\"delivery\":20260704").count(), 34);
    assert_eq!(answer.matches("\"delivery\":20260801").count(), 16);
    let over_http = curl("application/json", &message, &format!("http://{at}/services/ordtotal"));
    assert_eq!(over_http.trim_end(), answer.trim_end());
    let soap = curl("text/xml", &order("xml"), &format!("http://{at}/orders"));
    assert!(
        soap.contains("<total>1512.50</total>") && soap.contains("A NUT &amp; ITS &lt;BOLT&gt;"),
        "{soap}"
    );
    assert_eq!(soap.matches("<order_line>").count(), 50);

    let fields: Vec<_> = (1..=10).map(|number| format!("\"field_{number}\":\"TEXT {number}\"")).collect();
    let ten = format!("{{{}}}", fields.join(","));
    assert_eq!(tried("TENECHO", &ten).trim_end(), ten);
    region.ends_in_order();
}
