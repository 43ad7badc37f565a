import { setTimeout as pause } from 'node:timers/promises'

/** Who seeds, and where. */
export interface DemoPlace {
  readonly url: string
  readonly email: string
  readonly password: string
}

const TRIES_MAX = 20

/** Calls of the API with a session of its own; waits where the service asks for it. */
export class DemoClient {
  readonly #url: string
  readonly #cookie: string

  private constructor(url: string, cookie: string) {
    this.#url = url
    this.#cookie = cookie
  }

  /** Signs in. */
  static async signIn({ url, email, password }: DemoPlace): Promise<DemoClient> {
    const guest = new DemoClient(url, '')
    const { sessionUid } = (await guest.call('POST', '/api/login', { email, password })) as {
      sessionUid: string
    }
    return new DemoClient(url, `session=${sessionUid}`)
  }

  /** Calls; answers the body, throws what the service refused. */
  async call(method: string, path: string, body?: unknown): Promise<unknown> {
    const isForm = body instanceof FormData
    const isJson = body !== undefined && !isForm
    for (let tries = 1; ; tries += 1) {
      const answer = await fetch(`${this.#url}${path}`, {
        method,
        headers: {
          ...(this.#cookie === '' ? {} : { Cookie: this.#cookie }),
          ...(isJson ? { 'Content-Type': 'application/json' } : {}),
        },
        body: isJson ? JSON.stringify(body) : body,
      })
      const text = await answer.text()
      if (answer.ok) return text === '' ? undefined : JSON.parse(text)
      const mayPass = (answer.status === 429 || answer.status === 503) && tries < TRIES_MAX
      if (!mayPass) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      await pause(Number(answer.headers.get('retry-after') ?? 1) * 1_000)
    }
  }
}

/** A component by its ID; undefined where there is none. */
export async function findComponent(
  client: DemoClient,
  id: string,
): Promise<{ readonly id: string; readonly uid: string } | undefined> {
  const query = new URLSearchParams({ id })
  const { component } = (await client.call('GET', `/api/component?${query}`)) as {
    component: ReadonlyArray<{ id: string; uid: string }>
  }
  return component[0]
}
