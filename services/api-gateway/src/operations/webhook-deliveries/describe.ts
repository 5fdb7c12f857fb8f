import type { DeliveryRow, ReplayRow } from '../../store/webhook-deliveries.ts'

/** A delivery as it is shown. One that has ended has no next attempt. */
export function describeDelivery({ lane, ...row }: DeliveryRow) {
  return {
    ...row,
    address: lane,
    queuedAt: row.queuedAt.toISOString(),
    nextAttemptAt: row.state === 'due' ? row.nextAttemptAt.toISOString() : null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
    replayedAt: row.replayedAt?.toISOString() ?? null,
  }
}

export function describeReplay({ total, replayed, ...row }: ReplayRow) {
  return {
    ...row,
    filter: { ...row.filter },
    total: total === null ? null : Number(total),
    replayed: Number(replayed),
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
  }
}
