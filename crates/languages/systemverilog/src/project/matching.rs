//! `[match …]` of eqy projects: which names of two designs belong together.
//!
//! Rules are applied in order, to the names of the top modules. `gold-match` goes through the names of gold that its pattern describes, and pairs each with the names of gate that the second
//! pattern describes (or with its own name); `gate-match` goes the other way. `final-` takes what was paired away from the rules behind it, `…-nomatch` takes names away at once. At last
//! equal names belong together, unless `nodefault` is written.
//!
//! Where several names are paired with one, the first pair counts: what else agrees is found by the comparison itself.

use super::name_pattern::{Found, NamePattern};
use super::{Word, told, unread, wrong};
use entail_source::{Diagnostic, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Which design a rule begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begins {
    Gold,
    Gate,
}

/// What a rule does with the names that it describes.
#[derive(Clone, Debug)]
enum Does {
    /// They belong to those that this describes, or to their like.
    Pairs { with: Option<Word>, is_final: bool },
    /// They belong to nothing that follows.
    TakesAway,
}

/// A line of `[match …]`.
#[derive(Clone, Debug)]
struct Rule {
    module: Option<Word>,
    begins: Begins,
    names: Word,
    does: Does,
}

/// The rules of a project.
#[derive(Clone, Debug, Default)]
pub struct MatchRules {
    rules: Vec<Rule>,
    /// Equal names do not belong together by themselves.
    no_default: bool,
}

/// What belongs together.
#[derive(Clone, Debug, Default)]
pub struct MatchedNames {
    /// Names of gold and of gate that are not the same.
    pub pairs: Vec<(String, String)>,
    /// Names of gate that belong to nothing, although gold may have the same.
    pub apart: BTreeSet<String>,
    /// What was passed over.
    pub warnings: Vec<Diagnostic>,
}

impl MatchRules {
    /// Whether there is nothing but the default.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && !self.no_default
    }

    /// Reads a line of a section whose heading names modules.
    pub(crate) fn line(&mut self, module: Option<&Word>, entry: &[Word]) -> Result<(), Diagnostic> {
        let Some((kind, names)) = entry.split_first() else {
            return Ok(());
        };
        let (is_final, plain) = match kind.text.strip_prefix("final-") {
            Some(rest) => (true, rest),
            None => (false, kind.text.as_str()),
        };
        let begins = match plain.split_once('-') {
            Some(("gold", _)) => Begins::Gold,
            _ => Begins::Gate,
        };
        let does = match (plain, names) {
            ("nodefault", []) if !is_final => {
                self.no_default = true;
                return Ok(());
            }
            ("gold-match" | "gate-match", [_]) => Does::Pairs { with: None, is_final },
            ("gold-match" | "gate-match", [_, other]) => Does::Pairs {
                with: Some(other.clone()),
                is_final,
            },
            ("gold-nomatch" | "gate-nomatch", [_]) if !is_final => Does::TakesAway,
            ("gold-match" | "gate-match" | "gold-nomatch" | "gate-nomatch", _) => {
                return Err(wrong(
                    format!("`{}` has another number of patterns", kind.text),
                    kind.span,
                ));
            }
            _ => return Err(unread(format!("`{}` is not read here", kind.text), kind.span)),
        };
        // (Patterns are read here to have their errors told; those that depend on names are read again.)
        let names = names[0].clone();
        NamePattern::read(&names)?;
        self.rules.push(Rule {
            module: module.cloned(),
            begins,
            names,
            does,
        });
        Ok(())
    }

    /// Applies the rules to the names of inputs, registers and outputs of two designs.
    pub fn apply(
        &self,
        top: Option<&str>,
        gold: &BTreeSet<String>,
        gate: &BTreeSet<String>,
    ) -> Result<MatchedNames, Diagnostic> {
        let mut pairing = Pairing {
            gold,
            gate,
            used: Default::default(),
            gate_of: BTreeMap::new(),
            gold_of: BTreeMap::new(),
            warnings: Vec::new(),
        };
        let mut below = BTreeSet::new();
        for rule in &self.rules {
            if let (Some(module), Some(top)) = (&rule.module, top)
                && !NamePattern::read(module)?.describes(top)
            {
                if below.insert(module.span.start) {
                    let message =
                        "modules below the top are compared as parts of it: what agrees there is found";
                    pairing.warnings.push(told(message, module.span));
                }
                continue;
            }
            pairing.apply(rule)?;
        }
        if !self.no_default {
            let alike: Vec<String> = gold.intersection(gate).cloned().collect();
            for name in &alike {
                pairing.pair(name, name, false);
            }
        }
        Ok(pairing.matched())
    }
}

/// Rules at work.
struct Pairing<'n> {
    gold: &'n BTreeSet<String>,
    gate: &'n BTreeSet<String>,
    /// Names of gold and of gate that later rules do not get.
    used: [BTreeSet<String>; 2],
    gate_of: BTreeMap<String, String>,
    gold_of: BTreeMap<String, String>,
    warnings: Vec<Diagnostic>,
}

