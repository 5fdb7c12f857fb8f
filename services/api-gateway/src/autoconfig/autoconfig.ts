import { domainToASCII } from 'node:url'
import { type CallHttp, createFetchText } from './fetch-text.ts'
import type { AddressParts, AutoconfigResponse, AutoconfigResult } from './autoconfig-result.ts'
import { appPasswordFor } from './providers.ts'
import { type Dns, sources } from './sources.ts'

export interface AutoconfigDeps {
  /** Bounds time and size of each call, and says where it may go. */
  call: CallHttp
  dns: Dns
  directory: string | undefined
  /** For all sources together. */
  timeoutMs: number
}

/** Finds the mail servers of an address. */
export type Autoconfig = (email: string, signal: AbortSignal) => Promise<AutoconfigResponse>

/** Asks all sources at the same time. The answer is that of the best one that knows both servers, else of the best that knows one. */
export function createAutoconfigLookup({
  call,
  dns,
  directory,
  timeoutMs,
}: AutoconfigDeps): Autoconfig {
  return async (email, given) => {
    const asked = parseAddress(email)
    if (!asked) return { imap: false, smtp: false }
    using stop = stopAfter(timeoutMs)
    const signal = AbortSignal.any([stop.signal, given])
    const deps = { dns, directory, fetch: createFetchText(call, signal) }
    const late = aborted(signal)
    const finds = sources.map(({ name, find }) =>
      Promise.race([find(asked, deps), late]).then(
        (result) => result && { name, result },
        () => undefined,
      ),
    )
    return toResponse(await best(finds))
  }
}

interface SourceResult {
  name: string
  result: AutoconfigResult
}

/** In their order: a later one counts only when those before it have said that they do not know. */
async function best(
  finds: readonly Promise<SourceResult | undefined>[],
): Promise<SourceResult | undefined> {
  let partial: SourceResult | undefined
  for (const find of finds) {
    const named = await find
    if (named?.result.imap && named.result.smtp) return named
    partial ??= named
  }
  return partial
}

function toResponse(named: SourceResult | undefined): AutoconfigResponse {
  if (!named) return { imap: false, smtp: false }
  const { name, result: found } = named
  const { imap = false, smtp = false } = found
  const server = imap || smtp
  const appPassword = server && appPasswordFor(server.host)
  return { imap, smtp, ...(appPassword ? { appPassword } : {}), _source: name }
}

function parseAddress(email: string): AddressParts | undefined {
  const at = email.lastIndexOf('@')
  // Empty for what is no domain; an address in brackets has none.
  const domain = domainToASCII(email.slice(at + 1)).toLowerCase()
  if (!/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/.test(domain) || /\.\d+$/.test(domain)) return undefined
  return { email, local: email.slice(0, at), domain }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  if (signal.aborted) resolve(undefined)
  signal.addEventListener('abort', () => resolve(undefined), { once: true })
  return promise
}

/** Ends what is under way when the answer is there, or when it takes too long. */
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
