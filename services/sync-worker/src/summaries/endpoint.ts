import type { MessageSummary } from '@posthorn/contracts'
import type { CallResult, HttpCaller } from '@posthorn/net'
import { readAnswer } from './answer.ts'
import type { SummaryInput } from './input.ts'
import {
  type Dialect,
  type ModelSettings,
  otherDialect,
  questionFor,
  usualDialect,
} from './question.ts'

/**
 * What came of asking. `declined`: it did not like this question (400, 413, 422); `refused`: nor would it any other (all other 4xx); `limited`: 429; `broken`:
 * 5xx; `nonsense`: an answer that is no summary, or a longer one than is read; `unreachable`: everything without an answer.
 */
export type Asked = { outcome: 'made'; summary: MessageSummary } | Failed

export interface Failed {
  outcome: 'declined' | 'refused' | 'limited' | 'broken' | 'nonsense' | 'unreachable'
  /** For as long the endpoint asked to be left alone. */
  retryAfterMs: number
}

/** An answer is a few kilobytes; a longer one is cut, and then it is no JSON. */
export const maxAnswerBytes = 256 * 1024
const maxRefusal = 4_096

export interface Endpoint {
  ask(
    input: SummaryInput,
    settings: ModelSettings,
    using: { key: string | undefined; signal: AbortSignal },
  ): Promise<Asked>
}

/** Asks endpoints of OpenAI's kind. One that refuses the form of a question is asked once more in another, which is remembered. */
export function openEndpoint(http: Pick<HttpCaller, 'call'>): Endpoint {
  let known: { of: string; dialect: Dialect } | undefined

  return {
    async ask(input, settings, { key, signal }) {
      const of = `${settings.openAiAPIUrl} ${settings.openAiModel}`
      let dialect = known?.of === of ? known.dialect : usualDialect
      for (;;) {
        const question = questionFor(input, settings, { dialect, key })
        const result = await http.call({ ...question, signal })
        const other = otherDialect(dialect, refusalOf(result), settings)
        if (!other) return askedOf(result)
        dialect = other
        known = { of, dialect }
      }
    },
  }
}

/** What an endpoint says that did not like the form of a question. */
function refusalOf({ status, body }: CallResult): string {
  return status === 400 || status === 422 ? body.subarray(0, maxRefusal).toString('utf8') : ''
}

const declines = [400, 413, 422]

function askedOf({ status, error, body, headers }: CallResult): Asked {
  const retryAfterMs = retryAfterOf(headers['retry-after'])
  if (status === undefined || error !== undefined) return { outcome: 'unreachable', retryAfterMs }
  if (status === 429) return { outcome: 'limited', retryAfterMs }
  if (status >= 500) return { outcome: 'broken', retryAfterMs }
  if (status !== 200)
    return { outcome: declines.includes(status) ? 'declined' : 'refused', retryAfterMs }
  const summary = readAnswer(body.toString('utf8'))
  return summary ? { outcome: 'made', summary } : { outcome: 'nonsense', retryAfterMs }
}

/** RFC 9110 §10.2.3, in seconds; a date is not worth a second clock. */
function retryAfterOf(value: string | undefined): number {
  return value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) * 1_000 : 0
}
