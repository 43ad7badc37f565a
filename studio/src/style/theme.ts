import { useSyncExternalStore } from 'react'
import { WatchedMedia } from './watched-media.ts'

/** What the person chose; `system` follows the machine. */
export type ThemeChoice = 'system' | 'light' | 'dark'

const KEY = 'weir.theme'
const dark = new WatchedMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
let choice: ThemeChoice = readChoice()

function readChoice(): ThemeChoice {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

function shownTheme(): 'light' | 'dark' {
  if (choice !== 'system') return choice
  return dark.isMatched() ? 'dark' : 'light'
}

function apply(): void {
  document.documentElement.dataset.theme = shownTheme()
  for (const listener of listeners) listener()
}

/** Shows the theme that was chosen, and follows the machine from here on. */
export function startTheme(): void {
  apply()
  dark.subscribe(apply)
}

/** Chooses and remembers a theme. */
export function chooseTheme(next: ThemeChoice): void {
  choice = next
  if (next === 'system') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, next)
  apply()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The choice and the displayed state. Charts are redrawn when it changes. */
export function useTheme(): { readonly choice: ThemeChoice; readonly shown: 'light' | 'dark' } {
  const chosen = useSyncExternalStore(subscribe, () => choice)
  const shown = useSyncExternalStore(subscribe, shownTheme)
  return { choice: chosen, shown }
}
