//! Changes to the text of a users file that leave everything else in it alone, comments included.

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, TomlError, Value, value};

use crate::User;

/// The key of the users.
const USERS: &str = "user";

/// The text of a users file that is damaged: nothing is changed in it.
#[derive(Debug, thiserror::Error)]
pub enum Damaged {
    /// The text is not TOML.
    #[error("{0}")]
    Syntax(#[from] TomlError),
    /// `user` is something else than tables.
    #[error("its users are no tables [[user]]")]
    Users,
}

/// Returns the text with a user added, or changed where it is there already.
///
/// # Errors
/// The text is damaged.
pub fn with_user(text: &str, user: &User) -> Result<String, Damaged> {
    let mut document: DocumentMut = text.parse()?;
    // Comments of a file that has nothing else stay above the first user.
    let above = if document.is_empty() { trailing(&document) } else { "\n".to_owned() };
    if document.is_empty() {
        document.set_trailing("");
    }
    let users = users(&mut document)?;
    if let Some(place) = place(users, &user.userid) {
        users.get_mut(place).into_iter().for_each(|table| fill(table, user));
    } else {
        let mut table = Table::new();
        fill(&mut table, user);
        table.decor_mut().set_prefix(above);
        users.push(table);
    }
    Ok(document.to_string())
}

/// Returns the text without a user; `None` if it has no such user. The comments above the user stay.
///
/// # Errors
/// The text is damaged.
pub fn without_user(text: &str, userid: &str) -> Result<Option<String>, Damaged> {
    let mut document: DocumentMut = text.parse()?;
    let users = users(&mut document)?;
    let Some(place) = place(users, userid) else { return Ok(None) };
    let comments = users.get(place).map(prefix).unwrap_or_default();
    users.remove(place);
    if let Some(next) = users.get_mut(place) {
        let both = format!("{comments}{}", prefix(next));
        next.decor_mut().set_prefix(both);
    } else {
        let both = format!("{comments}{}", trailing(&document));
        document.set_trailing(both);
    }
    Ok(Some(document.to_string()))
}

fn trailing(document: &DocumentMut) -> String {
    document.trailing().as_str().unwrap_or_default().to_owned()
}

fn prefix(table: &Table) -> String {
    table.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default().to_owned()
}

/// The tables of the users. Users that stand in one line become tables, so that one more can be added.
fn users(document: &mut DocumentMut) -> Result<&mut ArrayOfTables, Damaged> {
    let item = document.entry(USERS).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    if !item.is_array_of_tables() {
        *item = std::mem::take(item)
            .into_array_of_tables()
            .map(Item::ArrayOfTables)
            .map_err(|_| Damaged::Users)?;
    }
    item.as_array_of_tables_mut().ok_or(Damaged::Users)
}

fn place(users: &ArrayOfTables, userid: &str) -> Option<usize> {
    users.iter().position(|table| {
        let own = table.get("userid").and_then(Item::as_str);
        own.is_some_and(|own| own.eq_ignore_ascii_case(userid))
    })
}

/// Makes a table say what is known of a user. A value that stays keeps the form and the comments that it has.
fn fill(table: &mut Table, user: &User) {
    let text = |text: &str| (!text.is_empty()).then(|| Value::from(text));
    let list = |words: &[String]| (!words.is_empty()).then(|| words.iter().collect::<Array>().into());
    let rights: Array = user.rights.iter().map(|right| right.word()).collect();
    let hash = |hash: &Option<String>| hash.as_deref().map(Value::from);
    let all: [(&str, Option<Value>); 11] = [
        ("userid", text(&user.userid)),
        ("name", text(&user.name)),
        ("rights", Some(rights.into())),
        ("groups", list(&user.groups)),
        ("starts-as", list(&user.starts_as)),
        ("password", hash(&user.password)),
        ("phrase", hash(&user.phrase)),
        ("changed", hash(&user.changed)),
        ("former", list(&user.former)),
        ("certificates", list(&user.certificates)),
        ("revoked", user.revoked.then(|| true.into())),
    ];
    for (key, new) in all {
        match (table.get_mut(key).and_then(Item::as_value_mut), new) {
            (_, None) => drop(table.remove(key)),
            (Some(old), Some(new)) if is_same(old, &new) => {}
            (Some(old), Some(mut new)) => {
                *new.decor_mut() = old.decor().clone();
                *old = new;
            }
            (None, Some(new)) => drop(table.insert(key, value(new))),
        }
    }
}

/// Returns true if two values mean the same, however they are written.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(one), Value::String(other)) => one.value() == other.value(),
        (Value::Boolean(one), Value::Boolean(other)) => one.value() == other.value(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        _ => false,
    }
}
