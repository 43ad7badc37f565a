/** The JSON of components and streams of format 9, in the fields that they have now. */

import type { ComponentFields, StreamFields } from '../../../ports/component-port.ts'
import type { JsonObject } from '../../../ports/document-key.ts'

const ROOT_FOLDER = '/Components'
/** In the order of their numbers. */
const STREAM_TYPES = ['rdm_stream', 'intvl_stream', 'point_stream']
const VALUE_TYPES = [
  '',
  'DOUBLE',
  'FLOAT',
  'LONG',
  'INTEGER',
  'SHORT',
  'BOOLEAN',
  'STRING',
  'DATETIME',
  'LATITUDE',
  'LONGITUDE',
  'ELEVATION',
  'BIG_DECIMAL',
  'FILE',
]

/** A component; what its JSON leaves out is as by default. */
export function oldComponent(body: JsonObject): ComponentFields {
  const { id = '', name = id, folder = ROOT_FOLDER, timeZoneId = 'UTC', ...others } = body
  const { creationDate = 0, ownerUser = null, lastOrdinal = 0, ...more } = others
  return {
    id: id as string,
    name: name as string,
    folder: (folder as string).slice(ROOT_FOLDER.length),
    timeZone: timeZoneId as string,
    createdAtMs: creationDate as number,
    owner: ownerUser as ComponentFields['owner'],
    lastOrdinal: lastOrdinal as number,
    addressedAs: [],
    more: withoutDefaults(more, { description: '', location: null }),
  }
}

/** A stream; what its JSON leaves out is as by default. */
export function oldStream(body: JsonObject): StreamFields {
  const { id = '', name = id, order = 0, grid = '', ...others } = body
  const { streamType = STREAM_TYPES[0], valueType = '', streamDerivationType, ...more } = others
  return {
    id: id as string,
    name: name as string,
    order: order as number,
    streamKind: STREAM_TYPES.indexOf(streamType as string),
    valueCode: VALUE_TYPES.indexOf(valueType as string),
    isDerived: (streamDerivationType ?? 'NONE') !== 'NONE',
    hasDeleteProfile: (more.delete_profile ?? null) !== null,
    grid: grid as string,
    more: withoutDefaults(more, {
      description: '',
      unit: null,
      baseCycle: null,
      rollupMethod: 'avg',
      derivation: null,
      delete_profile: null,
      location: null,
    }),
  }
}

function withoutDefaults(more: JsonObject, defaults: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(more).filter(([name, value]) => !(name in defaults) || value !== defaults[name]),
  )
}
