import {
  DERIVE_STREAMS_MAX,
  DERIVE_TIMEOUT_MS_MAX,
  type QueryPairs,
  readChoice,
  readSingle,
  readWhole,
} from '../../base/index.ts'
import type { PutOptions } from '../../feed/put/index.ts'

/** The names of options; they are never stream IDs. */
export const OPTION_NAMES: ReadonlySet<string> = new Set([
  'compTmplId',
  'compName',
  'folder',
  'dtId',
  'dsId',
  'autofillGapsWithNulls',
  'derMaxS',
  'derTout',
])

/** A blank text says as little as none. */
function readFilledText(pairs: QueryPairs, name: string): string | undefined {
  return readSingle(pairs, name) || undefined
}

/** Reads the options of a put, whatever form its samples have. */
export function readPutOptions(pairs: QueryPairs): PutOptions {
  const streams = readWhole(pairs, 'derMaxS', { min: 0, whenEmpty: DERIVE_STREAMS_MAX })
  const timeoutMs = readWhole(pairs, 'derTout', { min: 0, whenEmpty: DERIVE_TIMEOUT_MS_MAX })
  return {
    creation: {
      compTmplId: readFilledText(pairs, 'compTmplId'),
      compName: readFilledText(pairs, 'compName'),
      folder: readFilledText(pairs, 'folder'),
      dtId: readFilledText(pairs, 'dtId'),
      dsId: readFilledText(pairs, 'dsId'),
    },
    // A typing error must not erase what is stored.
    isAutofill: readChoice(pairs, 'autofillGapsWithNulls') ?? true,
    deriveStreamsMax: Math.min(streams ?? 0, DERIVE_STREAMS_MAX),
    deriveTimeoutMs: Math.min(timeoutMs ?? 0, DERIVE_TIMEOUT_MS_MAX),
  }
}
