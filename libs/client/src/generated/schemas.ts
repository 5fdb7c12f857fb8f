// Written by `make client` from the contracts, do not edit.

import type { Base64 } from '../calls/json-body.ts'

/** Account in a list, with its state and last error. */
export interface AccountListEntry {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /** Display name of the account. Default name of the author of sent messages. */
  name: string
  /**
   * Kind of the account: the provider of the OAuth2 application, `imap`, `sending` (no mailbox)
   * or `delegated` (OAuth2 grant of another account). `oauth2`: the OAuth2 application does not
   * exist. `invalid`: the account with the grant does not exist.
   */
  type: 
    | 'imap'
    | 'sending'
    | 'gmail'
    | 'gmailService'
    | 'outlook'
    | 'outlookService'
    | 'mailRu'
    | 'generic'
    | 'oauth2'
    | 'delegated'
    | 'invalid'
  /**
   * State of the account. `new`: registered; `init`: connecting, or first sync; `connected`:
   * ready; `authenticationError`: the login was rejected; `connectError`: the mail server is
   * unreachable, or the login failed for another reason; `unset`: no incoming server, or
   * syncing is switched off; `other`: disconnected or paused.
   */
  state: 
    | 'new'
    | 'init'
    | 'connected'
    | 'authenticationError'
    | 'connectError'
    | 'unset'
    | 'other'
  /**
   * State of the account in more detail than `state`. Additional values: `connecting`: the
   * login is in progress; `syncing`: the first sync after the login is in progress;
   * `disconnected`: the connection was lost repeatedly; `paused`: paused by the option
   * `paused`. For accounts that have synced before, `connecting` and `syncing` appear only if
   * the login or the sync takes more than 5 s (variable `SVC_TRANSIENT_STATE_DELAY`).
   */
  stateDetail: 
    | 'new'
    | 'init'
    | 'connecting'
    | 'syncing'
    | 'connected'
    | 'authenticationError'
    | 'connectError'
    | 'disconnected'
    | 'unset'
    | 'paused'
  /** Email address of the account. Default address of the author of sent messages. */
  email?: string
  /** Id of the OAuth2 application of the account. Absent if the account does not use OAuth2. */
  app?: string
  /** Numbers of events of the account since the registration of the account. */
  counters: {
    /** Number of events of the account since the registration, by event name. */
    events: Record<string, number>
  }
  /**
   * URL that receives the webhooks of the account, with a masked login. Absent if the default
   * target receives the webhooks.
   */
  webhooks?: string
  /**
   * URL of the proxy for connections to the mail servers of the account, with a masked login.
   * Absent if the settings `proxyEnabled` and `proxyUrl` apply.
   */
  proxy?: string
  /**
   * Host name that is sent to outgoing mail servers in the EHLO command. Absent if the setting
   * `smtpEhloName` applies.
   */
  smtpEhloName?: string | null
  /** Time of the last complete sync of the account (ISO 8601). Absent before the first sync. */
  syncTime?: string
  /**
   * Error of the last failed login or connection of the account. Null if there is no error, or
   * if the account is connected.
   */
  lastError: LastError | null
}

/** Account with its settings, state and last error. Secrets are masked as `******`. */
export interface AccountRecord {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /** Display name of the account. Default name of the author of sent messages. */
  name: string
  /**
   * State of the account. `new`: registered; `init`: connecting, or first sync; `connected`:
   * ready; `authenticationError`: the login was rejected; `connectError`: the mail server is
   * unreachable, or the login failed for another reason; `unset`: no incoming server, or
   * syncing is switched off; `other`: disconnected or paused.
   */
  state: 
    | 'new'
    | 'init'
    | 'connected'
    | 'authenticationError'
    | 'connectError'
    | 'unset'
    | 'other'
  /**
   * State of the account in more detail than `state`. Additional values: `connecting`: the
   * login is in progress; `syncing`: the first sync after the login is in progress;
   * `disconnected`: the connection was lost repeatedly; `paused`: paused by the option
   * `paused`. For accounts that have synced before, `connecting` and `syncing` appear only if
   * the login or the sync takes more than 5 s (variable `SVC_TRANSIENT_STATE_DELAY`).
   */
  stateDetail: 
    | 'new'
    | 'init'
    | 'connecting'
    | 'syncing'
    | 'connected'
    | 'authenticationError'
    | 'connectError'
    | 'disconnected'
    | 'unset'
    | 'paused'
  /**
   * Kind of the account: the provider of the OAuth2 application, `imap`, `sending` (no mailbox)
   * or `delegated` (OAuth2 grant of another account). `oauth2`: the OAuth2 application does not
   * exist. `invalid`: the account with the grant does not exist.
   */
  type: 
    | 'imap'
    | 'sending'
    | 'gmail'
    | 'gmailService'
    | 'outlook'
    | 'outlookService'
    | 'mailRu'
    | 'generic'
    | 'oauth2'
    | 'delegated'
    | 'invalid'
  /** Email address of the account. Default address of the author of sent messages. */
  email?: string
  /** Id of the OAuth2 application of the account. Absent if the account does not use OAuth2. */
  app?: string
  /** Numbers of events of the account since the registration of the account. */
  counters: {
    /** Number of events of the account since the registration, by event name. */
    events: Record<string, number>
  }
  /**
   * URL that receives the webhooks of the account, with a masked login. Absent if the default
   * target receives the webhooks.
   */
  webhooks?: string
  /**
   * URL of the proxy for connections to the mail servers of the account, with a masked login.
   * Absent if the settings `proxyEnabled` and `proxyUrl` apply.
   */
  proxy?: string
  /**
   * Host name that is sent to outgoing mail servers in the EHLO command. Absent if the setting
   * `smtpEhloName` applies.
   */
  smtpEhloName?: string | null
  /** Time of the last complete sync of the account (ISO 8601). Absent before the first sync. */
  syncTime?: string
  /** Email address to which the login must belong. Absent if every login is accepted. */
  expectedEmail?: string
  /**
   * Access that the OAuth2 application of the account provides: `imap` for mail servers, `api`
   * for a mail API. `pubsub` is for applications without accounts.
   */
  baseScopes?: 'imap' | 'api' | 'pubsub'
  /** OAuth2 login of the account, with masked tokens. */
  oauth2?: {
    /** Id of the OAuth2 application of the account. */
    provider: string
    /**
     * User at the OAuth2 provider (`user`). For access to another mailbox, also the shared
     * mailbox (`delegatedUser`) or the account with the OAuth2 grant (`delegatedAccount`).
     */
    auth?: {
      /** Login name of the user at the OAuth2 provider, usually the email address. */
      user?: string
      /**
       * Email address of a shared mailbox that the account uses instead of the mailbox of the
       * user. The user needs access to the shared mailbox.
       */
      delegatedUser?: string
      /** Id of another account whose OAuth2 grant is used. The account stores no grant then. */
      delegatedAccount?: string
    }
    /**
     * If true, access tokens are requested from the authentication server (setting
     * `authServer`), not from the OAuth2 provider.
     */
    useAuthServer?: boolean
    /** Masked access token: `******`. Absent if the account has no OAuth2 grant. */
    accessToken?: string
    /** Masked refresh token: `******`. Absent if the account has no OAuth2 grant. */
    refreshToken?: string
    /** Time at which the access token expires (ISO 8601). */
    expires?: string
    /** OAuth2 scopes of the stored access token. */
    scope?: string[]
    /** Type of the stored access token: `Bearer`. */
    tokenType?: string
    /** Time at which the stored access token was issued (ISO 8601). */
    generated?: string
    /**
     * Time of the registration or consent that created the OAuth2 grant of the account (ISO
     * 8601).
     */
    refreshTokenGenerated?: string
    /**
     * Email address of the mailbox as the mail API reports the address. Absent if this address
     * is the login name, and for accounts without a mail API.
     */
    mailboxAddress?: string
    /**
     * Failure of the last OAuth2 consent for the account. Absent after a successful consent.
     */
    consentError?: {
      /**
       * Error code of the provider for the failed OAuth2 consent (RFC 6749 §4.1.2.1 and §5.2),
       * such as `access_denied`. `unknown_error` if the provider sends no code.
       */
      error: string
      /** Explanation of the failed OAuth2 consent by the provider. */
      description?: string
      /**
       * Error code of Microsoft for the failed OAuth2 consent, such as `AADSTS90094`. Absent
       * for other providers.
       */
      code?: string
      /** Action that repairs the failed OAuth2 consent. Absent if unknown. */
      remedy?: string
      /** Time at which the OAuth2 consent failed (ISO 8601). */
      time: string
    }
  }
  /** Additional HTTP headers of webhook requests for the account, with masked values. */
  webhooksCustomHeaders?: KeyValue[]
  /**
   * If true, a copy of each sent message is stored in the Sent mailbox. Null or never set: a
   * copy is stored unless the mail provider stores sent messages. Without effect for accounts
   * on a mail API.
   */
  copy?: boolean | null
  /**
   * If true, the protocol log of the account is recorded: IMAP commands and responses, or
   * requests to the mail API. `GET /v1/logs/{account}` returns the log.
   */
  logs?: boolean
  /**
   * If true, the account is paused: it opens no connection to its incoming server or mail API,
   * and renews no subscription. `state` is `other` and `stateDetail` is `paused`. Operations
   * that need the mailbox respond 503 `NoAvailable`. Messages are still sent if the first sync
   * of the account is complete, and mail clients can still log in through the IMAP proxy. If
   * false, the account connects like a new account. Defaults to false.
   */
  paused?: boolean
  /** Time of receipt from which messages are announced by `messageNew` (ISO 8601). */
  notifyFrom?: string | null
  /**
   * Mailboxes of the account to sync, as paths or special uses such as `\Sent`. Absent, null or
   * `*`: all mailboxes.
   */
  path?: string[] | null
  /**
   * Mailboxes (paths or special uses such as `\Sent`) to watch for changes on a separate IMAP
   * connection each. Without effect for servers with NOTIFY (RFC 5465), which report changes of
   * all mailboxes.
   */
  subconnections?: string[]
  /**
   * Mailbox index of the account: `full` detects new, changed and deleted messages, `fast` new
   * messages only. Absent if the setting `imapIndexer` applies.
   */
  imapIndexer?: string | null
  /** Incoming mail server of the account (IMAP), with a masked password or access token. */
  imap?: {
    /**
     * If true, the login is requested from the authentication server (setting `authServer`) and
     * not stored. Defaults to false.
     */
    useAuthServer?: boolean
    /**
     * Login at the mail server: login name with a password or an OAuth2 access token. False: no
     * login is stored.
     */
    auth?: {
      /** Login name at the mail server, usually the email address. */
      user: string
      /** Masked password: `******`. Absent if no password is stored. */
      pass?: string
      /** Masked OAuth2 access token: `******`. Absent if no access token is stored. */
      accessToken?: string
    } | false
    /** Host name or IP address of the mail server. */
    host?: string
    /** TCP port of the mail server, such as 993 (IMAP) or 587 (SMTP). */
    port?: number
    /**
     * If true, connections use TLS from the start (usually ports 993 and 465). If false
     * (default), connections use STARTTLS, see `tls.requireStartTls`.
     */
    secure?: boolean
    /** TLS options of connections to the mail server. */
    tls?: {
      /**
       * If true (default), the TLS certificate of the mail server must be valid. If false, any
       * certificate is accepted.
       */
      rejectUnauthorized?: boolean
      /** Lowest TLS version that is accepted from the mail server. Defaults to `TLSv1.2`. */
      minVersion?: 
        | 'TLSv1'
        | 'TLSv1.1'
        | 'TLSv1.2'
        | 'TLSv1.3'
      /**
       * If true (default), a connection without TLS ends if the mail server does not offer
       * STARTTLS. If false, login and mail are then sent unencrypted. Mail servers on the same
       * machine are exempt.
       */
      requireStartTls?: boolean
    }
    /**
     * If true, IMAP4rev1 is used even if the server offers IMAP4rev2 (RFC 9051). Defaults to
     * false.
     */
    disableIMAP4rev2?: boolean
    /**
     * Interval in seconds between full syncs of all mailboxes of the account. Initially 900.
     */
    resyncDelay?: number
    /**
     * Path of the mailbox that serves as the Sent mailbox. Null or never set: the mailbox with
     * this special use.
     */
    sentMailPath?: string | null
    /**
     * Path of the mailbox that serves as the Drafts mailbox. Null or never set: the mailbox
     * with this special use.
     */
    draftsMailPath?: string | null
    /**
     * Path of the mailbox that serves as the Junk mailbox. Null or never set: the mailbox with
     * this special use.
     */
    junkMailPath?: string | null
    /**
     * Path of the mailbox that serves as the Trash mailbox. Null or never set: the mailbox with
     * this special use.
     */
    trashMailPath?: string | null
    /**
     * Path of the mailbox that serves as the Archive mailbox. Null or never set: the mailbox
     * with this special use.
     */
    archiveMailPath?: string | null
    /**
     * If true, the incoming mail server is switched off and no mailbox of the account is
     * synced. Defaults to false.
     */
    disabled?: boolean
  }
  /** Outgoing mail server of the account (SMTP), with a masked password or access token. */
  smtp?: {
    /**
     * If true, the login is requested from the authentication server (setting `authServer`) and
     * not stored. Defaults to false.
     */
    useAuthServer?: boolean
    /**
     * Login at the mail server: login name with a password or an OAuth2 access token. False: no
     * login is stored.
     */
    auth?: {
      /** Login name at the mail server, usually the email address. */
      user: string
      /** Masked password: `******`. Absent if no password is stored. */
      pass?: string
      /** Masked OAuth2 access token: `******`. Absent if no access token is stored. */
      accessToken?: string
    } | false
    /** Host name or IP address of the mail server. */
    host?: string
    /** TCP port of the mail server, such as 993 (IMAP) or 587 (SMTP). */
    port?: number
    /**
     * If true, connections use TLS from the start (usually ports 993 and 465). If false
     * (default), connections use STARTTLS, see `tls.requireStartTls`.
     */
    secure?: boolean
    /** TLS options of connections to the mail server. */
    tls?: {
      /**
       * If true (default), the TLS certificate of the mail server must be valid. If false, any
       * certificate is accepted.
       */
      rejectUnauthorized?: boolean
      /** Lowest TLS version that is accepted from the mail server. Defaults to `TLSv1.2`. */
      minVersion?: 
        | 'TLSv1'
        | 'TLSv1.1'
        | 'TLSv1.2'
        | 'TLSv1.3'
      /**
       * If true (default), a connection without TLS ends if the mail server does not offer
       * STARTTLS. If false, login and mail are then sent unencrypted. Mail servers on the same
       * machine are exempt.
       */
      requireStartTls?: boolean
    }
  }
  /**
   * Language tag, such as `en-GB`, for dates in quotations of replies and forwards. Defaults to
   * the setting `locale`.
   */
  locale?: string
  /**
   * Time zone, such as `Europe/Tallinn`, for dates in quotations of replies and forwards.
   * Defaults to the setting `timezone`.
   */
  tz?: string
  /**
   * True if the account can only send, because the account has no mailbox. Otherwise absent.
   */
  sendOnly?: boolean
  /**
   * Number of open connections of the account to the incoming server. The number can be a few
   * seconds old.
   */
  connections?: number
  /**
   * Mailbox, or entry of the option `path`, that could not be synced, with the error. Absent if
   * the last sync had no error.
   */
  syncError?: {
    /** Path of the mailbox that could not be synced. */
    path: string
    /** Time at which the sync of the mailbox failed (ISO 8601). */
    time: string
    /** Text of the error for which the sync of the mailbox failed. */
    error: string
  }
  /**
   * Storage quota of the account. Only if requested with `quota`. False if the mail server does
   * not report a quota.
   */
  quota?: {
    /** Storage that the messages of the account use, in bytes. */
    usage: number
    /** Storage limit of the account, in bytes. */
    limit: number
    /** Used share of the storage limit, such as `53%`. */
    status: string
  } | false
  /**
   * Time at which syncing was switched off after repeated authentication failures (ISO 8601).
   * Absent otherwise.
   */
  authFailureDisabledAt?: string
  /**
   * Subscription of the account to change notifications of Microsoft Graph. If no subscription
   * exists, the account is polled for changes.
   */
  outlookSubscription?: {
    /** Id of the subscription at Microsoft Graph. Absent if no subscription exists. */
    id?: string
    /**
     * Time at which the subscription at Microsoft Graph ends unless renewed (ISO 8601). Null if
     * no subscription exists.
     */
    expirationDateTime: string | null
    /** Result of the last creation or renewal of the subscription at Microsoft Graph. */
    state: {
      /**
       * State of the subscription at Microsoft Graph: `created`, or `error` if the last
       * creation or renewal failed.
       */
      state: 'created' | 'error'
      /**
       * Time of the last creation or renewal of the subscription at Microsoft Graph, in
       * milliseconds since 1970.
       */
      time?: number
      /**
       * Error of the last creation or renewal of the subscription at Microsoft Graph. Null if
       * there was no failure.
       */
      error: string | null
      /**
       * Number of failed attempts to renew the subscription at Microsoft Graph since the last
       * success.
       */
      retryCount?: number
      /**
       * Number of failed attempts to create the subscription at Microsoft Graph since the last
       * success.
       */
      createRetryCount?: number
    }
  }
  /**
   * Result of the last attempt to send a message through the outgoing server of the account.
   * Null before the first attempt, and after the retention period of sent messages (1 day by
   * default).
   */
  smtpStatus: {
    /** Time of the attempt to send a message (ISO 8601). */
    created: string
    /** Result of the attempt to send a message: `ok` or `error`. */
    status: 'ok' | 'error'
    /**
     * Reply of the mail server to the accepted message or the rejected SMTP command. Absent
     * without a reply of the mail server.
     */
    response?: string
    /**
     * SMTP reply code of the mail server, such as 550. Absent if the mail server did not reply.
     */
    responseCode?: number
    /** Code of the error of the attempt to send a message, such as `ECONNECTION` or `EAUTH`. */
    code?: string
    /** SMTP command that the mail server rejected, such as `RCPT TO`. */
    command?: string
    /** Text of the error of the attempt to send the message. */
    description?: string
    /**
     * Network path of the attempt to send a message: local IP address, EHLO name and proxy.
     * Absent or null for the default path.
     */
    networkRouting: {
      /** Local IP address of the connection to the mail server. */
      localAddress?: string
      /** Host name that was sent to the mail server in the EHLO command. */
      name?: string
      /** URL of the proxy for the connection to the mail server, without the login. */
      proxy?: string
    } | null
  } | null
  /**
   * Error of the last failed login or connection of the account. Null if there is no error, or
   * if the account is connected.
   */
  lastError: LastError | null
}

