import { parseArgs } from 'node:util'

/** What a run of the tests was asked for. */
export interface TestCommand {
  /** Only tests that need no browser, JVM, database server or process of their own. */
  readonly isQuick: boolean
  /** With all rounds of random tests and of faults. */
  readonly isNightly: boolean
  /** The commit since which changes count, when only what they reach is asked for. */
  readonly changedSince?: string
  /** Whether the run ends with the first test that fails. */
  readonly isBailing: boolean
  /** Whether files were named: types and lint are then left out. */
  readonly namesFiles: boolean
  /** Patterns of test files. */
  readonly patterns: readonly string[]
}

const EVERYTHING = ['src/**/*.test.ts', 'test/**/*.test.ts']

/** Parts of the nightly run that a name chooses. */
const NIGHTLY_PARTS: Readonly<Record<string, readonly string[]>> = {
  cluster: ['test/slow/cluster/**/*.test.ts'],
  faults: ['test/slow/cluster/faults.test.ts', 'test/slow/cluster/fault-rounds.test.ts'],
  kill: ['test/slow/**/*kill*.test.ts', 'test/slow/process/file-upload.test.ts'],
  power: ['test/power/*.test.ts'],
}

/** Reads the words behind `npm test --`; ends the process with a message when it does not know one. */
export function readTestCommand(words: readonly string[]): TestCommand {
  try {
    return parseTestCommand(words)
  } catch (error) {
    console.error((error as Error).message)
    process.exit(2)
  }
}

/** As readTestCommand(), but throws. */
export function parseTestCommand(words: readonly string[]): TestCommand {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      nightly: { type: 'boolean', default: false },
      changed: { type: 'boolean', default: false },
      since: { type: 'string' },
      bail: { type: 'boolean', default: false },
    },
  })
  const changedSince = values.since ?? (values.changed ? 'HEAD' : undefined)
  if (changedSince !== undefined && !values.quick)
    throw new Error('--changed and --since belong to npm run test:quick')
  const named = values.nightly ? positionals.flatMap(nightlyPart) : positionals
  return {
    isQuick: values.quick,
    isNightly: values.nightly,
    changedSince,
    isBailing: values.bail,
    namesFiles: named.length > 0,
    patterns: named.length > 0 ? named : EVERYTHING,
  }
}

function nightlyPart(name: string): readonly string[] {
  const part = NIGHTLY_PARTS[name]
  if (part !== undefined) return part
  if (name.endsWith('.test.ts')) return [name]
  throw new Error(
    `The nightly run has no part "${name}": name a test file or one of ${Object.keys(NIGHTLY_PARTS).join(', ')}`,
  )
}
