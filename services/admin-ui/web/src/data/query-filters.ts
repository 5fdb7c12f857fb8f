type Query = Readonly<Record<string, string>>

/** Filters of a list from the address of its page. Empty filters are left out. */
export function filtersOf<K extends string>(
  query: Query,
  names: readonly K[],
): Partial<Record<K, string>> {
  const entries = names.map((name) => [name, query[name] ?? ''] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== '')) as Partial<
    Record<K, string>
  >
}

/**
 * Filters of a list that are times, in UTC. The address has times in the reader's time zone.
 * Invalid times are left out.
 */
export function timeFiltersOf<K extends string>(
  query: Query,
  names: readonly K[],
): Partial<Record<K, string>> {
  const times = names.map((name) => [name, toUtc(query[name])] as const)
  return filtersOf(Object.fromEntries(times), names)
}

function toUtc(value = ''): string {
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? '' : time.toISOString()
}