/** Account to register. Only `account` and `name` are required. */
export interface AccountRegistration {
  /**
   * Id of the account. If the account exists, the request updates the account. Null: an id is
   * generated.
   */
  account: string | null
  /** Display name of the account. Default name of the author of sent messages. */
  name: string
  /** Email address of the account. Default address of the author of sent messages. */
  email?: string
  /**
   * Email address to which the login of the account must belong. Logins of other addresses are
   * rejected.
   */
  expectedEmail?: string
  /**
   * Mailboxes of the account to sync, as paths or special uses such as `\Sent`. Absent, null or
   * `*`: all mailboxes.
   */
  path?: string[] | null
  /**
   * Mailboxes (paths or special uses such as `\Sent`) to watch for changes on a separate IMAP
   * connection each. Without effect for servers with NOTIFY (RFC 5465), which report changes of
   * all mailboxes. A single value instead of a list is accepted, too.
   */
  subconnections?: string[]
  /**
   * URL that receives the webhooks of the account, instead of the default target (setting
   * `webhooks`). Empty: the default target.
   */
  webhooks?: string
  /**
   * Additional HTTP headers of webhook requests for the account. Values are stored encrypted.
   * The mask `******` as a value keeps the stored value.
   */
  webhooksCustomHeaders?: KeyValue[]
  /**
   * If true, a copy of each sent message is stored in the Sent mailbox. Null or never set: a
   * copy is stored unless the mail provider stores sent messages. Without effect for accounts
   * on a mail API.
   */
  copy?: boolean | null
  /**
   * If true, the protocol log of the account is recorded: IMAP commands and responses, or
   * requests to the mail API. `GET /v1/logs/{account}` returns the log.
   */
  logs?: boolean
  /**
   * If true, the account is paused: it opens no connection to its incoming server or mail API,
   * and renews no subscription. `state` is `other` and `stateDetail` is `paused`. Operations
   * that need the mailbox respond 503 `NoAvailable`. Messages are still sent if the first sync
   * of the account is complete, and mail clients can still log in through the IMAP proxy. If
   * false, the account connects like a new account. Defaults to false.
   */
  paused?: boolean
  /**
   * Time of receipt (ISO 8601) from which messages are announced by `messageNew`, or `now`.
   * Initially the time of the registration.
   */
  notifyFrom?: (string & {}) | 'now' | null
  /**
   * URL of the proxy for connections to the mail servers: `http:`, `https:`, `socks4:` or
   * `socks5:`. Empty or never set: the settings `proxyEnabled` and `proxyUrl` apply.
   */
  proxy?: string
  /**
   * Host name that is sent to outgoing mail servers in the EHLO command. Null or never set: the
   * setting `smtpEhloName` applies.
   */
  smtpEhloName?: string | null
  /**
   * Mailbox index of an IMAP account: `full` detects new, changed and deleted messages, `fast`
   * new messages only. Null or never set: the setting `imapIndexer` applies.
   */
  imapIndexer?: 'full' | 'fast' | null
  /** Incoming mail server of the account (IMAP). False: the account has no incoming server. */
  imap?: ImapConfig | ImapDisabled | false
  /** Outgoing mail server of the account (SMTP). False: the account has no outgoing server. */
  smtp?: SmtpConfig | false
  /** OAuth2 login of the account. False: the account has no OAuth2 login. */
  oauth2?: {
    /** Id of the OAuth2 application through which the account accesses the mailbox. */
    provider?: string
    /**
     * User at the OAuth2 provider (`user`). For access to another mailbox, also the shared
     * mailbox (`delegatedUser`) or the account with the OAuth2 grant (`delegatedAccount`).
     */
    auth?: {
      /** Login name of the user at the OAuth2 provider, usually the email address. */
      user?: string
      /**
       * Email address of a shared mailbox that the account uses instead of the mailbox of the
       * user. The user needs access to the shared mailbox.
       */
      delegatedUser?: string
      /** Id of another account whose OAuth2 grant is used. The account stores no grant then. */
      delegatedAccount?: string
    }
    /**
     * If true, access tokens are requested from the authentication server (setting
     * `authServer`), not from the OAuth2 provider.
     */
    useAuthServer?: boolean
    /** OAuth2 access token that the caller has received from the provider. Stored encrypted. */
    accessToken?: string
    /**
     * OAuth2 refresh token from the provider, with which access tokens are requested. Stored
     * encrypted.
     */
    refreshToken?: string
    /** Time at which the access token expires (ISO 8601). */
    expires?: string
    /**
     * If true, the account is not created. The response contains the URL of the consent page,
     * valid for 24 h. After the URL is opened, the owner must consent within 1 h in the same
     * browser.
     */
    authorize?: boolean
    /**
     * URL to which the browser of the owner is redirected after the consent, with the query
     * parameters `account` and `state`. Only with `authorize`.
     */
    redirectUrl?: string
  } | false
  /**
   * Language tag, such as `en-GB`, for dates in quotations of replies and forwards. Defaults to
   * the setting `locale`.
   */
  locale?: string
  /**
   * Time zone, such as `Europe/Tallinn`, for dates in quotations of replies and forwards.
   * Defaults to the setting `timezone`.
   */
  tz?: string
}

/**
 * Changes of an account. Absent members keep their values, `null` and `false` remove a value.
 */
