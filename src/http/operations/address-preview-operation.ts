import type { Identity } from '../../auth/index.ts'
import { Type } from '../../base/index.ts'
import { previewLines } from '../../intake/index.ts'
import { answersOf, named } from '../openapi/answer-schema.ts'
import { checkedJson, type HttpOperation, httpOperation } from '../table/http-operation.ts'
import { envelope } from '../wire/envelope.ts'
import { addressRule, readRule } from '../wire/identity-wire.ts'

const LINES_LENGTH_MAX = 20_000

const body = Type.Object(
  {
    door: Type.Object({
      lines: Type.Optional(
        Type.String({ maxLength: LINES_LENGTH_MAX, description: 'Line protocol' }),
      ),
      keyRule: addressRule('The address rule of an API key. Absent: none'),
      organizationRule: addressRule(
        'The address rule of the organization. Absent: the saved one. null: none',
      ),
    }),
  },
  {
    title: 'AddressPreviewBody',
    examples: [
      {
        door: {
          lines: 'weather,site=north,host=roof temperature=21.5',
          keyRule: { component: '{site}-{host}' },
        },
      },
    ],
  },
)

const preview = named(
  'AddressPreview',
  {
    series: Type.Array(
      Type.Object({
        line: Type.Integer({ description: 'The number of its first line, from 1' }),
        component: Type.String({ description: 'The ID of the component' }),
        stream: Type.String({ description: 'The ID of the stream' }),
        template: Type.String({ description: 'The ID of the template, blank if there is none' }),
        folder: Type.String({ description: 'Blank: the root folder' }),
        deleteProfile: Type.String({ description: 'Blank: none' }),
        series: Type.Record(Type.String(), Type.String()),
      }),
      { description: 'The first 100 series' },
    ),
    refused: Type.Array(Type.Object({ line: Type.Integer(), reason: Type.String() }), {
      description: 'Lines that cannot be read',
    }),
    isCut: Type.Boolean({ description: 'Whether there are more lines' }),
  },
  {
    series: [
      {
        line: 1,
        component: 'north-roof',
        stream: 'weather_temperature',
        template: '',
        folder: '',
        deleteProfile: '',
        series: { __name__: 'weather_temperature', host: 'roof', site: 'north' },
      },
    ],
    refused: [],
    isCut: false,
  },
)

/** What address rules make of lines, before the rules are saved. */
export function addressPreviewOperation({
  identity,
}: {
  readonly identity: Identity
}): HttpOperation {
  return httpOperation({
    name: 'getAddressPreview',
    methods: ['POST'],
    path: '/api/door/preview',
    callers: 'admin',
    needs: 'GET door',
    tag: 'door',
    summary: 'The IDs that address rules give to new series of line protocol. Stores nothing',
    input: checkedJson(body),
    answer: answersOf('preview', preview).one,
    run: async ({ principal, body: { door } }) => {
      const { lines = '', keyRule, organizationRule } = door
      const rules = identity.organizations.rulesToTry(principal, {
        keyRule: readRule(keyRule),
        organizationRule: readRule(organizationRule),
      })
      return envelope('preview', previewLines(lines, rules))
    },
  })
}
