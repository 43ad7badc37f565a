/** A proxy in front of a service that keeps the requests of a program, for tests that send them again. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { StoredSamples } from './stored-samples.ts'

/** A request as text of one character a byte, without the secret of its key; and the status of its answer. */
export interface RecordedRequest {
  readonly bytes: string
  readonly status: number
}

/** What a program has sent, and what was stored of it. */
export interface Recording {
  readonly program: string
  readonly requests: readonly RecordedRequest[]
  readonly stored: StoredSamples
}

/** What a proxy has seen. */
export interface RecordingProxy {
  readonly url: string
  readonly port: number
  readonly requests: readonly RecordedRequest[]
  close(): void
}

const KEY = '{key}'
const BASIC = '{basic}'
/** The user of all examples that need one. */
const USER = 'weir'

/** Headers of the way between two processes, which are different in each. */
const LEFT_OUT = ['host', 'connection', 'transfer-encoding', 'content-length']

/** Starts a proxy before a service; requests that name the key are kept without it. */
export async function startRecordingProxy(service: {
  readonly port: number
  readonly feedKey: string
}): Promise<RecordingProxy> {
  const requests: RecordedRequest[] = []
  const server = createServer(async (asked, reply) => {
    const body = await buffer(asked)
    const { method, url: path, headers } = asked
    const target = { host: '127.0.0.1', port: service.port, method, path, headers }
    const call = request(target, async (answer) => {
      const text = await buffer(answer)
      const bytes = hideKey(written(asked, body), service.feedKey)
      requests.push({ bytes, status: answer.statusCode ?? 0 })
      reply.writeHead(answer.statusCode ?? 502, answer.headers).end(text)
    })
    call.on('error', () => reply.destroy())
    call.end(body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function written({ method, url, rawHeaders }: IncomingMessage, body: Buffer): string {
  const lines = [`${method} ${url} HTTP/1.1`, 'Host: weir.example:8080']
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name, value] = rawHeaders.slice(at, at + 2)
    if (!LEFT_OUT.includes(name.toLowerCase())) lines.push(`${name}: ${value}`)
  }
  if (body.length > 0) lines.push(`Content-Length: ${body.length}`)
  return `${lines.join('\r\n')}\r\n\r\n${body.toString('latin1')}`
}

function hideKey(text: string, key: string): string {
  return text.replaceAll(key, KEY).replaceAll(basicOf(key), BASIC)
}

/** A recorded request as bytes, with the key of the service that is to answer it. */
export function withKey({ bytes }: RecordedRequest, key: string): Buffer {
  return Buffer.from(bytes.replaceAll(KEY, key).replaceAll(BASIC, basicOf(key)), 'latin1')
}

function basicOf(key: string): string {
  return Buffer.from(`${USER}:${key}`).toString('base64')
}
