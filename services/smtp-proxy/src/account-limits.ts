import { KeyedSemaphore, type Semaphore } from '@posthorn/flow'
import type { Config } from './config.ts'
import type { MessageMemory } from './receive.ts'

type Limits = Pick<Config, 'maxSessionsPerAccount' | 'maxBufferedBytesPerAccount'>

/**
 * Limits of the SMTP sessions and of the message bytes in transfer, per account in this process.
 * Without these limits, one token could occupy all connections and the whole memory for messages.
 */
export class AccountLimits {
  readonly #sessions: KeyedSemaphore
  readonly #bytes: KeyedSemaphore
  readonly #permits = new WeakMap<object, Disposable>()
  readonly #memory: Semaphore

  /** `memory` has one permit per byte of all SMTP messages in transfer. */
  constructor({ maxSessionsPerAccount, maxBufferedBytesPerAccount }: Limits, memory: Semaphore) {
    this.#sessions = new KeyedSemaphore(maxSessionsPerAccount)
    this.#bytes = new KeyedSemaphore(maxBufferedBytesPerAccount)
    this.#memory = memory
  }

  /**
   * Counts an SMTP session that has logged in. Returns false if the account has the maximum of SMTP
   * sessions.
   */
  admit(session: object, account: string): boolean {
    this.release(session)
    const permit = this.#sessions.tryAcquire(account)
    if (permit) this.#permits.set(session, permit)
    return permit !== undefined
  }

  /** Ends the count of an SMTP session. Repeated calls have no effect. */
  release(session: object): void {
    this.#permits.get(session)?.[Symbol.dispose]()
    this.#permits.delete(session)
  }

  /**
   * Memory for messages in transfer of an account. SMTP clients without a login have no share:
   * their limit is the memory for all messages.
   */
  memoryOf(account: string | undefined): MessageMemory & { readonly available: number } {
    const memory = this.#memory
    const share = this.#bytes
    if (account === undefined) return memory
    return {
      get available() {
        return Math.min(share.available(account), memory.available)
      },
      tryAcquire(bytes) {
        const own = share.tryAcquire(account, bytes)
        const permit = own && memory.tryAcquire(bytes)
        if (!permit) own?.[Symbol.dispose]()
        return permit && own && { [Symbol.dispose]: () => [own, permit].forEach(dispose) }
      },
    }
  }
}

function dispose(permit: Disposable): void {
  permit[Symbol.dispose]()
}
