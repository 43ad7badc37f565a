/** The service as a process that kills itself at a commit about notices, as the environment says. */
import { openApp } from '../../src/app.ts'
import { createLog, readConfig } from '../../src/base/index.ts'
import { withCommit } from '../../src/store/index.ts'

const { KILL_AT_COMMIT, KILL_SIDE, ...env } = process.env
const KINDS: ReadonlySet<string> = new Set(['alert_state', 'notice'])
let left = Number(KILL_AT_COMMIT)

const app = await openApp(readConfig(env), {
  log: createLog({ level: 'warn' }),
  wrapCatalog: (store) =>
    withCommit(store, async (writes, ...rest) => {
      const isStep = writes.some(({ kind }) => KINDS.has(kind))
      if (isStep) left -= 1
      const isKill = isStep && left === 0
      if (isKill && KILL_SIDE === 'before') process.kill(process.pid, 'SIGKILL')
      const result = await store.commit(writes, ...rest)
      if (isKill) process.kill(process.pid, 'SIGKILL')
      return result
    }),
})
const address = await app.listen()
console.log(JSON.stringify({ address }))
