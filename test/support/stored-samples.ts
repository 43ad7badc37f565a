/** All samples of a component, read as any client would. */
import assert from 'node:assert/strict'

/** A sample as [time, data]. */
type Sample = readonly [time: number, data: unknown]

/** Samples of streams by ID, oldest first. */
export type StoredSamples = Readonly<Record<string, readonly Sample[]>>

interface Shown {
  readonly time: number
  readonly data: unknown
}

/** Where samples are read, and with what key. */
interface Reader {
  readonly url: string
  readonly feedKey: string
}

/** Everything that a component holds; nothing if there is no such component. */
export async function storedSamples(reader: Reader, component: string): Promise<StoredSamples> {
  const path = `/api/comp/${encodeURIComponent(component)}`
  const answer = await ask(reader, `${path}/last_value?retStreamId`)
  if (answer.status === 404) return {}
  const last = (await answer.json()) as { readonly streamId: string }[]
  const ids = last.map(({ streamId }) => streamId).sort()
  const entries = ids.map(async (id) => {
    const feed = `${path}/stream/${encodeURIComponent(id)}/feed?limit=1000`
    return [id, await readWhole(reader, feed)] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

async function readWhole(reader: Reader, feed: string): Promise<readonly Sample[]> {
  const samples: Sample[] = []
  for (let next: string | undefined = feed; next !== undefined; ) {
    const answer = await ask(reader, next)
    assert.equal(answer.status, 200)
    for (const { time, data } of (await answer.json()) as Shown[]) samples.push([time, data])
    next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
  }
  return samples.reverse()
}

function ask({ url, feedKey }: Reader, path: string): Promise<Response> {
  return fetch(new URL(path, url), { headers: { 'X-Api-Key': feedKey } })
}
