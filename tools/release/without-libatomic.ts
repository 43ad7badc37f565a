/**
 * Lets an executable of Node run on a Debian that has only its base packages. Node is linked with libatomic for one
 * function, __atomic_compare_exchange, which it calls with eight bytes. This adds that function to the executable, and
 * removes the library from what the dynamic linker loads. Any other size ends the process with a trap.
 *
 * The entry of the procedure linkage table becomes one that a resolver in the executable fills (R_*_IRELATIVE), as in
 * statically linked programs. The code lies in the unused end of the last page of code.
 *
 * Numbers and structures are those of the ELF specification and its supplements for x86-64 and AArch64.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

const FUNCTION = '__atomic_compare_exchange'
const LIBRARY = 'libatomic.so.1'

const LOAD = 1
const DYNAMIC = 2
const EXECUTABLE = 1

const TAG = {
  end: 0,
  needed: 1,
  pltBytes: 2,
  strings: 5,
  symbols: 6,
  plt: 23,
  versions: 0x6ffffff0,
  needs: 0x6ffffffe,
  needsCount: 0x6fffffff,
} as const

/** Bytes of one entry of a table. */
const DYNAMIC_BYTES = 16
const RELOCATION_BYTES = 24
const SYMBOL_BYTES = 24

interface Machine {
  /** R_*_IRELATIVE. */
  readonly resolved: number
  /** bool f(size, pointer, expected, desired), for a size of 8. */
  readonly compareExchange: Buffer
  /** Returns the address of the function above, which lies right before it. */
  readonly resolver: (functionBytes: number) => Buffer
}

const X64: Machine = {
  resolved: 37,
  compareExchange: Buffer.from(
    [
      '4883ff08', // cmp rdi, 8
      '7512', // jne trap
      '488b02', // mov rax, [rdx]
      '488b09', // mov rcx, [rcx]
      'f0480fb10e', // lock cmpxchg [rsi], rcx
      '488902', // mov [rdx], rax
      '0f94c0', // sete al
      'c3', // ret
      '0f0b', // trap: ud2
    ].join(''),
    'hex',
  ),
  resolver: (functionBytes) => {
    const code = Buffer.from('488d0500000000c3', 'hex') // lea rax, [rip + offset]; ret
    code.writeInt32LE(-functionBytes - 7, 3)
    return code
  },
}

const ARM64: Machine = {
  resolved: 1032,
  compareExchange: instructions(
    [0xf100201f, 'cmp x0, 8'],
    [0x540001c1, 'b.ne trap'],
    [0xf9400044, 'ldr x4, [x2]'],
    [0xf9400063, 'ldr x3, [x3]'],
    [0xc85ffc25, 'again: ldaxr x5, [x1]'],
    [0xeb0400bf, 'cmp x5, x4'],
    [0x540000a1, 'b.ne differs'],
    [0xc806fc23, 'stlxr w6, x3, [x1]'],
    [0x35ffff86, 'cbnz w6, again'],
    [0x52800020, 'mov w0, 1'],
    [0xd65f03c0, 'ret'],
    [0xd5033f5f, 'differs: clrex'],
    [0xf9000045, 'str x5, [x2]'],
    [0x52800000, 'mov w0, 0'],
    [0xd65f03c0, 'ret'],
    [0xd4200020, 'trap: brk 1'],
  ),
  // adr x0, function; ret
  resolver: (functionBytes) =>
    words(0x10000000 + ((-functionBytes >> 2) & 0x7ffff) * 32, 0xd65f03c0),
}

const MACHINES: Readonly<Record<number, Machine>> = { 62: X64, 183: ARM64 }

/** Instructions with their meaning in assembly language. */
function instructions(...all: ReadonlyArray<readonly [code: number, meaning: string]>): Buffer {
  return words(...all.map(([code]) => code))
}

function words(...values: number[]): Buffer {
  const code = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) code.writeUInt32LE(value, at * 4)
  return code
}

interface Segment {
  /** Where its header lies in the file. */
  readonly at: number
  readonly type: number
  readonly flags: number
  readonly offset: number
  readonly address: number
  readonly bytes: number
}

/** Changes an executable of Linux in place. Throws where it is not as expected, and changes nothing then. */
export function removeLibatomic(path: string): void {
  const before = readFileSync(path)
  const after = withoutLibatomic(Buffer.from(before))
  const file = openSync(path, 'r+')
  try {
    writeSync(file, after, 0, after.length, 0)
  } finally {
    closeSync(file)
  }
}

function withoutLibatomic(image: Buffer): Buffer {
  const machine = MACHINES[image.readUInt16LE(18)]
  if (image.toString('latin1', 0, 6) !== '\x7fELF\x02\x01' || machine === undefined) {
    throw new Error('The executable is not for Linux on x64 or arm64')
  }
  const elf = new Elf(image)
  const address = elf.addCode(machine)
  elf.resolveAt(address, machine.resolved)
  elf.forgetLibrary()
  return image
}

/** The parts of an executable that name a library or a function. */
class Elf {
  readonly #image: Buffer
  readonly #segments: readonly Segment[]
  readonly #dynamicAt: number

  constructor(image: Buffer) {
    this.#image = image
    const [first, count] = [Number(image.readBigUInt64LE(32)), image.readUInt16LE(56)]
    this.#segments = Array.from({ length: count }, (_, at) => this.#segmentAt(first + at * 56))
    this.#dynamicAt = this.#segments.find(({ type }) => type === DYNAMIC)?.offset ?? 0
  }

