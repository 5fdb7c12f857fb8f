// Written by `make client` from the contracts, do not edit.

import type {
  AttachmentInfo,
  LastError,
  ReadAddress,
  TextInfo,
} from './schemas.ts'

/**
 * Event `accountAdded`. Sent once per account, when the account is registered. The account has
 * not logged in to its mail server yet.
 */
export interface AccountAddedEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'accountAdded'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Id of the account. */
    account: string
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `accountDeleted`. Sent once per account, when the account is deleted with its data.
 * Messages on the mail server remain.
 */
export interface AccountDeletedEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'accountDeleted'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Id of the account. */
    account: string
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `accountInitialized`. Sent once per registration of an account. From now on, the
 * mailboxes and messages of the account can be listed completely.
 */
export interface AccountInitializedEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'accountInitialized'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Always true: all mailboxes of the account were synced for the first time. */
    initialized: true
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `authenticationError`. Sent when the mail server or the OAuth2 provider rejects the
 * credentials of an account, once for several equal failures. Sent again when syncing is
 * switched off because the failures continue. The account needs new credentials or a new
 * consent.
 */
export interface AuthenticationErrorEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'authenticationError'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Reply of the mail server or provider with the error, or the text of the error. */
    response: string
    /**
     * Response code of the mail server, such as `AUTHENTICATIONFAILED`. Without a response
     * code: code of the error, such as `ECONNREFUSED`. Absent if unknown.
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
       * Fault of the OAuth2 application that an operator must repair. Absent if the owner of
       * the account must act.
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
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `authenticationSuccess`. Sent when an account logs in for the first time, or for the
 * first time after an `authenticationError`. Not sent after a `connectError`.
 */
export interface AuthenticationSuccessEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'authenticationSuccess'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Login name of the account at the mail server or provider. */
    user: string
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `connectError`. Sent when the mail server of an account cannot be reached, or a login
 * fails for a reason other than the credentials, once for several equal failures. The
 * connection is retried automatically.
 */
export interface ConnectErrorEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'connectError'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Reply of the mail server or provider with the error, or the text of the error. */
    response: string
    /**
     * Response code of the mail server, such as `AUTHENTICATIONFAILED`. Without a response
     * code: code of the error, such as `ECONNREFUSED`. Absent if unknown.
     */
    serverResponseCode?: string
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `mailboxDeleted`. Sent once per mailbox, when a sync no longer finds the mailbox on the
 * mail server.
 */
export interface MailboxDeletedEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'mailboxDeleted'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Full path of the mailbox, such as `Clients/2026`. */
    path: string
    /** Name of the mailbox: last level of the path. */
    name: string
    /**
     * Special use of the mailbox, such as `\Sent` (RFC 6154). False if the mailbox has no
     * special use.
     */
    specialUse: string | false
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `mailboxNew`. Sent once per mailbox, when a sync finds a mailbox that the account did
 * not have before.
 */
export interface MailboxNewEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'mailboxNew'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Full path of the mailbox, such as `Clients/2026`. */
    path: string
    /** Name of the mailbox: last level of the path. */
    name: string
    /**
     * Special use of the mailbox, such as `\Sent` (RFC 6154). False if the mailbox has no
     * special use.
     */
    specialUse: string | false
    /** UIDVALIDITY of the mailbox. IMAP accounts only. */
    uidValidity?: string
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `mailboxReset`. Sent when the mail server renumbers the messages of a mailbox, or when
 * the mailbox index was lost. Delete stored message ids of the mailbox and list its messages
 * again. There are no `messageNew` events for the messages in the mailbox.
 */
export interface MailboxResetEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'mailboxReset'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Full path of the mailbox, such as `Clients/2026`. */
    path: string
    /** Name of the mailbox: last level of the path. */
    name: string
    /**
     * Special use of the mailbox, such as `\Sent` (RFC 6154). False if the mailbox has no
     * special use.
     */
    specialUse: string | false
    /** UIDVALIDITY of the mailbox. IMAP accounts only. */
    uidValidity?: string
    /** UIDVALIDITY of the mailbox before the reset. Absent if unknown. */
    prevUidValidity?: string
    /**
     * Reason for which message ids became invalid: `uidValidityChange` (the mail server has
     * renumbered the mailbox) or `syncStateLost` (the stored mailbox index was lost).
     */
    reason: 'uidValidityChange' | 'syncStateLost'
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `messageDeleted`. Sent when a message was deleted, or moved to another mailbox. A moved
 * message also has a `messageNew` in the other mailbox.
 */
