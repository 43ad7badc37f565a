import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { FairQueue, type TaskOwner } from './proof/fair-queue.ts'

/** What a hash takes, in Argon2's terms; memory in KiB. */
export interface PasswordCost {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

/** About 0.1 s and 32 MiB a hash: twice what is recommended at least, and a sign-in stays quick. */
const COST: PasswordCost = { memory: 32_768, passes: 3, parallelism: 1 }
const TAG_BYTES = 32
const SALT_BYTES = 16

/** Where hashes wait that nobody sent. */
const OWN_TASKS: TaskOwner = { name: '', isKnown: true }

/**
 * Hashes passwords with Argon2id, one at a time and fairly: more at once would hold up everything else that
 * uses the thread pool, and the memory of a hash is the point of it.
 */
export class PasswordHasher {
  readonly #queue = new FairQueue()
  readonly #cost: PasswordCost
  /** Stands for the hash of an account that there is not, so that both take as long. */
  readonly #nobody: string

  constructor(cost = COST) {
    this.#cost = cost
    this.#nobody = hashText(cost, Buffer.alloc(SALT_BYTES), Buffer.alloc(TAG_BYTES))
  }

  /** What is stored of a password: algorithm, cost, salt and tag in the usual text form. */
  async hash(password: string, owner = OWN_TASKS): Promise<string> {
    const salt = randomBytes(SALT_BYTES)
    const tag = await this.#queue.run(owner, () => derive(password, salt, this.#cost))
    return hashText(this.#cost, salt, tag)
  }

  /** Whether a password is the one of the hash; without a hash, false after the same work. */
  async verify(password: string, hash: string | undefined, owner = OWN_TASKS): Promise<boolean> {
    const { cost, salt, tag } = parseHash(hash ?? this.#nobody)
    const derived = await this.#queue.run(owner, () => derive(password, salt, cost))
    return timingSafeEqual(derived, tag) && hash !== undefined
  }
}

function derive(password: string, salt: Uint8Array, cost: PasswordCost): Promise<Buffer> {
  const message = Buffer.from(password.normalize('NFKC'), 'utf8')
  const parameters = { message, nonce: salt, tagLength: TAG_BYTES, ...cost }
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, tag) => (error === null ? resolve(tag) : reject(error)))
  })
}

function hashText(cost: PasswordCost, salt: Buffer, tag: Buffer): string {
  const { memory, passes, parallelism } = cost
  const encoded = [salt, tag].map((bytes) => bytes.toString('base64').replaceAll('=', ''))
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encoded.join('$')}`
}

function parseHash(text: string): { cost: PasswordCost; salt: Buffer; tag: Buffer } {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(text)
  if (match === null) throw new Error('cannot parse a stored password hash')
  const [memory, passes, parallelism] = match.slice(1, 4).map(Number)
  const [salt, tag] = match.slice(4).map((part) => Buffer.from(part, 'base64'))
  return { cost: { memory, passes, parallelism }, salt, tag }
}
