//! PostgreSQL's states and the codes that programs expect for them.

/// Kind of statement that runs when something fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Doing {
    /// SELECT, FETCH, SET
    #[default]
    Select,
    /// INSERT
    Insert,
    /// UPDATE
    Update,
    /// DELETE
    Delete,
    /// MERGE
    Merge,
    /// CREATE, ALTER, DROP, GRANT
    Definition,
}

/// One row: the first that fits counts.
pub(super) struct Row {
    pub(super) state: &'static str,
    pub(super) when: When,
    pub(super) code: i32,
    /// Db2's SQLSTATE.
    pub(super) db2: &'static [u8; 5],
    pub(super) tokens: Tokens,
}

/// Condition that must hold besides the state.
pub(super) enum When {
    Always,
    /// The message begins so: sessions have messages in English.
    Says(&'static str),
    /// The message holds this.
    Mentions(&'static str),
    /// The message begins so while one of these runs.
    While(&'static [Doing], &'static str),
    /// A constraint has this name.
    Constraint(&'static str),
}

/// Source of the tokens in SQLERRMC.
#[derive(Clone, Copy)]
pub(super) enum Tokens {
    None,
    /// The constraint's name.
    Constraint,
    /// The column's.
    Column,
    /// The names in quotation marks of the message.
    Names,
    /// The first of them.
    First,
    /// The message.
    Message,
    /// The reason of a deadlock, and of a time-out.
    Deadlock,
    TimeOut,
}

use Tokens::{Column, Constraint, Deadlock, First, Message, Names, None, TimeOut};
use When::{Always, Mentions, Says, While};

const CHANGES: &[Doing] = &[Doing::Insert, Doing::Update, Doing::Merge];

const fn row(state: &'static str, code: i32, db2: &'static [u8; 5], tokens: Tokens) -> Row {
    Row { state, when: Always, code, db2, tokens }
}

const fn if_(state: &'static str, when: When, code: i32, db2: &'static [u8; 5], tokens: Tokens) -> Row {
    Row { state, when, code, db2, tokens }
}

/// The table. A state of two characters is for its whole class.
pub(super) const TABLE: &[Row] = &[
    if_("08001", Always, -923, b"57015", None),
    row("08", -924, b"58006", None),
    row("0A000", -199, b"42601", Message),
    if_("21000", Mentions("affect row a second time"), -788, b"21506", None),
    row("21000", -811, b"21000", None),
    if_("22001", While(CHANGES, ""), -404, b"22001", Column),
    row("22001", -433, b"22001", None),
    // A number's own type, not a column's, is what an expression runs out of.
    if_("22003", While(CHANGES, "numeric field overflow"), -406, b"22003", Column),
    if_("22003", While(CHANGES, "smallint out of range"), -406, b"22003", Column),
    row("22003", -802, b"22003", None),
    row("22004", -305, b"22004", None),
    row("22007", -180, b"22007", Names),
    row("22008", -181, b"22007", Names),
    row("22011", -138, b"22011", None),
    row("22012", -802, b"22012", None),
    row("22019", -130, b"22019", None),
    row("22021", -331, b"22021", None),
    if_("22023", Mentions("length for type"), -604, b"42611", None),
    if_("22023", Says("NUMERIC precision"), -604, b"42611", None),
    row("22023", -171, b"42815", None),
    if_("22025", Says("invalid escape string"), -130, b"22019", None),
    row("22025", -130, b"22025", None),
    row("22030", -20447, b"22007", Message),
    if_("22018", Says("format string"), -20447, b"22007", Names),
    row("22018", -20448, b"22007", Names),
    row("2201E", -802, b"22003", None),
    row("2201F", -802, b"22003", None),
    row("2200M", -20398, b"2200M", Message),
    row("2200H", -359, b"23522", Names),
    row("22P02", -420, b"22018", Names),
    row("22P05", -330, b"22021", None),
    row("22", -420, b"22018", Message),
    row("23001", -532, b"23504", Constraint),
    row("23502", -407, b"23502", Column),
    if_("23503", Says("insert or update on table"), -530, b"23503", Constraint),
    if_(
        "23503",
        While(&[Doing::Update, Doing::Merge], "update or delete on table"),
        -531,
        b"23504",
        Constraint,
    ),
    row("23503", -532, b"23504", Constraint),
    row("23505", -803, b"23505", Constraint),
    if_("23514", When::Constraint("db2_length"), -404, b"22001", Column),
    row("23514", -545, b"23513", Constraint),
    row("23P01", -803, b"23505", Constraint),
    row("23", -407, b"23502", Message),
    row("24000", -508, b"24504", Names),
    row("25006", -817, b"25000", None),
    row("25P03", -904, b"57011", Message),
    row("28", -922, b"42505", None),
    row("2BP01", -478, b"42893", Names),
    row("34000", -501, b"24501", Names),
    row("38", -443, b"38000", Message),
    row("39", -443, b"38000", Message),
    row("3D000", -950, b"42705", Names),
    row("3F000", -204, b"42704", Names),
    row("40001", -911, b"40001", Deadlock),
    row("40002", -530, b"23503", Constraint),
    row("40P01", -911, b"40001", Deadlock),
    if_("42501", While(&[Doing::Definition], ""), -552, b"42502", Names),
    row("42501", -551, b"42501", Names),
    if_("42601", Says("INSERT has more"), -117, b"42802", None),
    if_("42601", Mentions("query must have the same number of columns"), -421, b"42826", None),
    row("42601", -104, b"42601", Names),
    row("42602", -105, b"42604", Names),
    row("42611", -604, b"42611", Names),
    row("42622", -107, b"42622", Names),
    if_("42701", While(&[Doing::Definition], ""), -612, b"42711", First),
    row("42701", -121, b"42701", Names),
    row("42702", -203, b"42702", Names),
    // A column of a table that the statement names.
    if_("42703", Says("column \""), -206, b"42703", Names),
    if_("42703", Mentions("."), -205, b"42703", Message),
    row("42703", -206, b"42703", Names),
    row("42704", -204, b"42704", Names),
    row("42710", -601, b"42710", Names),
    row("42712", -212, b"42712", Names),
    row("42723", -454, b"42723", Names),
    row("42725", -487, b"42725", Names),
    if_("42803", Mentions("HAVING"), -119, b"42803", Message),
    row("42803", -122, b"42803", Names),
    row("42804", -408, b"42821", First),
    row("42809", -159, b"42809", First),
    row("42830", -538, b"42830", Names),
    row("42846", -461, b"42846", Message),
    if_("42883", Says("operator does not exist"), -401, b"42818", Message),
    // What stands in the place of an operator for numbers.
    if_("42883", Says("function db2.quotient("), -401, b"42818", Message),
    if_("42883", Says("function db2.product("), -401, b"42818", Message),
    if_("42883", Says("function db2.plus("), -401, b"42818", Message),
    if_("42883", Says("function db2.minus("), -401, b"42818", Message),
    row("42883", -440, b"42884", Message),
    row("42911", -419, b"42911", None),
    row("42939", -457, b"42939", Names),
    // A qualifier that FROM does not have.
    if_("42P01", Says("missing FROM-clause"), -206, b"42703", Names),
    if_("42P01", Says("invalid reference to FROM-clause"), -206, b"42703", Names),
    row("42P01", -204, b"42704", Names),
    row("42P02", -313, b"07001", None),
    row("42P03", -502, b"24502", Names),
    row("42P07", -601, b"42710", Names),
    row("42P10", -208, b"42707", Message),
    if_("42P16", Says("multiple primary keys"), -624, b"42889", First),
    row("42P18", -418, b"42610", None),
    row("428B3", -435, b"428B3", Names),
    row("428C9", -798, b"428C9", Names),
    row("42", -199, b"42601", Message),
    row("53100", -904, b"57011", Message),
    row("53200", -904, b"57011", Message),
    row("53300", -923, b"57015", None),
    row("53", -904, b"57011", Message),
    row("54011", -840, b"54004", None),
    row("54", -101, b"54001", None),
    if_("55000", Mentions("currval"), -845, b"51035", Names),
    if_("55000", Mentions("lastval"), -845, b"51035", Names),
    row("55P03", -911, b"40001", TimeOut),
    row("55", -904, b"57011", Message),
    row("57014", -905, b"57014", None),
    row("57", -923, b"57015", None),
    row("58", -904, b"57011", Message),
    row("P0002", 100, b"02000", None),
    row("P0003", -811, b"21000", None),
    row("XX001", -904, b"57011", Message),
    row("XX", -901, b"58004", Message),
];
