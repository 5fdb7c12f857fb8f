import { expect, test } from '@jest/globals'
import type { ApiCommand } from './api-command.ts'
import { getMessageSource } from './download.ts'

test('getMessageSource: an announced size above the limit, closes the response unread', async () => {
  const closed = Promise.withResolvers<void>()
  async function* content() {
    try {
      yield Buffer.from('part')
    } finally {
      closed.resolve()
    }
  }
  const download = { contentType: 'message/rfc822', size: 300_000_000, content: content() }
  const api = { downloadSource: async () => download } as unknown as ApiCommand['api']
  const work = getMessageSource({ account: 'a', message: '18c0ffee00000001' })
  const { signal } = new AbortController()
  await expect(work({ api, signal } as ApiCommand)).rejects.toMatchObject({ kind: 'too-large' })
  await closed.promise
})
