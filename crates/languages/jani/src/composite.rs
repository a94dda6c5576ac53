//! Values with parts: arrays of a fixed length, datatypes, options, and all of them inside each other.
//!
//! Every part that has none itself is a variable of its own, named as one would write it: `queue[2].age`. An option is a Boolean, `last.present`, and the parts of its value,
//! `last.value`, which have a value of their own choosing while there is none, always the same one, so that states differ only where the model can tell. Reading at an
//! index that is not constant is a choice between the elements; so is writing, for each element whether it is the one. What is outside of an array, or in an option without a
//! value, has no value: the expression then divides by zero, which is an error of the model in the states in which it is evaluated.

use crate::json::{Json, Node, Read};
use crate::scope::{Local, Scope};
use crate::variables::Lowering;
use entail_markov::{BinaryOp, Domain, Expr, Sort, UnaryOp, Value, VarId};

/// Longer arrays are refused.
const LONGEST: i64 = 4096;

/// A value with parts.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    /// An expression that is a number or a truth value.
    Leaf(Expr),
    /// The elements of an array.
    Array(Vec<Tree>),
    /// The members of a datatype.
    Record(Vec<(String, Tree)>),
    /// Whether there is a value, and the value.
    Option(Expr, Box<Tree>),
    /// An option without a value, whatever its type.
    Empty,
}

/// What is assigned to a variable, and under which condition; otherwise it keeps its value.
pub(crate) type Conditional = (Option<Expr>, Expr);

impl Tree {
    /// What kind of value it is, for people.
    fn kind(&self) -> &'static str {
        match self {
            Tree::Leaf(_) => "a number or truth value",
            Tree::Array(_) => "an array",
            Tree::Record(_) => "a datatype",
            Tree::Option(..) | Tree::Empty => "an option",
        }
    }

    /// The same value with something done to all its expressions.
    fn map(self, change: &dyn Fn(Expr) -> Read<Expr>) -> Read<Tree> {
        Ok(match self {
            Tree::Leaf(expr) => Tree::Leaf(change(expr)?),
            Tree::Array(elements) => {
                let elements = elements.into_iter().map(|part| part.map(change));
                Tree::Array(elements.collect::<Read<_>>()?)
            }
            Tree::Record(members) => {
                let members = (members.into_iter()).map(|(name, part)| Ok((name, part.map(change)?)));
                Tree::Record(members.collect::<Read<_>>()?)
            }
            Tree::Option(present, value) => Tree::Option(change(present)?, Box::new((*value).map(change)?)),
            Tree::Empty => Tree::Empty,
        })
    }

    /// One of two values.
    fn choose(condition: &Expr, yes: Tree, no: Tree, at: &Json) -> Read<Tree> {
        Ok(match (yes, no) {
            (Tree::Leaf(yes), Tree::Leaf(no)) => Tree::Leaf(Expr::choose(condition.clone(), yes, no)),
            (Tree::Array(yes), Tree::Array(no)) => {
                if yes.len() != no.len() {
                    return Err(at.wrong("arrays of the same length"));
                }
                let both = yes.into_iter().zip(no);
                let chosen = both.map(|(yes, no)| Tree::choose(condition, yes, no, at));
                Tree::Array(chosen.collect::<Read<_>>()?)
            }
            (Tree::Record(yes), Tree::Record(no)) if have_the_same_names(&yes, &no) => {
                let both = yes.into_iter().zip(no);
                let chosen =
                    both.map(|((name, yes), (_, no))| Ok((name, Tree::choose(condition, yes, no, at)?)));
                Tree::Record(chosen.collect::<Read<_>>()?)
            }
            (Tree::Option(some, yes), Tree::Option(other, no)) => {
                let present = Expr::choose(condition.clone(), some, other);
                Tree::Option(present, Box::new(Tree::choose(condition, *yes, *no, at)?))
            }
            (Tree::Empty, Tree::Option(present, value)) => {
                Tree::Option(not(condition.clone()).and(present), value)
            }
            (Tree::Option(present, value), Tree::Empty) => {
                Tree::Option(condition.clone().and(present), value)
            }
            (Tree::Empty, Tree::Empty) => Tree::Empty,
            (yes, no) => return Err(different(at, &yes, &no)),
        })
    }

    /// Whether two values are equal.
    fn equal(&self, other: &Tree, at: &Json) -> Read<Expr> {
        let all = |parts: Vec<Read<Expr>>| -> Read<Expr> {
            let mut all = Expr::truth();
            for part in parts {
                all = all.and(part?);
            }
            Ok(all)
        };
        match (self, other) {
            (Tree::Leaf(a), Tree::Leaf(b)) => Ok(Expr::binary(BinaryOp::Eq, a.clone(), b.clone())),
            (Tree::Array(a), Tree::Array(b)) if a.len() != b.len() => Ok(Expr::from(false)),
            (Tree::Array(a), Tree::Array(b)) => all(a.iter().zip(b).map(|(a, b)| a.equal(b, at)).collect()),
            (Tree::Record(a), Tree::Record(b)) if have_the_same_names(a, b) => {
                all(a.iter().zip(b).map(|((_, a), (_, b))| a.equal(b, at)).collect())
            }
            (Tree::Option(a, first), Tree::Option(b, second)) => {
                let same = Expr::binary(BinaryOp::Iff, a.clone(), b.clone());
                Ok(same.and(not(a.clone()).or(first.equal(second, at)?)))
            }
            (Tree::Empty, Tree::Option(present, _)) | (Tree::Option(present, _), Tree::Empty) => {
                Ok(not(present.clone()))
            }
            (Tree::Empty, Tree::Empty) => Ok(Expr::truth()),
            (a, b) => Err(different(at, a, b)),
        }
    }
}

