/** Database servers that send endless messages: before sign-in, or as one row of a result. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after } from 'node:test'
import { TLSSocket } from 'node:tls'
import type { DatabaseKind } from '../../src/connectors/database/database-port.ts'

/** Reused for every chunk, so that the server itself takes no memory. */
const CHUNK = Buffer.alloc(65_536 - 8, 'x')

/** A server that does what `act` says with each connection; it ends with the tests of the file. */
export async function startRawServer(act: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    act(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

/** Writes `bytes` bytes in chunks, each after its own header. Waits for a client that reads slowly. */
export async function flood(
  socket: Socket,
  bytes: number,
  headerOf: (length: number, isFirst: boolean) => Buffer,
): Promise<void> {
  let isFirst = true
  for (let left = bytes; left > 0 && !socket.destroyed; left -= CHUNK.length) {
    const part = left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK
    const header = headerOf(part.length, isFirst)
    isFirst = false
    if (header.length > 0) socket.write(header)
    if (!socket.write(part)) await drained(socket)
  }
}

/** Resolves when a client has read what it was sent, or has gone. */
export async function drained(socket: Socket): Promise<void> {
  if (socket.destroyed) return
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.once('drain', resolve).once('close', resolve)
  await promise
  socket.off('drain', resolve).off('close', resolve)
}

/** Floods the client with one message before it is signed in. */
export function floodSignIn(kind: DatabaseKind, bytes: number): (socket: Socket) => void {
  return (socket) => {
    if (kind === 'MYSQL') void flood(socket, bytes, mysqlHeader)
    else socket.once('data', () => void flood(socket, bytes, signInHeader(kind, bytes)))
    socket.resume()
  }
}

function signInHeader(kind: DatabaseKind, bytes: number): Parameters<typeof flood>[2] {
  if (kind === 'POSTGRESQL') {
    return (_, isFirst) => (isFirst ? postgresqlHeader('N', bytes) : Buffer.alloc(0))
  }
  // The packets of a message that never ends.
  if (kind === 'SQLSERVER') return (length) => tdsHeader(length)
  return (length) => oracleHeader(length)
}

/** Floods the client with a notice inside TLS, before it is signed in. */
export function floodEncrypted(bytes: number): (socket: Socket) => void {
  const read = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url))
  const [cert, key] = [read('localhost-cert.pem'), read('localhost-key.pem')]
  return (socket) => {
    socket.once('data', () => {
      socket.write('S')
      const secure = new TLSSocket(socket, { isServer: true, cert, key })
      secure.on('error', () => {})
      secure.once('data', () => {
        void flood(secure, bytes, (_, isFirst) =>
          isFirst ? postgresqlHeader('N', bytes) : Buffer.alloc(0),
        )
      })
    })
  }
}

/** A PostgreSQL server without authentication that returns one row of `bytes` bytes for each statement. */
export function floodPostgresqlRow(bytes: number): (socket: Socket) => void {
  const ready = Buffer.concat([postgresqlMessage('Z', Buffer.from('I'))])
  const complete = postgresqlMessage('C', Buffer.from('SET\0'))
  const version = Buffer.concat([
    postgresqlMessage('T', rowDescription('server_version')),
    postgresqlMessage('D', Buffer.from([0, 1, 0, 0, 0, 2, 0x31, 0x37])),
  ])
  return (socket) => {
    socket.once('data', () => {
      socket.write(Buffer.concat([postgresqlMessage('R', Buffer.alloc(4)), ready]))
      socket.on('data', (asked: Buffer) => {
        const text = asked.toString('latin1')
        if (text.startsWith('Q')) {
          const rows = text.includes('server_version') ? version : Buffer.alloc(0)
          socket.write(Buffer.concat([rows, complete, ready]))
        } else if (text.startsWith('P')) {
          const done = [
            postgresqlMessage('1', Buffer.alloc(0)),
            postgresqlMessage('2', Buffer.alloc(0)),
          ]
          socket.write(Buffer.concat([...done, postgresqlMessage('T', rowDescription('c'))]))
        } else if (text.startsWith('E')) {
          void flood(socket, bytes, (_, isFirst) =>
            isFirst ? postgresqlHeader('D', bytes) : Buffer.alloc(0),
          )
        }
      })
    })
  }
}

