import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { readReport } from './read-report.ts'
import type { RecipientResult } from './report.ts'

/** Directory of real delivery reports; optional, see the README. */
const corpus = process.env['TEST_REPORT_CORPUS'] ?? ''
const withCorpus = existsSync(join(corpus, 'dev-bounces.tsv')) ? test : test.skip

type Row = Partial<Record<string, string>>

function table(name: string): Row[] {
  const [head = [], ...rows] = readFileSync(join(corpus, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  return rows.map((row) => Object.fromEntries(head.map((column, at) => [column, row[at] ?? ''])))
}

const read = (row: Row) => readReport(readFileSync(join(corpus, 'mail', `${row['case']}.eml`)))

/**
 * Delivery result for the recipient of a row in the report corpus, or the first result if the row
 * names no recipient.
 */
function resultOf(row: Row): RecipientResult | undefined {
  const report = read(row)
  if (report?.kind !== 'delivery') return undefined
  const wanted = [row['recipient'], row['recipient_alt']].filter(Boolean)
  return wanted.length === 0
    ? report.recipients[0]
    : report.recipients.find(({ recipient }) =>
        wanted.some((address) => address?.toLowerCase() === recipient.toLowerCase()),
      )
}

function share<T>(rows: readonly T[], isRight: (row: T) => boolean): number {
  return rows.filter(isRight).length / rows.length
}

withCorpus('readReport: finds 98 % of the recipients of the corpus', () => {
  const rows = table('dev-bounces.tsv').filter(
    (row) => row['kind'] === 'bounce' && row['recipient'] !== '',
  )
  expect(share(rows, (row) => resultOf(row) !== undefined)).toBeGreaterThanOrEqual(0.98)
})

withCorpus('readReport: assigns 90 % of the reasons of the corpus to a right category', () => {
  const categories = new Map(
    table('bounce-reason-map.tsv').map((row) => [
      `${row['vocab']} ${row['reason']}`,
      row['acceptable_categories']?.split('|') ?? [],
    ]),
  )
  const judged = table('dev-bounces.tsv').flatMap((row) => {
    const right = categories.get(`${row['reason_vocab']} ${row['reason']}`) ?? ['*']
    const isJudged = row['kind'] === 'bounce' && !right.includes('*') && !right.includes('-')
    return isJudged ? [{ row, right }] : []
  })
  const isRight = ({ row, right }: (typeof judged)[number]) =>
    right.includes(resultOf(row)?.response.category ?? '')
  expect(share(judged, isRight)).toBeGreaterThanOrEqual(0.9)
})

withCorpus('readReport: finds all complaints of the corpus, and no report in other mail', () => {
  for (const row of table('dev-bounces.tsv')) {
    if (row['kind'] === 'bounce') continue
    const kind = row['kind'] === 'complaint' ? 'complaint' : undefined
    expect([row['case'], read(row)?.kind]).toEqual([row['case'], kind])
  }
})
