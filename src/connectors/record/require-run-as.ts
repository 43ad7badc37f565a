import {
  findBeyondRole,
  isAdministrator,
  isDelegate,
  type Principal,
  type Role,
} from '../../access/index.ts'
import { refuse } from '../../base/index.ts'

/** A user of the organization, as whom a connector runs. */
export interface RunAs {
  readonly uid: string
  readonly role: Role
}

/**
 * Refuses with `forbidden` a caller who would gain rights by deciding what is run as a user: everybody
 * may let a connector run as oneself, administrators as anyone. An API key or access token must have
 * itself all that the user has.
 */
export function requireRunAs(principal: Principal, { uid, role }: RunAs): void {
  if (isDelegate(principal)) {
    requireCoversUser(principal, role)
    return
  }
  const { actor } = principal
  if (isAdministrator(principal) || (actor.kind === 'user' && actor.userUid === uid)) return
  refuse('forbidden', {
    what: 'connector.runningUser is somebody else: you may save and try connectors that run as yourself; ask an administrator for others',
    field: 'connector.runningUser',
  })
}

function requireCoversUser(principal: Principal, role: Role): void {
  const beyond = findBeyondRole(principal, role)
  const who = principal.actor.kind === 'api_key' ? 'This API key' : 'This access token'
  if (beyond !== undefined) {
    const { method, resource } = beyond
    refuse('forbidden', {
      what: `${who} has no ${method} on ${resource} itself, which connector.runningUser has: sign in as that user or as an administrator`,
      field: 'connector.runningUser',
    })
  }
  if (principal.ips?.coversList([]) === false) {
    refuse('forbidden', {
      what: `${who} is bound to addresses, so it may not save what runs from everywhere: sign in`,
      field: 'connector.runningUser',
    })
  }
}
