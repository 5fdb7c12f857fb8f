import type { Agents } from './agents.ts'
import type { EgressPolicy } from './egress.ts'

/** Proxy for outgoing HTTP calls, and the egress policy for the proxy's own address. */
export interface HttpProxy {
  url: string
  egress: EgressPolicy
}

/** Settings of the proxy for outgoing HTTP calls. */
interface ProxySettings {
  httpProxyEnabled?: boolean
  httpProxyUrl?: string
}

interface ProxySettingsOptions {
  egress: EgressPolicy
  /** Proxy for outgoing HTTP calls to use if the settings name no proxy. */
  fallback?: HttpProxy | undefined
  /** Unseals the login inside the stored proxy URL. If it rejects, no call is made. */
  unseal: (address: string) => Promise<string>
}

/**
 * Returns a function that reads the current proxy from the settings. If the settings cannot be
 * read, the last settings apply: a database outage must not make HTTP calls bypass the proxy.
 */
export function proxyFromSettings(
  read: () => Promise<ProxySettings>,
  { egress, fallback, unseal }: ProxySettingsOptions,
): () => Promise<HttpProxy | undefined> {
  let settings: ProxySettings = {}
  return async () => {
    settings = await read().catch(() => settings)
    const { httpProxyEnabled = false, httpProxyUrl } = settings
    return httpProxyEnabled && httpProxyUrl ? { url: await unseal(httpProxyUrl), egress } : fallback
  }
}

interface AgentUse {
  proxy: HttpProxy | undefined
  agents: Agents
  /** Number of HTTP calls in flight with the agents of a proxy. */
  calls: number
}

interface ProxyAgents extends Disposable {
  /**
   * Returns the agents of the current proxy. The caller releases the agents after the HTTP call.
   */
  acquire(): Promise<{ agents: Agents; release: () => void }>
}

/**
 * Creates the holder of the HTTP agents of the current proxy. After a change of the proxy the next
 * call uses new agents. Calls in flight finish on the old agents, whose connections are closed with
 * the last call.
 */
export function createProxyAgents(
  current: () => Promise<HttpProxy | undefined>,
  createAgents: (proxy: HttpProxy | undefined) => Agents,
): ProxyAgents {
  const uses = new Set<AgentUse>()
  let latest: AgentUse | undefined
  const closeIfUnused = (use: AgentUse) => {
    if (use === latest || use.calls > 0) return
    uses.delete(use)
    use.agents[Symbol.dispose]()
  }
  const useFor = (proxy: HttpProxy | undefined): AgentUse => {
    if (latest && latest.proxy?.url === proxy?.url) return latest
    const previous = latest
    latest = { proxy, agents: createAgents(proxy), calls: 0 }
    uses.add(latest)
    if (previous) closeIfUnused(previous)
    return latest
  }
  return {
    async acquire() {
      const use = useFor(await current())
      use.calls += 1
      return {
        agents: use.agents,
        release() {
          use.calls -= 1
          closeIfUnused(use)
        },
      }
    },
    [Symbol.dispose]() {
      for (const { agents } of uses) agents[Symbol.dispose]()
    },
  }
}