export interface AccountUpdate {
  /** Email address of the account. Default address of the author of sent messages. */
  email?: string
  /**
   * Email address to which the login of the account must belong. Logins of other addresses are
   * rejected.
   */
  expectedEmail?: string | null
  /**
   * Mailboxes of the account to sync, as paths or special uses such as `\Sent`. Absent, null or
   * `*`: all mailboxes.
   */
  path?: string[] | null
  /**
   * Mailboxes (paths or special uses such as `\Sent`) to watch for changes on a separate IMAP
   * connection each. Without effect for servers with NOTIFY (RFC 5465), which report changes of
   * all mailboxes. A single value instead of a list is accepted, too.
   */
  subconnections?: string[]
  /**
   * URL that receives the webhooks of the account, instead of the default target (setting
   * `webhooks`). Empty: the default target.
   */
  webhooks?: string
  /**
   * Additional HTTP headers of webhook requests for the account. Values are stored encrypted.
   * The mask `******` as a value keeps the stored value.
   */
  webhooksCustomHeaders?: KeyValue[]
  /**
   * If true, a copy of each sent message is stored in the Sent mailbox. Null or never set: a
   * copy is stored unless the mail provider stores sent messages. Without effect for accounts
   * on a mail API.
   */
  copy?: boolean | null
  /**
   * If true, the protocol log of the account is recorded: IMAP commands and responses, or
   * requests to the mail API. `GET /v1/logs/{account}` returns the log.
   */
  logs?: boolean
  /**
   * If true, the account is paused: it opens no connection to its incoming server or mail API,
   * and renews no subscription. `state` is `other` and `stateDetail` is `paused`. Operations
   * that need the mailbox respond 503 `NoAvailable`. Messages are still sent if the first sync
   * of the account is complete, and mail clients can still log in through the IMAP proxy. If
   * false, the account connects like a new account. Defaults to false.
   */
  paused?: boolean
  /**
   * Time of receipt (ISO 8601) from which messages are announced by `messageNew`, or `now`.
   * Initially the time of the registration.
   */
  notifyFrom?: (string & {}) | 'now' | null
  /**
   * URL of the proxy for connections to the mail servers: `http:`, `https:`, `socks4:` or
   * `socks5:`. Empty or never set: the settings `proxyEnabled` and `proxyUrl` apply.
   */
  proxy?: string
  /**
   * Host name that is sent to outgoing mail servers in the EHLO command. Null or never set: the
   * setting `smtpEhloName` applies.
   */
  smtpEhloName?: string | null
  /** Incoming mail server of the account (IMAP). False: the account has no incoming server. */
  imap?: ImapUpdate | false
  /** Outgoing mail server of the account (SMTP). False: the account has no outgoing server. */
  smtp?: SmtpUpdate | false
  /** OAuth2 login of the account. False: the account has no OAuth2 login. */
  oauth2?: {
    /** Id of the OAuth2 application through which the account accesses the mailbox. */
    provider?: string
    /**
     * User at the OAuth2 provider (`user`). For access to another mailbox, also the shared
     * mailbox (`delegatedUser`) or the account with the OAuth2 grant (`delegatedAccount`).
     */
    auth?: {
      /** Login name of the user at the OAuth2 provider, usually the email address. */
      user?: string
      /**
       * Email address of a shared mailbox that the account uses instead of the mailbox of the
       * user. The user needs access to the shared mailbox.
       */
      delegatedUser?: string
      /** Id of another account whose OAuth2 grant is used. The account stores no grant then. */
      delegatedAccount?: string
    }
    /**
     * If true, access tokens are requested from the authentication server (setting
     * `authServer`), not from the OAuth2 provider.
     */
    useAuthServer?: boolean
    /** OAuth2 access token that the caller has received from the provider. Stored encrypted. */
    accessToken?: string
    /**
     * OAuth2 refresh token from the provider, with which access tokens are requested. Stored
     * encrypted.
     */
    refreshToken?: string
    /** Time at which the access token expires (ISO 8601). */
    expires?: string
    /**
     * If true, nothing changes until the owner consents. All fields of the request then apply
     * together. The response contains the URL of the consent page, valid for 24 h. After the
     * URL is opened, the owner must consent within 1 h in the same browser. Consent of a user
     * other than the login name of the account is refused, unless `oauth2.auth.user` names that
     * user.
     */
    authorize?: boolean
    /**
     * URL to which the browser of the owner is redirected after the consent, with the query
     * parameters `account` and `state`. Only with `authorize`.
     */
    redirectUrl?: string
    /**
     * If true, absent members of `oauth2` keep their stored values. If false (default), the
     * whole object except the tokens is replaced.
     */
    partial?: boolean
  } | false
  /**
   * Language tag, such as `en-GB`, for dates in quotations of replies and forwards. Defaults to
   * the setting `locale`.
   */
  locale?: string
  /**
   * Time zone, such as `Europe/Tallinn`, for dates in quotations of replies and forwards.
   * Defaults to the setting `timezone`.
   */
  tz?: string
  /** Display name of the account. Default name of the author of sent messages. */
  name?: string
}

/** Email address with an optional display name. */
export interface Address {
  /** Display name that mail clients show with the email address. */
  name?: string
  /** Email address, such as `mail@example.com`. At most 320 characters. */
  address: string
}

/** Attachment of a stored message, without the content. */
export interface AttachmentInfo {
  /** Id of the attachment, for `GET /v1/account/{account}/attachment/{attachment}`. */
  id: string
  /** Media type of the attachment in lower case, such as `application/pdf`. */
  contentType: string
  /**
   * Size of the attachment in bytes, in the transfer encoding of the message. For base64 about
   * 4/3 of the decoded size.
   */
  encodedSize: number
  /** True if the HTML of the message may show the attachment (part of `multipart/related`). */
  embedded?: boolean
  /** True if the attachment is intended for display inside the text (disposition `inline`). */
  inline?: boolean
  /**
   * False if the message only refers to the content of the attachment
   * (`message/external-body`).
   */
  encodedInMessage?: boolean
  /** Content-ID of the attachment, to which `cid:` URLs in the HTML refer. */
  contentId?: string
  /** File name of the attachment. Absent if the attachment has no file name. */
  filename?: string
  /** Method of an attached calendar part, such as `REQUEST` for an invitation. */
  method?: string
  /**
   * Content of the attachment in base64. Only in `messageNew`, with the setting
   * `notifyAttachments`.
   */
  content?: string
}

/**
 * Attachment of a message to send or store: its content, or a reference to an attachment of a
 * stored message.
 */
export interface AttachmentSource {
  /** File name of the attachment. */
  filename?: string
  /**
   * Media type of the attachment, such as `application/pdf`. Defaults to the media type for the
   * extension of the file name.
   */
  contentType?: string
  /**
   * Presentation of the attachment by mail clients (RFC 2183): `inline` inside the text, or
   * `attachment` beside the text.
   */
  contentDisposition?: 'inline' | 'attachment'
  /**
   * Content-ID of the attachment. The HTML shows an image with the URL `cid:` and this
   * Content-ID.
   */
  cid?: string
  /** Encoding of `content`. Only `base64` is supported. */
  encoding?: 'base64'
  /** Content of the attachment in base64. At most 52,428,800 encoded characters. */
  content?: Base64
  /**
   * Id of a stored attachment of the same account, which is used instead of `content`. Null or
   * false: `content` is used.
   */
  reference?: string | false | null
}

/** Options for sending a stored draft. */
export interface DraftSubmission {
  /**
   * SMTP envelope: addresses that mail servers use to transport the message. Defaults to the
   * author and recipients of the message. Special rules apply if a mail API (Gmail API,
   * Microsoft Graph) sends the message, because the account is on a mail API and the submission
   * does not set `gateway`: the sender in the envelope must be the author of the message, and
   * the envelope must contain all recipients in the headers of the message. Otherwise the
   * request fails with `UnsupportedOperation`. Recipients that only the envelope contains
   * receive a blind copy.
   */
  envelope?: {
    /** Address that receives bounces (MAIL FROM). If empty, mail servers send no bounces. */
    from?: (string & {}) | ''
    /**
     * Addresses that receive the message (RCPT TO). Defaults to all recipients in the message.
     * A single value instead of a list is accepted, too.
     */
    to?: string[]
  }
  /**
   * Earliest time at which the message is sent (ISO 8601). Defaults to the time of the request.
   */
  sendAt?: string
  /**
   * Maximum number of attempts to send the message. Defaults to the setting `deliveryAttempts`.
   */
  deliveryAttempts?: number
  /**
   * Id of a gateway (SMTP server that sends for accounts). The gateway sends the message
   * instead of the mail server of the account.
   */
  gateway?: string
  /**
   * Request for delivery status notifications, which mail servers send to the envelope sender
   * (RFC 3461). Without effect for accounts on a mail API.
   */
  dsn?: {
    /**
     * Id of the message for delivery status notifications (ENVID). The notifications about the
     * message contain this id.
     */
    id?: string
    /**
     * Part of the message that delivery status notifications contain (RET): `headers`, or
     * `full` for the whole message.
     */
    return: 'headers' | 'full'
    /**
     * Results for which delivery status notifications are sent (NOTIFY). `never` cannot be
     * combined with other values. A single value instead of a list is accepted, too.
     */
    notify?: ('never' | 'success' | 'failure' | 'delay')[]
    /** Original recipient of the message for delivery status notifications (ORCPT). */
    recipient?: string
  }
  /**
   * URL of a proxy for the connection to the mail server. Tokens that are bound to an account
   * or have restricted permissions cannot set a proxy. Without effect for accounts on a mail
   * API.
   */
  proxy?: string
  /**
   * Local IP address for the connection to the mail server. Not used unless the setting
   * `localAddresses` contains the address. Without effect for accounts on a mail API.
   */
  localAddress?: string
  /**
   * If true, a copy of the sent message is stored in the Sent mailbox. Defaults to the value of
   * `copy` of the account. Without effect for accounts on a mail API, whose providers store
   * sent messages.
   */
  copy?: boolean | null
  /**
   * Path of the mailbox in which the copy of the sent message is stored. Defaults to the Sent
   * mailbox of the account. Without effect for accounts on a mail API.
   */
  sentMailPath?: string
}

/** Changes of the flags and labels of messages. */
export interface FlagUpdate {
  /**
   * Flags to add to messages or to delete from messages. `set` replaces all flags and excludes
   * `add` and `delete`.
   */
  flags?: {
    /**
     * Flags to add to each message, such as `\Seen` or a keyword. Other flags are not changed.
     * A single value instead of a list is accepted, too.
     */
    add?: string[]
    /**
     * Flags to remove from each message. Other flags are not changed. A single value instead of
     * a list is accepted, too.
     */
    delete?: string[]
    /**
     * Flags that replace all flags of each message. A single value instead of a list is
     * accepted, too.
     */
    set?: string[]
  }
  /**
   * Labels to add to messages or to delete from messages: Gmail labels, or Microsoft Graph
   * categories. Rejected for other accounts.
   */
  labels?: {
    /**
     * Labels to add to each message, by name. A single value instead of a list is accepted,
     * too.
     */
    add?: string[]
    /**
     * Labels to remove from each message, by name. A single value instead of a list is
     * accepted, too.
     */
    delete?: string[]
  }
}

/** Incoming server (IMAP) of an account, with the login. */
export interface ImapConfig {
  /**
   * If true, the login is requested from the authentication server (setting `authServer`) and
   * not stored. Defaults to false.
   */
  useAuthServer?: boolean
  /**
   * Login at the mail server: login name with a password or an OAuth2 access token. False: no
   * login is stored.
   */
  auth?: {
    /** Login name at the mail server, usually the email address. */
    user: string
    /** Password for the login name at the mail server. */
    pass?: string
    /**
     * OAuth2 access token for the login, instead of a password (XOAUTH2 or OAUTHBEARER). The
     * caller must replace the token before the token expires. False: the password is used.
     */
    accessToken?: string | false
  } | false
  /** Host name or IP address of the mail server. */
  host: string
  /** TCP port of the mail server, such as 993 (IMAP) or 587 (SMTP). */
  port: number
  /**
   * If true, connections use TLS from the start (usually ports 993 and 465). If false
   * (default), connections use STARTTLS, see `tls.requireStartTls`.
   */
  secure?: boolean
  /** TLS options of connections to the mail server. */
  tls?: {
    /**
     * If true (default), the TLS certificate of the mail server must be valid. If false, any
     * certificate is accepted.
     */
    rejectUnauthorized?: boolean
    /** Lowest TLS version that is accepted from the mail server. Defaults to `TLSv1.2`. */
    minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'
    /**
     * If true (default), a connection without TLS ends if the mail server does not offer
     * STARTTLS. If false, login and mail are then sent unencrypted. Mail servers on the same
     * machine are exempt.
     */
    requireStartTls?: boolean
  }
  /**
   * If true, IMAP4rev1 is used even if the server offers IMAP4rev2 (RFC 9051). Defaults to
   * false.
   */
  disableIMAP4rev2?: boolean
  /** Interval in seconds between full syncs of all mailboxes of the account. Initially 900. */
  resyncDelay?: number
  /**
   * Path of the mailbox that serves as the Sent mailbox. Null or never set: the mailbox with
   * this special use.
   */
  sentMailPath?: string | null
  /**
   * Path of the mailbox that serves as the Drafts mailbox. Null or never set: the mailbox with
   * this special use.
   */
  draftsMailPath?: string | null
  /**
   * Path of the mailbox that serves as the Junk mailbox. Null or never set: the mailbox with
   * this special use.
   */
  junkMailPath?: string | null
  /**
   * Path of the mailbox that serves as the Trash mailbox. Null or never set: the mailbox with
   * this special use.
   */
  trashMailPath?: string | null
  /**
   * Path of the mailbox that serves as the Archive mailbox. Null or never set: the mailbox with
   * this special use.
   */
  archiveMailPath?: string | null
  /**
   * If true, the incoming mail server is switched off and no mailbox of the account is synced.
   * Defaults to false.
   */
  disabled?: boolean
}

