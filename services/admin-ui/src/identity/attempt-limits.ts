import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { networkOf } from '@posthorn/net/addresses'
import {
  type AttemptWindow,
  countAttempt,
  deleteAttempts,
  takeBackAttempt,
} from '../store/attempts.ts'
import { hashSecret } from './secrets.ts'

/** Maximum attempts to sign in within 15 minutes, over all replicas of admin-ui. */
const maxPerPerson = 10
const maxPerAddress = 50

/**
 * Attempt to sign in or to confirm a password, which is counted before the check. Parallel attempts
 * therefore cannot exceed the limit.
 */
export interface Attempt {
  /**
   * Resets the counted attempts of the person. For the network address, only this attempt is taken
   * back.
   */
  succeed(): Promise<void>
  /** Takes a counted attempt back, because its password or code was not checked. */
  takeBack(): Promise<void>
}

export interface AttemptSubject {
  /**
   * Kind of the checked secret. The attempts of each kind are counted separately, so that failed
   * sign-ins of others do not keep signed-in people from confirming their password.
   */
  kind: 'person' | 'confirmation' | 'code' | 'link'
  /**
   * Email address or id of the person who makes the attempt. Stored as a hash. Absent for links.
   */
  person?: string
  address: string
}

/**
 * Counts attempts to sign in by person and network address. Only passwords, codes and links are
 * limited: attempts of others cannot lock out people with a passkey or an OpenID provider.
 */
export class AttemptLimits {
  readonly #db: Db

  constructor(db: Db) {
    this.#db = db
  }

  /**
   * Counts an attempt to sign in. An attempt over the limit of its network address does not count
   * for the person, so that one address cannot lock out everyone.
   *
   * @throws AppError `rate-limited` with the seconds until the next window as `ttl`
   */
  async admit({ kind, person, address }: AttemptSubject): Promise<Attempt> {
    const network = await this.#count(`address ${networkOf(address)}`, maxPerAddress)
    const own =
      person === undefined ? undefined : await this.#count(ownSubject(kind, person), maxPerPerson)
    return {
      succeed: async () => {
        await takeBackAttempt(this.#db, network)
        if (own !== undefined) await deleteAttempts(this.#db, own.subject)
      },
      takeBack: async () => {
        await takeBackAttempt(this.#db, network)
        if (own !== undefined) await takeBackAttempt(this.#db, own)
      },
    }
  }

  async #count(subject: string, max: number): Promise<AttemptWindow> {
    const { attempts, seconds, ...counted } = await countAttempt(this.#db, subject)
    if (attempts > max) throw tooManyAttempts(seconds)
    return counted
  }

  /** Resets the counted attempts of a person, when a later factor has completed the sign-in. */
  reset({ kind, person }: Required<Omit<AttemptSubject, 'address'>>): Promise<void> {
    return deleteAttempts(this.#db, ownSubject(kind, person))
  }
}

/**
 * Key under which the attempts of a person are counted: kind of the attempt, and hash of the id or
 * email address. Email addresses are hashed in lower case.
 */
function ownSubject(kind: AttemptSubject['kind'], person: string): string {
  return `${kind} ${hashSecret(person.toLowerCase())}`
}

function tooManyAttempts(seconds: number): AppError {
  const message = 'Too many attempts to sign in. Retry later or sign in with a passkey'
  return new AppError('rate-limited', message, { extras: { ttl: Math.max(seconds, 1) } })
}
