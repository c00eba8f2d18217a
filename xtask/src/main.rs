//! `cargo xtask CHORE`: the project's own chores.

fn main() {
    eprintln!("usage: cargo xtask compat");
    std::process::exit(2);
}
