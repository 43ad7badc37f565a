import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { type Address, stepNotes, useAddress } from '../app/place.ts'
import type { RangeEvents } from '../chart/chart.tsx'
import { type NextRange, rangeAfter, soundRange, type TimeRange } from '../chart/time-range.ts'
import { browserZone } from '../ui/time/zone-time.ts'
import { type Extent, endsNow, rangeOfWord, usualWord } from './range-words.ts'

/** A movement is in the address, and asked for, when it has rested for so long. */
const REST_MS = 180
/** How often what is live moves on. */
const TICK_MS = 1_000
/** What is live is asked for with so much of its length ahead, to be filled by news. */
const AHEAD = 0.1
/** How much of its length a range reaches beyond the last sample that it is led to. */
const END_ROOM = 0.02
const STEPS_MAX = 100
/** A movement that goes on so soon after it has rested is the same one: a wheel turned, a pan held still. */
const SAME_MS = 1_000

/** What of time is shown, and how it is changed; all of it is in the address. */
export interface ViewRange extends RangeEvents {
  /** What is seen. */
  readonly range: TimeRange
  /** What is asked of the service; it follows when a movement rests. */
  readonly asked: TimeRange
  /** The word that names the range, '' for exact times. */
  readonly word: string
  readonly isLive: boolean
  readonly zone: string
  readonly isBrowserZone: boolean
  readonly onWord: (word: string) => void
  readonly onZone: () => void
  readonly onStart: () => void
  readonly onEnd: () => void
}

interface Chosen {
  readonly from?: string
  readonly until?: string
  readonly range?: string
}

/** The range, live mode and zone of a page of charts. */
export function useViewRange(zoneOfData: string, extent: Extent): ViewRange {
  const address = useAddress()
  const { query } = address
  const isLive = query.get('live') === '1'
  const chosen = useMemo(() => chosenIn(query), [query])
  const now = useNow(isLive, chosen.range)
  const isBrowserZone = query.get('zone') === 'browser'
  const zone = isBrowserZone ? browserZone() : zoneOfData
  const word = wordOf(chosen, extent, now)
  const rested = useMemo(
    () => restedRange(chosen, { word, now, zone, extent }),
    [chosen, word, now, zone, extent],
  )
  const asked = useAsked(rested, isLive)
  const { range, isMoving, ...moves } = useMoves(address, chosen, { rested, liveIn })
  const jump = (fromOf: (length: number) => number) => {
    const next = ({ from, until }: TimeRange) => {
      const start = fromOf(until - from)
      return { from: start, until: start + until - from }
    }
    moves.onMove(next, { isStep: true })
  }
  return {
    range,
    asked,
    isLive,
    zone,
    isBrowserZone,
    word: isMoving ? '' : word,
    onMove: moves.onMove,
    onBack: moves.onBack,
    onReset: moves.onReset,
    onWord: (next) => moves.commit({ range: next }, endsNow(next) && isLive),
    onNow: () => jump((length) => Date.now() - length),
    onStart: () => extent !== undefined && jump(() => extent.firstTime),
    onEnd: () => extent !== undefined && jump((length) => endWithRoom(extent, length) - length),
    onLive: () => {
      const next = endsNow(word) ? word : '15m'
      moves.commit(isLive ? { range: word } : { range: next }, !isLive)
    },
    onZone: () => address.change({ zone: isBrowserZone ? undefined : 'browser' }),
  }
}

/** A little behind the last sample, so that its point is not at the very edge. */
function endWithRoom({ lastTime }: NonNullable<Extent>, length: number): number {
  return lastTime + 1 + Math.round(length * END_ROOM)
}

/** What of time an address names. */
export function chosenIn(query: URLSearchParams): Chosen {
  const [from, until] = [query.get('from') ?? '', query.get('until') ?? '']
  const isExact = /^-?\d{1,15}$/.test(from) && /^-?\d{1,15}$/.test(until)
  if (isExact && Number(from) < Number(until)) return { from, until }
  return { range: query.get('range') ?? undefined }
}

function wordOf({ from, range = '' }: Chosen, extent: Extent, now: number): string {
  if (from !== undefined) return ''
  const isKnown = rangeOfWord(range, { now, zone: 'UTC', extent }) !== undefined
  return isKnown ? range : usualWord(extent, now)
}

