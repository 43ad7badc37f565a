import type { People } from '../catalog/index.ts'
import { type Identity, nameOf } from './identity.ts'

/** What the catalog may know about users: the owner whose time zone counts, and names. */
export function peopleOf({
  organizations,
  users,
}: Pick<Identity, 'organizations' | 'users'>): People {
  return {
    ownerOf: async (orgUid) => {
      // One that another process has just made is in the store.
      const organization = organizations.find(orgUid) ?? (await organizations.reload(orgUid))
      const uid = organization?.ownerUid ?? ''
      const owner = await users.find(uid)
      const name = owner === undefined ? '' : nameOf(owner)
      return { uid, name, timeZoneId: owner?.timeZone ?? 'UTC' }
    },
    nameOf: async (userUid) => {
      const user = await users.find(userUid)
      return user === undefined ? '' : nameOf(user)
    },
  }
}
