import type { FastifyRequest, FastifySchema } from 'fastify'
import { authorOf } from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import { refuse, Type } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { STREAM_TYPES, type StreamType, streamShape } from '../../catalog/shape/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import { answersOf, operation } from '../openapi/answer-schema.ts'
import { streamRecord } from '../wire/catalog-answers.ts'
import { readQueryText, unwrap, wrapped } from '../wire/catalog-wire.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import { documented } from './record-routes.ts'

const PATH = '/api/component/:componentUid/stream'
const ALL = 'component/{componentUid}/stream'
const ONE = `${ALL}/{uid}`
const answers = answersOf('stream', streamRecord)
const params = Type.Object({ componentUid: Type.String() })
const oneParams = Type.Object({ componentUid: Type.String(), uid: Type.String() })
const newQuery = Type.Object({
  type: Type.Optional(Type.Enum([...STREAM_TYPES], { description: 'rdm_stream by default' })),
})

const keyOf = (request: FastifyRequest) => request.params as { componentUid: string; uid: string }

/** Adds the streams of a component: list in definition order, one, new, insert, update, delete. */
export function streamRoutes(
  app: App,
  { catalog, gate, identity }: { catalog: Catalog; gate: Gate; identity: Identity },
): void {
  const { streams } = catalog
  const onRequest = gate.guard('admin')
  const by = (request: FastifyRequest) => authorOf(identity, actingIn(request))
  const described = (summary: string, more: FastifySchema) => ({
    ...documented({ tags: ['component'], summary, ...more }),
    onRequest,
  })
  const body = wrapped('stream', streamShape, streamRecord)
  const listing = operation('listStreams', answers.page)
  const list = { params, querystring: pageSchema, ...listing, ...needs('GET', ALL) }
  app.get(PATH, described('Streams in definition order', list), async (request) => {
    const { componentUid } = keyOf(request)
    const found = await streams.list(request.principal, componentUid, readPage(request.query))
    return envelope('stream', found.records, found.totalCount)
  })
  const blank = operation('newStream', answers.one)
  const unsaved = { params, querystring: newQuery, ...blank, ...needs('GET', ALL) }
  app.get(`${PATH}/new`, described('A stream that is not saved', unsaved), async (request) => {
    const type = readStreamType(request.query)
    return envelope('stream', streams.make(request.principal, keyOf(request).componentUid, type))
  })
  const one = { params: oneParams, ...operation('getStream', answers.one), ...needs('GET', ONE) }
  app.get(`${PATH}/:uid`, described('One stream', one), async (request) => {
    const { componentUid, uid } = keyOf(request)
    return envelope('stream', await streams.get(request.principal, componentUid, uid))
  })
  const insert = { params, body, ...operation('insertStream', answers.one), ...needs('PUT', ALL) }
  app.put(PATH, described('Add a stream', insert), async (request) => {
    const input = unwrap('stream', request.body)
    const { componentUid } = keyOf(request)
    return envelope('stream', await streams.insert(by(request), componentUid, input))
  })
  const changed = operation('updateStream', answers.one)
  const change = { params: oneParams, body, ...changed, ...needs('POST', ONE) }
  app.post(`${PATH}/:uid`, described('Change the fields named', change), async (request) => {
    const input = unwrap('stream', request.body)
    return envelope('stream', await streams.update(by(request), keyOf(request), input))
  })
  const removed = operation('deleteStream', answers.gone)
  const remove = { params: oneParams, ...removed, ...needs('DELETE', ONE) }
  app.delete(`${PATH}/:uid`, described('Delete with its samples', remove), async (request) => {
    const { componentUid, uid } = keyOf(request)
    await streams.delete(by(request), componentUid, uid)
    return envelope('stream', { uid })
  })
}

function readStreamType(query: unknown): StreamType {
  const type = readQueryText(query, 'type') ?? 'rdm_stream'
  if ((STREAM_TYPES as readonly string[]).includes(type)) return type as StreamType
  return refuse('bad_input', { what: `type must be one of ${STREAM_TYPES.join(', ')}` })
}
