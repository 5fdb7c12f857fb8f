const filterNames = ['person', 'operation', 'account', 'from', 'to', 'cursor'] as const

/**
 * Query of the audit log from the filters in the address of the page. Times in the reader's time
 * zone become UTC. Invalid times are left out.
 */
export function formatAuditQuery(
  query: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const entries = filterNames.map((name) => {
    const value = query[name] ?? ''
    return [name, name === 'from' || name === 'to' ? toUtc(value) : value] as const
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== ''))
}

function toUtc(value: string): string {
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? '' : time.toISOString()
}
