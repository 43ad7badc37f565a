import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../src/base/index.ts'
import type { StreamHandle } from '../../src/store/index.ts'
import { ownerOf, withCatalog } from '../support/catalog.ts'
import { Random, testSeeds } from '../support/random.ts'

const ORG = 'org-1'
const owner = ownerOf(ORG)
const COMPONENTS = 3
const STREAMS_PER_COMPONENT = 4
const SAVES = 80

/** Which streams each one reads, by number. */
type Model = readonly (readonly number[])[]

/** Whether a stream is among what it depends on. */
function isLooped(model: Model, start: number): boolean {
  const open = [...model[start]]
  const seen = new Set<number>()
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === start) return true
    if (seen.has(at)) continue
    seen.add(at)
    open.push(...model[at])
  }
  return false
}

for (const seed of testSeeds(2)) {
  test(`a save is refused exactly when it makes a loop, and edges are as saved (seed ${seed})`, () =>
    withCatalog(async (opened) => {
      const random = new Random(seed)
      const keys: { componentUid: string; uid: string }[] = []
      for (let component = 0; component < COMPONENTS; component++) {
        const ids = Array.from({ length: STREAMS_PER_COMPONENT }, (_, at) => `s${at}`)
        const stream = ids.map((id) => ({ id, valueType: 'DOUBLE' as const }))
        const made = await opened.catalog.components.insert(owner, { id: `c${component}`, stream })
        for (const { uid } of made.stream ?? []) keys.push({ componentUid: made.uid, uid })
      }
      const numbers = keys.map((_, at) => at)
      let model: Model = numbers.map(() => [])
      const check = () => {
        const { index, derivations } = opened.catalog
        const handles = keys.map(({ uid }) => index.streamByUid(ORG, uid) as StreamHandle)
        for (const at of numbers) {
          const sources = derivations.sourcesOf(handles[at]).map((one) => handles.indexOf(one))
          assert.deepEqual(sources.sort(), [...model[at]].sort())
          const dependents = numbers.filter((one) => model[one].includes(at))
          const drawn = derivations.dependentsOf(handles[at]).map((one) => handles.indexOf(one))
          assert.deepEqual(drawn.sort(), dependents.sort())
        }
      }
      let refusals = 0
      for (let save = 0; save < SAVES; save++) {
        const at = random.pick(numbers)
        const count = random.integer(0, 3)
        const sources = [...new Set(Array.from({ length: count }, () => random.pick(numbers)))]
        const wanted = model.map((known, one) => (one === at ? sources : known))
        const variables = sources.map((source) => ({
          name: `v${source}`,
          componentUid: keys[source].componentUid,
          streamUid: keys[source].uid,
        }))
        const expression = variables.map(({ name }) => name).join(' + ')
        const input =
          sources.length === 0
            ? { streamDerivationType: 'NONE' }
            : { streamDerivationType: 'FROM_EXPRESSION', derivation: { expression, variables } }
        const refusal = await opened.catalog.streams.update(owner, keys[at], input).then(
          () => undefined,
          (error: unknown) => error,
        )
        if (isLooped(wanted, at)) {
          assert.ok(refusal instanceof Refusal, `save ${save}: ${refusal}`)
          assert.match(refusal.message, /make a loop/)
          refusals += 1
        } else {
          assert.equal(refusal, undefined, `save ${save}`)
          model = wanted
        }
        check()
      }
      assert.ok(refusals > 0, 'some saves make a loop')
      await opened.restart()
      check()
    }))
}