fn not(expr: Expr) -> Expr {
    Expr::unary(UnaryOp::Not, expr)
}

fn have_the_same_names(a: &[(String, Tree)], b: &[(String, Tree)]) -> bool {
    a.iter().map(|(name, _)| name).eq(b.iter().map(|(name, _)| name))
}

fn different(at: &Json, a: &Tree, b: &Tree) -> entail_source::Diagnostic {
    let (a, b) = (a.kind(), b.kind());
    at.wrong(&format!("values of one type (not {a} and {b})"))
}

/// An expression that has no value.
fn no_value(sort: Sort) -> Expr {
    let number = Expr::binary(BinaryOp::Mod, Expr::from(0), Expr::from(0));
    match sort {
        Sort::Bool => Expr::binary(BinaryOp::Eq, number, Expr::from(0)),
        _ => number,
    }
}

/// Whether an index is a number.
fn index_is(index: &Expr, at: usize) -> Expr {
    Expr::binary(BinaryOp::Eq, index.clone(), Expr::from(at as i64))
}

impl<'j> Scope<'j> {
    /// A value of any type.
    pub fn tree(&self, json: &Json, local: &Local) -> Read<Tree> {
        stacker::maybe_grow(64 << 10, 4 << 20, || self.lower_tree(json, local))
    }

    fn lower_tree(&self, json: &Json, local: &Local) -> Read<Tree> {
        if let Node::Text(name) = &json.node
            && !local.contains_key(name)
            && let Some(tree) = local.trees.get(name).or_else(|| self.trees.get(name))
        {
            return Ok(tree.clone());
        }
        let op = match json.get("op") {
            Some(op) if matches!(json.node, Node::Object(_)) => op.text()?,
            _ => return self.expr(json, local).map(Tree::Leaf),
        };
        match op {
            "av" => {
                let elements = json.need("elements")?.list()?.iter();
                let elements = elements.map(|element| self.tree(element, local));
                Ok(Tree::Array(elements.collect::<Read<_>>()?))
            }
            "ac" => {
                let length = json.need("length")?;
                let Value::Int(count @ 0..=LONGEST) = self.constant(length, local)? else {
                    return Err(length.wrong(&format!("a length from 0 to {LONGEST}")));
                };
                let variable = json.need("var")?.text()?;
                let mut inner = local.clone();
                let mut element = |index: i64| {
                    inner.insert(variable.to_owned(), Expr::from(index));
                    self.tree(json.need("exp")?, &inner)
                };
                Ok(Tree::Array((0..count).map(&mut element).collect::<Read<_>>()?))
            }
            "ite" => {
                let condition = self.expr_of(json.need("if")?, local, Sort::Bool)?;
                let yes = self.tree(json.need("then")?, local)?;
                Tree::choose(&condition, yes, self.tree(json.need("else")?, local)?, json)
            }
            "aa" => self.element(json, local),
            "dv" => self.record(json, local),
            "da" => {
                let written = json.need("exp")?;
                let member = json.need("member")?;
                match self.tree(written, local)? {
                    Tree::Record(members) => {
                        let name = member.text()?;
                        let found = members.into_iter().find(|(known, _)| known == name);
                        Ok(found.ok_or_else(|| member.wrong("the name of a member"))?.1)
                    }
                    _ => Err(written.wrong("a datatype")),
                }
            }
            "ov" => {
                let value = self.tree(json.need("exp")?, local)?;
                Ok(Tree::Option(Expr::truth(), Box::new(value)))
            }
            "empty" => Ok(Tree::Empty),
            "oa" => {
                let written = json.need("exp")?;
                match self.tree(written, local)? {
                    Tree::Option(present, value) => (*value).map(&|expr| {
                        let sort = self.sort(&expr, json)?;
                        Ok(Expr::choose(present.clone(), expr, no_value(sort)))
                    }),
                    Tree::Empty => Err(written.wrong("an option that has a value")),
                    _ => Err(written.wrong("an option")),
                }
            }
            "call" => self.call(json, local),
            _ => self.expr(json, local).map(Tree::Leaf),
        }
    }

