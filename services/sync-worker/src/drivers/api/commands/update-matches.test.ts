import { expect, test } from '@jest/globals'
import type { MailApi } from '@posthorn/backends/mail-api'
import type { ApiCommand } from './api-command.ts'
import { updateMessages } from './update-matches.ts'

test.each([
  ['folder', 1_000],
  ['labels', 3_000],
] as const)('updateMessages: placement %s, changes at most %i of 3,000 matches', async (...row) => {
  const [placement, expected] = row
  const changed: string[] = []
  const api = {
    traits: { placement },
    async listIds(_query: unknown, { pageToken = '0' }: { pageToken?: string }) {
      const page = Number(pageToken)
      const entries = Array.from({ length: 1_000 }, (_, at) => ({ id: `${page * 1_000 + at}` }))
      return { entries, ...(page < 2 && { nextPageToken: `${page + 1}` }) }
    },
    async updateMessages(ids: readonly string[]) {
      expect(ids.length).toBeLessThanOrEqual(1_000)
      changed.push(...ids)
      return { missing: [] }
    },
  } as unknown as MailApi
  const { signal } = new AbortController()
  const command = { api, signal, requestPass: () => undefined } as unknown as ApiCommand
  const request = { path: '\\All', search: {}, update: { flags: { add: ['\\Seen'] } } }
  const { emailIds } = await updateMessages(request as never)(command)
  expect(emailIds).toHaveLength(expected)
  expect(changed).toEqual(emailIds)
})
