import type { Identity } from '../../auth/index.ts'

type User = NonNullable<Awaited<ReturnType<Identity['users']['find']>>>

/** Why an alert cannot run as its user; blank where it can. */
export function problemOfUser(user: User | undefined, orgUid: string): string {
  const isMember = user?.memberships.some((one) => one.orgUid === orgUid) === true
  return isMember ? '' : 'The running user is no longer in this organization'
}
