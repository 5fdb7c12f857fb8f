import type { Agents } from './agents.ts'
import type { EgressPolicy } from './egress.ts'

/** A proxy that calls go through, and where it may be. */
export interface HttpProxy {
  url: string
  egress: EgressPolicy
}

/** What settings say of it. */
export interface ProxySettings {
  httpProxyEnabled?: boolean
  httpProxyUrl?: string
}

export interface ProxyOptions {
  egress: EgressPolicy
  otherwise?: HttpProxy | undefined
  /** Makes of the address in the settings the one to use. Where it rejects, no call is made. */
  open: (address: string) => Promise<string>
}

/**
 * The proxy that the settings name now, else `otherwise`. While they cannot be read, what they said last holds: calls that were to go
 * through a proxy must not go past it since a database is away.
 */
export function proxyOfSettings(
  read: () => Promise<ProxySettings>,
  { egress, otherwise, open }: ProxyOptions,
): () => Promise<HttpProxy | undefined> {
  let known: ProxySettings = {}
  return async () => {
    known = await read().catch(() => known)
    const { httpProxyEnabled = false, httpProxyUrl } = known
    return httpProxyEnabled && httpProxyUrl ? { url: await open(httpProxyUrl), egress } : otherwise
  }
}

interface Way {
  proxy: HttpProxy | undefined
  agents: Agents
  /** Calls in hand. */
  calls: number
}

export interface Ways extends Disposable {
  /** The agents of the moment; to be released when the call has ended. */
  take(): Promise<{ agents: Agents; release: () => void }>
}

/**
 * Keeps agents for the proxy of the moment. When it changes, the next call goes the other way; those in hand end as they began, and with
 * the last of them their connections are closed.
 */
export function followProxy(
  current: () => Promise<HttpProxy | undefined>,
  open: (proxy: HttpProxy | undefined) => Agents,
): Ways {
  const ways = new Set<Way>()
  let latest: Way | undefined
  const closeIfLeft = (way: Way) => {
    if (way === latest || way.calls > 0) return
    ways.delete(way)
    way.agents[Symbol.dispose]()
  }
  const wayThrough = (proxy: HttpProxy | undefined): Way => {
    if (latest && latest.proxy?.url === proxy?.url) return latest
    const left = latest
    latest = { proxy, agents: open(proxy), calls: 0 }
    ways.add(latest)
    if (left) closeIfLeft(left)
    return latest
  }
  return {
    async take() {
      const way = wayThrough(await current())
      way.calls += 1
      return {
        agents: way.agents,
        release() {
          way.calls -= 1
          closeIfLeft(way)
        },
      }
    },
    [Symbol.dispose]() {
      for (const { agents } of ways) agents[Symbol.dispose]()
    },
  }
}
