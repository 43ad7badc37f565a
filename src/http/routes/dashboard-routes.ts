import type { FastifyRequest, FastifySchema } from 'fastify'
import { authorOf } from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import { Type } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { exportShape, mapShape } from '../../catalog/record/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import { answersOf, operation } from '../openapi/answer-schema.ts'
import { exportedDashboard, importAnswer } from '../wire/dashboard-answers.ts'
import { envelope } from '../wire/envelope.ts'
import { uidParams } from '../wire/identity-wire.ts'
import { documented } from './record-routes.ts'

const importBody = Type.Object(
  {
    dashboard: { ...exportShape, title: 'ExportedDashboardInput' },
    map: Type.Optional(mapShape),
    isTrial: Type.Optional(Type.Boolean({ description: 'Make nothing, tell what is missing' })),
  },
  {
    title: 'ImportBody',
    examples: [{ dashboard: { format: 'weir-dashboard', version: 1, name: 'Cellar', panels: [] } }],
  },
)

/** Adds the export and the import of dashboards; their six other operations are those of every record. */
export function dashboardRoutes(
  app: App,
  { catalog, gate, identity }: { catalog: Catalog; gate: Gate; identity: Identity },
): void {
  const { dashboards } = catalog
  const onRequest = gate.guard('admin')
  const by = (request: FastifyRequest) => authorOf(identity, actingIn(request))
  const described = (schema: FastifySchema) => ({
    ...documented({ tags: ['dashboard'], ...schema }),
    onRequest,
  })
  const exporting = {
    ...operation('getDashboardExport', answersOf('dashboard', exportedDashboard).one),
    ...needs('GET', 'dashboard/{uid}'),
    summary: 'One for another organization, with the IDs of its streams',
    params: uidParams,
  }
  app.get('/api/dashboard/:uid/export', described(exporting), async (request) => {
    const { uid } = request.params as { uid: string }
    return envelope('dashboard', await dashboards.exportOne(request.principal, uid))
  })
  const importing = {
    ...operation('insertExportedDashboard', importAnswer),
    ...needs('PUT', 'dashboard'),
    summary: 'Make one of what an export gave; tells the streams that are missing',
    body: importBody,
  }
  app.put('/api/dashboard/import', described(importing), async (request) => {
    const { dashboard, missing } = await dashboards.importOne(by(request), request.body)
    return { message: '', dashboard, missing, totalCount: 1, success: true }
  })
}
