import type { MessageSummary } from '@posthorn/contracts/schemas/summary'
import type { CallResult, HttpCaller } from '@posthorn/net/http-caller'
import {
  alternativeDialect,
  buildChatRequest,
  defaultDialect,
  type Dialect,
  type ModelSettings,
  parseSummary,
} from './chat-completion.ts'
import type { SummaryInput } from './input.ts'

export type SummaryResponse = { outcome: 'made'; summary: MessageSummary } | SummaryFailure

/**
 * Failed request for a message summary. `declined`: rejected because of this message (400, 413,
 * 422); `refused`: other 4xx or redirect; `limited`: 429; `broken`: 5xx; `invalid-response`: no
 * summary in the response, or a response that is too long; `unreachable`: no complete response.
 */
export interface SummaryFailure {
  outcome: 'declined' | 'refused' | 'limited' | 'broken' | 'invalid-response' | 'unreachable'
  /**
   * Delay in the Retry-After header of the endpoint for message summaries, in milliseconds. 0 if
   * the header is absent.
   */
  retryAfterMs: number
}

/**
 * Maximum bytes of a response with a message summary. A longer response is cut, so its JSON is
 * invalid.
 */
export const maxResponseBytes = 256 * 1024
const maxRejectionBytes = 4_096

export type SummaryEndpoint = ReturnType<typeof createEndpoint>

/**
 * Creates the client of an OpenAI-compatible endpoint. If the endpoint rejects the API dialect of a
 * request, repeats the request in another dialect. Caches the accepted dialect for each endpoint
 * and model.
 */
export function createEndpoint(http: Pick<HttpCaller, 'call'>) {
  let last: { target: string; dialect: Dialect } | undefined

  return {
    async summarise(
      input: SummaryInput,
      settings: ModelSettings,
      { key, signal }: { key: string | undefined; signal: AbortSignal },
    ): Promise<SummaryResponse> {
      const target = `${settings.openAiAPIUrl} ${settings.openAiModel}`
      let dialect = last?.target === target ? last.dialect : defaultDialect
      for (;;) {
        const request = buildChatRequest(input, settings, { dialect, key })
        const result = await http.call({ ...request, signal })
        const alternative = alternativeDialect(dialect, rejectionText(result), settings)
        if (!alternative) return classifyResponse(result)
        dialect = alternative
        last = { target, dialect }
      }
    },
  }
}

function rejectionText({ status, body }: CallResult): string {
  const isRejection = status === 400 || status === 422
  return isRejection ? body.subarray(0, maxRejectionBytes).toString('utf8') : ''
}

const messageSpecificStatuses = [400, 413, 422]

function classifyResponse({ status, error, body, headers }: CallResult): SummaryResponse {
  const retryAfterMs = parseRetryAfter(headers['retry-after'])
  if (status === undefined || error !== undefined) return { outcome: 'unreachable', retryAfterMs }
  if (status === 429) return { outcome: 'limited', retryAfterMs }
  if (status >= 500) return { outcome: 'broken', retryAfterMs }
  if (status !== 200) {
    const isMessageSpecific = messageSpecificStatuses.includes(status)
    return { outcome: isMessageSpecific ? 'declined' : 'refused', retryAfterMs }
  }
  const summary = parseSummary(body.toString('utf8'))
  return summary ? { outcome: 'made', summary } : { outcome: 'invalid-response', retryAfterMs }
}

/** Parses a Retry-After header (RFC 9110 §10.2.3), seconds only; a date is ignored. */
function parseRetryAfter(value: string | undefined): number {
  return value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) * 1_000 : 0
}
