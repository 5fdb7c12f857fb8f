import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { defined } from '@posthorn/contracts/defined'
import { parseDate } from '@posthorn/contracts/formats'
import { queryText } from '../../src/graph/graph-client.ts'
import { type ListPlan, planList } from '../../src/graph/list-plan.ts'
import type { GraphMessage } from '../../src/provider-types/graph.ts'
import type { SearchTerms } from '../../src/searches.ts'

interface Expected {
  filter?: string | null
  orderby?: string | null
  search?: string | null
  query?: string
  check?: string[]
  get?: string[]
  refused?: string
}

interface Case {
  name: string
  search: Record<string, unknown>
  filter: Expected
  index: Expected
}

// Searches of the mail API, and the Graph requests that they lead to.
const cases = JSON.parse(
  readFileSync(join(import.meta.dirname, 'search-translation.json'), 'utf8'),
) as Case[]

const dates = ['before', 'since', 'sentBefore', 'sentSince']
const toTerms = (search: Case['search']) =>
  Object.fromEntries(
    Object.entries(search).map(([name, value]) => [
      name,
      dates.includes(name) ? parseDate(String(value)) : value,
    ]),
  ) as SearchTerms

/** Graph message that fails every search term that is checked by the client. */
const other: GraphMessage = { id: 'x', isRead: true }

function queryOf(plan: ListPlan): string {
  if (plan.kind === 'ids') return ''
  const $orderby = plan.kind === 'filter' ? 'receivedDateTime desc' : undefined
  const $filter = plan.kind === 'index' ? undefined : plan.filter
  const $search = plan.kind === 'index' ? plan.search : undefined
  return queryText(defined({ $filter, $search, $orderby })).slice(1)
}

for (const form of ['filter', 'index'] as const)
  test.each(cases.map((each) => [each.name, each] as const))(
    `planList: %s, translated or refused (${form})`,
    (_name, { search, [form]: expected }) => {
      const query = { search: toTerms(search), indexed: form === 'index' }
      if (expected.refused !== undefined) {
        expect(() => planList(query)).toThrow(
          expect.objectContaining({ failure: 'unsupported-term', code: 'UnsupportedSearchTerm' }),
        )
        return
      }
      const plan = planList(query)
      if (expected.get) expect(plan).toMatchObject({ kind: 'ids', ids: expected.get })
      else expect(queryOf(plan)).toBe(expected.query)
      if (expected.check && 'check' in plan) expect(plan.check(other)).toBe(false)
    },
  )
