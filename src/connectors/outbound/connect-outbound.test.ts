import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { after, before, test } from 'node:test'
import { connectOutbound, type Resolve, resolveOutbound } from './connect-outbound.ts'
import { OutboundFailure } from './outbound-failure.ts'
import { OutboundRules } from './outbound-rules.ts'

let server: Server
let port: number
before(async () => {
  server = createServer((socket) => socket.resume())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
after(() => server.close())

const strict = new OutboundRules()
const open = new OutboundRules({ allow: ['127.0.0.0/8'] })
const never = new AbortController().signal

/** Names as a test says; counts how often it was asked. */
function names(...answers: readonly (readonly string[])[]): Resolve & { count: number } {
  const resolve = async () => {
    const addresses = answers[Math.min(resolve.count, answers.length - 1)]
    resolve.count += 1
    return addresses.map((address) => ({ address }))
  }
  resolve.count = 0
  return resolve
}

async function failureOf(work: Promise<unknown>): Promise<OutboundFailure> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof OutboundFailure, String(error))
  return error
}

test('connectOutbound() connects to the address that was judged, however the name answers next', async () => {
  const rebinding = names(['127.0.0.1'], ['169.254.169.254'])
  const socket = await connectOutbound(open, { host: 'db', port, signal: never }, rebinding)
  assert.equal(socket.remoteAddress, '127.0.0.1')
  assert.equal(rebinding.count, 1)
  socket.destroy()
})

test('connectOutbound() refuses names and spellings that lead to this machine', async () => {
  const check = async (host: string, resolve?: Resolve) => {
    const work = connectOutbound(strict, { host, port, signal: never }, resolve)
    const { reason, message } = await failureOf(work)
    assert.equal(reason, 'not_allowed', message)
    assert.match(message, /WEIR_OUTBOUND_ALLOW/)
  }
  await check('127.0.0.1')
  await check('localhost')
  await check('::ffff:127.0.0.1')
  // What getaddrinfo takes for an address beside the usual spelling.
  await check('127.1')
  await check('2130706433')
  await check('0x7f000001')
  await check('0')
  await check('innocent.example', names(['127.0.0.1']))
  await check('metadata.example', names(['169.254.169.254', 'fd00:ec2::254']))
})

test('connectOutbound() leaves out the refused addresses of a host, and tries the others in turn', async () => {
  const mixed = await resolveOutbound(
    strict,
    { host: 'db', signal: never },
    names(['127.0.0.1', '10.1.2.3', '::1', 'fd00::1']),
  )
  assert.deepEqual(mixed, ['10.1.2.3', 'fd00::1'])
  const second = names(['127.0.0.2', '127.0.0.1'])
  const socket = await connectOutbound(open, { host: 'db', port, signal: never }, second)
  assert.equal(socket.remoteAddress, '127.0.0.1')
  socket.destroy()
})

test('connectOutbound() reports unknown hosts, refused ports and lookups that hang', async () => {
  const unknown = await failureOf(
    connectOutbound(open, { host: 'nowhere.invalid', port, signal: never }),
  )
  assert.equal(unknown.reason, 'unknown_host')
  const none = connectOutbound(open, { host: 'db', port, signal: never }, names([]))
  assert.equal((await failureOf(none)).reason, 'unknown_host')
  const closed = createServer()
  closed.listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port: closedPort } = closed.address() as AddressInfo
  closed.close()
  const target = { host: '127.0.0.1', port: closedPort, signal: never }
  assert.equal((await failureOf(connectOutbound(open, target))).reason, 'refused')
  const hanging = new AbortController()
  const work = connectOutbound(
    open,
    { host: 'db', port, signal: hanging.signal },
    () => new Promise(() => {}),
  )
  hanging.abort()
  assert.equal((await failureOf(work)).reason, 'timeout')
})
