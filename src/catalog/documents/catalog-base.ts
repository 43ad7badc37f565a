import type { Clock, KeyedMutex } from '../../base/index.ts'
import type { CatalogWrite } from '../../store/index.ts'
import type { CycleBody } from '../record/cycle-record.ts'
import type { DeleteProfileBody } from '../record/delete-profile.ts'
import type { SimpleRecords } from '../record/simple-records.ts'
import type { StreamReferences } from '../record/stream-rules.ts'
import type { UnitBody } from '../record/unit.ts'
import type { DerivationStatusBook } from '../shape/derivation-shape.ts'
import { foldersAlong } from '../shape/folder-path.ts'
import type { StreamBody } from '../shape/stream-shape.ts'
import type { Documents } from './documents.ts'
import { type UsedRecord, useWrites } from './record-uses.ts'

/** Whom the catalog asks about people; handed in, because people are another part's records. */
export interface People {
  /** The organization's owner: components take the owner's time zone. */
  ownerOf(orgUid: string): Promise<{ uid: string; name: string; timeZoneId: string }>
  /** A user's name, '' when there is no such user. */
  nameOf(userUid: string): Promise<string>
}

/** What the operations of the catalog share. */
export interface CatalogBase {
  readonly documents: Documents
  readonly clock: Clock
  readonly people: People
  /** Held while one component is changed, so that only other processes can get in between. */
  readonly locks: KeyedMutex<string>
  readonly cycles: SimpleRecords<CycleBody>
  readonly units: SimpleRecords<UnitBody>
  readonly deleteProfiles: SimpleRecords<DeleteProfileBody>
  /** Who knows what has become of derived streams, once there is someone. */
  readonly derivationStatus: { book?: DerivationStatusBook }
}

/** The records of an organization that its streams may refer to. */
export function referencesOf(base: CatalogBase, orgUid: string): StreamReferences {
  return {
    hasUnit: async (uid) => (await base.units.find(orgUid, uid)) !== undefined,
    hasDeleteProfile: async (uid) => (await base.deleteProfiles.find(orgUid, uid)) !== undefined,
    findCycle: async ({ uid, id }) => {
      if (uid !== undefined && uid !== '') return await base.cycles.find(orgUid, uid)
      return id === undefined ? undefined : await base.cycles.findById(orgUid, id)
    },
  }
}

/** The cycles that a stream refers to: that of its intervals, and those of its formula's statistics. */
export function cycleUidsOf({ baseCycle, derivation }: StreamBody): string[] {
  const own = baseCycle === null ? [] : [baseCycle.uid]
  const read = (derivation?.variables ?? []).flatMap(({ cycleUid }) => cycleUid || [])
  return [...new Set([...own, ...read])]
}

/** The records that a stream refers to and did not refer to before. */
export function usesOfStream(
  { cycles }: Pick<CatalogBase, 'cycles'>,
  orgUid: string,
  { before, after }: { readonly before: StreamBody | undefined; readonly after: StreamBody },
): UsedRecord[] {
  const uses: UsedRecord[] = []
  const note = (kind: string, uid = '', known = ''): void => {
    if (uid !== '' && uid !== known) uses.push({ orgUid, kind, uid })
  }
  note('unit', after.unit?.uid, before?.unit?.uid)
  note('delete_profile', after.delete_profile?.uid, before?.delete_profile?.uid)
  const known = new Set(before === undefined ? [] : cycleUidsOf(before))
  for (const uid of cycleUidsOf(after)) {
    if (!known.has(uid) && !cycles.isBuiltIn(uid)) note('cycle', uid)
  }
  return uses
}

/** What a folder claims in its organization. */
export function folderClaim(path: string): string {
  return `component_folder:${path}`
}

/**
 * The writes that make the folders of a path that are missing, and make sure that the others are neither
 * moved nor deleted beside.
 */
export async function folderWrites(
  base: CatalogBase,
  orgUid: string,
  { path, makeUid }: { path: string; makeUid: () => string },
): Promise<CatalogWrite[]> {
  const writes: CatalogWrite[] = []
  for (const folder of foldersAlong(path)) {
    const claim = folderClaim(folder)
    const known = await base.documents.findByClaim(orgUid, claim)
    if (known !== undefined) {
      writes.push(...useWrites([known]))
      continue
    }
    writes.push({
      op: 'put',
      orgUid,
      kind: 'component_folder',
      uid: makeUid(),
      expectedRevision: 0,
      listKey: folder,
      claims: [claim],
      body: { path: folder, name: folder.slice(folder.lastIndexOf('/') + 1) },
    })
  }
  return writes
}
