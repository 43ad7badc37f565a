import { isDelegate } from '../../access/index.ts'
import { refuse } from '../../base/index.ts'
import type { ActingCaller } from './acting-caller.ts'

/** The user who acts about themselves, whatever their role; anyone who acts for them is refused with `forbidden`. */
export function requireSelf({ principal }: ActingCaller, act: string): string {
  const { actor } = principal
  if (actor.kind !== 'user') {
    refuse('forbidden', { what: `${act} needs a session. Sign in instead of using an API key` })
  }
  if (isDelegate(principal)) {
    refuse('forbidden', {
      what: `${act} needs a session. Sign in instead of using an access token`,
    })
  }
  return actor.userUid
}
