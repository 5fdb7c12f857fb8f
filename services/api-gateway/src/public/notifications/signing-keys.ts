import type { KeyObject } from 'node:crypto'
import { AppError } from '@posthorn/errors'
import { type Clock, monotonicClock, SingleFlight } from '@posthorn/flow'
import type { HttpCaller } from '@posthorn/net/http-caller'
import { readKeySet } from './push-token.ts'

/** URL of the keys of Google's OpenID Connect tokens (`jwks_uri` of accounts.google.com). */
const keysUrl = 'https://www.googleapis.com/oauth2/v3/certs'
/**
 * Age from which the signing keys of Google are requested again. Google rotates the keys about
 * weekly.
 */
const freshMs = 3_600_000
/**
 * Age from which Google's cached signing keys are no longer used, even if a request of new keys
 * fails.
 */
const staleMs = 86_400_000
/**
 * Minimum delay between two requests of Google's signing keys, even if tokens name unknown key ids.
 */
const minIntervalMs = 60_000

/** Cache of up to 20 public keys with which Google signs tokens. */
export class SigningKeys {
  readonly #http: Pick<HttpCaller, 'call'>
  readonly #clock: Clock
  readonly #flights = new SingleFlight<'keys', void>()
  #keys: ReadonlyMap<string, KeyObject> = new Map()
  #requestedAt = -Infinity
  #receivedAt = -Infinity

  constructor(http: Pick<HttpCaller, 'call'>, clock: Clock = monotonicClock) {
    this.#http = http
    this.#clock = clock
  }

  /**
   * Returns a signing key of Google, or undefined if Google does not publish the key. Requests
   * Google's keys at most once a minute.
   *
   * @throws AppError `unavailable` if the cached keys are too old or missing
   */
  async find(id: string): Promise<KeyObject | undefined> {
    const isFresh = this.#clock() - this.#receivedAt < freshMs
    if (!isFresh || !this.#keys.has(id)) await this.#refresh()
    if (this.#clock() - this.#receivedAt > staleMs)
      throw new AppError('unavailable', 'The signing keys of Google are not available')
    return this.#keys.get(id)
  }

  /** Requests the signing keys of Google again. Never rejects, because earlier keys stay valid. */
  async #refresh(): Promise<void> {
    const flight = this.#flights.inFlight('keys')
    if (!flight && this.#clock() - this.#requestedAt < minIntervalMs) return
    await (flight ?? this.#flights.run('keys', () => this.#request()))
  }

  async #request(): Promise<void> {
    this.#requestedAt = this.#clock()
    const { status, error, body } = await this.#http.call({ method: 'GET', url: keysUrl })
    const keys =
      status === 200 && error === undefined ? readKeySet(body.toString('utf8')) : undefined
    if (!keys || keys.size === 0) return
    this.#keys = keys
    this.#receivedAt = this.#clock()
  }
}
