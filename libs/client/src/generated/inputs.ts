// Written by `make client` from the contracts, do not edit.

import type { Base64 } from '../calls/json-body.ts'

import type {
  AccountListEntry,
  AccountRecord,
  AccountRegistration,
  AccountUpdate,
  Address,
  AttachmentSource,
  DraftSubmission,
  FlagUpdate,
  ImapConfig,
  ImapDisabled,
  KeyValue,
  LastError,
  MailboxEntry,
  MessageDetail,
  MessagePage,
  Permissions,
  Reference,
  Restrictions,
  Search,
  Settings,
  SmtpConfig,
  Submission,
  SubmissionResult,
  TokenLogEntry,
  TokenRecord,
  TokenRequest,
} from './schemas.ts'

/** Parameters and body of `exportAccounts`. */
export interface ExportAccountsInput {
  /** Body of the request. */
  body: {
    /**
     * Public key of an instance: 32 bytes of an X25519 key as base64url, as in
     * `SVC_SECRET_PUBLIC_KEY`. Listed by `GET /admin/api/keys` of that instance.
     */
    publicKey: string
    /**
     * Ids of the accounts to export. Ids without an account are skipped. Absent: all accounts.
     */
    accounts?: string[]
    /** Cursor of the page: `nextCursor` of the previous response. */
    cursor?: string
    /** Maximum number of accounts in the response. Defaults to 100. */
    pageSize?: number
  }
}

/** Result of `exportAccounts`. */
export interface ExportAccountsResult {
  /** Exported accounts of this page, ordered by id. */
  accounts: {
    /** Id of the account, chosen by the caller or generated when the account was registered. */
    account: string
    /** Display name of the account. Default name of the author of sent messages. */
    name: string
    /** Email address of the account. Default address of the author of sent messages. */
    email?: string
    /**
     * Email address to which the login of the account must belong. Logins of other addresses
     * are rejected.
     */
    expectedEmail?: string
    /**
     * Mailboxes of the account to sync, as paths or special uses such as `\Sent`. Absent, null
     * or `*`: all mailboxes.
     */
    path?: string[] | null
    /**
     * Mailboxes (paths or special uses such as `\Sent`) to watch for changes on a separate IMAP
     * connection each. Without effect for servers with NOTIFY (RFC 5465), which report changes
     * of all mailboxes. A single value instead of a list is accepted, too.
     */
    subconnections?: string[]
    /**
     * URL that receives the webhooks of the account. The login in the URL is sealed
     * (encrypted).
     */
    webhooks?: string
    /** Additional HTTP headers of webhook requests, with sealed values. */
    webhooksCustomHeaders?: {
      /** Name of the HTTP header, such as `X-Tenant`. */
      key: string
      /** Value of the HTTP header, sealed (encrypted) unless it is empty. */
      value: string
    }[]
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
     * If true, the account is paused: it opens no connection to its incoming server or mail
     * API, and renews no subscription. `state` is `other` and `stateDetail` is `paused`.
     * Operations that need the mailbox respond 503 `NoAvailable`. Messages are still sent if
     * the first sync of the account is complete, and mail clients can still log in through the
     * IMAP proxy. If false, the account connects like a new account. Defaults to false.
     */
    paused?: boolean
    /** Time of receipt from which messages are announced by `messageNew` (ISO 8601). */
    notifyFrom?: string
    /**
     * URL of the proxy for connections to the mail servers. The login in the URL is sealed
     * (encrypted).
     */
    proxy?: string
    /**
     * Host name that is sent to outgoing mail servers in the EHLO command. Null or never set:
     * the setting `smtpEhloName` applies.
     */
    smtpEhloName?: string | null
    /**
     * Mailbox index of an IMAP account: `full` detects new, changed and deleted messages,
     * `fast` new messages only. Null or never set: the setting `imapIndexer` applies.
     */
    imapIndexer?: 'full' | 'fast' | null
    /** Incoming mail server of the account. Absent: no incoming server. */
    imap?: {
      /**
       * If true, the login is requested from the authentication server (setting `authServer`)
       * and not stored. Defaults to false.
       */
      useAuthServer?: boolean
      /**
       * Login at the mail server without its secret, which is in `credentials`. False: no login
       * is stored.
       */
      auth?: {
        /** Login name at the mail server, usually the email address. */
        user: string
        /**
         * True if the sealed secret of the login is an OAuth2 access token. Absent for a
         * password.
         */
        accessToken?: true
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
         * If true (default), the TLS certificate of the mail server must be valid. If false,
         * any certificate is accepted.
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
         * STARTTLS. If false, login and mail are then sent unencrypted. Mail servers on the
         * same machine are exempt.
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
       * Path of the mailbox that serves as the Sent mailbox. Null or never set: the mailbox
       * with this special use.
       */
      sentMailPath?: string | null
      /**
       * Path of the mailbox that serves as the Drafts mailbox. Null or never set: the mailbox
       * with this special use.
       */
      draftsMailPath?: string | null
      /**
       * Path of the mailbox that serves as the Junk mailbox. Null or never set: the mailbox
       * with this special use.
       */
      junkMailPath?: string | null
      /**
       * Path of the mailbox that serves as the Trash mailbox. Null or never set: the mailbox
       * with this special use.
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
    } | {
      /**
       * If true, the login is requested from the authentication server (setting `authServer`)
       * and not stored. Defaults to false.
       */
      useAuthServer?: boolean
      /**
       * Login at the mail server without its secret, which is in `credentials`. False: no login
       * is stored.
       */
      auth?: {
        /** Login name at the mail server, usually the email address. */
        user: string
        /**
         * True if the sealed secret of the login is an OAuth2 access token. Absent for a
         * password.
         */
        accessToken?: true
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
         * If true (default), the TLS certificate of the mail server must be valid. If false,
         * any certificate is accepted.
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
         * STARTTLS. If false, login and mail are then sent unencrypted. Mail servers on the
         * same machine are exempt.
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
       * Path of the mailbox that serves as the Sent mailbox. Null or never set: the mailbox
       * with this special use.
       */
      sentMailPath?: string | null
      /**
       * Path of the mailbox that serves as the Drafts mailbox. Null or never set: the mailbox
       * with this special use.
       */
      draftsMailPath?: string | null
      /**
       * Path of the mailbox that serves as the Junk mailbox. Null or never set: the mailbox
       * with this special use.
       */
      junkMailPath?: string | null
      /**
       * Path of the mailbox that serves as the Trash mailbox. Null or never set: the mailbox
       * with this special use.
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
      disabled: true
    }
    /** Outgoing mail server of the account. Absent: no outgoing server. */
    smtp?: {
      /**
       * If true, the login is requested from the authentication server (setting `authServer`)
       * and not stored. Defaults to false.
       */
      useAuthServer?: boolean
      /**
       * Login at the mail server without its secret, which is in `credentials`. False: no login
       * is stored.
       */
      auth?: {
        /** Login name at the mail server, usually the email address. */
        user: string
        /**
         * True if the sealed secret of the login is an OAuth2 access token. Absent for a
         * password.
         */
        accessToken?: true
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
         * If true (default), the TLS certificate of the mail server must be valid. If false,
         * any certificate is accepted.
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
         * STARTTLS. If false, login and mail are then sent unencrypted. Mail servers on the
         * same machine are exempt.
         */
        requireStartTls?: boolean
      }
    }
    /** OAuth2 login of the account without its tokens. Absent: no OAuth2. */
    oauth2?: {
      /** Id of the OAuth2 application, at the exporting instance. */
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
        /**
         * Id of another account whose OAuth2 grant is used. The account stores no grant then.
         */
        delegatedAccount?: string
      }
      /**
       * If true, access tokens are requested from the authentication server (setting
       * `authServer`), not from the OAuth2 provider.
       */
      useAuthServer?: boolean
    }
    /**
     * Language tag, such as `en-GB`, for dates in quotations of replies and forwards. Defaults
     * to the setting `locale`.
     */
    locale?: string
    /**
     * Time zone, such as `Europe/Tallinn`, for dates in quotations of replies and forwards.
     * Defaults to the setting `timezone`.
     */
    tz?: string
    /**
     * Settings of the account that a tenant has set: with a token bound to the account, or in
     * the hosted form. `unknownHeaders`: headers whose origin is unknown. Absent: none.
     */
    tenantSet?: (
      | 'imap'
      | 'smtp'
      | 'webhooks'
      | 'webhooksCustomHeaders'
      | 'unknownHeaders')[]
    /**
     * Secrets of the account, each sealed (encrypted) as a compact JWE for the other instance.
     */
    credentials: {
      /** Secret of the login at the incoming mail server. */
      imap?: string
      /** Secret of the login at the outgoing mail server. */
      smtp?: string
      /** OAuth2 tokens of the account. */
      oauth2?: string
    }
  }[]
  /**
   * Accounts of this page that were not exported, because no private key of auth-bridge unseals
   * one of their secrets.
   */
  failed: {
    /** Id of the account, chosen by the caller or generated when the account was registered. */
    account: string
    /** Reason for which the account was not exported. */
    message: string
  }[]
  /** Cursor of the next page, for the member `cursor`. Null on the last page. */
  nextCursor: string | null
}

/** Parameters and body of `importAccounts`. */
export interface ImportAccountsInput {
  /** Body of the request. */
  body: {
    /** Accounts from responses of `POST /admin/api/accountExports`. */
    accounts: {
      /**
       * Id of the account, chosen by the caller or generated when the account was registered.
       */
      account: string
      /** Display name of the account. Default name of the author of sent messages. */
      name: string
      /** Email address of the account. Default address of the author of sent messages. */
      email?: string
      /**
       * Email address to which the login of the account must belong. Logins of other addresses
       * are rejected.
       */
      expectedEmail?: string
      /**
       * Mailboxes of the account to sync, as paths or special uses such as `\Sent`. Absent,
       * null or `*`: all mailboxes.
       */
      path?: string[] | null
      /**
       * Mailboxes (paths or special uses such as `\Sent`) to watch for changes on a separate
       * IMAP connection each. Without effect for servers with NOTIFY (RFC 5465), which report
       * changes of all mailboxes. A single value instead of a list is accepted, too.
       */
      subconnections?: string[]
      /**
       * URL that receives the webhooks of the account. The login in the URL is sealed
       * (encrypted).
       */
      webhooks?: string
      /** Additional HTTP headers of webhook requests, with sealed values. */
      webhooksCustomHeaders?: {
        /** Name of the HTTP header, such as `X-Tenant`. */
        key: string
        /** Value of the HTTP header, sealed (encrypted) unless it is empty. */
        value: string
      }[]
      /**
       * If true, a copy of each sent message is stored in the Sent mailbox. Null or never set:
       * a copy is stored unless the mail provider stores sent messages. Without effect for
       * accounts on a mail API.
       */
      copy?: boolean | null
      /**
       * If true, the protocol log of the account is recorded: IMAP commands and responses, or
       * requests to the mail API. `GET /v1/logs/{account}` returns the log.
       */
      logs?: boolean
      /**
       * If true, the account is paused: it opens no connection to its incoming server or mail
       * API, and renews no subscription. `state` is `other` and `stateDetail` is `paused`.
       * Operations that need the mailbox respond 503 `NoAvailable`. Messages are still sent if
       * the first sync of the account is complete, and mail clients can still log in through
       * the IMAP proxy. If false, the account connects like a new account. Defaults to false.
       */
      paused?: boolean
      /** Time of receipt from which messages are announced by `messageNew` (ISO 8601). */
      notifyFrom?: string
      /**
       * URL of the proxy for connections to the mail servers. The login in the URL is sealed
       * (encrypted).
       */
      proxy?: string
      /**
       * Host name that is sent to outgoing mail servers in the EHLO command. Null or never set:
       * the setting `smtpEhloName` applies.
       */
      smtpEhloName?: string | null
      /**
       * Mailbox index of an IMAP account: `full` detects new, changed and deleted messages,
       * `fast` new messages only. Null or never set: the setting `imapIndexer` applies.
       */
      imapIndexer?: 'full' | 'fast' | null
      /** Incoming mail server of the account. Absent: no incoming server. */
      imap?: {
        /**
         * If true, the login is requested from the authentication server (setting `authServer`)
         * and not stored. Defaults to false.
         */
        useAuthServer?: boolean
        /**
         * Login at the mail server without its secret, which is in `credentials`. False: no
         * login is stored.
         */
        auth?: {
          /** Login name at the mail server, usually the email address. */
          user: string
          /**
           * True if the sealed secret of the login is an OAuth2 access token. Absent for a
           * password.
           */
          accessToken?: true
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
           * If true (default), the TLS certificate of the mail server must be valid. If false,
           * any certificate is accepted.
           */
          rejectUnauthorized?: boolean
          /**
           * Lowest TLS version that is accepted from the mail server. Defaults to `TLSv1.2`.
           */
          minVersion?: 
            | 'TLSv1'
            | 'TLSv1.1'
            | 'TLSv1.2'
            | 'TLSv1.3'
          /**
           * If true (default), a connection without TLS ends if the mail server does not offer
           * STARTTLS. If false, login and mail are then sent unencrypted. Mail servers on the
           * same machine are exempt.
           */
          requireStartTls?: boolean
        }
        /**
         * If true, IMAP4rev1 is used even if the server offers IMAP4rev2 (RFC 9051). Defaults
         * to false.
         */
        disableIMAP4rev2?: boolean
        /**
         * Interval in seconds between full syncs of all mailboxes of the account. Initially
         * 900.
         */
        resyncDelay?: number
        /**
         * Path of the mailbox that serves as the Sent mailbox. Null or never set: the mailbox
         * with this special use.
         */
        sentMailPath?: string | null
        /**
         * Path of the mailbox that serves as the Drafts mailbox. Null or never set: the mailbox
         * with this special use.
         */
        draftsMailPath?: string | null
        /**
         * Path of the mailbox that serves as the Junk mailbox. Null or never set: the mailbox
         * with this special use.
         */
        junkMailPath?: string | null
        /**
         * Path of the mailbox that serves as the Trash mailbox. Null or never set: the mailbox
         * with this special use.
         */
        trashMailPath?: string | null
        /**
         * Path of the mailbox that serves as the Archive mailbox. Null or never set: the
         * mailbox with this special use.
         */
        archiveMailPath?: string | null
        /**
         * If true, the incoming mail server is switched off and no mailbox of the account is
         * synced. Defaults to false.
         */
        disabled?: boolean
      } | {
        /**
         * If true, the login is requested from the authentication server (setting `authServer`)
         * and not stored. Defaults to false.
         */
        useAuthServer?: boolean
        /**
         * Login at the mail server without its secret, which is in `credentials`. False: no
         * login is stored.
         */
        auth?: {
          /** Login name at the mail server, usually the email address. */
          user: string
          /**
           * True if the sealed secret of the login is an OAuth2 access token. Absent for a
           * password.
           */
          accessToken?: true
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
           * If true (default), the TLS certificate of the mail server must be valid. If false,
           * any certificate is accepted.
           */
          rejectUnauthorized?: boolean
          /**
           * Lowest TLS version that is accepted from the mail server. Defaults to `TLSv1.2`.
           */
          minVersion?: 
            | 'TLSv1'
            | 'TLSv1.1'
            | 'TLSv1.2'
            | 'TLSv1.3'
          /**
           * If true (default), a connection without TLS ends if the mail server does not offer
           * STARTTLS. If false, login and mail are then sent unencrypted. Mail servers on the
           * same machine are exempt.
           */
          requireStartTls?: boolean
        }
        /**
         * If true, IMAP4rev1 is used even if the server offers IMAP4rev2 (RFC 9051). Defaults
         * to false.
         */
        disableIMAP4rev2?: boolean
        /**
         * Interval in seconds between full syncs of all mailboxes of the account. Initially
         * 900.
         */
        resyncDelay?: number
        /**
         * Path of the mailbox that serves as the Sent mailbox. Null or never set: the mailbox
         * with this special use.
         */
        sentMailPath?: string | null
        /**
         * Path of the mailbox that serves as the Drafts mailbox. Null or never set: the mailbox
         * with this special use.
         */
        draftsMailPath?: string | null
        /**
         * Path of the mailbox that serves as the Junk mailbox. Null or never set: the mailbox
         * with this special use.
         */
        junkMailPath?: string | null
        /**
         * Path of the mailbox that serves as the Trash mailbox. Null or never set: the mailbox
         * with this special use.
         */
        trashMailPath?: string | null
        /**
         * Path of the mailbox that serves as the Archive mailbox. Null or never set: the
         * mailbox with this special use.
         */
        archiveMailPath?: string | null
        /**
         * If true, the incoming mail server is switched off and no mailbox of the account is
         * synced. Defaults to false.
         */
        disabled: true
      }
      /** Outgoing mail server of the account. Absent: no outgoing server. */
      smtp?: {
        /**
         * If true, the login is requested from the authentication server (setting `authServer`)
         * and not stored. Defaults to false.
         */
        useAuthServer?: boolean
        /**
         * Login at the mail server without its secret, which is in `credentials`. False: no
         * login is stored.
         */
        auth?: {
          /** Login name at the mail server, usually the email address. */
          user: string
          /**
           * True if the sealed secret of the login is an OAuth2 access token. Absent for a
           * password.
           */
          accessToken?: true
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
           * If true (default), the TLS certificate of the mail server must be valid. If false,
           * any certificate is accepted.
           */
          rejectUnauthorized?: boolean
          /**
           * Lowest TLS version that is accepted from the mail server. Defaults to `TLSv1.2`.
           */
          minVersion?: 
            | 'TLSv1'
            | 'TLSv1.1'
            | 'TLSv1.2'
            | 'TLSv1.3'
          /**
           * If true (default), a connection without TLS ends if the mail server does not offer
           * STARTTLS. If false, login and mail are then sent unencrypted. Mail servers on the
           * same machine are exempt.
           */
          requireStartTls?: boolean
        }
      }
      /** OAuth2 login of the account without its tokens. Absent: no OAuth2. */
      oauth2?: {
        /** Id of the OAuth2 application, at the exporting instance. */
        provider: string
        /**
         * User at the OAuth2 provider (`user`). For access to another mailbox, also the shared
         * mailbox (`delegatedUser`) or the account with the OAuth2 grant (`delegatedAccount`).
         */
        auth?: {
          /** Login name of the user at the OAuth2 provider, usually the email address. */
          user?: string
          /**
           * Email address of a shared mailbox that the account uses instead of the mailbox of
           * the user. The user needs access to the shared mailbox.
           */
          delegatedUser?: string
          /**
           * Id of another account whose OAuth2 grant is used. The account stores no grant then.
           */
          delegatedAccount?: string
        }
        /**
         * If true, access tokens are requested from the authentication server (setting
         * `authServer`), not from the OAuth2 provider.
         */
        useAuthServer?: boolean
      }
      /**
       * Language tag, such as `en-GB`, for dates in quotations of replies and forwards.
       * Defaults to the setting `locale`.
       */
      locale?: string
      /**
       * Time zone, such as `Europe/Tallinn`, for dates in quotations of replies and forwards.
       * Defaults to the setting `timezone`.
       */
      tz?: string
      /**
       * Settings of the account that a tenant has set: with a token bound to the account, or in
       * the hosted form. `unknownHeaders`: headers whose origin is unknown. Absent: none.
       */
      tenantSet?: (
        | 'imap'
        | 'smtp'
        | 'webhooks'
        | 'webhooksCustomHeaders'
        | 'unknownHeaders')[]
      /**
       * Secrets of the account, each sealed (encrypted) as a compact JWE for the other
       * instance.
       */
      credentials: {
        /** Secret of the login at the incoming mail server. */
        imap?: string
        /** Secret of the login at the outgoing mail server. */
        smtp?: string
        /** OAuth2 tokens of the account. */
        oauth2?: string
      }
    }[]
    /**
     * Ids of the OAuth2 applications of this instance, by the ids of the applications of the
     * exporting instance. Applications that are absent here keep their id.
     */
    applications?: Record<string, string>
    /**
     * If true, the imported accounts are paused. If false, they are not. Absent: as exported.
     */
    paused?: boolean
    /**
     * Time of receipt from which messages of the imported accounts are announced (ISO 8601).
     * Defaults to the time of the import. A later exported time stays.
     */
    notifyFrom?: string
  }
}

/** Result of `importAccounts`. */
export interface ImportAccountsResult {
  /** Results of the accounts, in the order of the request. */
  results: {
    /** Id of the account, chosen by the caller or generated when the account was registered. */
    account: string
    /**
     * `imported`: the account is registered. `exists`: an account with the id exists and is
     * unchanged. `rejected`: nothing is stored, see `reason`.
     */
    result: 'imported' | 'exists' | 'rejected'
    /**
     * Reason of the rejection. `invalid`: a member is invalid. `unknownApplication`: the OAuth2
     * application does not exist, or is for another provider. `userExists`: another account
     * logs in as the same OAuth2 user. `otherKey`: a secret is sealed for another instance.
     * `otherUse`: a secret was changed, or is sealed for another account, server, user or
     * application.
     */
    reason?: 
      | 'invalid'
      | 'unknownApplication'
      | 'userExists'
      | 'otherKey'
      | 'otherUse'
    /** Explanation of the rejection. */
    message?: string
  }[]
}

/** Parameters and body of `listKeys`. */
export type ListKeysInput = Record<string, never>

/** Result of `listKeys`. */
export interface ListKeysResult {
  /** Public sealing keys, the current key first. */
  keys: {
    /** Id of the sealing key. Each secret that is sealed with the key contains the id. */
    id: string
    /**
     * Public key of an instance: 32 bytes of an X25519 key as base64url, as in
     * `SVC_SECRET_PUBLIC_KEY`. Listed by `GET /admin/api/keys` of that instance.
     */
    publicKey: string
    /** True for the sealing key with which new secrets are sealed (encrypted). */
    current: boolean
  }[]
}

/** Parameters and body of `createAccount`. */
export interface CreateAccountInput {
  /** Body of the request. */
  body: AccountRegistration
}

/** Result of `createAccount`. */
export interface CreateAccountResult {
  /** Id of the account. Absent with `oauth2.authorize`. */
  account?: string
  /**
   * `new` if the request registered the account, `existing` if the request updated an existing
   * account.
   */
  state?: 'new' | 'existing'
  /**
   * URL of the page on which the owner of the mailbox consents, valid for 24 hours. Only with
   * `oauth2.authorize`: the response then has no other member.
   */
  redirect?: string
}

/** Parameters and body of `deleteAccount`. */
export interface DeleteAccountInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /**
   * If true, the OAuth2 grant of the account is also revoked at the provider (RFC 7009). A new
   * account then needs a new consent. Defaults to false.
   */
  revoke?: boolean
}

/** Result of `deleteAccount`. */
export interface DeleteAccountResult {
  /** Id of the deleted account. */
  account: string
  /** Always true: a failed request gets an error response. */
  deleted: boolean
}

/** Parameters and body of `getAccount`. */
export interface GetAccountInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /**
   * If true, the response contains the storage quota that the mail server reports. Defaults to
   * false.
   */
  quota?: boolean
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
}

/** Result of `getAccount`. */
export type GetAccountResult = AccountRecord

/** Parameters and body of `updateAccount`. */
export interface UpdateAccountInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /** Body of the request. */
  body: AccountUpdate
}

/** Result of `updateAccount`. */
export interface UpdateAccountResult {
  /** Id of the account. */
  account: string
  /**
   * URL of the page on which the owner of the mailbox consents, valid for 24 hours. Only with
   * `oauth2.authorize`.
   */
  redirect?: string
}

/** Parameters and body of `listAccounts`. */
export interface ListAccountsInput {
  /** Number of the page to return. The first page, which is the default, is 0. */
  page?: number
  /** Maximum number of entries per page. Defaults to 20. */
  pageSize?: number
  /**
   * State of the accounts: a value of `state` or of `stateDetail`. If absent, accounts in all
   * states are selected.
   */
  state?: 
    | 'new'
    | 'init'
    | 'connected'
    | 'authenticationError'
    | 'connectError'
    | 'unset'
    | 'other'
    | 'connecting'
    | 'syncing'
    | 'disconnected'
    | 'paused'
  /**
   * Value of `lastError.serverResponseCode` of the accounts, such as `AUTHENTICATIONFAILED`.
   */
  errorCode?: string
  /** Mail system of the accounts: `imap`, `gmail` (Gmail API) or `graph` (Microsoft Graph). */
  backend?: 'imap' | 'gmail' | 'graph'
  /**
   * Provider of the OAuth2 application of the accounts. Accounts with a password have no
   * provider.
   */
  provider?: 
    | 'gmail'
    | 'gmailService'
    | 'outlook'
    | 'outlookService'
    | 'mailRu'
    | 'generic'
  /** Id of the worker (`listWorkers`) that holds the shards of the accounts. */
  worker?: string
  /**
   * Text that the id, the name or the email address of the listed accounts contains, ignoring
   * case. If absent, all accounts are listed.
   */
  query?: string
}

