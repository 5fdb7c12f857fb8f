import type { NoticedMessage } from '@posthorn/contracts/commands/notices'
import type { SyncNotice } from './watched-account.ts'

/** Most messages that are passed by name. */
const maxMessages = 100

type PassNotice = (notice: SyncNotice, messages?: readonly NoticedMessage[]) => void

interface Pending {
  notice: SyncNotice
  messages: readonly NoticedMessage[] | undefined
}

/** Providers send `created` and `updated` for one arrival within this time. */
const windowMs = 200

/**
 * Merges notices of one account: the first passes immediately, later ones within 200 ms become one
 * at the end of this time. Holds one timer, and only while notices arrive.
 */
export class NoticeCoalescer {
  readonly #pass: PassNotice
  #timer: NodeJS.Timeout | undefined
  #pending: Pending | undefined

  constructor(pass: PassNotice) {
    this.#pass = pass
  }

  /** `messages`: absent if the notice concerns the whole mailbox. */
  add(notice: SyncNotice, messages?: readonly NoticedMessage[]): void {
    const added = { notice, messages }
    if (!this.#timer) return this.#start(added)
    this.#pending = this.#pending ? merge(this.#pending, added) : added
  }

  /** Drops what is pending. */
  close(): void {
    clearTimeout(this.#timer)
    this.#pending = undefined
  }

  #start({ notice, messages }: Pending): void {
    this.#timer = setTimeout(() => {
      const pending = this.#pending
      this.#timer = this.#pending = undefined
      if (pending) this.#start(pending)
    }, windowMs)
    this.#pass(notice, messages)
  }
}

function merge(one: Pending, other: Pending): Pending {
  const notice = one.notice === 'missed' ? one.notice : other.notice
  const messages = one.messages && other.messages && [...one.messages, ...other.messages]
  return { notice, messages: messages && messages.length <= maxMessages ? messages : undefined }
}
