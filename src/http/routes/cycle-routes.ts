import type { Catalog } from '../../catalog/index.ts'
import { cyclePreviewShape } from '../../catalog/record/index.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import { operation } from '../openapi/answer-schema.ts'
import { cyclePreviewAnswer } from '../wire/dashboard-answers.ts'
import { documented } from './record-routes.ts'

/** Adds the preview of a cycle; its other operations are those of every record. */
export function cycleRoutes(app: App, { catalog, gate }: { catalog: Catalog; gate: Gate }): void {
  const schema = {
    ...operation('getCyclePeriods', cyclePreviewAnswer),
    ...needs('GET', 'cycle'),
    tags: ['cycle'],
    summary: 'The next periods of a cycle, saved or only described; makes nothing',
    body: cyclePreviewShape,
  }
  const options = { ...documented(schema), onRequest: gate.guard('admin') }
  app.post('/api/cycle/preview', options, async (request) => {
    const { periods, timeZoneId } = await catalog.previewCycle(request.principal, request.body)
    const totalCount = periods.length
    return { message: '', period: periods, timeZoneId, totalCount, success: true }
  })
}
