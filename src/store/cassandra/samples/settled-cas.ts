import { Refusal } from '../../../base/index.ts'
import type { Cluster, CqlStatement } from '../connection/cluster.ts'

/** How a lightweight transaction ended: `unknown` where many wanted the same and the nodes gave up. */
type CasEnd = 'made' | 'refused' | 'unknown'

/** Runs a lightweight transaction of which it may stay unknown whether it was made. */
export async function tryCas(cql: Cluster, statements: readonly CqlStatement[]): Promise<CasEnd> {
  try {
    const { isApplied } = await cql.casBatch(statements)
    return isApplied ? 'made' : 'refused'
  } catch (error) {
    if (error instanceof Refusal && error.code === 'store_away') return 'unknown'
    throw error
  }
}
