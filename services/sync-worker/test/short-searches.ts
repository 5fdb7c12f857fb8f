import { type Hook, imapFaults } from '@posthorn/testkit'

/** Removes UIDs from the results of IMAP searches. */
export function searches(isListed: (uid: number) => boolean): Hook {
  return imapFaults.mapsLines((lines) =>
    lines.map((line) => {
      if (line.startsWith('* SEARCH'))
        return ['* SEARCH', ...line.split(' ').slice(2).map(Number).filter(isListed)].join(' ')
      const [, head, set = ''] = /^(\* ESEARCH .*?)(?: ALL ([\d:,]+))? COUNT \d+$/.exec(line) ?? []
      if (head === undefined) return line
      const uids = set.split(',').filter(Boolean).flatMap(expand).filter(isListed)
      return `${head}${uids.length > 0 ? ` ALL ${uids.join(',')}` : ''} COUNT ${uids.length}`
    }),
  )
}

function expand(range: string): number[] {
  const [first = 0, last = first] = range.split(':').map(Number)
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
}
