/**
 * A server that speaks enough of TDS 7.4 for a driver: sign-in, one result, an error, transactions and
 * attention. It stands in for SQL Server, which cannot be run here.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { drained } from './flooding-servers.ts'

const [SQL_BATCH, ATTENTION, TRANSACTION, LOGIN, PRELOGIN] = [0x01, 0x06, 0x0e, 0x10, 0x12]
const PACKET_BYTES = 4_096

/** What the server answers to a statement. */
export type TdsAnswer =
  | { readonly columns: readonly TdsColumn[]; readonly rows: Iterable<readonly Buffer[]> }
  /** Bytes behind the columns, as they are. */
  | { readonly columns: readonly TdsColumn[]; readonly raw: Iterable<Buffer> }
  | { readonly error: { readonly number: number; readonly text: string; readonly line: number } }
  | 'silence'

/** A column: its name, and its type as the protocol writes it. */
export interface TdsColumn {
  readonly name: string
  readonly type: Buffer
}

/** A server that runs. */
export interface TdsServer {
  readonly port: number
  /** Statements in their order, attention and transactions among them. */
  readonly heard: string[]
  close(): void
}

/** Starts a server that knows one password and answers statements as given. */
export async function startTdsServer(
  password: string,
  answer: (sql: string) => TdsAnswer,
): Promise<TdsServer> {
  const heard: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    const session = { socket, heard, password, answer }
    let bytes: Buffer = Buffer.alloc(0)
    let body: Buffer = Buffer.alloc(0)
    socket.on('data', (part: Buffer) => {
      bytes = Buffer.concat([bytes, part])
      while (bytes.length >= 8 && bytes.length >= bytes.readUInt16BE(2)) {
        const length = bytes.readUInt16BE(2)
        const [type, status] = bytes
        body = Buffer.concat([body, bytes.subarray(8, length)])
        bytes = bytes.subarray(length)
        if ((status & 1) === 0) continue
        const message = body
        body = Buffer.alloc(0)
        void serve(session, type, message)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

interface Session {
  readonly socket: Socket
  readonly heard: string[]
  readonly password: string
  readonly answer: (sql: string) => TdsAnswer
}

async function serve(session: Session, type: number, body: Buffer): Promise<void> {
  const { socket, heard } = session
  if (type === PRELOGIN) await send(socket, [PRELOGIN_ANSWER])
  else if (type === LOGIN) await send(socket, signIn(session, body))
  else if (type === ATTENTION) {
    heard.push('attention')
    await send(socket, [done(0x20)])
  } else if (type === TRANSACTION) {
    // The requests 5 and 8 begin and roll back.
    const kind = body.readUInt16LE(body.readUInt32LE(0))
    heard.push(kind === 5 ? 'begin' : 'rollback')
    await send(socket, [transactionChange(kind), done(0)])
  } else if (type === SQL_BATCH) {
    const sql = body.toString('utf16le', body.readUInt32LE(0))
    heard.push(sql)
    await send(socket, tokensOf(session.answer(sql)))
  }
}

function* tokensOf(answer: TdsAnswer): Generator<Buffer> {
  if (answer === 'silence') return
  if ('error' in answer) {
    yield errorToken(answer.error)
    yield done(0x02)
    return
  }
  if (answer.columns.length > 0) yield columnsToken(answer.columns)
  if ('raw' in answer) return yield* answer.raw
  let count = 0
  for (const row of answer.rows) {
    count += 1
    yield Buffer.concat([Buffer.from([0xd1]), ...row])
  }
  yield done(0x10, count)
}

function signIn({ password }: Session, body: Buffer): Buffer[] {
  const start = body.readUInt16LE(44)
  const length = body.readUInt16LE(46) * 2
  const hidden = body.subarray(start, start + length)
  const shown = hidden.map((byte) => {
    const plain = byte ^ 0xa5
    return ((plain << 4) | (plain >> 4)) & 255
  })
  if (Buffer.from(shown).toString('utf16le') === password) return [LOGIN_ACK, done(0)]
  const text = "Login failed for user 'weir'."
  return [errorToken({ number: 18_456, text, line: 1 }), done(0x02)]
}

/** Sends a message in packets; and waits for a slow reader. */
async function send(socket: Socket, tokens: Iterable<Buffer>): Promise<void> {
  let pending: Buffer[] = []
  let size = 0
  let isSilent = true
  let number = 1
  const flush = async (isLast: boolean) => {
    let bytes = Buffer.concat(pending)
    while (bytes.length > PACKET_BYTES - 8 || isLast) {
      const part = bytes.subarray(0, PACKET_BYTES - 8)
      bytes = bytes.subarray(part.length)
      const isEnd = isLast && bytes.length === 0
      const head = Buffer.from([4, isEnd ? 1 : 0, 0, 0, 0, 0, number & 255, 0])
      head.writeUInt16BE(part.length + 8, 2)
      number += 1
      if (!socket.write(Buffer.concat([head, part]))) await drained(socket)
      if (isEnd) break
    }
    pending = [bytes]
    size = bytes.length
  }
  for (const token of tokens) {
    isSilent = false
    if (socket.destroyed) return
    pending.push(token)
    size += token.length
    if (size > PACKET_BYTES) await flush(false)
  }
  if (!isSilent) await flush(true)
}

function done(status: number, rows = 0): Buffer {
  const token = Buffer.alloc(13)
  token[0] = 0xfd
  token.writeUInt16LE(status, 1)
  token.writeBigUInt64LE(BigInt(rows), 5)
  return token
}

/** A text with its count of characters before it, of one byte or two. */
function counted(text: string, bytes: 1 | 2): Buffer {
  const count = Buffer.alloc(bytes)
  count.writeUIntLE(text.length, 0, bytes)
  return Buffer.concat([count, Buffer.from(text, 'utf16le')])
}

/** A token whose length stands before its body. */
function sized(type: number, body: Buffer): Buffer {
  const head = Buffer.from([type, 0, 0])
  head.writeUInt16LE(body.length, 1)
  return Buffer.concat([head, body])
}

function errorToken({
  number,
  text,
  line,
}: {
  number: number
  text: string
  line: number
}): Buffer {
  const head = Buffer.alloc(6)
  head.writeInt32LE(number, 0)
  head.set([1, 16], 4)
  const place = Buffer.alloc(4)
  place.writeUInt32LE(line, 0)
  return sized(
    0xaa,
    Buffer.concat([head, counted(text, 2), counted('s', 1), counted('', 1), place]),
  )
}

function columnsToken(columns: readonly TdsColumn[]): Buffer {
  const head = Buffer.from([0x81, columns.length, 0])
  const parts = columns.map(({ name, type }) =>
    Buffer.concat([Buffer.from([0, 0, 0, 0, 1, 0]), type, counted(name, 1)]),
  )
  return Buffer.concat([head, ...parts])
}

function transactionChange(kind: number): Buffer {
  const descriptor = Buffer.from([8, 1, 0, 0, 0, 0, 0, 0, 0])
  const none = Buffer.from([0])
  const values = kind === 5 ? [descriptor, none] : [none, descriptor]
  return sized(0xe3, Buffer.concat([Buffer.from([kind === 5 ? 8 : 10]), ...values]))
}

const LOGIN_ACK = sized(
  0xad,
  Buffer.concat([
    Buffer.from([1, 0x74, 0, 0, 4]),
    counted('stand-in', 1),
    Buffer.from([16, 0, 0, 0]),
  ]),
)

/** A version, and that there is no encryption. */
const PRELOGIN_ANSWER = Buffer.from([0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xff, 16, 0, 0, 0, 0, 0, 2])
