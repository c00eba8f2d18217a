//! `docs/commands.md` is the help of the command line: made from the binary, and compared with it.
//! `UPDATE_EXPECT=1 cargo test -p syncpoint --test pages` writes it again.

use std::process::Command;

use expect_test::expect_file;

/// The text above the commands.
const HEAD: &str = "\
# The command line

Each command as `syncpoint COMMAND --help` prints it, and at the end those of `syncpoint-cards`, which has what stands around an
Authenticator. [The crate's README](../crates/programs/syncpoint/README.md) says what holds for
all of them: exit status, output, passwords.
";

/// The programs and their paths.
const PROGRAMS: [(&str, &str); 2] = [
    ("syncpoint", env!("CARGO_BIN_EXE_syncpoint")),
    ("syncpoint-cards", env!("CARGO_BIN_EXE_syncpoint-cards")),
];

#[test]
fn the_page_has_the_help_of_every_command() {
    let mut page = String::from(HEAD);
    for program in PROGRAMS {
        write_command(&mut page, program, &[]);
    }
    expect_file!["../../../../docs/commands.md"].assert_eq(&page);
}

/// Writes a command's help, and that of the commands below it.
fn write_command(page: &mut String, (name, path): (&str, &str), words: &[&str]) {
    let help = help(path, words);
    let title = [&[name], words].concat().join(" ");
    page.push_str(&format!("\n## {title}\n\n```text\n{}\n```\n", help.trim_end()));
    for below in below(&help) {
        write_command(page, (name, path), &[words, &[below]].concat());
    }
}

/// Returns the help of a command of a program.
fn help(path: &str, words: &[&str]) -> String {
    let mut command = Command::new(path);
    command.args(words).arg("--help").env("NO_COLOR", "1").env("COLUMNS", "100");
    let output = command.output().expect("syncpoint starts");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The names in the list of commands of a help.
fn below(help: &str) -> Vec<&str> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = list
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect()
}
