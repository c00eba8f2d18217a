//! Which programs of an application are hosted with `auto`: a fixed point over all of them.
//!
//! A program is hosted if the configuration says so, if our own compiler does not take it, or if it CALLs a hosted one. Programs
//! with a record that hosted programs see otherwise (`Shape`) are all native, or all hosted: one of them that is hosted spoils it
//! for the others. A hosted program that CALLs a native one has a hosted copy of it, which spoils as well. Programs that only
//! pass such a record on do not.

use std::collections::{BTreeMap, BTreeSet};

use config::CobolCompiler;

use crate::facts::Shape;

/// What is said of a program that is refused without a word.
pub(crate) const REFUSED: &str = "it is refused";

/// A program, as the decision sees it.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// What the configuration says.
    pub(crate) compiler: CobolCompiler,
    /// Why our own compiler does not take it, on one line.
    pub(crate) refused: Option<String>,
    /// What it has in records that hosted programs see otherwise.
    pub(crate) holds: Vec<Shape>,
    /// The programs that it CALLs by a literal.
    pub(crate) calls: Vec<String>,
    /// Names that items by which it CALLs get from its text: those of programs count.
    pub(crate) perhaps: Vec<String>,
    /// The names of its entries.
    pub(crate) entries: Vec<String>,
}

impl Node {
    /// All programs that it may CALL.
    fn may_call(&self) -> impl Iterator<Item = &String> {
        self.calls.iter().chain(&self.perhaps)
    }
}

/// Programs by their names.
pub(crate) type Nodes = BTreeMap<String, Node>;

/// Why a program is hosted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// The configuration says so.
    Configured,
    /// Our own compiler does not take it: why.
    Refused(String),
    /// It CALLs one that is not native.
    Calls(String),
    /// It has such a record, and a hosted program has one, too.
    Shares(Shape),
}

/// The programs that are hosted, by their names.
pub(crate) type Hosted = BTreeMap<String, Why>;

/// Hosted programs with a record of some shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spoiler {
    /// The first of them.
    pub(crate) name: String,
    /// How many more there are.
    pub(crate) more: usize,
    /// Why it is hosted, on one line.
    pub(crate) because: String,
}

impl Spoiler {
    /// What its shape is otherwise in.
    pub(crate) fn shown(&self) -> String {
        let Self { name, more, because } = self;
        match more {
            0 => format!("{name}, which is hosted ({because})"),
            1 => format!("{name} and 1 other program, which are hosted ({name}: {because})"),
            more => format!("{name} and {more} other programs, which are hosted ({name}: {because})"),
        }
    }
}

/// What is decided about a whole application.
#[derive(Debug, Default)]
pub(crate) struct Whole {
    spoilers: BTreeMap<Shape, Spoiler>,
    /// The native programs that have records of a shape.
    natively: BTreeMap<Shape, BTreeSet<String>>,
}

impl Whole {
    /// Decides about all programs.
    pub(crate) fn of(nodes: &Nodes) -> Self {
        let mut whole = Self::default();
        loop {
            let hosted = whole.hosted(nodes);
            let in_hosted_form = in_hosted_form(nodes, &hosted);
            let spoiled = Shape::ALL.into_iter().filter(|shape| !whole.spoilers.contains_key(shape));
            let found: Vec<_> = spoiled
                .filter_map(|shape| Some((shape, spoiler(nodes, &hosted, &in_hosted_form, shape)?)))
                .collect();
            if found.is_empty() {
                let native = |name: &&String| !in_hosted_form.contains_key(*name);
                let holders = |shape| {
                    let all = nodes.iter().filter(move |(_, node)| node.holds.contains(&shape));
                    all.map(|(name, _)| name).filter(native).cloned().collect()
                };
                whole.natively = Shape::ALL.into_iter().map(|shape| (shape, holders(shape))).collect();
                return whole;
            }
            whole.spoilers.extend(found);
        }
    }

    /// Who has records of a shape, and is hosted.
    pub(crate) fn spoiler(&self, shape: Shape) -> Option<&Spoiler> {
        self.spoilers.get(&shape)
    }

    /// A native program, other than this one, that has records of a shape, if all that have them are native.
    pub(crate) fn another_native(&self, shape: Shape, name: &str) -> Option<&str> {
        if self.spoilers.contains_key(&shape) {
            return None;
        }
        self.natively.get(&shape)?.iter().map(String::as_str).find(|other| *other != name)
    }

