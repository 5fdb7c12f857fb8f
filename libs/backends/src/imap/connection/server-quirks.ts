import { TtlCache } from '@posthorn/flow'

/** Observed behaviour of one mail server at the IMAP commands IDLE and COMPRESS. */
export interface ServerQuirks {
  /** True after an IMAP server sent compressed data that cannot be decompressed. */
  sendsInvalidDeflate: boolean
  /** True after an IMAP server sent a continuation response to IDLE. */
  hasConfirmedIdle: boolean
  /** Number of IDLE commands after which an IMAP server was silent. */
  unansweredIdles: number
}

/**
 * Maximum number of mail servers whose behaviour is cached. The least recently used server is
 * evicted.
 */
const maxServers = 1_000
/**
 * Number of unanswered IDLE commands after which an IMAP server that never confirmed an IDLE counts
 * as ignoring IDLE. A single unanswered IDLE may be a network failure.
 */
const maxUnansweredIdles = 2

/** Observed behaviour of mail servers, keyed by host and port. Shared by later sessions. */
export class QuirkCache {
  readonly #servers = new TtlCache<string, ServerQuirks>({ max: maxServers })

  get({ host, port }: { host: string; port: number }): ServerQuirks {
    return this.#servers.getOrCreate(`${host}:${port}`, () => ({
      sendsInvalidDeflate: false,
      hasConfirmedIdle: false,
      unansweredIdles: 0,
    }))
  }
}

/** True if the IMAP server advertises IDLE but neither confirms nor rejects it. */
export function ignoresIdle({ hasConfirmedIdle, unansweredIdles }: ServerQuirks): boolean {
  return !hasConfirmedIdle && unansweredIdles >= maxUnansweredIdles
}