/** Result of `listAccounts`. */
export interface ListAccountsResult {
  /** Number of entries on all pages. */
  total: number
  /** Number of this page. The first page is 0. */
  page: number
  /** Number of pages at the requested page size. */
  pages: number
  /**
   * Value of the parameter `query` of the request. False if the request had no such parameter.
   */
  query: string | false
  /**
   * Value of the parameter `state` of the request. `*` if the request had no such parameter.
   */
  state: string
  /** Accounts of this page, sorted by id. */
  accounts: AccountListEntry[]
}

/** Parameters and body of `createAuthenticationForm`. */
export interface CreateAuthenticationFormInput {
  /** Body of the request. */
  body: {
    /** Id of the account that the hosted form registers. Absent or null: an id is generated. */
    account?: string | null
    /** Display name of the account. Default name of the author of sent messages. */
    name?: string
    /** Email address that the hosted form shows initially. */
    email?: string
    /**
     * Email address of the only mailbox that may be connected. The hosted form rejects other
     * mailboxes.
     */
    expectedEmail?: string
    /**
     * If true, `email` is a shared mailbox to which the user who signs in has access. Only for
     * OAuth2 logins. Defaults to false.
     */
    delegated?: boolean
    /**
     * Time of receipt (ISO 8601) from which messages are announced by `messageNew`, or `now`.
     * Initially the time of the registration.
     */
    notifyFrom?: (string & {}) | 'now' | null
    /**
     * Mailboxes (paths or special uses such as `\Sent`) to watch for changes on a separate IMAP
     * connection each. Without effect for servers with NOTIFY (RFC 5465), which report changes
     * of all mailboxes. A single value instead of a list is accepted, too.
     */
    subconnections?: string[]
    /**
     * Mailboxes of the account to sync, as paths or special uses such as `\Sent`. Absent, null
     * or `*`: all mailboxes.
     */
    path?: string[] | null
    /**
     * URL to which the user is redirected after the hosted form, with the query parameters
     * `account` and `state` (`new` or `existing`).
     */
    redirectUrl: string
    /**
     * Login method of the hosted form: `imap`, or the id of an OAuth2 application. If false
     * (default), the user chooses the login method.
     */
    type?: string | false
  }
}

/** Result of `createAuthenticationForm`. */
export interface CreateAuthenticationFormResult {
  /**
   * URL of the hosted form, valid for 24 hours. Send the URL to the owner of the mailbox only:
   * anyone who has the URL can use the form.
   */
  url: string
}

/** Parameters and body of `getAutoconfig`. */
export interface GetAutoconfigInput {
  /** Email address whose mail servers are looked up. */
  email: string
}

/** Result of `getAutoconfig`. */
export interface GetAutoconfigResult {
  /** Incoming mail server of the email address. False if no mail server was found. */
  imap: {
    /** Login at the mail server, without the password. */
    auth: {
      /** Login name at the mail server. */
      user: string
    }
    /** Host name of the mail server. */
    host: string
    /** Port of the mail server. */
    port: number
    /**
     * True if the mail server expects TLS from the start of the connection, false for STARTTLS.
     */
    secure: boolean
  } | false
  /** Outgoing mail server of the email address. False if no mail server was found. */
  smtp: {
    /** Login at the mail server, without the password. */
    auth: {
      /** Login name at the mail server. */
      user: string
    }
    /** Host name of the mail server. */
    host: string
    /** Port of the mail server. */
    port: number
    /**
     * True if the mail server expects TLS from the start of the connection, false for STARTTLS.
     */
    secure: boolean
  } | false
  /**
   * App password that the mail provider issues for mail clients. Absent if the mail provider
   * has no app passwords.
   */
  appPassword?: {
    /** True if the mail provider accepts only an app password, not the password of the user. */
    required: boolean
    /** Name of the mail provider, such as `iCloud`. */
    provider: string
    /** Instructions for the owner of the mailbox: how to create an app password. */
    instructions: string
  }
  /**
   * Source of the mail servers that were found, such as `srv` (DNS records of the domain).
   * Absent if no mail server was found.
   */
  _source?: string
}

/** Parameters and body of `addToBlocklist`. */
export interface AddToBlocklistInput {
  /** Id of the mailing list, with the syntax of a host name. Case-insensitive. */
  listId: string
  /** Body of the request. */
  body: {
    /** Id of the account to whose blocklist the address is added. */
    account: string
    /** Email address that receives no further messages of the mailing list. */
    recipient: string
    /** Reason why the address is on the blocklist, for information. Defaults to `block`. */
    reason?: string
  }
}

/** Result of `addToBlocklist`. */
export interface AddToBlocklistResult {
  /** Always true: a failed request gets an error response. */
  success: boolean
  /**
   * True if the address is new on the blocklist, false if the address was on the blocklist
   * before.
   */
  added: boolean
}

/** Parameters and body of `getBlocklist`. */
export interface GetBlocklistInput {
  /** Id of the mailing list, with the syntax of a host name. Case-insensitive. */
  listId: string
  /** Number of the page to return. The first page, which is the default, is 0. */
  page?: number
  /** Maximum number of entries per page. Defaults to 20. */
  pageSize?: number
}

/** Result of `getBlocklist`. */
export interface GetBlocklistResult {
  /** Id of the blocklist. */
  listId: string
  /** Number of entries on all pages. */
  total: number
  /** Number of this page. The first page is 0. */
  page: number
  /** Number of pages at the requested page size. */
  pages: number
  /** Addresses on the blocklist that this page contains, newest first. */
  addresses: {
    /** Email address that receives no messages of the mailing list. */
    recipient: string
    /** Id of the account to whose mailing list the entry belongs. */
    account: string
    /**
     * Message-ID of the message whose unsubscribe link was used. Absent if unknown, and for
     * blocklist entries that were added with the API.
     */
    messageId?: string
    /**
     * Origin of the blocklist entry: `api`, `admin`, `form` (page of the unsubscribe link) or
     * `one-click` (RFC 8058).
     */
    source: string
    /**
     * Reason of the blocklist entry: `unsubscribe`, or the text of the API request (`block` by
     * default).
     */
    reason: string
    /** IP address of the client that unsubscribed. */
    remoteAddress?: string
    /** User-Agent header of the client that unsubscribed. */
    userAgent?: string
    /** Time at which the address was added to the blocklist (ISO 8601). */
    created: string
  }[]
}

/** Parameters and body of `removeFromBlocklist`. */
export interface RemoveFromBlocklistInput {
  /** Id of the mailing list, with the syntax of a host name. Case-insensitive. */
  listId: string
  /** Email address to remove from the blocklists. */
  recipient: string
}

/** Result of `removeFromBlocklist`. */
export interface RemoveFromBlocklistResult {
  /** True if the address was removed, false if the address was on no blocklist with this id. */
  deleted: boolean
}

/** Parameters and body of `listBlocklists`. */
export interface ListBlocklistsInput {
  /** Number of the page to return. The first page, which is the default, is 0. */
  page?: number
  /** Maximum number of entries per page. Defaults to 20. */
  pageSize?: number
}

/** Result of `listBlocklists`. */
export interface ListBlocklistsResult {
  /** Number of entries on all pages. */
  total: number
  /** Number of this page. The first page is 0. */
  page: number
  /** Number of pages at the requested page size. */
  pages: number
  /** Blocklists of this page, sorted by id. */
  blocklists: {
    /** Id of the blocklist. */
    listId: string
    /** Number of addresses on the blocklists with this id, of all accounts. */
    count: number
  }[]
}

/** Parameters and body of `followChanges`. */
export interface FollowChangesInput {
  /**
   * Id of the last frame of the stream that the client received. The stream continues after
   * this frame. If absent, the stream starts with the next change.
   */
  lastEventId?: string
}

/** Parameters and body of `followEvents`. */
export interface FollowEventsInput {
  /** Id of the account whose events are selected. */
  account?: string
  /** Name of the events that the stream sends, such as `messageNew`. */
  event?: string
  /**
   * Id of the last frame of the stream that the client received. The stream continues after
   * this frame. If absent, the stream starts with the next event.
   */
  lastEventId?: string
}

/** Parameters and body of `getEvent`. */
export interface GetEventInput {
  /** Id of the event. */
  event: string
  /** True to read the webhook body of the event, too. Defaults to false. */
  payload?: boolean
}

/** Result of `getEvent`. */
export interface GetEventResult {
  /** Id of the event, sent in the header `X-SVC-Wh-Event-Id` of its webhooks. */
  id: string
  /** Time at which the event was recorded (ISO 8601). */
  date: string
  /** Name of the event, such as `messageNew`. */
  event: string
  /** Id of the account of the event. */
  account: string
  /** Path of the mailbox of the event. Null if the event belongs to no mailbox. */
  path: string | null
  /**
   * State of the webhook deliveries of the event. `failed`: a delivery failed and was not
   * replayed; otherwise `due`: a delivery or replay waits for an attempt; otherwise
   * `delivered`: a target accepted the event; otherwise `dropped`; `none`: the event has no
   * delivery.
   */
  deliveryState: 
    | 'none'
    | 'due'
    | 'delivered'
    | 'failed'
    | 'dropped'
  /**
   * Webhook body of the event, which is sent to targets without a map function. Absent unless
   * the parameter `payload` is true. Null for a body above 64 MiB.
   */
  payload?: unknown
}

/** Parameters and body of `listEvents`. */
export interface ListEventsInput {
  /** Id of the account whose events are selected. */
  account?: string
  /** Name of the selected events, such as `messageNew`. */
  event?: string
  /** Earliest time of the selected events (ISO 8601), inclusive. */
  since?: string
  /** Latest time of the selected events (ISO 8601), exclusive. */
  until?: string
  /** Value of `nextCursor` of the previous page. Absent: the first page is returned. */
  cursor?: string
  /** Maximum number of events per page. Defaults to 20. */
  pageSize?: number
}

/** Result of `listEvents`. */
export interface ListEventsResult {
  /** Events of this page, latest first. */
  events: {
    /** Id of the event, sent in the header `X-SVC-Wh-Event-Id` of its webhooks. */
    id: string
    /** Time at which the event was recorded (ISO 8601). */
    date: string
    /** Name of the event, such as `messageNew`. */
    event: string
    /** Id of the account of the event. */
    account: string
    /** Path of the mailbox of the event. Null if the event belongs to no mailbox. */
    path: string | null
    /**
     * State of the webhook deliveries of the event. `failed`: a delivery failed and was not
     * replayed; otherwise `due`: a delivery or replay waits for an attempt; otherwise
     * `delivered`: a target accepted the event; otherwise `dropped`; `none`: the event has no
     * delivery.
     */
    deliveryState: 
      | 'none'
      | 'due'
      | 'delivered'
      | 'failed'
      | 'dropped'
  }[]
  /** Cursor of the next page, for the parameter `cursor`. Null on the last page. */
  nextCursor: string | null
}

/** Parameters and body of `createExport`. */
export interface CreateExportInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /** Body of the request. */
  body: {
    /**
     * Mailboxes to export, as paths or special uses such as `\Sent`. Unknown mailboxes are
     * skipped. Absent or empty: the mailbox with the special use `\All`, or all mailboxes
     * except junk and trash if the account has no such mailbox. A single value instead of a
     * list is accepted, too.
     */
    folders?: string[]
    /**
     * Earliest time of receipt of the exported messages (ISO 8601), inclusive. The time of
     * receipt can differ from the Date header of a message.
     */
    startDate: string
    /**
     * Time before which the exported messages were received (ISO 8601), exclusive. Must be
     * after `startDate`.
     */
    endDate: string
    /**
     * Text of each message that the export contains: `plain`, `html`, or `*` (default) for
     * both.
     */
    textType?: 'plain' | 'html' | '*'
    /**
     * Maximum size in bytes of each text of a message: of the plain text, and of the HTML.
     * Longer texts are cut. 0: no limit. Defaults to 5,242,880.
     */
    maxBytes?: number
    /**
     * If true, the export contains the contents of attachments in base64. Defaults to false.
     */
    includeAttachments?: boolean
  }
}

/** Result of `createExport`. */
export interface CreateExportResult {
  /** Id of the export: `exp_` and 24 hexadecimal digits. */
  exportId: string
  /** Status of the new export: always `queued`. */
  status: 'queued'
  /** Time at which the export was created (ISO 8601). */
  created: string
}

/** Parameters and body of `deleteExport`. */
export interface DeleteExportInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /** Id of the export: `exp_` and 24 hexadecimal digits. */
  exportId: string
}

/** Result of `deleteExport`. */
export interface DeleteExportResult {
  /** Always true: a failed request gets an error response. */
  deleted: boolean
}

/** Parameters and body of `getExport`. */
export interface GetExportInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /** Id of the export: `exp_` and 24 hexadecimal digits. */
  exportId: string
}

/** Result of `getExport`. */
export interface GetExportResult {
  /** Id of the export: `exp_` and 24 hexadecimal digits. */
  exportId: string
  /**
   * Status of the export. `queued`: waiting for a worker; `processing`: in progress;
   * `completed`: the file can be downloaded; `failed`: ended by an error; `cancelled`: ended by
   * a request.
   */
  status: 
    | 'queued'
    | 'processing'
    | 'completed'
    | 'failed'
    | 'cancelled'
  /**
   * Phase of the export. `indexing`: searches messages; `exporting`: writes messages to the
   * file; `complete`: the file is complete. Absent before the start of the export.
   */
  phase?: 'indexing' | 'exporting' | 'complete'
  /** Requested mailboxes, as paths or special uses. Empty if the request named no mailboxes. */
  folders: string[]
  /** Earliest time of receipt of the exported messages (ISO 8601), inclusive. */
  startDate: string
  /** Time before which the exported messages were received (ISO 8601), exclusive. */
  endDate: string
  /** Always true: exports are stored encrypted. */
  isEncrypted: true
  /** Progress of the export, in mailboxes, messages and bytes. */
  progress: {
    /** Number of mailboxes that the export has searched for messages so far. */
    foldersScanned: number
    /**
     * Number of mailboxes that the export searches for messages. 0 before the search starts.
     */
    foldersTotal: number
    /** Number of messages to export that were found so far. */
    messagesQueued: number
    /** Number of messages written to the export file so far. */
    messagesExported: number
    /**
     * Number of messages that the export could not read. The export file lacks these messages.
     */
    messagesSkipped: number
    /** Size of the compressed export file so far, in bytes. */
    bytesWritten: number
  }
  /** Time at which the export was requested (ISO 8601). */
  created: string
  /**
   * Time at which the export and the export file are deleted (ISO 8601). The time moves forward
   * while the export makes progress.
   */
  expiresAt: string
  /**
   * Estimated time at which the export ends (ISO 8601). Absent while unknown, and after the end
   * of the export.
   */
  estimatedEnd?: string
  /**
   * True if the file lacks messages: the export reached `exportMaxMessages`, `exportMaxSize` or
   * the limit of the export storage, or a mailbox could not be read.
   */
  truncated: boolean
  /** Text of the error that ended the export. Null if there was no error. */
  error: string | null
}

/** Parameters and body of `downloadExport`. */
export interface DownloadExportInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /** Id of the export: `exp_` and 24 hexadecimal digits. */
  exportId: string
  /**
   * Range of bytes of the export file to download, such as `bytes=1048576-` (RFC 9110 §14.2). A
   * header with several ranges returns the whole file.
   */
  range?: string
  /**
   * `ETag` of an earlier response. If the `ETag` of the export file differs, the whole file is
   * returned instead of the range.
   */
  ifRange?: string
}

/** Parameters and body of `listAllExports`. */
export interface ListAllExportsInput {
  /** Number of the page to return. The first page, which is the default, is 0. */
  page?: number
  /** Maximum number of entries per page. Defaults to 20. */
  pageSize?: number
  /**
   * Id of the account whose exports are listed. If absent, exports of all accounts are listed.
   */
  account?: string
  /** Status of the listed exports. If absent, exports with every status are listed. */
  status?: 
    | 'queued'
    | 'processing'
    | 'completed'
    | 'failed'
    | 'cancelled'
}

/** Result of `listAllExports`. */
export interface ListAllExportsResult {
  /** Number of entries on all pages. */
  total: number
  /** Number of this page. The first page is 0. */
  page: number
  /** Number of pages at the requested page size. */
  pages: number
  /** Size of the stored files of all exports together, in bytes. */
  storedBytes: number
  /**
   * Maximum size of the stored files of all exports together (`SVC_EXPORT_STORAGE`), in bytes.
   */
  maxStoredBytes: number
  /** Exports of this page, newest first. */
  exports: {
    /** Id of the export: `exp_` and 24 hexadecimal digits. */
    exportId: string
    /**
     * Status of the export. `queued`: waiting for a worker; `processing`: in progress;
     * `completed`: the file can be downloaded; `failed`: ended by an error; `cancelled`: ended
     * by a request.
     */
    status: 
      | 'queued'
      | 'processing'
      | 'completed'
      | 'failed'
      | 'cancelled'
    /**
     * Phase of the export. `indexing`: searches messages; `exporting`: writes messages to the
     * file; `complete`: the file is complete. Absent before the start of the export.
     */
    phase?: 'indexing' | 'exporting' | 'complete'
    /**
     * Requested mailboxes, as paths or special uses. Empty if the request named no mailboxes.
     */
    folders: string[]
    /** Earliest time of receipt of the exported messages (ISO 8601), inclusive. */
    startDate: string
    /** Time before which the exported messages were received (ISO 8601), exclusive. */
    endDate: string
    /** Always true: exports are stored encrypted. */
    isEncrypted: true
    /** Progress of the export, in mailboxes, messages and bytes. */
    progress: {
      /** Number of mailboxes that the export has searched for messages so far. */
      foldersScanned: number
      /**
       * Number of mailboxes that the export searches for messages. 0 before the search starts.
       */
      foldersTotal: number
      /** Number of messages to export that were found so far. */
      messagesQueued: number
      /** Number of messages written to the export file so far. */
      messagesExported: number
      /**
       * Number of messages that the export could not read. The export file lacks these
       * messages.
       */
      messagesSkipped: number
      /** Size of the compressed export file so far, in bytes. */
      bytesWritten: number
    }
    /** Time at which the export was requested (ISO 8601). */
    created: string
    /**
     * Time at which the export and the export file are deleted (ISO 8601). The time moves
     * forward while the export makes progress.
     */
    expiresAt: string
    /**
     * Estimated time at which the export ends (ISO 8601). Absent while unknown, and after the
     * end of the export.
     */
    estimatedEnd?: string
    /**
     * True if the file lacks messages: the export reached `exportMaxMessages`, `exportMaxSize`
     * or the limit of the export storage, or a mailbox could not be read.
     */
    truncated: boolean
    /** Text of the error that ended the export. Null if there was no error. */
    error: string | null
    /** Id of the account whose messages are exported. */
    account: string
    /**
     * Code of the error that ended the export. Null if there was no error, or if the error has
     * no code.
     */
    errorCode: string | null
    /**
     * Time at which a sync-worker started the export (ISO 8601). Null before the start of the
     * export.
     */
    startedAt: string | null
    /** Time at which the export ended (ISO 8601). Null before the end of the export. */
    finishedAt: string | null
    /**
     * Time since which the mail server of the account has been unavailable for the export (ISO
     * 8601). Null if the server is available, and after the end of the export.
     */
    unavailableSince: string | null
    /**
     * Id of the sync-worker that serves the account. Null if no sync-worker serves the account.
     */
    worker: string | null
    /** Size of the stored export file in bytes. */
    storedBytes: number
  }[]
}

/** Parameters and body of `listExports`. */
export interface ListExportsInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /** Number of the page to return. The first page, which is the default, is 0. */
  page?: number
  /** Maximum number of entries per page. Defaults to 20. */
  pageSize?: number
}

/** Result of `listExports`. */
export interface ListExportsResult {
  /** Number of entries on all pages. */
  total: number
  /** Number of this page. The first page is 0. */
  page: number
  /** Number of pages at the requested page size. */
  pages: number
  /** Exports of this page, newest first. */
  exports: {
    /** Id of the export: `exp_` and 24 hexadecimal digits. */
    exportId: string
    /**
     * Status of the export. `queued`: waiting for a worker; `processing`: in progress;
     * `completed`: the file can be downloaded; `failed`: ended by an error; `cancelled`: ended
     * by a request.
     */
    status: 
      | 'queued'
      | 'processing'
      | 'completed'
      | 'failed'
      | 'cancelled'
    /** Time at which the export was requested (ISO 8601). */
    created: string
    /**
     * Time at which the export and the export file are deleted (ISO 8601). The time moves
     * forward while the export makes progress.
     */
    expiresAt: string
  }[]
}

/** Parameters and body of `createGateway`. */
export interface CreateGatewayInput {
  /** Body of the request. */
  body: {
    /** Id of the gateway (SMTP server that sends for accounts). Null: an id is generated. */
    gateway: string | null
    /** Display name of the gateway. */
    name: string
    /** Login name at the SMTP server. Null: the SMTP server requires no login. */
    user?: string | null
    /** Password at the SMTP server. Null: the SMTP server requires no login. */
    pass?: string | null
    /** Host name or IP address of the SMTP server. */
    host: string
    /** TCP port of the SMTP server, such as 465 or 587. */
    port: number
    /**
     * If true, connections to the SMTP server use TLS from the start (usually port 465).
     * Otherwise, connections use STARTTLS if the SMTP server offers STARTTLS.
     */
    secure?: boolean
  }
}

/** Result of `createGateway`. */
export interface CreateGatewayResult {
  /** Id of the gateway. */
  gateway: string
  /**
   * `new` if the request registered the gateway, `existing` if the request replaced an existing
   * gateway.
   */
  state: 'existing' | 'new'
}

/** Parameters and body of `deleteGateway`. */
export interface DeleteGatewayInput {
  /**
   * Id of the gateway (SMTP server that sends for accounts), chosen by the caller or generated.
   */
  gateway: string
}

/** Result of `deleteGateway`. */
export interface DeleteGatewayResult {
  /** Id of the gateway. */
  gateway: string
  /** Always true: a failed request gets an error response. */
  deleted: boolean
}

/** Parameters and body of `getGateway`. */
export interface GetGatewayInput {
  /**
   * Id of the gateway (SMTP server that sends for accounts), chosen by the caller or generated.
   */
  gateway: string
}

/** Result of `getGateway`. */
export interface GetGatewayResult {
  /** Id of the gateway (SMTP server that sends for accounts). */
  gateway: string
  /** Display name of the gateway. */
  name: string
  /** Number of messages the gateway has accepted. */
  deliveries: number
  /**
   * Time of the last attempt to send through the gateway (ISO 8601). Null before the first
   * attempt.
   */
  lastUse: string | null
  /** Error of the last attempt to send through the gateway. Null after a success. */
  lastError: {
    /** Time of the failed attempt to send a message, in milliseconds since 1970. */
    created: number
    /** Result of the attempt to send a message. Always `error`. */
    status: 'error'
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
    networkRouting?: Record<string, never> | null
  } | null
  /** Login name at the SMTP server. Null if the SMTP server requires no login. */
  user: string | null
  /** Masked password at the SMTP server: `******`. Absent if no password is stored. */
  pass?: string
  /** Host name or IP address of the SMTP server. */
  host: string
  /** TCP port of the SMTP server, such as 465 or 587. */
  port: number
  /**
   * True if connections to the SMTP server use TLS from the start, false if connections use
   * STARTTLS when offered.
   */
  secure: boolean
}

/** Parameters and body of `listGateways`. */
export interface ListGatewaysInput {
  /** Number of the page to return. The first page, which is the default, is 0. */
  page?: number
  /** Maximum number of entries per page. Defaults to 20. */
  pageSize?: number
}

/** Result of `listGateways`. */
export interface ListGatewaysResult {
  /** Number of entries on all pages. */
  total: number
  /** Number of this page. The first page is 0. */
  page: number
  /** Number of pages at the requested page size. */
  pages: number
  /** Gateways of this page, sorted by id. */
  gateways: {
    /** Id of the gateway (SMTP server that sends for accounts). */
    gateway: string
    /** Display name of the gateway. */
    name: string
    /** Number of messages the gateway has accepted. */
    deliveries: number
    /**
     * Time of the last attempt to send through the gateway (ISO 8601). Null before the first
     * attempt.
     */
    lastUse: string | null
    /** Error of the last attempt to send through the gateway. Null after a success. */
    lastError: {
      /** Time of the failed attempt to send a message, in milliseconds since 1970. */
      created: number
      /** Result of the attempt to send a message. Always `error`. */
      status: 'error'
      /**
       * Reply of the mail server to the accepted message or the rejected SMTP command. Absent
       * without a reply of the mail server.
       */
      response?: string
      /**
       * SMTP reply code of the mail server, such as 550. Absent if the mail server did not
       * reply.
       */
      responseCode?: number
      /**
       * Code of the error of the attempt to send a message, such as `ECONNECTION` or `EAUTH`.
       */
      code?: string
      /** SMTP command that the mail server rejected, such as `RCPT TO`. */
      command?: string
      /** Text of the error of the attempt to send the message. */
      description?: string
      /**
       * Network path of the attempt to send a message: local IP address, EHLO name and proxy.
       * Absent or null for the default path.
       */
      networkRouting?: Record<string, never> | null
    } | null
  }[]
}

