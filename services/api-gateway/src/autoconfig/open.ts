import { Resolver } from 'node:dns/promises'
import { createHttpCaller, type EgressPolicy, type HttpProxy } from '@posthorn/net'
import { type Autoconfig, createAutoconfigLookup } from './autoconfig.ts'

/** For all sources of one answer together: mail programs have people wait no longer. */
const timeoutMs = 5_000
/** Of one document; larger ones are cut, and then they are none. */
const maxResponseBytes = 64 * 1024

export interface AutoconfigOptions {
  directory: string | undefined
  policy: EgressPolicy
  proxy: () => Promise<HttpProxy | undefined>
}

/** Autoconfig over the Internet as it is. */
export function createAutoconfig(
  opened: AsyncDisposableStack,
  { directory, policy, proxy }: AutoconfigOptions,
): Autoconfig {
  const http = opened.use(createHttpCaller({ policy, proxy, timeoutMs, maxResponseBytes }))
  const dns = new Resolver({ timeout: 2_000, tries: 2 })
  return createAutoconfigLookup({ call: http.call, dns, directory, timeoutMs })
}
