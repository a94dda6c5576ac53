; A loop that counts down by two from an even number never passes one. The clauses have a model exactly if that is so.
; expect: holds satisfiable
(set-logic HORN)
(declare-fun loop (Int Int) Bool)
(assert (forall ((n Int)) (=> (>= n 0) (loop n (* 2 n)))))
(assert (forall ((n Int) (m Int)) (=> (and (loop n m) (> m 0)) (loop (- n 1) (- m 2)))))
(assert (forall ((n Int) (m Int)) (=> (and (loop n m) (= m 0) (not (= n 0))) false)))
(check-sat)
