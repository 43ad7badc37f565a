import type { NumberLoop, Term } from '../operation/operation.ts'

const NULL = Number.NaN

/** AND is decided by FALSE, OR by TRUE; NULL only where neither side decides. */
function logic(decides: 0 | 1): NumberLoop {
  return (out, [left, right], _uncertain, count) => {
    for (let row = 0; row < count; row++) {
      const one = left[row]
      const other = right[row]
      if (one === decides || other === decides) out[row] = decides
      else out[row] = Number.isNaN(one) || Number.isNaN(other) ? NULL : 1 - decides
    }
  }
}

const isNull: NumberLoop = (out, [of], _uncertain, count) => {
  for (let row = 0; row < count; row++) out[row] = Number.isNaN(of[row]) ? 1 : 0
}

const nullIf: NumberLoop = (out, [of, unwanted], _uncertain, count) => {
  for (let row = 0; row < count; row++) {
    const value = of[row]
    out[row] = value === unwanted[row] ? NULL : value
  }
}

const coalesce: NumberLoop = (out, [first, ...rest], _uncertain, count) => {
  if (out !== first) out.set(first.subarray(0, count))
  for (const column of rest) {
    for (let row = 0; row < count; row++) if (Number.isNaN(out[row])) out[row] = column[row]
  }
}

const choose: NumberLoop = (out, args, _uncertain, count) => {
  const last = args.length - 1
  for (let row = 0; row < count; row++) {
    let index = 0
    while (index < last && args[index][row] !== 1) index += 2
    out[row] = index < last ? args[index + 1][row] : args[last][row]
  }
}

const chooseEqual: NumberLoop = (out, args, _uncertain, count) => {
  const last = args.length - 1
  for (let row = 0; row < count; row++) {
    const subject = args[0][row]
    let index = 1
    while (index < last && args[index][row] !== subject) index += 2
    out[row] = index < last ? args[index + 1][row] : args[last][row]
  }
}

const isIn: NumberLoop = (out, args, _uncertain, count) => {
  for (let row = 0; row < count; row++) {
    const subject = args[0][row]
    let found = 0
    for (let index = 1; index < args.length && found !== 1; index++) {
      const value = args[index][row]
      if (value === subject) found = 1
      else if (Number.isNaN(value)) found = NULL
    }
    out[row] = Number.isNaN(subject) ? NULL : found
  }
}

const isBetween: NumberLoop = (out, [of, low, high], _uncertain, count) => {
  for (let row = 0; row < count; row++) {
    const subject = of[row]
    const least = low[row]
    const most = high[row]
    if (subject < least || subject > most) out[row] = 0
    else out[row] = Number.isNaN(subject + least + most) ? NULL : 1
  }
}

/** What is no operation on arguments that are there, over columns. */
export const formLoops: Readonly<
  Record<Exclude<Term['kind'], 'apply' | 'constant' | 'input'>, NumberLoop>
> = {
  and: logic(0),
  or: logic(1),
  isNull,
  nullIf,
  coalesce,
  choose,
  switch: chooseEqual,
  in: isIn,
  between: isBetween,
}
