import { defined } from '@posthorn/contracts/defined'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { optionsByAddress } from '@posthorn/contracts/target-address'
import type { SettingsCache } from '@posthorn/db'
import { type Backoff, backoff, fixedBackoff, Mutex } from '@posthorn/flow'

/** Options of the calls to a webhook target. */
export interface TargetOptions {
  /**
   * Maximum delays before the retries of a webhook delivery, in milliseconds, one per failed
   * attempt. Absent: the default schedule.
   */
  waitsMs?: readonly number[]
  /** Maximum concurrent calls of this process to the webhook target. */
  concurrency: number
  /** Maximum calls of this process to the webhook target per second. Absent: no limit. */
  rate?: number
  /** True if operators have paused the webhook target. */
  paused?: boolean
}

/** Number of attempts of a webhook delivery and the delays between the attempts. */
export interface RetrySchedule {
  /** Maximum attempts of a webhook delivery, including the first attempt. */
  attempts: number
  /** Delay after the n-th failed attempt of a webhook delivery, with n from 1. */
  delayMs: Backoff
}

export type AllTargetOptions = ReturnType<typeof targetOptions>

export interface OptionDefaults {
  concurrency: number
  /** Delay after the first failed attempt of a webhook delivery, before jitter. */
  retryBaseMs: number
}

/**
 * Maximum attempts of one webhook delivery, including the first attempt. Interface spec, "Limits".
 */
export const maxAttempts = 10
/**
 * Random part by which the delay before a retry of a webhook delivery is shortened. Jitter only
 * shortens the delay: clients may rely on the delay as an upper bound.
 */
const jitter = 0.2

/**
 * Retry schedule with the delays `waitsMs`, or the default schedule, whose delay doubles. With a
 * base of 5 s:
 *
 * | after attempt | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 |
 * |---|---|---|---|---|---|---|---|---|---|
 * | maximum delay in s | 5 | 10 | 20 | 40 | 80 | 160 | 320 | 640 | 1280 |
 *
 * The tenth attempt starts 34 to 43 minutes after the first attempt.
 */
export function createSchedule(
  waitsMs: readonly number[] | undefined,
  baseMs: number,
): RetrySchedule {
  return waitsMs
    ? { attempts: waitsMs.length + 1, delayMs: fixedBackoff(waitsMs, jitter) }
    : { attempts: maxAttempts, delayMs: backoff({ baseMs, jitter }) }
}

/**
 * Options of the calls to all webhook targets: defaults, settings for all targets, and settings for
 * the addresses of single targets.
 */
export function targetOptions(settings: SettingsCache, defaults: OptionDefaults) {
  let current = readOptions({}, defaults)
  let seen: Settings | undefined
  let onChange: () => Promise<void> = async () => undefined
  const refreshing = new Mutex()
  const optionsOf = (lane: string) => current.single.get(lane) ?? current.all
  return {
    /**
     * Returns the options for calls to the webhook targets of a lane (target address), from the
     * settings of the last refresh.
     */
    of: (lane: string): TargetOptions => optionsOf(lane).options,
    scheduleOf: (lane: string): RetrySchedule => optionsOf(lane).schedule,
    /** Lanes (target addresses) of the webhook targets that operators have paused. */
    get paused(): readonly string[] {
      return current.paused
    },
    /**
     * Sets the function that is called after a refresh has found changed settings. The next refresh
     * starts when the promise of the function has resolved.
     */
    onChange(listener: () => Promise<void>): void {
      onChange = listener
    },
    /**
     * Public address of this installation (setting `serviceUrl`). Undefined if no address is set.
     */
    get serviceUrl(): string | undefined {
      return seen?.serviceUrl || undefined
    },
    /**
     * Second prefix of the names of webhook headers (setting `webhooksHeaderAlias`). Undefined if
     * no prefix is set.
     */
    get headerAlias(): string | undefined {
      return seen?.webhooksHeaderAlias || undefined
    },
    /** True if each attempt of a webhook delivery is stored in the attempt log. */
    get logsAttempts(): boolean {
      return seen?.webhooksAttemptLog === true
    },
    refresh: (): Promise<void> =>
      refreshing.run(async () => {
        const now = await settings.get()
        if (now === seen) return
        seen = now
        current = readOptions(now, defaults)
        await onChange()
      }),
  }
}

function readOptions(settings: Settings, { concurrency, retryBaseMs }: OptionDefaults) {
  const { webhooksRetrySchedule, webhooksConcurrency, webhooksRate, webhookTargets } = settings
  const withSchedule = (options: TargetOptions) => ({
    options,
    schedule: createSchedule(options.waitsMs, retryBaseMs),
  })
  const all: TargetOptions = defined({
    concurrency: webhooksConcurrency ?? concurrency,
    rate: webhooksRate,
    waitsMs: toMs(webhooksRetrySchedule),
  })
  const single = new Map(
    [...optionsByAddress(webhookTargets)].map(([lane, entry]) => {
      const { concurrency, rate, retrySchedule, paused } = entry
      const own = defined({ concurrency, rate, waitsMs: toMs(retrySchedule), paused })
      return [lane, withSchedule({ ...all, ...own })] as const
    }),
  )
  const paused = [...single].flatMap(([lane, { options }]) => (options.paused ? [lane] : []))
  return { all: withSchedule(all), single, paused }
}

function toMs(seconds: readonly number[] | undefined): number[] | undefined {
  return seconds?.map((each) => each * 1_000)
}
