/** Connections that send nothing, half of something, or do not read what they asked for. */
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { findOpenFilesMax } from '../../src/base/index.ts'
import { KEY } from '../peers/weir.ts'
import { type Attack, call, put, type Target, tallied } from './stall-calls.ts'

/** Handles that this process keeps for itself and the poll. */
const OWN_FILES = 512
const IDLE_MAX = 20_000
const HALF_SENT = 3_000
/** No address gets as many connections as the service gives to one. */
const PER_ADDRESS = 1_000
/** Sockets that are opened at once; the backlog of the system takes no more. */
const OPENING = 250
/** How long the connections are held while others ask. */
const HOLD_MS = 2_000
const TEXTS = 1_000
const TEXTS_PER_PUT = 20
const TEXT = '\u0001'.repeat(90_000)

/** What unauthenticated clients and slow readers do with connections; all on loopback, all closed at the end. */
export const connectionAttacks: readonly Attack[] = [
  {
    work: 'up to 20,000 idle connections',
    missing: () => tooFewHandles(4_096),
    prepare: async (target) => async () => {
      const count = Math.min(IDLE_MAX, handles() - OWN_FILES)
      return await holding(target, { count, bytes: '' })
    },
  },
  {
    work: '3,000 half-sent gzipped logins',
    missing: () => tooFewHandles(HALF_SENT * 2),
    prepare: async (target) => {
      const password = randomBytes(4_096).toString('hex')
      const body = gzipSync(JSON.stringify({ email: 'a@example.com', password }))
      const head = `POST /api/login HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`
      const bytes = Buffer.concat([Buffer.from(head), body.subarray(0, 1_024)])
      return async () => await holding(target, { count: HALF_SENT, bytes })
    },
  },
  {
    work: 'four unread answers of 1,000 texts of 90,000 control characters',
    prepare: async (target) => {
      for (let from = 0; from < TEXTS; from += TEXTS_PER_PUT) {
        const samples = Array.from({ length: TEXTS_PER_PUT }, (_, at) => ({
          compId: 'texts',
          streamId: 't',
          time: from + at,
          data: TEXT,
        }))
        await call(target, { path: '/api/feed', init: put(samples), status: [200] })
      }
      return async () => await unread(target)
    },
  },
]

function handles(): number {
  return findOpenFilesMax() ?? 1_024
}

function tooFewHandles(needed: number): string | undefined {
  if (handles() >= needed) return undefined
  return `it takes ${needed} file handles, and there are ${handles()}`
}

/** Opens connections from many addresses, sends the same on each, holds them, and puts beside them. */
async function holding(
  target: Target,
  { count, bytes }: { readonly count: number; readonly bytes: string | Uint8Array },
): Promise<string> {
  const sockets: Socket[] = []
  try {
    for (let from = 0; from < count; from += OPENING) {
      const some = Array.from({ length: Math.min(OPENING, count - from) }, (_, at) => from + at)
      sockets.push(...(await Promise.all(some.map((each) => open(target, each, bytes)))))
    }
    const beside = await putBeside(target)
    await new Promise((resolve) => setTimeout(resolve, HOLD_MS))
    const held = sockets.filter((socket) => !socket.destroyed).length
    return `${held} of ${count} held, a put beside them ${beside}, one behind them ${await putBehind(target, sockets)}`
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

/** Resolves when the connection is there, or refused. */
function open(target: Target, at: number, bytes: string | Uint8Array): Promise<Socket> {
  const localAddress = `127.0.${1 + Math.floor(at / PER_ADDRESS)}.1`
  return new Promise((resolve) => {
    const socket = connect({ port: target.port, host: '127.0.0.1', localAddress }, () => {
      if (bytes.length > 0) socket.write(bytes)
      resolve(socket)
    })
    // What the service closes is seen only where somebody reads.
    socket.resume()
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(socket))
  })
}

/** A put over a connection of its own: it may be refused while there are too many. */
async function putBeside(target: Target): Promise<string> {
  const samples = [{ compId: 'stall', streamId: 'a', data: 1 }]
  return await call(target, { path: '/api/feed', init: put(samples), status: [200, 503] }).then(
    String,
    () => 'found no connection',
  )
}

async function putBehind(target: Target, sockets: readonly Socket[]): Promise<string> {
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve) => {
          if (socket.closed) return resolve()
          socket.once('close', () => resolve())
          socket.destroy()
        }),
    ),
  )
  return await putBeside(target)
}

/** Asks four times and reads the beginning of each answer only. */
async function unread(target: Target): Promise<string> {
  const path = `/api/comp/texts/stream/t/feed?limit=${TEXTS}&api_key=${KEY}`
  const sockets: Socket[] = []
  try {
    const asking = Array.from({ length: 4 }, async () => {
      const socket = connect(target.port, '127.0.0.1')
      sockets.push(socket)
      socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`)
      return await statusOf(socket)
    })
    const statuses = await Promise.all(asking)
    await new Promise((resolve) => setTimeout(resolve, HOLD_MS))
    return `answered ${tallied(statuses)}`
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

function statusOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('readable', () => resolve(String(socket.read(12) ?? '').slice(9)))
    socket.once('error', () => resolve('nothing'))
    socket.once('close', () => resolve('nothing'))
  })
}
