/** The entry of a single executable: the command line, or a runner of GS SQL that the service has started. */
import { RUNNER_WORD } from './sql/run/runner-command.ts'

if (process.argv[2] === RUNNER_WORD) await import('./sql/run/runner-main.ts')
else await import('./weir.ts')
