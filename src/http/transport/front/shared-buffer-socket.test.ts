import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { readingInto } from './shared-buffer-socket.ts'

const servers: Server[] = []
after(() => {
  for (const server of servers) server.close()
})

/** An accepted connection and the client at its other end. */
async function connected(): Promise<{ server: Server; client: Socket; accepted: Socket }> {
  const server = createServer()
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [accepted] = (await once(server, 'connection')) as [Socket]
  return { server, client, accepted }
}

test('readingInto() moves the handle on this Node: bytes land in the memory that was given', async () => {
  const { server, client, accepted } = await connected()
  const memory = Buffer.alloc(64)
  const taken = Promise.withResolvers<Buffer>()
  const socket = readingInto(accepted, {
    nextBuffer: () => memory,
    take: (bytes) => {
      taken.resolve(bytes)
      return true
    },
  })
  // When Node changes `_handle.useUserBuffer` or `_server`, the accepted socket comes back as it is.
  assert.notEqual(socket, accepted, 'the accepted socket was not replaced')
  const emitted: unknown[] = []
  socket.on('data', (bytes) => emitted.push(bytes))
  client.write('hello')
  const bytes = await taken.promise
  assert.equal(bytes.buffer, memory.buffer)
  assert.equal(memory.toString('latin1', 0, 5), 'hello')
  assert.deepEqual(emitted, [])
  socket.end('answer')
  client.setEncoding('latin1')
  assert.deepEqual(await once(client, 'data'), ['answer'])
  client.end()
  await once(socket, 'close')
  const count = await new Promise((resolve, reject) =>
    server.getConnections((error, open) => (error ? reject(error) : resolve(open))),
  )
  assert.equal(count, 0, 'the server still counts the connection')
})

test('readingInto() answers the accepted socket where Node is not as expected', async () => {
  const { client, accepted } = await connected()
  const reader = { nextBuffer: () => Buffer.alloc(1), take: () => true }
  Object.assign(accepted, { _server: null })
  assert.equal(readingInto(accepted, reader), accepted)
  client.end('still read')
  accepted.setEncoding('latin1')
  assert.deepEqual(await once(accepted, 'data'), ['still read'])
  accepted.destroy()
})
