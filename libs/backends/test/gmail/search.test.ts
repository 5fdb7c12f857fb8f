import { describe, expect, test } from '@jest/globals'
import { isMailApiError } from '../../src/mail-api/index.ts'
import { planSearch, type SearchPlan } from '../../src/gmail/lists/search.ts'
import { urlOf } from '../../src/gmail/requests.ts'
import type { SearchTerms } from '../../src/searches.ts'
import { readFixture } from './fixtures.ts'

interface SearchCase {
  name: string
  search: Record<string, unknown>
  path?: string
  gmail: {
    labelIds?: string[]
    q?: string | null
    includeSpamTrash?: boolean
    query?: string
    refused?: string
    nothing?: true
    status?: number
    get?: string[]
    thread?: string
  }
}

const { labels, cases } = readFixture<{
  labels: { id: string; name: string }[]
  cases: SearchCase[]
}>('search-cases')
const named = labels.map(({ id, name }) => ({
  id,
  name,
  isSystem: id === name,
  isHidden: false,
}))

const folders: Record<string, string> = { Work: 'Label_1', '\\Trash': 'TRASH' }

function plan({ search, path = '' }: Pick<SearchCase, 'search' | 'path'>): SearchPlan {
  const dates = ['before', 'since', 'sentBefore', 'sentSince']
  const terms = Object.entries(search).map(([name, value]) => [
    name,
    dates.includes(name) ? new Date(String(value)) : value,
  ])
  return planSearch({
    folderId: folders[path],
    search: Object.fromEntries(terms) as SearchTerms,
    labels: named,
  })
}

function failureOf(each: Pick<SearchCase, 'search' | 'path'>): unknown {
  try {
    plan(each)
  } catch (error) {
    return isMailApiError(error) ? error.failure : error
  }
  return undefined
}

describe('planSearch: cases of the search translation', () => {
  test.each(cases.map((each) => [each.name, each] as const))('%s', (_name, each) => {
    const { gmail } = each
    if (gmail.refused !== undefined) expect(failureOf(each)).toBe('unsupported-term')
    else if (gmail.status !== undefined) expect(failureOf(each)).toBe('label-missing')
    else if (gmail.nothing) expect(plan(each)).toEqual({ kind: 'nothing' })
    else if (gmail.thread !== undefined)
      expect(plan(each)).toEqual({ kind: 'thread', id: gmail.thread })
    else if (gmail.get !== undefined) {
      const got = plan(each)
      expect(got.kind === 'ids' ? got.ids : got.kind === 'message' && [got.id]).toEqual(gmail.get)
    } else {
      const { labelIds, q, includeSpamTrash } = gmail
      const got = plan(each)
      if (got.kind !== 'list') throw new Error(`unexpected plan ${got.kind}`)
      expect(got.query.labelIds).toEqual(labelIds)
      expect(got.query.q ?? null).toBe(q)
      expect(got.query.includeSpamTrash ?? false).toBe(includeSpamTrash)
      const url = urlOf({ path: '/messages', query: { ...got.query } }, 'a@b.example')
      const query = url.slice(url.indexOf('?') + 1).replace(/&?fields=.*$/, '')
      expect(query).toBe(gmail.query)
    }
  })
})

test('planSearch: query above 7,000 bytes and unknown terms, are refused', () => {
  expect(failureOf({ search: { subject: 'ä'.repeat(2_500) } })).toBe('unsupported-term')
  expect(failureOf({ search: { newTerm: 1 } })).toBe('unsupported-term')
  expect(failureOf({ search: { paths: ['a'] } })).toBe('unsupported-term')
})
