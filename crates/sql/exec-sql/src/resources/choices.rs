//! Attributes that are one of several words: the words of definitions, and those of INQUIRE and SET.

use spec::{OptionId, opt};

/// An attribute, and its words.
pub(crate) struct Choice {
    pub(crate) attribute: &'static str,
    /// The word of a definition, and the CVDA.
    pub(crate) values: &'static [(&'static str, &'static str)],
    /// The CVDAs that SET takes, each also as a keyword of its own.
    pub(crate) keywords: &'static [(&'static str, OptionId)],
}

/// A choice whose CVDAs are keywords of SET.
macro_rules! choice {
    ($name:ident $attribute:literal: $($value:literal $cvda:ident),+) => {
        pub(crate) const $name: Choice = Choice {
            attribute: $attribute,
            values: &[$(($value, stringify!($cvda))),+],
            keywords: &[$((stringify!($cvda), opt::$cvda)),+],
        };
    };
}

choice!(ACCOUNTREC "ACCOUNTREC": "UOW" UOW, "TASK" TASK, "TXID" TXID, "NONE" NONE);
choice!(AUTHTYPE "AUTHTYPE": "GROUP" GROUP, "SIGNID" SIGN, "TERM" TERM, "TXID" TX, "OPID" OPID, "USERID" USERID);
choice!(COMAUTHTYPE "COMAUTHTYPE":
    "GROUP" CGROUP, "SIGNID" CSIGN, "TERM" CTERM, "TXID" CTX, "OPID" COPID, "USERID" CUSERID);
choice!(CONNECTERROR "CONNECTERROR": "ABEND" ABEND, "SQLCODE" SQLCODE);
choice!(DISABLEDACT "DISABLEDACT": "ABEND" ABEND, "SQLCODE" SQLCODE, "POOL" POOL);
choice!(NONTERMREL "NONTERMREL": "YES" RELEASE, "NO" NORELEASE);
choice!(PRIORITY "PRIORITY": "HIGH" HIGH, "EQUAL" EQUAL, "LOW" LOW);
choice!(RESYNCMEMBER "RESYNCMEMBER": "YES" RESYNC, "NO" NORESYNC);
choice!(SHARELOCKS "SHARELOCKS": "YES" YES, "NO" NO);
choice!(STANDBYMODE "STANDBYMODE": "NOCONNECT" NOCONNECT, "CONNECT" CONNECT, "RECONNECT" RECONNECT);
choice!(THREADWAIT "THREADWAIT": "YES" TWAIT, "NO" NOTWAIT);
choice!(ENTRY_THREADWAIT "THREADWAIT": "YES" TWAIT, "NO" NOTWAIT, "POOL" TPOOL);

/// Attribute that SET does not change.
pub(crate) const DROLLBACK: Choice =
    Choice { attribute: "DROLLBACK", values: &[("YES", "ROLLBACK"), ("NO", "NOROLLBACK")], keywords: &[] };
pub(crate) const THREADERROR: Choice = Choice {
    attribute: "THREADERROR",
    values: &[("ABEND", "ABEND"), ("N906", "N906"), ("N906D", "N906D")],
    keywords: &[],
};

/// The row of SET for a choice.
macro_rules! sets_choice {
    ($option:ident, $choice:ident) => {
        Setting {
            option: opt::$option,
            takes: Takes::OneOf(choices::$choice.keywords),
            resp2: REFUSED,
            set: Set::Now(|_, resource, to| {
                resource.attributes.choose(&choices::$choice, to);
                Ok(())
            }),
        }
    };
}

/// The row of SET for a text; another attribute that goes with it is blank from then on.
macro_rules! sets_text {
    ($option:ident $(, blanks $other:literal)?) => {
        Setting {
            option: opt::$option,
            takes: Takes::Text,
            resp2: REFUSED,
            set: Set::Now(|_, resource, to| {
                resource.attributes.put(stringify!($option), to);
                $(resource.attributes.set($other, "");)?
                Ok(())
            }),
        }
    };
}

/// The row of SET for a number.
macro_rules! sets_number {
    ($option:ident, $range:expr) => {
        Setting {
            option: opt::$option,
            takes: Takes::Number($range),
            resp2: REFUSED,
            set: Set::Now(|_, resource, to| {
                resource.attributes.put(stringify!($option), to);
                Ok(())
            }),
        }
    };
}

pub(crate) use {sets_choice, sets_number, sets_text};
