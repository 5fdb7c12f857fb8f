import type { NotifiedMessage } from '@posthorn/contracts/commands/notifications'

/**
 * Watch of a mailbox: a registration for notifications at the mail provider, or a connection of the
 * client on which notifications arrive.
 */
export interface ApiWatch {
  /**
   * Id of the watch (registration for notifications) at the mail provider. Empty for a watch by a
   * connection of the client, which cannot be renewed or stopped.
   */
  id: string
  /**
   * Time at which the notifications of a mailbox end unless their watch (registration) is renewed.
   */
  expiresAt: Date
  /**
   * Settles when the connection on which the client of a mail API receives notifications has ended.
   * Absent without such a connection.
   */
  ended?: Promise<unknown>
}

/** Recipient of notifications that the client of a mail provider receives on its own connection. */
export interface WatchListener {
  /**
   * Handles a notification. After `changed`, the recipient reads the change lists (feeds), or only
   * the feeds of the given `messages`. After `missed`, the recipient compares all messages.
   */
  onNotification(kind: 'changed' | 'missed', messages?: readonly NotifiedMessage[]): void
  /** Signal that ends the connection on which the client of a mail API receives notifications. */
  until: AbortSignal
}

/**
 * Watches a mailbox for notifications of changes, which start an earlier read of the change lists
 * (feeds). Notifications may be lost, repeated or late, and may arrive before the message can be
 * read. Notifications arrive at a destination, which is an option of the client, or on a connection
 * of the client.
 */
export interface MailApiWatches {
  /**
   * Starts notifications of a mailbox by a watch. Each notification contains `secret` (at most 128
   * characters) if the provider supports that. If the provider permits only one watch, an existing
   * watch is replaced. A client that registers nothing at the provider opens a connection for
   * notifications and passes them to `listener`.
   * @throws MailApiError `watch-refused`: the caller polls instead
   */
  watch(secret: string, signal: AbortSignal, listener?: WatchListener): Promise<ApiWatch>
  /**
   * Renews the watch (registration for notifications) of a mailbox.
   * @throws MailApiError `watch-missing` if the watch has expired or was removed, so that the
   * caller starts a new watch
   */
  renewWatch(id: string, signal: AbortSignal): Promise<ApiWatch>
  /**
   * Ends the notifications of a watch (registration for notifications). Succeeds if the watch does
   * not exist.
   */
  stopWatch(id: string, signal: AbortSignal): Promise<void>
  /**
   * Lists watches (registrations for notifications) of the mailbox that notify the destination of
   * this client. Undefined if the mail provider cannot list watches.
   */
  listWatches(signal: AbortSignal): Promise<ApiWatch[] | undefined>
}
