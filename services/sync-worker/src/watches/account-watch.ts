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
/** Age of a change without a notification from which a watch counts as silent. */
const silentMs = 5 * minuteMs
/** Minimum delay between replacements of a silent watch (registration for notifications). */
const replaceMs = 60 * minuteMs

/** Delay until a watch is renewed after the connection on which the client listened has ended. */
const reconnectMs = 30_000
/** Maximum difference between two spellings of one expiry of a watch. */
const clockMs = minuteMs

/** Result of a provider's notification, as counted by the metrics. */
export type WatchOutcome = 'accepted' | 'forged'

/**
 * State of one account's watch (registration for notifications) in memory: a hash of 32 bytes and a
 * few times. All other data of the watch is in Postgres.
 */
export class AccountWatch {
  account: WatchedAccount
  /**
   * True between two connections of the account session: notifications are collected, and the watch
   * is not renewed.
   */
  isPaused = false
  /**
   * Stored registration of the watch; null without a registration, undefined until the registration
   * is loaded.
   */
  row: ApiWatchRow | null | undefined
  /** Hash of a secret that is being registered: notifications may precede the response. */
  pendingHash: Buffer | undefined
  /** Time of the next renewal of the watch, in epoch milliseconds. */
  renewAt: number
  /** Number of consecutive failures to register or renew the watch. */
  failures = 0
  isRenewing = false
  /** True while a watch is created, instead of renewed. */
  isCreating = false
  /** True if the provider ended the watch, or is silent: another watch has to be created. */
  isLost = false
  /** Time of the provider's last notification that is not stored yet. */
  notifiedAt: Date | undefined
  /** Aborts to end the connection on which the client listens for notifications. */
  #listening = new AbortController()
  /** Expiry of the watch for which the provider has requested a renewal. */
  #expiringAt = 0
  #replacedAt = -Infinity
  /** Time of the earliest reported change without a notification since. */
  #unannouncedAt: Date | undefined

  constructor(account: WatchedAccount, now: number) {
    this.account = account
    this.renewAt = now
  }

  isActive(now: number): boolean {
    return this.row?.state === 'active' && !this.isLost && this.row.expiresAt.getTime() > now
  }

  /**
   * True if the provider refuses to notify; see `WatchHandle.isRefused`. False for a mailbox with
   * labels, whose single feed (list of changes) costs little to poll.
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
    // A notification by this service means that the application's Pub/Sub topic exists now.
    else if (!this.isActive(now)) this.renewAt = now
    if (kind === 'changed') this.account.onNotification(kind, messages)
    if (kind === 'missed') this.account.onNotification(kind)
    if (kind === 'expiring') this.#onExpiring(now, expiresAt)
    if (kind === 'removed') this.#replace(now)
    return 'accepted'
  }

  /** Creates the listener of a new watch. The connection of an earlier watch ends. */
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

  /** Renews the watch once the connection on which the client listens has ended. */
  renewOnce(ended: Promise<unknown>, now: () => number): void {
    const { signal: until } = this.#listening
    const renew = () => {
      if (until.aborted || !this.row) return
      this.renewAt = now() + reconnectMs
      Object.assign(this.row, { expiresAt: new Date(now()), renewAt: new Date(this.renewAt) })
    }
    void ended.then(renew, renew)
  }

  /** Requests a sync after the watch was created: earlier changes were not announced. */
  catchUp(wasLost: boolean): void {
    this.#unannouncedAt = undefined
    this.account.onNotification(wasLost ? 'missed' : 'changed')
  }

  /** Lets the account be polled: there is no destination for notifications any more. */
  endWithoutDestination(renewAt: number): void {
    if (this.row?.remoteId) this.isLost = true
    this.renewAt = renewAt
  }

  reportUnannounced(changedAt: Date, now: number): void {
    // Without an active watch, no change is announced.
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

  /** Pauses the watch unless a later account session has resumed the watch. */
  pause(account: WatchedAccount): void {
    if (this.account === account) this.isPaused = true
  }

  /** Continues the watch for the session's next connection. A due or failed renewal starts. */
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
   * Schedules a renewal of the watch once per expiry, because Microsoft sends the requests in
   * bursts. A request about an earlier expiry is late: another worker may have renewed the watch.
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
   * True if a notification is genuine. A notification without a hash is genuine if its transport
   * has authenticated the provider.
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

/** SHA-256 of a secret, in the form that is stored and compared. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** Account whose mail provider can notify. Implemented by the session or driver of the account. */
export interface WatchedAccount {
  readonly lease: AccountLease
  /** Time of the account's registration, part of event ids. Epoch milliseconds. */
  readonly registeredAt: number
  readonly provider: Provider
  /**
   * Creates the client of watches whose destination is this account. Undefined if notifications
   * have no destination: without a public URL, or without an application for Pub/Sub. The account
   * is then polled.
   *
   * @throws AppError
   */
  openWatches(): Promise<MailApiWatches | undefined>
  /**
   * Called for each notification of the provider. `changed`: read the feeds (lists of changes) of
   * these messages soon, or all feeds without named messages. `missed`: changes may have been lost,
   * so compare all messages.
   */
  onNotification(reason: SyncReason, messages?: readonly NotifiedMessage[]): void
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/** Reason for a sync after a notification. */
export type SyncReason = 'changed' | 'missed'

/**
 * Watch (registration for notifications) of an account of this worker. Disposal ends the local
 * work, not the watch.
 */
export interface WatchHandle extends Disposable {
  /** True while the provider sends notifications, so that polling can be slow. */
  readonly isActive: boolean
  /** True while the provider refuses to notify and the mailbox has many feeds to poll. */
  readonly isRefused: boolean
  /** Id of the watch at the provider. Also available after disposal. */
  readonly remoteId: string | undefined
  /**
   * Reports a change that a poll detected and no notification had announced, with the time of the
   * change. If the provider has been silent about this change or an earlier one for 5 min, the
   * watch is replaced, at most once an hour.
   */
  reportUnannounced(changedAt: Date): void
  /** Ends renewals of the watch until the account is added again. Notifications go on. */
  pause(): void
}
