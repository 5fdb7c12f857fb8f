import { AppError } from '@posthorn/errors'
import type { Capabilities } from '../backend.ts'
import type { ImapConnection } from './connection.ts'
import { isRejection } from './errors.ts'
import { countersOf } from './counters.ts'
import { clean } from './text.ts'
import { type Attributes, words } from './tokens.ts'

const changes = words('MessageNew', 'MessageExpunge', 'FlagChange')

/**
 * RFC 5465 §3.1: STATUS has the server begin with the counters of all mailboxes; without DELAYED it might renumber messages in the middle of
 * a command.
 */
const wanted: Attributes = [
  ...words('SET', 'STATUS'),
  [...words('SELECTED-DELAYED'), changes],
  [...words('PERSONAL'), [...changes, ...words('MailboxName', 'SubscriptionChange')]],
]

/**
 * Has the server tell of all mailboxes on this connection. It does so at any time; IDLE goes on beside it, since some servers send only
 * then, and so that silence can be told from death.
 */
export class Notify {
  readonly #connection: ImapConnection
  readonly #capabilities: Capabilities
  #started = false

  constructor(connection: ImapConnection, capabilities: Capabilities) {
    this.#connection = connection
    this.#capabilities = capabilities
  }

  /** Once a session, for whoever holds the lane. A server that refuses it has no NOTIFY, whatever it advertises. */
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
      if (!(error instanceof AppError) || !isRejection(error)) throw error
      this.#end()
    }
  }

  /** RFC 5465 §5.8: as after NOTIFY NONE. */
  #end(): void {
    this.#capabilities.notify = false
    this.#connection.notifications.notify({ kind: 'overflow' })
  }
}