    /// Whether two values of any type are equal.
    pub fn equal(&self, json: &Json, local: &Local) -> Read<Expr> {
        let left = self.tree(json.need("left")?, local)?;
        left.equal(&self.tree(json.need("right")?, local)?, json)
    }

    /// An element of an array.
    fn element(&self, json: &Json, local: &Local) -> Read<Tree> {
        let array = json.need("exp")?;
        let Tree::Array(elements) = self.tree(array, local)? else {
            return Err(array.wrong("an array"));
        };
        let index = self.expr_of(json.need("index")?, local, Sort::Int)?;
        let Some(last) = elements.last().cloned() else {
            return Err(json.wrong("an array with elements"));
        };
        let outside = last.map(&|expr| Ok(no_value(self.sort(&expr, json)?)))?;
        if let Some(Value::Int(index)) = index.constant() {
            let element = usize::try_from(*index).ok().and_then(|at| elements.get(at));
            return Ok(element.cloned().unwrap_or(outside));
        }
        let mut cases = elements.into_iter().enumerate().rev();
        cases.try_fold(outside, |otherwise, (at, element)| {
            Tree::choose(&index_is(&index, at), element, otherwise, json)
        })
    }

    /// A value of a datatype: all members, in the order of the datatype.
    fn record(&self, json: &Json, local: &Local) -> Read<Tree> {
        let name = json.need("type")?;
        let values = json.need("values")?.list()?;
        let mut members = Vec::new();
        for member in self.members(name)? {
            let member = member.name()?;
            let mut given = values.iter();
            let value = given.find(|value| {
                let name = value.get("member").and_then(|name| name.text().ok());
                name == Some(member)
            });
            let value = value.ok_or_else(|| json.wrong(&format!("a value for the member `{member}`")))?;
            members.push((member.to_owned(), self.tree(value.need("value")?, local)?));
        }
        if values.len() != members.len() {
            return Err(json.wrong("one value for each member of the datatype"));
        }
        Ok(Tree::Record(members))
    }

    /// The members of the datatype with a name.
    fn members(&self, name: &Json) -> Read<&'j [Json]> {
        let found = self.datatypes.get(name.text()?);
        let found = found.ok_or_else(|| name.wrong("the name of a datatype"))?;
        found.elements("members")
    }
}

