import type { Settings } from '@posthorn/contracts'
import type { SettingsCache } from '@posthorn/db'
import { laneOf } from './target.ts'

/** How a target is called. */
export interface TargetOptions {
  /** Milliseconds at most after each failed attempt; the last attempt follows the last of them. Absent: the interface's. */
  waitsMs?: readonly number[]
  /** Calls of this process at the same time. */
  concurrency: number
  /** Calls of this process in a second. Absent: as many as there are. */
  rate?: number
}

export interface AllTargetOptions {
  /** As the settings were when they were last looked at. */
  of(lane: string): TargetOptions
  /** Whether what came of single attempts is kept. */
  readonly logsAttempts: boolean
  refresh(): Promise<void>
}

/** What the settings say about targets, for all of them and for each by its address. */
export function targetOptions(
  settings: SettingsCache,
  fallback: { concurrency: number },
): AllTargetOptions {
  let known = read({}, fallback)
  let seen: Settings | undefined
  return {
    of: (lane) => known.single.get(lane) ?? known.all,
    get logsAttempts() {
      return seen?.webhooksAttemptLog === true
    },
    async refresh() {
      const now = await settings.get()
      if (now === seen) return
      seen = now
      known = read(now, fallback)
    },
  }
}

function read(settings: Settings, fallback: { concurrency: number }) {
  const { webhooksRetrySchedule, webhooksConcurrency, webhooksRate, webhookTargets = [] } = settings
  const all: TargetOptions = {
    concurrency: webhooksConcurrency ?? fallback.concurrency,
    ...(webhooksRate === undefined ? {} : { rate: webhooksRate }),
    ...(webhooksRetrySchedule ? { waitsMs: inMs(webhooksRetrySchedule) } : {}),
  }
  const single = webhookTargets.map(({ target, concurrency, rate, retrySchedule }) => {
    const options: TargetOptions = {
      ...all,
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(rate === undefined ? {} : { rate }),
      ...(retrySchedule ? { waitsMs: inMs(retrySchedule) } : {}),
    }
    return [laneOf({ url: target }), options] as const
  })
  return { all, single: new Map(single) }
}

function inMs(seconds: readonly number[]): number[] {
  return seconds.map((each) => each * 1_000)
}
