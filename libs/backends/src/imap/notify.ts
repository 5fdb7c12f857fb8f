import type { Capabilities } from '../mail-session.ts'
import type { ImapConnection } from './connection.ts'
import { isRejection } from './errors.ts'
import { countersOf } from './counters.ts'
import { clean } from './text.ts'
import { type Attributes, words } from './tokens.ts'

const changes = words('MessageNew', 'MessageExpunge', 'FlagChange')

/**
 * Arguments of NOTIFY (RFC 5465 §3.1). STATUS makes the server send the counters of all mailboxes
 * first. DELAYED prevents it from renumbering messages during a command.
 */
const wanted: Attributes = [
  ...words('SET', 'STATUS'),
  [...words('SELECTED-DELAYED'), changes],
  [...words('PERSONAL'), [...changes, ...words('MailboxName', 'SubscriptionChange')]],
]

/**
 * Requests notifications of all mailboxes. Notifications arrive at any time. IDLE stays in use,
 * because some servers send notifications only during IDLE and because IDLE detects dead
 * connections.
 */
export class Notify {
  readonly #connection: ImapConnection
  readonly #capabilities: Capabilities
  #started = false

  constructor(connection: ImapConnection, capabilities: Capabilities) {
    this.#connection = connection
    this.#capabilities = capabilities
  }

  /** Sends NOTIFY once per session. A rejection disables NOTIFY. The caller must hold the mutex. */
  async start(): Promise<void> {
    if (this.#started || !this.#capabilities.notify) return
    const { wire, notifications } = this.#connection
    this.#started = true
    wire.onStatus = (path, items) =>
      notifications.notify({ kind: 'mailbox', path: clean(path), status: countersOf(items) })
    wire.onListed = () => notifications.notify({ kind: 'mailboxes' })
    wire.onOverflow = () => this.#end()
    try {
      await this.#connection.perform(() => wire.run('NOTIFY', wanted))
    } catch (error) {
      if (!isRejection(error)) throw error
      this.#end()
    }
  }

  /** Continues as after NOTIFY NONE (RFC 5465 §5.8). */
  #end(): void {
    this.#capabilities.notify = false
    this.#connection.notifications.notify({ kind: 'overflow' })
  }
}