export interface MessageDeletedEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'messageDeleted'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Id of the message, as in earlier events and lists. */
    id: string
    /** UID of the message in the mailbox. IMAP accounts only. */
    uid?: number
    /** Id of the thread (conversation) of the deleted message. Accounts on a mail API only. */
    threadId?: string
    /** Last known flags of the deleted message. Accounts on a mail API only. */
    flags?: string[]
    /** Last known labels of the deleted message. Accounts on a mail API only. */
    labels?: string[]
    /** Last known category (tab) of the deleted message in a Gmail inbox. */
    category?: 
      | 'primary'
      | 'social'
      | 'promotions'
      | 'updates'
      | 'forums'
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `messageMissing`. Sent when the mail server lists a message in a mailbox, but does not
 * return the message in several attempts.
 */
export interface MessageMissingEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'messageMissing'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Id of the message, as in earlier events and lists. */
    id: string
    /** UID of the message in the mailbox. IMAP accounts only. */
    uid?: number
    /** Number of further attempts to fetch the message after the first attempt failed. */
    missingRetries: number
    /** Sum of the delays before the further attempts to fetch the message, in milliseconds. */
    missingDelay: number
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `messageNew`. Sent when a message arrives in a mailbox, or is moved, copied or uploaded
 * into the mailbox. `seemsLikeNew` is false if the account had the message before. Settings
 * whose names start with `notify` determine which texts, headers and attachments the event
 * contains.
 */
