/**
 * Properties of a mail system (IMAP servers, the Gmail API, Microsoft Graph) that rules of the
 * services ask for. A rule never asks which mail system an account has. A property exists only if
 * some rule needs the property.
 */
export interface AccountType {
  /**
   * Access of an account to its mail. `imap`: an account has mail servers and is read by IMAP.
   * `api`: an account has no mail servers and is read through its mail API. Both values are also
   * base scopes of OAuth2 applications.
   */
  readonly readsBy: 'imap' | 'api'
  /**
   * Transport of messages that are sent without a gateway: SMTP server of the account, or its mail
   * API.
   */
  readonly sendsBy: 'smtp' | 'api'
  /**
   * Party that stores sent messages in the Sent mailbox. `client`: the service sender requests a
   * copy.
   */
  readonly filesSent: 'client' | 'server'
  readonly notifications: NotificationTraits
  /** True if the mail system stores signatures of its users that a sync-worker can list. */
  readonly hasSignatures: boolean
  /** Member of an API account record that describes the registration for change notifications. */
  readonly subscriptionMember?: 'outlookSubscription'
}

/** Properties of a provider's change notifications. */
export interface NotificationTraits {
  /**
   * Transport of a provider's change notifications to this installation.
   *
   * - `push`: the provider calls a URL of api-gateway for each account.
   * - `pull`: the provider publishes to a Pub/Sub topic of the OAuth2 application, which
   *   sync-workers pull and which may also call api-gateway.
   * - `none`: nothing is sent to this installation. The client of the mail system listens on a
   *   connection of its own, or the account is polled.
   */
  readonly transport: 'none' | 'push' | 'pull'
  /**
   * Proof that a provider's change notification is genuine. `secret`: each notification has the
   * secret of the account's watch. `sender`: the transport has authenticated the provider for all
   * accounts.
   */
  readonly authentication: 'none' | 'secret' | 'sender'
  /**
   * True if a sync-worker that becomes the holder of an account must renew the watch immediately,
   * to find a watch that the provider removed silently, unknown watches of a crashed worker, or a
   * connection that has ended.
   */
  readonly isCheckedByHolder: boolean
  /**
   * Consecutive failed requests for a watch after which the owner of the account is notified. More
   * than 1 if a refusal may only precede a change that is on its way.
   */
  readonly maxRefusals: number
  /**
   * True if the provider loses a considerable share of its notifications: the inbox is also polled
   * while the provider notifies.
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
  /** Name of the mail API in replies and messages: `the Gmail API`. */
  readonly apiName: string
  /** Setting with the number of messages that an export reads per request. */
  readonly exportBatchSetting: 'gmailExportBatchSize' | 'outlookExportBatchSize'
  /** Prefix of the paging cursors of the mail API. */
  readonly cursorPrefix: string
  readonly mailbox: MailApiTraits
  /** Published request limits of the mail API. Defaults of `SVC_PROVIDER_LIMITS`. */
  readonly limits: ProviderLimits
  /** Alternative request limits by the value of `quota` in `SVC_PROVIDER_LIMITS`. */
  readonly quotas: Readonly<Record<string, Partial<ProviderLimits>>>
}

/** Differences between mailboxes of mail APIs. */
export interface MailApiTraits {
  /**
   * Relation of messages and folders. `labels`: a message is in any number of folders, which are
   * labels; labels are ids of folders. `folder`: a message is in exactly one folder; labels are
   * free names.
   */
  readonly placement: 'labels' | 'folder'
  /** Messages that the mail API can store in a mailbox (`appendMessage`). */
  readonly appends: 'all' | 'drafts'
  /** True if the mail API can delete messages permanently. */
  readonly removes: boolean
  /** Maximum size of a message that the mail API sends, in bytes. */
  readonly maxSentBytes: number
}

/** Request limits of a mail provider. A unit is a request if the provider publishes no units. */
export interface ProviderLimits {
  /** Units of one mailbox and application per `accountWindowMs`, in all processes. */
  accountUnits: number
  accountWindowMs: number
  /** Units of all mailboxes of an application per `applicationWindowMs`, in all processes. */
  applicationUnits: number
  applicationWindowMs: number
  /** Bytes of request bodies for one mailbox per `uploadWindowMs`. Absent: no limit. */
  uploadBytes?: number
  uploadWindowMs: number
  /** Concurrent requests for one mailbox, by sync-workers and by senders. */
  workerConcurrency: number
  senderConcurrency: number
  /**
   * Percentage of the units of an application that senders have; sync-workers have the other units.
   * Also the percentage of the units of a mailbox that senders of earlier releases use.
   */
  senderPercent: number
  /**
   * Percentage of the units of a mailbox that senders use while no sync-worker lends units. The
   * sync-worker of the mailbox has the other units, and lends them to senders.
   */
  reservePercent: number
  /** Request units per operation, and units of operations that the table does not list. */
  costs: Readonly<Record<string, number>>
  defaultCost: number
}

/** Host and port of a mail server. Port 587 uses STARTTLS, the other ports TLS from the start. */
export type ProviderServer = readonly [host: string, port: 993 | 465 | 587]

/** Kind of OAuth2 application: how accounts of a mail system authenticate. */
export interface OAuth2ProviderTraits {
  /**
   * Mail system of OAuth2 applications with the base scope `api`. Absent: the provider has mail
   * servers only.
   */
  readonly api?: string
  /**
   * Login of the OAuth2 application. `consent`: users sign in. `service`: the application has
   * access by a key of its own.
   */
  readonly login: 'consent' | 'service'
  /** Members that the registration of an OAuth2 application requires. */
  readonly requiredMembers: readonly string[]
  /** Kind of secret that replaces the key of an application with the login `service`. */
  readonly keyAlternative?: 'externalAccount' | 'clientSecret'
  /** True if applications belong to a tenant (`authority`) in a national cloud (`cloud`). */
  readonly hasTenants?: true
  /** True if applications may have the base scope `pubsub`. */
  readonly hasPubSub?: true
  /** True if grants have the scope `.default`, which names no permission. */
  readonly hasDefaultScope?: true
  /** Mail servers by cloud. Absent: the application names its servers and OAuth2 endpoints. */
  readonly servers?: Readonly<Record<string, Record<'imap' | 'smtp', ProviderServer>>>
}

/** Required members of an OAuth2 application whose users sign in. */
export const consentMembers = ['clientId', 'clientSecret', 'redirectUrl'] as const
