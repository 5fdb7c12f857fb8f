import { ConfigError, type Env, list } from '@posthorn/config'
import { type OriginMap, parseOrigin } from '@posthorn/net/origin-map'

const name = 'SVC_PROVIDER_ORIGINS'

/**
 * Reads the pairs `<origin>=<origin>` in `SVC_PROVIDER_ORIGINS`. Requests to the first origin of a
 * pair are sent to the second origin, including their tokens. Only for tests with fake providers.
 *
 * @throws ConfigError for a text that is not an origin, and for an origin that is mapped twice
 */
export function readProviderOrigins(env: Env): OriginMap {
  const origins: Record<string, string> = {}
  for (const pair of list(env, name) ?? []) {
    const [from, to, ...rest] = pair.split('=').map((text) => parseOrigin(text.trim()))
    if (from === undefined || to === undefined || rest.length > 0 || from in origins)
      throw new ConfigError(
        name,
        `must be pairs of origins such as https://a.example=http://b.example:8080, got "${pair}"`,
      )
    origins[from] = to
  }
  return origins
}
