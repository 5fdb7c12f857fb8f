import { createHash, timingSafeEqual } from 'node:crypto'
import type { MailApiWatches, WatchListener } from '@posthorn/backends/mail-api'
import { apiAccountTypes, type Provider } from '@posthorn/contracts/account-types'
import type {
  NotifiedMessage,
  ProviderNotification,
} from '@posthorn/contracts/commands/notifications'
import type { Logger } from '@posthorn/telemetry'
import type { ApiWatchRow } from '../store/api/watches.ts'
import type { AccountLease } from '../store/lease.ts'

const minuteMs = 60_000
/**
 * A watch (registration for notifications) counts as silent if no notification has followed a
 * change for this time.
 */
const silentMs = 5 * minuteMs
/** Minimum delay between replacements of a silent watch (registration for notifications). */
const replaceMs = 60 * minuteMs

/**
 * Delay between the end of the connection on which the client listens for notifications and the
 * renewal of the watch (registration for notifications).
 */
const reconnectMs = 30_000
/**
 * Maximum difference between two expiry times of a watch (registration for notifications) that
 * count as equal.
 */
const clockMs = minuteMs

/** Outcome of handling a mail provider's notification of changes, as counted by the metrics. */
export type WatchOutcome = 'accepted' | 'forged'

/**
 * State of one account's watch (registration for notifications) in memory. Takes little memory: a
 * hash of 32 bytes and a few times. All other data of the watch are in Postgres.
 */
export class AccountWatch {
  account: WatchedAccount
  /**
   * True between two connections of the account session. Meanwhile notifications are collected, but
   * the watch (registration for notifications) is not renewed.
   */
  isPaused = false
  /**
   * Stored row of the account's watch (registration for notifications). Null if no watch is stored,
   * undefined until the row is loaded.
   */
  row: ApiWatchRow | null | undefined
  /**
   * Hash of the secret of the watch (registration for notifications) that is being created at the
   * provider. A notification with this secret may arrive before the provider's response to the
   * registration.
   */
  pendingHash: Buffer | undefined
  /** Time at which the watch (registration for notifications) is renewed next, in epoch ms. */
  renewAt: number
  /** Number of consecutive failures to register for notifications or renew the registration. */
  failures = 0
  isRenewing = false
  /** True while a new watch (registration for notifications) is created; false during a renewal. */
  isCreating = false
  /** True if the watch must be replaced: the provider ended it or sends no notifications. */
  isLost = false
  /** Time of the mail provider's last notification of mailbox changes. Stored periodically. */
  notifiedAt: Date | undefined
  /** Controller whose abort ends the connection on which the client listens for notifications. */
  #listening = new AbortController()
  /** Expiry time of the registration whose renewal the provider last requested. */
  #expiringAt = 0
  #replacedAt = -Infinity
  /** Time of the earliest reported change of the mailbox that no notification has followed. */
  #unannouncedAt: Date | undefined

  constructor(account: WatchedAccount, now: number) {
    this.account = account
    this.renewAt = now
  }

  isActive(now: number): boolean {
    return this.row?.state === 'active' && !this.isLost && this.row.expiresAt.getTime() > now
  }

  /**
   * True if the provider refuses to send notifications; see `WatchHandle.isRefused`. Always false
   * for a mailbox with labels, because polling its single feed (list of changes) is cheap.
   */
  get isRefused(): boolean {
    const { placement } = apiAccountTypes[this.account.provider].mailbox
    return placement === 'folder' && this.row?.state === 'failed'
  }

