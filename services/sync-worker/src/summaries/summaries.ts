import type { MessageSummary, Settings } from '@posthorn/contracts'
import { Slots } from '@posthorn/bus'
import { messageOf } from '@posthorn/errors'
import type { UnsealLogin } from '@posthorn/unseal'
import type { Logger } from '@posthorn/telemetry'
import type { ApiKeyCache } from './api-key.ts'
import type { SummaryResponse, SummaryEndpoint } from './endpoint.ts'
import type { SummaryInput } from './input.ts'
import { Pause } from './pause.ts'

/**
 * `left-alone`: the endpoint failed too often lately; `no-key`: neither a key nor an address is set, or auth-bridge does not say; `late`:
 * no answer in time, or no turn; `not-asked`: the mailbox had waited long enough for others.
 */
export type SummaryOutcome =
  | SummaryResponse['outcome']
  | 'late'
  | 'left-alone'
  | 'no-key'
  | 'not-asked'

export interface SummariesDeps {
  endpoint: SummaryEndpoint
  apiKey: ApiKeyCache
  openLogin: UnsealLogin
  /** For one summary, waiting for its turn included. */
  timeoutMs: number
  /** Asked for at the same time, of all accounts. */
  concurrency: number
  onOutcome: (outcome: SummaryOutcome, seconds: number) => void
  log: Logger
}

export interface Summaries {
  /** For one look at a mailbox. Ends early with the signal. */
  startBatch(signal: AbortSignal): SummaryBatch
  /** The settings have changed. */
  invalidate(): void
}

/** What a look at a mailbox asks for. However the endpoint behaves, it waits for little more than three times the time of one summary. */
export interface SummaryBatch {
  /** Never rejects: a message without a summary is told all the same. */
  request(input: SummaryInput, settings: Settings): Promise<MessageSummary | undefined>
  /** Waits for some that were asked for. */
  waitAll<T>(asked: readonly Promise<T>[]): Promise<T[]>
}

const timeoutsPerBatch = 3

/** Makes summaries of new messages, for as long as that holds up nobody. */
export function scheduleSummaries(deps: SummariesDeps): Summaries {
  const { apiKey, timeoutMs, onOutcome: told } = deps
  const pause = new Pause()
  const attempt = attempter(deps, pause)
  return {
    startBatch(signal) {
      let leftMs = timeoutsPerBatch * timeoutMs
      return {
        async request(input, settings) {
          if (leftMs > 0) return attempt({ input, settings }, signal)
          told('not-asked', 0)
          return undefined
        },
        async waitAll(asked) {
          const from = performance.now()
          const made = await Promise.all(asked)
          leftMs -= performance.now() - from
          return made
        },
      }
    },
    invalidate() {
      apiKey.invalidate()
      pause.reset()
    },
  }
}

/** What says nothing about the endpoint: whoever can make a model talk nonsense is not to take everybody's summaries away. */
const ofTheMessage = new Set<SummaryOutcome>(['no-key', 'declined', 'nonsense'])

type Attempt = SummaryResponse | { outcome: 'late' | 'left-alone' | 'no-key' }

function attempter(deps: SummariesDeps, pause: Pause) {
  const { timeoutMs, concurrency, onOutcome: told, log } = deps
  const slots = new Slots(concurrency)

  async function inTurn(wanted: Wanted, end: End): Promise<Attempt> {
    await slots.take(end.deadline)
    try {
      // Those that waited for their turn may have waited for nothing.
      if (!pause.begin()) return { outcome: 'left-alone' }
      const attempt = await askFor(deps, wanted, end)
      if (end.signal.aborted || ofTheMessage.has(attempt.outcome)) pause.gaveUp()
      else if (attempt.outcome === 'made') pause.answered()
      else pause.failed('retryAfterMs' in attempt ? attempt.retryAfterMs : 0)
      return attempt
    } finally {
      slots.release()
    }
  }

  return async (wanted: Wanted, signal: AbortSignal): Promise<MessageSummary | undefined> => {
    const from = performance.now()
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const attempt = await inTurn(wanted, { signal, deadline }).catch((err: unknown) => {
      log.debug({ reason: messageOf(err) }, 'a message is told of without a summary')
      return { outcome: 'late' } as const
    })
    if (!signal.aborted) told(attempt.outcome, (performance.now() - from) / 1_000)
    return attempt.outcome === 'made' ? attempt.summary : undefined
  }
}

interface Wanted {
  input: SummaryInput
  settings: Settings
}

interface End {
  /** Nobody wants to know any more. */
  signal: AbortSignal
  /** That, or the time is over. */
  deadline: AbortSignal
}

async function askFor(
  { endpoint, apiKey, openLogin, log }: SummariesDeps,
  { input, settings }: Wanted,
  { deadline }: End,
): Promise<Attempt> {
  try {
    const key = await apiKey.get()
    const { openAiAPIUrl: url } = settings
    if (key === undefined && !url) return { outcome: 'no-key' }
    const opened = url ? { ...settings, openAiAPIUrl: await openLogin(url) } : settings
    const asked = await endpoint.summarise(input, opened, { key, signal: deadline })
    return deadline.aborted && asked.outcome !== 'made' ? { outcome: 'late' } : asked
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'no summary can be asked for')
    return { outcome: 'unreachable', retryAfterMs: 0 }
  }
}
