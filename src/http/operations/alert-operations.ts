/** Alerts, their states and events, and what people do about them. */
import type { Static } from 'typebox'
import {
  ALERT_STATES,
  type AlertPreviews,
  type AlertStates,
  type Alerts,
  acknowledgeShape,
  alertShape,
  type BoardAlerts,
  muteShape,
} from '../../alerts/index.ts'
import { authorOf } from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import { refuse, Type } from '../../base/index.ts'
import { withRanges } from '../../time/index.ts'
import { answersOf } from '../openapi/answer-schema.ts'
import { requireFits } from '../table/body-schema.ts'
import { type HttpOperation, httpOperation, json } from '../table/http-operation.ts'
import {
  alertEventRecord,
  alertPreviewRecord,
  alertRecord,
  alertStateRecord,
  boardAlertsAnswer,
  boardAlertsBody,
} from '../wire/alert-answers.ts'
import { readQueryText, unwrap, wrapped } from '../wire/catalog-wire.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import { uidParams } from '../wire/identity-wire.ts'
import { recordOperations } from './record-operations.ts'

/** What the operations of alerts need. */
interface AlertOperationsDeps {
  readonly alertPreviews: AlertPreviews
  readonly alerts: Alerts
  readonly alertStates: AlertStates
  readonly boardAlerts: BoardAlerts
  readonly identity: Identity
}

const ONE = '/api/alert/:uid'
const about = { callers: 'admin', tag: 'alert', ids: uidParams } as const
const answers = answersOf('alert', alertRecord)

/** States that alerts are listed by: of the others no state need be stored. */
const LISTED_STATES = ['PENDING', 'FIRING'] as const

const listQuery = Type.Object({
  ...pageSchema.properties,
  state: Type.Optional(
    Type.Enum([...LISTED_STATES], {
      description: 'Only enabled alerts that are in this state on at least one stream',
    }),
  ),
})

const stateQuery = Type.Object({
  ...pageSchema.properties,
  state: Type.Optional(Type.Enum([...ALERT_STATES], { description: 'FIRING by default' })),
})

/** Alerts, with their states and events. */
export function alertOperations(deps: AlertOperationsDeps): HttpOperation[] {
  return [
    ...recordOperations(deps.identity, {
      noun: 'alert',
      title: 'An alert',
      shape: alertShape,
      answer: alertRecord,
      records: deps.alerts,
      listQuery,
      readList: (query) => ({ ...readPage(query), state: readListedState(query) }),
    }),
    ...listOperations(deps),
    ...actOperations(deps),
    previewOperation(deps),
    boardOperation(deps),
  ]
}

function listOperations({ alertStates }: AlertOperationsDeps): HttpOperation[] {
  const reading = { ...about, methods: ['GET'], needs: 'GET alert/{uid}' } as const
  return [
    httpOperation({
      ...reading,
      name: 'listAlertStates',
      path: `${ONE}/state`,
      summary: 'States of its streams, the oldest first',
      query: stateQuery,
      answer: answersOf('state', alertStateRecord).page,
      run: async ({ principal, ids, query }) => {
        const wanted = { ...readPage(query), state: readState(query) }
        const found = await alertStates.listStates(principal, ids.uid, wanted)
        return envelope('state', found.records, found.totalCount)
      },
    }),
    httpOperation({
      ...reading,
      name: 'listAlertEvents',
      path: `${ONE}/event`,
      summary: 'Changes of its states, the newest first',
      query: pageSchema,
      answer: answersOf('event', alertEventRecord).page,
      run: async ({ principal, ids, query }) => {
        const found = await alertStates.listEvents(principal, ids.uid, readPage(query))
        return envelope('event', found.records, found.totalCount)
      },
    }),
  ]
}

function readListedState(query: unknown): (typeof LISTED_STATES)[number] | undefined {
  const text = readQueryText(query, 'state')
  if (text === undefined) return undefined
  const known = LISTED_STATES.find((state) => state === text)
  if (known !== undefined) return known
  return refuse('bad_input', { what: `state must be one of ${LISTED_STATES.join(', ')}` })
}

