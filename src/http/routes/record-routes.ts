import type { FastifyRequest, FastifySchema } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import type { Method, Principal } from '../../access/index.ts'
import { authorOf } from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import type { Author } from '../../catalog/index.ts'
import type { Page, RecordList } from '../../catalog/record/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import { answersOf, operation } from '../openapi/answer-schema.ts'
import { unwrap, wrapped } from '../wire/catalog-wire.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import { uidParams } from '../wire/identity-wire.ts'

/** The six operations of a resource; each checks the caller's rights on the record itself. */
interface RecordOperations {
  make(principal: Principal): object | Promise<object>
  get(principal: Principal, uid: string): Promise<object>
  list(principal: Principal, page: Page): Promise<RecordList<object>>
  insert(author: Author, input: unknown): Promise<object>
  update(author: Author, uid: string, input: unknown): Promise<object>
  delete(author: Author, uid: string): Promise<void>
}

/** One resource of the catalog. */
export interface RecordResource {
  /** Its name in paths, bodies and capabilities. */
  readonly noun: string
  /** How people call it, with its article. */
  readonly title: string
  readonly shape: TObject
  /** The record as it is answered; its title names the operations. */
  readonly answer: TSchema
  readonly records: RecordOperations
  /** Where its list takes more than a page. */
  readonly listQuery?: TSchema
  readonly readList?: (query: unknown) => Page
  /** A record as it is answered to a request, where that tells more than the record. */
  readonly show?: (record: object, request: FastifyRequest) => object
}

/** The records check their own shape, so that messages name fields the same way everywhere. */
export const documented = (schema: FastifySchema) => ({
  schema,
  validatorCompiler: () => () => true,
})

const uidOf = (request: FastifyRequest) => (request.params as { uid: string }).uid

/** The schemas of the six operations. */
function schemasOf({ noun, title, shape, answer, listQuery = pageSchema }: RecordResource) {
  const answers = answersOf(noun, answer)
  const { title: name = noun } = answer as { title?: string }
  const about = (verb: string, shown: keyof typeof answers = 'one') =>
    operation(`${verb}${name}${shown === 'page' ? 's' : ''}`, answers[shown])
  const tags = [noun]
  const all = (method: Method) => ({ tags, ...needs(method, noun) })
  const one = (method: Method) => ({ tags, ...needs(method, `${noun}/{uid}`), params: uidParams })
  const body = wrapped(noun, shape, answer)
  const inserting = `Insert ${title.toLowerCase()}`
  return {
    list: { ...all('GET'), ...about('list', 'page'), summary: 'A page', querystring: listQuery },
    blank: { ...all('GET'), ...about('new'), summary: `${title} that is not saved` },
    one: { ...one('GET'), ...about('get'), summary: 'One by UID' },
    insert: { ...all('PUT'), ...about('insert'), summary: inserting, body },
    update: { ...one('POST'), ...about('update'), summary: 'Change the fields named', body },
    remove: { ...one('DELETE'), ...about('delete', 'gone'), summary: 'Delete, with all below' },
  }
}

/** Adds list, one, new, insert, update and delete of a resource. */
export function recordRoutes(
  app: App,
  { gate, identity, ...resource }: RecordResource & { gate: Gate; identity: Identity },
): void {
  const { noun, records, readList = readPage, show = (record) => record } = resource
  const schemas = schemasOf(resource)
  const path = `/api/${noun}`
  const onRequest = gate.guard('admin')
  const by = (request: FastifyRequest) => authorOf(identity, actingIn(request))
  const described = (schema: FastifySchema) => ({ ...documented(schema), onRequest })
  app.get(path, described(schemas.list), async (request) => {
    const found = await records.list(request.principal, readList(request.query))
    const shown = found.records.map((record) => show(record, request))
    return envelope(noun, shown, found.totalCount)
  })
  app.get(`${path}/new`, described(schemas.blank), async (request) =>
    envelope(noun, show(await records.make(request.principal), request)),
  )
  app.get(`${path}/:uid`, described(schemas.one), async (request) =>
    envelope(noun, show(await records.get(request.principal, uidOf(request)), request)),
  )
  app.put(path, described(schemas.insert), async (request) => {
    const made = await records.insert(by(request), unwrap(noun, request.body))
    return envelope(noun, show(made, request))
  })
  app.post(`${path}/:uid`, described(schemas.update), async (request) => {
    const input = unwrap(noun, request.body)
    const changed = await records.update(by(request), uidOf(request), input)
    return envelope(noun, show(changed, request))
  })
  app.delete(`${path}/:uid`, described(schemas.remove), async (request) => {
    const uid = uidOf(request)
    await records.delete(by(request), uid)
    return envelope(noun, { uid })
  })
}
