/** A piece of the composition root: the doors of foreign protocols. */
import type { Principal } from '../access/index.ts'
import type { Identity } from '../auth/index.ts'
import type { AddressRule } from '../catalog/index.ts'
import type { Feed } from '../feed/index.ts'
import { DoorLog, DoorWriter } from '../intake/index.ts'
import type { OpenedStorage } from './opened-storage.ts'

/** Opens the doors of foreign protocols over the feed. */
export function openDoors({
  feed,
  identity,
  storage,
}: {
  readonly feed: Feed
  readonly identity: Identity
  readonly storage: Pick<OpenedStorage, 'broadcast'>
}) {
  const doorLog = new DoorLog(storage.broadcast)
  const doorWriter = new DoorWriter(feed, doorLog)
  return { doorLog, doorWriter, findRules: (caller: Principal) => rulesOf(identity, caller) }
}

/** The address rules of a caller, in the order in which they are asked. */
async function rulesOf(
  { keys, organizations }: Identity,
  { orgUid, actor }: Principal,
): Promise<readonly AddressRule[]> {
  const key = actor.kind === 'api_key' ? await keys.find(orgUid, actor.keyUid) : undefined
  const rules = [key?.addressRule, organizations.find(orgUid)?.addressRule]
  return rules.filter((rule) => rule !== undefined && rule !== null)
}
