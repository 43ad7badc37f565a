import { type MemoryBudget, type MemoryShare, readLoosePairs } from '../../base/index.ts'
import type { Devices } from '../../feed/index.ts'
import { readDeviceQuery, readSilentFor } from '../feed/read-device-query.ts'
import { ReadMemory } from '../feed/read-memory.ts'
import { answersOf } from '../openapi/answer-schema.ts'
import { type HttpOperation, httpOperation } from '../table/http-operation.ts'
import {
  deviceListQuery,
  deviceRecord,
  overviewQuery,
  overviewRecord,
} from '../wire/device-answers.ts'
import { envelope } from '../wire/envelope.ts'

interface DeviceOperationDeps {
  readonly budget: MemoryBudget
  readonly devices: Devices
}

const reading = {
  methods: ['GET'],
  callers: 'admin',
  needs: 'GET component',
  tag: 'component',
} as const

/** All devices at a glance. */
export function deviceOperations(deps: DeviceOperationDeps): HttpOperation[] {
  return [listOperation(deps), overviewOperation(deps)]
}

function overviewOperation({ devices }: DeviceOperationDeps): HttpOperation {
  return httpOperation({
    ...reading,
    name: 'getOverview',
    path: '/api/overview',
    summary: 'Figures of all devices: how many there are, how many are silent, what they send',
    query: overviewQuery,
    answer: answersOf('overview', overviewRecord).one,
    run: async ({ principal, queryText }) => {
      const silentForMs = readSilentFor(readLoosePairs(queryText))
      return envelope('overview', await devices.overview(principal, silentForMs))
    },
  })
}

function listOperation({ budget, devices }: DeviceOperationDeps): HttpOperation {
  return httpOperation({
    ...reading,
    name: 'listDevices',
    path: '/api/device',
    summary: 'List devices with their last contact, state, and main value',
    query: deviceListQuery,
    answer: answersOf('device', deviceRecord).page,
    run: async ({ principal, queryText }) => {
      const asked = readDeviceQuery(readLoosePairs(queryText))
      let held: MemoryShare | undefined
      const memory = new ReadMemory(budget, {
        hold: (share) => {
          held = share
        },
      })
      try {
        const page = await devices.list(principal, asked, memory)
        return envelope('device', page.devices, page.totalCount)
      } finally {
        held?.release()
      }
    },
  })
}
