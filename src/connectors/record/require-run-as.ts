import {
  findBeyondRole,
  isAdministrator,
  isDelegate,
  type Principal,
  type Role,
} from '../../access/index.ts'
import { refuse } from '../../base/index.ts'

/** A user of the organization, as whom a record such as a connector runs. */
export interface RunAs {
  readonly uid: string
  readonly role: Role
}

/**
 * Refuses with `forbidden` a caller who would gain rights by deciding what is run as a user: everybody
 * may let a record run as oneself, administrators as anyone. An API key or access token must have
 * itself all that the user has. `noun` is how messages call the record.
 */
export function requireRunAs(
  principal: Principal,
  { uid, role }: RunAs,
  noun: 'connector' | 'alert' = 'connector',
): void {
  const field = `${noun}.runningUser`
  if (isDelegate(principal)) {
    requireCoversUser(principal, role, noun)
    return
  }
  const { actor } = principal
  if (isAdministrator(principal) || (actor.kind === 'user' && actor.userUid === uid)) return
  refuse('forbidden', {
    what: `${field} is another user. You can save and test only ${noun}s that run as yourself. Ask an administrator`,
    field,
  })
}

function requireCoversUser(principal: Principal, role: Role, noun: string): void {
  const field = `${noun}.runningUser`
  const beyond = findBeyondRole(principal, role)
  const who = principal.actor.kind === 'api_key' ? 'This API key' : 'This access token'
  if (beyond !== undefined) {
    const { method, resource } = beyond
    refuse('forbidden', {
      what: `${who} does not allow ${method} on ${resource}, but ${field} does. Sign in as that user or as an administrator`,
      field,
    })
  }
  if (principal.ips?.coversList([]) === false) {
    refuse('forbidden', {
      what: `${who} is limited to IP addresses, so it cannot save this ${noun}, which runs without that limit. Sign in`,
      field,
    })
  }
}
