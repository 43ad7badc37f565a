import { sqlFunctions } from '../../expression/index.ts'
import { SqlFailure } from '../sql-failure.ts'
import { serveRunner } from './serve-runner.ts'

/** Begins to serve calls: the code of a runner, once it is loaded. */
export function startRunner(): void {
  serveRunner({
    registerFunctions: (database, names) => {
      for (const { name, call } of sqlFunctions.filter((one) => names.includes(one.name))) {
        const options = { varargs: true, useBigIntArguments: true }
        database.function(name, options, call as never)
      }
    },
    loadSource: () => {
      throw new SqlFailure('Tables of texts are not known here')
    },
  })
}
