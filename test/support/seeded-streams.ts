import assert from 'node:assert/strict'
import { caller, signIn } from './caller.ts'
import type { Service } from './service.ts'

/** A component with streams, as the service keeps it. */
export interface SeededComponent {
  readonly uid: string
  uidOf(streamId: string): string
  /** The address of a stream's page. */
  pageOf(streamId: string): string
}

/** Inserts a component with streams and units by ID. */
export async function seedComponent(
  service: Service,
  component: { readonly id: string; readonly [field: string]: unknown },
  streams: ReadonlyArray<{
    readonly id: string
    readonly unit?: string
    readonly [field: string]: unknown
  }>,
): Promise<SeededComponent> {
  const call = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  const { unit: units } = (await call('GET', '/api/unit')).body
  const stream = streams.map(({ unit, ...rest }) => {
    const { uid } = units.find(({ id }: { id: string }) => id === unit) ?? { uid: '' }
    return unit === undefined ? rest : { ...rest, unit: { uid } }
  })
  const { status, text, body } = await call('PUT', '/api/component', {
    component: { ...component, stream },
  })
  assert.equal(status, 200, text)
  const { uid, stream: made } = body.component
  const uidOf = (streamId: string): string =>
    made.find(({ id }: { id: string }) => id === streamId)?.uid
  return { uid, uidOf, pageOf: (streamId) => `/c/${uid}/${uidOf(streamId)}` }
}

/** Puts samples with the service's feed key. */
export async function putSamples(
  { url, feedKey }: Service,
  compId: string,
  samples: Iterable<readonly [streamId: string, time: number, data: number | string | boolean]>,
): Promise<void> {
  const rows = Array.from(samples, ([streamId, time, data]) => ({ compId, streamId, time, data }))
  for (let at = 0; at < rows.length; at += SAMPLES_PER_CALL) {
    const body = JSON.stringify(rows.slice(at, at + SAMPLES_PER_CALL))
    const answer = await fetch(`${url}/api/feed?api_key=${feedKey}`, { method: 'PUT', body })
    assert.equal(answer.status, 200, await answer.text())
  }
}

const SAMPLES_PER_CALL = 100_000
