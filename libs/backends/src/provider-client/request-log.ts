import { messageOf } from '@posthorn/errors'
import { ProviderError } from '@posthorn/net/provider-error'
import type { ProviderHttp, ProviderRequest } from '@posthorn/net/provider-http'
import type { OpenRequestLog } from '../mail-api/access.ts'
import type { TranscriptLine } from '../mail-session.ts'

/**
 * Text that replaces an upload address in logs. An upload address of a mail provider needs no
 * login, so it must be kept as secret as a login.
 */
const uploadAddress = '(upload address)'

/**
 * HTTP client that writes each request to a mail provider to a protocol log: method and address,
 * then status and time, or the failure. Headers and bodies are left out.
 */
export function logRequests(http: ProviderHttp, openLog: OpenRequestLog): ProviderHttp {
  return {
    open: (request) => logRequest(openLog(), request, () => http.open(request)),
    json: (request) => logRequest(openLog(), request, () => http.json(request)),
    upload: (request) =>
      logRequest(openLog(), { ...request, url: uploadAddress }, () => http.upload(request)),
  }
}

async function logRequest<T extends { status: number }>(
  write: (line: TranscriptLine) => void,
  { method = 'GET', url }: Pick<ProviderRequest, 'method' | 'url'>,
  send: () => Promise<T>,
): Promise<T> {
  // Lines of the log of provider requests are marked as lines after the login, which the owner of
  // the account may read: the destination is chosen by the operator's OAuth2 application, not by
  // the owner.
  const say = (from: TranscriptLine['from'], text: string) =>
    write({ at: new Date(), from, text, afterLogin: true })
  const startedAt = performance.now()
  const duration = () => `after ${Math.round(performance.now() - startedAt)} ms`
  say('client', `${method} ${url}`)
  try {
    const response = await send()
    say('server', `${response.status} ${duration()}`)
    return response
  } catch (error) {
    if (error instanceof ProviderError) {
      const status = error.code === undefined ? error.status : `${error.status} ${error.code}`
      say('server', `${status} ${duration()}: ${error.message}`)
    } else say('us', `no response ${duration()}: ${messageOf(error)}`)
    throw error
  }
}
