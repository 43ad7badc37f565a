import { type KeyboardEvent, useRef } from 'react'
import { foldText } from '../../app/fold-text.ts'
import { type TreeRows, textOf } from './tree-rows.ts'

/** What keys do to a tree. */
interface TreeActs {
  readonly rows: TreeRows
  readonly active: number
  setActive(index: number): void
  toggle(path: string, isOpen: boolean): void
  choose(index: number): void
}

/** Letters that come sooner than this belong to one word. */
const TYPING_MS = 700
/** Rows that are looked through for what somebody types. */
const LOOKED_MAX = 5_000
const PAGE_ROWS = 12

/** Arrows, Home, End, Enter and letters, as trees have them everywhere. */
export function useTreeKeys(acts: TreeActs): (event: KeyboardEvent) => void {
  const typed = useRef({ text: '', atMs: 0 })
  return (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const isDone = move(acts, event.key) || type(acts, event.key, typed.current)
    if (isDone) event.preventDefault()
  }
}

function move(acts: TreeActs, key: string): boolean {
  const { rows, active, setActive } = acts
  const to = (index: number): boolean => {
    setActive(Math.max(0, Math.min(rows.length - 1, index)))
    return true
  }
  switch (key) {
    case 'ArrowDown':
      return to(active + 1)
    case 'ArrowUp':
      return to(active - 1)
    case 'PageDown':
      return to(active + PAGE_ROWS)
    case 'PageUp':
      return to(active - PAGE_ROWS)
    case 'Home':
      return to(0)
    case 'End':
      return to(rows.length - 1)
    case 'Enter':
      acts.choose(active)
      return true
    case 'ArrowRight':
      return enter(acts, to)
    case 'ArrowLeft':
      return leave(acts, to)
    default:
      return false
  }
}

function enter({ rows, active, toggle }: TreeActs, to: (index: number) => boolean): boolean {
  const row = rows.at(active)
  if (row?.kind !== 'folder') return true
  if (row.isOpen) return to(active + 1)
  toggle(row.path, true)
  return true
}

/** Closes an open folder; from anything else to the folder that it is in. */
function leave({ rows, active, toggle }: TreeActs, to: (index: number) => boolean): boolean {
  const row = rows.at(active)
  if (row === undefined) return true
  if (row.kind === 'folder' && row.isOpen) {
    toggle(row.path, false)
    return true
  }
  const back = row.kind === 'component' ? row.at : 0
  for (let index = active - 1 - back; index >= 0; index -= 1) {
    const above = rows.at(index)
    if (above?.kind === 'folder' && above.depth < row.depth) return to(index)
  }
  return true
}

function type(acts: TreeActs, key: string, typed: { text: string; atMs: number }): boolean {
  if ([...key].length !== 1 || key === ' ') return false
  const now = performance.now()
  const isOneWord = now - typed.atMs < TYPING_MS
  typed.text = (isOneWord ? typed.text : '') + foldText(key)
  typed.atMs = now
  const { rows, active, setActive } = acts
  // A word goes on where it was found; another one begins behind it.
  const first = isOneWord ? active : active + 1
  for (let step = 0; step < Math.min(rows.length, LOOKED_MAX); step += 1) {
    const index = (first + step) % rows.length
    const row = rows.at(index)
    if (row === undefined || !foldText(textOf(row)).startsWith(typed.text)) continue
    setActive(index)
    return true
  }
  return true
}
