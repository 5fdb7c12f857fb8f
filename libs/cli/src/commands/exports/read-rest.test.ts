import { Posthorn } from '@posthorn/client'
import { expect, test } from '@jest/globals'
import type { PartialFile } from './partial-file.ts'
import { readRest } from './read-rest.ts'

test('readRest: a write error closes the response', async () => {
  let isClosed = false
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(10)),
    cancel: () => void (isClosed = true),
  })
  const fetch = () => Promise.resolve(new Response(body, { status: 206 }))
  const client = new Posthorn({ url: 'http://api.test', fetch })
  const append = () => Promise.reject(new Error('no space left on device'))
  const file = { size: 0, append } as unknown as PartialFile
  const { signal } = new AbortController()
  const options = { account: 'anna', exportId: 'exp_1', total: 100, signal, onProgress: () => {} }
  await expect(readRest(client, file, options)).rejects.toThrow('no space left')
  expect(isClosed).toBe(true)
})
