import { ConfigError, type Env, optional } from '@posthorn/config'

/**
 * Reads `SVC_ADMIN_URL`: the origin at which browsers reach the administration pages, such as
 * `https://admin.example.com`. The pages are below its path `/admin/`. Undefined if not set.
 * @throws ConfigError for anything else than an origin
 */
export function readAdminUrl(env: Env): string | undefined {
  const name = 'SVC_ADMIN_URL'
  const text = optional(env, name)?.replace(/\/$/, '')
  if (text === undefined) return undefined
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== text)
    throw new ConfigError(name, 'must be an origin such as https://admin.example, without path')
  return text
}
