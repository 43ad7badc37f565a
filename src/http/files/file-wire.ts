import { Type } from 'typebox'
import {
  type EpochMs,
  epochMs,
  FILE_NAME_LENGTH_MAX,
  parseSampleTime,
  parseWhole,
  type QueryPairs,
  readSingle,
  refuse,
} from '../../base/index.ts'
import { streamPath, warningHeaders } from '../feed/feed-wire.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))

/** Where a file stands in a path. */
export const filePath = Type.Object({
  ...streamPath.properties,
  fileName: Type.String({
    minLength: 1,
    maxLength: FILE_NAME_LENGTH_MAX,
    description: 'File name',
  }),
})

/** Where the file of a time stands in a path. */
export const timedFilePath = Type.Object({
  ...filePath.properties,
  time: Type.String({ description: 'Epoch ms of the file' }),
})

/** Parameters of PUT file. */
export const putFileQuery = Type.Object({
  time: text('Epoch ms of the file; the current time when missing'),
  compTmplId: text('Template for a component that is to be created'),
  compName: text('Name of a component that is to be created'),
  folder: text('Folder of a component that is to be created; starts with /Components'),
  dtId: text('Component whose stream dsId defines a stream that is to be created'),
  dsId: text('Stream of the component dtId'),
})

/** The form of PUT file. */
export const putFileBody = Type.Object({
  file: Type.String({ format: 'binary', description: 'The file, and nothing else' }),
})

/** Parameters of both GETs of a file. */
export const getFileQuery = Type.Object({
  disposition: text('inline (default) or attachment'),
  start: text('Answer base64 text of the file from this byte on'),
  limit: text('With start: how many bytes of the file to answer'),
})

/** The answer of PUT file. */
export const putFileAnswer = Type.Object(
  {
    success: Type.Boolean(),
    message: Type.String(),
    time: Type.Integer({ description: 'Epoch ms under which the file is stored' }),
    url: Type.String({ description: 'Where the file can be fetched' }),
  },
  { headers: warningHeaders },
)

/** The answer of both GETs of a file. */
export const getFileAnswer = Type.String({
  format: 'binary',
  description: 'The file with its own content type, or base64 text when start is given',
})

/** The time of a file in a path or a parameter; refuses what no sample may have. */
export function readFileTime(written: string): EpochMs {
  return epochMs(parseSampleTime(written, '"time"'))
}

/** The bytes asked for as base64, half-open; undefined when the file is wanted as it is. */
export function readBase64Range(pairs: QueryPairs): { start: number; end: number } | undefined {
  const start = readCount(pairs, 'start')
  const limit = readCount(pairs, 'limit')
  if (start === undefined) return undefined
  return { start, end: start + (limit ?? Number.MAX_SAFE_INTEGER) }
}

function readCount(pairs: QueryPairs, name: string): number | undefined {
  const written = readSingle(pairs, name)
  if (written === undefined) return undefined
  const value = parseWhole(written)
  if (value !== undefined && value >= 0) return value
  // A count beyond what a number can hold exactly lies past the end of every file.
  if (/^\d+$/.test(written)) return Number.MAX_SAFE_INTEGER
  return refuse('bad_input', {
    what: `Parameter "${name}" must be a whole number of bytes, 0 or more, got "${written}"`,
  })
}