/** Incoming server (IMAP) that is stored, but to which the account does not connect. */
export interface ImapDisabled {
  /**
   * If true, the login is requested from the authentication server (setting `authServer`) and
   * not stored. Defaults to false.
   */
  useAuthServer?: boolean
  /**
   * Login at the mail server: login name with a password or an OAuth2 access token. False: no
   * login is stored.
   */
  auth?: {
    /** Login name at the mail server, usually the email address. */
    user: string
    /** Password for the login name at the mail server. */
    pass?: string
    /**
     * OAuth2 access token for the login, instead of a password (XOAUTH2 or OAUTHBEARER). The
     * caller must replace the token before the token expires. False: the password is used.
     */
    accessToken?: string | false
  } | false
  /** Host name or IP address of the mail server. */
  host?: string
  /** TCP port of the mail server, such as 993 (IMAP) or 587 (SMTP). */
  port?: number
  /**
   * If true, connections use TLS from the start (usually ports 993 and 465). If false
   * (default), connections use STARTTLS, see `tls.requireStartTls`.
   */
  secure?: boolean
  /** TLS options of connections to the mail server. */
  tls?: {
    /**
     * If true (default), the TLS certificate of the mail server must be valid. If false, any
     * certificate is accepted.
     */
    rejectUnauthorized?: boolean
    /** Lowest TLS version that is accepted from the mail server. Defaults to `TLSv1.2`. */
    minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'
    /**
     * If true (default), a connection without TLS ends if the mail server does not offer
     * STARTTLS. If false, login and mail are then sent unencrypted. Mail servers on the same
     * machine are exempt.
     */
    requireStartTls?: boolean
  }
  /**
   * If true, IMAP4rev1 is used even if the server offers IMAP4rev2 (RFC 9051). Defaults to
   * false.
   */
  disableIMAP4rev2?: boolean
  /** Interval in seconds between full syncs of all mailboxes of the account. Initially 900. */
  resyncDelay?: number
  /**
   * Path of the mailbox that serves as the Sent mailbox. Null or never set: the mailbox with
   * this special use.
   */
  sentMailPath?: string | null
  /**
   * Path of the mailbox that serves as the Drafts mailbox. Null or never set: the mailbox with
   * this special use.
   */
  draftsMailPath?: string | null
  /**
   * Path of the mailbox that serves as the Junk mailbox. Null or never set: the mailbox with
   * this special use.
   */
  junkMailPath?: string | null
  /**
   * Path of the mailbox that serves as the Trash mailbox. Null or never set: the mailbox with
   * this special use.
   */
  trashMailPath?: string | null
  /**
   * Path of the mailbox that serves as the Archive mailbox. Null or never set: the mailbox with
   * this special use.
   */
  archiveMailPath?: string | null
  /**
   * If true, the incoming mail server is switched off and no mailbox of the account is synced.
   * Defaults to false.
   */
  disabled: true
}

/** Changes of the incoming server (IMAP) of an account. */
export interface ImapUpdate {
  /**
   * If true, the login is requested from the authentication server (setting `authServer`) and
   * not stored. Defaults to false.
   */
  useAuthServer?: boolean
  /**
   * Login at the mail server: login name with a password or an OAuth2 access token. False: no
   * login is stored.
   */
  auth?: {
    /** Login name at the mail server, usually the email address. */
    user: string
    /** Password for the login name at the mail server. */
    pass?: string
    /**
     * OAuth2 access token for the login, instead of a password (XOAUTH2 or OAUTHBEARER). The
     * caller must replace the token before the token expires. False: the password is used.
     */
    accessToken?: string | false
  } | false
  /** Host name or IP address of the mail server. */
  host?: string
  /** TCP port of the mail server, such as 993 (IMAP) or 587 (SMTP). */
  port?: number
  /**
   * If true, connections use TLS from the start (usually ports 993 and 465). If false
   * (default), connections use STARTTLS, see `tls.requireStartTls`.
   */
  secure?: boolean
  /** TLS options of connections to the mail server. */
  tls?: {
    /**
     * If true (default), the TLS certificate of the mail server must be valid. If false, any
     * certificate is accepted.
     */
    rejectUnauthorized?: boolean
    /** Lowest TLS version that is accepted from the mail server. Defaults to `TLSv1.2`. */
    minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'
    /**
     * If true (default), a connection without TLS ends if the mail server does not offer
     * STARTTLS. If false, login and mail are then sent unencrypted. Mail servers on the same
     * machine are exempt.
     */
    requireStartTls?: boolean
  }
  /**
   * If true, absent members of the mail server keep their stored values. If false (default),
   * the whole object is replaced.
   */
  partial?: boolean
  /**
   * If true, IMAP4rev1 is used even if the server offers IMAP4rev2 (RFC 9051). Defaults to
   * false.
   */
  disableIMAP4rev2?: boolean
  /** Interval in seconds between full syncs of all mailboxes of the account. Initially 900. */
  resyncDelay?: number
  /**
   * Path of the mailbox that serves as the Sent mailbox. Null or never set: the mailbox with
   * this special use.
   */
  sentMailPath?: string | null
  /**
   * Path of the mailbox that serves as the Drafts mailbox. Null or never set: the mailbox with
   * this special use.
   */
  draftsMailPath?: string | null
  /**
   * Path of the mailbox that serves as the Junk mailbox. Null or never set: the mailbox with
   * this special use.
   */
  junkMailPath?: string | null
  /**
   * Path of the mailbox that serves as the Trash mailbox. Null or never set: the mailbox with
   * this special use.
   */
  trashMailPath?: string | null
  /**
   * Path of the mailbox that serves as the Archive mailbox. Null or never set: the mailbox with
   * this special use.
   */
  archiveMailPath?: string | null
  /**
   * If true, the incoming mail server is switched off and no mailbox of the account is synced.
   * Defaults to false.
   */
  disabled?: boolean
}

/** Additional HTTP header of webhook requests: name and value. */
export interface KeyValue {
  /** Name of the HTTP header, such as `X-Tenant`. */
  key: string
  /** Value of the HTTP header. Defaults to an empty text. */
  value?: string
}

/** Error of the last failed login, connection or token request. */
export interface LastError {
  /** Reply of the mail server or provider with the error, or the text of the error. */
  response?: string
  /**
   * Explanation of the error in `response`, for operators. Absent if there is no explanation.
   */
  description?: string
  /**
   * Response code of the mail server, such as `AUTHENTICATIONFAILED`. Without a response code:
   * code of the error, such as `ECONNREFUSED`.
   */
  serverResponseCode?: string
  /**
   * Failed request to an OAuth2 token endpoint, without secrets and tokens. Absent for other
   * errors.
   */
  tokenRequest?: {
    /** URL of the OAuth2 token endpoint. */
    url?: string
    /** HTTP method of the request to the OAuth2 token endpoint. */
    method?: string
    /**
     * OAuth2 grant type of the token request: `refresh_token`, `authorization_code`,
     * `client_credentials` or a JWT bearer grant.
     */
    grant?: string
    /** Kind of the OAuth2 provider, such as `gmail` or `outlook`. */
    provider?: string
    /** HTTP status of the response of the OAuth2 token endpoint. */
    status?: number
    /** Client id of the OAuth2 application. */
    clientId?: string
    /** Authority of an Outlook application, such as `common` or a tenant id. */
    authority?: string
    /** Client id of the Google service account. */
    serviceClient?: string
    /** Email address of the Google service account. */
    serviceClientEmail?: string
    /** Error code of the OAuth2 token endpoint, such as `invalid_grant`. */
    code?: string
    /**
     * Fault of the OAuth2 application that an operator must repair. Absent if the owner of the
     * account must act.
     */
    flag?: {
      /** Fault of the OAuth2 application, such as an expired client secret. */
      message: string
      /**
       * Error code of the token endpoint for the fault of the OAuth2 application, such as
       * `invalid_client`.
       */
      code?: string
    }
    /**
     * Action that the owner of the account must take. Absent if an operator must repair the
     * OAuth2 application.
     */
    userFlag?: {
      /** Action that the owner of the account must take, such as to log in again. */
      message: string
    }
    /** OAuth2 scopes of the token request. */
    scopes?: string[]
    /** Error response of the token endpoint, with masked secrets. */
    response?: Record<string, unknown>
  }
}

/** Mailbox of an account, as stored by the last sync. */
export interface MailboxEntry {
  /** Full path of the mailbox, such as `Clients/2026`. */
  path: string
  /**
   * Separator of the levels in mailbox paths, such as `/`. Null if the mail server has no
   * levels.
   */
  delimiter: string | null
  /** Path of the mailbox that contains this mailbox. Absent for a mailbox at the top level. */
  parentPath?: string
  /** Name of the mailbox: last level of the path. */
  name: string
  /** True if the mail server lists the mailbox (LIST). */
  listed: boolean
  /** True if the user has subscribed to the mailbox (LSUB). */
  subscribed: boolean
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: 
    | '\\All'
    | '\\Archive'
    | '\\Drafts'
    | '\\Flagged'
    | '\\Junk'
    | '\\Sent'
    | '\\Trash'
    | '\\Inbox'
  /** True if no mailbox can be created below the mailbox. */
  noInferiors?: boolean
  /** Id of the mailbox (folder or label) at the mail provider. Accounts on a mail API only. */
  id?: string
  /** True if the mailbox cannot contain messages, only other mailboxes. */
  noSelect?: boolean
  /**
   * Origin of the special use: `extension` (reported by the mail server), `name` (derived from
   * the mailbox name) or `user` (set in the account, such as `sentMailPath`).
   */
  specialUseSource?: 'user' | 'extension' | 'name'
  /** Number of messages in the mailbox at the last sync. False if unknown. */
  messages: number | false
  /**
   * UID that the next new message in the mailbox gets (UIDNEXT), at the last sync. False if
   * unknown.
   */
  uidNext: number | false
  /** Current counters of the mailbox. Only if requested with `counters`. */
  status?: {
    /** Current number of messages in the mailbox. */
    messages?: number
    /** Current number of unread messages in the mailbox. */
    unseen?: number
    /**
     * Text of the error because of which the mail server reported no counters. Absent if
     * `messages` and `unseen` are present.
     */
    error?: string
  }
}

/** Message with its headers. */
export interface MessageDetail {
  /** Id of the message, for other operations on the message. */
  id: string
  /** UID of the message in the mailbox. IMAP accounts only. */
  uid?: number
  /**
   * Permanent id of the message, which a move does not change. Only for IMAP servers with
   * OBJECTID (RFC 8474) and for Gmail. For accounts on a mail API the same as `id`.
   */
  emailId?: string
  /**
   * Id of the thread (conversation) of the message. Absent unless the mail server has thread
   * ids (OBJECTID, Gmail, Microsoft Graph).
   */
  threadId?: string
  /** Path of the mailbox that contains the message. */
  path?: string
  /**
   * Time in the Date header of the message (ISO 8601). Without a valid Date header, the time of
   * receipt.
   */
  date?: string
  /** Flags and keywords of the message, such as `\Seen`. */
  flags: string[]
  /** True if the message is unread: the flag `\Seen` is not set. */
  unseen?: boolean
  /** True if the message is marked as important: the flag `\Flagged` is set. */
  flagged?: boolean
  /** True if the message was answered: the flag `\Answered` is set. */
  answered?: boolean
  /** True if the message is a draft: the flag `\Draft` is set. */
  draft?: boolean
  /** Size of the message in bytes. */
  size?: number
  /** Decoded subject of the message. */
  subject?: string
  /**
   * Beginning of the text of the message, at most 255 characters. Accounts on a mail API only.
   */
  preview?: string
  /** Author of the message (From header). */
  from?: ReadAddress
  /** Sender of the message (Sender header). Absent if the author is the sender. */
  sender?: ReadAddress
  /**
   * Addresses that receive replies to the message (Reply-To header). Absent if the author
   * receives replies.
   */
  replyTo?: ReadAddress[]
  /** Primary recipients of the message (To header). */
  to?: ReadAddress[]
  /** Recipients of copies of the message (Cc header). */
  cc?: ReadAddress[]
  /** Recipients of blind copies of the message (Bcc header). */
  bcc?: ReadAddress[]
  /** Message-ID header of the message. */
  messageId?: string
  /** Message-ID of the message to which this message replies (In-Reply-To header). */
  inReplyTo?: string
  /** Gmail labels, or Microsoft Graph categories, of the message. */
  labels?: string[]
  /**
   * Category (tab) of the message in a Gmail inbox. For Gmail over IMAP, the setting
   * `resolveGmailCategories` is required.
   */
  category?: 
    | 'primary'
    | 'social'
    | 'promotions'
    | 'updates'
    | 'forums'
  /** Attachments of the message, usually without contents. */
  attachments?: AttachmentInfo[]
  /** Texts of the message: id, sizes and, if requested, contents. */
  text?: TextInfo
  /**
   * Special use of the mailbox that contains the message. For Gmail, special use of the labels
   * of the message.
   */
  messageSpecialUse?: 
    | '\\All'
    | '\\Archive'
    | '\\Drafts'
    | '\\Flagged'
    | '\\Junk'
    | '\\Sent'
    | '\\Trash'
    | '\\Inbox'
  /**
   * True if this description of the message is incomplete. Either the mail server returned no
   * description: attachments and texts are absent. Or the description exceeds 10,000 tokens
   * (about 1,500 recipients or 500 parts): only the first recipients and parts are present. The
   * source of the message can still be downloaded.
   */
  incomplete?: true
  /**
   * Sections that contain only their first values, because the mail server describes the
   * message with more than 10,000 tokens: `envelope` (subject and addresses), `structure`
   * (attachments and texts) or `flags` (flags and labels). Absent if all sections are complete,
   * and if the mail server returned no description at all: then `incomplete` is true, and
   * attachments and texts are absent.
   */
  incompleteIn?: ('envelope' | 'structure' | 'flags')[]
  /** True if the message is an automatic reply, such as an out-of-office message. */
  isAutoReply?: boolean
  /**
   * Delivery reports for this message that have arrived, with failed and delayed recipients.
   */
  bounces?: {
    /** Id of the message that contains the delivery report. */
    message: string
    /** Email address of the recipient that the delivery report names. */
    recipient: string
    /** Result for the recipient in the delivery report, such as `failed` or `delayed`. */
    action: string
    /** Response of the receiving mail server, as quoted by the delivery report. */
    response: {
      /** Text of the response of the receiving mail server. */
      message: string
      /** Enhanced status code of the receiving mail server, such as `5.1.1` (RFC 3463). */
      status?: string
    }
    /** Time of the delivery report (ISO 8601). */
    date: string
  }[]
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: 
    | '\\All'
    | '\\Archive'
    | '\\Drafts'
    | '\\Flagged'
    | '\\Junk'
    | '\\Sent'
    | '\\Trash'
    | '\\Inbox'
  /**
   * Headers of the message: the lower-case name of each header, and the values of this header
   * in the order of the message.
   */
  headers?: Record<string, string[]>
}

