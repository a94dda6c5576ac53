/* Tic-tac-toe, after Holzmann's chapter of the Handbook of Model Checking (Fig. 5): cross begins, and a move is one step. A board
   counts once while the game goes on or is won; SPIN counts 5,528 states: 5,478 boards, the two before the first board is looked at,
   and for each of the 16 draws three more, in which the game is over, the player is gone, everybody is gone.
   expect: holds 1
 */
mtype = { cross, circle };
#define SQUARE(x, y) board.row[x].at[y] == 0 -> board.row[x].at[y] = mover
#define ROW(x)       (board.row[x].at[0] == mover && board.row[x].at[1] == mover && board.row[x].at[2] == mover)
#define COLUMN(y)    (board.row[0].at[y] == mover && board.row[1].at[y] == mover && board.row[2].at[y] == mover)
#define DOWN         (board.row[0].at[0] == mover && board.row[1].at[1] == mover && board.row[2].at[2] == mover)
#define UP           (board.row[2].at[0] == mover && board.row[1].at[1] == mover && board.row[0].at[2] == mover)

typedef row_of_three { mtype at[3] };
typedef square { row_of_three row[3] };
square board;
mtype mover;
bool won;

proctype game() {
  mover = cross;
end:
  do
  :: atomic { !won ->
       if
       :: SQUARE(0, 0) :: SQUARE(0, 1) :: SQUARE(0, 2)
       :: SQUARE(1, 0) :: SQUARE(1, 1) :: SQUARE(1, 2)
       :: SQUARE(2, 0) :: SQUARE(2, 1) :: SQUARE(2, 2)
       :: else -> break  /* a draw */
       fi;
       if
       :: ROW(0) || ROW(1) || ROW(2) || COLUMN(0) || COLUMN(1) || COLUMN(2) || DOWN || UP -> won = true
       :: else -> mover = (mover == cross -> circle : cross)
       fi }
  od
}

init { run game() }

