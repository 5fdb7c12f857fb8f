/**
 * Properties of a mail system (IMAP servers, the Gmail API, Microsoft Graph) on which the code of
 * the services depends. The code tests properties and never the name of the mail system. A property
 * exists only if the code needs it.
 */
export interface AccountType {
  /**
   * Access of an account to its mail. `imap`: the account has mail servers and its mail is read by
   * IMAP. `api`: the account has no mail servers and its mail is read through a mail API. Both
   * values are also base scopes of OAuth2 applications.
   */
  readonly readsBy: 'imap' | 'api'
  /**
   * Transport of messages that are sent without a gateway (outgoing SMTP server that belongs to no
   * account): the SMTP server of the account, or the account's mail API.
   */
  readonly sendsBy: 'smtp' | 'api'
  /**
   * Party that stores a copy of a sent message in the Sent mailbox. `client`: Posthorn stores the
   * copy, on request of the service sender. `server`: the mail system stores the copy.
   */
  readonly filesSent: 'client' | 'server'
  readonly notifications: NotificationTraits
  /**
   * True if the mail system stores email signatures of its users and a sync-worker can list them.
   */
  readonly hasSignatures: boolean
  /**
   * Name of the member of an API account record that describes the account's registration for
   * change notifications.
   */
  readonly subscriptionMember?: 'outlookSubscription'
}

/** Properties of a mail provider's change notifications. */
export interface NotificationTraits {
  /**
   * Transport of a provider's change notifications to this installation.
   *
   * - `push`: the provider calls a URL of api-gateway for each account.
   * - `pull`: the provider publishes to a Pub/Sub topic of the OAuth2 application. Sync-workers
   *   pull from the topic, which may also call api-gateway.
   * - `none`: the provider calls no URL and publishes to no topic. The client of the mail system
   *   listens on a connection of its own, or the account is polled.
   */
  readonly transport: 'none' | 'push' | 'pull'
  /**
   * Method by which a change notification is recognized as genuine. `secret`: each notification
   * contains a secret that belongs to the account's registration for notifications. `sender`: the
   * transport authenticates the provider for all accounts.
   */
  readonly authentication: 'none' | 'secret' | 'sender'
  /**
   * True if a sync-worker that takes over an account must immediately renew the account's watch
   * (registration for change notifications). The renewal finds a watch that the provider removed
   * silently, an unknown watch of a crashed sync-worker, or a connection that has ended.
   */
  readonly isCheckedByHolder: boolean
  /**
   * Number of consecutive failed requests for a watch (registration for change notifications) after
   * which the owner of the account is notified. More than 1 if the first requests may fail because
   * the provider applies a change with a delay.
   */
  readonly maxRefusals: number
  /**
   * True if the mail provider loses a considerable share of its notifications. The inbox is then
   * polled in addition.
   */
  readonly isLossy: boolean
}

/** Notification properties of a mail system that sends no notifications to this installation. */
export const noNotifications: NotificationTraits = {
  transport: 'none',
  authentication: 'none',
  isCheckedByHolder: true,
  maxRefusals: 1,
  isLossy: false,
}

/** Mail system that is read and used through an HTTP API. */
export interface ApiAccountType extends AccountType {
  readonly readsBy: 'api'
  /** Name of the mail API in replies and error messages, such as `the Gmail API`. */
  readonly apiName: string
  /** Setting with the number of messages that an export reads per request. */
  readonly exportBatchSetting: 'gmailExportBatchSize' | 'outlookExportBatchSize'
  /** Prefix with which paging cursors of the mail API begin. */
  readonly cursorPrefix: string
  readonly mailbox: MailApiTraits
  /** Published request limits of the mail API, which are the defaults of `SVC_PROVIDER_LIMITS`. */
  readonly limits: ProviderLimits
  /**
   * Request limits of the mail API that replace the default limits, by the value of `quota` in
   * `SVC_PROVIDER_LIMITS`.
   */
  readonly quotas: Readonly<Record<string, Partial<ProviderLimits>>>
}