impl<'j> Lowering<'j> {
    /// The variables for a value of a type that begins with a value.
    pub fn composite(
        &mut self,
        name: &str,
        sort: &'j Json,
        initial: Tree,
        owner: &str,
        local: &mut Local,
    ) -> Read<Tree> {
        let kind = sort.get("kind").and_then(|kind| kind.text().ok());
        Ok(match (kind, initial) {
            (Some("array"), Tree::Array(elements)) => {
                let base = sort.need("base")?;
                let mut parts = Vec::new();
                for (index, element) in elements.into_iter().enumerate() {
                    parts.push(self.composite(&format!("{name}[{index}]"), base, element, owner, local)?);
                }
                Tree::Array(parts)
            }
            (Some("datatype"), Tree::Record(values)) => {
                let declared = self.scope.members(sort.need("ref")?)?;
                if declared.len() != values.len() {
                    return Err(sort.wrong("the datatype of the initial value"));
                }
                let mut parts = Vec::new();
                for (member, (known, value)) in declared.iter().zip(values) {
                    if member.name()? != known {
                        return Err(sort.wrong("the datatype of the initial value"));
                    }
                    let part = format!("{name}.{known}");
                    parts.push((
                        known,
                        self.composite(&part, member.need("type")?, value, owner, local)?,
                    ));
                }
                Tree::Record(parts)
            }
            (Some("option"), initial @ (Tree::Option(..) | Tree::Empty)) => {
                let base = sort.need("base")?;
                let (present, value) = match initial {
                    Tree::Option(present, value) => (present, *value),
                    _ => (Expr::from(false), self.absent(base, local, 0)?),
                };
                let flag = format!("{name}.present");
                let flag = self.keep(&flag, owner, Domain::Bool, Some(present), local);
                let value = self.composite(&format!("{name}.value"), base, value, owner, local)?;
                Tree::Option(Expr::Var(flag), Box::new(value))
            }
            (Some("array" | "datatype" | "option"), initial) => {
                let found = initial.kind();
                return Err(sort.wrong(&format!("the type of the initial value, which is {found}")));
            }
            (_, Tree::Leaf(initial)) => {
                let (domain, real) = self.domain(sort, local)?;
                if real {
                    return Err(sort.refused("arrays and datatypes with real numbers are"));
                }
                Tree::Leaf(Expr::Var(self.keep(name, owner, domain, Some(initial), local)))
            }
            (_, initial) => {
                let found = initial.kind();
                return Err(sort.wrong(&format!("the type of the initial value, which is {found}")));
            }
        })
    }

    /// What stands in an option while it has no value.
    fn absent(&mut self, sort: &'j Json, local: &Local, depth: usize) -> Read<Tree> {
        let kind = sort.get("kind").and_then(|kind| kind.text().ok());
        Ok(match kind {
            _ if depth > 30 => return Err(sort.refused("datatypes that contain themselves are")),
            Some("array") => return Err(sort.refused("arrays in options that begin without a value are")),
            Some("option") => {
                let value = self.absent(sort.need("base")?, local, depth + 1)?;
                Tree::Option(Expr::from(false), Box::new(value))
            }
            Some("datatype") => {
                let mut parts = Vec::new();
                for member in self.scope.members(sort.need("ref")?)? {
                    let value = self.absent(member.need("type")?, local, depth + 1)?;
                    parts.push((member.name()?.to_owned(), value));
                }
                Tree::Record(parts)
            }
            _ => Tree::Leaf(least(self.domain(sort, local)?.0)),
        })
    }

    /// What an assignment to a value with parts, or to a part of one, assigns; nothing if the target is a plain variable.
    pub fn assigned_parts(
        &self,
        target: &Json,
        value: &Json,
        local: &Local,
    ) -> Read<Option<Vec<(VarId, Conditional)>>> {
        let parts = self.scope.tree(target, local);
        if matches!(target.node, Node::Text(_)) && matches!(parts, Err(_) | Ok(Tree::Leaf(_))) {
            return Ok(None);
        }
        let places = self.places(target, local)?;
        let value = self.scope.tree(value, local)?;
        let mut assigned = Vec::new();
        for (condition, place) in places {
            self.assign(&place, &value, &condition, &Expr::truth(), target, &mut assigned)?;
        }
        Ok(Some(assigned))
    }

    /// The places that a target may be, each with its condition; where the index is that of none, the first one takes a value that is none.
    fn places(&self, target: &Json, local: &Local) -> Read<Vec<(Option<Place>, Tree)>> {
        if matches!(target.node, Node::Text(_)) {
            return Ok(vec![(None, self.scope.tree(target, local)?)]);
        }
        let op = target.need("op")?;
        let written = target.need("exp")?;
        let mut found = Vec::new();
        for (condition, place) in self.places(written, local)? {
            match (op.text()?, place) {
                ("da", Tree::Record(members)) => {
                    let member = target.need("member")?;
                    let name = member.text()?;
                    let part = members.into_iter().find(|(known, _)| known == name);
                    found.push((
                        condition,
                        part.ok_or_else(|| member.wrong("the name of a member"))?.1,
                    ));
                }
                ("aa", Tree::Array(elements)) => {
                    let index = self.scope.expr_of(target.need("index")?, local, Sort::Int)?;
                    self.indexed(target, condition.as_ref(), &index, elements, &mut found)?;
                }
                ("oa", _) => return Err(target.refused("assignments to the value inside of an option are")),
                ("aa", _) => return Err(written.wrong("an array")),
                ("da", _) => return Err(written.wrong("a datatype")),
                _ => return Err(target.wrong("something that can be assigned to")),
            }
        }
        Ok(found)
    }

