import { DERIVE_STREAMS_MAX, DERIVE_TIMEOUT_MS_MAX } from '../../base/index.ts'
import type { PutOptions } from '../../feed/index.ts'
import { type QueryPairs, readChoice, readSingle, readWhole } from './query-pairs.ts'

/** Parameters of a feed put that are never stream IDs, and those that carry a credential. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  ...['compId', 'compTmplId', 'compName', 'time', 'timeEl', 'freq', 'data', 'rsid', 'delim'],
  ...['folder', 'dtId', 'dsId', 'asPut', 'autofillGapsWithNulls', 'derMaxS', 'derTout'],
  ...['api_key', 'session', 'org'],
])

/** A blank text says as little as none. */
function readText(pairs: QueryPairs, name: string): string | undefined {
  return readSingle(pairs, name) || undefined
}

/** Reads what both forms of a feed put may say in the URL. */
export function readPutOptions(pairs: QueryPairs): PutOptions {
  const streams = readWhole(pairs, 'derMaxS', { min: 0, whenEmpty: DERIVE_STREAMS_MAX })
  const timeoutMs = readWhole(pairs, 'derTout', { min: 0, whenEmpty: DERIVE_TIMEOUT_MS_MAX })
  return {
    creation: {
      compTmplId: readText(pairs, 'compTmplId'),
      compName: readText(pairs, 'compName'),
      folder: readText(pairs, 'folder'),
      dtId: readText(pairs, 'dtId'),
      dsId: readText(pairs, 'dsId'),
    },
    // A typing error must not erase what is stored.
    isAutofill: readChoice(pairs, 'autofillGapsWithNulls') ?? true,
    deriveStreamsMax: Math.min(streams ?? 0, DERIVE_STREAMS_MAX),
    deriveTimeoutMs: Math.min(timeoutMs ?? 0, DERIVE_TIMEOUT_MS_MAX),
  }
}