export interface MessageNewEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'messageNew'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
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
     * Time in the Date header of the message (ISO 8601). Without a valid Date header, the time
     * of receipt.
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
     * Beginning of the text of the message, at most 255 characters. Accounts on a mail API
     * only.
     */
    preview?: string
    /** Author of the message (From header). */
    from?: ReadAddress
    /** Sender of the message (Sender header). Absent if the author is the sender. */
    sender?: ReadAddress
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
     * Special use of the mailbox that contains the message. For Gmail, special use of the
     * labels of the message.
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
     * (about 1,500 recipients or 500 parts): only the first recipients and parts are present.
     * The source of the message can still be downloaded.
     */
    incomplete?: true
    /**
     * Sections that contain only their first values, because the mail server describes the
     * message with more than 10,000 tokens: `envelope` (subject and addresses), `structure`
     * (attachments and texts) or `flags` (flags and labels). Absent if all sections are
     * complete, and if the mail server returned no description at all: then `incomplete` is
     * true, and attachments and texts are absent.
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
  } & {
    /**
     * First address that receives replies to the message (Reply-To header). Absent if the
     * author receives replies.
     */
    replyTo?: ReadAddress
    /** Path of the mailbox that contains the message. */
    path: string
    /**
     * True if the message is new for the account. False if the account had the message before,
     * for example after a move.
     */
    seemsLikeNew: boolean
    /** True if the message is a delivery report about failed or delayed recipients. */
    isBounce?: boolean
    /** True if the message is an abuse report (complaint about spam). */
    isComplaint?: boolean
    /**
     * Message-ID header of the original message that the delivery report or abuse report is
     * about.
     */
    relatedMessageId?: string
    /**
     * Fields of the delivery report in the message (RFC 3464), by name in camel case. Only for
     * delivery reports in the Inbox.
     */
    deliveryReport?: unknown
    /**
     * Events in the calendar parts of the message, such as invitations, at most 100. Only with
     * the setting `notifyCalendarEvents`. At most 10 calendar parts are read, and only calendar
     * parts up to 512 KiB and 5,000 lines. If events or ends of texts are left out, the member
     * `truncated` names `calendarEvents`.
     */
    calendarEvents?: {
      /** `UID` of the calendar event (RFC 5545 §3.8.4.7). */
      eventId: string
      /** Id of the attachment that contains the calendar event. */
      attachment: string
      /**
       * Method of the calendar part, such as `REQUEST` (invitation), `REPLY` or `CANCEL` (RFC
       * 5546 §1.4).
       */
      method?: string
      /** Title of the calendar event (`SUMMARY`). */
      summary?: string
      /** Description of the calendar event (`DESCRIPTION`). */
      description?: string
      /** Name of the time zone of `startDate` in the calendar part (`TZID`). */
      timezone?: string
      /**
       * Start of the calendar event (ISO 8601): time with zone, local time if the zone is
       * unknown, or date of an all-day event.
       */
      startDate?: string
      /**
       * End of the calendar event (ISO 8601), in the same form as `startDate`: time with zone,
       * local time, or date of an all-day event.
       */
      endDate?: string
      /**
       * Organizer of the calendar event, copied from the calendar part. Usually `mailto:` and
       * an email address.
       */
      organizer?: string
      /** File name of the calendar part. */
      filename: string
      /** Media type of the calendar part. */
      contentType: string
      /** Encoding of `content`. Always `base64`. */
      encoding: 'base64'
      /**
       * Calendar part (iCalendar) as base64. Only in the first calendar event of each calendar
       * part, and absent if the calendar parts of the message exceed 524,288 bytes.
       */
      content?: string
    }[]
    /**
     * Summary of the message by a language model. Only with the setting `generateEmailSummary`.
     * All members are untrusted plain text, which the sender of the message can influence.
     */
    summary?: {
      /** Id of the summary at the endpoint of the language model. */
      id?: string
      /** Number of tokens that the language model used for the summary. */
      tokens?: number
      /** Name of the language model that wrote the summary. */
      model?: string
      /** Sentiment of the message according to the language model, such as `neutral`. */
      sentiment?: string
      /** Summary of the message by the language model. */
      summary: string
      /** True if the sender of the message expects a reply, according to the language model. */
      shouldReply?: boolean
      /** Events that the message mentions, at most 20. */
      events?: {
        /** Description of the mentioned event by the language model. */
        description: string
        /**
         * Start of the mentioned event, as written by the language model. The format is not
         * fixed.
         */
        startTime?: string
      }[]
      /** Actions that the message requests of the recipient, at most 20. */
      actions?: {
        /** Description of the requested action by the language model. */
        description: string
        /**
         * Due date of the requested action, as written by the language model. The format is not
         * fixed.
         */
        dueDate?: string
      }[]
    }
    /** Sum of the delays before the further attempts to fetch the message, in milliseconds. */
    missingDelay?: number
    /** Number of further attempts to fetch the message after the first attempt failed. */
    missingRetries?: number
  } & {
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `messageUpdated`. Sent when flags or labels of a message change, whether by this API, a
 * mail client or the mail server. Several changes between two syncs are one event.
 */
export interface MessageUpdatedEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'messageUpdated'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Id of the message, as in earlier events and lists. */
    id: string
    /** UID of the message in the mailbox. IMAP accounts only. */
    uid?: number
    /**
     * Changes of the flags and labels of the message since the previous event about the
     * message.
     */
    changes: {
      /** Changes of the flags of the message. Absent if no flags changed. */
      flags?: {
        /** Names of the flags that were added to the message. */
        added: string[]
        /** Names of the flags that were removed from the message. */
        removed: string[]
        /** Names of all flags of the message after the change. */
        value: string[]
      }
      /** Changes of the labels of the message. Absent if no labels changed. */
      labels?: {
        /** Names of the labels that were added to the message. */
        added: string[]
        /** Names of the labels that were removed from the message. */
        removed: string[]
        /** Names of all labels of the message after the change. */
        value: string[]
      }
    }
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `messageBounce`. Sent for each recipient that a delivery report (bounce) in the mailbox
 * names. `action` states whether the delivery failed or is delayed.
 */
export interface MessageBounceEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'messageBounce'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Id of the message that contains the delivery report. */
    bounceMessage: string
    /** Email address of the recipient that the delivery report names. */
    recipient: string
    /**
     * Result for the recipient in the delivery report: `failed`, `delayed`, `delivered`,
     * `relayed` or `expanded`.
     */
    action: string
    /** Response of the receiving mail server, as quoted by the delivery report. */
    response: {
      /** Type of the diagnostic text in the delivery report, such as `smtp`. */
      source: string
      /** Text of the response of the receiving mail server. */
      message: string
      /** Enhanced status code of the receiving mail server, such as `5.1.1` (RFC 3463). */
      status?: string
      /**
       * Category of the failure to deliver the message to the recipient, such as
       * `user_unknown`, `mailbox_full` or `spam_blocked`.
       */
      category: string
      /**
       * Recommended reaction to the failure, such as `remove` (the address), `retry` or
       * `review`.
       */
      recommendedAction: string
      /**
       * Public blocklist of senders that the receiving mail server consulted. Absent if the
       * response names no blocklist.
       */
      blocklist?: {
        /** Name of the public blocklist of senders, such as `Spamhaus`. */
        name: string
        /**
         * Kind of the entry in the public blocklist of senders: `ip` (IP address) or `domain`.
         */
        type: string
      }
      /**
       * Recommended delay before another attempt to send the message, in seconds. Absent if
       * unknown.
       */
      retryAfter?: number
    }
    /** Host name of the mail server that rejected the message or sent the delivery report. */
    mta?: string
    /**
     * Id of the submission (queued message). Only present if this installation sent the
     * original message.
     */
    queueId?: string
    /**
     * Message-ID header of the original message. Absent if the delivery report does not contain
     * this header.
     */
    messageId?: string
    /**
     * Headers of the original message: the lower-case name of each header, with all values of
     * this header.
     */
    messageHeaders?: Record<string, string[]>
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `messageComplaint`. Sent when an abuse report (ARF, RFC 5965) arrives in the mailbox: a
 * recipient marked a message as spam.
 */
export interface MessageComplaintEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'messageComplaint'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Id of the message that contains the abuse report. */
    complaintMessage: string
    /**
     * Fields of the abuse report (RFC 5965). Fields that the abuse report does not contain are
     * absent.
     */
    arf: {
      /** Domain of the mail provider that sent the abuse report. */
      source?: string
      /** Type of the abuse report, such as `abuse` or `fraud`. */
      feedbackType: string
      /** Type of the abuse, as stated by the abuse report. */
      abuseType?: string
      /** Name of the software that created the abuse report. */
      userAgent?: string
      /** Version of the format of the abuse report. */
      version?: string
      /** Envelope sender of the reported message (MAIL FROM). */
      originalMailFrom?: string
      /** Envelope recipients of the reported message (RCPT TO). Empty if unknown. */
      originalRcptTo: string[]
      /** Time of receipt of the reported message (ISO 8601). */
      arrivalDate?: string
      /** IP address from which the reported message was received. */
      sourceIp?: string
      /** Mail server that sent the abuse report. */
      reportingMta?: string
      /** Domains that the abuse report is about. */
      reportedDomain?: string[]
      /** Authentication method that failed for the reported message (RFC 6591). */
      authFailure?: string
    }
    /** Headers of the reported message, as far as the abuse report contains the headers. */
    headers: {
      /** Message-ID header of the reported message. */
      messageId?: string
      /** From header of the reported message. */
      from?: string
      /** To headers of the reported message. */
      to?: string[]
      /** Cc headers of the reported message. */
      cc?: string[]
      /** Subject header of the reported message. */
      subject?: string
      /** Date header of the reported message. */
      date?: string
    }
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `messageDeliveryError`. Sent for each failed attempt to send a submitted message.
 * `job.nextAttempt` is the time of the next attempt, or false if no attempt follows.
 */
export interface MessageDeliveryErrorEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'messageDeliveryError'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Id of the submission: `queueId` in the response to the request to send the message. */
    queueId: string
    /** SMTP envelope: addresses that mail servers use to transport the message. */
    envelope: {
      /** Address that receives bounces (MAIL FROM). */
      from: string
      /** Addresses that receive the message (RCPT TO). */
      to: string[]
    }
    /** Message-ID header of the message. */
    messageId: string
    /** Text of the error of the attempt to send the message. */
    error: string
    /**
     * Code of the error of the attempt to send the message, such as `EPROTOCOL` for SMTP or
     * `SendAsDenied` for a mail API.
     */
    errorCode?: string
    /**
     * Reply of the mail server to the failed SMTP command. Absent if the mail server did not
     * reply.
     */
    smtpResponse?: string
    /**
     * SMTP reply code of the mail server to the failed SMTP command, such as 450. Absent if the
     * mail server did not reply.
     */
    smtpResponseCode?: number
    /** SMTP command that the mail server rejected, such as `RCPT TO`. */
    smtpCommand?: string
    /**
     * Network path of the attempt to send a message: local IP address, EHLO name and proxy.
     * Absent or null for the default path.
     */
    networkRouting?: {
      /** Local IP address of the connection to the mail server. */
      localAddress?: string
      /** Host name that was sent to the mail server in the EHLO command. */
      name?: string
      /** URL of the proxy for the connection to the mail server, without the login. */
      proxy?: string
      /**
       * Local IP address that the submission requested. Only present if the address was not
       * available.
       */
      requestedLocalAddress?: string
    }
    /** Number of attempts to send the message, and the time of the next attempt. */
    job: {
      /** Id of the submission: `queueId` in the response to the request to send the message. */
      id: string
      /** Number of attempts to send the message so far. */
      attemptsMade: number
      /** Maximum number of attempts to send the message. */
      attempts: number
      /**
       * Time of the next attempt to send the message (ISO 8601). False if no attempt follows.
       */
      nextAttempt: string | false
    }
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `messageFailed`. Sent once per submitted message, when all attempts have failed or the
 * outgoing server has rejected the message permanently. The message is not sent again.
 */
export interface MessageFailedEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'messageFailed'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Message-ID header of the message. */
    messageId: string
    /** Id of the submission: `queueId` in the response to the request to send the message. */
    queueId: string
    /** First line of the error of the first failed attempt to send the message. */
    error: string
    /**
     * Network path of the attempt to send a message: local IP address, EHLO name and proxy.
     * Absent or null for the default path.
     */
    networkRouting?: {
      /** Local IP address of the connection to the mail server. */
      localAddress?: string
      /** Host name that was sent to the mail server in the EHLO command. */
      name?: string
      /** URL of the proxy for the connection to the mail server, without the login. */
      proxy?: string
      /**
       * Local IP address that the submission requested. Only present if the address was not
       * available.
       */
      requestedLocalAddress?: string
    }
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `messageSent`. Sent when the outgoing server, or the mail API of the provider, has
 * accepted a submitted message. The event does not confirm the delivery to the recipient: a
 * `messageBounce` may follow.
 */
export interface MessageSentEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'messageSent'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /**
     * Message-ID header of the sent message. The mail server may have replaced the submitted
     * Message-ID.
     */
    messageId: string
    /**
     * Message-ID header of the submitted message. Only present if the mail server replaced this
     * header in the sent message.
     */
    originalMessageId?: string
    /**
     * Reply of the mail server that accepted the message. For a mail API, a text with the id of
     * the message.
     */
    response: string
    /** Id of the submission: `queueId` in the response to the request to send the message. */
    queueId: string
    /** SMTP envelope: addresses that mail servers use to transport the message. */
    envelope: {
      /** Address that receives bounces (MAIL FROM). */
      from: string
      /** Addresses that receive the message (RCPT TO). */
      to: string[]
    }
    /**
     * Network path of the attempt to send a message: local IP address, EHLO name and proxy.
     * Absent or null for the default path.
     */
    networkRouting?: {
      /** Local IP address of the connection to the mail server. */
      localAddress?: string
      /** Host name that was sent to the mail server in the EHLO command. */
      name?: string
      /** URL of the proxy for the connection to the mail server, without the login. */
      proxy?: string
      /**
       * Local IP address that the submission requested. Only present if the address was not
       * available.
       */
      requestedLocalAddress?: string
    }
    /**
     * Names of submitted headers that the sent message lacks, or for which the sent message has
     * only 1 of several values. The message format of the mail API cannot keep these headers.
     * At most 100 names. Absent if all headers were kept.
     */
    omittedHeaders?: string[]
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `listSubscribe`. Sent when a recipient who had unsubscribed subscribes again on the
 * page of the unsubscribe link. The recipient is no longer on the blocklist.
 */
export interface ListSubscribeEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'listSubscribe'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Email address of the recipient whose subscription changed. */
    recipient: string
    /** Id of the mailing list, as `listId` in the submission. */
    listId: string
    /** IP address of the client that sent the request. Absent if unknown. */
    remoteAddress?: string
    /**
     * User-Agent header of the client that sent the request. Absent if the request has no such
     * header.
     */
    userAgent?: string
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `listUnsubscribe`. Sent when a recipient of a message with `listId` unsubscribes, on
 * the page of the unsubscribe link or by one-click (RFC 8058). The recipient is on the
 * blocklist now.
 */
export interface ListUnsubscribeEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'listUnsubscribe'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Email address of the recipient whose subscription changed. */
    recipient: string
    /** Id of the mailing list, as `listId` in the submission. */
    listId: string
    /** IP address of the client that sent the request. Absent if unknown. */
    remoteAddress?: string
    /**
     * User-Agent header of the client that sent the request. Absent if the request has no such
     * header.
     */
    userAgent?: string
    /**
     * Message-ID header of the message whose unsubscribe link was used. Absent if the
     * Message-ID was too long for the link.
     */
    messageId?: string
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `trackClick`. Sent when a link of a message that was sent with `trackClicks` is
 * followed. Requests of one client for one link within `trackRepeatWindow` seconds (default 5)
 * are one event. Requests of known crawlers are ignored.
 */
export interface TrackClickEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'trackClick'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Message-ID header of the sent message. */
    messageId: string
    /** Original URL of the link that was followed. */
    url: string
    /** IP address of the client that sent the request. Absent if unknown. */
    remoteAddress?: string
    /**
     * User-Agent header of the client that sent the request. Absent if the request has no such
     * header.
     */
    userAgent?: string
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `trackOpen`. Sent when a mail client loads the tracking pixel of a message that was
 * sent with `trackOpens`. Requests of one client within `trackRepeatWindow` seconds (default 5)
 * are one event. Requests of known crawlers are ignored.
 */
export interface TrackOpenEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'trackOpen'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Message-ID header of the sent message. */
    messageId: string
    /** IP address of the client that sent the request. Absent if unknown. */
    remoteAddress?: string
    /**
     * User-Agent header of the client that sent the request. Absent if the request has no such
     * header.
     */
    userAgent?: string
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `exportCompleted`. Sent once per export, when its file is complete. The file can be
 * downloaded until `expiresAt`.
 */
export interface ExportCompletedEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'exportCompleted'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Id of the export, for `GET /v1/account/{account}/export/{exportId}`. */
    exportId: string
    /**
     * Requested mailboxes, as paths or special uses. Empty if the request named no mailboxes.
     */
    folders: string[]
    /** Earliest time of receipt of the exported messages (ISO 8601), inclusive. */
    startDate: string
    /** Time before which the exported messages were received (ISO 8601), exclusive. */
    endDate: string
    /** Number of messages in the export file. */
    messagesExported: number
    /**
     * Number of messages that the export could not read. The export file lacks these messages.
     */
    messagesSkipped: number
    /** Size of the compressed export file in bytes. */
    bytesWritten: number
    /** Time from the start of the export to its end, in milliseconds. */
    duration: number
    /** Time at which the export and the export file are deleted (ISO 8601). */
    expiresAt: string
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/**
 * Event `exportFailed`. Sent once per export that ends with an error. The export is not
 * resumed: create a new export. Not sent for a cancelled export.
 */
export interface ExportFailedEvent {
  /**
   * Value of the setting `serviceUrl`: public base URL of the service. Null if the setting is
   * unset.
   */
  serviceUrl: string | null
  /** Id of the account to which the event belongs. */
  account: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /**
   * Path of the mailbox to which the event belongs. Absent for events that belong to no
   * mailbox.
   */
  path?: string
  /**
   * Special use of the mailbox, such as `\Sent` (RFC 6154). Absent if the mailbox has no
   * special use.
   */
  specialUse?: string
  /** Name of the event. */
  event: 'exportFailed'
  /** Data of the event. The members of `data` depend on the event. */
  data: {
    /** Id of the export, for `GET /v1/account/{account}/export/{exportId}`. */
    exportId: string
    /** Text of the error that ended the export. */
    error: string
    /** Code of the error that ended the export. Absent if the error has no code. */
    errorCode?: string
    /**
     * Phase in which the export failed. `pending`: before the start; `indexing`: search of
     * messages; `exporting`: writing of messages; `unknown`: the phase is not known.
     */
    phase: 
      | 'pending'
      | 'indexing'
      | 'exporting'
      | 'unknown'
    /**
     * Number of messages that were written to the export file before the error ended the
     * export.
     */
    messagesExported: number
    /** Number of messages to export that were found before the error ended the export. */
    messagesQueued: number
    /**
     * Names of the members of `data` that were shortened or left out because `data` was too
     * large. Absent if `data` is complete. Only events about messages can have large members.
     * `calendarEvents` is named if calendar events are missing, `calendarEvents.content` if the
     * `content` of at least one calendar event is missing.
     */
    truncated?: string[]
  }
}

/** Body of a webhook. The member `event` has the name of the event. */
export type WebhookEventBody =
  | AccountAddedEvent
  | AccountDeletedEvent
  | AccountInitializedEvent
  | AuthenticationErrorEvent
  | AuthenticationSuccessEvent
  | ConnectErrorEvent
  | MailboxDeletedEvent
  | MailboxNewEvent
  | MailboxResetEvent
  | MessageDeletedEvent
  | MessageMissingEvent
  | MessageNewEvent
  | MessageUpdatedEvent
  | MessageBounceEvent
  | MessageComplaintEvent
  | MessageDeliveryErrorEvent
  | MessageFailedEvent
  | MessageSentEvent
  | ListSubscribeEvent
  | ListUnsubscribeEvent
  | TrackClickEvent
  | TrackOpenEvent
  | ExportCompletedEvent
  | ExportFailedEvent

export interface StateChange {
  /** Id of the account that changed. Null for a state of the IMAP or SMTP proxy. */
  account: string | null
  /**
   * Kind of the change: `state`, `address` and `syncWarning` of an account, `smtpServerState`
   * and `imapProxyServerState` of a replica of a proxy.
   */
  type: 
    | 'state'
    | 'address'
    | 'syncWarning'
    | 'smtpServerState'
    | 'imapProxyServerState'
  /**
   * Value that belongs to `type`. `state`: new state of the account, as in `state` of the
   * account record. `smtpServerState`, `imapProxyServerState`: `listening`, `failed` or
   * `exited`. `syncWarning`: the warning. `address`: address of the mailbox at the provider.
   * The provider reports another address than the stored address if the account was registered
   * with an alias, or if the user was renamed.
   */
  key: string | {
    /**
     * Kind of the sync warning. `mailboxRefused`: the server refused to open a mailbox, or a
     * `path` of the account names no mailbox. `historyIdExpired` (Gmail), `syncStateNotFound`
     * (Microsoft Graph) and `cursorExpired` (other reasons): the provider no longer has the
     * changes since the last sync, so all messages of the mailbox are listed and compared.
     */
    type: 
      | 'mailboxRefused'
      | 'historyIdExpired'
      | 'syncStateNotFound'
      | 'cursorExpired'
    /** Text of the error of the mail server or provider that caused the warning. */
    message: string
    /** Path of the mailbox that the warning concerns. */
    path: string
  }
  /**
   * State of the account in more detail, as in `stateDetail` of the account record. Only for
   * the type `state`.
   */
  stateDetail?: 
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
  /** Last error of the account or proxy. Null if there is no error. */
  payload: {
    error: LastError
  } | null
}