/** A MySQL server without authentication that returns one row of `bytes` bytes for each statement. */
export function floodMysqlRow(bytes: number): (socket: Socket) => void {
  const ok = Buffer.from([0, 0, 0, 2, 0, 0, 0])
  const end = Buffer.from([0xfe, 0, 0, 2, 0])
  const packets = (...bodies: Buffer[]) =>
    Buffer.concat(bodies.map((body, at) => mysqlPacket(body, at + 1)))
  const first = Buffer.concat([mysqlText('8.0.0'), mysqlText('')])
  return (socket) => {
    let count = 0
    socket.write(MYSQL_GREETING)
    socket.on('data', (asked: Buffer) => {
      count += 1
      const text = asked.toString('latin1', 5)
      if (count === 1) socket.write(mysqlPacket(ok, 2))
      else if (text.includes('VERSION()')) {
        const columns = [mysqlColumn('v'), mysqlColumn('m')]
        socket.write(packets(Buffer.from([2]), ...columns, end, first, end))
      } else if (text.startsWith('SELECT')) {
        socket.write(packets(Buffer.from([1]), mysqlColumn('c'), end))
        void flood(socket, bytes, mysqlHeader)
      } else socket.write(packets(ok))
    })
  }
}

/** A message of the PostgreSQL protocol. */
export function postgresqlMessage(type: string, body: Buffer): Buffer {
  return Buffer.concat([postgresqlHeader(type, body.length), body])
}

function postgresqlHeader(type: string, bytes: number): Buffer {
  const header = Buffer.from([type.charCodeAt(0), 0, 0, 0, 0])
  header.writeUInt32BE(bytes + 4, 1)
  return header
}

function rowDescription(name: string): Buffer {
  return Buffer.concat([Buffer.from([0, 1]), Buffer.from(`${name}\0`), Buffer.alloc(18)])
}

/** Every chunk begins a packet of the greatest length: the packets of one message, without an end. */
function mysqlHeader(_length: number, isFirst: boolean): Buffer {
  return isFirst ? Buffer.from([0xff, 0xff, 0xff, 4]) : Buffer.alloc(0)
}

function mysqlPacket(body: Buffer, number: number): Buffer {
  return Buffer.concat([Buffer.from([body.length, 0, 0, number]), body])
}

function mysqlText(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])
}

function mysqlColumn(name: string): Buffer {
  const texts = ['def', '', '', '', name, ''].map(mysqlText)
  return Buffer.concat([...texts, Buffer.from([0x0c, 0x21, 0, 0, 1, 0, 0, 0xfd, 0, 0, 0, 0, 0])])
}

function tdsHeader(length: number): Buffer {
  const header = Buffer.from([4, 0, 0, 0, 0, 0, 1, 0])
  header.writeUInt16BE(Math.min(length + 8, 65_535), 2)
  return header
}

function oracleHeader(length: number): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 6, 0, 0, 0])
  header.writeUInt16BE(Math.min(length + 8, 65_535), 0)
  return header
}

/** The first packet of a MySQL that knows no TLS. */
export const MYSQL_GREETING = (() => {
  const body = Buffer.concat([
    Buffer.from([10]),
    Buffer.from('8.0.0\0'),
    Buffer.from([1, 0, 0, 0]),
    Buffer.from('12345678\0'),
    Buffer.from([0xff, 0xf7, 0x21, 2, 0, 0, 0, 21]),
    Buffer.alloc(10),
    Buffer.from('123456789012\0'),
    Buffer.from('mysql_native_password\0'),
  ])
  return Buffer.concat([Buffer.from([body.length, 0, 0, 0]), body])
})()
