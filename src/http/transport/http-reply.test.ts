import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { Reply } from './exchange.ts'
import { HttpReply } from './http-reply.ts'

interface Call {
  readonly reply: Reply
  readonly client: Socket
  /** The server's end of the connection. */
  readonly socket: Socket
}

/** A call that waits for its answer. */
async function call(t: TestContext, version: string): Promise<Call> {
  const { promise: asked, resolve: ask } = Promise.withResolvers<Omit<Call, 'client'>>()
  const server = createServer((req, res) => {
    ask({ reply: new HttpReply(req, res), socket: req.socket })
  })
  Object.assign(server, { httpAllowHalfOpen: true })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  client.write(`GET /x HTTP/${version}\r\nHost: x\r\n\r\n`)
  return { ...(await asked), client }
}

test('sendProcessing() finds out that a client is gone', async (t) => {
  const { reply, client } = await call(t, '1.1')
  client.destroy()
  while (!reply.isOver) {
    reply.sendProcessing()
    await new Promise((resolve) => setImmediate(resolve))
  }
})

test('sendProcessing() reaches clients that have closed their side, and notices those that left', async (t) => {
  for (const version of ['1.1', '1.0']) {
    const { reply, client, socket } = await call(t, version)
    let text = ''
    client.on('data', (bytes) => {
      text += bytes.toString()
    })
    reply.sendProcessing()
    const ended = once(socket, 'end')
    client.end()
    await ended
    reply.sendProcessing()
    reply.send(200, ['Content-Length', '2', 'Connection', 'close'], 'ok')
    await once(client, 'close')
    const statuses = text.match(/(?<=^HTTP\/1\.1 )\d+/gm)
    assert.deepEqual(statuses, version === '1.1' ? ['102', '200'] : ['200'])
  }
})
