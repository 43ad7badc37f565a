import { writeFileSync } from 'node:fs'
import { startHealthPoll } from '../load/health-poll.ts'
import { memoryPeakMb, type RunningPeer } from '../peers/service.ts'
import { weir } from '../peers/weir.ts'
import type { Row } from '../report.ts'
import { printProgress, type Settings, withPeer } from '../settings.ts'
import { type Attack, callAttacks } from './stall-calls.ts'
import { connectionAttacks } from './stall-connections.ts'
import { formulaAttacks } from './stall-formulas.ts'
import { listRows } from './stall-lists.ts'

/** The longest time that a parallel poll of /healthz waits while one hostile act is served. */
export async function stallSuite(settings: Settings): Promise<Row[]> {
  if (!settings.peers.includes(weir)) return []
  const rows: Row[] = []
  for (const attack of [...callAttacks, ...formulaAttacks, ...connectionAttacks]) {
    const missing = attack.missing?.()
    printProgress(`Weir: ${attack.work}${missing === undefined ? '' : ` is left out: ${missing}`}`)
    if (missing !== undefined) continue
    rows.push(await withPeer(weir, (running) => stalledBy(attack, running)))
  }
  rows.push(...(await listRows()))
  return rows
}

async function stalledBy(attack: Attack, { port, process }: RunningPeer): Promise<Row> {
  const act = await attack.prepare({ port, base: `http://127.0.0.1:${port}` })
  forgetPeak(process.pid)
  const poll = await startHealthPoll(port)
  const began = performance.now()
  const came = await act().finally(() => printProgress(`  done after ${seconds(began)} s`))
  const answered = seconds(began)
  const worstMs = await poll.stop()
  const memory = memoryPeakMb(process)?.toFixed(0) ?? '?'
  const note = `${came} after ${answered} s, ${memory} MB`
  const cells = { Weir: { value: worstMs, note } }
  return { work: `longest wait of others during ${attack.work}`, unit: 'ms', aim: '< 100', cells }
}

/** What was prepared is no part of the peak; where the system cannot forget it, it is. */
function forgetPeak(pid: number | undefined): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    printProgress('  the peak of memory includes what was prepared')
  }
}

function seconds(began: number): string {
  return ((performance.now() - began) / 1_000).toFixed(2)
}
