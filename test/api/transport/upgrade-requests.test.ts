import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { serviceOfFile } from '../../support/service-of-file.ts'

const UPGRADE = 'GET /nope HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'
const LAST = 'GET /nope HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

const service = serviceOfFile()

/** The statuses of everything that the service answers on one connection, until it closes it. */
async function statusesOf(...sent: readonly string[]): Promise<number[]> {
  const socket = connect(service.port, '127.0.0.1')
  let text = ''
  socket.on('data', (part) => {
    text += part
  })
  for (const part of sent) socket.write(part)
  await once(socket, 'close')
  return [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))
}

test('a malformed request is refused at once, also after a request to upgrade', async () => {
  const check = async (request: string, expected: number) => {
    assert.deepEqual(await statusesOf(request), [expected], JSON.stringify(request.slice(0, 60)))
    assert.deepEqual(
      await statusesOf(UPGRADE, request),
      [404, expected],
      JSON.stringify(request.slice(0, 60)),
    )
  }
  await check('FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 400)
  await check('GET / HTTP/1.1\r\nHost: x\r\nBad Header\r\n\r\n', 400)
  await check(
    'PUT /api/feed HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n',
    400,
  )
  await check('no HTTP', 400)
  await check('GET no HTTP\r\n', 400)
  await check('GET / HTTP/1.1\r\nHost: x\r\nBad Header\r\n', 400)
  await check('\r\n\x16\x03\x01', 400)
  await check(`GET / HTTP/1.1\r\nHost: x\r\nLong: ${'x'.repeat(300 * 1024)}\r\n\r\n`, 431)
})

test('valid requests after a request to upgrade are answered on the same connection', async () => {
  assert.deepEqual(await statusesOf(UPGRADE, UPGRADE, LAST), [404, 404, 404])
  assert.deepEqual(await statusesOf(`${UPGRADE}\r\n\r\n${LAST}`), [404, 404])
  assert.deepEqual(await statusesOf(`${UPGRADE}${UPGRADE}${LAST}`), [404, 404, 404])
})

test('CONNECT is answered with 405', async () => {
  assert.deepEqual(await statusesOf('CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n'), [405])
})
