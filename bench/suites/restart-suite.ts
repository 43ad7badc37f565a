import { memoryPeakMb, stop } from '../peers/service.ts'
import { startWeir, weir } from '../peers/weir.ts'
import type { Row } from '../report.ts'
import { printProgress, type Settings, withPeer } from '../settings.ts'
import { bulkLoad } from './put-suite.ts'

/** How long Weir takes to serve again after kill -9 under load; only Weir is asked. */
export async function restartSuite(settings: Settings): Promise<Row[]> {
  if (!settings.peers.includes(weir)) return []
  return withPeer(weir, async (running, folder) => {
    printProgress('Weir: kill -9 under load, then start')
    const load = bulkLoad(running)(settings.seconds + 60)
    // The load ends by the kill, which is what is measured here.
    const ended = load.catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, settings.seconds * 1_000))
    await stop(running.process, 'SIGKILL')
    await ended
    const began = performance.now()
    const again = await startWeir(folder)
    const seconds = (performance.now() - began) / 1_000
    const memoryMb = memoryPeakMb(again.process)
    await stop(again.process)
    const note = memoryMb === undefined ? undefined : `${memoryMb.toFixed(0)} MB`
    const cells = { Weir: { value: seconds, note } }
    return [{ work: 'serving again after kill -9 under load', unit: 's', aim: '< 2', cells }]
  })
}
