//! Routines do what they are told, and nothing outside of what they are lent.

use entail_machine::{Assembler, Operation, Reader, Size, Workshop, Writer};

fn reader(write: impl FnOnce(&mut Assembler<'_>)) -> Reader {
    let mut workshop = Workshop::new().expect("machine code for this processor");
    let id = workshop
        .routine(false, |out| {
            write(out);
            Ok::<(), ()>(())
        })
        .expect("a routine")
        .expect("no second thoughts");
    let finished = workshop.finish().expect("machine code");
    finished.reader(id).expect("a reader")
}

fn writer(write: impl FnOnce(&mut Assembler<'_>)) -> Writer {
    let mut workshop = Workshop::new().expect("machine code for this processor");
    let id = workshop
        .routine(true, |out| {
            write(out);
            Ok::<(), ()>(())
        })
        .expect("a routine")
        .expect("no second thoughts");
    let finished = workshop.finish().expect("machine code");
    assert!(finished.reader(id).is_none(), "what may write is no reader");
    finished.writer(id).expect("a writer")
}

/// What a mistake in the instructions is called.
fn refusal(may_write: bool, write: impl FnOnce(&mut Assembler<'_>)) -> String {
    let mut workshop = Workshop::new().expect("machine code for this processor");
    let result = workshop.routine(may_write, |out| {
        write(out);
        Ok::<(), ()>(())
    });
    result.expect_err("a mistake").to_string()
}

#[test]
fn arithmetic_is_that_of_wrapping_numbers() {
    let numbers = [
        0,
        1,
        -1,
        2,
        -2,
        3,
        7,
        31,
        32,
        33,
        255,
        256,
        -256,
        i32::MAX,
        i32::MIN,
        i32::MIN + 1,
    ];
    type Expected = fn(i32, i32) -> Option<i32>;
    let table: [(Operation, Expected); 17] = [
        (Operation::Add, |a, b| Some(a.wrapping_add(b))),
        (Operation::Subtract, |a, b| Some(a.wrapping_sub(b))),
        (Operation::Multiply, |a, b| Some(a.wrapping_mul(b))),
        (Operation::Divide, |a, b| (b != 0).then(|| a.wrapping_div(b))),
        (Operation::Remainder, |a, b| (b != 0).then(|| a.wrapping_rem(b))),
        (Operation::And, |a, b| Some(a & b)),
        (Operation::Or, |a, b| Some(a | b)),
        (Operation::Xor, |a, b| Some(a ^ b)),
        (Operation::ShiftLeft, |a, b| Some(a.wrapping_shl(b as u32))),
        (Operation::ShiftRight, |a, b| Some(a.wrapping_shr(b as u32))),
        (Operation::Equal, |a, b| Some(i32::from(a == b))),
        (Operation::NotEqual, |a, b| Some(i32::from(a != b))),
        (Operation::Less, |a, b| Some(i32::from(a < b))),
        (Operation::LessEqual, |a, b| Some(i32::from(a <= b))),
        (Operation::Greater, |a, b| Some(i32::from(a > b))),
        (Operation::GreaterEqual, |a, b| Some(i32::from(a >= b))),
        (Operation::Below, |a, b| Some(i32::from((a as u32) < b as u32))),
    ];
    for (operation, expected) in table {
        let routine = reader(|out| {
            let (left, right) = (out.argument(false), out.argument(true));
            let result = out.combine(operation, left, right);
            out.answer(result);
        });
        for a in numbers {
            for b in numbers {
                let found = routine.call(&[], &[], [a as u32, b as u32]);
                assert_eq!(
                    found.map(|value| value as i32),
                    expected(a, b),
                    "{operation:?} {a} {b}"
                );
            }
        }
    }
}

#[test]
fn numbers_of_every_size_come_back_as_they_were_stored() {
    let load = |size: Size| {
        move |value: i32| match size {
            Size::Byte => i32::from(value as u8),
            Size::Short => i32::from(value as i16),
            Size::UnsignedShort => i32::from(value as u16),
            Size::Word => value,
        }
    };
    for size in [Size::Byte, Size::Short, Size::UnsignedShort, Size::Word] {
        let routine = writer(|out| {
            let (base, value) = (out.argument(false), out.argument(true));
            let window = out.window(base, 5);
            out.store(window, 1, size, value);
            let value = out.load(window, 1, size);
            out.answer(value);
        });
        let mut bytes = [0xaa; 16];
        for value in [0, 1, -1, 200, -200, 70_000, i32::MIN] {
            let found = routine.call(&mut bytes, &[], [3, value as u32]);
            assert_eq!(found.map(|value| value as i32), Some(load(size)(value)));
            assert!(bytes[..4].iter().chain(&bytes[8..]).all(|&byte| byte == 0xaa));
        }
    }
}

#[test]
fn nothing_outside_is_touched() {
    let routine = writer(|out| {
        let base = out.argument(false);
        let window = out.window(base, 4);
        let one = out.constant(1);
        out.store(window, 0, Size::Word, one);
        out.answer(one);
    });
    let mut bytes = [0; 10];
    assert_eq!(routine.call(&mut bytes, &[], [6, 0]), Some(1));
    for outside in [7, 10, 11, u32::MAX - 3, u32::MAX] {
        assert_eq!(routine.call(&mut bytes, &[], [outside, 0]), None);
    }
    assert_eq!(routine.call(&mut bytes[..3], &[], [0, 0]), None);
    let entry = reader(|out| {
        let index = out.argument(false);
        let found = out.entry(index);
        out.answer(found);
    });
    assert_eq!(entry.call(&[], &[5, 6, 7], [2, 0]), Some(7));
    assert_eq!(entry.call(&[], &[5, 6, 7], [3, 0]), None);
    assert_eq!(entry.call(&[], &[], [0, 0]), None);
    let piece = reader(|out| {
        let (base, index) = (out.argument(false), out.argument(true));
        let window = out.window(base, 8);
        let piece = out.piece(window, 2, (index, 3, 2), 2);
        let found = out.load(piece, 0, Size::UnsignedShort);
        out.answer(found);
    });
    let bytes = [9, 9, 1, 0, 2, 0, 3, 0];
    let found: Vec<Option<u32>> = (0..4).map(|index| piece.call(&bytes, &[], [0, index])).collect();
    assert_eq!(found, [Some(1), Some(2), Some(3), None]);
    assert_eq!(piece.call(&bytes, &[], [0, u32::MAX]), None);
}

#[test]
fn mistakes_are_refused_before_there_is_code() {
    let outside = refusal(false, |out| {
        let base = out.argument(false);
        let window = out.window(base, 4);
        let value = out.load(window, 1, Size::Word);
        out.answer(value);
    });
    assert_eq!(outside, "a number outside of its window");
    let writes = refusal(false, |out| {
        let base = out.argument(false);
        let window = out.window(base, 4);
        out.store(window, 0, Size::Byte, base);
        out.answer(base);
    });
    assert_eq!(writes, "a reader that writes");
    let piece = refusal(false, |out| {
        let base = out.argument(false);
        let window = out.window(base, 4);
        out.piece(window, 0, (base, 3, 2), 1);
    });
    assert_eq!(piece, "a piece outside of its window");
    let lost = refusal(false, |out| {
        let label = out.label();
        out.jump(label);
    });
    assert_eq!(lost, "a label without a place");
    for (from, to, count) in [(2, 3, 1), (2, 0, 3), (0, 0, 5)] {
        let moved = refusal(true, |out| {
            let base = out.argument(false);
            let window = out.window(base, 4);
            out.move_down(window, from, to, count);
        });
        assert_eq!(moved, "bytes moved outside of a window");
    }
}

#[test]
fn bytes_are_moved_as_the_library_moves_them() {
    for count in 0..40u32 {
        for distance in 0..9u32 {
            let extent = count + distance;
            let routine = writer(|out| {
                let base = out.argument(false);
                let window = out.window(base, extent);
                out.move_down(window, distance, 0, count);
                out.clear(window, count, distance);
                let one = out.constant(1);
                out.answer(one);
            });
            let mut bytes: Vec<u8> = (1..=extent as u8).collect();
            let mut expected = bytes.clone();
            expected.copy_within(distance as usize.., 0);
            expected[count as usize..].fill(0);
            assert_eq!(routine.call(&mut bytes, &[], [0, 0]), Some(1));
            assert_eq!(bytes, expected, "{count} bytes by {distance}");
        }
    }
}

#[test]
fn loops_variables_and_refuges_work_and_code_outlives_its_workshop() {
    // The sum of the numbers below the argument; gives up above 1,000, and says 7 where a division by zero would be.
    let routine = reader(|out| {
        let (zero, one) = (out.constant(0), out.constant(1));
        let (sum, at) = (out.variable(zero), out.variable(zero));
        let limit = out.argument(false);
        let thousand = out.constant(1_001);
        let small = out.combine(Operation::Below, limit, thousand);
        out.give_up_unless(small);
        let refuge = out.label();
        out.give_up_at(Some(refuge));
        let divisor = out.argument(true);
        out.combine(Operation::Divide, one, divisor);
        out.give_up_at(None);
        let (head, body, end) = (out.label(), out.label(), out.label());
        out.place(head);
        let now = out.get(at);
        let more = out.combine(Operation::Below, now, limit);
        out.branch(more, body, end);
        out.place(body);
        let so_far = out.get(sum);
        let new = out.combine(Operation::Add, so_far, now);
        out.set(sum, new);
        let next = out.combine(Operation::Add, now, one);
        out.set(at, next);
        out.jump(head);
        out.place(end);
        let result = out.get(sum);
        out.answer(result);
        out.place(refuge);
        let seven = out.constant(7);
        out.answer(seven);
    });
    let other = routine.clone();
    drop(routine);
    let thread = std::thread::spawn(move || {
        assert_eq!(other.call(&[], &[], [100, 1]), Some(4_950));
        assert_eq!(other.call(&[], &[], [1_001, 1]), None);
        assert_eq!(other.call(&[], &[], [5, 0]), Some(7));
    });
    thread.join().expect("no panic");
}

#[test]
fn who_changes_his_mind_makes_no_routine() {
    let mut workshop = Workshop::new().expect("machine code for this processor");
    let changed = workshop.routine(false, |out| {
        let label = out.label();
        out.jump(label);
        Err("too hard")
    });
    assert_eq!(changed.expect("no failure"), Err("too hard"));
    let made = workshop.routine(false, |out| {
        let three = out.constant(3);
        out.answer(three);
        Ok::<(), ()>(())
    });
    let id = made.expect("a routine").expect("no second thoughts");
    let routine = workshop.finish().expect("code").reader(id).expect("a reader");
    assert_eq!(routine.call(&[], &[], [0, 0]), Some(3));
}
