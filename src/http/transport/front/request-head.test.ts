import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { roundsOf } from '../../../../test/support/random.ts'
import { httpOperation } from '../../table/http-operation.ts'
import { OperationTable } from '../../table/table.ts'
import { type FastLookup, READ_HEADERS } from '../exchange.ts'
import { readStrictHead } from './request-head.ts'

const socket = new Socket()
const table = new OperationTable()
const hot = { callers: 'anyone', run: () => '' } as const
table.add(
  httpOperation({ ...hot, methods: ['PUT', 'GET'], hasHead: false, path: '/api/feed' }),
  httpOperation({ ...hot, methods: ['GET'], path: '/api/comp/:compId/feed' }),
  httpOperation({ ...hot, methods: ['GET'], path: '/api/comp/:compId/last_value' }),
)
const findServe: FastLookup = (method, url) => {
  try {
    return table.find(method, url) === undefined ? undefined : () => {}
  } catch {
    // A path that cannot be decoded.
    return undefined
  }
}
const read = (lines: readonly string[]) => readStrictHead(lines.join('\r\n'), socket, findServe)

test('readStrictHead() reads what a client of the feed usually sends', () => {
  const head = read([
    'PUT /api/feed?api_key=k HTTP/1.1',
    'Host: weir.example',
    'content-type: application/json',
    'Content-Length: 17',
    'User-Agent: dev/1 (x; y)',
    'X-Forwarded-For:  aa:bb:cc ',
    'Connection: Keep-Alive',
  ])
  assert.equal(head?.method, 'PUT')
  assert.equal(head?.url, '/api/feed?api_key=k')
  assert.equal(head?.bodyBytes, 17)
  assert.deepEqual(head?.headers, {
    host: 'weir.example',
    'content-length': '17',
    'content-type': 'application/json',
    'user-agent': 'dev/1 (x; y)',
    'x-forwarded-for': 'aa:bb:cc',
  })
  assert.equal(read(['GET /api/comp/c/last_value HTTP/1.1'])?.bodyBytes, 0)
  const bearer = read(['GET /api/comp/c/feed HTTP/1.1', 'Authorization: Bearer t'])
  assert.deepEqual(bearer?.headersDistinct, { authorization: ['Bearer t'] })
})

test('readStrictHead() leaves everything unusual or ambiguous to the general parser', () => {
  const put = 'PUT /api/feed HTTP/1.1'
  const others: ReadonlyArray<readonly string[]> = [
    ['PUT /api/feed HTTP/1.0'],
    ['PUT  /api/feed HTTP/1.1'],
    ['PUT /api/feed HTTP/1.1 '],
    ['put /api/feed HTTP/1.1'],
    ['POST /api/feed HTTP/1.1'],
    ['PUT http://h/api/feed HTTP/1.1'],
    ['PUT /api/feed#x HTTP/1.1'],
    ['PUT /api/f\u00e9ed HTTP/1.1'],
    ['PUT /api/component HTTP/1.1'],
    ['GET /api/comp/c/feed HTTP/1.1', 'Content-Length: 1'],
    [put, 'Content-Length: 1', 'Content-Length: 1'],
    [put, 'Content-Length: +1'],
    [put, 'Content-Length: 01'],
    [put, 'Content-Length: 1, 1'],
    [put, 'Content-Length: '],
    [put, 'Content-Length : 1'],
    [put, 'Content-Length: 1\n'],
    [put, 'X: a\rb'],
    [put, 'X: a\0b'],
    [put, 'X: \u00e9'],
    [put, ' X: folded'],
    [put, 'X'],
    [put, ': x'],
    [put, ''],
    [put, 'Transfer-Encoding: chunked'],
    [put, 'transfer-encoding: identity'],
    [put, 'Content-Encoding: gzip'],
    [put, 'Expect: 100-continue'],
    [put, 'Upgrade: h2c'],
    [put, 'TE: trailers'],
    [put, 'Trailer: x'],
    [put, 'Connection: close'],
    [put, 'Connection: keep-alive, upgrade'],
    [put, 'Authorization: Bearer a', 'Authorization: Bearer b'],
    [put, 'Cookie: a=1', 'cookie: b=2'],
    [put, 'Host: a', 'Host: a'],
  ]
  for (const lines of others) assert.equal(read(lines), undefined, JSON.stringify(lines))
})

