/** Registration for notifications at the provider. */
export interface ApiWatch {
  id: string
  /** Notifications end at this time unless the watch is renewed. */
  expiresAt: Date
}

/**
 * Notifications of changes. They start a read of the feeds earlier; they may be lost, repeated,
 * late, or early: before the message can be read. Their destination is an option of the client.
 */
export interface MailApiWatches {
  /**
   * Starts notifications. `secret` (at most 128 characters) is sent with each one if the provider
   * supports that. If the provider permits one watch only, an existing one is replaced.
   * @throws MailApiError `watch-refused`: poll instead
   */
  watch(secret: string, signal: AbortSignal): Promise<ApiWatch>
  /** @throws MailApiError `watch-missing` if it has expired or was removed: start a new one */
  renewWatch(id: string, signal: AbortSignal): Promise<ApiWatch>
  /** Ends notifications. Succeeds if the watch does not exist. */
  stopWatch(id: string, signal: AbortSignal): Promise<void>
  /** Watches with the destination of this client. Undefined if the provider cannot list them. */
  listWatches(signal: AbortSignal): Promise<ApiWatch[] | undefined>
}
