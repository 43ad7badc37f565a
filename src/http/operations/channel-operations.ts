/** Channels of alerts: records, test messages, and what was sent. */
import { type Channels, channelShape } from '../../alerts/index.ts'
import type { Identity } from '../../auth/index.ts'
import { answersOf } from '../openapi/answer-schema.ts'
import { type HttpOperation, httpOperation } from '../table/http-operation.ts'
import { channelAttempt, channelRecord, channelTest } from '../wire/channel-answers.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import { uidParams } from '../wire/identity-wire.ts'
import { recordOperations } from './record-operations.ts'

interface ChannelOperationsDeps {
  readonly channels: Channels
  readonly identity: Identity
}

/** List, one, new, insert, update, delete, test, and attempts. */
export function channelOperations({ channels, identity }: ChannelOperationsDeps): HttpOperation[] {
  return [
    ...recordOperations(identity, {
      noun: 'channel',
      title: 'A channel',
      shape: channelShape,
      answer: channelRecord,
      records: channels,
    }),
    httpOperation({
      name: 'beginChannelTest',
      methods: ['POST'],
      path: '/api/channel/:uid/test',
      callers: 'admin',
      needs: 'POST channel/{uid}',
      tag: 'channel',
      summary: 'Send a test message and return the result',
      ids: uidParams,
      answer: answersOf('test', channelTest).one,
      run: async ({ principal, ids }) => envelope('test', await channels.test(principal, ids.uid)),
    }),
    httpOperation({
      name: 'listChannelAttempts',
      methods: ['GET'],
      path: '/api/channel/:uid/attempt',
      callers: 'admin',
      needs: 'GET channel/{uid}',
      tag: 'channel',
      summary: 'The last 60 attempts to deliver, newest first',
      ids: uidParams,
      query: pageSchema,
      answer: answersOf('attempt', channelAttempt).page,
      run: async ({ principal, ids, query }) => {
        const found = await channels.listAttempts(principal, ids.uid, readPage(query))
        return envelope('attempt', found.records, found.totalCount)
      },
    }),
  ]
}
