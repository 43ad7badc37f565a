import { Refusal } from '../../base/index.ts'
import { keyFingerprint } from '../key-fingerprint.ts'
import type { Cluster } from './connection/cluster.ts'

const NAME = 'key_fingerprint'
const TRIES_MAX = 5

/** Whether the key that secrets are encrypted under is that of the keyspace, which has the first one that it was given. */
export async function isKeyOfCluster(cluster: Cluster, key: Uint8Array): Promise<boolean> {
  return await takesFingerprint(cluster, keyFingerprint(key))
}

/** As isKeyOfCluster(), by the fingerprint of a key. */
export async function takesFingerprint(cluster: Cluster, own: string): Promise<boolean> {
  const cql = 'INSERT INTO meta (name, value) VALUES (?, ?) IF NOT EXISTS'
  for (let tries = 1; ; tries += 1) {
    try {
      const { isApplied, row } = await cluster.cas(cql, [NAME, own])
      return isApplied || row?.value === own
    } catch (error) {
      // Of one that failed nobody knows whether it was made; the next tells.
      if (!(error instanceof Refusal) || tries >= TRIES_MAX) throw error
    }
  }
}

/** The fingerprint of the keyspace's key; undefined while it was given none. */
export async function fingerprintOfCluster(cluster: Cluster): Promise<string | undefined> {
  const [row] = await cluster.run('SELECT value FROM meta WHERE name = ?', [NAME])
  return row?.value as string | undefined
}
