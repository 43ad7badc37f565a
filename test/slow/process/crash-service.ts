/** The service as a process whose delete profiles are looked at all the time, until it is killed. */
import { setTimeout as wait } from 'node:timers/promises'
import { openApp } from '../../../src/app.ts'
import { createLog, readConfig } from '../../../src/base/index.ts'

const config = readConfig(process.env)
const app = await openApp(config, { log: createLog({ level: 'warn' }) })
const address = await app.listen()
console.log(JSON.stringify({ address }))
for (;;) {
  await app.deleteProfileJob.run()
  // The processor is for the calls that the test makes.
  await wait(2)
}
