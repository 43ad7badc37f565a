import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { readScenarios } from './read-scenarios.ts'
import { ScenarioWorld } from './scenario-world.ts'

for (const file of globSync(join(import.meta.dirname, '*.txt')).sort()) {
  test(basename(file, '.txt'), async (t) => {
    const world = await ScenarioWorld.open()
    t.after(() => world.close())
    for (const scenario of readScenarios(readFileSync(file, 'utf8'))) {
      await t.test(scenario.title, () => world.play(scenario))
    }
  })
}
