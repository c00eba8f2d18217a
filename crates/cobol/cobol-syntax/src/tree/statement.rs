//! Statements.

use cobol_source::At;
use cobol_source::exec::Executor;

use super::{Condition, Expression, Figurative, Literal, Markup, Name, Operand, Parameter, Reference};
use cobol_types::{Closing, OpenMode};

/// Statements in a row.
pub type Statements = Vec<Statement>;

/// A statement with its place.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Place of its verb.
    pub at: At,
    /// Kind of the statement.
    pub kind: StatementKind,
}

/// Statements for the unusual: the phrase and its opposite.
#[derive(Clone, Debug, Default)]
pub struct Handlers {
    /// The phrases, in the order written.
    pub list: Vec<Handler>,
}

/// One phrase such as `NOT ON SIZE ERROR`.
#[derive(Clone, Debug)]
pub struct Handler {
    /// Of what.
    pub event: Event,
    /// True if NOT stands there.
    pub not: bool,
    /// Statements of the phrase.
    pub body: Statements,
}

/// Events of phrases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// ON SIZE ERROR.
    SizeError,
    /// AT END.
    AtEnd,
    /// AT END-OF-PAGE.
    EndOfPage,
    /// INVALID KEY.
    InvalidKey,
    /// ON OVERFLOW.
    Overflow,
    /// ON EXCEPTION.
    Exception,
}

/// Each event with the words for it.
const EVENTS: [(Event, &str); 6] = [
    (Event::SizeError, "SIZE ERROR"),
    (Event::AtEnd, "AT END"),
    (Event::EndOfPage, "END-OF-PAGE"),
    (Event::InvalidKey, "INVALID KEY"),
    (Event::Overflow, "OVERFLOW"),
    (Event::Exception, "EXCEPTION"),
];

impl Event {
    /// The event of some words.
    pub fn read(words: &str) -> Option<Self> {
        EVENTS.iter().find(|(_, own)| *own == words).map(|(event, _)| *event)
    }

    /// The words for it.
    pub fn words(self) -> &'static str {
        EVENTS.iter().find(|(event, _)| *event == self).map_or("", |(_, words)| words)
    }
}

/// A receiver of a result.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// The item.
    pub item: Reference,
    /// ROUNDED.
    pub rounded: bool,
}

/// The verb of an [`Arithmetic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithmeticVerb {
    /// ADD.
    Add,
    /// SUBTRACT.
    Subtract,
    /// MULTIPLY.
    Multiply,
    /// DIVIDE … INTO.
    DivideInto,
    /// DIVIDE … BY.
    DivideBy,
}

/// ADD, SUBTRACT, MULTIPLY, DIVIDE.
#[derive(Clone, Debug)]
pub struct Arithmetic {
    /// Which.
    pub verb: ArithmeticVerb,
    /// CORRESPONDING.
    pub corresponding: bool,
    /// Operands before TO, FROM, BY or INTO.
    pub operands: Vec<Operand>,
    /// Operands behind it if GIVING follows.
    pub base: Vec<Operand>,
    /// Destinations of the results; without GIVING they are operands, too.
    pub receivers: Vec<Receiver>,
    /// True if GIVING stands there.
    pub giving: bool,
    /// REMAINDER.
    pub remainder: Option<Receiver>,
    /// ON SIZE ERROR.
    pub handlers: Handlers,
}

/// Ways to pass an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// BY REFERENCE.
    Reference,
    /// BY CONTENT.
    Content,
    /// BY VALUE.
    Value,
}

/// One argument of a CALL; none is OMITTED.
#[derive(Clone, Debug)]
pub struct Argument {
    /// Way of the argument.
    pub passing: Passing,
    /// The argument; `None` for OMITTED.
    pub value: Option<Operand>,
}

/// Ranges that EXIT leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Nothing: a place to go to.
    Point,
    /// The program.
    Program,
    /// The paragraph.
    Paragraph,
    /// The section.
    Section,
    /// The innermost PERFORM with its statements in line.
    Perform,
    /// The same, but for its next turn.
    PerformCycle,
    /// A function or method.
    Other,
}

/// Partners of a subject in a WHEN.
#[derive(Clone, Debug)]
pub enum WhenItem {
    /// ANY.
    Any,
    /// A value, a condition, TRUE or FALSE.
    Value(Condition),
    /// A range, perhaps with NOT.
    Range {
        /// NOT.
        not: bool,
        /// The first value.
        from: Expression,
        /// The last.
        to: Expression,
    },
}

/// The WHENs before the statements that they share.
#[derive(Clone, Debug)]
pub struct Branch {
    /// For each WHEN, for each subject.
    pub whens: Vec<Vec<WhenItem>>,
    /// Statements of the branch.
    pub body: Statements,
}

