//! Every type of rules of policies, and every action, has a page that shows it act and not act.
//!
//! A page shows it by lines of its logs: the name of a rule, and the number of its actions in ten digits, once 0 and once more.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use policies::{Action, Condition, Policy, Quantity, Rule, SystemKind, TaskRule};
use testkit::document::{Block, Document};

/// The subject of a rule: the type and item of a task rule, the type of a system rule with an empty item.
type Subject = (&'static str, &'static str);

/// The rules that pages prove: their subjects, and their actions with true for those of system rules.
#[derive(Default)]
struct Proved {
    subjects: BTreeSet<Subject>,
    actions: BTreeSet<(bool, &'static str)>,
    /// Task rules that have ended a task: an abend with the rule's code is in the page's log.
    ending: BTreeSet<Subject>,
}

#[test]
fn each_type_of_rules_and_each_action_has_a_page_that_shows_it_act_and_not_act() {
    let mut proved = Proved::default();
    pages().iter().for_each(|page| proved.add(page));
    let of_tasks: Vec<Subject> = TaskRule::all()
        .filter(|(.., quantity)| *quantity != Quantity::Never)
        .map(|(kind, item, _)| (kind, item))
        .collect();
    let of_regions = SystemKind::all().map(|kind| (kind.type_name(), ""));
    let missing: Vec<Subject> =
        of_tasks.iter().copied().chain(of_regions).filter(|it| !proved.subjects.contains(it)).collect();
    assert!(missing.is_empty(), "no page shows these rules both act and not act: {missing:?}");
    let never: Vec<&Subject> = of_tasks.iter().filter(|it| !proved.ending.contains(it)).collect();
    assert!(never.is_empty(), "no page shows that these rules end a task: {never:?}");
    let actions = [
        (false, "message"),
        (false, "abend"),
        (false, "event"),
        (true, "message"),
        (true, "event"),
        (true, "setWlmHealth"),
        (true, "reject"),
    ];
    let missing: Vec<_> = actions.iter().filter(|action| !proved.actions.contains(action)).collect();
    assert!(missing.is_empty(), "no page shows these actions both done and not done: {missing:?}");
}

impl Proved {
    fn add(&mut self, page: &Document) {
        let logs = || page.blocks.iter().filter(|block| block.kind == "log").flat_map(|block| &block.text);
        let mut counts: BTreeMap<&str, [bool; 2]> = BTreeMap::new();
        for (name, count) in logs().filter_map(|line| count(line)) {
            counts.entry(name).or_default()[usize::from(count > 0)] = true;
        }
        for rule in rules(page).iter().filter(|rule| counts.get(rule.name.as_str()) == Some(&[true; 2])) {
            let (subject, is_of_system) = subject(rule);
            self.subjects.insert(subject);
            self.actions.insert((is_of_system, rule.action.type_name()));
            if let Action::Abend(code) = &rule.action
                && page.blocks.iter().any(|block| tells_abend(block, code))
            {
                self.ending.insert(subject);
            }
        }
    }
}

/// Returns true if a block shows a task that has ended with this code: its log, or the answer to a web client.
fn tells_abend(block: &Block, code: &str) -> bool {
    let (in_log, in_answer) = (format!("abended {code} in"), format!("abend {code}"));
    match block.kind.as_str() {
        "log" => block.text.iter().any(|line| line.contains(&in_log)),
        "response" => block.text.contains(&in_answer),
        _ => false,
    }
}

/// The name of a rule and the number of its actions, if a line tells one.
fn count(line: &str) -> Option<(&str, u64)> {
    let (name, digits) = line.split_once(' ')?;
    let digits = digits.trim_start();
    (digits.len() == 10).then(|| digits.parse().ok()).flatten().map(|count| (name, count))
}

fn subject(rule: &Rule) -> (Subject, bool) {
    match &rule.condition {
        Condition::Task(rule) => ((rule.kind, rule.item), false),
        Condition::System(rule) => ((rule.kind.type_name(), ""), true),
    }
}

/// The rules of a page's policies; one that is shown to be wrong has none.
fn rules(page: &Document) -> Vec<Rule> {
    let is_policy = |words: &[String]| words.first().is_some_and(|name| name.ends_with(".policy"));
    let files = page.blocks.iter().filter(|block| block.kind == "file" && is_policy(&block.words));
    files.filter_map(|block| Policy::read(&block.text.join("\n")).ok()).flat_map(|it| it.rules).collect()
}

fn pages() -> Vec<Document> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/literate");
    let mut paths = Vec::new();
    find(&folder, &mut paths);
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("a page");
        Document::parse(&path.display().to_string(), &text).expect("a page of blocks")
    };
    paths.iter().map(read).collect()
}

fn find(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of pages") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            find(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            paths.push(path);
        }
    }
}
