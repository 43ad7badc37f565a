/** The storage report for operators, as JSON. */

import { Type } from '../../base/index.ts'
import { EXAMPLE_UID, msOf, named, oneOf, orNull } from '../openapi/answer-schema.ts'

const bytes = Type.Integer({ format: 'int64', description: 'Bytes' })
/** Null where a cluster keeps the data: it reports its own sizes. */
const bytesOrNull = orNull(bytes)
const counts = { items: Type.Integer(), bytes }

const runFields = {
  time: orNull(msOf('When the last scrub was through')),
  checked: orNull(Type.Object(counts)),
  running: orNull(Type.Object({ part: Type.String(), ...counts })),
}
const runExample = { time: 1767225600000, checked: { items: 812, bytes: 2097152 }, running: null }

/** How far a scrub is. */
export const scrubRun = named('ScrubRun', runFields, runExample)

const findingFields = {
  part: oneOf(['samples', 'journal', 'catalog', 'files', 'payloads']),
  stream: orNull(
    Type.Object({
      uid: Type.String(),
      id: Type.String(),
      component: Type.Object({ uid: Type.String(), id: Type.String() }),
    }),
  ),
  from: orNull(msOf('Where the stretch begins that may miss something')),
  until: orNull(msOf('Where it ends')),
  what: Type.String(),
}

const damaged = named('Damage', findingFields, {
  part: 'files',
  stream: { uid: EXAMPLE_UID, id: 'photos', component: { uid: EXAMPLE_UID, id: 'boiler' } },
  from: 1000,
  until: 1001,
  what: 'file body: block 2 of 3 does not check',
})

/** Sizes, the journal, the last scrub and known damage. */
export const storageRecord = named(
  'Storage',
  {
    sizes: Type.Object({
      catalog: bytesOrNull,
      samples: bytesOrNull,
      quarantine: bytesOrNull,
      free: bytes,
      journal: bytesOrNull,
      payloads: bytesOrNull,
      files: orNull(bytes),
    }),
    journal: Type.Object({ segments: orNull(Type.Integer()), bytes: bytesOrNull }),
    scrub: Type.Object({ ...runFields, damaged: Type.Array(damaged) }),
  },
  {
    sizes: {
      catalog: 421888,
      samples: 90112,
      quarantine: 0,
      free: 83751862272,
      journal: 16777216,
      payloads: 81920,
      files: 1048581,
    },
    journal: { segments: 2, bytes: 16777216 },
    scrub: { ...runExample, damaged: [] },
  },
)
