import { domainToASCII } from 'node:url'
import { type CallHttp, fetchTexts } from './fetch-text.ts'
import type { Asked, AutoconfigAnswer, Found } from './found.ts'
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
export type Autoconfig = (email: string, signal: AbortSignal) => Promise<AutoconfigAnswer>

/** Asks all sources at the same time. The answer is that of the best one that knows both servers, else of the best that knows one. */
export function createAutoconfig({ call, dns, directory, timeoutMs }: AutoconfigDeps): Autoconfig {
  return async (email, given) => {
    const asked = takeApart(email)
    if (!asked) return { imap: false, smtp: false }
    using stop = stopAfter(timeoutMs)
    const signal = AbortSignal.any([stop.signal, given])
    const deps = { dns, directory, fetch: fetchTexts(call, signal) }
    const late = aborted(signal)
    const finds = sources.map(({ name, find }) =>
      Promise.race([find(asked, deps), late]).then(
        (found) => found && { name, found },
        () => undefined,
      ),
    )
    return answer(await best(finds))
  }
}

interface Named {
  name: string
  found: Found
}

/** In their order: a later one counts only when those before it have said that they do not know. */
async function best(finds: readonly Promise<Named | undefined>[]): Promise<Named | undefined> {
  let partial: Named | undefined
  for (const find of finds) {
    const named = await find
    if (named?.found.imap && named.found.smtp) return named
    partial ??= named
  }
  return partial
}

function answer(named: Named | undefined): AutoconfigAnswer {
  if (!named) return { imap: false, smtp: false }
  const { name, found } = named
  const { imap = false, smtp = false } = found
  const server = imap || smtp
  const appPassword = server && appPasswordFor(server.host)
  return { imap, smtp, ...(appPassword ? { appPassword } : {}), _source: name }
}

function takeApart(email: string): Asked | undefined {
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
