import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { createLog, MemoryBudget } from '../../base/index.ts'
import type { Gate } from '../admit/gate.ts'
import type { Exchange, Reply } from '../transport/exchange.ts'
import { httpOperation } from './http-operation.ts'
import { serveOperation } from './serve-operation.ts'
import { OperationTable } from './table.ts'

const budget = new MemoryBudget(100_000_000)

/** Serves a call whose body is overwritten as soon as the serving returns; returns the body that `run` has read. */
async function serveBorrowed(
  text: string,
  about: { readonly isKnown: boolean; readonly waits: boolean },
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const table = new OperationTable()
  table.add(
    httpOperation({
      methods: ['PUT'],
      path: '/api/thing',
      callers: 'feed',
      isCurrent: true,
      input: { kind: 'bytes', limitBytes: 1_000_000, schema: undefined },
      run: async (call) => {
        if (about.waits) await new Promise((done) => setImmediate(done))
        return await call.withBytes((bytes) => bytes.toString())
      },
    }),
  )
  const caller = { principal: { orgUid: 'org' }, place: 'url' }
  const gate = {
    changes: 0,
    admitNow: () => (about.isKnown ? caller : undefined),
    admit: () => new Promise((done) => setImmediate(() => done(caller))),
    follow: () => ({ renew: async () => caller }),
  } as unknown as Gate
  const reply: Reply = {
    isOver: false,
    status: 0,
    onceOver: () => {},
    sendProcessing: () => {},
    sendStream: () => reject(new Error('a value was sent as a stream')),
    send: (status, _headers, answer) =>
      status === 200 ? resolve(String(answer)) : reject(new Error(String(answer))),
  }
  const body = Buffer.from(text)
  const exchange: Exchange = {
    id: '1',
    req: {
      method: 'PUT',
      url: '/api/thing',
      headers: {},
      headersDistinct: {},
      socket: new Socket(),
    },
    incoming: body,
    reply,
    address: '',
    isSecure: false,
    startedAtMs: 0,
    route: '',
    limit: undefined,
    held: undefined,
    reason: undefined,
    code: undefined,
    warnings: [],
  }
  const match = table.find('PUT', '/api/thing')
  assert.ok(match)
  const parts = { log: createLog({ level: 'silent' }), gate, budget, keepingUp: undefined }
  serveOperation(parts, exchange, match)
  body.fill('x')
  return await promise
}

test('serveOperation() reads a body in the memory of its connection, or copies it, before others write there', async () => {
  for (const isKnown of [true, false]) {
    for (const waits of [true, false]) {
      assert.equal(await serveBorrowed('what was sent', { isKnown, waits }), 'what was sent')
    }
  }
})

test('serveOperation() copies a body that waits for memory', async () => {
  let takenBytes = 0
  for (let bytes = 2 ** 26; bytes >= 1; bytes /= 2) {
    while (budget.addSmall(bytes)) takenBytes += bytes
  }
  const served = serveBorrowed('what was sent', { isKnown: true, waits: false })
  budget.endSmall(takenBytes)
  assert.equal(await served, 'what was sent')
})
