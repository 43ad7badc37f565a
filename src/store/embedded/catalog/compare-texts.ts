/** Compares texts as bytes, which is how the indexes order them. */
export function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
