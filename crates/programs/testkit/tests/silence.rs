//! A user who does nothing for long is signed off, a name that is bound is given to no other user, and guessing passwords
//! takes long.

mod common;

use std::sync::Arc;
use std::time::Duration;

use common::{Run, Site};
use kernel::dispatcher::Dispatcher;
use kernel::dispatcher::sign_off_silent;
use kernel::security::{StartsAs, User, Users};
use kernel::terminals::Terminals;
use testkit::script::Act;
use tn3270::datastream::Aid;

const APPLICATION: &str = "
```toml
[lu]
TERMB = \"192.0.2.1\"
```

```file users.toml
[[user]]
userid = \"ANNA\"
password = \"$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"
```

```cobol TALK
EXEC CICS RETURN TRANSID('TALK') END-EXEC
```
";

async fn act(run: &mut Run, terminal: &str, acts: &[Act]) {
    for act in acts {
        run.house.act(terminal, act).await.unwrap_or_else(|error| panic!("{error}"));
    }
}

fn typed(text: &str, answer: &str) -> [Act; 4] {
    [Act::Press(Aid::Clear), Act::Type(text.to_owned()), Act::Press(Aid::Enter), Act::Wait(answer.to_owned())]
}

#[test]
fn a_name_that_is_bound_to_an_address_is_given_to_no_other_user() {
    Site::new("silence", APPLICATION).run(async |run| {
        act(run, "A", &[Act::Press(Aid::Clear)]).await;
        assert!(run.house.act("B", &Act::Press(Aid::Clear)).await.is_err(), "TERMB is of another address");
        true
    });
}

#[test]
fn each_wrong_password_makes_the_next_wait() {
    Site::new("silence", APPLICATION).run(async |run| {
        let begin = std::time::Instant::now();
        for guess in ["ONE", "TWO", "THREE"] {
            act(run, "A", &typed(&format!("CESN USERID=ANNA,PS={guess}"), "Invalid credentials")).await;
            act(run, "A", &[Act::Press(Aid::Pf(3)), Act::Wait(String::from("DFHCE3543"))]).await;
        }
        assert!(begin.elapsed() >= Duration::from_secs(1), "the third has waited for a second");
        true
    });
}

#[test]
fn a_user_who_is_silent_is_signed_off() {
    Site::new("silence", APPLICATION).run(async |run| {
        act(run, "A", &typed("TALK", "")).await;
        let region = Arc::clone(&run.house.running.region);
        let terminal = Terminals::of(&region).list().remove(0);
        let user = User {
            id: "ANNA".into(),
            is_default: false,
            starts_as: StartsAs::NOBODY,
            ..User::clone(&Users::of(&region).default)
        };
        terminal.set_user(Arc::new(user));
        run.until("the task has ended", || Dispatcher::of(&region).running() == 0).await;
        sign_off_silent(&region, Duration::from_secs(3_600));
        assert!(!terminal.user().is_default);
        sign_off_silent(&region, Duration::ZERO);
        assert!(terminal.user().is_default && terminal.next_transaction().is_none());
        true
    });
}
