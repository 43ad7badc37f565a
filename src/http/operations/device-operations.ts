import type { Principal } from '../../access/index.ts'
import type { AlertStates } from '../../alerts/index.ts'
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
  readonly alertStates: AlertStates
  readonly budget: MemoryBudget
  readonly devices: Devices
  readonly findOuterUrls: () => readonly string[]
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

function overviewOperation(deps: DeviceOperationDeps): HttpOperation {
  const { alertStates, devices, findOuterUrls } = deps
  return httpOperation({
    ...reading,
    name: 'getOverview',
    path: '/api/overview',
    summary: 'Figures of all devices: how many there are, how many are silent, what they send',
    query: overviewQuery,
    answer: answersOf('overview', overviewRecord).one,
    run: async ({ principal, queryText }) => {
      const silentForMs = readSilentFor(readLoosePairs(queryText))
      const figures = await devices.overview(principal, silentForMs)
      const firingAlerts = sumOf(await findFiring(alertStates, principal))
      return envelope('overview', { ...figures, firingAlerts, addresses: findOuterUrls() })
    },
  })
}

function listOperation({ alertStates, budget, devices }: DeviceOperationDeps): HttpOperation {
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
        const firing = await findFiring(alertStates, principal)
        const rows = page.devices.map((device) => {
          return { ...device, firingAlerts: firing.get(device.uid) ?? {} }
        })
        return envelope('device', rows, page.totalCount)
      } finally {
        held?.release()
      }
    },
  })
}

/** Firing states by severity. */
type FiringCounts = Record<string, number>

/** Firing states of each component by its UID, of the alerts that a caller may read. */
async function findFiring(
  alertStates: AlertStates,
  principal: Principal,
): Promise<Map<string, FiringCounts>> {
  const firing = new Map<string, FiringCounts>()
  for (const { alert, states } of await alertStates.listRules(principal)) {
    for (const { componentUid, state } of states) {
      if (state === 'FIRING') add(firing, componentUid, alert.severity)
    }
  }
  return firing
}

function add(firing: Map<string, FiringCounts>, componentUid: string, severity: string): void {
  const counts = firing.getOrInsertComputed(componentUid, () => ({}))
  counts[severity] = (counts[severity] ?? 0) + 1
}

function sumOf(firing: ReadonlyMap<string, FiringCounts>): FiringCounts {
  const sums: FiringCounts = {}
  for (const counts of firing.values()) {
    for (const [severity, count] of Object.entries(counts)) {
      sums[severity] = (sums[severity] ?? 0) + count
    }
  }
  return sums
}
