import type { ImapFlow } from 'imapflow'
import type { MailboxNotice } from '../backend.ts'
import { clean } from './text.ts'
import type { Wire } from './wire.ts'

/** More flag changes than this between two watches are told as one that names no message. */
const maxKeptFlags = 1_000

/**
 * What the server says unasked. It may say so in answer to any command, so what comes while nobody watches is kept for the next who does:
 * between a comparison and the watch after it nothing is missed.
 */
export class Notices {
  #watcher: ((notice: MailboxNotice) => void) | undefined
  #exists: MailboxNotice | undefined
  #expunged = false
  #flags: MailboxNotice[] = []

  listenTo(client: ImapFlow, wire: Wire): void {
    client.on('exists', ({ count }) => this.#tell({ kind: 'exists', messages: count }))
    client.on('expunge', () => this.#tell({ kind: 'expunge' }))
    wire.onVanished = () => this.#tell({ kind: 'expunge' })
    client.on('flags', ({ uid, flags, modseq }) =>
      this.#tell({
        kind: 'flags',
        flags: [...(flags ?? [])].map(clean),
        ...(uid === undefined ? {} : { uid }),
        ...(modseq === undefined ? {} : { modseq }),
      }),
    )
  }

  /** Tells what was kept, then whatever comes, until the function returned is called. */
  watch(watcher: (notice: MailboxNotice) => void): () => void {
    const kept = [...(this.#exists ? [this.#exists] : []), ...this.#flags]
    if (this.#expunged) kept.push({ kind: 'expunge' })
    this.forget()
    this.#watcher = watcher
    kept.forEach(watcher)
    return () => {
      if (this.#watcher === watcher) this.#watcher = undefined
    }
  }

  /** Another mailbox was opened: what was said is of no use any more. */
  forget(): void {
    this.#exists = undefined
    this.#expunged = false
    this.#flags = []
  }

  #tell(notice: MailboxNotice): void {
    if (this.#watcher) return this.#watcher(notice)
    if (notice.kind === 'exists') this.#exists = notice
    else if (notice.kind === 'expunge') this.#expunged = true
    else if (this.#flags.length < maxKeptFlags) this.#flags.push(notice)
    else this.#flags = [{ kind: 'flags', flags: [] }]
  }
}
