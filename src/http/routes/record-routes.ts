import type { FastifyRequest, FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import type { Method, Principal } from '../../access/index.ts'
import { type ActingCaller, type Identity, planDeletion } from '../../auth/index.ts'
import type { Page, PlanAlong, RecordList } from '../../catalog/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import { unwrap, wrapped } from '../wire/catalog-wire.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import { uidParams } from '../wire/identity-wire.ts'

/** The six operations of a resource; each checks the caller's rights on the record itself. */
interface RecordOperations {
  make(principal: Principal): object | Promise<object>
  get(principal: Principal, uid: string): Promise<object>
  list(principal: Principal, page: Page): Promise<RecordList<object>>
  insert(principal: Principal, input: unknown): Promise<object>
  update(principal: Principal, uid: string, input: unknown): Promise<object>
  delete(principal: Principal, uid: string, planAlong?: PlanAlong): Promise<void>
}

/** One resource of the catalog. */
export interface RecordResource {
  /** Its name in paths, bodies and capabilities. */
  readonly noun: string
  /** How people call it, with its article. */
  readonly title: string
  readonly shape: TSchema
  readonly records: RecordOperations
  /** How the audit log calls that one was deleted; undefined: nothing is lost that cannot be made again. */
  readonly deletedAs?: 'component_deleted' | 'folder_deleted'
  /** Where its list takes more than a page. */
  readonly listQuery?: TSchema
  readonly readList?: (query: unknown) => Page
}

/** The records check their own shape, so that messages name fields the same way everywhere. */
export const documented = (schema: FastifySchema) => ({
  schema,
  validatorCompiler: () => () => true,
})

const uidOf = (request: FastifyRequest) => (request.params as { uid: string }).uid

/** Adds list, one, new, insert, update and delete of a resource. */
export function recordRoutes(
  app: App,
  { gate, identity, ...resource }: RecordResource & { gate: Gate; identity: Identity },
): void {
  const { noun, title, shape, records, listQuery = pageSchema, readList = readPage } = resource
  const onRequest = gate.guard('admin')
  const path = `/api/${noun}`
  const described = (
    capability: ReturnType<typeof needs>,
    summary: string,
    more?: FastifySchema,
  ) => ({
    ...documented({ tags: [noun], ...capability, summary, ...more }),
    onRequest,
  })
  const all = (method: Method) => needs(method, noun)
  const one = (method: Method) => needs(method, `${noun}/{uid}`)
  const body = wrapped(noun, shape)
  const params = uidParams
  app.get(
    path,
    described(all('GET'), 'A page of the list', { querystring: listQuery }),
    async (request) => {
      const found = await records.list(request.principal, readList(request.query))
      return envelope(noun, found.records, found.totalCount)
    },
  )
  app.get(
    `${path}/new`,
    described(all('GET'), `${title} that is not saved`),
    async ({ principal }) => envelope(noun, await records.make(principal)),
  )
  app.get(`${path}/:uid`, described(one('GET'), 'One by UID', { params }), async (request) =>
    envelope(noun, await records.get(request.principal, uidOf(request))),
  )
  app.put(path, described(all('PUT'), `Insert ${title.toLowerCase()}`, { body }), async (request) =>
    envelope(noun, await records.insert(request.principal, unwrap(noun, request.body))),
  )
  app.post(
    `${path}/:uid`,
    described(one('POST'), 'Change the fields named', { params, body }),
    (request) => update(request),
  )
  app.delete(
    `${path}/:uid`,
    described(one('DELETE'), 'Delete, with all below', { params }),
    async (request) => {
      const target = uidOf(request)
      const by = actingIn(request)
      await records.delete(by.principal, target, planAct(identity, by, resource.deletedAs, target))
      return envelope(noun, { uid: target })
    },
  )

  async function update(request: FastifyRequest): Promise<object> {
    const input = unwrap(noun, request.body)
    return envelope(noun, await records.update(request.principal, uidOf(request), input))
  }
}

function planAct(
  identity: Identity,
  by: ActingCaller,
  act: RecordResource['deletedAs'],
  target: string,
): PlanAlong {
  if (act === undefined) return () => []
  return (detail) => [planDeletion(identity, by, { act, target, detail })]
}
