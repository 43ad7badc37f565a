import type { Static } from 'typebox'
import { type Principal, requirePermit } from '../../access/index.ts'
import { EARLIEST_TIME, TIME_END, Type } from '../../base/index.ts'
import { type LocalPeriod, nextPeriods, withTimes } from '../../time/index.ts'
import type { CatalogBase } from '../documents/catalog-base.ts'
import { readTimeZoneField, refuseField, shapeCheck } from '../shape/record-checks.ts'
import { type CycleBody, cycleRules, cycleShape, definitionOf } from './cycle-record.ts'

/** A page of a calendar: more than anyone reads to see that a cycle turns as meant. */
const PERIODS_MAX = 100
const PERIODS_DEFAULT = 10

/** What a caller may ask of a cycle that is saved, changed or not yet there. */
export const cyclePreviewShape = Type.Object(
  {
    cycle: Type.Object({
      uid: Type.Optional(
        Type.String({ description: 'A saved one; the fields beside it change it' }),
      ),
      ...cycleShape.properties,
    }),
    timeZoneId: Type.Optional(
      Type.String({ description: "Where the cycle has none; blank: the organization owner's" }),
    ),
    from: Type.Optional(
      Type.Integer({
        format: 'int64',
        description: 'Epoch ms, or RFC 3339; the current time by default',
      }),
    ),
    count: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: `At most ${PERIODS_MAX}, ${PERIODS_DEFAULT} by default`,
      }),
    ),
  },
  {
    title: 'CyclePreviewBody',
    examples: [{ cycle: { sizeType: 'HOUR', count: 8 }, timeZoneId: 'Europe/Berlin', count: 3 }],
  },
)

/** The periods of a previewed cycle, and the zone that their local times are in. */
export interface CyclePreview {
  readonly timeZoneId: string
  readonly periods: readonly LocalPeriod[]
}

const checkShape = shapeCheck('preview', cyclePreviewShape)

/** The next periods of a cycle as an input describes it; makes nothing. */
export async function previewCycle(
  { cycles, people, clock }: Pick<CatalogBase, 'cycles' | 'people' | 'clock'>,
  principal: Principal,
  sent: unknown,
): Promise<CyclePreview> {
  const input = withTimes(sent, ['from'])
  requirePermit(principal, 'cycle', 'GET')
  const { cycle: asked } = (input ?? {}) as { cycle?: unknown }
  cycleRules.check(asked)
  checkShape(input)
  const { cycle, timeZoneId = '', from, count } = input as Static<typeof cyclePreviewShape>
  const { uid = '', ...fields } = cycle
  const before = uid === '' ? cycleRules.defaults : await cycles.get(principal, uid)
  const body = (await cycleRules.read(fields, before, principal.orgUid)) as CycleBody
  const at = from ?? clock.now()
  if (at < EARLIEST_TIME || at >= TIME_END) {
    refuseField('from', `${at} is outside the years 1900 to 2261`)
  }
  const given = timeZoneId || (await people.ownerOf(principal.orgUid)).timeZoneId
  const zone = body.timeZoneId || readTimeZoneField('timeZoneId', given)
  const wanted = {
    timeZone: zone,
    from: at,
    count: Math.min(PERIODS_MAX, count ?? PERIODS_DEFAULT),
  }
  return { timeZoneId: zone, periods: nextPeriods(definitionOf(body), wanted) }
}
