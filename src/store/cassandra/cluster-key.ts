import { createHmac } from 'node:crypto'
import { Refusal } from '../../base/index.ts'
import type { Cluster } from './connection/cluster.ts'

const NAME = 'key_fingerprint'
const TRIES_MAX = 5

/**
 * Whether the key that secrets are encrypted under is that of the keyspace, which has the first one that it was given. A
 * hash under the key itself is kept, which tells nothing of it.
 */
export async function isKeyOfCluster(cluster: Cluster, key: Uint8Array): Promise<boolean> {
  const own = createHmac('sha256', key).update('weir secrets').digest('hex')
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
