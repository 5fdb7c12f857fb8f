import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { networkOf } from '@posthorn/net/addresses'
import { countAttempt, deleteAttempts, takeBackAttempt } from '../store/attempts.ts'
import { hashSecret } from './secrets.ts'

/** Maximum attempts in a window of 15 minutes, over all replicas. */
const maxPerPerson = 10
const maxPerAddress = 50

/** Attempt that was counted before its check, so that parallel attempts cannot pass the limit. */
export interface Attempt {
  /** Resets the attempts of the person. The address only gets this attempt back. */
  succeed(): Promise<void>
  /** Takes the attempt back, because the password or code was not checked. */
  takeBack(): Promise<void>
}

export interface AttemptSubject {
  /**
   * Kind of the checked value. Kinds are counted separately, so that failed sign-ins of others do
   * not keep signed-in people from confirming their password.
   */
  kind: 'person' | 'confirmation' | 'code' | 'link'
  /** Email address or id of the person. Stored as a hash. Absent for links. */
  person?: string
  address: string
}

/**
 * Counts attempts by person and network address. Only passwords, codes and links are limited:
 * people with a passkey or an OpenID provider cannot be locked out by attempts of others.
 */
export class AttemptLimits {
  readonly #db: Db

  constructor(db: Db) {
    this.#db = db
  }

  /**
   * Counts an attempt. An attempt over the limit of its address does not count for the person, so
   * that one address cannot lock out everyone.
   *
   * @throws AppError `rate-limited` with the seconds until the next window as `ttl`
   */
  async admit({ kind, person, address }: AttemptSubject): Promise<Attempt> {
    const network = `address ${networkOf(address)}`
    const own = person === undefined ? undefined : ownSubject(kind, person)
    await this.#count(network, maxPerAddress)
    if (own !== undefined) await this.#count(own, maxPerPerson)
    return {
      succeed: async () => {
        await takeBackAttempt(this.#db, network)
        if (own !== undefined) await deleteAttempts(this.#db, own)
      },
      takeBack: async () => {
        await takeBackAttempt(this.#db, network)
        if (own !== undefined) await takeBackAttempt(this.#db, own)
      },
    }
  }

  async #count(subject: string, max: number): Promise<void> {
    const { attempts, seconds } = await countAttempt(this.#db, subject)
    if (attempts > max) throw tooManyAttempts(seconds)
  }

  /** Resets the attempts of a person, when a later factor has completed the sign-in. */
  reset({ kind, person }: Required<Omit<AttemptSubject, 'address'>>): Promise<void> {
    return deleteAttempts(this.#db, ownSubject(kind, person))
  }
}

/** Subject of a person. Email addresses are compared in lower case and stored as a hash. */
function ownSubject(kind: AttemptSubject['kind'], person: string): string {
  return `${kind} ${hashSecret(person.toLowerCase())}`
}

function tooManyAttempts(seconds: number): AppError {
  const message = 'Too many attempts to sign in. Retry later or sign in with a passkey'
  return new AppError('rate-limited', message, { extras: { ttl: Math.max(seconds, 1) } })
}
