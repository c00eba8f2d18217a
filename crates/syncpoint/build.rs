//! Exports the binary's own symbols: COBOL modules call into it, and its `cob_stop_run` wins over the runtime's.

fn main() {
    println!("cargo::rustc-link-arg-bins=-rdynamic");
}
