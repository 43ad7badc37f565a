/** Whole programs are shorter; reading and checking so much takes ten milliseconds at most. */
export const EXPRESSION_LENGTH_MAX = 10_000

/** Each level takes some 4 KB of the stack in Chevrotain; a third of the least stack is enough. */
export const EXPRESSION_NESTING_MAX = 100

/** How deep an expression may be nested: all that walk it, SQLite too, have room for this much. */
export const EXPRESSION_DEPTH_MAX = 250

/** The parts of one expression: each costs a microsecond or two to read. */
export const EXPRESSION_NODES_MAX = 2_500