/** Message in a list, without headers and texts. */
export interface MessageEntry {
  /** Id of the message, for other operations on the message. */
  id: string
  /** UID of the message in the mailbox. IMAP accounts only. */
  uid?: number
  /**
   * Permanent id of the message, which a move does not change. Only for IMAP servers with
   * OBJECTID (RFC 8474) and for Gmail. For accounts on a mail API the same as `id`.
   */
  emailId?: string
  /**
   * Id of the thread (conversation) of the message. Absent unless the mail server has thread
   * ids (OBJECTID, Gmail, Microsoft Graph).
   */
  threadId?: string
  /** Path of the mailbox that contains the message. */
  path?: string
  /**
   * Time in the Date header of the message (ISO 8601). Without a valid Date header, the time of
   * receipt.
   */
  date?: string
  /** Flags and keywords of the message, such as `\Seen`. */
  flags: string[]
  /** True if the message is unread: the flag `\Seen` is not set. */
  unseen?: boolean
  /** True if the message is marked as important: the flag `\Flagged` is set. */
  flagged?: boolean
  /** True if the message was answered: the flag `\Answered` is set. */
  answered?: boolean
  /** True if the message is a draft: the flag `\Draft` is set. */
  draft?: boolean
  /** Size of the message in bytes. */
  size?: number
  /** Decoded subject of the message. */
  subject?: string
  /**
   * Beginning of the text of the message, at most 255 characters. Accounts on a mail API only.
   */
  preview?: string
  /** Author of the message (From header). */
  from?: ReadAddress
  /** Sender of the message (Sender header). Absent if the author is the sender. */
  sender?: ReadAddress
  /**
   * Addresses that receive replies to the message (Reply-To header). Absent if the author
   * receives replies.
   */
  replyTo?: ReadAddress[]
  /** Primary recipients of the message (To header). */
  to?: ReadAddress[]
  /** Recipients of copies of the message (Cc header). */
  cc?: ReadAddress[]
  /** Recipients of blind copies of the message (Bcc header). */
  bcc?: ReadAddress[]
  /** Message-ID header of the message. */
  messageId?: string
  /** Message-ID of the message to which this message replies (In-Reply-To header). */
  inReplyTo?: string
  /** Gmail labels, or Microsoft Graph categories, of the message. */
  labels?: string[]
  /**
   * Category (tab) of the message in a Gmail inbox. For Gmail over IMAP, the setting
   * `resolveGmailCategories` is required.
   */
  category?: 
    | 'primary'
    | 'social'
    | 'promotions'
    | 'updates'
    | 'forums'
  /** Attachments of the message, usually without contents. */
  attachments?: AttachmentInfo[]
  /** Texts of the message: id, sizes and, if requested, contents. */
  text?: TextInfo
  /**
   * Special use of the mailbox that contains the message. For Gmail, special use of the labels
   * of the message.
   */
  messageSpecialUse?: 
    | '\\All'
    | '\\Archive'
    | '\\Drafts'
    | '\\Flagged'
    | '\\Junk'
    | '\\Sent'
    | '\\Trash'
    | '\\Inbox'
  /**
   * True if this description of the message is incomplete. Either the mail server returned no
   * description: attachments and texts are absent. Or the description exceeds 10,000 tokens
   * (about 1,500 recipients or 500 parts): only the first recipients and parts are present. The
   * source of the message can still be downloaded.
   */
  incomplete?: true
  /**
   * Sections that contain only their first values, because the mail server describes the
   * message with more than 10,000 tokens: `envelope` (subject and addresses), `structure`
   * (attachments and texts) or `flags` (flags and labels). Absent if all sections are complete,
   * and if the mail server returned no description at all: then `incomplete` is true, and
   * attachments and texts are absent.
   */
  incompleteIn?: ('envelope' | 'structure' | 'flags')[]
  /** True if the message is an automatic reply, such as an out-of-office message. */
  isAutoReply?: boolean
  /**
   * Delivery reports for this message that have arrived, with failed and delayed recipients.
   */
  bounces?: {
    /** Id of the message that contains the delivery report. */
    message: string
    /** Email address of the recipient that the delivery report names. */
    recipient: string
    /** Result for the recipient in the delivery report, such as `failed` or `delayed`. */
    action: string
    /** Response of the receiving mail server, as quoted by the delivery report. */
    response: {
      /** Text of the response of the receiving mail server. */
      message: string
      /** Enhanced status code of the receiving mail server, such as `5.1.1` (RFC 3463). */
      status?: string
    }
    /** Time of the delivery report (ISO 8601). */
    date: string
  }[]
}

/** One page of a list of messages. */
export interface MessagePage {
  /** Number of messages on all pages. */
  total: number
  /** Number of this page. The first page is 0. */
  page: number
  /** Number of pages at the requested page size. */
  pages: number
  /** Cursor of the next page, for the parameter `cursor`. Null on the last page. */
  nextPageCursor: string | null
  /** Cursor of the previous page, for the parameter `cursor`. Null on the first page. */
  prevPageCursor: string | null
  /** Messages of this page, from newest to oldest. */
  messages: MessageEntry[]
}

/**
 * Permissions of the token: allowed actions and groups of operations. Null or absent:
 * everything that the scopes of the token allow.
 */
export interface Permissions {
  /** Actions that the token allows. Absent: all actions. */
  actions?: ('read' | 'write' | 'send' | 'destructive')[]
  /** Groups of operations that the token allows. Absent: all groups. */
  groups?: (
    | 'account'
    | 'mailbox'
    | 'message'
    | 'submit'
    | 'outbox'
    | 'export'
    | 'template'
    | 'blocklist'
    | 'webhook'
    | 'gateway'
    | 'events'
    | 'diagnostics'
    | 'logs')[]
}

/** Body of an error response. */
export interface Problem {
  /**
   * HTTP status of the response. If the Gmail API rejects a request, the HTTP status of the
   * Gmail API, with the message `OAuth2 request failed` and without `code`.
   */
  statusCode: number
  /** Phrase of the HTTP status, such as `Not Found`. The reason is in `message`. */
  error: string
  /** Reason of the error, for human readers. The text can change: use `code` in programs. */
  message: string
  /**
   * Error code, such as `MessageNotFound`, or the response code of the mail server. Absent for
   * errors without a code.
   */
  code?: string
  /** Rejected inputs. Only present if the request fails its validation (400). */
  fields?: {
    /** Reason for which the input is rejected, with the path of the input. */
    message: string
    /** Name of the rejected input: the last part of `path`. */
    key: string
    /** Path of the rejected input in the request, such as `to.0.address`. */
    path: string
  }[]
  /**
   * Current state of the account that the request names. Only in responses with the status 503.
   */
  state?: string
  /**
   * Seconds until the current time window of the exceeded rate limit ends. Only in responses
   * with the status 429, if the time is known.
   */
  ttl?: number
  /**
   * Id of the account that already has the OAuth2 user. Only with the code
   * `AccountAlreadyExists`.
   */
  existingAccount?: string
  /** Scope that the operation needs and the token lacks. Only with the status 403. */
  requestedScope?: string
  /** Permission that the operation needs and the token lacks. Only with the status 403. */
  requiredPermission?: {
    /**
     * Action that the permissions of the token must allow: `read`, `write`, `send` or
     * `destructive`.
     */
    action: string
    /**
     * Group of operations that the permissions of the token must allow, such as `message` or
     * `account`.
     */
    group: string
  }
  /**
   * Role that the request needs and the person at the administration pages lacks: `owner`,
   * `operator`, `support` or `auditor`. Only with the status 403.
   */
  requiredRole?: string
  /**
   * IP address of the client, if the restrictions of the token exclude this address. Only in
   * responses with the status 403.
   */
  remoteAddress?: string
  /**
   * Further information on the error. Member `response`: reply of the mail server or mail
   * provider.
   */
  info?: Record<string, unknown>
  /** Further information on the error, for a few operations only. */
  details?: unknown
  /** Further information on a rejected token. Only with the status 401. */
  attributes?: Record<string, unknown>
}

/** Display name and email address from a header of a received message. */
export interface ReadAddress {
  /** Display name beside the email address. Empty if the message contains no name. */
  name?: string
  /** Email address as the message contains the address. Not validated. */
  address?: string
}

/** Stored message that this message replies to or forwards. */
export interface Reference {
  /** Id of the stored message that this message replies to or forwards. */
  message?: string
  /**
   * Relation of the new message to the stored message: `reply` (default), `reply-all` or
   * `forward`. Determines the recipients, the subject and the quotation that the request does
   * not set.
   */
  action?: 'forward' | 'reply' | 'reply-all'
  /**
   * If true, the new message quotes the text of the stored message that the new message replies
   * to or forwards. Defaults to false.
   */
  inline?: boolean
  /**
   * If true, the attachments of the forwarded message are added to the new message. Only for
   * the action `forward`. Defaults to false.
   */
  forwardAttachments?: boolean
  /**
   * If true, the request succeeds even if the stored message to reply to or forward does not
   * exist. If false (default), such a request fails with `ReferenceNotFound`.
   */
  ignoreMissing?: boolean
  /**
   * Expected Message-ID header of the stored message. If the stored message has another
   * Message-ID, the message counts as missing.
   */
  messageId?: string
  /** Id of the thread of the stored message that this message replies to or forwards. */
  threadId?: string
  /** Member or parameter that is accepted for compatibility and ignored. */
  documentStore?: boolean
}

/**
 * Restrictions of the token: allowed client addresses, allowed `Referer` headers and the rate
 * limit. Null or absent: no restrictions.
 */
export interface Restrictions {
  /**
   * Patterns of allowed `Referer` headers of requests with the token, in which `*` matches any
   * text. Null or absent: all requests are allowed.
   */
  referrers?: string[] | null
  /**
   * IP addresses and CIDR ranges from which clients may use the token. Null or absent: all
   * addresses are allowed.
   */
  addresses?: string[] | null
  /**
   * Rate limit of the token: at most `maxRequests` requests in each time window of `timeWindow`
   * seconds. The requests to all replicas are counted together, and messages of mail clients at
   * the SMTP proxy count as requests. Null or absent: no rate limit.
   */
  rateLimit?: {
    /** Maximum number of requests with the token in each time window of the rate limit. */
    maxRequests: number
    /** Length of the time window of the rate limit, in seconds. */
    timeWindow: number
  } | null
}

