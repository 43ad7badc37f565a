/** The code of a runner. With the word `serve` it serves calls; without it the code is only loaded, to compile or to check it. */
import { registerSqlFunctions } from '../functions/register-functions.ts'
import { loadSource } from '../source/load-source.ts'
import { serveRunner } from './serve-runner.ts'

if (process.argv.at(-1) === 'serve') {
  serveRunner({ registerFunctions: registerSqlFunctions, loadSource })
}
