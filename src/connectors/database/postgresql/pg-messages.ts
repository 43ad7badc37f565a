/** The part of pg's wire connection that a portal needs; its types do not have it. */
import type { EventEmitter } from 'node:events'

/** A column of a result. */
export interface FieldDef {
  readonly name: string
  readonly dataTypeID: number
}

/** One row as it came. */
export interface DataRow {
  readonly fields: (string | null)[]
}

/** The wire protocol, message by message. */
export interface Connection extends EventEmitter {
  parse(message: { readonly text: string }): void
  bind(message: object): void
  describe(message: { readonly type: 'P'; readonly name: string }): void
  execute(message: { readonly portal: string; readonly rows: number }): void
  flush(): void
  sync(): void
  sendCopyFail(message: string): void
}

/** What the client runs in its turn, and gives the answers to. */
export interface Submittable {
  submit(connection: Connection): void
}
