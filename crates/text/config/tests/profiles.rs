//! `security.toml`: what it says, and what is wrong with it.

use config::{Sit, profiles};
use diagnostics::Source;
use expect_test::{Expect, expect};
use security::{Level, Profiles, Subject};

fn read(text: &str) -> (Profiles, String) {
    let (profiles, messages) =
        profiles(&Source::new("security.toml", text), &Sit::default().security.classes);
    let rendered: Vec<String> = messages.iter().map(|message| message.render(false)).collect();
    (profiles, rendered.join("\n"))
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&read(text).1);
}

#[test]
fn a_profile_says_who_may_do_what() {
    let (profiles, messages) = read(
        r#"
        [[profile]]
        class = "XFCT"
        name = ["ACC*", "LEDGER"]
        uacc = "read"
        users = { ANNA = "ALTER" }
        groups = { tellers = "UPDATE" }

        [[profile]]
        class = "xtran"
        name = "BANK"
        [profile.users]
        BOB = "READ"
        "#,
    );
    assert_eq!(messages, "");
    let tellers = ["TELLERS".to_owned()];
    for (user, groups, class, resource, level) in [
        ("ANNA", &[][..], "XFCT", "ACCOUNT", Level::Alter),
        ("CARL", &tellers, "XFCT", "LEDGER", Level::Update),
        ("CARL", &[], "XFCT", "LEDGER", Level::Read),
        ("BOB", &[], "XTRAN", "BANK", Level::Read),
        ("CARL", &[], "XTRAN", "BANK", Level::None),
    ] {
        assert_eq!(
            profiles.decide(Subject { user, groups }, class, resource).level,
            level,
            "{user} {resource}"
        );
    }
}

#[test]
fn what_is_wrong_is_shown_at_its_line() {
    check(
        "[[profile]]\nclass = \"XFTC\"\nname = \"ACC*\"\nuacc = \"REED\"\nusers = { ANNA = \"ALL\" }\nuser = 1\n",
        expect![[r#"
            error[SPCF017]: XFTC is not a class of this region
             --> security.toml:2:9
              |
            2 | class = "XFTC"
              |         ^^^^^^
              |
              = help: did you mean XFCT?
            error[SPCF004]: `uacc` takes one of NONE, READ, UPDATE, CONTROL, ALTER
             --> security.toml:4:8
              |
            4 | uacc = "REED"
              |        ^^^^^^
              |
              = help: did you mean "READ"?
            error[SPCF004]: `ANNA` takes one of NONE, READ, UPDATE, CONTROL, ALTER
             --> security.toml:5:18
              |
            5 | users = { ANNA = "ALL" }
              |                  ^^^^^ this is not understood
            error[SPCF002]: `user` is not a key in [[profile]]
             --> security.toml:6:1
              |
            6 | user = 1
              | ^^^^
              |
              = help: did you mean `users`?"#]],
    );
    check(
        "[[profile]]\nclass = \"XFCT\"\n",
        expect![[r#"
        error[SPCF005]: [[profile]] needs `name`
         --> security.toml:1:1
          |
        1 | [[profile]]
          | ^^^^^^^^^^^
          |
          = help: name the resources: name = "BANK", name = "ACC*" or name = ["BNK1", "BNK2"]"#]],
    );
    check(
        "[[profile]]\nclass = \"XFCT\"\nname = \"A*\"\n\n[[profile]]\nclass = \"XFCT\"\nname = [\"B\", \"A**\"]\n",
        expect![[r#"
            error[SPCF018]: class XFCT has profile A* twice
             --> security.toml:5:1
              |
            5 | [[profile]]
              | ^^^^^^^^^^^
              |
              = help: remove one of the two; the other begins in line 1"#]],
    );
}
