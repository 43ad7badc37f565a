/** The code of a runner. It serves calls when it is told to; it is also loaded to see that it can be, and to be compiled. */
import { registerSqlFunctions } from '../functions/register-functions.ts'
import { loadSource } from '../source/load-source.ts'
import { serveRunner } from './serve-runner.ts'

if (process.argv.at(-1) === 'serve') {
  serveRunner({ registerFunctions: registerSqlFunctions, loadSource })
}
