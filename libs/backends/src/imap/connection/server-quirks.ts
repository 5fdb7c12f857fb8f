import { TtlCache } from '@posthorn/flow'

/** Behaviour of one mail server that was observed with the IMAP commands IDLE and COMPRESS. */
export interface ServerQuirks {
  /** True after an IMAP server sent compressed data that cannot be decompressed. */
  sendsInvalidDeflate: boolean
  /** True after an IMAP server sent a continuation response to IDLE. */
  hasConfirmedIdle: boolean
  /** Number of IDLE commands to which an IMAP server sent no response. */
  unansweredIdles: number
}

/**
 * Maximum number of mail servers whose behaviour is cached. The least recently used server is
 * evicted.
 */
const maxServers = 1_000
/**
 * Number of unanswered IDLE commands after which an IMAP server counts as ignoring IDLE, unless it
 * has ever confirmed an IDLE. A single unanswered IDLE may be a network failure.
 */
const maxUnansweredIdles = 2

/**
 * Cache of the observed behaviour of mail servers, keyed by host and port. Later sessions use the
 * cached behaviour.
 */
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
