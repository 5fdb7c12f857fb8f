/** What a server was seen to do, for the sessions to come. */
export interface Habits {
  /** It compressed what cannot be unpacked. */
  compressesNonsense: boolean
  /** It has been in IDLE. */
  idles: boolean
  /** So often it was asked to IDLE and said nothing more at all. */
  ignoredIdles: number
}

/** Remembers as many servers as this, the latest. */
const maxServers = 1_000
/** One silence may be that of a network; two, of a server that was never in IDLE, are its own. */
const maxIgnored = 2

export class ServerHabits {
  readonly #servers = new Map<string, Habits>()

  of({ host, port }: { host: string; port: number }): Habits {
    const server = `${host}:${port}`
    const known = this.#servers.get(server)
    if (known) return known
    const [oldest] = this.#servers.keys()
    if (oldest !== undefined && this.#servers.size >= maxServers) this.#servers.delete(oldest)
    const habits = { compressesNonsense: false, idles: false, ignoredIdles: 0 }
    this.#servers.set(server, habits)
    return habits
  }
}

/** Some servers offer IDLE and never answer it, not even with a refusal. */
export function ignoresIdle({ idles, ignoredIdles }: Habits): boolean {
  return !idles && ignoredIdles >= maxIgnored
}
