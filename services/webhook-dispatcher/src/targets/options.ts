import { defined } from '@posthorn/contracts/defined'
import type { Settings } from '@posthorn/contracts/settings/settings'
import type { SettingsCache } from '@posthorn/db'
import { type Backoff, backoff, fixedBackoff } from '@posthorn/flow'
import { laneOf } from './targets.ts'

/** Options of the calls to a target. */
export interface TargetOptions {
  /** Maximum delays after each failed attempt, ms. Absent: the default schedule. */
  waitsMs?: readonly number[]
  /** Maximum concurrent calls of this process. */
  concurrency: number
  /** Maximum calls of this process per second. Absent: no limit. */
  rate?: number
}

/** Number of attempts of a delivery and the delays between the attempts. */
export interface RetrySchedule {
  /** Maximum attempts, including the first. */
  attempts: number
  /** Delay after the n-th failed attempt, from 1. */
  delayMs: Backoff
}

export type AllTargetOptions = ReturnType<typeof targetOptions>

export interface OptionDefaults {
  concurrency: number
  /** Delay after the first failed attempt, before jitter. */
  retryBaseMs: number
}

/** Attempts of one delivery, including the first. Interface spec, "Limits". */
export const maxAttempts = 10
/** Jitter only shortens: clients may rely on the delay as an upper bound. */
const jitter = 0.2

/**
 * Schedule with `waitsMs`, or the default schedule, whose delay doubles. With a base of 5 s:
 *
 * | after attempt | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 |
 * |---|---|---|---|---|---|---|---|---|---|
 * | maximum delay in s | 5 | 10 | 20 | 40 | 80 | 160 | 320 | 640 | 1280 |
 *
 * The tenth attempt starts 34 to 43 minutes after the first.
 */
export function createSchedule(
  waitsMs: readonly number[] | undefined,
  baseMs: number,
): RetrySchedule {
  return waitsMs
    ? { attempts: waitsMs.length + 1, delayMs: fixedBackoff(waitsMs, jitter) }
    : { attempts: maxAttempts, delayMs: backoff({ baseMs, jitter }) }
}

/** Options of all targets: defaults, settings for all, and settings for single addresses. */
export function targetOptions(settings: SettingsCache, defaults: OptionDefaults) {
  let current = readOptions({}, defaults)
  let seen: Settings | undefined
  const optionsOf = (lane: string) => current.single.get(lane) ?? current.all
  return {
    /** Options by lane, from the settings of the last refresh. */
    of: (lane: string): TargetOptions => optionsOf(lane).options,
    scheduleOf: (lane: string): RetrySchedule => optionsOf(lane).schedule,
    /** Public address of the installation. Undefined if no address is set. */
    get serviceUrl(): string | undefined {
      return seen?.serviceUrl || undefined
    },
    /** True if each attempt is stored in the attempt log. */
    get logsAttempts(): boolean {
      return seen?.webhooksAttemptLog === true
    },
    async refresh(): Promise<void> {
      const now = await settings.get()
      if (now === seen) return
      seen = now
      current = readOptions(now, defaults)
    },
  }
}

function readOptions(settings: Settings, { concurrency, retryBaseMs }: OptionDefaults) {
  const { webhooksRetrySchedule, webhooksConcurrency, webhooksRate, webhookTargets = [] } = settings
  const withSchedule = (options: TargetOptions) => ({
    options,
    schedule: createSchedule(options.waitsMs, retryBaseMs),
  })
  const all: TargetOptions = defined({
    concurrency: webhooksConcurrency ?? concurrency,
    rate: webhooksRate,
    waitsMs: toMs(webhooksRetrySchedule),
  })
  const single = webhookTargets.map(({ target, concurrency, rate, retrySchedule }) => {
    const own = defined({ concurrency, rate, waitsMs: toMs(retrySchedule) })
    return [laneOf({ url: target }), withSchedule({ ...all, ...own })] as const
  })
  return { all: withSchedule(all), single: new Map(single) }
}

function toMs(seconds: readonly number[] | undefined): number[] | undefined {
  return seconds?.map((each) => each * 1_000)
}
