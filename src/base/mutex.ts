/** Lets one task run at a time, in the order in which they came. */
export class Mutex {
  #tail: Promise<unknown> = Promise.resolve()

  /** Runs the task when all before it have ended; settles as the task does. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const running = this.#tail.then(task)
    this.#tail = running.catch(() => {})
    return running
  }
}