/** Parameters and body of `updateGateway`. */
export interface UpdateGatewayInput {
  /**
   * Id of the gateway (SMTP server that sends for accounts), chosen by the caller or generated.
   */
  gateway: string
  /** Body of the request. */
  body: {
    /** Display name of the gateway. */
    name?: string
    /** Login name at the SMTP server. Null: the SMTP server requires no login. */
    user?: string | null
    /** Password at the SMTP server. Null: the SMTP server requires no login. */
    pass?: string | null
    /** Host name or IP address of the SMTP server. */
    host?: string
    /** TCP port of the SMTP server, such as 465 or 587. */
    port?: number
    /**
     * If true, connections to the SMTP server use TLS from the start (usually port 465).
     * Otherwise, connections use STARTTLS if the SMTP server offers STARTTLS.
     */
    secure?: boolean
  }
}

/** Result of `updateGateway`. */
export interface UpdateGatewayResult {
  /** Id of the gateway. */
  gateway: string
}

/** Parameters and body of `getStatsSeries`. */
export interface GetStatsSeriesInput {
  /**
   * Names of the counters, separated by commas, such as `events:messageNew,submit:fail`. The
   * names are those in `counters` of `GET /v1/stats`. At most 20.
   */
  keys: string
  /**
   * Start of the period (ISO 8601), rounded down to a multiple of `step`. At most 8 days ago.
   * Defaults to one hour before `to`, at least one `step`.
   */
  from?: string
  /**
   * End of the period (ISO 8601), rounded up to a multiple of `step`. Now if absent or in the
   * future.
   */
  to?: string
  /**
   * Duration that one value covers, in seconds: a multiple of 60, from one minute to one day.
   * The period must have at most 1500 steps. Defaults to 60.
   */
  step?: number
}

/** Result of `getStatsSeries`. */
export interface GetStatsSeriesResult {
  /** Start of the first step (ISO 8601). */
  from: string
  /** End of the last step (ISO 8601). The last step may be incomplete. */
  to: string
  /** Duration that one value covers, in seconds. */
  step: number
  /** One series for each requested counter, in the order of the request. */
  series: {
    /** Name of the counter. */
    key: string
    /**
     * Sum of the counter in each step, oldest first. 0 for a step without counts, also if no
     * such counter exists.
     */
    values: number[]
  }[]
}

/** Parameters and body of `listFindings`. */
export type ListFindingsInput = Record<string, never>

/** Result of `listFindings`. */
export interface ListFindingsResult {
  /** Findings, the most urgent first. Empty if there is nothing to report. */
  findings: {
    /**
     * Kind of the finding, such as `serviceUrlUnset`. Findings about one webhook target, queue
     * or mail proxy have its address or name after a colon. Unique among the findings, and
     * unchanged as long as the condition lasts.
     */
    id: string
    /**
     * Urgency of the finding. `error`: work fails or stands still; `warning`: work is degraded
     * or will fail; `info`: a state that may be intended.
     */
    level: 'error' | 'warning' | 'info'
    /** Condition in one line. */
    title: string
    /** Description of the condition and of its effect. */
    detail: string
    /** Action that ends the condition. */
    remedy: string
    /**
     * Number of affected entries, such as failed deliveries. Counting stops at 10,000. Absent
     * if the finding is not about a number of entries.
     */
    count?: number
    /**
     * Time of the oldest affected entry, or of the start of the condition (ISO 8601). Absent if
     * unknown.
     */
    since?: string
  }[]
}

/** Parameters and body of `listMailProxies`. */
export type ListMailProxiesInput = Record<string, never>

/** Result of `listMailProxies`. */
export interface ListMailProxiesResult {
  /**
   * Running replicas of the mail proxies, sorted by service, host name and id. Empty if no mail
   * proxy runs.
   */
  mailProxies: {
    /** Id of the replica. Each start of a process generates a new id. */
    id: string
    /** Service of the replica: the IMAP proxy or the SMTP proxy. */
    service: 'imap-proxy' | 'smtp-proxy'
    /** Name of the host on which the replica runs; on Kubernetes the name of the pod. */
    hostName: string
    /**
     * State of the listener for mail clients. `off`: the settings disable the listener;
     * `listening`: mail clients can connect; `failed`: the settings enable the listener, and
     * the listener does not listen for the reason in `error`.
     */
    listener: 'off' | 'listening' | 'failed'
    /** Port at which the replica listens. Absent unless `listener` is `listening`. */
    port?: number
    /**
     * True if TLS starts with the connection at `port`; false for STARTTLS or no TLS. Absent
     * unless `listener` is `listening`.
     */
    tls?: boolean
    /** Second port, at which TLS starts with the connection. Absent without such a port. */
    tlsPort?: number
    /**
     * Reason for which the replica does not listen, such as a port in use. Absent unless
     * `listener` is `failed`.
     */
    error?: string
    /**
     * Certificate of the listener. Absent if no certificate is configured, if the certificate
     * cannot be read, and while the listener is off.
     */
    certificate?: {
      /**
       * Names for which the certificate is valid, at most 20. The subject of a certificate
       * without alternative names.
       */
      names: string[]
      /** Time at which the certificate expires (ISO 8601). */
      expiresAt: string
    }
    /** Number of sessions of mail clients that have logged in. */
    sessions: number
    /** Time of the last report of the replica (ISO 8601). */
    reportedAt: string
  }[]
}

/** Parameters and body of `listWorkers`. */
export type ListWorkersInput = Record<string, never>

/** Result of `listWorkers`. */
export interface ListWorkersResult {
  /**
   * Workers, sorted by id. A worker that is not alive is listed for up to 1 h after its last
   * heartbeat.
   */
  workers: {
    /** Id of the worker. Each start of a sync-worker process generates a new id. */
    id: string
    /**
     * True if the worker has sent a heartbeat recently (3 times `SVC_WORKER_HEARTBEAT`). Other
     * workers claim the shards of a worker that is not alive.
     */
    alive: boolean
    /** Time of the last heartbeat of the worker (ISO 8601). */
    heartbeatAt: string
    /**
     * True if the worker hands its shards over to other workers, because the worker is stopping
     * or was released.
     */
    releasing: boolean
    /** True if the worker has no memory for further accounts. */
    refusing: boolean
    /**
     * Expected end of the logins for accounts that were transferred to the worker (ISO 8601).
     * Absent if no logins are expected.
     */
    loggingInUntil?: string
    /** Shards (groups of accounts, numbered 0 to 255) that the worker holds. */
    shards: number[]
    /** Number of accounts in the shards of the worker. */
    accounts: number
  }[]
  /** Shards without a live worker. */
  unheld: {
    /** Shards (groups of accounts, numbered 0 to 255) that no live worker holds. */
    shards: number[]
    /** Number of accounts in these shards. No worker serves these accounts. */
    accounts: number
  }
}

/** Parameters and body of `releaseWorker`. */
export interface ReleaseWorkerInput {
  /** Id of the worker. */
  worker: string
}

/** Result of `releaseWorker`. */
export interface ReleaseWorkerResult {
  /** Always true: a failed request gets an error response. */
  releasing: boolean
}

/** Parameters and body of `cancelAccountJob`. */
export interface CancelAccountJobInput {
  /** Id of the job. */
  job: string
}

/** Result of `cancelAccountJob`. */
export interface CancelAccountJobResult {
  /** Id of the job. */
  id: string
  /** Action on each account. */
  action: 
    | 'reconnect'
    | 'sync'
    | 'flush'
    | 'delete'
    | 'logs'
  /** Filter that selects the accounts of the job. Null if the request contained `ids`. */
  filter: {
    /**
     * State of the accounts: a value of `state` or of `stateDetail`. If absent, accounts in all
     * states are selected.
     */
    state?: 
      | 'new'
      | 'init'
      | 'connected'
      | 'authenticationError'
      | 'connectError'
      | 'unset'
      | 'other'
      | 'connecting'
      | 'syncing'
      | 'disconnected'
      | 'paused'
    /**
     * Value of `lastError.serverResponseCode` of the accounts, such as `AUTHENTICATIONFAILED`.
     */
    errorCode?: string
    /**
     * Mail system of the accounts: `imap`, `gmail` (Gmail API) or `graph` (Microsoft Graph).
     */
    backend?: 'imap' | 'gmail' | 'graph'
    /**
     * Provider of the OAuth2 application of the accounts. Accounts with a password have no
     * provider.
     */
    provider?: 
      | 'gmail'
      | 'gmailService'
      | 'outlook'
      | 'outlookService'
      | 'mailRu'
      | 'generic'
    /** Id of the worker (`listWorkers`) that holds the shards of the accounts. */
    worker?: string
    /** Text that the id, the name or the email address of the selected accounts contains. */
    query?: string
  } | null
  /** New value of the member `logs` of the accounts. Null for other actions than `logs`. */
  logs: boolean | null
  /**
   * State of the job. `queued`: not started; `running`: actions run; `done`: all actions ended;
   * `cancelled`: cancelled before the last action, or because the filter selected more than
   * `maxEntries`.
   */
  state: 'queued' | 'running' | 'done' | 'cancelled'
  /** Maximum number of entries that the filter may select. Null if there is no maximum. */
  maxEntries: number | null
  /**
   * Number of selected entries, at most 500,000. Null until the filter was evaluated at the
   * start of the job.
   */
  total: number | null
  /** Number of entries whose action succeeded. */
  done: number
  /** Number of entries whose action failed. */
  failed: number
  /**
   * Number of entries without an action, because the filter did not match any more when it was
   * their turn.
   */
  skipped: number
  /** First failed actions of the job, at most 10. */
  errors: {
    /** Id of the account or submission whose action failed. */
    id: string
    /** Code of the error, such as `NoAvailable`. Null without a code. */
    code: string | null
    /** Text of the error. */
    message: string
  }[]
  /** Time at which the job was requested (ISO 8601). */
  createdAt: string
  /** Time at which the job started (ISO 8601). Null before the start. */
  startedAt: string | null
  /**
   * Time at which the job ended or was cancelled (ISO 8601). Null before. The job is deleted 7
   * days later.
   */
  finishedAt: string | null
}

/** Parameters and body of `getAccountJob`. */
export interface GetAccountJobInput {
  /** Id of the job. */
  job: string
}

/** Result of `getAccountJob`. */
export interface GetAccountJobResult {
  /** Id of the job. */
  id: string
  /** Action on each account. */
  action: 
    | 'reconnect'
    | 'sync'
    | 'flush'
    | 'delete'
    | 'logs'
  /** Filter that selects the accounts of the job. Null if the request contained `ids`. */
  filter: {
    /**
     * State of the accounts: a value of `state` or of `stateDetail`. If absent, accounts in all
     * states are selected.
     */
    state?: 
      | 'new'
      | 'init'
      | 'connected'
      | 'authenticationError'
      | 'connectError'
      | 'unset'
      | 'other'
      | 'connecting'
      | 'syncing'
      | 'disconnected'
      | 'paused'
    /**
     * Value of `lastError.serverResponseCode` of the accounts, such as `AUTHENTICATIONFAILED`.
     */
    errorCode?: string
    /**
     * Mail system of the accounts: `imap`, `gmail` (Gmail API) or `graph` (Microsoft Graph).
     */
    backend?: 'imap' | 'gmail' | 'graph'
    /**
     * Provider of the OAuth2 application of the accounts. Accounts with a password have no
     * provider.
     */
    provider?: 
      | 'gmail'
      | 'gmailService'
      | 'outlook'
      | 'outlookService'
      | 'mailRu'
      | 'generic'
    /** Id of the worker (`listWorkers`) that holds the shards of the accounts. */
    worker?: string
    /** Text that the id, the name or the email address of the selected accounts contains. */
    query?: string
  } | null
  /** New value of the member `logs` of the accounts. Null for other actions than `logs`. */
  logs: boolean | null
  /**
   * State of the job. `queued`: not started; `running`: actions run; `done`: all actions ended;
   * `cancelled`: cancelled before the last action, or because the filter selected more than
   * `maxEntries`.
   */
  state: 'queued' | 'running' | 'done' | 'cancelled'
  /** Maximum number of entries that the filter may select. Null if there is no maximum. */
  maxEntries: number | null
  /**
   * Number of selected entries, at most 500,000. Null until the filter was evaluated at the
   * start of the job.
   */
  total: number | null
  /** Number of entries whose action succeeded. */
  done: number
  /** Number of entries whose action failed. */
  failed: number
  /**
   * Number of entries without an action, because the filter did not match any more when it was
   * their turn.
   */
  skipped: number
  /** First failed actions of the job, at most 10. */
  errors: {
    /** Id of the account or submission whose action failed. */
    id: string
    /** Code of the error, such as `NoAvailable`. Null without a code. */
    code: string | null
    /** Text of the error. */
    message: string
  }[]
  /** Time at which the job was requested (ISO 8601). */
  createdAt: string
  /** Time at which the job started (ISO 8601). Null before the start. */
  startedAt: string | null
  /**
   * Time at which the job ended or was cancelled (ISO 8601). Null before. The job is deleted 7
   * days later.
   */
  finishedAt: string | null
}

/** Parameters and body of `cancelOutboxJob`. */
export interface CancelOutboxJobInput {
  /** Id of the job. */
  job: string
}

/** Result of `cancelOutboxJob`. */
export interface CancelOutboxJobResult {
  /** Id of the job. */
  id: string
  /** Action on each message. */
  action: 'hold' | 'release' | 'send' | 'cancel'
  /** Filter that selects the messages of the job. Null if the request contained `ids`. */
  filter: {
    /** Id of the account that sends the messages. */
    account?: string
    /** State of the selected messages. If absent, queued and held messages are selected. */
    state?: 'queued' | 'held'
    /**
     * Text that the subject or an envelope recipient of the selected messages contains, or
     * their whole Message-ID.
     */
    query?: string
    /** Time before which the selected messages were submitted (ISO 8601), exclusive. */
    createdBefore?: string
  } | null
  /**
   * State of the job. `queued`: not started; `running`: actions run; `done`: all actions ended;
   * `cancelled`: cancelled before the last action, or because the filter selected more than
   * `maxEntries`.
   */
  state: 'queued' | 'running' | 'done' | 'cancelled'
  /** Maximum number of entries that the filter may select. Null if there is no maximum. */
  maxEntries: number | null
  /**
   * Number of selected entries, at most 500,000. Null until the filter was evaluated at the
   * start of the job.
   */
  total: number | null
  /** Number of entries whose action succeeded. */
  done: number
  /** Number of entries whose action failed. */
  failed: number
  /**
   * Number of entries without an action, because the filter did not match any more when it was
   * their turn.
   */
  skipped: number
  /** First failed actions of the job, at most 10. */
  errors: {
    /** Id of the account or submission whose action failed. */
    id: string
    /** Code of the error, such as `NoAvailable`. Null without a code. */
    code: string | null
    /** Text of the error. */
    message: string
  }[]
  /** Time at which the job was requested (ISO 8601). */
  createdAt: string
  /** Time at which the job started (ISO 8601). Null before the start. */
  startedAt: string | null
  /**
   * Time at which the job ended or was cancelled (ISO 8601). Null before. The job is deleted 7
   * days later.
   */
  finishedAt: string | null
}

/** Parameters and body of `getOutboxJob`. */
export interface GetOutboxJobInput {
  /** Id of the job. */
  job: string
}

/** Result of `getOutboxJob`. */
export interface GetOutboxJobResult {
  /** Id of the job. */
  id: string
  /** Action on each message. */
  action: 'hold' | 'release' | 'send' | 'cancel'
  /** Filter that selects the messages of the job. Null if the request contained `ids`. */
  filter: {
    /** Id of the account that sends the messages. */
    account?: string
    /** State of the selected messages. If absent, queued and held messages are selected. */
    state?: 'queued' | 'held'
    /**
     * Text that the subject or an envelope recipient of the selected messages contains, or
     * their whole Message-ID.
     */
    query?: string
    /** Time before which the selected messages were submitted (ISO 8601), exclusive. */
    createdBefore?: string
  } | null
  /**
   * State of the job. `queued`: not started; `running`: actions run; `done`: all actions ended;
   * `cancelled`: cancelled before the last action, or because the filter selected more than
   * `maxEntries`.
   */
  state: 'queued' | 'running' | 'done' | 'cancelled'
  /** Maximum number of entries that the filter may select. Null if there is no maximum. */
  maxEntries: number | null
  /**
   * Number of selected entries, at most 500,000. Null until the filter was evaluated at the
   * start of the job.
   */
  total: number | null
  /** Number of entries whose action succeeded. */
  done: number
  /** Number of entries whose action failed. */
  failed: number
  /**
   * Number of entries without an action, because the filter did not match any more when it was
   * their turn.
   */
  skipped: number
  /** First failed actions of the job, at most 10. */
  errors: {
    /** Id of the account or submission whose action failed. */
    id: string
    /** Code of the error, such as `NoAvailable`. Null without a code. */
    code: string | null
    /** Text of the error. */
    message: string
  }[]
  /** Time at which the job was requested (ISO 8601). */
  createdAt: string
  /** Time at which the job started (ISO 8601). Null before the start. */
  startedAt: string | null
  /**
   * Time at which the job ended or was cancelled (ISO 8601). Null before. The job is deleted 7
   * days later.
   */
  finishedAt: string | null
}

/** Parameters and body of `createAccountJob`. */
export interface CreateAccountJobInput {
  /** Body of the request. */
  body: {
    /**
     * Action on each account. `reconnect`: close and reopen its connections; `sync`: sync all
     * its mailboxes; `flush`: rebuild its mailbox index; `delete`: delete the account; `logs`:
     * switch its protocol log on or off.
     */
    action: 
      | 'reconnect'
      | 'sync'
      | 'flush'
      | 'delete'
      | 'logs'
    /**
     * Filter that selects the accounts of the job. Absent members match any account, so an
     * empty filter selects all accounts.
     */
    filter?: {
      /**
       * State of the accounts: a value of `state` or of `stateDetail`. If absent, accounts in
       * all states are selected.
       */
      state?: 
        | 'new'
        | 'init'
        | 'connected'
        | 'authenticationError'
        | 'connectError'
        | 'unset'
        | 'other'
        | 'connecting'
        | 'syncing'
        | 'disconnected'
        | 'paused'
      /**
       * Value of `lastError.serverResponseCode` of the accounts, such as
       * `AUTHENTICATIONFAILED`.
       */
      errorCode?: string
      /**
       * Mail system of the accounts: `imap`, `gmail` (Gmail API) or `graph` (Microsoft Graph).
       */
      backend?: 'imap' | 'gmail' | 'graph'
      /**
       * Provider of the OAuth2 application of the accounts. Accounts with a password have no
       * provider.
       */
      provider?: 
        | 'gmail'
        | 'gmailService'
        | 'outlook'
        | 'outlookService'
        | 'mailRu'
        | 'generic'
      /** Id of the worker (`listWorkers`) that holds the shards of the accounts. */
      worker?: string
      /** Text that the id, the name or the email address of the selected accounts contains. */
      query?: string
    }
    /** Ids of the accounts. The request contains either `filter` or `ids`. */
    ids?: string[]
    /**
     * Maximum number of entries that the filter may select, such as the number that a person
     * has confirmed. If the filter selects more when the job starts, the job is cancelled and
     * acts on no entry. Only allowed with `filter`. If absent, there is no maximum.
     */
    maxEntries?: number
    /**
     * New value of the member `logs` of the accounts. Required for the action `logs`, not
     * allowed for other actions.
     */
    logs?: boolean
    /**
     * Confirmation, which must be true for an action that deletes more than one entry or
     * selects the entries by a filter.
     */
    confirm?: boolean
  }
}

/** Result of `createAccountJob`. */
export interface CreateAccountJobResult {
  /** Id of the job. */
  id: string
  /** Action on each account. */
  action: 
    | 'reconnect'
    | 'sync'
    | 'flush'
    | 'delete'
    | 'logs'
  /** Filter that selects the accounts of the job. Null if the request contained `ids`. */
  filter: {
    /**
     * State of the accounts: a value of `state` or of `stateDetail`. If absent, accounts in all
     * states are selected.
     */
    state?: 
      | 'new'
      | 'init'
      | 'connected'
      | 'authenticationError'
      | 'connectError'
      | 'unset'
      | 'other'
      | 'connecting'
      | 'syncing'
      | 'disconnected'
      | 'paused'
    /**
     * Value of `lastError.serverResponseCode` of the accounts, such as `AUTHENTICATIONFAILED`.
     */
    errorCode?: string
    /**
     * Mail system of the accounts: `imap`, `gmail` (Gmail API) or `graph` (Microsoft Graph).
     */
    backend?: 'imap' | 'gmail' | 'graph'
    /**
     * Provider of the OAuth2 application of the accounts. Accounts with a password have no
     * provider.
     */
    provider?: 
      | 'gmail'
      | 'gmailService'
      | 'outlook'
      | 'outlookService'
      | 'mailRu'
      | 'generic'
    /** Id of the worker (`listWorkers`) that holds the shards of the accounts. */
    worker?: string
    /** Text that the id, the name or the email address of the selected accounts contains. */
    query?: string
  } | null
  /** New value of the member `logs` of the accounts. Null for other actions than `logs`. */
  logs: boolean | null
  /**
   * State of the job. `queued`: not started; `running`: actions run; `done`: all actions ended;
   * `cancelled`: cancelled before the last action, or because the filter selected more than
   * `maxEntries`.
   */
  state: 'queued' | 'running' | 'done' | 'cancelled'
  /** Maximum number of entries that the filter may select. Null if there is no maximum. */
  maxEntries: number | null
  /**
   * Number of selected entries, at most 500,000. Null until the filter was evaluated at the
   * start of the job.
   */
  total: number | null
  /** Number of entries whose action succeeded. */
  done: number
  /** Number of entries whose action failed. */
  failed: number
  /**
   * Number of entries without an action, because the filter did not match any more when it was
   * their turn.
   */
  skipped: number
  /** First failed actions of the job, at most 10. */
  errors: {
    /** Id of the account or submission whose action failed. */
    id: string
    /** Code of the error, such as `NoAvailable`. Null without a code. */
    code: string | null
    /** Text of the error. */
    message: string
  }[]
  /** Time at which the job was requested (ISO 8601). */
  createdAt: string
  /** Time at which the job started (ISO 8601). Null before the start. */
  startedAt: string | null
  /**
   * Time at which the job ended or was cancelled (ISO 8601). Null before. The job is deleted 7
   * days later.
   */
  finishedAt: string | null
}

/** Parameters and body of `listAccountJobs`. */
export interface ListAccountJobsInput {
  /** Number of the page to return. The first page, which is the default, is 0. */
  page?: number
  /** Maximum number of entries per page. Defaults to 20. */
  pageSize?: number
}

/** Result of `listAccountJobs`. */
export interface ListAccountJobsResult {
  /** Number of entries on all pages. */
  total: number
  /** Number of this page. The first page is 0. */
  page: number
  /** Number of pages at the requested page size. */
  pages: number
  /** Jobs on accounts of this page, newest first. */
  jobs: {
    /** Id of the job. */
    id: string
    /** Action on each account. */
    action: 
      | 'reconnect'
      | 'sync'
      | 'flush'
      | 'delete'
      | 'logs'
    /** Filter that selects the accounts of the job. Null if the request contained `ids`. */
    filter: {
      /**
       * State of the accounts: a value of `state` or of `stateDetail`. If absent, accounts in
       * all states are selected.
       */
      state?: 
        | 'new'
        | 'init'
        | 'connected'
        | 'authenticationError'
        | 'connectError'
        | 'unset'
        | 'other'
        | 'connecting'
        | 'syncing'
        | 'disconnected'
        | 'paused'
      /**
       * Value of `lastError.serverResponseCode` of the accounts, such as
       * `AUTHENTICATIONFAILED`.
       */
      errorCode?: string
      /**
       * Mail system of the accounts: `imap`, `gmail` (Gmail API) or `graph` (Microsoft Graph).
       */
      backend?: 'imap' | 'gmail' | 'graph'
      /**
       * Provider of the OAuth2 application of the accounts. Accounts with a password have no
       * provider.
       */
      provider?: 
        | 'gmail'
        | 'gmailService'
        | 'outlook'
        | 'outlookService'
        | 'mailRu'
        | 'generic'
      /** Id of the worker (`listWorkers`) that holds the shards of the accounts. */
      worker?: string
      /** Text that the id, the name or the email address of the selected accounts contains. */
      query?: string
    } | null
    /** New value of the member `logs` of the accounts. Null for other actions than `logs`. */
    logs: boolean | null
    /**
     * State of the job. `queued`: not started; `running`: actions run; `done`: all actions
     * ended; `cancelled`: cancelled before the last action, or because the filter selected more
     * than `maxEntries`.
     */
    state: 'queued' | 'running' | 'done' | 'cancelled'
    /** Maximum number of entries that the filter may select. Null if there is no maximum. */
    maxEntries: number | null
    /**
     * Number of selected entries, at most 500,000. Null until the filter was evaluated at the
     * start of the job.
     */
    total: number | null
    /** Number of entries whose action succeeded. */
    done: number
    /** Number of entries whose action failed. */
    failed: number
    /**
     * Number of entries without an action, because the filter did not match any more when it
     * was their turn.
     */
    skipped: number
    /** First failed actions of the job, at most 10. */
    errors: {
      /** Id of the account or submission whose action failed. */
      id: string
      /** Code of the error, such as `NoAvailable`. Null without a code. */
      code: string | null
      /** Text of the error. */
      message: string
    }[]
    /** Time at which the job was requested (ISO 8601). */
    createdAt: string
    /** Time at which the job started (ISO 8601). Null before the start. */
    startedAt: string | null
    /**
     * Time at which the job ended or was cancelled (ISO 8601). Null before. The job is deleted
     * 7 days later.
     */
    finishedAt: string | null
  }[]
}

