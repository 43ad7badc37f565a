/** Moves of a cluster's data to a folder and to another cluster, which are killed on the way. */
import assert from 'node:assert/strict'
import { startChildService } from '../../support/child-service.ts'
import type { Random } from '../../support/random.ts'
import { startWeir } from '../../support/weir-command.ts'
import type { LoadTarget } from './fault-load.ts'
import { type FaultWorld, type MovePlace, makeKeyFolder } from './fault-world.ts'

const KILLS = 2
/** A command needs about a second to begin. */
const [KILL_MS_MIN, KILL_MS_MAX] = [500, 6_000]

/** A move, and the folder at one of its ends. */
interface Move {
  readonly folder: string
  readonly to: 'cluster' | 'folder'
  readonly place: MovePlace
}

/**
 * Moves everything to a folder, and from there to another cluster. Services on both must pass the check. No process of
 * the world may run.
 */
export async function moveOverKills(
  world: FaultWorld,
  { random, folder }: { readonly random: Random; readonly folder: string },
  check: (target: LoadTarget) => Promise<void>,
): Promise<void> {
  const [{ cookie }] = world.targets
  const serve = async (dataDir: string, settings: Record<string, string>) => {
    const service = await startChildService(dataDir, { ...settings, WEIR_RATE_LIMITS: 'off' })
    try {
      await check({ url: service.url, cookie })
    } finally {
      await service.stop()
    }
  }
  makeKeyFolder(folder)
  await moveOver({ folder, to: 'folder', place: world.place }, random)
  await serve(folder, {})
  const place = await world.makePlace(`moved_${random.seed}`)
  await moveOver({ folder, to: 'cluster', place }, random)
  const process = `${folder}-process`
  makeKeyFolder(process)
  await serve(process, { ...place.settings, ...place.store })
}

async function moveOver({ folder, to, place }: Move, random: Random): Promise<void> {
  const move = () => startWeir(folder, ['move', '--to', to], place.settings)
  for (let kills = 0; kills < KILLS; kills += 1) {
    const { child, done } = move()
    const kill = setTimeout(() => child.kill('SIGKILL'), random.integer(KILL_MS_MIN, KILL_MS_MAX))
    const { code, err } = await done
    clearTimeout(kill)
    // It may end before the kill.
    assert.ok(code === null || code === 0, err)
  }
  const { code, err } = await move().done
  assert.equal(code, 0, err)
}
