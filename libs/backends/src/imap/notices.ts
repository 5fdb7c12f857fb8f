import type { ImapFlow } from 'imapflow'
import type { MailboxNotice } from '../backend.ts'
import { maxMailboxes } from './list.ts'
import { clean } from './text.ts'
import type { Wire } from './wire.ts'

type Of<Kind extends MailboxNotice['kind']> = Extract<MailboxNotice, { kind: Kind }>

interface Changed {
  uid?: number | undefined
  flags?: Iterable<string> | undefined
  modseq?: bigint | undefined
}

/** More flag changes than this between two watches are told as one that names no message. */
const maxKeptFlags = 1_000

/**
 * What the server says unasked. It may say so in answer to any command, so what comes while nobody watches is kept for the next who does:
 * between a comparison and the watch after it nothing is missed.
 */
export class Notices {
  #watcher: ((notice: MailboxNotice) => void) | undefined
  /** The watcher wants to hear of other mailboxes, too. */
  #everywhere = false
  #exists: MailboxNotice | undefined
  #expunged = false
  #flags: MailboxNotice[] = []
  readonly #mailboxes = new Map<string, Of<'mailbox'>['status']>()
  #listed = false
  #overflow = false

  listenTo(client: ImapFlow, wire: Wire): void {
    client.on('exists', ({ count }) => this.tell({ kind: 'exists', messages: count }))
    client.on('expunge', () => this.tell({ kind: 'expunge' }))
    wire.onVanished = () => this.tell({ kind: 'expunge' })
    client.on('flags', (event) => this.tellFlags(event))
    wire.onModified = () => this.tell({ kind: 'flags', flags: [] })
  }

  /** Nothing without flags, or a mod-sequence: that something else changed, such as labels. */
  tellFlags({ uid, flags, modseq }: Changed): void {
    if (!flags) {
      if (modseq !== undefined) this.tell({ kind: 'flags', flags: [] })
      return
    }
    this.tell({
      kind: 'flags',
      flags: [...flags].map(clean),
      ...(uid === undefined ? {} : { uid }),
      ...(modseq === undefined ? {} : { modseq }),
    })
  }

  /** Tells what was kept, then whatever comes, until the function returned is called. What is said of other mailboxes only on request. */
  watch(watcher: (notice: MailboxNotice) => void, everywhere = false): () => void {
    const kept = [...(this.#exists ? [this.#exists] : []), ...this.#flags]
    if (this.#expunged) kept.push({ kind: 'expunge' })
    this.forget()
    if (everywhere) kept.push(...this.#elsewhere())
    this.#watcher = watcher
    this.#everywhere = everywhere
    kept.forEach(watcher)
    return () => {
      if (this.#watcher === watcher) this.#watcher = undefined
    }
  }

  /** Another mailbox was opened: what was said of the one before is of no use any more. */
  forget(): void {
    this.#exists = undefined
    this.#expunged = false
    this.#flags = []
  }

  tell(notice: MailboxNotice): void {
    switch (notice.kind) {
      case 'mailbox':
      case 'mailboxes':
      case 'overflow':
        if (this.#watcher && this.#everywhere) this.#watcher(notice)
        else this.#keepElsewhere(notice)
        return
      default:
        if (this.#watcher) this.#watcher(notice)
        else this.#keep(notice)
    }
  }

  #keep(notice: Of<'exists' | 'expunge' | 'flags'>): void {
    if (notice.kind === 'exists') this.#exists = notice
    else if (notice.kind === 'expunge') this.#expunged = true
    else if (this.#flags.length < maxKeptFlags) this.#flags.push(notice)
    else this.#flags = [{ kind: 'flags', flags: [] }]
  }

  #keepElsewhere(notice: Of<'mailbox' | 'mailboxes' | 'overflow'>): void {
    if (notice.kind === 'mailboxes') this.#listed = true
    else if (notice.kind === 'overflow' || this.#mailboxes.size >= maxMailboxes)
      this.#overflow = true
    else this.#mailboxes.set(notice.path, { ...this.#mailboxes.get(notice.path), ...notice.status })
  }

  #elsewhere(): MailboxNotice[] {
    const kept: MailboxNotice[] = [...this.#mailboxes].map(([path, status]) => ({
      kind: 'mailbox',
      path,
      status,
    }))
    if (this.#listed) kept.push({ kind: 'mailboxes' })
    if (this.#overflow) kept.push({ kind: 'overflow' })
    this.#mailboxes.clear()
    this.#listed = this.#overflow = false
    return kept
  }
}
