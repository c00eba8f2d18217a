//! `region.toml`: what a key means, the default of an absent one, and the message of each mistake.

use config::{LoadFormat, RegionConfig, Right, Secret, StartType, TerminalModel};
use diagnostics::Source;
use ebcdic::CodePage;
use expect_test::{Expect, expect};
use instruments::levels::FirstLevels;

fn read(text: &str) -> (RegionConfig, String) {
    let (config, messages) = config::region(&Source::new("region.toml", text));
    let rendered: Vec<String> = messages.iter().map(|message| message.render(false)).collect();
    (config, rendered.join("\n"))
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&read(text).1);
}

#[test]
fn an_empty_file_is_a_region() {
    let (config, messages) = read("");
    assert_eq!(messages, "");
    assert_eq!((config.applid.as_str(), config.sysid.as_str()), ("SYNCPNT", "SYNC"));
    assert_eq!(config.listen.tn3270[0].value.to_string(), "127.0.0.1:3270");
    let programs: Vec<&str> = config.sources.programs.iter().map(|folder| folder.value.as_str()).collect();
    assert_eq!(programs, ["programs", "."]);
    assert_eq!(config.definitions.csd[0].value, "*.csd");
    assert_eq!(config.definitions.grplist, None);
    assert_eq!(config.state, ".syncpoint");
    assert_eq!(config.security.default_rights, [Right::Run]);
    assert_eq!((config.sit.mxt, config.sit.icvr), (500, 5000));
}

#[test]
fn a_file_with_everything() {
    let (config, messages) = read(
        r#"
applid = "bank1"
sysid = "BNK1"
programs = ["app/*/cbl"]
copybooks = "app/cpy"
maps = ["app/bms"]
csd = ["app/bank.csd"]
grplist = "BANKLIST"
idcams = ["define.idcams"]
state = "/var/lib/bank"

[tokens]
"<HLQ>" = "BANK"
"@PREFIX@" = "BA"

[listen]
tn3270 = ["127.0.0.1:3270", "[::1]:3271", "3272"]

[[load]]
dataset = "bank.accounts"
file = "data/accounts.ps"
format = "fixed"
length = 300
code-page = "IBM-37"
copybook = "app/cpy/ACCOUNT.cpy"

[[load]]
dataset = "BANK.CODES"
file = "data/codes.txt"

[queues]
JOBS = "spool/jobs.txt"

[plt]
startup = ["bkinit", "BKOPEN"]

[sockets]
listeners = "sockets/*.txt"
text = "ebcdic"

[[conversation]]
program = "CUSTPGM"
receive = "0.0.0.0:5001"
send = "5002"
framing = "fixed"
length = 100

[terminal]
code-page = "1047"
model = "3278-5"
uctran = "no"

[data]
code-page = "1140"
encryption-key-env = "BANK_KEY"
log-limit-mb = 128
memory-limit-mb = 64
size-limit-mb = 4096
locks-limit = 5000
unit-limit-mb = 32

[sit]
MXT = 100
icvr = 2000
START = "cold"
DTRTRAN = "NO"
DSRTPGM = "MYDSR"
TSMAINLIMIT = "32M"
FORCEQR = true

[security]
users = "people.toml"
default-rights = []

[compile]
not-yet = "warn"

[log]
level = "debug"
"#,
    );
    assert_eq!(messages, "");
    assert_eq!(config.applid, "BANK1");
    assert_eq!(config.definitions.tokens[0], ("<HLQ>".to_owned(), "BANK".to_owned()));
    let ports: Vec<String> = config.listen.tn3270.iter().map(|listener| listener.value.to_string()).collect();
    assert_eq!(ports, ["127.0.0.1:3270", "[::1]:3271", "127.0.0.1:3272"]);
    let conversation = &config.sockets.conversations[0];
    assert_eq!(
        (conversation.transaction.as_str(), conversation.framing),
        ("CSKR", config::Framing::Fixed(100))
    );
    let load = &config.loads[0];
    assert_eq!(load.dataset.value, "BANK.ACCOUNTS");
    assert_eq!(load.format, LoadFormat::Fixed { length: Some(300) });
    assert_eq!(load.code_page, Some(CodePage::Ibm037));
    assert_eq!((config.loads[1].format, config.loads[1].code_page), (LoadFormat::Lines, None));
    assert_eq!(config.queues[0].queue, "JOBS");
    assert_eq!((config.terminal.code_page, config.terminal.model.size()), (CodePage::Ibm1047, (27, 132)));
    assert_eq!(config.terminal.model, TerminalModel::Model5);
    let Some(Secret::Environment(name)) = &config.data.encryption_key else { panic!("a key") };
    assert_eq!(name.value, "BANK_KEY");
    let limits = &config.data.limits;
    let limits = (limits.log_mb, limits.memory_mb, limits.size_mb, limits.locks, limits.unit_mb);
    assert_eq!(limits, (Some(128), Some(64), Some(4096), Some(5000), Some(32)));
    assert_eq!((config.sit.mxt, config.sit.icvr, config.sit.start), (100, 2000, StartType::Cold));
    assert_eq!((config.sit.dtrtran, config.sit.force_qr), (None, true));
    assert_eq!(config.sit.distributed_routing_program, "MYDSR");
    assert_eq!(config.sit.ts_main_limit, 32 << 20);
    assert!(config.security.default_rights.is_empty());
    assert_eq!(config.compile.not_yet, diagnostics::Severity::Warning);
}

