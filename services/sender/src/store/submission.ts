import type { ImapConfig, ImapDisabled, SmtpConfig } from '@posthorn/contracts/schemas/mail-server'
import type {
  Backend,
  DsnRequest,
  Filing,
  ProviderDraft,
  StoredDraft,
  StoredServer,
} from '@posthorn/db'

/** State of a submission. `leased` is a row in state `queued` with an unexpired lease. */
export type SubmissionState = 'queued' | 'leased' | 'held' | 'sent' | 'failed'

/**
 * Transitions of a submission, by state and trigger. The README lists the commit of each
 * transition.
 *
 * | state  | trigger    | next   | guard                                            |
 * |--------|------------|--------|--------------------------------------------------|
 * | queued | claim      | leased | due, attempts left; unknown outcome: sender ended |
 * | queued | hold       | held   | requested; no unknown outcome                    |
 * | queued | makeDue    | queued | requested; no unknown outcome                    |
 * | queued | reap       | failed | attempts used up, lease expired                  |
 * | held   | hold       | held   | requested                                        |
 * | held   | release    | queued | requested                                        |
 * | held   | makeDue    | queued | requested                                        |
 * | leased | renew      | leased | lease not taken over                             |
 * | leased | handOver   | leased | lease unexpired; precedes the end of data        |
 * | leased | cancel     | queued | the server has no message, or a mail API may     |
 * | leased | expire     | queued | lease not renewed                                |
 * | leased | accept     | sent   | all recipients accepted, or a copy found in Sent |
 * | leased | acceptPart | queued | recipients deferred, attempts left               |
 * | leased | continue   | queued | more recipients than the server takes at a time  |
 * | leased | retry      | queued | temporary failure, attempts left                 |
 * | leased | reject     | failed | permanent failure, or last attempt               |
 */
export const submissionTransitions = {
  queued: { claim: 'leased', hold: 'held', makeDue: 'queued', reap: 'failed' },
  held: { hold: 'held', release: 'queued', makeDue: 'queued' },
  leased: {
    renew: 'leased',
    handOver: 'leased',
    cancel: 'queued',
    expire: 'queued',
    accept: 'sent',
    acceptPart: 'queued',
    continue: 'queued',
    retry: 'queued',
    reject: 'failed',
  },
  sent: {},
  failed: {},
} as const satisfies Record<SubmissionState, Record<string, SubmissionState>>

type Transitions = typeof submissionTransitions

/** Input of the state machine: request of an operator, timer, or result of an attempt. */
export type SubmissionTrigger = { [S in SubmissionState]: keyof Transitions[S] }[SubmissionState]

/** Next state of a submission. Throws if the state does not allow the trigger. */
export function transition(state: SubmissionState, trigger: SubmissionTrigger): SubmissionState {
  const nextStates: Partial<Record<SubmissionTrigger, SubmissionState>> =
    submissionTransitions[state]
  const next = nextStates[trigger]
  if (next === undefined) throw new Error(`submission in state ${state} does not allow ${trigger}`)
  return next
}

/** Value of the column `state` after a transition. A lease is not part of the column. */
export function stateAfter(state: SubmissionState, trigger: SubmissionTrigger) {
  const next = transition(state, trigger)
  return next === 'leased' ? 'queued' : next
}

/**
 * Fencing token of a row: the process, and the attempt that the process counted. Each claim counts
 * one attempt.
 */
export interface OutboxLease {
  queueId: string
  worker: string
  attempt: number
}

/** Fencing token of a claimed row. */
export function leaseOf({ queueId, worker, attempt }: OutboxLease): OutboxLease {
  return { queueId, worker, attempt }
}

/** Lease of a message whose end of data is next. */
export interface Handover extends OutboxLease {
  /** Recipients that the server accepted. Null: all recipients of the envelope. */
  recipients: readonly string[] | null
}

/** Due row, with the fields that lanes need. */
export interface DueSubmission {
  queueId: string
  account: string
  /** Gateway that replaces the account's server. */
  gateway: string | null
  /** `host:port` of the server. Empty without a server. */
  host: string
  /** True if the submission is sent through the mail API of the account. */
  byApi: boolean
  bytes: number
  /**
   * True for a first attempt with retries left. Such a submission is safe to prefetch: a crash
   * costs one attempt.
   */
  fresh: boolean
  /** Sender of an unknown outcome. The row may be claimed once that sender has ended. */
  holder: string | null
}

/** Keys of lanes by kind. An account's lane of a gateway is `account\ngateway`. */
export interface LaneKeys {
  accounts: string[]
  gateways: string[]
  hosts: string[]
}

/** Claimed row. */
export interface Submission extends OutboxLease {
  account: string
  /** The account when the row was claimed. */
  sender: SendingAccount
  /** Gateway when the row was claimed. `server` is undefined if the gateway was deleted. */
  gateway: { name: string; server: SendingGateway | undefined } | undefined
  proxy: string | null
  localAddress: string | null
  dsn: DsnRequest | null
  messageId: string
  envelope: { from: string; to: string[] }
  mime: Buffer
  maxAttempts: number
  firstError: string | null
  /** True if an earlier handover has no recorded reply: the message may have been accepted. */
  maybeSent: boolean
  /**
   * Recipients that the server had accepted before the handover. Null: all recipients of
   * the envelope.
   */
  handedOver: string[] | null
  /** True if some recipients were accepted. Accepted recipients are no longer in the envelope. */
  partlySent: boolean
  /** List the recipient has unsubscribed from since the submission. */
  leftList: string | null
  /** Requested mailbox work after sending. */
  filing: Filing | null
  /** Draft at the provider. If the draft no longer exists after a release, the message was sent. */
  providerDraft: ProviderDraft | null
  /** Draft that the owner stored, to be released while it is unchanged. */
  storedDraft: StoredDraft | null
  /** True if an earlier attempt may have deposited a draft without committing its id. */
  mayHaveDraft: boolean
  /** Thread at the provider that the message continues. */
  providerThread: string | null
  useStructuredFormat: boolean
}

export interface SendingAccount {
  account: string
  backend: Backend
  imap: StoredServer<ImapConfig | ImapDisabled> | null
  smtp: StoredServer<SmtpConfig> | null
  /** True if a tenant has chosen `smtp`, which may be any host of the operator's network. */
  isTenantsServer: boolean
  /**
   * True if the account has OAuth2, which is the login of a server without separate credentials.
   */
  byOAuth2: boolean
  smtpEhloName: string | null
  proxy: string | null
  /** Whether copies go into Sent. Null: depends on the provider. */
  copy: boolean | null
  /** Rises with every change. Sessions of an older version are not reused. */
  version: string
}

/** Outgoing server that belongs to no account. */
export interface SendingGateway {
  host: string
  port: number
  secure: boolean
  /** Null: no login. */
  username: string | null
  /** Rises with every change, as the account's. */
  version: string
}
