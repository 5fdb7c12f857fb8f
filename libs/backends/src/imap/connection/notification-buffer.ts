import { defined } from '@posthorn/contracts/defined'
import type { ImapFlow } from 'imapflow'
import type { MailboxNotification } from '../../mail-session.ts'
import { maxMailboxes } from './mailbox-names.ts'
import { clean } from '../text.ts'
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

/**
 * Maximum number of buffered flag changes of a mailbox. More changes are replaced by one
 * notification that flags have changed, without messages.
 */
const maxBufferedFlags = 1_000

/**
 * Passes notifications of an IMAP server to the watcher (function that receives notifications), and
 * buffers notifications while there is no watcher. Servers add notifications to the response of any
 * command. Buffering closes the gap between a comparison of the mailbox and the next watch.
 */
export class NotificationBuffer {
  #watcher: ((notification: MailboxNotification) => void) | undefined
  /** True if the watcher also receives notifications of mailboxes that are not selected. */
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

  /**
   * Reports the changed flags of a message from an IMAP server. A mod-sequence without flags is
   * reported as a change of the mailbox without flags, because something else may have changed,
   * such as labels.
   */
  notifyFlags({ uid, flags, modseq }: FlagChange): void {
    if (!flags) {
      if (modseq !== undefined) this.notify({ kind: 'flags', flags: [] })
      return
    }
    this.notify(defined({ kind: 'flags', flags: [...flags].map(clean), uid, modseq }))
  }

  /**
   * Calls `watcher` with the buffered notifications, then with new notifications of the IMAP
   * server, until the returned function is called. `everywhere` includes notifications about
   * mailboxes that are not selected.
   */
  watch(watcher: (notification: MailboxNotification) => void, everywhere = false): () => void {
    const buffered = [...(this.#exists ? [this.#exists] : []), ...this.#flags]
    if (this.#expunged) buffered.push({ kind: 'expunge' })
    this.clear()
    if (everywhere) buffered.push(...this.#takeElsewhere())
    this.#watcher = watcher
    this.#everywhere = everywhere
    buffered.forEach(watcher)
    return () => {
      if (this.#watcher === watcher) this.#watcher = undefined
    }
  }

  /** Discards buffered notifications of the previously selected mailbox. */
  clear(): void {
    this.#exists = undefined
    this.#expunged = false
    this.#flags = []
  }

  notify(notification: MailboxNotification): void {
    switch (notification.kind) {
      case 'mailbox':
      case 'mailboxes':
      case 'overflow':
        if (this.#watcher && this.#everywhere) this.#watcher(notification)
        else this.#bufferElsewhere(notification)
        return
      default:
        if (this.#watcher) this.#watcher(notification)
        else this.#buffer(notification)
    }
  }

  #buffer(notification: NotificationOf<'exists' | 'expunge' | 'flags'>): void {
    if (notification.kind === 'exists') this.#exists = notification
    else if (notification.kind === 'expunge') this.#expunged = true
    else if (this.#flags.length < maxBufferedFlags) this.#flags.push(notification)
    else this.#flags = [{ kind: 'flags', flags: [] }]
  }

  #bufferElsewhere(notification: NotificationOf<'mailbox' | 'mailboxes' | 'overflow'>): void {
    if (notification.kind === 'mailboxes') this.#listed = true
    else if (notification.kind === 'overflow' || this.#mailboxes.size >= maxMailboxes)
      this.#overflow = true
    else
      this.#mailboxes.set(notification.path, {
        ...this.#mailboxes.get(notification.path),
        ...notification.status,
      })
  }

  #takeElsewhere(): MailboxNotification[] {
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
