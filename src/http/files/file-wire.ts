import {
  type EpochMs,
  epochMs,
  FILE_NAME_LENGTH_MAX,
  parseWhole,
  type QueryPairs,
  readSingle,
  refuse,
  Type,
} from '../../base/index.ts'
import { parseSampleTime } from '../../time/index.ts'
import { streamPath, uidPath, warningHeaders } from '../feed/feed-wire.ts'
import { named, oneOf, SAMPLE_TIMES, timeOf } from '../openapi/answer-schema.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))
const whole = (description: string) =>
  Type.Optional(Type.Integer({ format: 'int64', minimum: 0, description }))

const fileName = Type.String({
  minLength: 1,
  maxLength: FILE_NAME_LENGTH_MAX,
  description: 'File name',
})
const fileTime = timeOf('Time of the file', SAMPLE_TIMES)

/** Where a file stands in a path. */
export const filePath = Type.Object({ ...streamPath.properties, fileName })

/** Where the file of a time stands in a path. */
export const timedFilePath = Type.Object({ ...filePath.properties, time: fileTime })

/** Where a file stands in a path by UIDs. */
export const uidFilePath = Type.Object({ ...uidPath.properties, fileName })

/** Where the file of a time stands in a path by UIDs. */
export const uidTimedFilePath = Type.Object({ ...uidFilePath.properties, time: fileTime })

/** Parameters of PUT file. */
export const putFileQuery = Type.Object({
  time: Type.Optional(timeOf('Time of the file, the current time by default', SAMPLE_TIMES)),
  compTmplId: text('Template if the component is created'),
  compName: text('Name if the component is created'),
  folder: text('Folder if the component is created. Starts with /Components'),
  dtId: text('Template of the stream dsId, which defines a created stream'),
  dsId: text('Stream of the template dtId'),
})

const binary = (description: string) => Type.String({ format: 'binary', description })

/** The form of PUT file, or the file itself. */
export const putFileBody = {
  content: {
    'multipart/form-data': {
      schema: Type.Object({ file: binary('Content of the file') }),
    },
    'application/octet-stream': { schema: binary('The file. Its content type is stored') },
  },
}

/** Parameters of both GETs of a file. */
export const getFileQuery = Type.Object({
  disposition: Type.Optional(oneOf(['inline', 'attachment'], 'inline by default')),
  start: whole('Return base64 text of the file, starting at this byte'),
  limit: whole('With start: number of bytes to return'),
})

/** The answer of PUT file. */
export const putFileAnswer = {
  description: 'Stored',
  headers: warningHeaders,
  content: {
    'application/json': {
      schema: named(
        'StoredFile',
        {
          success: Type.Literal(true),
          message: Type.String({ description: 'Blank' }),
          time: Type.Integer({
            format: 'int64',
            description: 'Time of the file in epoch milliseconds',
          }),
          url: Type.String({ description: 'URL of the file' }),
        },
        {
          success: true,
          message: '',
          time: 1767225600000,
          url: '/api/comp/boiler/stream/photo/feed/file/1767225600000/gauge.txt',
        },
      ),
    },
  },
}

/** A file has any type. Generators know this one as bytes, and refuse a wildcard. */
const fileContent = {
  'application/octet-stream': {
    schema: Type.String({
      format: 'binary',
      description: 'The file, or the part selected by Range',
      examples: ['3.2 bar\n'],
    }),
  },
}

/** The answers of both GETs of a file. */
export const getFileAnswers = {
  200: {
    description: 'The file with its content type, or base64 text if start is given',
    headers: { ETag: { type: 'string', description: 'SHA-256 of the file' } },
    content: fileContent,
  },
  206: { description: 'The part selected by Range', content: fileContent },
  304: Type.Null({ description: 'The file matches If-None-Match' }),
}

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
    what: `Parameter "${name}" must be an integer number of bytes, at least 0, got "${written}"`,
  })
}