#[test]
fn a_key_that_is_none() {
    check(
        "aplid = \"X\"\n[listen]\ntn3720 = \"1\"\nzebra = 1\n",
        expect![[r#"
            error[SPCF002]: `aplid` is not a key
             --> region.toml:1:1
              |
            1 | aplid = "X"
              | ^^^^^
              |
              = help: did you mean `applid`?
            error[SPCF002]: `tn3720` is not a key in [listen]
             --> region.toml:3:1
              |
            3 | tn3720 = "1"
              | ^^^^^^
              |
              = help: did you mean `tn3270`?
            error[SPCF002]: `zebra` is not a key in [listen]
             --> region.toml:4:1
              |
            4 | zebra = 1
              | ^^^^^
              |
              = help: the keys in [listen] are: tn3270-tls, tn3270, certificate, key, client-authorities, client-certificates, connections, connections-per-address, handshake"#]],
    );
}

#[test]
fn a_value_of_the_wrong_type() {
    check(
        "applid = 5\nprograms = [\"a\", 7]\nlisten = \"3270\"\n[[load]]\n[sit]\nMXT = \"many\"\n",
        expect![[r#"
            error[SPCF003]: `applid` takes a text in quotation marks
             --> region.toml:1:10
              |
            1 | applid = 5
              |          ^ this is a number
            error[SPCF003]: `programs` takes a text in quotation marks
             --> region.toml:2:18
              |
            2 | programs = ["a", 7]
              |                  ^ this is a number
            error[SPCF003]: `listen` takes a table: a line [listen] and its keys below
             --> region.toml:3:10
              |
            3 | listen = "3270"
              |          ^^^^^^ this is a text
            error[SPCF005]: [[load]] needs `dataset`
             --> region.toml:4:1
              |
            4 | [[load]]
              | ^^^^^^^^
              |
              = help: add a line such as: dataset = "BANK.ACCOUNTS"
            error[SPCF005]: [[load]] needs `file`
             --> region.toml:4:1
              |
            4 | [[load]]
              | ^^^^^^^^
              |
              = help: add a line such as: file = "data/accounts.txt"
            error[SPCF003]: `MXT` takes a number from 1 to 2000
             --> region.toml:6:7
              |
            6 | MXT = "many"
              |       ^^^^^^ this is a text"#]],
    );
}

#[test]
fn a_value_that_is_none_of_those_allowed() {
    check(
        "sysid = \"TOOLONG\"\n[terminal]\ncode-page = \"850\"\nmodel = \"3278-7\"\n[sit]\nMXT = 5000\nSTART = \"WARM\"\nTSMAINLIMIT = \"much\"\n",
        expect![[r#"
            error[SPCF011]: a SYSID is a name of 1 to 4 letters, digits, @, # or $
             --> region.toml:1:9
              |
            1 | sysid = "TOOLONG"
              |         ^^^^^^^^^ this has 7 characters
            error[SPCF004]: `code-page` takes an EBCDIC code page: 037, 1047, 500, 273, 1140
             --> region.toml:3:13
              |
            3 | code-page = "850"
              |             ^^^^^ this is not understood
            error[SPCF004]: `model` takes one of 3278-2, 3278-3, 3278-4, 3278-5
             --> region.toml:4:9
              |
            4 | model = "3278-7"
              |         ^^^^^^^^
              |
              = help: did you mean "3278-2"?
            error[SPCF004]: `MXT` takes a number from 1 to 2000
             --> region.toml:6:7
              |
            6 | MXT = 5000
              |       ^^^^ out of bounds
            error[SPCF004]: START is AUTO, COLD or INITIAL
             --> region.toml:7:9
              |
            7 | START = "WARM"
              |         ^^^^^^
              |
              = help: AUTO is a warm start whenever the last run has ended in order
            error[SPCF004]: `TSMAINLIMIT` takes a size such as 64M
             --> region.toml:8:15
              |
            8 | TSMAINLIMIT = "much"
              |               ^^^^^^ this is not understood"#]],
    );
}

#[test]
fn listeners() {
    check(
        "[listen]\ntn3270 = [\"0.0.0.0:3270\", \"somewhere\", \"99999\"]\n",
        expect![[r#"
        warning[SPCF007]: other machines can reach this listener
         --> region.toml:2:11
          |
        2 | tn3270 = ["0.0.0.0:3270", "somewhere", "99999"]
          |           ^^^^^^^^^^^^^^ screens and passwords travel in clear
          |
          = help: 127.0.0.1 listens to this machine only; tn3270-tls encrypts
        error[SPCF006]: a listener is an address and a port
         --> region.toml:2:27
          |
        2 | tn3270 = ["0.0.0.0:3270", "somewhere", "99999"]
          |                           ^^^^^^^^^^^ this is not one
          |
          = help: write "127.0.0.1:3270" to listen to this machine only
        error[SPCF006]: a listener is an address and a port
         --> region.toml:2:40
          |
        2 | tn3270 = ["0.0.0.0:3270", "somewhere", "99999"]
          |                                        ^^^^^^^ this is not one
          |
          = help: write "127.0.0.1:3270" to listen to this machine only"#]],
    );
}

#[test]
fn browsers_show_certificates_to_a_console_that_has_one() {
    let console = "[console]\nlisten = \"127.0.0.1:9480\"\n";
    check(
        &format!("{console}client-authorities = \"clients.pem\"\n"),
        expect![[r#"
        error[SPCF015]: browsers show certificates to a console that has one itself
         --> region.toml:3:22
          |
        3 | client-authorities = "clients.pem"
          |                      ^^^^^^^^^^^^^
          |
          = help: name it: certificate = "console.pem", key = "console.key""#]],
    );
    check(
        &format!("{console}client-certificates = \"required\"\n"),
        expect![[r#"
        error[SPCF005]: client-certificates = "required" needs `client-authorities`
         --> region.toml:1:1
          |
        1 | [console]
          | ^^^^^^^^^
          |
          = help: name the PEM file of the authorities that sign them: client-authorities = "clients.pem""#]],
    );
}

#[test]
fn a_port_alone_may_be_a_number() {
    for text in ["4270", "\"4270\"", "[4270]"] {
        let (config, messages) =
            config::region(&Source::new("region.toml", format!("[listen]\ntn3270 = {text}\n")));
        assert!(messages.is_empty(), "{text}");
        assert_eq!(config.listen.tn3270[0].value.to_string(), "127.0.0.1:4270", "{text}");
    }
    check(
        "[listen]\ntn3270 = 99999\n",
        expect![[r#"
        error[SPCF006]: a listener is an address and a port
         --> region.toml:2:10
          |
        2 | tn3270 = 99999
          |          ^^^^^ this is not one
          |
          = help: write "127.0.0.1:3270" to listen to this machine only"#]],
    );
}

#[test]
fn parameters_that_are_unknown_without_effect_or_written_elsewhere() {
    check(
        "[sit]\nMXTT = 5\nSTGPROT = \"YES\"\nTRANISO = \"MAYBE\"\nAPPLID = \"BANK\"\nGMTRAN = \"TOOLONG\"\n",
        expect![[r#"
            error[SPCF008]: MXTT is not a system initialization parameter
             --> region.toml:2:1
              |
            2 | MXTT = 5
              | ^^^^
              |
              = help: did you mean MXT?
            warning[SPCF009]: STGPROT has no effect in this region
             --> region.toml:3:1
              |
            3 | STGPROT = "YES"
              | ^^^^^^^
            error[SPCF004]: `TRANISO` takes one of NO, YES
             --> region.toml:4:11
              |
            4 | TRANISO = "MAYBE"
              |           ^^^^^^^ this is not understood
            error[SPCF010]: APPLID is not written here
             --> region.toml:5:1
              |
            5 | APPLID = "BANK"
              | ^^^^^^
              |
              = help: use the key applid
            error[SPCF011]: GMTRAN is a name of 1 to 4 letters, digits, @, # or $
             --> region.toml:6:10
              |
            6 | GMTRAN = "TOOLONG"
              |          ^^^^^^^^^ this has 7 characters"#]],
    );
}

#[test]
fn levels_of_the_trace_are_of_all_components_or_of_one() {
    let text = "[sit]\nSTNTR = \"(1,2)\"\nSPCTRFC = \"1-3\"\nSTNTRDS = \"off\"\n";
    let (config, messages) = config::region(&Source::new("region.toml", text));
    assert!(messages.is_empty(), "{messages:?}");
    let shown = |levels: &FirstLevels| {
        (levels.component.clone(), levels.special, instruments::levels::shown(levels.levels))
    };
    let levels: Vec<_> = config.sit.trace_levels.iter().map(shown).collect();
    let of = |component: Option<&str>, special, levels: &str| {
        (component.map(str::to_owned), special, levels.to_owned())
    };
    assert_eq!(levels, [of(None, false, "1-2"), of(Some("FC"), true, "1-3"), of(Some("DS"), false, "OFF")]);
    check(
        "[sit]\nSTNTR = \"0-3\"\nSTNTRFC = \"\"\nSPCTRUS = \"1\"\nSTNTRFCX = \"1\"\n",
        expect![[r#"
        error[SPCF004]: `STNTR` takes ALL, OFF, or levels from 1 to 32 such as "1,2"
         --> region.toml:2:9
          |
        2 | STNTR = "0-3"
          |         ^^^^^ this is not understood
        error[SPCF004]: `STNTRFC` takes ALL, OFF, or levels from 1 to 32 such as "1,2"
         --> region.toml:3:11
          |
        3 | STNTRFC = ""
          |           ^^ this is not understood
        warning[SPCF009]: SPCTRUS has no effect in this region
         --> region.toml:4:1
          |
        4 | SPCTRUS = "1"
          | ^^^^^^^
        error[SPCF008]: STNTRFCX is not a system initialization parameter
         --> region.toml:5:1
          |
        5 | STNTRFCX = "1"
          | ^^^^^^^^
          |
          = help: did you mean STNTRXX?"#]],
    );
}

#[test]
fn the_compiler_that_is_left_may_be_named() {
    let text = "[cobol]\ncompiler = \"native\"\nnative = [\"PAY\"]\n";
    let (_, messages) = config::region(&Source::new("region.toml", text));
    assert!(messages.is_empty(), "{messages:?}");
}

#[test]
fn compilers_of_former_versions_are_refused_by_name() {
    for (text, name) in [
        ("compiler = \"gnucobol\"", "gnucobol"),
        ("compiler = \"auto\"", "auto"),
        ("gnucobol = [\"OLD\"]", "gnucobol"),
        ("auto = [\"PAY\", \"OLD\"]", "auto"),
    ] {
        let (_, messages) = config::region(&Source::new("region.toml", format!("[cobol]\n{text}\n")));
        let told: Vec<&str> = messages.iter().map(|message| message.code).collect();
        assert!(!told.is_empty() && told.iter().all(|code| *code == "SPCF021"), "{messages:?}");
        let expected = format!("`{name}` is no compiler here: Syncpoint's own compiler is the only one");
        assert_eq!(messages[0].message, expected);
    }
}

#[test]
fn options_of_gnucobol_have_no_effect() {
    check(
        "[compile]\nflags = [\"-fnot-reserved=TITLE\"]\n",
        expect![[r#"
        warning[SPCF012]: `flags` has no effect: it was an option of GnuCOBOL, which compiles no programs any more
         --> region.toml:2:9
          |
        2 | flags = ["-fnot-reserved=TITLE"]
          |         ^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = help: take it out"#]],
    );
}

#[test]
fn a_text_that_is_not_toml() {
    check(
        "applid = \nsysid = \"A\"\n[listen\n",
        expect![[r#"
            error[SPCF001]: this is not TOML: string values must be quoted, expected literal string
             --> region.toml:1:10
              |
            1 | applid = 
              |          ^
              |
              = help: texts stand in quotation marks: key = "text"
            error[SPCF001]: this is not TOML: unclosed table, expected `]`
             --> region.toml:3:8
              |
            3 | [listen
              |        ^"#]],
    );
}

#[test]
fn an_encryption_key_is_in_one_place() {
    check(
        "[data]\nencryption-key-file = \"bank.key\"\nencryption-key-env = \"BANK_KEY\"\nlog-limit-mb = 1\n",
        expect![[r#"
            error[SPCF004]: `encryption-key` can be in one place only
             --> region.toml:3:22
              |
            3 | encryption-key-env = "BANK_KEY"
              |                      ^^^^^^^^^^
              |
              = help: keep one of `encryption-key-file`, `encryption-key-env` and `encryption-key-credential`
            error[SPCF004]: `log-limit-mb` takes a number from 64 to 1000000
             --> region.toml:4:16
              |
            4 | log-limit-mb = 1
              |                ^ out of bounds"#]],
    );
}

/// Reads a text with settings from outside; returns the configuration and the messages.
fn set(text: &str, settings: &[config::Setting]) -> (RegionConfig, String) {
    let (config, messages) = config::region_with(&Source::new("region.toml", text), settings);
    (config, messages.iter().map(|message| format!("{message}\n")).collect())
}

fn argument(text: &str) -> config::Setting {
    config::Setting::argument(text).expect("a setting")
}

fn variable(name: &str, value: &str) -> config::Setting {
    config::Setting::variable(name, value).expect("a setting")
}

#[test]
fn settings_count_before_the_file_and_the_command_line_before_variables() {
    let text = "applid = \"FILE\"\n[sit]\nMXT = 10\nICVR = 1000\n[listen]\ntn3270 = 3270\n\
                [sql.STCK]\nprivate = false\n";
    let settings = [
        variable("SYNCPOINT_APPLID", "VARIABLE"),
        variable("SYNCPOINT_SIT_MXT", "20"),
        variable("SYNCPOINT_DATA_LOG_LIMIT_MB", "128"),
        variable("SYNCPOINT_TERMINAL_CODE_PAGE", "1047"),
        argument("sit.MXT=30"),
        argument("listen.tn3270=127.0.0.1:4000"),
        argument("tokens.<HLQ>=BANK"),
        argument("programs=[\"src/*.txt\", \"more\"]"),
        argument("sql.STCK.private=true"),
        argument("sql.STCK.programs=[\"ST*\"]"),
    ];
    let (config, said) = set(text, &settings);
    assert_eq!(said, "");
    assert_eq!((config.applid.as_str(), config.sit.mxt, config.sit.icvr), ("VARIABLE", 30, 1000));
    assert_eq!(config.data.limits.log_mb, Some(128));
    assert_eq!(config.terminal.code_page.number(), 1047);
    assert_eq!(config.listen.tn3270[0].value.to_string(), "127.0.0.1:4000");
    assert_eq!(config.definitions.tokens, [("<HLQ>".to_owned(), "BANK".to_owned())]);
    let programs: Vec<&str> = config.sources.programs.iter().map(|path| path.value.as_str()).collect();
    assert_eq!(programs, ["src/*.txt", "more"]);
    assert_eq!(config::Setting::variable("PATH", "x"), None);
    assert_eq!(config::Setting::variable("SYNCPOINT_APPLID", ""), None);
    assert_eq!(config::Setting::variable("SYNCPOINT_COMPILER", "auto"), None, "it is the proofs' own");
}

#[test]
fn a_setting_with_a_mistake_is_shown_where_it_was_given() {
    let settings = [
        argument("sit.MXTT=30"),
        argument("listn.tn3270=1"),
        argument("sit.ICVR=soon"),
        variable("SYNCPOINT_LOG_LEVL", "debug"),
        variable("SYNCPOINT_LOG_LEVEL", "loud"),
    ];
    let (_, said) = set("applid = 5\n", &settings);
    expect![[r#"
        error[SPCF003]: `applid` takes a text in quotation marks
         --> region.toml:1:10
          |
        1 | applid = 5
          |          ^ this is a number
        error[SPCF002]: `listn` is not a key
         --> --set:1:1
          |
        1 | listn.tn3270 = 1
          | ^^^^^
          |
          = help: did you mean `listen`?
        error[SPCF008]: MXTT is not a system initialization parameter
         --> --set:1:5
          |
        1 | sit.MXTT = 30
          |     ^^^^
          |
          = help: did you mean MXT?
        warning[SPCF002]: `levl` is not a key in [log]
         --> SYNCPOINT_LOG_LEVL:1:5
          |
        1 | log.levl = "debug"
          |     ^^^^
          |
          = help: did you mean `level`?
        error[SPCF003]: `ICVR` takes a number from 0 to 2700000
         --> --set:1:12
          |
        1 | sit.ICVR = "soon"
          |            ^^^^^^ this is a text
        error[SPCF004]: `level` takes one of error, warn, info, debug, trace
         --> SYNCPOINT_LOG_LEVEL:1:13
          |
        1 | log.level = "loud"
          |             ^^^^^^ this is not understood
    "#]]
    .assert_eq(&said);
    let nothing = config::Setting::argument("sit.MXT").expect_err("no value");
    expect![[r#"
        error[SPCF016]: --set sit.MXT sets nothing
         |
         = help: write --set section.key=value, such as --set sit.MXT=200 or --set applid=BANK"#]]
    .assert_eq(&nothing.render(false));
}

#[test]
fn a_secret_is_named_and_never_written() {
    check(
        "[data]\nencryption-key = \"00112233\"\n[ldap]\nurl = \"http://x\"\nuser-dn = \"uid=anna\"\nbind-password = \"s3cret\"\n",
        expect![[r#"
            error[SPCF020]: `encryption-key` does not stand here in clear
             --> region.toml:2:18
              |
            2 | encryption-key = 
              |                  ^
              |
              = help: whoever reads this file would have it: put it into a file of mode 0600 and write encryption-key-file = "…" (or encryption-key-env, encryption-key-credential)
            error[SPCF004]: `url` takes an address that begins with ldap:// or ldaps://
             --> region.toml:4:7
              |
            4 | url = "http://x"
              |       ^^^^^^^^^^ this is not understood
            error[SPCF004]: `user-dn` takes a name with {user} in it
             --> region.toml:5:11
              |
            5 | user-dn = "uid=anna"
              |           ^^^^^^^^^^
              |
              = help: user-dn = "uid={user},ou=people,dc=example,dc=org"
            error[SPCF020]: `bind-password` does not stand here in clear
             --> region.toml:6:17
              |
            6 | bind-password = 
              |                 ^
              |
              = help: whoever reads this file would have it: put it into a file of mode 0600 and write bind-password-file = "…" (or bind-password-env, bind-password-credential)"#]],
    );
    check(
        "[data]\nencryption-key-file = \"key\"\nencryption-key-credential = \"key\"\n",
        expect![[r#"
        error[SPCF004]: `encryption-key` can be in one place only
         --> region.toml:3:29
          |
        3 | encryption-key-credential = "key"
          |                             ^^^^^
          |
          = help: keep one of `encryption-key-file`, `encryption-key-env` and `encryption-key-credential`"#]],
    );
}

#[test]
fn what_is_checked_stands_in_parameters_of_their_own_names() {
    use security::Class;
    let text = "[sit]\nSEC = \"YES\"\nXTRAN = \"BANKTRAN\"\nXFCT = \"NO\"\nSECPRFX = \"YES\"\nCMDSEC = \"ALWAYS\"\nPLTPISEC = \"ALL\"\nPLTPIUSR = \"START\"\n";
    let security = read(text).0.sit.security;
    assert!(security.sec && security.cmdsec_always && !security.ressec_always);
    assert_eq!(security.classes.name(Class::Tran), Some("BANKTRAN"));
    assert_eq!(security.classes.name(Class::Fct), None);
    assert_eq!(security.classes.name(Class::Ppt), Some("XPPT"));
    assert_eq!(security.prefix.as_deref(), Some("SYNCPNT."));
    assert_eq!(security.pltpiusr.as_deref(), Some("START"));
    assert!(security.pltpisec.commands && security.pltpisec.resources);
}

#[test]
fn each_class_is_checked_by_its_own_name_or_another_or_not() {
    use security::Class;
    for (parameter, class) in Class::ALL {
        for (value, name) in [("YES", Some(parameter)), ("NO", None), ("BANK", Some("BANK"))] {
            let (config, messages) = read(&format!("[sit]\n{parameter} = \"{value}\"\n"));
            assert_eq!(
                (config.sit.security.classes.name(class), messages.as_str()),
                (name, ""),
                "{parameter}"
            );
        }
    }
    assert!(read("[sit]\nKEYRING = \"BANK\"\n").1.contains("use the key keyring of [web]"));
}

#[test]
fn passwords_audit_and_servers_have_their_keys() {
    let text = "[security]\npassword-length = 12\npassword-history = 5\npassword-expires = 90\nrevoke-after = 6\nrevoke-for = 30\naudit = \"forced\"\n\
        [ldap]\nurl = \"ldap://127.0.0.1:389\"\nuser-dn = \"uid={user},ou=people\"\nbind-dn = \"cn=region\"\nbind-password-env = \"LDAP\"\n\
        [oidc]\nissuer = \"https://login\"\naudience = \"bank\"\nkeys = \"https://login/keys\"\n";
    let (config, messages) = read(text);
    assert!(!messages.contains("error"), "{messages}");
    let passwords = config.security.passwords;
    assert_eq!((passwords.rules.length_min, passwords.rules.history), (12, 5));
    assert_eq!(passwords.rules.expires_after_days, Some(90));
    assert_eq!((passwords.revocation.after, passwords.revocation.lasts.as_secs()), (6, 1_800));
    assert!(config.security.audit.on && config.security.audit.forced);
    assert_eq!(config.security.ldap.map(|ldap| ldap.timeout_s), Some(5));
    assert_eq!(config.security.oidc.map(|oidc| oidc.algorithms.len()), Some(2));
}

#[test]
fn spans_go_nowhere_until_a_collector_is_named() {
    assert_eq!(read("").0.opentelemetry, None);
    let (config, messages) = read("[opentelemetry]\nendpoint = \"http://127.0.0.1:4318\"\n");
    assert_eq!(messages, "");
    let own = config.opentelemetry.expect("it is there");
    assert_eq!((own.sampling, own.limit, own.users, own.service), (1.0, 8_192, false, None));
    assert_eq!((own.header.as_str(), own.token, own.headers.len()), ("Authorization", None, 0));
    let (config, messages) = read(
        r#"
[opentelemetry]
endpoint = "https://collector.example.org"
header = "x-api-key"
token-env = "COLLECTOR_KEY"
headers = { x-tenant = "bank" }
sampling = 0.25
limit = 512
service = "ledger"
users = true
certificate = "outgoing"
"#,
    );
    assert_eq!(messages, "");
    let own = config.opentelemetry.expect("it is there");
    assert_eq!(
        (own.sampling, own.limit, own.users, own.service.as_deref()),
        (0.25, 512, true, Some("ledger"))
    );
    let is_variable = matches!(&own.token, Some(Secret::Environment(name)) if name.value == "COLLECTOR_KEY");
    assert!(is_variable && own.header == "x-api-key" && own.headers[0].1.value == "bank");
}

#[test]
fn a_section_of_spans_that_is_wrong_is_refused() {
    let table = [
        ("sampling = 1", "needs `endpoint`"),
        ("endpoint = \"http://a\"\nsampling = 1.5", "`sampling` takes a part from 0 to 1"),
        ("endpoint = \"http://a\"\nsampling = \"all\"", "a part from 0 to 1"),
        ("endpoint = \"http://a\"\nlimit = 10", "`limit` takes a number from 512 to 1000000"),
        ("endpoint = \"http://a\"\nratio = 1", "`ratio` is not a key in [opentelemetry]"),
        ("endpoint = \"http://a\"\ntoken = \"secret\"", "`token` does not stand here in clear"),
        (
            "endpoint = \"http://a\"\nheaders = { authorization = \"Bearer x\" }",
            "`authorization` does not stand here in clear",
        ),
    ];
    for (text, message) in table {
        let (_, messages) = read(&format!("[opentelemetry]\n{text}\n"));
        assert!(messages.contains(message), "{text}: {messages}");
        let shown = ["\"secret", "Bearer"].iter().any(|secret| messages.contains(secret));
        assert!(!shown, "{messages}");
    }
}
