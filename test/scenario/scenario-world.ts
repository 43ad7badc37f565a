import assert from 'node:assert/strict'
import { ManualClock } from '../../src/base/index.ts'
import { type Service, startService } from '../support/service.ts'
import {
  type Row,
  readFormula,
  readRow,
  readTime,
  type Scenario,
  type Step,
  withTimes,
} from './read-scenarios.ts'

const KINDS: Readonly<Record<string, string>> = { random: 'rdm_stream', point: 'point_stream' }

/** A real service with a clock that stands where the scenario puts it. */
export class ScenarioWorld {
  readonly #service: Service
  readonly #clock: ManualClock
  #zone = 'UTC'

  private constructor(service: Service, clock: ManualClock) {
    this.#service = service
    this.#clock = clock
  }

  static async open(): Promise<ScenarioWorld> {
    const clock = new ManualClock(Date.UTC(2024, 0, 1))
    return new ScenarioWorld(await startService({ clock }), clock)
  }

  close(): Promise<void> {
    return this.#service.close()
  }

  /** Walks through a scenario; the first failing step is reported with its line. */
  async play(scenario: Scenario): Promise<void> {
    this.#zone = 'UTC'
    for (const step of scenario.steps) {
      try {
        await this.#take(step)
      } catch (error) {
        throw new Error(`line ${step.line}: ${step.words}\n${(error as Error).message}`, {
          cause: error,
        })
      }
    }
  }

  async #take(step: Step): Promise<void> {
    const [verb, ...words] = withTimes(step.words, this.#zone).split(' ')
    switch (verb) {
      case 'zone':
        this.#zone = words[0]
        return
      case 'now':
        this.#clock.jump(readTime(words.join(' '), this.#zone) - this.#clock.now())
        return
      case 'component':
        return this.#insert('component', words, step)
      case 'template':
        return this.#insert('component_template', words, step)
      case 'cycle':
      case 'unit': {
        const record = JSON.parse(step.below.join(''))
        return this.#putRecord(verb, { id: words[0], name: words[0], ...record })
      }
      case 'restart':
        return this.#service.sealAndRestart()
      default:
        return this.#call(verb, words, step)
    }
  }

