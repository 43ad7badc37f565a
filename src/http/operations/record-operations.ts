import type { TObject, TSchema } from 'typebox'
import type { Principal } from '../../access/index.ts'
import { authorOf } from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import type { Author } from '../../catalog/index.ts'
import type { Page, RecordList } from '../../catalog/record/index.ts'
import { answersOf } from '../openapi/answer-schema.ts'
import type { Call } from '../table/call.ts'
import { type HttpOperation, httpOperation, json } from '../table/http-operation.ts'
import { unwrap, wrapped } from '../wire/catalog-wire.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import { uidParams } from '../wire/identity-wire.ts'

/** The six operations of a resource; each checks the caller's rights on the record itself. */
interface RecordStore {
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
  readonly records: RecordStore
  /** Where its list takes more than a page. */
  readonly listQuery?: TSchema
  readonly readList?: (query: unknown) => Page
  /** A record in a response that has more than the record. */
  readonly show?: (record: object, call: Call) => object
}

/** List, one, new, insert, update and delete of a resource. */
export function recordOperations(identity: Identity, resource: RecordResource): HttpOperation[] {
  return [...readingOperations(resource), ...writingOperations(identity, resource)]
}

/** What the operations of a resource have in common. */
function commonOf({ noun, answer }: RecordResource) {
  const { title: name = noun } = answer as { title?: string }
  const all = { path: `/api/${noun}`, callers: 'admin', tag: noun } as const
  const one = { ...all, path: `/api/${noun}/:uid`, ids: uidParams } as const
  return { name, all, one, answers: answersOf(noun, answer) }
}

const asItIs = (record: object) => record

function readingOperations(resource: RecordResource): HttpOperation[] {
  const { noun, title, records, listQuery = pageSchema } = resource
  const { readList = readPage, show = asItIs } = resource
  const { name, all, one, answers } = commonOf(resource)
  return [
    httpOperation({
      ...all,
      name: `list${name}s`,
      methods: ['GET'],
      needs: `GET ${noun}`,
      summary: 'List a page',
      query: listQuery,
      answer: answers.page,
      run: async (call) => {
        const found = await records.list(call.principal, readList(call.query))
        const shown = found.records.map((record) => show(record, call))
        return envelope(noun, shown, found.totalCount)
      },
    }),
    httpOperation({
      ...all,
      name: `new${name}`,
      methods: ['GET'],
      path: `/api/${noun}/new`,
      needs: `GET ${noun}`,
      summary: `Default values of ${title.toLowerCase()}`,
      answer: answers.one,
      run: async (call) => envelope(noun, show(await records.make(call.principal), call)),
    }),
    httpOperation({
      ...one,
      name: `get${name}`,
      methods: ['GET'],
      needs: `GET ${noun}/{uid}`,
      summary: 'Get one by UID',
      answer: answers.one,
      run: async (call) =>
        envelope(noun, show(await records.get(call.principal, call.ids.uid), call)),
    }),
  ]
}

function writingOperations(identity: Identity, resource: RecordResource): HttpOperation[] {
  const { noun, title, records, shape, answer, show = asItIs } = resource
  const { name, all, one, answers } = commonOf(resource)
  const input = json(wrapped(noun, shape, answer))
  return [
    httpOperation({
      ...all,
      name: `insert${name}`,
      methods: ['PUT'],
      needs: `PUT ${noun}`,
      summary: `Create ${title.toLowerCase()}`,
      input,
      answer: answers.one,
      run: async (call) => {
        const author = authorOf(identity, call.acting)
        return envelope(noun, show(await records.insert(author, unwrap(noun, call.body)), call))
      },
    }),
    httpOperation({
      ...one,
      name: `update${name}`,
      methods: ['POST'],
      needs: `POST ${noun}/{uid}`,
      summary: 'Change the given fields',
      input,
      answer: answers.one,
      run: async (call) => {
        const fields = unwrap(noun, call.body)
        const author = authorOf(identity, call.acting)
        return envelope(noun, show(await records.update(author, call.ids.uid, fields), call))
      },
    }),
    httpOperation({
      ...one,
      name: `delete${name}`,
      methods: ['DELETE'],
      needs: `DELETE ${noun}/{uid}`,
      summary: 'Delete, including everything below',
      answer: answers.gone,
      run: async ({ acting, ids: { uid } }) => {
        await records.delete(authorOf(identity, acting), uid)
        return envelope(noun, { uid })
      },
    }),
  ]
}
