import { gmailProjectUnits, gmailQuotas } from './gmail-quota.ts'

export const providers = ['gmail', 'graph'] as const
export type Provider = (typeof providers)[number]

/** Limits of a provider. A unit of Graph is one request. */
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
  /** Concurrent requests for one mailbox, by service. */
  workerConcurrency: number
  senderConcurrency: number
  /** Part of the units that senders have; sync-workers have the others. */
  senderPercent: number
  /** Units per operation, and of operations that the table does not list. */
  costs: Readonly<Record<string, number>>
  defaultCost: number
}

export type ProviderLimitTable = Readonly<Record<Provider, ProviderLimits>>

/** 10,000 requests in 10 min are documented; the rest is for requests outside of this limiter. */
const graphAccountRequests = 9_000
/** 150 MB in 5 min are documented; the rest is for small bodies, which are not counted. */
const graphUploadBytes = 140_000_000

/**
 * Published limits. Concurrency of Gmail is not published; requests are refused from 6 on. Graph
 * permits 4 per application and mailbox ("Microsoft Graph service-specific throttling limits").
 */
export const defaultProviderLimits: ProviderLimitTable = {
  gmail: {
    ...gmailQuotas.since2026,
    accountWindowMs: 60_000,
    applicationUnits: gmailProjectUnits,
    applicationWindowMs: 60_000,
    uploadWindowMs: 60_000,
    workerConcurrency: 4,
    senderConcurrency: 1,
    senderPercent: 25,
    defaultCost: 5,
  },
  graph: {
    accountUnits: graphAccountRequests,
    accountWindowMs: 600_000,
    applicationUnits: 130_000,
    applicationWindowMs: 10_000,
    uploadBytes: graphUploadBytes,
    uploadWindowMs: 300_000,
    workerConcurrency: 3,
    senderConcurrency: 1,
    senderPercent: 25,
    costs: {},
    defaultCost: 1,
  },
}
