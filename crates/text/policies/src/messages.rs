//! Messages of a region with published numbers, as rules and captures name them: by the number, and by their inserts.

/// The field of a message's number.
pub const ID: &str = "MESSAGE_ID";

/// INSERT1 to INSERT22 may be asked for, as published.
const INSERTS_MAX: usize = 22;

/// The inserts of every message: the date, the time, the region.
pub const COMMON: [&str; 3] = ["date", "time", "applid"];

/// Messages that a region writes and tells, with their inserts behind the [`COMMON`] ones. Those of DFHMP3001 and DFHMP3002 are
/// published; others stand in the order of our texts. SPAC00n are numbers of our own.
pub static MESSAGES: &[(&str, &[&str])] = &[
    ("DFHAC2001", &["transaction"]),
    ("DFHAC2008", &["transaction"]),
    ("DFHAC2033", &["transaction"]),
    ("DFHAC2206", &["transaction", "abend code", "program"]),
    ("DFHCE3520", &["user", "terminal"]),
    ("DFHCE3523", &["user", "terminal"]),
    ("DFHCE3525", &["user", "terminal"]),
    ("DFHCE3526", &["user", "terminal"]),
    ("DFHCE3529", &["user", "terminal"]),
    ("DFHCE3530", &["user", "terminal"]),
    ("DFHCE3535", &["user", "terminal"]),
    ("DFHCE3546", &["user", "terminal"]),
    ("DFHCE3549", &["user", "terminal"]),
    ("DFHCE3590", &["user", "terminal"]),
    ("DFHDB2023", &["server"]),
    ("DFHDB2025", &["server"]),
    ("DFHDB2037", &["reason"]),
    ("DFHDB2064", &["server"]),
    ("DFHMP3001", &TASK_RULE),
    ("DFHMP3002", &ABENDING_RULE),
    ("DFHMP3009", &SYSTEM_RULE),
    ("DFHMP3015", &SYSTEM_RULE),
    ("DFHPI0504", &["transaction", "text"]),
    ("DFHPI1007", &["transaction", "text"]),
    ("DFHPI1008", &["transaction", "text"]),
    ("DFHPI1009", &["transaction", "text"]),
    ("DFHPI1010", &["transaction", "text"]),
    ("DFHWB0361", &["transaction", "text"]),
    ("DFHWB0523", &["transaction", "text"]),
    ("SPAC001", &["transaction"]),
    ("SPAC002", &["transaction"]),
    ("SPAC003", &["transaction"]),
];

const TASK_RULE: [&str; 11] = [
    "task",
    "transaction",
    "bundle id",
    "policy",
    "rule",
    "rule type",
    "category",
    "threshold",
    "value",
    "unit",
    "count",
];
/// The inserts of [`TASK_RULE`], with the abend code behind the transaction.
const ABENDING_RULE: [&str; 12] = {
    let [task, transaction, details @ ..] = TASK_RULE;
    let [bundle, policy, rule, kind, category, threshold, value, unit, count] = details;
    [task, transaction, "abend code", bundle, policy, rule, kind, category, threshold, value, unit, count]
};
const SYSTEM_RULE: [&str; 7] = ["task", "transaction", "rule type", "rule", "details", "policy", "bundle"];

/// The number of an insert that a field names; `None`: it names none.
pub fn insert(field: &str) -> Option<usize> {
    let digits = field.strip_prefix("INSERT").filter(|digits| !digits.starts_with('0'))?;
    digits.parse().ok().filter(|number| (1..=INSERTS_MAX).contains(number))
}

/// Checks that a region writes a message.
///
/// # Errors
/// The reason why a rule about it would never act.
pub fn check(id: &str) -> Result<(), String> {
    match MESSAGES.iter().any(|(known, _)| *known == id) {
        true => Ok(()),
        false => Err(format!("the message '{id}' is none that a region here writes and tells")),
    }
}
