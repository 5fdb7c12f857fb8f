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
  const asked: unknown[] = []
  const ask = async (_command: unknown, request: unknown) => {
    asked.push(request)
    const answer = answers.shift() ?? new Error('asked once too often')
    if (answer instanceof Error) throw answer
    return { value: answer }
  }
  return { asked, open: createHeaderUnsealer({ request: ask as never }) }
}

test('what is not sealed is not asked for', async () => {
  const { open, asked } = opener([])
  for (const clear of ['Bearer x', 'sealed~no', ''])
    expect(await open({ ...header, value: clear })).toBe(clear)
  expect(asked).toEqual([])
})

test('what is sealed is asked for once, however many wait for it', async () => {
  const { open, asked } = opener(['Bearer x'])
  const opened = await Promise.all([open({ ...header, value }), open({ ...header, value })])
  expect([...opened, await open({ ...header, value })]).toEqual(Array(3).fill('Bearer x'))
  expect(asked).toEqual([{ ...header, value }])
})

test('what was opened for one is not given to another who has the same text', async () => {
  const { open, asked } = opener([
    'Bearer x',
    new AppError('internal', 'no'),
    new AppError('internal', 'no'),
  ])
  expect(await open({ ...header, value })).toBe('Bearer x')
  await expect(open({ ...header, owner: 'account/b', value })).rejects.toThrow('no')
  await expect(open({ ...header, key: 'X-Echo', value })).rejects.toThrow('no')
  expect(asked).toHaveLength(3)
})

test('a failure is not remembered', async () => {
  const { open } = opener([new AppError('unavailable', 'away'), 'Bearer x'])
  await expect(open({ ...header, value })).rejects.toThrow('away')
  expect(await open({ ...header, value })).toBe('Bearer x')
})
