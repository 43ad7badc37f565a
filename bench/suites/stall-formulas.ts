/** Formulas over long texts, previewed and saved: JSON takes the most time for its characters. */
import {
  type Attack,
  call,
  insert,
  json,
  put,
  signIn,
  type Target,
  tallied,
} from './stall-calls.ts'

const TEXTS = 50
const EXPRESSION = Array.from({ length: 200 }, () => "ifNull(jsonLength(v,'$'),0)").join(' + ')
const FORMULA = { expression: EXPRESSION, variables: [{ name: 'v', streamId: 't' }] }
const PREVIEWS = 4

/** Attacks by formulas. */
export const formulaAttacks: readonly Attack[] = [
  {
    work: `${PREVIEWS} previews of a slow formula at once`,
    prepare: async (target) => {
      const session = await signIn(target)
      const { uid } = await component(target, session, [{ id: 't', valueType: 'STRING' }])
      await putTexts(target)
      const url = `${target.base}/api/component/${uid}/stream/preview?${session}`
      const body = { stream: { id: 'd', derivation: FORMULA } }
      return async () => {
        const asked = Array.from({ length: PREVIEWS }, async () => {
          const answer = await fetch(url, json(body, 'POST'))
          await answer.text()
          return answer.status
        })
        return `answered ${tallied(await Promise.all(asked))}`
      }
    },
  },
  {
    work: `a put of ${TEXTS} texts from which a slow formula derives`,
    prepare: async (target) => {
      const session = await signIn(target)
      const streams = [
        { id: 't', valueType: 'STRING' },
        { id: 'd', derivation: FORMULA },
      ]
      const { uid } = await component(target, session, streams)
      return async () => {
        await putTexts(target)
        return `all derived: ${await derivedAll(target, session, uid)}`
      }
    },
  },
]

function component(target: Target, session: string, stream: readonly object[]) {
  return insert(target, { session, component: { id: 'formulas', stream } })
}

async function putTexts(target: Target): Promise<void> {
  const samples = Array.from({ length: TEXTS }, (_, time) => ({
    compId: 'formulas',
    streamId: 't',
    time,
    data: `[${'1,'.repeat(50_000)}1]`,
  }))
  await call(target, { path: '/api/feed', init: put(samples), status: [200] })
}

/** Whether the newest row of the derived stream was evaluated within a minute; all of them fail by their work. */
async function derivedAll({ base }: Target, session: string, uid: string): Promise<boolean> {
  const end = performance.now() + 60_000
  while (performance.now() < end) {
    const answer = await fetch(`${base}/api/component/${uid}/stream?${session}`)
    const { stream } = (await answer.json()) as {
      stream: { derivationStatus?: { lastError?: { time?: number } | null } | null }[]
    }
    if (stream[1].derivationStatus?.lastError?.time === TEXTS - 1) return true
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return false
}
