/** What processes that are gone have left without an outcome. */
import type { PayloadBounds, PayloadKey } from '../../payload-port.ts'
import type { Cluster } from '../connection/cluster.ts'
import { readConnector } from './connector-view.ts'
import { pageWriterOf } from './ordered-uids.ts'

/** The payloads of a writer without an outcome, connector by connector. */
export async function* readLeft(
  cluster: Cluster,
  writer: string,
  bounds: PayloadBounds,
): AsyncGenerator<readonly PayloadKey[]> {
  const cql = 'SELECT connector FROM payload_writer WHERE writer = ?'
  for (const row of await cluster.run(cql, [writer])) {
    const connectorUid = row.connector as string
    const { payloads } = await readConnector(cluster, connectorUid, bounds)
    const left = payloads.filter(
      ({ page, outcome }) => outcome === undefined && pageWriterOf(page) === writer,
    )
    if (left.length === 0) continue
    const [owner] = await cluster.run('SELECT org FROM payload_page WHERE connector = ? LIMIT 1', [
      connectorUid,
    ])
    if (owner === undefined) continue
    const orgUid = owner.org as string
    yield left.map(({ uid }) => ({ orgUid, connectorUid, uid }))
  }
}

/** Whether a writer has left anything. */
export async function hasLeft(
  cluster: Cluster,
  writer: string,
  bounds: PayloadBounds,
): Promise<boolean> {
  for await (const _ of readLeft(cluster, writer, bounds)) return true
  return false
}
