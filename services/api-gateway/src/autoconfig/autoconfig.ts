import { Resolver } from 'node:dns/promises'
import { domainToASCII } from 'node:url'
import type { Bus } from '@posthorn/bus'
import { defined } from '@posthorn/contracts/defined'
import type { SettingsCache } from '@posthorn/db'
import { abortable } from '@posthorn/flow'
import { createHttpCaller } from '@posthorn/net/http-caller'
import { proxyFromSettings } from '@posthorn/net/proxy-agents'
import { createLoginUnsealer } from '@posthorn/unseal'
import type { Config } from '../config.ts'
import type { AddressParts, AutoconfigResponse, AutoconfigResult } from './autoconfig-result.ts'
import { type CallHttp, createFetchText } from './fetch-text.ts'
import { appPasswordInstructions } from './app-passwords.ts'
import { type AppPassword, appPasswordFor } from './providers.ts'
import { type Dns, sources } from './sources.ts'

/** Timeout of all autoconfiguration sources together, similar to the timeout of mail clients. */
const timeoutMs = 5_000
/**
 * Maximum size of an autoconfiguration document. Larger documents are cut, so that they cannot be
 * parsed.
 */
const maxResponseBytes = 64 * 1024

/** Finds the IMAP and SMTP servers of an email address. */
export type Autoconfig = (email: string, signal: AbortSignal) => Promise<AutoconfigResponse>

export interface AutoconfigOptions {
  config: Config
  settings: SettingsCache
  bus: Bus
}

/** Creates the autoconfig lookup over the system's DNS resolvers and HTTP. */
export function createAutoconfig(
  stack: AsyncDisposableStack,
  { config, settings, bus }: AutoconfigOptions,
): Autoconfig {
  const { autoconfigDirectory: directory, autoconfigEgressPolicy: policy } = config
  const proxyOptions = { egress: config.proxyEgressPolicy, unseal: createLoginUnsealer(bus) }
  const proxy = proxyFromSettings(() => settings.get(), proxyOptions)
  const http = stack.use(createHttpCaller({ policy, proxy, timeoutMs, maxResponseBytes }))
  const dns = new Resolver({ timeout: 2_000, tries: 2 })
  return createAutoconfigLookup({ call: http.call, dns, directory, timeoutMs })
}

export interface AutoconfigDeps {
  /**
   * Sends an HTTP request of autoconfig. Limits time and size of each call and applies the egress
   * policy.
   */
  call: CallHttp
  dns: Dns
  directory: string | undefined
  /** Timeout of all autoconfiguration sources together. */
  timeoutMs: number
}

/**
 * Queries all autoconfiguration sources of an email address concurrently. Returns the result of the
 * best source with both mail servers, else of the best source with one server. A source that fails
 * or exceeds the timeout has no result.
 */
export function createAutoconfigLookup(options: AutoconfigDeps): Autoconfig {
  const { call, dns, directory } = options
  return async (email, callerSignal) => {
    const address = parseAddress(email)
    if (!address) return { imap: false, smtp: false }
    const done = new AbortController()
    const timeout = AbortSignal.timeout(options.timeoutMs)
    const signal = AbortSignal.any([done.signal, callerSignal, timeout])
    const deps = { dns, directory, fetch: createFetchText(call, signal) }
    const results = sources.map(({ name, find }) =>
      abortable(find(address, deps), signal).then(
        (result) => result && { name, result },
        () => undefined,
      ),
    )
    const best = await bestOf(results)
    // Aborts the queries of autoconfiguration sources that are still running.
    done.abort()
    return toResponse(best)
  }
}

interface SourceResult {
  name: string
  result: AutoconfigResult
}

/**
 * Awaits the autoconfiguration sources in order, so that a worse source wins only after the better
 * sources failed.
 */
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
  const appPassword = server ? describeAppPassword(appPasswordFor(server.host)) : undefined
  return { imap, smtp, ...defined({ appPassword }), _source: best.name }
}

function describeAppPassword(appPassword: AppPassword | undefined) {
  if (!appPassword) return undefined
  const { rule, ...described } = appPassword
  return { ...described, instructions: appPasswordInstructions[rule] }
}

function parseAddress(email: string): AddressParts | undefined {
  const at = email.lastIndexOf('@')
  // `domainToASCII` returns an empty text for an invalid email domain, including address literals
  // in brackets.
  const domain = domainToASCII(email.slice(at + 1)).toLowerCase()
  if (!/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/.test(domain) || /\.\d+$/.test(domain)) return undefined
  return { email, local: email.slice(0, at), domain }
}
