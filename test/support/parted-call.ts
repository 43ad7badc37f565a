import { connect } from 'node:net'
import { parseAnswer, type RawAnswer } from './raw-http.ts'

/** A call as it is to be sent. */
export interface PartedCall {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON, or the bytes of a file. */
  readonly body: object | string
}

/** A call of which the head and half of the body have been sent, and the head was served. */
export interface BegunCall {
  /** Sends the rest; answers what came back. */
  finish(): Promise<RawAnswer>
}

/** Sends the head of a call and half of its body; resolves when the server has taken the head. */
export function beginCall(port: number, call: PartedCall): Promise<BegunCall> {
  const isText = typeof call.body === 'string'
  const body = isText ? String(call.body) : JSON.stringify(call.body)
  const headers = {
    Host: 'x',
    Connection: 'close',
    Expect: '100-continue',
    ...(isText ? {} : { 'Content-Type': 'application/json' }),
    'Content-Length': Buffer.byteLength(body),
    ...call.headers,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const half = Math.floor(body.length / 2)
  const { promise, resolve, reject } = Promise.withResolvers<BegunCall>()
  const closed = Promise.withResolvers<RawAnswer>()
  const socket = connect(port, '127.0.0.1')
  let text = ''
  let isBegun = false
  socket.on('data', (part) => {
    text += part.toString('utf8')
    if (isBegun || !text.startsWith('HTTP/1.1 100 ')) return
    isBegun = true
    text = ''
    socket.write(body.slice(0, half))
    resolve({
      finish: () => {
        socket.write(body.slice(half))
        return closed.promise
      },
    })
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    if (isBegun) closed.resolve(parseAnswer(text))
    else reject(new Error(`the head was not taken: ${text}`))
  })
  socket.write(`${call.method} ${call.path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  return promise
}
