import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, test } from 'node:test'
import {
  DATABASE_KINDS,
  type DatabaseKind,
  type DatabaseTarget,
} from '../../src/connectors/database/database-port.ts'
import { openDatabase } from '../../src/connectors/database/open-database.ts'
import { OutboundRules } from '../../src/connectors/outbound/outbound-rules.ts'
import { failureOf, openLocal, TEST_LIMITS } from '../support/database-sessions.ts'
import { MYSQL_GREETING } from '../support/flooding-servers.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A server that does to each connection what a test says. */
async function startServer(act: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    act(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

function targetOf(
  kind: DatabaseKind,
  port: number,
  tls: DatabaseTarget['tls'] = 'off',
): DatabaseTarget {
  return { kind, host: '127.0.0.1', port, database: 'd', user: 'u', password: 'secret-word', tls }
}

/** Bytes that mean nothing to anyone, the same every time. */
const GARBAGE = Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 151 + 17) % 256))

for (const kind of DATABASE_KINDS) {
  test(`${kind}: a server that says nothing is left in time`, async () => {
    const port = await startServer((socket) => socket.resume())
    const limits = { connectMs: 300 }
    for (const tls of ['off', 'on'] as const) {
      const { reason, message } = await failureOf(openLocal(targetOf(kind, port, tls), { limits }))
      assert.equal(reason, 'timeout', message)
    }
  })

  test(`${kind}: a server that hangs up is reported, without the password`, async () => {
    const port = await startServer((socket) => socket.end())
    const { reason, message } = await failureOf(openLocal(targetOf(kind, port)))
    assert.ok(['lost', 'unreachable'].includes(reason), `${reason}: ${message}`)
    assert.doesNotMatch(message, /secret-word/)
  })

  test(`${kind}: garbage ends the session and nothing else`, async () => {
    const texts = [GARBAGE, Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), Buffer.alloc(5_000)]
    for (const bytes of texts) {
      const port = await startServer((socket) => {
        socket.write(bytes)
        socket.on('data', () => socket.write(bytes))
      })
      const limits = { connectMs: 2_000 }
      const { reason, message } = await failureOf(openLocal(targetOf(kind, port), { limits }))
      assert.ok(
        ['lost', 'timeout', 'tls', 'sign_in', 'sql'].includes(reason),
        `${reason}: ${message}`,
      )
    }
  })

  test(`${kind}: a server without TLS is reported`, async () => {
    const port = await startServer((socket) => {
      socket.on('data', () => socket.end(kind === 'POSTGRESQL' ? 'N' : 'no'))
      if (kind === 'MYSQL') socket.write(MYSQL_GREETING)
    })
    const { reason, message } = await failureOf(openLocal(targetOf(kind, port, 'verify')))
    assert.ok(['tls', 'lost'].includes(reason), `${reason}: ${message}`)
    assert.doesNotMatch(message, /secret-word/)
  })

  test(`${kind}: this machine is no target unless the operator says so`, async () => {
    let count = 0
    const port = await startServer(() => {
      count += 1
    })
    const { signal } = new AbortController()
    const deps = { rules: new OutboundRules(), limits: TEST_LIMITS, signal }
    // The rules for addresses are the same for all kinds; how a driver comes to one is not.
    const more = kind === DATABASE_KINDS[0] ? ['169.254.169.254', '::1'] : []
    for (const host of ['127.0.0.1', 'localhost', ...more]) {
      const { reason } = await failureOf(openDatabase({ ...targetOf(kind, port), host }, deps))
      assert.equal(reason, 'not_allowed', host)
    }
    assert.equal(count, 0)
  })

  test(`${kind}: an attempt to sign in that is called off ends`, async () => {
    const calling = new AbortController()
    const port = await startServer((socket) => {
      socket.resume()
      calling.abort()
    })
    const { reason } = await failureOf(openLocal(targetOf(kind, port), { signal: calling.signal }))
    assert.equal(reason, 'cancelled')
  })
}
