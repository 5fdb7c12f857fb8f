/** Cache key of all data about accounts. */
export const accountsKey = ['accounts'] as const
/** Cache key of the outbox. */
export const outboxKey = ['outbox'] as const
/** Cache key of the webhook deliveries and their replays. */
export const deliveriesKey = ['deliveries'] as const
/** Cache key of the sync-worker processes. */
export const workersKey = ['workers'] as const
/** Cache key of the statistics of the whole installation. */
export const statsKey = ['stats'] as const
