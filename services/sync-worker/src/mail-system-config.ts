import { duration, type Env, integer } from '@posthorn/config'

/**
 * Reads the configuration of connections to mail systems from environment variables: logins, IMAP
 * connections and polls.
 *
 * @throws ConfigError for an invalid variable
 */
export function readMailSystemConfig(env: Env) {
  return {
    /** Limits of logins at mail servers. */
    logins: {
      /**
       * Maximum concurrent logins per host name and per IP address of a mail server. A third of
       * these logins is reserved for commands.
       */
      perHost: integer(env, 'SVC_LOGINS_PER_HOST', { fallback: 15, min: 1, max: 1_000 }),
      /** Maximum logins started per second at one host name or IP address of a mail server. */
      perSecond: integer(env, 'SVC_LOGINS_PER_SECOND', { fallback: 50, min: 1, max: 10_000 }),
      /** Maximum concurrent logins at all mail servers together. */
      concurrent: integer(env, 'SVC_LOGINS_AT_ONCE', { fallback: 200, min: 1, max: 10_000 }),
    },
    /** Timeout for connecting and logging in to an IMAP server, for both steps together. */
    connectTimeoutMs: duration(env, 'SVC_IMAP_CONNECT_TIMEOUT', { fallback: 30_000, min: 100 }),
    /**
     * Minimum delay between a change of the account's mailboxes and a poll of the mailboxes that no
     * connection to the IMAP server watches.
     */
    mailboxPollMs: duration(env, 'SVC_QUICK_ROUND_INTERVAL', { fallback: 12_000, min: 100 }),
    /**
     * Period during which an IMAP server must list fewer messages of a mailbox than it counts
     * before the sync accepts the shorter list.
     */
    shortListMs: 10 * 60_000,
    /**
     * Maximum connections per account to its IMAP server for commands, in addition to the
     * connections used for syncing.
     */
    commandConnections: integer(env, 'SVC_COMMAND_CONNECTIONS', { fallback: 4, min: 1, max: 50 }),
    /** Mean poll interval of an account at a mail API whose provider sends no notifications. */
    apiPollMs: duration(env, 'SVC_API_POLL_INTERVAL', { fallback: 45_000, min: 100 }),
    /**
     * Mean poll interval of an account at a mail API whose provider sends notifications. Polls find
     * the changes of lost notifications.
     */
    apiPollNotifiedMs: duration(env, 'SVC_API_POLL_INTERVAL_WITH_PUSH', {
      fallback: 600_000,
      min: 100,
    }),
    /**
     * Maximum interval of polls of the inbox through a mail API if the provider loses
     * notifications.
     */
    apiPollInboxMs: duration(env, 'SVC_API_INBOX_POLL_INTERVAL', { fallback: 60_000, min: 100 }),
    /** Idle time after which a connection to an IMAP server for commands is closed. */
    commandIdleMs: duration(env, 'SVC_COMMAND_IDLE_TIME', { fallback: 30_000, min: 100 }),
    /** Maximum idle connections to IMAP servers for commands, of all accounts of a worker. */
    commandIdleConnections: integer(env, 'SVC_COMMAND_IDLE_CONNECTIONS', {
      fallback: 200,
      min: 1,
      max: 100_000,
    }),
  }
}
