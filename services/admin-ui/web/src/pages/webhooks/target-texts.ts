import type { Target, TargetTest } from '../../data/webhooks/targets.ts'
import type { Tone } from '../../kit/content/badge.tsx'

/** State of a webhook target in one word, with the color of its badge. */
export interface TargetState {
  text: string
  tone: Tone
}

/** State of a webhook target: paused, or the success of its last attempt. */
export function stateOfTarget({ paused, lastResponse }: Target): TargetState {
  if (paused) return { text: 'paused', tone: 'warn' }
  if (!lastResponse) return { text: 'unused', tone: 'neutral' }
  return lastResponse.outcome === '2xx'
    ? { text: 'responds', tone: 'good' }
    : { text: 'fails', tone: 'bad' }
}

/**
 * Numbers of a webhook target's deliveries in the last hour: `118 delivered, 1 failed, 2 retried`.
 */
export function hourText({ lastHour }: Pick<Target, 'lastHour'>): string {
  const { delivered, failed, retried } = lastHour
  const parts = [
    [delivered, 'delivered'],
    [failed, 'failed'],
    [retried, 'retried'],
  ] as const
  const shown = parts.filter(([count]) => count > 0)
  return shown.map(([count, word]) => `${count.toLocaleString('en')} ${word}`).join(', ') || 'none'
}

/** Duration in milliseconds in words: `240 ms`, `1.2 s`. */
export function durationText(ms: number | null): string {
  if (ms === null) return '–'
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/** Last response of a webhook target in words: `503 · http-5xx · Service Unavailable`. */
export function responseText({ lastResponse }: Pick<Target, 'lastResponse'>): string {
  if (!lastResponse) return 'none'
  const { status, outcome, error, response } = lastResponse
  const parts = [status, outcome, error, shorten(response ?? '')]
  return parts.filter((part) => part !== null && part !== '').join(' · ')
}

/** Maximum characters of a response in the list of webhook targets. */
const maxShown = 120

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line
}

/** Result of a test call to a webhook target in one sentence. */
export function testText(test: TargetTest): string {
  const { success, address, status, outcome, durationMs } = test
  const result =
    status === undefined ? `did not respond (${outcome})` : `responded with the status ${status}`
  return `${address} ${result} after ${durationText(durationMs)}. ${success ? 'The target works.' : 'The target does not accept webhooks.'}`
}