/** Properties in which mailboxes of different mail APIs differ. */
export interface MailApiTraits {
  /**
   * Relation of messages and folders at a mail API. `labels`: folders are labels, identified by
   * label ids, and a message is in any number of folders. `folder`: a message is in exactly one
   * folder, and labels are free names.
   */
  readonly placement: 'labels' | 'folder'
  /** Kinds of messages that the mail API can store in a mailbox (API operation `appendMessage`). */
  readonly appends: 'all' | 'drafts'
  /** True if the mail API can delete messages permanently. */
  readonly removes: boolean
  /** Maximum size in bytes of a message that the mail API can send. */
  readonly maxSentBytes: number
}

/**
 * Request limits of a mail provider, in quota units. If the provider publishes no units, each
 * request costs one unit.
 */
export interface ProviderLimits {
  /**
   * Maximum quota units of a mail API for one mailbox and OAuth2 application per `accountWindowMs`,
   * for all processes together.
   */
  accountUnits: number
  accountWindowMs: number
  /**
   * Maximum quota units of a mail API for all mailboxes of an OAuth2 application per
   * `applicationWindowMs`, for all processes together.
   */
  applicationUnits: number
  applicationWindowMs: number
  /**
   * Maximum bytes of request bodies for one mailbox per `uploadWindowMs`. Absent if the provider
   * does not limit the bytes.
   */
  uploadBytes?: number
  uploadWindowMs: number
  /**
   * Maximum concurrent requests to the mail API for one mailbox, for sync-workers and for senders.
   */
  workerConcurrency: number
  senderConcurrency: number
  /**
   * Percentage of an OAuth2 application's quota units at a mail API that senders use. Sync-workers
   * use the remaining units. Senders of earlier releases use this percentage of a mailbox's units,
   * too.
   */
  senderPercent: number
  /**
   * Percentage of a mailbox's quota units at a mail API that senders use while no sync-worker lends
   * them units. The sync-worker of the mailbox has the remaining units and lends units to senders.
   */
  reservePercent: number
  /**
   * Quota units that a request to the mail provider costs, by operation. `defaultCost` applies to
   * operations that are not listed.
   */
  costs: Readonly<Record<string, number>>
  defaultCost: number
}

/**
 * Host and port of a provider's mail server. Port 587 uses STARTTLS, all other ports use TLS from
 * the start.
 */
export type ProviderServer = readonly [host: string, port: 993 | 465 | 587]

/** Kind of OAuth2 application, which determines how accounts of a mail system authenticate. */
export interface OAuth2ProviderTraits {
  /**
   * Mail system of OAuth2 applications with the base scope `api`. Absent if the provider has mail
   * servers only.
   */
  readonly api?: string
  /**
   * Authentication of the OAuth2 application. `consent`: each user signs in. `service`: the
   * application has access to mailboxes by a key of its own.
   */
  readonly login: 'consent' | 'service'
  /** Names of the members that a request must have when it registers an OAuth2 application. */
  readonly requiredMembers: readonly string[]
  /**
   * Kind of secret that an OAuth2 application with the login `service` may have instead of a key.
   */
  readonly keyAlternative?: 'externalAccount' | 'clientSecret'
  /** True if OAuth2 applications belong to a tenant (`authority`) in a national cloud (`cloud`). */
  readonly hasTenants?: true
  /** True if OAuth2 applications may have the base scope `pubsub`. */
  readonly hasPubSub?: true
  /**
   * True if the OAuth2 grants of the provider use the scope `.default`. This scope names no
   * permission, so permissions cannot be read from the scope.
   */
  readonly hasDefaultScope?: true
  /**
   * Mail servers of the provider, by cloud. Absent if each OAuth2 application names its mail
   * servers and OAuth2 endpoints.
   */
  readonly servers?: Readonly<Record<string, Record<'imap' | 'smtp', ProviderServer>>>
}

/** Names of the members that an OAuth2 application must have if its users sign in. */
export const consentMembers = ['clientId', 'clientSecret', 'redirectUrl'] as const