/// Repetitions of a PERFORM.
#[derive(Clone, Debug)]
pub enum Repeat {
    /// Once.
    Once,
    /// TIMES.
    Times(Operand),
    /// UNTIL.
    Until(Condition),
    /// VARYING and AFTER, outermost first.
    Varying(Vec<Varying>),
    /// UNTIL EXIT: for ever.
    Forever,
}

/// One VARYING or AFTER.
#[derive(Clone, Debug)]
pub struct Varying {
    /// Item that varies.
    pub item: Reference,
    /// FROM.
    pub from: Expression,
    /// BY.
    pub by: Expression,
    /// UNTIL.
    pub until: Condition,
}

/// Ranges that a PERFORM runs.
#[derive(Clone, Debug)]
pub enum Performed {
    /// Procedures.
    Procedures {
        /// The first.
        from: Reference,
        /// THRU.
        through: Option<Reference>,
    },
    /// Statements in line.
    InLine(Statements),
}

/// PERFORM.
#[derive(Clone, Debug)]
pub struct Perform {
    /// Range of the PERFORM.
    pub what: Performed,
    /// WITH TEST AFTER.
    pub test_after: bool,
    /// Repetition of the PERFORM.
    pub repeat: Repeat,
}

/// A border of INSPECT: BEFORE or AFTER a text.
#[derive(Clone, Debug)]
pub struct Border {
    /// AFTER, else BEFORE.
    pub after: bool,
    /// The text.
    pub text: Operand,
}

/// Characters that INSPECT looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scan {
    /// CHARACTERS.
    Characters,
    /// ALL.
    All,
    /// LEADING.
    Leading,
    /// FIRST.
    First,
}

/// One thing that INSPECT counts or replaces.
#[derive(Clone, Debug)]
pub struct InspectItem {
    /// The counter, where it counts.
    pub counter: Option<Reference>,
    /// Characters that it looks for.
    pub scan: Scan,
    /// The text, unless it is CHARACTERS.
    pub text: Option<Operand>,
    /// BY, where it replaces.
    pub by: Option<Operand>,
    /// BEFORE and AFTER.
    pub borders: Vec<Border>,
}

/// INSPECT.
#[derive(Clone, Debug)]
pub struct Inspect {
    /// Item that is looked at.
    pub item: Operand,
    /// TALLYING.
    pub tallying: Vec<InspectItem>,
    /// REPLACING.
    pub replacing: Vec<InspectItem>,
    /// CONVERTING a TO b.
    pub converting: Option<(Operand, Operand, Vec<Border>)>,
}

/// One sender of STRING.
#[derive(Clone, Debug)]
pub struct StringSource {
    /// The pieces.
    pub pieces: Vec<Operand>,
    /// DELIMITED BY; none for SIZE.
    pub delimiter: Option<Operand>,
}

/// One receiver of UNSTRING.
#[derive(Clone, Debug)]
pub struct UnstringTarget {
    /// The item.
    pub item: Reference,
    /// DELIMITER IN.
    pub delimiter: Option<Reference>,
    /// COUNT IN.
    pub count: Option<Reference>,
}

/// Forms of SET.
#[derive(Clone, Debug)]
pub enum SetKind {
    /// `SET a b TO c`: indexes, pointers, ADDRESS OF, condition-names to TRUE or FALSE, switches.
    To {
        /// Items that are set.
        targets: Vec<Operand>,
        /// To what.
        value: Expression,
    },
    /// UP BY, DOWN BY.
    By {
        /// Items that are set.
        targets: Vec<Operand>,
        /// DOWN.
        down: bool,
        /// By how much.
        value: Expression,
    },
    /// `SET switch TO ON`.
    Switch {
        /// The switches.
        targets: Vec<Reference>,
        /// ON.
        on: bool,
    },
}

/// SEARCH.
#[derive(Clone, Debug)]
pub struct Search {
    /// ALL.
    pub all: bool,
    /// The table.
    pub table: Reference,
    /// VARYING.
    pub varying: Option<Reference>,
    /// AT END.
    pub at_end: Option<Statements>,
    /// WHEN; a body of nothing is NEXT SENTENCE.
    pub whens: Vec<(Condition, Statements)>,
}

/// SORT and MERGE.
#[derive(Clone, Debug)]
pub struct Sort {
    /// MERGE.
    pub merge: bool,
    /// The sort file, or a table.
    pub file: Reference,
    /// Keys, with whether they ascend.
    pub keys: Vec<(Reference, bool)>,
    /// WITH DUPLICATES IN ORDER.
    pub duplicates: bool,
    /// COLLATING SEQUENCE.
    pub collating: Option<Name>,
    /// USING.
    pub using: Vec<Reference>,
    /// GIVING.
    pub giving: Vec<Reference>,
    /// INPUT PROCEDURE, and THRU.
    pub input: Option<(Reference, Option<Reference>)>,
    /// OUTPUT PROCEDURE, and THRU.
    pub output: Option<(Reference, Option<Reference>)>,
}

