import { invariant } from '../../base/index.ts'
import type { App } from '../app-type.ts'
import type { OperationTable } from './table.ts'

/** Has Fastify describe the operations of the table, and tell their methods; the table serves them. */
export function describeBy(app: App, table: OperationTable): void {
  for (const one of table.operations) {
    const { name, tag, summary, ids, query, headers, answer, input, needs, status } = one
    const schema = {
      hide: name === undefined,
      ...(tag === undefined ? {} : { tags: [tag] }),
      ...(needs === undefined ? {} : { 'x-capability': needs }),
      operationId: name,
      summary,
      ...(ids === undefined ? {} : { params: ids }),
      ...(query === undefined ? {} : { querystring: query }),
      ...(headers === undefined ? {} : { headers }),
      ...(input.schema === undefined ? {} : { body: input.schema }),
      ...(answer === undefined ? {} : { response: { [status]: answer } }),
      ...(one.security === undefined ? {} : { security: one.security }),
      ...(one.errors === undefined ? {} : { 'x-errors': one.errors }),
      ...(one.consumes === undefined ? {} : { consumes: [...one.consumes] }),
      ...(one.produces === undefined ? {} : { produces: [...one.produces] }),
      ...(one.isBodyOptional === true ? { 'x-optional-body': true } : {}),
    }
    for (const path of [one.path, ...one.aliases]) {
      for (const method of one.methods.filter((each) => each !== 'HEAD')) {
        app.route({
          method,
          url: path,
          schema: schema as never,
          exposeHeadRoute: one.methods.includes('HEAD'),
          validatorCompiler: () => () => true,
          handler: async () => invariant(false, 'the table has left a call to Fastify'),
        })
      }
    }
  }
}
