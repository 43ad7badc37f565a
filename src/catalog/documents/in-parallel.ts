/**
 * Runs a task for each of some items, some at a time; when one fails no other is begun, and the first failure is reported
 * once those under way have ended.
 */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  let failure: { readonly error: unknown } | undefined
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      if (failure !== undefined) return
      try {
        await task(item)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
  if (failure !== undefined) throw failure.error
}
