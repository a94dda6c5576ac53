//! Where routines are made, and how they are called.

use crate::assembler::{Assembler, GIVEN_UP};
use cranelift_codegen::ir::{AbiParam, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{CodegenError, Context};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, ModuleError, default_libcall_names};
use std::sync::Arc;

/// Why there is no machine code.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// There is no code generator for this processor.
    #[error("no machine code for this processor: {0}")]
    Processor(&'static str),
    /// The instructions make no routine.
    #[error("{0}")]
    Mistake(&'static str),
    /// The code generator has failed.
    #[error("{0}")]
    Generator(String),
}

impl From<ModuleError> for Failure {
    fn from(error: ModuleError) -> Failure {
        Failure::Generator(error.to_string())
    }
}

impl From<CodegenError> for Failure {
    fn from(error: CodegenError) -> Failure {
        Failure::Generator(error.to_string())
    }
}

/// Makes routines, all of which are ready at the same time.
pub struct Workshop {
    module: JITModule,
    context: Context,
    functions: FunctionBuilderContext,
    /// The functions, and whether they may write.
    made: Vec<(FuncId, bool)>,
}

/// Which routine of a workshop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoutineId(usize);

/// The memory in which code lies. It is given back when the last routine is gone.
struct Code(Option<JITModule>);

// SAFETY: after it was finalised the module is never touched again but to be dropped, by whoever holds it last.
unsafe impl Send for Code {}
// SAFETY: as above; there is nothing that can be done with a shared reference to it.
unsafe impl Sync for Code {}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.0.take() {
            // SAFETY: addresses of its functions are only in routines, each of which holds the code: there are none left.
            unsafe { module.free_memory() };
        }
    }
}

/// Bytes and their number, entries and their number, two arguments.
type Entry = extern "C" fn(*mut u8, u64, *const u32, u64, u32, u32) -> i64;

#[derive(Clone)]
struct Routine {
    entry: Entry,
    _code: Arc<Code>,
}

impl std::fmt::Debug for Routine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "code at {:p}", self.entry)
    }
}

impl Routine {
    #[inline(always)]
    fn call(&self, bytes: *mut u8, length: usize, table: &[u32], [first, second]: [u32; 2]) -> Option<u32> {
        let entries = table.len() as u64;
        let result = (self.entry)(bytes, length as u64, table.as_ptr(), entries, first, second);
        (result != GIVEN_UP).then_some(result as u32)
    }
}

/// A routine that changes nothing.
#[derive(Clone, Debug)]
pub struct Reader(Routine);

impl Reader {
    /// Calls it; none if it gives up.
    #[inline]
    pub fn call(&self, bytes: &[u8], table: &[u32], arguments: [u32; 2]) -> Option<u32> {
        // The code has no instruction that stores: `Workshop::routine` refuses those to readers. What it loads is inside, see `Assembler::window`.
        self.0
            .call(bytes.as_ptr().cast_mut(), bytes.len(), table, arguments)
    }
}

/// A routine that may change the bytes.
#[derive(Clone, Debug)]
pub struct Writer(Routine);

impl Writer {
    /// Calls it; none if it gives up, and then the bytes may have been changed already.
    #[inline]
    pub fn call(&self, bytes: &mut [u8], table: &[u32], arguments: [u32; 2]) -> Option<u32> {
        self.0.call(bytes.as_mut_ptr(), bytes.len(), table, arguments)
    }
}

impl Workshop {
    /// A workshop for the processor at hand.
    pub fn new() -> Result<Workshop, Failure> {
        let mut flags = settings::builder();
        let checks = if cfg!(debug_assertions) { "true" } else { "false" };
        // Routines are short and run for nanoseconds: what counts is how soon they are there.
        for (name, value) in [
            ("opt_level", "none"),
            ("regalloc_algorithm", "single_pass"),
            ("enable_verifier", checks),
            ("unwind_info", "false"),
        ] {
            flags
                .set(name, value)
                .map_err(|error| Failure::Generator(error.to_string()))?;
        }
        let processor = cranelift_native::builder().map_err(Failure::Processor)?;
        let processor = processor.finish(settings::Flags::new(flags))?;
        let module = JITModule::new(JITBuilder::with_isa(processor, default_libcall_names()));
        Ok(Workshop {
            context: module.make_context(),
            module,
            functions: FunctionBuilderContext::new(),
            made: Vec::new(),
        })
    }

    /// Makes a routine that only reads, or one that may write; none if the one who writes it changes his mind.
    pub fn routine<E>(
        &mut self,
        may_write: bool,
        write: impl FnOnce(&mut Assembler<'_>) -> Result<(), E>,
    ) -> Result<Result<RoutineId, E>, Failure> {
        self.module.clear_context(&mut self.context);
        let address = self.module.target_config().pointer_type();
        let signature = &mut self.context.func.signature;
        for kind in [address, types::I64, address, types::I64, types::I32, types::I32] {
            signature.params.push(AbiParam::new(kind));
        }
        signature.returns.push(AbiParam::new(types::I64));
        let builder = FunctionBuilder::new(&mut self.context.func, &mut self.functions);
        let mut assembler = Assembler::new(builder, may_write);
        let written = write(&mut assembler);
        let finished = assembler.finish();
        if let Err(error) = written {
            return Ok(Err(error));
        }
        finished.map_err(Failure::Mistake)?;
        let function = self
            .module
            .declare_anonymous_function(&self.context.func.signature)?;
        self.module.define_function(function, &mut self.context)?;
        self.made.push((function, may_write));
        Ok(Ok(RoutineId(self.made.len() - 1)))
    }

    /// The routines, ready to be called.
    pub fn finish(mut self) -> Result<Finished, Failure> {
        self.module.finalize_definitions()?;
        let entries = self
            .made
            .iter()
            .map(|&(function, may_write)| {
                let address = self.module.get_finalized_function(function);
                // SAFETY: it is the address of a function that was compiled with this signature and the platform's C calling convention, and that
                // stays there as long as the `Code`, which is kept together with it. The function touches no memory but the bytes and the
                // entries it is lent, because the assembler has no other loads and stores; it is not the workshop's to say which.
                let entry = unsafe { std::mem::transmute::<*const u8, Entry>(address) };
                (entry, may_write)
            })
            .collect();
        Ok(Finished {
            entries,
            code: Arc::new(Code(Some(self.module))),
        })
    }
}

/// What a workshop has made.
pub struct Finished {
    entries: Vec<(Entry, bool)>,
    code: Arc<Code>,
}

impl Finished {
    fn routine(&self, entry: Entry) -> Routine {
        Routine {
            entry,
            _code: Arc::clone(&self.code),
        }
    }

    /// A routine that was made to read.
    pub fn reader(&self, id: RoutineId) -> Option<Reader> {
        let &(entry, may_write) = self.entries.get(id.0)?;
        (!may_write).then(|| Reader(self.routine(entry)))
    }

    /// A routine that was made to write.
    pub fn writer(&self, id: RoutineId) -> Option<Writer> {
        let &(entry, _) = self.entries.get(id.0)?;
        Some(Writer(self.routine(entry)))
    }
}
