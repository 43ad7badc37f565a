/** The range that is zoomed to on a board: every panel shows it, and it is in the address. */
import { createContext, useMemo, useRef } from 'react'
import { type Address, useAddress } from '../../app/place.ts'
import { type NextRange, rangeAfter, type TimeRange } from '../../chart/time-range.ts'
import { chosenIn, useMoves } from '../../state/use-view-range.ts'

/** What panels show instead of their own range, and how a chart changes it. */
export interface BoardZoom {
  /** What is seen, also while it moves; undefined: each panel shows its own range. */
  readonly shown: TimeRange | undefined
  /** The same when a movement has rested: what is asked for. */
  readonly rested: TimeRange | undefined
  /** A movement of a chart that shows `own` without a zoom. */
  move(own: TimeRange, next: NextRange, options: { readonly isStep: boolean }): void
  back(): void
  reset(): void
}

const NO_ZOOM: BoardZoom = {
  shown: undefined,
  rested: undefined,
  move: () => {},
  back: () => {},
  reset: () => {},
}

/** The zoom of the board that is shown; elsewhere charts stay as they are. */
export const ZoomContext = createContext(NO_ZOOM)

/** Whether a board is live is not changed by a zoom. */
const keepLive = () => ({})

/** The zoom of a board, from its address. */
export function useBoardZoom(): BoardZoom {
  const address: Address = useAddress()
  const { query } = address
  const chosen = useMemo(() => chosenIn(query), [query])
  const rested = useMemo(
    () =>
      chosen.from === undefined
        ? undefined
        : { from: Number(chosen.from), until: Number(chosen.until) },
    [chosen],
  )
  const moves = useMoves(address, chosen, { rested: rested ?? NOWHERE, liveIn: keepLive })
  const shown = moves.isMoving ? moves.range : rested
  const seen = useRef(shown)
  seen.current = shown
  const { onMove, onBack, commit } = moves
  return useMemo(
    () => ({
      shown,
      rested,
      move: (own, next, options) => {
        const range = rangeAfter(seen.current ?? own, next)
        // Wheels may turn faster than pictures come: each turn goes on from the last one.
        seen.current = range
        onMove(range, options)
      },
      back: onBack,
      reset: () =>
        commit({ range: new URLSearchParams(location.search).get('range') ?? undefined }),
    }),
    [shown, rested, onMove, onBack, commit],
  )
}

/** Stands for no zoom where a movement begins; every movement of a board names its range. */
const NOWHERE: TimeRange = { from: 0, until: 1 }
