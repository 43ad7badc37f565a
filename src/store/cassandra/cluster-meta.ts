/** Single values that a keyspace has for all processes. */
import { Refusal } from '../../base/index.ts'
import { keyFingerprint } from '../fields/key-fingerprint.ts'
import { awayRefusal } from './connection/away.ts'
import type { Cluster } from './connection/cluster.ts'

const FINGERPRINT = 'key_fingerprint'
const CATALOG = 'catalog'
const LAST_HANDLE = 'last_handle'
const LAST_STAMP = 'last_stamp'
const TRIES_MAX = 5
/** Processes that reserve handles at once get their turn one after the other. */
const RESERVE_TRIES_MAX = 50

const INSERT = 'INSERT INTO meta (name, value) VALUES (?, ?) IF NOT EXISTS'

/** Whether the key that secrets are encrypted under is that of the keyspace, which has the first one that it was given. */
export async function isKeyOfCluster(cluster: Cluster, key: Uint8Array): Promise<boolean> {
  return await takesFingerprint(cluster, keyFingerprint(key))
}

/** As isKeyOfCluster(), by the fingerprint of a key. */
export async function takesFingerprint(cluster: Cluster, own: string): Promise<boolean> {
  return await isFirst(cluster, FINGERPRINT, own)
}

/** The fingerprint of the keyspace's key; undefined while it was given none. */
export async function fingerprintOfCluster(cluster: Cluster): Promise<string | undefined> {
  const [row] = await cluster.run('SELECT value FROM meta WHERE name = ?', [FINGERPRINT])
  return row?.value as string | undefined
}

/** Whether a catalog is that of the keyspace, which has the first one that was opened with it. */
export async function isCatalogOfCluster(cluster: Cluster, identity: string): Promise<boolean> {
  return await isFirst(cluster, CATALOG, identity)
}

/**
 * Reserves handles above all that were reserved before, and above a floor; returns the first. The samples of a handle
 * are in this keyspace, so it is here that no handle is given twice, whatever PostgreSQL forgets.
 */
export function reserveHandles(cluster: Cluster, count: number, floor: number): Promise<number> {
  return reserve(cluster, LAST_HANDLE, { count, floor })
}

/** The same of stamps, by which writes to samples are ordered. */
export function stampsOf(cluster: Cluster) {
  return {
    reserve: (count: number, floor: number) => reserve(cluster, LAST_STAMP, { count, floor }),
    /** The greatest that is reserved. */
    last: async () => Number((await readLast(cluster, LAST_STAMP)) ?? 0),
  }
}

async function readLast(cluster: Cluster, name: string): Promise<string | undefined> {
  const cql = 'SELECT value FROM meta WHERE name = ?'
  const [row] = await cluster.run(cql, [name], { isSerial: true })
  return row?.value as string | undefined
}

async function reserve(
  cluster: Cluster,
  name: string,
  { count, floor }: { readonly count: number; readonly floor: number },
): Promise<number> {
  for (let tries = 1; tries <= RESERVE_TRIES_MAX; tries += 1) {
    const last = await readLast(cluster, name)
    const first = Math.max(Number(last ?? 0), floor) + 1
    const next = String(first + count - 1)
    try {
      const { isApplied } =
        last === undefined
          ? await cluster.cas(INSERT, [name, next])
          : await cluster.cas('UPDATE meta SET value = ? WHERE name = ? IF value = ?', [
              next,
              name,
              last,
            ])
      if (isApplied) return first
    } catch (error) {
      // Of one that failed nobody knows whether it was made: its numbers are given to nobody, and others are reserved.
      if (!(error instanceof Refusal) || tries >= TRIES_MAX) throw error
    }
  }
  throw awayRefusal(new Error('others reserve numbers all the time'))
}

/** Whether a value is the one that the keyspace was given first. */
async function isFirst(cluster: Cluster, name: string, own: string): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      const { isApplied, row } = await cluster.cas(INSERT, [name, own])
      return isApplied || row?.value === own
    } catch (error) {
      // After a failure it is unknown whether the write was made. The next call finds out.
      if (!(error instanceof Refusal) || tries >= TRIES_MAX) throw error
    }
  }
}
