//! `users.toml`: reading it, signing on against it, and changing it without touching the rest of the text.

use config::{Right, User, Users};
use diagnostics::Source;
use expect_test::{Expect, expect};
use security::password;

fn read(text: &str) -> (Users, String) {
    let (users, messages) = config::users(&Source::new("users.toml", text));
    let rendered: Vec<String> = messages.iter().map(|message| message.render(false)).collect();
    (users, rendered.join("\n"))
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&read(text).1);
}

fn user(userid: &str, name: &str) -> User {
    User {
        userid: userid.into(),
        name: name.into(),
        rights: vec![Right::Run, Right::Inquire],
        groups: vec!["TELLER".into()],
        ..User::default()
    }
}

#[test]
fn a_user_signs_on_with_the_right_password_only() {
    let hash = password::hash("s3cret", [1; password::SALT_LENGTH]).expect("hashed");
    let text = with_user("", &User { password: Some(hash), ..user("TELLER1", "Ann") });
    let (users, messages) = read(&text);
    assert_eq!(messages, "");
    assert!(!text.contains("s3cret"));
    let ann = users.sign_on("teller1", "s3cret").expect("signed on");
    assert!(ann.may(Right::Inquire) && !ann.may(Right::Operate));
    assert_eq!(users.sign_on("TELLER1", "S3CRET"), None);
    assert_eq!(users.sign_on("NOBODY", "s3cret"), None);
}

#[test]
fn a_user_without_a_password_cannot_sign_on() {
    let (users, _) = read(&with_user("", &user("CICSUSER", "")));
    assert_eq!(users.sign_on("CICSUSER", ""), None);
}

fn with_user(text: &str, user: &User) -> String {
    config::with_user(text, user).expect("the text is TOML")
}

fn without_user(text: &str, userid: &str) -> Option<String> {
    config::without_user(text, userid).expect("the text is TOML")
}

const TWO: &str = "\
# Tellers
[[user]]
userid = \"ANN\"  # since spring

# Managers
[[user]]
userid = \"BOB\"
";

#[test]
fn adding_and_changing_leaves_comments_alone() {
    expect![[r##"
        # Tellers
        [[user]]
        userid = "ANN"  # since spring

        # Managers
        [[user]]
        userid = "BOB"

        [[user]]
        userid = "CAROL"
        name = 'Carol "C"'
        rights = ["run", "inquire"]
        groups = ["TELLER"]
    "##]]
    .assert_eq(&with_user(TWO, &user("CAROL", "Carol \"C\"")));
    expect![[r##"
        # Tellers
        [[user]]
        userid = "ANN"  # since spring
        name = "Ann"
        rights = ["run", "inquire"]
        groups = ["TELLER"]

        # Managers
        [[user]]
        userid = "BOB"
    "##]]
    .assert_eq(&with_user(TWO, &user("ANN", "Ann")));
    expect![[r##"
        # Tellers
        [[user]]
        userid = "ANN"  # since spring

        # Managers
        [[user]]
        userid = "BOB"
        name = "Bob"
        rights = ["run", "inquire"]
        groups = ["TELLER"]
    "##]]
    .assert_eq(&with_user(TWO, &user("BOB", "Bob")));
}

#[test]
fn removing_leaves_comments_alone() {
    expect![[r##"
        # Tellers

        # Managers
        [[user]]
        userid = "BOB"
    "##]]
    .assert_eq(&without_user(TWO, "ann").expect("ANN is there"));
    expect![[r##"
        # Tellers
        [[user]]
        userid = "ANN"  # since spring

        # Managers
    "##]]
    .assert_eq(&without_user(TWO, "BOB").expect("BOB is there"));
    assert_eq!(without_user(TWO, "CAROL"), None);
}

#[test]
fn a_changed_user_keeps_the_form_of_what_stays() {
    let text = "\
# All of the bank

[[user]]
userid = 'ANN'
# of both branches
groups = [
  \"TELLER\",  # [[user]]
]
rights = [\"inquire\"]
";
    expect![[r##"
        # All of the bank

        [[user]]
        userid = 'ANN'
        # of both branches
        groups = [
          "TELLER",  # [[user]]
        ]
        rights = ["run", "inquire"]
        name = "Ann"
    "##]]
    .assert_eq(&with_user(text, &user("ANN", "Ann")));
}

#[test]
fn the_first_user_comes_below_the_comments_of_an_empty_file() {
    let text = with_user("# All of the bank\n", &user("ANN", "Ann"));
    assert!(text.starts_with("# All of the bank\n[[user]]\nuserid = \"ANN\"\n"), "{text}");
}

#[test]
fn users_in_one_line_become_tables() {
    let text = with_user("user = [{ userid = \"BOB\" }]\n", &user("ANN", "Ann"));
    let (users, messages) = read(&text);
    assert_eq!(messages, "");
    assert!(users.find("ANN").is_some() && users.find("BOB").is_some(), "{text}");
}

#[test]
fn a_damaged_text_is_not_changed() {
    for damaged in ["[[user]\nuserid = \"ANN\"\n", "user = 4\n"] {
        assert!(config::with_user(damaged, &user("ANN", "Ann")).is_err());
        assert!(config::without_user(damaged, "ANN").is_err());
    }
}

#[test]
fn mistakes_are_shown_in_the_users_own_line() {
    check(
        "[[user]]\nuserid = \"ANN\"\npassword = \"clear\"\n[[user]]\nuserid = \"ann\"\nright = [\"run\"]\n[[user]]\nname = \"X\"\nrights = [\"opeate\"]\n",
        expect![[r#"
            error[SPCF014]: a password stands here only as its hash
             --> users.toml:3:12
              |
            3 | password = "clear"
              |            ^^^^^^^ this is no argon2 hash
              |
              = help: take the line out and use: syncpoint user add
            error[SPCF013]: user ANN is here twice
             --> users.toml:4:1
              |
            4 | [[user]]
              | ^^^^^^^^
              |
              = help: remove one of the two
            error[SPCF002]: `right` is not a key in [[user]]
             --> users.toml:6:1
              |
            6 | right = ["run"]
              | ^^^^^
              |
              = help: did you mean `rights`?
            error[SPCF005]: [[user]] needs `userid`
             --> users.toml:7:1
              |
            7 | [[user]]
              | ^^^^^^^^
              |
              = help: add a line such as: userid = "TELLER1"
            error[SPCF004]: `rights` takes one of run, inquire, operate
             --> users.toml:9:11
              |
            9 | rights = ["opeate"]
              |           ^^^^^^^^
              |
              = help: did you mean "operate"?"#]],
    );
}