/** Parameters and body of `createOutboxJob`. */
export interface CreateOutboxJobInput {
  /** Body of the request. */
  body: {
    /**
     * Action on each message. `hold`: keep the message from being sent; `release`: end the
     * hold; `send`: make the message due immediately; `cancel`: delete the message from the
     * outbox without sending it.
     */
    action: 'hold' | 'release' | 'send' | 'cancel'
    /**
     * Filter that selects the messages of the job among those that are queued or held. Absent
     * members match any message, so an empty filter selects all of them.
     */
    filter?: {
      /** Id of the account that sends the messages. */
      account?: string
      /** State of the selected messages. If absent, queued and held messages are selected. */
      state?: 'queued' | 'held'
      /**
       * Text that the subject or an envelope recipient of the selected messages contains, or
       * their whole Message-ID.
       */
      query?: string
      /** Time before which the selected messages were submitted (ISO 8601), exclusive. */
      createdBefore?: string
    }
    /** Ids of the submissions (`queueId`). The request contains either `filter` or `ids`. */
    ids?: string[]
    /**
     * Maximum number of entries that the filter may select, such as the number that a person
     * has confirmed. If the filter selects more when the job starts, the job is cancelled and
     * acts on no entry. Only allowed with `filter`. If absent, there is no maximum.
     */
    maxEntries?: number
    /**
     * Confirmation, which must be true for an action that deletes more than one entry or
     * selects the entries by a filter.
     */
    confirm?: boolean
  }
}

/** Result of `createOutboxJob`. */
export interface CreateOutboxJobResult {
  /** Id of the job. */
  id: string
  /** Action on each message. */
  action: 'hold' | 'release' | 'send' | 'cancel'
  /** Filter that selects the messages of the job. Null if the request contained `ids`. */
  filter: {
    /** Id of the account that sends the messages. */
    account?: string
    /** State of the selected messages. If absent, queued and held messages are selected. */
    state?: 'queued' | 'held'
    /**
     * Text that the subject or an envelope recipient of the selected messages contains, or
     * their whole Message-ID.
     */
    query?: string
    /** Time before which the selected messages were submitted (ISO 8601), exclusive. */
    createdBefore?: string
  } | null
  /**
   * State of the job. `queued`: not started; `running`: actions run; `done`: all actions ended;
   * `cancelled`: cancelled before the last action, or because the filter selected more than
   * `maxEntries`.
   */
  state: 'queued' | 'running' | 'done' | 'cancelled'
  /** Maximum number of entries that the filter may select. Null if there is no maximum. */
  maxEntries: number | null
  /**
   * Number of selected entries, at most 500,000. Null until the filter was evaluated at the
   * start of the job.
   */
  total: number | null
  /** Number of entries whose action succeeded. */
  done: number
  /** Number of entries whose action failed. */
  failed: number
  /**
   * Number of entries without an action, because the filter did not match any more when it was
   * their turn.
   */
  skipped: number
  /** First failed actions of the job, at most 10. */
  errors: {
    /** Id of the account or submission whose action failed. */
    id: string
    /** Code of the error, such as `NoAvailable`. Null without a code. */
    code: string | null
    /** Text of the error. */
    message: string
  }[]
  /** Time at which the job was requested (ISO 8601). */
  createdAt: string
  /** Time at which the job started (ISO 8601). Null before the start. */
  startedAt: string | null
  /**
   * Time at which the job ended or was cancelled (ISO 8601). Null before. The job is deleted 7
   * days later.
   */
  finishedAt: string | null
}

/** Parameters and body of `listOutboxJobs`. */
export interface ListOutboxJobsInput {
  /** Number of the page to return. The first page, which is the default, is 0. */
  page?: number
  /** Maximum number of entries per page. Defaults to 20. */
  pageSize?: number
}

/** Result of `listOutboxJobs`. */
export interface ListOutboxJobsResult {
  /** Number of entries on all pages. */
  total: number
  /** Number of this page. The first page is 0. */
  page: number
  /** Number of pages at the requested page size. */
  pages: number
  /** Jobs on the outbox of this page, newest first. */
  jobs: {
    /** Id of the job. */
    id: string
    /** Action on each message. */
    action: 'hold' | 'release' | 'send' | 'cancel'
    /** Filter that selects the messages of the job. Null if the request contained `ids`. */
    filter: {
      /** Id of the account that sends the messages. */
      account?: string
      /** State of the selected messages. If absent, queued and held messages are selected. */
      state?: 'queued' | 'held'
      /**
       * Text that the subject or an envelope recipient of the selected messages contains, or
       * their whole Message-ID.
       */
      query?: string
      /** Time before which the selected messages were submitted (ISO 8601), exclusive. */
      createdBefore?: string
    } | null
    /**
     * State of the job. `queued`: not started; `running`: actions run; `done`: all actions
     * ended; `cancelled`: cancelled before the last action, or because the filter selected more
     * than `maxEntries`.
     */
    state: 'queued' | 'running' | 'done' | 'cancelled'
    /** Maximum number of entries that the filter may select. Null if there is no maximum. */
    maxEntries: number | null
    /**
     * Number of selected entries, at most 500,000. Null until the filter was evaluated at the
     * start of the job.
     */
    total: number | null
    /** Number of entries whose action succeeded. */
    done: number
    /** Number of entries whose action failed. */
    failed: number
    /**
     * Number of entries without an action, because the filter did not match any more when it
     * was their turn.
     */
    skipped: number
    /** First failed actions of the job, at most 10. */
    errors: {
      /** Id of the account or submission whose action failed. */
      id: string
      /** Code of the error, such as `NoAvailable`. Null without a code. */
      code: string | null
      /** Text of the error. */
      message: string
    }[]
    /** Time at which the job was requested (ISO 8601). */
    createdAt: string
    /** Time at which the job started (ISO 8601). Null before the start. */
    startedAt: string | null
    /**
     * Time at which the job ended or was cancelled (ISO 8601). Null before. The job is deleted
     * 7 days later.
     */
    finishedAt: string | null
  }[]
}

/** Parameters and body of `deleteLicense`. */
export type DeleteLicenseInput = Record<string, never>

/** Result of `deleteLicense`. */
export interface DeleteLicenseResult {
  /** Always true: the license is always active. */
  active: boolean
  /** Always false: there is no license key with details. */
  details: boolean
  /** Constant text: no license key is required. */
  type: string
}

/** Parameters and body of `getLicense`. */
export type GetLicenseInput = Record<string, never>

/** Result of `getLicense`. */
export interface GetLicenseResult {
  /** Always true: all features are available without a license key. */
  active: boolean
  /** Kind of the license. Always a text which states that no license key is required. */
  type: string
  /** Details of the license key. Always false, because no license key is required. */
  details: {
    /** Name of the application for which the license key was issued. */
    application?: string
    /** License key. Ignored, because no license key is required. */
    key?: string
    /** Name of the owner of the license key. */
    licensedTo?: string
    /** Host name for which the license key was issued. */
    hostname?: string
    /** Time at which the license key was issued (ISO 8601). */
    created?: string
    /** True if the license key is for a trial. */
    trial?: boolean
    /** True if the license key does not expire. */
    lt?: boolean
    /** Time at which the license key expires (ISO 8601). */
    expires?: string
  } | false
  /** True if the license is suspended. Always false. */
  suspended: boolean
}

/** Parameters and body of `setLicense`. */
export interface SetLicenseInput {
  /** Body of the request. */
  body: {
    /** License key. Ignored, because no license key is required. */
    license: string
  }
}

/** Result of `setLicense`. */
export interface SetLicenseResult {
  /** Always true: all features are available without a license key. */
  active: boolean
  /** Kind of the license. Always a text which states that no license key is required. */
  type: string
  /** Details of the license key. Always false, because no license key is required. */
  details: {
    /** Name of the application for which the license key was issued. */
    application?: string
    /** License key. Ignored, because no license key is required. */
    key?: string
    /** Name of the owner of the license key. */
    licensedTo?: string
    /** Host name for which the license key was issued. */
    hostname?: string
    /** Time at which the license key was issued (ISO 8601). */
    created?: string
    /** True if the license key is for a trial. */
    trial?: boolean
    /** True if the license key does not expire. */
    lt?: boolean
    /** Time at which the license key expires (ISO 8601). */
    expires?: string
  } | false
  /** True if the license is suspended. Always false. */
  suspended: boolean
}

/** Parameters and body of `importLinkKey`. */
export interface ImportLinkKeyInput {
  /** Body of the request. */
  body: {
    /**
     * Setting `serviceSecret` of EmailEngine, unencrypted, 1 to 1,024 characters. No response
     * contains the secret.
     */
    secret: string
    /**
     * If true, nothing is stored. `imported` tells whether the secret would be stored. Defaults
     * to false.
     */
    dryRun?: boolean
  }
}

/** Result of `importLinkKey`. */
export interface ImportLinkKeyResult {
  /**
   * True if the secret is stored now, or would be stored without `dryRun`. False if the secret
   * was stored before.
   */
  imported: boolean
}

/** Parameters and body of `getLogs`. */
export interface GetLogsInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
}

/** Parameters and body of `createMailbox`. */
export interface CreateMailboxInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
  /** Body of the request. */
  body: {
    /**
     * Path of the new mailbox: a text with the separator of the mail server, or the list of the
     * names of all levels.
     */
    path: string | string[]
  }
}

/** Result of `createMailbox`. */
export interface CreateMailboxResult {
  /** Full path of the mailbox, as reported by the mail server after the change. */
  path: string
  /** Permanent id of the mailbox. Absent if the mail server lacks OBJECTID (RFC 8474). */
  mailboxId?: string
  /** Always true: the mailbox was created. */
  created: boolean
}

/** Parameters and body of `deleteMailbox`. */
export interface DeleteMailboxInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /** Full path of the mailbox, such as `Clients/2026`. */
  path: string
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
}

/** Result of `deleteMailbox`. */
export interface DeleteMailboxResult {
  /** Path of the deleted mailbox. */
  path: string
  /** Permanent id of the mailbox. Absent if the mail server lacks OBJECTID (RFC 8474). */
  mailboxId?: string
  /** Always true: the mailbox was deleted. */
  deleted: boolean
}

/** Parameters and body of `updateMailbox`. */
export interface UpdateMailboxInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
  /** Body of the request. */
  body: {
    /** Full path of the mailbox, such as `Clients/2026`. */
    path: string
    /**
     * Path of the new mailbox: a text with the separator of the mail server, or the list of the
     * names of all levels.
     */
    newPath?: string | string[]
    /**
     * If true, the mailbox is subscribed. If false, the mailbox is unsubscribed. If absent, the
     * subscription is not changed.
     */
    subscribed?: boolean
  }
}

/** Result of `updateMailbox`. */
export interface UpdateMailboxResult {
  /** Path of the mailbox before the change. */
  path: string
  /** Full path of the mailbox, as reported by the mail server after the change. */
  newPath?: string
  /** Permanent id of the mailbox. Absent if the mail server lacks OBJECTID (RFC 8474). */
  mailboxId?: string
  /** True if the mailbox was renamed. Otherwise absent. */
  renamed?: boolean
  /**
   * True if the user is subscribed to the mailbox after the request. Differs from the requested
   * value if the mail server rejected the change after a successful rename.
   */
  subscribed?: boolean
}

/** Parameters and body of `listMailboxes`. */
export interface ListMailboxesInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /**
   * If true, the response contains current message counts (`status`). The mail server gets one
   * STATUS request per mailbox, which can take seconds. Defaults to false.
   */
  counters?: boolean
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
}

/** Result of `listMailboxes`. */
export interface ListMailboxesResult {
  /** Mailboxes of the account, with the counters of the last sync. */
  mailboxes: MailboxEntry[]
}

/** Parameters and body of `deleteMessage`. */
export interface DeleteMessageInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /**
   * Id of the message, from a message list or an event. Percent-encode the id in the path of a
   * URL.
   */
  message: string
  /**
   * If true, messages are deleted permanently instead of moved to the trash mailbox. Defaults
   * to false.
   */
  force?: boolean
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
}

/** Result of `deleteMessage`. */
export interface DeleteMessageResult {
  /**
   * True after a permanent deletion. False after a move to the trash mailbox, or if no message
   * was deleted.
   */
  deleted: boolean
  /**
   * Trash mailbox to which the messages were moved, with the new ids. Absent after a permanent
   * deletion.
   */
  moved?: {
    /** Path of the trash mailbox, to which deleted messages are moved. */
    destination: string
    /**
     * Id of the message in the trash mailbox. Absent if the mail server lacks UIDPLUS (RFC
     * 4315), with which mail servers report new UIDs.
     */
    message?: string
  }
}

/** Parameters and body of `updateMessage`. */
export interface UpdateMessageInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /**
   * Id of the message, from a message list or an event. Percent-encode the id in the path of a
   * URL.
   */
  message: string
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
  /** Body of the request. */
  body: FlagUpdate
}

/** Result of `updateMessage`. */
export interface UpdateMessageResult {
  /** Results of the requested changes of flags. Absent if the request changes no flags. */
  flags?: {
    /** True if flags were added to the message. */
    add?: boolean
    /** True if flags were removed from the message. */
    delete?: boolean
    /** True if all flags of the message were replaced. */
    set?: boolean
    /**
     * All flags of the message after the change. Absent if the message could not be read again.
     */
    result?: string[]
  }
  /** Results of the requested changes of labels. Absent if the request changes no labels. */
  labels?: {
    /** True if labels were added to the message. */
    add?: boolean
    /** True if labels were removed from the message. */
    delete?: boolean
    /** True if all labels of the message were replaced. */
    set?: boolean
    /**
     * All labels of the message after the change. Absent if the message could not be read
     * again.
     */
    result?: string[]
  }
}

/** Parameters and body of `getMessage`. */
export interface GetMessageInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /**
   * Id of the message, from a message list or an event. Percent-encode the id in the path of a
   * URL.
   */
  message: string
  /**
   * Maximum size of the plain text and of the HTML, each, in bytes. Longer texts are cut
   * (`hasMore`). If absent, there is no limit.
   */
  maxBytes?: number
  /**
   * Text to include: `plain`, `html`, or `*` for both. If absent, the response contains no
   * text.
   */
  textType?: 'html' | 'plain' | '*'
  /**
   * If true, the only text in the response is HTML without scripts and other active content.
   * The HTML is generated from the plain text if the message has no HTML. Show the HTML in a
   * block element with `overflow: auto` and a `max-height`, so that wide and tall messages stay
   * inside the element. Defaults to false.
   */
  webSafeHtml?: boolean
  /**
   * If true, replaces references to attached images in the HTML by data URLs. Defaults to the
   * value of `webSafeHtml`.
   */
  embedAttachedImages?: boolean
  /**
   * If true, scripts and other active content are removed from the HTML that `textType`
   * includes. Images are not embedded. Always true with `webSafeHtml`. Defaults to false.
   */
  preProcessHtml?: boolean
  /**
   * If true, the message is marked as read (flag `\Seen`). Requires the permission to write
   * messages. Defaults to false.
   */
  markAsSeen?: boolean
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
}

/** Result of `getMessage`. */
export type GetMessageResult = MessageDetail

/** Parameters and body of `deleteMessages`. */
export interface DeleteMessagesInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /** Mailbox that is searched: its path, or a special use such as `\Junk`. */
  path: string
  /**
   * If true, messages are deleted permanently instead of moved to the trash mailbox. Defaults
   * to false.
   */
  force?: boolean
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
  /** Body of the request. */
  body: {
    search: Search
  }
}

/** Result of `deleteMessages`. */
export interface DeleteMessagesResult {
  /**
   * True after a permanent deletion. False after a move to the trash mailbox, or if no message
   * was deleted.
   */
  deleted: boolean
  /**
   * Trash mailbox to which the messages were moved, with the new ids. Absent after a permanent
   * deletion.
   */
  moved?: {
    /** Path of the trash mailbox, to which deleted messages are moved. */
    destination: string
    /**
     * Message ids before and after the move, as one pair per message. Absent if the mail server
     * lacks UIDPLUS (RFC 4315), with which mail servers report new UIDs.
     */
    idMap?: string[][]
    /**
     * Permanent ids of the changed messages (member `emailId` of a message). Absent unless the
     * mail server assigns permanent ids (OBJECTID or Gmail).
     */
    emailIds?: string[]
  }
  /**
   * Messages that were deleted permanently, with permanent ids if the mail server assigns such
   * ids.
   */
  deletedMessages?: {
    /**
     * Permanent ids of the changed messages (member `emailId` of a message). Absent unless the
     * mail server assigns permanent ids (OBJECTID or Gmail).
     */
    emailIds?: string[]
  }
}

/** Parameters and body of `moveMessage`. */
export interface MoveMessageInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /**
   * Id of the message, from a message list or an event. Percent-encode the id in the path of a
   * URL.
   */
  message: string
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
  /** Body of the request. */
  body: {
    /** Mailbox that receives the messages: its path, or a special use such as `\Archive`. */
    path: string
    /**
     * Path of the mailbox from which the message is moved, for accounts on a mail API (Gmail
     * API, Microsoft Graph). Other accounts reject this member.
     */
    source?: string
  }
}

/** Result of `moveMessage`. */
export interface MoveMessageResult {
  /** Path of the mailbox to which the message was moved. */
  path: string
  /**
   * Id of the message in the new mailbox. Absent if the mail server lacks UIDPLUS (RFC 4315),
   * with which mail servers report new UIDs.
   */
  id?: string
  /**
   * UID of the message in the new mailbox. Absent if the mail server lacks UIDPLUS (RFC 4315),
   * with which mail servers report new UIDs, and for accounts on a mail API.
   */
  uid?: number
}

/** Parameters and body of `moveMessages`. */
export interface MoveMessagesInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /** Mailbox that is searched: its path, or a special use such as `\Junk`. */
  path: string
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
  /** Body of the request. */
  body: {
    search: Search
    /** Mailbox that receives the messages: its path, or a special use such as `\Archive`. */
    path: string
  }
}

/** Result of `moveMessages`. */
export interface MoveMessagesResult {
  /** Path of the mailbox to which the messages were moved. */
  path: string
  /**
   * Message ids before and after the move, as one pair per message. Absent if the mail server
   * lacks UIDPLUS (RFC 4315), with which mail servers report new UIDs.
   */
  idMap?: string[][]
  /**
   * Permanent ids of the changed messages (member `emailId` of a message). Absent unless the
   * mail server assigns permanent ids (OBJECTID or Gmail).
   */
  emailIds?: string[]
}

/** Parameters and body of `updateMessages`. */
export interface UpdateMessagesInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /** Mailbox that is searched: its path, or a special use such as `\Junk`. */
  path: string
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
  /** Body of the request. */
  body: {
    search: Search
    update: FlagUpdate
  }
}

/** Result of `updateMessages`. */
export interface UpdateMessagesResult {
  /** Results of the requested changes of flags. Absent if the request changes no flags. */
  flags?: {
    /** True if flags were added to at least 1 message. */
    add?: boolean
    /** True if flags were removed from at least 1 message. */
    delete?: boolean
    /** True if all flags of at least 1 message were replaced. */
    set?: boolean
  }
  /** Results of the requested changes of labels. Absent if the request changes no labels. */
  labels?: {
    /** True if labels were added to at least 1 message. */
    add?: boolean
    /** True if labels were removed from at least 1 message. */
    delete?: boolean
    /** True if all labels of at least 1 message were replaced. */
    set?: boolean
  }
  /**
   * Permanent ids of the changed messages (member `emailId` of a message). Absent unless the
   * mail server assigns permanent ids (OBJECTID or Gmail).
   */
  emailIds?: string[]
}

/** Parameters and body of `listMessages`. */
export interface ListMessagesInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /** Mailbox: its path, or a special use such as `\Sent`. */
  path: string
  /**
   * Cursor of the page to read: `nextPageCursor` or `prevPageCursor` of another page of the
   * same list. Takes precedence over `page`. Required for further pages of accounts on a mail
   * API (Gmail API, Microsoft Graph).
   */
  cursor?: string
  /** Number of the page to return. The first page, which is the default, is 0. */
  page?: number
  /** Maximum number of entries per page. Defaults to 20. */
  pageSize?: number
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
}

/** Result of `listMessages`. */
export type ListMessagesResult = MessagePage

/** Parameters and body of `getAttachment`. */
export interface GetAttachmentInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /** Id of the attachment: the value of `attachments[].id` of a message. */
  attachment: string
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
}

/** Parameters and body of `getMessageSource`. */
export interface GetMessageSourceInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /**
   * Id of the message, from a message list or an event. Percent-encode the id in the path of a
   * URL.
   */
  message: string
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
}

/** Parameters and body of `getText`. */
export interface GetTextInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /** Id of the texts: the value of `text.id` of a message. */
  text: string
  /**
   * Maximum size of the plain text and of the HTML, each, in bytes. Longer texts are cut
   * (`hasMore`). If absent, there is no limit.
   */
  maxBytes?: number
  /** Text to return: `plain`, `html`, or `*` (default) for both. */
  textType?: 'html' | 'plain' | '*'
  /**
   * If true, the only text in the response is HTML without scripts and other active content.
   * The HTML is generated from the plain text if the message has no HTML. Show the HTML in a
   * block element with `overflow: auto` and a `max-height`, so that wide and tall messages stay
   * inside the element. Defaults to false.
   */
  webSafeHtml?: boolean
  /** Member or parameter that is accepted for compatibility and ignored. */
  documentStore?: boolean
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
}

/** Result of `getText`. */
export interface GetTextResult {
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

/** Parameters and body of `searchMessages`. */
export interface SearchMessagesInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /** Mailbox: its path, or a special use such as `\Sent`. */
  path?: string
  /**
   * Cursor of the page to read: `nextPageCursor` or `prevPageCursor` of another page of the
   * same list. Takes precedence over `page`. Required for further pages of accounts on a mail
   * API (Gmail API, Microsoft Graph).
   */
  cursor?: string
  /** Number of the page to return. The first page, which is the default, is 0. */
  page?: number
  /** Maximum number of entries per page. Defaults to 20. */
  pageSize?: number
  /**
   * If true, Microsoft Graph uses the full-text search index for the search instead of exact
   * filters. Accounts on other mail systems ignore this parameter. Defaults to false.
   */
  useOutlookSearch?: boolean
  /** Member or parameter that is accepted for compatibility and ignored. */
  documentStore?: boolean
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
  /** Body of the request. */
  body: {
    search: Search
  }
}

/** Result of `searchMessages`. */
export type SearchMessagesResult = MessagePage

/** Parameters and body of `checkOAuth2App`. */
export interface CheckOAuth2AppInput {
  /** Id of the OAuth2 application. */
  app: string
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
  /** Body of the request. */
  body?: {
    /**
     * Id of the account whose access token the test of the OAuth2 application requests. For an
     * application with a service account: email address of a mailbox user instead. If absent,
     * no access token of a user is requested.
     */
    account?: string
    /**
     * If true (default), the test reports the state of the mailbox of `account`. Without effect
     * if `account` is absent.
     */
    testConnection?: boolean
  }
}

/** Result of `checkOAuth2App`. */
export interface CheckOAuth2AppResult {
  /** Id of the OAuth2 application. */
  app: string
  /** Kind of the OAuth2 provider. */
  provider: 
    | 'gmail'
    | 'gmailService'
    | 'outlook'
    | 'outlookService'
    | 'mailRu'
    | 'generic'
  /**
   * Authentication of a service account: `serviceKey` or `externalAccount`. Null for other
   * applications.
   */
  authMethod: string | null
  /** Value of `account` in the request. Null if the request had no account. */
  account: string | null
  /** True if no step of the test failed. */
  ok: boolean
  /**
   * Id of the first step that failed in the test of the OAuth2 application. Null if no step
   * failed.
   */
  failedStep: string | null
  /** Steps of the test of the OAuth2 application, in order. */
  steps: {
    /** Id of the step in the test of the OAuth2 application. */
    id: string
    /** Name of the step in the test of the OAuth2 application, for display. */
    label: string
    /** Result of the step of the test: `ok`, `fail`, or `skip` if the step was not run. */
    status: 'ok' | 'fail' | 'skip'
    /** Details on the result of the test step. Null if there are no details. */
    message: string | null
    /** Action that repairs the failed test step. Absent after a success. */
    hint?: string
  }[]
}

