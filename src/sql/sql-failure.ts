/**
 * What went wrong while a query ran, thrown by functions that `registerSqlFunctions` registers and by
 * `loadSource`. `place` is the number of a place of that query; undefined where the whole is meant.
 */
export class SqlFailure extends Error {
  readonly place: number | undefined

  constructor(problem: string, place?: number) {
    super(problem)
    this.name = 'SqlFailure'
    this.place = place
  }
}