  #segmentAt(at: number): Segment {
    const number = (offset: number) => Number(this.#image.readBigUInt64LE(at + offset))
    return {
      at,
      type: this.#image.readUInt32LE(at),
      flags: this.#image.readUInt32LE(at + 4),
      offset: number(8),
      address: number(16),
      bytes: number(32),
    }
  }

  /** Puts the function behind the code; returns the address of its resolver. */
  addCode({ compareExchange, resolver }: Machine): number {
    const loaded = this.#segments.filter(({ type }) => type === LOAD)
    const code = loaded.find(({ flags }) => (flags & EXECUTABLE) !== 0)
    if (code === undefined) throw new Error('The executable has no code')
    const gap = -(code.address + code.bytes) & 15
    const added = Buffer.concat([compareExchange, resolver(compareExchange.length)])
    const from = code.offset + code.bytes + gap
    const next = loaded
      .map(({ offset }) => offset)
      .filter((offset) => offset > code.offset)
      .sort((a, b) => a - b)[0]
    const free = this.#image.subarray(code.offset + code.bytes, from + added.length)
    if (from + added.length > next || free.some((byte) => byte !== 0)) {
      throw new Error('The executable has no room behind its code')
    }
    added.copy(this.#image, from)
    const bytes = BigInt(code.bytes + gap + added.length)
    this.#image.writeBigUInt64LE(bytes, code.at + 32)
    this.#image.writeBigUInt64LE(bytes, code.at + 40)
    return code.address + code.bytes + gap + compareExchange.length
  }

  /** Has the dynamic linker ask a resolver for the function. */
  resolveAt(address: number, type: number): void {
    const [strings, symbols] = [this.#tableAt(TAG.strings), this.#tableAt(TAG.symbols)]
    const plt = this.#tableAt(TAG.plt)
    const count = this.#value(TAG.pltBytes) / RELOCATION_BYTES
    for (let index = 0; index < count; index += 1) {
      const at = plt + index * RELOCATION_BYTES
      const symbol = this.#image.readUInt32LE(at + 12)
      const name = strings + this.#image.readUInt32LE(symbols + symbol * SYMBOL_BYTES)
      if (this.#text(name) !== FUNCTION) continue
      this.#image.writeBigUInt64LE(BigInt(type), at + 8)
      this.#image.writeBigInt64LE(BigInt(address), at + 16)
      // Nothing refers to the symbol now, and its version is not looked for.
      this.#image.writeUInt16LE(1, this.#tableAt(TAG.versions) + symbol * 2)
      return
    }
    throw new Error(`The executable does not call ${FUNCTION}`)
  }

  /** Removes the library, and the version of it, from what the dynamic linker looks for. */
  forgetLibrary(): void {
    const strings = this.#tableAt(TAG.strings)
    const needed = this.#entries().find(
      ({ tag, value }) => tag === TAG.needed && this.#text(strings + value) === LIBRARY,
    )
    if (needed === undefined) throw new Error(`The executable does not need ${LIBRARY}`)
    this.#forgetVersions(strings)
    const end = this.#entries().findLast(() => true)?.at ?? needed.at
    this.#image.copyWithin(needed.at, needed.at + DYNAMIC_BYTES, end + 2 * DYNAMIC_BYTES)
  }

  #forgetVersions(strings: number): void {
    const [count, needsCount] = [this.#entry(TAG.needsCount), this.#value(TAG.needsCount)]
    let at = this.#tableAt(TAG.needs)
    let before: number | undefined
    for (let index = 0; index < needsCount; index += 1) {
      const next = this.#image.readUInt32LE(at + 12)
      if (this.#text(strings + this.#image.readUInt32LE(at + 4)) === LIBRARY) {
        if (before === undefined) this.#setValue(TAG.needs, this.#value(TAG.needs) + next)
        else {
          const toNext = next === 0 ? 0 : at + next - before
          this.#image.writeUInt32LE(toNext, before + 12)
        }
        this.#image.writeBigUInt64LE(BigInt(needsCount - 1), count + 8)
        return
      }
      before = at
      at += next
    }
  }

  /** The entries of the dynamic section, up to its end. */
  #entries(): Array<{ readonly at: number; readonly tag: number; readonly value: number }> {
    const entries: Array<{ at: number; tag: number; value: number }> = []
    for (let at = this.#dynamicAt; ; at += DYNAMIC_BYTES) {
      const tag = Number(this.#image.readBigUInt64LE(at))
      if (tag === TAG.end) return entries
      entries.push({ at, tag, value: Number(this.#image.readBigUInt64LE(at + 8)) })
    }
  }

  #entry(tag: number): number {
    const found = this.#entries().find((entry) => entry.tag === tag)
    if (found === undefined) throw new Error(`The executable has no dynamic entry ${tag}`)
    return found.at
  }

  #value(tag: number): number {
    return Number(this.#image.readBigUInt64LE(this.#entry(tag) + 8))
  }

  #setValue(tag: number, value: number): void {
    this.#image.writeBigUInt64LE(BigInt(value), this.#entry(tag) + 8)
  }

  /** Where the table lies in the file whose address an entry has. */
  #tableAt(tag: number): number {
    const address = this.#value(tag)
    const segment = this.#segments.find(
      (one) => one.type === LOAD && address >= one.address && address < one.address + one.bytes,
    )
    if (segment === undefined) throw new Error(`No segment has the address ${address}`)
    return segment.offset + address - segment.address
  }

  #text(at: number): string {
    return this.#image.toString('latin1', at, this.#image.indexOf(0, at))
  }
}
