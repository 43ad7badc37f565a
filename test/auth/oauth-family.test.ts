import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findBearer, OAuthError } from '../../src/auth/oauth/index.ts'
import { fc } from '../support/fast-check.ts'
import { type OAuthModel, openOAuthModel } from '../support/oauth-model.ts'

const HOUR_MS = 3_600_000
const LIFE = { accessTokenSeconds: 7_200, refreshTokenSeconds: 86_400 }

interface KnownCode {
  readonly code: string
  readonly endsAtMs: number
  family: Family | undefined
}

interface KnownToken {
  readonly text: string
  readonly endsAtMs: number
  isUsed: boolean
}

/** What came from one code: a plain list of tokens that all end together. */
interface Family {
  isRevoked: boolean
  readonly access: KnownToken[]
  readonly refresh: KnownToken[]
}

/** The rules in a few plain lines, beside the service that must agree with them. */
class World {
  readonly model: OAuthModel
  readonly codes: KnownCode[] = []

  constructor(model: OAuthModel) {
    this.model = model
  }

  async issue(): Promise<void> {
    const endsAtMs = this.model.clock.now() + 600_000
    this.codes.push({ code: await this.model.issue(), endsAtMs, family: undefined })
  }

  async exchange(pick: number): Promise<void> {
    const known = this.codes[pick % this.codes.length]
    if (known === undefined) return
    const isRight = known.family === undefined && this.model.clock.now() < known.endsAtMs
    if (known.family !== undefined) known.family.isRevoked = true
    const tokens = await this.#ask({ grant_type: 'authorization_code', code: known.code }, isRight)
    if (tokens === undefined) return
    known.family = { isRevoked: false, access: [], refresh: [] }
    this.#keep(known.family, tokens)
  }

  async refresh(pick: number, age: number): Promise<void> {
    const families = this.codes.flatMap(({ family }) => family ?? [])
    const family = families[pick % families.length]
    if (family === undefined) return
    const token = family.refresh[Math.max(0, family.refresh.length - 1 - age)]
    const isAlive = !family.isRevoked && this.model.clock.now() < endOf(family)
    const isRight = isAlive && !token.isUsed && this.model.clock.now() < token.endsAtMs
    if (isAlive && token.isUsed) family.isRevoked = true
    const asked = { grant_type: 'refresh_token', refresh_token: token.text }
    const tokens = await this.#ask(asked, isRight)
    if (tokens === undefined) return
    token.isUsed = true
    this.#keep(family, tokens)
  }

  /** Every access token works exactly when the rules say so. */
  async check(): Promise<void> {
    const now = this.model.clock.now()
    for (const { family } of this.codes) {
      for (const [at, { text, endsAtMs }] of (family?.access ?? []).entries()) {
        const isCrowdedOut = at < (family?.access.length ?? 0) - 10
        const isAlive = family?.isRevoked === false && now < endsAtMs && !isCrowdedOut
        assert.equal((await findBearer(this.model.base, text)) !== undefined, isAlive)
        // The next step finds it in memory.
        assert.equal((await this.model.bearers.find(text)) !== undefined, isAlive)
      }
    }
  }

  #keep(family: Family, tokens: { access_token: string; refresh_token: string }): void {
    const now = this.model.clock.now()
    const known = (text: string, seconds: number) => ({
      text,
      endsAtMs: now + seconds * 1_000,
      isUsed: false,
    })
    family.access.push(known(tokens.access_token, LIFE.accessTokenSeconds))
    family.refresh.push(known(tokens.refresh_token, LIFE.refreshTokenSeconds))
  }

  async #ask(params: Record<string, string>, isRight: boolean) {
    try {
      const tokens = await this.model.ask({ ...params, client_id: 'c1' })
      assert.ok(isRight, `${params.grant_type} was answered and should have been refused`)
      return tokens
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error
      assert.ok(!isRight, `${params.grant_type} was refused: ${error.message}`)
      assert.equal(error.error, 'invalid_grant')
      return undefined
    }
  }
}

/** A grant ends with its newest refresh token. */
function endOf(family: Family): number {
  return Math.max(...family.refresh.map(({ endsAtMs }) => endsAtMs))
}

const step = fc.oneof(
  fc.constant((world: World) => world.issue()),
  fc.nat(20).map((pick) => (world: World) => world.exchange(pick)),
  // Mostly the newest refresh token, sometimes one that was used before.
  fc.tuple(fc.nat(20), fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.nat(3))).map(
    ([pick, age]) =>
      (world: World) =>
        world.refresh(pick, age),
  ),
  fc.nat(3 * HOUR_MS).map((ms) => async (world: World) => world.model.clock.advance(ms)),
  fc.nat(300_000).map((ms) => async (world: World) => world.model.clock.advance(ms)),
)

test('codes, tokens and families agree with the plain rules over random histories', async () => {
  await using model = await openOAuthModel(LIFE)
  const history = fc.array(step, { minLength: 5, maxLength: 40, size: 'max' })
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      const world = new World(model)
      await world.issue()
      await world.exchange(0)
      for (const take of steps) {
        await take(world)
        // Time moves between calls, so that tokens have an order.
        model.clock.advance(1)
        await world.check()
      }
    }),
    { numRuns: 40 },
  )
})
