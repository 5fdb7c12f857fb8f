import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { createSealer, keyPairFromSecret, sealHeaders } from '@posthorn/secrets'
import { createHeaderUnsealer } from './unseal-header.ts'

const { publicKey } = keyPairFromSecret('secret')
const header = { owner: 'account/a', key: 'Authorization' } as const
const [{ value } = { value: '' }] = await sealHeaders(
  [{ ...header, value: 'Bearer x' }],
  header.owner,
  createSealer(publicKey),
)

function opener(answers: (string | Error)[]) {
  const requests: unknown[] = []
  const request = async (_command: unknown, body: unknown) => {
    requests.push(body)
    const answer = answers.shift() ?? new Error('unexpected request')
    if (answer instanceof Error) throw answer
    return { value: answer }
  }
  return { requests, open: createHeaderUnsealer({ request: request as never }) }
}

test('createHeaderUnsealer: a value that is not sealed sends no request', async () => {
  const { open, requests } = opener([])
  for (const clear of ['Bearer x', 'sealed~no', ''])
    expect(await open({ ...header, value: clear })).toBe(clear)
  expect(requests).toEqual([])
})

test('createHeaderUnsealer: concurrent callers share one request', async () => {
  const { open, requests } = opener(['Bearer x'])
  const opened = await Promise.all([open({ ...header, value }), open({ ...header, value })])
  expect([...opened, await open({ ...header, value })]).toEqual(Array(3).fill('Bearer x'))
  expect(requests).toEqual([{ ...header, value }])
})

test('createHeaderUnsealer: a cached value is not returned for another owner or name', async () => {
  const { open, requests } = opener([
    'Bearer x',
    new AppError('internal', 'no'),
    new AppError('internal', 'no'),
  ])
  expect(await open({ ...header, value })).toBe('Bearer x')
  await expect(open({ ...header, owner: 'account/b', value })).rejects.toThrow('no')
  await expect(open({ ...header, key: 'X-Echo', value })).rejects.toThrow('no')
  expect(requests).toHaveLength(3)
})

test('createHeaderUnsealer: failures are not cached', async () => {
  const { open } = opener([new AppError('unavailable', 'away'), 'Bearer x'])
  await expect(open({ ...header, value })).rejects.toThrow('away')
  expect(await open({ ...header, value })).toBe('Bearer x')
})