  async #insert(noun: string, [id, , timeZoneId]: string[], step: Step): Promise<void> {
    const stream = step.below.map((line) => {
      const { words, derivation } = readFormula(line)
      const [word, streamId, kind, valueType = '', rollupMethod] = words
      assert.equal(word, 'stream', `below ${noun} stand streams`)
      const streamType = KINDS[kind] ?? 'intvl_stream'
      const baseCycle = streamType === 'intvl_stream' ? { baseCycle: { id: kind } } : {}
      const rollup = rollupMethod === undefined ? {} : { rollupMethod }
      return {
        id: streamId,
        name: streamId,
        streamType,
        valueType,
        ...baseCycle,
        ...rollup,
        ...derivation,
      }
    })
    const zone = timeZoneId ?? this.#zone
    const place = noun === 'component' ? { timeZoneId: zone } : {}
    await this.#putRecord(noun, { id, name: id, ...place, stream })
  }

  async #putRecord(noun: string, record: unknown): Promise<void> {
    const { url, orgUid, ownerEmail: email, ownerPassword: password } = this.#service
    const send = async (method: string, path: string, body: unknown) => {
      const headers = { 'content-type': 'application/json' }
      const init = { method, headers, body: JSON.stringify(body) }
      const answer = await fetch(`${url}/api/${path}`, init)
      const text = await answer.text()
      assert.equal(answer.status, 200, text)
      return JSON.parse(text)
    }
    // A session of its own for each: the scenario's clock may have moved by years.
    const { sessionUid } = await send('POST', 'login', { email, password })
    await send('PUT', `${noun}?session=${sessionUid}&org=${orgUid}`, { [noun]: record })
  }

  async #call(verb: string, words: readonly string[], step: Step): Promise<void> {
    const { method, path, parameters } = requestOf(verb, words)
    const samples = step.below.map((line) => this.#sampleOf(line))
    const query = [...parameters.map(encodeURI), `api_key=${this.#service.feedKey}`].join('&')
    const body = samples.length > 0 ? { body: JSON.stringify(samples) } : {}
    const answer = await fetch(`${this.#service.url}/api/${path}?${query}`, { method, ...body })
    this.#compare(step, answer.status, await answer.text())
  }

  #sampleOf(line: string): unknown {
    const { name = '', time, data } = readRow(line, this.#zone)
    const [compId, streamId] = name.split('/')
    return { compId, streamId, data, ...(time === undefined ? {} : { time }) }
  }

  #compare({ expected, words }: Step, status: number, text: string): void {
    const [first = ''] = expected
    const refused = /^refusal (\d{3}) "(.*)"$/.exec(first)
    if (refused !== null) {
      assert.equal(status, Number(refused[1]), text)
      assert.ok(JSON.parse(text).message.includes(refused[2]), `"${refused[2]}" is not in ${text}`)
      return
    }
    assert.equal(status, 200, text)
    if (first.startsWith('answer ')) {
      assert.deepEqual(JSON.parse(text), JSON.parse(first.slice(7)))
    } else if (expected.length > 0) {
      const rows = first === 'nothing' ? [] : expected.map((row) => readRow(row, this.#zone))
      const shown = JSON.parse(text).map((sample: Shown) => this.#show(rowOf(sample)))
      assert.deepEqual(
        shown,
        rows.map((row) => this.#show(row)),
      )
    } else assert.ok(!/^(?:get|last|stat)\b/.test(words), `no line expects anything: ${text}`)
  }

  /** A row for people, so that a difference is read in the scenario's own words. */
  #show({ name, time = 0, data, from, fData, unit }: Row): string {
    const local = (at: number) =>
      Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(this.#zone).toString({
        timeZoneName: 'never',
      })
    const words = [name, local(time), '=', JSON.stringify(data)]
    if (from !== undefined) words.push('from', local(from))
    if (fData !== undefined) words.push('shown', JSON.stringify(fData))
    if (unit !== undefined) words.push('unit', JSON.stringify(unit))
    return words.filter((word) => word !== undefined).join(' ')
  }
}

interface Shown {
  readonly compId?: string
  readonly streamId?: string
  readonly time: number
  readonly data: unknown
  readonly sdTime?: number
  readonly fData?: string
  readonly unit?: string
}

function rowOf({ compId, streamId, time, data, sdTime, fData, unit }: Shown): Row {
  const names = [compId, streamId].filter((name) => name !== undefined)
  const name = names.length === 0 ? undefined : names.join('/')
  return { name, time, data, from: sdTime, fData, unit }
}

/** The request that a step's words stand for. */
function requestOf(
  verb: string,
  words: readonly string[],
): { method: string; path: string; parameters: readonly string[] } {
  if (verb === 'put') return { method: 'PUT', path: 'feed', parameters: words }
  if (verb === 'put-by-get') return { method: 'GET', path: 'feed', parameters: words }
  const [target, ...rest] = words
  const [compId, streamId] = target.split('/')
  const path = `comp/${compId}${streamId === undefined ? '' : `/stream/${streamId}`}`
  if (verb === 'get') return { method: 'GET', path: `${path}/feed`, parameters: rest }
  if (verb === 'last') return { method: 'GET', path: `${path}/last_value`, parameters: rest }
  if (verb === 'stat' || verb === 'last-stat') {
    const [statId, by, cycleId, ...parameters] = rest
    assert.equal(by, 'by', 'a statistic is written: stat Meter/kwh sum by day')
    const call = verb === 'stat' ? 'feed' : 'last_value'
    return { method: 'GET', path: `${path}/cycle/${cycleId}/stat/${statId}/${call}`, parameters }
  }
  throw new Error(`there is no step "${verb}"`)
}
