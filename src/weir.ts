/** The command line: asks the running service, or opens the data folder itself when none runs. */
import { readFileSync } from 'node:fs'
import { outliveReaders, Refusal, readConfig } from './base/index.ts'
import {
  type CheckState,
  type CommandAnswer,
  followCheck,
  type ParsedLine,
  parseCommand,
  printResult,
  sendCommand,
  showCheckResult,
  UsageMistake,
  usageText,
} from './cli/index.ts'

const EXIT_USAGE = 64
/** The code of sysexits.h for data that is not right. */
const EXIT_DAMAGE = 65

/** Lets npm repair a folder on which no service can run. */
const FOLDER_COMMAND = 'folder accept-loss'

/** What failed, where it is not the start of a service. */
const ATTEMPTS: Readonly<Record<string, string>> = {
  backup: 'Backup failed. The incomplete backup was removed',
  restore: 'Restore failed. The incomplete data folder was removed',
  migrate: 'The migration failed. Run the same command to continue',
  move: 'The move was interrupted. Run the same command to continue',
}

type Options = ParsedLine['options']

async function main(): Promise<void> {
  const line = parseCommand(process.argv.slice(2))
  if (line.name !== 'serve' && line.name !== 'demo') outliveReaders()
  if (line.name === 'help') console.log(usageText)
  else if (line.name === 'serve') await (await import('./serve-command.ts')).runServe()
  else if (line.name === 'demo') await (await import('./demo-command.ts')).runDemo()
  else if (line.name === 'version') (await import('./version-command.ts')).printVersion(line)
  else if (line.name === 'licenses') (await import('./version-command.ts')).printLicenses(line)
  else if (line.name === 'check') await runCheck(line)
  else if (line.name === 'backup') await (await import('./backup-command.ts')).runBackup(line)
  else if (line.name === 'restore') await (await import('./backup-command.ts')).runRestore(line)
  else if (line.name === 'add') await (await import('./add-command.ts')).runAdd(line)
  else if (line.name === 'move') await (await import('./move-command.ts')).runMove(line)
  else if (line.name === 'migrate influx') {
    await (await import('./migrate-command.ts')).runMigrateInflux(line)
  } else await runLine(line)
}

async function runLine({ name, options, isJson }: ParsedLine): Promise<void> {
  const config = readConfig(process.env)
  const command = { name, options: withStandardInput(options) }
  const isForFolder = name === FOLDER_COMMAND
  const sent = isForFolder ? undefined : await sendCommand(config.dataDir, command)
  const answer = sent ?? (await runHere(command))
  if (isJson) console.log(JSON.stringify(answer))
  else if (answer.success) console.log(printResult(answer.result))
  else console.error(answer.message)
  process.exitCode = answer.success ? 0 : 1

  async function runHere(local: typeof command): Promise<CommandAnswer> {
    process.umask(0o077)
    // The service is loaded only here: a command that a running one answers needs none of it.
    const { acceptFolderLoss, openMaintenance } = await import('./app.ts')
    const { runCommand } = await import('./auth/administer/index.ts')
    try {
      if (isForFolder) return { success: true, result: acceptFolderLoss(config) }
      const { identity, close } = await openMaintenance(config)
      const result = await runCommand(identity, local).finally(close)
      return { success: true, result }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { success: false, message: error.message, code: error.code }
    }
  }
}

/** Exit code 0: all is well; 65: something is damaged; 1: it did not come to its end. */
async function runCheck({ isJson }: ParsedLine): Promise<void> {
  const config = readConfig(process.env)
  const askService = async (name: string): Promise<CheckState | undefined> => {
    const answer = await sendCommand(config.dataDir, { name, options: {} })
    if (answer?.success === false) throw new Refusal('bad_input', answer.message)
    return answer?.result as CheckState | undefined
  }
  let failure = 'the service on this folder has stopped'
  const handlers = {
    onProgress: ({ part, items, bytes }: { part?: string; items: number; bytes: number }) =>
      console.error(`checking ${part ?? 'begins'}: ${items} items, ${bytes} bytes so far`),
    onFailure: (why: string) => {
      failure = why
    },
  }
  const done = (await isAnswered(askService))
    ? await followCheck(async (name) => (await askService(name)) ?? gone(), handlers)
    : await checkHere()
  if (done === undefined) {
    if (isJson) console.log(JSON.stringify({ success: false, message: failure, code: 'internal' }))
    else console.error(`The check did not complete: ${failure}`)
    process.exitCode = 1
    return
  }
  const { running: _running, passCount: _passCount, failure: _failure, ...result } = done
  console.log(
    isJson ? JSON.stringify({ success: true, result }) : printResult(showCheckResult(done)),
  )
  process.exitCode = done.damaged.length === 0 ? 0 : EXIT_DAMAGE

  async function checkHere(): Promise<CheckState | undefined> {
    process.umask(0o077)
    const { openChecker } = await import('./app.ts')
    const { answerCheck } = await import('./cli/index.ts')
    const { close, ...parts } = await openChecker(config)
    return followCheck(async (name) => answerCheck(parts, name), handlers).finally(close)
  }
}

/** Whether a service runs on the folder. */
async function isAnswered(ask: (name: string) => Promise<unknown>): Promise<boolean> {
  return (await ask('check status')) !== undefined
}

function gone(): never {
  throw new Refusal('bad_input', 'The service stopped during the check. Start it and check again')
}

/** A password given as "-" comes from standard input, so that no list of processes shows it. */
function withStandardInput(options: Options): Options {
  const read = (value: string) =>
    value === '-' ? readFileSync(0, 'utf8').split('\n', 1)[0] : value
  return Object.fromEntries(
    Object.entries(options).map(([name, values]) => [
      name,
      name.endsWith('password') ? values.map(read) : values,
    ]),
  )
}

main().catch(async (error: unknown) => {
  // A line that could not be read says by itself how it wants its answer.
  const isJson = process.argv.slice(2).includes('--json')
  const handlers = (message: string, code: string) => {
    if (isJson) console.log(JSON.stringify({ success: false, message, code }))
    return isJson
  }
  if (error instanceof Refusal) {
    if (!handlers(error.message, error.code)) console.error(error.message)
    process.exit(1)
  }
  if (!(error instanceof UsageMistake)) {
    return (await import('./serve.ts')).exitWith(error, ATTEMPTS[process.argv[2]])
  }
  if (!handlers(error.message, 'bad_input')) console.error(`${error.message}\n\n${usageText}`)
  process.exit(EXIT_USAGE)
})
