import { Readable } from 'node:stream'
import { exportAudit, listAudit } from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import { CSV_TYPE } from '../feed/feed-csv.ts'
import {
  asksForCsv,
  auditCsv,
  auditOperation,
  auditQuery,
  readAuditFilter,
} from '../wire/audit-wire.ts'
import { envelope, readPage } from '../wire/envelope.ts'
import { showAudit } from '../wire/identity-wire.ts'
import { documented } from './record-routes.ts'

/** Adds the audit log of the organization that the call is about. */
export function auditRoutes(
  app: App,
  { gate, identity }: { readonly gate: Gate; readonly identity: Identity },
): void {
  const schema = {
    tags: ['audit'],
    ...needs('GET', 'audit'),
    ...auditOperation,
    summary: 'Audit entries, newest first',
    querystring: auditQuery,
  }
  const onRequest = gate.guard('admin')
  app.get('/api/audit', { ...documented(schema), onRequest }, async (request, reply) => {
    const { query, headers } = request
    const by = actingIn(request)
    const filter = readAuditFilter(query)
    if (asksForCsv(query, headers.accept)) {
      const steps = await exportAudit(identity, by, filter)
      reply.header('content-type', CSV_TYPE)
      return reply.send(Readable.from(auditCsv(steps), { objectMode: false }))
    }
    const found = await listAudit(identity, by, { ...readPage(query), ...filter })
    const { entries, totalCount, readFrom } = found
    const shown = envelope('audit', entries.map(showAudit), totalCount)
    return readFrom === undefined ? shown : { ...shown, readFrom }
  })
}