/** Terms of the search that a message must match. Without terms, all messages match. */
export interface Search {
  /**
   * Matches messages with these sequence numbers in the mailbox, such as `1:10,20,*`. IMAP
   * accounts only.
   */
  seq?: string
  /**
   * Matches messages with these UIDs in the mailbox, such as `1:10,20,*`. IMAP accounts only.
   */
  uid?: string
  /**
   * If true, matches messages whose flag `\Answered` is set. If false, matches all other
   * messages. IMAP accounts only.
   */
  answered?: boolean
  /**
   * If true, matches messages whose flag `\Deleted` is set. If false, matches all other
   * messages. IMAP accounts only.
   */
  deleted?: boolean
  /**
   * If true, matches messages whose flag `\Draft` is set. If false, matches all other messages.
   */
  draft?: boolean
  /**
   * If true, matches messages whose flag `\Seen` is not set. If false, matches all other
   * messages.
   */
  unseen?: boolean
  /**
   * If true, matches messages whose flag `\Seen` is set. If false, matches all other messages.
   */
  seen?: boolean
  /**
   * If true, matches messages whose flag `\Flagged` is set. If false, matches all other
   * messages.
   */
  flagged?: boolean
  /** Matches messages whose From header contains this text. */
  from?: string
  /** Matches messages whose To header contains this text. */
  to?: string
  /** Matches messages whose Cc header contains this text. */
  cc?: string
  /** Matches messages whose Bcc header contains this text. */
  bcc?: string
  /** Matches messages whose body contains this text. */
  body?: string
  /** Matches messages whose subject contains this text. */
  subject?: string
  /** Matches messages larger than this size in bytes. */
  larger?: number
  /** Matches messages smaller than this size in bytes. */
  smaller?: number
  /**
   * Matches messages that changed after this mod-sequence. Only for IMAP servers with CONDSTORE
   * (RFC 7162).
   */
  modseq?: number
  /** Matches messages received before this date (ISO 8601). */
  before?: string
  /** Matches messages received on or after this date (ISO 8601). */
  since?: string
  /** Matches messages whose Date header is before this date (ISO 8601). */
  sentBefore?: string
  /** Matches messages whose Date header is on or after this date (ISO 8601). */
  sentSince?: string
  /** Matches the message with this permanent id (member `emailId` of a message). */
  emailId?: string
  /** Matches messages of the thread with this id (member `threadId` of a message). */
  threadId?: string
  /**
   * Matches messages with these headers: name of each header, with a text that the value
   * contains. `true` or an empty text matches any value.
   */
  header?: Record<string, string | true>
  /**
   * Matches messages that a query in the search syntax of Gmail finds, such as
   * `has:attachment`. Gmail accounts only.
   */
  gmailRaw?: string
  /**
   * Labels that a message must or must not have: Gmail labels, or Microsoft Graph categories.
   * Rejected for other accounts.
   */
  labels?: {
    /** Matches messages that have all of these labels. */
    has?: string[]
    /** Matches messages that have none of these labels. */
    not?: string[]
  }
  /**
   * Matches messages with these permanent ids (member `emailId` of a message). All other terms
   * are ignored.
   */
  emailIds?: string[]
}

/** Settings of the installation to change. `null` unsets a setting. */
export interface Settings {
  /**
   * Default webhook target: URL that receives the events of all accounts without their own
   * target. None by default.
   */
  webhooks?: string | null
  /**
   * If true, webhooks are delivered to all targets: default target, accounts and webhook
   * routes. Defaults to false.
   */
  webhooksEnabled?: boolean | null
  /**
   * Names of the events that are delivered to the default target and to targets of accounts.
   * `*` means all events. None by default.
   */
  webhookEvents?: string[] | null
  /**
   * Additional HTTP headers of webhook requests to the default target. Values are stored
   * encrypted. The mask `******` as a value keeps the stored value.
   */
  webhooksCustomHeaders?: KeyValue[] | null
  /**
   * Second prefix of header names, such as `X-EE-` for programs made for EmailEngine. Webhooks
   * have each header `X-SVC-Wh-…` with both prefixes. The API also accepts `X-SVC-Timeout` and
   * `Idempotency-Key` with the prefix, and the SMTP proxy the message headers `X-SVC-Account`
   * and `X-SVC-Idempotency-Key`. `X-`, then words of letters and digits, each followed by a
   * hyphen; not `X-SVC-` or `X-Forwarded-`. Null and the empty text switch the second names
   * off. None by default.
   */
  webhooksHeaderAlias?: string | null
  /**
   * Names of the message headers that `messageNew` contains. `*` means all headers. None by
   * default.
   */
  notifyHeaders?: string[] | null
  /**
   * If true, `messageNew` contains the texts of the message (plain text and HTML). Defaults to
   * true.
   */
  notifyText?: boolean | null
  /**
   * Maximum size in bytes of each message text in `messageNew`. Longer texts are cut. Defaults
   * to 2,097,152.
   */
  notifyTextSize?: number | null
  /**
   * If true, `messageNew` contains sanitized HTML instead of the original HTML of the message.
   * Browsers can safely show sanitized HTML. Defaults to false.
   */
  notifyWebSafeHtml?: boolean | null
  /**
   * If true, `messageNew` contains the contents of attachments in base64, at most 25 MiB per
   * message. Defaults to false.
   */
  notifyAttachments?: boolean | null
  /**
   * If true, `messageNew` lists all attachments of the message. The contents require
   * `notifyAttachments`. Defaults to false.
   */
  notifyAttachmentList?: boolean | null
  /**
   * Maximum size in bytes of an attachment whose content `messageNew` contains. No limit per
   * attachment by default.
   */
  notifyAttachmentSize?: number | null
  /**
   * If true, `messageNew` contains the events in calendar parts of the message, such as
   * invitations. Defaults to false.
   */
  notifyCalendarEvents?: boolean | null
  /**
   * If true, `messageNew` is sent only for messages that arrive in the Inbox, to all webhook
   * targets. Defaults to false.
   */
  inboxNewOnly?: boolean | null
  /**
   * Public base URL of Posthorn for clients and browsers, such as `https://mail.example.com`.
   * Required for the hosted form, OAuth2, tracking and unsubscribe links. None by default.
   */
  serviceUrl?: string | null
  /**
   * Base URL at which mail providers reach Posthorn with change notifications. Defaults to the
   * setting `serviceUrl`.
   */
  notificationBaseUrl?: string | null
  /**
   * Number of days after which Google deletes an unused Pub/Sub subscription. 0 (default):
   * never. Changes apply within 1 h.
   */
  gmailSubscriptionTtl?: number | null
  /**
   * Secret key of webhook signatures. Generated at the first start. Can be replaced, but not
   * removed: null and the empty text change nothing.
   */
  serviceSecret?: string | null
  /**
   * Number of seconds for which webhooks also have a signature by the previous `serviceSecret`
   * after a change of the secret. 0: none. Defaults to 86,400.
   */
  serviceSecretOverlap?: number | null
  /**
   * Secret keys for the header `webhook-signature`, by webhook target. For other targets, the
   * setting `serviceSecret` is the key. A new list replaces the whole list.
   */
  webhookSecrets?: {
    /**
     * URL of the webhook target without login and query. Applies to every target with this URL:
     * the default target, targets of accounts, and targets of webhook routes. Their logins and
     * queries may differ.
     */
    target: string
    /**
     * Secret key for the header `webhook-signature` of requests to the target. Stored
     * encrypted.
     */
    secret: string
  }[] | null
  /**
   * Delays in seconds after failed attempts to deliver a webhook, such as `[5, 60, 3600]` for
   * at most 4 attempts. Each delay is shortened by up to 20 % at random. Defaults to 9 delays:
   * 5 s, then twice the previous delay.
   */
  webhooksRetrySchedule?: number[] | null
  /**
   * Maximum number of concurrent webhook requests of each webhook-dispatcher process to the
   * same target. Defaults to the variable `SVC_WEBHOOK_TARGET_CONCURRENCY`.
   */
  webhooksConcurrency?: number | null
  /**
   * Maximum number of webhook requests per second of each webhook-dispatcher process to the
   * same target. No limit by default.
   */
  webhooksRate?: number | null
  /**
   * If true, the result of each attempt to deliver a webhook is stored for operators. Defaults
   * to false.
   */
  webhooksAttemptLog?: boolean | null
  /**
   * Number of days for which results of attempts are stored if `webhooksAttemptLog` is on.
   * Defaults to 7.
   */
  webhooksAttemptLogDays?: number | null
  /**
   * Number of days for which failed webhook deliveries are stored and can be replayed. Defaults
   * to the variable `SVC_WEBHOOK_KEEP_FAILED`.
   */
  webhooksKeepFailedDays?: number | null
  /**
   * Options of single webhook targets: delays between attempts, concurrency and rate of
   * requests, and pauses. These options replace the settings for all webhook targets. None by
   * default.
   */
  webhookTargets?: {
    /**
     * URL of the webhook target without login and query. Applies to every target with this URL:
     * the default target, targets of accounts, and targets of webhook routes. Their logins and
     * queries may differ.
     */
    target: string
    /**
     * Delays in seconds after failed attempts to deliver a webhook, such as `[5, 60, 3600]` for
     * at most 4 attempts. Each delay is shortened by up to 20 % at random. Defaults to 9
     * delays: 5 s, then twice the previous delay.
     */
    retrySchedule?: number[]
    /**
     * Maximum number of concurrent webhook requests of each webhook-dispatcher process to the
     * same target. Defaults to the variable `SVC_WEBHOOK_TARGET_CONCURRENCY`.
     */
    concurrency?: number
    /**
     * Maximum number of webhook requests per second of each webhook-dispatcher process to the
     * same target. No limit by default.
     */
    rate?: number
    /**
     * If true, no webhook request is sent to the target, except requests that have started and
     * test requests. Its deliveries are stored without a limit of time and are sent after the
     * end of the pause. Other targets are not affected. Defaults to false.
     */
    paused?: boolean
  }[] | null
  /**
   * URL of the authentication server, which returns the logins of accounts with
   * `useAuthServer`. None by default.
   */
  authServer?: string | null
  /**
   * If true, requests to the authentication server have the query parameter `proto`: `imap`,
   * `smtp` or `api`. For servers with different logins per protocol. Defaults to false.
   */
  authServerProtocol?: boolean | null
  /**
   * If true, any TLS certificate of mail servers is accepted, except for connections through a
   * proxy. Defaults to false.
   */
  ignoreMailCertErrors?: boolean | null
  /**
   * Host name that is sent to outgoing mail servers in the EHLO command. Defaults to the DNS
   * name of the outgoing IP address or of the machine.
   */
  smtpEhloName?: string | null
  /**
   * If true, connections to mail servers use the proxy in `proxyUrl`, unless the account has a
   * proxy. Defaults to false.
   */
  proxyEnabled?: boolean | null
  /**
   * URL of the proxy for IMAP and SMTP connections to mail servers: `http:`, `https:`,
   * `socks4:` or `socks5:`. Requires `proxyEnabled`.
   */
  proxyUrl?: string | null
  /**
   * If true, HTTP requests to other servers use the proxy in `httpProxyUrl`. Defaults to false.
   */
  httpProxyEnabled?: boolean | null
  /**
   * URL of the proxy for HTTP requests to other servers: webhooks, authentication server,
   * OAuth2, mail APIs, summaries and autoconfig. Requires `httpProxyEnabled`.
   */
  httpProxyUrl?: string | null
  /**
   * Local IP addresses that connections to mail servers may use, see `smtpStrategy` and
   * `imapStrategy`. None by default.
   */
  localAddresses?: string[] | null
  /**
   * Choice of the local IP address from `localAddresses` for new SMTP connections: `default` by
   * the operating system, `dedicated` with a fixed address per account, `random` with a random
   * address.
   */
  smtpStrategy?: 'default' | 'dedicated' | 'random' | null
  /**
   * Choice of the local IP address from `localAddresses` for new IMAP connections: `default` by
   * the operating system, `dedicated` with a fixed address per account, `random` with a random
   * address.
   */
  imapStrategy?: 'default' | 'dedicated' | 'random' | null
  /**
   * If true (default), client addresses in `X-Forwarded-For` are accepted from the proxies in
   * `SVC_TRUSTED_PROXIES`. If false, `X-Forwarded-For` is ignored.
   */
  enableApiProxy?: boolean | null
  /**
   * If true, each use of a token is logged for `GET /v1/tokens/{token}/log`. Defaults to false.
   */
  tokenAuditLog?: boolean | null
  /**
   * If true, `GET /v1/account/{account}/oauth-token` returns OAuth2 access tokens of accounts,
   * except of service accounts. Defaults to false.
   */
  enableOAuthTokensApi?: boolean | null
  /**
   * Maximum number of attempts to send a message, unless the submission sets the number.
   * Defaults to 10.
   */
  deliveryAttempts?: number | null
  /**
   * If true, opens of sent messages are tracked, unless the submission sets `trackOpens`.
   * Defaults to false.
   */
  trackOpens?: boolean | null
  /**
   * If true, clicks on links in sent messages are tracked, unless the submission sets
   * `trackClicks`. Defaults to false.
   */
  trackClicks?: boolean | null
  /**
   * Number of seconds in which repeated requests of a client for the same link cause only the
   * first `trackOpen` or `trackClick`. 0: each request causes an event. Defaults to 5.
   */
  trackRepeatWindow?: number | null
  /**
   * HTML that is inserted unchanged at the start of public pages, such as the hosted form and
   * the unsubscribe page.
   */
  templateHeader?: string | null
  /**
   * HTML that is inserted unchanged into the head of public pages, such as the hosted form and
   * the unsubscribe page.
   */
  templateHtmlHead?: string | null
  /**
   * Language tag, such as `en-GB`, for dates in quotations of replies and forwards, and for
   * public pages. In quotations it applies to accounts that set no `locale`, and defaults to
   * `en`. Public pages, such as the hosted form and the unsubscribe page, exist in English,
   * German, French, Spanish, Dutch, Polish, Estonian, Japanese and Portuguese. Without this
   * setting, or with another language, they follow `Accept-Language` of the browser.
   */
  locale?: string | null
  /**
   * Time zone, such as `Europe/Tallinn`, for dates in quotations of replies and forwards.
   * Applies to accounts that set no `tz`. Defaults to `UTC`.
   */
  timezone?: string | null
  /**
   * Product name on public pages, such as the hosted form and the unsubscribe page. Defaults to
   * the host name of `serviceUrl`.
   */
  pageBrandName?: string | null
  /**
   * If true, `messageNew` of messages in the Inbox contains a summary by a language model.
   * Message texts are sent to the endpoint in `openAiAPIUrl`. Defaults to false.
   */
  generateEmailSummary?: boolean | null
  /**
   * API key for the endpoint in `openAiAPIUrl`, which writes summaries of messages. None by
   * default.
   */
  openAiAPIKey?: string | null
  /**
   * Base URL with version of the endpoint that writes summaries with the API of OpenAI.
   * Defaults to `https://api.openai.com/v1`.
   */
  openAiAPIUrl?: string | null
  /** Name of the language model for summaries of messages. Defaults to `gpt-4o-mini`. */
  openAiModel?: string | null
  /**
   * Instructions to the language model for summaries of messages. The required response format
   * is appended. A built-in text by default.
   */
  openAiPrompt?: string | null
  /**
   * Sampling temperature of the language model for summaries of messages. Defaults to the value
   * of the endpoint.
   */
  openAiTemperature?: number | null
  /**
   * Nucleus sampling threshold of the language model for summaries of messages. Defaults to the
   * value of the endpoint.
   */
  openAiTopP?: number | null
  /**
   * Maximum number of tokens in the response of the language model for a summary. Defaults to
   * the value of the endpoint.
   */
  openAiMaxTokens?: number | null
  /**
   * JSON object, as text, that functions of webhook routes receive as the parameter `env`.
   * Stored and returned unchanged. Defaults to `{}`.
   */
  scriptEnv?: string | null
  /**
   * Maximum number of unfinished exports per account. Further requests fail with
   * `TooManyExports`. Defaults to 2.
   */
  exportMaxConcurrent?: number | null
  /**
   * Maximum number of unfinished exports of all accounts. Further requests fail with
   * `TooManyExports`. Defaults to 8.
   */
  exportMaxGlobalConcurrent?: number | null
  /**
   * Maximum number of messages in an export. An export with more messages ends as `truncated`.
   * Defaults to 500,000.
   */
  exportMaxMessages?: number | null
  /**
   * Maximum size of the compressed export file in bytes. A larger export ends as `truncated`.
   * Defaults to 10,737,418,240 (10 GiB).
   */
  exportMaxSize?: number | null
  /** Number of messages that an export reads from the Gmail API per request. Defaults to 10. */
  gmailExportBatchSize?: number | null
  /**
   * Number of messages that an export reads from Microsoft Graph per request. Defaults to 20.
   */
  outlookExportBatchSize?: number | null
  /**
   * If true, messages of Gmail accounts over IMAP have the member `category` with the inbox
   * tab. Costs additional searches. Defaults to false.
   */
  resolveGmailCategories?: boolean | null
  /**
   * Mailbox index of IMAP accounts that do not set `imapIndexer`: `full` (default) detects new,
   * changed and deleted messages, `fast` new messages only.
   */
  imapIndexer?: 'full' | 'fast' | null
  /**
   * Value of `name` that is sent to IMAP servers for identification (ID command, RFC 2971).
   * Defaults to `Posthorn`.
   */
  imapClientName?: string | null
  /**
   * Value of `version` that is sent to IMAP servers for identification (ID command, RFC 2971).
   * Defaults to `1`.
   */
  imapClientVersion?: string | null
  /**
   * Value of `vendor` that is sent to IMAP servers for identification (ID command, RFC 2971).
   * Defaults to `Posthorn`.
   */
  imapClientVendor?: string | null
  /**
   * Value of `support-url` that is sent to IMAP servers for identification (ID command, RFC
   * 2971). Not sent by default.
   */
  imapClientSupportUrl?: string | null
  /**
   * Options for the protocol logs of accounts: IMAP commands and responses, or requests to a
   * mail API.
   */
  logs?: {
    /**
     * If true, the protocol logs of all accounts are recorded, even if the option `logs` of an
     * account is off. Defaults to false.
     */
    all?: boolean
    /**
     * Maximum number of protocol log lines that are stored per account. Defaults to the
     * variable `SVC_ACCOUNT_LOG_LINES`.
     */
    maxLogLines?: number
  } | null
  /** If true, the IMAP proxy accepts connections of mail clients. Defaults to false. */
  imapProxyServerEnabled?: boolean | null
  /** TCP port of the IMAP proxy for connections of mail clients. Defaults to 2993. */
  imapProxyServerPort?: number | null
  /**
   * Host name or local IP address at which the IMAP proxy accepts connections. Defaults to
   * 127.0.0.1, which only programs on the same machine reach.
   */
  imapProxyServerHost?: string | null
  /** If true, connections to the IMAP proxy use TLS from the start. Defaults to false. */
  imapProxyServerTLSEnabled?: boolean | null
  /**
   * If true, load balancers in `SVC_IMAP_PROXY_TRUSTED_PROXIES` must send a PROXY header with
   * the client address to the IMAP proxy. Defaults to false.
   */
  imapProxyServerProxy?: boolean | null
  /**
   * Password with which mail clients log in to the IMAP proxy for any account, as an
   * alternative to tokens. None by default.
   */
  imapProxyServerPassword?: string | null
  /** If true, the SMTP proxy accepts connections of mail clients. Defaults to false. */
  smtpServerEnabled?: boolean | null
  /** TCP port of the SMTP proxy for connections of mail clients. Defaults to 2525. */
  smtpServerPort?: number | null
  /**
   * Host name or local IP address at which the SMTP proxy accepts connections. Defaults to
   * 127.0.0.1, which only programs on the same machine reach.
   */
  smtpServerHost?: string | null
  /** If true, connections to the SMTP proxy use TLS from the start. Defaults to false. */
  smtpServerTLSEnabled?: boolean | null
  /**
   * If true, load balancers in `SVC_SMTP_PROXY_TRUSTED_PROXIES` must send a PROXY header with
   * the client address to the SMTP proxy. Defaults to false.
   */
  smtpServerProxy?: boolean | null
  /**
   * If true (default), the SMTP proxy requires a login. If false, each client that reaches the
   * port may send for any account, named in the header `X-SVC-Account`.
   */
  smtpServerAuthEnabled?: boolean | null
  /**
   * Password with which mail clients log in to the SMTP proxy for any account, as an
   * alternative to tokens. None by default.
   */
  smtpServerPassword?: string | null
}