test('readStrictHead() looks at every byte of a head a few times at most', {
  timeout: 120_000,
}, () => {
  const head = ['GET /api/comp/c/feed HTTP/1.1', `X:${' \t'.repeat(8_000)}\u00e9`]
  // Were blanks to match two parts of a line, each of these would take most of a second.
  for (let count = 0; count < 200; count++) assert.equal(read(head), undefined)
})

const server = createServer({ requireHostHeader: false })
/** Who waits for how a connection's head was read, by the client's port. */
const waiting = new Map<number, (head: IncomingMessage | undefined) => void>()
before(async () => {
  server.on('request', (req, res) => {
    waiting.get(req.socket.remotePort ?? 0)?.(req)
    res.end()
  })
  server.on('clientError', (_error, broken) => {
    waiting.get((broken as Socket).remotePort ?? 0)?.(undefined)
    broken.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
after(() => {
  server.closeAllConnections()
  server.close()
})

/** How Node's own parser reads a head; undefined when it refuses it. */
async function readByNode(text: string): Promise<IncomingMessage | undefined> {
  const { port } = server.address() as AddressInfo
  const client = connect(port, '127.0.0.1')
  client.on('error', () => {})
  await new Promise<void>((resolve) => client.once('connect', () => resolve()))
  const clientPort = client.localPort ?? 0
  const head = await new Promise<IncomingMessage | undefined>((resolve) => {
    waiting.set(clientPort, resolve)
    client.write(text, 'latin1')
  })
  waiting.delete(clientPort)
  client.destroy()
  return head
}

const usual = [
  'PUT /api/feed?a=1 HTTP/1.1',
  'Host: h',
  'Content-Length: 0',
  'Cookie: org=1;api_key=2',
  'Authorization: Bearer t',
  'X-Request-Id: r-1',
  'Accept: */*',
  'Connection: keep-alive',
]

test('readStrictHead() reads a head exactly as Node does, or not at all', async () => {
  const edit = fc.record({
    at: fc.nat(400),
    what: fc.constantFrom('replace', 'insert', 'delete'),
    byte: fc.oneof(
      fc.constantFrom('\r', '\n', ' ', '\t', ':', ',', '0', '1', '\0', '\x7f', '\x80', 'A'),
      fc.nat(255).map((code) => String.fromCharCode(code)),
    ),
  })
  const runs = roundsOf(1_500)
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(usual.slice(1)),
      fc.array(edit, { maxLength: 2 }),
      async (lines, edits) => {
        let text = [usual[0], ...lines].join('\r\n')
        for (const { at, what, byte } of edits) {
          const place = at % text.length
          const rest = text.slice(what === 'insert' ? place : place + 1)
          text = text.slice(0, place) + (what === 'delete' ? '' : byte) + rest
        }
        const head = readStrictHead(text, socket, findServe)
        if (head === undefined) return
        accepted += 1
        const node = await readByNode(`${text}\r\n\r\n`)
        assert.ok(node !== undefined, JSON.stringify(text))
        assert.equal(head.method, node.method)
        assert.equal(head.url, node.url)
        assert.equal(head.bodyBytes, Number(node.headers['content-length'] ?? 0))
        for (const name of READ_HEADERS) {
          assert.equal(head.headers[name], node.headers[name], JSON.stringify(text))
        }
        assert.equal(node.headers['transfer-encoding'], undefined)
      },
    ),
    { numRuns: runs },
  )
  assert.ok(accepted > runs / 15, `only ${accepted} heads were plain`)
})
