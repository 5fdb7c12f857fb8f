import type { NotifiedMessage } from '@posthorn/contracts/commands/notifications'

/** Registration for notifications at the provider, or connection that receives them. */
export interface ApiWatch {
  /** Id of the watch. Empty if the client listens itself: there is nothing to renew or to stop. */
  id: string
  /** Notifications end at this time unless the watch is renewed. */
  expiresAt: Date
  /**
   * Settles when the connection of a client that listens has ended. Absent for clients that do not
   * listen.
   */
  ended?: Promise<unknown>
}

/** Recipient of notifications that the client receives on a connection of its own. */
export interface WatchListener {
  /** `changed`: read the feeds, or only the feeds of `messages`. `missed`: compare all messages. */
  onNotification(kind: 'changed' | 'missed', messages?: readonly NotifiedMessage[]): void
  /** The client listens until this signal aborts. */
  until: AbortSignal
}

/**
 * Notifications of changes. Notifications start a read of the feeds earlier; they may be lost,
 * repeated, late, or early: before the message can be read. Notifications arrive at a destination,
 * which is an option of the client, or on a connection of the client.
 */
export interface MailApiWatches {
  /**
   * Starts notifications. `secret` (at most 128 characters) is sent with each notification if the
   * provider supports that. If the provider permits one watch only, an existing watch is replaced.
   * A client that cannot register anything connects, and notifies the listener.
   * @throws MailApiError `watch-refused`: poll instead
   */
  watch(secret: string, signal: AbortSignal, listener?: WatchListener): Promise<ApiWatch>
  /**
   * @throws MailApiError `watch-missing` if the watch has expired or was removed: start a new watch
   */
  renewWatch(id: string, signal: AbortSignal): Promise<ApiWatch>
  /** Ends notifications. Succeeds if the watch does not exist. */
  stopWatch(id: string, signal: AbortSignal): Promise<void>
  /** Watches with the destination of this client. Undefined if the provider cannot list them. */
  listWatches(signal: AbortSignal): Promise<ApiWatch[] | undefined>
}
