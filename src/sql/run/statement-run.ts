import { SqlFailure } from '../sql-failure.ts'
import { CellReader, type CellWriter, type RowCell } from './cell-codec.ts'
import { readInputColumns } from './input-batch.ts'
import type { RunnerChannel } from './runner-channel.ts'
import type { InsertRow } from './runner-database.ts'
import { FRAME, FRAME_BYTES_MAX, ROWS_BYTES } from './runner-frames.ts'

/** One run of a program. */
export interface RunRequest {
  /** The time of the call, in epoch ms. */
  readonly now: bigint
  readonly rowsMax: number
  /** A value for each variable of the program; SET changes them. */
  readonly variables: RowCell[]
}

/** Which stored table is asked for, and with what. */
interface TableWant {
  readonly read: number
  readonly columnCount: number
  readonly given: readonly RowCell[]
  /** Undefined where it unknown. */
  readonly bounds: readonly RowCell[] | undefined
}

/** One statement of a run, on a runner's side of the channel. */
export class StatementRun {
  readonly order: RunRequest
  readonly #channel: RunnerChannel
  readonly #index: number
  readonly #rowsLeft: number

  constructor(about: {
    readonly order: RunRequest
    readonly channel: RunnerChannel
    readonly index: number
    readonly rowsLeft: number
  }) {
    this.order = about.order
    this.#channel = about.channel
    this.#index = about.index
    this.#rowsLeft = about.rowsLeft
  }

  sendOptions(row: readonly RowCell[]): void {
    this.#channel.write(FRAME.options, (writer) => {
      writer.uint32(this.#index)
      writer.uint32(row.length)
      for (const cell of row) writer.cell(cell)
    })
  }

  /** Sends all rows, some in a frame; answers how many there were. */
  sendRows(columnCount: number, rows: Iterator<unknown>): number {
    let count = 0
    let next = rows.next()
    const writeSome = (writer: CellWriter): void => {
      const from = writer.length
      writer.uint32(this.#index)
      writer.uint32(columnCount)
      let above: readonly RowCell[] = []
      while (!next.done && writer.length - from < ROWS_BYTES) {
        count += 1
        if (count > this.#rowsLeft) {
          throw new SqlFailure(`Cannot run this: it returns more than ${this.order.rowsMax} rows`)
        }
        const row = next.value as readonly RowCell[]
        for (let column = 0; column < columnCount; column += 1) {
          writer.cell(row[column], above[column])
        }
        if (writer.length - from > FRAME_BYTES_MAX) {
          throw new SqlFailure(`Cannot run this: a row is longer than ${FRAME_BYTES_MAX} bytes`)
        }
        above = row
        next = rows.next()
      }
    }
    try {
      while (!next.done) this.#channel.write(FRAME.rows, writeSome)
    } finally {
      rows.return?.()
    }
    return count
  }

  /** Asks the service for the rows of a stored table, and waits until all are there. */
  readInput({ read, columnCount, given, bounds }: TableWant, insert: InsertRow): void {
    this.#channel.write(FRAME.want, (writer) => {
      writer.uint32(this.#index)
      writer.uint32(read)
      writer.uint32(given.length)
      for (const cell of given) writer.cell(cell)
      writer.uint8(bounds === undefined ? 0 : 1)
      for (const cell of bounds ?? []) writer.cell(cell)
    })
    this.#channel.flush()
    for (const body of this.#channel.inputs()) {
      insertRows(readInputColumns(new CellReader(body), columnCount), insert)
    }
  }
}

function insertRows(
  { rowCount, columns }: ReturnType<typeof readInputColumns>,
  insert: InsertRow,
): void {
  const cells: RowCell[] = new Array(columns.length)
  for (let row = 0; row < rowCount; row += 1) {
    for (let column = 0; column < columns.length; column += 1) cells[column] = columns[column][row]
    insert(cells)
  }
}
