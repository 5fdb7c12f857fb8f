import { Resolver } from 'node:dns/promises'
import { domainToASCII } from 'node:url'
import { defined } from '@posthorn/contracts'
import { abortable } from '@posthorn/flow'
import { createHttpCaller, type EgressPolicy, type HttpProxy } from '@posthorn/net'
import type { AddressParts, AutoconfigResponse, AutoconfigResult } from './autoconfig-result.ts'
import { type CallHttp, createFetchText } from './fetch-text.ts'
import { appPasswordFor } from './providers.ts'
import { type Dns, sources } from './sources.ts'

/** Timeout of all sources together, similar to that of mail clients. */
const defaultTimeoutMs = 5_000
/** Maximum size of one document. Larger ones are truncated and therefore rejected. */
const maxResponseBytes = 64 * 1024

/** Finds the mail servers of an address. */
export type Autoconfig = (email: string, signal: AbortSignal) => Promise<AutoconfigResponse>

export interface AutoconfigOptions {
  directory: string | undefined
  policy: EgressPolicy
  proxy: () => Promise<HttpProxy | undefined>
}

/** Creates the autoconfig lookup over the system's DNS resolvers and HTTP. */
export function createAutoconfig(
  stack: AsyncDisposableStack,
  { directory, policy, proxy }: AutoconfigOptions,
): Autoconfig {
  const timeoutMs = defaultTimeoutMs
  const http = stack.use(createHttpCaller({ policy, proxy, timeoutMs, maxResponseBytes }))
  const dns = new Resolver({ timeout: 2_000, tries: 2 })
  return createAutoconfigLookup({ call: http.call, dns, directory, timeoutMs })
}

export interface AutoconfigDeps {
  /** Limits time and size of each call and applies the egress policy. */
  call: CallHttp
  dns: Dns
  directory: string | undefined
  /** Timeout of all sources together. */
  timeoutMs: number
}

/**
 * Queries all sources concurrently. Returns the result of the best source that has both servers,
 * or else of the best that has one. A source that fails or exceeds the timeout has no result.
 */
export function createAutoconfigLookup(options: AutoconfigDeps): Autoconfig {
  const { call, dns, directory, timeoutMs } = options
  return async (email, callerSignal) => {
    const address = parseAddress(email)
    if (!address) return { imap: false, smtp: false }
    using stop = stopAfter(timeoutMs)
    const signal = AbortSignal.any([stop.signal, callerSignal])
    const deps = { dns, directory, fetch: createFetchText(call, signal) }
    const results = sources.map(({ name, find }) =>
      abortable(find(address, deps), signal).then(
        (result) => result && { name, result },
        () => undefined,
      ),
    )
    return toResponse(await bestOf(results))
  }
}

interface SourceResult {
  name: string
  result: AutoconfigResult
}

/** Awaits the sources in order, so that a worse source wins only after the better ones failed. */
async function bestOf(
  results: readonly Promise<SourceResult | undefined>[],
): Promise<SourceResult | undefined> {
  let partial: SourceResult | undefined
  for (const promise of results) {
    const candidate = await promise
    if (candidate?.result.imap && candidate.result.smtp) return candidate
    partial ??= candidate
  }
  return partial
}

function toResponse(best: SourceResult | undefined): AutoconfigResponse {
  if (!best) return { imap: false, smtp: false }
  const { imap = false, smtp = false } = best.result
  const server = imap || smtp
  const appPassword = server ? appPasswordFor(server.host) : undefined
  return { imap, smtp, ...defined({ appPassword }), _source: best.name }
}

function parseAddress(email: string): AddressParts | undefined {
  const at = email.lastIndexOf('@')
  // Empty for an invalid domain, including address literals in brackets.
  const domain = domainToASCII(email.slice(at + 1)).toLowerCase()
  if (!/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/.test(domain) || /\.\d+$/.test(domain)) return undefined
  return { email, local: email.slice(0, at), domain }
}

/** Signal that aborts after `ms` or on disposal, which ends the queries that are still running. */
function stopAfter(ms: number): Disposable & { signal: AbortSignal } {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), ms)
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer)
      controller.abort()
    },
  }
}