/** Parameters and body of `createOAuth2App`. */
export interface CreateOAuth2AppInput {
  /** Body of the request. */
  body: {
    /**
     * Id of the new OAuth2 application. Default: a generated id. If the id exists, nothing
     * changes and `created` is false.
     */
    id?: string
    /** Name of the OAuth2 application. */
    name: string
    /**
     * Kind of the OAuth2 provider, which determines the endpoints and mail servers.
     * `gmailService` and `outlookService` access mailboxes without the consent of users.
     */
    provider: 
      | 'gmail'
      | 'gmailService'
      | 'outlook'
      | 'outlookService'
      | 'mailRu'
      | 'generic'
    /**
     * If true, accounts can use the OAuth2 application. If false, accounts obtain no access
     * tokens.
     */
    enabled?: boolean
    /** Description of the OAuth2 application for operators. */
    description?: string
    /** Text of the button for the OAuth2 application on the hosted form. */
    title?: string
    /** If true, the hosted form offers the OAuth2 application to users. */
    includeInListing?: boolean
    /** Client id under which the OAuth2 application is registered at the provider. */
    clientId?: string
    /** Redirect URL that is registered at the provider: `<serviceUrl>/oauth`. */
    redirectUrl?: string
    /**
     * OAuth2 scopes to request in addition to the default scopes. The user may deny these
     * scopes. A single value instead of a list is accepted, too.
     */
    extraScopes?: string[]
    /**
     * Default OAuth2 scopes that the application does not request. A single value instead of a
     * list is accepted, too.
     */
    skipScopes?: string[]
    /**
     * Users who may log in with an Outlook application: `common`, `organizations`, `consumers`
     * or a tenant id.
     */
    authority?: string
    /** National cloud of an Outlook application. Defaults to `global`. */
    cloud?: 'global' | 'gcc-high' | 'dod' | 'china'
    /** Client id of the Google service account. */
    serviceClient?: string
    /** Email address of the Google service account. */
    serviceClientEmail?: string
    /**
     * Id of the Google Cloud project with the Pub/Sub topic. Required if `baseScopes` is
     * `pubsub`, optional for `api`.
     */
    googleProjectId?: string | false | null
    /** Restriction to Google Workspace accounts. Not supported: true is rejected. */
    googleWorkspaceAccounts?: boolean
    /**
     * Name of the Pub/Sub topic to which Gmail publishes notifications. Defaults to `posthorn-`
     * and the id of the OAuth2 application.
     */
    googleTopicName?: string | false | null
    /**
     * Name of the Pub/Sub subscription from which notifications are received. Defaults to
     * `posthorn-` and the id of the OAuth2 application.
     */
    googleSubscriptionName?: string | false | null
    /**
     * Id of the OAuth2 application with the base scopes `pubsub` that receives the
     * notifications of the Gmail API for this application.
     */
    pubSubApp?: string | false | null
    /**
     * Issuer URL of a `generic` provider. Endpoints that are not set are discovered from the
     * issuer URL (OpenID Connect Discovery 1.0).
     */
    issuer?: string
    /** URL of the authorization endpoint of a `generic` provider (RFC 6749 §3.1). */
    authorizeUrl?: string
    /** URL of the token endpoint of a `generic` provider (RFC 6749 §3.2). */
    tokenUrl?: string
    /** URL of the UserInfo endpoint of a `generic` provider (OpenID Connect Core 1.0 §5.3). */
    userinfoUrl?: string
    /** URL of the revocation endpoint of a `generic` provider (RFC 7009). */
    revokeUrl?: string
    /**
     * OAuth2 scopes to request from a `generic` provider. The user must grant all scopes except
     * the scopes of OpenID Connect, otherwise the consent is requested again. A single value
     * instead of a list is accepted, too.
     */
    scopes?: string[]
    /**
     * Incoming mail server (IMAP) of accounts that use the OAuth2 application. For `generic`
     * providers.
     */
    imap?: {
      /** Host name or IP address of the mail server. */
      host: string
      /** TCP port of the mail server, such as 993 (IMAP) or 587 (SMTP). */
      port: number
      /**
       * If true, connections to the mail server use TLS from the start. If false (default),
       * connections use STARTTLS.
       */
      secure?: boolean
    }
    /**
     * Outgoing mail server (SMTP) of accounts that use the OAuth2 application. For `generic`
     * providers.
     */
    smtp?: {
      /** Host name or IP address of the mail server. */
      host: string
      /** TCP port of the mail server, such as 993 (IMAP) or 587 (SMTP). */
      port: number
      /**
       * If true, connections to the mail server use TLS from the start. If false (default),
       * connections use STARTTLS.
       */
      secure?: boolean
    }
    /** Client secret of the OAuth2 application at the provider. Stored encrypted. */
    clientSecret?: string
    /**
     * Private key of the service account (PEM). For `outlookService`, a private key with the
     * matching certificate replaces the client secret. Stored encrypted.
     */
    serviceKey?: string
    /**
     * External account configuration of Google (JSON), instead of a service key. The identity
     * token comes from a URL, or from the file in the variable `SVC_IDENTITY_TOKEN_FILE` of
     * auth-bridge.
     */
    externalAccount?: string
    /**
     * Access of the OAuth2 application to mailboxes: `imap` (default) for mail servers, `api`
     * for the Gmail API or Microsoft Graph. `pubsub` (only for the provider `gmailService`):
     * the OAuth2 application receives notifications of Gmail and has no accounts.
     */
    baseScopes?: 'imap' | 'api' | 'pubsub'
    /**
     * Authentication of a Google service account: `serviceKey` with a private key,
     * `externalAccount` with Workload Identity Federation. Defaults to the method whose secret
     * is set.
     */
    authMethod?: 'serviceKey' | 'externalAccount'
  }
}

/** Result of `createOAuth2App`. */
export interface CreateOAuth2AppResult {
  /** Id of the OAuth2 application. */
  id: string
  /** False if the chosen id existed already. Nothing was changed then. */
  created: boolean
  /**
   * Warnings about settings of the OAuth2 application with which sign-ins will probably fail.
   * Absent if there are no warnings.
   */
  warnings?: string[]
}

/** Parameters and body of `listOAuth2Apps`. */
export interface ListOAuth2AppsInput {
  /** Number of the page to return. The first page, which is the default, is 0. */
  page?: number
  /** Maximum number of entries per page. Defaults to 20. */
  pageSize?: number
}

/** Result of `listOAuth2Apps`. */
export interface ListOAuth2AppsResult {
  /** Number of entries on all pages. */
  total: number
  /** Number of this page. The first page is 0. */
  page: number
  /** Number of pages at the requested page size. */
  pages: number
  /** OAuth2 applications of this page. */
  apps: {
    /** Id of the OAuth2 application. */
    id: string
    /** Name of the OAuth2 application. */
    name: string
    /**
     * Kind of the OAuth2 provider, which determines the endpoints and mail servers.
     * `gmailService` and `outlookService` access mailboxes without the consent of users.
     */
    provider: 
      | 'gmail'
      | 'gmailService'
      | 'outlook'
      | 'outlookService'
      | 'mailRu'
      | 'generic'
    /**
     * If true, accounts can use the OAuth2 application. If false, accounts obtain no access
     * tokens.
     */
    enabled: boolean
    /** Time of the registration of the OAuth2 application (ISO 8601). */
    created: string
    /** Time of the last change of the OAuth2 application (ISO 8601). */
    updated: string
    /** Description of the OAuth2 application for operators. */
    description?: string
    /** Text of the button for the OAuth2 application on the hosted form. */
    title?: string
    /** If true, the hosted form offers the OAuth2 application to users. */
    includeInListing?: boolean
    /** Client id under which the OAuth2 application is registered at the provider. */
    clientId?: string
    /** Redirect URL that is registered at the provider: `<serviceUrl>/oauth`. */
    redirectUrl?: string
    /**
     * OAuth2 scopes to request in addition to the default scopes. The user may deny these
     * scopes. A single value instead of a list is accepted, too.
     */
    extraScopes?: string[]
    /**
     * Default OAuth2 scopes that the application does not request. A single value instead of a
     * list is accepted, too.
     */
    skipScopes?: string[]
    /**
     * Users who may log in with an Outlook application: `common`, `organizations`, `consumers`
     * or a tenant id.
     */
    authority?: string
    /** National cloud of an Outlook application. Defaults to `global`. */
    cloud?: 'global' | 'gcc-high' | 'dod' | 'china'
    /** Client id of the Google service account. */
    serviceClient?: string
    /** Email address of the Google service account. */
    serviceClientEmail?: string
    /**
     * Id of the Google Cloud project with the Pub/Sub topic. Required if `baseScopes` is
     * `pubsub`, optional for `api`.
     */
    googleProjectId?: string | false | null
    /** Restriction to Google Workspace accounts. Not supported: true is rejected. */
    googleWorkspaceAccounts?: boolean
    /**
     * Name of the Pub/Sub topic to which Gmail publishes notifications. Defaults to `posthorn-`
     * and the id of the OAuth2 application.
     */
    googleTopicName?: string | false | null
    /**
     * Name of the Pub/Sub subscription from which notifications are received. Defaults to
     * `posthorn-` and the id of the OAuth2 application.
     */
    googleSubscriptionName?: string | false | null
    /**
     * Id of the OAuth2 application with the base scopes `pubsub` that receives the
     * notifications of the Gmail API for this application.
     */
    pubSubApp?: string | false | null
    /**
     * Access of the OAuth2 application to mailboxes: `imap` (default) for mail servers, `api`
     * for the Gmail API or Microsoft Graph. `pubsub` (only for the provider `gmailService`):
     * the OAuth2 application receives notifications of Gmail and has no accounts.
     */
    baseScopes?: 'imap' | 'api' | 'pubsub'
    /**
     * Authentication of a Google service account: `serviceKey` with a private key,
     * `externalAccount` with Workload Identity Federation. Defaults to the method whose secret
     * is set.
     */
    authMethod?: 'serviceKey' | 'externalAccount'
    /**
     * Issuer URL of a `generic` provider. Endpoints that are not set are discovered from the
     * issuer URL (OpenID Connect Discovery 1.0).
     */
    issuer?: string
    /** URL of the authorization endpoint of a `generic` provider (RFC 6749 §3.1). */
    authorizeUrl?: string
    /** URL of the token endpoint of a `generic` provider (RFC 6749 §3.2). */
    tokenUrl?: string
    /** URL of the UserInfo endpoint of a `generic` provider (OpenID Connect Core 1.0 §5.3). */
    userinfoUrl?: string
    /** URL of the revocation endpoint of a `generic` provider (RFC 7009). */
    revokeUrl?: string
    /**
     * OAuth2 scopes to request from a `generic` provider. The user must grant all scopes except
     * the scopes of OpenID Connect, otherwise the consent is requested again. A single value
     * instead of a list is accepted, too.
     */
    scopes?: string[]
    /**
     * Incoming mail server (IMAP) of accounts that use the OAuth2 application. For `generic`
     * providers.
     */
    imap?: {
      /** Host name or IP address of the mail server. */
      host: string
      /** TCP port of the mail server, such as 993 (IMAP) or 587 (SMTP). */
      port: number
      /**
       * If true, connections to the mail server use TLS from the start. If false (default),
       * connections use STARTTLS.
       */
      secure?: boolean
    }
    /**
     * Outgoing mail server (SMTP) of accounts that use the OAuth2 application. For `generic`
     * providers.
     */
    smtp?: {
      /** Host name or IP address of the mail server. */
      host: string
      /** TCP port of the mail server, such as 993 (IMAP) or 587 (SMTP). */
      port: number
      /**
       * If true, connections to the mail server use TLS from the start. If false (default),
       * connections use STARTTLS.
       */
      secure?: boolean
    }
    /** Other name of the member `authority`, with the same value. */
    tenant?: string
    /** Masked client secret: `******`. Absent if no client secret is stored. */
    clientSecret?: string
    /** Masked private key: `******`. Absent if no private key is stored. */
    serviceKey?: string
    /**
     * Masked external account configuration: `******`. Absent if no configuration is stored.
     */
    externalAccount?: string
    /**
     * Error of the last failed token request of the OAuth2 application. Null if there is no
     * error.
     */
    lastError: LastError | null
    /**
     * Failure of the Pub/Sub topic, of the subscription or of the reception of notifications.
     * Null if there is no failure.
     */
    pubSubError: {
      /**
       * Text of the error of the Pub/Sub topic, of the subscription or of the reception of
       * notifications.
       */
      message: string
      /**
       * Error code of the provider for the failure of Pub/Sub. Null if the provider sends no
       * code.
       */
      description: string | null
    } | null
  }[]
}

/** Parameters and body of `deleteOAuth2App`. */
export interface DeleteOAuth2AppInput {
  /** Id of the OAuth2 application. */
  app: string
}

/** Result of `deleteOAuth2App`. */
export interface DeleteOAuth2AppResult {
  /** Id of the OAuth2 application. */
  id: string
  /** Always true: a failed request gets an error response. */
  deleted: boolean
  /**
   * Number of accounts that used the deleted OAuth2 application. Logins of these accounts fail
   * from now on.
   */
  accounts: number
}

/** Parameters and body of `getOAuth2App`. */
export interface GetOAuth2AppInput {
  /** Id of the OAuth2 application. */
  app: string
}

/** Result of `getOAuth2App`. */
export interface GetOAuth2AppResult {
  /** Id of the OAuth2 application. */
  id: string
  /** Name of the OAuth2 application. */
  name: string
  /**
   * Kind of the OAuth2 provider, which determines the endpoints and mail servers.
   * `gmailService` and `outlookService` access mailboxes without the consent of users.
   */
  provider: 
    | 'gmail'
    | 'gmailService'
    | 'outlook'
    | 'outlookService'
    | 'mailRu'
    | 'generic'
  /**
   * If true, accounts can use the OAuth2 application. If false, accounts obtain no access
   * tokens.
   */
  enabled: boolean
  /** Time of the registration of the OAuth2 application (ISO 8601). */
  created: string
  /** Time of the last change of the OAuth2 application (ISO 8601). */
  updated: string
  /** Description of the OAuth2 application for operators. */
  description?: string
  /** Text of the button for the OAuth2 application on the hosted form. */
  title?: string
  /** If true, the hosted form offers the OAuth2 application to users. */
  includeInListing?: boolean
  /** Client id under which the OAuth2 application is registered at the provider. */
  clientId?: string
  /** Redirect URL that is registered at the provider: `<serviceUrl>/oauth`. */
  redirectUrl?: string
  /**
   * OAuth2 scopes to request in addition to the default scopes. The user may deny these scopes.
   * A single value instead of a list is accepted, too.
   */
  extraScopes?: string[]
  /**
   * Default OAuth2 scopes that the application does not request. A single value instead of a
   * list is accepted, too.
   */
  skipScopes?: string[]
  /**
   * Users who may log in with an Outlook application: `common`, `organizations`, `consumers` or
   * a tenant id.
   */
  authority?: string
  /** National cloud of an Outlook application. Defaults to `global`. */
  cloud?: 'global' | 'gcc-high' | 'dod' | 'china'
  /** Client id of the Google service account. */
  serviceClient?: string
  /** Email address of the Google service account. */
  serviceClientEmail?: string
  /**
   * Id of the Google Cloud project with the Pub/Sub topic. Required if `baseScopes` is
   * `pubsub`, optional for `api`.
   */
  googleProjectId?: string | false | null
  /** Restriction to Google Workspace accounts. Not supported: true is rejected. */
  googleWorkspaceAccounts?: boolean
  /**
   * Name of the Pub/Sub topic to which Gmail publishes notifications. Defaults to `posthorn-`
   * and the id of the OAuth2 application.
   */
  googleTopicName?: string | false | null
  /**
   * Name of the Pub/Sub subscription from which notifications are received. Defaults to
   * `posthorn-` and the id of the OAuth2 application.
   */
  googleSubscriptionName?: string | false | null
  /**
   * Id of the OAuth2 application with the base scopes `pubsub` that receives the notifications
   * of the Gmail API for this application.
   */
  pubSubApp?: string | false | null
  /**
   * Access of the OAuth2 application to mailboxes: `imap` (default) for mail servers, `api` for
   * the Gmail API or Microsoft Graph. `pubsub` (only for the provider `gmailService`): the
   * OAuth2 application receives notifications of Gmail and has no accounts.
   */
  baseScopes?: 'imap' | 'api' | 'pubsub'
  /**
   * Authentication of a Google service account: `serviceKey` with a private key,
   * `externalAccount` with Workload Identity Federation. Defaults to the method whose secret is
   * set.
   */
  authMethod?: 'serviceKey' | 'externalAccount'
  /**
   * Issuer URL of a `generic` provider. Endpoints that are not set are discovered from the
   * issuer URL (OpenID Connect Discovery 1.0).
   */
  issuer?: string
  /** URL of the authorization endpoint of a `generic` provider (RFC 6749 §3.1). */
  authorizeUrl?: string
  /** URL of the token endpoint of a `generic` provider (RFC 6749 §3.2). */
  tokenUrl?: string
  /** URL of the UserInfo endpoint of a `generic` provider (OpenID Connect Core 1.0 §5.3). */
  userinfoUrl?: string
  /** URL of the revocation endpoint of a `generic` provider (RFC 7009). */
  revokeUrl?: string
  /**
   * OAuth2 scopes to request from a `generic` provider. The user must grant all scopes except
   * the scopes of OpenID Connect, otherwise the consent is requested again. A single value
   * instead of a list is accepted, too.
   */
  scopes?: string[]
  /**
   * Incoming mail server (IMAP) of accounts that use the OAuth2 application. For `generic`
   * providers.
   */
  imap?: {
    /** Host name or IP address of the mail server. */
    host: string
    /** TCP port of the mail server, such as 993 (IMAP) or 587 (SMTP). */
    port: number
    /**
     * If true, connections to the mail server use TLS from the start. If false (default),
     * connections use STARTTLS.
     */
    secure?: boolean
  }
  /**
   * Outgoing mail server (SMTP) of accounts that use the OAuth2 application. For `generic`
   * providers.
   */
  smtp?: {
    /** Host name or IP address of the mail server. */
    host: string
    /** TCP port of the mail server, such as 993 (IMAP) or 587 (SMTP). */
    port: number
    /**
     * If true, connections to the mail server use TLS from the start. If false (default),
     * connections use STARTTLS.
     */
    secure?: boolean
  }
  /** Other name of the member `authority`, with the same value. */
  tenant?: string
  /** Masked client secret: `******`. Absent if no client secret is stored. */
  clientSecret?: string
  /** Masked private key: `******`. Absent if no private key is stored. */
  serviceKey?: string
  /** Masked external account configuration: `******`. Absent if no configuration is stored. */
  externalAccount?: string
  /**
   * Error of the last failed token request of the OAuth2 application. Null if there is no
   * error.
   */
  lastError: LastError | null
  /**
   * Failure of the Pub/Sub topic, of the subscription or of the reception of notifications.
   * Null if there is no failure.
   */
  pubSubError: {
    /**
     * Text of the error of the Pub/Sub topic, of the subscription or of the reception of
     * notifications.
     */
    message: string
    /**
     * Error code of the provider for the failure of Pub/Sub. Null if the provider sends no
     * code.
     */
    description: string | null
  } | null
  /** Number of accounts that use the OAuth2 application. */
  accounts: number
  /**
   * Daily use of the mail API by all accounts of the OAuth2 application. Contains the last
   * eight days with requests, latest day first. Counts appear after up to 10 s.
   */
  quotaUse: {
    /** Day of the counts in UTC (ISO 8601), such as `2026-11-26`. */
    date: string
    /**
     * Number of operations that accounts of the OAuth2 application requested from the mail API
     * on this day. Each operation in a batch counts.
     */
    requests: number
    /**
     * Quota units that the operations of this day cost. Each operation at Microsoft Graph costs
     * 1 unit.
     */
    units: number
    /** Number of operations that the mail API refused on this day because of a limit. */
    limited: number
  }[]
}

/** Parameters and body of `updateOAuth2App`. */
export interface UpdateOAuth2AppInput {
  /** Id of the OAuth2 application. */
  app: string
  /** Body of the request. */
  body: {
    /** Name of the OAuth2 application. */
    name?: string
    /**
     * If true, accounts can use the OAuth2 application. If false, accounts obtain no access
     * tokens.
     */
    enabled?: boolean
    /** Description of the OAuth2 application for operators. */
    description?: string
    /** Text of the button for the OAuth2 application on the hosted form. */
    title?: string
    /** If true, the hosted form offers the OAuth2 application to users. */
    includeInListing?: boolean
    /** Client id under which the OAuth2 application is registered at the provider. */
    clientId?: string | false | null
    /** Redirect URL that is registered at the provider: `<serviceUrl>/oauth`. */
    redirectUrl?: string | false | null
    /**
     * OAuth2 scopes to request in addition to the default scopes. The user may deny these
     * scopes. A single value instead of a list is accepted, too.
     */
    extraScopes?: string[]
    /**
     * Default OAuth2 scopes that the application does not request. A single value instead of a
     * list is accepted, too.
     */
    skipScopes?: string[]
    /**
     * Users who may log in with an Outlook application: `common`, `organizations`, `consumers`
     * or a tenant id.
     */
    authority?: string
    /** National cloud of an Outlook application. Defaults to `global`. */
    cloud?: 'global' | 'gcc-high' | 'dod' | 'china'
    /** Client id of the Google service account. */
    serviceClient?: string | false | null
    /** Email address of the Google service account. */
    serviceClientEmail?: string
    /**
     * Id of the Google Cloud project with the Pub/Sub topic. Required if `baseScopes` is
     * `pubsub`, optional for `api`.
     */
    googleProjectId?: string | false | null
    /** Restriction to Google Workspace accounts. Not supported: true is rejected. */
    googleWorkspaceAccounts?: boolean
    /**
     * Name of the Pub/Sub topic to which Gmail publishes notifications. Defaults to `posthorn-`
     * and the id of the OAuth2 application.
     */
    googleTopicName?: string | false | null
    /**
     * Name of the Pub/Sub subscription from which notifications are received. Defaults to
     * `posthorn-` and the id of the OAuth2 application.
     */
    googleSubscriptionName?: string | false | null
    /**
     * Id of the OAuth2 application with the base scopes `pubsub` that receives the
     * notifications of the Gmail API for this application.
     */
    pubSubApp?: string | false | null
    /**
     * Issuer URL of a `generic` provider. Endpoints that are not set are discovered from the
     * issuer URL (OpenID Connect Discovery 1.0).
     */
    issuer?: string
    /** URL of the authorization endpoint of a `generic` provider (RFC 6749 §3.1). */
    authorizeUrl?: string
    /** URL of the token endpoint of a `generic` provider (RFC 6749 §3.2). */
    tokenUrl?: string
    /** URL of the UserInfo endpoint of a `generic` provider (OpenID Connect Core 1.0 §5.3). */
    userinfoUrl?: string
    /** URL of the revocation endpoint of a `generic` provider (RFC 7009). */
    revokeUrl?: string
    /**
     * OAuth2 scopes to request from a `generic` provider. The user must grant all scopes except
     * the scopes of OpenID Connect, otherwise the consent is requested again. A single value
     * instead of a list is accepted, too.
     */
    scopes?: string[]
    /**
     * Incoming mail server (IMAP) of accounts that use the OAuth2 application. For `generic`
     * providers.
     */
    imap?: {
      /** Host name or IP address of the mail server. */
      host: string
      /** TCP port of the mail server, such as 993 (IMAP) or 587 (SMTP). */
      port: number
      /**
       * If true, connections to the mail server use TLS from the start. If false (default),
       * connections use STARTTLS.
       */
      secure?: boolean
    }
    /**
     * Outgoing mail server (SMTP) of accounts that use the OAuth2 application. For `generic`
     * providers.
     */
    smtp?: {
      /** Host name or IP address of the mail server. */
      host: string
      /** TCP port of the mail server, such as 993 (IMAP) or 587 (SMTP). */
      port: number
      /**
       * If true, connections to the mail server use TLS from the start. If false (default),
       * connections use STARTTLS.
       */
      secure?: boolean
    }
    /** Client secret of the OAuth2 application at the provider. Stored encrypted. */
    clientSecret?: string
    /**
     * Private key of the service account (PEM). For `outlookService`, a private key with the
     * matching certificate replaces the client secret. Stored encrypted.
     */
    serviceKey?: string
    /**
     * External account configuration of Google (JSON), instead of a service key. The identity
     * token comes from a URL, or from the file in the variable `SVC_IDENTITY_TOKEN_FILE` of
     * auth-bridge.
     */
    externalAccount?: string
    /** Other name of the member `authority`, with the same value. */
    tenant?: string
  }
}

