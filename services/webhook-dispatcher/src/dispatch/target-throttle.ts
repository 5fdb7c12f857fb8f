import type { TargetOptions } from '../targets/options.ts'

export interface TargetThrottleOptions {
  optionsOf: (lane: string) => Pick<TargetOptions, 'concurrency' | 'rate'>
  /** The first pause of a target that does not answer; it doubles up to `maxPauseMs`. */
  pauseMs: number
  maxPauseMs: number
  now?: () => number
}

/** What a call showed of its target. */
export interface TargetFeedback {
  /** It answered, whatever it said. */
  answered: boolean
  /** It asked to be left alone for so long. */
  pauseMs?: number
}

/** When a target may be called. It only ever delays: no attempt is counted for what it holds back. */
export interface TargetThrottle {
  /** Calls at the same time, as things stand. */
  limit(lane: string): number
  /** Until the lane may be called; 0: now. */
  waitMs(lane: string): number
  /** Whether it is left alone for a while, and nothing more of it should be taken in hand. */
  isSuspended(lane: string): boolean
  suspended(): string[]
  onStart(lane: string): void
  onEnd(lane: string, verdict: TargetFeedback): void
}

interface State {
  /** Calls in a row without an answer. */
  strikes: number
  /** Pauses since the last answer. */
  pauses: number
  pausedUntil: number
  /** When the calls so far would have been made at an even pace. */
  pacedUntil: number
}

/** After so many calls in a row without an answer a lane gets one call at a time, so that many dead targets cannot use up the calls there are. */
const strikesToOne = 3
/** After so many it is left alone for a while, then tried by one call. */
const strikesToPause = 10
/** How far calls may run ahead of an even pace: timers are not exact. */
const aheadMs = 100
/** What a target asks for with `Retry-After` holds for its delivery; for the others of its lane as long as this. */
const maxAskedPauseMs = 60_000
/** States that say nothing any more are dropped when there are more than this. */
const maxStates = 10_000

export function createTargetThrottle({
  optionsOf,
  pauseMs,
  maxPauseMs,
  now = () => performance.now(),
}: TargetThrottleOptions): TargetThrottle {
  const states = new Map<string, State>()

  function stateOf(lane: string): State {
    const known = states.get(lane)
    if (known) return known
    if (states.size >= maxStates) forgetIdle(states, now())
    const made = { strikes: 0, pauses: 0, pausedUntil: 0, pacedUntil: 0 }
    states.set(lane, made)
    return made
  }
  const isPaused = (lane: string) => (states.get(lane)?.pausedUntil ?? 0) > now()

  return {
    isSuspended: isPaused,
    suspended: () => [...states.keys()].filter(isPaused),
    limit(lane) {
      const { strikes = 0 } = states.get(lane) ?? {}
      return strikes >= strikesToOne ? 1 : optionsOf(lane).concurrency
    },
    waitMs(lane) {
      const { pausedUntil = 0, pacedUntil = 0 } = states.get(lane) ?? {}
      const paced = optionsOf(lane).rate === undefined ? 0 : pacedUntil - aheadMs
      return Math.max(0, Math.max(pausedUntil, paced) - now())
    },
    onStart(lane) {
      const { rate } = optionsOf(lane)
      if (rate === undefined) return
      const state = stateOf(lane)
      state.pacedUntil = Math.max(state.pacedUntil, now()) + 1_000 / rate
    },
    onEnd(lane, verdict) {
      if (verdict.answered && verdict.pauseMs === undefined && !states.has(lane)) return
      const state = stateOf(lane)
      state.strikes = verdict.answered ? 0 : state.strikes + 1
      if (verdict.answered) state.pauses = 0
      const asked = Math.min(verdict.pauseMs ?? 0, maxAskedPauseMs)
      if (asked > 0) state.pausedUntil = Math.max(state.pausedUntil, now() + asked)
      // Calls that were under way when it was left alone say nothing new.
      if (state.strikes < strikesToPause || state.pausedUntil > now()) return
      state.pausedUntil = now() + Math.min(pauseMs * 2 ** state.pauses, maxPauseMs)
      state.pauses++
    },
  }
}

function forgetIdle(states: Map<string, State>, now: number): void {
  for (const [lane, { strikes, pausedUntil, pacedUntil }] of states)
    if (strikes === 0 && pausedUntil <= now && pacedUntil <= now) states.delete(lane)
}