/** Outgoing server (SMTP) of an account, with the login. */
export interface SmtpConfig {
  /**
   * If true, the login is requested from the authentication server (setting `authServer`) and
   * not stored. Defaults to false.
   */
  useAuthServer?: boolean
  /**
   * Login at the mail server: login name with a password or an OAuth2 access token. False: no
   * login is stored.
   */
  auth?: {
    /** Login name at the mail server, usually the email address. */
    user: string
    /** Password for the login name at the mail server. */
    pass?: string
    /**
     * OAuth2 access token for the login, instead of a password (XOAUTH2 or OAUTHBEARER). The
     * caller must replace the token before the token expires. False: the password is used.
     */
    accessToken?: string | false
  } | false
  /** Host name or IP address of the mail server. */
  host: string
  /** TCP port of the mail server, such as 993 (IMAP) or 587 (SMTP). */
  port: number
  /**
   * If true, connections use TLS from the start (usually ports 993 and 465). If false
   * (default), connections use STARTTLS, see `tls.requireStartTls`.
   */
  secure?: boolean
  /** TLS options of connections to the mail server. */
  tls?: {
    /**
     * If true (default), the TLS certificate of the mail server must be valid. If false, any
     * certificate is accepted.
     */
    rejectUnauthorized?: boolean
    /** Lowest TLS version that is accepted from the mail server. Defaults to `TLSv1.2`. */
    minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'
    /**
     * If true (default), a connection without TLS ends if the mail server does not offer
     * STARTTLS. If false, login and mail are then sent unencrypted. Mail servers on the same
     * machine are exempt.
     */
    requireStartTls?: boolean
  }
}

/** Changes of the outgoing server (SMTP) of an account. */
export interface SmtpUpdate {
  /**
   * If true, the login is requested from the authentication server (setting `authServer`) and
   * not stored. Defaults to false.
   */
  useAuthServer?: boolean
  /**
   * Login at the mail server: login name with a password or an OAuth2 access token. False: no
   * login is stored.
   */
  auth?: {
    /** Login name at the mail server, usually the email address. */
    user: string
    /** Password for the login name at the mail server. */
    pass?: string
    /**
     * OAuth2 access token for the login, instead of a password (XOAUTH2 or OAUTHBEARER). The
     * caller must replace the token before the token expires. False: the password is used.
     */
    accessToken?: string | false
  } | false
  /** Host name or IP address of the mail server. */
  host?: string
  /** TCP port of the mail server, such as 993 (IMAP) or 587 (SMTP). */
  port?: number
  /**
   * If true, connections use TLS from the start (usually ports 993 and 465). If false
   * (default), connections use STARTTLS, see `tls.requireStartTls`.
   */
  secure?: boolean
  /** TLS options of connections to the mail server. */
  tls?: {
    /**
     * If true (default), the TLS certificate of the mail server must be valid. If false, any
     * certificate is accepted.
     */
    rejectUnauthorized?: boolean
    /** Lowest TLS version that is accepted from the mail server. Defaults to `TLSv1.2`. */
    minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'
    /**
     * If true (default), a connection without TLS ends if the mail server does not offer
     * STARTTLS. If false, login and mail are then sent unencrypted. Mail servers on the same
     * machine are exempt.
     */
    requireStartTls?: boolean
  }
  /**
   * If true, absent members of the mail server keep their stored values. If false (default),
   * the whole object is replaced.
   */
  partial?: boolean
}

/**
 * Message to send: its content, or references to a template and to stored messages, and options
 * for sending.
 */
