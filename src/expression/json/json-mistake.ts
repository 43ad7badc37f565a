/** A text that is no JSON, or no path into it: what is wrong, and at which character. */
export class JsonMistake extends Error {
  readonly at: number

  constructor(problem: string, at: number) {
    super(problem)
    this.name = 'JsonMistake'
    this.at = at
  }
}
