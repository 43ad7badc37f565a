import { readdirSync, readlinkSync } from 'node:fs'

/** The files that this process has open, each as often as it has a handle of it. */
export function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((handle) => {
    try {
      return [readlinkSync(`/proc/self/fd/${handle}`)]
    } catch {
      // It was closed since, as the handle of the list itself is.
      return []
    }
  })
}