    /// The elements of an array that an index may mean.
    fn indexed(
        &self,
        target: &Json,
        condition: Option<&Place>,
        index: &Expr,
        elements: Vec<Tree>,
        found: &mut Vec<(Option<Place>, Tree)>,
    ) -> Read<()> {
        let count = elements.len();
        if count == 0 {
            return Err(target.wrong("an array with elements"));
        }
        if let Some(Value::Int(index)) = index.constant() {
            let element = usize::try_from(*index).ok();
            let element = element.and_then(|at| elements.into_iter().nth(at));
            let element =
                element.ok_or_else(|| target.wrong(&format!("an index from 0 to {}", count - 1)))?;
            found.push((condition.cloned(), element));
            return Ok(());
        }
        let outside = Expr::binary(BinaryOp::Lt, index.clone(), Expr::from(0)).or(Expr::binary(
            BinaryOp::Ge,
            index.clone(),
            Expr::from(count as i64),
        ));
        for (at, element) in elements.into_iter().enumerate() {
            let mut place = Place {
                here: index_is(index, at),
                outside: (at == 0).then(|| outside.clone()),
            };
            if let Some(outer) = condition {
                place.here = outer.here.clone().and(place.here);
                place.outside = match (&outer.outside, place.outside) {
                    // The first element of the first array speaks for both.
                    (Some(outer), Some(inner)) => Some(outer.clone().or(inner)),
                    (None, Some(inner)) => Some(outer.here.clone().and(inner)),
                    (_, None) => None,
                };
            }
            found.push((Some(place), element));
        }
        Ok(())
    }

    /// Assigns a value part by part. What is in an option that has no value gets the least value of its variable.
    fn assign(
        &self,
        place: &Tree,
        value: &Tree,
        condition: &Option<Place>,
        present: &Expr,
        at: &Json,
        assigned: &mut Vec<(VarId, Conditional)>,
    ) -> Read<()> {
        let mut one = |var: &Expr, value: Expr| {
            let Expr::Var(var) = var else {
                return Err(at.wrong("a variable, or a part of one"));
            };
            let sort = self.scope.variables[var.index()].domain.sort();
            let entry = match condition {
                None => (None, value),
                Some(Place { here, outside: None }) => (Some(here.clone()), value),
                Some(Place {
                    here,
                    outside: Some(outside),
                }) => (
                    Some(outside.clone().or(here.clone())),
                    Expr::choose(outside.clone(), no_value(sort), value),
                ),
            };
            assigned.push((*var, entry));
            Ok(())
        };
        match (place, value) {
            (Tree::Leaf(var), Tree::Leaf(value)) => {
                let least = match var {
                    Expr::Var(var) => least(self.scope.variables[var.index()].domain),
                    other => other.clone(),
                };
                one(var, Expr::choose(present.clone(), value.clone(), least))
            }
            (Tree::Array(places), Tree::Array(values)) => {
                if places.len() != values.len() {
                    return Err(at.wrong(&format!("an array with {} elements", values.len())));
                }
                (places.iter().zip(values)).try_for_each(|(place, value)| {
                    self.assign(place, value, condition, present, at, assigned)
                })
            }
            (Tree::Record(places), Tree::Record(values)) if have_the_same_names(places, values) => {
                (places.iter().zip(values)).try_for_each(|((_, place), (_, value))| {
                    self.assign(place, value, condition, present, at, assigned)
                })
            }
            (Tree::Option(flag, place), Tree::Option(some, value)) => {
                let present = present.clone().and(some.clone());
                one(flag, present.clone())?;
                self.assign(place, value, condition, &present, at, assigned)
            }
            (Tree::Option(flag, place), Tree::Empty) => {
                one(flag, Expr::from(false))?;
                // Any value will do: the variables get their least ones.
                self.assign(place, place, condition, &Expr::from(false), at, assigned)
            }
            (place, value) => Err(different(at, place, value)),
        }
    }
}

/// Where an index points to one element.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The index is this one.
    here: Expr,
    /// This element speaks for an index that is none.
    outside: Option<Expr>,
}

/// The least value of a variable, or zero where there is none.
fn least(domain: Domain) -> Expr {
    match domain {
        Domain::Bool => Expr::from(false),
        Domain::Range(low, _) => Expr::from(low),
        Domain::Unbounded => Expr::from(0),
    }
}
