import type { ImapConfig, ImapDisabled, SmtpConfig } from '@posthorn/contracts/schemas/mail-server'
import type {
  Backend,
  DsnRequest,
  Filing,
  ProviderDraft,
  StoredDraft,
  StoredServer,
} from '@posthorn/db'

/**
 * Fencing token of an outbox row: the sender process, and the attempt that the process counted.
 * Each claim counts one attempt.
 */
export interface OutboxLease {
  queueId: string
  worker: string
  attempt: number
}

/** Returns the fencing token (sender process and attempt) of a claimed outbox row. */
export function leaseOf({ queueId, worker, attempt }: OutboxLease): OutboxLease {
  return { queueId, worker, attempt }
}

/** Outbox lease of a message that has been sent to the mail server except for the end of data. */
export interface Handover extends OutboxLease {
  /**
   * Recipients that the mail server accepted before the end of data. Null stands for all recipients
   * of the envelope.
   */
  recipients: readonly string[] | null
}

/**
 * Due outbox row, with the fields that decide whether a sender has capacity for its account,
 * gateway (shared SMTP server) and host.
 */
export interface DueSubmission {
  queueId: string
  account: string
  /**
   * Gateway (shared SMTP server) that replaces the account's outgoing server. Null without a
   * gateway.
   */
  gateway: string | null
  /** `host:port` of the outgoing server. Empty for a submission without an SMTP server. */
  host: string
  /** True if the submission is sent through the mail API of the account. */
  byApi: boolean
  bytes: number
  /**
   * True for a first attempt with retries left. Such a submission may be claimed before it can
   * start (prefetched): a crash costs one attempt.
   */
  fresh: boolean
  /**
   * Sender process that left the row with an unknown outcome. Another sender may claim the row once
   * that process has ended.
   */
  holder: string | null
}

/**
 * Keys of lanes by kind: accounts, gateways and hosts with limits of their own. The lane of an
 * account that uses a gateway has the key `{account}\n{gateway}`, with a line feed between the two.
 */
export interface LaneKeys {
  accounts: string[]
  gateways: string[]
  hosts: string[]
}

/** Outbox row claimed by a sender, with its account and gateway (shared SMTP server). */
export interface Submission extends OutboxLease {
  account: string
  /** Sending account as it was when the outbox row was claimed. */
  sender: SendingAccount
  /**
   * Gateway (shared SMTP server) as it was when the outbox row was claimed. `server` is undefined
   * if the gateway was deleted.
   */
  gateway: { name: string; server: SendingGateway | undefined } | undefined
  proxy: string | null
  localAddress: string | null
  dsn: DsnRequest | null
  messageId: string
  envelope: { from: string; to: string[] }
  /**
   * MIME of the message to send. Contains only the beginning of a message with more bytes
   * (`mimeBytes`), with the whole header section.
   */
  mime: Buffer
  /** Length in bytes of the whole message (MIME), also if only its beginning was read. */
  mimeBytes: number
  maxAttempts: number
  firstError: string | null
  /**
   * True if the reply to the end of data in an earlier attempt was not recorded: the server may
   * have accepted the message.
   */
  maybeSent: boolean
  /**
   * Recipients that the server had accepted before the last end of data was sent. Null stands for
   * all recipients of the envelope.
   */
  handedOver: string[] | null
  /**
   * True if the server accepted the message for some recipients in an earlier attempt. Accepted
   * recipients are no longer in the envelope.
   */
  partlySent: boolean
  /** Mailing list that the recipient has left since the message was submitted. */
  leftList: string | null
  /**
   * Mailbox work that the submission requests after the message is sent, such as a copy in the Sent
   * mailbox.
   */
  filing: Filing | null
  /**
   * Draft of the submission's message at the mail provider. If the draft no longer exists after its
   * release for sending, the message was sent.
   */
  providerDraft: ProviderDraft | null
  /**
   * Draft that the owner of the mailbox stored. The provider sends this draft if the draft is
   * unchanged; otherwise the submitted content is sent.
   */
  storedDraft: StoredDraft | null
  /**
   * True if an earlier attempt may have deposited a draft at the mail provider without committing
   * the draft's id.
   */
  mayHaveDraft: boolean
  /** Thread at the mail provider that the message continues. */
  providerThread: string | null
  useStructuredFormat: boolean
}

/** Account that sends a message: its servers, login and preferences. */
export interface SendingAccount {
  account: string
  backend: Backend
  imap: StoredServer<ImapConfig | ImapDisabled> | null
  smtp: StoredServer<SmtpConfig> | null
  /**
   * True if a tenant has chosen the SMTP server (`smtp`), which may be any host of the operator's
   * network.
   */
  isTenantsServer: boolean
  /**
   * True if the account has an OAuth2 login. That login is used at servers without separate
   * credentials.
   */
  byOAuth2: boolean
  smtpEhloName: string | null
  proxy: string | null
  /**
   * Preference for a copy of sent messages in the Sent mailbox. Null: a copy is stored unless the
   * mail server stores sent messages itself.
   */
  copy: boolean | null
  /**
   * Version of the account. Rises with every change of the account. SMTP sessions that were opened
   * for an older version are not reused.
   */
  version: string
}

/** Outgoing SMTP server (gateway) that belongs to no account. */
export interface SendingGateway {
  host: string
  port: number
  secure: boolean
  /**
   * Username of the login at the gateway (shared SMTP server). Null if the gateway needs no login.
   */
  username: string | null
  /**
   * Version of the settings of a gateway (shared SMTP server). Rises with every change of the
   * settings.
   */
  version: string
}