/** Result of `updateOAuth2App`. */
export interface UpdateOAuth2AppResult {
  /** Id of the OAuth2 application. */
  id: string
  /** Always true: a failed request gets an error response. */
  updated: boolean
  /**
   * Warnings about settings of the OAuth2 application with which sign-ins will probably fail.
   * Absent if there are no warnings.
   */
  warnings?: string[]
}

/** Parameters and body of `getOAuthToken`. */
export interface GetOAuthTokenInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
}

/** Result of `getOAuthToken`. */
export interface GetOAuthTokenResult {
  /** Id of the account. */
  account: string
  /** Login name of the account at the mail provider. */
  user: string
  /**
   * Access token of the OAuth2 provider. The holder can read the mailbox: keep the access token
   * secret.
   */
  accessToken: string
  /** Kind of the OAuth2 provider. */
  provider: 
    | 'gmail'
    | 'gmailService'
    | 'outlook'
    | 'outlookService'
    | 'mailRu'
    | 'generic'
  /** Id of the OAuth2 application. */
  app?: string
  /** Scopes of the access token, as granted by the provider. Absent if unknown. */
  registeredScopes?: string[]
  /** Time at which the access token expires (ISO 8601). Absent if unknown. */
  expires?: string
  /**
   * True if the access token was already stored, false if the access token was renewed for this
   * request.
   */
  cached: boolean
}

/** Parameters and body of `getPubSubStatus`. */
export interface GetPubSubStatusInput {
  /** Number of the page to return. The first page, which is the default, is 0. */
  page?: number
  /** Maximum number of entries per page. Defaults to 20. */
  pageSize?: number
}

/** Result of `getPubSubStatus`. */
export interface GetPubSubStatusResult {
  /** Number of entries on all pages. */
  total: number
  /** Number of this page. The first page is 0. */
  page: number
  /** Number of pages at the requested page size. */
  pages: number
  /** OAuth2 applications of this page. */
  apps: {
    /** Id of the OAuth2 application. */
    id: string
    /** Name of the OAuth2 application. */
    name: string | null
    /**
     * Error of the last failed token request of the OAuth2 application. Null if there is no
     * error.
     */
    lastError: {
      /** Text of the error of the last failed token request of the OAuth2 application. */
      response: string
    } | null
    /**
     * Failure of the Pub/Sub topic, of the subscription or of the reception of notifications.
     * Null if there is no failure.
     */
    pubSubError: {
      /**
       * Text of the error of the Pub/Sub topic, of the subscription or of the reception of
       * notifications.
       */
      message: string
      /**
       * Error code of the provider for the failure of Pub/Sub. Null if the provider sends no
       * code.
       */
      description: string | null
    } | null
  }[]
}

/** Parameters and body of `deleteOutboxEntry`. */
export interface DeleteOutboxEntryInput {
  /** Id of the submission: `queueId` in the response to the request to send the message. */
  queueId: string
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
}

/** Result of `deleteOutboxEntry`. */
export interface DeleteOutboxEntryResult {
  /** Always true: a failed request gets an error response. */
  deleted: boolean
}

/** Parameters and body of `getOutboxEntry`. */
export interface GetOutboxEntryInput {
  /** Id of the submission: `queueId` in the response to the request to send the message. */
  queueId: string
}

/** Result of `getOutboxEntry`. */
export interface GetOutboxEntryResult {
  /** Id of the submission. */
  queueId: string
  /** Id of the account that sends the message. */
  account: string
  /** Interface that received the submission: `api` (REST API) or `smtp` (SMTP proxy). */
  source: 'api' | 'smtp'
  /**
   * State of the submission. `queued`: waiting or being sent; `held`: held by an operator;
   * `sent`: accepted by the mail server; `failed`: ended without success; `bounced`: sent, but
   * a `messageBounce` with the action `failed` arrived for a recipient.
   */
  state: 
    | 'queued'
    | 'held'
    | 'sent'
    | 'failed'
    | 'bounced'
  /** Message-ID header of the message. */
  messageId: string
  /** SMTP envelope: addresses that mail servers use to transport the message. */
  envelope: {
    /** Address that receives bounces (MAIL FROM). */
    from: string
    /** Addresses that receive the message (RCPT TO). */
    to: string[]
  }
  /** Subject of the message. Null if the message has no subject. */
  subject: string | null
  /**
   * Id of the gateway that sends the message. Null: the mail server of the account sends the
   * message.
   */
  gateway: string | null
  /**
   * URL of the proxy that the submission requests, with a masked login. Null if no proxy was
   * requested.
   */
  proxy: string | null
  /**
   * Local IP address that the submission requests for the connection. Null if no address was
   * requested.
   */
  localAddress: string | null
  /**
   * Value of the header `Idempotency-Key` of the request. Null if the request had no such
   * header.
   */
  idempotencyKey: string | null
  /**
   * Value of the parameter `useStructuredFormat` of the request, for accounts on a mail API.
   */
  useStructuredFormat: boolean
  /** Time at which the submission was received (ISO 8601). */
  created: string
  /**
   * Earliest time at which the message is sent (ISO 8601): `sendAt` of the submission, or else
   * the time of the submission.
   */
  scheduled: string
  /**
   * Time of the next attempt to send the message (ISO 8601). False during an attempt, and if
   * the message is held, sent, failed or bounced.
   */
  nextAttempt: string | false
  /** Number of attempts to send the message so far. */
  attemptsMade: number
  /** Maximum number of attempts to send the message. */
  attempts: number
  /** Progress in sending the message: step, reply and error. */
  progress: {
    /**
     * Step in sending the message. `queued`: not started; `processing`: attempt started;
     * `smtp-starting`: connecting to the mail server; `smtp-completed`: message transmitted,
     * waiting for the reply; `submitted`: accepted by the mail server; `error`: the last
     * attempt failed.
     */
    status: 
      | 'queued'
      | 'processing'
      | 'smtp-starting'
      | 'smtp-completed'
      | 'submitted'
      | 'error'
    /**
     * Reply of the mail server that accepted the message. Absent until the message is accepted.
     */
    response?: string
    /**
     * Message-ID header of the message that the mail server accepted. Absent until the message
     * is accepted.
     */
    messageId?: string
    /**
     * Message-ID header of the submitted message. Only present if the mail server replaced this
     * header in the sent message.
     */
    originalMessageId?: string
    /** Error of the last attempt to send the message. Absent if no attempt failed. */
    error?: {
      /** Text of the error of the last attempt to send the message. */
      message: string
      /** Code of the error of the last attempt to send the message, such as `ECONNECTION`. */
      code?: string
      /**
       * SMTP reply code of the mail server to the last attempt to send the message, such as
       * 451. Absent if the mail server did not reply.
       */
      statusCode?: number
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
      } | null
    }
  }
}

/** Parameters and body of `holdOutboxEntry`. */
export interface HoldOutboxEntryInput {
  /** Id of the submission: `queueId` in the response to the request to send the message. */
  queueId: string
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
}

/** Result of `holdOutboxEntry`. */
export interface HoldOutboxEntryResult {
  /** Always true: a failed request gets an error response. */
  held: boolean
}

/** Parameters and body of `listOutbox`. */
export interface ListOutboxInput {
  /** Number of the page to return. The first page, which is the default, is 0. */
  page?: number
  /** Maximum number of entries per page. Defaults to 20. */
  pageSize?: number
  /**
   * Id of the account whose messages are listed. If absent, messages of all accounts are
   * listed.
   */
  account?: string
  /** State of the listed messages. If absent, queued and held messages are listed. */
  state?: 
    | 'queued'
    | 'held'
    | 'sent'
    | 'failed'
    | 'bounced'
  /**
   * Text that the subject or an envelope recipient of the listed messages contains, ignoring
   * case, or their whole Message-ID.
   */
  query?: string
}

/** Result of `listOutbox`. */
export interface ListOutboxResult {
  /** Number of entries on all pages. */
  total: number
  /** Number of this page. The first page is 0. */
  page: number
  /** Number of pages at the requested page size. */
  pages: number
  /** Submitted messages of this page, oldest first. */
  messages: {
    /** Id of the submission. */
    queueId: string
    /** Id of the account that sends the message. */
    account: string
    /** Interface that received the submission: `api` (REST API) or `smtp` (SMTP proxy). */
    source: 'api' | 'smtp'
    /**
     * State of the submission. `queued`: waiting or being sent; `held`: held by an operator;
     * `sent`: accepted by the mail server; `failed`: ended without success; `bounced`: sent,
     * but a `messageBounce` with the action `failed` arrived for a recipient.
     */
    state: 
      | 'queued'
      | 'held'
      | 'sent'
      | 'failed'
      | 'bounced'
    /** Message-ID header of the message. */
    messageId: string
    /** SMTP envelope: addresses that mail servers use to transport the message. */
    envelope: {
      /** Address that receives bounces (MAIL FROM). */
      from: string
      /** Addresses that receive the message (RCPT TO). */
      to: string[]
    }
    /** Subject of the message. Null if the message has no subject. */
    subject: string | null
    /**
     * Id of the gateway that sends the message. Null: the mail server of the account sends the
     * message.
     */
    gateway: string | null
    /**
     * URL of the proxy that the submission requests, with a masked login. Null if no proxy was
     * requested.
     */
    proxy: string | null
    /**
     * Local IP address that the submission requests for the connection. Null if no address was
     * requested.
     */
    localAddress: string | null
    /**
     * Value of the header `Idempotency-Key` of the request. Null if the request had no such
     * header.
     */
    idempotencyKey: string | null
    /**
     * Value of the parameter `useStructuredFormat` of the request, for accounts on a mail API.
     */
    useStructuredFormat: boolean
    /** Time at which the submission was received (ISO 8601). */
    created: string
    /**
     * Earliest time at which the message is sent (ISO 8601): `sendAt` of the submission, or
     * else the time of the submission.
     */
    scheduled: string
    /**
     * Time of the next attempt to send the message (ISO 8601). False during an attempt, and if
     * the message is held, sent, failed or bounced.
     */
    nextAttempt: string | false
    /** Number of attempts to send the message so far. */
    attemptsMade: number
    /** Maximum number of attempts to send the message. */
    attempts: number
    /** Progress in sending the message: step, reply and error. */
    progress: {
      /**
       * Step in sending the message. `queued`: not started; `processing`: attempt started;
       * `smtp-starting`: connecting to the mail server; `smtp-completed`: message transmitted,
       * waiting for the reply; `submitted`: accepted by the mail server; `error`: the last
       * attempt failed.
       */
      status: 
        | 'queued'
        | 'processing'
        | 'smtp-starting'
        | 'smtp-completed'
        | 'submitted'
        | 'error'
      /**
       * Reply of the mail server that accepted the message. Absent until the message is
       * accepted.
       */
      response?: string
      /**
       * Message-ID header of the message that the mail server accepted. Absent until the
       * message is accepted.
       */
      messageId?: string
      /**
       * Message-ID header of the submitted message. Only present if the mail server replaced
       * this header in the sent message.
       */
      originalMessageId?: string
      /** Error of the last attempt to send the message. Absent if no attempt failed. */
      error?: {
        /** Text of the error of the last attempt to send the message. */
        message: string
        /** Code of the error of the last attempt to send the message, such as `ECONNECTION`. */
        code?: string
        /**
         * SMTP reply code of the mail server to the last attempt to send the message, such as
         * 451. Absent if the mail server did not reply.
         */
        statusCode?: number
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
        } | null
      }
    }
  }[]
}

/** Parameters and body of `releaseOutboxEntry`. */
export interface ReleaseOutboxEntryInput {
  /** Id of the submission: `queueId` in the response to the request to send the message. */
  queueId: string
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
}

/** Result of `releaseOutboxEntry`. */
export interface ReleaseOutboxEntryResult {
  /** Always true: a failed request gets an error response. */
  released: boolean
}

/** Parameters and body of `sendOutboxEntry`. */
export interface SendOutboxEntryInput {
  /** Id of the submission: `queueId` in the response to the request to send the message. */
  queueId: string
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
}

/** Result of `sendOutboxEntry`. */
export interface SendOutboxEntryResult {
  /** Always true: a failed request gets an error response. */
  due: boolean
}

/** Parameters and body of `getQueue`. */
export interface GetQueueInput {
  /** Work queue: `submit` sends messages, `notify` delivers webhooks. */
  queue: 'notify' | 'submit'
}

/** Result of `getQueue`. */
export interface GetQueueResult {
  /** Work queue: `submit` sends messages, `notify` delivers webhooks. */
  queue: 'notify' | 'submit'
  /** Numbers of entries in the work queue, by state. */
  jobs: {
    /** Number of entries of the work queue that are in progress. Counting stops at 10,000. */
    active: number
    /**
     * Number of entries of the work queue that wait for `sendAt` or for the next attempt.
     * Counting stops at 10,000.
     */
    delayed: number
    /**
     * Number of due entries of the work queue that wait because the queue is paused. For the
     * queue `submit`, also held messages. Counting stops at 10,000.
     */
    paused: number
    /**
     * Number of due entries of the work queue that are not yet in progress. Counting stops at
     * 10,000.
     */
    waiting: number
  }
  /** True if the work queue is paused. */
  paused: boolean
}

/** Parameters and body of `updateQueue`. */
export interface UpdateQueueInput {
  /** Work queue: `submit` sends messages, `notify` delivers webhooks. */
  queue: 'notify' | 'submit'
  /** Body of the request. */
  body: {
    /**
     * If true, the queue is paused. If false, the queue is resumed. If absent, the state is not
     * changed.
     */
    paused?: boolean
  }
}

/** Result of `updateQueue`. */
export interface UpdateQueueResult {
  /** Work queue: `submit` sends messages, `notify` delivers webhooks. */
  queue: 'notify' | 'submit'
  /** True if the work queue is paused. */
  paused: boolean
}

/** Parameters and body of `getSettings`. */
export interface GetSettingsInput {
  /** If true, the response contains the setting `webhooks`. */
  webhooks?: boolean
  /** If true, the response contains the setting `webhooksEnabled`. */
  webhooksEnabled?: boolean
  /** If true, the response contains the setting `webhookEvents`. */
  webhookEvents?: boolean
  /** If true, the response contains the setting `webhooksCustomHeaders`. */
  webhooksCustomHeaders?: boolean
  /** If true, the response contains the setting `webhooksHeaderAlias`. */
  webhooksHeaderAlias?: boolean
  /** If true, the response contains the setting `notifyHeaders`. */
  notifyHeaders?: boolean
  /** If true, the response contains the setting `notifyText`. */
  notifyText?: boolean
  /** If true, the response contains the setting `notifyTextSize`. */
  notifyTextSize?: boolean
  /** If true, the response contains the setting `notifyWebSafeHtml`. */
  notifyWebSafeHtml?: boolean
  /** If true, the response contains the setting `notifyAttachments`. */
  notifyAttachments?: boolean
  /** If true, the response contains the setting `notifyAttachmentList`. */
  notifyAttachmentList?: boolean
  /** If true, the response contains the setting `notifyAttachmentSize`. */
  notifyAttachmentSize?: boolean
  /** If true, the response contains the setting `notifyCalendarEvents`. */
  notifyCalendarEvents?: boolean
  /** If true, the response contains the setting `inboxNewOnly`. */
  inboxNewOnly?: boolean
  /** If true, the response contains the setting `serviceUrl`. */
  serviceUrl?: boolean
  /** If true, the response contains the setting `notificationBaseUrl`. */
  notificationBaseUrl?: boolean
  /** If true, the response contains the setting `gmailSubscriptionTtl`. */
  gmailSubscriptionTtl?: boolean
  /** If true, the response contains the setting `serviceSecret`. */
  serviceSecret?: boolean
  /** If true, the response contains the setting `serviceSecretOverlap`. */
  serviceSecretOverlap?: boolean
  /** If true, the response contains the setting `webhookSecrets`. */
  webhookSecrets?: boolean
  /** If true, the response contains the setting `webhooksRetrySchedule`. */
  webhooksRetrySchedule?: boolean
  /** If true, the response contains the setting `webhooksConcurrency`. */
  webhooksConcurrency?: boolean
  /** If true, the response contains the setting `webhooksRate`. */
  webhooksRate?: boolean
  /** If true, the response contains the setting `webhooksAttemptLog`. */
  webhooksAttemptLog?: boolean
  /** If true, the response contains the setting `webhooksAttemptLogDays`. */
  webhooksAttemptLogDays?: boolean
  /** If true, the response contains the setting `webhooksKeepFailedDays`. */
  webhooksKeepFailedDays?: boolean
  /** If true, the response contains the setting `webhookTargets`. */
  webhookTargets?: boolean
  /** If true, the response contains the setting `authServer`. */
  authServer?: boolean
  /** If true, the response contains the setting `authServerProtocol`. */
  authServerProtocol?: boolean
  /** If true, the response contains the setting `ignoreMailCertErrors`. */
  ignoreMailCertErrors?: boolean
  /** If true, the response contains the setting `smtpEhloName`. */
  smtpEhloName?: boolean
  /** If true, the response contains the setting `proxyEnabled`. */
  proxyEnabled?: boolean
  /** If true, the response contains the setting `proxyUrl`. */
  proxyUrl?: boolean
  /** If true, the response contains the setting `httpProxyEnabled`. */
  httpProxyEnabled?: boolean
  /** If true, the response contains the setting `httpProxyUrl`. */
  httpProxyUrl?: boolean
  /** If true, the response contains the setting `localAddresses`. */
  localAddresses?: boolean
  /** If true, the response contains the setting `smtpStrategy`. */
  smtpStrategy?: boolean
  /** If true, the response contains the setting `imapStrategy`. */
  imapStrategy?: boolean
  /** If true, the response contains the setting `enableApiProxy`. */
  enableApiProxy?: boolean
  /** If true, the response contains the setting `tokenAuditLog`. */
  tokenAuditLog?: boolean
  /** If true, the response contains the setting `enableOAuthTokensApi`. */
  enableOAuthTokensApi?: boolean
  /** If true, the response contains the setting `deliveryAttempts`. */
  deliveryAttempts?: boolean
  /** If true, the response contains the setting `trackOpens`. */
  trackOpens?: boolean
  /** If true, the response contains the setting `trackClicks`. */
  trackClicks?: boolean
  /** If true, the response contains the setting `trackRepeatWindow`. */
  trackRepeatWindow?: boolean
  /** If true, the response contains the setting `templateHeader`. */
  templateHeader?: boolean
  /** If true, the response contains the setting `templateHtmlHead`. */
  templateHtmlHead?: boolean
  /** If true, the response contains the setting `locale`. */
  locale?: boolean
  /** If true, the response contains the setting `timezone`. */
  timezone?: boolean
  /** If true, the response contains the setting `pageBrandName`. */
  pageBrandName?: boolean
  /** If true, the response contains the setting `generateEmailSummary`. */
  generateEmailSummary?: boolean
  /** If true, the response contains the setting `openAiAPIKey`. */
  openAiAPIKey?: boolean
  /** If true, the response contains the setting `openAiAPIUrl`. */
  openAiAPIUrl?: boolean
  /** If true, the response contains the setting `openAiModel`. */
  openAiModel?: boolean
  /** If true, the response contains the setting `openAiPrompt`. */
  openAiPrompt?: boolean
  /** If true, the response contains the setting `openAiTemperature`. */
  openAiTemperature?: boolean
  /** If true, the response contains the setting `openAiTopP`. */
  openAiTopP?: boolean
  /** If true, the response contains the setting `openAiMaxTokens`. */
  openAiMaxTokens?: boolean
  /** If true, the response contains the setting `scriptEnv`. */
  scriptEnv?: boolean
  /** If true, the response contains the setting `exportMaxConcurrent`. */
  exportMaxConcurrent?: boolean
  /** If true, the response contains the setting `exportMaxGlobalConcurrent`. */
  exportMaxGlobalConcurrent?: boolean
  /** If true, the response contains the setting `exportMaxMessages`. */
  exportMaxMessages?: boolean
  /** If true, the response contains the setting `exportMaxSize`. */
  exportMaxSize?: boolean
  /** If true, the response contains the setting `gmailExportBatchSize`. */
  gmailExportBatchSize?: boolean
  /** If true, the response contains the setting `outlookExportBatchSize`. */
  outlookExportBatchSize?: boolean
  /** If true, the response contains the setting `resolveGmailCategories`. */
  resolveGmailCategories?: boolean
  /** If true, the response contains the setting `imapIndexer`. */
  imapIndexer?: boolean
  /** If true, the response contains the setting `imapClientName`. */
  imapClientName?: boolean
  /** If true, the response contains the setting `imapClientVersion`. */
  imapClientVersion?: boolean
  /** If true, the response contains the setting `imapClientVendor`. */
  imapClientVendor?: boolean
  /** If true, the response contains the setting `imapClientSupportUrl`. */
  imapClientSupportUrl?: boolean
  /** If true, the response contains the setting `logs`. */
  logs?: boolean
  /** If true, the response contains the setting `imapProxyServerEnabled`. */
  imapProxyServerEnabled?: boolean
  /** If true, the response contains the setting `imapProxyServerPort`. */
  imapProxyServerPort?: boolean
  /** If true, the response contains the setting `imapProxyServerHost`. */
  imapProxyServerHost?: boolean
  /** If true, the response contains the setting `imapProxyServerTLSEnabled`. */
  imapProxyServerTLSEnabled?: boolean
  /** If true, the response contains the setting `imapProxyServerProxy`. */
  imapProxyServerProxy?: boolean
  /** If true, the response contains the setting `imapProxyServerPassword`. */
  imapProxyServerPassword?: boolean
  /** If true, the response contains the setting `smtpServerEnabled`. */
  smtpServerEnabled?: boolean
  /** If true, the response contains the setting `smtpServerPort`. */
  smtpServerPort?: boolean
  /** If true, the response contains the setting `smtpServerHost`. */
  smtpServerHost?: boolean
  /** If true, the response contains the setting `smtpServerTLSEnabled`. */
  smtpServerTLSEnabled?: boolean
  /** If true, the response contains the setting `smtpServerProxy`. */
  smtpServerProxy?: boolean
  /** If true, the response contains the setting `smtpServerAuthEnabled`. */
  smtpServerAuthEnabled?: boolean
  /** If true, the response contains the setting `smtpServerPassword`. */
  smtpServerPassword?: boolean
  /**
   * If true, the response contains the names of all events (`eventTypes`). Defaults to false.
   */
  eventTypes?: boolean
}

/** Result of `getSettings`. */
export interface GetSettingsResult {
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
  /** True if the setting `serviceSecret` has a value. */
  serviceSecret?: boolean
  /**
   * Number of seconds for which webhooks also have a signature by the previous `serviceSecret`
   * after a change of the secret. 0: none. Defaults to 86,400.
   */
  serviceSecretOverlap?: number | null
  /** True if the setting `webhookSecrets` has a value. */
  webhookSecrets?: boolean
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
  /** True if the setting `openAiAPIKey` has a value. */
  openAiAPIKey?: boolean
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
  /** True if the setting `imapProxyServerPassword` has a value. */
  imapProxyServerPassword?: boolean
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
  /** True if the setting `smtpServerPassword` has a value. */
  smtpServerPassword?: boolean
  /** Names of all events that exist, as values for `webhookEvents`. */
  eventTypes?: string[]
}

/** Parameters and body of `updateSettings`. */
export interface UpdateSettingsInput {
  /** Body of the request. */
  body: Settings
}

/** Result of `updateSettings`. */
export interface UpdateSettingsResult {
  /** Names of the settings that the request has changed. */
  updated: string[]
}

/** Parameters and body of `getStats`. */
export interface GetStatsInput {
  /**
   * Length of the time window of `counters`, in seconds until now, rounded to minutes. Defaults
   * to 3,600.
   */
  seconds?: number
}

