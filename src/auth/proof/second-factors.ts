import { randomBytes } from 'node:crypto'
import { type Clock, hashSecret, refuse } from '../../base/index.ts'
import {
  CatalogConflict,
  type CatalogDocument,
  type CatalogStore,
  type CatalogWrite,
  type PutDocument,
} from '../../store/index.ts'
import type { SecretBox } from '../secret-box.ts'
import { findTotpStep, newTotpSecret, totpAddress } from './totp.ts'

/** What a user receives when a second factor begins: once, for the authenticator app. */
export interface BegunFactor {
  readonly secret: string
  readonly address: string
}

/** How a user stands with the second factor. */
export interface FactorState {
  readonly isOn: boolean
  readonly recoveryCodesLeft: number
}

type Factor = {
  readonly sealedSecret: string
  readonly isOn: boolean
  /** The step of the last code that was taken: no code is good twice. */
  readonly lastStep: number
  readonly recoveryHashes: readonly string[]
}

const KIND = 'second_factor'
const RECOVERY_CODES = 10
/** 112 bits: enough that a fast hash protects the codes as well as a slow one. */
const RECOVERY_BYTES = 14
const CODE_LENGTH_MAX = 64
/** How long a factor that was begun waits for its first code. */
const BEGUN_MS = 3_600_000

/** The second factors of users: codes of an authenticator app, and codes for when it is lost. */
export class SecondFactors {
  readonly #store: CatalogStore
  readonly #clock: Clock
  readonly #box: SecretBox

  constructor(deps: {
    readonly store: CatalogStore
    readonly clock: Clock
    readonly box: SecretBox
  }) {
    this.#store = deps.store
    this.#clock = deps.clock
    this.#box = deps.box
  }

  /** How a user stands; one that was begun and not confirmed is not on. */
  async stateOf(userUid: string): Promise<FactorState> {
    const { factor } = await this.#read(userUid)
    const isOn = factor?.isOn === true
    return { isOn, recoveryCodesLeft: isOn ? factor.recoveryHashes.length : 0 }
  }

  /** Makes a secret that is in force once a code of it was given; refuses when one is. */
  async begin(userUid: string, account: string): Promise<BegunFactor> {
    const { factor, revision } = await this.#read(userUid)
    if (factor?.isOn === true) refuseBegun()
    const secret = newTotpSecret()
    const sealedSecret = this.#box.seal(secret, ownerOf(userUid))
    const begun = { sealedSecret, isOn: false, lastStep: 0, recoveryHashes: [] }
    const expiresAtMs = this.#clock.now() + BEGUN_MS
    await this.#store.commit([{ ...putOf(userUid, begun, revision), expiresAtMs }])
    return { secret, address: totpAddress(secret, account) }
  }

  /** Puts the begun factor in force, together with other writes; answers its recovery codes, once. */
  async confirm(
    userUid: string,
    code: string,
    also: readonly CatalogWrite[],
  ): Promise<readonly string[]> {
    const { factor, revision } = await this.#read(userUid)
    if (factor === undefined || factor.isOn) {
      refuse('conflict', { what: 'No second factor was started. PUT it first' })
    }
    const step = this.#stepOf(userUid, factor, code)
    if (step === undefined) {
      const field = 'second_factor.otp'
      refuse('bad_input', {
        what: `${field} is wrong. Enter the code that the app shows now`,
        field,
      })
    }
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
    const recoveryHashes = codes.map((one) => hashSecret(withoutDashes(one)))
    const on = { ...factor, isOn: true, lastStep: step, recoveryHashes }
    await this.#store.commit([putOf(userUid, on, revision), ...also])
    return codes
  }

  /** Whether a code, or a recovery code, is right; it is spent with that. */
  async use(userUid: string, code: string): Promise<boolean> {
    const { factor, revision } = await this.#read(userUid)
    if (factor?.isOn !== true || code.length > CODE_LENGTH_MAX) return false
    const given = withoutDashes(code)
    const hash = hashSecret(given)
    const lastStep = this.#stepOf(userUid, factor, given)
    const recoveryHashes = factor.recoveryHashes.filter((one) => one !== hash)
    const isRecovery = recoveryHashes.length < factor.recoveryHashes.length
    if (lastStep === undefined && !isRecovery) return false
    const used = { ...factor, recoveryHashes, lastStep: lastStep ?? factor.lastStep }
    try {
      await this.#store.commit([putOf(userUid, used, revision)])
      return true
    } catch (error) {
      // Somebody else was let in by it in the same moment.
      if (error instanceof CatalogConflict) return false
      throw error
    }
  }

  /** Takes the second factor away, together with other writes. */
  async remove(userUid: string, also: readonly CatalogWrite[] = []): Promise<void> {
    await this.#store.commit([this.planRemove(userUid), ...also])
  }

  /** The write that takes the second factor away, for a commit of others. */
  planRemove(userUid: string): CatalogWrite {
    return { op: 'delete', orgUid: '', kind: KIND, uid: userUid, expectedRevision: 'any' }
  }

  #stepOf(userUid: string, factor: Factor, code: string): number | undefined {
    const secret = this.#openSecret(userUid, factor)
    if (secret === undefined) return undefined
    return findTotpStep(secret, code, { nowMs: this.#clock.now(), after: factor.lastStep })
  }

  /** Undefined under another secret.key than it was encrypted with: recovery codes work all the same. */
  #openSecret(userUid: string, factor: Factor): string | undefined {
    try {
      return this.#box.open(factor.sealedSecret, ownerOf(userUid))
    } catch {
      return undefined
    }
  }

  async #read(userUid: string): Promise<{ factor: Factor | undefined; revision: number }> {
    const document = await this.#store.get({ orgUid: '', kind: KIND, uid: userUid })
    const isOver = (document?.expiresAtMs ?? Number.POSITIVE_INFINITY) <= this.#clock.now()
    const factor = isOver ? undefined : factorOf(document)
    return { factor, revision: document?.revision ?? 0 }
  }
}

/** Refuses to begin a second factor where one is on. */
export function refuseBegun(): never {
  return refuse('conflict', { what: 'A second factor is already on. Delete it first' })
}

function factorOf(document: CatalogDocument | undefined): Factor | undefined {
  return document?.body as Factor | undefined
}

function putOf(userUid: string, factor: Factor, expectedRevision: number): PutDocument {
  // Anyone who signs in may do so to make room.
  const mayUseReserve = true
  return {
    op: 'put',
    orgUid: '',
    kind: KIND,
    uid: userUid,
    mayUseReserve,
    expectedRevision,
    body: factor,
  }
}

function ownerOf(userUid: string): string {
  return `second_factor:${userUid}`
}

/** Four groups of hexadecimal digits, which are kept as a hash. */
function newRecoveryCode(): string {
  const digits = randomBytes(RECOVERY_BYTES).toString('hex')
  return [0, 7, 14, 21].map((at) => digits.slice(at, at + 7)).join('-')
}

/** A code as it is compared, however people write it. */
function withoutDashes(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toLowerCase()
}
