import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { refuse } from '../../base/index.ts'
import { CatalogConflict } from '../../store/index.ts'
import { refuseTakenId } from '../record/simple-records.ts'
import type { Documents } from './documents.ts'

/** Of some processes that change one record all the time, each comes through by then. */
const TRIES_MAX = 60
/** From this try on it pauses before the next, for up to PAUSE_MS_MAX milliseconds, so that others can finish. */
const TRIES_AT_ONCE = 4
const PAUSE_MS_MAX = 20

interface RetryOptions {
  readonly isIdRetried?: boolean
  readonly isPassed?: (conflict: CatalogConflict) => boolean
}

/**
 * Runs an attempt again after others got in its way, reading afresh each time. An ID that another
 * record has taken is returned to the caller instead, unless `isIdRetried` says that a fresh look helps; so is
 * what `isPassed` says that the caller knows how to go on from.
 */
export async function retryConflicts<T>(
  documents: Documents,
  attempt: () => Promise<T>,
  { isIdRetried = false, isPassed = () => false }: RetryOptions = {},
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof CatalogConflict) || isPassed(error)) throw error
      if (!isIdRetried) refuseTakenClaim(error.claim)
      if (tries >= TRIES_MAX) {
        refuse('conflict', { what: 'Other requests keep changing the same record. Try again' })
      }
      // What calls of this process have made is learned at once, not conflict by conflict.
      await documents.followed()
      await documents.catchUp(error)
      if (tries >= TRIES_AT_ONCE) await pause(randomInt(1, PAUSE_MS_MAX + 1))
    }
  }
}

function refuseTakenClaim(claim: string | undefined): void {
  if (claim === undefined) return
  const [kind, ...rest] = claim.split(':')
  if (kind === 'component_id') refuseTakenId('component', rest.join(':'))
  if (kind === 'stream_id') refuseTakenId('stream', rest.slice(1).join(':'))
}