/** Result of `getStats`. */
export interface GetStatsResult {
  /** Version of Posthorn that answers the request. */
  version: string
  /** License of the installation. Always `none`, because no license key is required. */
  license: string
  /** Number of registered accounts. */
  accounts: number
  /** Version of Node.js on which api-gateway runs. */
  node: string
  /** CPU architecture on which api-gateway runs, such as `x64`. */
  arch: string
  /** Version of the Postgres server that stores all data. */
  postgres: string
  /** Round-trip time of a test query to Postgres, in milliseconds. */
  postgresPing: number
  /** True if api-gateway is connected to RabbitMQ. */
  rabbitmq: boolean
  /** Webhook deliveries (`notify`) and submissions (`submit`). Each count stops at 10,000. */
  queues: {
    /** Numbers of webhook deliveries by state. */
    notify: {
      /**
       * Number of due entries of the work queue that are not yet in progress. Counting stops at
       * 10,000.
       */
      waiting: number
      /** Number of entries of the work queue that are in progress. Counting stops at 10,000. */
      active: number
      /**
       * Number of entries of the work queue that wait for `sendAt` or for the next attempt.
       * Counting stops at 10,000.
       */
      delayed: number
      /**
       * Number of stored entries of the work queue that failed after all attempts. Counting
       * stops at 10,000.
       */
      failed: number
    }
    /** Numbers of submissions (messages to send) by state. */
    submit: {
      /**
       * Number of due entries of the work queue that are not yet in progress. Counting stops at
       * 10,000.
       */
      waiting: number
      /** Number of entries of the work queue that are in progress. Counting stops at 10,000. */
      active: number
      /**
       * Number of entries of the work queue that wait for `sendAt` or for the next attempt.
       * Counting stops at 10,000.
       */
      delayed: number
      /**
       * Number of stored entries of the work queue that failed after all attempts. Counting
       * stops at 10,000.
       */
      failed: number
    }
  }
  /** Numbers of accounts by state. Each account is counted once. */
  connections: {
    /** Number of accounts in the state `init`. */
    init: number
    /** Number of accounts in the state `connected`. */
    connected: number
    /** Number of accounts in the state `connecting`. */
    connecting: number
    /** Number of accounts in the state `syncing`. */
    syncing: number
    /** Number of accounts in the state `authenticationError`. */
    authenticationError: number
    /** Number of accounts in the state `connectError`. */
    connectError: number
    /** Number of accounts in the state `unset`. */
    unset: number
    /** Number of accounts in the state `disconnected`. */
    disconnected: number
    /** Number of accounts in the state `paused`. */
    paused: number
    /**
     * Number of accounts that no sync-worker serves, in any state. These accounts are not part
     * of the other counts.
     */
    unassigned: number
  }
  /**
   * Counters of the time window that the parameter `seconds` selects, by name: `events:<event>`
   * for each event, `webhooks:success` and `webhooks:fail` for webhook deliveries,
   * `submit:success` and `submit:fail` for submissions, `apiCall:success` and `apiCall:fail`
   * for API requests.
   */
  counters: Record<string, number>
}

/** Parameters and body of `submitDraft`. */
export interface SubmitDraftInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /**
   * Id of the message, from a message list or an event. Percent-encode the id in the path of a
   * URL.
   */
  message: string
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
  /**
   * Idempotency key: a text that identifies the submission. A repeated request with the same
   * key within 24 hours returns the first response and sends no second message.
   */
  idempotencyKey?: string
  /** Body of the request. */
  body?: DraftSubmission
}

/** Result of `submitDraft`. */
export type SubmitDraftResult = SubmissionResult

/** Parameters and body of `submitMessage`. */
export interface SubmitMessageInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /**
   * If true, the message is sent to Microsoft Graph in the structured format of the API instead
   * of as source (MIME). The structured format keeps fewer header fields. Rejected for accounts
   * that send by SMTP. Defaults to false.
   */
  useStructuredFormat?: boolean
  /** Member or parameter that is accepted for compatibility and ignored. */
  documentStore?: boolean
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
  /**
   * Idempotency key: a text that identifies the submission. A repeated request with the same
   * key within 24 hours returns the first response and sends no second message.
   */
  idempotencyKey?: string
  /** Body of the request. */
  body: Submission
}

/** Result of `submitMessage`. */
export type SubmitMessageResult = SubmissionResult

/** Parameters and body of `createTemplate`. */
export interface CreateTemplateInput {
  /** Body of the request. */
  body: {
    /**
     * Id of the new template. Default: a generated id. If the id exists, nothing changes and
     * `created` is false.
     */
    id?: string
    /** Id of the account that owns the template. Null: all accounts can use the template. */
    account: string | null
    /** Name of the template, by which submissions can refer to the template. */
    name: string
    /** Description of the template, for information only. */
    description?: string
    /**
     * Format of `html` in the template: `html` (default) or `markdown`, which is converted to
     * HTML.
     */
    format?: 'html' | 'markdown'
    /**
     * Subject and texts of the template, with placeholders that are replaced in each message.
     */
    content: {
      /** Subject of the message, with placeholders such as `{{params.name}}`. */
      subject?: string
      /** Body of the message as plain text, with placeholders. */
      text?: string
      /** Body of the message as HTML or Markdown, depending on `format`, with placeholders. */
      html?: string
      /** Preview text that mail clients show in message lists, with placeholders. */
      previewText?: string
    }
  }
}

/** Result of `createTemplate`. */
export interface CreateTemplateResult {
  /** False if the chosen id existed already. Nothing was changed then. */
  created: boolean
  /** Id of the account that owns the template. Null if all accounts can use the template. */
  account: string | null
  /** Id of the template. */
  id: string
}

/** Parameters and body of `deleteTemplate`. */
export interface DeleteTemplateInput {
  /** Id of the template. */
  template: string
}

/** Result of `deleteTemplate`. */
export interface DeleteTemplateResult {
  /** Always true: a failed request gets an error response. */
  deleted: boolean
  /** Id of the account that owns the template. Null if all accounts can use the template. */
  account: string | null
  /** Id of the template. */
  id: string
}

/** Parameters and body of `getTemplate`. */
export interface GetTemplateInput {
  /** Id of the template. */
  template: string
}

/** Result of `getTemplate`. */
export interface GetTemplateResult {
  /** Id of the account that owns the template. Null if all accounts can use the template. */
  account: string | null
  /** Id of the template. */
  id: string
  /** Name of the template, by which submissions can refer to the template. */
  name: string
  /** Description of the template, for information only. */
  description?: string
  /**
   * Format of `html` in the template: `html` (default) or `markdown`, which is converted to
   * HTML.
   */
  format: 'html' | 'markdown'
  /** Time at which the template was created (ISO 8601). */
  created: string
  /** Time of the last change of the template (ISO 8601). */
  updated: string
  /** Subject and texts of the template, with placeholders that are replaced in each message. */
  content: {
    /** Subject of the message, with placeholders such as `{{params.name}}`. */
    subject?: string
    /** Body of the message as plain text, with placeholders. */
    text?: string
    /** Body of the message as HTML or Markdown, depending on `format`, with placeholders. */
    html?: string
    /** Preview text that mail clients show in message lists, with placeholders. */
    previewText?: string
  }
}

/** Parameters and body of `updateTemplate`. */
export interface UpdateTemplateInput {
  /** Id of the template. */
  template: string
  /** Body of the request. */
  body: {
    /** Name of the template, by which submissions can refer to the template. */
    name?: string
    /** Description of the template, for information only. */
    description?: string
    /**
     * Format of `html` in the template: `html` (default) or `markdown`, which is converted to
     * HTML.
     */
    format?: 'html' | 'markdown'
    /**
     * Subject and texts of the template, with placeholders that are replaced in each message.
     */
    content?: {
      /** Subject of the message, with placeholders such as `{{params.name}}`. */
      subject?: string
      /** Body of the message as plain text, with placeholders. */
      text?: string
      /** Body of the message as HTML or Markdown, depending on `format`, with placeholders. */
      html?: string
      /** Preview text that mail clients show in message lists, with placeholders. */
      previewText?: string
    }
  }
}

/** Result of `updateTemplate`. */
export interface UpdateTemplateResult {
  /** Always true: a failed request gets an error response. */
  updated: boolean
  /** Id of the account that owns the template. Null if all accounts can use the template. */
  account: string | null
  /** Id of the template. */
  id: string
}

/** Parameters and body of `flushTemplates`. */
export interface FlushTemplatesInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /** Confirmation: must be true, otherwise the request fails with `ForceRequired`. */
  force?: boolean
}

/** Result of `flushTemplates`. */
export interface FlushTemplatesResult {
  /** Always true: a failed request gets an error response. */
  flushed: boolean
  /** Id of the account whose templates were deleted. */
  account: string
}

/** Parameters and body of `listTemplates`. */
export interface ListTemplatesInput {
  /** Number of the page to return. The first page, which is the default, is 0. */
  page?: number
  /** Maximum number of entries per page. Defaults to 20. */
  pageSize?: number
  /**
   * Id of the account whose templates are listed. If absent, the templates that are available
   * to all accounts are listed.
   */
  account?: string
}

/** Result of `listTemplates`. */
export interface ListTemplatesResult {
  /** Id of the requested account. Null if the request had no account. */
  account: string | null
  /** Number of entries on all pages. */
  total: number
  /** Number of this page. The first page is 0. */
  page: number
  /** Number of pages at the requested page size. */
  pages: number
  /** Templates of this page, newest first. */
  templates: {
    /** Id of the template. */
    id: string
    /** Name of the template, by which submissions can refer to the template. */
    name: string
    /** Description of the template, for information only. */
    description?: string
    /**
     * Format of `html` in the template: `html` (default) or `markdown`, which is converted to
     * HTML.
     */
    format: 'html' | 'markdown'
    /** Time at which the template was created (ISO 8601). */
    created: string
    /** Time of the last change of the template (ISO 8601). */
    updated: string
  }[]
}

/** Parameters and body of `importTokens`. */
export interface ImportTokensInput {
  /** Body of the request. */
  body: {
    /** Access tokens to import, at most 1,000. Each id may occur once. */
    tokens: {
      /**
       * Id of the token in EmailEngine: SHA-256 of the 32 raw bytes of the value, as 64
       * lower-case hexadecimal digits.
       */
      id: string
      /**
       * Id of the account to which the token is bound. The account must exist. Null or absent:
       * the token is valid for all accounts.
       */
      account?: string | null
      /** Description of the token for operators. */
      description?: string
      /**
       * Interfaces at which the token is valid: `api` (REST API), `smtp` (SMTP proxy),
       * `imap-proxy` (IMAP proxy), `*` (all interfaces, and the operations for operators).
       * Other scopes of EmailEngine are rejected.
       */
      scopes: ('api' | 'smtp' | 'imap-proxy' | '*')[]
      /**
       * JSON text with further data about the token, for the creator of the token. Stored and
       * returned unchanged.
       */
      metadata?: string
      /**
       * Restrictions of the token: allowed client addresses, allowed `Referer` headers and the
       * rate limit. Null or absent: no restrictions.
       */
      restrictions?: Restrictions | null
      /**
       * Permissions of the token: allowed actions and groups of operations. Null or absent:
       * everything that the scopes of the token allow.
       */
      permissions?: Permissions | null
      /** Time at which the token was created (ISO 8601). Absent: the time of the import. */
      created?: string
      /** Time at which the token expires (ISO 8601). Absent: the token does not expire. */
      expires?: string
      /**
       * IP address of the creator of the token, as stated by the caller. For information only.
       */
      ip?: string
      /** IP address from which the request that created the token was sent. */
      remoteAddress?: string
      /** Last use of the token in EmailEngine: time and IP address. */
      access?: {
        /** Time of the last use of the token (ISO 8601). Null or absent: unknown. */
        time?: string | null
        /** IP address of the client that last used the token. Null or absent: unknown. */
        ip?: string | null
      }
    }[]
  }
}

/** Result of `importTokens`. */
export interface ImportTokensResult {
  /** Number of access tokens that were stored by this request. */
  imported: number
  /**
   * Number of access tokens that an earlier request has imported. They stay as they are stored.
   */
  unchanged: number
  /** Access tokens that were not stored, in the order of the request. */
  skipped: {
    /** Id of the access token in EmailEngine, as sent in the request. */
    id: string
    /**
     * Reason for which the access token was not stored. `unknown-account`: the account of the
     * token does not exist; `expired`: the token has expired; `created-here`: a token that was
     * not imported has the same id; `deleted-here`: the token was deleted here after an earlier
     * import.
     */
    reason: 
      | 'unknown-account'
      | 'expired'
      | 'created-here'
      | 'deleted-here'
  }[]
}

/** Parameters and body of `createOperatorToken`. */
export interface CreateOperatorTokenInput {
  /** Body of the request. */
  body: {
    /** Description of the token for operators, such as the name of the script. */
    description: string
    /**
     * Restrictions of the token: allowed client addresses, allowed `Referer` headers and the
     * rate limit. Null or absent: no restrictions.
     */
    restrictions?: Restrictions | null
    /** Time at which the token expires (ISO 8601). Absent: the token does not expire. */
    expires?: string
  }
}

/** Result of `createOperatorToken`. */
export interface CreateOperatorTokenResult {
  /** Value of the access token, which requests send. The value is not shown again. */
  token: string
  /** Id of the access token: SHA-256 of the value, hexadecimal. */
  id: string
}

/** Parameters and body of `createToken`. */
export interface CreateTokenInput {
  /** Body of the request. */
  body: TokenRequest
}

/** Result of `createToken`. */
export interface CreateTokenResult {
  /** Value of the access token, which requests send. The value is not shown again. */
  token: string
  /** Id of the access token: SHA-256 of the value, hexadecimal. */
  id: string
}

/** Parameters and body of `listTokens`. */
export interface ListTokensInput {
  /** Number of the page to return. The first page, which is the default, is 0. */
  page?: number
  /** Maximum number of entries per page. Defaults to 20. */
  pageSize?: number
  /**
   * Text that the id, the description or the account of the listed tokens contains. If absent,
   * all tokens are listed.
   */
  query?: string
  /**
   * Id of the account to which the listed tokens are bound. If absent, tokens of all accounts
   * are listed.
   */
  account?: string
}

/** Result of `listTokens`. */
export interface ListTokensResult {
  /** Id of the requested account. Null if the request had no account. */
  account: string | null
  /** Number of entries on all pages. */
  total: number
  /** Number of this page. The first page is 0. */
  page: number
  /** Number of pages at the requested page size. */
  pages: number
  /** Access tokens of this page, newest first. */
  tokens: TokenRecord[]
}

/** Parameters and body of `createTokenAlias`. */
export interface CreateTokenAliasInput {
  /** Body of the request. */
  body: TokenRequest
}

/** Result of `createTokenAlias`. */
export interface CreateTokenAliasResult {
  /** Value of the access token, which requests send. The value is not shown again. */
  token: string
  /** Id of the access token: SHA-256 of the value, hexadecimal. */
  id: string
}

/** Parameters and body of `deleteToken`. */
export interface DeleteTokenInput {
  /** Value or id (SHA-256 of the value) of the access token. */
  token: string
}

/** Result of `deleteToken`. */
export interface DeleteTokenResult {
  /** True if the access token was deleted, false if the access token did not exist. */
  deleted: boolean
}

/** Parameters and body of `getToken`. */
export interface GetTokenInput {
  /** Value or id (SHA-256 of the value) of the access token. */
  token: string
}

/** Result of `getToken`. */
export type GetTokenResult = TokenRecord

/** Parameters and body of `deleteTokenAlias`. */
export interface DeleteTokenAliasInput {
  /** Value or id (SHA-256 of the value) of the access token. */
  token: string
}

/** Result of `deleteTokenAlias`. */
export interface DeleteTokenAliasResult {
  /** True if the access token was deleted, false if the access token did not exist. */
  deleted: boolean
}

/** Parameters and body of `getTokenLog`. */
export interface GetTokenLogInput {
  /** Value or id (SHA-256 of the value) of the access token. */
  token: string
  /** Number of the page to return. The first page, which is the default, is 0. */
  page?: number
  /** Maximum number of entries per page. Defaults to 20. */
  pageSize?: number
}

/** Result of `getTokenLog`. */
export interface GetTokenLogResult {
  /** Id of the access token. */
  token: string
  /** Number of entries on all pages. */
  total: number
  /** Number of this page. The first page is 0. */
  page: number
  /** Number of pages at the requested page size. */
  pages: number
  /** Uses of the access token on this page, newest first. */
  entries: TokenLogEntry[]
}

/** Parameters and body of `uploadMessage`. */
export interface UploadMessageInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
  /** Body of the request. */
  body: {
    /** Path of the mailbox in which the message is stored, or a special use such as `\Sent`. */
    path: string
    /**
     * Flags that the stored message gets, such as `\Seen`. A single value instead of a list is
     * accepted, too.
     */
    flags?: string[]
    /**
     * Time of receipt that the stored message gets (ISO 8601). Defaults to the time of the
     * request.
     */
    internalDate?: string
    reference?: Reference
    /**
     * Complete message with headers and body (RFC 5322), in base64. Replaces the fields of a
     * composed message. At most 52,428,800 encoded characters.
     */
    raw?: Base64
    /**
     * Author of the message (From header). Defaults to the name and email address of the
     * account.
     */
    from?: Address
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
    /** Subject of the message. */
    subject?: string
    /** Body of the message as plain text. At most 52,428,800 characters. */
    text?: string
    /** Body of the message as HTML. At most 52,428,800 characters. */
    html?: string
    /**
     * Attachments of the message. The contents are in the request or are stored attachments of
     * the account.
     */
    attachments?: AttachmentSource[]
    /** Message-ID header of the message. Generated if absent. */
    messageId?: string
    /**
     * Additional headers of the message, by header name. The value is a text, or a list of
     * texts for several headers with this name.
     */
    headers?: Record<string, string | string[]>
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
  }
}

/** Result of `uploadMessage`. */
export interface UploadMessageResult {
  /**
   * Id of the stored message. Absent if the mail server lacks UIDPLUS (RFC 4315), with which
   * mail servers report new UIDs.
   */
  id?: string
  /** Path of the mailbox in which the message is stored. */
  path: string
  /**
   * UID of the stored message. Absent if the mail server lacks UIDPLUS (RFC 4315), with which
   * mail servers report new UIDs, and for accounts on a mail API.
   */
  uid?: number
  /** UIDVALIDITY of the mailbox in which the message is stored. IMAP accounts only. */
  uidValidity?: string
  /** Sequence number of the stored message in the mailbox. Absent if unknown. */
  seq?: number
  /** Message-ID header of the stored message. */
  messageId?: string
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
}

/** Parameters and body of `flushAccount`. */
export interface FlushAccountInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /** Body of the request. */
  body: {
    /** Confirmation: must be true, otherwise the request does nothing. */
    flush?: boolean
    /**
     * Time of receipt (ISO 8601) from which messages are announced by `messageNew`, or `now`.
     * Initially the time of the registration.
     */
    notifyFrom?: (string & {}) | 'now' | null
    /**
     * Mailbox index of an IMAP account: `full` detects new, changed and deleted messages,
     * `fast` new messages only. Null or never set: the setting `imapIndexer` applies.
     */
    imapIndexer?: 'full' | 'fast' | null
  }
}

/** Result of `flushAccount`. */
export interface FlushAccountResult {
  /** True if the mailbox index is rebuilt, false if `flush` in the request was not true. */
  flush: boolean
}

/** Parameters and body of `getServerSignatures`. */
export interface GetServerSignaturesInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
}

/** Result of `getServerSignatures`. */
export interface GetServerSignaturesResult {
  /** Email signatures that the provider stores for the account, by sender address. */
  signatures: {
    /** Email address of the sender to which the signature belongs. */
    address: string
    /** Email signature as HTML. Not sanitized. */
    signature: string
  }[]
  /** True if the provider of the account stores email signatures. */
  signaturesSupported: boolean
}

/** Parameters and body of `reconnectAccount`. */
export interface ReconnectAccountInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /** Body of the request. */
  body: {
    /** Confirmation: must be true, otherwise the request does nothing. */
    reconnect?: boolean
  }
}

/** Result of `reconnectAccount`. */
export interface ReconnectAccountResult {
  /** True if the account reconnects, false if `reconnect` in the request was not true. */
  reconnect: boolean
}

/** Parameters and body of `syncAccount`. */
export interface SyncAccountInput {
  /** Id of the account, chosen by the caller or generated when the account was registered. */
  account: string
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
  /** Body of the request. */
  body: {
    /** Confirmation: must be true, otherwise the request does nothing. */
    sync?: boolean
  }
}

/** Result of `syncAccount`. */
export interface SyncAccountResult {
  /** True if the sync has started, false if `sync` in the request was not true. */
  sync: boolean
}

/** Parameters and body of `verifyAccount`. */
export interface VerifyAccountInput {
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
  /** Body of the request. */
  body: {
    /**
     * If true, the response also lists the mailboxes of the incoming server. Defaults to false.
     */
    mailboxes?: boolean
    /** Incoming mail server (IMAP) to test. False or absent: no incoming server is tested. */
    imap?: ImapConfig | ImapDisabled | false
    /** Outgoing mail server (SMTP) to test. False or absent: no outgoing server is tested. */
    smtp?: SmtpConfig | false
    /**
     * URL of the proxy for connections to the mail servers: `http:`, `https:`, `socks4:` or
     * `socks5:`. Empty or never set: the settings `proxyEnabled` and `proxyUrl` apply.
     */
    proxy?: string
    /**
     * Host name that is sent to outgoing mail servers in the EHLO command. Null or never set:
     * the setting `smtpEhloName` applies.
     */
    smtpEhloName?: string | null
  }
}

/** Result of `verifyAccount`. */
export interface VerifyAccountResult {
  /**
   * Result of the test of the incoming server. Absent if the incoming server was not tested.
   */
  imap?: {
    /** True if the login at the mail server succeeded. */
    success: boolean
    /** Text of the error of the failed test. Absent after a success. */
    error?: string
    /**
     * Code of the error of the failed test, such as `EAUTH` or `ETIMEDOUT`. Absent after a
     * success.
     */
    code?: string
    /**
     * SMTP reply code of the outgoing server, such as 535. If the test could not be completed:
     * HTTP status, such as 503.
     */
    statusCode?: number
    /** Reply of the mail server to the failed command of the test. */
    responseText?: string
  }
  /**
   * Result of the test of the outgoing server. Absent if the outgoing server was not tested.
   */
  smtp?: {
    /** True if the login at the mail server succeeded. */
    success: boolean
    /** Text of the error of the failed test. Absent after a success. */
    error?: string
    /**
     * Code of the error of the failed test, such as `EAUTH` or `ETIMEDOUT`. Absent after a
     * success.
     */
    code?: string
    /**
     * SMTP reply code of the outgoing server, such as 535. If the test could not be completed:
     * HTTP status, such as 503.
     */
    statusCode?: number
    /** Reply of the mail server to the failed command of the test. */
    responseText?: string
  }
  /**
   * Mailboxes of the incoming server. Only with `mailboxes` in the request, and if the login
   * succeeded.
   */
  mailboxes?: {
    /** Full path of the mailbox, such as `Clients/2026`. */
    path: string
    /**
     * Separator of the levels in mailbox paths, such as `/`. Null if the mail server has no
     * levels.
     */
    delimiter: string | null
    /**
     * Path of the mailbox that contains this mailbox. Absent for a mailbox at the top level.
     */
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
    /**
     * Origin of the special use: `extension` (reported by the mail server) or `name` (derived
     * from the mailbox name).
     */
    specialUseSource?: 'extension' | 'name'
  }[]
}

/** Parameters and body of `createWebhookReplay`. */
export interface CreateWebhookReplayInput {
  /** Body of the request. */
  body: {
    /** Webhook target of the delivery: `default`, `account`, or the id of a webhook route. */
    target?: string
    /** URL of the webhook target without login and query. */
    address?: string
    /** Name of the delivered event, such as `messageNew`. */
    event?: string
    /** Id of the account of the delivered event. */
    account?: string
    /**
     * Outcome of the last attempt to deliver the webhook, such as `http-5xx` or `dns`. Selects
     * webhook deliveries with this outcome.
     */
    outcome?: string
    /**
     * Earliest time of the final state of the selected webhook deliveries (ISO 8601),
     * inclusive. For the state `due`: earliest time of the next attempt.
     */
    since?: string
    /**
     * Latest time of the final state of the selected webhook deliveries (ISO 8601), exclusive.
     * For the state `due`: latest time of the next attempt.
     */
    until?: string
  }
}

/** Result of `createWebhookReplay`. */
export interface CreateWebhookReplayResult {
  /** Id of the replay of failed webhook deliveries. */
  id: string
  /** Filter that selects the failed webhook deliveries to replay. */
  filter: Record<string, string>
  /** State of the replay of failed webhook deliveries: `queued`, `running` or `done`. */
  state: 'queued' | 'running' | 'done'
  /**
   * Number of failed webhook deliveries that matched the filter at the start of the replay.
   * Null before the start of the replay.
   */
  total: number | null
  /** Number of webhook deliveries that the replay has replayed so far. */
  replayed: number
  /** Time at which the replay of failed webhook deliveries was requested (ISO 8601). */
  createdAt: string
  /**
   * Time at which the replay of failed webhook deliveries started (ISO 8601). Null before the
   * start of the replay.
   */
  startedAt: string | null
  /**
   * Time at which the replay of failed webhook deliveries ended (ISO 8601). Null before the end
   * of the replay.
   */
  finishedAt: string | null
}

/** Parameters and body of `listWebhookReplays`. */
export interface ListWebhookReplaysInput {
  /** Number of the page to return. The first page, which is the default, is 0. */
  page?: number
  /** Maximum number of entries per page. Defaults to 20. */
  pageSize?: number
}