    /// The hosted ones among some programs, with which stand all that they CALL.
    pub(crate) fn hosted(&self, nodes: &Nodes) -> Hosted {
        let mut hosted: Hosted = Hosted::new();
        for (name, node) in nodes {
            let why = match (node.compiler, &node.refused) {
                (CobolCompiler::Hosted, _) => Some(Why::Configured),
                (_, Some(reason)) => Some(Why::Refused(reason.clone())),
                _ => calls_nothing(nodes, name).map(|called| Why::Calls(called.to_owned())),
            };
            hosted.extend(why.map(|why| (name.clone(), why)));
        }
        with_callers(nodes, &mut hosted);
        // What spoils it for others has a reason of its own by now.
        for (name, node) in nodes.iter().filter(|(_, node)| node.compiler == CobolCompiler::Auto) {
            if let Some(shape) = node.holds.iter().find(|shape| self.spoilers.contains_key(shape)) {
                hosted.entry(name.clone()).or_insert(Why::Shares(*shape));
            }
        }
        with_callers(nodes, &mut hosted);
        hosted
    }
}

/// Adds the programs that CALL hosted ones.
fn with_callers(nodes: &Nodes, hosted: &mut Hosted) {
    loop {
        let calls = |node: &Node| node.may_call().find(|called| hosted.contains_key(*called)).cloned();
        let others = nodes.iter().filter(|(name, _)| !hosted.contains_key(*name));
        let more: Vec<_> =
            others.filter_map(|(name, node)| Some((name.clone(), Why::Calls(calls(node)?)))).collect();
        if more.is_empty() {
            return;
        }
        hosted.extend(more);
    }
}

/// What a program CALLs that is neither a program nor an entry of one that it CALLs.
fn calls_nothing<'n>(nodes: &'n Nodes, name: &str) -> Option<&'n str> {
    let unknown: Vec<&String> =
        nodes.get(name)?.calls.iter().filter(|called| !nodes.contains_key(*called)).collect();
    if unknown.is_empty() {
        return None;
    }
    let entries: BTreeSet<&String> = reached(nodes, [name])
        .iter()
        .filter_map(|name| nodes.get(*name))
        .flat_map(|node| &node.entries)
        .collect();
    unknown.into_iter().find(|called| !entries.contains(called)).map(String::as_str)
}

/// These programs, and all that they CALL.
fn reached<'n>(nodes: &'n Nodes, from: impl IntoIterator<Item = &'n str>) -> BTreeSet<&'n str> {
    let mut reached = BTreeSet::new();
    let mut left: Vec<&str> = from.into_iter().collect();
    while let Some(name) = left.pop() {
        if let Some(node) = nodes.get(name)
            && reached.insert(name)
        {
            left.extend(node.may_call().map(String::as_str));
        }
    }
    reached
}

/// The programs that run in hosted form, also as a copy for a hosted caller: with that one.
fn in_hosted_form<'n>(nodes: &'n Nodes, hosted: &Hosted) -> BTreeMap<&'n String, Option<&'n String>> {
    // One that the configuration has compiled natively stands by itself, whatever it CALLs.
    let is_hosted = |(name, node): &(&String, &Node)| {
        node.compiler != CobolCompiler::Native && hosted.contains_key(*name)
    };
    let own: Vec<&String> = nodes.iter().filter(is_hosted).map(|(name, _)| name).collect();
    let mut all: BTreeMap<_, _> = own.iter().map(|name| (*name, None)).collect();
    for caller in own {
        for called in reached(nodes, [caller.as_str()]) {
            if let Some((called, _)) = nodes.get_key_value(called) {
                all.entry(called).or_insert(Some(caller));
            }
        }
    }
    all
}

fn spoiler(
    nodes: &Nodes,
    hosted: &Hosted,
    in_hosted_form: &BTreeMap<&String, Option<&String>>,
    shape: Shape,
) -> Option<Spoiler> {
    let holds = |name: &&&String| nodes.get(**name).is_some_and(|node| node.holds.contains(&shape));
    let mut all = in_hosted_form.keys().filter(holds);
    let name = all.next()?;
    let because = match in_hosted_form.get(name).copied().flatten() {
        None => because(hosted, name),
        Some(caller) => format!("{caller} CALLs it, and is hosted: {}", because(hosted, caller)),
    };
    Some(Spoiler { name: (*name).clone(), more: all.count(), because })
}

/// Why a program is hosted, on one line.
fn because(hosted: &Hosted, name: &str) -> String {
    match hosted.get(name) {
        Some(Why::Configured) => CONFIGURED.to_owned(),
        Some(Why::Refused(reason)) => reason.clone(),
        Some(Why::Calls(_)) => {
            let (caller, called) = call(hosted, name);
            calls(caller, called)
        }
        Some(Why::Shares(shape)) => shape.differs("hosted programs"),
        None => REFUSED.to_owned(),
    }
}

/// What is said of a program that the configuration names.
pub(crate) const CONFIGURED: &str = "the configuration says so";

