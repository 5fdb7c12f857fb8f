import type { Agents } from './agents.ts'
import type { EgressPolicy } from './egress.ts'

/** Proxy for outgoing HTTP calls, with an egress policy for the address of the proxy itself. */
export interface HttpProxy {
  url: string
  egress: EgressPolicy
}

/** Settings of the installation that configure the proxy for outgoing HTTP calls. */
interface ProxySettings {
  httpProxyEnabled?: boolean
  httpProxyUrl?: string
}

interface ProxySettingsOptions {
  egress: EgressPolicy
  /** Proxy for outgoing HTTP calls if the settings configure no proxy. */
  fallback?: HttpProxy | undefined
  /**
   * Unseals (decrypts) the login in the stored URL of the proxy for HTTP calls. If this fails, the
   * HTTP call is not made.
   */
  unseal: (address: string) => Promise<string>
}

/**
 * Returns a function that reads the current proxy for HTTP calls from the settings. If the settings
 * cannot be read, the previously read settings apply, so that HTTP calls do not bypass the proxy
 * during a database outage.
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
  /** Number of HTTP calls that are currently using the HTTP agents of a proxy. */
  calls: number
}

interface ProxyAgents extends Disposable {
  /**
   * Returns the HTTP agents for the current proxy of outgoing HTTP calls. The caller must call
   * `release` after its HTTP call.
   */
  acquire(): Promise<{ agents: Agents; release: () => void }>
}

/**
 * Creates an object that provides HTTP agents for the current proxy of outgoing HTTP calls. After
 * the proxy has changed, new calls use new agents. Calls in flight continue with the old agents,
 * whose connections are closed after the last of these calls.
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
