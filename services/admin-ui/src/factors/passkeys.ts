import type {
  NewPasskeyRequest,
  PasskeyPurpose,
  PasskeyRequest,
} from '@posthorn/contracts/admin/factors'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { networkOf } from '@posthorn/net/addresses'
import type { Logger } from '@posthorn/telemetry'
import { hashSecret, newSecret } from '../identity/secrets.ts'
import type { Person } from '../identity/signed-in.ts'
import { consumeChallenge, countChallenges, insertChallenge } from '../store/challenges.ts'
import { findPasskey, insertPasskey, listPasskeys, maxPasskeys } from '../store/passkeys.ts'
import type { RelyingParty } from './relying-party.ts'
import { checkCreation, checkUse, creationOptions, useOptions } from './webauthn.ts'

/** Time in minutes in which a browser must respond to the challenge for a passkey. */
const minutes = 5
/**
 * Maximum open passkey challenges for sign-ins of one network address, so that a flood stays small.
 */
const maxOpen = 100
const creation = 'passkeyCreation'

/** Correct use of a passkey. The new signature counter must be stored before the use counts. */
export interface PasskeyUse {
  id: string
  person: string
  counter: number
}

/** Passkeys of people (WebAuthn). The challenge for a passkey is accepted once, by any replica. */
export class Passkeys {
  readonly #db: Db
  readonly #log: Pick<Logger, 'warn'>

  constructor({ db, log }: { db: Db; log: Pick<Logger, 'warn'> }) {
    this.#db = db
    this.#log = log
  }

  /** Creates the options with which the browser of a person creates a passkey. */
  async creationOptions(person: Person, party: RelyingParty) {
    const existing = await listPasskeys(this.#db, person.id)
    if (existing.length >= maxPasskeys) throw tooManyPasskeys()
    const challenge = await this.#newChallenge(creation, { person: person.id })
    return await creationOptions({ party, person, challenge, existing })
  }

  /**
   * Checks and stores a new passkey of a person.
   *
   * @throws AppError `invalid` if the response is not accepted or the person has 20 passkeys
   */
  async create(
    person: Person,
    request: NewPasskeyRequest & { name: string },
    party: RelyingParty,
  ): Promise<string> {
    const { transports = [] } = request.response.response
    const challenge = await this.#useChallenge(creation, request.response.response, person.id)
    if (challenge === undefined) throw notAccepted()
    const checked = await checkCreation(request, challenge, party).catch((cause: unknown) => {
      throw notAccepted(cause)
    })
    if (checked.id !== request.response.id) throw notAccepted()
    const row = { ...checked, person: person.id, transports, name: request.name }
    const result = await this.#db.transaction().execute((tx) => insertPasskey(tx, row))
    if (result === 'full') throw tooManyPasskeys()
    if (result === 'exists') throw new AppError('invalid', 'The passkey is registered already')
    return checked.id
  }

  /**
   * Creates the options with which a browser signs in by passkey. The challenge of a step-up is for
   * one person only.
   */
  async useOptions(
    party: RelyingParty,
    { address, person }: { address: string; person?: string | undefined },
  ) {
    const kind: PasskeyPurpose = person === undefined ? 'signIn' : 'stepUp'
    const network = networkOf(address)
    if ((await countChallenges(this.#db, { kind: challengeKind(kind), network })) >= maxOpen)
      throw new AppError('rate-limited', 'Too many sign-ins were started. Retry later', {
        extras: { ttl: minutes * 60 },
      })
    const challenge = await this.#newChallenge(challengeKind(kind), { person, network })
    const allowed = person === undefined ? [] : await listPasskeys(this.#db, person)
    return await useOptions(party, challenge, allowed)
  }

  /**
   * Checks the use of a passkey. Undefined if the use is not accepted. For a step-up, the passkey
   * must belong to `person`.
   */
  async check(
    request: PasskeyRequest,
    party: RelyingParty,
    person?: string,
  ): Promise<PasskeyUse | undefined> {
    const { id, response } = request.response
    const kind = challengeKind(request.purpose)
    const challenge = await this.#useChallenge(kind, response, person)
    const passkey = await findPasskey(this.#db, id)
    if (challenge === undefined || !passkey) return undefined
    if (person !== undefined && passkey.person !== person) return undefined
    if (response.userHandle && !isHandleOf(response.userHandle, passkey.person)) return undefined
    try {
      const counter = await checkUse(request, { challenge, party, passkey })
      return { id, person: passkey.person, counter }
    } catch (err) {
      // A signature counter that did not increase is the sign of a cloned passkey (WebAuthn
      // §6.1.1).
      this.#log.warn({ err, person: passkey.person }, 'use of a passkey is refused')
      return undefined
    }
  }

  async #newChallenge(
    kind: string,
    { person, network }: { person?: string | undefined; network?: string },
  ): Promise<string> {
    const challenge = newSecret()
    const hash = hashSecret(challenge)
    const content = network === undefined ? {} : { network }
    await insertChallenge(this.#db, { hash, kind, person: person ?? null, content, minutes })
    return challenge
  }

  /**
   * Uses up the passkey challenge that a browser has signed. Undefined for a challenge of another
   * person or purpose.
   */
  async #useChallenge(
    kind: string,
    { clientDataJSON }: { clientDataJSON: string },
    person: string | undefined,
  ): Promise<string | undefined> {
    const challenge = challengeOf(clientDataJSON)
    if (challenge === undefined) return undefined
    const stored = await consumeChallenge(this.#db, { hash: hashSecret(challenge), kind })
    return stored && stored.person === (person ?? null) ? challenge : undefined
  }
}

function challengeKind(purpose: PasskeyPurpose): string {
  return purpose === 'signIn' ? 'passkeySignIn' : 'passkeyStepUp'
}

/**
 * Challenge in the passkey response (client data) that the browser has signed (WebAuthn §5.8.1).
 */
function challengeOf(clientDataJSON: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'))
    const isObject = typeof parsed === 'object' && parsed !== null && 'challenge' in parsed
    return isObject && typeof parsed.challenge === 'string' ? parsed.challenge : undefined
  } catch {
    return undefined
  }
}

function isHandleOf(userHandle: string, person: string): boolean {
  return Buffer.from(userHandle, 'base64url').equals(Buffer.from(person))
}

function tooManyPasskeys(): AppError {
  return new AppError('invalid', `A person has at most ${maxPasskeys} passkeys. Delete one first`)
}

function notAccepted(cause?: unknown): AppError {
  return new AppError('invalid', 'The passkey was not accepted. Try again', { cause })
}