/// Which CALL makes a program hosted: the last of a row of them.
pub(crate) fn call<'h>(hosted: &'h Hosted, name: &'h str) -> (&'h str, &'h str) {
    let mut caller = name;
    let mut called = name;
    while let Some(Why::Calls(next)) = hosted.get(called) {
        (caller, called) = (called, next);
    }
    (caller, called)
}

/// That a program CALLs one that is not native.
pub(crate) fn calls(caller: &str, called: &str) -> String {
    format!("{caller} CALLs {called}, which is not compiled natively")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Programs in lines of `NAME words…`: `hosted`, `native` and `refused`, what it holds (`pointer`, `float`), `>NAME` that it
    /// CALLs, `?NAME` that it perhaps does, `=NAME` of an entry.
    fn nodes(text: &str) -> Nodes {
        let node = |line: &str| {
            let mut words = line.split_whitespace();
            let name = words.next()?.to_owned();
            let words: Vec<&str> = words.collect();
            let has = |word: &str| words.contains(&word);
            let names = |mark: char| {
                words.iter().filter_map(|word| word.strip_prefix(mark)).map(str::to_owned).collect()
            };
            let compiler = match () {
                () if has("hosted") => CobolCompiler::Hosted,
                () if has("native") => CobolCompiler::Native,
                () => CobolCompiler::Auto,
            };
            let shapes = [("pointer", Shape::Pointer), ("float", Shape::Float)];
            let node = Node {
                compiler,
                refused: has("refused").then(|| format!("{name} line 1: no")),
                holds: shapes.into_iter().filter(|(word, _)| has(word)).map(|(_, shape)| shape).collect(),
                calls: names('>'),
                perhaps: names('?'),
                entries: names('='),
            };
            Some((name, node))
        };
        text.lines().filter_map(node).collect()
    }

    /// The programs that run hosted, and who spoils it for others.
    fn decided(text: &str) -> (String, String) {
        let nodes = nodes(text);
        let whole = Whole::of(&nodes);
        let hosted = whole.hosted(&nodes).into_keys().collect::<Vec<_>>().join(" ");
        let spoilers: Vec<String> = Shape::ALL
            .into_iter()
            .filter_map(|shape| {
                let Spoiler { name, more, because } = whole.spoiler(shape)?;
                Some(format!("{shape:?}: {name}+{more}, {because}"))
            })
            .collect();
        (hosted, spoilers.join("; "))
    }

    #[track_caller]
    fn check(text: &str, hosted: &str, spoilers: &str) {
        assert_eq!(decided(text), (hosted.to_owned(), spoilers.to_owned()));
    }

    #[test]
    fn holders_are_native_or_hosted_together() {
        check("A pointer\nB pointer\nC refused", "C", "");
        check("A pointer\nB pointer refused\nC", "A B", "Pointer: B+0, B line 1: no");
        check("A pointer\nB pointer hosted\nC float", "A B", "Pointer: B+0, the configuration says so");
        check(
            "A pointer\nB pointer >C\nC refused",
            "A B C",
            "Pointer: B+0, B CALLs C, which is not compiled natively",
        );
    }

    #[test]
    fn one_shape_may_spoil_the_other() {
        let text = "A float\nB float pointer\nC pointer\nD float refused";
        let pointer = "Pointer: B+0, floating point in a record is hexadecimal here, and the processor's own in hosted programs";
        check(text, "A B C D", &format!("{pointer}; Float: D+0, D line 1: no"));
    }

    #[test]
    fn callers_follow_and_may_spoil_it_themselves() {
        check("A pointer\nB >C\nC pointer\nD pointer refused", "A B C D", "Pointer: D+0, D line 1: no");
        // A hosted program has hosted copies of all that it CALLs.
        check(
            "A pointer\nB refused >C\nC >D\nD pointer",
            "A B C D",
            "Pointer: D+0, B CALLs it, and is hosted: B line 1: no",
        );
        check(
            "A pointer\nB refused ?C\nC pointer",
            "A B C",
            "Pointer: C+0, B CALLs it, and is hosted: B line 1: no",
        );
        check("A pointer\nB refused ?LOST\nC ?LOST", "B", "");
    }

    #[test]
    fn calls_go_round_and_entries_are_found() {
        check("A >B\nB >A", "", "");
        check("A >B\nB >A >C\nC refused", "A B C", "");
        check("A >B >E\nB =E", "", "");
        check("A >B >C\nB =E\nC >E", "A C", "");
    }

    #[test]
    fn what_the_configuration_has_compiled_natively_spoils_nothing() {
        check("A pointer\nB pointer native >C\nC refused", "B C", "");
        check("A pointer\nB native refused\nC >B", "B C", "");
    }
}
