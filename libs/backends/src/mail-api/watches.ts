import type { NotifiedMessage } from '@posthorn/contracts/commands/notifications'

/**
 * Watch of a mailbox: registration for notifications at the mail provider, or connection that
 * receives the notifications.
 */
export interface ApiWatch {
  /**
   * Id of the watch at the mail provider. Empty if the client listens itself: there is nothing to
   * renew or to stop.
   */
  id: string
  /** Time at which the notifications of the watch end unless the watch is renewed. */
  expiresAt: Date
  /**
   * Settles when the connection of a client that listens for notifications has ended. Absent for
   * clients that do not listen.
   */
  ended?: Promise<unknown>
}

/**
 * Recipient of notifications that the client of a mail provider receives on a connection of its
 * own.
 */
export interface WatchListener {
  /**
   * Handles a notification. `changed`: read the change lists (feeds), or only the feeds of
   * `messages`. `missed`: compare all messages.
   */
  onNotification(kind: 'changed' | 'missed', messages?: readonly NotifiedMessage[]): void
  /**
   * Signal that ends the connection for notifications: the client listens until the signal aborts.
   */
  until: AbortSignal
}

/**
 * Watches a mailbox for notifications of changes. Notifications start a read of the change lists
 * (feeds) earlier; notifications may be lost, repeated, late, or early: before the message can be
 * read. Notifications arrive at a destination, which is an option of the client, or on a connection
 * of the client.
 */
export interface MailApiWatches {
  /**
   * Starts notifications of a mailbox. `secret` (at most 128 characters) is sent with each
   * notification if the provider supports that. If the provider permits one watch only, an existing
   * watch is replaced. A client that cannot register anything connects, and notifies the listener.
   * @throws MailApiError `watch-refused`: poll instead
   */
  watch(secret: string, signal: AbortSignal, listener?: WatchListener): Promise<ApiWatch>
  /**
   * Renews the watch of a mailbox.
   * @throws MailApiError `watch-missing` if the watch has expired or was removed: start a new watch
   */
  renewWatch(id: string, signal: AbortSignal): Promise<ApiWatch>
  /** Ends the notifications of a watch. Succeeds if the watch does not exist. */
  stopWatch(id: string, signal: AbortSignal): Promise<void>
  /**
   * Lists watches of the mailbox with the destination of this client. Undefined if the provider
   * cannot list watches.
   */
  listWatches(signal: AbortSignal): Promise<ApiWatch[] | undefined>
}
