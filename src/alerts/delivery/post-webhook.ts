/** One HTTP POST to a host that a user has named: under the outbound rules, bounded in time and bytes. */
import { type IncomingMessage, request } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { connectOutbound, OutboundFailure, type OutboundRules } from '../../connectors/index.ts'
import type { SendReason } from './delivery.ts'

/** A receiver that takes longer is tried again later. */
const ANSWER_MS = 10_000
/** The status alone decides. The body of an answer is waited for so long. */
const BODY_MS = 1_000
/** What is read of an answer: error messages are shorter. */
const BODY_BYTES_MAX = 4_096
/** A pause that a receiver asks for is kept up to this length. */
const RETRY_AFTER_MS_MAX = 3_600_000

interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a receiver has answered. */
export interface PostAnswer {
  readonly status: number
  /** The beginning of the body. */
  readonly text: string
  readonly location: string | undefined
  readonly retryAfterMs: number | undefined
}

/** A request without an answer. */
export class PostFailure extends Error {
  readonly reason: SendReason

  constructor(reason: SendReason, message: string) {
    super(message)
    this.name = 'PostFailure'
    this.reason = reason
  }
}

/** Sends a request and resolves with the answer, whatever its status; throws a PostFailure. Follows no redirect. */
export async function postWebhook(
  rules: OutboundRules,
  { url, headers, body }: Post,
  ending: AbortSignal,
): Promise<PostAnswer> {
  const target = new URL(url)
  const signal = AbortSignal.any([ending, AbortSignal.timeout(ANSWER_MS)])
  const socket = await open(rules, target, signal)
  try {
    const response = await exchange({ target, headers, body }, socket, signal)
    const { statusCode: status = 0, headers: answered } = response
    return {
      status,
      text: await beginningOf(response),
      location: answered.location,
      retryAfterMs: retryAfterMsOf(answered['retry-after']),
    }
  } finally {
    socket.destroy()
  }
}

async function open(rules: OutboundRules, target: URL, signal: AbortSignal): Promise<Socket> {
  const host = target.hostname.replace(/^\[|\]$/g, '')
  const isEncrypted = target.protocol === 'https:'
  const port = Number(target.port || (isEncrypted ? 443 : 80))
  try {
    const socket = await connectOutbound(rules, { host, port, signal })
    return isEncrypted ? await encrypt(socket, host, signal) : socket
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    throw new PostFailure(error.reason, error.message)
  }
}

async function encrypt(plain: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const servername = isIP(host) === 0 ? host : undefined
  const socket = connectTls({ socket: plain, host, servername, ALPNProtocols: ['http/1.1'] })
  const onAbort = () => reject(new PostFailure('timeout', `${host} did not answer in time`))
  signal.addEventListener('abort', onAbort, { once: true })
  socket.once('secureConnect', () => resolve(socket))
  socket.once('close', () => reject(new PostFailure('lost', `${host} closed the connection`)))
  socket.on('error', (error: NodeJS.ErrnoException) => {
    const what = error.code ?? error.message
    reject(new PostFailure('tls', `Cannot set up TLS with ${host} (${what})`))
  })
  try {
    return await promise
  } catch (error) {
    socket.destroy()
    plain.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function exchange(
  { target, headers, body }: { target: URL } & Pick<Post, 'headers' | 'body'>,
  socket: Socket,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const bytes = Buffer.from(body)
  const sending = request({
    createConnection: () => socket,
    method: 'POST',
    path: `${target.pathname}${target.search}`,
    headers: {
      Host: target.host,
      'Content-Length': bytes.byteLength,
      Connection: 'close',
      ...headers,
    },
    signal,
  })
  sending.on('response', (response) => {
    response.on('error', () => {})
    resolve(response)
  })
  sending.on('error', (error: NodeJS.ErrnoException) => {
    const { host } = target
    if (signal.aborted) reject(new PostFailure('timeout', `${host} did not answer in time`))
    else {
      const what = error.code ?? error.message
      reject(new PostFailure('lost', `${host} closed the connection without an answer (${what})`))
    }
  })
  sending.end(bytes)
  return promise
}

/** The first bytes of an answer as text; what does not come soon is left out. */
async function beginningOf(response: IncomingMessage): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const pieces: Buffer[] = []
  let bytes = 0
  const timer = setTimeout(resolve, BODY_MS)
  response.on('data', (piece: Buffer) => {
    pieces.push(piece)
    bytes += piece.byteLength
    if (bytes >= BODY_BYTES_MAX) resolve()
  })
  response.once('end', resolve)
  response.once('close', resolve)
  await promise
  clearTimeout(timer)
  return Buffer.concat(pieces).subarray(0, BODY_BYTES_MAX).toString('utf8')
}

/** Seconds or a date, as HTTP has it. */
function retryAfterMsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = /^\d{1,9}(?:\.\d{1,3})?$/.test(text) ? Number(text) * 1_000 : Number.NaN
  return Number.isNaN(ms) ? undefined : Math.min(ms, RETRY_AFTER_MS_MAX)
}