  /** Handles a notification of the provider. A forged notification has no effect. */
  receive(notification: ProviderNotification, now: number): WatchOutcome {
    const { kind, secretHash, isOwn, messages, expiresAt } = notification
    if (!this.#isGenuine(secretHash)) return 'forged'
    if (!isOwn) this.notifiedAt = new Date(now)
    // A notification that this service published itself shows that the application's Pub/Sub topic
    // exists now. An inactive watch is renewed.
    else if (!this.isActive(now)) this.renewAt = now
    if (kind === 'changed') this.account.onNotification(kind, messages)
    if (kind === 'missed') this.account.onNotification(kind)
    if (kind === 'expiring') this.#onExpiring(now, expiresAt)
    if (kind === 'removed') this.#replace(now)
    return 'accepted'
  }

  /**
   * Creates the listener for the notifications of a new watch (registration at a mail provider).
   * Ends the connection of an earlier watch.
   */
  startListening(now: () => number): WatchListener {
    this.#listening.abort()
    this.#listening = new AbortController()
    const { signal: until } = this.#listening
    return {
      until,
      onNotification: (kind, messages) => {
        if (until.aborted) return
        this.notifiedAt = new Date(now())
        this.account.onNotification(kind, messages)
      },
    }
  }

  /**
   * Renews the account's watch (registration for notifications) once the connection on which the
   * client listens has ended.
   */
  renewOnce(ended: Promise<unknown>, now: () => number): void {
    const { signal: until } = this.#listening
    const renew = () => {
      if (until.aborted || !this.row) return
      this.renewAt = now() + reconnectMs
      Object.assign(this.row, { expiresAt: new Date(now()), renewAt: new Date(this.renewAt) })
    }
    void ended.then(renew, renew)
  }

  /**
   * Requests a sync after a watch (registration for notifications) was created, to find changes
   * from before its creation.
   */
  catchUp(wasLost: boolean): void {
    this.#unannouncedAt = undefined
    this.account.onNotification(wasLost ? 'missed' : 'changed')
  }

  /**
   * Marks the watch (registration for notifications) as lost, because notifications have no
   * destination any more.
   */
  endWithoutDestination(renewAt: number): void {
    if (this.row?.remoteId) this.isLost = true
    this.renewAt = renewAt
  }

  reportUnannounced(changedAt: Date, now: number): void {
    // Without an active watch (registration for notifications), missing notifications are expected
    // and are not recorded.
    if (!this.isActive(now)) return void (this.#unannouncedAt = undefined)
    const notifiedAt = this.notifiedAt ?? this.row?.lastNotifiedAt ?? undefined
    const unannounced = [this.#unannouncedAt, changedAt].filter((time) => time !== undefined)
    const silentSince = unannounced
      .filter((time) => !(notifiedAt && notifiedAt > time))
      .sort(byTime)
    this.#unannouncedAt = silentSince[0]
    const isSilent = now - Number(silentSince[0]) > silentMs
    if (!isSilent || now - this.#replacedAt < replaceMs) return
    this.#replacedAt = now
    this.#unannouncedAt = undefined
    this.#replace(now)
  }

  /**
   * Pauses renewals of the watch (registration for notifications), unless the watch belongs to a
   * later session of the account by now.
   */
  pause(account: WatchedAccount): void {
    if (this.account === account) this.isPaused = true
  }

  /**
   * Continues renewals of the watch (registration for notifications) for the next connection of the
   * account. Schedules due renewals.
   */
  resume(account: WatchedAccount, now: number): void {
    this.account = account
    this.isPaused = false
    if (this.row !== undefined)
      this.renewAt = this.isLost ? now : (this.row?.renewAt.getTime() ?? now)
  }

  close(): void {
    this.#listening.abort()
  }

  /**
   * Schedules a renewal of the watch when the provider reports the watch as expiring. Acts only
   * once per expiry time, because Microsoft sends such reports in bursts. Ignores a report of an
   * earlier expiry time, because another worker may have renewed the watch.
   */
  #onExpiring(now: number, reported: string | undefined): void {
    const expiresAt = this.row?.expiresAt.getTime() ?? 0
    const isLate = reported !== undefined && Date.parse(reported) < expiresAt - clockMs
    if (isLate || this.#expiringAt === expiresAt) return
    this.#expiringAt = expiresAt
    this.renewAt = now
  }

  #replace(now: number): void {
    this.isLost = true
    this.renewAt = now
  }

  /**
   * True if the secret of a mail provider's notification matches the watch. A notification without
   * a secret is accepted if its transport has authenticated the provider.
   */
  #isGenuine(secretHash: string | undefined): boolean {
    const { authentication } = apiAccountTypes[this.account.provider].notifications
    if (secretHash === undefined) return authentication === 'sender'
    const hash = Buffer.from(secretHash, 'base64url')
    const own = [this.row?.clientStateHash, this.pendingHash]
    return own.some((each) => each?.length === hash.length && timingSafeEqual(each, hash))
  }
}

function byTime(one: Date, other: Date): number {
  return one.getTime() - other.getTime()
}

/**
 * Computes the SHA-256 of the secret in a mail provider's notifications. Only this hash is stored
 * and compared.
 */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** Account whose mail provider can notify. Implemented by the session or driver of the account. */
export interface WatchedAccount {
  readonly lease: AccountLease
  /** Registration time of the account in epoch milliseconds, a part of event ids. */
  readonly registeredAt: number
  readonly provider: Provider
  /**
   * Creates the client that registers watches with this account as destination. Undefined if
   * notifications have no destination, because the public URL or the application for Pub/Sub is
   * missing. The account is then polled.
   *
   * @throws AppError
   */
  openWatches(): Promise<MailApiWatches | undefined>
  /**
   * Called for each notification of the provider. `changed`: the feeds (lists of changes) of the
   * named messages, or all feeds if no message is named, must be read soon. `missed`: notifications
   * may have been lost, so all messages must be compared.
   */
  onNotification(reason: SyncReason, messages?: readonly NotifiedMessage[]): void
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/** Reason for a sync that follows a notification of a mail provider. */
export type SyncReason = 'changed' | 'missed'

/**
 * Handle of the watch (registration for notifications) of an account. Disposal ends the work of
 * this worker on the watch, but not the watch at the provider.
 */
export interface WatchHandle extends Disposable {
  /** True while the provider sends notifications, so that a long poll interval is sufficient. */
  readonly isActive: boolean
  /**
   * True while the provider refuses notifications and the mailbox has many feeds (lists of changes)
   * to poll.
   */
  readonly isRefused: boolean
  /** Id of the watch at the provider. Stays readable after disposal of the handle. */
  readonly remoteId: string | undefined
  /**
   * Reports a change that a poll found without a notification, with the time of the change. If the
   * provider has sent no notification for 5 min after such a change, the watch (registration for
   * notifications) is replaced, at most once an hour.
   */
  reportUnannounced(changedAt: Date): void
  /**
   * Suspends renewals of the account's registration for notifications until the account is added
   * again.
   */
  pause(): void
}
