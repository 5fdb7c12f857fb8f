import { describeHolder, type LockHolder } from './lock-holders.ts'

/** Step of a run of the migrations (`migrate`), reported to the operator. */
export type MigrationProgress =
  | { kind: 'queued'; holders: readonly LockHolder[] }
  | { kind: 'started'; migration: string; position: number; count: number }
  | { kind: 'blocked'; migration: string; holders: readonly LockHolder[] }
  | { kind: 'retry'; migration: string; attempt: number; delayMs: number; reason: string }
  | { kind: 'index-dropped'; migration: string; index: string }
  | { kind: 'batch'; migration: string; rows: number }
  | { kind: 'applied'; migration: string; durationMs: number }

/** Function that is called with the steps of a run of `migrate`. */
export type ReportProgress = (progress: MigrationProgress) => void

/** Describes a step of `migrate` in one line for the operator. */
export function describeProgress(progress: MigrationProgress): string {
  switch (progress.kind) {
    case 'queued':
      return `another migrate runs, waiting for ${describeHolders(progress.holders)}`
    case 'started':
      return `${progress.migration}: started (${progress.position} of ${progress.count})`
    case 'blocked':
      return `${progress.migration}: waits for a lock of ${describeHolders(progress.holders)}`
    case 'retry':
      return `${progress.migration}: attempt ${progress.attempt} failed (${progress.reason}), next one in ${seconds(progress.delayMs)}`
    case 'index-dropped':
      return `${progress.migration}: dropped the incomplete index ${progress.index} of an earlier attempt`
    case 'batch':
      return `${progress.migration}: changed ${progress.rows} rows so far`
    case 'applied':
      return `${progress.migration}: applied in ${seconds(progress.durationMs)}`
  }
}

/** Describes the Postgres sessions that hold a lock as one text, separated by semicolons. */
export function describeHolders(holders: readonly LockHolder[]): string {
  return holders.length === 0 ? 'an unknown session' : holders.map(describeHolder).join('; ')
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
