//! Commands that a test asks for itself, without a program: what came of each, for assertions.

use std::sync::Arc;

use kernel::exec::{Content, Parcel};
use kernel::region::Region;
use kernel::security::User;
use spec::{Condition, OptionId};

/// A command that was answered.
pub struct Answered(Parcel);

impl Answered {
    /// RESP and RESP2.
    pub fn response(&self) -> (Condition, i32) {
        self.0.response().unwrap_or_else(|| panic!("{} has no response", self.0.command().name))
    }

    /// The characters that the command gave for an option.
    pub fn text(&self, option: OptionId) -> String {
        match self.0.content(option) {
            Some(Content::Bytes(bytes)) => bytes.into_iter().map(char::from).collect(),
            other => panic!("{}: {other:?} is no text", option.name()),
        }
    }

    /// The number that the command gave for an option.
    pub fn number(&self, option: OptionId) -> i64 {
        match self.0.content(option) {
            Some(Content::Number(number)) => number,
            other => panic!("{}: {other:?} is no number", option.name()),
        }
    }

    /// All of it.
    pub fn parcel(&self) -> &Parcel {
        &self.0
    }
}

/// The command of a text, as CECI takes it.
///
/// # Panics
/// If it is none.
pub fn command(text: &str) -> Parcel {
    Parcel::read(text).unwrap_or_else(|mistakes| panic!("{text}: {}", mistakes.join(" ")))
}

/// Has commands answered, one after the other in one task on behalf of the region. `None`: the task has not come to its end.
pub async fn answered(region: &Arc<Region>, commands: Vec<Parcel>) -> Option<Vec<Answered>> {
    answered_as(region, User::region(), commands).await
}

/// The same on behalf of a user, who may run the transaction TEST.
pub async fn answered_as(
    region: &Arc<Region>,
    user: Arc<User>,
    commands: Vec<Parcel>,
) -> Option<Vec<Answered>> {
    let answers = pages::commands::carry_out(region, user, commands).await.ok()?;
    Some(answers.into_iter().map(Answered).collect())
}
