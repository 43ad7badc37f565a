/** Milliseconds after which a browser connects again. */
const RETRY_MS = 2_000

/** An event as text/event-stream has it; JSON has no line breaks of its own. */
export function eventText(event: string, json: string): string {
  return `event: ${event}\ndata: ${json}\n\n`
}

/** The cursor by which a client goes on; alone it is no event, and says that the connection lives. */
export function cursorText(cursor: string): string {
  return `:\nid: ${cursor}\n\n`
}

/** What a connection begins with. */
export const FIRST_TEXT = `retry: ${RETRY_MS}\n\n`