function readState(query: unknown): (typeof ALERT_STATES)[number] {
  const text = readQueryText(query, 'state') ?? 'FIRING'
  const known = ALERT_STATES.find((state) => state === text)
  if (known !== undefined) return known
  return refuse('bad_input', { what: `state must be one of ${ALERT_STATES.join(', ')}` })
}

const muteBody = Type.Object(muteShape.properties, {
  title: 'AlertMuteBody',
  examples: [{ mute: { untilMs: 1_700_003_600_000 } }],
})

const acknowledgeBody = Type.Object(acknowledgeShape.properties, {
  title: 'AlertAcknowledgeBody',
  examples: [{ acknowledge: { comment: 'On my way' } }],
})

function actOperations({ alerts, alertStates, identity }: AlertOperationsDeps): HttpOperation[] {
  const acting = {
    ...about,
    methods: ['POST'],
    needs: 'POST alert/{uid}',
    answer: answers.one,
  } as const
  return [
    httpOperation({
      ...acting,
      name: 'muteAlert',
      path: `${ONE}/mute`,
      summary: 'Send no notices until a time, or end the mute',
      input: json(muteBody),
      run: async ({ acting: who, principal, ids, body }) => {
        await alertStates.mute(authorOf(identity, who), ids.uid, body)
        return envelope('alert', await alerts.shownTo(principal, ids.uid, 'POST'))
      },
    }),
    httpOperation({
      ...acting,
      name: 'acknowledgeAlert',
      path: `${ONE}/acknowledge`,
      summary: 'Acknowledge states that fire, so that no reminders are sent',
      input: json(acknowledgeBody),
      run: async ({ acting: who, principal, ids, body }) => {
        await alertStates.acknowledge(authorOf(identity, who), ids.uid, body)
        return envelope('alert', await alerts.shownTo(principal, ids.uid, 'POST'))
      },
    }),
  ]
}

function previewOperation({ alertPreviews }: AlertOperationsDeps): HttpOperation {
  return httpOperation({
    callers: 'admin',
    tag: 'alert',
    name: 'getAlertPreview',
    methods: ['POST'],
    path: '/api/alert/preview',
    needs: 'PUT alert',
    summary: 'When an unsaved alert would have fired over the last week',
    input: json(wrapped('alert', alertShape, alertRecord)),
    answer: answersOf('preview', alertPreviewRecord).one,
    errors: [400, 401, 403, 404, 413, 415, 422, 429, 503],
    run: async ({ principal, body }) =>
      envelope('preview', await alertPreviews.preview(principal, unwrap('alert', body))),
  })
}

const NO_FILTER = { state: 'FIRING', template: '', folder: '', label: '', limit: 50 } as const

function boardOperation({ boardAlerts }: AlertOperationsDeps): HttpOperation {
  return httpOperation({
    callers: 'uncounted',
    tag: 'alert',
    name: 'getBoardAlerts',
    methods: ['POST'],
    path: '/api/alert/board',
    needs: 'GET alert',
    summary: 'Alerts of lists, and when alerts fired on streams, for a board. Stores nothing',
    input: json(boardAlertsBody),
    answer: boardAlertsAnswer,
    run: async ({ principal, body }) => {
      // Before the body is judged: who may read no alert is refused whatever it says.
      boardAlerts.requireReader(principal)
      const asked = withRanges(body, 'event')
      requireFits(boardAlertsBody, asked)
      const { event = [], list = [] } = asked as Static<typeof boardAlertsBody>
      const { events, isCut } = await boardAlerts.findEvents(principal, event)
      const lists = await boardAlerts.list(
        principal,
        list.map((one) => ({ ...NO_FILTER, ...one })),
      )
      return { message: '', event: events, isCut, list: lists, success: true }
    },
  })
}
