/** Reads what the commits of a group need, in one round trip, while the group holds the lock of the catalog. */
import { isUid } from '../../../base/index.ts'
import { storedClaim } from '../../fields/stored-claim.ts'
import {
  addressClaim,
  componentIdClaim,
  seriesClaim,
  streamIdClaim,
} from '../../fields/unique-texts.ts'
import type { CatalogWrite, Lease } from '../../ports/catalog-port.ts'
import type { Labels } from '../../ports/component-port.ts'
import type { DocumentKey } from '../../ports/document-key.ts'
import type { SqlClient, SqlRow } from '../connection/database.ts'
import { fromStored, toStored } from '../connection/stored-text.ts'
import type {
  ComponentHead,
  DocumentHead,
  HeldText,
  KindCount,
  Loaded,
  StreamHead,
  WantedCommit,
} from './commit-state.ts'

/** What commits name. */
interface Wanted {
  readonly documents: DocumentKey[]
  readonly componentUids: Set<string>
  /** Components that are to be deleted. */
  readonly counted: Set<string>
  readonly streamUids: Set<string>
  readonly componentIds: [orgUid: string, id: string][]
  readonly streamIds: [componentUid: string, id: string][]
  readonly claims: [orgUid: string, claim: string][]
  readonly tallies: [orgUid: string, kind: string][]
  readonly leases: Set<string>
}

/** What a group of commits has to know, beside the documents that a purge names. */
export async function loadFor(
  client: SqlClient,
  commits: readonly WantedCommit[],
  purged: readonly DocumentKey[],
): Promise<Omit<Loaded, 'lastComponent'>> {
  const wanted = wantedBy(commits)
  wanted.documents.push(...purged)
  const [documents, components, streams, componentIds, streamIds, claims, tallies, leases] =
    await Promise.all([
      loadDocuments(client, wanted.documents),
      loadComponents(client, wanted),
      loadStreams(client, [...wanted.streamUids].filter(isUid)),
      loadComponentIds(client, wanted.componentIds),
      loadStreamIds(client, wanted.streamIds),
      loadClaims(client, wanted.claims),
      loadTallies(client, wanted.tallies),
      loadLeases(client, [...wanted.leases]),
    ])
  return {
    documents,
    components,
    streams,
    ids: [...componentIds, ...streamIds],
    claims,
    tallies,
    leases,
  }
}

function wantedBy(commits: readonly WantedCommit[]): Wanted {
  const wanted: Wanted = {
    documents: [],
    componentUids: new Set(),
    counted: new Set(),
    streamUids: new Set(),
    componentIds: [],
    streamIds: [],
    claims: [],
    tallies: [],
    leases: new Set(),
  }
  for (const { writes, lease, limits } of commits) {
    if (lease !== undefined) wanted.leases.add(lease.name)
    for (const { orgUid, kinds } of limits) {
      for (const kind of kinds) wanted.tallies.push([orgUid, kind])
    }
    for (const write of writes) noteWrite(wanted, write)
  }
  return wanted
}

function noteWrite(wanted: Wanted, write: CatalogWrite): void {
  const { orgUid, kind, uid } = write
  switch (write.op) {
    case 'put':
      wanted.documents.push({ orgUid, kind, uid })
      for (const claim of write.claims ?? []) wanted.claims.push([orgUid, claim])
      return
    case 'put_component':
      wanted.componentUids.add(uid)
      if (write.id !== '') wanted.componentIds.push([orgUid, write.id])
      for (const address of write.addressedAs) wanted.claims.push([orgUid, addressClaim(address)])
      return
    case 'put_stream':
      wanted.componentUids.add(write.componentUid)
      wanted.streamUids.add(uid)
      if (write.id !== '') wanted.streamIds.push([write.componentUid, write.id])
      if (write.series !== undefined) wanted.claims.push([orgUid, seriesClaim(write.series)])
      return
    case 'create':
      for (const each of write.uids) wanted.componentUids.add(each)
      for (const id of write.ids) if (id !== '') wanted.componentIds.push([orgUid, id])
      for (const address of (write.addressedAs ?? []).flat()) {
        wanted.claims.push([orgUid, addressClaim(address)])
      }
      for (const series of write.series ?? []) {
        if (series !== undefined) wanted.claims.push([orgUid, seriesClaim(series)])
      }
      return
    default:
      if (kind === 'stream') wanted.streamUids.add(uid)
      else if (kind !== 'component') wanted.documents.push({ orgUid, kind, uid })
      else {
        wanted.componentUids.add(uid)
        if (write.op === 'delete') wanted.counted.add(uid)
      }
  }
}