/// ADVANCING.
#[derive(Clone, Debug)]
pub struct Advancing {
    /// AFTER, else BEFORE.
    pub after: bool,
    /// Number of lines; `None` for PAGE.
    pub lines: Option<Operand>,
}

/// A category that INITIALIZE replaces.
#[derive(Clone, Debug)]
pub struct InitializeReplacing {
    /// ALPHANUMERIC, NUMERIC …
    pub category: Name,
    /// BY.
    pub by: Operand,
}

/// For what a declarative section is.
#[derive(Clone, Debug)]
pub enum Use {
    /// AFTER EXCEPTION of these files; of all that are open in a mode, where there is none.
    Exception {
        /// The files.
        files: Vec<Reference>,
        /// INPUT, OUTPUT, I-O, EXTEND.
        mode: Option<OpenMode>,
        /// GLOBAL.
        global: bool,
    },
    /// FOR DEBUGGING: its section has no effect.
    Debugging(Vec<Reference>),
}

/// The storage that ALLOCATE gets.
#[derive(Clone, Debug)]
pub enum Allocated {
    /// So many bytes.
    Characters(Expression),
    /// A record of the linkage section.
    Item(Reference),
}

/// EXEC … END-EXEC as a statement.
#[derive(Clone, Debug)]
pub struct Exec {
    /// The number of its block among [`Tree::blocks`](crate::Tree::blocks).
    pub block: u32,
    /// The kind of the word behind EXEC.
    pub executor: Executor,
    /// Its place.
    pub at: At,
    /// The values in its parentheses, each with the number of its option among the block's items; host variables of SQL without one.
    pub operands: Vec<(Option<u16>, Expression)>,
    /// Paragraphs that HANDLE names, each with the number of its option.
    pub labels: Vec<(u16, Reference)>,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// ACCEPT.
    Accept {
        /// Destination.
        item: Reference,
        /// FROM.
        from: Option<Name>,
        /// YYYYMMDD or YYYYDDD.
        form: Option<Name>,
    },
    /// ADD, SUBTRACT, MULTIPLY, DIVIDE.
    Arithmetic(Box<Arithmetic>),
    /// ALLOCATE.
    Allocate {
        /// Bytes, or a record.
        what: Allocated,
        /// INITIALIZED.
        initialized: bool,
        /// RETURNING.
        returning: Option<Reference>,
    },
    /// ALTER: from, to.
    Alter(Vec<(Reference, Reference)>),
    /// CALL.
    Call {
        /// The program, a procedure pointer or a function pointer.
        program: Operand,
        /// USING.
        using: Vec<Argument>,
        /// RETURNING.
        returning: Option<Reference>,
        /// ON EXCEPTION, ON OVERFLOW.
        handlers: Handlers,
    },
    /// CANCEL.
    Cancel(Vec<Operand>),
    /// CLOSE.
    Close(Vec<(Closing, Reference)>),
    /// COMPUTE.
    Compute {
        /// Destinations of the result.
        receivers: Vec<Receiver>,
        /// Expression that is computed.
        value: Expression,
        /// ON SIZE ERROR.
        handlers: Handlers,
    },
    /// CONTINUE.
    Continue,
    /// DELETE.
    Delete {
        /// The file.
        file: Reference,
        /// INVALID KEY.
        handlers: Handlers,
    },
    /// DISPLAY.
    Display {
        /// Items that are shown.
        items: Vec<Operand>,
        /// UPON.
        upon: Option<Name>,
        /// WITH NO ADVANCING.
        no_advancing: bool,
    },
    /// ENTRY.
    Entry {
        /// Its name.
        name: Literal,
        /// USING.
        using: Vec<Parameter>,
    },
    /// EVALUATE.
    Evaluate {
        /// The subjects.
        subjects: Vec<Condition>,
        /// The WHENs.
        branches: Vec<Branch>,
        /// WHEN OTHER.
        other: Option<Statements>,
    },
    /// EXEC … END-EXEC.
    Exec(Box<Exec>),
    /// EXAMINE, of OS/VS COBOL, in the form of an INSPECT.
    Examine(Box<Inspect>),
    /// EXHIBIT.
    Exhibit {
        /// NAMED.
        named: bool,
        /// CHANGED.
        changed: bool,
        /// Items that are shown.
        items: Vec<Operand>,
    },
    /// EXIT.
    Exit(Exit),
    /// FREE.
    Free(Vec<Operand>),
    /// GOBACK, EXIT PROGRAM or STOP RUN with GIVING or RETURNING: RETURN-CODE gets a value in front of it.
    Giving {
        /// The value.
        code: Operand,
        /// RETURN-CODE, as if it stood there.
        register: Reference,
        /// The statement without its phrase.
        leave: Box<StatementKind>,
    },
    /// GOBACK.
    Goback,
    /// GO TO.
    GoTo {
        /// The procedures; none in a GO TO that is altered.
        targets: Vec<Reference>,
        /// DEPENDING ON.
        depending: Option<Reference>,
    },
    /// IF.
    If {
        /// The condition.
        condition: Condition,
        /// THEN.
        then: Statements,
        /// ELSE.
        otherwise: Option<Statements>,
    },
    /// INITIALIZE.
    Initialize {
        /// The items.
        items: Vec<Reference>,
        /// WITH FILLER.
        filler: bool,
        /// TO VALUE: the categories that get their values; none behind ALL.
        value: Option<Vec<Name>>,
        /// REPLACING.
        replacing: Vec<InitializeReplacing>,
        /// TO DEFAULT.
        default: bool,
    },
    /// INSPECT.
    Inspect(Box<Inspect>),
    /// JSON and XML.
    Markup(Box<Markup>),
    /// MOVE.
    Move {
        /// CORRESPONDING.
        corresponding: bool,
        /// Source.
        from: Operand,
        /// Destinations.
        to: Vec<Reference>,
    },
    /// NEXT SENTENCE.
    NextSentence,
    /// OPEN.
    Open(Vec<(OpenMode, Reference)>),
    /// PERFORM.
    Perform(Box<Perform>),
    /// READ.
    Read {
        /// The file.
        file: Reference,
        /// NEXT.
        next: bool,
        /// INTO.
        into: Option<Reference>,
        /// KEY IS.
        key: Option<Reference>,
        /// AT END, INVALID KEY.
        handlers: Handlers,
    },
    /// RELEASE.
    Release {
        /// The record.
        record: Reference,
        /// FROM.
        from: Option<Operand>,
    },
    /// RETURN.
    Return {
        /// The file.
        file: Reference,
        /// INTO.
        into: Option<Reference>,
        /// AT END.
        handlers: Handlers,
    },
    /// REWRITE.
    Rewrite {
        /// The record.
        record: Reference,
        /// FROM.
        from: Option<Operand>,
        /// INVALID KEY.
        handlers: Handlers,
    },
    /// SEARCH.
    Search(Box<Search>),
    /// A statement without an effect, and the items that it names.
    NoEffect(Vec<Reference>),
    /// SET.
    Set(Vec<SetKind>),
    /// SORT and MERGE.
    Sort(Box<Sort>),
    /// START.
    Start {
        /// The file.
        file: Reference,
        /// KEY, with the relation.
        key: Option<(super::Relation, Reference)>,
        /// INVALID KEY.
        handlers: Handlers,
    },
    /// STOP RUN; with a literal it is shown to the operator.
    Stop(Option<Operand>),
    /// STRING.
    String {
        /// The senders.
        sources: Vec<StringSource>,
        /// INTO.
        into: Reference,
        /// POINTER.
        pointer: Option<Reference>,
        /// ON OVERFLOW.
        handlers: Handlers,
    },
    /// TRANSFORM item FROM a TO b, of OS/VS COBOL.
    Transform {
        /// The item.
        item: Reference,
        /// FROM.
        from: Operand,
        /// TO.
        to: Operand,
    },
    /// UNSTRING.
    Unstring {
        /// The sender.
        item: Operand,
        /// DELIMITED BY, with whether ALL stands there.
        delimiters: Vec<(Operand, bool)>,
        /// INTO.
        into: Vec<UnstringTarget>,
        /// POINTER.
        pointer: Option<Reference>,
        /// TALLYING.
        tallying: Option<Reference>,
        /// ON OVERFLOW.
        handlers: Handlers,
    },
    /// USE, at the head of a declarative section.
    Use(Use),
    /// WRITE.
    Write {
        /// The record.
        record: Reference,
        /// FROM.
        from: Option<Operand>,
        /// ADVANCING.
        advancing: Option<Advancing>,
        /// INVALID KEY, AT END-OF-PAGE.
        handlers: Handlers,
    },
}

impl Handlers {
    /// Every list of statements in it.
    pub fn bodies(&self) -> impl Iterator<Item = &Statements> {
        self.list.iter().map(|handler| &handler.body)
    }

    /// Returns true if a phrase stands there.
    pub fn has(&self, event: Event, not: bool) -> bool {
        self.list.iter().any(|handler| handler.event == event && handler.not == not)
    }
}

impl Figurative {
    /// The word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Zero => "ZERO",
            Self::Space => "SPACE",
            Self::HighValue => "HIGH-VALUE",
            Self::LowValue => "LOW-VALUE",
            Self::Quote => "QUOTE",
            Self::Null => "NULL",
            Self::All(_) => "ALL",
        }
    }
}
