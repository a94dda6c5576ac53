; A loop that counts to ten never passes it. The clauses have a model exactly if that is so.
; expect: holds satisfiable
(set-logic HORN)
(declare-fun loop (Int) Bool)
(assert (loop 0))
(assert (forall ((n Int)) (=> (and (loop n) (< n 10)) (loop (+ n 1)))))
(assert (forall ((n Int)) (=> (and (loop n) (> n 10)) false)))
(check-sat)