async function loadDocuments(
  client: SqlClient,
  keys: readonly DocumentKey[],
): Promise<(DocumentHead & DocumentKey)[]> {
  if (keys.length === 0) return []
  const { rows } = await client.run(
    `SELECT d.org, d.kind, d.uid, d.parent, d.revision, d.expires_at_ms, d.claims, d.bytes
      FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[], $3::text[]) AS k (org, kind, uid)) k
      JOIN document d ON d.org = k.org AND d.kind = k.kind AND d.uid = k.uid`,
    [
      keys.map(({ orgUid }) => toStored(orgUid)),
      keys.map(({ kind }) => toStored(kind)),
      keys.map(({ uid }) => toStored(uid)),
    ],
  )
  return rows.map((row) => {
    const [org, kind, uid, parent] = (row.slice(0, 4) as string[]).map(fromStored)
    const [revision, expiresAtMs, claims, bytes] = row.slice(4) as [
      number,
      number | null,
      string | null,
      number,
    ]
    return {
      orgUid: org,
      kind,
      uid,
      parentUid: parent,
      revision,
      expiresAtMs: expiresAtMs ?? undefined,
      claims: claims === null ? [] : (JSON.parse(claims) as string[]),
      bytes,
    }
  })
}

async function loadComponents(
  client: SqlClient,
  { componentUids, counted, streamUids }: Wanted,
): Promise<Loaded['components']> {
  const uids = [...componentUids].filter(isUid)
  const ofStreams = [...streamUids].filter(isUid)
  if (uids.length === 0 && ofStreams.length === 0) return []
  const { rows } = await client.run(
    `SELECT c.uid, c.number, c.org, c.revision, c.id, c.addressed_as, c.bytes,
        CASE WHEN c.uid = ANY ($2::uuid[]) THEN (SELECT count(*) FROM stream s WHERE s.component = c.number)
          ELSE 0 END
      FROM component c WHERE c.uid = ANY ($1::uuid[])
        OR c.number = ANY (ARRAY(SELECT component FROM stream WHERE uid = ANY ($3::uuid[])))`,
    [uids, [...counted].filter(isUid), ofStreams],
  )
  return rows.map(componentHeadOf)
}

function componentHeadOf(row: SqlRow): ComponentHead & { readonly uid: string } {
  const [uid, number, org, revision, id, addressedAs, bytes, streams] = row as [
    string,
    number,
    string,
    number,
    string | null,
    string | null,
    number,
    number,
  ]
  return {
    uid,
    number,
    orgUid: fromStored(org),
    revision,
    id: fromStored(id ?? ''),
    addressedAs: addressedAs === null ? [] : (JSON.parse(addressedAs) as string[]),
    bytes,
    streams,
  }
}

async function loadStreams(
  client: SqlClient,
  uids: readonly string[],
): Promise<(StreamHead & { readonly uid: string })[]> {
  if (uids.length === 0) return []
  const { rows } = await client.run(
    `SELECT s.uid, s.handle, c.org, c.uid, s.revision, s.id, s.series, s.bytes
      FROM stream s JOIN component c ON c.number = s.component WHERE s.uid = ANY ($1::uuid[])`,
    [uids],
  )
  return rows.map((row) => {
    const [uid, handle, org, componentUid, revision, id, series, bytes] = row as [
      string,
      number,
      string,
      string,
      number,
      string | null,
      string | null,
      number,
    ]
    return {
      uid,
      handle,
      orgUid: fromStored(org),
      componentUid,
      revision,
      id: fromStored(id ?? ''),
      seriesClaim: series === null ? undefined : seriesClaim(JSON.parse(series) as Labels),
      bytes,
    }
  })
}

