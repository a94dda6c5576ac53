//! What other processes can notice: SPIN's notion of a *global* statement, on which merging and partial-order reduction rest.

use super::Lowering;
use super::expression::Where;
use crate::syntax::ast::*;
use entail_program::Probe;

impl Lowering {
    /// Whether a variable is shared.
    pub fn is_shared(&self, variable: &Variable, place: Where) -> bool {
        let name = &variable.parts[0].0;
        let indices = variable.parts.iter().filter_map(|(_, index)| index.as_ref());
        let own = match self.symbols.find(name, place.scope) {
            Some(id) => {
                let symbol = self.symbols.symbol(id);
                symbol.is_global && !symbol.is_private
            }
            None => match &**name {
                "_pid" | "_" | "_priority" => false,
                name => !self.symbols.messages.contains_key(name),
            },
        };
        // SPIN looks at the variable only; an index that is shared makes no difference to what may be merged there, but it is read.
        own || indices.into_iter().any(|index| self.looks_around(index, place))
    }

    /// Whether the value of an expression depends on what other processes do.
    pub fn looks_around(&self, expr: &Expr, place: Where) -> bool {
        let inner = |expr: &Expr| self.looks_around(expr, place);
        match &expr.kind {
            ExprKind::Number(_) => false,
            ExprKind::Variable(variable) => self.is_shared(variable, place),
            ExprKind::Unary(_, operand) => inner(operand),
            ExprKind::Binary(_, left, right) => inner(left) || inner(right),
            ExprKind::Conditional(parts) => parts.iter().any(inner),
            ExprKind::Probe(probe, channel) => {
                let Some(id) = self.symbols.find(&channel.parts[0].0, place.scope) else {
                    return true;
                };
                let symbol = self.symbols.symbol(id);
                let (receiver, sender) = (symbol.one_receiver.get(), symbol.one_sender.get());
                !match probe {
                    Probe::NotEmpty | Probe::Full => receiver,
                    Probe::NotFull | Probe::Empty => sender,
                    Probe::Length => receiver && sender,
                }
            }
            ExprKind::Poll(channel, arguments, _) => {
                let Some(id) = self.symbols.find(&channel.parts[0].0, place.scope) else {
                    return true;
                };
                let symbol = self.symbols.symbol(id);
                !(symbol.one_receiver.get() && symbol.one_sender.get())
                    || self.arguments_look_around(arguments, place)
            }
            ExprKind::Run(..)
            | ExprKind::Enabled(_)
            | ExprKind::Priority(_)
            | ExprKind::LocationOf(_)
            | ExprKind::Timeout
            | ExprKind::NonProgress
            | ExprKind::RemoteLabel(..)
            | ExprKind::RemoteVariable(..)
            | ExprKind::Temporal(..)
            | ExprKind::TemporalPair(..) => true,
        }
    }

    /// The same for the arguments of a receive.
    pub fn arguments_look_around(&self, arguments: &[Argument], place: Where) -> bool {
        arguments.iter().any(|argument| match argument {
            Argument::Value(value) | Argument::Eval(value) => self.looks_around(value, place),
            Argument::Store(variable) => self.is_shared(variable, place),
        })
    }
}