export interface Submission {
  /**
   * Author of the message (From header). Defaults to the name and email address of the account.
   */
  from?: Address
  /**
   * Addresses that receive replies to the message (Reply-To header). If absent, the author
   * receives replies. A single value instead of a list is accepted, too.
   */
  replyTo?: Address[]
  /**
   * Primary recipients of the message (To header). A single value instead of a list is
   * accepted, too.
   */
  to?: Address[]
  /**
   * Recipients of copies of the message (Cc header). A single value instead of a list is
   * accepted, too.
   */
  cc?: Address[]
  /**
   * Recipients of blind copies of the message. Other recipients do not see these addresses. A
   * single value instead of a list is accepted, too.
   */
  bcc?: Address[]
  /**
   * SMTP envelope: addresses that mail servers use to transport the message. Defaults to the
   * author and recipients of the message. Special rules apply if a mail API (Gmail API,
   * Microsoft Graph) sends the message, because the account is on a mail API and the submission
   * does not set `gateway`: the sender in the envelope must be the author of the message, and
   * the envelope must contain all recipients in the headers of the message. Otherwise the
   * request fails with `UnsupportedOperation`. Recipients that only the envelope contains
   * receive a blind copy.
   */
  envelope?: {
    /** Address that receives bounces (MAIL FROM). If empty, mail servers send no bounces. */
    from?: (string & {}) | ''
    /**
     * Addresses that receive the message (RCPT TO). Defaults to all recipients in the message.
     * A single value instead of a list is accepted, too.
     */
    to?: string[]
  }
  /** Subject of the message. */
  subject?: string
  /** Body of the message as plain text. At most 52,428,800 characters. */
  text?: string
  /** Body of the message as HTML. At most 52,428,800 characters. */
  html?: string
  /**
   * Preview text that mail clients show in message lists. Inserted into the HTML as hidden
   * text.
   */
  previewText?: string
  /** Message-ID header of the message. Generated if absent. */
  messageId?: string
  /**
   * Additional headers of the message, by header name. The value is a text, or a list of texts
   * for several headers with this name.
   */
  headers?: Record<string, string | string[]>
  /**
   * Attachments of the message. The contents are in the request or are stored attachments of
   * the account. A single value instead of a list is accepted, too.
   */
  attachments?: AttachmentSource[]
  reference?: Reference
  /**
   * Complete message with headers and body (RFC 5322), in base64. Replaces the fields of a
   * composed message. At most 52,428,800 encoded characters.
   */
  raw?: Base64
  /**
   * Recipients of a mail merge, at most 1,000. Each recipient receives a separate message, with
   * the values of `params`.
   */
  mailMerge?: {
    /** Recipient of this message of the mail merge. */
    to: Address
    /** Message-ID header of the message. Generated if absent. */
    messageId?: string
    /**
     * Values of the placeholders in subject and texts, by name. A placeholder refers to a value
     * as `params.<name>`.
     */
    params?: Record<string, unknown>
    /**
     * Earliest time at which the message is sent (ISO 8601). Defaults to the time of the
     * request.
     */
    sendAt?: string
  }[]
  /**
   * Id or name of a stored template for subject and texts. Searched in this order: ids, names
   * of templates of the account, names of shared templates.
   */
  template?: string
  /**
   * Rendering of the placeholders in the subject and texts of the message. False: placeholders
   * are not replaced.
   */
  render?: {
    /** Format of `html`: `html` (default) or `markdown`, which is converted to HTML. */
    format?: 'html' | 'markdown'
    /**
     * Values of the placeholders in subject and texts, by name. A placeholder refers to a value
     * as `params.<name>`.
     */
    params?: Record<string, unknown>
  } | false
  /**
   * Earliest time at which the message is sent (ISO 8601). Defaults to the time of the request.
   */
  sendAt?: string
  /**
   * Maximum number of attempts to send the message. Defaults to the setting `deliveryAttempts`.
   */
  deliveryAttempts?: number
  /**
   * Id of a gateway (SMTP server that sends for accounts). The gateway sends the message
   * instead of the mail server of the account.
   */
  gateway?: string
  /**
   * Request for delivery status notifications, which mail servers send to the envelope sender
   * (RFC 3461). Without effect for accounts on a mail API.
   */
  dsn?: {
    /**
     * Id of the message for delivery status notifications (ENVID). The notifications about the
     * message contain this id.
     */
    id?: string
    /**
     * Part of the message that delivery status notifications contain (RET): `headers`, or
     * `full` for the whole message.
     */
    return: 'headers' | 'full'
    /**
     * Results for which delivery status notifications are sent (NOTIFY). `never` cannot be
     * combined with other values. A single value instead of a list is accepted, too.
     */
    notify?: ('never' | 'success' | 'failure' | 'delay')[]
    /** Original recipient of the message for delivery status notifications (ORCPT). */
    recipient?: string
  }
  /**
   * URL of a proxy for the connection to the mail server. Tokens that are bound to an account
   * or have restricted permissions cannot set a proxy. Without effect for accounts on a mail
   * API.
   */
  proxy?: string
  /**
   * Local IP address for the connection to the mail server. Not used unless the setting
   * `localAddresses` contains the address. Without effect for accounts on a mail API.
   */
  localAddress?: string
  /**
   * If true, a copy of the sent message is stored in the Sent mailbox. Defaults to the value of
   * `copy` of the account. Without effect for accounts on a mail API, whose providers store
   * sent messages.
   */
  copy?: boolean | null
  /**
   * Path of the mailbox in which the copy of the sent message is stored. Defaults to the Sent
   * mailbox of the account. Without effect for accounts on a mail API.
   */
  sentMailPath?: string
  /**
   * If true, opens of the message are tracked and cause `trackOpen`. Defaults to the setting
   * `trackOpens`.
   */
  trackOpens?: boolean
  /**
   * If true, clicks on links in the message are tracked and cause `trackClick`. Defaults to the
   * setting `trackClicks`.
   */
  trackClicks?: boolean
  /**
   * Id of a mailing list of the account, with the syntax of a host name (RFC 2919). The message
   * gets an unsubscribe link. Unsubscribed recipients are skipped.
   */
  listId?: string
  /**
   * Base URL of tracking and unsubscribe links in the message. Defaults to the setting
   * `serviceUrl`.
   */
  baseUrl?: string
  /**
   * Language tag, such as `en-GB`, for dates in the quotation of a reply or forward. Defaults
   * to `locale` of the account.
   */
  locale?: string
  /**
   * Time zone, such as `Europe/Tallinn`, for dates in the quotation of a reply or forward.
   * Defaults to `tz` of the account.
   */
  tz?: string
  /**
   * If true, the response contains the composed message, and nothing is sent. Unsubscribe links
   * are placeholders then. Defaults to false.
   */
  dryRun?: boolean
}

/** Confirmation that a message is stored for sending. */
export interface SubmissionResult {
  /** Confirmation text: `Queued for delivery`, or `Dry run` for a request with `dryRun`. */
  response: string
  /** Message-ID header of the message. Absent with `mailMerge`. */
  messageId?: string
  /**
   * Earliest time at which the message is sent (ISO 8601). Absent in the response to a request
   * with `dryRun`.
   */
  sendAt?: string
  /**
   * Id of the submission (queued message). Absent for a request with `dryRun` or `mailMerge`,
   * and if the message was skipped.
   */
  queueId?: string
  /**
   * Result of the reference in the request to the stored message that this message replies to
   * or forwards.
   */
  reference?: {
    /** Id of the stored message that this message replies to or forwards. */
    message?: string
    /** Id of the thread of the stored message that this message replies to or forwards. */
    threadId?: string
    /** True if the stored message was found and used for the reply or forwarded message. */
    success: boolean
    /**
     * Reason for which the stored message was not used for the reply or forwarded message.
     * Absent after a success.
     */
    error?: string
  }
  /**
   * Composed message in base64. For a mail merge, the first message. Only in the response to a
   * request with `dryRun`.
   */
  preview?: string
  /**
   * Blocklist entry because of which no message was queued: the recipient has unsubscribed from
   * the mailing list. Absent if the message was queued.
   */
  skipped?: {
    /** Reason of the blocklist entry of the recipient, such as `unsubscribe`. */
    reason: string
    /** Id of the mailing list from which the recipient has unsubscribed. */
    listId: string
  }
  /** Use of the header `Idempotency-Key`. Absent if the request had no such header. */
  idempotency?: {
    /** Value of the header `Idempotency-Key` of the request. */
    key: string
    /**
     * `HIT` if an earlier request had the same idempotency key: this response then repeats the
     * response to the earlier request. Otherwise `MISS`.
     */
    status: 'MISS' | 'HIT'
  }
  /** Results of the mail merge, in the order of the recipients in the request. */
  mailMerge?: {
    /** True if the message to this recipient was queued or skipped. */
    success: boolean
    /** Recipient of this message of the mail merge. */
    to: {
      /** Display name of the recipient. */
      name?: string
      /** Email address of the recipient. */
      address: string
    }
    /** Message-ID header of the message to this recipient. */
    messageId?: string
    /**
     * Id of the submission (queued message) to this recipient. Absent if no message was queued.
     */
    queueId?: string
    /** Earliest time at which the message is sent (ISO 8601). */
    sendAt?: string
    /**
     * Reason for which the message to this recipient was not queued. Absent after a success.
     */
    error?: string
    /**
     * Code of the error for which the message to this recipient was not queued. Absent after a
     * success.
     */
    code?: string
    /**
     * HTTP status of the error for which the message to this recipient was not queued, such as
     * 400.
     */
    statusCode?: number | null
    /**
     * Blocklist entry because of which no message was queued: the recipient has unsubscribed
     * from the mailing list. Absent if the message was queued.
     */
    skipped?: {
      /** Reason of the blocklist entry of the recipient, such as `unsubscribe`. */
      reason: string
      /** Id of the mailing list from which the recipient has unsubscribed. */
      listId: string
    }
  }[]
}

/** Texts of a message: id and sizes, and if requested the texts. */
export interface TextInfo {
  /** Id of the text of the message, for `GET /v1/account/{account}/text/{text}`. */
  id: string
  /** Sizes of the texts of the message in bytes, in transfer encoding. */
  encodedSize: {
    /** Size of the plain text in bytes, in the transfer encoding of the message. */
    plain?: number
    /** Size of the HTML in bytes, in the transfer encoding of the message. */
    html?: number
  }
  /**
   * Text of the message as plain text. Absent if not requested, or if the message has no plain
   * text.
   */
  plain?: string
  /** Text of the message as HTML. Absent if not requested, or if the message has no HTML. */
  html?: string
  /** True if a text of the message is incomplete because of a size limit. */
  hasMore?: boolean
  /** True if the HTML is sanitized, so that browsers can safely show the HTML. */
  webSafe?: boolean
}

/** Use of an access token, which was allowed or denied. */
export interface TokenLogEntry {
  /** Time of the use of the token (ISO 8601). */
  time: string
  /** IP address of the client that used the token. Null if unknown. */
  ip: string | null
  /** HTTP method of the request. For a mail client: `smtp` or `imap-proxy`. */
  method: string | null
  /**
   * Path of the request without the query. For a mail client: the command that used the token.
   */
  path: string | null
  /** Action of the requested operation, such as `read`. Null if unknown. */
  action: string | null
  /** Group of the requested operation, such as `message`. Null if unknown. */
  group: string | null
  /** Id of the account that the request names. Null if the request names no account. */
  account: string | null
  /** Result of the check of the token: `allowed` or `denied`. */
  status: 'allowed' | 'denied'
  /** Reason for which the use of the token was denied. Null if the use was allowed. */
  reason: string | null
}

/** Access token with its rights and last use, without its value. */
export interface TokenRecord {
  /**
   * Id of the token: SHA-256 hash of the value, in hexadecimal digits. Of an imported token:
   * SHA-256 hash of the 32 raw bytes of the value.
   */
  id: string
  /**
   * Id of the account to which the token is bound. Null if the token is valid for all accounts.
   */
  account: string | null
  /** Description of the token for operators. */
  description?: string
  /** JSON text with further data about the token, as stored by the creator of the token. */
  metadata?: string
  /**
   * IP address of the creator of the token, as stated in the request that created the token.
   */
  ip?: string
  /** IP address from which the request that created the token was sent. */
  remoteAddress?: string
  /**
   * Interfaces at which the token is valid: `api` (REST API), `smtp` (SMTP proxy), `imap-proxy`
   * (IMAP proxy). `*`: all interfaces, and the operations for operators.
   */
  scopes: string[]
  /**
   * Restrictions of the token: allowed client addresses, allowed `Referer` headers and the rate
   * limit. Null or absent: no restrictions.
   */
  restrictions: Restrictions | null
  /**
   * Permissions of the token: allowed actions and groups of operations. Null or absent:
   * everything that the scopes of the token allow.
   */
  permissions: Permissions | null
  /** True for a token that was imported from EmailEngine. Absent for other tokens. */
  imported?: boolean
  /** Time at which the token was created (ISO 8601). */
  created: string
  /** Time at which the token expires (ISO 8601). Absent if the token does not expire. */
  expires?: string
  /** Last use of the token: time and IP address. */
  access: {
    /** Time of the last use of the token (ISO 8601). Null if the token was never used. */
    time: string | null
    /** IP address of the client that last used the token. Null if the token was never used. */
    ip: string | null
  }
}

/** Rights and lifetime of an access token to create. */
export interface TokenRequest {
  /**
   * Id of the account to which the token is bound. Absent: the token is valid for all accounts.
   */
  account?: string
  /** Description of the token for operators. */
  description?: string
  /**
   * Interfaces at which the token is valid: `api` (REST API, default), `smtp` (SMTP proxy),
   * `imap-proxy` (IMAP proxy). A single value instead of a list is accepted, too.
   */
  scopes?: ('api' | 'smtp' | 'imap-proxy')[]
  /**
   * JSON text with further data about the token, for the creator of the token. Stored and
   * returned unchanged.
   */
  metadata?: string
  /**
   * Restrictions of the token: allowed client addresses, allowed `Referer` headers and the rate
   * limit. Null or absent: no restrictions.
   */
  restrictions?: Restrictions | null
  /**
   * Permissions of the token: allowed actions and groups of operations. Null or absent:
   * everything that the scopes of the token allow.
   */
  permissions?: Permissions | null
  /** Time at which the token expires (ISO 8601). Absent: the token does not expire. */
  expires?: string
  /** IP address of the creator of the token, as stated by the caller. For information only. */
  ip?: string
}