async function loadComponentIds(
  client: SqlClient,
  ids: readonly (readonly [string, string])[],
): Promise<HeldText[]> {
  if (ids.length === 0) return []
  const { rows } = await client.run(
    `SELECT c.org, c.id, c.uid FROM unnest($1::text[], $2::text[]) AS k (org, id)
      JOIN component c ON c.org = k.org AND c.id = k.id`,
    columnsOf(ids),
  )
  return (rows as readonly [string, string, string][]).map(([org, id, uid]) => {
    const orgUid = fromStored(org)
    return {
      orgUid,
      claim: componentIdClaim(fromStored(id)),
      holder: { orgUid, kind: 'component', uid },
    }
  })
}

async function loadStreamIds(
  client: SqlClient,
  ids: readonly (readonly [string, string])[],
): Promise<HeldText[]> {
  const ofUids = ids.filter(([componentUid]) => isUid(componentUid))
  if (ofUids.length === 0) return []
  const { rows } = await client.run(
    `SELECT c.org, c.uid, s.id, s.uid FROM unnest($1::uuid[], $2::text[]) AS k (component, id)
      JOIN component c ON c.uid = k.component JOIN stream s ON s.component = c.number AND s.id = k.id`,
    columnsOf(ofUids),
  )
  return (rows as readonly [string, string, string, string][]).map(([org, component, id, uid]) => {
    const orgUid = fromStored(org)
    return {
      orgUid,
      claim: streamIdClaim(component, fromStored(id)),
      holder: { orgUid, kind: 'stream', uid },
    }
  })
}

async function loadClaims(
  client: SqlClient,
  claims: readonly (readonly [string, string])[],
): Promise<HeldText[]> {
  if (claims.length === 0) return []
  const { rows } = await client.run(
    `SELECT c.org, c.claim, c.kind, c.uid FROM unnest($1::text[], $2::text[]) AS k (org, claim)
      JOIN claim c ON c.org = k.org AND c.claim = k.claim`,
    columnsOf(claims.map(([org, claim]) => [org, storedClaim(claim)])),
  )
  return rows.map((row) => {
    const [orgUid, claim, kind, uid] = (row as string[]).map(fromStored)
    return { orgUid, claim, holder: { orgUid, kind, uid } }
  })
}

async function loadTallies(
  client: SqlClient,
  kinds: readonly (readonly [string, string])[],
): Promise<KindCount[]> {
  if (kinds.length === 0) return []
  const { rows } = await client.run(
    `SELECT t.org, t.kind, t.documents, t.bytes
      FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS k (org, kind)) k
      JOIN tally t ON t.org = k.org AND t.kind = k.kind`,
    columnsOf(kinds),
  )
  return (rows as readonly [string, string, number, number][]).map(
    ([org, kind, documents, bytes]) => {
      return { orgUid: fromStored(org), kind: fromStored(kind), documents, bytes }
    },
  )
}

/** Locks the leases until the group has ended: nobody takes one over while a commit relies on it. */
async function loadLeases(client: SqlClient, names: readonly string[]): Promise<Lease[]> {
  if (names.length === 0) return []
  const { rows } = await client.run(
    `SELECT name, holder, fence FROM lease WHERE name = ANY ($1::text[]) ORDER BY name FOR SHARE`,
    [names.map(toStored)],
  )
  return (rows as readonly [string, string, number][]).map(([name, holder, fence]) => {
    return { name: fromStored(name), holder: fromStored(holder), fence }
  })
}

function columnsOf(pairs: readonly (readonly [string, string])[]): [string[], string[]] {
  return [pairs.map(([first]) => toStored(first)), pairs.map(([, second]) => toStored(second))]
}