/** Result of `listWebhookReplays`. */
export interface ListWebhookReplaysResult {
  /** Replays of failed webhook deliveries on this page, newest first. */
  replays: {
    /** Id of the replay of failed webhook deliveries. */
    id: string
    /** Filter that selects the failed webhook deliveries to replay. */
    filter: Record<string, string>
    /** State of the replay of failed webhook deliveries: `queued`, `running` or `done`. */
    state: 'queued' | 'running' | 'done'
    /**
     * Number of failed webhook deliveries that matched the filter at the start of the replay.
     * Null before the start of the replay.
     */
    total: number | null
    /** Number of webhook deliveries that the replay has replayed so far. */
    replayed: number
    /** Time at which the replay of failed webhook deliveries was requested (ISO 8601). */
    createdAt: string
    /**
     * Time at which the replay of failed webhook deliveries started (ISO 8601). Null before the
     * start of the replay.
     */
    startedAt: string | null
    /**
     * Time at which the replay of failed webhook deliveries ended (ISO 8601). Null before the
     * end of the replay.
     */
    finishedAt: string | null
  }[]
}

/** Parameters and body of `getWebhookDelivery`. */
export interface GetWebhookDeliveryInput {
  /** Id of the webhook delivery. */
  delivery: string
}

/** Result of `getWebhookDelivery`. */
export interface GetWebhookDeliveryResult {
  /** Id of the webhook delivery, sent in the header `X-SVC-Wh-Id`. */
  id: string
  /** Id of the delivered event, sent in the header `X-SVC-Wh-Event-Id`. */
  eventId: string
  /** Name of the delivered event, such as `messageNew`. */
  event: string
  /** Id of the account of the delivered event. */
  account: string
  /** Webhook target of the delivery: `default`, `account`, or the id of a webhook route. */
  target: string
  /** URL of the webhook target without login and query. */
  address: string
  /**
   * State of the webhook delivery. `due`: waiting for an attempt, or in progress; `delivered`:
   * accepted by the target; `failed`: all attempts failed; `dropped`: target or event no longer
   * exists.
   */
  state: 'due' | 'delivered' | 'failed' | 'dropped'
  /** Number of attempts to deliver the webhook so far. */
  attempts: number
  /** Time at which the webhook delivery was created (ISO 8601). */
  queuedAt: string
  /** Time of the next attempt to deliver the webhook (ISO 8601). Null if no attempt follows. */
  nextAttemptAt: string | null
  /**
   * Time at which the webhook delivery reached a final state (ISO 8601). Null in the state
   * `due`.
   */
  finishedAt: string | null
  /**
   * Outcome of the last attempt to deliver the webhook: class of the HTTP status, such as `2xx`
   * or `http-5xx`, or a network error, such as `dns`. Null before the first attempt.
   */
  lastOutcome: string | null
  /**
   * HTTP status of the response to the last attempt to deliver the webhook. Null if the webhook
   * target did not respond.
   */
  lastStatus: number | null
  /**
   * Text of the error of the last attempt to deliver the webhook, at most 500 characters. Null
   * after a success.
   */
  lastError: string | null
  /**
   * Beginning of the body of the response to the last attempt to deliver the webhook, at most
   * 2,000 characters. Null if the webhook target did not respond.
   */
  lastResponse: string | null
  /**
   * Id of the failed webhook delivery that this delivery replays. Null if this delivery is not
   * a replay.
   */
  replayOf: string | null
  /**
   * Time at which a replay of this webhook delivery was created (ISO 8601). Null if the webhook
   * delivery was not replayed.
   */
  replayedAt: string | null
  /**
   * Webhook body that is sent to the target. Null if the event was deleted after its retention
   * period.
   */
  payload: unknown
  /**
   * True if the payload is null because the person has not activated the right to read mail.
   * Only in responses to the administration pages.
   */
  payloadHidden?: boolean
  /**
   * Attempts to deliver the webhook, oldest first. Contains only attempts that ended while the
   * setting `webhooksAttemptLog` was on.
   */
  log: {
    /** Number of this attempt to deliver the webhook. The first attempt is 1. */
    attempt: number
    /** Time at which this attempt to deliver the webhook ended (ISO 8601). */
    endedAt: string
    /** Duration of this attempt to deliver the webhook, in milliseconds. */
    durationMs: number
    /**
     * Outcome of this attempt to deliver the webhook: class of the HTTP status, such as `2xx`
     * or `http-5xx`, or a network error, such as `dns`.
     */
    outcome: string
    /**
     * HTTP status of the response to this attempt to deliver the webhook. Null if the webhook
     * target did not respond.
     */
    status: number | null
    /** Text of the error of this attempt to deliver the webhook. Null after a success. */
    error: string | null
    /**
     * Beginning of the body of the response to this attempt to deliver the webhook, at most
     * 2,000 characters. Null if the webhook target did not respond.
     */
    response: string | null
  }[]
  /** Ids of the webhook deliveries that replay this webhook delivery. */
  replays: string[]
}

/** Parameters and body of `getWebhookReplay`. */
export interface GetWebhookReplayInput {
  /** Id of the replay of failed webhook deliveries. */
  replay: string
}

/** Result of `getWebhookReplay`. */
export interface GetWebhookReplayResult {
  /** Id of the replay of failed webhook deliveries. */
  id: string
  /** Filter that selects the failed webhook deliveries to replay. */
  filter: Record<string, string>
  /** State of the replay of failed webhook deliveries: `queued`, `running` or `done`. */
  state: 'queued' | 'running' | 'done'
  /**
   * Number of failed webhook deliveries that matched the filter at the start of the replay.
   * Null before the start of the replay.
   */
  total: number | null
  /** Number of webhook deliveries that the replay has replayed so far. */
  replayed: number
  /** Time at which the replay of failed webhook deliveries was requested (ISO 8601). */
  createdAt: string
  /**
   * Time at which the replay of failed webhook deliveries started (ISO 8601). Null before the
   * start of the replay.
   */
  startedAt: string | null
  /**
   * Time at which the replay of failed webhook deliveries ended (ISO 8601). Null before the end
   * of the replay.
   */
  finishedAt: string | null
}

/** Parameters and body of `listWebhookDeliveries`. */
export interface ListWebhookDeliveriesInput {
  /** Webhook target of the delivery: `default`, `account`, or the id of a webhook route. */
  target?: string
  /** URL of the webhook target without login and query. */
  address?: string
  /** Name of the delivered event, such as `messageNew`. */
  event?: string
  /** Id of the account of the delivered event. */
  account?: string
  /**
   * Outcome of the last attempt to deliver the webhook, such as `http-5xx` or `dns`. Selects
   * webhook deliveries with this outcome.
   */
  outcome?: string
  /**
   * Earliest time of the final state of the selected webhook deliveries (ISO 8601), inclusive.
   * For the state `due`: earliest time of the next attempt.
   */
  since?: string
  /**
   * Latest time of the final state of the selected webhook deliveries (ISO 8601), exclusive.
   * For the state `due`: latest time of the next attempt.
   */
  until?: string
  /** State of the webhook deliveries to list. Defaults to `failed`. */
  state?: 'due' | 'delivered' | 'failed' | 'dropped'
  /** Value of `nextCursor` of the previous page. Absent: the first page is returned. */
  cursor?: string
  /** Maximum number of webhook deliveries per page. Defaults to 20. */
  pageSize?: number
}

/** Result of `listWebhookDeliveries`. */
export interface ListWebhookDeliveriesResult {
  /** Webhook deliveries of this page, latest first. */
  deliveries: {
    /** Id of the webhook delivery, sent in the header `X-SVC-Wh-Id`. */
    id: string
    /** Id of the delivered event, sent in the header `X-SVC-Wh-Event-Id`. */
    eventId: string
    /** Name of the delivered event, such as `messageNew`. */
    event: string
    /** Id of the account of the delivered event. */
    account: string
    /** Webhook target of the delivery: `default`, `account`, or the id of a webhook route. */
    target: string
    /** URL of the webhook target without login and query. */
    address: string
    /**
     * State of the webhook delivery. `due`: waiting for an attempt, or in progress;
     * `delivered`: accepted by the target; `failed`: all attempts failed; `dropped`: target or
     * event no longer exists.
     */
    state: 'due' | 'delivered' | 'failed' | 'dropped'
    /** Number of attempts to deliver the webhook so far. */
    attempts: number
    /** Time at which the webhook delivery was created (ISO 8601). */
    queuedAt: string
    /**
     * Time of the next attempt to deliver the webhook (ISO 8601). Null if no attempt follows.
     */
    nextAttemptAt: string | null
    /**
     * Time at which the webhook delivery reached a final state (ISO 8601). Null in the state
     * `due`.
     */
    finishedAt: string | null
    /**
     * Outcome of the last attempt to deliver the webhook: class of the HTTP status, such as
     * `2xx` or `http-5xx`, or a network error, such as `dns`. Null before the first attempt.
     */
    lastOutcome: string | null
    /**
     * HTTP status of the response to the last attempt to deliver the webhook. Null if the
     * webhook target did not respond.
     */
    lastStatus: number | null
    /**
     * Text of the error of the last attempt to deliver the webhook, at most 500 characters.
     * Null after a success.
     */
    lastError: string | null
    /**
     * Beginning of the body of the response to the last attempt to deliver the webhook, at most
     * 2,000 characters. Null if the webhook target did not respond.
     */
    lastResponse: string | null
    /**
     * Id of the failed webhook delivery that this delivery replays. Null if this delivery is
     * not a replay.
     */
    replayOf: string | null
    /**
     * Time at which a replay of this webhook delivery was created (ISO 8601). Null if the
     * webhook delivery was not replayed.
     */
    replayedAt: string | null
  }[]
  /** Cursor of the next page, for the parameter `cursor`. Null on the last page. */
  nextCursor: string | null
}

/** Parameters and body of `retryWebhookDelivery`. */
export interface RetryWebhookDeliveryInput {
  /** Id of the webhook delivery. */
  delivery: string
}

/** Result of `retryWebhookDelivery`. */
export interface RetryWebhookDeliveryResult {
  /** Id of the replay of failed webhook deliveries. */
  id: string
  /** Filter that selects the failed webhook deliveries to replay. */
  filter: Record<string, string>
  /** State of the replay of failed webhook deliveries: `queued`, `running` or `done`. */
  state: 'queued' | 'running' | 'done'
  /**
   * Number of failed webhook deliveries that matched the filter at the start of the replay.
   * Null before the start of the replay.
   */
  total: number | null
  /** Number of webhook deliveries that the replay has replayed so far. */
  replayed: number
  /** Time at which the replay of failed webhook deliveries was requested (ISO 8601). */
  createdAt: string
  /**
   * Time at which the replay of failed webhook deliveries started (ISO 8601). Null before the
   * start of the replay.
   */
  startedAt: string | null
  /**
   * Time at which the replay of failed webhook deliveries ended (ISO 8601). Null before the end
   * of the replay.
   */
  finishedAt: string | null
}

/** Parameters and body of `createWebhookRoute`. */
export interface CreateWebhookRouteInput {
  /** Body of the request. */
  body: {
    /**
     * Id of the new webhook route. Default: a generated id. If the id exists, nothing changes
     * and `created` is false. The ids `default` and `account` are reserved.
     */
    id?: string
    /** Name of the webhook route. */
    name: string
    /**
     * URL that receives the webhooks of the route. A login in the URL is sent as HTTP Basic
     * authentication.
     */
    targetUrl: string
    /** Description of the webhook route for operators. */
    description?: string | null
    /** If true, the webhook route delivers events. If false, no event is delivered. */
    enabled?: boolean
    /**
     * Additional HTTP headers of webhook requests of the route. Values are stored encrypted.
     * The mask `******` as a value keeps the stored value.
     */
    customHeaders?: KeyValue[]
    /** Filter function (`fn`) and map function (`map`) of the webhook route. */
    content?: {
      /**
       * Filter function of the webhook route: body of a JavaScript function with the parameters
       * `payload` (webhook body), `logger` and `env`. Events for which the function returns
       * true are delivered. Null or blank: all events are delivered.
       */
      fn?: string | null
      /**
       * Map function of the webhook route: body of a JavaScript function with the parameters
       * `payload` (webhook body), `logger` and `env`. The function returns the webhook body to
       * deliver. Null or blank: `payload` is delivered unchanged.
       */
      map?: string | null
    }
    /**
     * Time at which the webhook route is deleted (ISO 8601), for routes of programs that extend
     * the time while they run. Must be in the future. Null or absent: the webhook route does
     * not expire.
     */
    expiresAt?: string | null
  }
}

/** Result of `createWebhookRoute`. */
export interface CreateWebhookRouteResult {
  /** Id of the webhook route. */
  id: string
  /** False if the chosen id existed already. Nothing was changed then. */
  created: boolean
}

/** Parameters and body of `deleteWebhookRoute`. */
export interface DeleteWebhookRouteInput {
  /** Id of the webhook route. */
  webhookRoute: string
}

/** Result of `deleteWebhookRoute`. */
export interface DeleteWebhookRouteResult {
  /** Id of the webhook route. */
  id: string
  /** Always true: a failed request gets an error response. */
  deleted: boolean
}

/** Parameters and body of `updateWebhookRoute`. */
export interface UpdateWebhookRouteInput {
  /** Id of the webhook route. */
  webhookRoute: string
  /** Body of the request. */
  body: {
    /** Name of the webhook route. */
    name?: string
    /**
     * URL that receives the webhooks of the route. A login in the URL is sent as HTTP Basic
     * authentication.
     */
    targetUrl?: string
    /** Description of the webhook route for operators. */
    description?: string | null
    /** If true, the webhook route delivers events. If false, no event is delivered. */
    enabled?: boolean
    /**
     * Additional HTTP headers of webhook requests of the route. Values are stored encrypted.
     * The mask `******` as a value keeps the stored value.
     */
    customHeaders?: KeyValue[]
    /** Filter function (`fn`) and map function (`map`) of the webhook route. */
    content?: {
      /**
       * Filter function of the webhook route: body of a JavaScript function with the parameters
       * `payload` (webhook body), `logger` and `env`. Events for which the function returns
       * true are delivered. Null or blank: all events are delivered.
       */
      fn?: string | null
      /**
       * Map function of the webhook route: body of a JavaScript function with the parameters
       * `payload` (webhook body), `logger` and `env`. The function returns the webhook body to
       * deliver. Null or blank: `payload` is delivered unchanged.
       */
      map?: string | null
    }
    /**
     * Time at which the webhook route is deleted (ISO 8601), for routes of programs that extend
     * the time while they run. Must be in the future. Null or absent: the webhook route does
     * not expire.
     */
    expiresAt?: string | null
  }
}

/** Result of `updateWebhookRoute`. */
export interface UpdateWebhookRouteResult {
  /** Id of the webhook route. */
  id: string
  /** Always true: a failed request gets an error response. */
  updated: boolean
}

/** Parameters and body of `getWebhookRoute`. */
export interface GetWebhookRouteInput {
  /** Id of the webhook route. */
  webhookRoute: string
}

/** Result of `getWebhookRoute`. */
export interface GetWebhookRouteResult {
  /** Id of the webhook route. */
  id: string
  /** Name of the webhook route. */
  name: string
  /** Description of the webhook route for operators. Empty if there is no description. */
  description: string
  /** Time at which the webhook route was created (ISO 8601). */
  created: string
  /** Time of the last change of the webhook route (ISO 8601). */
  updated: string
  /** True if the webhook route delivers events. */
  enabled: boolean
  /**
   * Time at which the webhook route is deleted (ISO 8601). Null if the webhook route does not
   * expire.
   */
  expiresAt: string | null
  /** URL that receives the webhooks of the route, with a masked password. */
  targetUrl: string
  /** Number of webhook deliveries that the route has created. */
  tcount: number
  /**
   * Text of the error of the last failed delivery of the webhook route. Null after a success.
   */
  webhookErrorFlag: string | null
  /** Additional HTTP headers of webhook requests of the route, with masked values. */
  customHeaders: {
    /** Name of the HTTP header, such as `X-Tenant`. */
    key: string
    /** Masked value of the HTTP header: `******`. */
    value: string
  }[]
  /** Version of the webhook route. Each change increments the version. */
  v: number
  /** Filter function (`fn`) and map function (`map`) of the webhook route. */
  content: {
    /**
     * Source of the filter function of the webhook route. Null if there is no filter function.
     */
    fn: string | null
    /** Source of the map function of the webhook route. Null if there is no map function. */
    map: string | null
  }
}

/** Parameters and body of `listWebhookRouteErrors`. */
export interface ListWebhookRouteErrorsInput {
  /** Id of the webhook route. */
  webhookRoute: string
}

/** Result of `listWebhookRouteErrors`. */
export interface ListWebhookRouteErrorsResult {
  /** Id of the webhook route. */
  id: string
  /**
   * Latest errors of the filter function and the map function of the webhook route, newest
   * first. At most 20.
   */
  errors: {
    /**
     * Time at which the filter function or map function of the webhook route failed (ISO 8601).
     */
    created: string
    /**
     * Function of the webhook route that failed: `filter` (filter function) or `map` (map
     * function).
     */
    function: 'filter' | 'map'
    /** Text of the error of the filter function or map function of the webhook route. */
    message: string
    /**
     * Name of the event for which the filter function or map function of the webhook route
     * failed, such as `messageNew`.
     */
    event: string
    /**
     * Id of the account of the event for which the filter function or map function of the
     * webhook route failed.
     */
    account: string
    /**
     * Id of the event for which the filter function or map function of the webhook route
     * failed.
     */
    eventId: string
  }[]
}

/** Parameters and body of `listWebhookRoutes`. */
export interface ListWebhookRoutesInput {
  /** Number of the page to return. The first page, which is the default, is 0. */
  page?: number
  /** Maximum number of entries per page. Defaults to 20. */
  pageSize?: number
}

/** Result of `listWebhookRoutes`. */
export interface ListWebhookRoutesResult {
  /** Number of entries on all pages. */
  total: number
  /** Number of this page. The first page is 0. */
  page: number
  /** Number of pages at the requested page size. */
  pages: number
  /** Webhook routes of this page, oldest first. */
  webhooks: {
    /** Id of the webhook route. */
    id: string
    /** Name of the webhook route. */
    name: string
    /** Description of the webhook route for operators. Empty if there is no description. */
    description: string
    /** Time at which the webhook route was created (ISO 8601). */
    created: string
    /** Time of the last change of the webhook route (ISO 8601). */
    updated: string
    /** True if the webhook route delivers events. */
    enabled: boolean
    /**
     * Time at which the webhook route is deleted (ISO 8601). Null if the webhook route does not
     * expire.
     */
    expiresAt: string | null
    /** URL that receives the webhooks of the route, with a masked password. */
    targetUrl: string
    /** Number of webhook deliveries that the route has created. */
    tcount: number
    /**
     * Text of the error of the last failed delivery of the webhook route. Null after a success.
     */
    webhookErrorFlag: string | null
    /** Additional HTTP headers of webhook requests of the route, with masked values. */
    customHeaders: {
      /** Name of the HTTP header, such as `X-Tenant`. */
      key: string
      /** Masked value of the HTTP header: `******`. */
      value: string
    }[]
  }[]
}

/** Parameters and body of `testWebhookRoute`. */
export interface TestWebhookRouteInput {
  /** Body of the request. */
  body: {
    /** Filter function (`fn`) and map function (`map`) of the webhook route. */
    content: {
      /**
       * Filter function of the webhook route: body of a JavaScript function with the parameters
       * `payload` (webhook body), `logger` and `env`. Events for which the function returns
       * true are delivered. Null or blank: all events are delivered.
       */
      fn?: string | null
      /**
       * Map function of the webhook route: body of a JavaScript function with the parameters
       * `payload` (webhook body), `logger` and `env`. The function returns the webhook body to
       * deliver. Null or blank: `payload` is delivered unchanged.
       */
      map?: string | null
    }
    /**
     * Webhook body with which the filter function and the map function are tested. `eventId`
     * and `_route` are added if absent.
     */
    payload: Record<string, unknown>
  }
}

/** Result of `testWebhookRoute`. */
export interface TestWebhookRouteResult {
  /** True if the filter function of the webhook route accepts `payload`. */
  applies: boolean
  /**
   * Webhook body that the webhook route would deliver. Absent if the webhook route would
   * deliver nothing.
   */
  payload?: unknown
  /** Errors of the filter function and the map function of the webhook route. */
  errors: {
    /**
     * Function of the webhook route that failed: `filter` (filter function) or `map` (map
     * function).
     */
    function: 'filter' | 'map'
    /** Text of the error of the filter function or map function of the webhook route. */
    message: string
  }[]
  /** Lines that the filter function and the map function passed to `logger`, in order. */
  logs: string[]
  /** CPU time that the filter function and the map function used, in milliseconds. */
  usedMs: number
}

/** Parameters and body of `listWebhookTargets`. */
export interface ListWebhookTargetsInput {
  /** URL of the only webhook target to list, without login and query. */
  address?: string
  /** Value of `nextCursor` of the previous page. Absent: the first page is returned. */
  cursor?: string
  /** Maximum number of webhook targets per page. Defaults to 20. */
  pageSize?: number
}

/** Result of `listWebhookTargets`. */
export interface ListWebhookTargetsResult {
  /** Webhook targets of this page, sorted by address. */
  targets: {
    /** URL of the webhook target without login and query. */
    address: string
    /** True for the address of the default target, which is the setting `webhooks`. */
    isDefault: boolean
    /**
     * True if the setting `webhookTargets` pauses the address. Its deliveries stay due until
     * the end of the pause.
     */
    paused: boolean
    /**
     * Number of webhook deliveries in the state `due`: waiting for an attempt, or in progress.
     * Counting stops at 10,000.
     */
    due: number
    /**
     * Time from which the oldest waiting webhook delivery has been due (ISO 8601). Null if no
     * webhook delivery waits for a first or further attempt now.
     */
    oldestDueAt: string | null
    /**
     * Number of failed webhook deliveries that are stored and were not replayed. Counting stops
     * at 10,000.
     */
    failed: number
    /**
     * Numbers of the webhook deliveries whose last attempt ended in the last hour. Covers the
     * latest 10,000 of them.
     */
    lastHour: {
      /** Number of these webhook deliveries that the target accepted. */
      delivered: number
      /** Number of these webhook deliveries that failed permanently. */
      failed: number
      /** Number of these webhook deliveries that wait for a further attempt. */
      retried: number
      /**
       * Duration, in milliseconds, that 95 % of the last attempts of these webhook deliveries
       * did not exceed. Null without an attempt.
       */
      p95Ms: number | null
    }
    /**
     * Result of the attempt that ended last, of all stored webhook deliveries to this address.
     */
    lastResponse: {
      /** Id of the webhook delivery whose attempt ended last. */
      delivery: string
      /** Time at which the attempt ended (ISO 8601). */
      at: string
      /** Duration of the attempt, in milliseconds. */
      durationMs: number
      /**
       * Outcome of the attempt: class of the HTTP status, such as `2xx` or `http-5xx`, or a
       * network error, such as `dns`.
       */
      outcome: string | null
      /** HTTP status of the response. Null if the webhook target did not respond. */
      status: number | null
      /** Text of the error, at most 500 characters. Null after a success. */
      error: string | null
      /**
       * Beginning of the body of the response, at most 2,000 characters. Null if the webhook
       * target did not respond.
       */
      response: string | null
    } | null
  }[]
  /** Cursor of the next page, for the parameter `cursor`. Null on the last page. */
  nextCursor: string | null
}

/** Parameters and body of `testWebhookTarget`. */
export interface TestWebhookTargetInput {
  /**
   * Maximum time in milliseconds to wait for the response of the worker that serves the
   * account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.
   */
  timeout?: number
  /** Body of the request. */
  body?: {
    /**
     * URL of the webhook target. A login in the URL is sent as HTTP Basic authentication. The
     * headers of the setting `webhooksCustomHeaders` are sent only if the URL has the address
     * of the default target. Not together with `account`.
     */
    url?: string
    /**
     * Id of the account whose webhook target is tested: its own target, or the default target
     * if the account has none. Not together with `url`.
     */
    account?: string
  }
}

/** Result of `testWebhookTarget`. */
export interface TestWebhookTargetResult {
  /** True if the webhook target responded with a status from 200 to 299. */
  success: boolean
  /** URL of the tested webhook target without login and query. */
  address: string
  /** Id of the test event, sent in the header `X-SVC-Wh-Event-Id`. */
  eventId: string
  /**
   * Outcome of the test call: class of the HTTP status, such as `2xx` or `http-5xx`, or the
   * reason without a response, such as `dns`.
   */
  outcome: 
    | '2xx'
    | 'http-4xx'
    | 'http-5xx'
    | 'redirect-refused'
    | 'egress-blocked'
    | 'dns'
    | 'refused'
    | 'unreachable'
    | 'connect-timeout'
    | 'response-timeout'
    | 'tls'
    | 'reset'
    | 'protocol'
    | 'proxy-fault'
  /** HTTP status of the response. Absent if the webhook target did not respond. */
  status?: number
  /**
   * Beginning of the body of the response, at most 2,000 characters. Empty without a response.
   */
  response: string
  /** Text of the error of the test call, at most 500 characters. Absent with a response. */
  error?: string
  /** Names of custom headers that are not sent, because the names are reserved or invalid. */
  skippedHeaders: string[]
  /** Duration of the test call, in milliseconds. */
  durationMs: number
}
