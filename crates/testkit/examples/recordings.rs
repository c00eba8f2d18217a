//! Compares two recordings of an application (`[debug] record`): by the hosted compiler, and natively.
//!
//! `cargo run -p testkit --example recordings -- APPLICATION HOSTED NATIVE`

use std::env;
use std::path::Path;
use std::process::ExitCode;

use testkit::beside::compare_files;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [application, hosted, native] = &arguments[..] else {
        eprintln!("usage: recordings APPLICATION HOSTED NATIVE");
        return ExitCode::FAILURE;
    };
    match compare_files(application, Path::new(hosted), Path::new(native)) {
        Ok(compared) => {
            println!("{application}: {compared}");
            if compared.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}
