/** What got another ID a short time ago, so that it may be asked whether an ID still means what it meant. */

/** Moves that are remembered: more of them come in no call's time. */
const KEPT_MAX = 1_000

interface Move {
  /** That of the index after the move. */
  readonly generation: number
  /** The stream, or the component with all its streams. */
  readonly stream: number
  readonly component: number
}

export class RecentMoves {
  #moves: Move[] = []
  /** Moves up to this generation are forgotten. */
  #forgottenUpTo = 0

  note(move: Move): void {
    this.#moves.push(move)
    if (this.#moves.length < 2 * KEPT_MAX) return
    this.#forgottenUpTo = this.#moves[KEPT_MAX - 1].generation
    this.#moves = this.#moves.slice(KEPT_MAX)
  }

  /** The streams and components that were moved after a generation; undefined when that is not known any more. */
  since(
    generation: number,
  ):
    | { readonly streams: ReadonlySet<number>; readonly components: ReadonlySet<number> }
    | undefined {
    if (generation < this.#forgottenUpTo) return undefined
    const later = this.#moves.filter((move) => move.generation > generation)
    return {
      streams: new Set(later.map(({ stream }) => stream)),
      components: new Set(later.map(({ component }) => component)),
    }
  }
}
