//! PostgreSQL's types, by their numbers.

/// The number of a type.
pub type Oid = u32;

/// Not said: the server finds out.
pub const UNKNOWN: Oid = 0;
/// boolean
pub const BOOL: Oid = 16;
/// bytes
pub const BYTEA: Oid = 17;
/// a name of the catalogue
pub const NAME: Oid = 19;
/// BIGINT
pub const INT8: Oid = 20;
/// SMALLINT
pub const INT2: Oid = 21;
/// INTEGER
pub const INT4: Oid = 23;
/// text without a limit
pub const TEXT: Oid = 25;
/// an object's number
pub const OID: Oid = 26;
/// a document
pub const JSON: Oid = 114;
/// a document
pub const XML: Oid = 142;
/// REAL
pub const FLOAT4: Oid = 700;
/// DOUBLE
pub const FLOAT8: Oid = 701;
/// CHAR, and what VARCHAR stands on
pub const BPCHAR: Oid = 1042;
/// PostgreSQL's own VARCHAR
pub const VARCHAR: Oid = 1043;
/// DATE
pub const DATE: Oid = 1082;
/// TIME
pub const TIME: Oid = 1083;
/// TIMESTAMP
pub const TIMESTAMP: Oid = 1114;
/// TIMESTAMP WITH TIME ZONE
pub const TIMESTAMPTZ: Oid = 1184;
/// DECIMAL
pub const NUMERIC: Oid = 1700;
/// a transaction's number
pub const XID8: Oid = 5069;

/// Returns true if values of a type are read and written in binary here; others go as text.
pub(crate) const fn is_binary(oid: Oid) -> bool {
    matches!(
        oid,
        BOOL | BYTEA
            | NAME
            | INT8
            | INT2
            | INT4
            | TEXT
            | OID
            | JSON
            | XML
            | FLOAT4
            | FLOAT8
            | BPCHAR
            | VARCHAR
            | DATE
            | TIME
            | TIMESTAMP
            | NUMERIC
            | XID8
    )
}