function restedRange(
  { from, until }: Chosen,
  about: { word: string; now: number; zone: string; extent: Extent },
): TimeRange {
  if (from !== undefined && until !== undefined) {
    return soundRange({ from: Number(from), until: Number(until) })
  }
  const range = rangeOfWord(about.word, about) ?? { from: about.now - 1, until: about.now }
  return soundRange(range)
}

/** This moment as it was when a word was chosen, and every second while it is live. */
function useNow(isLive: boolean, word: string | undefined): number {
  const [now, setNow] = useState(() => Date.now())
  // biome-ignore lint/correctness/useExhaustiveDependencies: a chosen word applies from now on.
  useEffect(() => {
    setNow(Date.now())
    if (!isLive) return undefined
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') setNow(Date.now())
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [isLive, word])
  return now
}

/** What is asked for: the range, and while it is live one that lasts for a while. */
function useAsked(rested: TimeRange, isLive: boolean): TimeRange {
  const kept = useRef(rested)
  if (!isLive) kept.current = rested
  else {
    const { from, until } = kept.current
    const length = rested.until - rested.from
    const holds = from <= rested.from && until >= rested.until && until - from < length * 1.5
    if (!holds)
      kept.current = { from: rested.from, until: rested.until + Math.ceil(length * AHEAD) }
  }
  return kept.current
}

/** The ranges that one can go back to with the chart's own keys, as they are kept with a step of the browser. */
function rangesBefore(): readonly Chosen[] {
  const { ranges } = (stepNotes() ?? {}) as { readonly ranges?: unknown }
  return Array.isArray(ranges) ? ranges : []
}

/** How one goes to another range. */
interface Going {
  readonly isLive?: boolean
  /** Whether it goes on a movement that is a step already. */
  readonly isSame?: boolean
}

/** A movement ends live mode, which a word may go on with. */
const liveIn = (isLive: boolean) => ({ live: isLive ? '1' : undefined })

interface MovesOptions {
  /** What is shown without a movement. */
  readonly rested: TimeRange
  /** What the address says of live mode after a step. */
  readonly liveIn: (isLive: boolean) => Readonly<Record<string, string | undefined>>
}

/** Movements: seen at once, in the address when they rest, each a step of the browser. */
export function useMoves(
  address: Address,
  chosen: Chosen,
  { rested, liveIn: liveOf }: MovesOptions,
) {
  const [moving, setMoving] = useState<TimeRange>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const settledAt = useRef(0)
  const latest = useRef(chosen)
  latest.current = chosen
  const seen = useRef(rested)
  seen.current = moving ?? rested
  const { change } = address
  useEffect(() => () => clearTimeout(timer.current), [])
  const go = useCallback(
    ({ from, until, range }: Chosen, ranges: readonly Chosen[], going: Going = {}) => {
      clearTimeout(timer.current)
      latest.current = { from, until, range }
      setMoving(undefined)
      const { isLive = false, isSame = false } = going
      const changes = { from, until, range, ...liveOf(isLive) }
      change(changes, { step: !isSame, notes: { ranges } })
    },
    [change, liveOf],
  )
  const commit = useCallback(
    (next: Chosen, isLive = false) => {
      const ranges = [...rangesBefore(), latest.current]
      // Of many the first stays: Escape leads there.
      if (ranges.length > STEPS_MAX) ranges.splice(1, 1)
      go(next, ranges, { isLive })
    },
    [go],
  )
  const onMove = useCallback(
    (next: NextRange, { isStep }: { readonly isStep: boolean }) => {
      // Keys and wheels may come faster than pictures: each goes on from the last one.
      const { from, until } = rangeAfter(seen.current, next)
      seen.current = { from, until }
      const chosen = { from: String(from), until: String(until) }
      const settle = () => {
        const isSame = !isStep && Date.now() - settledAt.current < SAME_MS
        if (!isStep) settledAt.current = Date.now()
        if (isSame) go(chosen, rangesBefore(), { isSame })
        else commit(chosen)
      }
      clearTimeout(timer.current)
      setMoving({ from, until })
      if (isStep) settle()
      else timer.current = setTimeout(settle, REST_MS)
    },
    [commit, go],
  )
  const onBack = useCallback(() => {
    const ranges = rangesBefore()
    const before = ranges.at(-1)
    if (before !== undefined) go(before, ranges.slice(0, -1))
  }, [go])
  const onReset = useCallback(() => {
    const [first] = rangesBefore()
    if (first !== undefined) go(first, [])
  }, [go])
  return {
    range: moving ?? rested,
    isMoving: moving !== undefined,
    commit,
    onMove,
    onBack,
    onReset,
  }
}
