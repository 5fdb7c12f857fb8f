import type { MessageSummary } from '@posthorn/contracts'
import type { CallResult, HttpCaller } from '@posthorn/net'
import { parseSummary } from './parse-summary.ts'
import type { SummaryInput } from './input.ts'
import {
  type Dialect,
  type ModelSettings,
  alternativeDialect,
  buildChatRequest,
  defaultDialect,
} from './chat-request.ts'

/**
 * What came of asking. `declined`: it did not like this question (400, 413, 422); `refused`: nor would it any other (all other 4xx); `limited`: 429; `broken`:
 * 5xx; `nonsense`: an answer that is no summary, or a longer one than is read; `unreachable`: everything without an answer.
 */
export type SummaryResponse = { outcome: 'made'; summary: MessageSummary } | SummaryFailure

export interface SummaryFailure {
  outcome: 'declined' | 'refused' | 'limited' | 'broken' | 'nonsense' | 'unreachable'
  /** For as long the endpoint asked to be left alone. */
  retryAfterMs: number
}

/** An answer is a few kilobytes; a longer one is cut, and then it is no JSON. */
export const maxResponseBytes = 256 * 1024
const maxRejectionBytes = 4_096

export interface SummaryEndpoint {
  summarise(
    input: SummaryInput,
    settings: ModelSettings,
    using: { key: string | undefined; signal: AbortSignal },
  ): Promise<SummaryResponse>
}

/** Asks endpoints of OpenAI's kind. One that refuses the form of a question is asked once more in another, which is remembered. */
export function createEndpoint(http: Pick<HttpCaller, 'call'>): SummaryEndpoint {
  let known: { of: string; dialect: Dialect } | undefined

  return {
    async summarise(input, settings, { key, signal }) {
      const of = `${settings.openAiAPIUrl} ${settings.openAiModel}`
      let dialect = known?.of === of ? known.dialect : defaultDialect
      for (;;) {
        const question = buildChatRequest(input, settings, { dialect, key })
        const result = await http.call({ ...question, signal })
        const other = alternativeDialect(dialect, rejectionText(result), settings)
        if (!other) return classifyResponse(result)
        dialect = other
        known = { of, dialect }
      }
    },
  }
}

/** What an endpoint says that did not like the form of a question. */
function rejectionText({ status, body }: CallResult): string {
  return status === 400 || status === 422
    ? body.subarray(0, maxRejectionBytes).toString('utf8')
    : ''
}

const messageSpecificStatuses = [400, 413, 422]

function classifyResponse({ status, error, body, headers }: CallResult): SummaryResponse {
  const retryAfterMs = parseRetryAfter(headers['retry-after'])
  if (status === undefined || error !== undefined) return { outcome: 'unreachable', retryAfterMs }
  if (status === 429) return { outcome: 'limited', retryAfterMs }
  if (status >= 500) return { outcome: 'broken', retryAfterMs }
  if (status !== 200)
    return {
      outcome: messageSpecificStatuses.includes(status) ? 'declined' : 'refused',
      retryAfterMs,
    }
  const summary = parseSummary(body.toString('utf8'))
  return summary ? { outcome: 'made', summary } : { outcome: 'nonsense', retryAfterMs }
}

/** RFC 9110 §10.2.3, in seconds; a date is not worth a second clock. */
function parseRetryAfter(value: string | undefined): number {
  return value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) * 1_000 : 0
}
