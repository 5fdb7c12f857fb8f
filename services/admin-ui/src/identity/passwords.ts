import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { AppError } from '@posthorn/errors'
import { Semaphore } from '@posthorn/flow'

/** Cost of an argon2id hash: memory in KiB, passes and lanes. */
export interface HashCost {
  memory: number
  passes: number
  parallelism: number
}

/** Cost of new password hashes: 19 MiB and 2 passes, about 20 ms of CPU time. */
export const currentCost: HashCost = { memory: 19_456, passes: 2, parallelism: 1 }

/**
 * Maximum number of concurrent password hashings. Two of them occupy two of the four threads of
 * libuv.
 */
const maxRunning = 2
/** Maximum number of sign-ins that wait for their password hashing, about 200 ms. */
const maxWaiting = 16
/** Seconds after which a client should retry if too many password hashings wait. */
const retrySeconds = 2

const saltBytes = 16
const tagBytes = 32

export interface PasswordCheck {
  isCorrect: boolean
  /** True if the stored password hash has a lower cost than new hashes and should be renewed. */
  isOutdated: boolean
}

interface StoredHash extends HashCost {
  salt: Buffer
  tag: Buffer
}

const derive = promisify(argon2)

/**
 * Hashes and checks passwords with argon2id. At most two hashings run at the same time, in threads
 * of libuv, so that a flood of sign-ins leaves the event loop and the other CPU cores alone.
 */
export class PasswordHasher {
  readonly #permits = new Semaphore(maxRunning)
  readonly #cost: HashCost
  /**
   * Hash that is compared for unknown people, so that their check costs the same. No password has
   * this random hash.
   */
  readonly #dummy: StoredHash

  constructor(cost: HashCost = currentCost) {
    this.#cost = cost
    this.#dummy = { ...cost, salt: randomBytes(saltBytes), tag: randomBytes(tagBytes) }
  }

  /** Number of sign-ins that wait for their password hashing. */
  get waiting(): number {
    return this.#permits.waiting
  }

  get running(): number {
    return this.#permits.capacity - this.#permits.available
  }

  /**
   * Hashes a password. Returns a PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`.
   *
   * @throws AppError `rate-limited` if too many hashings wait
   */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(saltBytes)
    const tag = await this.#derive(password, { ...this.#cost, salt })
    const { memory, passes, parallelism } = this.#cost
    const parameters = `m=${memory},t=${passes},p=${parallelism}`
    return ['', 'argon2id', 'v=19', parameters, encode(salt), encode(tag)].join('$')
  }

  /**
   * Compares a password with a stored hash. Without a stored hash, the result is false after the
   * same time.
   *
   * @throws AppError `rate-limited` if too many hashings wait
   */
  async check(password: string, stored: string | null | undefined): Promise<PasswordCheck> {
    const parsed = parse(stored ?? '')
    const expected = parsed ?? this.#dummy
    const tag = await this.#derive(password, expected)
    const isSame = tag.length === expected.tag.length && timingSafeEqual(tag, expected.tag)
    return { isCorrect: isSame && parsed !== undefined, isOutdated: this.#isOutdated(expected) }
  }

  #isOutdated({ memory, passes }: HashCost): boolean {
    return memory < this.#cost.memory || passes < this.#cost.passes
  }

  async #derive(password: string, { salt, ...cost }: Omit<StoredHash, 'tag'>): Promise<Buffer> {
    if (this.waiting >= maxWaiting)
      throw new AppError('rate-limited', 'Too many people are signing in. Retry in a moment', {
        extras: { ttl: retrySeconds },
      })
    // Keyboards enter some characters of a password in several forms. NFKC makes these forms equal.
    const message = password.normalize('NFKC')
    const { memory, passes, parallelism } = cost
    const parameters = { message, nonce: salt, memory, passes, parallelism, tagLength: tagBytes }
    return await this.#permits.run(() => derive('argon2id', parameters))
  }
}

const phc = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([\w+/]{11,86})\$([\w+/]{43})$/

function parse(stored: string): StoredHash | undefined {
  const [, memory, passes, parallelism, salt, tag] = phc.exec(stored) ?? []
  if (salt === undefined || tag === undefined) return undefined
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

/** Encodes bytes in Base64 without padding, as in password hashes (PHC strings). */
function encode(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
