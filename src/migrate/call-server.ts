import { setTimeout as pause } from 'node:timers/promises'

const TRIES_MAX = 30
const PAUSE_MS = 2_000

/** A server that cannot be reached, or cannot answer now. */
export class Unreachable extends Error {}

/** Repeats a step, which may be repeated, for a minute while a server does not answer. */
export async function untilAnswered<T>(step: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await step()
    } catch (error) {
      if (!(error instanceof Unreachable) || tries === TRIES_MAX) throw error
      await pause(PAUSE_MS)
    }
  }
}

/** Calls a server; every failure of the network is an `Unreachable`, as are a busy or a failing server. */
export async function callServer(url: URL, init: RequestInit): Promise<Response> {
  const { origin } = url
  let answer: Response
  try {
    // A redirect would carry the key to another server.
    answer = await fetch(url, { ...init, redirect: 'manual' })
  } catch (error) {
    throw new Unreachable(`Cannot reach ${origin}: ${causeOf(error)}`, { cause: error })
  }
  if (answer.status < 500 && answer.status !== 429) return answer
  const text = (await answer.text().catch(() => '')).slice(0, 300)
  throw new Unreachable(`${origin} answered ${answer.status}: ${text}`)
}

/** Reads a body whole; undefined if it is longer than a bound. */
export async function readBody(answer: Response, bytesMax: number): Promise<string | undefined> {
  const parts: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const part of answer.body ?? []) {
      bytes += part.length
      if (bytes > bytesMax) return undefined
      parts.push(part)
    }
  } catch (error) {
    const { origin } = new URL(answer.url)
    throw new Unreachable(`${origin} broke off: ${causeOf(error)}`, { cause: error })
  }
  return Buffer.concat(parts).toString('utf8')
}

function causeOf(error: unknown): string {
  const { message, cause } = error as Error
  const { code, message: why } = (cause ?? {}) as { code?: string; message?: string }
  return why || code || message
}
