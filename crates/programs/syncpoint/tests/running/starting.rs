//! The reasons why a region does not start: each message is at the user's own line, and nothing is left behind that
//! would keep the next start from going well.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use expect_test::{Expect, expect};

use crate::house::{FREE_PORT, Region, application};

/// Checks the messages of a region that does not start from these files; it starts from the mended ones.
fn check(broken: (&str, &str), mended: &str, expected: Expect) {
    let (name, text) = broken;
    let folder = application(&[("region.toml", FREE_PORT), broken]);
    let listens = if name == "region.toml" { format!("{text}{FREE_PORT}") } else { FREE_PORT.to_owned() };
    fs::write(folder.path().join("region.toml"), listens).expect("written");
    expected.assert_eq(&Region::refused(folder.path()));
    let mended = if name == "region.toml" { format!("{mended}{FREE_PORT}") } else { mended.to_owned() };
    fs::write(folder.path().join(name), mended).expect("written");
    drop(Region::start(folder.path()));
}

#[test]
fn a_region_file_with_mistakes() {
    check(
        ("region.toml", "applid = \"TOO-LONG-A-NAME\"\nsysid = 5\n[sit]\nMXTT = 10\nICVR = \"soon\"\n"),
        "applid = \"NAME\"\n",
        expect![[r#"
            error[SPCF011]: an APPLID is a name of 1 to 8 letters, digits, @, # or $
             --> region.toml:1:10
              |
            1 | applid = "TOO-LONG-A-NAME"
              |          ^^^^^^^^^^^^^^^^^ this has 15 characters

            error[SPCF003]: `sysid` takes a text in quotation marks
             --> region.toml:2:9
              |
            2 | sysid = 5
              |         ^ this is a number

            error[SPCF008]: MXTT is not a system initialization parameter
             --> region.toml:4:1
              |
            4 | MXTT = 10
              | ^^^^
              |
              = help: did you mean MXT?

            error[SPCF003]: `ICVR` takes a number from 0 to 2700000
             --> region.toml:5:8
              |
            5 | ICVR = "soon"
              |        ^^^^^^ this is a text

        "#]],
    );
}

#[test]
fn a_csd_text_with_mistakes() {
    check(
        ("bank.csd", "DEFINE TRANSACTION(TOOLONG) GROUP(BANK)\nDEFINE PROGRAMM(PAY) GROUP(BANK)\n"),
        "DEFINE TRANSACTION(PAY) GROUP(BANK) PROGRAM(PAY)\n",
        expect![[r#"
            error[SPCS010]: TRANSACTION name TOOLONG is longer than 4 characters
             --> bank.csd:1:20
              |
            1 | DEFINE TRANSACTION(TOOLONG) GROUP(BANK)
              |                    ^^^^^^^
              |
              = help: a name has 1 to 4 characters and no blanks

            error[SPCS003]: PROGRAMM is not a type of resource
             --> bank.csd:2:8
              |
            2 | DEFINE PROGRAMM(PAY) GROUP(BANK)
              |        ^^^^^^^^
              |
              = help: did you mean PROGRAM?

        "#]],
    );
}

#[test]
fn idcams_commands_with_mistakes() {
    check(
        ("bank.idcams", " DEFINE CLUSTER (NAME(BANK.DATA) INDEXED KEYS(80 0) RECORDSIZE(40 40))\n"),
        " DEFINE CLUSTER (NAME(BANK.DATA) INDEXED KEYS(8 0) RECORDSIZE(40 40))\n",
        expect![[r#"
            error[SPID018]: the key of BANK.DATA goes beyond its records of 40 bytes
             --> bank.idcams:1:23
              |
            1 |  DEFINE CLUSTER (NAME(BANK.DATA) INDEXED KEYS(80 0) RECORDSIZE(40 40))
              |                       ^^^^^^^^^
              |
              = help: KEYS gives the length first, then the offset

        "#]],
    );
}

#[test]
fn idcams_commands_that_are_none() {
    check(
        ("bank.idcams", " DEFINE CLUSTR (NAME(BANK.DATA))\n"),
        " DEFINE CLUSTER (NAME(BANK.DATA) INDEXED KEYS(8 0) RECORDSIZE(40 40))\n",
        expect![[r#"
            error[SPID005]: DEFINE needs CLUSTER, ALTERNATEINDEX, PATH, GENERATIONDATAGROUP, NONVSAM or ALIAS
             --> bank.idcams:1:2
              |
            1 |  DEFINE CLUSTR (NAME(BANK.DATA))
              |  ^^^^^^
              |
              = help: the command is left out

        "#]],
    );
}

#[test]
fn a_file_to_load_that_is_not_there() {
    check(
        ("region.toml", "[[load]]\ndataset = \"BANK.DATA\"\nfile = \"data.txt\"\n"),
        "",
        expect![[r#"
            error[SPRG007]: data.txt cannot be read: No such file or directory (os error 2)
             --> region.toml:3:8
              |
            3 | file = "data.txt"
              |        ^^^^^^^^^^
              |
              = help: paths are relative to the folder of region.toml

        "#]],
    );
}

#[test]
fn a_users_file_with_mistakes() {
    check(
        ("users.toml", "[[user]]\nuserid = \"ANN\"\npassword = \"open sesame\"\n"),
        "",
        expect![[r#"
        error[SPCF014]: a password stands here only as its hash
         --> users.toml:3:12
          |
        3 | password = "open sesame"
          |            ^^^^^^^^^^^^^ this is no argon2 hash
          |
          = help: take the line out and use: syncpoint user add

    "#]],
    );
}

#[test]
fn a_users_file_that_is_not_there() {
    check(
        ("region.toml", "[security]\nusers = \"people.toml\"\n"),
        "",
        expect![[r#"
        error[SPCL003]: ./people.toml cannot be read: No such file or directory (os error 2)
         --> region.toml:2:9
          |
        2 | users = "people.toml"
          |         ^^^^^^^^^^^^^

    "#]],
    );
}

#[test]
fn transactions_that_are_named_but_not_defined() {
    let settings = format!("{FREE_PORT}[sit]\nGMTRAN = \"HALO\"\nDTRTRAN = \"ANY\"\n");
    let folder = application(&[("region.toml", &settings)]);
    let region = Region::start(folder.path());
    region.logs("GMTRAN in [sit] names transaction HALO, which is not defined");
    region.logs("DTRTRAN in [sit] names transaction ANY, which is not defined");
}

#[test]
fn a_port_that_is_taken() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("its address").port();
    let folder = application(&[("region.toml", &format!("[listen]\ntn3270 = \"{port}\"\n"))]);
    let said = Region::refused(folder.path()).replace(&port.to_string(), "PORT");
    // Lines of the log, which begin with the time, come before it.
    let message: Vec<&str> = said.lines().skip_while(|line| !line.starts_with("error")).collect();
    expect![[r#"
        error[SPRG003]: the region cannot listen on 127.0.0.1:PORT: Address already in use (os error 98)
         --> region.toml:2:10
          |
        2 | tn3270 = "PORT"
          |          ^^^^^^^
          |
          = help: another program may use this port: choose another one, or end that program (ss -ltnp names it)
    "#]]
    .assert_eq(&(message.join("\n").trim_end().to_owned() + "\n"));
    drop(taken);
    drop(Region::start(folder.path()));
}

/// All doors open, or none: nothing that an earlier run has left is let go before.
#[test]
fn a_port_of_a_conversation_that_is_taken_closes_the_doors_before_it() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("its address").port();
    let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its address");
    let settings = format!(
        "[listen]\ntn3270 = \"{free}\"\n[[conversation]]\nprogram = \"NONE\"\nreceive = \"127.0.0.1:{port}\"\n"
    );
    let folder = application(&[("region.toml", &settings)]);
    let said = Region::refused(folder.path());
    let message = format!("a conversation cannot listen on 127.0.0.1:{port}: Address already in use");
    assert!(said.contains(&message) && said.contains("region.toml:5:11"), "{said}");
    assert!(said.contains("choose another one, or end that program"), "{said}");
    drop(TcpListener::bind(free).expect("the region lets go of its other port"));
}

#[test]
fn a_state_folder_that_cannot_be_made() {
    check(
        ("region.toml", "state = \"region.toml/state\"\n"),
        "",
        expect![[r#"
        error[SPTC008]: ./region.toml/state/programs cannot be written: Not a directory (os error 20)
         |
         = help: name another folder with `state` in region.toml or with --data

    "#]],
    );
}

#[test]
fn data_that_another_region_uses() {
    let folder = application(&[("region.toml", FREE_PORT)]);
    let first = Region::start(folder.path());
    expect![[r#"
        error[SPRG004]: ./.syncpoint/data is in use by another process
         |
         = help: a region runs on this state: end it first, or name another state with --data DIR

    "#]]
    .assert_eq(&Region::refused(folder.path()));
    let mut terminal = first.terminal();
    terminal.start("ZZZZ");
    terminal.sees("DFHAC2001");
    drop(terminal);
    first.signal("TERM");
    assert!(first.ended().0.success());
    drop(Region::start(folder.path()));
}

/// Line ends and all.
fn key(byte: &str) -> String {
    byte.repeat(32) + "\n"
}

#[test]
fn an_encryption_key_that_is_not_there_or_not_the_one_of_the_data() {
    let encrypted = format!("[data]\nencryption-key-file = \"bank.key\"\n{FREE_PORT}");
    let folder = application(&[("region.toml", &encrypted)]);
    let expect_refusal = |expected: Expect| {
        let said = Region::refused(folder.path());
        expected.assert_eq(&said.replace(&folder.path().display().to_string(), "FOLDER"));
    };
    let allow = |mode: u32| {
        let path = folder.path().join("bank.key");
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("rights");
    };
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    expect_refusal(expect![[r#"
        error[SPRG009]: the key file bank.key cannot be read: No such file or directory (os error 2)
         --> region.toml:2:23
          |
        2 | encryption-key-file = "bank.key"
          |                       ^^^^^^^^^^
          |
          = help: a key is 64 hexadecimal digits; `openssl rand -hex 32` makes one

    "#]]);
    write("bank.key", "a secret");
    allow(0o640);
    expect_refusal(expect![[r#"
        error[SPRG009]: the key file bank.key can be read or written by others than its owner
         --> region.toml:2:23
          |
        2 | encryption-key-file = "bank.key"
          |                       ^^^^^^^^^^
          |
          = help: chmod 600 ./bank.key; who has read it has the key

    "#]]);
    allow(0o600);
    expect_refusal(expect![[r#"
        error[SPRG009]: the encryption key is no key
         --> region.toml:2:23
          |
        2 | encryption-key-file = "bank.key"
          |                       ^^^^^^^^^^
          |
          = help: a key is 64 hexadecimal digits; `openssl rand -hex 32` makes one

    "#]]);
    write("bank.key", &key("a1"));
    drop(Region::start(folder.path()));
    write("bank.key", &key("a2"));
    expect_refusal(expect![[r#"
        error[SPRG009]: ./.syncpoint/data: the key is not the one that the data were written with
         --> region.toml:2:23
          |
        2 | encryption-key-file = "bank.key"
          |                       ^^^^^^^^^^
          |
          = help: where the key was changed, name the one before it, too: former-encryption-key-file (or -env, -credential)

    "#]]);
    write("region.toml", FREE_PORT);
    expect_refusal(expect![[r#"
        error[SPRG009]: ./.syncpoint/data: the data are encrypted: name the key that they were written with
         |
         = help: name it in region.toml: [data] encryption-key-file, encryption-key-env or encryption-key-credential

    "#]]);
    write("region.toml", &encrypted);
    write("bank.key", &key("a1"));
    drop(Region::start(folder.path()));
}

/// Sends a line to its terminal.
const HERE: &str = "       ID DIVISION.
       PROGRAM-ID. HERE.
       PROCEDURE DIVISION.
           EXEC CICS SEND TEXT FROM('HERE I AM') LENGTH(9) ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

#[test]
fn a_region_needs_no_other_program() {
    let csd = "DEFINE TRANSACTION(HERE) GROUP(G) PROGRAM(HERE)\nDEFINE PROGRAM(HERE) GROUP(G)\n";
    let folder = application(&[("region.toml", ""), ("here.csd", csd), ("HERE.cbl", HERE)]);
    let listening = ["--listen", "127.0.0.1:0"];
    let region = Region::alone(folder.path(), &listening).unwrap_or_else(|said| panic!("{said}"));
    let mut terminal = region.terminal();
    terminal.until("HERE", "HERE I AM");
    region.end(terminal);
}

#[test]
fn the_state_of_another_region() {
    let state = tempfile::tempdir().expect("a folder");
    let settings =
        |applid: &str| format!("applid = \"{applid}\"\nstate = \"{}\"\n{FREE_PORT}", state.path().display());
    let bank = application(&[("region.toml", &settings("BANK"))]);
    drop(Region::start(bank.path()));
    let shop = application(&[("region.toml", &settings("SHOP"))]);
    let said = Region::refused(shop.path());
    let folders = [(state.path(), "STATE"), (bank.path(), "DIR/bank"), (shop.path(), "DIR/shop")];
    let said =
        folders.iter().fold(said, |text, (path, name)| text.replace(&path.display().to_string(), name));
    expect![[r#"
        error[SPRG017]: the state in STATE belongs to region BANK of DIR/bank, and this is region SHOP of DIR/shop
         |
         = help: name another folder with `state` in region.toml or --data DIR; if this region was renamed, write SHOP into the first line of STATE/region

    "#]].assert_eq(&said);
    drop(Region::start(bank.path()));
}

#[test]
fn data_that_are_damaged() {
    let folder = application(&[("region.toml", FREE_PORT)]);
    drop(Region::start(folder.path()));
    let base = folder.path().join(".syncpoint/data/base");
    for entry in fs::read_dir(&base).expect("the base") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            fs::write(&path, vec![b'x'; 65_536]).expect("written");
        }
    }
    let said = Region::refused(folder.path());
    assert!(said.contains("SPRG018") && said.contains("bring a backup of it back"), "{said}");
}