impl Pairing<'_> {
    fn apply(&mut self, rule: &Rule) -> Result<(), Diagnostic> {
        let (ours, theirs) = match rule.begins {
            Begins::Gold => (self.gold, self.gate),
            Begins::Gate => (self.gate, self.gold),
        };
        let first = NamePattern::read(&rule.names)?.among(ours.iter().map(String::as_str));
        let (with, is_final) = match &rule.does {
            Does::TakesAway => {
                let side = usize::from(rule.begins == Begins::Gate);
                self.used[side].extend(first.into_iter().map(|found| found.name));
                return Ok(());
            }
            Does::Pairs { with, is_final } => (with, *is_final),
        };
        let (found_first, mut found_second) = (!first.is_empty(), false);
        for found in first {
            for other in others(with.as_ref(), &found, theirs)? {
                found_second = true;
                match rule.begins {
                    Begins::Gold => self.pair(&found.name, &other, is_final),
                    Begins::Gate => self.pair(&other, &found.name, is_final),
                }
            }
        }
        if !found_first || !found_second {
            let (message, span): (_, Span) = match (found_first, with) {
                (false, _) | (true, None) => ("no input, register or output is called so", rule.names.span),
                (true, Some(with)) => ("no input, register or output is called so", with.span),
            };
            self.warnings
                .push(told(format!("{message}: what agrees inside is found"), span));
        }
        Ok(())
    }

    fn pair(&mut self, gold: &str, gate: &str, is_final: bool) {
        if self.used[0].contains(gold) || self.used[1].contains(gate) {
            return;
        }
        if is_final {
            self.used[0].insert(gold.to_owned());
            self.used[1].insert(gate.to_owned());
        }
        if !self.gate_of.contains_key(gold) && !self.gold_of.contains_key(gate) {
            self.gate_of.insert(gold.to_owned(), gate.to_owned());
            self.gold_of.insert(gate.to_owned(), gold.to_owned());
        }
    }

    fn matched(self) -> MatchedNames {
        let apart = self.gate.iter().filter(|&name| !self.gold_of.contains_key(name));
        // (Only where gold has the name as well does it make a difference.)
        let apart = apart.filter(|&name| self.gold.contains(name)).cloned().collect();
        let pairs = self.gate_of.into_iter().filter(|(gold, gate)| gold != gate);
        MatchedNames {
            pairs: pairs.collect(),
            apart,
            warnings: self.warnings,
        }
    }
}

/// The names that a found one is paired with.
fn others(with: Option<&Word>, found: &Found, names: &BTreeSet<String>) -> Result<Vec<String>, Diagnostic> {
    match with {
        None => Ok(names.get(&found.name).into_iter().cloned().collect()),
        Some(with) => {
            let second = NamePattern::after(with, found)?;
            let found = second.among(names.iter().map(String::as_str));
            Ok(found.into_iter().map(|found| found.name).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    fn rules(text: &str) -> MatchRules {
        let mut rules = MatchRules::default();
        for line in text.lines() {
            rules.line(None, &words(line, 0)).expect("a rule");
        }
        rules
    }

    fn applied(text: &str, gold: &[&str], gate: &[&str]) -> (Vec<(String, String)>, Vec<String>) {
        let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let matched = rules(text)
            .apply(Some("top"), &set(gold), &set(gate))
            .expect("names");
        (matched.pairs, matched.apart.into_iter().collect())
    }

    fn pair(gold: &str, gate: &str) -> (String, String) {
        (gold.to_owned(), gate.to_owned())
    }

    #[test]
    fn patterns_pair_names_and_equal_names_belong_together_at_last() {
        let (pairs, apart) = applied(
            "gold-match count[] count_q[\\2]\ngate-match *_n \\1",
            &["count[0]", "count[1]", "valid", "same"],
            &["count_q[1]", "count_q[0]", "valid_n", "same"],
        );
        let expected = [
            pair("count[0]", "count_q[0]"),
            pair("count[1]", "count_q[1]"),
            pair("valid", "valid_n"),
        ];
        assert_eq!((pairs, apart), (expected.to_vec(), Vec::new()));
    }

    #[test]
    fn names_that_are_taken_away_belong_to_nothing() {
        let names = ["a", "b", "c"];
        assert_eq!(
            applied("gold-nomatch a\ngate-nomatch b", &names, &names).1,
            ["a", "b"]
        );
        assert_eq!(applied("nodefault\ngold-match c", &names, &names).1, ["a", "b"]);
        // A final pair leaves nothing for the default; the same pair made twice is one.
        let (pairs, apart) = applied("final-gold-match a b", &names, &names);
        assert_eq!((pairs, apart), (vec![pair("a", "b")], vec!["a".to_owned()]));
    }

    #[test]
    fn lines_that_are_no_rules_are_refused() {
        for line in [
            "gold-match",
            "gold-match a b c",
            "final-gold-nomatch a",
            "join a",
            "gold-match @keep",
        ] {
            assert!(
                MatchRules::default().line(None, &words(line, 0)).is_err(),
                "{line}"
            );
        }
    }
}
