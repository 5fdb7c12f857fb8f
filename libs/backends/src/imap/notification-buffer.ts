import type { ImapFlow } from 'imapflow'
import type { MailboxNotification } from '../backend.ts'
import { maxMailboxes } from './mailbox-names.ts'
import { clean } from './text.ts'
import type { Wire } from './wire.ts'

type NotificationOf<Kind extends MailboxNotification['kind']> = Extract<
  MailboxNotification,
  { kind: Kind }
>

interface FlagChange {
  uid?: number | undefined
  flags?: Iterable<string> | undefined
  modseq?: bigint | undefined
}

/** More flag changes than this between two watches are told as one that names no message. */
const maxBufferedFlags = 1_000

/**
 * What the server says unasked. It may say so in answer to any command, so what comes while nobody watches is kept for the next who does:
 * between a comparison and the watch after it nothing is missed.
 */
export class NotificationBuffer {
  #watcher: ((notice: MailboxNotification) => void) | undefined
  /** The watcher wants to hear of other mailboxes, too. */
  #everywhere = false
  #exists: MailboxNotification | undefined
  #expunged = false
  #flags: MailboxNotification[] = []
  readonly #mailboxes = new Map<string, NotificationOf<'mailbox'>['status']>()
  #listed = false
  #overflow = false

  listenTo(client: ImapFlow, wire: Wire): void {
    client.on('exists', ({ count }) => this.notify({ kind: 'exists', messages: count }))
    client.on('expunge', () => this.notify({ kind: 'expunge' }))
    wire.onVanished = () => this.notify({ kind: 'expunge' })
    client.on('flags', (event) => this.notifyFlags(event))
    wire.onModified = () => this.notify({ kind: 'flags', flags: [] })
  }

  /** Nothing without flags, or a mod-sequence: that something else changed, such as labels. */
  notifyFlags({ uid, flags, modseq }: FlagChange): void {
    if (!flags) {
      if (modseq !== undefined) this.notify({ kind: 'flags', flags: [] })
      return
    }
    this.notify({
      kind: 'flags',
      flags: [...flags].map(clean),
      ...(uid === undefined ? {} : { uid }),
      ...(modseq === undefined ? {} : { modseq }),
    })
  }

  /** Tells what was kept, then whatever comes, until the function returned is called. What is said of other mailboxes only on request. */
  watch(watcher: (notice: MailboxNotification) => void, everywhere = false): () => void {
    const buffered = [...(this.#exists ? [this.#exists] : []), ...this.#flags]
    if (this.#expunged) buffered.push({ kind: 'expunge' })
    this.clear()
    if (everywhere) buffered.push(...this.#elsewhere())
    this.#watcher = watcher
    this.#everywhere = everywhere
    buffered.forEach(watcher)
    return () => {
      if (this.#watcher === watcher) this.#watcher = undefined
    }
  }

  /** Another mailbox was opened: what was said of the one before is of no use any more. */
  clear(): void {
    this.#exists = undefined
    this.#expunged = false
    this.#flags = []
  }

  notify(notice: MailboxNotification): void {
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

  #keep(notice: NotificationOf<'exists' | 'expunge' | 'flags'>): void {
    if (notice.kind === 'exists') this.#exists = notice
    else if (notice.kind === 'expunge') this.#expunged = true
    else if (this.#flags.length < maxBufferedFlags) this.#flags.push(notice)
    else this.#flags = [{ kind: 'flags', flags: [] }]
  }

  #keepElsewhere(notice: NotificationOf<'mailbox' | 'mailboxes' | 'overflow'>): void {
    if (notice.kind === 'mailboxes') this.#listed = true
    else if (notice.kind === 'overflow' || this.#mailboxes.size >= maxMailboxes)
      this.#overflow = true
    else this.#mailboxes.set(notice.path, { ...this.#mailboxes.get(notice.path), ...notice.status })
  }

  #elsewhere(): MailboxNotification[] {
    const buffered: MailboxNotification[] = [...this.#mailboxes].map(([path, status]) => ({
      kind: 'mailbox',
      path,
      status,
    }))
    if (this.#listed) buffered.push({ kind: 'mailboxes' })
    if (this.#overflow) buffered.push({ kind: 'overflow' })
    this.#mailboxes.clear()
    this.#listed = this.#overflow = false
    return buffered
  }
}
