import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import {
  type Db,
  type MailProxyReport,
  removeLostMailProxies,
  removeMailProxy,
  reportMailProxy,
} from '@posthorn/db'
import { type Clock, monotonicClock, runPeriodically, settleWithin } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { ListenerReport } from './listener-report.ts'

/** Table `mail_proxies`, to which the replicas of the mail proxies report. */
export interface ReportStore {
  /** Stores the report of a replica of a mail proxy, instead of its previous report. */
  report(report: MailProxyReport): Promise<void>
  /**
   * Removes the reports of those replicas of the mail proxies that have not reported for a minute.
   */
  removeLost(): Promise<void>
  /** Removes the report of a replica of a mail proxy that stops. */
  remove(id: string): Promise<void>
}

/** Store in Postgres of the reports of mail proxy replicas. Each call is one SQL statement. */
export function reportStore(db: Db): ReportStore {
  return {
    report: (report) => reportMailProxy(db, report),
    removeLost: () => removeLostMailProxies(db),
    remove: (id) => removeMailProxy(db, id),
  }
}

export interface StateReportOptions {
  store: ReportStore
  log: Logger
  service: MailProxyReport['service']
  sessions: { readonly size: number }
  /** Reads the state of the listener for mail clients; undefined until the state is known. */
  readListener: () => ListenerReport | undefined
  /** Time between two reports of a mail proxy if its listener does not change; defaults to 10 s. */
  everyMs?: number
  /** Time between two checks for changes of the mail listener; defaults to 1 s. */
  checkMs?: number
  clock?: Clock
}

/**
 * Maximum time for which a shutdown waits for Postgres to remove the report of the mail proxy
 * replica.
 */
const maxRemovalMs = 1_000

/**
 * Starts to report the state of this mail proxy replica to Postgres: every 10 s, and within 1 s
 * after a change of the listener. A failed report is repeated after 10 s. The SQL statements run
 * one after the other, so that a pool with one connection is sufficient. Without Postgres the
 * reports are missing, and nothing else changes. Disposal removes the report, and waits for
 * Postgres for at most 1 s.
 */
export function startStateReports({
  store,
  log,
  service,
  sessions,
  readListener,
  everyMs = 10_000,
  checkMs = 1_000,
  clock = monotonicClock,
}: StateReportOptions): AsyncDisposable {
  const replica = { id: randomUUID(), service, hostName: hostname() }
  let last: { key: string; at: number } | undefined
  let isFailing = false
  const loop = runPeriodically({ everyMs: checkMs, log, name: 'state report' }, async () => {
    const listener = readListener()
    if (!listener) return
    const key = JSON.stringify(listener)
    const isDue = last === undefined || clock() - last.at >= everyMs
    // A failed report about the mail listener is repeated at the next interval, so that reports
    // take no connections from logins while Postgres is slow.
    if (!isDue && (isFailing || last?.key === key)) return
    last = { key, at: clock() }
    try {
      await store.report({ ...replica, ...listener, sessions: sessions.size })
      await store.removeLost()
      isFailing = false
    } catch (err) {
      if (!isFailing) log.warn({ err }, 'reporting the replica state failed, will retry')
      isFailing = true
    }
  })
  return {
    async [Symbol.asyncDispose]() {
      const remove = async () => {
        await loop[Symbol.asyncDispose]()
        if (last) await store.remove(replica.id)
      }
      // Without Postgres, the report of this mail proxy replica remains, and another replica
      // removes it after a minute.
      await settleWithin(remove(), maxRemovalMs)
    },
  }
}
