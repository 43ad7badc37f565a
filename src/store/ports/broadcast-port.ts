/**
 * Tells the other processes of a cluster something that they may do without: a text may be lost, and comes once at most.
 */
export interface Broadcast {
  /** Bytes of the longest text. */
  readonly textBytesMax: number
  /** Sends texts to the others; returns at once. */
  tell(texts: readonly string[]): void
  /** Calls a listener with each text of another process. */
  onText(listener: (text: string) => void): void
}
